// SPDX-License-Identifier: MIT
// Tests ring arithmetic against docs/abi/ring.md: counters that wrap at 2^32, back-pressure, the content of a
// slot.
#include "guest-drivers/linux/device/ring.h"

#include <gtest/gtest.h>

#include <cstring>

namespace aerogpu::guest {
namespace {

struct Fixture : ::testing::Test {
  HostMemory memory{0x100000, 1 << 20};
  Block block;
  Ring ring;
  void make(uint32_t entries, uint32_t start) {
    ASSERT_TRUE(memory.allocate(Ring::bytesFor(entries), block).ok());
    ring.create(block, entries, start);
  }
  aerogpu_ring_header header() const {
    aerogpu_ring_header h;
    std::memcpy(&h, block.cpu, sizeof h);
    return h;
  }
  void setHead(uint32_t head) { std::memcpy(block.cpu + offsetof(aerogpu_ring_header, head), &head, 4); }
  static aerogpu_submit_desc desc(uint64_t fence) {
    aerogpu_submit_desc d{};
    d.desc_size_bytes = 64;
    d.signal_fence = fence;
    return d;
  }
  uint64_t fenceInSlot(uint32_t slot) const {
    uint64_t fence = 0;
    std::memcpy(&fence, block.cpu + 64 + size_t{slot} * 64 + offsetof(aerogpu_submit_desc, signal_fence), 8);
    return fence;
  }
};

// RING-12
TEST_F(Fixture, HeaderSaysWhatTheDeviceChecks) {
  make(8, 0);
  const auto h = header();
  EXPECT_EQ(h.magic, 0x474E5241u);
  EXPECT_EQ(h.abi_version, 0x10004u);
  EXPECT_EQ(h.size_bytes, 64u + 8 * 64);
  EXPECT_EQ(h.entry_count, 8u);
  EXPECT_EQ(h.entry_stride_bytes, 64u);
  EXPECT_EQ(ring.gpa(), block.gpa);
}

TEST_F(Fixture, FullRingRefusesUntilTheHeadMoves) {
  make(4, 0);
  for (uint64_t i = 1; i <= 4; ++i) EXPECT_TRUE(ring.push(desc(i)));
  EXPECT_TRUE(ring.full());
  EXPECT_FALSE(ring.push(desc(5)));
  EXPECT_EQ(header().tail, 4u);
  setHead(1);
  EXPECT_TRUE(ring.push(desc(5)));
  EXPECT_EQ(fenceInSlot(0), 5u);  // 4 modulo 4
  EXPECT_EQ(fenceInSlot(1), 2u);
}

// RING-1
TEST_F(Fixture, CountersWrapAt32Bits) {
  make(4, 0xFFFFFFFEu);
  for (uint64_t i = 1; i <= 4; ++i) EXPECT_TRUE(ring.push(desc(i)));
  EXPECT_EQ(header().tail, 2u);
  EXPECT_TRUE(ring.full());
  EXPECT_EQ(fenceInSlot(2), 1u);  // 0xFFFFFFFE modulo 4
  EXPECT_EQ(fenceInSlot(3), 2u);
  EXPECT_EQ(fenceInSlot(0), 3u);
  setHead(0);
  EXPECT_EQ(ring.used(), 2u);
}

}  // namespace
}  // namespace aerogpu::guest
