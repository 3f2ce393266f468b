// SPDX-License-Identifier: MIT
// Tests a machine that is saved, killed and restored under the driver (docs/windows/driver-host.md,
// "Machines"): the driver and its programs notice nothing.
#include "tests-qtest/driver/streams.h"
#include "tests-qtest/driver/test.h"

namespace aerogpu::host {

namespace {

constexpr uint32_t kWide = 1024;  // pixels: work that takes a while
constexpr uint32_t kDrawnFirst = 0xFF8040C0, kUnderWay = 0xFF20A000, kDrawnLast = 0xFF20A060;

// A QEMU does not start within this time.
constexpr int64_t kLeastSaveNs = 20'000'000;

/// Saves the machine, and expects that none of its time passes, and that its counters go on.
bool saveUnnoticed(Adapter& adapter, const char* when) {
  Machine& machine = adapter.machine();
  uint64_t before = 0, after = 0;
  expect(machine.deviceProperty("submissions", before).ok() && before > 0, "submissions are counted");
  const int64_t began = nowNs(), realBegan = realNs();
  if (!expect(machine.saveAndRestore(), "a save %s", when)) return false;
  const int64_t passed = nowNs() - began, took = realNs() - realBegan;
  expect(passed < took - kLeastSaveNs, "no time passes: %lld ns in %lld ns", static_cast<long long>(passed),
         static_cast<long long>(took));
  return expect(machine.deviceProperty("submissions", after).ok() && after >= before,
                "the count goes on: %llu, %llu", static_cast<unsigned long long>(before),
                static_cast<unsigned long long>(after));
}

/// Saves while the device's interrupt is raised and the driver has not looked at it yet: it comes, once.
void saveRaised(Adapter& adapter) {
  const uint64_t reported = adapter.scheduler().vsyncsReported();
  {
    std::lock_guard interrupt(adapter.interruptLock());
    const auto raised = [&] {
      return adapter.registers().read(AEROGPU_MMIO_REG_IRQ_STATUS) & AEROGPU_IRQ_SCANOUT_VBLANK;
    };
    expect(comes(raised), "a vblank waits to be reported");
    saveUnnoticed(adapter, "with a raised interrupt");
    // The line falls for the machine as it does in the new QEMU.
    const uint32_t enabled = adapter.registers().read(AEROGPU_MMIO_REG_IRQ_ENABLE);
    adapter.registers().write(AEROGPU_MMIO_REG_IRQ_ENABLE, 0);
    const auto fallen = [&] {
      bool high = true;
      return adapter.machine().interruptLine().wait(0, high).ok() && !high;
    };
    expect(comes(fallen), "the line falls");
    adapter.registers().write(AEROGPU_MMIO_REG_IRQ_ENABLE, enabled);
  }
  expect(comes([&] { return adapter.scheduler().vsyncsReported() > reported; }), "the interrupt comes");
  expect(adapter.scheduler().waitVsync(3, 5000), "and those after it");
}

/// Saves while submissions are under way, whose pixels and fences come afterwards; vertical syncs go on, and
/// what was drawn before is there.
void saved() {
  Session session;
  if (!session.ok() || !expect(session.setMode(), "a mode")) return;
  Adapter& adapter = session.adapter();
  auto client = Client::create(adapter, 900);
  auto context = client ? client->createContext() : nullptr;
  Surface kept, drawn;
  if (!expect(context != nullptr, "a context") || !makeSurface(adapter, *client, *context, 64, 64, kept) ||
      !makeSurface(adapter, *client, *context, kWide, kWide, drawn))
    return;
  expect(ntSuccess(adapter.display().controlVsync(true)), "vertical sync on");
  expect(adapter.scheduler().waitVsync(3, 5000), "vertical syncs arrive");
  expect(ntSuccess(fillSurface(*context, kept, kDrawnFirst)) && adapter.scheduler().waitIdle(), "a fill");
  for (uint32_t round = 0; round < 2; ++round) {
    for (uint32_t i = 0; i < 4; ++i)
      expect(ntSuccess(fillSurface(*context, drawn, kUnderWay + round * 0x10 + i)), "fill %u", i);
    if (!saveUnnoticed(adapter, "of work that is under way")) return;
    expect(adapter.scheduler().waitIdle(), "it completes");
    expect(surfaceIs(adapter, drawn, kUnderWay + round * 0x10 + 3), "its pixels, round %u", round);
    expect(adapter.scheduler().waitVsync(3, 5000), "vertical syncs go on, round %u", round);
  }
  saveRaised(adapter);
  // The texture in the host's memory: drawn before both saves, read after them.
  Stream copy;
  copy.copyTexture(kept.backed, kept.target, kept.width, kept.height, true);
  const std::vector<uint8_t> nothing(kept.bytes(), 0);
  adapter.vidmm().write(*kept.allocation, 0, nothing.data(), nothing.size());
  expect(ntSuccess(context->render(copy.bytes(), {{kept.opened, true}})) && adapter.scheduler().waitIdle(),
         "a copy of what was drawn first");
  expect(surfaceIs(adapter, kept, kDrawnFirst), "its pixels");
  expect(ntSuccess(fillSurface(*context, kept, kDrawnLast)) && surfaceIs(adapter, kept, kDrawnLast),
         "it goes on");
  expect(ntSuccess(adapter.display().controlVsync(false)), "vertical sync off");
  expect(adapter.scheduler().tdr().timeouts == 0, "nothing timed out");
  dropSurface(adapter, *client, *context, kept);
  dropSurface(adapter, *client, *context, drawn);
  adapter.scheduler().waitIdle();
  expectNoDeviceErrors(adapter);
}

const TestCase kSavedTests[] = {
    {"saved", 120, saved, Runs::kBesideQemu},
};

}  // namespace

std::span<const TestCase> savedTests() {
  return kSavedTests;
}

}  // namespace aerogpu::host
