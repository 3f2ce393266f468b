// SPDX-License-Identifier: MIT
// The guest contexts of all spaces, and the one whose state commands change. Render thread only.
#pragma once

#include <cstdint>

#include "renderer/base/host_memory.h"
#include "renderer/base/result.h"
#include "renderer/core/queries.h"
#include "renderer/core/spaces.h"
#include "renderer/core/state.h"

namespace aerogpu::core {

class ContextTable {
public:
  /// `hostMemory` outlives the object.
  explicit ContextTable(HostMemory& hostMemory) : m_hostMemory(hostMemory) {}

  /// Selects a context of the space, and makes it if there is none. Over a limit it fails with Backend and
  /// selects nothing new. `spacesEnabled` decides on the limit for all contexts together.
  Result<void> select(Space& space, bool spacesEnabled, uint32_t contextId);
  /// Deselects the context, as another space is selected: numbers of contexts are per space.
  void leave();
  bool isSelected(uint32_t contextId) const { return m_context && m_contextId == contextId; }

  // The next functions work on the selected context; one must be selected.
  DrawState& state() { return *m_state; }
  StageBindings& bindings(Stage stage) { return m_state->stages[static_cast<size_t>(stage)]; }
  void dirtyStage(Stage stage, uint32_t bit) {
    m_state->dirty |= bit;
    m_state->dirtyResourceStages |= 1u << static_cast<uint32_t>(stage);
  }
  /// Returns its queries; null before the first one.
  ContextQueries* queries() { return m_context->queries.get(); }
  /// Returns its queries, and makes them if there are none; Backend without memory.
  Result<ContextQueries*> needQueries();
  /// Resets it to the state of a new context.
  void resetSelected();
  /// Notes whether it may differ from a new context.
  void noteChange(bool changed);

  /// Returns how many contexts may differ from new ones.
  uint64_t changedCount() const { return m_changed; }
  /// Removes the contexts of a space that ends; none of them is selected.
  void dropAll(Space& space);
  /// Deselects the context because a reset begins: does not pause its queries.
  void deselect() {
    m_state = nullptr;
    m_context = nullptr;
  }

private:
  /// Stops the counts of the selected context's queries until it is selected again.
  void pauseQueries() {
    if (m_context && m_context->queries) m_context->queries->pause();
  }
  /// Makes the back end read all state of the selected context.
  void markAllDirty();

  HostMemory& m_hostMemory;
  size_t m_count = 0;  ///< of all spaces
  uint32_t m_contextId = 0;
  DrawState* m_state = nullptr;
  Context* m_context = nullptr;  ///< that m_state belongs to
  uint64_t m_changed = 0;        ///< contexts with Context::changed
};

}  // namespace aerogpu::core
