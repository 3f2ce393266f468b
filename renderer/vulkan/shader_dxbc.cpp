// SPDX-License-Identifier: MIT
// DXBC of shader models 4 and 5 by way of libvkd3d-shader: every declared resource becomes one binding of the stage's
// own descriptor set, textures and samplers separate.
#include <algorithm>
#include <cstddef>

extern "C" {
#include <vkd3d_shader.h>
}

#include "renderer/vulkan/shader.h"

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

/// Program type in the version token of a SHDR or SHEX chunk (d3d10TokenizedProgramFormat): 0 pixel, 1 vertex, 5 compute.
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

/// Frees what vkd3d-shader hands out.
struct Messages {
  char* text = nullptr;
  ~Messages() { vkd3d_shader_free_messages(text); }
  std::string take() const { return text ? std::string(text).substr(0, 400) : std::string(); }
};
struct SpirV {
  vkd3d_shader_code code{};
  ~SpirV() { vkd3d_shader_free_shader_code(&code); }
};

}  // namespace

Result<void> ShaderStore::compileDxbc(ShaderCode& code, std::span<const uint8_t> bytes) {
  auto fixed = shader::withValidChecksum(bytes);
  if (!fixed) return fixed.error();
  auto container = shader::parseDxbc(*fixed);
  if (!container) return container.error();
  if (auto checked = checkStage(*container, code.stage); !checked) return checked;
  code.family = core::ShaderFamily::Dxbc;

  vkd3d_shader_scan_descriptor_info scanned{};
  scanned.type = VKD3D_SHADER_STRUCTURE_TYPE_SCAN_DESCRIPTOR_INFO;
  vkd3d_shader_compile_info info{};
  info.type = VKD3D_SHADER_STRUCTURE_TYPE_COMPILE_INFO;
  info.next = &scanned;
  info.source = {fixed->data(), fixed->size()};
  info.source_type = VKD3D_SHADER_SOURCE_DXBC_TPF;
  info.target_type = VKD3D_SHADER_TARGET_SPIRV_BINARY;
  info.log_level = VKD3D_SHADER_LOG_ERROR;
  Messages scanMessages;
  if (const int rc = vkd3d_shader_scan(&info, &scanMessages.text); rc < 0)
    return Error{ErrorCode::CmdDecode, "vkd3d-shader refuses the shader", scanMessages.take()};
  struct FreeScan {
    vkd3d_shader_scan_descriptor_info& s;
    ~FreeScan() { vkd3d_shader_free_scan_descriptor_info(&s); }
  } freeScan{scanned};

  // Graphics: the vertex shader's set is 0, the pixel shader's 1. Compute: 0.
  const uint32_t set = code.stage == core::Stage::Pixel ? 1 : 0;
  std::vector<vkd3d_shader_resource_binding> bindings;
  std::vector<VkDescriptorSetLayoutBinding> layout;
  const std::span<const vkd3d_shader_descriptor_info> descriptors(scanned.descriptors, scanned.descriptor_count);
  for (const vkd3d_shader_descriptor_info& d : descriptors) {
    DxbcBinding b{};
    b.reg = d.register_index;
    b.binding = static_cast<uint32_t>(code.bindings.size());
    unsigned flags = VKD3D_SHADER_BINDING_FLAG_BUFFER;
    uint32_t registers = 0;
    if (d.count != 1) return Error{ErrorCode::Backend, "arrays of resources are not supported", {}};
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
        flags = VKD3D_SHADER_BINDING_FLAG_IMAGE;  // what vkd3d-shader looks for
        break;
      case VKD3D_SHADER_DESCRIPTOR_TYPE_SRV:
        registers = core::kMaxShaderResources;
        if (d.resource_type == VKD3D_SHADER_RESOURCE_BUFFER) {
          b.kind = DxbcBinding::Kind::BufferResource;
          b.type = VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER;
          b.texelFormat = texelFormat(d.resource_data_type);
        } else {
          const auto type = viewType(d.resource_type);
          if (!type) return Error{ErrorCode::Backend, "texture dimension is not supported", {}};
          b.kind = DxbcBinding::Kind::Texture;
          b.type = VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE;
          b.viewType = *type;
          flags = VKD3D_SHADER_BINDING_FLAG_IMAGE;
        }
        break;
      case VKD3D_SHADER_DESCRIPTOR_TYPE_UAV:
        registers = core::kMaxUnorderedAccess;
        if (d.resource_type != VKD3D_SHADER_RESOURCE_BUFFER)
          return Error{ErrorCode::Backend, "unordered access to textures is not supported", {}};
        if (d.flags & VKD3D_SHADER_DESCRIPTOR_INFO_FLAG_UAV_COUNTER)
          return Error{ErrorCode::Backend, "counters of unordered access views are not supported", {}};
        b.kind = DxbcBinding::Kind::BufferUav;
        b.type = VK_DESCRIPTOR_TYPE_STORAGE_TEXEL_BUFFER;
        b.texelFormat = texelFormat(d.resource_data_type);
        break;
      default:
        return Error{ErrorCode::CmdDecode, "unknown kind of shader resource", {}};
    }
    if (b.reg >= registers) return Error{ErrorCode::CmdDecode, "shader resource register is out of range", {}};
    code.bindings.push_back(b);
    vkd3d_shader_resource_binding out{};
    out.type = d.type;
    out.register_space = d.register_space;
    out.register_index = d.register_index;
    out.shader_visibility = visibility(code.stage);
    out.flags = flags;
    out.binding = {set, b.binding, 1};
    bindings.push_back(out);
    VkDescriptorSetLayoutBinding entry{};
    entry.binding = b.binding;
    entry.descriptorType = b.type;
    entry.descriptorCount = 1;
    entry.stageFlags = stageFlag(code.stage);
    layout.push_back(entry);
  }

  vkd3d_shader_spirv_target_info target{};
  target.type = VKD3D_SHADER_STRUCTURE_TYPE_SPIRV_TARGET_INFO;
  target.environment = VKD3D_SHADER_SPIRV_ENVIRONMENT_VULKAN_1_0;
  vkd3d_shader_interface_info interface{};
  interface.type = VKD3D_SHADER_STRUCTURE_TYPE_INTERFACE_INFO;
  interface.next = &target;
  interface.bindings = bindings.data();
  interface.binding_count = static_cast<unsigned>(bindings.size());
  info.next = &interface;
  Messages messages;
  SpirV spirv;
  if (const int rc = vkd3d_shader_compile(&info, &spirv.code, &messages.text); rc < 0)
    return Error{ErrorCode::CmdDecode, "vkd3d-shader cannot translate the shader", messages.take()};
  auto module = makeModule({static_cast<const uint32_t*>(spirv.code.code), spirv.code.size / 4});
  if (!module) return module.error();
  code.module = std::move(*module);

  VkDescriptorSetLayoutCreateInfo create{VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO};
  create.bindingCount = static_cast<uint32_t>(layout.size());
  create.pBindings = layout.data();
  const VkResult result = m_gpu.device->vk().CreateDescriptorSetLayout(m_gpu.device->handle(), &create, nullptr,
                                                                       &code.setLayout);
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
