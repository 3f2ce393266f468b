// SPDX-License-Identifier: MIT
// Guest shaders: SPIR-V modules made from D3D9 token streams by our translator or from DXBC containers by
// vkd3d-shader, kept by content so that creating a shader again costs nothing. Render thread only.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "renderer/core/backend.h"
#include "renderer/d3d9/samplers.h"
#include "renderer/shader/dxbc/build.h"
#include "renderer/shader/dxbc/dxbc.h"
#include "renderer/shader/dxbc/geometry.h"
#include "renderer/shader/spirv/spirv_indices.h"
#include "renderer/shader/spirv/spirv_loops.h"
#include "renderer/shader/spirv/spirv_streams.h"
#include "renderer/shader/translate.h"
#include "renderer/vulkan/objects/gpu.h"

namespace aerogpu::vk {

/// A VkShaderModule with its identity.
struct ModuleRef {
  VkShaderModule handle = VK_NULL_HANDLE;
  uint64_t serial = 0;
  bool loops = false;                ///< reads the batch's stop word
  shader::ConstantLayout constants;  ///< D3D9 only
};

/// Returns the number of the descriptor set of a DXBC shader's resources.
constexpr uint32_t dxbcSetOf(core::Stage stage) {
  return stage == core::Stage::Pixel ? 1 : stage == core::Stage::Geometry ? 2 : 0;
}
inline constexpr uint32_t kDxbcSets = 3;  ///< StopWords::kDxbcSet follows

/// A descriptor that a DXBC shader declares.
struct DxbcBinding {
  enum class Kind : uint8_t { ConstantBuffer, Texture, BufferResource, Sampler, BufferUav } kind;
  uint32_t reg = 0;      ///< b#, t#, s# or u#
  uint32_t binding = 0;  ///< in the stage's set
  VkDescriptorType type = VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER;
  VkImageViewType viewType = VK_IMAGE_VIEW_TYPE_2D;
  VkFormat texelFormat = VK_FORMAT_UNDEFINED;  ///< of buffers and textures: R32, as float, uint or sint
  bool compare = false;                        ///< sampler
  bool operator==(const DxbcBinding&) const = default;
};

/// A vertex input that a stage reads.
struct VertexInput {
  uint32_t location = 0, semanticHash = 0, semanticIndex = 0;
  enum class Type : uint8_t { Float, Uint, Int } type = Type::Float;
};

/// One program, shared by all guest shaders with the same bytes.
struct ShaderCode {
  core::Stage stage = core::Stage::Vertex;
  core::ShaderFamily family = core::ShaderFamily::D3d9;
  std::vector<uint8_t> bytes;
  std::vector<VertexInput> inputs;
  uint32_t outputMask = 0;  ///< pixel shader: bit per colour target that is written
  shader::ShaderCost cost;
  /// A module that depends on what is drawn with; the oldest of many goes.
  struct Variant {
    std::vector<shader::Varying> linked;
    shader::EmitOptions options;          ///< D3D9; linkedOutputs is `linked`
    shader::RegisterClasses classes = 0;  ///< of tokens
    bool dualSource = false;              ///< DXBC
    shader::IndexPlaces places;           ///< DXBC
    core::StreamOutput streams;           ///< DXBC
    ModuleRef module;
    HostMemoryCharge charge;
  };
  std::vector<std::unique_ptr<Variant>> variants;
  // D3D9
  std::optional<shader::Program> program;
  // DXBC
  core::TokenCounts counts;                    ///< of tokens: EXT_CREATE_SHADER
  shader::RegisterClasses typedRegisters = 0;  ///< of tokens: BuiltContainer::typed
  HostMemoryCharge charge;
  ModuleRef module;                 ///< of tokens: with floats in all inputs and targets
  shader::GeometryTraits geometry;  ///< geometry shader
  shader::IndexPlaces places;  ///< geometry shader: where it puts the layer and the viewport as it wrote them
  bool readsIndices = false;   ///< pixel shader: of the layer or the viewport
  std::vector<DxbcBinding> bindings;
  VkDescriptorSetLayout setLayout = VK_NULL_HANDLE;
  uint64_t setSerial = 0;
};

class ShaderObject final : public core::GpuShader {
public:
  explicit ShaderObject(std::shared_ptr<ShaderCode> code) : m_code(std::move(code)) {
    cost = {m_code->cost.instructions, m_code->cost.samples};
    counts = m_code->counts;
    if (const shader::GeometryTraits& g = m_code->geometry; g.inputVertices)
      geometry = {g.inputVertices, g.instances, g.instances * g.maxVertices, g.choosesTarget()};
  }
  std::span<const uint8_t> code() const override { return m_code->bytes; }
  static ShaderCode& of(const core::Shader& shader) {
    return *static_cast<ShaderObject&>(*shader.gpu).m_code;
  }
  static const std::shared_ptr<ShaderCode>& shared(const core::Shader& shader) {
    return static_cast<ShaderObject&>(*shader.gpu).m_code;
  }

private:
  std::shared_ptr<ShaderCode> m_code;
};

class ShaderStore {
public:
  explicit ShaderStore(Gpu& gpu) : m_gpu(gpu) {}
  ~ShaderStore();

