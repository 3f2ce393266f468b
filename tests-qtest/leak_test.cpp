// SPDX-License-Identifier: MIT
// Tests that the QEMU process holds the same after many resets, many frames, and many objects as after a few:
// open files, threads, memory.
#include <gtest/gtest.h>

#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "tests-qtest/aerogpu_dev.h"

namespace {

using namespace aerogpu::qtest;
using aerogpu::CommandWriter;
namespace packets = aerogpu::packets;

constexpr uint32_t kWidth = 320, kHeight = 200, kPitch = kWidth * 4;
constexpr uint64_t kBackingBytes = 0x40000;
/// How much is done. Memory tells nothing with sanitizers (memoryTells()), which find what is not freed by
/// themselves.
#if defined(AEROGPU_ADDRESS_SANITIZER)
constexpr int kResets = 50;
constexpr uint32_t kWarm = 200, kWindows = 3, kStreams = 5;
#else
constexpr int kResets = 150;
constexpr uint32_t kWarm = 400, kWindows = 11, kStreams = 20;
#endif

/// The holdings of a process, from /proc.
struct Holdings {
  int64_t files = 0, threads = 0, residentBytes = 0;
};

Holdings holdingsOf(pid_t pid) {
  const std::filesystem::path proc = "/proc/" + std::to_string(pid);
  const auto entries = [](const std::filesystem::path& folder) {
    const auto all = std::filesystem::directory_iterator(folder);
    return std::distance(begin(all), end(all));
  };
  Holdings held;
  held.files = entries(proc / "fd");
  held.threads = entries(proc / "task");
  int64_t resident = 0, shared = 0;
  std::ifstream(proc / "statm") >> resident >> resident >> shared;  // size comes first
  // Without memory that is shared with the renderer's process: rings and frames are touched bit by bit.
  held.residentBytes = (resident - shared) * sysconf(_SC_PAGESIZE);
  return held;
}

bool memoryTells() {
  // A sanitizer's runtime keeps freed memory.
  const char* runtime = std::getenv("AEROGPU_SANITIZER_RUNTIME");
  return !runtime || !*runtime;
}

class Leak : public testing::TestWithParam<const char*> {
protected:
  Leak() : dev(std::string("renderer=") + withTightHeap(GetParam())) {}

  /// Makes QEMU's heap (glibc's) give back free memory and take no more than it needs, so that small leaks
  /// show.
  static const char* withTightHeap(const char* renderer) {
    setenv("MALLOC_TOP_PAD_", "0", 1);
    setenv("MALLOC_TRIM_THRESHOLD_", "0", 1);
    return renderer;
  }

  void start() {
    dev.startRing();
    dev.setScanout({.width = kWidth, .height = kHeight, .pitch = kPitch});
  }
  void run(const CommandWriter& w, uint64_t commandGpa = kCommandGpa) {
    const aerogpu_alloc_entry entries[] = {{1, 0, kSurfaceGpa, kBackingBytes, 0},
                                           {2, 0, kSurfaceGpa + kBackingBytes, kBackingBytes, 0}};
    dev.waitFence(dev.submit(w, {.commandGpa = commandGpa, .table = AeroGpuDev::allocTable(entries)}));
    ASSERT_EQ(dev.reg(AEROGPU_MMIO_REG_ERROR_COUNT), 0u) << dev.qemu.output();
  }
  static void createTargets(CommandWriter& w) {
    for (const uint32_t i : {1, 2})
      packets::createTexture(w, {.handle = i,
                                 .width = kWidth,
                                 .height = kHeight,
                                 .usage = packets::kShown,
                                 .rowPitch = kPitch,
                                 .allocId = i});
  }
  /// Rows from guest memory, a draw, a copy that is written back, a picture.
  static void frame(CommandWriter& w, uint32_t number) {
    const uint32_t target = 1 + number % 2;
    packets::setTarget(w, target);
    packets::clearColor(w, {0, static_cast<float>(number % 256) / 255, 0});
    packets::dirtyRange(w, target, 0, kPitch * 8);
    packets::draw(w, 3);
    packets::copyTexture(w, 3 - target, target, 16, 16);
    packets::present(w);
  }
  Holdings holdings() { return holdingsOf(dev.qemu.pid()); }
  void expectNoMore(const Holdings& before, int64_t bytes) {
    const Holdings now = holdings();
    EXPECT_LE(now.files, before.files);
    EXPECT_LE(now.threads, before.threads);
    if (memoryTells()) {
      EXPECT_LT(now.residentBytes, before.residentBytes + bytes);
    }
  }

