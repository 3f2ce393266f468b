// SPDX-License-Identifier: MIT
// Which shader modules, layout and pipeline a draw uses (see draws.h).
#include <algorithm>

#include "renderer/vulkan/draw/draw_area.h"
#include "renderer/vulkan/draw/draws.h"
#include "renderer/vulkan/objects/texture.h"

namespace aerogpu::vk {
namespace {

/// Shader model 3 pixel shaders do fog themselves ("ps_3_0", fog).
constexpr uint16_t kNoFogFrom = 0x0300;

bool usesSecondSource(const core::BlendState& b) {
  const auto second = [](core::Blend f) {
    return f == core::Blend::SrcColor2 || f == core::Blend::InvSrcColor2;
  };
  return b.enable &&
         (second(b.src) || second(b.dst) || (b.separateAlpha && (second(b.srcAlpha) || second(b.dstAlpha))));
}

/// One topology of the class that a pipeline is made for.
VkPrimitiveTopology classOf(VkPrimitiveTopology t) {
  switch (t) {
    case VK_PRIMITIVE_TOPOLOGY_POINT_LIST:
      return VK_PRIMITIVE_TOPOLOGY_POINT_LIST;
    case VK_PRIMITIVE_TOPOLOGY_LINE_LIST:
    case VK_PRIMITIVE_TOPOLOGY_LINE_STRIP:
    case VK_PRIMITIVE_TOPOLOGY_LINE_LIST_WITH_ADJACENCY:
    case VK_PRIMITIVE_TOPOLOGY_LINE_STRIP_WITH_ADJACENCY:
      return VK_PRIMITIVE_TOPOLOGY_LINE_LIST;
    default:
      return VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST;
  }
}

}  // namespace

uint32_t Draws::shadowSamplers(const core::DrawState& state, uint32_t mask) const {
  const core::StageBindings& ps = state.stages[static_cast<size_t>(core::Stage::Pixel)];
  uint32_t out = 0;
  for (uint32_t m = mask; m; m &= m - 1) {
    const auto slot = static_cast<uint32_t>(std::countr_zero(m));
    const core::Ref<core::Texture>& texture = ps.resources[slot].texture;
    if (texture && TextureObject::of(*texture).format().info->depth) out |= 1u << slot;
  }
  return out;
}

/// ps_1_x does not declare what it samples: the bound texture says it.
SamplerTypes Draws::boundTypes(const core::DrawState& state, const shader::ShaderInfo& info) const {
  SamplerTypes types{};
  if (info.version.major != 1) return types;
  const core::StageBindings& ps = state.stages[static_cast<size_t>(core::Stage::Pixel)];
  for (uint32_t m = info.samplerMask & 0xFFFFu; m; m &= m - 1) {
    const auto slot = static_cast<uint32_t>(std::countr_zero(m));
    const core::ShaderResourceBinding& bound = ps.resources[slot];
    if (bound.texture)
      types[slot] = core::canBeCube(bound.texture->desc, bound.layers()) ? d3d9::SamplerType::TextureCube
                                                                         : d3d9::SamplerType::Texture2D;
  }
  return types;
}

Result<void> Draws::selectShaders(const core::DrawState& state) {
  m_vsRef = state.shaders[static_cast<size_t>(core::Stage::Vertex)];
  m_psRef = state.shaders[static_cast<size_t>(core::Stage::Pixel)];
  if (!m_vsRef) return Error{ErrorCode::CmdDecode, "draw without a vertex shader", {}};
  if (m_psRef && m_psRef->family != m_vsRef->family)
    return Error{ErrorCode::CmdDecode, "vertex and pixel shader are of different kinds", {}};
  m_vs = &ShaderObject::of(*m_vsRef);
  m_ps = m_psRef ? &ShaderObject::of(*m_psRef) : nullptr;
  m_shadowMask = 0;
  m_psModule = nullptr;
  if (m_dxbc) {
    m_vsModule = &m_vs->module;
    if (m_ps) m_psModule = &m_ps->module;
    auto layout = dxbcLayout(*m_vs, m_ps);
    if (!layout) return layout.error();
    m_layout = *layout;
    return {};
  }
  m_boundTypes = {};
  auto vs = m_shaders.d3d9Module(*m_vs, {}, false, 0, m_boundTypes);
  if (!vs) return vs.error();
  m_vsModule = *vs;
  m_samplerMask = (m_vs->program->info().samplerMask & 0xFu) << 16;
  if (m_ps) {
    const shader::ShaderInfo& info = m_ps->program->info();
    m_samplerMask |= info.samplerMask & 0xFFFFu;
    m_shadowMask = shadowSamplers(state, info.samplerMask & 0xFFFFu);
    m_boundTypes = boundTypes(state, info);
    auto ps =
        m_shaders.d3d9Module(*m_ps, m_vs->program->info().outputs,
                             state.rasterizer.shade == core::ShadeMode::Flat, m_shadowMask, m_boundTypes);
    if (!ps) return ps.error();
    m_psModule = *ps;
  }
  auto layout = d3d9Layout(m_samplerMask, m_vsModule->loops || (m_psModule && m_psModule->loops));
  if (!layout) return layout.error();
  m_layout = *layout;
  return {};
}

template <class Map>
void Draws::dropLayouts(Map& layouts) {
  if (layouts.size() < kMaxLayouts) return;
  for (const auto& [key, layout] : layouts) {
    m_gpu.recorder->retire(Retired::Kind::PipelineLayout, layout.handle);
    m_gpu.recorder->retire(Retired::Kind::SetLayout, layout.textures);
  }
  layouts.clear();
  m_pending |= core::kDirtyShaders;  // m_layout may be one of them
}

Result<Draws::Layout> Draws::d3d9Layout(uint32_t mask, bool stopWord) {
  const uint32_t key = mask | uint32_t{stopWord} << 31;
  if (const auto it = m_d3d9Layouts.find(key); it != m_d3d9Layouts.end()) return it->second;
  const DeviceTable& vk = m_gpu.device->vk();
  VkDevice device = m_gpu.device->handle();
  VkDescriptorSetLayoutBinding bindings[20]{};
  uint32_t count = 0;
  for (uint32_t m = mask; m; m &= m - 1) {
    const auto bit = static_cast<uint32_t>(std::countr_zero(m));
    VkDescriptorSetLayoutBinding& b = bindings[count++];
    const bool pixel = bit < shader::kPsSamplerCount;
    b.binding =
        pixel ? shader::kPsSamplerBinding + bit : shader::kVsSamplerBinding + bit - shader::kPsSamplerCount;
    b.descriptorType = VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER;
    b.descriptorCount = 1;
    b.stageFlags = pixel ? VK_SHADER_STAGE_FRAGMENT_BIT : VK_SHADER_STAGE_VERTEX_BIT;
  }
  VkDescriptorSetLayoutCreateInfo setInfo{VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO};
  setInfo.bindingCount = count;
  setInfo.pBindings = bindings;
  Layout layout;
  VkResult result = vk.CreateDescriptorSetLayout(device, &setInfo, nullptr, &layout.textures);
  if (result != VK_SUCCESS) return m_gpu.device->fail(result, "vkCreateDescriptorSetLayout");
  static_assert(StopWords::kD3d9Set == shader::kSetCount);
  VkDescriptorSetLayout sets[shader::kSetCount + 1];
  sets[shader::kVsConstantSet] = m_constants.vertexLayout();
  sets[shader::kTextureSet] = layout.textures;
  sets[shader::kPsConstantSet] = m_constants.pixelLayout();
  sets[StopWords::kD3d9Set] = m_gpu.stopWords->layout();
  const VkPushConstantRange push{VK_SHADER_STAGE_VERTEX_BIT | VK_SHADER_STAGE_FRAGMENT_BIT, 0,
                                 sizeof(shader::PushConstants)};
  VkPipelineLayoutCreateInfo info{VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO};
  info.setLayoutCount = shader::kSetCount + stopWord;
  info.pSetLayouts = sets;
  info.pushConstantRangeCount = 1;
  info.pPushConstantRanges = &push;
  result = vk.CreatePipelineLayout(device, &info, nullptr, &layout.handle);
  if (result != VK_SUCCESS) {
    vk.DestroyDescriptorSetLayout(device, layout.textures, nullptr);
    return m_gpu.device->fail(result, "vkCreatePipelineLayout");
  }
  layout.serial = m_gpu.nextSerial++;
  layout.stopWord = stopWord;
  dropLayouts(m_d3d9Layouts);
  m_d3d9Layouts.emplace(key, layout);
  return layout;
}

Result<Draws::Layout> Draws::dxbcLayout(const ShaderCode& vs, const ShaderCode* ps) {
  const uint64_t key = vs.setSerial << 32 ^ (ps ? ps->setSerial : 0);
  if (const auto it = m_dxbcLayouts.find(key); it != m_dxbcLayouts.end()) return it->second;
  const bool stopWord = vs.module.loops || (ps && ps->module.loops);
  static_assert(StopWords::kDxbcSet == 2);
  const VkDescriptorSetLayout sets[3] = {vs.setLayout, ps ? ps->setLayout : m_emptySet,
                                         m_gpu.stopWords->layout()};
  VkPipelineLayoutCreateInfo info{VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO};
  info.setLayoutCount = 2 + stopWord;
  info.pSetLayouts = sets;
  Layout layout;
  layout.stopWord = stopWord;
  const VkResult result =
      m_gpu.device->vk().CreatePipelineLayout(m_gpu.device->handle(), &info, nullptr, &layout.handle);
  if (result != VK_SUCCESS) return m_gpu.device->fail(result, "vkCreatePipelineLayout");
  layout.serial = m_gpu.nextSerial++;
  dropLayouts(m_dxbcLayouts);
  m_dxbcLayouts.emplace(key, layout);
  return layout;
}

Result<void> Draws::selectPipeline(const core::DrawState& state) {
  const DeviceCaps& caps = m_gpu.device->caps();
  const TargetInfo& targets = m_targets.info();
  constexpr uint32_t kShaders = core::kDirtyShaders | core::kDirtyRasterizer | core::kDirtyResources;
  const bool reshade = (m_pending & kShaders) != 0;
  if (reshade) {
    // Resources count only where a depth texture came or went, and for ps_1_x a cube map.
    if ((m_pending & (core::kDirtyShaders | core::kDirtyRasterizer)) || m_dxbc || !m_ps ||
        m_shadowMask != shadowSamplers(state, m_samplerMask & 0xFFFFu) ||
        m_boundTypes != boundTypes(state, m_ps->program->info()))
      if (auto selected = selectShaders(state); !selected) return selected;
  }
  if (m_fetchVs != m_vsModule->serial || !(m_fetchLayout == state.inputLayout)) {
    auto fetch = matchInputs(*m_gpu.device, *m_vs,
                             state.inputLayout ? &InputLayoutObject::of(*state.inputLayout) : nullptr);
    if (!fetch) return fetch.error();
    m_fetch = *fetch;
    m_fetchVs = m_vsModule->serial;
    m_fetchLayout = state.inputLayout;
    m_fetchChanged = true;
  }
  if (state.topology >= core::Topology::PatchList1)
    return Error{ErrorCode::Backend, "patch lists need hull and domain shaders", {}};
  if (state.topology == core::Topology::TriangleFan && !caps.triangleFans)
    return Error{ErrorCode::Backend, "this GPU has no triangle fans", {}};
  if (usesSecondSource(state.blend))
    return Error{ErrorCode::Backend, "blend factors of a second source colour are not supported", {}};

  uint32_t specialization = 0;
  if (!m_dxbc && m_ps) {
    const core::PixelPipeState& p = state.pixelPipe;
    if (p.alphaTest && p.alphaFunc != core::CompareFunc::Always)
      specialization |= 1u << shader::kSpecAlphaTest;
    if (p.fogEnable && m_ps->program->info().version.model() < kNoFogFrom)
      specialization |= 1u << shader::kSpecFog;
    if (p.pointSprite && state.topology == core::Topology::PointList)
      specialization |= 1u << shader::kSpecPointSprite;
  }
  const auto topologyClass = static_cast<uint32_t>(classOf(vulkanTopology(state.topology)));
  RecentKey brief;
  brief.vs = m_vsModule->serial;
  brief.ps = m_psModule ? m_psModule->serial : 0;
  brief.layout = m_layout.serial;
  brief.targets = targets.generation;
  brief.specialization = specialization;
  brief.topologyClass = topologyClass;
  brief.cache = m_pipelines.generation();
  const bool allDynamic =
      caps.dynamicPolygonMode && caps.dynamicDepthClamp && caps.dynamicBlend && caps.dynamicVertexInput;
  Recent& recent = m_recent[(brief.vs * 7 + brief.ps) % m_recent.size()];
  if (allDynamic && recent.pipeline && recent.key == brief) {
    m_pipeline = recent.pipeline;
    return {};
  }

  PipelineKey key;
  key.vs = m_vsModule->serial;
  key.ps = m_psModule ? m_psModule->serial : 0;
  key.layout = m_layout.serial;
  key.colorCount = targets.colorCount;
  for (uint32_t i = 0; i < targets.colorCount; ++i)
    key.colorFormats[i] = static_cast<uint32_t>(targets.colorFormats[i]);
  key.depthFormat = static_cast<uint32_t>(targets.depthFormat);
  key.stencilFormat = static_cast<uint32_t>(targets.stencilFormat);
  key.samples = targets.samples;
  key.topologyClass = topologyClass;
  key.specialization = specialization;
  if (!caps.dynamicPolygonMode && caps.fillModeNonSolid)
    key.polygonMode = state.rasterizer.fill == core::FillMode::Solid       ? VK_POLYGON_MODE_FILL
                      : state.rasterizer.fill == core::FillMode::Wireframe ? VK_POLYGON_MODE_LINE
                                                                           : VK_POLYGON_MODE_POINT;
  if (!caps.dynamicDepthClamp) key.depthClip = state.rasterizer.depthClip && state.rasterizer.clipping;
  if (!caps.dynamicBlend) {
    std::array<TargetBlend, core::kMaxColorTargets> blends;
    blendOf(state, blends);
    for (uint32_t i = 0; i < targets.colorCount; ++i) key.blend[i] = packBlend(blends[i]);
  }
  if (!caps.dynamicVertexInput) {
    key.attributeCount = m_fetch.attributeCount;
    key.bindingCount = m_fetch.bindingCount;
    for (uint32_t i = 0; i < m_fetch.attributeCount; ++i) {
      const VertexFetch::Attribute& a = m_fetch.attributes[i];
      key.attributes[i] = a.location | a.binding << 8 | a.offset << 16;
      key.attributeFormats[i] = a.format;
    }
    for (uint32_t i = 0; i < m_fetch.bindingCount; ++i) key.divisors[i] = m_fetch.divisors[i];
  }
  auto pipeline = m_pipelines.graphics(key, m_vsModule->handle,
                                       m_psModule ? m_psModule->handle : VK_NULL_HANDLE, m_layout.handle);
  if (!pipeline) return pipeline.error();
  m_pipeline = *pipeline;
  brief.cache = m_pipelines.generation();
  recent = {brief, *pipeline};
  return {};
}

}  // namespace aerogpu::vk
