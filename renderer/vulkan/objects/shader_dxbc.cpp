// SPDX-License-Identifier: MIT
// DXBC of shader models 4 and 5: the translator process turns it into SPIR-V (renderer/translator), with one
// binding in the stage's own descriptor set for every declared resource, textures and samplers separate.
#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstring>

#include "renderer/translator/client.h"
#include "renderer/translator/dxbc_answer.h"
#include "renderer/vulkan/device/stop_words.h"
#include "renderer/vulkan/objects/shader.h"

namespace aerogpu::vk {
namespace {

using translator::Dimension;
using translator::DxbcResource;
using translator::ResourceKind;

translator::Stage translatorStage(core::Stage stage) {
  switch (stage) {
    case core::Stage::Vertex:
      return translator::Stage::Vertex;
    case core::Stage::Pixel:
      return translator::Stage::Pixel;
    case core::Stage::Geometry:
      return translator::Stage::Geometry;
    default:
      return translator::Stage::Compute;
  }
}

/// Limits for code that a GPU's driver compiles in seconds on a slow computer. Static counts: loops count
/// once.
constexpr uint64_t kMaxInstructions = 2048;

VkShaderStageFlags stageFlag(core::Stage stage) {
  switch (stage) {
    case core::Stage::Vertex:
      return VK_SHADER_STAGE_VERTEX_BIT;
    case core::Stage::Pixel:
      return VK_SHADER_STAGE_FRAGMENT_BIT;
    case core::Stage::Geometry:
      return VK_SHADER_STAGE_GEOMETRY_BIT;
    default:
      return VK_SHADER_STAGE_COMPUTE_BIT;
  }
}

VkFormat texelFormat(translator::Texel texel) {
  switch (texel) {
    case translator::Texel::Uint:
      return VK_FORMAT_R32_UINT;
    case translator::Texel::Int:
      return VK_FORMAT_R32_SINT;
    default:
      return VK_FORMAT_R32_SFLOAT;
  }
}

std::optional<VkImageViewType> viewType(Dimension dimension) {
  switch (dimension) {
    case Dimension::Texture1D:
      return VK_IMAGE_VIEW_TYPE_1D;
    case Dimension::Texture1DArray:
      return VK_IMAGE_VIEW_TYPE_1D_ARRAY;
    case Dimension::Texture2D:
      return VK_IMAGE_VIEW_TYPE_2D;
    case Dimension::Texture2DArray:
      return VK_IMAGE_VIEW_TYPE_2D_ARRAY;
    case Dimension::TextureCube:
      return VK_IMAGE_VIEW_TYPE_CUBE;
    case Dimension::TextureCubeArray:
      return VK_IMAGE_VIEW_TYPE_CUBE_ARRAY;
    case Dimension::Texture3D:
      return VK_IMAGE_VIEW_TYPE_3D;
    default:
      return std::nullopt;
  }
}

/// Returns the program type in the version token of a SHDR or SHEX chunk (d3d10TokenizedProgramFormat).
uint32_t programType(core::Stage stage) {
  switch (stage) {
    case core::Stage::Pixel:
      return 0;
    case core::Stage::Vertex:
      return 1;
    case core::Stage::Geometry:
      return 2;
    default:
      return 5;
  }
}

Result<void> checkStage(const shader::Dxbc& container, core::Stage stage) {
  const shader::DxbcChunk* code = shader::programOf(container);
  if (!code || code->payload.size() < 8)
    return Error{ErrorCode::CmdDecode, "DXBC container without shader code", {}};
  const uint32_t type = code->payload[2] | uint32_t{code->payload[3]} << 8;
  if (type != programType(stage))
    return Error{ErrorCode::CmdDecode, "shader is of another stage than said", {}};
  return {};
}

Result<DxbcBinding> bindingOf(const DxbcResource& declared, uint32_t number) {
  DxbcBinding b{};
  b.reg = declared.reg;
  b.binding = number;
  uint32_t registers = 0;
  if (declared.count != 1) return Error{ErrorCode::Backend, "arrays of resources are not supported", {}};
  switch (declared.kind) {
    case ResourceKind::ConstantBuffer:
      b.kind = DxbcBinding::Kind::ConstantBuffer;
      b.type = VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER;
      registers = core::kMaxConstantBuffers;
      break;
    case ResourceKind::Sampler:
      b.kind = DxbcBinding::Kind::Sampler;
      b.type = VK_DESCRIPTOR_TYPE_SAMPLER;
      b.compare = declared.comparison != 0;
      registers = core::kMaxSamplers;
      break;
    case ResourceKind::ShaderResource:
      registers = core::kMaxShaderResources;
      if (declared.dimension == Dimension::Buffer) {
        b.kind = DxbcBinding::Kind::BufferResource;
        b.type = VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER;
        b.texelFormat = texelFormat(declared.texel);
      } else {
        const auto type = viewType(declared.dimension);
        if (!type) return Error{ErrorCode::Backend, "texture dimension is not supported", {}};
        b.kind = DxbcBinding::Kind::Texture;
        b.type = VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE;
        b.viewType = *type;
        b.texelFormat = texelFormat(declared.texel);
      }
      break;
    case ResourceKind::UnorderedAccess:
      registers = core::kMaxUnorderedAccess;
      if (declared.dimension != Dimension::Buffer)
        return Error{ErrorCode::Backend, "unordered access to textures is not supported", {}};
      if (declared.counter != 0)
        return Error{ErrorCode::Backend, "counters of unordered access views are not supported", {}};
      b.kind = DxbcBinding::Kind::BufferUav;
      b.type = VK_DESCRIPTOR_TYPE_STORAGE_TEXEL_BUFFER;
      b.texelFormat = texelFormat(declared.texel);
      break;
    default:
      return Error{ErrorCode::CmdDecode, "unknown kind of shader resource", {}};
  }
  if (b.reg >= registers) return Error{ErrorCode::CmdDecode, "shader resource register is out of range", {}};
  return b;
}

std::vector<uint32_t> wordsOf(std::span<const uint8_t> bytes) {
  std::vector<uint32_t> words(bytes.size() / sizeof(uint32_t));
  if (!words.empty()) std::memcpy(words.data(), bytes.data(), words.size() * sizeof(uint32_t));
  return words;
}

std::span<const uint8_t> bytesOf(const auto& value) {
  return {reinterpret_cast<const uint8_t*>(&value), sizeof value};
}

/// Returns where a geometry shader's numbers of layer and viewport go as they are: to their own registers, if
/// these have no other component, since a location has one type.
shader::IndexPlaces placesOf(const std::vector<shader::SignatureElement>& outputs) {
  constexpr uint32_t kLayer = 4, kViewport = 5;  // D3D_NAME
  shader::IndexPlaces places;
  for (const shader::SignatureElement& e : outputs) {
    if ((e.systemValue != kLayer && e.systemValue != kViewport) || e.mask == 0) continue;
    const bool isShared = std::ranges::any_of(outputs, [&](const shader::SignatureElement& other) {
      return other.registerIndex == e.registerIndex && other.systemValue != kLayer &&
             other.systemValue != kViewport;
    });
    if (isShared) continue;
    (e.systemValue == kLayer ? places.layer : places.viewport) =
        1 + e.registerIndex * 4 + static_cast<uint32_t>(std::countr_zero(e.mask));
  }
  return places;
}

/// The words are the finished module's.
struct Finished {
  translator::DxbcAnswer answer;
  bool loops = false;
};

/// Calls the translator process twice. The first answer is as untrusted as the guest's bytes that it comes
/// from; the second call, in a process that never saw those, checks that the module is valid and has only the
/// bindings of the list of resources.
Result<Finished> callTranslator(process::Client& client, std::span<const uint8_t> container,
                                const translator::DxbcRequest& request, const shader::LoopGuard& guard,
                                std::span<const shader::StreamedWord> streamed,
                                const std::atomic<bool>* interrupted) {
  auto bytes =
      translator::call(client, translator::Job::TranslateDxbc, {bytesOf(request), container}, interrupted);
  if (!bytes) return bytes.error();
  auto answer = translator::readAnswer(*bytes);
  if (!answer) return Error{ErrorCode::CmdDecode, "answer of the shader translator is cut short", {}};
  const translator::FinishRequest finish{guard.set, guard.interval, static_cast<uint32_t>(streamed.size())};
  const std::span<const uint8_t> streams(reinterpret_cast<const uint8_t*>(streamed.data()),
                                         streamed.size_bytes());
  auto module = translator::call(client, translator::Job::FinishSpirv,
                                 {bytesOf(request), bytesOf(finish), streams, *bytes}, interrupted);
  if (!module) return module.error();
  answer->words = wordsOf(*module);
  if (answer->words.empty())
    return Error{ErrorCode::CmdDecode, "answer of the shader translator is cut short", {}};
  const bool loops = answer->words[0] != 0;
  answer->words.erase(answer->words.begin());
  return Finished{std::move(*answer), loops};
}

}  // namespace

Result<ShaderStore::Translated> ShaderStore::translate(core::Stage stage, std::span<const uint8_t> container,
                                                       bool dualSource, const shader::IndexPlaces& places,
                                                       std::span<const shader::StreamedWord> streamed) {
  const uint32_t set = dxbcSetOf(stage);
  process::Client* const client = translator::shared();
  if (!client) return Error{ErrorCode::Backend, "there is no shader translator for DXBC", {}};
  auto finished = callTranslator(*client, container,
                                 {translatorStage(stage), set, dualSource, places.layer, places.viewport},
                                 StopWords::guard(StopWords::kDxbcSet), streamed, &m_gpu.interrupted);
  if (!finished) {
    if (client->isFirstToReportGone())
      m_gpu.log.line(AEROGPU_LOG_ERROR,
                     "the shader translator process has ended: DXBC shaders are refused from now on");
    return finished.error();
  }
  Translated translated{{}, std::move(finished->answer.words), finished->loops};
  for (uint32_t i = 0; i < finished->answer.resources.size(); ++i) {
    auto binding = bindingOf(finished->answer.resources[i], i);
    if (!binding) return binding.error();
    const bool isRow =
        binding->viewType == VK_IMAGE_VIEW_TYPE_1D || binding->viewType == VK_IMAGE_VIEW_TYPE_1D_ARRAY;
    if (binding->kind == DxbcBinding::Kind::Texture && isRow &&
        !hasRows(*m_gpu.device, VK_FORMAT_R8G8B8A8_UNORM))
      return Error{ErrorCode::Backend, "this GPU has no 1D textures", {}};
    translated.bindings.push_back(*binding);
  }
  return translated;
}

Result<void> ShaderStore::compileDxbc(ShaderCode& code, std::span<const uint8_t> bytes) {
  auto fixed = shader::withValidChecksum(bytes);
  if (!fixed) return fixed.error();
  auto container = shader::parseDxbc(*fixed);
  if (!container) return container.error();
  if (auto compiled = compileContainer(code, *fixed, *container); !compiled) return compiled;

  // vkd3d-shader uses an input's or output's register number as its location.
  if (code.stage == core::Stage::Vertex) {
    auto inputs = shader::readInputSignature(*container);
    if (!inputs) return inputs.error();
    for (const shader::SignatureElement& e : *inputs) {
      if (e.systemValue != 0 || e.registerIndex >= 32) continue;  // SV_VertexID and its like are built in
      const auto type = e.componentType == 1   ? VertexInput::Type::Uint
                        : e.componentType == 2 ? VertexInput::Type::Int
                                               : VertexInput::Type::Float;
      code.inputs.push_back({e.registerIndex, e.semanticHash, e.semanticIndex, type});
    }
  } else if (code.stage == core::Stage::Pixel) {
    auto outputs = shader::readOutputSignature(*container);
    if (!outputs) return outputs.error();
    for (const shader::SignatureElement& e : *outputs)
      if (e.registerIndex < core::kMaxColorTargets) code.outputMask |= 1u << e.registerIndex;
  }
  return {};
}

/// Reads what the program of a geometry shader declares, and checks it against the GPU's limits.
Result<void> ShaderStore::takeGeometry(ShaderCode& code, const shader::Dxbc& container) {
  auto traits = shader::geometryTraits(shader::programOf(container)->payload);
  if (!traits) return traits.error();
  auto inputs = shader::readInputSignature(container), outputs = shader::readOutputSignature(container);
  if (!inputs) return inputs.error();
  if (!outputs) return outputs.error();
  const auto componentsOf = [](const std::vector<shader::SignatureElement>& elements) {
    uint64_t count = 0;
    for (const shader::SignatureElement& e : elements) count += std::popcount(e.mask);
    return count;
  };
  const uint64_t in = componentsOf(*inputs), out = componentsOf(*outputs);
  const VkPhysicalDeviceLimits& limits = m_gpu.device->limits();
  const struct {
    const char* what;
    uint64_t value, limit;
  } checks[] = {
      {"components that it takes", in, limits.maxGeometryInputComponents},
      {"components that it emits", out, limits.maxGeometryOutputComponents},
      {"vertices", traits->maxVertices, limits.maxGeometryOutputVertices},
      {"components of all vertices", out * traits->maxVertices, limits.maxGeometryTotalOutputComponents},
      {"instances", traits->instances, limits.maxGeometryShaderInvocations}};
  for (const auto& check : checks)
    if (check.value > check.limit)
      return refused(ErrorCode::Backend, "this GPU's geometry shaders do less",
                     {{check.what, check.value}, {"limit", check.limit}});
  if (traits->output == shader::GeometryTraits::Output::Points && !m_gpu.device->caps().geometryPoints)
    return Error{ErrorCode::Backend, "this GPU's geometry shaders emit no points", {}};
  if (traits->choosesViewport && !m_gpu.device->caps().multiViewport)
    return Error{ErrorCode::Backend, "this GPU's geometry shaders choose no viewport", {}};
  code.geometry = *traits;
  code.places = placesOf(*outputs);
  return {};
}

Result<void> ShaderStore::compileContainer(ShaderCode& code, std::span<const uint8_t> bytes,
                                           const shader::Dxbc& container) {
  if (auto checked = checkStage(container, code.stage); !checked) return checked;
  code.family = core::ShaderFamily::Dxbc;
  code.cost = shader::costOf(container);
  if (code.stage == core::Stage::Geometry)
    if (auto taken = takeGeometry(code, container); !taken) return taken;
  if (code.stage == core::Stage::Pixel)
    code.readsIndices = shader::readsIndices(shader::programOf(container)->payload);
  if (const uint64_t count = shader::instructionsOf(container); count > kMaxInstructions)
    return refused(ErrorCode::Backend, "the shader is too long to be compiled in bounded time",
                   {{"instructions", count}, {"limit", kMaxInstructions}});
  auto translated = translate(code.stage, bytes, false, code.places);
  if (!translated) return translated.error();
  code.bindings = std::move(translated->bindings);
  std::vector<VkDescriptorSetLayoutBinding> layout;
  for (const DxbcBinding& b : code.bindings)
    layout.push_back({b.binding, b.type, 1, stageFlag(code.stage), nullptr});
  auto charge = chargeModule(translated->words);
  if (!charge) return charge.error();
  code.charge = std::move(*charge);
  auto module = makeModule(translated->words);
  if (!module) return module.error();
  code.module = std::move(*module);
  code.module.loops = translated->loops;

  VkDescriptorSetLayoutCreateInfo create{VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO};
  create.bindingCount = static_cast<uint32_t>(layout.size());
  create.pBindings = layout.data();
  const VkResult result =
      m_gpu.device->vk().CreateDescriptorSetLayout(m_gpu.device->handle(), &create, nullptr, &code.setLayout);
  if (result != VK_SUCCESS) return m_gpu.device->fail(result, "vkCreateDescriptorSetLayout");
  code.setSerial = m_gpu.nextSerial++;
  return {};
}

}  // namespace aerogpu::vk
