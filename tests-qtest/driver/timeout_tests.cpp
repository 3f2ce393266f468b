// SPDX-License-Identifier: MIT
// Tests a GPU that stands still, or has forgotten everything: what a driver may and must do then. The test
// makes the hang without the driver's knowledge, by clearing the ring's ENABLE bit. Pages "Timeout Detection
// and Recovery", "Thread Synchronization and TDR", "TDR Registry Keys".
#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>
#include <thread>

#include "aerogpu/aerogpu_extension.h"
#include "testbed/kernel/core/thread.h"
#include "tests-qtest/driver/outside.h"
#include "tests-qtest/driver/ring_view.h"
#include "tests-qtest/driver/streams.h"
#include "tests-qtest/driver/test.h"

namespace aerogpu::host {

namespace {

constexpr int64_t kDdiDelayNs = 5'000'000'000;  // TdrDdiDelay

/// Submits to a stopped ring, and waits for the recovery.
void hangOnce(Adapter& adapter, Context& context, const Surface& surface) {
  Scheduler& scheduler = adapter.scheduler();
  scheduler.setTimeoutMs(2000);
  const unsigned before = scheduler.resets();
  stopGpu(adapter);
  uint64_t last = 0;
  for (uint32_t i = 0; i < 3; ++i) fillSurface(context, surface, 0xFF000000 | i, &last);
  scheduler.waitIdle(last);
  scheduler.setTimeoutMs(10000);
  expect(scheduler.resets() == before + 1, "the hang is recovered from (%u resets)",
         scheduler.resets() - before);
}

/// A GDI texture. The driver makes it on the device when it is opened; `opened` is null if that failed.
struct GdiTexture {
  std::shared_ptr<Allocation> allocation;
  OpenAllocation* opened = nullptr;
};

GdiTexture gdiTexture(Adapter& adapter, Client& client) {
  D3DKMDT_GDISURFACEDATA data{};
  data.Width = data.Height = 64;
  data.Format = D3DDDIFMT_A8R8G8B8;
  data.Type = D3DKMDT_GDISURFACE_TEXTURE;
  auto created = adapter.vidmm().createStandard(D3DKMDT_STANDARDALLOCATION_GDISURFACE, &data, false);
  if (!ntSuccess(created.status)) return {};
  const auto opened = client.open(created.allocations, true);
  return {created.allocations[0], opened.empty() ? nullptr : opened[0]};
}

void drop(Adapter& adapter, Client& client, const GdiTexture& texture) {
  if (texture.opened) client.close(texture.opened);
  if (texture.allocation) adapter.vidmm().destroy({texture.allocation});
}

/// Makes textures in the host's memory that are not destroyed explicitly: they end with their process.
void makeTextures(Context& context, unsigned count) {
  Stream stream;
  for (unsigned i = 0; i < count; ++i)
    stream.createTexture(newHandle(), 16, 16, AEROGPU_FORMAT_B8G8R8A8_UNORM, 0);
  expect(ntSuccess(context.render(stream.bytes(), {})), "%u textures", count);
}

/// While the ring is stopped every call of the OS for processes and memory returns in time, and objects
/// destroyed then are destroyed on the device afterwards.
void stuckDdis(Adapter& adapter, Client& client, Context& context) {
  Surface surface;
  if (!makeSurface(adapter, client, context, 64, 64, surface)) return;
  fillSurface(context, surface, 0xFF010203);
  adapter.scheduler().waitIdle();
  const RingView ring(adapter);
  if (!ring || !ring.waitEmpty()) return;
  const auto resources = deviceCounter("resources"), held = deviceCounter("held-objects");

  constexpr unsigned kProcesses = 12, kTextures = 70;
  std::vector<std::unique_ptr<Client>> clients;
  std::vector<std::unique_ptr<Context>> contexts;
  for (unsigned i = 0; i < kProcesses; ++i) {
    clients.push_back(Client::create(adapter, 300 + i));
    contexts.push_back(clients.back()->createContext());
    if (!expect(contexts.back() != nullptr, "process %u", i)) return;
    makeTextures(*contexts.back(), kTextures);
  }
  std::vector<GdiTexture> early;
  for (unsigned i = 0; i < 6; ++i) early.push_back(gdiTexture(adapter, client));
  adapter.scheduler().waitIdle();
  ring.waitEmpty();

  stopGpu(adapter);
  // Measures the driver's own waits alone, because a busy computer may take any other time.
  int64_t longest = 0;
  const auto timed = [&](auto action) {
    const int64_t before = currentThread()->waitedNs;
    action();
    longest = std::max(longest, currentThread()->waitedNs - before);
  };
  // Sixteen calls in a row: the last caller waits for all of them.
  std::vector<GdiTexture> made;
  timed([&] {
    for (unsigned i = 0; i < 16; ++i) made.push_back(gdiTexture(adapter, client));
  });
  timed([&] {
    for (unsigned i = 0; i < 16; ++i) (void)client.createContext();
  });
  timed([&] {
    for (auto& one : contexts) one.reset();
  });
  timed([&] {
    for (auto& one : clients) one.reset();
  });
  timed([&] {  // one resource each
    for (const auto& one : early) drop(adapter, client, one);
    for (const auto& one : made) drop(adapter, client, one);
  });
  expect(longest < kDdiDelayNs, "nothing takes as long as TdrDdiDelay while the ring stands still (%lld ms)",
         static_cast<long long>(longest / 1'000'000));

  hangOnce(adapter, context, surface);
  expectRendering(adapter, client, context, 0xFF00CC00);
  ring.waitEmpty();
  expectDeviceCounter("resources", resources, "when the ring runs again");
  // TOK-10: a released token is used up, which the device remembers; not with handle spaces (SPACE-20).
  const size_t usedUp = hasSpaces(adapter) ? 0 : early.size() + 16;
  if (held) expectDeviceCounter("held-objects", *held + usedUp, "when the ring runs again");
  dropSurface(adapter, client, context, surface);
  adapter.scheduler().waitIdle();
  expectNoDeviceErrors(adapter);
}

/// The OS destroys what was lost, between DxgkDdiResetFromTimeout and DxgkDdiRestartFromTimeout.
void cleanup(Adapter& adapter, Client& client, Context& context) {
  Surface surface;
  if (!makeSurface(adapter, client, context, 64, 64, surface)) return;
  fillSurface(context, surface, 0xFF010203);
  adapter.scheduler().waitIdle();
  const RingView ring(adapter);
  if (!ring || !ring.waitEmpty()) return;
  const auto resources = deviceCounter("resources"), held = deviceCounter("held-objects");
  auto other = Client::create(adapter, 200);
  auto theirs = other ? other->createContext() : nullptr;
  const GdiTexture texture = gdiTexture(adapter, client);
  if (!expect(theirs && texture.opened, "another process")) return;
  makeTextures(*theirs, 100);
  adapter.scheduler().waitIdle();
  ring.waitEmpty();
  if (resources) expectDeviceCounter("resources", *resources + 101, "of the other process");
  adapter.scheduler().setCleanup([&] {
    theirs.reset();
    other.reset();
    drop(adapter, client, texture);
  });
  hangOnce(adapter, context, surface);
  ring.waitEmpty();
  expectDeviceCounter("resources", resources, "after the recovery");
  const unsigned usedUp = hasSpaces(adapter) ? 0 : 1;  // TOK-10, SPACE-20
  if (held) expectDeviceCounter("held-objects", *held + usedUp, "after the recovery");
  expectRendering(adapter, client, context, 0xFF00CC00);
  dropSurface(adapter, client, context, surface);
  adapter.scheduler().waitIdle();
  expectNoDeviceErrors(adapter);
}

/// Page "DxgkDdiQueryCurrentFence": the driver returns the latest completed fence. Work that a reset dropped
/// has not completed, whatever ran afterwards.
void lostFences(Adapter& adapter, Client& client, Context& context) {
  Scheduler& scheduler = adapter.scheduler();
  Surface surface;
  if (!makeSurface(adapter, client, context, 64, 64, surface)) return;
  for (unsigned round = 0; round < 3; ++round) {
    expect(ntSuccess(fillSurface(context, surface, 0xFF102030 + round)), "a fill");
    scheduler.waitIdle();
    const uint32_t good = scheduler.lastFence();
    expect(scheduler.queryFence() == good, "fence %u is complete", good);
    hangOnce(adapter, context, surface);
    expect(scheduler.queryFence() == good, "after the reset it is still %u (%u)", good,
           scheduler.queryFence());
    expect(scheduler.preempt(), "an idle engine is preempted");
    // The driver's own submissions do not affect others' fences.
    drop(adapter, client, gdiTexture(adapter, client));
    RingView(adapter).waitEmpty();
    expect(scheduler.queryFence() == good, "whatever the driver submits by itself (%u)",
           scheduler.queryFence());
    expect(surfaceIs(adapter, surface, 0xFF102030 + round), "what was lost was not drawn");
  }
  dropSurface(adapter, client, context, surface);
  scheduler.waitIdle();
  expectNoDeviceErrors(adapter);
}

/// A program whose work hangs repeatedly gets no new device for a while. A program whose work hung once gets
/// one, and so do programs whose work only waited after it, and the OS. docs/windows/driver.md, "Preemption,
/// hangs, power".
void whoHung(Adapter& adapter, Client& client, Context& context) {
  constexpr uint64_t kGuilty = 800, kOther = 801;
  constexpr int kRefusedMs = 30000;
  Scheduler& scheduler = adapter.scheduler();
  Surface waiting;
  if (!makeSurface(adapter, client, context, 64, 64, waiting)) return;
  const auto begins = [&](uint64_t process, bool gdi = false) {
    return Client::create(adapter, process, gdi) != nullptr;
  };
  const auto hangsAgain = [&] {
    const unsigned before = scheduler.resets();
    auto guilty = Client::create(adapter, kGuilty);
    auto theirs = guilty ? guilty->createContext() : nullptr;
    Surface surface;
    if (!expect(theirs != nullptr, "a device after %u time-outs", before) ||
        !makeSurface(adapter, *guilty, *theirs, 64, 64, surface))
      return false;
    scheduler.waitIdle();
    RingView(adapter).waitEmpty();
    scheduler.setTimeoutMs(2000);
    stopGpu(adapter);
    uint64_t last = 0;
    fillSurface(*theirs, surface, 0xFF000001);
    fillSurface(context, waiting, 0xFF000002, &last);
    scheduler.waitIdle(last);
    scheduler.setTimeoutMs(10000);
    expect(scheduler.resets() == before + 1, "a time-out (%u)", scheduler.resets());
    guilty->close(surface.opened);
    adapter.vidmm().destroy({surface.allocation});
    return true;
  };
  if (!hangsAgain() || !hangsAgain()) return;
  expect(!begins(kGuilty) && !begins(kGuilty), "who did it twice is refused a device");
  expect(loggedEvents(kEventRefused) == 1, "and the event log says so, once (%u)",
         loggedEvents(kEventRefused));
  expect(begins(kOther), "another program is not");
  expect(begins(client.processId()), "nor one whose work was lost behind it");
  expect(begins(kGuilty, true), "nor the OS, for itself, in that process");
  expectRendering(adapter, client, context, 0xFF00CC00);
  sleepMs(kRefusedMs - 5000);
  expect(!begins(kGuilty), "it goes on for a while");
  sleepMs(10000);
  if (!hangsAgain()) return;  // it has ended
  expect(!begins(kGuilty), "the third one has it refused again, with all its devices closed");
  expect(begins(kGuilty, true) && !begins(kGuilty), "whatever else was opened and closed there");
  expect(loggedEvents(kEventRefused) == 2, "of which the log has one more (%u)", loggedEvents(kEventRefused));
  processEnded(kGuilty);
  expect(begins(kGuilty), "another process, which got its id, is not refused");
  dropSurface(adapter, client, context, waiting);
  scheduler.waitIdle();
  expectNoDeviceErrors(adapter);
}

/// The device has forgotten the ring, so it does not carry out the ring reset, and need not.
void forgottenRing(Adapter& adapter, Client& client, Context& context) {
  Surface surface;
  if (!makeSurface(adapter, client, context, 64, 64, surface)) return;
  fillSurface(context, surface, 0xFF010203);
  adapter.scheduler().waitIdle();
  RingView(adapter).waitEmpty();
  auto& registers = adapter.registers();
  adapter.registers().write(AEROGPU_MMIO_REG_RING_CONTROL, 0);
  registers.write64(AEROGPU_MMIO_REG_RING_GPA_LO, 0);
  registers.write(AEROGPU_MMIO_REG_RING_SIZE_BYTES, 0);
  hangOnce(adapter, context, surface);
  expectRendering(adapter, client, context, 0xFF00CC00);
  dropSurface(adapter, client, context, surface);
  adapter.scheduler().waitIdle();
  expectNoDeviceErrors(adapter);
}

/// Puts the adapter to sleep, after it shows nothing and nothing is resident, as before each sleep.
void goToSleep(Adapter& adapter, POWER_ACTION action) {
  adapter.display().setVisible(false);
  adapter.scheduler().waitIdle();
  adapter.display().unpin(*adapter.display().primary());
  expect(adapter.vidmm().evictAll(), "everything can be evicted");
  (void)adapter.setPower(kAdapterUid, PowerDeviceD3, action);
}

/// Sleeps while the ring is stopped. Each call checks that it does not fail (ddi_rules.cpp).
void powerStuck(Adapter& adapter, Client& client, Context& context) {
  Surface surface;
  if (!makeSurface(adapter, client, context, 64, 64, surface)) return;
  fillSurface(context, surface, 0xFF336699);
  expect(surfaceIs(adapter, surface, 0xFF336699), "the pixels");
  for (const auto action : {PowerActionSleep, PowerActionHibernate}) {
    adapter.display().setVisible(false);
    adapter.scheduler().waitIdle();
    adapter.display().unpin(*adapter.display().primary());
    expect(adapter.vidmm().evictAll(), "everything can be evicted");
    stopGpu(adapter);
    for (unsigned i = 0; i < 10; ++i) drop(adapter, client, gdiTexture(adapter, client));
    (void)adapter.setPower(kAdapterUid, PowerDeviceD3, action);
    (void)adapter.setPower(kAdapterUid, PowerDeviceD0, action);
    expect(adapter.display().recommit(), "the mode comes back");
    expect(surfaceIs(adapter, surface, 0xFF336699), "the content survives");
    expectRendering(adapter, client, context, 0xFF00CC00);
  }
  dropSurface(adapter, client, context, surface);
}

/// The device is reset in the middle of a sleep, which destroys the processes' objects. Each process is told,
/// whatever it requests first; the desktop, and programs that start again, work as before.
void sleepLost() {
  Session session;
  if (!session.ok() || !expect(session.setMode(1024, 768), "a mode")) return;
  Adapter& adapter = session.adapter();
  Display& display = adapter.display();
  if (!adapter.machine().canReset()) {
    skipTest("this machine's devices cannot be reset from here");
    return;
  }
  unsigned process = 500;
  for (const auto action : {PowerActionSleep, PowerActionHibernate}) {
    auto client = Client::create(adapter, process++);
    auto context = client ? client->createContext() : nullptr,
         second = client ? client->createContext() : nullptr;
    if (!expect(context && second, "two contexts")) return;
    Surface surface;
    if (!makeSurface(adapter, *client, *context, 64, 64, surface)) return;
    fillSurface(*context, surface, 0xFF336699);
    const GdiTexture texture = gdiTexture(adapter, *client);
    goToSleep(adapter, action);
    expect(adapter.machine().sleepAndWake(true), "the machine's devices are reset");
    (void)adapter.setPower(kAdapterUid, PowerDeviceD0, action);
    expect(display.recommit(), "the mode comes back");
    const RECT all{0, 0, 64, 64};
    DXGK_PRESENTFLAGS blt{};
    blt.Blt = 1;
    const auto primary = client->open({display.sharedPrimary()}, false);
    if (!expect(!primary.empty(), "the shared primary opens")) return;
    const uint64_t submitted = adapter.scheduler().submitted();
    for (Context* one : {context.get(), second.get()}) {
      NTSTATUS status = fillSurface(*one, surface, 0xFF000001);
      expect(status == kGpuException, "a render of the lost device is refused (0x%08x)", status);
      status = one->present(surface.opened, primary[0], all, all, {}, blt);
      expect(status == kGpuException, "and so is a present (0x%08x)", status);
    }
    expect(adapter.scheduler().submitted() == submitted, "nothing of it is submitted");
    // A new process while the old one still exists; it chooses new handles, or the same ones.
    auto fresh = Client::create(adapter, process++);
    auto again = fresh ? fresh->createContext() : nullptr;
    if (!expect(again != nullptr, "a new process")) return;
    expectRendering(adapter, *fresh, *again, 0xFF00CC00);
    const RECT screen{0, 0, 1024, 768};
    DXGK_PRESENTFLAGS fill{};
    fill.ColorFill = 1;
    const auto desktop = fresh->open({display.sharedPrimary()}, false);
    expect(!desktop.empty() &&
               ntSuccess(again->present(nullptr, desktop[0], screen, screen, {}, fill, 0xFF335577)),
           "a present of the new process");
    adapter.scheduler().waitIdle();
    expectScreen({{5, 5}, {700, 500}}, {0x335577, 0x335577}, "it shows");
    fresh->close(desktop[0]);
    client->close(primary[0]);
    client->close(surface.opened);
    adapter.vidmm().destroy({surface.allocation});
    drop(adapter, *client, texture);
    context.reset();
    second.reset();
    client.reset();
    expectRendering(adapter, *fresh, *again, 0xFF0000CC);
    adapter.scheduler().waitIdle();
    RingView(adapter).waitEmpty();
    const uint32_t errors = adapter.registers().read(AEROGPU_MMIO_REG_ERROR_COUNT);
    expect(errors == 0, "the device finds no errors since (%u)", errors);
  }
}

/// LOSS-3, LOSS-4. The host's GPU is lost while programs draw: Windows' time-out notices, programs see a lost
/// device and start again, the desktop continues, and the machine need not restart.
void gpuLoss() {
  Session session;
  if (!session.ok() || !expect(session.setMode(1024, 768), "a mode")) return;
  Adapter& adapter = session.adapter();
  auto& registers = adapter.registers();
  if (!(registers.read(AEROGPU_MMIO_REG_FEATURES_HI) & AEROGPU_EXT_FEATURE_HI_GPU_LOSS)) return;
  adapter.scheduler().setTimeoutMs(2000);
  std::atomic<bool> stop{false};
  std::atomic<unsigned> wrong{0}, lost{0}, begun{0};
  std::array<std::atomic<unsigned>, 3> drawn{};
  std::vector<std::thread> programs;
  for (unsigned p = 0; p < drawn.size(); ++p)
    programs.emplace_back([&, p] {
      attachThread("program");
      while (!stop) {
        auto client = Client::create(adapter, 600 + p);
        auto context = client ? client->createContext() : nullptr;
        Surface surface;
        surface.allocId = newAllocId();
        if (!context || !makeSurface(adapter, *client, *context, 64, 64, surface)) {
          // Lost once more before it had started; everything else has been reported.
          context.reset();
          client.reset();
          continue;
        }
        ++begun;
        NTSTATUS status = kSuccess;
        for (uint32_t i = 0; !stop && ntSuccess(status); ++i) {
          status = fillSurface(*context, surface, 0xFF000000 | p << 16 | i);
          if (ntSuccess(status)) ++drawn[p];
        }
        if (!ntSuccess(status)) {
          wrong += status != kGpuException;
          ++lost;
        }
        client->close(surface.opened);
        adapter.vidmm().destroy({surface.allocation});
      }
    });
  // All of them: a program that only starts when the GPU goes would not notice the loss.
  const auto allDraw = [&] {
    bool all = true;
    for (auto& count : drawn) {
      const unsigned from = count;
      const bool draws = comes([&] { return count >= from + 20; });
      all &= expect(draws, "program %td draws (%u, %u)", &count - drawn.data(), from, count.load());
    }
    return all;
  };
  bool ok = allDraw();
  constexpr unsigned kLosses = 3;
  for (unsigned i = 1; i <= kLosses && ok; ++i) {
    const unsigned lostBefore = lost;
    if (!adapter.machine().loseGpu()) {
      skipTest("a loss cannot be played here");
      break;
    }
    comes([&] { return adapter.scheduler().resets() >= i; }, 30'000);
    ok = expect(adapter.scheduler().resets() == i, "loss %u is a time-out (%u)", i,
                adapter.scheduler().resets());
    const bool seen = comes([&] { return lost >= lostBefore + 3; });
    ok &= expect(seen, "every program sees it (%u)", lost - lostBefore);
    ok &= allDraw();
    // Work is accepted before the GPU is there (LOSS-10); the driver reports its return in a DPC after that.
    const auto back = [&] {
      return registers.read(AEROGPU_EXT_REG_GPU_STATE) == AEROGPU_EXT_GPU_WORKS &&
             loggedEvents(kEventGpuBack) >= i;
    };
    comes(back);
    ok &= expect(registers.read(AEROGPU_EXT_REG_GPU_STATE) == AEROGPU_EXT_GPU_WORKS, "the GPU is back");
    ok &= expect(loggedEvents(kEventGpuLost) == i && loggedEvents(kEventGpuBack) == i &&
                     loggedEvents(kEventGpuGone) == 0,
                 "the event log has %u losses and returns (%u, %u)", i, loggedEvents(kEventGpuLost),
                 loggedEvents(kEventGpuBack));
  }
  adapter.scheduler().setTimeoutMs(10000);
  stop = true;
  {
    const ClockPause pause;
    for (auto& program : programs) program.join();
  }
  expect(wrong == 0, "in no other way (%u)", wrong.load());
  auto client = Client::create(adapter, 700);
  auto context = client ? client->createContext() : nullptr;
  if (!expect(context != nullptr, "a new program")) return;
  expectRendering(adapter, *client, *context, 0xFF00CC00);
  const auto primary = client->open({adapter.display().sharedPrimary()}, false);
  const RECT screen{0, 0, 1024, 768};
  DXGK_PRESENTFLAGS fill{};
  fill.ColorFill = 1;
  expect(!primary.empty() &&
             ntSuccess(context->present(nullptr, primary[0], screen, screen, {}, fill, 0xFF335577)),
         "a present");
  adapter.scheduler().waitIdle();
  expectScreen({{5, 5}, {700, 500}}, {0x335577, 0x335577}, "what it shows");
  note("%u losses of %u devices, %u fills", lost.load(), begun.load(), drawn[0] + drawn[1] + drawn[2]);
}

/// LOSS-6. The host cannot bring the GPU back: fences advance, Windows' time-outs end, and the machine is
/// usable. The driver tries again when a program starts; once the GPU is back, that program draws.
void gpuGone() {
  Session session;
  if (!session.ok() || !expect(session.setMode(1024, 768), "a mode")) return;
  Adapter& adapter = session.adapter();
  Scheduler& scheduler = adapter.scheduler();
  auto& registers = adapter.registers();
  if (!(registers.read(AEROGPU_MMIO_REG_FEATURES_HI) & AEROGPU_EXT_FEATURE_HI_GPU_LOSS)) return;
  auto client = Client::create(adapter, 710);
  auto context = client ? client->createContext() : nullptr;
  Surface surface;
  if (!expect(context != nullptr, "a program") || !makeSurface(adapter, *client, *context, 64, 64, surface))
    return;
  const auto end = [&] {
    client->close(surface.opened);
    adapter.vidmm().destroy({surface.allocation});
    context.reset();
    client.reset();
  };
  scheduler.waitIdle();
  if (!adapter.machine().refuseGpu(true) || !adapter.machine().loseGpu()) {
    skipTest("a loss cannot be played here");
    end();
    return;
  }
  const uint32_t generation = registers.read(AEROGPU_EXT_REG_GPU_GENERATION);
  scheduler.setTimeoutMs(2000);
  fillSurface(*context, surface, 0xFF102030);
  scheduler.waitIdle();
  scheduler.setTimeoutMs(10000);
  expect(scheduler.resets() == 1, "one time-out (%u)", scheduler.resets());
  if (!gpuBecomes(adapter, AEROGPU_EXT_GPU_GONE)) return;
  end();
  const RingView ring(adapter);
  if (!ring) return;
  // Programs start; nothing draws, but nothing hangs either.
  for (unsigned i = 0; i < 3; ++i) {
    ring.waitEmpty();
    auto vain = Client::create(adapter, 720 + i);
    auto draws = vain ? vain->createContext() : nullptr;
    if (!expect(draws != nullptr, "a program %u", i)) return;
    uint64_t number = 0;
    expect(ntSuccess(draws->render(Stream().flush().bytes(), {}, &number)) && scheduler.waitIdle(number),
           "its fences go on");
    drainDpcs();
    gpuBecomes(adapter, AEROGPU_EXT_GPU_GONE);
  }
  expect(scheduler.resets() == 1 && loggedEvents(kEventGpuLost) == 1 && loggedEvents(kEventGpuGone) == 1 &&
             loggedEvents(kEventGpuBack) == 0,
         "one loss, told once (%u resets, %u, %u, %u)", scheduler.resets(), loggedEvents(kEventGpuLost),
         loggedEvents(kEventGpuGone), loggedEvents(kEventGpuBack));
  ring.waitEmpty();
  expect(registers.read(AEROGPU_EXT_REG_GPU_GENERATION) >= generation + 3,
         "each program but the first tries again");
  expect(adapter.machine().refuseGpu(false), "the host's GPU is there again");
  client = Client::create(adapter, 730);
  context = client ? client->createContext() : nullptr;
  if (!expect(context != nullptr, "a program")) return;
  expectRendering(adapter, *client, *context, 0xFF00CC00);
  gpuBecomes(adapter, AEROGPU_EXT_GPU_WORKS);
  drainDpcs();
  expect(loggedEvents(kEventGpuBack) == 1 && scheduler.resets() == 1,
         "it is told once (%u), without a time-out (%u)", loggedEvents(kEventGpuBack),
         scheduler.resets() - 1);
  const auto primary = client->open({adapter.display().sharedPrimary()}, false);
  const RECT screen{0, 0, 1024, 768};
  DXGK_PRESENTFLAGS fill{};
  fill.ColorFill = 1;
  expect(!primary.empty() &&
             ntSuccess(context->present(nullptr, primary[0], screen, screen, {}, fill, 0xFF335577)),
         "a present");
  scheduler.waitIdle();
  expectScreen({{5, 5}, {700, 500}}, {0x335577, 0x335577}, "what it shows");
}

/// dispmprt page "DXGKDDI_SET_POWER_STATE": the system shows the progress of the hibernation, through VGA.
void hibernate() {
  Session session;
  if (!session.ok()) return;
  Adapter& adapter = session.adapter();
  const auto boot = screenSize();
  if (!expect(session.setMode(1280, 1024), "a mode")) return;
  goToSleep(adapter, PowerActionHibernate);
  expectScreenSize(boot.first, boot.second);
  (void)adapter.setPower(kAdapterUid, PowerDeviceD0, PowerActionHibernate);
  expect(adapter.display().recommit(), "the mode comes back");
  expectScreenSize(1280, 1024);
}

const TestCase kTimeoutTests[] = {
    {"stuck-ddis", 120, inProcessWithMode<stuckDdis>},
    {"cleanup", 90, inProcessWithMode<cleanup>},
    {"lost-fences", 90, inProcess<lostFences>},
    {"who-hung", 120, inProcess<whoHung>, Runs::kBesideQemu},
    {"forgotten-ring", 90, inProcess<forgottenRing>},
    {"power-stuck", 120, inProcessWithMode<powerStuck>},
    {"sleep-lost", 120, sleepLost, Runs::kBesideQemu},
    {"hibernate", 90, hibernate},
    {"gpu-loss", 180, gpuLoss, Runs::kBesideQemu},
    {"gpu-gone", 120, gpuGone, Runs::kBesideQemu},
};

}  // namespace

std::span<const TestCase> timeoutTests() {
  return kTimeoutTests;
}

}  // namespace aerogpu::host
