// SPDX-License-Identifier: MIT
// Moves of a random walk (random_walk.h): the host's GPU is lost while all programs are busy: buffers are
// held back and in flight, a full-screen program is shown, memory is used up, and only the device knows. All
// continue until the time-out; then every device is lost (LOSS-4), or the GPU is gone for a while (LOSS-6).
// What survives is the content of allocations that no work was writing to or moving (LOSS-3, CMD-9, MEM-8).
#include <algorithm>

#include "aerogpu/aerogpu_extension.h"
#include "tests-qtest/driver/random_walk.h"

namespace aerogpu::host {

namespace {}  // namespace

bool Walk::canLose() {
  return (m_adapter.registers().read(AEROGPU_MMIO_REG_FEATURES_HI) & AEROGPU_EXT_FEATURE_HI_GPU_LOSS) != 0;
}

bool Walk::waitForGpu(uint32_t state) {
  return gpuBecomes(m_adapter, state);
}

void Walk::dropHeld() {
  for (const auto& process : m_processes)
    for (WalkContext& context : process->contexts) {
      if (context.holds) context.context->dropHeld();
      context.holds = context.doubtful = false;
      context.effects.clear();
    }
}

Walk::Item Walk::evenLostItem(WalkProcess& process) {
  return anyItem(process, [](const WalkItem& i) { return !i.frame; });
}

void Walk::expectSurvivors() {
  const auto look = [&](const Item& item) {
    if (!item || !item->memory || item->surface.allocation->contentLost) return;
    ++m_survivors;
    expect(surfaceIs(m_adapter, item->surface, *item->memory, 31), "item %u has its content after a loss",
           item->surface.allocId);
  };
  for (const auto& process : m_processes)
    for (const Item& item : process->items) look(item);
  for (const Item& frame : m_frames) look(frame);
}

void Walk::countLoss(bool refused) {
  ++m_resets;
  ++m_losses;
  const uint32_t errors = deviceErrors(m_adapter);
  ++m_errors;
  expect(refused ? errors >= m_errors : errors == m_errors, "a loss is one error (%u of %u)", errors,
         m_errors);
  m_errors = errors;
  const unsigned resets = m_adapter.scheduler().resets();
  expect(resets == m_resets, "a loss is one time-out (%u of %u)", resets, m_resets);
}

void Walk::loseAmid() {
  if (!canLose() || !mayReset()) return;
  Scheduler& scheduler = m_adapter.scheduler();
  const bool gone = m_amid % 4 == 1, waits = below(2) != 0, cleans = below(3) == 0;
  logCall("the host's GPU is lost%s%s%s", gone ? " for long" : "", waits ? "" : ", with work in flight",
          cleans ? "; everything is evicted before the restart" : "");
  anyProcess();
  const bool refused = anyMayRefuse();
  if (waits) settle();
  // It is unknown which of the work in flight still completes.
  const auto doubt = [&](const Item& item) {
    if (!item || scheduler.completed(item->surface.allocation->busyUntil)) return;
    item->memory.reset();
    item->gpu.reset();
  };
  for (const auto& process : m_processes)
    for (const Item& item : process->items) doubt(item);
  if (gone) expect(m_adapter.machine().refuseGpu(true), "a GPU that does not come back");
  if (!expect(m_adapter.machine().loseGpu(), "a loss")) return;
  scheduler.setTimeoutMs(kShortTimeoutMs);
  m_adapter.vidmm().paging().setEmptySubmissions(below(2) != 0);  // they wait for the ring
  if (cleans) scheduler.setCleanup([this] { m_adapter.vidmm().evictAll(); });
  m_vain = true;
  for (unsigned left = 1 + below(8); left && scheduler.resets() == m_resets; --left) moveAmidLoss();
  if (scheduler.resets() == m_resets) {
    logCall("GDI draws in vain");
    gdiAct(0, {}, [&] { return gdiFill(0, 0xFF777777); });
  }
  scheduler.waitIdle();
  m_vain = false;
  m_resetTimes.push_back(nowNs());
  m_adapter.vidmm().paging().setEmptySubmissions(true);
  scheduler.setTimeoutMs(kTimeoutMs);
  ++m_amid;
  dropHeld();
  if (!gone) waitForGpu(AEROGPU_EXT_GPU_WORKS);
  countLoss(gone || refused);
  if (gone) return withoutGpu();
  if (below(2)) expect(m_adapter.vidmm().evictAll(), "an eviction of everything");
  expectSurvivors();
  unpaintAll();
  if (m_shown) lookAtScreen();  // LOSS-9: its memory
  everybodyBeginsAnew();
}

/// Makes a move before anybody has noticed the loss: a program draws, or the memory manager moves memory.
/// Both may fail.
void Walk::moveAmidLoss() {
  WalkProcess& process = anyProcess();
  const Item item = evenLostItem(process);
  Vidmm& vidmm = m_adapter.vidmm();
  const uint32_t color = 0xFF000000 | m_random.next();
  switch (below(12)) {
    case 0:
    case 1:
    case 2:
      if (!item || item->missing) return;
      logCall("%llu draws in vain", static_cast<unsigned long long>(process.id));
      fill(anyContext(process), item, color);
      return;
    case 3:
      logCall("GDI draws in vain");
      gdiAct(0, {}, [&] { return gdiFill(0, color); });
      return;
    case 4:
      if (!process.primary) return;  // opening it now would make the driver create a texture
      logCall("%llu fills the desktop in vain", static_cast<unsigned long long>(process.id));
      present(anyContext(process), nullptr, {0, 0, 640, 480}, {0, 0, 640, 480}, color, [](bool) {});
      return;
    case 5:
    case 6:
      if (!item) return;
      logCall("item %u is evicted", item->surface.allocId);
      (void)vidmm.evict(*item->surface.allocation);
      return;
    case 7:
      logCall("everything is evicted");
      (void)vidmm.evictAll();
      return;
    case 8:
      if (!item) return;
      logCall("item %u comes back", item->surface.allocId);
      (void)vidmm.makeResident({{item->surface.allocation.get(), true}});
      return;
    case 9:
      if (!item) return;
      logCall("the CPU writes %08x to item %u", color, item->surface.allocId);
      writeMemory(item, color);
      item->gpu.reset();
      return;
    case 10:
      if (m_processes.size() < 6) return beginProcess();
      [[fallthrough]];
    default:
      killSomeProcess();
  }
}

/// Fences advance, but nothing is drawn (CMD-9, LOSS-6); then the GPU is available again, and a program that
/// starts brings it back.
void Walk::withoutGpu() {
  Scheduler& scheduler = m_adapter.scheduler();
  unpaintAll();
  if (!waitForGpu(AEROGPU_EXT_GPU_GONE)) return;
  m_vain = true;
  gdiAct(0, {}, [&] { return gdiFill(0, 0xFF777777); });  // the driver learns of it
  scheduler.waitIdle();
  drainDpcs();
  for (unsigned left = 4 + below(16); left; --left) moveWithoutGpu();
  // The last program's attempt to bring the GPU back may have failed. The driver notices when work fails, and
  // tries again.
  settle();
  gdiAct(0, {}, [&] { return gdiFill(0, 0xFF777777); });
  m_vain = false;
  settle();
  drainDpcs();
  logCall("the host's GPU is there again");
  expect(m_adapter.machine().refuseGpu(false), "it is there again");
  expectSurvivors();
  auto client = Client::create(m_adapter, m_nextProcess++);
  auto context = client ? client->createContext() : nullptr;
  if (!expect(context != nullptr, "a program") || !waitForGpu(AEROGPU_EXT_GPU_WORKS)) return;
  settle();
  m_errors = deviceErrors(m_adapter);
  expectRendering(m_adapter, *client, *context, 0xFF00CC00);
  drainDpcs();
  context.reset();
  client.reset();
  ++m_gone;
  expectSurvivors();
  everybodyBeginsAnew();
}

void Walk::moveWithoutGpu() {
  WalkProcess& process = anyProcess();
  const Item item = evenLostItem(process);
  Vidmm& vidmm = m_adapter.vidmm();
  const uint32_t color = 0xFF000000 | m_random.next();
  switch (below(16)) {
    case 0:
    case 1:
      return beginProcess();
    case 2:
      return endProcess(below(static_cast<uint32_t>(m_processes.size())), below(2) != 0);
    case 3:
    case 4:
    case 5: {
      if (!item) return;
      logCall("%llu draws without a GPU", static_cast<unsigned long long>(process.id));
      const Surface& s = item->surface;
      Stream stream;
      stream.target(s.target).clear(color).target(0).copyTexture(s.backed, s.target, s.width, s.height, true);
      const NTSTATUS status = anyContext(process).context->render(stream.bytes(), {{s.opened, true}});
      expect(ntSuccess(status) || status == kGpuException, "a render (0x%08x)", status);
      item->gpu.reset();  // the allocation's content stays
      return;
    }
    case 6:
      logCall("GDI draws without a GPU");
      gdiAct(0, {}, [&] { return gdiFill(0, color); });
      return;
    case 7:
      if (!item) return;
      logCall("item %u is evicted", item->surface.allocId);
      expect(vidmm.evict(*item->surface.allocation), "an eviction");
      return;
    case 8:
      logCall("everything is evicted");
      expect(vidmm.evictAll(), "an eviction of everything");
      return;
    case 9:
      if (!item) return;
      logCall("item %u comes back", item->surface.allocId);
      expect(vidmm.makeResident({{item->surface.allocation.get(), true}}), "it is there");
      return;
    case 10:
    case 11:
      if (!item) return;
      logCall("the CPU writes %08x to item %u", color, item->surface.allocId);
      writeMemory(item, color);
      return;
    case 12: {
      if (process.items.size() >= 20) return;
      logCall("%llu makes an allocation", static_cast<unsigned long long>(process.id));
      const auto made = std::make_shared<WalkItem>();
      Surface& s = made->surface;
      s.width = s.height = 100;
      auto created = vidmm.create({}, {texturePrivate(newAllocId(), 100, 100, D3DDDIFMT_A8R8G8B8)}, false);
      if (!expect(ntSuccess(created.status), "an allocation (0x%08x)", created.status)) return;
      s.allocation = created.allocations[0];
      s.allocId = allocIdOf(s.allocation->privateData);
      const auto opened = process.client->open(created.allocations, true);
      if (!expect(!opened.empty(), "it opens")) return;
      s.opened = opened[0];
      s.backed = newHandle();
      s.target = newHandle();
      made->missing = true;
      expect(vidmm.makeResident({{s.allocation.get(), true}}), "it is resident");
      made->memory = 0;  // fresh memory is zero
      process.items.push_back(made);
      return;
    }
    case 13:
      return pointer();
    case 14:
      return scanLine();
    default:
      return changeMode();
  }
}

}  // namespace aerogpu::host
