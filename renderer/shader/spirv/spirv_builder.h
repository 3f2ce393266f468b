// SPDX-License-Identifier: MIT
// Writes SPIR-V words section by section (SPIR-V specification 2.4, "Logical Layout of a Module"). It emits
// each constant, pointer type and image type once. Private to this folder; one builder makes one module.
#pragma once

#include <spirv/unified1/GLSL.std.450.h>
#include <bit>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <spirv/unified1/spirv.hpp11>
#include <vector>

namespace aerogpu::shader {

using Id = uint32_t;
using Words = std::vector<uint32_t>;

/// Numeric types of D3D9 shaders, made by the constructor.
struct SpirvTypes {
  Id voidType, boolean, float1, int1, uint1, float2, float3, float4, int4, bool4, function;
};

class SpirvBuilder {
public:
  SpirvBuilder();

  Id newId() { return m_bound++; }
  const SpirvTypes& types() const { return m_types; }

  // --- module level ---

  void capability(spv::Capability c) { put(m_capabilities, spv::Op::OpCapability, c); }
  /// Declares that the module asks for sizes of images.
  void queriesImages() {
    if (!m_queriesImages) capability(spv::Capability::ImageQuery);
    m_queriesImages = true;
  }
  void decorate(Id target, spv::Decoration d) { put(m_annotations, spv::Op::OpDecorate, target, d); }
  template <class T>
  void decorate(Id target, spv::Decoration d, T operand) {
    put(m_annotations, spv::Op::OpDecorate, target, d, operand);
  }
  void decorateMember(Id type, uint32_t member, spv::Decoration d, uint32_t operand) {
    put(m_annotations, spv::Op::OpMemberDecorate, type, member, d, operand);
  }
  void executionMode(spv::ExecutionMode mode) { m_modes.push_back(mode); }

  Id pointerType(spv::StorageClass storage, Id pointee);
  Id arrayType(Id element, uint32_t length);
  /// Returns a vector type that SpirvTypes lacks.
  Id vectorType(Id component, uint32_t count);
  Id structType(std::span<const Id> members);
  /// Returns the type of a combined image sampler.
  Id sampledImageType(spv::Dim dim, bool depth);
  /// Returns the type of an image of floats without a sampler.
  Id imageType(spv::Dim dim, bool depth = false) { return imageType(m_types.float1, dim, depth, false); }
  /// Returns the type of a 2D image with several samples a texel, of floats or of unsigned numbers.
  Id samplesType(Id component) { return imageType(component, spv::Dim::Dim2D, false, true); }
  /// Makes a module-scope variable; Input and Output ones are listed in the entry point. `initializer` 0 =
  /// none.
  Id variable(spv::StorageClass storage, Id type, Id initializer = 0);
  Id specBool(uint32_t specId);
  Id specBool4(Id scalar);

  Id constantFloat(float value) { return scalar(m_types.float1, std::bit_cast<uint32_t>(value)); }
  Id constantFloatBits(uint32_t bits) { return scalar(m_types.float1, bits); }
  Id constantInt(int32_t value) { return scalar(m_types.int1, static_cast<uint32_t>(value)); }
  Id constantUint(uint32_t value) { return scalar(m_types.uint1, value); }
  Id constantBool(bool value);
  Id constantFloat4(const uint32_t (&bits)[4]);
  Id constantSplat(float value);
  /// Returns a constant of all zero bits.
  Id constantNull(Id type);

  // --- code ---

  template <class... Args>
  void code(spv::Op op, Args... args) {
    put(m_code, op, args...);
  }
  /// Emits an instruction with a result.
  template <class... Args>
  Id value(spv::Op op, Id type, Args... args) {
    const Id id = newId();
    put(m_code, op, type, id, args...);
    return id;
  }
  template <class... Args>
  Id glsl(GLSLstd450 op, Id type, Args... args) {
    return value(spv::Op::OpExtInst, type, m_glsl, static_cast<uint32_t>(op), args...);
  }
  Id load(Id type, Id pointer) { return value(spv::Op::OpLoad, type, pointer); }
  void store(Id pointer, Id object) { code(spv::Op::OpStore, pointer, object); }
  void label(Id id) { code(spv::Op::OpLabel, id); }
  Id composite(Id type, std::initializer_list<Id> parts);

  /// Returns the finished module; the builder is then used up.
  Words finish(spv::ExecutionModel model, Id entryPoint);

private:
  Id imageType(Id component, spv::Dim dim, bool depth, bool multisampled);
  template <class... Args>
  static void put(Words& words, spv::Op op, Args... args) {
    words.push_back(static_cast<uint32_t>((sizeof...(args) + 1) << 16) | static_cast<uint32_t>(op));
    (words.push_back(static_cast<uint32_t>(args)), ...);
  }
  Id scalar(Id type, uint32_t bits);

  struct Known {
    Id type;
    uint32_t key;
    Id id;
  };
  static Id find(const std::vector<Known>& list, Id type, uint32_t key) {
    for (const Known& k : list)
      if (k.type == type && k.key == key) return k.id;
    return 0;
  }
  struct KnownVector {
    uint32_t bits[4];
    Id id;
  };

  uint32_t m_bound = 1;
  Id m_glsl = 0;
  SpirvTypes m_types{};
  Words m_capabilities, m_annotations, m_globals, m_code;
  std::vector<Id> m_interface;
  std::vector<spv::ExecutionMode> m_modes;
  std::vector<Known> m_scalars, m_pointers, m_vectorTypes, m_nulls, m_images, m_sampledImages;
  std::vector<KnownVector> m_vectors;
  Id m_true = 0, m_false = 0;
  bool m_queriesImages = false;
};

}  // namespace aerogpu::shader
