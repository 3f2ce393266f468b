// SPDX-License-Identifier: MIT
// Tests ring resets while the GPU stays busy: after the write to the register no earlier work writes
// anything, RING_BUSY shows whether some still runs, and a guest cannot block QEMU with resets.
// docs/abi/ring.md, BUSY.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>

#include "aerogpu/aerogpu_ring_extension.h"
#include "tests-qtest/aerogpu_dev.h"

namespace {

using namespace aerogpu::qtest;
using aerogpu::CommandWriter;
namespace packets = aerogpu::packets;

constexpr uint32_t kHang = 8;  // x-gpu-fault
constexpr uint32_t kTexture = 1, kAlloc = 1;
constexpr uint32_t kSmall = 16, kLarge = 256;  // texels: copied by our threads, and by the GPU
constexpr uint8_t kOthers = 0x3C;

class Busy : public testing::Test {
protected:
  void SetUp() override {
    ASSERT_TRUE(dev.reg(AEROGPU_MMIO_REG_FEATURES_HI) & AEROGPU_EXT_FEATURE_HI_RING_BUSY);
    dev.startRing();
    CommandWriter w;
    packets::createShown(w, kTexture, kLarge, kLarge, kAlloc);
    dev.waitFence(submit(w));
  }
  static constexpr uint64_t bytesOf(uint32_t side) { return uint64_t{side} * side * 4; }
  uint64_t submit(const CommandWriter& w) {
    const aerogpu_alloc_entry entries[] = {{kAlloc, 0, kSurfaceGpa, bytesOf(kLarge), 0}};
    return dev.submit(w, {.table = AeroGpuDev::allocTable(entries)});
  }
  uint64_t readBack(uint32_t side) {
    CommandWriter w;
    w.packet(aerogpu_cmd_ext_read_texture{.texture = kTexture,
                                          .width = side,
                                          .height = side,
                                          .depth = 1,
                                          .dst_alloc_id = kAlloc,
                                          .dst_row_pitch_bytes = side * 4});
    return submit(w);
  }
  uint32_t busy() { return dev.reg(AEROGPU_EXT_REG_RING_BUSY); }
  void hang(bool on) { dev.qemu.setProperty("x-gpu-fault", on ? kHang : 0); }
  void reset() {
    dev.setReg(AEROGPU_MMIO_REG_RING_CONTROL, AEROGPU_RING_CONTROL_RESET | AEROGPU_RING_CONTROL_ENABLE);
  }
  void fill(uint8_t value) { dev.qemu.write(kSurfaceGpa, std::vector<uint8_t>(bytesOf(kLarge), value)); }
  bool isAll(uint32_t side, uint8_t value) {
    const auto bytes = dev.qemu.read(kSurfaceGpa, bytesOf(side));
    return std::all_of(bytes.begin(), bytes.end(), [&](uint8_t b) { return b == value; });
  }
  /// Waits until the device has fetched `submissions` submissions and has begun to execute the last one.
  void waitForGpu(int64_t submissions) {
    dev.waitUntil([&] { return dev.qemu.property("submissions") >= submissions; }, "the submission");
    dev.waitUntil([&] { return dev.qemu.property("cpu-busy-ns") > m_cpuBusy; }, "its execution");
  }
  uint64_t hangUnder(uint32_t side) {
    const int64_t submissions = dev.qemu.property("submissions");
    m_cpuBusy = dev.qemu.property("cpu-busy-ns");
    hang(true);
    const uint64_t fence = readBack(side);
    waitForGpu(submissions + 1);
    return fence;
  }

  AeroGpuDev dev{"renderer=vulkan"};
  int64_t m_cpuBusy = 0;
};

// BUSY-1, BUSY-2, RING-6
TEST_F(Busy, WhatOurThreadsCopyIsDropped) {
  EXPECT_EQ(busy(), 0u);
  const uint64_t fence = hangUnder(kSmall);
  EXPECT_EQ(busy(), 0u) << "nothing was reset";
  reset();
  EXPECT_EQ(dev.ringHeader().head, dev.ringHeader().tail);
  EXPECT_EQ(busy(), AEROGPU_EXT_RING_BUSY_READS);
  fill(kOthers);
  hang(false);
  dev.waitUntil([&] { return busy() == 0; }, "the end of what was reset");
  EXPECT_TRUE(isAll(kLarge, kOthers));
  EXPECT_LT(dev.completedFence(), fence);
  dev.waitFence(readBack(kSmall));
  EXPECT_TRUE(isAll(kSmall, 0)) << "what comes afterwards is written";
  EXPECT_EQ(dev.errorCount(), 0u);
}

// BUSY-1, BUSY-2
TEST_F(Busy, WhatTheGpuCopiesIsToldAndWaitedFor) {
  hangUnder(kLarge);
  const auto begun = std::chrono::steady_clock::now();
  reset();
  EXPECT_GE(std::chrono::steady_clock::now() - begun, std::chrono::milliseconds(1900))
      << "a driver that cannot ask is kept waiting";
  EXPECT_EQ(busy(), AEROGPU_EXT_RING_BUSY_WRITES | AEROGPU_EXT_RING_BUSY_READS);
  hang(false);
  dev.waitUntil([&] { return busy() == 0; }, "the end of what was reset");
  fill(kOthers);
  dev.waitFence(readBack(kSmall));
  EXPECT_TRUE(isAll(kSmall, 0));
  EXPECT_EQ(dev.reg(AEROGPU_MMIO_REG_ERROR_COUNT), 0u);
}

/// Any number of resets together waits as long as one: the rest are answered at once.
// BUSY-3
TEST_F(Busy, ManyResetsHoldQemuUpNoLongerThanOne) {
  hangUnder(kSmall);
  const auto begun = std::chrono::steady_clock::now();
  for (int i = 0; i < 100; ++i) {
    reset();
    EXPECT_NE(dev.qemu.qmp("query-status").find("running"), std::string::npos);
    EXPECT_EQ(busy(), AEROGPU_EXT_RING_BUSY_READS);
  }
  // 2 s of waits, and the answers; before, a hundred times 2 s.
  EXPECT_LT(std::chrono::steady_clock::now() - begun, std::chrono::seconds(9));
  hang(false);
  dev.waitUntil([&] { return busy() == 0; }, "the end of what was reset");
  dev.waitFence(readBack(kSmall));
}

// BUSY-1: the driver has to poll it; a write has no effect, a device reset ends it.
TEST_F(Busy, TheRegisterIsReadOnlyAndADeviceResetEndsIt) {
  dev.setReg(AEROGPU_EXT_REG_RING_BUSY, ~0u);
  EXPECT_EQ(busy(), 0u);
  hangUnder(kSmall);
  dev.qemu.qmp("system_reset");
  dev.setUpPci();
  EXPECT_EQ(busy(), AEROGPU_EXT_RING_BUSY_READS);
  fill(kOthers);
  hang(false);
  dev.waitUntil([&] { return busy() == 0; }, "the end of what was reset");
  EXPECT_TRUE(isAll(kLarge, kOthers));
}

}  // namespace
