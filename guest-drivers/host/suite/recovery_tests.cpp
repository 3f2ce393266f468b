// SPDX-License-Identifier: MIT
// Hangs, preemption, timeout recovery. The hang is made past the driver: the test takes the ring's ENABLE bit
// away, so that the device stops looking at the ring.
#include <atomic>
#include <thread>

#include "suite/streams.h"
#include "suite/test.h"

namespace aerogpu::host {

namespace {

void hang(Adapter& adapter, Client& client, Context& context) {
  Scheduler& scheduler = adapter.scheduler();
  Surface surface;
  if (!makeSurface(adapter, client, context, 64, 64, surface)) return;
  scheduler.waitIdle();
  scheduler.setTimeoutMs(2000);
  for (unsigned round = 1; round <= 3; ++round) {
    const uint32_t control = adapter.registers().read(AEROGPU_MMIO_REG_RING_CONTROL);
    adapter.registers().write(AEROGPU_MMIO_REG_RING_CONTROL, 0);
    uint64_t last = 0;
    for (unsigned i = 0; i < 3; ++i) fillSurface(context, surface, 0xFF000000 | i, &last);
    scheduler.waitIdle(last);
    expect(scheduler.tdr().resets + scheduler.tdr().preemptions >= round, "hang %u is recovered from", round);
    (void)control;
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

/// A stream that the device finds fault with: the fence completes, nothing hangs, others are not harmed.
void faults() {
  Session session;
  if (!session.ok()) return;
  Adapter& adapter = session.adapter();
  auto client = Client::create(adapter, 100), other = Client::create(adapter, 101);
  auto context = client ? client->createContext() : nullptr, fine = other ? other->createContext() : nullptr;
  if (!expect(context && fine, "two contexts")) return;
  Surface surface;
  if (!makeSurface(adapter, *other, *fine, 64, 64, surface)) return;
  for (int i = 0; i < 5; ++i) {
    Stream bad;
    bad.destroy(0xDEAD0000u + static_cast<uint32_t>(i)).clear(0).copyTexture(1, 2, 4, 4, true);
    context->render(bad.bytes(), {});
    expect(ntSuccess(fillSurface(*fine, surface, 0xFF556600u + static_cast<uint32_t>(i))), "others go on");
  }
  expect(adapter.scheduler().waitIdle(), "everything completes");
  expect(surfaceIs(adapter, surface, 0xFF556604), "others' pixels");
  note("%llu faults reported", static_cast<unsigned long long>(adapter.scheduler().faults()));
  dropSurface(adapter, *other, *fine, surface);
}

/// A hang while several processes submit: their buffers are lost, then everything goes on.
void hangAmongMany() {
  Session session;
  if (!session.ok()) return;
  Adapter& adapter = session.adapter();
  adapter.scheduler().setTimeoutMs(2000);
  std::atomic<bool> stop{false};
  std::atomic<unsigned> wrong{0}, rounds{0};
  std::vector<std::thread> threads;
  for (unsigned p = 0; p < 3; ++p)
    threads.emplace_back([&, p] {
      attachThread("process");
      auto client = Client::create(adapter, 400 + p);
      auto context = client ? client->createContext() : nullptr;
      Surface surface;
      if (!context || !makeSurface(adapter, *client, *context, 64, 64, surface)) {
        ++wrong;
        return;
      }
      adapter.scheduler().waitIdle();
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
  sleepMs(500);
  for (unsigned i = 1; i <= 2; ++i) {
    adapter.registers().write(AEROGPU_MMIO_REG_RING_CONTROL, 0);
    for (int waited = 0; adapter.scheduler().tdr().resets < i && waited < 20000; waited += 50) sleepMs(50);
    expect(adapter.scheduler().tdr().resets >= i, "recovery %u", i);
    sleepMs(300);
  }
  adapter.scheduler().setTimeoutMs(10000);
  stop = true;
  for (auto& thread : threads) thread.join();
  expect(wrong == 0, "every process goes on (%u do not)", wrong.load());
  note("%u fills, %u resets, %llu buffers lost", rounds.load(), adapter.scheduler().tdr().resets,
       static_cast<unsigned long long>(adapter.scheduler().tdr().lost));
}

/// DxgkDdiCollectDbgInfo before a bug-check: any IRQL, any buffer.
void debugInfo() {
  Session session;
  if (!session.ok() || !expect(session.setMode(), "a mode")) return;
  Adapter& adapter = session.adapter();
  for (const uint8_t irql :
       {uint8_t{kPassiveLevel}, uint8_t{kDispatchLevel}, uint8_t{kDeviceLevel}, uint8_t{kHighLevel}})
    for (const size_t bytes :
         {size_t{0}, size_t{1}, size_t{8}, size_t{40}, size_t{64}, size_t{4096}, size_t{0xF800}}) {
      std::vector<uint8_t> buffer(bytes + 64, 0xEE);
      DXGKARG_COLLECTDBGINFO_EXT extension{};
      DXGKARG_COLLECTDBGINFO info{};
      info.Reason = irql == kPassiveLevel
                        ? 0x117
                        : 0x119;  // VIDEO_TDR_TIMEOUT_DETECTED, VIDEO_SCHEDULER_INTERNAL_ERROR
      info.pBuffer = buffer.data();
      info.BufferSize = bytes;
      info.pExtension = &extension;
      callDdi("DxgkDdiCollectDbgInfo", irql, adapter.ddi.DxgkDdiCollectDbgInfo, adapter.context(), &info);
      bool untouched = true;
      for (size_t i = bytes; i < buffer.size(); ++i) untouched &= buffer[i] == 0xEE;
      expect(untouched, "nothing is written past a buffer of %zu bytes at %s", bytes, irqlName(irql));
    }
}

const TestCase kTests[] = {
    {"debug-info", 60, debugInfo},
    {"hang", 120, inProcessWithMode<hang>},
    {"hang-among-many", 120, hangAmongMany},
    {"preempt", 120, inProcess<preempt>},
    {"faults", 60, faults},
};

}  // namespace

std::span<const TestCase> recoveryTests() {
  return kTests;
}

}  // namespace aerogpu::host
