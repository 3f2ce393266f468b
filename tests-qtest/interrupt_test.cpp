// SPDX-License-Identifier: MIT
// Tests INTx, MSI, vblank on the virtual clock, and presents that wait for it. docs/abi/pci.md,
// docs/abi/present.md.
#include <gtest/gtest.h>

#include <memory>

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
  aerogpu::packets::present(w, flags);
  return w;
}

// IRQ-1, IRQ-2, IRQ-3
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

// FENCE-4
TEST(Intx, NoIrqSubmissionsAreSilentAndFailuresAreNot) {
  AeroGpuDev dev;
  dev.interceptIntx();
  dev.setReg(AEROGPU_MMIO_REG_IRQ_ENABLE, AEROGPU_IRQ_FENCE | AEROGPU_IRQ_ERROR);
  dev.startRing();
  dev.submitEmpty(AEROGPU_SUBMIT_FLAG_NO_IRQ);
  dev.waitUntil([&] { return dev.ringHeader().head == 1; }, "submission");
  EXPECT_EQ(status(dev), 0u);
  CommandWriter bad;
  bad.packet(aerogpu_cmd_destroy_resource{});
  dev.submit(bad, {.flags = AEROGPU_SUBMIT_FLAG_NO_IRQ});
  dev.waitUntil([&] { return status(dev) & AEROGPU_IRQ_ERROR; }, "error");
  EXPECT_TRUE(dev.intxLevel());
}

// IRQ-4
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

// IRQ-4
TEST(Msi, ComesAgainAfterAnAcknowledgeThatLeavesBits) {
  constexpr uint64_t kAddress = 0x600000;
  AeroGpuDev dev;
  dev.enableMsi(kAddress, 0x4321);
  dev.setReg(AEROGPU_MMIO_REG_IRQ_ENABLE, AEROGPU_IRQ_FENCE | AEROGPU_IRQ_ERROR);
  dev.startRing();
  CommandWriter bad;
  bad.packet(aerogpu_cmd_destroy_resource{});
  dev.waitFence(dev.submit(bad));
  constexpr uint32_t kBoth = AEROGPU_IRQ_FENCE | AEROGPU_IRQ_ERROR;
  dev.waitUntil([&] { return (status(dev) & kBoth) == kBoth && dev.qemu.readl(kAddress) == 0x4321; },
                "both bits");
  dev.qemu.writel(kAddress, 0);
  dev.setReg(AEROGPU_MMIO_REG_IRQ_ACK, AEROGPU_IRQ_FENCE);
  EXPECT_EQ(dev.qemu.readl(kAddress), 0x4321u) << "ERROR is still pending";
  dev.qemu.writel(kAddress, 0);
  dev.setReg(AEROGPU_MMIO_REG_IRQ_ACK, AEROGPU_IRQ_FENCE);
  EXPECT_EQ(dev.qemu.readl(kAddress), 0u) << "nothing was taken back";
  dev.setReg(AEROGPU_MMIO_REG_IRQ_ACK, AEROGPU_IRQ_ERROR);
  EXPECT_EQ(dev.qemu.readl(kAddress), 0u) << "nothing is pending";
}

/// A message to the device's own registers would be DMA into itself, and each could cause the next one.
// IRQ-5
TEST(Msi, IntoTheDevicesOwnRegistersIsRefused) {
  for (const uint32_t target :
       {uint32_t{AEROGPU_MMIO_REG_SCANOUT0_WIDTH}, uint32_t{AEROGPU_MMIO_REG_IRQ_ENABLE},
        uint32_t{AEROGPU_MMIO_REG_RING_CONTROL}, uint32_t{AEROGPU_MMIO_REG_IRQ_ACK}}) {
    AeroGpuDev dev;
    dev.enableMsi(AeroGpuDev::kBar0 + target, 0x3);
    dev.setScanout({});
    dev.setReg(AEROGPU_MMIO_REG_IRQ_ENABLE, AEROGPU_IRQ_FENCE);
    dev.startRing();
    const uint32_t before = dev.reg(target);
    dev.waitFence(dev.submitEmpty());
    dev.waitUntil([&] { return status(dev) & AEROGPU_IRQ_FENCE; }, "fence bit");
    dev.setReg(AEROGPU_MMIO_REG_IRQ_ENABLE, 0);
    dev.setReg(AEROGPU_MMIO_REG_IRQ_ENABLE, AEROGPU_IRQ_FENCE);  // also from within a register write
    EXPECT_EQ(dev.reg(target), before) << std::hex << target;
    EXPECT_NE(status(dev) & AEROGPU_IRQ_FENCE, 0u) << std::hex << target;
  }
}

