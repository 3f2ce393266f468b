// SPDX-License-Identifier: MIT
// Pipeline creation (see pipeline_cache.h). The file: pipeline_cache_file.cpp.
#include "renderer/vulkan/draw/pipeline_cache.h"

#include "renderer/vulkan/draw/pipeline_info.h"

namespace aerogpu::vk {

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

Result<PipelineCache::Graphics> PipelineCache::graphics(const PipelineKey& key, const core::DrawState& state,
                                                        const DrawShaders& shaders) {
  const auto answer = [](GraphicsPipeline& made) { return Graphics{made.handle, &made.draw.usedIn}; };
  if (const auto it = m_graphics.find(key); it != m_graphics.end()) return answer(it->second);
  const HostMemory* owner = Shares::ownerNow(m_gpu.hostMemory);
  auto charge = makeRoom(owner);
  if (!charge) return charge.error();
  auto pipeline =
      build(key,
            {shaders.vsModule->handle, shaders.gsModule ? shaders.gsModule->handle : VK_NULL_HANDLE,
             shaders.psModule ? shaders.psModule->handle : VK_NULL_HANDLE},
            shaders.layout.handle, cacheFor(owner));
  if (!pipeline) return pipeline.error();
  m_gpu.stats.pipelinesCreated.fetch_add(1, std::memory_order_relaxed);
  ++m_made;
  const auto made =
      m_graphics.emplace(key, GraphicsPipeline{{*pipeline, std::move(*charge)}, RecentDraw(state, shaders)})
          .first;
  m_shares.add(owner, {&made->first, 0});
  return answer(made->second);
}

std::vector<std::unique_ptr<core::DrawState>> PipelineCache::recentDraws(size_t most) {
  std::vector<const RecentDraw*> draws;
  for (const auto& [key, pipeline] : m_graphics) draws.push_back(&pipeline.draw);
  return statesOf(draws, most);
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

Result<VkPipeline> PipelineCache::build(const PipelineKey& key, const PipelineModules& modules,
                                        VkPipelineLayout layout, VkPipelineCache cache) {
  const PipelineInfo info(key, m_gpu.device->caps(), modules, layout);
  VkPipeline pipeline = VK_NULL_HANDLE;
  const VkResult result = m_gpu.device->vk().CreateGraphicsPipelines(m_gpu.device->handle(), cache, 1,
                                                                     &info.info(), nullptr, &pipeline);
  if (result != VK_SUCCESS) return m_gpu.device->fail(result, "vkCreateGraphicsPipelines");
  return pipeline;
}

}  // namespace aerogpu::vk
