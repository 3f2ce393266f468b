// SPDX-License-Identifier: MIT
// Translates DXBC of shader models 4 and 5 with libvkd3d-shader: every declared resource becomes one binding
// of one descriptor set, textures and samplers separate.
#include <cstring>

extern "C" {
#include <vkd3d_shader.h>
}

#include "renderer/translator/dxbc_answer.h"
#include "renderer/translator/jobs.h"

namespace aerogpu::translator {
namespace {

using process::JobAnswer;

// The switches that follow are tables, one for each enumeration.
vkd3d_shader_visibility visibility(Stage stage) {
  switch (stage) {
    case Stage::Vertex:
      return VKD3D_SHADER_VISIBILITY_VERTEX;
    case Stage::Pixel:
      return VKD3D_SHADER_VISIBILITY_PIXEL;
    case Stage::Geometry:
      return VKD3D_SHADER_VISIBILITY_GEOMETRY;
    default:
      return VKD3D_SHADER_VISIBILITY_COMPUTE;
  }
}

ResourceKind kindOf(vkd3d_shader_descriptor_type type) {
  switch (type) {
    case VKD3D_SHADER_DESCRIPTOR_TYPE_CBV:
      return ResourceKind::ConstantBuffer;
    case VKD3D_SHADER_DESCRIPTOR_TYPE_SAMPLER:
      return ResourceKind::Sampler;
    case VKD3D_SHADER_DESCRIPTOR_TYPE_SRV:
      return ResourceKind::ShaderResource;
    case VKD3D_SHADER_DESCRIPTOR_TYPE_UAV:
      return ResourceKind::UnorderedAccess;
    default:
      return ResourceKind::Unknown;
  }
}

Dimension dimensionOf(vkd3d_shader_resource_type type) {
  switch (type) {
    case VKD3D_SHADER_RESOURCE_NONE:
      return Dimension::None;
    case VKD3D_SHADER_RESOURCE_BUFFER:
      return Dimension::Buffer;
    case VKD3D_SHADER_RESOURCE_TEXTURE_1D:
      return Dimension::Texture1D;
    case VKD3D_SHADER_RESOURCE_TEXTURE_1DARRAY:
      return Dimension::Texture1DArray;
    case VKD3D_SHADER_RESOURCE_TEXTURE_2D:
      return Dimension::Texture2D;
    case VKD3D_SHADER_RESOURCE_TEXTURE_2DARRAY:
      return Dimension::Texture2DArray;
    case VKD3D_SHADER_RESOURCE_TEXTURE_CUBE:
      return Dimension::TextureCube;
    case VKD3D_SHADER_RESOURCE_TEXTURE_CUBEARRAY:
      return Dimension::TextureCubeArray;
    case VKD3D_SHADER_RESOURCE_TEXTURE_3D:
      return Dimension::Texture3D;
    default:
      return Dimension::Other;
  }
}

Texel texelOf(vkd3d_shader_resource_data_type type) {
  switch (type) {
    case VKD3D_SHADER_RESOURCE_DATA_UINT:
      return Texel::Uint;
    case VKD3D_SHADER_RESOURCE_DATA_INT:
      return Texel::Int;
    default:
      return Texel::Float;
  }
}

DxbcResource resourceOf(const vkd3d_shader_descriptor_info& d) {
  return {kindOf(d.type),
          d.register_index,
          dimensionOf(d.resource_type),
          texelOf(d.resource_data_type),
          d.count,
          (d.flags & VKD3D_SHADER_DESCRIPTOR_INFO_FLAG_SAMPLER_COMPARISON_MODE) ? 1u : 0u,
          (d.flags & VKD3D_SHADER_DESCRIPTOR_INFO_FLAG_UAV_COUNTER) ? 1u : 0u};
}

unsigned bindingFlags(const vkd3d_shader_descriptor_info& d) {
  // vkd3d-shader looks for samplers among the images.
  const bool image =
      d.type == VKD3D_SHADER_DESCRIPTOR_TYPE_SAMPLER ||
      (d.type != VKD3D_SHADER_DESCRIPTOR_TYPE_CBV && d.resource_type != VKD3D_SHADER_RESOURCE_BUFFER);
  return image ? VKD3D_SHADER_BINDING_FLAG_IMAGE : VKD3D_SHADER_BINDING_FLAG_BUFFER;
}

/// Memory that the library allocates meanwhile.
struct Owned {
  vkd3d_shader_scan_descriptor_info scanned{};
  vkd3d_shader_code spirv{};
  char* messages = nullptr;
  bool isScanned = false;  ///< a scan that fails frees its result and keeps the pointer

