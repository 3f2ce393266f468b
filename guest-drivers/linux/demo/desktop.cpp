// SPDX-License-Identifier: MIT
// Each frame is one submission that ends in a vsynced present, so a vblank shows the picture and completes
// the fence. The next frame is submitted before that.
#include "guest-drivers/linux/demo/desktop.h"

#include <algorithm>
#include <cstdio>

#include "aerogpu/aerogpu.h"
#include "guest-drivers/linux/demo/latency.h"
#include "guest-drivers/linux/demo/scene.h"
#include "guest-drivers/linux/device/cursor.h"
#include "guest-drivers/linux/device/scanout.h"

namespace aerogpu::guest {

namespace {

constexpr int64_t kFenceTimeoutNs = 20'000'000'000;  // the first frame compiles shaders
constexpr uint32_t kReportFrames = 120;              // printed in addition to the once-a-second line

/// Frame times of the last second and of the whole run.
class Pace {
public:
  explicit Pace(int64_t now) : m_secondBegan(now), m_last(now) {}
  /// Counts a frame on the screen; returns true once a second.
  bool frame(int64_t now) {
    m_frameMs = static_cast<double>(now - m_last) / 1e6;
    m_last = now;
    m_times.push_back(now);
    // The rate over the last 60 frames.
    if (m_times.size() > 61) m_times.erase(m_times.begin());
    m_worstMs = std::max(m_worstMs, m_frameMs);
    return now - m_secondBegan >= 1'000'000'000;
  }
  void nextSecond() {
    m_secondBegan = m_last;
    m_worstMs = 0;
  }
  double fps() const {
    return m_times.size() < 2 ? 0
                              : static_cast<double>(m_times.size() - 1) * 1e9 /
                                    static_cast<double>(m_times.back() - m_times.front());
  }
  double frameMs() const { return m_frameMs; }
  double worstMs() const { return m_worstMs; }

private:
  int64_t m_secondBegan, m_last;
  double m_frameMs = 0, m_worstMs = 0;
  std::vector<int64_t> m_times;
};

}  // namespace

uint64_t desktopMemoryBytes(Mode mode) {
  // Scene, ring and slots, and spare memory, because blocks do not fill runs of neighbouring pages.
  return Scene::memoryBytes(mode) + 17 * (uint64_t{kDesktopCommandBytes} + kTableBytes) + 4 * kHugePageBytes;
}

Status runDesktop(Device& device, const Options& options) {
  Scene scene;
  const int64_t begin = nowNs();
  Status status = scene.create(device.memory(), options.mode);
  if (!status.ok()) return status;
  std::printf("aerogpu-demo: mode %ux%u\n", options.mode.width, options.mode.height);
  std::printf("aerogpu-demo: pictures painted in %.0f ms\n", static_cast<double>(nowNs() - begin) / 1e6);

  CommandWriter stream;
  scene.setup(stream);
  uint64_t fence = 0;
  status = device.submit({stream.data(), stream.size()}, scene.table(), 0, fence);
  if (status.ok()) status = device.waitFence(fence, kFenceTimeoutNs);
  if (status.ok()) status = device.checkError();
  if (!status.ok()) return status;
  std::printf("aerogpu-demo: resources and shaders ready in %.0f ms\n",
              static_cast<double>(nowNs() - begin) / 1e6);

  Scanout scanout(device.registers());
  Cursor cursor(device.registers());
  Registers& registers = device.registers();
  if (registers.read(AEROGPU_MMIO_REG_FEATURES_LO) & AEROGPU_FEATURE_CURSOR) {
    cursor.setShape(kCursorSize, kCursorSize, kCursorHot, kCursorHot, AEROGPU_FORMAT_B8G8R8A8_UNORM,
                    kCursorSize * 4, scene.cursor().gpa);
  }

  // Frame 0 is drawn before the screen is switched on, so an unfinished picture is never visible.
  uint64_t previousFence = 0;
  FrameStats stats;
  int64_t start = 0;
  uint64_t firstVblank = 0;
  Pace pace(nowNs());
  for (uint32_t frame = 0; options.frames == 0 || frame < options.frames; ++frame) {
    stats.frame = frame;
    // Time is counted in vblanks, so that motion is even also if the guest was scheduled late.
    if (frame == 0)
      stats.seconds = 0;
    else if (options.fixedStep)
      stats.seconds = frame / 60.0;
    else
      stats.seconds =
          static_cast<double>(scanout.vblankSequence() - firstVblank) * scanout.vblankPeriodNs() / 1e9;
    stats.fps = pace.fps();
    stats.frameMs = pace.frameMs();
    stats.submissions = device.submissions();
    stats.interrupts = device.interrupts().count();
    stream.reset();
    scene.frame(stats, stream);
    stats.commandBytes = stream.size();
    status = device.submit({stream.data(), stream.size()}, scene.table(), AEROGPU_SUBMIT_FLAG_PRESENT, fence);
    if (!status.ok()) return status;
    const uint64_t shownFence = previousFence;
    previousFence = fence;

    // Two frames are in flight: this one and the previous one, whose fence completes when it is shown.
    if (frame == 0) {
      status = device.waitFence(fence, kFenceTimeoutNs);
      if (!status.ok()) return status;
      scanout.enable(options.mode, Scene::kFormat, scene.pitchBytes(), scene.shownGpa());
      cursor.show(true);
      firstVblank = scanout.vblankSequence();
      start = nowNs();
      pace = Pace(start);
      std::printf("aerogpu-demo: first frame after %.0f ms\n", static_cast<double>(start - begin) / 1e6);
      continue;
    }
    if (frame == 1) continue;
    const uint32_t shown = frame - 1;
    status = device.waitFence(shownFence, kFenceTimeoutNs);
    if (!status.ok()) return status;
    int x = 0, y = 0;
    cursorPosition(options.mode, stats.seconds, x, y);
    cursor.move(x, y);
    const bool second = pace.frame(nowNs());
    if (second || shown % kReportFrames == 0) {
      std::printf(
          "aerogpu-demo: frame %u fps %.1f frame-ms %.2f worst-ms %.2f vblank %llu submissions %llu "
          "interrupts %llu late-interrupts %llu\n",
          shown, pace.fps(), pace.frameMs(), pace.worstMs(),
          static_cast<unsigned long long>(scanout.vblankSequence() - firstVblank),
          static_cast<unsigned long long>(device.submissions()),
          static_cast<unsigned long long>(device.interrupts().count()),
          static_cast<unsigned long long>(device.lateInterrupts()));
      status = device.checkError();
      if (!status.ok()) return status;
      if (second) pace.nextSecond();
    }
  }
  status = device.waitFence(fence, kFenceTimeoutNs);
  if (status.ok()) status = device.checkError();
  cursor.show(false);
  scanout.disable();
  return status;
}

}  // namespace aerogpu::guest
