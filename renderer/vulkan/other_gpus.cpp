// SPDX-License-Identifier: MIT
// GPUs of a Vulkan back end that are not in use: another one to go to, and those that were left.
#include <algorithm>
#include <utility>

#include "renderer/vulkan/backend.h"

namespace aerogpu::vk {

void VulkanBackend::reap() {
  if (m_abandoned.empty() && m_left.empty()) return;
  std::erase_if(m_left, [](const Other& left) { return left.gpu->frames->allHome(); });
  std::erase_if(m_abandoned, [](Abandoned& a) {
    if (!a.gpu->recorder->drained() || !a.gpu->frames->allHome()) return false;
    a.draws.reset();
    a.queries.reset();
    a.targets.reset();
    a.gpu.reset();
    a.instance.reset();
    return true;
  });
}

void VulkanBackend::exchangeWith(Other& other) {
  std::swap(m_wanted, other.wanted);
  std::swap(m_instance, other.instance);
  std::swap(m_physical, other.physical);
  std::swap(m_gpu, other.gpu);
  std::swap(m_targets, other.targets);
  std::swap(m_queries, other.queries);
  std::swap(m_draws, other.draws);
}

bool VulkanBackend::openOther(const std::string& device, std::string& error) {
  closeOther();
  reap();
  if (m_left.size() >= kMaxLeft) {
    error = "pictures of " + std::to_string(m_left.size()) + " GPUs that were left before are still shown";
    return false;
  }
  if (m_gpu->device->hung() && m_abandoned.size() >= kMaxAbandoned) {
    error = "too many GPUs hang already";
    return false;
  }
  Other other;
  other.wanted = device;
  other.instance = Instance::create(m_config.validation, m_log, error);
  if (!other.instance) return false;
  other.physical = other.instance->choose(device, error);
  if (!other.physical) return false;
  exchangeWith(other);  // open() makes the GPU in use, and closes none then
  if (!open(error)) {
    exchangeWith(other);
    return false;
  }
  exchangeWith(other);
  m_other = std::move(other);
  return true;
}

void VulkanBackend::exchange() {
  if (!m_other.gpu) return;
  if (m_frame) FramePool::release(&std::exchange(m_frame, nullptr)->image);
  for (const auto& entry : m_surplus) FramePool::release(&entry.second->image);
  m_surplus.clear();
  if (!m_gpu->device->lost()) m_gpu->frames->dropIdle();  // a GPU that hangs may still write them
  exchangeWith(m_other);
  noteCaps();
}

void VulkanBackend::closeOther() {
  if (!m_other.gpu) return;
  Other other = std::exchange(m_other, {});
  if (other.gpu->device->hung()) {
    other.gpu->recorder->abandon();
    m_abandoned.push_back({std::move(other.instance), std::move(other.gpu), std::move(other.targets),
                           std::move(other.queries), std::move(other.draws)});
    return;
  }
  other.gpu->recorder->waitIdle(UINT64_MAX);
  other.draws.reset();
  other.queries.reset();
  other.targets.reset();
  if (!other.gpu->frames->allHome()) m_left.push_back(std::move(other));
}

}  // namespace aerogpu::vk
