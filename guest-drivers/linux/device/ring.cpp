// SPDX-License-Identifier: MIT
#include "guest-drivers/linux/device/ring.h"

#include <atomic>
#include <cstddef>
#include <cstring>

namespace aerogpu::guest {

namespace {
constexpr uint32_t kStride = sizeof(aerogpu_submit_desc);

// The counters are 4-byte aligned in a page-aligned block, though their structure is packed.
std::atomic_ref<uint32_t> counter(uint8_t* ring, size_t offset) {
  return std::atomic_ref<uint32_t>(*reinterpret_cast<uint32_t*>(ring + offset));
}
}  // namespace

uint64_t Ring::bytesFor(uint32_t entries) {
  return sizeof(aerogpu_ring_header) + uint64_t{entries} * kStride;
}

void Ring::create(const Block& memory, uint32_t entries, uint32_t start) {
  m_memory = memory;
  m_entries = entries;
  m_tail = start;
  std::memset(memory.cpu, 0, bytesFor(entries));
  aerogpu_ring_header* h = header();
  h->magic = AEROGPU_RING_MAGIC;
  h->abi_version = AEROGPU_ABI_VERSION_U32;
  h->size_bytes = static_cast<uint32_t>(bytesFor(entries));
  h->entry_count = entries;
  h->entry_stride_bytes = kStride;
  h->head = h->tail = start;
}

uint32_t Ring::head() const {
  return counter(m_memory.cpu, offsetof(aerogpu_ring_header, head)).load(std::memory_order_acquire);
}

bool Ring::push(const aerogpu_submit_desc& desc) {
  if (full()) return false;
  const uint64_t slot = m_tail & (m_entries - 1);
  std::memcpy(m_memory.cpu + sizeof(aerogpu_ring_header) + slot * kStride, &desc, sizeof desc);
  ++m_tail;
  // Release: slot, commands and allocation table are visible before the tail.
  counter(m_memory.cpu, offsetof(aerogpu_ring_header, tail)).store(m_tail, std::memory_order_release);
  return true;
}

}  // namespace aerogpu::guest
