// SPDX-License-Identifier: MIT
// Tests which private data of allocations is accepted (PRIV-2), and which surface it describes
// (docs/abi/driver-data.md, "Allocations").
#include "guest-drivers/common/allocation_private.h"

#include <gtest/gtest.h>

namespace aero {
namespace {

/** Returns data of version 2 with every field set. */
AllocationPrivate sample() {
  AllocationPrivate data = {};
  data.magic = 0x414C4C4F;
  data.version = 2;
  data.alloc_id = 7;
  data.flags = AEROGPU_WDDM_ALLOC_PRIV_FLAG_CPU_VISIBLE;
  data.size_bytes = 640 * 480 * 4;
  data.kind = AEROGPU_WDDM_ALLOC_KIND_TEXTURE2D;
  data.width = 640;
  data.height = 480;
  data.format = 21;  // D3DFMT_A8R8G8B8
  data.row_pitch_bytes = 2560;
  data.reserved1 = 3;
  return data;
}

TEST(AllocationPrivate, Version2IsTakenWhole) {
  const AllocationPrivate data = sample();
  AllocationPrivate out;
  ASSERT_TRUE(readAllocationPrivate(&data, 64, out));
  EXPECT_EQ(memcmp(&out, &data, sizeof out), 0);
  struct {
    AllocationPrivate data;
    uint8_t more[100];
  } const longer = {data, {}};
  EXPECT_TRUE(readAllocationPrivate(&longer, sizeof longer, out));
}

TEST(AllocationPrivate, OfVersion1NothingIsReadThatItDoesNotHave) {
  AllocationPrivate data = sample();
  data.version = 1;
  for (const size_t bytes : {size_t{40}, size_t{63}, size_t{64}}) {
    AllocationPrivate out;
    memset(&out, 0xEE, sizeof out);
    ASSERT_TRUE(readAllocationPrivate(&data, bytes, out)) << bytes;
    EXPECT_EQ(out.alloc_id, 7u);
    EXPECT_EQ(out.size_bytes, 640u * 480 * 4);
    EXPECT_EQ(out.kind | out.width | out.height | out.format | out.row_pitch_bytes | out.reserved1, 0u) << bytes;
  }
}

TEST(AllocationPrivate, WhatIsMissingShortOrForeignIsRefused) {
  AllocationPrivate out, data = sample();
  EXPECT_FALSE(readAllocationPrivate(nullptr, 64, out));
  EXPECT_FALSE(readAllocationPrivate(&data, 0, out));
  EXPECT_FALSE(readAllocationPrivate(&data, 39, out));
  EXPECT_FALSE(readAllocationPrivate(&data, 63, out)) << "version 2 has 64 bytes";
  for (const uint32_t version : {0u, 3u, 0x10002u}) {
    data.version = version;
    EXPECT_FALSE(readAllocationPrivate(&data, 64, out)) << version;
  }
  data = sample();
  data.magic ^= 1;
  EXPECT_FALSE(readAllocationPrivate(&data, 64, out));
}

TEST(DescribedSurface, FieldsOfVersion2CountFirst) {
  AllocationPrivate data = sample();
  data.reserved0 = packSurface(1, 2, 3);
  const DescribedSurface surface = describedSurface(data);
  EXPECT_EQ(surface.width, 640u);
  EXPECT_EQ(surface.height, 480u);
  EXPECT_EQ(surface.format, 21u);
  EXPECT_EQ(surface.pitch, 2560u);
}

TEST(DescribedSurface, ElseItIsInReserved0) {
  AllocationPrivate data = sample();
  data.kind = AEROGPU_WDDM_ALLOC_KIND_UNKNOWN;
  // Bit 63, height in 48 to 62, width in 32 to 47, D3DFORMAT below.
  data.reserved0 = 0x80000000'00000000 | uint64_t{480} << 48 | uint64_t{640} << 32 | 22;
  EXPECT_EQ(packSurface(640, 480, 22), data.reserved0);
  DescribedSurface surface = describedSurface(data);
  EXPECT_EQ(surface.width, 640u);
  EXPECT_EQ(surface.height, 480u);
  EXPECT_EQ(surface.format, 22u);
  EXPECT_EQ(surface.pitch, 0u);
  data.reserved0 = packSurface(65535, 32767, 0xFFFFFFFF);
  surface = describedSurface(data);
  EXPECT_EQ(surface.width, 65535u);
  EXPECT_EQ(surface.height, 32767u);
  EXPECT_EQ(surface.format, 0xFFFFFFFFu);
}

TEST(DescribedSurface, ARowPitchInReserved0IsNone) {
  AllocationPrivate data = sample();
  data.kind = AEROGPU_WDDM_ALLOC_KIND_BUFFER;
  data.reserved0 = 0x7FFFFFFF'FFFFFFFF;
  const DescribedSurface surface = describedSurface(data);
  EXPECT_EQ(surface.width | surface.height | surface.format | surface.pitch, 0u);
}

}  // namespace
}  // namespace aero
