// SPDX-License-Identifier: MIT
// DXBC of shader models 4 and 5 by way of libvkd3d-shader: every declared resource becomes one binding of the
// stage's own descriptor set, textures and samplers separate.
#include <algorithm>
#include <cstddef>
#include <cstring>

extern "C" {
#include <vkd3d_shader.h>
}

#include "renderer/vulkan/dxbc_worker.h"
#include "renderer/vulkan/shader.h"
#include "renderer/vulkan/spirv_check.h"

namespace aerogpu::vk {
namespace {

vkd3d_shader_visibility visibility(core::Stage stage) {
  switch (stage) {
    case core::Stage::Vertex:
      return VKD3D_SHADER_VISIBILITY_VERTEX;
    case core::Stage::Pixel:
      return VKD3D_SHADER_VISIBILITY_PIXEL;
    default:
      return VKD3D_SHADER_VISIBILITY_COMPUTE;
  }
}

VkShaderStageFlags stageFlag(core::Stage stage) {
  switch (stage) {
    case core::Stage::Vertex:
      return VK_SHADER_STAGE_VERTEX_BIT;
    case core::Stage::Pixel:
      return VK_SHADER_STAGE_FRAGMENT_BIT;
    default:
      return VK_SHADER_STAGE_COMPUTE_BIT;
  }
}

VkFormat texelFormat(vkd3d_shader_resource_data_type type) {
  switch (type) {
    case VKD3D_SHADER_RESOURCE_DATA_UINT:
      return VK_FORMAT_R32_UINT;
    case VKD3D_SHADER_RESOURCE_DATA_INT:
      return VK_FORMAT_R32_SINT;
    default:
      return VK_FORMAT_R32_SFLOAT;
  }
}

std::optional<VkImageViewType> viewType(vkd3d_shader_resource_type type) {
  switch (type) {
    case VKD3D_SHADER_RESOURCE_TEXTURE_2D:
      return VK_IMAGE_VIEW_TYPE_2D;
    case VKD3D_SHADER_RESOURCE_TEXTURE_2DARRAY:
      return VK_IMAGE_VIEW_TYPE_2D_ARRAY;
    case VKD3D_SHADER_RESOURCE_TEXTURE_CUBE:
      return VK_IMAGE_VIEW_TYPE_CUBE;
    case VKD3D_SHADER_RESOURCE_TEXTURE_CUBEARRAY:
      return VK_IMAGE_VIEW_TYPE_CUBE_ARRAY;
    default:
      return std::nullopt;
  }
}

/// Program type in the version token of a SHDR or SHEX chunk (d3d10TokenizedProgramFormat): 0 pixel, 1
/// vertex, 5 compute.
Result<void> checkStage(const shader::Dxbc& container, core::Stage stage) {
  const shader::DxbcChunk* code = container.find(shader::fourCc('S', 'H', 'E', 'X'));
  if (!code) code = container.find(shader::fourCc('S', 'H', 'D', 'R'));
  if (!code || code->payload.size() < 8)
    return Error{ErrorCode::CmdDecode, "DXBC container without shader code", {}};
  const uint32_t type = code->payload[2] | uint32_t{code->payload[3]} << 8;
  const uint32_t wanted = stage == core::Stage::Pixel ? 0u : stage == core::Stage::Vertex ? 1u : 5u;
  if (type != wanted) return Error{ErrorCode::CmdDecode, "shader is of another stage than said", {}};
  return {};
}

/// First word of what the worker writes.
enum class Verdict : uint32_t { Ok = 1, Refused = 2 };
constexpr uint32_t kDescriptorWords = 6;
constexpr uint32_t kMaxDescriptors = 256;
constexpr size_t kMaxAnswer = size_t{64} << 20;

unsigned bindingFlags(const vkd3d_shader_descriptor_info& d) {
  // vkd3d-shader looks for samplers among the images.
  const bool image =
      d.type == VKD3D_SHADER_DESCRIPTOR_TYPE_SAMPLER ||
      (d.type != VKD3D_SHADER_DESCRIPTOR_TYPE_CBV && d.resource_type != VKD3D_SHADER_RESOURCE_BUFFER);
  return image ? VKD3D_SHADER_BINDING_FLAG_IMAGE : VKD3D_SHADER_BINDING_FLAG_BUFFER;
}

void refuse(WorkerOutput& out, const char* messages) {
  out.writeWord(static_cast<uint32_t>(Verdict::Refused));
  if (messages) out.write(messages, std::min<size_t>(std::strlen(messages), 400));
}

/// In the child: the declared descriptors, then the module. Descriptor n gets binding n of `set`. Nothing is
/// freed; the process ends.
void translate(WorkerOutput& out, std::span<const uint8_t> container, core::Stage stage, uint32_t set) {
  vkd3d_shader_scan_descriptor_info scanned{};
  scanned.type = VKD3D_SHADER_STRUCTURE_TYPE_SCAN_DESCRIPTOR_INFO;
  vkd3d_shader_compile_info info{};
  info.type = VKD3D_SHADER_STRUCTURE_TYPE_COMPILE_INFO;
  info.next = &scanned;
  info.source = {container.data(), container.size()};
  info.source_type = VKD3D_SHADER_SOURCE_DXBC_TPF;
  info.target_type = VKD3D_SHADER_TARGET_SPIRV_BINARY;
  info.log_level = VKD3D_SHADER_LOG_ERROR;
  char* messages = nullptr;
  if (vkd3d_shader_scan(&info, &messages) < 0) return refuse(out, messages);
  const std::span<const vkd3d_shader_descriptor_info> descriptors(scanned.descriptors,
                                                                  scanned.descriptor_count);
  if (descriptors.size() > kMaxDescriptors) return refuse(out, nullptr);
  std::vector<vkd3d_shader_resource_binding> bindings;
  for (const vkd3d_shader_descriptor_info& d : descriptors) {
    vkd3d_shader_resource_binding b{};
    b.type = d.type;
    b.register_space = d.register_space;
    b.register_index = d.register_index;
    b.shader_visibility = visibility(stage);
    b.flags = bindingFlags(d);
    b.binding = {set, static_cast<unsigned>(bindings.size()), 1};
    bindings.push_back(b);
  }
  vkd3d_shader_spirv_target_info target{};
  target.type = VKD3D_SHADER_STRUCTURE_TYPE_SPIRV_TARGET_INFO;
  target.environment = VKD3D_SHADER_SPIRV_ENVIRONMENT_VULKAN_1_0;
  vkd3d_shader_interface_info interface {};
  interface.type = VKD3D_SHADER_STRUCTURE_TYPE_INTERFACE_INFO;
  interface.next = &target;
  interface.bindings = bindings.data();
  interface.binding_count = static_cast<unsigned>(bindings.size());
  info.next = &interface;
  vkd3d_shader_code spirv{};
  if (vkd3d_shader_compile(&info, &spirv, &messages) < 0) return refuse(out, messages);
  // Malformed code that it lets through becomes malformed SPIR-V, which a driver may crash on.
  std::vector<uint32_t> words(spirv.size / sizeof(uint32_t));
  std::memcpy(words.data(), spirv.code, words.size() * sizeof(uint32_t));
  if (std::string defect = spirvDefect(words); !defect.empty())
    return refuse(out, defect.insert(0, "it becomes bad SPIR-V: ").data());
  out.writeWord(static_cast<uint32_t>(Verdict::Ok));
  out.writeWord(static_cast<uint32_t>(descriptors.size()));
  for (const vkd3d_shader_descriptor_info& d : descriptors) {
    const uint32_t words[kDescriptorWords] = {static_cast<uint32_t>(d.type),
                                              d.register_index,
                                              static_cast<uint32_t>(d.resource_type),
                                              static_cast<uint32_t>(d.resource_data_type),
                                              d.flags,
                                              d.count};
    out.write(words, sizeof words);
  }
  out.write(spirv.code, spirv.size);
}

/// A descriptor as the worker reports it.
struct Declared {
  uint32_t type, reg, resourceType, dataType, flags, count;
};
static_assert(sizeof(Declared) == size_t{kDescriptorWords} * 4);

Result<DxbcBinding> bindingOf(const Declared& d, uint32_t number) {
  DxbcBinding b{};
  b.reg = d.reg;
  b.binding = number;
  uint32_t registers = 0;
  if (d.count != 1) return Error{ErrorCode::Backend, "arrays of resources are not supported", {}};
  const auto dataType = static_cast<vkd3d_shader_resource_data_type>(d.dataType);
  switch (d.type) {
    case VKD3D_SHADER_DESCRIPTOR_TYPE_CBV:
      b.kind = DxbcBinding::Kind::ConstantBuffer;
      b.type = VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER;
      registers = core::kMaxConstantBuffers;
      break;
    case VKD3D_SHADER_DESCRIPTOR_TYPE_SAMPLER:
      b.kind = DxbcBinding::Kind::Sampler;
      b.type = VK_DESCRIPTOR_TYPE_SAMPLER;
      b.compare = (d.flags & VKD3D_SHADER_DESCRIPTOR_INFO_FLAG_SAMPLER_COMPARISON_MODE) != 0;
      registers = core::kMaxSamplers;
      break;
    case VKD3D_SHADER_DESCRIPTOR_TYPE_SRV:
      registers = core::kMaxShaderResources;
      if (d.resourceType == VKD3D_SHADER_RESOURCE_BUFFER) {
        b.kind = DxbcBinding::Kind::BufferResource;
        b.type = VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER;
        b.texelFormat = texelFormat(dataType);
      } else {
        const auto type = viewType(static_cast<vkd3d_shader_resource_type>(d.resourceType));
        if (!type) return Error{ErrorCode::Backend, "texture dimension is not supported", {}};
        b.kind = DxbcBinding::Kind::Texture;
        b.type = VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE;
        b.viewType = *type;
      }
      break;
    case VKD3D_SHADER_DESCRIPTOR_TYPE_UAV:
      registers = core::kMaxUnorderedAccess;
      if (d.resourceType != VKD3D_SHADER_RESOURCE_BUFFER)
        return Error{ErrorCode::Backend, "unordered access to textures is not supported", {}};
      if (d.flags & VKD3D_SHADER_DESCRIPTOR_INFO_FLAG_UAV_COUNTER)
        return Error{ErrorCode::Backend, "counters of unordered access views are not supported", {}};
      b.kind = DxbcBinding::Kind::BufferUav;
      b.type = VK_DESCRIPTOR_TYPE_STORAGE_TEXEL_BUFFER;
      b.texelFormat = texelFormat(dataType);
      break;
    default:
      return Error{ErrorCode::CmdDecode, "unknown kind of shader resource", {}};
  }
  if (b.reg >= registers) return Error{ErrorCode::CmdDecode, "shader resource register is out of range", {}};
  return b;
}

}  // namespace

Result<void> ShaderStore::compileDxbc(ShaderCode& code, std::span<const uint8_t> bytes) {
  auto fixed = shader::withValidChecksum(bytes);
  if (!fixed) return fixed.error();
  auto container = shader::parseDxbc(*fixed);
  if (!container) return container.error();
  if (auto checked = checkStage(*container, code.stage); !checked) return checked;
  code.family = core::ShaderFamily::Dxbc;

  // Graphics: the vertex shader's set is 0, the pixel shader's 1. Compute: 0.
  const uint32_t set = code.stage == core::Stage::Pixel ? 1 : 0;
  auto answer = runInChild(kMaxAnswer, [&](WorkerOutput& out) { translate(out, *fixed, code.stage, set); });
  if (!answer) return answer.error();
  std::vector<uint32_t> words(answer->size() / 4);
  std::memcpy(words.data(), answer->data(), words.size() * 4);
  if (words.empty() || words[0] != static_cast<uint32_t>(Verdict::Ok)) {
    const size_t skip = std::min<size_t>(answer->size(), 4);
    return Error{ErrorCode::CmdDecode, "vkd3d-shader refuses the shader",
                 std::string(answer->begin() + static_cast<ptrdiff_t>(skip), answer->end())};
  }
  const uint32_t count = words.size() > 1 ? words[1] : kMaxDescriptors + 1;
  if (count > kMaxDescriptors || words.size() - 2 <= size_t{count} * kDescriptorWords)
    return Error{ErrorCode::Internal, "answer of the shader translator is cut short", {}};
  std::vector<VkDescriptorSetLayoutBinding> layout;
  for (uint32_t i = 0; i < count; ++i) {
    Declared declared;
    std::memcpy(&declared, words.data() + 2 + size_t{i} * kDescriptorWords, sizeof declared);
    auto binding = bindingOf(declared, i);
    if (!binding) return binding.error();
    code.bindings.push_back(*binding);
    layout.push_back({i, binding->type, 1, stageFlag(code.stage), nullptr});
  }
  auto module = makeModule(std::span(words).subspan(2 + size_t{count} * kDescriptorWords));
  if (!module) return module.error();
  code.module = std::move(*module);

  VkDescriptorSetLayoutCreateInfo create{VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO};
  create.bindingCount = static_cast<uint32_t>(layout.size());
  create.pBindings = layout.data();
  const VkResult result =
      m_gpu.device->vk().CreateDescriptorSetLayout(m_gpu.device->handle(), &create, nullptr, &code.setLayout);
  if (result != VK_SUCCESS) return m_gpu.device->fail(result, "vkCreateDescriptorSetLayout");
  code.setSerial = m_gpu.nextSerial++;

  // vkd3d-shader gives inputs and outputs the number of their register as location.
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

}  // namespace aerogpu::vk
