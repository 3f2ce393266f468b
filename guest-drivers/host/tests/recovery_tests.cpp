// SPDX-License-Identifier: MIT
// Hangs, preemption, timeout recovery. The hang is made past the driver: the test takes the ring's ENABLE bit away,
// so that the device stops looking at the ring.
#include "tests/streams.h"
#include "tests/test.h"

namespace aerogpu::host {

namespace {

void hang() {
  Session session;
  if (!session.ok() || !expect(session.setMode(), "a mode")) return;
  Adapter& adapter = session.adapter();
  Scheduler& scheduler = adapter.scheduler();
  auto client = Client::create(adapter, 100);
  auto context = client ? client->createContext() : nullptr;
  if (!expect(context != nullptr, "a context")) return;
  Surface surface;
  if (!makeSurface(adapter, *client, *context, 64, 64, surface)) return;
  scheduler.waitIdle();
  scheduler.setTimeoutMs(2000);
  for (unsigned round = 1; round <= 3; ++round) {
    const uint32_t control = adapter.registers().read(AEROGPU_MMIO_REG_RING_CONTROL);
    adapter.registers().write(AEROGPU_MMIO_REG_RING_CONTROL, 0);
    uint64_t last = 0;
    for (unsigned i = 0; i < 3; ++i) fillSurface(*context, surface, 0xFF000000 | i, &last);
    scheduler.waitIdle(last);
    expect(scheduler.tdr().resets + scheduler.tdr().preemptions >= round, "hang %u is recovered from", round);
    (void)control;
    // The adapter works as before.
    scheduler.setTimeoutMs(10000);
    expect(adapter.registers().read(AEROGPU_MMIO_REG_RING_CONTROL) & 1, "the ring runs after recovery %u", round);
    const uint32_t color = 0xFF00AA00 | round;
    expect(ntSuccess(fillSurface(*context, surface, color, &last)), "rendering after recovery %u", round);
    expect(scheduler.waitIdle(last), "it completes");
    expect(surfaceIs(adapter, surface, color), "its pixels");
    scheduler.setTimeoutMs(2000);
  }
  scheduler.setTimeoutMs(10000);
  note("%u resets, %u preemptions, %llu buffers lost", scheduler.tdr().resets, scheduler.tdr().preemptions,
       static_cast<unsigned long long>(scheduler.tdr().lost));
  dropSurface(adapter, *client, *context, surface);
}

void preempt() {
  Session session;
  if (!session.ok()) return;
  Adapter& adapter = session.adapter();
  Scheduler& scheduler = adapter.scheduler();
  scheduler.waitIdle();
  expect(scheduler.preempt(), "preemption of an idle engine is reported");
  auto client = Client::create(adapter, 100);
  auto context = client ? client->createContext() : nullptr;
  if (!expect(context != nullptr, "a context")) return;
  Surface surface;
  if (!makeSurface(adapter, *client, *context, 64, 64, surface)) return;
  for (uint32_t round = 0; round < 10; ++round) {
    uint64_t last = 0;
    for (uint32_t i = 0; i < 6; ++i) fillSurface(*context, surface, 0xFF000000 | round << 8 | i, &last);
    expect(scheduler.preempt(), "preemption %u", round);
    expect(scheduler.waitIdle(last), "what was preempted completes");
    expect(surfaceIs(adapter, surface, 0xFF000005 | round << 8), "the last fill of round %u", round);
  }
  dropSurface(adapter, *client, *context, surface);
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

const TestCase kTests[] = {
    {"hang", 120, hang},
    {"preempt", 120, preempt},
    {"faults", 60, faults},
};

}  // namespace

std::span<const TestCase> recoveryTests() {
  return kTests;
}

}  // namespace aerogpu::host
