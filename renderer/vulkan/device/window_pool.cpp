// SPDX-License-Identifier: MIT
#include "renderer/vulkan/device/window_pool.h"

#include <algorithm>

namespace aerogpu::vk {

namespace {}

WindowPool::~WindowPool() {
  for (Queue& q : m_queues)
    for (; q.count != 0; --q.count, q.first = (q.first + 1) % q.ring.size())
      m_memory.giveBack(q.ring[q.first].range);
}

Result<MemoryRange> WindowPool::take(uint64_t bytes, uint64_t finished) {
  const size_t size = sizeOf(bytes);
  Queue& q = m_queues[size];
  if (q.count == 0 || q.ring[q.first].batch > finished)
    return m_memory.allocate(kLeast << size, kBufferAlign);
  const MemoryRange range = q.ring[q.first].range;
  q.first = (q.first + 1) % q.ring.size();
  --q.count;
  // Frees the rest of a burst.
  while (q.count * (kLeast << size) > kSpareBytes && q.ring[q.first].batch <= finished) {
    m_memory.giveBack(q.ring[q.first].range);
    q.first = (q.first + 1) % q.ring.size();
    --q.count;
  }
  return range;
}

void WindowPool::give(const MemoryRange& range, uint64_t batch) {
  Queue& q = m_queues[sizeOf(range.size)];
  if (q.count == q.ring.size()) {
    std::rotate(q.ring.begin(), q.ring.begin() + static_cast<std::ptrdiff_t>(q.first), q.ring.end());
    q.first = 0;
    q.ring.resize(std::max<size_t>(16, q.ring.size() * 2));
  }
  q.ring[(q.first + q.count++) % q.ring.size()] = {range, batch};
}

}  // namespace aerogpu::vk
