// SPDX-License-Identifier: MIT
#include "guest-drivers/linux/device/alloc_table.h"

#include <gtest/gtest.h>

#include <cstring>

namespace aerogpu::guest {
namespace {

TEST(AllocTable, BytesFollowTheAbi) {
  AllocTable table;
  EXPECT_EQ(table.sizeBytes(), 0u);
  ASSERT_TRUE(table.add(3, 0, 4096, 0).ok());  // address 0 is valid
  ASSERT_TRUE(table.add(9, 0x123456000, 8192, AEROGPU_ALLOC_FLAG_READONLY).ok());
  ASSERT_EQ(table.sizeBytes(), 24u + 2 * 32);
  uint8_t bytes[24 + 64];
  table.write(bytes);
  uint32_t words[6];
  std::memcpy(words, bytes, 24);
  EXPECT_EQ(words[0], 0x434F4C41u);
  EXPECT_EQ(words[1], 0x10004u);
  EXPECT_EQ(words[2], 88u);
  EXPECT_EQ(words[3], 2u);
  EXPECT_EQ(words[4], 32u);
  uint32_t id = 0, flags = 0;
  uint64_t gpa = 0, size = 0;
  std::memcpy(&id, bytes + 24 + 32, 4);
  std::memcpy(&flags, bytes + 24 + 36, 4);
  std::memcpy(&gpa, bytes + 24 + 40, 8);
  std::memcpy(&size, bytes + 24 + 48, 8);
  EXPECT_EQ(id, 9u);
  EXPECT_EQ(flags, 1u);
  EXPECT_EQ(gpa, 0x123456000u);
  EXPECT_EQ(size, 8192u);
}

TEST(AllocTable, RefusesWhatTheDeviceRefuses) {
  AllocTable table;
  EXPECT_FALSE(table.add(0, 0, 4096, 0).ok());
  EXPECT_FALSE(table.add(1, 0, 0, 0).ok());
  EXPECT_FALSE(table.add(1, UINT64_MAX - 10, 4096, 0).ok());
  EXPECT_TRUE(table.add(1, 0, 4096, 0).ok());
  EXPECT_FALSE(table.add(1, 8192, 4096, 0).ok());
  EXPECT_EQ(table.entries().size(), 1u);
}

}  // namespace
}  // namespace aerogpu::guest
