// SPDX-License-Identifier: MIT
// Runs translated D3D9 shaders on the Vulkan device that the renderer would choose, by the contract of
// d3d9_interface.h, and reads every pixel back. For tests; one thread.
#pragma once

#include <vulkan/vulkan.h>

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "renderer/base/log.h"
#include "renderer/shader/translate.h"

namespace aerogpu::vk {
class Device;
class Instance;
}  // namespace aerogpu::vk

namespace aerogpu::shader::test {

using Vec4 = std::array<float, 4>;
using Int4 = std::array<int32_t, 4>;

/// One draw into targets of RGBA32F. Constants are whole register files.
struct Draw {
  std::string vs, ps;  ///< assembly
  /// Per vertex, one value per declared input of the vertex shader, in order of v#.
  std::vector<std::vector<Vec4>> vertices;
  VkPrimitiveTopology topology = VK_PRIMITIVE_TOPOLOGY_POINT_LIST;
  uint32_t width = 1, height = 1;
  std::vector<Vec4> vsFloats, psFloats;  ///< c0.. ; missing ones are 0
  std::vector<Int4> vsInts, psInts;
  std::vector<Vec4> clipPlanes;
  std::vector<BumpStage> stages;         ///< of a pixel shader 1.x; what is missing is 0
  std::array<uint8_t, 4> projectedBy{};  ///< EmitOptions::projectedBy
  bool dualSource = false;               ///< oC1 is the second source of target 0, which becomes oC0 * oC1
  PerRegister<InputType> inputTypes{};   ///< of v#; vertices hold the bits of what is not Float
  PushConstants push;
  bool alphaTest = false, fog = false, pointSprite = false, flatShade = false;
  uint32_t psShadowSamplers = 0, psGatheredSamplers = 0;
  Vec4 clear = {-9, -9, -9, -9};  ///< content of a pixel that is not drawn
};

/// Contents of the targets, [target][y * width + x], and depth (cleared to 1, always written).
struct Picture {
  std::array<std::vector<Vec4>, 4> color;
  std::vector<float> depth;
  std::string error;  ///< anything that went wrong, validation messages included
};

/// A device, and the textures that every draw sees: by the sampler's type, nearest filter, edges clamped. 2D:
/// 4x4, mips of 4, 2, 1: texel (x, y, mip, 1). Cube: 1x1, face f in order +x -x +y -y +z -z: (f, 0, 0, 1).
/// Volume: 4x4x4, texel (x, y, z, 1). Shadow: a depth of 0.5 everywhere, compared with less-or-equal.
class ShaderGpu {
public:
  /// Returns null and a reason without a Vulkan 1.3 device.
  static std::unique_ptr<ShaderGpu> create(std::string& error);
  ~ShaderGpu();
  ShaderGpu(const ShaderGpu&) = delete;
  ShaderGpu& operator=(const ShaderGpu&) = delete;

  Picture draw(const Draw& draw);

private:
  struct Image {
    VkImage image = VK_NULL_HANDLE;
    VkDeviceMemory memory = VK_NULL_HANDLE;
    VkImageView view = VK_NULL_HANDLE;
  };
  struct Buffer {
    VkBuffer buffer = VK_NULL_HANDLE;
    VkDeviceMemory memory = VK_NULL_HANDLE;
    void* data = nullptr;
  };
  struct ImageSpec {
    VkImageViewType type = VK_IMAGE_VIEW_TYPE_2D;
    VkFormat format = VK_FORMAT_R32G32B32A32_SFLOAT;
    uint32_t width = 1, height = 1, depth = 1, mips = 1;
    VkImageUsageFlags usage = 0;
  };

  ShaderGpu();
  static void onLog(void* self, aerogpu_log_level level, const char* line);
  bool init(std::string& error);
  bool createTextures();
  bool createLayouts();
  uint32_t memoryType(uint32_t bits, VkMemoryPropertyFlags flags) const;
  Buffer makeBuffer(VkDeviceSize size, VkBufferUsageFlags usage);
  Image makeImage(const ImageSpec& spec);
  Image makeTexture(const ImageSpec& spec, const std::vector<float>& texels);
  void destroy(Buffer& buffer);
  void destroy(Image& image);
  void submit();
  void begin();
  VkShaderModule makeModule(const std::vector<uint32_t>& words);
  VkPipeline makePipeline(const Draw& draw, const ShaderInfo& vsInfo, const ShaderInfo& psInfo,
                          VkShaderModule vs, VkShaderModule ps);
  VkDescriptorSet makeTextureSet(const ShaderInfo& vs, const ShaderInfo& ps, uint32_t psShadow);
  const Image& textureFor(d3d9::SamplerType type) const;
  void check(VkResult result, const char* what);

  std::string m_errors;
  Log m_log{onLog, this};  ///< validation messages are errors
  std::unique_ptr<vk::Instance> m_instance;
  std::unique_ptr<vk::Device> m_owner;
  VkPhysicalDevice m_gpu = VK_NULL_HANDLE;
  VkDevice m_device = VK_NULL_HANDLE;  ///< m_owner's, and so is its queue
  VkQueue m_queue = VK_NULL_HANDLE;
  VkCommandPool m_pool = VK_NULL_HANDLE;
  VkCommandBuffer m_commands = VK_NULL_HANDLE;
  VkDescriptorPool m_descriptors = VK_NULL_HANDLE;
  VkDescriptorSetLayout m_setLayouts[kSetCount] = {};
  VkPipelineLayout m_layout = VK_NULL_HANDLE;
  VkSampler m_sampler = VK_NULL_HANDLE, m_shadowSampler = VK_NULL_HANDLE;
  Image m_texture2D, m_textureCube, m_texture3D, m_textureDepth;
};

/// Returns the words of a source text; adds its faults to `error`.
std::vector<uint32_t> assembled(std::string_view source, std::string& error);

}  // namespace aerogpu::shader::test
