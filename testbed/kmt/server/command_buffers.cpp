// SPDX-License-Identifier: MIT
#include "testbed/kmt/server/command_buffers.h"

#include <algorithm>
#include <cstring>

namespace aerogpu::host {

namespace {
constexpr uint32_t kPage = static_cast<uint32_t>(guest::kPageBytes);
constexpr uint32_t kFile = 1;  // guest memory is 0

uint64_t pagesOf(uint64_t bytes) {
  return (bytes + kPage - 1) & ~uint64_t{kPage - 1};
}
}  // namespace

CommandBufferSets::CommandBufferSets(CommandMemory& memory, const Sizes& usual)
    : m_memory(memory), m_usual(usual), m_wanted(usual) {
  for (unsigned i = 0; i < 2; ++i)
    if (!make(m_sets[i], sizesOf(i, m_wanted))) return;
}

CommandBufferSets::~CommandBufferSets() {
  for (const Set& set : m_sets)
    if (set.bytes) m_memory.release(set.offset, set.bytes);
}

CommandBufferSets::Sizes CommandBufferSets::sizesOf(unsigned set, const Sizes& wanted) {
  if (set == 0) return wanted;
  return {std::max(wanted.commandBytes - wanted.commandBytes / 4, kPage),
          std::max(wanted.allocationEntries - wanted.allocationEntries / 4, 1u),
          std::max(wanted.patchEntries - wanted.patchEntries / 4, 1u)};
}

bool CommandBufferSets::make(Set& set, const Sizes& sizes) {
  const uint64_t commands = pagesOf(sizes.commandBytes),
                 allocations = pagesOf(uint64_t{sizes.allocationEntries} * sizeof(D3DDDI_ALLOCATIONLIST)),
                 patches = pagesOf(uint64_t{sizes.patchEntries} * sizeof(D3DDDI_PATCHLOCATIONLIST));
  const uint64_t bytes = commands + allocations + patches, offset = m_memory.allocate(bytes);
  if (offset == guest::PageAllocator::kNone) return false;
  if (set.bytes) m_memory.release(set.offset, set.bytes);
  set.offset = offset;
  set.bytes = bytes;
  set.sizes = sizes;
  set.buffers = {offset,
                 offset + commands,
                 offset + commands + allocations,
                 kFile,
                 sizes.commandBytes,
                 sizes.allocationEntries,
                 sizes.patchEntries};
  return true;
}

const D3DDDI_ALLOCATIONLIST* CommandBufferSets::allocations() const {
  return reinterpret_cast<const D3DDDI_ALLOCATIONLIST*>(m_memory.at(current().allocations));
}

D3DDDI_PATCHLOCATIONLIST* CommandBufferSets::patches() const {
  return reinterpret_cast<D3DDDI_PATCHLOCATIONLIST*>(m_memory.at(current().patches));
}

void CommandBufferSets::turn(uint32_t used, const Sizes& wanted) {
  std::memset(commands(), 0xCC, std::min(used, current().commandBytes));
  if (wanted.commandBytes) m_wanted.commandBytes = std::clamp(wanted.commandBytes, kPage, kMaxCommandBytes);
  if (wanted.allocationEntries)
    m_wanted.allocationEntries = std::min(wanted.allocationEntries, m_usual.allocationEntries);
  if (wanted.patchEntries) m_wanted.patchEntries = std::min(wanted.patchEntries, m_usual.patchEntries);
  m_current ^= 1;
  Set& next = m_sets[m_current];
  const Sizes sizes = sizesOf(m_current, m_wanted);
  if (sizes.commandBytes != next.sizes.commandBytes ||
      sizes.allocationEntries != next.sizes.allocationEntries ||
      sizes.patchEntries != next.sizes.patchEntries)
    (void)make(next, sizes);  // without room it stays as it is: sizes are only requests
}

}  // namespace aerogpu::host
