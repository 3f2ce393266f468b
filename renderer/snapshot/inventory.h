// SPDX-License-Identifier: MIT
// Everything that the renderer holds for its guest, each object with its number in a snapshot. Render thread
// only; valid until the next packet.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <unordered_map>
#include <vector>

#include "renderer/core/gpu_objects.h"
#include "renderer/core/handle_table.h"
#include "renderer/core/spaces.h"
#include "renderer/core/submission.h"

namespace aerogpu::snapshot {

/// A handle of an object.
struct Name {
  const core::GuestObject* object;
  uint32_t space, handle;
};

class Inventory {
public:
  /// Walks handles, then what contexts and views refer to without one. Leaves space 0 selected, and no
  /// context.
  explicit Inventory(core::Submission& parts);
  /// Has what these states refer to.
  Inventory(core::Submission& parts, std::span<const std::unique_ptr<core::DrawState>> states);

  std::vector<core::Space*> spaces;  ///< by number
  std::vector<Name> names;           ///< by space, then handle
  // In the order of their numbers; the lists follow one another.
  std::vector<core::Buffer*> buffers;
  std::vector<core::Texture*> textures;
  std::vector<core::View*> views;
  std::vector<core::Shader*> shaders;
  std::vector<core::InputLayout*> layouts;
  std::vector<core::Sampler*> samplers;

  /// Returns the number of an object; 0 for null.
  uint32_t numberOf(const core::GuestObject* object) const { return object ? m_numbers.at(object) : 0; }
  /// True if the object is there. The pointer may be of one that is gone.
  bool has(const core::GuestObject* object) const { return m_numbers.contains(object); }
  /// Returns how many numbers are in use.
  uint32_t count() const { return static_cast<uint32_t>(m_numbers.size()); }
  /// Returns the handles of the space.
  const core::HandleTable& handlesOf(const core::Space& space) const {
    return space.number == 0 ? m_parts.handles : space.handles;
  }

private:
  /// Numbers what was added.
  void numberAll();
  void addSpace(const core::Space& space);
  void addObject(const core::Object& object);
  void addState(const core::DrawState& state);
  /// Adds an object to its list, unless it is there or null. True if it was added.
  template <class T>
  bool add(std::vector<T*>& list, T* object);
  template <class T>
  void number(const std::vector<T*>& list);

  core::Submission& m_parts;
  std::unordered_map<const core::GuestObject*, uint32_t> m_numbers;
};

/// Returns the contexts of a space by their number.
std::vector<std::pair<uint32_t, core::Context*>> contextsOf(const core::Space& space);

}  // namespace aerogpu::snapshot
