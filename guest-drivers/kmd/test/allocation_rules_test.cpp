// SPDX-License-Identifier: MIT
// Tests the rules for private data of allocations (PRIV-2, PRIV-4, PRIV-18, PRIV-19, PRIV-21, PRIV-28) one by one. The
// driver host tests them through the driver itself.
#include "guest-drivers/kmd/logic/allocation_rules.h"

#include <gtest/gtest.h>

namespace {

using namespace aero;

constexpr uint64_t kSegment = uint64_t{1} << 30;
constexpr uint32_t kA8R8G8B8 = 21, kDxt1 = 0x31545844, kVendors = 0x5A544E49;  // "DXT1", "INTZ"

AllocationPrivate texture(uint32_t width, uint32_t height, uint32_t format, uint32_t pitch, uint64_t bytes,
                          uint32_t flags = 0) {
  AllocationPrivate data = {};
  data.magic = AEROGPU_WDDM_ALLOC_PRIV_MAGIC;
  data.version = AEROGPU_WDDM_ALLOC_PRIV_VERSION_2;
  data.flags = flags;
  data.kind = AEROGPU_WDDM_ALLOC_KIND_TEXTURE2D;
  data.width = width;
  data.height = height;
  data.format = format;
  data.row_pitch_bytes = pitch;
  data.size_bytes = bytes;
  return data;
}

bool may(const AllocationPrivate &data, bool standard = false) {
  return mayBeAllocated(data, standard, kSegment);
}

TEST(AllocationRules, ATextureLiesInItsMemory) {
  EXPECT_TRUE(may(texture(16, 16, kA8R8G8B8, 64, 1024)));
  EXPECT_FALSE(may(texture(16, 16, kA8R8G8B8, 64, 1023)));
  EXPECT_FALSE(may(texture(16, 16, kA8R8G8B8, 63, 1024)));
  EXPECT_TRUE(may(texture(16, 16, kA8R8G8B8, 0, 1024))) << "without a pitch rows follow one another";
  EXPECT_FALSE(may(texture(16, 16, kA8R8G8B8, 0, 1023)));
  EXPECT_TRUE(may(texture(9, 9, kDxt1, 24, 72))) << "3 rows of 3 blocks of 8 bytes";
  EXPECT_FALSE(may(texture(9, 9, kDxt1, 24, 71)));
  EXPECT_TRUE(may(texture(16, 16, kVendors, 64, 1024))) << "a format of nobody knows how many bytes";
  EXPECT_FALSE(may(texture(16, 16, kVendors, 64, 1023)));
  EXPECT_FALSE(may(texture(16, 16, kVendors, 15, 1024)));
  EXPECT_FALSE(may(texture(16384, 16384, kA8R8G8B8, 0x80000000, 4096))) << "2^31 times 2^14 is 0 in 32 bits";
}

TEST(AllocationRules, SizesIdsAndKindsHaveLimits) {
  AllocationPrivate data = texture(16, 16, kA8R8G8B8, 64, kSegment);
  EXPECT_TRUE(may(data));
  data.size_bytes++;
  EXPECT_FALSE(may(data));
  EXPECT_FALSE(may(data, true)) << "standard ones too";
  data.size_bytes = 1024;
  data.alloc_id = 0x7FFFFFFF;
  EXPECT_TRUE(may(data));
  data.alloc_id++;
  EXPECT_FALSE(may(data));
  data.alloc_id = 0;
  data.reserved1 = 1;
  EXPECT_FALSE(may(data));
  EXPECT_TRUE(may(data, true));
}

TEST(AllocationRules, WhatIsSharedHasRoomForOneLevelAndOneLayer) {  // EX-45
  const uint32_t shared = AEROGPU_WDDM_ALLOC_PRIV_FLAG_IS_SHARED;
  EXPECT_TRUE(may(texture(64, 64, kA8R8G8B8, 256, 16384, shared)));
  EXPECT_TRUE(may(texture(64, 64, kA8R8G8B8, 256, 16384 + 4095, shared))) << "the rest of a page";
  EXPECT_FALSE(may(texture(64, 64, kA8R8G8B8, 256, 16384 + 4096, shared))) << "the next level";
  EXPECT_TRUE(may(texture(64, 64, kA8R8G8B8, 256, 16384 + 4096)));
}

TEST(AllocationRules, WhatIsTheGpusAloneNeedsNoMemoryButTheDevicesFormat) {
  const uint32_t gpu = AEROGPU_WDDM_ALLOC_PRIV_FLAG_EXT_GPU_ONLY;
  EXPECT_TRUE(may(texture(1920, 1080, kA8R8G8B8, 0, 1, gpu)));
  EXPECT_FALSE(may(texture(1920, 1080, kA8R8G8B8, 0, 1)));
  EXPECT_FALSE(may(texture(1920, 1080, kDxt1, 0, 1, gpu)));
  for (const uint32_t flag : {uint32_t{AEROGPU_WDDM_ALLOC_PRIV_FLAG_CPU_VISIBLE},
                              uint32_t{AEROGPU_WDDM_ALLOC_PRIV_FLAG_STAGING}, AEROGPU_WDDM_ALLOC_PRIV_FLAG_EXT_PRIMARY})
    EXPECT_FALSE(may(texture(1920, 1080, kA8R8G8B8, 7680, 7680 * 1080, gpu | flag))) << flag;
}

TEST(AllocationRules, WhatProgramsShareIsInAFormatOfTheDevice) {  // PRIV-30, FMT-1, FMT-17
  FormatSet none, some;
  for (const uint32_t number : {0x1071u, 0x1205u, 0u, 87u, 0x12FFu, 0x1300u, 0xFFFFFFFFu}) some.add(number);
  EXPECT_FALSE(some.has(0) || some.has(87) || some.has(0x1300)) << "no numbers of formats beyond 1.4";
  const uint32_t shared = AEROGPU_WDDM_ALLOC_PRIV_FLAG_IS_SHARED;
  const auto can = [&](uint32_t d3d, uint32_t bytes, const FormatSet &formats) {
    return canBeImported(texture(16, 16, d3d, 16 * bytes, 256 * bytes, shared), formats);
  };
  constexpr uint32_t kA16B16G16R16F = 113, kR32F = 114, kUyvy = 0x59565955, kNobodys = 0x454E4F4E;
  EXPECT_TRUE(can(kA8R8G8B8, 4, none)) << "of 1.4";
  EXPECT_TRUE(can(kA16B16G16R16F, 8, some));
  EXPECT_FALSE(can(kA16B16G16R16F, 8, none));
  EXPECT_FALSE(can(kR32F, 4, some)) << "not there";
  EXPECT_TRUE(can(kUyvy, 2, some)) << "two pixels in four bytes";
  EXPECT_FALSE(can(kUyvy, 2, none));
  EXPECT_FALSE(can(kNobodys, 4, some));
  EXPECT_EQ(importedFormat(kA16B16G16R16F, some), 0x1071u);
  EXPECT_EQ(importedFormat(kUyvy, some), 0x1205u);
  EXPECT_EQ(importedFormat(0x71, none), 0u);
}

TEST(AllocationRules, ASurfaceHoldsItsPixelsAtLeast) {  // SPACE-21
  constexpr uint32_t kR5G6B5 = 23, kA16B16G16R16F = 113, kUyvy = 0x59565955, kNobodys = 0x454E4F4E;
  EXPECT_EQ(pixelBytes({1, 1, kA8R8G8B8, 4096}), 4u) << "whatever the pitch";
  EXPECT_EQ(pixelBytes({17, 3, kR5G6B5, 0}), 17u * 3 * 2);
  EXPECT_EQ(pixelBytes({5, 5, kDxt1, 0}), 2u * 2 * 8) << "whole blocks";
  EXPECT_EQ(pixelBytes({3, 2, kUyvy, 0}), 2u * 4 * 2);
  EXPECT_EQ(pixelBytes({16384, 16384, kA16B16G16R16F, 0}), uint64_t{1} << 31);
  EXPECT_EQ(pixelBytes({16384, 16384, kNobodys, 65536}), 0u) << "nobody knows";
}

TEST(AllocationRules, AProgramsOwnMemoryIsItsOwn) {  // PRIV-25
  const uint32_t existing = AEROGPU_WDDM_ALLOC_PRIV_FLAG_EXT_EXISTING;
  EXPECT_TRUE(may(texture(64, 64, kA8R8G8B8, 256, 16384, existing)));
  EXPECT_FALSE(may(texture(64, 64, kA8R8G8B8, 256, 16384 - 1, existing))) << "all of it lies there";
  for (const uint32_t flag :
       {uint32_t{AEROGPU_WDDM_ALLOC_PRIV_FLAG_IS_SHARED}, AEROGPU_WDDM_ALLOC_PRIV_FLAG_EXT_PRIMARY,
        AEROGPU_WDDM_ALLOC_PRIV_FLAG_EXT_PRESENTED, AEROGPU_WDDM_ALLOC_PRIV_FLAG_EXT_GPU_ONLY}) {
    EXPECT_TRUE(may(texture(64, 64, kA8R8G8B8, 256, 16384, flag))) << flag;
    EXPECT_FALSE(may(texture(64, 64, kA8R8G8B8, 256, 16384, existing | flag))) << flag;
  }
}

TEST(SurfaceFormat, ANumberIsOfD3DOrOfDxgi) {
  const uint32_t dxgi = AEROGPU_WDDM_ALLOC_PRIV_FLAG_EXT_DXGI_FORMAT;
  AllocationPrivate data = texture(16, 16, 28, 64, 1024, dxgi);
  EXPECT_EQ(describedSurface(data).format, 32u) << "R8G8B8A8_UNORM is A8B8G8R8";
  data.flags = 0;
  EXPECT_EQ(describedSurface(data).format, 28u) << "A8";
  data.version = AEROGPU_WDDM_ALLOC_PRIV_VERSION;
  data.kind = 0;
  data.flags = dxgi;
  data.reserved0 = packSurface(16, 16, 21);
  EXPECT_EQ(describedSurface(data).format, 21u) << "reserved0 has a D3DFORMAT";
}

TEST(SurfaceFormat, WhatBothNameHasAsManyBytes) {
  for (uint32_t number = 0; number < 256; number++) {
    const uint32_t d3d = d3dFormatOfDxgi(number);
    if (!d3d) continue;
    const FormatBlock a = formatBlock(number, true), b = formatBlock(d3d, false);
    EXPECT_EQ(a.width, b.width) << number;
    EXPECT_EQ(a.height, b.height) << number;
    EXPECT_EQ(a.bytes, b.bytes) << number;
  }
  EXPECT_EQ(formatBlock(0, true).bytes, 0u);
  EXPECT_EQ(formatBlock(1, true).bytes, 16u);
  EXPECT_EQ(formatBlock(5, true).bytes, 12u);
  EXPECT_EQ(formatBlock(99, true).bytes, 16u);
  EXPECT_EQ(formatBlock(100, true).bytes, 0u);
}

}  // namespace
