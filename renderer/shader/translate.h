// SPDX-License-Identifier: MIT
// Translates D3D9 token streams (shader models 1.1 to 3.0) to SPIR-V 1.3 for Vulkan 1.1. Two steps: parse()
// validates the stream once, emit() writes a module for each set of EmitOptions. Pure functions without
// shared state: any thread. Bindings and constants: d3d9_interface.h.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "aerogpu/d3d9/tokens.h"
#include "renderer/base/result.h"
#include "renderer/shader/cost.h"
#include "renderer/shader/d3d9_interface.h"

namespace aerogpu::shader {

/// Longest stream that parse() reads.
inline constexpr uint32_t kMaxTokens = 65536;
/// Most instruction slots of a stream: the least values of D3DCAPS9::MaxVertexShader30InstructionSlots and
/// MaxPixelShader30InstructionSlots, so that no program needs more. A GPU's driver compiles 512 of them in a
/// second on a slow computer, thousands in minutes.
inline constexpr uint32_t kMaxSlots = 512;
/// Varyings that a vertex shader may have, without position and point size.
inline constexpr uint32_t kMaxVaryings = 16;

/// The reason why a stream was refused. The message names the instruction, if any.
struct ShaderError {
  std::string message;
  uint32_t tokenOffset = 0;  ///< index of the token in the stream
};

/// An input of a vertex shader, or a value that goes from the vertex to the pixel shader.
struct Varying {
  d3d9::Usage usage = d3d9::Usage::Position;
  uint8_t usageIndex = 0;  ///< 0..15
  uint8_t location = 0;    ///< SPIR-V Location; for vertex inputs also the number of the v# register
  uint8_t mask = 0xF;      ///< components declared (input) or written (output), bit 0 = x
  bool operator==(const Varying&) const = default;
};

/// Facts from the stream, common to every module made from it.
struct ShaderInfo {
  d3d9::Version version;
  /// Vertex shader: declared inputs in order of register. All are read as vec4 of floats.
  std::vector<Varying> inputs;
  /// Vertex shader: its outputs to the pixel shader, locations 0, 1, ..., without position and point size.
  /// This list is EmitOptions::linkedOutputs for the pixel shader.
  std::vector<Varying> outputs;
  ConstantLayout constants;                          ///< clipPlaneCount is 0 here; Module::constants has it
  uint32_t samplerMask = 0;                          ///< bit n: s#n is sampled
  std::array<d3d9::SamplerType, 16> samplerTypes{};  ///< Unknown where the mask has no bit
  uint8_t colorOutputMask = 0;                       ///< pixel shader: bit n = oC#n is written
  bool writesDepth = false;                          ///< pixel shader: oDepth
  bool usesKill = false;                             ///< pixel shader: texkill
  bool writesPointSize = false;                      ///< vertex shader
  bool nestedLoops = false;                          ///< a loop in a loop or in a subroutine
  bool loops = false;                                ///< any loop
  ShaderCost cost;
};

struct ProgramCode;  // program.h

/// A validated stream. Immutable and cheap to copy.
class Program {
public:
  explicit Program(std::shared_ptr<const ProgramCode> code) : m_code(std::move(code)) {}
  const ShaderInfo& info() const;
  const ProgramCode& code() const { return *m_code; }

private:
  std::shared_ptr<const ProgramCode> m_code;
};

/// The type in which the GPU fetches an input of a vertex shader from its buffer.
enum class InputType : uint8_t {
  Float,
  Uint,  ///< whole numbers that the shader turns into floats
  Int
};

/// A byte for each of 16 registers of a kind. Draws compare these, so one comparison covers all of them.
template <class T>
struct PerRegister : std::array<T, 16> {
  static_assert(sizeof(T) == 1);
  friend bool operator==(const PerRegister& a, const PerRegister& b) {
    return std::memcmp(a.data(), b.data(), a.size()) == 0;
  }
};

/// Varyings that the caller keeps alive, compared by content.
struct Varyings : std::span<const Varying> {
  using std::span<const Varying>::span;
  friend bool operator==(const Varyings& a, const Varyings& b) {
    return a.size() == b.size() && (a.data() == b.data() || std::equal(a.begin(), a.end(), b.begin()));
  }
};

/// See EmitOptions::gatheredSamplers.
inline constexpr uint32_t kGatheredAlpha = 16;

/// What a module depends on beside its program. Modules of equal options are equal.
struct EmitOptions {
  bool flatShade = false;       ///< pixel shader: D3DSHADE_FLAT, colours are not interpolated
  uint32_t shadowSamplers = 0;  ///< bit n: s#n has a depth texture; it compares (D3D9's shadow maps)
  /// Bit n: samples of s#n are sRGB, which the shader decodes (D3DSAMP_SRGBTEXTURE).
  uint32_t decodedSamplers = 0;
  /// Pixel shader, bit n: samples of s#n, which is 2D, are the four texels around (Fetch4); bit n +
  /// kGatheredAlpha: of their alpha, not their red.
  uint32_t gatheredSamplers = 0;
  uint32_t clipPlaneCount = 0;  ///< vertex shader, 0..6: planes at the end of the constants
  /// Pixel shader: kinds of the bound textures that it does not declare, or declares as another kind. Unknown
  /// = ShaderInfo::samplerTypes.
  PerRegister<d3d9::SamplerType> samplerTypes{};
  /// ps_1_0 to ps_1_3: 1..3 = that component divides the coordinates of t#n (D3DTTFF_PROJECTED) in tex,
  /// texbem and texbeml; 0 = no division.
  std::array<uint8_t, 4> projectedBy{};
  /// Pixel shader: oC1 is the second source color of target 0, and there are no other targets.
  bool dualSource = false;
  PerRegister<InputType> inputTypes{};  ///< vertex shader: by v#
  /// Vertex shader: points may be drawn, so it writes PointSize, at a cost for each vertex.
  bool points = true;
  /// Pixel shader: ShaderInfo::outputs of the vertex shader it runs with. Inputs that are not in it read 0,
  /// COLOR0 reads (1, 1, 1, 1).
  Varyings linkedOutputs;
  bool operator==(const EmitOptions&) const = default;
};

struct Module {
  std::vector<uint32_t> words;  ///< SPIR-V
  ConstantLayout constants;     ///< of the uniform buffer of this stage
};

/// Validates a stream from its version token on. Refuses the software models (2_sw, 3_sw) by name.
Result<Program, ShaderError> parse(std::span<const uint32_t> tokens);

/// Writes a module. Cannot fail because of the application's code; an error means options out of range or a
/// module that would exceed a SPIR-V limit.
Result<Module, ShaderError> emit(const Program& program, const EmitOptions& options = {});

}  // namespace aerogpu::shader