/// With KVM the kernel sends the message: QEMU's own path is not used while MSI is on.
TEST(Msi, ThroughAnIrqfdWithKvm) {
  std::unique_ptr<AeroGpuDev> dev;
  try {
    dev = std::make_unique<AeroGpuDev>("renderer=null",
                                       std::vector<std::string>{"-S", "-trace", "aerogpu_irq_*"},
                                       std::vector<std::string>{"-accel", "kvm"});
  } catch (const QemuError& error) {
    GTEST_SKIP() << "no KVM here: " << error.what();
  }
  constexpr uint64_t kLocalApic = 0xFEE00000;
  dev->setReg(AEROGPU_MMIO_REG_IRQ_ENABLE, AEROGPU_IRQ_SCANOUT_VBLANK);
  for (const uint16_t vector : {uint16_t{0x51}, uint16_t{0x52}})
    dev->enableMsi(kLocalApic, vector);  // and re-routed
  dev->setScanout({});
  dev->qemu.qmp("cont");  // time runs by itself
  // On some machines /dev/kvm opens but runs nothing: QEMU then stops the machine.
  bool runs = true;
  dev->waitUntil(
      [&] {
        runs = dev->qemu.qmp("query-status").find("\"running\": true") != std::string::npos;
        return !runs || dev->qemu.property("interrupts") >= 1;
      },
      "a vblank's interrupt");
  if (!runs) GTEST_SKIP() << "KVM runs nothing here";
  dev->qemu.qmp("stop");
  EXPECT_EQ(dev->qemu.output().find("aerogpu_irq_msi"), std::string::npos) << "sent by QEMU";
  // Without bus mastering no message may be sent: QEMU gets it, and drops it.
  dev->setConfig(0x04, 0x0003);
  dev->setReg(AEROGPU_MMIO_REG_IRQ_ACK, AEROGPU_IRQ_SCANOUT_VBLANK);
  dev->qemu.qmp("cont");
  dev->waitUntil([&] { return dev->qemu.output().find("aerogpu_irq_msi") != std::string::npos; },
                 "the slow way");
  dev->qemu.qmp("stop");
  dev->qemu.qmp("system_reset");  // removes the route
  EXPECT_EQ(dev->qemu.stringProperty("renderer"), "null");
}

/// A message is a write by the function, so it needs Bus Master Enable; a held-back message comes when that
/// is set.
// PCI-10
TEST(Msi, NeedsBusMastering) {
  constexpr uint64_t kAddress = 0x600000;
  AeroGpuDev dev;
  dev.enableMsi(kAddress, 0x4321);
  dev.setScanout({});
  dev.setReg(AEROGPU_MMIO_REG_IRQ_ENABLE, AEROGPU_IRQ_SCANOUT_VBLANK);
  dev.setConfig(0x04, 0x0003);
  dev.qemu.clockStep(2 * kPeriod);
  dev.waitUntil([&] { return status(dev) & AEROGPU_IRQ_SCANOUT_VBLANK; }, "vblank bit");
  EXPECT_EQ(dev.qemu.readl(kAddress), 0u);
  dev.setConfig(0x04, 0x0007);
  EXPECT_EQ(dev.qemu.readl(kAddress), 0x4321u);
}

/// Returns how many messages QEMU's trace shows. The mailbox cannot count: QEMU overwrites it.
int messagesSent(AeroGpuDev& dev) {
  const std::string log = dev.qemu.output();
  int count = 0;
  for (size_t at = 0; (at = log.find("aerogpu_irq_msi ", at)) != std::string::npos; ++at) ++count;
  return count;
}

/// Waits until `count` messages were sent: QEMU's main loop sends them, perhaps after it has answered the
/// command that caused them. Expects that there are no more.
void expectMessages(AeroGpuDev& dev, int count) {
  dev.waitUntil([&] { return messagesSent(dev) >= count; }, "message");
  status(dev);
  EXPECT_EQ(messagesSent(dev), count);
}

TEST(Msi, OneForEachVblank) {
  AeroGpuDev dev("renderer=null", {"-trace", "aerogpu_irq_msi"});
  dev.enableMsi(0x600000, 0x4321);
  dev.setScanout({});
  dev.setReg(AEROGPU_MMIO_REG_IRQ_ENABLE, AEROGPU_IRQ_SCANOUT_VBLANK);
  dev.qemu.clockStep(kPeriod / 2);
  expectMessages(dev, 0);
  for (int tick = 1; tick <= 20; ++tick) {
    dev.qemu.clockStep(kPeriod / 4);
    expectMessages(dev, tick - 1);
    dev.qemu.clockStep(kPeriod - kPeriod / 4);
    expectMessages(dev, tick);
    dev.setReg(AEROGPU_MMIO_REG_IRQ_ACK, AEROGPU_IRQ_SCANOUT_VBLANK);
  }
  EXPECT_EQ(sequence(dev), 20u);
  // Not acknowledged: the bit stays set and ticks coalesce.
  dev.qemu.clockStep(kPeriod);
  dev.qemu.clockStep(kPeriod);
  dev.qemu.clockStep(kPeriod);
  expectMessages(dev, 21);
  EXPECT_EQ(sequence(dev), 23u);
}

