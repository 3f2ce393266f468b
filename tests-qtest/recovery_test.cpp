// SPDX-License-Identifier: MIT
// Tests loss and return of the GPU as a driver sees it, with both back ends. docs/abi/recovery.md.
#include <gtest/gtest.h>

#include "tests-qtest/aerogpu_dev.h"

namespace {

using namespace aerogpu::qtest;
using aerogpu::CommandWriter;
namespace packets = aerogpu::packets;

constexpr uint32_t kWidth = 32, kHeight = 16, kPitch = kWidth * 4;
constexpr uint64_t kWordGpa = 0x600000;
constexpr uint32_t kLose = 1, kRefuse = 2;  // x-gpu-fault
constexpr uint32_t kTexture = 1;

class Recovery : public testing::TestWithParam<const char*> {
protected:
  void SetUp() override {
    ASSERT_TRUE(dev.reg(AEROGPU_MMIO_REG_FEATURES_HI) & AEROGPU_EXT_FEATURE_HI_GPU_LOSS);
    dev.startRing();
    dev.setScanout({.width = kWidth, .height = kHeight, .pitch = kPitch});
  }

  uint32_t state() { return dev.reg(AEROGPU_EXT_REG_GPU_STATE); }
  uint32_t generation() { return dev.reg(AEROGPU_EXT_REG_GPU_GENERATION); }
  void enable(uint32_t value = 1) { dev.setReg(AEROGPU_EXT_REG_GPU_ENABLE, value); }
  void restart() { dev.setReg(AEROGPU_EXT_REG_GPU_RESTART, 1); }
  void waitState(uint32_t wanted) {
    dev.waitUntil([&] { return state() == wanted; }, "the state of the GPU");
  }
  uint64_t word() { return dev.qemu.readq(kWordGpa); }

  uint64_t submit(const CommandWriter& w) {
    const aerogpu_alloc_entry entries[] = {{1, 0, kSurfaceGpa, 0x1000, 0}, {2, 0, kWordGpa, 0x1000, 0}};
    return dev.submit(w, {.table = AeroGpuDev::allocTable(entries)});
  }
  /// Draws the shown texture in a colour; writes `value` after it.
  uint64_t draw(bool create, float red, float green, uint64_t value) {
    CommandWriter w;
    if (create) packets::createShown(w, kTexture, kWidth, kHeight, 1);
    packets::setTarget(w, kTexture);
    packets::clearColor(w, {red, green, 0});
    packets::present(w);
    packets::writeValue(w, 2, 0, value);
    return submit(w);
  }
  uint32_t shown() { return dev.qemu.screendump().at(kWidth / 2, kHeight / 2); }

  /// Draws, and loses the GPU during a second draw; returns the second draw's fence, which does not complete.
  uint64_t lose() {
    dev.waitFence(draw(true, 1, 0, 1));
    EXPECT_EQ(shown(), 0xFF0000u);
    dev.qemu.setProperty("x-gpu-fault", kLose);
    const uint64_t fence = draw(false, 0, 1, 2);
    waitState(AEROGPU_EXT_GPU_LOST);
    return fence;
  }
  void drawsAgain(uint64_t value) {
    dev.waitFence(draw(true, 0, 1, value));
    EXPECT_EQ(shown(), 0x00FF00u);
    EXPECT_EQ(word(), value);
    EXPECT_EQ(state(), uint32_t{AEROGPU_EXT_GPU_WORKS});
  }

