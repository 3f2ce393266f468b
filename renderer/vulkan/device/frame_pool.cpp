// SPDX-License-Identifier: MIT
// Reuse of frame memory (see frame_pool.h).
#include "renderer/vulkan/device/frame_pool.h"

#include <algorithm>

#include "renderer/core/frame_memory.h"

namespace aerogpu::vk {

FramePool::~FramePool() {
  for (auto& frame : m_all) m_memory.giveBack(frame->range);
}

void FramePool::trim(size_t kept) {
  std::vector<Frame*> surplus;
  {
    Lock lock(m_mutex);
    while (m_idle.size() > kept) {
      surplus.push_back(m_idle.front());
      m_idle.erase(m_idle.begin());
    }
  }
  for (Frame* frame : surplus) {
    m_memory.giveBack(frame->range);
    std::erase_if(m_all, [&](const auto& f) { return f.get() == frame; });
  }
}

Result<Frame*> FramePool::take(uint64_t bytes) {
  {
    Lock lock(m_mutex);
    for (auto it = m_idle.rbegin(); it != m_idle.rend(); ++it) {
      if ((*it)->range.size < bytes || (*it)->range.size / 2 > bytes) continue;
      Frame* frame = *it;
      m_idle.erase(std::next(it).base());
      return frame;
    }
  }
  trim(kKept);
  auto frame = std::make_unique<Frame>();
  frame->charge = core::chargeFrame(m_account, m_reserve, bytes);
  if (!frame->charge.ok()) {
    trim(0);  // idle frames have another size
    frame->charge = core::chargeFrame(m_account, m_reserve, bytes);
  }
  if (!frame->charge.ok()) return Error{ErrorCode::Backend, "host memory limit reached by frames", {}};
  auto range = m_memory.allocate(bytes, 256);
  if (!range) return range.error();
  frame->range = *range;
  frame->pool = this;
  m_all.push_back(std::move(frame));
  return m_all.back().get();
}

Frame* FramePool::takeImage(uint64_t sequence) {
  Lock lock(m_mutex);
  const auto it = std::find_if(m_idle.begin(), m_idle.end(),
                               [&](const Frame* frame) { return frame->image.sequence == sequence; });
  if (it == m_idle.end()) return nullptr;
  Frame* frame = *it;
  m_idle.erase(it);
  return frame;
}

void FramePool::release(aerogpu_frame* image) {
  auto* const frame = reinterpret_cast<Frame*>(image);
  FramePool& pool = *frame->pool;
  Lock lock(pool.m_mutex);
  pool.m_idle.push_back(frame);
}

bool FramePool::allHome() {
  Lock lock(m_mutex);
  return m_idle.size() == m_all.size();
}

}  // namespace aerogpu::vk
