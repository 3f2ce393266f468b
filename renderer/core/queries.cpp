// SPDX-License-Identifier: MIT
#include "renderer/core/queries.h"

namespace aerogpu::core {

Result<void> ContextQueries::begin(Backend& backend, uint32_t slot) {
  std::unique_ptr<GpuQuery>& query = m_occlusion[slot];
  if (!query) {
    auto made = backend.createQuery(QueryKind::Occlusion);
    if (!made) return made.error();
    query = std::move(*made);
  } else if (m_open[slot]) {
    if (auto ended = query->end(); !ended) return ended;
    m_open.reset(slot);
  }
  if (auto begun = query->begin(); !begun) return begun;
  m_open.set(slot);
  return {};
}

Result<void> ContextQueries::end(uint32_t slot, std::unique_ptr<ByteSink> sink) {
  m_open.reset(slot);
  GpuQuery& query = *m_occlusion[slot];
  if (auto ended = query.end(); !ended) return ended;
  return query.result(std::move(sink));
}

Result<void> ContextQueries::timestamp(Backend& backend, std::unique_ptr<ByteSink> sink) {
  if (!m_timestamp) {
    auto made = backend.createQuery(QueryKind::Timestamp);
    if (!made) return made.error();
    m_timestamp = std::move(*made);
  }
  if (auto ended = m_timestamp->end(); !ended) return ended;
  return m_timestamp->result(std::move(sink));
}

void ContextQueries::pause() {
  if (m_open.none()) return;
  for (uint32_t slot = 0; slot < kSlots; ++slot)
    if (m_open[slot]) m_occlusion[slot]->pause();
}

void ContextQueries::resume() {
  if (m_open.none()) return;
  for (uint32_t slot = 0; slot < kSlots; ++slot)
    if (m_open[slot]) m_occlusion[slot]->resume();
}

}  // namespace aerogpu::core
