// SPDX-License-Identifier: MIT
// Parser: dcl and def instructions, and the facts about the shader that are known at the end. Source: the dcl
// and def pages of the Direct3D 9 "asm shader reference".
#include <algorithm>

#include "renderer/shader/d3d9/parser.h"

namespace aerogpu::shader {

using d3d9::RegisterType;
using d3d9::Stage;

/// Adds the inputs of ps_1_x, which declares none.
void Parser::implicitInputs() {
  for (uint8_t i = 0; i < 2; ++i) m_code->inputs.push_back({d3d9::Usage::Color, i, i, 0xF, false, false});
  for (uint8_t i = 0; i < 6; ++i) m_code->inputs.push_back({d3d9::Usage::TexCoord, i, i, 0xF, true, false});
  m_declaredInputs = 0xFF;
  m_declaredTextures = 0xFFFFFF;
  m_info.colorOutputMask = 1;  // r0
}

bool Parser::declaration() {
  uint32_t what = 0;
  if (!next(what)) return false;
  Operand reg;
  const RegisterFile* file = nullptr;
  if (!destinationOperand(reg, file)) return false;
  if (reg.relative) return fail("register cannot be indexed");
  const uint32_t usage = what & d3d9::kDclUsageMask;
  const uint32_t index = (what & d3d9::kDclUsageIndexMask) >> d3d9::kDclUsageIndexShift;
  Declaration d{static_cast<d3d9::Usage>(usage),
                static_cast<uint8_t>(index),
                static_cast<uint8_t>(reg.number),
                reg.mask,
                false,
                (reg.resultModifiers & d3d9::kCentroid) != 0};
  switch (reg.type) {
    case RegisterType::Sampler: {
      const uint32_t type = (what & d3d9::kDclSamplerMask) >> d3d9::kDclSamplerShift;
      if (type < 2 || type > 4) return fail("unknown sampler type " + std::to_string(type));
      if (m_info.samplerTypes[reg.number] != d3d9::SamplerType::Unknown)
        return fail("sampler declared twice");
      m_info.samplerTypes[reg.number] = static_cast<d3d9::SamplerType>(type);
      return true;
    }
    case RegisterType::Misc:
      return true;
    case RegisterType::AddressOrTexture:
      if (m_version.stage != Stage::Pixel) return fail("register cannot be declared");
      d.usage = d3d9::Usage::TexCoord;
      d.usageIndex = d.number;
      d.texture = true;
      return addDeclaration(m_code->inputs, d, m_declaredTextures);
    case RegisterType::Input:
      if (m_version.stage == Stage::Pixel && m_version.major < 3) {
        d.usage = d3d9::Usage::Color;
        d.usageIndex = d.number;
      }
      if (usage >= d3d9::kUsageCount) return fail("unknown usage " + std::to_string(usage));
      return addDeclaration(m_code->inputs, d, m_declaredInputs);
    case RegisterType::Output:
      if (m_version.major < 3) return fail("register cannot be declared");
      if (usage >= d3d9::kUsageCount) return fail("unknown usage " + std::to_string(usage));
      for (const Declaration& o : m_code->outputs)
        if (o.usage == d.usage && o.usageIndex == d.usageIndex) return fail("output semantic declared twice");
      return addDeclaration(m_code->outputs, d, m_declaredOutputs);
    default:
      return fail("register cannot be declared");
  }
}

/// Adds a declaration. `declared` has 4 bits a register: a component cannot be declared twice.
bool Parser::addDeclaration(std::vector<Declaration>& list, const Declaration& d, uint64_t& declared) {
  const uint64_t bits = uint64_t{d.mask} << (4 * d.number);
  if (declared & bits) return fail("register declared twice");
  // A vertex input is one attribute: a register is declared once.
  if (m_version.stage == Stage::Vertex && &list == &m_code->inputs && (declared >> (4 * d.number) & 0xF))
    return fail("register declared twice");
  declared |= bits;
  list.push_back(d);
  return true;
}

bool Parser::definitionRegister(RegisterType type, Operand& reg) {
  const RegisterFile* file = nullptr;
  if (!destinationOperand(reg, file)) return false;
  return (reg.type == type && !reg.relative) || fail("defines a wrong kind of register");
}

bool Parser::floatDefinition() {
  Operand reg;
  if (!definitionRegister(RegisterType::Const, reg)) return false;
  FloatDefinition d{reg.number, {}};
  for (uint32_t& bits : d.bits)
    if (!next(bits)) return false;
  const bool twice = m_definedFloats[reg.number / 64] >> (reg.number % 64) & 1;
  if (twice) return fail("register defined twice");
  m_definedFloats[reg.number / 64] |= uint64_t{1} << (reg.number % 64);
  m_code->floatDefinitions.push_back(d);
  return true;
}

bool Parser::intDefinition() {
  Operand reg;
  if (!definitionRegister(RegisterType::ConstInt, reg)) return false;
  for (int32_t& value : m_code->intDefinitions[reg.number]) {
    uint32_t bits = 0;
    if (!next(bits)) return false;
    value = static_cast<int32_t>(bits);
  }
  m_code->intDefined |= 1u << reg.number;
  return true;
}

bool Parser::boolDefinition() {
  Operand reg;
  uint32_t value = 0;
  if (!definitionRegister(RegisterType::ConstBool, reg) || !next(value)) return false;
  m_code->boolDefined |= 1u << reg.number;
  if (value)
    m_code->boolDefinitions |= 1u << reg.number;
  else
    m_code->boolDefinitions &= ~(1u << reg.number);
  return true;
}

bool Parser::endOfStream() {
  m_name = {};
  if (!m_blocks.empty()) return fail("a block has no end");
  if (m_inSubroutine) return fail("a subroutine has no ret");
  const auto varyings =
      std::count_if(m_code->outputs.begin(), m_code->outputs.end(), [](const Declaration& d) {
        return d.usageIndex || (d.usage != d3d9::Usage::Position && d.usage != d3d9::Usage::PointSize);
      });
  if (varyings > kMaxVaryings) return fail("more than " + std::to_string(kMaxVaryings) + " output semantics");
  if (!m_mainEnded) m_code->mainEnd = static_cast<uint32_t>(m_code->code.size());
  std::sort(m_code->floatDefinitions.begin(), m_code->floatDefinitions.end(),
            [](const FloatDefinition& a, const FloatDefinition& b) { return a.index < b.index; });
  return true;
}

void Parser::finishInfo() {
  ConstantLayout& c = m_info.constants;
  if (c.relative) {
    c.floatCount = m_version.stage == Stage::Vertex ? 256 : 224;
    c.definitions = m_code->floatDefinitions;
  } else {
    for (uint32_t n = 256; n-- > 0;) {
      const uint64_t bit = uint64_t{1} << (n % 64);
      if (!(m_floatsRead[n / 64] & ~m_definedFloats[n / 64] & bit)) continue;
      c.floatCount = n + 1;
      break;
    }
  }
  const uint32_t ints = m_intsRead & ~m_code->intDefined;
  while (ints >> c.intCount) ++c.intCount;
  c.boolMask = m_boolsRead & ~m_code->boolDefined;

  if (m_version.stage != Stage::Vertex) return;
  for (const Declaration& d : m_code->inputs)
    m_info.inputs.push_back({d.usage, d.usageIndex, d.number, d.mask});
  std::sort(m_info.inputs.begin(), m_info.inputs.end(),
            [](const Varying& a, const Varying& b) { return a.location < b.location; });
  if (m_version.major < 3)
    fixedOutputs();
  else
    declaredOutputs();
}

void Parser::addOutput(d3d9::Usage usage, uint32_t index, uint8_t mask) {
  m_info.outputs.push_back(
      {usage, static_cast<uint8_t>(index), static_cast<uint8_t>(m_info.outputs.size()), mask});
}

void Parser::fixedOutputs() {
  const uint32_t written = m_code->outputsWritten;
  m_info.writesPointSize = written >> kSlotPointSize & 1;
  for (uint32_t i = 0; i < 2; ++i)
    if (written >> (kSlotColor + i) & 1) addOutput(d3d9::Usage::Color, i, 0xF);
  for (uint32_t i = 0; i < 8; ++i)
    if (written >> (kSlotTexture + i) & 1) addOutput(d3d9::Usage::TexCoord, i, 0xF);
  if (written >> kSlotFog & 1) addOutput(d3d9::Usage::Fog, 0, 1);
}

void Parser::declaredOutputs() {
  for (const Declaration& d : m_code->outputs) {
    if (d.usageIndex == 0 && d.usage == d3d9::Usage::PointSize) m_info.writesPointSize = true;
    if (d.usageIndex == 0 && (d.usage == d3d9::Usage::Position || d.usage == d3d9::Usage::PointSize))
      continue;
    addOutput(d.usage, d.usageIndex, d.mask);
  }
}

}  // namespace aerogpu::shader
