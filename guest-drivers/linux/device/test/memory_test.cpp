// SPDX-License-Identifier: MIT
#include "guest-drivers/linux/device/memory.h"

#include <gtest/gtest.h>

namespace aerogpu::guest {
namespace {

TEST(PageAllocator, RoundsUpAndRunsOut) {
  PageAllocator pages(4 * kPageBytes);
  EXPECT_EQ(pages.allocate(0), PageAllocator::kNone);
  EXPECT_EQ(pages.allocate(1), 0u);
  EXPECT_EQ(pages.allocate(kPageBytes + 1), kPageBytes);
  EXPECT_EQ(pages.freeBytes(), kPageBytes);
  EXPECT_EQ(pages.allocate(2 * kPageBytes), PageAllocator::kNone);
  EXPECT_EQ(pages.allocate(UINT64_MAX), PageAllocator::kNone);
}

TEST(PageAllocator, NeighboursMerge) {
  PageAllocator pages(3 * kPageBytes);
  const uint64_t a = pages.allocate(kPageBytes), b = pages.allocate(kPageBytes),
                 c = pages.allocate(kPageBytes);
  pages.release(a, kPageBytes);
  pages.release(c, kPageBytes);
  EXPECT_EQ(pages.largestFree(), kPageBytes);
  pages.release(b, kPageBytes);
  EXPECT_EQ(pages.largestFree(), 3 * kPageBytes);
  EXPECT_EQ(pages.allocate(3 * kPageBytes), 0u);
}

TEST(PageAllocator, AlignsAndKeepsWhatItSkips) {
  constexpr uint64_t kAlignment = 16 * kPageBytes;
  PageAllocator pages(40 * kPageBytes);
  EXPECT_EQ(pages.allocate(kPageBytes), 0u);
  EXPECT_EQ(pages.allocate(2 * kPageBytes, kAlignment), 16 * kPageBytes);
  EXPECT_EQ(pages.freeBytes(), 37 * kPageBytes);
  EXPECT_EQ(pages.allocate(9 * kPageBytes, kAlignment), PageAllocator::kNone) << "32 to 40 are 8";
  EXPECT_EQ(pages.allocate(8 * kPageBytes, kAlignment), 32 * kPageBytes);
  EXPECT_EQ(pages.allocate(15 * kPageBytes), kPageBytes) << "what was skipped";
  EXPECT_EQ(pages.allocate(kPageBytes, kAlignment), PageAllocator::kNone);
  pages.release(16 * kPageBytes, 2 * kPageBytes);
  EXPECT_EQ(pages.allocate(17 * kPageBytes, kAlignment), PageAllocator::kNone) << "16 to 32 are free";
  EXPECT_EQ(pages.allocate(16 * kPageBytes, kAlignment), 16 * kPageBytes) << "neighbours have merged";
}

TEST(Memory, BlocksAreAlignedByTheirDeviceAddress) {
  HostMemory memory(0x40000000, 64 * kPageBytes);
  Block a, b;
  ASSERT_TRUE(memory.allocate(kPageBytes, a).ok());
  ASSERT_TRUE(memory.allocate(kPageBytes, b, 64 << 10).ok());
  EXPECT_EQ(b.gpa, 0x40010000u);
  uint64_t gpa = 0;
  EXPECT_TRUE(memory.addressOf(b.cpu + 4095, gpa));
  EXPECT_EQ(gpa, 0x40010FFFu);
  EXPECT_FALSE(memory.addressOf(a.cpu - 1, gpa));
  EXPECT_FALSE(memory.addressOf(a.cpu + 64 * kPageBytes, gpa));
  EXPECT_TRUE(memory.addressOf(a.cpu + 64 * kPageBytes - 1, gpa));
}

TEST(Memory, BlocksAreZeroedAndAddressed) {
  HostMemory memory(0x40000000, 4 * kPageBytes);
  Block a, b;
  ASSERT_TRUE(memory.allocate(10, a).ok());
  a.cpu[0] = 7;
  memory.release(a);
  ASSERT_TRUE(memory.allocate(kPageBytes, b).ok());
  EXPECT_EQ(b.gpa, 0x40000000u);
  EXPECT_EQ(b.cpu[0], 0);
  EXPECT_EQ(b.size, kPageBytes);
  EXPECT_EQ(memory.at(b.gpa + 5), b.cpu + 5);
  EXPECT_EQ(memory.at(0x40000000 + 4 * kPageBytes), nullptr);
  Block c;
  EXPECT_FALSE(memory.allocate(5 * kPageBytes, c).ok());
}

TEST(Memory, HugePagesGroupIntoRuns) {
  const uint64_t m = kHugePageBytes;
  const PageRuns runs = sortIntoRuns({5 * m, 9 * m, 4 * m, 6 * m, 8 * m}, m);
  EXPECT_EQ(runs.order, (std::vector<size_t>{2, 0, 3, 4, 1}));
  EXPECT_EQ(runs.begins, (std::vector<size_t>{0, 3}));
  EXPECT_TRUE(sortIntoRuns({}, m).begins.empty());
}

}  // namespace
}  // namespace aerogpu::guest
