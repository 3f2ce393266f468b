// SPDX-License-Identifier: MIT
// The queue of flips: a present that flips returns before its frame is on the screen. Pages
// "D3DKMT_PRESENTFLAGS" (the default limit of queued flips is three), "DXGK_FLIPCAPS" (memory-mapped flips:
// the OS calls DxgkDdiSetVidPnSourceAddress when the frame is drawn, and hears of it at the next vertical
// sync).
#include <algorithm>

#include "testbed/kernel/dxgk/display.h"
#include "testbed/kernel/dxgk/scheduler.h"
#include "testbed/kernel/dxgk/vidmm.h"
#include "testbed/kmt/server/kernel.h"

namespace aerogpu::host {

namespace {

constexpr int kLongestVsyncMs = 1000;  // many times longer than any frame

}  // namespace

void Kernel::endFlip(const Flip& flip, uint32_t refresh) {
  flip.device->done = flip.count;
  flip.device->doneRefresh = refresh;
}

bool Kernel::showNextFlip(uint64_t& number, uint64_t& vsync) {
  const Scheduler& scheduler = m_adapter.scheduler();
  Flip& next = m_flips.front();
  number = 0;
  if (!next.given) {
    if (!scheduler.completed(next.number)) {
      number = next.number;
      return false;
    }
    if (scheduler.vsyncs() < m_flipVsync + next.interval) {
      vsync = m_flipVsync + next.interval;
      return false;
    }
    Allocation& frame = *next.frame;
    if (isLost(*next.device) || !ntSuccess(m_adapter.display().flip(frame, next.interval == 0))) {
      endFlip(next, static_cast<uint32_t>(scheduler.vsyncs()));
      m_flips.pop_front();
      return true;
    }
    if (m_shown && m_shown != &frame) m_adapter.display().unpin(*m_shown);
    m_shown = &frame;
    m_flipVsync = scheduler.vsyncs();
    next.given = true;
  }
  // An immediate flip is done at once.
  if (next.interval && scheduler.vsyncs() <= m_flipVsync) {
    vsync = m_flipVsync + 1;
    return false;
  }
  endFlip(next, static_cast<uint32_t>(m_flipVsync + (next.interval ? 1 : 0)));
  m_flips.pop_front();
  return true;
}

void Kernel::showFlips() {
  Scheduler& scheduler = m_adapter.scheduler();
  std::unique_lock screen(m_screen);
  for (;;) {
    m_flipsChanged.wait(screen, [this] { return m_stopping || !m_flips.empty(); });
    if (m_stopping) return;
    uint64_t number = 0, vsync = 0;
    const bool moved = showNextFlip(number, vsync);
    m_flipsChanged.notify_all();
    if (moved) continue;
    screen.unlock();
    const bool came =
        number ? (scheduler.waitIdle(number), true) : scheduler.waitVsyncs(vsync, kLongestVsyncMs);
    screen.lock();
    // No vertical syncs come: it is shown anyway, so that no program waits without a bound.
    if (!came && !m_flips.empty()) m_flips.front().interval = 0;
  }
}

template <class Belongs>
void Kernel::dropFlips(Belongs belongs) {
  const auto refresh = static_cast<uint32_t>(m_adapter.scheduler().vsyncs());
  std::erase_if(m_flips, [&](const Flip& flip) {
    if (!belongs(flip)) return false;
    endFlip(flip, refresh);
    return true;
  });
  m_flipsChanged.notify_all();
}

void Kernel::dropFlipsOf(const KmtDevice& device) {
  dropFlips([&](const Flip& flip) { return flip.device.get() == &device; });
}

void Kernel::hide(const Allocation& allocation) {
  std::lock_guard screen(m_screen);
  dropFlips([&](const Flip& flip) { return flip.frame.get() == &allocation; });
  if (m_shown == &allocation) showDesktop();
}

size_t Kernel::flipsUnderWay(const KmtDevice& device) const {
  return static_cast<size_t>(std::count_if(m_flips.begin(), m_flips.end(),
                                           [&](const Flip& flip) { return flip.device.get() == &device; }));
}

void Kernel::countBlits(KmtDevice& device) {
  const Scheduler& scheduler = m_adapter.scheduler();
  for (; !device.blits.empty() && scheduler.completed(device.blits.front().number);
       device.blits.pop_front()) {
    device.done = device.blits.front().count;
    device.doneRefresh = static_cast<uint32_t>(scheduler.vsyncs());
  }
}

NTSTATUS Kernel::waitForPresents(DeviceCalls& device, bool doNotWait) {
  for (;;) {
    if (device->gone) return kmt::kStatusInvalidParameter;
    if (isLost(*device)) return kmt::kStatusDeviceRemoved;
    countBlits(*device);
    std::unique_lock screen(m_screen);
    const size_t flips = flipsUnderWay(*device);
    if (device->blits.size() + flips < device->queuedLimit) return kmt::kStatusSuccess;
    if (doNotWait) return kmt::kStatusAllocationBusy;
    const uint64_t oldest = device->blits.empty() ? 0 : device->blits.front().number;
    device.lock.unlock();
    if (flips) {
      m_flipsChanged.wait(screen, [&] { return flipsUnderWay(*device) < flips; });
      screen.unlock();
    } else {
      screen.unlock();
      m_adapter.scheduler().waitIdle(oldest);
    }
    device.lock.lock();
  }
}

void Kernel::drainFlips(DeviceCalls& device) {
  std::unique_lock screen(m_screen);
  if (!flipsUnderWay(*device)) return;
  device.lock.unlock();
  m_flipsChanged.wait(screen, [&] { return !flipsUnderWay(*device); });
  screen.unlock();
  device.lock.lock();
}

bool Kernel::waitForFrames(const std::vector<const Allocation*>& frames,
                           std::unique_lock<std::mutex>& calls) {
  std::unique_lock screen(m_screen);
  const auto free = [&] {
    const auto waits = [](const Flip& flip) { return !flip.given; };
    const bool more = std::any_of(m_flips.begin(), m_flips.end(), waits);
    return std::none_of(frames.begin(), frames.end(), [&](const Allocation* frame) {
      return (more && frame == m_shown) || std::any_of(m_flips.begin(), m_flips.end(), [&](const Flip& flip) {
               return waits(flip) && flip.frame.get() == frame;
             });
    });
  };
  if (free()) return false;
  calls.unlock();
  m_flipsChanged.wait(screen, free);
  screen.unlock();
  calls.lock();
  return true;
}

}  // namespace aerogpu::host
