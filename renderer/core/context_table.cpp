// SPDX-License-Identifier: MIT
#include "renderer/core/context_table.h"

#include <memory>

namespace aerogpu::core {

Result<void> ContextTable::select(Space& space, bool spacesEnabled, uint32_t contextId) {
  if (m_state && m_contextId == contextId) return {};
  auto& contexts = space.contexts;
  auto known = contexts.find(contextId);
  if (known == contexts.end()) {
    const uint32_t limit = spacesEnabled ? Spaces::kMaxContexts : Spaces::kMaxContextsAlone;
    if (m_count >= limit || (space.number != 0 && contexts.size() >= Spaces::kMaxContextsOfOne) ||
        (space.account && space.account->contexts >= Spaces::kMaxContextsOfProcess))
      return refused(ErrorCode::Backend, "too many contexts",
                     {{"context_id", contextId},
                      {"contexts", m_count},
                      {"limit", limit},
                      {"of this space", contexts.size()},
                      {"of its process", space.account ? space.account->contexts : contexts.size()}});
    HostMemoryCharge charge = HostMemoryCharge::take(m_hostMemory, sizeof(Context));
    if (!charge.ok())
      return refused(ErrorCode::Backend, "no host memory for a context",
                     {{"context_id", contextId}, {"bytes", sizeof(Context)}});
    auto context = std::make_unique<Context>();
    context->charge = std::move(charge);
    known = contexts.emplace(contextId, std::move(context)).first;
    ++m_count;
    if (space.account) ++space.account->contexts;
  }
  pauseQueries();
  m_contextId = contextId;
  m_context = known->second.get();
  if (m_context->queries) m_context->queries->resume();
  m_state = &m_context->state;
  markAllDirty();
  return {};
}

void ContextTable::leave() {
  pauseQueries();
  deselect();
}

Result<ContextQueries*> ContextTable::needQueries() {
  if (!m_context->queries) {
    HostMemoryCharge charge =
        HostMemoryCharge::take(m_hostMemory, sizeof(ContextQueries), HostMemoryKind::Queries);
    if (!charge.ok())
      return refused(ErrorCode::Backend, "no host memory for queries", {{"bytes", sizeof(ContextQueries)}});
    m_context->queries = std::make_unique<ContextQueries>(std::move(charge));
  }
  return m_context->queries.get();
}

void ContextTable::resetSelected() {
  *m_state = DrawState{};
  m_context->queries.reset();
  noteChange(false);
  markAllDirty();
}

void ContextTable::noteChange(bool changed) {
  if (m_context->changed == changed) return;
  m_context->changed = changed;
  if (changed)
    ++m_changed;
  else
    --m_changed;
}

void ContextTable::markAllDirty() {
  m_state->dirty = kDirtyAll;
  m_state->dirtyResourceStages = (1u << kStageCount) - 1;
}

void ContextTable::dropAll(Space& space) {
  for (const auto& [number, context] : space.contexts)
    if (context->changed) --m_changed;
  m_count -= space.contexts.size();
  if (space.account) space.account->contexts -= space.contexts.size();
  space.contexts.clear();
}

}  // namespace aerogpu::core