TEST(Msi, AVsyncedPresentInterruptsOnceAtItsVblank) {
  AeroGpuDev dev("renderer=null", {"-trace", "aerogpu_irq_msi"});
  dev.enableMsi(0x600000, 0x4321);
  dev.setScanout({});
  dev.setReg(AEROGPU_MMIO_REG_IRQ_ENABLE, AEROGPU_IRQ_FENCE);
  dev.qemu.clockStep(kPeriod / 2);
  dev.startRing();
  const CommandWriter w = presentStream(AEROGPU_PRESENT_FLAG_VSYNC);
  for (int present = 1; present <= 5; ++present) {
    const uint64_t fence = dev.submit(w, {.flags = AEROGPU_SUBMIT_FLAG_PRESENT});
    dev.waitUntil([&] { return dev.qemu.property("presents-done") == present; }, "the present's work");
    expectMessages(dev, present - 1);
    dev.qemu.clockStep(kPeriod);
    dev.waitFence(fence);
    expectMessages(dev, present);
    dev.setReg(AEROGPU_MMIO_REG_IRQ_ACK, AEROGPU_IRQ_FENCE);
  }
}

// REG-3, VBL-2
TEST(Vblank, LoLatchesHiOfSequenceAndTime) {
  AeroGpuDev dev("renderer=null,refresh_rate=60");
  // Stops channel 0 of the 8254, which ticks since power-on, by mode 0. The clock steps over two years below,
  // and would otherwise run each of its ticks.
  dev.qemu.outb(0x43, 0x30);
  dev.qemu.outb(0x40, 0xFF);
  dev.qemu.outb(0x40, 0xFF);
  dev.setScanout({});
  dev.qemu.clockStep(kPeriod / 2);
  // Time: the tick before 2^32 ns, then one more.
  constexpr uint64_t kWrap = uint64_t{1} << 32;
  while (lastTime(dev) + kPeriod < kWrap) dev.qemu.clockStep(kPeriod);
  const uint32_t timeLo = dev.reg(AEROGPU_MMIO_REG_SCANOUT0_VBLANK_TIME_NS_LO);
  dev.qemu.clockStep(kPeriod);
  EXPECT_EQ(dev.reg(AEROGPU_MMIO_REG_SCANOUT0_VBLANK_TIME_NS_HI), 0u) << "HI as of the read of LO";
  EXPECT_EQ(lastTime(dev), timeLo + kPeriod);
  EXPECT_GE(lastTime(dev), kWrap);
  // Sequence: 2^32 - 1 ticks, then one more.
  dev.qemu.clockStep((kWrap - 1 - sequence(dev)) * kPeriod);
  EXPECT_EQ(dev.reg(AEROGPU_MMIO_REG_SCANOUT0_VBLANK_SEQ_LO), 0xFFFFFFFFu);
  dev.qemu.clockStep(kPeriod);
  EXPECT_EQ(dev.reg(AEROGPU_MMIO_REG_SCANOUT0_VBLANK_SEQ_HI), 0u) << "HI as of the read of LO";
  EXPECT_EQ(sequence(dev), kWrap);
}

// VBL-1, VBL-3, VBL-5
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

// VBL-1
TEST(Vblank, PeriodFollowsTheRefreshRate) {
  for (const auto& [rate, period] : {std::pair{"75", 13'333'333u}, std::pair{"144", 6'944'444u}}) {
    AeroGpuDev dev(std::string("renderer=null,refresh_rate=") + rate);
    EXPECT_NEAR(dev.reg(AEROGPU_MMIO_REG_SCANOUT0_VBLANK_PERIOD_NS), period, 1);
    dev.setScanout({});
    dev.qemu.clockStep(uint64_t{period} * 10 + period / 2);
    EXPECT_EQ(sequence(dev), 10u);
  }
}

// VBL-4, EX-26
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

