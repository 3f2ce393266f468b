// SPDX-License-Identifier: MIT
#include "renderer/core/texture_backings.h"

namespace aerogpu::core {

/// Scattered memory has no single address for a scanout.
void TextureBackings::place(Texture& texture, const Allocation& allocation) {
  const bool indices = holdsIndices(texture.desc);
  if (allocation.scattered || !(indices || canBeShown(texture.desc))) return;
  texture.backingGpa = allocation.gpa + texture.backing.offset;
  texture.backingPlaced = true;
  m_shown[indices].emplace(std::pair{texture.backingGpa, texture.backingSerial}, &texture);
}

void TextureBackings::lift(Texture& texture) {
  if (texture.backingPlaced)
    m_shown[holdsIndices(texture.desc)].erase({texture.backingGpa, texture.backingSerial});
  texture.backingPlaced = false;
}

void TextureBackings::add(Texture& texture, const AllocTable::Entry& entry) {
  Allocation& allocation = m_allocations[entry.id];
  allocation.gpa = entry.gpa;
  allocation.scattered = entry.scattered;
  texture.backingSerial = m_nextSerial++;
  texture.nextOfAlloc = allocation.first;
  if (allocation.first) allocation.first->previousOfAlloc = &texture;
  allocation.first = &texture;
  place(texture, allocation);
}

void TextureBackings::remove(Texture& texture) {
  if (texture.backingSerial == 0) return;
  lift(texture);
  if (texture.nextOfAlloc) texture.nextOfAlloc->previousOfAlloc = texture.previousOfAlloc;
  if (texture.previousOfAlloc) {
    texture.previousOfAlloc->nextOfAlloc = texture.nextOfAlloc;
  } else if (texture.nextOfAlloc) {
    m_allocations[texture.backing.allocId].first = texture.nextOfAlloc;
  } else {
    m_allocations.erase(texture.backing.allocId);
  }
  texture.nextOfAlloc = texture.previousOfAlloc = nullptr;
  texture.backingSerial = 0;
}

void TextureBackings::locate(const AllocTable& table) {
  if (m_allocations.empty()) return;
  for (const AllocTable::Entry& entry : table.entries()) {
    const auto known = m_allocations.find(entry.id);
    if (known == m_allocations.end()) continue;
    Allocation& allocation = known->second;
    if (allocation.gpa == entry.gpa && allocation.scattered == entry.scattered) continue;
    allocation.gpa = entry.gpa;
    allocation.scattered = entry.scattered;
    for (Texture* texture = allocation.first; texture; texture = texture->nextOfAlloc) {
      lift(*texture);
      place(*texture, allocation);
    }
  }
}

void TextureBackings::clear() {
  m_allocations.clear();
  for (ByAddress& shown : m_shown) shown.clear();
}

Texture* TextureBackings::newestAt(uint64_t gpa, bool indices) const {
  const ByAddress& all = m_shown[indices];
  auto behind = all.upper_bound({gpa, UINT64_MAX});
  if (behind == all.begin()) return nullptr;
  const auto& [key, texture] = *--behind;
  return key.first == gpa ? texture : nullptr;
}

Texture* TextureBackings::newestOf(uint32_t allocId, bool indices) const {
  const auto known = m_allocations.find(allocId);
  if (known == m_allocations.end()) return nullptr;
  Texture* texture = known->second.first;
  const bool fits = indices ? holdsIndices(texture->desc) : canBeShown(texture->desc);
  return fits && texture->backing.offset == 0 ? texture : nullptr;
}

}  // namespace aerogpu::core
