// SPDX-License-Identifier: MIT
// Tests hangs, preemption, timeout recovery. The test makes the hang without the driver's knowledge: it
// clears the ring's ENABLE bit, so that the device stops reading the ring.
#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstring>
#include <thread>

#include "tests-qtest/driver/escapes.h"
#include "tests-qtest/driver/streams.h"
#include "tests-qtest/driver/test.h"

namespace aerogpu::host {

namespace {

/// EX-51.
void hang(Adapter& adapter, Client& client, Context& context) {
  Scheduler& scheduler = adapter.scheduler();
  Surface surface;
  if (!makeSurface(adapter, client, context, 64, 64, surface)) return;
  scheduler.waitIdle();
  scheduler.setTimeoutMs(2000);
  const uint64_t started = interruptTime();
  for (unsigned round = 1; round <= 3; ++round) {
    stopGpu(adapter);
    uint64_t last = 0;
    for (unsigned i = 0; i < 3; ++i) fillSurface(context, surface, 0xFF000000 | i, &last);
    scheduler.waitIdle(last);
    expect(scheduler.tdr().resets + scheduler.tdr().preemptions >= round, "hang %u is recovered from", round);
    // The adapter works as before.
    scheduler.setTimeoutMs(10000);
    expect(adapter.registers().read(AEROGPU_MMIO_REG_RING_CONTROL) & 1, "the ring runs after recovery %u",
           round);
    const uint32_t color = 0xFF00AA00 | round;
    expect(ntSuccess(fillSurface(context, surface, color, &last)), "rendering after recovery %u", round);
    expect(scheduler.waitIdle(last), "it completes");
    expect(surfaceIs(adapter, surface, color), "its pixels");
    scheduler.setTimeoutMs(2000);
  }
  scheduler.setTimeoutMs(10000);
  Escapes escapes(adapter, client);
  const auto perf = escapes.answer<aerogpu_escape_query_perf_out>(AEROGPU_ESCAPE_OP_QUERY_PERF);
  expect(perf.reset_from_timeout_count == scheduler.tdr().resets && scheduler.tdr().resets == 3,
         "the driver counts its resets: %llu",
         static_cast<unsigned long long>(perf.reset_from_timeout_count));
  expect(perf.last_reset_time_100ns >= started && perf.last_reset_time_100ns <= interruptTime(),
         "and knows when the last was");
  expectNoDeviceErrors(adapter);
  note("%u resets, %u preemptions, %llu buffers lost", scheduler.tdr().resets, scheduler.tdr().preemptions,
       static_cast<unsigned long long>(scheduler.tdr().lost));
  dropSurface(adapter, client, context, surface);
}

void preempt(Adapter& adapter, Client& client, Context& context) {
  Scheduler& scheduler = adapter.scheduler();
  scheduler.waitIdle();
  expect(scheduler.preempt(), "preemption of an idle engine is reported");
  Surface surface;
  if (!makeSurface(adapter, client, context, 64, 64, surface)) return;
  for (uint32_t round = 0; round < 10; ++round) {
    uint64_t last = 0;
    for (uint32_t i = 0; i < 6; ++i) fillSurface(context, surface, 0xFF000000 | round << 8 | i, &last);
    expect(scheduler.preempt(), "preemption %u", round);
    expect(scheduler.waitIdle(last), "what was preempted completes");
    expect(surfaceIs(adapter, surface, 0xFF000005 | round << 8), "the last fill of round %u", round);
  }
  dropSurface(adapter, client, context, surface);
}

/// Submits a stream with errors: the fence completes, nothing hangs, others are not harmed. Only the error
/// code INTERNAL is a fault to Windows: a packet that failed had no effect, and the others ran.
void faults() {
  Session session;
  if (!session.ok()) return;
  Adapter& adapter = session.adapter();
  auto& registers = adapter.registers();
  auto client = Client::create(adapter, 100), other = Client::create(adapter, 101);
  auto context = client ? client->createContext() : nullptr, fine = other ? other->createContext() : nullptr;
  if (!expect(context && fine, "two contexts")) return;
  Surface surface, own;
  if (!makeSurface(adapter, *other, *fine, 64, 64, surface) ||
      !makeSurface(adapter, *client, *context, 64, 64, own))
    return;
  expect(ntSuccess(fillSurface(*context, own, 0xFF000000)), "a fill");
  adapter.scheduler().waitIdle();
  expectNoDeviceErrors(adapter);
  for (uint32_t i = 0; i < 5; ++i) {
    // Right, wrong, wrong, right: the wrong ones name handles that do not exist.
    Stream bad;
    bad.target(own.target).clear(0xFF001100 + i).target(0).destroy(newHandle());
    bad.copyTexture(newHandle(), newHandle(), 4, 4, true);
    bad.copyTexture(own.backed, own.target, 64, 64, true);
    uint64_t number = 0;
    const NTSTATUS status = context->render(bad.bytes(), {{own.opened, true}}, &number);
    expect(ntSuccess(status), "the driver leaves it to the device (0x%08x)", status);
    const uint32_t fence = adapter.scheduler().lastFence();
    expect(adapter.scheduler().waitIdle(number), "its fence completes");
    expectDeviceErrors(adapter, 2 * (i + 1));
    expect(registers.read(AEROGPU_MMIO_REG_ERROR_CODE) == AEROGPU_ERROR_CMD_DECODE &&
               registers.read(AEROGPU_MMIO_REG_ERROR_FENCE_LO) == fence,
           "the error is of code CMD_DECODE and of this fence");
    expect(surfaceIs(adapter, own, 0xFF001100 + i), "the packets around it ran");
    expect(ntSuccess(fillSurface(*fine, surface, 0xFF556600u + i)), "others go on");
  }
  expect(adapter.scheduler().waitIdle(), "everything completes");
  expect(surfaceIs(adapter, surface, 0xFF556604), "others' pixels");
  expect(adapter.scheduler().tdr().resets == 0, "Windows learns of no fault");
  dropSurface(adapter, *client, *context, own);
  dropSurface(adapter, *other, *fine, surface);
  adapter.scheduler().waitIdle();
  expectDeviceErrors(adapter, 10);
}

/// Hangs the GPU while several processes submit: their buffers are lost, then everything continues.
void hangAmongMany() {
  Session session;
  if (!session.ok()) return;
  Adapter& adapter = session.adapter();
  adapter.scheduler().setTimeoutMs(2000);
  std::atomic<bool> stop{false};
  std::atomic<unsigned> wrong{0}, rounds{0}, ready{0};
  std::vector<std::thread> threads;
  constexpr unsigned kProcesses = 3;
  for (unsigned p = 0; p < kProcesses; ++p)
    threads.emplace_back([&, p] {
      attachThread("process");
      auto client = Client::create(adapter, 400 + p);
      auto context = client ? client->createContext() : nullptr;
      Surface surface;
      if (!context || !makeSurface(adapter, *client, *context, 64, 64, surface)) {
        ++wrong;
        ++ready;
        return;
      }
      adapter.scheduler().waitIdle();
      ++ready;  // a hang from here on loses fills, but not the surface
      while (!stop) {
        fillSurface(*context, surface, 0xFF000000 | p << 16 | rounds);
        ++rounds;
      }
      // After the last recovery pixels are right again.
      if (!ntSuccess(fillSurface(*context, surface, 0xFF123400 | p)) ||
          !surfaceIs(adapter, surface, 0xFF123400 | p))
        ++wrong;
      dropSurface(adapter, *client, *context, surface);
    });
  expect(comes([&] { return ready == kProcesses; }), "%u of %u processes have their surfaces", ready.load(),
         kProcesses);
  const auto fillOn = [&] {
    const unsigned from = rounds;
    expect(comes([&] { return rounds >= from + 100; }), "the processes fill on");
  };
  fillOn();
  for (unsigned i = 1; i <= 2; ++i) {
    stopGpu(adapter);
    expect(comes([&] { return adapter.scheduler().tdr().resets >= i; }), "recovery %u", i);
    fillOn();
  }
  adapter.scheduler().setTimeoutMs(10000);
  stop = true;
  const ClockPause pause;
  for (auto& thread : threads) thread.join();
  expect(wrong == 0, "every process goes on (%u do not)", wrong.load());
  note("%u fills, %u resets, %llu buffers lost", rounds.load(), adapter.scheduler().tdr().resets,
       static_cast<unsigned long long>(adapter.scheduler().tdr().lost));
}

/// The driver's report, as in docs/windows/driver.md, "Debugging".
struct DebugReport {
  uint32_t magic, version;
  aerogpu_escape_query_perf_out perf;
  aerogpu_escape_query_error_out error;
};
static_assert(offsetof(DebugReport, perf) == 8 && offsetof(DebugReport, error) == 272);

/// Calls DxgkDdiCollectDbgInfo as before a bug-check, at any IRQL and with any buffer: it writes as much of
/// the report as fits, and the report is true.
void debugInfo() {
  Session session;
  if (!session.ok() || !expect(session.setMode(), "a mode")) return;
  Adapter& adapter = session.adapter();
  auto client = Client::create(adapter, 100);
  auto context = client ? client->createContext() : nullptr;
  if (!expect(context != nullptr, "a context")) return;
  submitErrors(adapter, *context);
  Escapes escapes(adapter, *client);
  const auto perf = [&] {
    auto answer = escapes.answer<aerogpu_escape_query_perf_out>(AEROGPU_ESCAPE_OP_QUERY_PERF);
    answer.hdr = {};  // zero in the report
    return answer;
  };
  auto error = escapes.answer<aerogpu_escape_query_error_out>(AEROGPU_ESCAPE_OP_QUERY_ERROR);
  error.hdr = {};
  for (const uint8_t irql :
       {uint8_t{kPassiveLevel}, uint8_t{kDispatchLevel}, uint8_t{kDeviceLevel}, uint8_t{kHighLevel}})
    for (const size_t bytes : {size_t{0}, size_t{1}, size_t{8}, size_t{40}, size_t{64}, size_t{272},
                               sizeof(DebugReport), size_t{4096}, size_t{0xF800}}) {
      std::vector<uint8_t> buffer(bytes + 64, 0xEE);
      DXGKARG_COLLECTDBGINFO_EXT extension;
      std::memset(&extension, 0xEE, sizeof extension);
      DXGKARG_COLLECTDBGINFO info{};
      info.Reason = irql == kPassiveLevel
                        ? 0x117
                        : 0x119;  // VIDEO_TDR_TIMEOUT_DETECTED, VIDEO_SCHEDULER_INTERNAL_ERROR
      info.pBuffer = buffer.data();
      info.BufferSize = bytes;
      info.pExtension = &extension;
      auto expected = perf();
      const NTSTATUS status =
          callDdi("DxgkDdiCollectDbgInfo", irql, adapter.ddi.DxgkDdiCollectDbgInfo, adapter.context(), &info);
      // The device's own numbers: QUERY_PERF's may be a millisecond old, and so older than the report's.
      auto& registers = adapter.registers();
      const uint64_t laterSequence = registers.read64(AEROGPU_MMIO_REG_SCANOUT0_VBLANK_SEQ_LO);
      const uint64_t laterTime = registers.read64(AEROGPU_MMIO_REG_SCANOUT0_VBLANK_TIME_NS_LO);
      expect(ntSuccess(status), "a buffer of %zu bytes at %s (0x%08x)", bytes, irqlName(irql), status);
      const size_t written = std::min(bytes, sizeof(DebugReport));
      bool untouched = true;
      for (size_t i = written; i < buffer.size(); ++i) untouched &= buffer[i] == 0xEE;
      expect(untouched, "nothing is written past the report in a buffer of %zu bytes at %s", bytes,
             irqlName(irql));
      const DXGKARG_COLLECTDBGINFO_EXT zero{};
      expect(std::memcmp(&extension, &zero, sizeof zero) == 0, "the extension says nothing");
      DebugReport report{};
      std::memcpy(&report, buffer.data(), written);
      expect(bytes < 8 || (report.magic == AEROGPU_MMIO_MAGIC && report.version == 1),
             "its magic and version (0x%08x, %u)", report.magic, report.version);
      if (written < sizeof report) {
        // Only the end is cut off.
        DebugReport whole{AEROGPU_MMIO_MAGIC, 1, expected, error};
        expect(bytes > 64 || std::memcmp(&report, &whole, written) == 0, "the first %zu bytes of it",
               written);
        continue;
      }
      // The vblank clock advances between two queries.
      expect(report.perf.vblank_seq >= expected.vblank_seq && report.perf.vblank_seq <= laterSequence &&
                 report.perf.last_vblank_time_ns >= expected.last_vblank_time_ns &&
                 report.perf.last_vblank_time_ns <= laterTime,
             "the report's vblank clock");
      expected.vblank_seq = report.perf.vblank_seq;
      expected.last_vblank_time_ns = report.perf.last_vblank_time_ns;
      expect(std::memcmp(&report.perf, &expected, sizeof expected) == 0,
             "the counters are those of QUERY_PERF at %s", irqlName(irql));
      expect(std::memcmp(&report.error, &error, sizeof error) == 0 &&
                 report.error.error_code == AEROGPU_ERROR_CMD_DECODE,
             "the error is that of QUERY_ERROR at %s", irqlName(irql));
    }
}

const TestCase kRecoveryTests[] = {
    {"debug-info", 60, debugInfo},
    {"hang", 120, inProcessWithMode<hang>},
    {"hang-among-many", 120, hangAmongMany},
    {"preempt", 120, inProcess<preempt>},
    {"faults", 60, faults},
};

}  // namespace

std::span<const TestCase> recoveryTests() {
  return kRecoveryTests;
}

}  // namespace aerogpu::host
