// SPDX-License-Identifier: MIT
// The register files of shader models 1.1 to 3.0: one table. Source: the "registers" pages of each model in
// the Direct3D 9 "asm shader reference". Private to this folder.
#pragma once

#include <array>
#include <cstdint>

#include "aerogpu/d3d9/tokens.h"

namespace aerogpu::shader {

enum RegisterFlag : uint8_t {
  kValue = 1,      ///< may be an operand of arithmetic
  kResult = 2,     ///< may be the result of an instruction
  kIndexable = 4,  ///< may be addressed by a0 or aL
};

struct RegisterFile {
  d3d9::RegisterType type;
  d3d9::Stage stage;
  uint8_t firstMajor, lastMajor;
  uint16_t count;
  uint8_t flags;
  const char* name;
};

inline constexpr auto kRegisterFiles = std::to_array<RegisterFile>({
    {d3d9::RegisterType::Temp, d3d9::Stage::Vertex, 1, 3, 32, kValue | kResult, "r"},
    {d3d9::RegisterType::Input, d3d9::Stage::Vertex, 1, 2, 16, kValue, "v"},
    {d3d9::RegisterType::Input, d3d9::Stage::Vertex, 3, 3, 16, kValue | kIndexable, "v"},
    {d3d9::RegisterType::Const, d3d9::Stage::Vertex, 1, 3, 256, kValue | kIndexable, "c"},
    {d3d9::RegisterType::AddressOrTexture, d3d9::Stage::Vertex, 1, 3, 1, 0, "a"},
    {d3d9::RegisterType::RasterOut, d3d9::Stage::Vertex, 1, 2, 3, kResult, "oPos"},
    {d3d9::RegisterType::AttributeOut, d3d9::Stage::Vertex, 1, 2, 2, kResult, "oD"},
    {d3d9::RegisterType::Output, d3d9::Stage::Vertex, 1, 2, 8, kResult, "oT"},
    {d3d9::RegisterType::Output, d3d9::Stage::Vertex, 3, 3, 12, kResult | kIndexable, "o"},
    {d3d9::RegisterType::Sampler, d3d9::Stage::Vertex, 3, 3, 4, 0, "s"},
    {d3d9::RegisterType::ConstInt, d3d9::Stage::Vertex, 2, 3, 16, 0, "i"},
    {d3d9::RegisterType::ConstBool, d3d9::Stage::Vertex, 2, 3, 16, 0, "b"},
    {d3d9::RegisterType::Loop, d3d9::Stage::Vertex, 2, 3, 1, 0, "aL"},
    {d3d9::RegisterType::Label, d3d9::Stage::Vertex, 2, 3, 2048, 0, "l"},
    {d3d9::RegisterType::Predicate, d3d9::Stage::Vertex, 2, 3, 1, 0, "p"},

    {d3d9::RegisterType::Temp, d3d9::Stage::Pixel, 1, 3, 32, kValue | kResult, "r"},
    {d3d9::RegisterType::Input, d3d9::Stage::Pixel, 1, 2, 2, kValue, "v"},
    {d3d9::RegisterType::Input, d3d9::Stage::Pixel, 3, 3, 10, kValue | kIndexable, "v"},
    {d3d9::RegisterType::Const, d3d9::Stage::Pixel, 1, 3, 224, kValue, "c"},
    {d3d9::RegisterType::AddressOrTexture, d3d9::Stage::Pixel, 1, 1, 6, kValue | kResult, "t"},
    {d3d9::RegisterType::AddressOrTexture, d3d9::Stage::Pixel, 2, 2, 8, kValue, "t"},
    {d3d9::RegisterType::ColorOut, d3d9::Stage::Pixel, 2, 3, 4, kResult, "oC"},
    {d3d9::RegisterType::DepthOut, d3d9::Stage::Pixel, 2, 3, 1, kResult, "oDepth"},
    {d3d9::RegisterType::Sampler, d3d9::Stage::Pixel, 2, 3, 16, 0, "s"},
    {d3d9::RegisterType::ConstInt, d3d9::Stage::Pixel, 2, 3, 16, 0, "i"},
    {d3d9::RegisterType::ConstBool, d3d9::Stage::Pixel, 2, 3, 16, 0, "b"},
    {d3d9::RegisterType::Loop, d3d9::Stage::Pixel, 3, 3, 1, 0, "aL"},
    {d3d9::RegisterType::Misc, d3d9::Stage::Pixel, 3, 3, 2, kValue, "vPos/vFace"},
    {d3d9::RegisterType::Label, d3d9::Stage::Pixel, 2, 3, 2048, 0, "l"},
    {d3d9::RegisterType::Predicate, d3d9::Stage::Pixel, 2, 3, 1, 0, "p"},
});

/// Returns the file of a register type number in that model, or null.
inline const RegisterFile* findRegisterFile(uint32_t type, d3d9::Version v) {
  for (const RegisterFile& f : kRegisterFiles)
    if (static_cast<uint32_t>(f.type) == type && f.stage == v.stage && v.major >= f.firstMajor &&
        v.major <= f.lastMajor)
      return &f;
  return nullptr;
}

}  // namespace aerogpu::shader
