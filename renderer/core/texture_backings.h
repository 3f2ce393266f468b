// SPDX-License-Identifier: MIT
// The textures with guest memory in an allocation, and their addresses by the newest allocation table: for
// presents and flips, which name a texture by its address (PRES-2) or by its allocation (SPACE-18). Adding,
// removing and finding cost O(log n). Render thread only.
#pragma once

#include <cstdint>
#include <map>
#include <unordered_map>
#include <utility>

#include "renderer/base/salted_hash.h"
#include "renderer/core/alloc_table.h"
#include "renderer/core/gpu_objects.h"

namespace aerogpu::core {

class TextureBackings {
public:
  /// Adds a texture that is new or has a new backing, in `entry` of the current table: the newest from now
  /// on. The texture is not owned.
  void add(Texture& texture, const AllocTable::Entry& entry);
  /// Removes a texture; ignores one that was not added.
  void remove(Texture& texture);
  /// Takes the addresses of a new table over.
  void locate(const AllocTable& table);
  void clear();
  /// Returns where the allocation of a texture that was added lies, as a table has it.
  AllocTable::Entry entryOf(const Texture& texture) const {
    const Allocation& allocation = m_allocations.at(texture.backing.allocId);
    return {texture.backing.allocId, false, allocation.scattered, allocation.gpa, 0};
  }
  /// Returns the newest texture whose backing starts at `gpa` and that can be shown; null = none. `indices`:
  /// on a scanout of palette indices.
  Texture* newestAt(uint64_t gpa, bool indices) const;
  /// Returns the newest texture that was added for the allocation, if it begins there and can be shown; null
  /// = none.
  Texture* newestOf(uint32_t allocId, bool indices) const;

private:
  struct Allocation {
    Texture* first = nullptr;  ///< of a list over Texture::nextOfAlloc
    uint64_t gpa = 0;
    bool scattered = false;
  };
  void place(Texture& texture, const Allocation& allocation);
  void lift(Texture& texture);

  std::unordered_map<uint32_t, Allocation, SaltedHash> m_allocations;
  using ByAddress = std::map<std::pair<uint64_t, uint64_t>, Texture*>;  // by address, then age
  ByAddress m_shown[2];  ///< those of colours, and those of palette indices
  uint64_t m_nextSerial = 1;
};

}  // namespace aerogpu::core