// PRES-5, EX-25
TEST(Present, WithVsyncCompletesAtTheNextVblankAndNotBefore) {
  AeroGpuDev dev;
  dev.setScanout({});
  dev.qemu.clockStep(kPeriod + 100);
  dev.startRing();
  const CommandWriter w = presentStream(AEROGPU_PRESENT_FLAG_VSYNC);
  const uint64_t fence = dev.submit(w, {.flags = AEROGPU_SUBMIT_FLAG_PRESENT});
  dev.waitUntil([&] { return dev.qemu.property("presents-done") == 1; }, "the present's work");
  dev.qemu.clockStep(kPeriod / 2);
  EXPECT_LT(dev.completedFence(), fence);
  dev.qemu.clockStep(kPeriod / 2 + 200);
  dev.waitFence(fence);
  EXPECT_EQ(sequence(dev), 2u);
}

/// A present that waits for a vblank does not keep the device from resting: only the clock continues it.
TEST(Present, AHeldOneLetsTheDeviceRest) {
  AeroGpuDev dev;
  dev.setScanout({});
  dev.qemu.clockStep(kPeriod + 100);
  dev.startRing();
  const auto rests = [&] { return dev.qemu.property("resting") == 1; };
  dev.waitUntil(rests, "rest before the first submission");
  dev.qemu.qmp("stop");  // the render thread is asked to come to rest, and does
  dev.qemu.qmp("cont");
  dev.waitUntil(rests, "rest after a stop");
  const uint64_t fence =
      dev.submit(presentStream(AEROGPU_PRESENT_FLAG_VSYNC), {.flags = AEROGPU_SUBMIT_FLAG_PRESENT});
  dev.waitUntil(rests, "rest with a held present");
  // The interrupt fired before, so the present has been fetched, and its work is done.
  EXPECT_EQ(dev.qemu.property("queue-depth"), 1);
  EXPECT_EQ(dev.qemu.property("presents"), 1);
  EXPECT_LT(dev.completedFence(), fence);
  dev.qemu.clockStep(kPeriod);
  dev.waitFence(fence);
  dev.waitUntil(rests, "rest after the vblank");
  EXPECT_EQ(dev.qemu.property("queue-depth"), 0);
}

/// PRESENT_EX has the same flag; its Direct3D 9 fields change nothing.
// PRES-1, PRES-5
TEST(Present, ExWithVsyncWaitsLikeAPlainOne) {
  AeroGpuDev dev;
  dev.setScanout({});
  dev.qemu.clockStep(kPeriod + 100);
  dev.startRing();
  int presents = 0;
  const auto submit = [&](uint32_t flags, uint32_t d3d9Flags) {
    CommandWriter w;
    aerogpu_cmd_present_ex present{};
    present.flags = flags;
    present.d3d9_present_flags = d3d9Flags;
    w.packet(AEROGPU_CMD_PRESENT_EX, present);
    const uint64_t fence = dev.submit(w, {.flags = AEROGPU_SUBMIT_FLAG_PRESENT});
    ++presents;
    dev.waitUntil([&] { return dev.qemu.property("presents-done") == presents; }, "the present's work");
    return fence;
  };
  for (const uint32_t d3d9Flags : {0u, ~0u}) {
    dev.waitFence(submit(0, d3d9Flags));
    const uint64_t begin = sequence(dev), fence = submit(AEROGPU_PRESENT_FLAG_VSYNC, d3d9Flags);
    dev.qemu.clockStep(kPeriod / 2);
    EXPECT_LT(dev.completedFence(), fence);
    dev.qemu.clockStep(kPeriod / 2 + 1);
    dev.waitFence(fence);
    EXPECT_EQ(sequence(dev), begin + 1);
  }
  EXPECT_EQ(dev.errorCount(), 0u);
}

// PRES-5, PRES-6
TEST(Present, WithoutVsyncOrWithoutAScanoutCompletesAtOnce) {
  AeroGpuDev dev;
  dev.startRing();
  dev.waitFence(dev.submit(presentStream(AEROGPU_PRESENT_FLAG_VSYNC)));  // the scanout is off
  dev.setScanout({});
  dev.waitFence(dev.submit(presentStream(0)));
}

// PRES-6
TEST(Present, AHeldOneIsReleasedWhenTheScanoutIsDisabled) {
  AeroGpuDev dev;
  dev.setScanout({});
  dev.startRing();
  const uint64_t fence = dev.submit(presentStream(AEROGPU_PRESENT_FLAG_VSYNC));
  dev.waitUntil([&] { return dev.qemu.property("presents-done") == 1; }, "the present's work");
  EXPECT_LT(dev.completedFence(), fence);
  dev.setReg(AEROGPU_MMIO_REG_SCANOUT0_ENABLE, 0);
  dev.waitFence(fence);
}

}  // namespace
