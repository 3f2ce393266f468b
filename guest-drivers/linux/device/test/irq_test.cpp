// SPDX-License-Identifier: MIT
#include "guest-drivers/linux/device/irq.h"

#include <gtest/gtest.h>

#include "guest-drivers/linux/device/test/fake_device.h"

namespace aerogpu::guest {
namespace {

TEST(Interrupts, EnablingDropsWhatWasPendingBefore) {
  HostMemory memory(0x100000, kPageBytes);
  FakeDevice fake(memory);
  Interrupts interrupts(fake, fake);
  fake.values[AEROGPU_MMIO_REG_IRQ_STATUS] = AEROGPU_IRQ_FENCE | AEROGPU_IRQ_ERROR;
  interrupts.enable(AEROGPU_IRQ_FENCE);
  EXPECT_EQ(fake.values[AEROGPU_MMIO_REG_IRQ_STATUS], AEROGPU_IRQ_ERROR);
  EXPECT_EQ(fake.values[AEROGPU_MMIO_REG_IRQ_ENABLE], AEROGPU_IRQ_FENCE);
  uint32_t bits = 1;
  ASSERT_TRUE(interrupts.wait(0, bits).ok());
  EXPECT_EQ(bits, 0u);
}

TEST(Interrupts, AcknowledgesBeforeUnmasking) {
  HostMemory memory(0x100000, kPageBytes);
  FakeDevice fake(memory);
  Interrupts interrupts(fake, fake);
  interrupts.enable(AEROGPU_IRQ_FENCE | AEROGPU_IRQ_SCANOUT_VBLANK);
  fake.values[AEROGPU_MMIO_REG_IRQ_STATUS] = AEROGPU_IRQ_FENCE | AEROGPU_IRQ_ERROR;
  uint32_t bits = 0;
  ASSERT_TRUE(interrupts.wait(0, bits).ok());
  EXPECT_EQ(bits, AEROGPU_IRQ_FENCE);
  EXPECT_EQ(fake.values[AEROGPU_MMIO_REG_IRQ_STATUS], AEROGPU_IRQ_ERROR);  // not enabled: not touched
  EXPECT_FALSE(fake.masked);
  EXPECT_EQ(interrupts.count(), 1u);
  ASSERT_TRUE(interrupts.wait(0, bits).ok());
  EXPECT_EQ(bits, 0u);
  interrupts.disable(AEROGPU_IRQ_SCANOUT_VBLANK);
  EXPECT_EQ(interrupts.enabled(), AEROGPU_IRQ_FENCE);
}

}  // namespace
}  // namespace aerogpu::guest
