// SPDX-License-Identifier: MIT
// Pipeline creation (see pipeline_cache.h). The file: pipeline_cache_file.cpp.
#include "renderer/vulkan/draw/pipeline_cache.h"

#include <cstring>

namespace aerogpu::vk {

uint32_t packBlend(const TargetBlend& b) {
  if (!b.enable) return b.writeMask;
  const VkColorBlendEquationEXT& e = b.equation;
  return b.writeMask | 1u << 4 | static_cast<uint32_t>(e.srcColorBlendFactor) << 5 |
         static_cast<uint32_t>(e.dstColorBlendFactor) << 10 | static_cast<uint32_t>(e.colorBlendOp) << 15 |
         static_cast<uint32_t>(e.srcAlphaBlendFactor) << 18 |
         static_cast<uint32_t>(e.dstAlphaBlendFactor) << 23 | static_cast<uint32_t>(e.alphaBlendOp) << 28;
}

TargetBlend unpackBlend(uint32_t p) {
  TargetBlend b;
  b.writeMask = p & 0xF;
  b.enable = p >> 4 & 1;
  if (!b.enable) return b;
  b.equation.srcColorBlendFactor = static_cast<VkBlendFactor>(p >> 5 & 31);
  b.equation.dstColorBlendFactor = static_cast<VkBlendFactor>(p >> 10 & 31);
  b.equation.colorBlendOp = static_cast<VkBlendOp>(p >> 15 & 7);
  b.equation.srcAlphaBlendFactor = static_cast<VkBlendFactor>(p >> 18 & 31);
  b.equation.dstAlphaBlendFactor = static_cast<VkBlendFactor>(p >> 23 & 31);
  b.equation.alphaBlendOp = static_cast<VkBlendOp>(p >> 28 & 7);
  return b;
}

size_t PipelineCache::KeyHash::operator()(const PipelineKey& key) const {
  uint64_t words[sizeof key / 8];
  static_assert(sizeof key % 8 == 0);
  std::memcpy(words, &key, sizeof key);
  uint64_t hash = 0xCBF29CE484222325u;
  for (const uint64_t word : words) {
    hash = (hash ^ word) * 0x9E3779B97F4A7C15u;
    hash ^= hash >> 32;
  }
  return static_cast<size_t>(hash);
}

PipelineCache::PipelineCache(Gpu& gpu, std::string folder) : m_gpu(gpu), m_folder(std::move(folder)) {
  open(load());
}

void PipelineCache::open(const std::vector<uint8_t>& bytes) {
  const DeviceTable& vk = m_gpu.device->vk();
  if (m_cache) vk.DestroyPipelineCache(m_gpu.device->handle(), m_cache, nullptr);
  VkPipelineCacheCreateInfo info{VK_STRUCTURE_TYPE_PIPELINE_CACHE_CREATE_INFO};
  info.initialDataSize = bytes.size();
  info.pInitialData = bytes.data();
  // Without a cache object everything works, only slower.
  if (vk.CreatePipelineCache(m_gpu.device->handle(), &info, nullptr, &m_cache) != VK_SUCCESS)
    m_cache = VK_NULL_HANDLE;
  m_cached.clear();
  m_cachedOfAll = 0;
}

void PipelineCache::drop(const Entry& entry) {
  if (entry.graphics) {
    const auto it = m_graphics.find(*entry.graphics);
    m_gpu.recorder->retire(Retired::Kind::Pipeline, it->second.handle);
    m_graphics.erase(it);
  } else {
    const auto it = m_compute.find(entry.compute);
    m_gpu.recorder->retire(Retired::Kind::Pipeline, it->second.handle);
    m_compute.erase(it);
  }
}

template <class Ask>
bool PipelineCache::dropped(Ask ask) {
  const bool any = ask([this](const Entry& entry) { drop(entry); });
  if (any) ++m_generation;
  return any;
}

Result<HostMemoryCharge> PipelineCache::makeRoom(const HostMemory* owner) {
  dropped([&](auto drop) { return m_shares.makeRoom(owner, m_shares.mostOf(owner, kBytes), drop); });
  const auto take = [&] { return HostMemoryCharge::take(m_gpu.hostMemory, kBytes, HostMemoryKind::Shaders); };
  HostMemoryCharge charge = take();
  while (!charge.ok() && dropped([&](auto drop) { return m_shares.giveUp(owner, drop); })) charge = take();
  if (!charge.ok())
    return refused(ErrorCode::Backend, "host memory limit reached by pipelines", {{"bytes", kBytes}});
  return charge;
}

VkPipelineCache PipelineCache::cacheFor(const HostMemory* owner) {
  if (m_cachedOfAll >= kMaxPipelines) open(load());
  size_t& cached = m_cached[owner];
  if (owner && cached >= kMaxPipelines / 2) return VK_NULL_HANDLE;
  ++cached;
  ++m_cachedOfAll;
  return m_cache;
}

void PipelineCache::processEnds(const HostMemory& account) {
  dropped([&](auto drop) { return m_shares.ownerEnds(&account, drop); });
  m_cached.erase(&account);
}

PipelineCache::~PipelineCache() {
  save();
  for (const auto& [key, pipeline] : m_graphics)
    m_gpu.recorder->retire(Retired::Kind::Pipeline, pipeline.handle);
  for (const auto& [key, pipeline] : m_compute)
    m_gpu.recorder->retire(Retired::Kind::Pipeline, pipeline.handle);
  if (m_cache) m_gpu.device->vk().DestroyPipelineCache(m_gpu.device->handle(), m_cache, nullptr);
}

Result<VkPipeline> PipelineCache::graphics(const PipelineKey& key, VkShaderModule vs, VkShaderModule ps,
                                           VkPipelineLayout layout) {
  if (const auto it = m_graphics.find(key); it != m_graphics.end()) return it->second.handle;
  const HostMemory* owner = Shares::ownerNow(m_gpu.hostMemory);
  auto charge = makeRoom(owner);
  if (!charge) return charge.error();
  auto pipeline = build(key, vs, ps, layout, cacheFor(owner));
  if (!pipeline) return pipeline;
  m_gpu.stats.pipelinesCreated.fetch_add(1, std::memory_order_relaxed);
  ++m_made;
  const auto made = m_graphics.emplace(key, Pipeline{*pipeline, std::move(*charge)}).first;
  m_shares.add(owner, {&made->first, 0});
  return pipeline;
}

Result<VkPipeline> PipelineCache::compute(uint64_t module, VkShaderModule cs, VkPipelineLayout layout) {
  if (const auto it = m_compute.find(module); it != m_compute.end()) return it->second.handle;
  const HostMemory* owner = Shares::ownerNow(m_gpu.hostMemory);
  auto charge = makeRoom(owner);
  if (!charge) return charge.error();
  VkComputePipelineCreateInfo info{VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO};
  info.stage.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO;
  info.stage.stage = VK_SHADER_STAGE_COMPUTE_BIT;
  info.stage.module = cs;
  info.stage.pName = "main";
  info.layout = layout;
  VkPipeline pipeline = VK_NULL_HANDLE;
  const VkResult result = m_gpu.device->vk().CreateComputePipelines(m_gpu.device->handle(), cacheFor(owner),
                                                                    1, &info, nullptr, &pipeline);
  if (result != VK_SUCCESS) return m_gpu.device->fail(result, "vkCreateComputePipelines");
  m_gpu.stats.pipelinesCreated.fetch_add(1, std::memory_order_relaxed);
  ++m_made;
  m_compute.emplace(module, Pipeline{pipeline, std::move(*charge)});
  m_shares.add(owner, {nullptr, module});
  return pipeline;
}

Result<VkPipeline> PipelineCache::build(const PipelineKey& key, VkShaderModule vs, VkShaderModule ps,
                                        VkPipelineLayout layout, VkPipelineCache cache) {
  const DeviceCaps& caps = m_gpu.device->caps();
  VkBool32 values[shader::kSpecConstantCount];
  VkSpecializationMapEntry entries[shader::kSpecConstantCount];
  for (uint32_t i = 0; i < shader::kSpecConstantCount; ++i) {
    values[i] = key.specialization >> i & 1;
    entries[i] = {i, i * uint32_t{sizeof(VkBool32)}, sizeof(VkBool32)};
  }
  const VkSpecializationInfo specialization{shader::kSpecConstantCount, entries, sizeof values, values};
  VkPipelineShaderStageCreateInfo stages[2] = {{VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO},
                                               {VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO}};
  stages[0].stage = VK_SHADER_STAGE_VERTEX_BIT;
  stages[0].module = vs;
  stages[0].pName = "main";
  stages[1].stage = VK_SHADER_STAGE_FRAGMENT_BIT;
  stages[1].module = ps;
  stages[1].pName = "main";
  stages[1].pSpecializationInfo = &specialization;

  std::vector<VkDynamicState> dynamic = {
      VK_DYNAMIC_STATE_VIEWPORT_WITH_COUNT, VK_DYNAMIC_STATE_SCISSOR_WITH_COUNT,
      VK_DYNAMIC_STATE_CULL_MODE,           VK_DYNAMIC_STATE_FRONT_FACE,
      VK_DYNAMIC_STATE_PRIMITIVE_TOPOLOGY,  VK_DYNAMIC_STATE_PRIMITIVE_RESTART_ENABLE,
      VK_DYNAMIC_STATE_DEPTH_TEST_ENABLE,   VK_DYNAMIC_STATE_DEPTH_WRITE_ENABLE,
      VK_DYNAMIC_STATE_DEPTH_COMPARE_OP,    VK_DYNAMIC_STATE_STENCIL_TEST_ENABLE,
      VK_DYNAMIC_STATE_STENCIL_OP,          VK_DYNAMIC_STATE_STENCIL_COMPARE_MASK,
      VK_DYNAMIC_STATE_STENCIL_WRITE_MASK,  VK_DYNAMIC_STATE_STENCIL_REFERENCE,
      VK_DYNAMIC_STATE_DEPTH_BIAS_ENABLE,   VK_DYNAMIC_STATE_DEPTH_BIAS,
      VK_DYNAMIC_STATE_BLEND_CONSTANTS,
  };
  dynamic.push_back(caps.dynamicVertexInput ? VK_DYNAMIC_STATE_VERTEX_INPUT_EXT
                                            : VK_DYNAMIC_STATE_VERTEX_INPUT_BINDING_STRIDE);
  if (caps.dynamicBlend && key.colorCount > 0) {
    dynamic.push_back(VK_DYNAMIC_STATE_COLOR_BLEND_ENABLE_EXT);
    dynamic.push_back(VK_DYNAMIC_STATE_COLOR_BLEND_EQUATION_EXT);
    dynamic.push_back(VK_DYNAMIC_STATE_COLOR_WRITE_MASK_EXT);
  }
  if (caps.dynamicPolygonMode) dynamic.push_back(VK_DYNAMIC_STATE_POLYGON_MODE_EXT);
  if (caps.dynamicDepthClamp) {
    dynamic.push_back(VK_DYNAMIC_STATE_DEPTH_CLAMP_ENABLE_EXT);
    dynamic.push_back(VK_DYNAMIC_STATE_DEPTH_CLIP_ENABLE_EXT);
  }
  VkPipelineDynamicStateCreateInfo dynamicInfo{VK_STRUCTURE_TYPE_PIPELINE_DYNAMIC_STATE_CREATE_INFO};
  dynamicInfo.dynamicStateCount = static_cast<uint32_t>(dynamic.size());
  dynamicInfo.pDynamicStates = dynamic.data();

  VkVertexInputAttributeDescription attributes[VertexFetch::kMax];
  VkVertexInputBindingDescription bindings[VertexFetch::kMax];
  VkVertexInputBindingDivisorDescriptionEXT divisors[VertexFetch::kMax];
  uint32_t divisorCount = 0;
  for (uint32_t i = 0; i < key.attributeCount; ++i)
    attributes[i] = {key.attributes[i] & 0xFF, key.attributes[i] >> 8 & 0xFF,
                     static_cast<VkFormat>(key.attributeFormats[i]), key.attributes[i] >> 16};
  for (uint32_t i = 0; i < key.bindingCount; ++i) {
    const bool instance = key.divisors[i] != ~0u;
    bindings[i] = {i, 0, instance ? VK_VERTEX_INPUT_RATE_INSTANCE : VK_VERTEX_INPUT_RATE_VERTEX};
    if (instance && key.divisors[i] != 1) divisors[divisorCount++] = {i, key.divisors[i]};
  }
  VkPipelineVertexInputDivisorStateCreateInfoEXT divisorInfo{
      VK_STRUCTURE_TYPE_PIPELINE_VERTEX_INPUT_DIVISOR_STATE_CREATE_INFO_EXT};
  divisorInfo.vertexBindingDivisorCount = divisorCount;
  divisorInfo.pVertexBindingDivisors = divisors;
  VkPipelineVertexInputStateCreateInfo vertexInput{VK_STRUCTURE_TYPE_PIPELINE_VERTEX_INPUT_STATE_CREATE_INFO};
  if (divisorCount) vertexInput.pNext = &divisorInfo;
  vertexInput.vertexBindingDescriptionCount = key.bindingCount;
  vertexInput.pVertexBindingDescriptions = bindings;
  vertexInput.vertexAttributeDescriptionCount = key.attributeCount;
  vertexInput.pVertexAttributeDescriptions = attributes;

  VkPipelineInputAssemblyStateCreateInfo assembly{
      VK_STRUCTURE_TYPE_PIPELINE_INPUT_ASSEMBLY_STATE_CREATE_INFO};
  assembly.topology = static_cast<VkPrimitiveTopology>(key.topologyClass);
  VkPipelineViewportStateCreateInfo viewport{VK_STRUCTURE_TYPE_PIPELINE_VIEWPORT_STATE_CREATE_INFO};

  // Lines as Direct3D draws them: "Rasterization Rules (Direct3D 9)", aliased lines.
  VkPipelineRasterizationLineStateCreateInfoEXT lines{
      VK_STRUCTURE_TYPE_PIPELINE_RASTERIZATION_LINE_STATE_CREATE_INFO_EXT};
  lines.lineRasterizationMode = VK_LINE_RASTERIZATION_MODE_BRESENHAM_EXT;
  VkPipelineRasterizationDepthClipStateCreateInfoEXT clip{
      VK_STRUCTURE_TYPE_PIPELINE_RASTERIZATION_DEPTH_CLIP_STATE_CREATE_INFO_EXT};
  clip.depthClipEnable = key.depthClip;
  VkPipelineRasterizationStateCreateInfo raster{VK_STRUCTURE_TYPE_PIPELINE_RASTERIZATION_STATE_CREATE_INFO};
  // The two do not go together (VUID-VkGraphicsPipelineCreateInfo-lineRasterizationMode-02766).
  if (caps.bresenhamLines && !key.alphaToCoverage) raster.pNext = &lines;
  if (caps.depthClipEnable && !caps.dynamicDepthClamp) {
    clip.pNext = raster.pNext;
    raster.pNext = &clip;
  }
  // Direct3D clamps to the viewport's range whether or not it clips; without VK_EXT_depth_clip_enable,
  // clamping ends clipping.
  raster.depthClampEnable =
      !caps.dynamicDepthClamp && caps.depthClamp && (caps.depthClipEnable || !key.depthClip);
  raster.polygonMode = static_cast<VkPolygonMode>(key.polygonMode);
  raster.lineWidth = 1;
  VkPipelineMultisampleStateCreateInfo multisample{VK_STRUCTURE_TYPE_PIPELINE_MULTISAMPLE_STATE_CREATE_INFO};
  multisample.rasterizationSamples = static_cast<VkSampleCountFlagBits>(key.samples);
  multisample.pSampleMask = &key.sampleMask;  // of at most 16 samples: one word
  multisample.alphaToCoverageEnable = key.alphaToCoverage;
  VkPipelineDepthStencilStateCreateInfo depth{VK_STRUCTURE_TYPE_PIPELINE_DEPTH_STENCIL_STATE_CREATE_INFO};
  depth.maxDepthBounds = 1;

  VkPipelineColorBlendAttachmentState blends[core::kMaxColorTargets]{};
  for (uint32_t i = 0; i < key.colorCount; ++i) {
    const TargetBlend b = unpackBlend(key.blend[i]);
    blends[i] = {b.enable,
                 b.equation.srcColorBlendFactor,
                 b.equation.dstColorBlendFactor,
                 b.equation.colorBlendOp,
                 b.equation.srcAlphaBlendFactor,
                 b.equation.dstAlphaBlendFactor,
                 b.equation.alphaBlendOp,
                 b.writeMask};
  }
  VkPipelineColorBlendStateCreateInfo blend{VK_STRUCTURE_TYPE_PIPELINE_COLOR_BLEND_STATE_CREATE_INFO};
  blend.attachmentCount = key.colorCount;
  blend.pAttachments = blends;

  VkFormat formats[core::kMaxColorTargets];
  for (uint32_t i = 0; i < key.colorCount; ++i) formats[i] = static_cast<VkFormat>(key.colorFormats[i]);
  VkPipelineRenderingCreateInfo rendering{VK_STRUCTURE_TYPE_PIPELINE_RENDERING_CREATE_INFO};
  rendering.colorAttachmentCount = key.colorCount;
  rendering.pColorAttachmentFormats = formats;
  rendering.depthAttachmentFormat = static_cast<VkFormat>(key.depthFormat);
  rendering.stencilAttachmentFormat = static_cast<VkFormat>(key.stencilFormat);

  VkGraphicsPipelineCreateInfo info{VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_CREATE_INFO, &rendering};
  info.stageCount = ps ? 2 : 1;
  info.pStages = stages;
  info.pVertexInputState = &vertexInput;
  info.pInputAssemblyState = &assembly;
  info.pViewportState = &viewport;
  info.pRasterizationState = &raster;
  info.pMultisampleState = &multisample;
  info.pDepthStencilState = &depth;
  info.pColorBlendState = &blend;
  info.pDynamicState = &dynamicInfo;
  info.layout = layout;
  VkPipeline pipeline = VK_NULL_HANDLE;
  const VkResult result =
      m_gpu.device->vk().CreateGraphicsPipelines(m_gpu.device->handle(), cache, 1, &info, nullptr, &pipeline);
  if (result != VK_SUCCESS) return m_gpu.device->fail(result, "vkCreateGraphicsPipelines");
  return pipeline;
}

}  // namespace aerogpu::vk
