// SPDX-License-Identifier: MIT
#include "renderer/remote/line.h"

#include <algorithm>
#include <cstring>

namespace aerogpu::remote {

bool LineCaller::call(const LineCall& call, uint64_t& result, std::vector<uint8_t>* answer,
                      uint64_t limitNs) {
  Lock lock(m_mutex);
  if (m_broken || call.bytes.size() > m_areaBytes) return false;
  if (!call.bytes.empty()) std::memcpy(m_area, call.bytes.data(), call.bytes.size());
  m_words.kind.store(call.kind, std::memory_order_relaxed);
  m_words.askedBytes.store(static_cast<uint32_t>(call.bytes.size()), std::memory_order_relaxed);
  for (size_t i = 0; i < std::size(call.values); ++i)
    m_words.values[i].store(call.values[i], std::memory_order_relaxed);
  const uint32_t count = ++m_count;
  m_words.asked.store(count, std::memory_order_release);
  m_asked.ring();
  const Woken woken = m_answer.wait(limitNs == kForever ? kForever : nowNs() + limitNs, [&] {
    return m_words.answered.load(std::memory_order_acquire) == count;
  });
  if (woken != Woken::Ready) {
    m_broken = true;  // an answer that still comes would be taken for that of a later call
    return false;
  }
  result = m_words.result.load(std::memory_order_relaxed);
  if (answer) {
    const uint32_t bytes = std::min(m_words.answerBytes.load(std::memory_order_relaxed), m_areaBytes);
    answer->assign(m_area, m_area + bytes);
  }
  return true;
}

Woken LineServer::wait(Asked& call, uint64_t untilNs) {
  const uint32_t next = m_count + 1;
  const Woken woken =
      m_asked.wait(untilNs, [&] { return m_words.asked.load(std::memory_order_acquire) == next; });
  if (woken != Woken::Ready) return woken;
  m_count = next;
  call.kind = m_words.kind.load(std::memory_order_relaxed);
  for (size_t i = 0; i < std::size(call.values); ++i)
    call.values[i] = m_words.values[i].load(std::memory_order_relaxed);
  const uint32_t bytes = std::min(m_words.askedBytes.load(std::memory_order_relaxed), m_areaBytes);
  call.bytes.assign(m_area, m_area + bytes);
  return woken;
}

void LineServer::answer(uint64_t result, std::span<const uint8_t> bytes) {
  const size_t fits = std::min<size_t>(bytes.size(), m_areaBytes);
  if (fits != 0) std::memcpy(m_area, bytes.data(), fits);
  m_words.answerBytes.store(static_cast<uint32_t>(fits), std::memory_order_relaxed);
  m_words.result.store(result, std::memory_order_relaxed);
  m_words.answered.store(m_count, std::memory_order_release);
  m_answer.ring();
}

}  // namespace aerogpu::remote
