// SPDX-License-Identifier: MIT
// Tests how the scheduler's 32-bit fences, which wrap, become the device's 64-bit fences, which do not.
#include "guest-drivers/kmd/logic/fence.h"

#include <gtest/gtest.h>

namespace {

using namespace aero;

TEST(Fence, CountsOnFromTheLastOne) {
  EXPECT_EQ(extendFence(1, kFenceBase), kFenceBase + 1);
  EXPECT_EQ(extendFence(101, kFenceBase + 100), kFenceBase + 101);
}

TEST(Fence, SameIsSame) {
  EXPECT_EQ(extendFence(7, kFenceBase + 7), kFenceBase + 7);
}

TEST(Fence, AFirstFenceOfAnyValueIsAboveZero) {
  // The OS' counter may begin at any value when a driver is started again.
  for (const uint32_t first : {0u, 1u, 0x7FFFFFFFu, 0x80000000u, 0xFFFFFFFFu}) {
    const uint64_t fence = extendFence(first, kFenceBase);
    EXPECT_EQ(static_cast<uint32_t>(fence), first);
    EXPECT_GT(fence, 0u);
  }
}

TEST(Fence, WrapsUpwards) {
  const uint64_t last = (uint64_t{5} << 32) | 0xFFFFFFFE;
  EXPECT_EQ(extendFence(0xFFFFFFFF, last), last + 1);
  EXPECT_EQ(extendFence(0, last), uint64_t{6} << 32);
  EXPECT_EQ(extendFence(3, last), (uint64_t{6} << 32) | 3);
}

TEST(Fence, ALateOneStaysBehind) {
  const uint64_t last = (uint64_t{6} << 32) | 2;
  EXPECT_EQ(extendFence(0xFFFFFFFF, last), (uint64_t{5} << 32) | 0xFFFFFFFF);
  EXPECT_EQ(extendFence(1, last), last - 1);
}

TEST(Fence, LargestStepEitherWay) {
  const uint64_t last = uint64_t{9} << 32;
  EXPECT_EQ(extendFence(0x7FFFFFFF, last), last + 0x7FFFFFFF);
  EXPECT_EQ(extendFence(0x80000001, last), last - 0x7FFFFFFF);
}

// FENCE-2, EX-30
TEST(Fence, ALongRunNeverGoesBack) {
  uint64_t last = kFenceBase;
  uint32_t fence = 0;
  for (int i = 0; i < 100000; i++) {
    fence += 0x12345;  // some 1.7 wraps in all
    const uint64_t next = extendFence(fence, last);
    ASSERT_EQ(next, last + 0x12345);
    last = next;
  }
}

}  // namespace
