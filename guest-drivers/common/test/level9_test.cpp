// SPDX-License-Identifier: MIT
// Tests the requirements of level 9 against "Required Direct3D 9 capabilities" and "Required DXGI formats": a
// device that has everything lacks nothing, and each ability that it loses is reported for the right level.
#include "guest-drivers/common/level9.h"

#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>
#include <tuple>
#include <utility>

namespace level9 {

namespace {

class Told final : public Lacks {
public:
  void lack(int level, const char *what, const char *use) override { lines.emplace(level, std::string(what) + use); }
  std::set<std::pair<int, std::string>> lines;
};

/// Returns capabilities with all flags and the highest values.
D3DCAPS9 fullCaps() {
  D3DCAPS9 caps{};
  caps.Caps2 = caps.PrimitiveMiscCaps = caps.RasterCaps = caps.ZCmpCaps = caps.SrcBlendCaps = ~0u;
  caps.DestBlendCaps = caps.ShadeCaps = caps.TextureFilterCaps = caps.StretchRectFilterCaps = ~0u;
  caps.TextureAddressCaps = caps.VolumeTextureAddressCaps = caps.StencilCaps = caps.TextureOpCaps = ~0u;
  caps.DevCaps2 = caps.DeclTypes = caps.DevCaps = caps.TextureCaps = ~0u;
  caps.PresentationIntervals = ~0u;
  caps.MaxTextureWidth = caps.MaxTextureHeight = 4096;
  caps.MaxVolumeExtent = 256;
  caps.MaxTextureRepeat = 8192;
  caps.MaxAnisotropy = 16;
  caps.MaxVertexW = 1e10f;
  caps.MaxTextureBlendStages = caps.MaxSimultaneousTextures = 8;
  caps.MaxPrimitiveCount = caps.MaxVertexIndex = 1048575;
  caps.VertexShaderVersion = 0xFFFE0300;
  caps.MaxVertexShaderConst = 256;
  caps.PixelShaderVersion = 0xFFFF0200;
  caps.NumSimultaneousRTs = 4;
  caps.PS20Caps.Caps = ~0;
  caps.PS20Caps.NumTemps = 32;
  caps.PS20Caps.NumInstructionSlots = 512;
  caps.VS20Caps.NumTemps = 32;
  return caps;
}

std::set<std::pair<int, std::string>> lacksOf(const D3DCAPS9 &caps) {
  Told told;
  checkCaps(caps, told);
  return told.lines;
}

/// A device that has all formats and uses but the given ones.
class AllBut final : public Formats {
public:
  explicit AllBut(std::set<std::tuple<DWORD, D3DRESOURCETYPE, D3DFORMAT>> missing) : m_missing(std::move(missing)) {}
  bool has(DWORD usage, D3DRESOURCETYPE type, D3DFORMAT format) override {
    return !m_missing.count({usage, type, format});
  }

private:
  std::set<std::tuple<DWORD, D3DRESOURCETYPE, D3DFORMAT>> m_missing;
};

std::set<std::pair<int, std::string>> formatsWithout(std::set<std::tuple<DWORD, D3DRESOURCETYPE, D3DFORMAT>> missing) {
  AllBut formats(std::move(missing));
  Told told;
  checkFormats(formats, told);
  return told.lines;
}

}  // namespace

TEST(Level9, FullCapsLackNothing) {
  EXPECT_TRUE(lacksOf(fullCaps()).empty());
}

TEST(Level9, EmptyCapsLackTheFirstLevel) {
  std::map<int, int> count;
  for (const auto &line : lacksOf(D3DCAPS9{})) ++count[line.first];
  EXPECT_GT(count[1], 40);
  EXPECT_GT(count[2], 5);
  EXPECT_GT(count[3], 5);
  EXPECT_EQ(count.size(), 3u);
}

TEST(Level9, OneFlagAtATime) {
  D3DCAPS9 caps = fullCaps();
  caps.Caps2 &= ~D3DCAPS2_FULLSCREENGAMMA;
  EXPECT_EQ(lacksOf(caps), (std::set<std::pair<int, std::string>>{{1, "Caps2 D3DCAPS2_FULLSCREENGAMMA"}}));
  caps = fullCaps();
  caps.VolumeTextureAddressCaps &= ~D3DPTADDRESSCAPS_MIRRORONCE;
  EXPECT_EQ(lacksOf(caps),
            (std::set<std::pair<int, std::string>>{{2, "VolumeTextureAddressCaps D3DPTADDRESSCAPS_MIRRORONCE"}}));
  caps = fullCaps();
  caps.PS20Caps.Caps = 0;
  EXPECT_EQ(lacksOf(caps),
            (std::set<std::pair<int, std::string>>{{3, "PS20Caps.Caps D3DPS20CAPS_GRADIENTINSTRUCTIONS"}}));
  caps = fullCaps();
  caps.TextureCaps &= ~D3DPTEXTURECAPS_POW2;
  EXPECT_EQ(lacksOf(caps).begin()->first, 1);
  EXPECT_EQ(lacksOf(caps).size(), 1u);
}

TEST(Level9, NumbersBelowTheirBounds) {
  D3DCAPS9 caps = fullCaps();
  caps.MaxTextureWidth = 2048;
  EXPECT_EQ(lacksOf(caps), (std::set<std::pair<int, std::string>>{{3, "MaxTextureWidth of 4096"}}));
  caps.MaxTextureWidth = 2047;
  EXPECT_EQ(lacksOf(caps).begin()->second, "MaxTextureWidth of 2048");
  caps = fullCaps();
  caps.MaxTextureRepeat = 0;
  EXPECT_TRUE(lacksOf(caps).empty());
  caps.MaxTextureRepeat = 2048;
  EXPECT_EQ(lacksOf(caps), (std::set<std::pair<int, std::string>>{{3, "MaxTextureRepeat of 0, or 8192"}}));
  caps.MaxTextureRepeat = 127;
  EXPECT_EQ(lacksOf(caps).size(), 3u);
  caps = fullCaps();
  caps.VertexShaderVersion = 0xFFFE0200;
  EXPECT_EQ(lacksOf(caps).begin()->first, 3);
  caps.PixelShaderVersion = 0xFFFF0104;
  EXPECT_EQ(lacksOf(caps).begin()->first, 1);
}

TEST(Level9, VertexTypesCountWithHardwareVertexProcessingOnly) {
  D3DCAPS9 caps = fullCaps();
  caps.DeclTypes = 0;
  EXPECT_EQ(lacksOf(caps).size(), 6u);
  caps.DevCaps &= ~D3DDEVCAPS_HWTRANSFORMANDLIGHT;
  EXPECT_TRUE(lacksOf(caps).empty());
}

TEST(Level9, Formats) {
  EXPECT_TRUE(formatsWithout({}).empty());
  EXPECT_EQ(formatsWithout({{0, D3DRTYPE_VOLUMETEXTURE, D3DFMT_L8}}),
            (std::set<std::pair<int, std::string>>{{1, "L8 as a volume texture"}}));
  EXPECT_TRUE(formatsWithout({{0, D3DRTYPE_VOLUMETEXTURE, D3DFMT_DXT1}}).empty());
  EXPECT_EQ(formatsWithout({{D3DUSAGE_QUERY_FILTER, D3DRTYPE_TEXTURE, D3DFMT_A16B16G16R16}}),
            (std::set<std::pair<int, std::string>>{{2, "A16B16G16R16 filtered"}}));
  EXPECT_TRUE(formatsWithout({{D3DUSAGE_QUERY_FILTER, D3DRTYPE_TEXTURE, D3DFMT_A32B32G32R32F}}).empty());
  EXPECT_EQ(formatsWithout({{D3DUSAGE_RENDERTARGET | D3DUSAGE_QUERY_POSTPIXELSHADER_BLENDING, D3DRTYPE_TEXTURE,
                             D3DFMT_A16B16G16R16F}}),
            (std::set<std::pair<int, std::string>>{{3, "A16B16G16R16F as a target with blending"}}));
}

TEST(Level9, OneOfTwoFormatsIsEnough) {
  EXPECT_TRUE(formatsWithout({{D3DUSAGE_DEPTHSTENCIL, D3DRTYPE_SURFACE, D3DFMT_D16}}).empty());
  EXPECT_EQ(formatsWithout({{D3DUSAGE_DEPTHSTENCIL, D3DRTYPE_SURFACE, D3DFMT_D16},
                            {D3DUSAGE_DEPTHSTENCIL, D3DRTYPE_SURFACE, D3DFMT_D16_LOCKABLE}}),
            (std::set<std::pair<int, std::string>>{{1, "D16 or D16_LOCKABLE as a depth buffer"}}));
}

}  // namespace level9