  AeroGpuDev dev{std::string("renderer=") + GetParam()};
};

// LOSS-1, LOSS-2, LOSS-8, CMD-9, VALUE-5
TEST_P(Recovery, ADriverThatKnowsNothingOfItSeesWhatItAlwaysSaw) {
  const uint64_t fence = lose();
  dev.waitFence(fence);
  EXPECT_EQ(dev.reg(AEROGPU_MMIO_REG_ERROR_CODE), uint32_t{AEROGPU_ERROR_BACKEND});
  EXPECT_EQ(word(), 2u) << "values go with fences";
  for (int i = 0; i < 200; ++i) dev.waitFence(dev.submitEmpty());
  EXPECT_EQ(state(), uint32_t{AEROGPU_EXT_GPU_LOST});
  dev.qemu.qmp("system_reset");
  dev.setUpPci();
  EXPECT_EQ(state(), uint32_t{AEROGPU_EXT_GPU_WORKS});
  dev.setNextFence(1);
  SetUp();
  drawsAgain(3);
}

// LOSS-1, LOSS-3, VALUE-5, FENCE-1
TEST_P(Recovery, NothingCompletesWhileItIsLost) {
  enable();
  dev.useFencePage();
  const uint64_t fence = lose();
  EXPECT_EQ(dev.completedFence(), fence - 1);
  EXPECT_EQ(dev.fencePage().completed_fence, fence - 1);
  EXPECT_EQ(dev.ringHeader().head, 1u);
  EXPECT_EQ(word(), 1u);
  EXPECT_EQ(dev.errorCount(), 1u);
  EXPECT_EQ(dev.reg(AEROGPU_MMIO_REG_ERROR_CODE), uint32_t{AEROGPU_ERROR_BACKEND});
  EXPECT_EQ(dev.reg64(AEROGPU_MMIO_REG_ERROR_FENCE_LO), fence);
  EXPECT_TRUE(dev.reg(AEROGPU_MMIO_REG_IRQ_STATUS) & AEROGPU_IRQ_ERROR);
  dev.setReg(AEROGPU_MMIO_REG_IRQ_ACK, ~0u);
  const int64_t fetched = dev.qemu.property("submissions");
  for (uint64_t i = 0; i < 10; ++i) draw(false, 0, 1, 3 + i);
  dev.waitUntil([&] { return dev.qemu.property("resting") == 1; }, "rest");
  EXPECT_EQ(dev.qemu.property("submissions"), fetched) << "nothing more is fetched";
  EXPECT_EQ(dev.completedFence(), fence - 1);
  EXPECT_EQ(dev.errorCount(), 1u);
  EXPECT_EQ(dev.reg(AEROGPU_MMIO_REG_IRQ_STATUS), 0u);
  EXPECT_EQ(shown(), 0xFF0000u);
}

// LOSS-3
TEST_P(Recovery, WithoutEnableTheRestCompletes) {
  enable();
  const uint64_t fence = lose();
  const uint64_t last = draw(false, 0, 1, 3);
  enable(0);
  dev.waitFence(last);
  EXPECT_GT(dev.errorCount(), 1u);
  EXPECT_NE(word(), 2u) << "held back, and gone";
  EXPECT_EQ(state(), uint32_t{AEROGPU_EXT_GPU_LOST});
  enable();
  (void)dev.submitEmpty();
  dev.waitUntil([&] { return dev.qemu.property("resting") == 1; }, "rest");
  EXPECT_EQ(dev.completedFence(), last);
  EXPECT_GT(last, fence);
}

// LOSS-3, PRES-5: a present whose work was done before the loss waits for its vblank and no longer.
TEST_P(Recovery, WhatWasDoneBeforeCompletesAtItsVblank) {
  enable();
  CommandWriter w;
  packets::createShown(w, kTexture, kWidth, kHeight, 1);
  packets::setTarget(w, kTexture);
  packets::clearColor(w, {1});
  packets::present(w, AEROGPU_PRESENT_FLAG_VSYNC);
  packets::writeValue(w, 2, 0, 1);
  const uint64_t before = submit(w);
  dev.waitUntil([&] { return word() == 1; }, "its work");
  dev.qemu.setProperty("x-gpu-fault", kLose);
  const uint64_t lost = draw(false, 0, 1, 2);
  waitState(AEROGPU_EXT_GPU_LOST);
  EXPECT_LT(dev.completedFence(), before);
  dev.qemu.clockStep(1'000'000'000);
  dev.waitFence(before);
  EXPECT_EQ(shown(), 0xFF0000u);
  EXPECT_LT(dev.completedFence(), lost);
}

// LOSS-4, LOSS-7, LOSS-9
TEST_P(Recovery, ARestartBringsItBackWithoutAResetOfTheMachine) {
  enable();
  const uint32_t before = generation();
  const uint64_t lost = lose();
  const uint64_t queued = draw(false, 0, 1, 3);
  dev.qemu.write(kSurfaceGpa, std::vector<uint8_t>(kPitch * kHeight, 0x55));
  restart();
  EXPECT_EQ(generation(), before + 1);
  EXPECT_EQ(dev.ringHeader().head, dev.ringHeader().tail);
  waitState(AEROGPU_EXT_GPU_WORKS);
  EXPECT_EQ(shown(), 0x555555u) << "there is no texture any more";
  EXPECT_EQ(dev.completedFence(), lost - 1) << "what was dropped signals nothing";
  EXPECT_EQ(word(), 1u);
  EXPECT_EQ(dev.reg(AEROGPU_EXT_REG_GPU_ENABLE), 1u) << "registers stay";
  EXPECT_EQ(dev.reg(AEROGPU_MMIO_REG_SCANOUT0_WIDTH), kWidth);
  EXPECT_EQ(dev.qemu.property("held-objects"), 0);
  const uint32_t errors = dev.errorCount();
  drawsAgain(4);  // with the same handle, which is free
  EXPECT_EQ(dev.errorCount(), errors) << dev.qemu.output();
  EXPECT_GT(dev.completedFence(), queued);
}

// LOSS-10: the ring is set up and filled before the device is done.
TEST_P(Recovery, ADriverNeedNotWaitForIt) {
  enable();
  (void)lose();
  dev.setReg(AEROGPU_MMIO_REG_RING_CONTROL, 0);
  restart();
  dev.startRing();
  drawsAgain(5);
}

// LOSS-10, LOSS-7
TEST_P(Recovery, AgainAndAgain) {
  enable();
  uint32_t before = generation();
  for (uint64_t i = 0; i < 6; ++i) {
    (void)lose();
    restart();
    waitState(AEROGPU_EXT_GPU_WORKS);
    EXPECT_EQ(generation(), ++before);
  }
  drawsAgain(7);
}

// LOSS-6
TEST_P(Recovery, AGpuThatIsGoneLeavesAGuestThatCanBeUsed) {
  enable();
  (void)lose();
  dev.qemu.setProperty("x-gpu-fault", kRefuse);
  restart();
  waitState(AEROGPU_EXT_GPU_GONE);
  dev.qemu.write(kSurfaceGpa, std::vector<uint8_t>(kPitch * kHeight, 0x77));
  EXPECT_EQ(shown(), 0x777777u);
  const uint32_t errors = dev.errorCount();
  dev.waitFence(draw(true, 0, 1, 9));
  EXPECT_GT(dev.errorCount(), errors);
  EXPECT_EQ(dev.reg(AEROGPU_MMIO_REG_ERROR_CODE), uint32_t{AEROGPU_ERROR_BACKEND});
  EXPECT_EQ(word(), 9u);
  restart();
  dev.waitUntil([&] { return dev.qemu.property("resting") == 1; }, "rest");
  EXPECT_EQ(state(), uint32_t{AEROGPU_EXT_GPU_GONE});
  dev.qemu.setProperty("x-gpu-fault", 0);
  restart();
  waitState(AEROGPU_EXT_GPU_WORKS);
  drawsAgain(10);
}

// LOSS-4, LOSS-7
TEST_P(Recovery, ARestartOfAGpuThatWorksDropsTheObjects) {
  const uint32_t before = generation();
  EXPECT_NE(before, 0u);
  dev.waitFence(draw(true, 1, 0, 1));
  restart();
  EXPECT_EQ(generation(), before + 1);
  drawsAgain(2);
  EXPECT_EQ(dev.errorCount(), 0u) << dev.qemu.output();
  dev.setReg(AEROGPU_EXT_REG_GPU_RESTART, 0);
  dev.setReg(AEROGPU_MMIO_REG_RING_CONTROL, AEROGPU_RING_CONTROL_ENABLE | AEROGPU_RING_CONTROL_RESET);
  EXPECT_EQ(generation(), before + 1) << "neither of these";
  dev.qemu.qmp("system_reset");
  dev.setUpPci();
  EXPECT_EQ(generation(), before + 2);
}

// LOSS-8, REG-2: the picture on the screen does not keep the lost GPU.
TEST_P(Recovery, ADeviceResetForgetsEnableAndBringsItBackAtOnce) {
  enable(~0u);
  EXPECT_EQ(dev.reg(AEROGPU_EXT_REG_GPU_ENABLE), 1u);
  (void)lose();
  dev.qemu.qmp("system_reset");
  dev.setUpPci();
  EXPECT_EQ(dev.reg(AEROGPU_EXT_REG_GPU_ENABLE), 0u);
  EXPECT_EQ(state(), uint32_t{AEROGPU_EXT_GPU_WORKS});
  dev.setReg(AEROGPU_EXT_REG_GPU_STATE, 1);
  dev.setReg(AEROGPU_EXT_REG_GPU_GENERATION, 0);
  EXPECT_EQ(state(), uint32_t{AEROGPU_EXT_GPU_WORKS});
  EXPECT_NE(generation(), 0u);
  dev.setNextFence(1);
  SetUp();
  drawsAgain(3);
}

/// A ring reset alone, as a driver that preempts makes it, does not bring a lost GPU back.
// LOSS-3, RING-6
TEST_P(Recovery, ARingResetLeavesItLost) {
  enable();
  const uint64_t lost = lose();
  dev.setReg(AEROGPU_MMIO_REG_RING_CONTROL, AEROGPU_RING_CONTROL_ENABLE | AEROGPU_RING_CONTROL_RESET);
  EXPECT_EQ(state(), uint32_t{AEROGPU_EXT_GPU_LOST});
  const uint64_t after = dev.submitEmpty();
  dev.waitUntil([&] { return dev.qemu.property("resting") == 1; }, "rest");
  EXPECT_EQ(dev.completedFence(), lost - 1);
  restart();
  waitState(AEROGPU_EXT_GPU_WORKS);
  drawsAgain(3);
  EXPECT_GT(dev.completedFence(), after);
}

INSTANTIATE_TEST_SUITE_P(BackEnds, Recovery, testing::Values("null", "vulkan"),
                         [](const auto& backend) { return std::string(backend.param); });

}  // namespace
