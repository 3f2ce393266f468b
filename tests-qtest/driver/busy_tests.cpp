// SPDX-License-Identifier: MIT
// Tests a GPU that continues after the OS has reset it: its later writes would go into memory of others.
// Pages "DxgkDdiResetFromTimeout", "Thread Synchronization and TDR"; docs/abi/ring.md, BUSY. The video memory
// manager checks that no page is written after it was given back (dxgk/paging.cpp).
#include <cstring>

#include "aerogpu/aerogpu_ring_extension.h"
#include "testbed/kernel/core/page.h"
#include "tests-qtest/driver/ring_view.h"
#include "tests-qtest/driver/streams.h"
#include "tests-qtest/driver/test.h"

namespace aerogpu::host {

namespace {

constexpr int kOthers = 0x3C;
constexpr uint32_t kPciCommand = 4;
constexpr uint16_t kPciBusMaster = 4;  // PCI Local Bus Specification 3.0, 6.2.2

bool tells(Adapter& adapter) {
  return adapter.registers().read(AEROGPU_MMIO_REG_FEATURES_HI) & AEROGPU_EXT_FEATURE_HI_RING_BUSY;
}

/// The OS gives memory of timed-out work to others before the GPU has finished. None of the old work reaches
/// it, and the next program draws.
void lateWrites(Adapter& adapter, Client& client, Context& context) {
  Scheduler& scheduler = adapter.scheduler();
  for (const Segment& segment : adapter.vidmm().segments())
    if (segment.descriptor.Flags.Aperture) adapter.vidmm().preferSegment(segment.id);
  for (const uint32_t side : {64u, 512u}) {  // one size for the device's threads, and one for the GPU
    Surface surface;
    if (!makeSurface(adapter, client, context, side, side, surface)) return;
    expect(ntSuccess(fillSurface(context, surface, 0xFF102030)), "a fill");
    scheduler.waitIdle();
    RingView(adapter).waitEmpty();
    if (!adapter.machine().hangGpu(true)) {
      skipTest("a GPU that hangs cannot be played here");
      dropSurface(adapter, client, context, surface);
      return;
    }
    const unsigned before = scheduler.resets();
    scheduler.setTimeoutMs(1000);
    const std::vector<SystemPage> pages = surface.allocation->pages;
    expect(!pages.empty(), "it lies in system memory");
    scheduler.setCleanup([&] {
      for (const SystemPage& page : pages) std::memset(page.cpu, kOthers, kPage);
      adapter.machine().hangGpu(false);
    });
    uint64_t last = 0;
    fillSurface(context, surface, 0xFF405060, &last);
    scheduler.waitIdle(last);
    scheduler.setTimeoutMs(10000);
    expect(scheduler.resets() == before + 1, "the hang is recovered from (%u resets)",
           scheduler.resets() - before);
    auto& registers = adapter.registers();
    expect(comes([&] { return !tells(adapter) || registers.read(AEROGPU_EXT_REG_RING_BUSY) == 0; }),
           "the GPU has ended");
    unsigned written = 0;
    for (const SystemPage& page : pages)
      written += page.cpu[0] != kOthers || std::memcmp(page.cpu, page.cpu + 1, kPage - 1) != 0;
    expect(written == 0, "%u of %zu pages were written that are somebody else's", written, pages.size());
    dropSurface(adapter, client, context, surface);
    expectRendering(adapter, client, context, 0xFF00CC00);
  }
  adapter.vidmm().preferSegment(0);
}

/// For a device with RING_BUSY: the driver waits for a bounded time, then cuts the device off, and does not
/// tell the OS that memory is free while the GPU still writes to it.
void answers(Adapter& adapter, Client& client, Context& context) {
  Machine& machine = adapter.machine();
  if (!tells(adapter) || !machine.breakRegister(AEROGPU_EXT_REG_RING_BUSY, {})) {
    skipTest("registers cannot be broken here");
    return;
  }
  const auto reset = [&] {
    return callDdi("DxgkDdiResetFromTimeout", kPassiveLevel, adapter.ddi.DxgkDdiResetFromTimeout,
                   adapter.context());
  };
  const auto masters = [&] {
    uint16_t command = 0;
    expect(machine.readConfig(kPciCommand, &command, sizeof command).ok(), "the configuration space");
    return (command & kPciBusMaster) != 0;
  };
  adapter.scheduler().waitIdle();
  RingView(adapter).waitEmpty();
  const struct {
    uint32_t busy;
    bool works, cutOff;
  } cases[] = {{0, true, false},
               {AEROGPU_EXT_RING_BUSY_READS, true, true},
               {AEROGPU_EXT_RING_BUSY_WRITES, false, true},
               {AEROGPU_EXT_RING_BUSY_WRITES | AEROGPU_EXT_RING_BUSY_READS, false, true}};
  for (const auto& one : cases) {
    machine.breakRegister(AEROGPU_EXT_REG_RING_BUSY, {.readOr = one.busy});
    expect(ntSuccess(reset()) == one.works, "a reset with %u left", one.busy);
    expect(masters() == !one.cutOff, "bus mastering with %u left", one.busy);
    machine.breakRegister(AEROGPU_EXT_REG_RING_BUSY, {});
    // A real system has stopped after a failure; the test continues.
    if (!one.works) expect(ntSuccess(reset()), "a reset with nothing left");
    expect(ntSuccess(callDdi("DxgkDdiRestartFromTimeout", kPassiveLevel,
                             adapter.ddi.DxgkDdiRestartFromTimeout, adapter.context())),
           "a restart");
    expect(masters(), "bus mastering after the restart");
    expectRendering(adapter, client, context, 0xFF00CC00);
    adapter.scheduler().waitIdle();
    RingView(adapter).waitEmpty();
  }
}

const TestCase kBusyTests[] = {
    {"late-writes", 90, inProcess<lateWrites>, Runs::kBesideQemu},
    {"busy-answers", 90, inProcess<answers>, Runs::kBesideQemu},
};

}  // namespace

std::span<const TestCase> busyTests() {
  return kBusyTests;
}

}  // namespace aerogpu::host
