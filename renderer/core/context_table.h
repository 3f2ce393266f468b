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

  /// Selects a context of the space, made if need be; over a limit Backend, and the selection stays.
  /// `spacesEnabled`: which limit of all counts.
  Result<void> select(Space& space, bool spacesEnabled, uint32_t contextId);
  /// No context is selected, for another space is: numbers of contexts count inside a space.
  void leave();
  bool isSelected(uint32_t contextId) const { return m_context && m_contextId == contextId; }

  // Of the selected context, which there is.
  DrawState& state() { return *m_state; }
  StageBindings& bindings(Stage stage) { return m_state->stages[static_cast<size_t>(stage)]; }
  void dirtyStage(Stage stage, uint32_t bit) {
    m_state->dirty |= bit;
    m_state->dirtyResourceStages |= 1u << static_cast<uint32_t>(stage);
  }
  /// Its queries; null before the first one.
  ContextQueries* queries() { return m_context->queries.get(); }
  /// Returns its queries, and makes them if there are none; Backend without room.
  Result<ContextQueries*> needQueries();
  /// Puts it back to the state of a new one.
  void resetSelected();
  /// Notes whether it may differ from a new one.
  void noteChange(bool changed);

  /// How many may differ from new ones.
  uint64_t changedCount() const { return m_changed; }
  /// The contexts of a space that ends are gone; none of them is selected.
  void dropAll(Space& space);
  /// No context is selected. Its queries are left as they are, for a reset begins.
  void deselect() {
    m_state = nullptr;
    m_context = nullptr;
  }

private:
  /// The selected context's queries do not count until it is selected again.
  void pauseQueries() {
    if (m_context && m_context->queries) m_context->queries->pause();
  }
  /// The back end has seen nothing of the selected context's state.
  void markAllDirty();

  HostMemory& m_hostMemory;
  size_t m_count = 0;  ///< of all spaces
  uint32_t m_contextId = 0;
  DrawState* m_state = nullptr;
  Context* m_context = nullptr;  ///< that m_state belongs to
  uint64_t m_changed = 0;        ///< how many have `changed`
};

}  // namespace aerogpu::core
