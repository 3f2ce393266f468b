// SPDX-License-Identifier: MIT
#include "renderer/remote/frame_heap.h"

#include <cstring>

namespace aerogpu::remote {
namespace {

constexpr uint64_t kPage = 4096;
/// Room beyond this goes back to the system when its frame is given back.
constexpr uint64_t kKeptBytes = uint64_t{32} << 20;

}  // namespace

std::vector<aerogpu_frame*> FrameHeap::takeBack() {
  Lock lock(m_mutex);
  std::vector<aerogpu_frame*> back;
  const uint32_t seen = m_channel.control().framesBack.load(std::memory_order_acquire);
  if (std::exchange(m_seenBack, seen) == seen) return back;
  for (auto it = m_out.begin(); it != m_out.end();) {
    if (m_channel.control().framesReleased[it->first].load(std::memory_order_acquire) != m_given[it->first]) {
      ++it;
      continue;
    }
    const auto used = m_used.find(it->second.offset);
    if (used->first + used->second > kKeptBytes) m_channel.frames.drop(used->first, used->second);
    m_used.erase(used);
    back.push_back(it->second.frame);
    it = m_out.erase(it);
  }
  return back;
}

std::vector<aerogpu_frame*> FrameHeap::takeAll() {
  Lock lock(m_mutex);
  std::vector<aerogpu_frame*> all;
  for (const auto& [slot, out] : m_out) all.push_back(out.frame);
  m_out.clear();
  m_used.clear();
  return all;
}

std::optional<FrameHeap::Place> FrameHeap::give(aerogpu_frame* frame) {
  const uint64_t bytes = uint64_t{frame->stride_bytes} * frame->height;
  const uint64_t needed = (bytes + kPage - 1) / kPage * kPage;
  if (needed == 0) return std::nullopt;  // it would have the place of another one
  Place place{0, 0};
  {
    Lock lock(m_mutex);
    for (const auto& [offset, size] : m_used) {  // the first gap that is big enough
      if (offset - place.offset >= needed) break;
      place.offset = offset + size;
    }
    if (needed > m_channel.frames.size() || place.offset > m_channel.frames.size() - needed)
      return std::nullopt;
    while (place.slot < kFrameSlots && m_out.contains(place.slot)) ++place.slot;
    if (place.slot == kFrameSlots) return std::nullopt;
    ++m_given[place.slot];
    m_used[place.offset] = needed;
    m_out[place.slot] = {frame, place.offset};
  }
  std::memcpy(m_channel.frames.bytes() + place.offset, frame->pixels, bytes);
  return place;
}

}  // namespace aerogpu::remote
