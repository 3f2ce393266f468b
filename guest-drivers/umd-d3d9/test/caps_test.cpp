// SPDX-License-Identifier: MIT
// Tests GetCaps on a device with a capability block: the published tables for level 9, and that every kind of resource
// that is announced can be made, on devices of many sorts. Sources: pages "Required Direct3D 9 capabilities", "Required
// DXGI formats", "FORMATOP", "DDRAW_CAPS", "D3DHAL_GLOBALDRIVERDATA".
#include <algorithm>
#include <bit>
#include <random>

#include "guest-drivers/umd-d3d9/adapter/legacy_caps.h"
#include "guest-drivers/umd-d3d9/adapter/level9_lacks.h"
#include "guest-drivers/umd-d3d9/test/caps_fixture.h"

namespace aero::test {

/** Checks FORMATOP's rules, and that everything announced can be made. */
void UmdCaps::expectAllIsMade() {
  std::set<uint32_t> seen;
  for (const FORMATOP &row : formats()) {
    const uint32_t ops = row.Operations;
    SCOPED_TRACE(row.Format);
    EXPECT_TRUE(seen.insert(row.Format).second) << "twice";
    EXPECT_NE(ops, 0u);
    const bool shown = row.Format == D3DDDIFMT_X8R8G8B8 || row.Format == D3DDDIFMT_R5G6B5;
    EXPECT_TRUE(shown || !(ops & (FORMATOP_DISPLAYMODE | FORMATOP_3DACCELERATION)));
    // Page "Reporting Support for 2D Operations Using Surface Formats": with one other format there is no HAL.
    constexpr D3DDDIFORMAT kGroup[] = {D3DDDIFMT_A8R8G8B8,     D3DDDIFMT_X8R8G8B8,     D3DDDIFMT_R5G6B5,
                                       D3DDDIFMT_X1R5G5B5,     D3DDDIFMT_A1R5G5B5,     D3DDDIFMT_A2B10G10R10,
                                       D3DDDIFMT_A8B8G8R8,     D3DDDIFMT_X8B8G8R8,     D3DDDIFMT_A2R10G10B10,
                                       D3DDDIFMT_A16B16G16R16, D3DDDIFMT_A16B16G16R16F};
    const bool canBeMember = std::count(std::begin(kGroup), std::end(kGroup), row.Format);
    const bool isFourCc = static_cast<uint32_t>(row.Format) > 0xFFFF;
    EXPECT_TRUE(canBeMember || !(ops & FORMATOP_MEMBEROFGROUP_ARGB));
    EXPECT_TRUE(canBeMember || isFourCc || !(ops & FORMATOP_CONVERT_TO_ARGB));
    EXPECT_EQ(!(ops & FORMATOP_OFFSCREEN_RENDERTARGET), !(ops & FORMATOP_SAME_FORMAT_RENDERTARGET));
    if (ops & FORMATOP_ZSTENCIL_WITH_ARBITRARY_COLOR_DEPTH) {
      EXPECT_TRUE(ops & FORMATOP_ZSTENCIL);
    }
    EXPECT_TRUE(!row.FlipMsTypes || row.FlipMsTypes == row.BltMsTypes);

    const uint32_t texture = Program::texture();
    const bool oneLevel = ops & FORMATOP_NOTEXCOORDWRAPNORMIP;
    EXPECT_EQ(make(row, texture, oneLevel ? 1 : 5) == 0, (ops & FORMATOP_TEXTURE) != 0);
    if (oneLevel) {
      EXPECT_EQ(make(row, texture, 2), kNotAvailable);
    }
    if (ops & FORMATOP_CUBETEXTURE) {
      EXPECT_EQ(make(row, Program::cube(), 5, 6), 0);
    }
    EXPECT_EQ(make(row, texture | Program::volume(), 5, 1, 4) == 0, (ops & FORMATOP_VOLUMETEXTURE) != 0);
    const bool target = ops & FORMATOP_OFFSCREEN_RENDERTARGET, depth = ops & FORMATOP_ZSTENCIL;
    EXPECT_EQ(make(row, Program::target()) == 0, target);
    if (target && ops & FORMATOP_TEXTURE) {
      EXPECT_EQ(make(row, Program::target() | texture, 5), 0);
    }
    EXPECT_EQ(make(row, Program::depth()) == 0, depth);
    EXPECT_EQ(make(row, texture | Program::autogen()) == 0, (ops & FORMATOP_AUTOGENMIPMAP) != 0);
    if (ops & FORMATOP_OFFSCREENPLAIN) {
      EXPECT_EQ(make(row, 0), 0);
    }

    // Page "DDPIXELFORMAT": bit n - 1 of the masks is n samples, bit 0 NONMASKABLE, and each has a quality level.
    uint32_t counts = 0;
    for (uint32_t samples = 2; samples <= 16; samples++) {
      const bool has = row.BltMsTypes >> (samples - 1) & 1;
      counts += has;
      EXPECT_EQ(levels(row.Format, samples), has ? 1u : 0u) << samples;
      EXPECT_EQ(levels(row.Format, samples, true), row.FlipMsTypes >> (samples - 1) & 1) << samples;
      EXPECT_EQ(make(row, depth ? Program::depth() : Program::target(), 1, 1, 0, samples) == 0, has) << samples;
      if (has && shown) {
        EXPECT_EQ(make(row, Program::target() | Program::primary(), 1, 1, 0, samples), 0) << samples;
      }
    }
    EXPECT_EQ(row.BltMsTypes & 1, counts ? 1u : 0u);
    EXPECT_TRUE(!counts || target || depth);
    EXPECT_EQ(levels(row.Format, D3DDDIMULTISAMPLE_NONE), 1u);
    EXPECT_EQ(levels(row.Format, D3DDDIMULTISAMPLE_NONMASKABLE), counts);
    EXPECT_EQ(levels(row.Format, D3DDDIMULTISAMPLE_NONMASKABLE, true), row.FlipMsTypes ? counts : 0);
    for (uint32_t quality = 0; quality < 6; quality++)
      EXPECT_EQ(make(row, depth ? Program::depth() : Program::target(), 1, 1, 0, 1, quality) == 0, quality < counts);
  }
}

namespace {

TEST_F(UmdCaps, WhatIsAnnouncedIsMade) {
  start(wholeBlock());
  EXPECT_GE(formats().size(), 40u);
  expectAllIsMade();
}

TEST_F(UmdCaps, ADeviceWithoutExtensionsHasTheFormatsOfItsAbi) {
  start({}, 0);
  constexpr auto kNull = static_cast<D3DDDIFORMAT>('N' | 'U' << 8 | 'L' << 16 | 'L' << 24);
  constexpr D3DDDIFORMAT kFormats[] = {D3DDDIFMT_A8R8G8B8,
                                       D3DDDIFMT_X8R8G8B8,
                                       D3DDDIFMT_R5G6B5,
                                       D3DDDIFMT_A1R5G5B5,
                                       D3DDDIFMT_A8B8G8R8,
                                       D3DDDIFMT_X8B8G8R8,
                                       D3DDDIFMT_DXT1,
                                       D3DDDIFMT_DXT2,
                                       D3DDDIFMT_DXT3,
                                       D3DDDIFMT_DXT4,
                                       D3DDDIFMT_DXT5,
                                       D3DDDIFMT_D24S8,
                                       D3DDDIFMT_D24X8,
                                       D3DDDIFMT_D16,
                                       D3DDDIFMT_D32F_LOCKABLE,
                                       D3DDDIFMT_D24FS8,
                                       kNull};
  EXPECT_EQ(formats().size(), std::size(kFormats));
  for (const D3DDDIFORMAT format : kFormats) EXPECT_NE(operations(format), 0u) << format;
  for (const FORMATOP &row : formats()) {
    EXPECT_EQ(row.BltMsTypes, 0u);
    EXPECT_FALSE(row.Operations & (FORMATOP_VOLUMETEXTURE | FORMATOP_AUTOGENMIPMAP));
  }
  const D3DCAPS9 c = caps<D3DCAPS9>(D3DDDICAPS_GETD3D9CAPS);
  EXPECT_EQ(c.MaxVolumeExtent, 0u);
  EXPECT_EQ(c.TextureCaps & D3DPTEXTURECAPS_VOLUMEMAP, 0u);
  EXPECT_EQ(c.Caps2 & (D3DCAPS2_CANAUTOGENMIPMAP | D3DCAPS2_FULLSCREENGAMMA), 0u);
  expectAllIsMade();
}

// Whatever the block says about formats, the driver announces no more, and can make all that it announces.
TEST_F(UmdCaps, DevicesOfEverySort) {
  std::mt19937 random(4711);
  const std::vector<uint8_t> whole = wholeBlock();
  for (int round = 0; round < 40; round++) {
    SCOPED_TRACE(round);
    const uint32_t features = kAll & ~(round % 4 ? random() & random() : 0u);
    start(changedFormats(whole,
                         [&](aerogpu_format_caps &entry) {
                           entry.caps &= random() | random();
                           if (random() % 8 == 0) entry.caps = 0;
                           entry.samples &= random() | 1;
                         }),
          features | AEROGPU_EXT_FEATURE_HI_CAPS);
    expectAllIsMade();
    const D3DCAPS9 c = caps<D3DCAPS9>(D3DDDICAPS_GETD3D9CAPS);
    const std::vector<FORMATOP> list = formats();
    const auto any = [&](uint32_t op) {
      return std::any_of(list.begin(), list.end(), [op](const FORMATOP &row) { return row.Operations & op; });
    };
    EXPECT_EQ((c.TextureCaps & D3DPTEXTURECAPS_VOLUMEMAP) != 0, any(FORMATOP_VOLUMETEXTURE));
    EXPECT_EQ((c.Caps2 & D3DCAPS2_CANAUTOGENMIPMAP) != 0, any(FORMATOP_AUTOGENMIPMAP));
    // Bump maps need formats, and the matrices of EXT_SET_TEXTURE_STAGE.
    EXPECT_EQ((c.TextureOpCaps & D3DTEXOPCAPS_BUMPENVMAP) != 0, (operations(D3DDDIFMT_V8U8) & FORMATOP_BUMPMAP) != 0);
    EXPECT_TRUE(!any(FORMATOP_BUMPMAP) || features & AEROGPU_EXT_FEATURE_HI_STATES);
    stop();
  }
}

TEST_F(UmdCaps, LimitsAreTheDevices) {
  std::vector<uint8_t> block = wholeBlock();
  aerogpu_caps limits = limitsOf(block);
  limits.max_texture_2d = 4096;
  limits.max_texture_cube = 1024;
  limits.max_texture_volume = 256;
  limits.max_anisotropy = 4;
  limits.max_color_targets = 2;
  limits.max_point_size_f32 = std::bit_cast<uint32_t>(128.0f);
  limits.missing_vertex_types = 1u << 16;  // FLOAT16_4
  limits.flags &= ~AEROGPU_CAPS_MIRROR_ONCE;
  memcpy(block.data(), &limits, sizeof limits);
  start(block);
  const D3DCAPS9 c = caps<D3DCAPS9>(D3DDDICAPS_GETD3D9CAPS);
  EXPECT_EQ(c.MaxTextureWidth, 4096u);
  EXPECT_EQ(c.MaxTextureHeight, 4096u);
  EXPECT_EQ(c.MaxVolumeExtent, 256u);
  EXPECT_EQ(c.MaxAnisotropy, 4u);
  EXPECT_EQ(c.NumSimultaneousRTs, 2u);
  EXPECT_EQ(c.MaxPointSize, 128.0f);
  EXPECT_FALSE(c.DeclTypes & D3DDTCAPS_FLOAT16_4);
  EXPECT_TRUE(c.DeclTypes & D3DDTCAPS_FLOAT16_2);
  EXPECT_FALSE(c.TextureAddressCaps & D3DPTADDRESSCAPS_MIRRORONCE);
  HANDLE made;
  const auto kind = [&](uint32_t flags, Program::Kind what) {
    const HRESULT result = p.tryKind(D3DDDIFMT_A8R8G8B8, what, flags, made);
    if (made) p.destroy(made);
    return result;
  };
  EXPECT_EQ(kind(Program::texture(), {4096, 1, 0, 13}), 0);
  EXPECT_EQ(kind(Program::texture(), {4097, 1}), kNotAvailable);
  EXPECT_EQ(kind(Program::cube(), {1025, 1025, 0, 1, 6}), kNotAvailable);
  EXPECT_EQ(kind(Program::texture() | Program::volume(), {1, 1, 256, 9}), 0);
  EXPECT_EQ(kind(Program::texture() | Program::volume(), {1, 1, 257}), kNotAvailable);
  EXPECT_EQ(kind(Program::texture() | Program::volume(), {8, 8, 4, 5}), kNotAvailable) << "more levels than halvings";
}

// docs/abi/driver-data.md PRIV-30: the kernel driver makes the texture of a shared resource, in each format of the
// block.
TEST_F(UmdCaps, WhatIsOfferedIsSharedAsWhatItIs) {
  kernel.spaces = true;
  start(wholeBlock());
  size_t extended = 0;
  for (const FORMATOP &row : formats()) {
    SCOPED_TRACE(row.Format);
    const bool depth = row.Operations & FORMATOP_ZSTENCIL;
    if (depth || !(row.Operations & FORMATOP_TEXTURE)) continue;
    // "ATI1" and "ATI2", whose pitch runtime and device count in different ways, "NULL", which has no pixels, and
    // "UYVY" and "YUY2", which their device converts, are never shared.
    constexpr uint32_t kAlone[] = {0x31495441, 0x32495441, 0x4C4C554E, 0x59565955, 0x32595559};
    if (std::count(std::begin(kAlone), std::end(kAlone), static_cast<uint32_t>(row.Format))) continue;
    rt.takePackets();
    HANDLE shared = nullptr;
    ASSERT_EQ(p.tryResource(row.Format, 16, 16, Program::texture() | Program::shared(), shared), 0);
    EXPECT_EQ(rt.takePackets(AEROGPU_CMD_IMPORT_SHARED_SURFACE).size(), 1u);
    aerogpu_wddm_alloc_priv_v2 priv;
    memcpy(&priv, kernel.allocations.rbegin()->second.priv.data(), sizeof priv);
    EXPECT_EQ(priv.format, static_cast<uint32_t>(row.Format)) << "what the kernel driver makes";
    p.destroy(shared);
    // Numbers of FMT-1: half and single floats, the ten-bit ones, luminance.
    for (const uint32_t number : {113u, 116u, 35u, 50u}) extended += static_cast<uint32_t>(row.Format) == number;
  }
  EXPECT_EQ(extended, 4u);
}

// Another component wrote the block, so the driver does not trust its sizes: it reads nothing after its end (CAPS-2,
// CAPS-5).
TEST_F(UmdCaps, BlocksThatAreNone) {
  const std::vector<uint8_t> whole = wholeBlock();
  const auto formatsOf = [&](std::vector<uint8_t> block) {
    start(std::move(block));
    const size_t count = formats().size();
    stop();
    return count;
  };
  const size_t old = formatsOf({}), all = formatsOf(whole);
  EXPECT_GT(all, old);
  for (size_t bytes = 0; bytes < whole.size(); bytes += 7) {
    const size_t count = formatsOf({whole.begin(), whole.begin() + static_cast<ptrdiff_t>(bytes)});
    EXPECT_LE(count, all) << bytes;
  }
  const auto with = [&](uint32_t aerogpu_caps::*member, uint32_t value) {
    std::vector<uint8_t> block = whole;
    aerogpu_caps caps = limitsOf(block);
    caps.*member = value;
    memcpy(block.data(), &caps, sizeof caps);
    return formatsOf(block);
  };
  EXPECT_EQ(with(&aerogpu_caps::magic, 0), old);
  EXPECT_EQ(with(&aerogpu_caps::version, 1), old) << "formats came with version 2";
  EXPECT_EQ(with(&aerogpu_caps::version, 9), all) << "a later version appends";
  EXPECT_EQ(with(&aerogpu_caps::format_entry_bytes, 0), old);
  EXPECT_EQ(with(&aerogpu_caps::format_entry_bytes, 15), old);
  EXPECT_EQ(with(&aerogpu_caps::formats_offset, 0xFFFFFFFF), old);
  EXPECT_EQ(with(&aerogpu_caps::struct_bytes, 0xFFFFFFFF), all) << "what this driver does not know is not looked at";
  EXPECT_EQ(with(&aerogpu_caps::struct_bytes, 15), old) << "less than what every version has";
  EXPECT_LE(with(&aerogpu_caps::format_count, 0xFFFFFFFF), all);
}

// Page "Required Direct3D 9 capabilities", its three tables.
TEST_F(UmdCaps, Level9Capabilities) {
  start(wholeBlock());
  const D3DCAPS9 c = caps<D3DCAPS9>(D3DDDICAPS_GETD3D9CAPS);
  const auto has = [](DWORD value, DWORD bits) { return (value & bits) == bits; };
  // 9_1
  EXPECT_TRUE(has(c.Caps2, D3DCAPS2_DYNAMICTEXTURES | D3DCAPS2_FULLSCREENGAMMA));
  EXPECT_EQ(c.PresentationIntervals, D3DPRESENT_INTERVAL_IMMEDIATE | D3DPRESENT_INTERVAL_ONE)
      << "the kernel driver's FlipInterval is 0";
  EXPECT_TRUE(has(c.PrimitiveMiscCaps, D3DPMISCCAPS_COLORWRITEENABLE));
  EXPECT_TRUE(has(c.ShadeCaps, D3DPSHADECAPS_ALPHAGOURAUDBLEND | D3DPSHADECAPS_COLORGOURAUDRGB |
                                   D3DPSHADECAPS_FOGGOURAUD | D3DPSHADECAPS_SPECULARGOURAUDRGB));
  constexpr DWORD kFilters =
      D3DPTFILTERCAPS_MINFLINEAR | D3DPTFILTERCAPS_MINFPOINT | D3DPTFILTERCAPS_MAGFLINEAR | D3DPTFILTERCAPS_MAGFPOINT;
  EXPECT_TRUE(has(c.TextureFilterCaps, kFilters));
  EXPECT_TRUE(has(c.StretchRectFilterCaps, kFilters));
  EXPECT_TRUE(has(c.TextureCaps, D3DPTEXTURECAPS_ALPHA | D3DPTEXTURECAPS_CUBEMAP | D3DPTEXTURECAPS_MIPMAP |
                                     D3DPTEXTURECAPS_PERSPECTIVE));
  EXPECT_EQ(!(c.TextureCaps & D3DPTEXTURECAPS_POW2), !(c.TextureCaps & D3DPTEXTURECAPS_NONPOW2CONDITIONAL));
  EXPECT_TRUE(has(c.TextureAddressCaps, D3DPTADDRESSCAPS_CLAMP | D3DPTADDRESSCAPS_INDEPENDENTUV |
                                            D3DPTADDRESSCAPS_MIRROR | D3DPTADDRESSCAPS_WRAP));
  EXPECT_TRUE(has(c.TextureOpCaps,
                  D3DTEXOPCAPS_DISABLE | D3DTEXOPCAPS_MODULATE | D3DTEXOPCAPS_SELECTARG1 | D3DTEXOPCAPS_SELECTARG2));
  EXPECT_TRUE(has(c.SrcBlendCaps, D3DPBLENDCAPS_INVDESTALPHA | D3DPBLENDCAPS_INVDESTCOLOR | D3DPBLENDCAPS_INVSRCALPHA |
                                      D3DPBLENDCAPS_ONE | D3DPBLENDCAPS_SRCALPHA | D3DPBLENDCAPS_ZERO));
  EXPECT_TRUE(has(c.DestBlendCaps, D3DPBLENDCAPS_ONE | D3DPBLENDCAPS_INVSRCALPHA | D3DPBLENDCAPS_INVSRCCOLOR |
                                       D3DPBLENDCAPS_SRCALPHA | D3DPBLENDCAPS_ZERO));
  EXPECT_TRUE(has(c.ZCmpCaps, D3DPCMPCAPS_ALWAYS | D3DPCMPCAPS_LESSEQUAL));
  EXPECT_TRUE(has(c.RasterCaps, D3DPRASTERCAPS_DEPTHBIAS | D3DPRASTERCAPS_SLOPESCALEDEPTHBIAS));
  EXPECT_TRUE(has(c.StencilCaps, D3DSTENCILCAPS_TWOSIDED));
  EXPECT_GE(c.MaxSimultaneousTextures, 8u);
  EXPECT_GE(c.MaxTextureBlendStages, 8u);
  EXPECT_GE(c.MaxVolumeExtent, 256u);
  // 9_2
  EXPECT_TRUE(has(c.PrimitiveMiscCaps, D3DPMISCCAPS_SEPARATEALPHABLEND));
  EXPECT_TRUE(has(c.DevCaps2, D3DDEVCAPS2_VERTEXELEMENTSCANSHARESTREAMOFFSET));
  EXPECT_TRUE(has(c.TextureAddressCaps, D3DPTADDRESSCAPS_MIRRORONCE));
  EXPECT_TRUE(has(c.VolumeTextureAddressCaps, D3DPTADDRESSCAPS_MIRRORONCE));
  EXPECT_GE(c.MaxAnisotropy, 16u);
  EXPECT_GE(c.MaxPrimitiveCount, 1048575u);
  EXPECT_GE(c.MaxVertexIndex, 1048575u);
  EXPECT_GE(c.MaxVertexW, 1e10f);
  // 9_3
  EXPECT_TRUE(has(c.PS20Caps.Caps, D3DPS20CAPS_GRADIENTINSTRUCTIONS));
  EXPECT_TRUE(has(c.PrimitiveMiscCaps, D3DPMISCCAPS_INDEPENDENTWRITEMASKS | D3DPMISCCAPS_MRTPOSTPIXELSHADERBLENDING));
  EXPECT_TRUE(has(c.TextureAddressCaps, D3DPTADDRESSCAPS_BORDER));
  EXPECT_GE(c.MaxTextureWidth, 4096u);
  EXPECT_GE(c.MaxTextureHeight, 4096u);
  EXPECT_TRUE(!c.MaxTextureRepeat || c.MaxTextureRepeat >= 8192);
  EXPECT_GE(c.NumSimultaneousRTs, 4u);
  EXPECT_GE(c.PS20Caps.NumInstructionSlots, 512);
  EXPECT_GE(c.PS20Caps.NumTemps, 32);
  EXPECT_GE(c.VS20Caps.NumTemps, 32);
  EXPECT_GE(c.MaxVertexShaderConst, 256u);
  EXPECT_GE(c.VertexShaderVersion, 0xFFFE0300u);
  EXPECT_GE(c.PixelShaderVersion, 0xFFFF0200u);
}

// The line of the log for first boots agrees with what Direct3D would answer: it names the level below the first
// requirement that is taken away.
TEST_F(UmdCaps, TheLevelThatIsReachedIsDescribed) {
  const auto described = [&](std::vector<uint8_t> block) {
    start(std::move(block));
    CallText text;
    describeLevel9(text, *Adapter::from(rt.adapter));
    std::string out = text.ended();
    stop();
    return out;
  };
  const std::vector<uint8_t> whole = wholeBlock();
  EXPECT_EQ(described(whole), "level 9_3: all rows of the tables are met");
  const auto without = [&](uint32_t format, uint32_t cap) {
    return described(changedFormats(whole, [=](aerogpu_format_caps &entry) {
      if (entry.format == format) entry.caps &= ~cap;
    }));
  };
  EXPECT_EQ(without(AEROGPU_FORMAT_D3D9_L8, AEROGPU_FORMAT_CAP_VOLUME),
            "level 9_1 is not met, 1 missing: L8 as a volume texture");
  EXPECT_EQ(without(AEROGPU_FORMAT_D3D9_L16, AEROGPU_FORMAT_CAP_FILTER),
            "level 9_2 is not met, 1 missing: L16 filtered");
  EXPECT_EQ(without(AEROGPU_FORMAT_D3D9_A16B16G16R16F, AEROGPU_FORMAT_CAP_BLEND),
            "level 9_3 is not met, 1 missing: A16B16G16R16F as a target with blending");
  std::vector<uint8_t> narrow = whole;
  aerogpu_caps limits = limitsOf(narrow);
  limits.max_anisotropy = 4;
  memcpy(narrow.data(), &limits, sizeof limits);
  EXPECT_EQ(described(narrow), "level 9_2 is not met, 1 missing: MaxAnisotropy of 16");
}

// Page "Required DXGI formats": the operations that each D3DDDIFMT needs up to level 9_3, by that page's second table.
TEST_F(UmdCaps, Level9Formats) {
  start(wholeBlock());
  enum Need : uint32_t {
    T = FORMATOP_TEXTURE,
    V = FORMATOP_VOLUMETEXTURE,
    C = FORMATOP_CUBETEXTURE,
    R = FORMATOP_OFFSCREEN_RENDERTARGET,
  };
  enum Without : uint32_t { F = FORMATOP_NOFILTER, B = FORMATOP_NOALPHABLEND, M = FORMATOP_NOTEXCOORDWRAPNORMIP };
  static constexpr struct {
    D3DDDIFORMAT format;
    uint32_t needs, without;
  } kRows[] = {
      {D3DDDIFMT_A32B32G32R32F, T | V | C | R, M},
      {D3DDDIFMT_A16B16G16R16F, T | V | C | R, M | B},
      {D3DDDIFMT_A16B16G16R16, T | V | C | R, M | F},
      {D3DDDIFMT_G32R32F, T | V | C | R, 0},
      {D3DDDIFMT_A8R8G8B8, T | V | C | R | FORMATOP_SRGBREAD | FORMATOP_SRGBWRITE, M | F | B},
      {D3DDDIFMT_Q8W8V8U8, T | C, M | F},
      {D3DDDIFMT_X8R8G8B8, T | V | C | R | FORMATOP_SRGBREAD | FORMATOP_SRGBWRITE, M | F | B},
      {D3DDDIFMT_G16R16F, T | V | C | R, M},
      {D3DDDIFMT_G16R16, T | V | C | R, M | F},
      {D3DDDIFMT_V16U16, T | V | C, M | F},
      {D3DDDIFMT_R32F, T | V | C | R, M},
      {D3DDDIFMT_L16, T | V | C, M | F},
      {D3DDDIFMT_V8U8, T, M | F},
      {D3DDDIFMT_L8, T | V | C, M | F},
      {D3DDDIFMT_DXT1, T | C, M | F},
      {D3DDDIFMT_DXT2, T | C, M | F},
      {D3DDDIFMT_DXT4, T | C, M | F},
      {D3DDDIFMT_D24S8, FORMATOP_ZSTENCIL, 0},
      {D3DDDIFMT_D16, FORMATOP_ZSTENCIL, 0},
  };
  for (const auto &row : kRows) {
    const uint32_t has = operations(row.format);
    EXPECT_EQ(has & row.needs, row.needs) << row.format;
    EXPECT_EQ(has & row.without, 0u) << row.format;
  }
  // IA_VERTEX_BUFFER: the types of DeclTypes; FLOAT1 to 4, D3DCOLOR and SHORT2, SHORT4 are not optional.
  constexpr DWORD kTypes = D3DDTCAPS_UBYTE4 | D3DDTCAPS_UBYTE4N | D3DDTCAPS_SHORT2N | D3DDTCAPS_SHORT4N |
                           D3DDTCAPS_FLOAT16_2 | D3DDTCAPS_FLOAT16_4;
  EXPECT_EQ(caps<D3DCAPS9>(D3DDDICAPS_GETD3D9CAPS).DeclTypes & kTypes, kTypes);
}

// The bits are those of D3D9On12 (include/9on12Caps.h), in what a runtime of Direct3D 8 gets too. PRIV-31: the user can
// turn them off.
TEST_F(UmdCaps, TheDriverAllocatesBuffersUnlessToldNotTo) {
  constexpr DWORD kBuffers = 0x02000000 | 0x04000000;
  for (const bool off : {false, true}) {
    kernel.noBuffers = off;
    start(wholeBlock());
    EXPECT_EQ(caps<D3DCAPS9>(D3DDDICAPS_GETD3D9CAPS).DevCaps & kBuffers, off ? 0 : kBuffers);
    EXPECT_EQ(caps<D3DCAPS9>(D3DDDICAPS_GETD3D8CAPS).DevCaps & kBuffers, off ? 0 : kBuffers);
    EXPECT_EQ(caps<GlobalDriverData>(D3DDDICAPS_GETD3D3CAPS).device.deviceCaps & kBuffers, 0u);
    stop();
  }
}

// What D3D9On12 announces too (include/9on12Caps.h), as far as this device does it.
TEST_F(UmdCaps, WhatTheDeviceDoesIsAnnounced) {
  start(wholeBlock());
  const D3DCAPS9 c = caps<D3DCAPS9>(D3DDDICAPS_GETD3D9CAPS);
  constexpr DWORD kMemory =
      D3DDEVCAPS_TEXTURESYSTEMMEMORY | D3DDEVCAPS_TEXTURENONLOCALVIDMEM | D3DDEVCAPS_CANBLTSYSTONONLOCAL;
  EXPECT_EQ(c.DevCaps & kMemory, kMemory);
  constexpr DWORD kMisc = D3DPMISCCAPS_POSTBLENDSRGBCONVERT | D3DPMISCCAPS_FOGINFVF;
  EXPECT_EQ(c.PrimitiveMiscCaps & kMisc, kMisc);
  EXPECT_EQ(c.Caps3 & D3DCAPS3_LINEAR_TO_SRGB_PRESENTATION, 0u) << "presents are the kernel driver's, which does not";
}

TEST_F(UmdCaps, RuntimesBeforeDirect3D9) {
  start(wholeBlock());
  const D3DCAPS9 c = caps<D3DCAPS9>(D3DDDICAPS_GETD3D9CAPS);

  const DDRAW_CAPS draw = caps<DDRAW_CAPS>(D3DDDICAPS_DDRAW);
  EXPECT_EQ(draw.CKeyCaps, 3u) << "DDRAW_CKEYCAPS_SRCBLT, DDRAW_CKEYCAPS_DESTBLT";
  EXPECT_EQ(draw.MaxVideoPorts, 0u);
  EXPECT_EQ(draw.Caps2 & 0x10, 0x10u) << "DDRAW_CAPS2_DYNAMICTEXTURES";
  EXPECT_EQ(draw.FxCaps, 3u) << "both mirrors";
  EXPECT_EQ(draw.Caps, 7u) << "DDRAW_CAPS_ZBLTS, DDRAW_CAPS_COLORKEY, DDRAW_CAPS_BLTDEPTHFILL";

  DDRAW_MODE_SPECIFIC_CAPS mode;
  memset(&mode, 0x5A, sizeof mode);
  mode.Head = 1;
  mode = caps(D3DDDICAPS_DDRAW_MODE_SPECIFIC, mode);
  EXPECT_EQ(mode.Head, 1u) << "it is input";
  EXPECT_EQ(mode.Caps, 0x20u) << "MODE_CAPS_READSCANLINE";
  EXPECT_EQ(mode.CKeyCaps | mode.FxCaps | mode.MaxVisibleOverlays, 0u);

  const auto first = caps<GlobalDriverData>(D3DDDICAPS_GETD3D3CAPS);
  EXPECT_EQ(first.size, sizeof first);
  EXPECT_EQ(first.device.size, 172u);
  EXPECT_EQ(first.device.triangles.size, 56u);
  EXPECT_EQ(first.device.triangles.zCompare, c.ZCmpCaps);
  EXPECT_EQ(first.device.lines.alphaCompare, c.AlphaCmpCaps);
  EXPECT_EQ(first.device.triangles.textureAddress & 0xF, c.TextureAddressCaps & 0xF);
  EXPECT_TRUE(first.device.triangles.texture & 8) << "D3DPTEXTURECAPS_TRANSPARENCY";
  EXPECT_FALSE(c.TextureCaps & 8) << "Direct3D 9 has no colour keys";
  EXPECT_TRUE(first.device.triangles.raster & 0x4000) << "D3DPRASTERCAPS_ZBIAS";
  EXPECT_TRUE(first.device.renderBitDepths & 0x100) << "DDBD_32";
  // D3DDD_* of what is filled: not MAXBUFFERSIZE and MAXVERTEXCOUNT, whose zeros would count.
  EXPECT_EQ(first.device.flags, 0x1E3u);
  EXPECT_EQ(first.device.maxBufferBytes | first.device.maxVertexCount, 0u);
  EXPECT_EQ(first.device.deviceCaps & D3DDEVCAPS_PUREDEVICE, 0u) << "Direct3D 8's";
  EXPECT_EQ(first.device.depthBitDepths, 0x600u) << "DDBD_16, DDBD_24: no format has 32 bits of depth";
  EXPECT_EQ(first.textureFormatCount, 0u);
  EXPECT_EQ(first.textureFormats, nullptr);

  const auto extended = caps<ExtendedCaps>(D3DDDICAPS_GETD3D7CAPS);
  EXPECT_EQ(extended.size, 116u);
  EXPECT_EQ(extended.maxTextureWidth, c.MaxTextureWidth);
  EXPECT_EQ(extended.maxTextureBlendStages, c.MaxTextureBlendStages);
  EXPECT_EQ(extended.stencilCaps, 0xFFu) << "without TWOSIDED, which is Direct3D 9's";
  EXPECT_EQ(extended.textureOpCaps & (D3DTEXOPCAPS_MULTIPLYADD | D3DTEXOPCAPS_LERP), 0u) << "Direct3D 8's";
  EXPECT_TRUE(extended.textureOpCaps & D3DTEXOPCAPS_DOTPRODUCT3);
  EXPECT_EQ(extended.maxVertexW, c.MaxVertexW);
  EXPECT_EQ(extended.guardBandRight, c.GuardBandRight);

  D3DCAPS9 eight = {};
  D3DDDIARG_GETCAPS args = {D3DDDICAPS_GETD3D8CAPS, nullptr, &eight, offsetof(D3DCAPS9, DevCaps2)};
  EXPECT_EQ(rt.adapterFunctions.pfnGetCaps(rt.adapter, &args), 0);
  EXPECT_EQ(eight.MaxVolumeExtent, c.MaxVolumeExtent);
}

// Page "DDIGAMMACAPS".
TEST_F(UmdCaps, GammaRampsAreThoseOfTheScreen) {
  start(wholeBlock());
  EXPECT_EQ(caps<DDIGAMMACAPS>(D3DDDICAPS_GETGAMMARAMPCAPS, {99}).GammaCaps, 0u);
  EXPECT_TRUE(caps<D3DCAPS9>(D3DDDICAPS_GETD3D9CAPS).Caps2 & D3DCAPS2_FULLSCREENGAMMA) << "level 9 requires it";
  stop();
  start(wholeBlock(), kAll | AEROGPU_EXT_FEATURE_HI_GAMMA);
  EXPECT_EQ(caps<DDIGAMMACAPS>(D3DDDICAPS_GETGAMMARAMPCAPS).GammaCaps, UINT{GAMMA_CAP_RGB256x3x16});
  EXPECT_TRUE(caps<D3DCAPS9>(D3DDDICAPS_GETD3D9CAPS).Caps2 & D3DCAPS2_FULLSCREENGAMMA);
}

// Colour keys need the device's blits.
TEST_F(UmdCaps, WithoutBlitsThereAreNoColourKeys) {
  start(wholeBlock(), kAll & ~AEROGPU_EXT_FEATURE_HI_BLIT);
  const DDRAW_CAPS draw = caps<DDRAW_CAPS>(D3DDDICAPS_DDRAW);
  EXPECT_EQ(draw.CKeyCaps, 0u);
  EXPECT_EQ(draw.Caps, 0u);
}

// DirectDraw's runtime calls 24 bits of depth X8D24 and S8D24. Later runtimes do not know these formats.
TEST_F(UmdCaps, DirectDrawHasItsOwnFormatsOfDepth) {
  for (const UINT number : {7u, 8u, 9u}) {
    SCOPED_TRACE(number);
    rt.interfaceNumber = number;
    start(wholeBlock());
    for (const D3DDDIFORMAT format : {D3DDDIFMT_X8D24, D3DDDIFMT_S8D24})
      EXPECT_EQ((operations(format) & FORMATOP_ZSTENCIL) != 0, number == 7);
    expectAllIsMade();
    stop();
  }
}

// The header d3d8caps.h: a member has no other bits than those that Direct3D 8 defines. (Sources of the numbers: that
// header, and D3D9On12's D3D..._DX8VALID.)
TEST_F(UmdCaps, Direct3d8GetsItsOwnBits) {
  start(wholeBlock());
  const D3DCAPS9 nine = caps<D3DCAPS9>(D3DDDICAPS_GETD3D9CAPS);
  D3DCAPS9 eight = {};
  D3DDDIARG_GETCAPS args = {D3DDDICAPS_GETD3D8CAPS, nullptr, &eight, offsetof(D3DCAPS9, DevCaps2)};
  ASSERT_EQ(rt.adapterFunctions.pfnGetCaps(rt.adapter, &args), 0);
  constexpr DWORD kCanRenderWindowed = 0x00080000;
  EXPECT_TRUE(eight.Caps2 & kCanRenderWindowed);
  EXPECT_FALSE(nine.Caps2 & kCanRenderWindowed) << "Direct3D 9 has no such bit";
  EXPECT_EQ(eight.Caps2 & ~kCanRenderWindowed, nine.Caps2 & ~DWORD{D3DCAPS2_CANSHARERESOURCE});
  EXPECT_EQ(eight.Caps, DWORD{D3DCAPS_READ_SCANLINE});
  EXPECT_EQ(eight.Caps3, DWORD{D3DCAPS3_ALPHA_FULLSCREEN_FLIP_OR_DISCARD});
  EXPECT_EQ(eight.DevCaps & ~0x0FFBFFF0u, 0u);
  EXPECT_TRUE(eight.DevCaps & D3DDEVCAPS_HWTRANSFORMANDLIGHT);
  EXPECT_TRUE(eight.DevCaps & D3DDEVCAPS_PUREDEVICE);
  EXPECT_EQ(eight.PrimitiveMiscCaps & ~0x3FF6u, 0u);
  EXPECT_TRUE(eight.PrimitiveMiscCaps & D3DPMISCCAPS_BLENDOP);
  EXPECT_EQ(eight.RasterCaps & ~0x00F7F19Fu, 0u) << "no scissor test, no depth bias as a float";
  EXPECT_TRUE(eight.RasterCaps & 0x4000) << "D3DPRASTERCAPS_ZBIAS";
  EXPECT_FALSE(nine.RasterCaps & 0x4000) << "Direct3D 9 has no such bit";
  EXPECT_EQ(eight.SrcBlendCaps | eight.DestBlendCaps, 0x1FFFu) << "no blend factor";
  EXPECT_EQ(eight.StencilCaps, 0xFFu) << "not two-sided";
  EXPECT_EQ(eight.VertexProcessingCaps & ~0xFBu, 0u) << "no spherical maps";
  EXPECT_EQ(eight.VertexProcessingCaps, nine.VertexProcessingCaps & 0xFB);
  EXPECT_EQ(eight.TextureCaps, nine.TextureCaps & 0x7EDE7);
  EXPECT_EQ(eight.TextureOpCaps, nine.TextureOpCaps);
  EXPECT_EQ(eight.VertexShaderVersion, 0xFFFE0101u);
  EXPECT_EQ(eight.PixelShaderVersion, 0xFFFF0104u);
}

}  // namespace
}  // namespace aero::test
