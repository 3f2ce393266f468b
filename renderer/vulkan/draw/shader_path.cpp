// SPDX-License-Identifier: MIT
#include "renderer/vulkan/draw/shader_path.h"

namespace aerogpu::vk {

void bindStopWord(const Gpu& gpu, VkPipelineBindPoint point, VkPipelineLayout layout,
                  core::ShaderFamily family) {
  const VkDescriptorSet set = gpu.stopWords->set();
  const uint32_t offset = gpu.recorder->stopWordOffset();
  const uint32_t number = family == core::ShaderFamily::Dxbc ? StopWords::kDxbcSet : StopWords::kD3d9Set;
  gpu.device->vk().CmdBindDescriptorSets(gpu.recorder->commands(), point, layout, number, 1, &set, 1,
                                         &offset);
}

}  // namespace aerogpu::vk
