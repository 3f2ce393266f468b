// SPDX-License-Identifier: MIT
// Emitter: the frame of the translated code: entry point, outputs, and the parts of the D3D9 pixel pipe that
// Vulkan leaves to the shader (alpha test, fog). Source: Direct3D 9 "Fog Formulas", "Alpha Testing State".
#include <algorithm>
#include <array>

#include "renderer/shader/spirv/emitter.h"

namespace aerogpu::shader {

namespace {

enum class PushType : uint8_t { Uint, Float, Float3 };
struct PushMember {
  uint32_t offset;
  PushType type;
};
constexpr auto kPushMembers = std::to_array<PushMember>({
    {offsetof(PushConstants, vsBools), PushType::Uint},
    {offsetof(PushConstants, psBools), PushType::Uint},
    {offsetof(PushConstants, alphaFunc), PushType::Uint},
    {offsetof(PushConstants, alphaRef), PushType::Float},
    {offsetof(PushConstants, fogColor), PushType::Float3},
    {offsetof(PushConstants, fogMode), PushType::Uint},
    {offsetof(PushConstants, fogStart), PushType::Float},
    {offsetof(PushConstants, fogEnd), PushType::Float},
    {offsetof(PushConstants, fogDensity), PushType::Float},
    {offsetof(PushConstants, pointSize), PushType::Float},
    {offsetof(PushConstants, pointSizeMin), PushType::Float},
    {offsetof(PushConstants, pointSizeMax), PushType::Float},
    {offsetof(PushConstants, alphaSteps), PushType::Float},
    {offsetof(PushConstants, positionScale[0]), PushType::Float},
    {offsetof(PushConstants, positionScale[1]), PushType::Float},
});

}  // namespace

Emitter::Emitter(const ProgramCode& code, const EmitOptions& options)
    : m_code(code), m_options(options), m_t(m_b.types()), m_constants(code.info.constants) {
  if (isVertex()) m_constants.clipPlaneCount = options.clipPlaneCount;
}

Module Emitter::run() {
  for (size_t i = 0; i < m_code.subroutines.size(); ++i) m_subroutineIds.push_back(m_b.newId());
  const Id entry = m_b.newId();
  m_b.code(Op::OpFunction, m_t.voidType, entry, spv::FunctionControlMask::MaskNone, m_t.function);
  emitMain();
  emitSubroutines();
  if (!isVertex()) m_b.executionMode(spv::ExecutionMode::OriginUpperLeft);
  Module module;
  module.words = m_b.finish(isVertex() ? spv::ExecutionModel::Vertex : spv::ExecutionModel::Fragment, entry);
  module.constants = std::move(m_constants);
  return module;
}

void Emitter::emitMain() {
  newBlock(m_b.newId());
  copyIndexedInputs();
  instructions(0, m_code.mainEnd);
  if (isVertex())
    vertexEpilogue();
  else
    pixelEpilogue();
  m_b.code(Op::OpReturn);
  m_b.code(Op::OpFunctionEnd);
}

void Emitter::emitSubroutines() {
  m_inSubroutine = true;
  for (size_t i = 0; i < m_code.subroutines.size(); ++i) {
    m_b.code(Op::OpFunction, m_t.voidType, m_subroutineIds[i], spv::FunctionControlMask::MaskNone,
             m_t.function);
    newBlock(m_b.newId());
    instructions(m_code.subroutines[i].begin, m_code.subroutines[i].end);
    m_b.code(Op::OpReturn);
    m_b.code(Op::OpFunctionEnd);
  }
}

Id Emitter::pushConstant(uint32_t byteOffset) {
  const auto typeOf = [&](PushType t) {
    return t == PushType::Uint ? m_t.uint1 : t == PushType::Float ? m_t.float1 : m_t.float3;
  };
  if (!m_pushBlock) {
    std::array<Id, kPushMembers.size()> members;
    for (size_t i = 0; i < members.size(); ++i) members[i] = typeOf(kPushMembers[i].type);
    const Id type = m_b.structType(members);
    m_b.decorate(type, spv::Decoration::Block);
    for (uint32_t i = 0; i < members.size(); ++i)
      m_b.decorateMember(type, i, spv::Decoration::Offset, kPushMembers[i].offset);
    m_pushBlock = m_b.variable(spv::StorageClass::PushConstant, type);
  }
  uint32_t member = 0;
  while (kPushMembers[member].offset != byteOffset) ++member;
  const Id type = typeOf(kPushMembers[member].type);
  const Id pointer = m_b.value(Op::OpAccessChain, m_b.pointerType(spv::StorageClass::PushConstant, type),
                               m_pushBlock, m_b.constantInt(static_cast<int32_t>(member)));
  return m_b.load(type, pointer);
}

// --- vertex ---

void Emitter::clipDistances(Id position) {
  const uint32_t count = m_constants.clipPlaneCount;
  if (!count) return;
  m_b.capability(spv::Capability::ClipDistance);
  const Id variable = m_b.variable(spv::StorageClass::Output, m_b.arrayType(m_t.float1, count));
  m_b.decorate(variable, spv::Decoration::BuiltIn, spv::BuiltIn::ClipDistance);
  constantBlock();  // sets m_planeMember
  for (uint32_t i = 0; i < count; ++i) {
    const Id plane = loadConstant(m_planeMember, m_b.constantInt(static_cast<int32_t>(i)), m_t.float4);
    const Id pointer = m_b.value(Op::OpAccessChain, m_b.pointerType(spv::StorageClass::Output, m_t.float1),
                                 variable, m_b.constantInt(static_cast<int32_t>(i)));
    m_b.store(pointer, m_b.value(Op::OpDot, m_t.float1, position, plane));
  }
}

void Emitter::vertexEpilogue() {
  const auto registerValue = [&](uint32_t slot) {
    return m_code.relativeOutputs
               ? m_b.load(m_t.float4, indexedOutput(m_b.constantInt(static_cast<int32_t>(slot))))
               : readSlot(kSlotOutput + slot);
  };
  const auto output = [&](Id type) { return m_b.variable(spv::StorageClass::Output, type); };
  Id position = 0, pointSize = 0;
  const bool fixed = major() < 3;
  if (fixed) {
    position = registerValue(kSlotPosition);
    if (m_code.info.writesPointSize) pointSize = extract(registerValue(kSlotPointSize), 0);
  }
  for (const Declaration& d : m_code.outputs) {
    if (d.usageIndex != 0) continue;
    if (d.usage == d3d9::Usage::Position && !position) position = registerValue(d.number);
    if (d.usage == d3d9::Usage::PointSize) {
      const uint32_t component = d.mask & 1 ? 0 : d.mask & 2 ? 1 : d.mask & 4 ? 2 : 3;
      pointSize = extract(registerValue(d.number), component);
    }
  }
  if (!position) position = m_b.constantNull(m_t.float4);
  for (const Varying& v : m_code.info.outputs) {
    Id value;
    if (fixed) {
      const uint32_t slot = v.usage == d3d9::Usage::Fog     ? kSlotFog
                            : v.usage == d3d9::Usage::Color ? kSlotColor + v.usageIndex
                                                            : kSlotTexture + v.usageIndex;
      value = registerValue(slot);
      // Colours are clamped before interpolation, the fog factor in each pixel
      // (D3DPMISCCAPS_FOGVERTEXCLAMPED).
      if (v.usage == d3d9::Usage::Color)
        value =
            m_b.glsl(GLSLstd450NClamp, m_t.float4, value, m_b.constantNull(m_t.float4), m_b.constantSplat(1));
    } else {
      const auto from = std::find_if(m_code.outputs.begin(), m_code.outputs.end(), [&](const Declaration& d) {
        return d.usage == v.usage && d.usageIndex == v.usageIndex;
      });
      value = registerValue(from->number);
      if (v.mask != 0xF) {
        const auto pick = [&](uint32_t i) { return v.mask >> i & 1 ? i : 4 + i; };
        const Id rest = v.usage == d3d9::Usage::Color ? m_b.constantSplat(1) : m_b.constantNull(m_t.float4);
        value = m_b.value(Op::OpVectorShuffle, m_t.float4, value, rest, pick(0), pick(1), pick(2), pick(3));
      }
    }
    const Id variable = output(m_t.float4);
    m_b.decorate(variable, spv::Decoration::Location, v.location);
    m_b.store(variable, value);
  }
  const Id positionVariable = output(m_t.float4);
  m_b.decorate(positionVariable, spv::Decoration::BuiltIn, spv::BuiltIn::Position);
  const auto scaled = [&](uint32_t component, uint32_t offset) {
    return m_b.value(Op::OpFMul, m_t.float1, extract(position, component), pushConstant(offset));
  };
  m_b.store(positionVariable, m_b.composite(m_t.float4, {scaled(0, offsetof(PushConstants, positionScale[0])),
                                                         scaled(1, offsetof(PushConstants, positionScale[1])),
                                                         extract(position, 2), extract(position, 3)}));
  if (m_options.points) writePointSize(pointSize);
  clipDistances(position);
}

void Emitter::writePointSize(Id pointSize) {
  if (!pointSize) pointSize = pushConstant(offsetof(PushConstants, pointSize));
  const Id least = pushConstant(offsetof(PushConstants, pointSizeMin));
  const Id most = pushConstant(offsetof(PushConstants, pointSizeMax));
  pointSize =
      m_b.glsl(GLSLstd450NMin, m_t.float1, m_b.glsl(GLSLstd450NMax, m_t.float1, pointSize, least), most);
  const Id sizeVariable = m_b.variable(spv::StorageClass::Output, m_t.float1);
  m_b.decorate(sizeVariable, spv::Decoration::BuiltIn, spv::BuiltIn::PointSize);
  m_b.store(sizeVariable, pointSize);
}

// --- pixel ---

void Emitter::killIf(Id condition) {
  const Id dead = m_b.newId(), alive = m_b.newId();
  m_b.code(Op::OpSelectionMerge, alive, spv::SelectionControlMask::MaskNone);
  m_b.code(Op::OpBranchConditional, condition, dead, alive);
  m_b.label(dead);
  m_b.code(Op::OpKill);
  newBlock(alive);
}

void Emitter::alphaTest(Id alpha) {
  m_specAlphaTest = m_b.specBool(kSpecAlphaTest);
  const Id test = m_b.newId(), merge = m_b.newId();
  m_b.code(Op::OpSelectionMerge, merge, spv::SelectionControlMask::MaskNone);
  m_b.code(Op::OpBranchConditional, m_specAlphaTest, test, merge);
  newBlock(test);
  // D3DCMPFUNC - 1 has a bit each for less (1), equal (2) and greater (4). Both numbers count in the target's
  // steps: an interpolated alpha rarely equals the reference as a float.
  const Id steps = pushConstant(offsetof(PushConstants, alphaSteps));
  const Id counted = m_b.value(Op::OpFOrdGreaterThan, m_t.boolean, steps, m_b.constantFloat(0));
  const auto inSteps = [&](Id value) {
    const Id rounded =
        m_b.glsl(GLSLstd450RoundEven, m_t.float1, m_b.value(Op::OpFMul, m_t.float1, value, steps));
    return m_b.value(Op::OpSelect, m_t.float1, counted, rounded, value);
  };
  alpha = inSteps(alpha);
  const Id reference = inSteps(pushConstant(offsetof(PushConstants, alphaRef)));
  const Id less = m_b.value(Op::OpFOrdLessThan, m_t.boolean, alpha, reference);
  const Id equal = m_b.value(Op::OpFOrdEqual, m_t.boolean, alpha, reference);
  const Id bit =
      m_b.value(Op::OpSelect, m_t.uint1, less, m_b.constantUint(1),
                m_b.value(Op::OpSelect, m_t.uint1, equal, m_b.constantUint(2), m_b.constantUint(4)));
  const Id function =
      m_b.value(Op::OpISub, m_t.uint1, pushConstant(offsetof(PushConstants, alphaFunc)), m_b.constantUint(1));
  const Id passing = m_b.value(Op::OpBitwiseAnd, m_t.uint1, function, bit);
  killIf(m_b.value(Op::OpIEqual, m_t.boolean, passing, m_b.constantUint(0)));
  m_b.code(Op::OpBranch, merge);
  newBlock(merge);
}

Id Emitter::fogFactor() {
  const auto f = [&](Op op, auto... args) { return m_b.value(op, m_t.float1, args...); };
  const Id flagged = pushConstant(offsetof(PushConstants, fogMode));
  const Id place = fragCoord();
  const Id byW = m_b.value(Op::OpUGreaterThanEqual, m_t.boolean, flagged, m_b.constantUint(kFogByW));
  const Id w = f(Op::OpFDiv, m_b.constantFloat(1), extract(place, 3));
  const Id depth = f(Op::OpSelect, byW, w, extract(place, 2));
  const Id mode = m_b.value(Op::OpBitwiseAnd, m_t.uint1, flagged, m_b.constantUint(kFogByW - 1));
  const Id density = pushConstant(offsetof(PushConstants, fogDensity));
  const Id start = pushConstant(offsetof(PushConstants, fogStart));
  const Id end = pushConstant(offsetof(PushConstants, fogEnd));
  const Id product = f(Op::OpFMul, depth, density);
  const Id exp = m_b.glsl(GLSLstd450Exp, m_t.float1, f(Op::OpFNegate, product));
  const Id exp2 = m_b.glsl(GLSLstd450Exp, m_t.float1, f(Op::OpFNegate, f(Op::OpFMul, product, product)));
  // If both ends are equal, nearer pixels have no fog and all others only fog.
  const Id isStep = m_b.value(Op::OpFOrdEqual, m_t.boolean, start, end);
  const Id step = f(Op::OpSelect, m_b.value(Op::OpFOrdLessThan, m_t.boolean, depth, end),
                    m_b.constantFloat(1), m_b.constantFloat(0));
  const Id linear =
      f(Op::OpSelect, isStep, step, f(Op::OpFDiv, f(Op::OpFSub, end, depth), f(Op::OpFSub, end, start)));
  const Id vertex = extract(pixelInput({d3d9::Usage::Fog, 0, 0, 1, false, false}), 0);
  const auto choose = [&](FogSource which, Id yes, Id no) {
    const Id is = m_b.value(Op::OpIEqual, m_t.boolean, mode, m_b.constantUint(static_cast<uint32_t>(which)));
    return f(Op::OpSelect, is, yes, no);
  };
  const Id factor =
      choose(FogSource::Exp, exp, choose(FogSource::Exp2, exp2, choose(FogSource::Linear, linear, vertex)));
  return m_b.glsl(GLSLstd450NClamp, m_t.float1, factor, m_b.constantFloat(0), m_b.constantFloat(1));
}

/// Returns factor * color + (1 - factor) * fog colour if fog is on; alpha stays.
Id Emitter::fogged(Id color) {
  m_specFog = m_b.specBool(kSpecFog);
  const Id before = m_currentLabel, fog = m_b.newId(), merge = m_b.newId();
  m_b.code(Op::OpSelectionMerge, merge, spv::SelectionControlMask::MaskNone);
  m_b.code(Op::OpBranchConditional, m_specFog, fog, merge);
  newBlock(fog);
  const Id factor = fogFactor();
  const Id factor3 = m_b.composite(m_t.float3, {factor, factor, factor});
  const Id mixed = m_b.glsl(GLSLstd450FMix, m_t.float3, pushConstant(offsetof(PushConstants, fogColor)),
                            xyz(color), factor3);
  const Id result = m_b.composite(m_t.float4, {mixed, extract(color, 3)});
  m_b.code(Op::OpBranch, merge);
  newBlock(merge);
  return m_b.value(Op::OpPhi, m_t.float4, color, before, result, fog);
}

void Emitter::pixelEpilogue() {
  if (isPixel1()) m_values[kSlotOutput] = readSlot(kSlotTemp);  // r0 is the result
  if (m_code.info.usesKill) killIf(readSlot(kSlotKilled));
  const uint32_t colors = m_code.info.colorOutputMask;
  if (colors & 1) {
    Id color = readSlot(kSlotOutput);
    alphaTest(extract(color, 3));
    if (major() < 3) {
      color = fogged(readSlot(kSlotOutput));
      writeSlot(kSlotOutput, color);
    }
  }
  for (uint32_t i = 0; i < 4; ++i) {
    // With two sources for one target both are written, whatever the shader writes.
    if (m_options.dualSource ? i > 1 : !(colors >> i & 1)) continue;
    const Id variable = m_b.variable(spv::StorageClass::Output, m_t.float4);
    m_b.decorate(variable, spv::Decoration::Location, m_options.dualSource ? 0 : i);
    if (m_options.dualSource) m_b.decorate(variable, spv::Decoration::Index, i);
    m_b.store(variable, readSlot(kSlotOutput + i));
  }
  if (m_code.info.writesDepth) {
    m_b.executionMode(spv::ExecutionMode::DepthReplacing);
    const Id variable = m_b.variable(spv::StorageClass::Output, m_t.float1);
    m_b.decorate(variable, spv::Decoration::BuiltIn, spv::BuiltIn::FragDepth);
    const Id depth = extract(readSlot(kSlotOutput + kSlotDepth), 0);
    m_b.store(variable,
              m_b.glsl(GLSLstd450NClamp, m_t.float1, depth, m_b.constantFloat(0), m_b.constantFloat(1)));
  }
}

Result<Module, ShaderError> emit(const Program& program, const EmitOptions& options) {
  if (options.clipPlaneCount > 6) return ShaderError{"more than 6 clip planes", 0};
  for (const uint8_t by : options.projectedBy)
    if (by > 3) return ShaderError{"coordinates divided by component " + std::to_string(by), 0};
  for (const Varying& v : options.linkedOutputs)
    if (v.location >= kMaxVaryings)
      return ShaderError{"linked output at location " + std::to_string(v.location), 0};
  return Emitter(program.code(), options).run();
}

}  // namespace aerogpu::shader
