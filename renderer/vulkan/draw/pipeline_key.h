// SPDX-License-Identifier: MIT
// The key of a graphics pipeline: the state that the device cannot set dynamically. Any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "renderer/core/state.h"
#include "renderer/vulkan/device/functions.h"
#include "renderer/vulkan/objects/input_layout.h"

namespace aerogpu::vk {

/// Words without padding: hashed and compared as bytes. The last group is zero where it is dynamic.
struct PipelineKey {
  uint64_t vs = 0, gs = 0, ps = 0;  ///< serials of modules; 0 = none
  uint64_t layout = 0;              ///< PipelineLayout::content
  uint32_t colorFormats[core::kMaxColorTargets] = {};
  uint32_t colorCount = 0, depthFormat = 0, stencilFormat = 0;
  uint32_t topologyClass = 0;   ///< VkPrimitiveTopology that stands for its class
  uint32_t specialization = 0;  ///< bit n = specialisation constant n
  uint32_t polygonMode = 0, depthClip = 0;
  uint32_t blend[core::kMaxColorTargets] = {};  ///< packBlend()
  uint32_t attributeCount = 0, bindingCount = 0;
  uint32_t attributes[VertexFetch::kMax] = {};  ///< location 8, binding 8, offset 16 bits
  uint32_t attributeFormats[VertexFetch::kMax] = {};
  uint32_t divisors[VertexFetch::kMax] = {};
  uint32_t samples = 1;  ///< a texel
  uint32_t sampleMask = ~0u;
  uint8_t alphaToCoverage = 0;
  uint8_t discards = 0;  ///< nothing is rasterized
  uint16_t layers = 0;   ///< that a geometry shader chooses of; 0: it does not
  bool operator==(const PipelineKey&) const = default;
};
static_assert(std::has_unique_object_representations_v<PipelineKey>);
struct PipelineKeyHash {
  size_t operator()(const PipelineKey& key) const;
};

/// The modules of a pipeline; VK_NULL_HANDLE where there is none.
struct PipelineModules {
  VkShaderModule vs, gs, ps;
};

/// Blend state of one target in Vulkan's terms.
struct TargetBlend {
  VkBool32 enable = VK_FALSE;
  VkColorBlendEquationEXT equation{};
  VkColorComponentFlags writeMask = 0xF;
};
uint32_t packBlend(const TargetBlend& blend);
TargetBlend unpackBlend(uint32_t packed);

}  // namespace aerogpu::vk
