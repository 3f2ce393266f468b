// SPDX-License-Identifier: MIT
// Tests what programs may do to shared state, by escapes and by packets; the driver's answers about its
// escapes (QUERY_OPERATION) and its settings (QUERY_SETTINGS); and which remain with escapes=off.
#include <cstring>

#include "aerogpu/aerogpu_escape_extension.h"
#include "aerogpu/aerogpu_extension.h"
#include "aerogpu/aerogpu_umd_private_extension.h"
#include "aerogpu/packet_rights.hpp"
#include "tests-qtest/driver/escapes.h"
#include "tests-qtest/driver/outside.h"
#include "tests-qtest/driver/streams.h"

namespace aerogpu::host {

namespace {

aerogpu_escape_ext_query_operation_inout ask(Escapes& escapes, uint32_t operation) {
  aerogpu_escape_ext_query_operation_inout question{};
  question.operation = operation;
  question.flags = question.bytes_needed = question.reserved0 = 0xEEEEEEEE;
  return escapes.answer<aerogpu_escape_ext_query_operation_inout>(AEROGPU_ESCAPE_OP_EXT_QUERY_OPERATION,
                                                                  question);
}

/// ESC-6: compares QUERY_OPERATION's answers with the table of operations, for privileged and for other
/// callers.
void queryOperation() {
  Session session;
  if (!session.ok()) return;
  Adapter& adapter = session.adapter();
  auto client = Client::create(adapter, 100);
  if (!expect(client != nullptr, "a device")) return;
  Escapes escapes(adapter, *client);
  for (const bool privileged : {false, true}) {
    setCallerPrivileged(privileged);
    unsigned known = 0;
    for (uint32_t op = 0; op < 64; ++op) {
      const EscapeOperation* o = nullptr;
      for (const EscapeOperation& row : escapeOperations())
        if (row.op == op) o = &row;
      const auto answer = ask(escapes, op);
      uint32_t flags = 0;
      if (o)
        flags = AEROGPU_EXT_OPERATION_KNOWN | (o->privileged ? AEROGPU_EXT_OPERATION_PRIVILEGED : 0) |
                (!o->privileged || privileged ? AEROGPU_EXT_OPERATION_ALLOWED : 0);
      known += o != nullptr;
      expect(answer.operation == op && answer.flags == flags && answer.bytes_needed == (o ? o->bytes : 0) &&
                 answer.reserved0 == 0,
             "QUERY_OPERATION %u, %sprivileged: flags 0x%x, %u bytes (0x%x, %u)", op,
             privileged ? "" : "not ", flags, o ? o->bytes : 0, answer.flags, answer.bytes_needed);
    }
    expect(known == escapeOperations().size(), "all of the table were asked");
    expect(ask(escapes, UINT32_MAX).flags == 0, "QUERY_OPERATION of no operation");
  }
}

/// ESC-9: sets each registry value in its range, out of its range, and with another type.
void settings() {
  Session session(false);
  if (!session.ok()) return;
  Adapter& adapter = session.adapter();
  const struct {
    const char* name;
    uint32_t value, flags, log;
  } rows[] = {
      {"Disable3D", 1, AEROGPU_EXT_SETTING_3D_DISABLED, 0},
      {"DisableGdiAcceleration", 1, AEROGPU_EXT_SETTING_GDI_DISABLED, 0},
      {"DisableAperture", 7, AEROGPU_EXT_SETTING_APERTURE_DISABLED, 0},
      {"DisableHardwareBuffers", 1, AEROGPU_EXT_SETTING_BUFFERS_DISABLED, 0},
      {"UserModeLog", 1, 0, 1},
      {"UserModeLog", AEROGPU_EXT_USER_MODE_LOG_MAX, 0, AEROGPU_EXT_USER_MODE_LOG_MAX},
      {"UserModeLog", AEROGPU_EXT_USER_MODE_LOG_MAX + 1, 0, 0},
      {"UserModeLog", UINT32_MAX, 0, 0},
      {"UserModeLog", 0, 0, 0},
  };
  const auto expectSettings = [&](uint32_t flags, uint32_t log, const char* what, uint32_t value) {
    if (!expect(ntSuccess(adapter.addDevice()) && ntSuccess(adapter.startDevice()), "%s: a start", what))
      return;
    setCallerPrivileged(false);
    DXGKARG_ESCAPE args{};
    aerogpu_escape_ext_query_settings_out out;
    std::memset(&out, 0xEE, sizeof out);
    out.hdr = {AEROGPU_ESCAPE_VERSION, AEROGPU_ESCAPE_OP_EXT_QUERY_SETTINGS, sizeof out, 0};
    args.pPrivateDriverData = &out;
    args.PrivateDriverDataSize = sizeof out;
    const NTSTATUS status =
        callDdi("DxgkDdiEscape", kPassiveLevel, adapter.ddi.DxgkDdiEscape, adapter.context(), &args);
    expect(ntSuccess(status) && out.flags == flags && out.user_mode_log == log && !out.reserved0 &&
               !out.reserved1,
           "QUERY_SETTINGS, %s %u: flags 0x%x, log %u (0x%08x, 0x%x, %u)", what, value, flags, log, status,
           out.flags, out.user_mode_log);
    setCallerPrivileged(true);
    // PRIV-26, PRIV-31: opening the adapter for Direct3D gives the same answer.
    aerogpu_umd_ext_private_v2 answer{};
    DXGKARG_QUERYADAPTERINFO query{};
    query.Type = DXGKQAITYPE_UMDRIVERPRIVATE;
    query.pOutputData = &answer;
    query.OutputDataSize = sizeof answer;
    const NTSTATUS told = callDdi("DxgkDdiQueryAdapterInfo", kPassiveLevel,
                                  adapter.ddi.DxgkDdiQueryAdapterInfo, adapter.context(), &query);
    if (flags & AEROGPU_EXT_SETTING_3D_DISABLED)
      expect(!ntSuccess(told), "UMDRIVERPRIVATE without 3D: 0x%08x", told);
    else
      expect(ntSuccess(told) && (answer.ext_flags & 0x300) == log << 8 &&
                 !(answer.ext_flags & AEROGPU_UMDPRIV_EXT_FLAG_NO_BUFFERS) ==
                     !(flags & AEROGPU_EXT_SETTING_BUFFERS_DISABLED),
             "UMDRIVERPRIVATE, %s %u: flags 0x%x (0x%08x)", what, value, answer.ext_flags, told);
    adapter.stopDevice();
    adapter.removeDevice();
  };
  expectSettings(0, 0, "nothing", 0);
  for (const auto& row : rows) {
    setRegistryDword(Adapter::registryKey(), row.name, row.value);
    expectSettings(row.flags, row.log, row.name, row.value);
    setRegistryDword(Adapter::registryKey(), row.name, 0);
  }
  setRegistryString(Adapter::registryKey(), "UserModeLog", "1");
  expectSettings(0, 0, "UserModeLog as a string", 1);
  setRegistryDword(Adapter::registryKey(), "UserModeLog", 0);
  adapter.unload();
}

/// ESC-8, POLICY-1.
void escapesOff() {
  Session session(false);
  if (!session.ok()) return;
  Adapter& adapter = session.adapter();
  Machine& machine = adapter.machine();
  if (!machine.breakRegister(AEROGPU_EXT_REG_POLICY, {.readOr = AEROGPU_EXT_POLICY_ESCAPES_OFF})) {
    skipTest("registers cannot be changed here");
    return;
  }
  // Without the feature bit the register is ignored.
  machine.breakRegister(AEROGPU_MMIO_REG_FEATURES_HI, {.readAnd = ~AEROGPU_EXT_FEATURE_HI_POLICY});
  for (const bool off : {false, true}) {
    if (!(off ? expect(ntSuccess(adapter.addDevice()) && ntSuccess(adapter.startDevice()), "a start")
              : session.start()))
      return;
    auto client = Client::create(adapter, 100);
    if (!expect(client != nullptr, "a device")) return;
    Escapes escapes(adapter, *client);
    const SharedRegisters before(adapter);
    for (const bool privileged : {false, true}) {
      setCallerPrivileged(privileged);
      for (const EscapeOperation& o : escapeOperations()) {
        const bool refused = off && !o.always;
        const auto answer = ask(escapes, o.op);
        expect(((answer.flags & AEROGPU_EXT_OPERATION_REFUSED) != 0) == refused &&
                   ((answer.flags & AEROGPU_EXT_OPERATION_ALLOWED) != 0) ==
                       (!refused && (!o.privileged || privileged)),
               "escapes=%s: QUERY_OPERATION %u: flags 0x%x", off ? "off" : "on", o.op, answer.flags);
        std::vector<uint8_t> data(o.bytes);
        const aerogpu_escape_header header{AEROGPU_ESCAPE_VERSION, o.op, o.bytes, 0};
        std::memcpy(data.data(), &header, sizeof header);
        if (o.op == AEROGPU_ESCAPE_OP_EXT_RESERVE_HANDLES) data[sizeof header] = 1;
        const NTSTATUS status = escapes.raw(data.data(), o.bytes);
        if (refused)
          expect(status == kDisabledByPolicy, "escapes=off: %u is refused (0x%08x)", o.op, status);
        else if (o.privileged && !privileged)
          expect(status == kAccessDenied, "escapes=%s: %u without rights (0x%08x)", off ? "off" : "on", o.op,
                 status);
        else if (o.op != AEROGPU_ESCAPE_OP_SET_CURSOR_SHAPE)  // an empty shape
          expect(ntSuccess(status), "escapes=%s: %u is answered (0x%08x)", off ? "off" : "on", o.op, status);
      }
    }
    if (off) before.expectSame("escapes=off");
    client.reset();
    if (!off) {
      adapter.stopDevice();
      adapter.removeDevice();
      machine.breakRegister(AEROGPU_MMIO_REG_FEATURES_HI, {.readOr = AEROGPU_EXT_FEATURE_HI_POLICY});
    }
  }
}

/// ESC-10: no escape of an unprivileged program changes shared state, whatever its content.
void unprivilegedEscapes() {
  Session session;
  if (!session.ok() || !expect(session.setMode(1024, 768), "a mode")) return;
  Adapter& adapter = session.adapter();
  auto client = Client::create(adapter, 100);
  if (!expect(client != nullptr, "a device")) return;
  Escapes escapes(adapter, *client);
  expectScreen({{500, 300}}, {0}, "the desktop");
  const SharedRegisters before(adapter);
  setCallerPrivileged(false);
  Random random(options().seed);
  for (uint32_t op = 0; op < 32; ++op)
    for (int round = 0; round < 8; ++round) {
      std::vector<uint8_t> data(4200);
      for (auto& b : data)
        b = round == 0 ? uint8_t{0} : round == 1 ? uint8_t{0xFF} : static_cast<uint8_t>(random.next());
      const aerogpu_escape_header header{AEROGPU_ESCAPE_VERSION, op, static_cast<uint32_t>(data.size()), 0};
      std::memcpy(data.data(), &header, sizeof header);
      escapes.raw(data.data(), static_cast<UINT>(data.size()));
      char when[32];
      std::snprintf(when, sizeof when, "escape %u", op);
      before.expectSame(when);
    }
  setCallerPrivileged(true);
  expectScreen({{500, 300}}, {0}, "the desktop after all escapes");
}

/// PRIV-22: no packet of a program changes shared state. Sends each opcode alone, followed by nothing, by
/// ones, or by random bytes.
void packets(Adapter& adapter, Client& client, Context& context) {
  expectScreen({{500, 300}}, {0}, "the desktop");
  const SharedRegisters before(adapter);
  Random random(options().seed);
  unsigned taken = 0;
  for (const PacketRights& row : kPacketRights)
    for (int round = 0; round < 6; ++round) {
      std::vector<uint32_t> words(row.bytes / 4 + (round & 1 ? 8 : 0));
      for (auto& word : words)
        word = round < 2 ? 0 : round < 4 ? UINT32_MAX : random.below(2) ? random.next() : random.below(4);
      words[0] = row.opcode;
      words[1] = static_cast<uint32_t>(words.size() * 4);
      Stream header;
      std::vector<uint8_t> bytes(header.bytes().begin(), header.bytes().end());
      const auto* from = reinterpret_cast<const uint8_t*>(words.data());
      bytes.insert(bytes.end(), from, from + words.size() * 4);
      const auto size = static_cast<uint32_t>(bytes.size());
      std::memcpy(bytes.data() + offsetof(aerogpu_cmd_stream_header, size_bytes), &size, 4);
      taken += ntSuccess(context.render(bytes, {}));
      expect(adapter.scheduler().waitIdle(), "opcode 0x%x completes", row.opcode);
      char when[32];
      std::snprintf(when, sizeof when, "opcode 0x%x", row.opcode);
      before.expectSame(when);
    }
  note("%u of the streams were taken", taken);
  expect(taken > std::size(kPacketRights), "most packets are taken by the driver");
  expectScreen({{500, 300}}, {0}, "the desktop after all packets");
  (void)client;
}

const TestCase kEscapeRightsTests[] = {
    {"escape-operations", 60, queryOperation, Runs::kBesideQemu},
    {"escape-settings", 60, settings, Runs::kBesideQemu},
    {"escapes-off", 60, escapesOff, Runs::kBesideQemu},
    {"escape-nothing-shared", 60, unprivilegedEscapes, Runs::kBesideQemu},
    {"packets-nothing-shared", 120, inProcessWithMode<packets, 1024, 768>},
};

}  // namespace

std::span<const TestCase> escapeRightsTests() {
  return kEscapeRightsTests;
}

}  // namespace aerogpu::host
