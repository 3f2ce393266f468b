// SPDX-License-Identifier: MIT
// INTx, MSI, vblank on the virtual clock, and presents that wait for it. ABI page, "Rules a driver relies
// on".
#include <gtest/gtest.h>

#include "tests-qtest/aerogpu_dev.h"

namespace {

using namespace aerogpu::qtest;
using aerogpu::CommandWriter;

constexpr uint64_t kPeriod = 16'666'667;

uint64_t sequence(AeroGpuDev& dev) {
  return dev.reg64(AEROGPU_MMIO_REG_SCANOUT0_VBLANK_SEQ_LO);
}
uint64_t lastTime(AeroGpuDev& dev) {
  return dev.reg64(AEROGPU_MMIO_REG_SCANOUT0_VBLANK_TIME_NS_LO);
}
uint32_t status(AeroGpuDev& dev) {
  return dev.reg(AEROGPU_MMIO_REG_IRQ_STATUS);
}

CommandWriter presentStream(uint32_t flags) {
  CommandWriter w;
  aerogpu_cmd_present present{};
  present.flags = flags;
  w.packet(AEROGPU_CMD_PRESENT, present);
  return w;
}

TEST(Intx, IsTheLevelOfStatusAndEnable) {
  AeroGpuDev dev;
  dev.interceptIntx();
  dev.startRing();
  dev.waitFence(dev.submitEmpty());
  EXPECT_FALSE(dev.intxLevel()) << "not enabled";
  dev.setReg(AEROGPU_MMIO_REG_IRQ_ENABLE, AEROGPU_IRQ_FENCE);
  dev.waitUntil([&] { return status(dev) & AEROGPU_IRQ_FENCE; }, "fence bit");
  EXPECT_TRUE(dev.intxLevel()) << "pending and enabled";
  dev.setReg(AEROGPU_MMIO_REG_IRQ_ENABLE, 0);
  EXPECT_FALSE(dev.intxLevel());
  dev.setReg(AEROGPU_MMIO_REG_IRQ_ENABLE, AEROGPU_IRQ_FENCE);
  EXPECT_TRUE(dev.intxLevel());
  dev.setReg(AEROGPU_MMIO_REG_IRQ_ACK, AEROGPU_IRQ_ERROR);
  EXPECT_TRUE(dev.intxLevel()) << "another bit was acknowledged";
  dev.setReg(AEROGPU_MMIO_REG_IRQ_ACK, AEROGPU_IRQ_FENCE);
  EXPECT_FALSE(dev.intxLevel());
  dev.waitFence(dev.submitEmpty());
  dev.waitUntil([&] { return dev.intxLevel(); }, "the next fence");
}

TEST(Intx, NoIrqSubmissionsAreSilentAndFailuresAreNot) {
  AeroGpuDev dev;
  dev.interceptIntx();
  dev.setReg(AEROGPU_MMIO_REG_IRQ_ENABLE, AEROGPU_IRQ_FENCE | AEROGPU_IRQ_ERROR);
  dev.startRing();
  dev.submitEmpty(AEROGPU_SUBMIT_FLAG_NO_IRQ);
  dev.waitUntil([&] { return dev.ringHeader().head == 1; }, "submission");
  EXPECT_EQ(status(dev), 0u);
  CommandWriter bad;
  bad.packet(AEROGPU_CMD_DESTROY_RESOURCE, aerogpu_cmd_destroy_resource{});
  dev.submit(bad, {.flags = AEROGPU_SUBMIT_FLAG_NO_IRQ});
  dev.waitUntil([&] { return status(dev) & AEROGPU_IRQ_ERROR; }, "error");
  EXPECT_TRUE(dev.intxLevel());
}

TEST(Msi, IsSentOnTheEdgeAndNotThroughIntx) {
  constexpr uint64_t kAddress = 0x600000;
  AeroGpuDev dev;
  dev.interceptIntx();
  dev.enableMsi(kAddress, 0x4321);
  dev.setReg(AEROGPU_MMIO_REG_IRQ_ENABLE, AEROGPU_IRQ_FENCE);
  dev.startRing();
  dev.waitFence(dev.submitEmpty());
  dev.waitUntil([&] { return dev.qemu.readl(kAddress) == 0x4321; }, "MSI");
  EXPECT_FALSE(dev.intxLevel());
  dev.setReg(AEROGPU_MMIO_REG_IRQ_ACK, AEROGPU_IRQ_FENCE);
  dev.qemu.writel(kAddress, 0);
  dev.waitFence(dev.submitEmpty());
  dev.waitUntil([&] { return dev.qemu.readl(kAddress) == 0x4321; }, "MSI after the acknowledgement");
}

TEST(Vblank, RunsOnlyWhileTheScanoutIsEnabledAndNeverGoesBack) {
  AeroGpuDev dev;
  dev.qemu.clockStep(10 * kPeriod);
  EXPECT_EQ(sequence(dev), 0u);
  dev.setScanout({});
  dev.qemu.clockStep(kPeriod + 1000);
  const uint64_t one = sequence(dev);
  EXPECT_EQ(one, 1u);
  const uint64_t first = lastTime(dev);
  dev.qemu.clockStep(5 * kPeriod);
  EXPECT_EQ(sequence(dev), one + 5);
  EXPECT_EQ(lastTime(dev) - first, 5 * kPeriod);
  dev.setReg(AEROGPU_MMIO_REG_SCANOUT0_ENABLE, 0);
  const uint64_t stopped = sequence(dev), stoppedTime = lastTime(dev);
  dev.qemu.clockStep(10 * kPeriod);
  EXPECT_EQ(sequence(dev), stopped);
  EXPECT_EQ(lastTime(dev), stoppedTime);
  dev.setReg(AEROGPU_MMIO_REG_SCANOUT0_ENABLE, 1);
  EXPECT_GE(sequence(dev), stopped);
  dev.qemu.clockStep(2 * kPeriod + 1000);
  EXPECT_GE(sequence(dev), stopped + 2);
  EXPECT_GT(lastTime(dev), stoppedTime);
}

TEST(Vblank, PeriodFollowsTheRefreshRate) {
  for (const auto& [rate, period] : {std::pair{"75", 13'333'333u}, std::pair{"144", 6'944'444u}}) {
    AeroGpuDev dev(std::string("renderer=null,refresh_rate=") + rate);
    EXPECT_NEAR(dev.reg(AEROGPU_MMIO_REG_SCANOUT0_VBLANK_PERIOD_NS), period, 1);
    dev.setScanout({});
    dev.qemu.clockStep(uint64_t{period} * 10 + period / 2);
    EXPECT_EQ(sequence(dev), 10u);
  }
}

TEST(Vblank, StatusIsRaisedOnlyWhileEnabledOncePerTickAndNeverStale) {
  AeroGpuDev dev;
  dev.setScanout({});
  dev.qemu.clockStep(3 * kPeriod);
  EXPECT_EQ(status(dev) & AEROGPU_IRQ_SCANOUT_VBLANK, 0u) << "not enabled: not raised";
  dev.setReg(AEROGPU_MMIO_REG_IRQ_ENABLE, AEROGPU_IRQ_SCANOUT_VBLANK);
  EXPECT_EQ(status(dev) & AEROGPU_IRQ_SCANOUT_VBLANK, 0u) << "unmasking delivers nothing old";
  dev.qemu.clockStep(kPeriod);
  EXPECT_NE(status(dev) & AEROGPU_IRQ_SCANOUT_VBLANK, 0u);
  dev.setReg(AEROGPU_MMIO_REG_IRQ_ACK, AEROGPU_IRQ_SCANOUT_VBLANK);
  EXPECT_EQ(status(dev) & AEROGPU_IRQ_SCANOUT_VBLANK, 0u);
  dev.qemu.clockStep(3 * kPeriod);  // coalesces
  EXPECT_NE(status(dev) & AEROGPU_IRQ_SCANOUT_VBLANK, 0u);
  dev.setReg(AEROGPU_MMIO_REG_SCANOUT0_ENABLE, 0);
  EXPECT_EQ(status(dev) & AEROGPU_IRQ_SCANOUT_VBLANK, 0u) << "disabling clears it";
}

TEST(Present, WithVsyncCompletesAtTheNextVblankAndNotBefore) {
  AeroGpuDev dev;
  dev.setScanout({});
  dev.qemu.clockStep(kPeriod + 100);
  dev.startRing();
  const CommandWriter w = presentStream(AEROGPU_PRESENT_FLAG_VSYNC);
  const uint64_t fence = dev.submit(w, {.flags = AEROGPU_SUBMIT_FLAG_PRESENT});
  dev.waitUntil([&] { return dev.qemu.property("presents") == 1; }, "the present's work");
  dev.qemu.clockStep(kPeriod / 2);
  EXPECT_LT(dev.completedFence(), fence);
  dev.qemu.clockStep(kPeriod / 2 + 200);
  dev.waitFence(fence);
  EXPECT_EQ(sequence(dev), 2u);
}

TEST(Present, WithoutVsyncOrWithoutAScanoutCompletesAtOnce) {
  AeroGpuDev dev;
  dev.startRing();
  dev.waitFence(dev.submit(presentStream(AEROGPU_PRESENT_FLAG_VSYNC)));  // the scanout is off
  dev.setScanout({});
  dev.waitFence(dev.submit(presentStream(0)));
}

TEST(Present, AHeldOneIsReleasedWhenTheScanoutIsDisabled) {
  AeroGpuDev dev;
  dev.setScanout({});
  dev.startRing();
  const uint64_t fence = dev.submit(presentStream(AEROGPU_PRESENT_FLAG_VSYNC));
  dev.waitUntil([&] { return dev.qemu.property("presents") == 1; }, "the present's work");
  EXPECT_LT(dev.completedFence(), fence);
  dev.setReg(AEROGPU_MMIO_REG_SCANOUT0_ENABLE, 0);
  dev.waitFence(fence);
}

}  // namespace
