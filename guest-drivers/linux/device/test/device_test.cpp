// SPDX-License-Identifier: MIT
#include "guest-drivers/linux/device/device.h"

#include <gtest/gtest.h>

#include "aerogpu/cmd_writer.hpp"
#include "guest-drivers/linux/device/test/fake_device.h"

namespace aerogpu::guest {
namespace {

constexpr int64_t kMs = 1'000'000;

struct DeviceTest : ::testing::Test {
  HostMemory memory{0x1000000, 1 << 20};
  FakeDevice fake{memory};
  Interrupts interrupts{fake, fake};
  Device device{fake, interrupts, memory};
  AllocTable table;
  CommandWriter stream;
  Status submit(uint64_t& fence) { return device.submit({stream.data(), stream.size()}, table, 0, fence); }
};

// REG-6
TEST_F(DeviceTest, RefusesStrangers) {
  fake.values[AEROGPU_MMIO_REG_MAGIC] = 1;
  EXPECT_FALSE(device.start(4, 4096).ok());
  fake.values[AEROGPU_MMIO_REG_MAGIC] = AEROGPU_MMIO_MAGIC;
  fake.values[AEROGPU_MMIO_REG_ABI_VERSION] = 0x20000;
  EXPECT_FALSE(device.start(4, 4096).ok());
  fake.values[AEROGPU_MMIO_REG_ABI_VERSION] = 0x10009;  // a newer minor is fine
  EXPECT_TRUE(device.start(4, 4096).ok());
}

TEST_F(DeviceTest, StartsInOrderAndGoesOnCounting) {
  fake.values[AEROGPU_MMIO_REG_COMPLETED_FENCE_LO] = 41;
  ASSERT_TRUE(device.start(4, 4096).ok());
  EXPECT_EQ(fake.values[AEROGPU_MMIO_REG_RING_SIZE_BYTES], 64u + 4 * 64);
  EXPECT_EQ(fake.values[AEROGPU_MMIO_REG_RING_CONTROL], AEROGPU_RING_CONTROL_ENABLE);
  fake.completeAtDoorbell = true;
  uint64_t fence = 0;
  ASSERT_TRUE(submit(fence).ok());
  EXPECT_EQ(fence, 42u);
}

TEST_F(DeviceTest, DescriptorPointsAtCommandsAndTable) {
  ASSERT_TRUE(device.start(4, 4096).ok());
  fake.completeAtDoorbell = true;
  ASSERT_TRUE(table.add(7, 0x5000, 4096, 0).ok());
  uint64_t fence = 0;
  ASSERT_TRUE(submit(fence).ok());
  ASSERT_EQ(fake.seen.size(), 1u);
  const aerogpu_submit_desc& d = fake.seen[0];
  EXPECT_EQ(d.desc_size_bytes, 64u);
  EXPECT_EQ(d.cmd_size_bytes, stream.size());
  EXPECT_EQ(std::memcmp(memory.at(d.cmd_gpa), stream.data(), stream.size()), 0);
  EXPECT_EQ(d.alloc_table_size_bytes, 56u);
  EXPECT_EQ(*reinterpret_cast<uint32_t*>(memory.at(d.alloc_table_gpa)), 0x434F4C41u);
  // Without a table, address and size are both zero.
  table.clear();
  ASSERT_TRUE(submit(fence).ok());
  EXPECT_EQ(fake.seen[1].alloc_table_gpa, 0u);
  EXPECT_EQ(fake.seen[1].alloc_table_size_bytes, 0u);
}

TEST_F(DeviceTest, OversizedStreamIsRefused) {
  ASSERT_TRUE(device.start(4, 4096).ok());
  const std::vector<uint8_t> big(4097);
  uint64_t fence = 0;
  EXPECT_FALSE(device.submit(big, table, 0, fence).ok());
  EXPECT_EQ(device.submissions(), 0u);
}

TEST_F(DeviceTest, BackPressureWaitsForASlot) {
  ASSERT_TRUE(device.start(2, 4096).ok());
  uint64_t fence = 0;
  ASSERT_TRUE(submit(fence).ok());
  ASSERT_TRUE(submit(fence).ok());
  EXPECT_TRUE(device.ring().full());
  fake.completeWhenWaiting = true;
  ASSERT_TRUE(submit(fence).ok());
  EXPECT_EQ(fence, 3u);
  EXPECT_EQ(fake.seen.size(), 2u);
}

TEST_F(DeviceTest, FenceByInterruptAndAcknowledged) {
  ASSERT_TRUE(device.start(4, 4096).ok());
  uint64_t fence = 0;
  ASSERT_TRUE(submit(fence).ok());
  fake.completeWhenWaiting = true;
  ASSERT_TRUE(device.waitFence(fence, 1000 * kMs, WaitMode::InterruptOnly).ok());
  EXPECT_EQ(fake.values[AEROGPU_MMIO_REG_IRQ_STATUS], 0u);
  EXPECT_FALSE(fake.masked);
}

TEST_F(DeviceTest, LostInterruptIsCountedAndSurvived) {
  ASSERT_TRUE(device.start(4, 4096).ok());
  uint64_t fence = 0;
  ASSERT_TRUE(submit(fence).ok());
  fake.values[AEROGPU_MMIO_REG_IRQ_ENABLE] = 0;  // nothing will fire
  fake.completeWhenWaiting = true;
  ASSERT_TRUE(device.waitFence(fence, 1000 * kMs).ok());
  EXPECT_EQ(device.lateInterrupts(), 1u);
}

TEST_F(DeviceTest, TimeoutNamesTheErrorRegisters) {
  ASSERT_TRUE(device.start(4, 4096).ok());
  fake.values[AEROGPU_MMIO_REG_ERROR_CODE] = AEROGPU_ERROR_OOB;
  fake.values[AEROGPU_MMIO_REG_ERROR_COUNT] = 3;
  uint64_t fence = 0;
  ASSERT_TRUE(submit(fence).ok());
  for (const WaitMode mode : {WaitMode::PollOnly, WaitMode::PollThenInterrupt}) {
    const Status status = device.waitFence(fence, kMs, mode);
    ASSERT_FALSE(status.ok());
    EXPECT_NE(status.text().find("OOB"), std::string::npos) << status.text();
  }
  EXPECT_FALSE(device.checkError().ok());
  EXPECT_TRUE(device.checkError().ok());  // reported once
}

}  // namespace
}  // namespace aerogpu::guest