  Owned() { scanned.type = VKD3D_SHADER_STRUCTURE_TYPE_SCAN_DESCRIPTOR_INFO; }
  ~Owned() {
    forgetMessages();
    vkd3d_shader_free_shader_code(&spirv);
    if (isScanned) vkd3d_shader_free_scan_descriptor_info(&scanned);
  }
  Owned(const Owned&) = delete;
  Owned& operator=(const Owned&) = delete;
  void forgetMessages() {
    if (messages) vkd3d_shader_free_messages(messages);
    messages = nullptr;
  }
  JobAnswer refusal() const { return JobAnswer::refused(messages ? messages : ""); }
};

}  // namespace

JobAnswer translateDxbc(std::span<const uint8_t> input) {
  DxbcRequest request;
  if (input.size() < sizeof request) return JobAnswer::refused("the request is cut short");
  std::memcpy(&request, input.data(), sizeof request);
  const auto container = input.subspan(sizeof request);

  Owned owned;
  vkd3d_shader_compile_info info{};
  info.type = VKD3D_SHADER_STRUCTURE_TYPE_COMPILE_INFO;
  info.next = &owned.scanned;
  info.source = {container.data(), container.size()};
  info.source_type = VKD3D_SHADER_SOURCE_DXBC_TPF;
  info.target_type = VKD3D_SHADER_TARGET_SPIRV_BINARY;
  info.log_level = VKD3D_SHADER_LOG_ERROR;
  if (vkd3d_shader_scan(&info, &owned.messages) < 0) return owned.refusal();
  owned.isScanned = true;
  owned.forgetMessages();
  const std::span<const vkd3d_shader_descriptor_info> descriptors(owned.scanned.descriptors,
                                                                  owned.scanned.descriptor_count);
  if (descriptors.size() > kMaxResources) return JobAnswer::refused("too many resources");
  std::vector<vkd3d_shader_resource_binding> bindings;
  std::vector<DxbcResource> resources;
  for (const vkd3d_shader_descriptor_info& d : descriptors) {
    vkd3d_shader_resource_binding b{};
    b.type = d.type;
    b.register_space = d.register_space;
    b.register_index = d.register_index;
    b.shader_visibility = visibility(request.stage);
    b.flags = bindingFlags(d);
    b.binding = {request.set, static_cast<unsigned>(bindings.size()), 1};
    bindings.push_back(b);
    resources.push_back(resourceOf(d));
  }
  vkd3d_shader_spirv_target_info target{};
  target.type = VKD3D_SHADER_STRUCTURE_TYPE_SPIRV_TARGET_INFO;
  target.environment = VKD3D_SHADER_SPIRV_ENVIRONMENT_VULKAN_1_0;
  target.dual_source_blending = request.dualSource != 0;
  vkd3d_shader_interface_info interface {};
  interface.type = VKD3D_SHADER_STRUCTURE_TYPE_INTERFACE_INFO;
  interface.next = &target;
  interface.bindings = bindings.data();
  interface.binding_count = static_cast<unsigned>(bindings.size());
  info.next = &interface;
  const vkd3d_shader_code& spirv = owned.spirv;
  if (vkd3d_shader_compile(&info, &owned.spirv, &owned.messages) < 0) return owned.refusal();

  const auto count = static_cast<uint32_t>(resources.size());
  std::vector<uint8_t> out(sizeof count + count * sizeof(DxbcResource) + spirv.size);
  std::memcpy(out.data(), &count, sizeof count);
  if (count) std::memcpy(out.data() + sizeof count, resources.data(), count * sizeof(DxbcResource));
  if (spirv.size) std::memcpy(out.data() + out.size() - spirv.size, spirv.code, spirv.size);
  return JobAnswer::done(std::move(out));
}

}  // namespace aerogpu::translator
