// SPDX-License-Identifier: MIT
// Tests how the scheduler handles time-outs and their resets, sleep and stop.
#include "aerogpu/aerogpu_ring_extension.h"
#include "guest-drivers/kmd/test/scheduler_fixture.h"

namespace aero::test {
namespace {

TEST_F(SchedulerTest, AnIdleEngineIsPreemptedAfterAResetToo) {
  start();
  submitAll({1, 2, 3});
  m_device.complete();
  interrupt();
  ASSERT_EQ(m_scheduler.resetFromTimeout(), STATUS_SUCCESS);
  ASSERT_EQ(m_scheduler.restartFromTimeout(), STATUS_SUCCESS);
  m_kernel.take();
  preempt(0x80000001);
  EXPECT_EQ(m_kernel.take(), (Told{"preempted 80000001 last 1", "dpc"})) << "the lost ones are not waited for";
}

TEST_F(SchedulerTest, AResetLosesWhatIsQueuedAndNeverTellsOfIt) {
  start();
  submitAll({1, 2, 3});
  m_device.complete();
  interrupt();
  preempt(0x80000001);
  m_kernel.take();
  EXPECT_EQ(m_scheduler.resetFromTimeout(), STATUS_SUCCESS);
  EXPECT_TRUE(m_device.queue.empty());
  EXPECT_EQ(m_counters.timeoutResets, 1u);
  EXPECT_EQ(m_scheduler.currentFence(), 1u) << "what was complete stays so, what was lost is not";
  // Between reset and restart nothing is submitted.
  submitAll({4});
  EXPECT_TRUE(m_device.queue.empty());
  EXPECT_EQ(m_scheduler.restartFromTimeout(), STATUS_SUCCESS);
  EXPECT_EQ(m_scheduler.currentFence(), 1u);
  m_kernel.interrupt([&] { return m_scheduler.interrupt(AEROGPU_IRQ_FENCE); });
  EXPECT_EQ(m_kernel.take(), Told{}) << "neither the lost fences nor the lost preemption";
  submitAll({5});
  EXPECT_EQ(lastFence(), 0x100000005u) << "fences go on";
  m_device.complete();
  interrupt();
  EXPECT_EQ(m_kernel.take(), (Told{"completed 5", "dpc"}));
}

// Page "DxgkDdiResetFromTimeout": afterwards the GPU touches no memory, and any answer but success stops the system.
TEST_F(SchedulerTest, ADeviceThatDoesNotLetGoIsCutOffFromMemory) {
  start();
  submitAll({1});
  m_device.hangs = true;
  const uint64_t before = m_kernel.now();
  EXPECT_EQ(m_scheduler.resetFromTimeout(), STATUS_SUCCESS);
  EXPECT_LT(m_kernel.now() - before, 500000000u);
  EXPECT_EQ(m_kernel.pciCommand, 3u) << "no bus master";
  EXPECT_EQ(m_kernel.take(), Told{});
  m_device.hangs = false;
  EXPECT_EQ(m_scheduler.restartFromTimeout(), STATUS_SUCCESS);
  EXPECT_EQ(m_kernel.pciCommand, 7u);
  submitAll({2});
  EXPECT_EQ(m_device.queue.size(), 1u);
}

TEST_F(SchedulerTest, ADeviceThatKnowsOfNoRingCountsAsReset) {
  start();
  submitAll({1});
  m_device.resetMachine();
  const uint64_t before = m_kernel.now();
  EXPECT_EQ(m_scheduler.resetFromTimeout(), STATUS_SUCCESS);
  EXPECT_EQ(m_kernel.now(), before) << "nobody is waited for";
  EXPECT_EQ(m_device.value(AEROGPU_MMIO_REG_RING_CONTROL), 0u) << "no ring at address 0 is enabled";
  EXPECT_EQ(m_kernel.pciCommand, 7u);
}

TEST_F(SchedulerTest, AResetEndsWhenTheDeviceLetsGoLater) {
  start();
  submitAll({1});
  m_device.hangs = true;
  const uint64_t before = m_kernel.now();
  m_kernel.whenWaited = [&] {
    if (m_kernel.now() - before < 50000000) return;
    m_device.hangs = false;
    m_device.write(AEROGPU_MMIO_REG_RING_CONTROL, AEROGPU_RING_CONTROL_RESET | AEROGPU_RING_CONTROL_ENABLE);
  };
  EXPECT_EQ(m_scheduler.resetFromTimeout(), STATUS_SUCCESS);
  EXPECT_LT(m_kernel.now() - before, 52000000u);
  EXPECT_EQ(m_kernel.pciCommand, 7u);
}

/** A device that reports what outlasts a reset of the ring. */
class RingBusyTest : public SchedulerTest {
protected:
  void hang(uint32_t busy) {
    m_device.setValue(AEROGPU_MMIO_REG_FEATURES_HI, AEROGPU_EXT_FEATURE_HI_RING_BUSY);
    start();
    submitAll({1});
    m_device.setValue(AEROGPU_EXT_REG_RING_BUSY, busy);
  }
  static constexpr uint64_t kLongest = 500000000;  // limit of all waits of one function
};

// BUSY-1: after success the memory gets new owners, while the GPU still writes to it.
TEST_F(RingBusyTest, AGpuThatGoesOnWritingStopsTheSystem) {
  hang(AEROGPU_EXT_RING_BUSY_WRITES | AEROGPU_EXT_RING_BUSY_READS);
  const uint64_t before = m_kernel.now();
  EXPECT_FALSE(NT_SUCCESS(m_scheduler.resetFromTimeout()));
  EXPECT_LT(m_kernel.now() - before, kLongest);
  EXPECT_EQ(m_kernel.pciCommand, 3u) << "no bus master";
}

TEST_F(RingBusyTest, AResetWaitsForWhatTheGpuWrites) {
  hang(AEROGPU_EXT_RING_BUSY_WRITES | AEROGPU_EXT_RING_BUSY_READS);
  const uint64_t before = m_kernel.now();
  m_kernel.whenWaited = [&] {
    if (m_kernel.now() - before >= 300000000) m_device.setValue(AEROGPU_EXT_REG_RING_BUSY, 0);
  };
  EXPECT_EQ(m_scheduler.resetFromTimeout(), STATUS_SUCCESS);
  EXPECT_GE(m_kernel.now() - before, 300000000u);
  EXPECT_LT(m_kernel.now() - before, 302000000u);
  EXPECT_EQ(m_kernel.pciCommand, 7u);
}

// What a hung GPU still reads ends in objects of programs that have lost their device: no reason to stop the system.
TEST_F(RingBusyTest, AGpuThatGoesOnReadingIsCutOff) {
  hang(AEROGPU_EXT_RING_BUSY_READS);
  const uint64_t before = m_kernel.now();
  EXPECT_EQ(m_scheduler.resetFromTimeout(), STATUS_SUCCESS);
  EXPECT_LT(m_kernel.now() - before, kLongest / 2);
  EXPECT_EQ(m_kernel.pciCommand, 3u) << "no bus master";
  EXPECT_EQ(m_scheduler.restartFromTimeout(), STATUS_SUCCESS);
  EXPECT_EQ(m_kernel.pciCommand, 7u);
}

TEST_F(RingBusyTest, ADeviceThatDoesNotTellIsNotAsked) {
  hang(AEROGPU_EXT_RING_BUSY_WRITES);
  m_device.setValue(AEROGPU_MMIO_REG_FEATURES_HI, 0);
  EXPECT_EQ(m_scheduler.resetFromTimeout(), STATUS_SUCCESS);
  EXPECT_EQ(m_device.reads(AEROGPU_EXT_REG_RING_BUSY), 0u);
  EXPECT_EQ(m_kernel.pciCommand, 7u);
}

TEST_F(SchedulerTest, ADeviceThatHasLeftTheBusCountsAsReset) {
  start();
  submitAll({1});
  m_device.gone = true;
  const uint64_t before = m_kernel.now();
  EXPECT_EQ(m_scheduler.resetFromTimeout(), STATUS_SUCCESS);
  EXPECT_EQ(m_kernel.now(), before) << "nobody is waited for";
}

TEST_F(SchedulerTest, PowerTakesTheRingAwayAndGivesItBack) {
  start();
  submitAll({1});
  m_device.complete();
  interrupt();
  m_kernel.take();
  m_scheduler.suspend();
  for (const uint32_t reg :
       {AEROGPU_MMIO_REG_RING_CONTROL, AEROGPU_MMIO_REG_RING_GPA_LO, AEROGPU_MMIO_REG_RING_GPA_HI,
        AEROGPU_MMIO_REG_RING_SIZE_BYTES, AEROGPU_MMIO_REG_FENCE_GPA_LO, AEROGPU_MMIO_REG_FENCE_GPA_HI})
    EXPECT_EQ(m_device.value(reg), 0u) << std::hex << reg;
  EXPECT_FALSE(m_scheduler.deviceForgot());
  m_scheduler.resume(false);
  EXPECT_EQ(m_device.value(AEROGPU_MMIO_REG_RING_CONTROL), AEROGPU_RING_CONTROL_ENABLE);
  EXPECT_EQ(m_scheduler.currentFence(), 1u);
  EXPECT_EQ(m_kernel.take(), Told{});
  submitAll({2});
  EXPECT_EQ(lastFence(), 0x100000002u);
  m_device.complete();
  interrupt();
  EXPECT_EQ(m_kernel.take(), (Told{"completed 2", "dpc"}));
}

TEST_F(SchedulerTest, ADeviceThatWasResetInASleepIsNoticed) {
  start();
  submitAll({1, 2});
  m_device.complete(2);
  interrupt();
  m_kernel.take();
  m_scheduler.suspend();
  m_device.resetMachine();
  EXPECT_TRUE(m_scheduler.deviceForgot());
  m_scheduler.resume(true);
  EXPECT_EQ(m_device.fencePage()->completed_fence, 0u);
  EXPECT_EQ(m_scheduler.currentFence(), 2u) << "what was complete stays so, whatever the device remembers";
  preempt(0x80000001);
  EXPECT_EQ(m_kernel.take(), (Told{"preempted 80000001 last 2", "dpc"})) << "nothing is waited for";
  submitAll({3});
  EXPECT_EQ(lastFence(), 0x100000003u) << "the driver's fences go on";
  m_device.complete();
  interrupt();
  EXPECT_EQ(m_kernel.take(), (Told{"completed 3", "dpc"}));
}

TEST_F(SchedulerTest, AStopTakesTheDeviceOffTheMemory) {
  start();
  submitAll({1});
  m_scheduler.stop();
  EXPECT_EQ(m_kernel.allocations(), 0u);
  EXPECT_EQ(m_device.value(AEROGPU_MMIO_REG_RING_CONTROL), 0u);
  EXPECT_EQ(m_device.value(AEROGPU_MMIO_REG_RING_GPA_LO) | m_device.value(AEROGPU_MMIO_REG_RING_GPA_HI), 0u);
  EXPECT_EQ(m_device.value(AEROGPU_MMIO_REG_FENCE_GPA_LO) | m_device.value(AEROGPU_MMIO_REG_FENCE_GPA_HI), 0u);
  m_device.takeWrites();
  m_scheduler.stop();
  EXPECT_EQ(m_device.takeWrites(), std::vector<RegisterWrite>{}) << "a second stop does nothing";
  // A new start, as after a restart of the device in the device manager.
  start();
  submitAll({1});
  EXPECT_EQ(m_device.queue.size(), 1u);
}

TEST_F(SchedulerTest, TheDriversOwnWorkAfterAResetDoesNotTellOfWhatWasLost) {
  start();
  submitAll({1, 2});
  EXPECT_EQ(m_scheduler.resetFromTimeout(), STATUS_SUCCESS);
  EXPECT_EQ(m_scheduler.restartFromTimeout(), STATUS_SUCCESS);
  const aerogpu_cmd_hdr nop = {AEROGPU_CMD_NOP, sizeof nop};
  ASSERT_EQ(m_internal.submit(&nop, sizeof nop), STATUS_SUCCESS);
  m_device.complete();
  m_kernel.interrupt([&] { return m_scheduler.interrupt(AEROGPU_IRQ_FENCE); });
  EXPECT_EQ(m_kernel.take(), Told{});
}

}  // namespace
}  // namespace aero::test
