// SPDX-License-Identifier: MIT
// Tests the formats that Direct3D does not list, which programs ask for by their FourCC: which are announced where, and
// as what. (Sources: page "FORMATOP"; D3D9On12, src/9on12Adapter.cpp; "Advanced DX9 Capabilities for ATI Radeon
// Cards".)
#include <map>

#include "guest-drivers/umd-d3d9/test/caps_fixture.h"

namespace aero::test {
namespace {

constexpr D3DDDIFORMAT fourCc(const char (&name)[5]) {
  return static_cast<D3DDDIFORMAT>(static_cast<uint32_t>(name[0]) | static_cast<uint32_t>(name[1]) << 8 |
                                   static_cast<uint32_t>(name[2]) << 16 | static_cast<uint32_t>(name[3]) << 24);
}

// Programs ask for "RESZ" as a target before they resolve depth with it, which needs the device's blits.
TEST_F(UmdCaps, ReszIsAnnouncedWhereDepthIsResolved) {
  start(wholeBlock());
  EXPECT_TRUE(operations(fourCc("RESZ")) & FORMATOP_OFFSCREEN_RENDERTARGET);
  EXPECT_FALSE(operations(fourCc("RESZ")) & FORMATOP_TEXTURE);
  stop();
  start(wholeBlock(), kAll & ~AEROGPU_EXT_FEATURE_HI_BLIT);
  EXPECT_EQ(operations(fourCc("RESZ")), 0u);
}

// Programs that find "DF24" sample with Fetch4 ("Advanced DX9 Capabilities for ATI Radeon Cards", Wine's test_fetch4).
TEST_F(UmdCaps, Df24IsAnnouncedWhereSamplesCanBeFourTexels) {
  start(wholeBlock());
  EXPECT_EQ(operations(fourCc("DF24")), operations(fourCc("DF16")));
  EXPECT_TRUE(operations(fourCc("DF24")) & FORMATOP_ZSTENCIL);
  EXPECT_TRUE(operations(fourCc("DF24")) & FORMATOP_TEXTURE);
  stop();
  start(changedFormats(wholeBlock(), [](aerogpu_format_caps &entry) { entry.caps &= ~AEROGPU_FORMAT_CAP_GATHER; }));
  EXPECT_EQ(operations(fourCc("DF24")), 0u);
  EXPECT_NE(operations(fourCc("DF16")), 0u);
}

// Programs ask for "ATOC" as a plain surface before they write it to ADAPTIVETESS_Y (D3D9On12 lists it so).
TEST_F(UmdCaps, AtocIsAnnouncedWhereAlphaCanBeCoverage) {
  start(wholeBlock());
  EXPECT_EQ(operations(fourCc("ATOC")), uint32_t{FORMATOP_OFFSCREENPLAIN});
  stop();
  start(wholeBlock(), kAll & ~AEROGPU_EXT_FEATURE_HI_STATES);
  EXPECT_EQ(operations(fourCc("ATOC")), 0u);
}

// What programs ask for by FourCC and this driver does not do is in no list: depth in another encoding, depth bounds,
// supersampling by alpha, targets that become vertices, a single sampled plane of YUV with alpha.
TEST_F(UmdCaps, WhatTheDriverDoesNotDoHasNoName) {
  start(wholeBlock());
  for (const D3DDDIFORMAT name : {fourCc("RAWZ"), fourCc("NVDB"), fourCc("SSAA"), fourCc("R2VB"), fourCc("AYUV")}) {
    EXPECT_EQ(operations(name), 0u) << name;
    HANDLE made = nullptr;
    EXPECT_EQ(p.tryResource(name, 16, 16, Program::texture(), made), kNotAvailable) << name;
  }
}

// Page "FORMATOP": formats that no runtime knows are in its memory only with the size of a pixel. The numbers are those
// of D3D9On12 (src/9on12Adapter.cpp), which Windows' runtime is known to accept.
TEST_F(UmdCaps, FormatsOfTheDriverHaveASize) {
  start(wholeBlock());
  const std::map<uint32_t, uint32_t> bits = {{fourCc("ATI1"), 8},  {fourCc("ATI2"), 8},  {fourCc("YUY2"), 16},
                                             {fourCc("UYVY"), 16}, {fourCc("NV12"), 16}, {fourCc("YV12"), 16}};
  size_t seen = 0;
  for (const FORMATOP &row : formats()) {
    SCOPED_TRACE(row.Format);
    const auto found = bits.find(row.Format);
    const bool has = found != bits.end();
    seen += has;
    EXPECT_EQ((row.Operations & FORMATOP_PIXELSIZE) != 0, has);
    EXPECT_EQ(row.PrivateFormatBitCount, has ? found->second : 0);
    const bool planar = row.Format == fourCc("NV12") || row.Format == fourCc("YV12");
    EXPECT_EQ((row.Operations & FORMATOP_PLANAR) != 0, planar);
  }
  EXPECT_EQ(seen, bits.size());
}

}  // namespace
}  // namespace aero::test
