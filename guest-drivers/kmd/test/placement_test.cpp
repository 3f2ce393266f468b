// SPDX-License-Identifier: MIT
// Tests where allocations may live (PRIV-16, PRIV-17), from their private data alone: drivers from elsewhere, version
// 1, and a device without an aperture. The driver host's tests ask the driver itself.
#include "guest-drivers/kmd/logic/placement.h"

#include <gtest/gtest.h>

namespace {

using namespace aero;

constexpr uint32_t kX8R8G8B8 = 22, kA8R8G8B8 = 21, kD24S8 = 75;
constexpr Placement kVramOnly = {true, false, true, false}, kVramForCpu = {true, false, true, true},
                    kApertureForCpu = {false, true, false, true}, kApertureFirst = {true, true, false, false},
                    kVramFirst = {true, true, true, false};

AllocationPrivate texture(uint32_t width, uint32_t height, uint32_t format, uint32_t flags = 0) {
  AllocationPrivate data = {};
  data.magic = AEROGPU_WDDM_ALLOC_PRIV_MAGIC;
  data.version = AEROGPU_WDDM_ALLOC_PRIV_VERSION_2;
  data.flags = flags;
  data.kind = AEROGPU_WDDM_ALLOC_KIND_TEXTURE2D;
  data.width = width;
  data.height = height;
  data.format = format;
  data.row_pitch_bytes = width * 4;
  data.size_bytes = uint64_t{width} * height * 4;
  return data;
}

AllocationPrivate version1(uint64_t reserved0, uint32_t flags = 0) {
  AllocationPrivate data = {};
  data.magic = AEROGPU_WDDM_ALLOC_PRIV_MAGIC;
  data.version = AEROGPU_WDDM_ALLOC_PRIV_VERSION;
  data.flags = flags;
  data.reserved0 = reserved0;
  data.size_bytes = 65536;
  return data;
}

Placement with(const AllocationPrivate &data, bool ofModeSize = false, bool scanned = false) {
  return placementOf(data, scanned, true, ofModeSize);
}

TEST(Placement, PrimariesAreInVramWhateverElseTheySay) {
  for (const uint32_t flags :
       {0u, uint32_t{AEROGPU_WDDM_ALLOC_PRIV_FLAG_CPU_VISIBLE}, uint32_t{AEROGPU_WDDM_ALLOC_PRIV_FLAG_STAGING},
        uint32_t{AEROGPU_WDDM_ALLOC_PRIV_FLAG_IS_SHARED}}) {
    const AllocationPrivate marked = texture(640, 480, kX8R8G8B8, flags | AEROGPU_WDDM_ALLOC_PRIV_FLAG_EXT_PRIMARY);
    EXPECT_EQ(with(marked), kVramForCpu) << flags;
    EXPECT_EQ(with(texture(640, 480, kX8R8G8B8, flags), true, true), kVramForCpu) << "the desktop's";
    EXPECT_EQ(placementOf(marked, false, false, true), kVramForCpu);
  }
}

TEST(Placement, ADriverThatMarksNothingGetsVramFirstForWhatMayBeAPrimary) {
  EXPECT_EQ(with(texture(640, 480, kX8R8G8B8), true), kVramFirst);
  EXPECT_EQ(with(texture(640, 480, kX8R8G8B8), false), kApertureFirst) << "no mode is as large";
  EXPECT_EQ(with(texture(640, 480, kD24S8), true), kApertureFirst) << "no screen shows it";
}

TEST(Placement, OfADriverThatMarksPrimariesNothingIsGuessed) {
  EXPECT_EQ(with(texture(640, 480, kX8R8G8B8, AEROGPU_WDDM_ALLOC_PRIV_FLAG_EXT_MARKED), true), kApertureFirst);
  EXPECT_EQ(with(version1(0, AEROGPU_WDDM_ALLOC_PRIV_FLAG_EXT_MARKED)), kApertureFirst);
}

TEST(Placement, Version1SaysTooLittle) {
  EXPECT_EQ(with(version1(0)), kVramOnly) << "it may be anything";
  EXPECT_EQ(with(version1(packSurface(640, 480, kX8R8G8B8)), true), kVramOnly);
  EXPECT_EQ(with(version1(packSurface(641, 480, kX8R8G8B8)), false), kApertureFirst);
  EXPECT_EQ(with(version1(0, AEROGPU_WDDM_ALLOC_PRIV_FLAG_CPU_VISIBLE)), kApertureForCpu);
}

TEST(Placement, StandardAllocationsAreNotGuessedAt) {
  AllocationPrivate shadow = texture(640, 480, kX8R8G8B8);
  shadow.reserved1 = 4;
  EXPECT_EQ(with(shadow, true), kApertureFirst);
}

TEST(Placement, WithoutAnApertureAllIsInVram) {
  EXPECT_EQ(placementOf(texture(64, 64, kA8R8G8B8), false, false, false), kVramOnly);
  EXPECT_EQ(placementOf(texture(64, 64, kA8R8G8B8, AEROGPU_WDDM_ALLOC_PRIV_FLAG_CPU_VISIBLE), false, false, false),
            kVramForCpu);
}

}  // namespace
