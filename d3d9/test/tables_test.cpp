// SPDX-License-Identifier: MIT
// Tests the tables of states, formats and vertex types: rows are in order and found, kinds fit their
// defaults, and defaults and sizes are as the reference pages say. driver_parts.cpp and windows_numbers.cpp
// confirm the numbers.
#include <gtest/gtest.h>

#include <bit>
#include <cstring>
#include <set>
#include <string>

#include "aerogpu/d3d9/declaration.h"
#include "aerogpu/d3d9/formats.h"
#include "aerogpu/d3d9/state_values.h"
#include "aerogpu/d3d9/states.h"

namespace aerogpu::d3d9 {
namespace {

template <size_t kCount, class Find>
void checkStates(const StateInfo (&rows)[kCount], const char* prefix, Find find) {
  std::set<std::string> names;
  uint32_t last = 0;
  for (const StateInfo& row : rows) {
    EXPECT_GT(row.number, last) << row.name;
    last = row.number;
    EXPECT_EQ(find(row.number), &row) << row.name;
    EXPECT_TRUE(names.insert(row.name).second) << row.name;
    EXPECT_EQ(std::string(row.name).rfind(prefix, 0), 0u) << row.name;
    if (row.kind == StateKind::Enum) {
      EXPECT_LT(row.first, row.last) << row.name;
      EXPECT_TRUE(row.defaultValue >= row.first && row.defaultValue <= row.last) << row.name;
    } else {
      EXPECT_EQ(row.first + row.last, 0u) << row.name;
    }
    EXPECT_TRUE(row.kind != StateKind::Bool || row.defaultValue <= 1) << row.name;
  }
  EXPECT_EQ(find(last + 1), nullptr);
  EXPECT_EQ(find(0), nullptr);
  EXPECT_EQ(find(0x7FFFFFFF), nullptr) << "D3D*_FORCE_DWORD";
}

TEST(States, RowsAreInOrderAndFound) {
  checkStates(kRenderStates, "D3DRS_", findRenderState);
  checkStates(kSamplerStates, "D3DSAMP_", findSamplerState);
  checkStates(kTextureStageStates, "D3DTSS_", findTextureStageState);
  // The page D3DRENDERSTATETYPE lists 103 states, D3DRS_FORCE_DWORD aside.
  EXPECT_EQ(std::size(kRenderStates), 103u);
  EXPECT_EQ(std::size(kSamplerStates), 13u);
  EXPECT_EQ(std::size(kTextureStageStates), 18u);
}

// "The default value is ..." of the pages D3DRENDERSTATETYPE, D3DSAMPLERSTATETYPE, D3DTEXTURESTAGESTATETYPE.
TEST(States, DefaultsOfThePages) {
  const auto rs = [](RenderStateType type) { return info(type).defaultValue; };
  const auto f = [](float value) { return std::bit_cast<uint32_t>(value); };
  EXPECT_EQ(rs(RenderStateType::FillMode), static_cast<uint32_t>(FillMode::Solid));
  EXPECT_EQ(rs(RenderStateType::ShadeMode), static_cast<uint32_t>(ShadeMode::Gouraud));
  EXPECT_EQ(rs(RenderStateType::CullMode), static_cast<uint32_t>(CullMode::Ccw));
  EXPECT_EQ(rs(RenderStateType::ZFunc), static_cast<uint32_t>(CompareFunc::LessEqual));
  EXPECT_EQ(rs(RenderStateType::AlphaFunc), static_cast<uint32_t>(CompareFunc::Always));
  EXPECT_EQ(rs(RenderStateType::SrcBlend), static_cast<uint32_t>(Blend::One));
  EXPECT_EQ(rs(RenderStateType::DestBlend), static_cast<uint32_t>(Blend::Zero));
  EXPECT_EQ(rs(RenderStateType::BlendOp), static_cast<uint32_t>(BlendOp::Add));
  EXPECT_EQ(rs(RenderStateType::StencilPass), static_cast<uint32_t>(StencilOp::Keep));
  EXPECT_EQ(rs(RenderStateType::StencilMask), 0xFFFFFFFFu);
  EXPECT_EQ(rs(RenderStateType::TextureFactor), 0xFFFFFFFFu);
  EXPECT_EQ(rs(RenderStateType::FogEnd), f(1));
  EXPECT_EQ(rs(RenderStateType::FogDensity), f(1));
  EXPECT_EQ(rs(RenderStateType::PointSizeMin), f(1));
  EXPECT_EQ(rs(RenderStateType::PointSizeMax), f(64));
  EXPECT_EQ(rs(RenderStateType::PointScaleA), f(1));
  EXPECT_EQ(rs(RenderStateType::AdaptiveTessZ), f(1));
  EXPECT_EQ(rs(RenderStateType::ColorWriteEnable), 0xFu);
  EXPECT_EQ(rs(RenderStateType::BlendFactor), 0xFFFFFFFFu);
  for (const auto type : {RenderStateType::ZWriteEnable, RenderStateType::LastPixel,
                          RenderStateType::Clipping, RenderStateType::Lighting, RenderStateType::ColorVertex,
                          RenderStateType::LocalViewer, RenderStateType::MultisampleAntialias})
    EXPECT_EQ(rs(type), 1u) << info(type).name;
  EXPECT_EQ(info(SamplerStateType::AddressW).defaultValue, static_cast<uint32_t>(TextureAddress::Wrap));
  EXPECT_EQ(info(SamplerStateType::MinFilter).defaultValue, static_cast<uint32_t>(TextureFilter::Point));
  EXPECT_EQ(info(SamplerStateType::MipFilter).defaultValue, static_cast<uint32_t>(TextureFilter::None));
  EXPECT_EQ(info(SamplerStateType::MaxAnisotropy).defaultValue, 1u);
}

TEST(States, TextureStagesDifferInTheFirst) {
  using T = TextureStageStateType;
  EXPECT_EQ(textureStageDefault(T::ColorOp, 0), 4u) << "D3DTOP_MODULATE";
  EXPECT_EQ(textureStageDefault(T::ColorOp, 1), 1u) << "D3DTOP_DISABLE";
  EXPECT_EQ(textureStageDefault(T::AlphaOp, 0), 2u) << "D3DTOP_SELECTARG1";
  EXPECT_EQ(textureStageDefault(T::AlphaOp, 7), 1u);
  EXPECT_EQ(textureStageDefault(T::TexCoordIndex, 5), 5u);
  EXPECT_EQ(textureStageDefault(T::ColorArg1, 0), 2u) << "D3DTA_TEXTURE";
  EXPECT_EQ(textureStageDefault(T::Constant, 3), 0xFFFFFFFFu) << "D3DTA, D3DTA_CONSTANT";
}

TEST(Formats, RowsAreUniqueAndFound) {
  std::set<uint32_t> numbers;
  for (const FormatInfo& row : kFormats) {
    EXPECT_TRUE(numbers.insert(static_cast<uint32_t>(row.format)).second) << row.name;
    EXPECT_EQ(findFormat(static_cast<uint32_t>(row.format)), &row) << row.name;
  }
  EXPECT_EQ(findFormat(72), nullptr);
  EXPECT_EQ(findFormat(fourCc('N', 'V', '1', '2')), nullptr);
}

/// Adds up the digits in a format's name: the bits of all channels, X included.
uint32_t bitsByName(const char* name) {
  uint32_t bits = 0;
  for (const char* c = name; *c && *c != '_'; ++c)
    if (std::isdigit(static_cast<unsigned char>(*c))) {
      bits += static_cast<uint32_t>(std::strtoul(c, nullptr, 10));
      while (std::isdigit(static_cast<unsigned char>(c[1]))) ++c;
    }
  return bits;
}

TEST(Formats, BytesAreThoseOfTheNames) {
  for (const FormatInfo& row : kFormats) {
    const std::string name = std::string(row.name).substr(7);
    if (row.blockBytes == 0 || name.starts_with("DXT") || name == "UYVY" || name == "YUY2") continue;
    // Two pixels share a pair of colours in the formats that name four channels twice.
    const bool pair = name == "R8G8_B8G8" || name == "G8R8_G8B8";
    EXPECT_EQ(row.blockBytes * 8u / row.blockWidth, bitsByName(name.c_str())) << row.name;
    EXPECT_EQ(row.blockWidth, pair ? 2 : name == "A1" ? 8 : 1) << row.name;
    EXPECT_EQ(row.blockHeight, 1) << row.name;
  }
  // A block of DXT1 is 4 x 4 pixels in 64 bits, a block of the other formats is in 128 ("Opaque and 1-Bit
  // Alpha Textures", "Textures with Alpha Channels").
  EXPECT_EQ(findFormat(fourCc('D', 'X', 'T', '1'))->blockBytes, 8);
  for (const char version : {'2', '3', '4', '5'}) {
    const FormatInfo* dxt = findFormat(fourCc('D', 'X', 'T', version));
    ASSERT_NE(dxt, nullptr);
    EXPECT_EQ(dxt->blockBytes, 16);
    EXPECT_EQ(dxt->blockWidth * dxt->blockHeight, 16);
  }
}

TEST(DeclTypes, BytesAreThoseOfTheNames) {
  for (uint32_t i = 0; i < kDeclTypeCount; ++i) {
    EXPECT_EQ(static_cast<uint32_t>(kDeclTypes[i].type), i) << kDeclTypes[i].name;
    EXPECT_EQ(findDeclType(i), &kDeclTypes[i]);
    const std::string name = std::string(kDeclTypes[i].name).substr(12);
    const uint32_t component = name.starts_with("FLOAT16")               ? 2
                               : name.starts_with("FLOAT")               ? 4
                               : name.find("SHORT") != std::string::npos ? 2
                               : name.find("BYTE") != std::string::npos  ? 1
                                                                         : 0;
    if (component)
      EXPECT_EQ(kDeclTypes[i].bytes, kDeclTypes[i].components * component) << name;
    else
      EXPECT_EQ(kDeclTypes[i].bytes, 4) << name;  // D3DCOLOR, and three times ten bits
  }
  EXPECT_EQ(findDeclType(17), nullptr) << "D3DDECLTYPE_UNUSED";
}

}  // namespace
}  // namespace aerogpu::d3d9
