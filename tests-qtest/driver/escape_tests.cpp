// SPDX-License-Identifier: MIT
// Tests DxgkDdiEscape: which operations exist and for whom, and that the answers about device, allocations
// and the driver's self test are true. docs/windows/driver.md, "Debugging", says which caller may ask what.
#include <algorithm>
#include <cstring>

#include "aerogpu/aerogpu_escape_extension.h"
#include "aerogpu/aerogpu_wddm_alloc.h"
#include "tests-qtest/driver/escapes.h"
#include "tests-qtest/driver/streams.h"

namespace aerogpu::host {

namespace {

/// ESC-1, ESC-2: which callers may ask, when, and which sizes are accepted.
void escapes() {
  Session session(false);
  if (!session.ok()) return;
  Adapter& adapter = session.adapter();
  if (!expect(ntSuccess(adapter.addDevice()), "a device object")) return;
  for (const EscapeOperation& o : escapeOperations()) {
    std::vector<uint8_t> blob(o.bytes);
    const aerogpu_escape_header header{AEROGPU_ESCAPE_VERSION, o.op, o.bytes, 0};
    std::memcpy(blob.data(), &header, sizeof header);
    DXGKARG_ESCAPE args{};
    args.pPrivateDriverData = blob.data();
    args.PrivateDriverDataSize = o.bytes;
    const NTSTATUS status =
        callDdi("DxgkDdiEscape", kPassiveLevel, adapter.ddi.DxgkDdiEscape, adapter.context(), &args);
    expect(status == kDeviceNotReady, "operation %u before the start (0x%08x)", o.op, status);
  }
  adapter.removeDevice();
  if (!session.start()) return;
  auto client = Client::create(adapter, 100);
  if (!expect(client != nullptr, "a device")) return;
  Escapes escapes(adapter, *client);
  std::vector<uint8_t> data(8192);
  const auto call = [&](uint32_t op, uint32_t size, UINT bytes, uint32_t version = AEROGPU_ESCAPE_VERSION) {
    std::fill(data.begin(), data.end(), uint8_t{0});
    const aerogpu_escape_header header{version, op, size, 0};
    std::memcpy(data.data(), &header, sizeof header);
    if (op == AEROGPU_ESCAPE_OP_EXT_RESERVE_HANDLES && size > sizeof header) data[sizeof header] = 1;
    return escapes.raw(data.data(), bytes);
  };
  expect(!ntSuccess(escapes.raw(nullptr, 0)), "an escape without data is refused");
  for (const EscapeOperation& o : escapeOperations()) {
    const auto is = [&](NTSTATUS status, NTSTATUS expected, const char* what) {
      expect(status == expected, "operation %u, %s: 0x%08x (0x%08x)", o.op, what, expected, status);
    };
    setCallerPrivileged(false);
    const NTSTATUS common = call(o.op, o.bytes, o.bytes);
    if (o.privileged) {
      is(common, kAccessDenied, "without the debug privilege");
      expect(std::all_of(data.begin() + sizeof(aerogpu_escape_header), data.end(),
                         [](uint8_t b) { return b == 0; }),
             "operation %u: a refusal says nothing", o.op);
      is(call(o.op, 16, 16), kAccessDenied, "the privilege before the size");
    } else {
      is(common, kSuccess, "for anybody");
    }
    setCallerPrivileged(true);
    // An empty shape is refused as invalid; `escape-cursor` has a valid one.
    is(call(o.op, o.bytes, o.bytes),
       o.op == AEROGPU_ESCAPE_OP_SET_CURSOR_SHAPE ? kInvalidParameter : kSuccess, "with the privilege");
    const auto saysHowMuch = [&](const char* what) {
      aerogpu_escape_header said;
      std::memcpy(&said, data.data(), sizeof said);
      expect(said.reserved0 == o.bytes && said.op == o.op, "operation %u, %s: %u bytes are needed (%u)", o.op,
             what, o.bytes, said.reserved0);
    };
    is(call(o.op, o.bytes - 1, o.bytes - 1), kBufferTooSmall, "a byte short");
    saysHowMuch("a byte short");
    is(call(o.op, 16, o.bytes), kBufferTooSmall, "a header that says less");
    saysHowMuch("a header alone");
    is(call(o.op, o.bytes + 1, o.bytes), kInvalidParameter, "a header that says more than there is");
    is(call(o.op, 15, o.bytes), kInvalidParameter, "a header that says less than itself");
    is(call(o.op, o.bytes, 15), kBufferTooSmall, "no header");
    is(call(o.op, o.bytes, o.bytes, AEROGPU_ESCAPE_VERSION + 1), kInvalidParameter, "another version");
  }
  // MAP_SHARED_HANDLE of the ABI is not implemented; READ_GPA exists only in checked drivers, for privileged
  // callers.
  for (const bool privileged : {false, true}) {
    setCallerPrivileged(privileged);
    for (const uint32_t op : {0u, AEROGPU_ESCAPE_OP_MAP_SHARED_HANDLE, 21u, 255u, UINT32_MAX}) {
      const NTSTATUS status = call(op, 4096, 4096);
      expect(status == kNotSupported, "operation %u is not there (0x%08x)", op, status);
    }
  }
  // Whatever the content, nothing is written past the size.
  Random random(options().seed);
  data.resize(512);
  for (const bool privileged : {false, true}) {
    setCallerPrivileged(privileged);
    for (UINT size = 0; size < (privileged ? 256u : 64u); size += privileged ? 8 : 1)
      for (uint32_t op = 0; op < 24; ++op) {
        if (privileged && op == AEROGPU_ESCAPE_OP_SELFTEST) continue;  // it takes long
        for (auto& b : data) b = static_cast<uint8_t>(random.next());
        const aerogpu_escape_header header{AEROGPU_ESCAPE_VERSION, op, size, 0};
        std::memcpy(data.data(), &header, sizeof header);
        const std::vector<uint8_t> tail(data.begin() + size, data.end());
        escapes.raw(data.data(), size);
        expect(std::memcmp(tail.data(), data.data() + size, tail.size()) == 0,
               "escape %u of %u bytes writes past its buffer", op, size);
      }
  }
  expect(session.setMode(), "the adapter still works");
}

/// ESC-3: tests the answers about the device, fences and errors.
void deviceAnswers(Adapter& adapter, Client& client, Context& context) {
  auto& r = adapter.registers();
  Escapes escapes(adapter, client);
  const auto device = escapes.answer<aerogpu_escape_query_device_out>(AEROGPU_ESCAPE_OP_QUERY_DEVICE);
  expect(device.mmio_version == r.read(AEROGPU_MMIO_REG_ABI_VERSION), "QUERY_DEVICE: version 0x%08x",
         device.mmio_version);
  const auto v2 = escapes.answer<aerogpu_escape_query_device_v2_out>(AEROGPU_ESCAPE_OP_QUERY_DEVICE_V2);
  expect(v2.detected_mmio_magic == r.read(AEROGPU_MMIO_REG_MAGIC) &&
             v2.abi_version_u32 == r.read(AEROGPU_MMIO_REG_ABI_VERSION) &&
             v2.features_lo == r.read64(AEROGPU_MMIO_REG_FEATURES_LO) && v2.features_hi == 0,
         "QUERY_DEVICE_V2: magic 0x%08x, version 0x%08x, features 0x%llx", v2.detected_mmio_magic,
         v2.abi_version_u32, static_cast<unsigned long long>(v2.features_lo));

  const auto fence = [&] {
    return escapes.answer<aerogpu_escape_query_fence_out>(AEROGPU_ESCAPE_OP_QUERY_FENCE);
  };
  const auto error = [&] {
    return escapes.answer<aerogpu_escape_query_error_out>(AEROGPU_ESCAPE_OP_QUERY_ERROR);
  };
  const auto errorIsTrue = [&](const char* when) {
    const auto e = error();
    const uint32_t code = r.read(AEROGPU_MMIO_REG_ERROR_CODE);
    expect(
        e.flags == (AEROGPU_DBGCTL_QUERY_ERROR_FLAGS_VALID | AEROGPU_DBGCTL_QUERY_ERROR_FLAG_ERROR_SUPPORTED |
                    (code ? AEROGPU_DBGCTL_QUERY_ERROR_FLAG_ERROR_LATCHED : 0)),
        "QUERY_ERROR %s: flags 0x%08x", when, e.flags);
    expect(e.error_code == code && e.error_count == r.read(AEROGPU_MMIO_REG_ERROR_COUNT) &&
               e.error_fence == r.read64(AEROGPU_MMIO_REG_ERROR_FENCE_LO),
           "QUERY_ERROR %s: code %u, count %u", when, e.error_code, e.error_count);
  };
  errorIsTrue("before");
  Surface surface;
  if (!makeSurface(adapter, client, context, 64, 64, surface)) return;
  adapter.scheduler().waitIdle();
  const auto before = fence();
  const uint64_t submitted = adapter.scheduler().submitted();
  for (uint32_t i = 0; i < 3; ++i) fillSurface(context, surface, 0xFF000000 | i);
  adapter.scheduler().waitIdle();
  const auto after = fence();
  expect(after.last_submitted_fence - before.last_submitted_fence ==
                 adapter.scheduler().submitted() - submitted &&
             static_cast<uint32_t>(after.last_submitted_fence) == adapter.scheduler().lastFence(),
         "QUERY_FENCE: the last submitted one (%llu, then %llu)",
         static_cast<unsigned long long>(before.last_submitted_fence),
         static_cast<unsigned long long>(after.last_submitted_fence));
  expect(after.last_completed_fence == after.last_submitted_fence &&
             after.last_completed_fence == r.read64(AEROGPU_MMIO_REG_COMPLETED_FENCE_LO),
         "QUERY_FENCE: the last completed one");
  expect(after.error_irq_count == before.error_irq_count, "QUERY_FENCE: no errors yet");
  // With the ring stopped: submitted, but not completed.
  const uint32_t control = r.read(AEROGPU_MMIO_REG_RING_CONTROL);
  r.write(AEROGPU_MMIO_REG_RING_CONTROL, 0);
  fillSurface(context, surface, 0xFF000004);
  const auto held = fence();
  expect(held.last_submitted_fence == after.last_submitted_fence + 1 &&
             held.last_completed_fence == after.last_completed_fence,
         "QUERY_FENCE: one is under way");
  r.write(AEROGPU_MMIO_REG_RING_CONTROL, control);
  expect(adapter.scheduler().waitIdle(), "it completes");

  const uint64_t wrong = submitErrors(adapter, context);
  errorIsTrue("after");
  const auto e = error();
  expect(e.error_code == AEROGPU_ERROR_CMD_DECODE && e.error_fence == wrong,
         "QUERY_ERROR: the error's fence");
  const auto blamed = fence();
  expect(blamed.error_irq_count == after.error_irq_count + 1 && blamed.last_error_fence == wrong,
         "QUERY_FENCE: one error interrupt (%llu, %llu)",
         static_cast<unsigned long long>(blamed.error_irq_count),
         static_cast<unsigned long long>(blamed.last_error_fence));
  dropSurface(adapter, client, context, surface);
  adapter.scheduler().waitIdle();
  expectDeviceErrors(adapter, 2);
}

/// ESC-3: DUMP_CREATEALLOCATION returns the newest allocations.
void creationLog() {
  Session session;
  if (!session.ok()) return;
  Adapter& adapter = session.adapter();
  auto client = Client::create(adapter, 100);
  if (!expect(client != nullptr, "a device")) return;
  Escapes escapes(adapter, *client);
  const auto dump = [&] {
    return escapes.answer<aerogpu_escape_dump_createallocation_inout>(
        AEROGPU_ESCAPE_OP_DUMP_CREATEALLOCATION);
  };
  const auto before = dump();
  expect(before.entry_capacity == AEROGPU_DBGCTL_MAX_RECENT_ALLOCATIONS, "its capacity");
  auto pair = adapter.vidmm().create(
      {}, {texturePrivate(newAllocId(), 64, 32, D3DDDIFMT_A8R8G8B8), bufferPrivate(newAllocId(), 8192, true)},
      true);
  auto shared =
      adapter.vidmm().create({}, {texturePrivate(newAllocId(), 16, 16, D3DDDIFMT_A8R8G8B8, true)}, true);
  if (!expect(ntSuccess(pair.status) && ntSuccess(shared.status), "three allocations")) return;
  std::vector<std::shared_ptr<Allocation>> made{pair.allocations[0], pair.allocations[1],
                                                shared.allocations[0]};
  auto after = dump();
  expect(after.write_index == before.write_index + 3, "three more (%u, %u)", before.write_index,
         after.write_index);
  const struct {
    uint32_t index, of, flags, pitch;
    uint64_t bytes;
  } rows[] = {{0, 2, 0, 256, 64 * 32 * 4},
              {1, 2, AEROGPU_WDDM_ALLOC_PRIV_FLAG_CPU_VISIBLE, 0, 8192},
              {0, 1, AEROGPU_WDDM_ALLOC_PRIV_FLAG_IS_SHARED, 64, 16 * 16 * 4}};
  DXGK_CREATEALLOCATIONFLAGS resource{};
  resource.Resource = 1;
  for (uint32_t i = 0; i < 3 && after.entry_count >= 3; ++i) {
    const auto& e = after.entries[after.entry_count - 3 + i];
    expect(e.seq == before.write_index + i && e.alloc_index == rows[i].index &&
               e.num_allocations == rows[i].of && e.create_flags == resource.Value &&
               e.alloc_id == allocIdOf(made[i]->privateData) && e.priv_flags == rows[i].flags &&
               e.pitch_bytes == rows[i].pitch && e.size_bytes == rows[i].bytes &&
               e.share_token == shareTokenOf(made[i]->privateData) && (e.share_token != 0) == (i == 2) &&
               e.flags_in == 0 && e.flags_out == made[i]->info.Flags.Value,
           "entry %u: allocation %u of %u, id %u, flags 0x%x, pitch %u, %llu bytes, 0x%x to 0x%x", e.seq,
           e.alloc_index, e.num_allocations, e.alloc_id, e.priv_flags, e.pitch_bytes,
           static_cast<unsigned long long>(e.size_bytes), e.flags_in, e.flags_out);
  }
  const auto* newest = &after.entries[after.entry_count - 3];
  expect(newest[0].call_seq == newest[1].call_seq && newest[2].call_seq == newest[1].call_seq + 1,
         "which call made which");
  adapter.vidmm().destroy(pair.allocations);
  adapter.vidmm().destroy(shared.allocations);
  // More than it holds: it returns the newest, oldest first.
  for (int i = 0; i < 40; ++i) {
    auto one = adapter.vidmm().create({}, {bufferPrivate(newAllocId(), 4096)}, false);
    if (expect(ntSuccess(one.status), "one of many")) adapter.vidmm().destroy(one.allocations);
  }
  after = dump();
  bool inOrder = after.entry_count == AEROGPU_DBGCTL_MAX_RECENT_ALLOCATIONS;
  for (uint32_t i = 0; inOrder && i < after.entry_count; ++i)
    inOrder = after.entries[i].seq == after.write_index - after.entry_count + i;
  expect(inOrder && after.write_index == before.write_index + 43, "the newest %u in their order",
         after.entry_count);
}

const TestCase kEscapeTests[] = {
    {"escapes", 60, escapes},
    {"escape-device", 60, inProcess<deviceAnswers>, Runs::kBesideQemu},
    {"escape-allocations", 60, creationLog, Runs::kBesideQemu},
};

}  // namespace

std::span<const TestCase> escapeTests() {
  return kEscapeTests;
}

}  // namespace aerogpu::host
