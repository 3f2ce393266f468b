// SPDX-License-Identifier: MIT
// Tests the device's formats against D3DFORMAT. Direct3D 9 names channels from the highest bit down; the
// device names those of 32-bit formats from the lowest address up.
#include "guest-drivers/common/device_format.h"

#include <gtest/gtest.h>

#include <string>

namespace aero {
namespace {

using aerogpu::d3d9::fourCc;

TEST(DeviceFormat, ChannelsLieWhereTheNamesSay) {
  EXPECT_EQ(deviceFormat(21), AEROGPU_FORMAT_B8G8R8A8_UNORM) << "D3DFMT_A8R8G8B8: blue is the lowest byte";
  EXPECT_EQ(deviceFormat(22), AEROGPU_FORMAT_B8G8R8X8_UNORM) << "D3DFMT_X8R8G8B8";
  EXPECT_EQ(deviceFormat(32), AEROGPU_FORMAT_R8G8B8A8_UNORM) << "D3DFMT_A8B8G8R8";
  EXPECT_EQ(deviceFormat(33), AEROGPU_FORMAT_R8G8B8X8_UNORM) << "D3DFMT_X8B8G8R8";
  EXPECT_EQ(deviceFormat(23), AEROGPU_FORMAT_B5G6R5_UNORM) << "D3DFMT_R5G6B5";
  EXPECT_EQ(deviceFormat(24), AEROGPU_FORMAT_B5G5R5A1_UNORM) << "D3DFMT_X1R5G5B5";
  EXPECT_EQ(deviceFormat(25), AEROGPU_FORMAT_B5G5R5A1_UNORM) << "D3DFMT_A1R5G5B5";
}

TEST(DeviceFormat, OthersHaveNone) {
  for (const uint32_t format : {0u, 20u, 26u, 28u, 41u, 50u, 113u, fourCc('D', 'X', 'T', '1'), 0xFFFFFFFFu})
    EXPECT_EQ(deviceFormat(format), AEROGPU_FORMAT_INVALID) << format;
  EXPECT_EQ(d3dFormatOf(AEROGPU_FORMAT_INVALID), 0u);
  EXPECT_EQ(d3dFormatOf(AEROGPU_FORMAT_BC1_RGBA_UNORM), 0u);
}

TEST(DeviceFormat, TheWayBackPrefersAlphaOnlyWhereThePixelsHaveIt) {
  for (const uint32_t format : {21u, 22u, 23u, 25u, 32u, 33u}) EXPECT_EQ(d3dFormatOf(deviceFormat(format)), format);
  EXPECT_EQ(d3dFormatOf(AEROGPU_FORMAT_B5G5R5A1_UNORM), 25u) << "D3DFMT_A1R5G5B5";
}

TEST(DeviceFormat, BytesOfAPixel) {
  EXPECT_EQ(bytesPerPixel(22), 4u);
  EXPECT_EQ(bytesPerPixel(23), 2u);
  EXPECT_EQ(bytesPerPixel(28), 1u) << "D3DFMT_A8";
  EXPECT_EQ(bytesPerPixel(41), 1u) << "D3DFMT_P8";
  EXPECT_EQ(bytesPerPixel(113), 8u) << "D3DFMT_A16B16G16R16F";
  EXPECT_EQ(bytesPerPixel(fourCc('D', 'X', 'T', '5')), 4u);
  EXPECT_EQ(bytesPerPixel(0), 4u);
  EXPECT_EQ(bytesPerPixel(0xFFFFFFFF), 4u);
}

}  // namespace
}  // namespace aero