  AeroGpuDev dev;
};

TEST_P(Leak, Resets) {
  Holdings early;
  int64_t held = 0;
  for (int reset = 0; reset < kResets; ++reset) {
    start();
    CommandWriter w;
    createTargets(w);
    usePlainPipeline(w, 3);
    for (uint32_t i = 0; i < 4; ++i) frame(w, i);
    run(w);
    ASSERT_GT(dev.qemu.screendump().width, 0u);
    dev.qemu.qmp("system_reset");
    dev.setUpPci();
    ASSERT_EQ(dev.qemu.property("resources"), 0);
    if (reset == 30) {
      early = holdings();
      held = dev.qemu.property("host-memory");
    }
  }
  EXPECT_LE(dev.qemu.property("host-memory"), held);
  expectNoMore(early, 16 << 20);
}

/// A leak in each frame would make every window of frames grow; one-time growth (caches, arenas) affects only
/// some, so the median counts.
TEST_P(Leak, Frames) {
  constexpr uint32_t kWindow = 100;
  constexpr int64_t kBytesPerFrame = 100, kIdleFrames = 4;
  start();
  CommandWriter w;
  createTargets(w);
  usePlainPipeline(w, 3);
  run(w);
  Holdings early;
  int64_t held = 0;
  std::vector<int64_t> resident;
  for (uint32_t i = 1; i <= kWarm + kWindow * kWindows; ++i) {
    w.reset();
    frame(w, i);
    run(w);
    if (i % 2) dev.setReg64(AEROGPU_MMIO_REG_SCANOUT0_FB_GPA_LO, kSurfaceGpa + i / 2 % 2 * kBackingBytes);
    if (i % kWindow != 0) continue;
    ASSERT_GT(dev.qemu.screendump().width, 0u);
    if (i < kWarm) continue;
    resident.push_back(holdings().residentBytes);
    if (i > kWarm) continue;
    early = holdings();
    held = dev.qemu.property("host-memory");
  }
  // The number of idle frames at that moment depends on timing (docs/develop/architecture.md, "Caches").
  EXPECT_LE(dev.qemu.property("host-memory"), held + kIdleFrames * kPitch * kHeight);
  expectNoMore(early, 16 << 20);
  std::vector<int64_t> growth;
  for (size_t n = 1; n < resident.size(); ++n) growth.push_back(resident[n] - resident[n - 1]);
  std::sort(growth.begin(), growth.end());
  if (memoryTells()) {
    EXPECT_LT(growth[growth.size() / 2], kBytesPerFrame * kWindow) << testing::PrintToString(growth);
  }
}

TEST_P(Leak, AMillionObjects) {
  constexpr uint32_t kInStream = 50'000;
  constexpr uint64_t kStreamGpa = 0x1000000;
  dev.startRing();
  CommandWriter w;
  for (uint32_t i = 0; i < kInStream; ++i) {
    packets::createBuffer(w, 7, 64 + i % 64 * 4, AEROGPU_RESOURCE_USAGE_VERTEX_BUFFER);
    packets::destroyResource(w, 7);
  }
  for (int i = 0; i < 2; ++i) run(w, kStreamGpa);
  const Holdings early = holdings();
  const int64_t held = dev.qemu.property("host-memory");
  for (uint32_t i = 2; i < kStreams; ++i) {
    aerogpu_submit_desc desc{};
    desc.desc_size_bytes = sizeof desc;
    desc.cmd_gpa = kStreamGpa;
    desc.cmd_size_bytes = static_cast<uint32_t>(w.size());
    desc.signal_fence = dev.nextFence();
    dev.setNextFence(desc.signal_fence + 1);
    dev.push(desc);
    dev.waitFence(desc.signal_fence);
  }
  EXPECT_EQ(dev.reg(AEROGPU_MMIO_REG_ERROR_COUNT), 0u) << dev.qemu.output();
  EXPECT_LE(dev.qemu.property("host-memory"), held);
  EXPECT_EQ(dev.qemu.property("resources"), 0);
  expectNoMore(early, 16 << 20);
}

INSTANTIATE_TEST_SUITE_P(Renderers, Leak, testing::Values("null", "vulkan"),
                         [](const auto& info) { return std::string(info.param); });

}  // namespace
