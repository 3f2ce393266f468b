// SPDX-License-Identifier: MIT
#include "device/memory.h"

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