  Result<std::unique_ptr<core::GpuShader>> create(core::Stage stage, std::span<const uint8_t> bytes,
                                                  core::ShaderFamily& family);
  /// Likewise, of what EXT_CREATE_SHADER brings.
  Result<std::unique_ptr<core::GpuShader>> create(core::Stage stage, const core::TokenCounts& counts,
                                                  std::span<const uint8_t> bytes);
  /// Returns the module of a D3D9 shader. Valid until the next call for the same code.
  Result<const ModuleRef*> d3d9Module(ShaderCode& code, const shader::EmitOptions& options);
  /// Returns the module of a DXBC shader for inputs, or targets, of these classes, which count for tokens.
  /// `dualSource`: o1 of a pixel shader is the second source colour. `places`: where a pixel shader finds the
  /// layer and the viewport. `streams`: what a vertex or geometry shader streams out; null: nothing. Valid
  /// likewise.
  Result<const ModuleRef*> tokenModule(ShaderCode& code, shader::RegisterClasses classes,
                                       bool dualSource = false, const shader::IndexPlaces& places = {},
                                       const core::StreamOutput* streams = nullptr);

private:
  static constexpr size_t kMaxVariants = 64;  ///< of one program; the oldest is dropped
  // Programs without a guest shader are kept for the next one, until all programs together pass these.
  static constexpr size_t kMaxKept = 4096;                       ///< programs
  static constexpr uint64_t kMaxKeptBytes = uint64_t{64} << 20;  ///< of guest code
  /// A translated container, with what the draws bind for it.
  struct Translated {
    std::vector<DxbcBinding> bindings;
    std::vector<uint32_t> words;
    bool loops = false;
  };
  /// Returns the program of these bytes, which is made if it is new.
  Result<std::shared_ptr<ShaderCode>> find(core::Stage stage, const core::TokenCounts& counts,
                                           std::span<const uint8_t> bytes);
  Result<void> compile(ShaderCode& code);
  Result<void> compileD3d9(ShaderCode& code, std::span<const uint8_t> stream);
  Result<void> compileDxbc(ShaderCode& code, std::span<const uint8_t> container);
  Result<void> compileTokens(ShaderCode& code);
  /// Makes all but inputs and outputs from a container with the right checksum.
  Result<void> compileContainer(ShaderCode& code, std::span<const uint8_t> bytes,
                                const shader::Dxbc& container);
  Result<void> takeGeometry(ShaderCode& code, const shader::Dxbc& container);
  /// `places`: those of a geometry shader, or where a pixel shader finds the numbers.
  Result<Translated> translate(core::Stage stage, std::span<const uint8_t> container, bool dualSource,
                               const shader::IndexPlaces& places,
                               std::span<const shader::StreamedWord> streamed = {});
  /// Returns the words that a shader streams out; CmdDecode if it has no such outputs, Backend if that is
  /// more than this GPU can do.
  Result<std::vector<shader::StreamedWord>> streamedWords(std::span<const uint8_t> container,
                                                          const ShaderCode& code,
                                                          const core::StreamOutput& streams) const;
  Result<ModuleRef> makeModule(std::span<const uint32_t> words);
  /// Keeps a variant's module, in place of the oldest if there are many.
  const ModuleRef* keep(ShaderCode& code, std::unique_ptr<ShaderCode::Variant> variant);
  void destroy(ShaderCode& code);
  void dropUnused();
  /// Charges the host memory of a module: our words, which are freed, and the driver's data.
  Result<HostMemoryCharge> chargeModule(std::span<const uint32_t> words);

  Gpu& m_gpu;
  std::unordered_multimap<uint64_t, std::shared_ptr<ShaderCode>> m_codes;  // by hash of stage and bytes
  uint64_t m_bytes = 0;                                                    ///< of guest code in m_codes
  // When to drop next: beyond the number in use last time, so that many programs in use cost no walk each.
  size_t m_dropAt = kMaxKept;
  uint64_t m_dropAtBytes = kMaxKeptBytes;
};

}  // namespace aerogpu::vk
