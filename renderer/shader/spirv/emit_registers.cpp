// SPDX-License-Identifier: MIT
// Emitter: reading and writing registers, source modifiers, write masks, predication. Source: the register
// and modifier pages of the Direct3D 9 "asm shader reference".
#include <algorithm>

#include "renderer/shader/spirv/emitter.h"

namespace aerogpu::shader {

using d3d9::RegisterType;
using d3d9::SourceModifier;

namespace {

// v[] and o[] have one element more, for accesses that are out of range.
constexpr uint32_t kInputArraySize = kMaxInputs + 1;
constexpr uint32_t kOutputArraySize = kMaxOutputRegisters + 1;

}  // namespace

Id Emitter::slotType(uint32_t slot) const {
  switch (slot) {
    case kSlotAddress:
      return m_t.int4;
    case kSlotPredicate:
      return m_t.bool4;
    case kSlotKilled:
      return m_t.boolean;
    case kSlotLoopIndex:
    case kSlotIterations:
      return m_t.int1;
    default:
      return m_t.float4;
  }
}

/// Registers that were never written read zero (D3D9 leaves them undefined; no host data may show).
/// Components of oD0 that a vertex shader leaves out are 1, as is an oD0 that it does not write at all.
Id Emitter::initialValue(uint32_t slot) {
  const bool diffuse = isVertex() && major() < 3 && slot == kSlotOutput + kSlotColor;
  return finite(diffuse ? m_b.constantSplat(1) : m_b.constantNull(slotType(slot)));
}

Id Emitter::slotVariable(uint32_t slot) {
  Id& id = m_variables[slot];
  if (!id) id = m_b.variable(spv::StorageClass::Private, slotType(slot), initialValue(slot));
  return id;
}

Id Emitter::readSlot(uint32_t slot) {
  Id& id = m_values[slot];
  if (!id) id = m_code.hasFlow ? m_b.load(slotType(slot), slotVariable(slot)) : initialValue(slot);
  return id;
}

void Emitter::writeSlot(uint32_t slot, Id value) {
  m_values[slot] = value;
  if (m_code.hasFlow) m_b.store(slotVariable(slot), value);
}

void Emitter::newBlock(Id label) {
  m_b.label(label);
  m_currentLabel = label;
  if (!m_code.hasFlow) return;
  m_values.fill(0);
  ++m_epoch;
}

// --- inputs ---

Id Emitter::pixelInput(const Declaration& d) {
  const Varying* from = nullptr;
  for (const Varying& v : m_options.linkedOutputs)
    if (v.usage == d.usage && v.usageIndex == d.usageIndex) from = &v;
  Id value;
  if (!from) {
    // The fixed pipeline's values for data that a vertex lacks: opaque white diffuse, zero otherwise.
    value = d.usage == d3d9::Usage::Color && d.usageIndex == 0 ? m_b.constantSplat(1)
                                                               : m_b.constantNull(m_t.float4);
  } else {
    Id& variable = m_inputVariables[from->location];
    if (!variable) {
      variable = m_b.variable(spv::StorageClass::Input, m_t.float4);
      m_b.decorate(variable, spv::Decoration::Location, from->location);
      if (d.usage == d3d9::Usage::Color && m_options.flatShade)
        m_b.decorate(variable, spv::Decoration::Flat);
      else if (d.centroid)
        m_b.decorate(variable, spv::Decoration::Centroid);
    }
    value = m_b.load(m_t.float4, variable);
  }
  if (d.usage != d3d9::Usage::TexCoord) return value;
  // Point sprites: every texture coordinate becomes the position inside of the point.
  if (!m_pointCoord) {
    m_pointCoord = m_b.variable(spv::StorageClass::Input, m_t.float2);
    m_b.decorate(m_pointCoord, spv::Decoration::BuiltIn, spv::BuiltIn::PointCoord);
    m_specPointSprite4 = m_b.specBool4(m_b.specBool(kSpecPointSprite));
  }
  const Id point = m_b.load(m_t.float2, m_pointCoord);
  const Id sprite = m_b.composite(m_t.float4, {point, m_b.constantFloat(0), m_b.constantFloat(1)});
  return m_b.value(Op::OpSelect, m_t.float4, m_specPointSprite4, sprite, value);
}

Id Emitter::inputRegister(uint32_t number, bool texture) {
  Cached& cached = m_inputValues[number + (texture ? 16 : 0)];
  if (cached.id && cached.epoch == m_epoch) return cached.id;
  Id value = 0;
  const auto isDeclared = [&](const Declaration& d) { return d.number == number; };
  if (isVertex() && std::none_of(m_code.inputs.begin(), m_code.inputs.end(), isDeclared)) {
    const Id zero = m_b.constantFloat(0);
    value = m_b.composite(m_t.float4, {zero, zero, zero, m_b.constantFloat(1)});
  } else if (isVertex()) {
    const InputType kind = m_options.inputTypes[number];
    const Id type = kind == InputType::Float ? m_t.float4
                    : kind == InputType::Int ? m_t.int4
                                             : m_b.vectorType(m_t.uint1, 4);
    Id& variable = m_inputVariables[number];
    if (!variable) {
      variable = m_b.variable(spv::StorageClass::Input, type);
      m_b.decorate(variable, spv::Decoration::Location, number);
    }
    value = m_b.load(type, variable);
    if (kind != InputType::Float)
      value = m_b.value(kind == InputType::Int ? Op::OpConvertSToF : Op::OpConvertUToF, m_t.float4, value);
  } else {
    for (const Declaration& d : m_code.inputs) {
      if (d.number != number || d.texture != texture) continue;
      const Id part = pixelInput(d);
      const auto pick = [&](uint32_t i) { return d.mask >> i & 1 ? 4 + i : i; };
      value = !value ? part
                     : m_b.value(Op::OpVectorShuffle, m_t.float4, value, part, pick(0), pick(1), pick(2),
                                 pick(3));
    }
    if (!value) value = m_b.constantNull(m_t.float4);
  }
  cached = {value, m_epoch};
  return value;
}

Id Emitter::inputValue(const Operand& o, uint32_t row) {
  if (!o.relative) return inputRegister(o.number + row, o.type == RegisterType::AddressOrTexture);
  const Id index = relativeIndex(o, row);
  const Id limit = m_b.constantInt(kInputArraySize - 1);
  const Id valid = m_b.value(Op::OpULessThan, m_t.boolean, index, limit);
  const Id safe = m_b.value(Op::OpSelect, m_t.int1, valid, index, limit);
  const Id pointer = m_b.value(Op::OpAccessChain, m_b.pointerType(spv::StorageClass::Private, m_t.float4),
                               m_indexedInputs, safe);
  return m_b.load(m_t.float4, pointer);
}

void Emitter::copyIndexedInputs() {
  if (!m_code.relativeInputs) return;
  const Id type = m_b.arrayType(m_t.float4, kInputArraySize);
  m_indexedInputs = m_b.variable(spv::StorageClass::Private, type, m_b.constantNull(type));
  uint32_t done = 0;
  for (const Declaration& d : m_code.inputs) {
    if (d.texture || done >> d.number & 1) continue;
    done |= 1u << d.number;
    const Id pointer = m_b.value(Op::OpAccessChain, m_b.pointerType(spv::StorageClass::Private, m_t.float4),
                                 m_indexedInputs, m_b.constantInt(d.number));
    m_b.store(pointer, inputRegister(d.number, false));
  }
}

Id Emitter::fragCoord() {
  if (!m_fragCoord) {
    m_fragCoord = m_b.variable(spv::StorageClass::Input, m_t.float4);
    m_b.decorate(m_fragCoord, spv::Decoration::BuiltIn, spv::BuiltIn::FragCoord);
  }
  return m_b.load(m_t.float4, m_fragCoord);
}

Id Emitter::miscRegister(uint32_t number) {
  if (number == d3d9::kMiscPosition) {
    // Vulkan's pixel centres lie at .5, vPos counts pixels.
    const Id floor = m_b.glsl(GLSLstd450Floor, m_t.float4, fragCoord());
    return m_b.value(Op::OpVectorShuffle, m_t.float4, floor, m_b.constantNull(m_t.float4), 0, 1, 4, 4);
  }
  if (!m_frontFacing) {
    m_frontFacing = m_b.variable(spv::StorageClass::Input, m_t.boolean);
    m_b.decorate(m_frontFacing, spv::Decoration::BuiltIn, spv::BuiltIn::FrontFacing);
  }
  const Id front = m_b.load(m_t.boolean, m_frontFacing);
  return splat(m_b.value(Op::OpSelect, m_t.float1, front, m_b.constantFloat(1), m_b.constantFloat(-1)));
}

// --- constants ---

Id Emitter::constantBlock() {
  if (m_constantBlock) return m_constantBlock;
  std::vector<Id> members;
  uint32_t offsets[3] = {}, offset = 0;
  const auto add = [&](Id element, uint32_t count) {
    const Id type = m_b.arrayType(element, count);
    m_b.decorate(type, spv::Decoration::ArrayStride, 16u);
    offsets[members.size()] = offset;
    offset += count * 16;
    members.push_back(type);
    return static_cast<uint32_t>(members.size() - 1);
  };
  if (m_constants.floatCount) add(m_t.float4, m_constants.floatCount);
  if (m_constants.intCount) m_intMember = add(m_t.int4, m_constants.intCount);
  if (m_constants.clipPlaneCount) m_planeMember = add(m_t.float4, m_constants.clipPlaneCount);
  if (m_constants.bumpStageCount) m_bumpMember = add(m_t.float4, 2 * m_constants.bumpStageCount);
  const Id type = m_b.structType(members);
  m_b.decorate(type, spv::Decoration::Block);
  for (uint32_t i = 0; i < members.size(); ++i)
    m_b.decorateMember(type, i, spv::Decoration::Offset, offsets[i]);
  m_constantBlock = m_b.variable(spv::StorageClass::Uniform, type);
  m_b.decorate(m_constantBlock, spv::Decoration::DescriptorSet, isVertex() ? kVsConstantSet : kPsConstantSet);
  m_b.decorate(m_constantBlock, spv::Decoration::Binding, kConstantBinding);
  return m_constantBlock;
}

Id Emitter::loadConstant(uint32_t member, Id index, Id type) {
  const Id block = constantBlock();
  const Id pointer = m_b.value(Op::OpAccessChain, m_b.pointerType(spv::StorageClass::Uniform, type), block,
                               m_b.constantInt(static_cast<int32_t>(member)), index);
  return m_b.load(type, pointer);
}

Id Emitter::constantRegister(const Operand& o, uint32_t row) {
  if (o.relative) {
    // An index outside of c0..c255 reads zero.
    const Id index = relativeIndex(o, row);
    const Id valid = m_b.value(Op::OpULessThan, m_t.boolean, index,
                               m_b.constantInt(static_cast<int32_t>(m_constants.floatCount)));
    const Id safe = m_b.value(Op::OpSelect, m_t.int1, valid, index, m_b.constantInt(0));
    const Id value = loadConstant(0, safe, m_t.float4);
    return m_b.value(Op::OpSelect, m_t.float4, splatBool(valid), value, m_b.constantNull(m_t.float4));
  }
  const uint32_t number = o.number + row;
  Cached& cached = m_constantValues[number];
  if (cached.id && cached.epoch == m_epoch) return cached.id;
  const auto& defs = m_code.floatDefinitions;
  const auto def = std::lower_bound(defs.begin(), defs.end(), number,
                                    [](const FloatDefinition& d, uint32_t n) { return d.index < n; });
  const bool defined = def != defs.end() && def->index == number;
  Id value = defined ? m_b.constantFloat4(def->bits)
                     : loadConstant(0, m_b.constantInt(static_cast<int32_t>(number)), m_t.float4);
  constexpr uint32_t kInfinity = 0x7F800000;
  if (defined && std::ranges::none_of(def->bits, [](uint32_t b) { return (b & kInfinity) == kInfinity; }))
    finite(value);
  if (isPixel1())  // constants of ps_1_x lie in -1..1
    value =
        finite(m_b.glsl(GLSLstd450NClamp, m_t.float4, value, m_b.constantSplat(-1), m_b.constantSplat(1)));
  cached = {value, m_epoch};
  return value;
}

Id Emitter::intConstant(uint32_t number) {
  constantBlock();  // sets m_intMember
  return loadConstant(m_intMember, m_b.constantInt(static_cast<int32_t>(number)), m_t.int4);
}

Id Emitter::loopIndex() {
  for (auto block = m_blocks.rbegin(); block != m_blocks.rend(); ++block)
    if (block->opcode == d3d9::Opcode::Loop) return block->loopIndex;
  return readSlot(kSlotLoopIndex);  // a subroutine called from a loop
}

Id Emitter::relativeIndex(const Operand& o, uint32_t row) {
  const Id base = o.indexType == RegisterType::Loop
                      ? loopIndex()
                      : extract(readSlot(kSlotAddress), o.indexComponent, m_t.int1);
  const uint32_t offset = o.number + row;
  return offset ? m_b.value(Op::OpIAdd, m_t.int1, base, m_b.constantInt(static_cast<int32_t>(offset))) : base;
}

// --- sources ---

Id Emitter::rawSource(const Operand& o, uint32_t row) {
  switch (o.type) {
    case RegisterType::Temp:
      return readSlot(kSlotTemp + std::min(o.number + row, kMaxTemps - 1));
    case RegisterType::Const:
      return constantRegister(o, row);
    case RegisterType::Misc:
      return miscRegister(o.number);
    case RegisterType::AddressOrTexture:
      if (texturesAreRegisters(m_code.info.version)) return readSlot(kSlotOutput + outputSlot(o, 1));
      [[fallthrough]];
    default:
      return inputValue(o, row);
  }
}

Id Emitter::modified(Id value, SourceModifier modifier, uint32_t components) {
  if (modifier == SourceModifier::None) return value;
  const Id type = floatType(components);
  const auto constant = [&](float c) {
    const Id s = m_b.constantFloat(c);
    switch (components) {
      case 1:
        return s;
      case 2:
        return m_b.composite(type, {s, s});
      case 3:
        return m_b.composite(type, {s, s, s});
      default:
        return m_b.constantSplat(c);
    }
  };
  const auto op = [&](Op o, Id a, Id b) { return m_b.value(o, type, a, b); };
  const auto negate = [&](Id a) { return m_b.value(Op::OpFNegate, type, a); };
  switch (modifier) {
    case SourceModifier::Negate:
      return negate(value);
    case SourceModifier::Bias:
      return op(Op::OpFSub, value, constant(0.5f));
    case SourceModifier::BiasNegate:
      return negate(op(Op::OpFSub, value, constant(0.5f)));
    case SourceModifier::Sign:
    case SourceModifier::SignNegate: {
      const Id s = op(Op::OpFMul, op(Op::OpFSub, value, constant(0.5f)), constant(2));
      return modifier == SourceModifier::Sign ? s : negate(s);
    }
    case SourceModifier::Complement:
      return op(Op::OpFSub, constant(1), value);
    case SourceModifier::X2:
      return op(Op::OpFMul, value, constant(2));
    case SourceModifier::X2Negate:
      return op(Op::OpFMul, value, constant(-2));
    case SourceModifier::Abs:
      return m_b.glsl(GLSLstd450FAbs, type, value);
    case SourceModifier::AbsNegate:
      return negate(m_b.glsl(GLSLstd450FAbs, type, value));
    default:
      return value;  // dz, dw, not: parse() does not allow them in arithmetic
  }
}

Id Emitter::source(const Operand& o, uint32_t components, uint32_t row) {
  Id value = rawSource(o, row);
  const bool known = isFinite(value);
  switch (components) {
    case 1:
      value = extract(value, o.component(0));
      break;
    case 2:
      value = m_b.value(Op::OpVectorShuffle, m_t.float2, value, value, o.component(0), o.component(1));
      break;
    case 3:
      value = m_b.value(Op::OpVectorShuffle, m_t.float3, value, value, o.component(0), o.component(1),
                        o.component(2));
      break;
    default:
      if (o.swizzle != d3d9::kIdentitySwizzle)
        value = m_b.value(Op::OpVectorShuffle, m_t.float4, value, value, o.component(0), o.component(1),
                          o.component(2), o.component(3));
      break;
  }
  value = modified(value, o.modifier, components);
  return known ? finite(value) : value;
}

Id Emitter::source4(const Operand& o, uint32_t row) {
  return source(o, 4, row);
}

Id Emitter::scalar(const Operand& o, uint32_t component) {
  return modified(extract(rawSource(o), o.component(component)), o.modifier, 1);
}

Id Emitter::predicateValue(const Operand& o) {
  Id value = readSlot(kSlotPredicate);
  if (o.swizzle != d3d9::kIdentitySwizzle)
    value = m_b.value(Op::OpVectorShuffle, m_t.bool4, value, value, o.component(0), o.component(1),
                      o.component(2), o.component(3));
  return o.modifier == SourceModifier::Not ? m_b.value(Op::OpLogicalNot, m_t.bool4, value) : value;
}

Id Emitter::conditionValue(const Operand& o) {
  Id value;
  if (o.type == RegisterType::Predicate) {
    value = extract(readSlot(kSlotPredicate), o.component(0), m_t.boolean);
  } else if (m_code.boolDefined >> o.number & 1) {
    value = m_b.constantBool(m_code.boolDefinitions >> o.number & 1);
  } else {
    const Id bits =
        pushConstant(isVertex() ? offsetof(PushConstants, vsBools) : offsetof(PushConstants, psBools));
    const Id bit = m_b.value(Op::OpBitwiseAnd, m_t.uint1, bits, m_b.constantUint(1u << o.number));
    value = m_b.value(Op::OpINotEqual, m_t.boolean, bit, m_b.constantUint(0));
  }
  return o.modifier == SourceModifier::Not ? m_b.value(Op::OpLogicalNot, m_t.boolean, value) : value;
}

// --- results ---

Id Emitter::masked(const Instruction& in, Id old, Id value, Id type) {
  if (in.predicated) value = m_b.value(Op::OpSelect, type, predicateValue(in.predicate), value, old);
  const uint32_t mask = in.destination.mask;
  if (mask == 0xF) return value;
  const auto pick = [&](uint32_t i) { return mask >> i & 1 ? 4 + i : i; };
  const Id merged = m_b.value(Op::OpVectorShuffle, type, old, value, pick(0), pick(1), pick(2), pick(3));
  return isFinite(old) && isFinite(value) ? finite(merged) : merged;
}

void Emitter::writeResult(const Instruction& in, Id value) {
  const Operand& d = in.destination;
  if (d.shift) {
    const float factor =
        d.shift > 0 ? static_cast<float>(1 << d.shift) : 1.0f / static_cast<float>(1 << -d.shift);
    value = m_b.value(Op::OpVectorTimesScalar, m_t.float4, value, m_b.constantFloat(factor));
  }
  if (d.resultModifiers & d3d9::kSaturate)
    value = finite(
        m_b.glsl(GLSLstd450NClamp, m_t.float4, value, m_b.constantNull(m_t.float4), m_b.constantSplat(1)));
  if (d.type == RegisterType::Output && m_code.relativeOutputs) return writeIndexedOutput(in, value);
  const uint32_t slot =
      d.type == RegisterType::Temp ? kSlotTemp + d.number : kSlotOutput + outputSlot(d, major());
  const bool partial = d.mask != 0xF || in.predicated;
  writeSlot(slot, partial ? masked(in, readSlot(slot), value, m_t.float4) : value);
}

Id Emitter::indexedOutput(Id index) {
  if (!m_indexedOutputs) {
    const Id type = m_b.arrayType(m_t.float4, kOutputArraySize);
    m_indexedOutputs = m_b.variable(spv::StorageClass::Private, type, m_b.constantNull(type));
  }
  return m_b.value(Op::OpAccessChain, m_b.pointerType(spv::StorageClass::Private, m_t.float4),
                   m_indexedOutputs, index);
}

void Emitter::writeIndexedOutput(const Instruction& in, Id value) {
  const Operand& d = in.destination;
  Id index = m_b.constantInt(d.number);
  if (d.relative) {
    index = relativeIndex(d, 0);
    const Id limit = m_b.constantInt(kOutputArraySize - 1);
    const Id valid = m_b.value(Op::OpULessThan, m_t.boolean, index, limit);
    index = m_b.value(Op::OpSelect, m_t.int1, valid, index, limit);
  }
  const Id pointer = indexedOutput(index);
  const bool partial = d.mask != 0xF || in.predicated;
  m_b.store(pointer, partial ? masked(in, m_b.load(m_t.float4, pointer), value, m_t.float4) : value);
}

void Emitter::writeBools(const Instruction& in, Id value) {
  const bool partial = in.destination.mask != 0xF || in.predicated;
  writeSlot(kSlotPredicate, partial ? masked(in, readSlot(kSlotPredicate), value, m_t.bool4) : value);
}

/// Writes an address register. `value`: four floats without fraction.
void Emitter::writeAddress(const Instruction& in, Id value) {
  // Any index beyond these is out of range; conversion of larger numbers is undefined.
  const Id clamped =
      m_b.glsl(GLSLstd450NClamp, m_t.float4, value, m_b.constantSplat(-65536), m_b.constantSplat(65536));
  const Id ints = m_b.value(Op::OpConvertFToS, m_t.int4, clamped);
  const bool partial = in.destination.mask != 0xF || in.predicated;
  writeSlot(kSlotAddress, partial ? masked(in, readSlot(kSlotAddress), ints, m_t.int4) : ints);
}

}  // namespace aerogpu::shader
