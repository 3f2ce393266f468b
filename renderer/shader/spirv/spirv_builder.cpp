// SPDX-License-Identifier: MIT
// Module-level parts of the SPIR-V writer (spirv_builder.h).
#include "renderer/shader/spirv/spirv_builder.h"

#include <algorithm>

#include "renderer/shader/spirv/spirv_version.h"

namespace aerogpu::shader {

SpirvBuilder::SpirvBuilder() {
  m_annotations.reserve(256);
  m_globals.reserve(1024);
  m_code.reserve(4096);
  m_glsl = newId();
  capability(spv::Capability::Shader);
  using enum spv::Op;
  const auto type = [&](spv::Op op, auto... args) {
    const Id id = newId();
    put(m_globals, op, id, args...);
    return id;
  };
  m_types.voidType = type(OpTypeVoid);
  m_types.boolean = type(OpTypeBool);
  m_types.float1 = type(OpTypeFloat, 32u);
  m_types.int1 = type(OpTypeInt, 32u, 1u);
  m_types.uint1 = type(OpTypeInt, 32u, 0u);
  m_types.float2 = type(OpTypeVector, m_types.float1, 2u);
  m_types.float3 = type(OpTypeVector, m_types.float1, 3u);
  m_types.float4 = type(OpTypeVector, m_types.float1, 4u);
  m_types.int4 = type(OpTypeVector, m_types.int1, 4u);
  m_types.bool4 = type(OpTypeVector, m_types.boolean, 4u);
  m_types.function = type(OpTypeFunction, m_types.voidType);
}

Id SpirvBuilder::pointerType(spv::StorageClass storage, Id pointee) {
  if (const Id known = find(m_pointers, pointee, static_cast<uint32_t>(storage))) return known;
  const Id id = newId();
  put(m_globals, spv::Op::OpTypePointer, id, storage, pointee);
  m_pointers.push_back({pointee, static_cast<uint32_t>(storage), id});
  return id;
}

Id SpirvBuilder::arrayType(Id element, uint32_t length) {
  const Id count = constantUint(length);
  const Id id = newId();
  put(m_globals, spv::Op::OpTypeArray, id, element, count);
  return id;
}

Id SpirvBuilder::vectorType(Id component, uint32_t count) {
  if (const Id known = find(m_vectorTypes, component, count)) return known;
  const Id id = newId();
  put(m_globals, spv::Op::OpTypeVector, id, component, count);
  m_vectorTypes.push_back({component, count, id});
  return id;
}

Id SpirvBuilder::structType(std::span<const Id> members) {
  const Id id = newId();
  m_globals.push_back(static_cast<uint32_t>((members.size() + 2) << 16) |
                      static_cast<uint32_t>(spv::Op::OpTypeStruct));
  m_globals.push_back(id);
  m_globals.insert(m_globals.end(), members.begin(), members.end());
  return id;
}

Id SpirvBuilder::sampledImageType(spv::Dim dim, bool depth) {
  const Id image = imageType(dim, depth);
  if (const Id known = find(m_sampledImages, 0, image)) return known;
  const Id id = newId();
  put(m_globals, spv::Op::OpTypeSampledImage, id, image);
  m_sampledImages.push_back({0, image, id});
  return id;
}

Id SpirvBuilder::imageType(Id component, spv::Dim dim, bool depth, bool multisampled) {
  const uint32_t key = static_cast<uint32_t>(dim) << 2 | (multisampled ? 2u : 0u) | (depth ? 1u : 0u);
  if (const Id known = find(m_images, component, key)) return known;
  const Id id = newId();
  put(m_globals, spv::Op::OpTypeImage, id, component, dim, depth ? 1u : 0u, 0u, multisampled ? 1u : 0u, 1u,
      spv::ImageFormat::Unknown);
  m_images.push_back({component, key, id});
  return id;
}

Id SpirvBuilder::variable(spv::StorageClass storage, Id type, Id initializer) {
  const Id pointer = pointerType(storage, type);
  const Id id = newId();
  if (initializer)
    put(m_globals, spv::Op::OpVariable, pointer, id, storage, initializer);
  else
    put(m_globals, spv::Op::OpVariable, pointer, id, storage);
  if (storage == spv::StorageClass::Input || storage == spv::StorageClass::Output) m_interface.push_back(id);
  return id;
}

Id SpirvBuilder::specBool(uint32_t specId) {
  const Id id = newId();
  put(m_globals, spv::Op::OpSpecConstantFalse, m_types.boolean, id);
  decorate(id, spv::Decoration::SpecId, specId);
  return id;
}

Id SpirvBuilder::specBool4(Id scalar) {
  const Id id = newId();
  put(m_globals, spv::Op::OpSpecConstantComposite, m_types.bool4, id, scalar, scalar, scalar, scalar);
  return id;
}

Id SpirvBuilder::constantBool(bool value) {
  Id& id = value ? m_true : m_false;
  if (!id) {
    id = newId();
    put(m_globals, value ? spv::Op::OpConstantTrue : spv::Op::OpConstantFalse, m_types.boolean, id);
  }
  return id;
}

Id SpirvBuilder::scalar(Id type, uint32_t bits) {
  if (const Id known = find(m_scalars, type, bits)) return known;
  const Id id = newId();
  put(m_globals, spv::Op::OpConstant, type, id, bits);
  m_scalars.push_back({type, bits, id});
  return id;
}

Id SpirvBuilder::constantFloat4(const uint32_t (&bits)[4]) {
  for (const KnownVector& k : m_vectors)
    if (std::equal(bits, bits + 4, k.bits)) return k.id;
  const Id x = constantFloatBits(bits[0]), y = constantFloatBits(bits[1]);
  const Id z = constantFloatBits(bits[2]), w = constantFloatBits(bits[3]);
  const Id id = newId();
  put(m_globals, spv::Op::OpConstantComposite, m_types.float4, id, x, y, z, w);
  m_vectors.push_back({{bits[0], bits[1], bits[2], bits[3]}, id});
  return id;
}

Id SpirvBuilder::constantSplat(float value) {
  const uint32_t b = std::bit_cast<uint32_t>(value);
  return constantFloat4({b, b, b, b});
}

Id SpirvBuilder::constantNull(Id type) {
  if (const Id known = find(m_nulls, type, 0)) return known;
  const Id id = newId();
  put(m_globals, spv::Op::OpConstantNull, type, id);
  m_nulls.push_back({type, 0, id});
  return id;
}

Id SpirvBuilder::composite(Id type, std::initializer_list<Id> parts) {
  const Id id = newId();
  m_code.push_back(static_cast<uint32_t>((parts.size() + 3) << 16) |
                   static_cast<uint32_t>(spv::Op::OpCompositeConstruct));
  m_code.push_back(type);
  m_code.push_back(id);
  m_code.insert(m_code.end(), parts.begin(), parts.end());
  return id;
}

Words SpirvBuilder::finish(spv::ExecutionModel model, Id entryPoint) {
  Words out;
  out.reserve(64 + m_interface.size() + m_annotations.size() + m_globals.size() + m_code.size());
  out.insert(out.end(), {static_cast<uint32_t>(spv::MagicNumber), kSpirv13, 0u, m_bound, 0u});
  out.insert(out.end(), m_capabilities.begin(), m_capabilities.end());
  // "GLSL.std.450", "main": little-endian characters, zero-terminated.
  out.insert(out.end(), {6u << 16 | static_cast<uint32_t>(spv::Op::OpExtInstImport), m_glsl, 0x4C534C47u,
                         0x6474732Eu, 0x3035342Eu, 0u});
  put(out, spv::Op::OpMemoryModel, spv::AddressingModel::Logical, spv::MemoryModel::GLSL450);
  out.push_back(static_cast<uint32_t>((5 + m_interface.size()) << 16) |
                static_cast<uint32_t>(spv::Op::OpEntryPoint));
  out.insert(out.end(), {static_cast<uint32_t>(model), entryPoint, 0x6E69616Du, 0u});
  out.insert(out.end(), m_interface.begin(), m_interface.end());
  for (const spv::ExecutionMode mode : m_modes) put(out, spv::Op::OpExecutionMode, entryPoint, mode);
  out.insert(out.end(), m_annotations.begin(), m_annotations.end());
  out.insert(out.end(), m_globals.begin(), m_globals.end());
  out.insert(out.end(), m_code.begin(), m_code.end());
  return out;
}

}  // namespace aerogpu::shader
