// SPDX-License-Identifier: MIT
#include "renderer/core/queries.h"

#include <cstring>

namespace aerogpu::core {

namespace {

/// Keeps the result of a query.
class CountSink final : public ByteSink {
public:
  explicit CountSink(uint64_t& count) : m_count(count) {}
  Result<void> write(const uint8_t* src, uint64_t, uint64_t rowBytes, uint64_t) override {
    if (rowBytes >= sizeof m_count) std::memcpy(&m_count, src, sizeof m_count);
    return {};
  }

private:
  uint64_t& m_count;
};

}  // namespace

Result<uint64_t> gpuTime(Backend& backend, const std::function<Result<void>()>& finish) {
  auto query = backend.createQuery(QueryKind::Timestamp);
  if (!query) return query.error();
  uint64_t time = 0;
  Result<void> done = (*query)->end();
  if (done) done = (*query)->result(std::make_unique<CountSink>(time));
  if (Result<void> finished = finish(); done) done = std::move(finished);
  if (!done) return done.error();
  return time;
}

Result<void> ContextQueries::begin(Backend& backend, uint32_t slot, uint64_t counted) {
  std::unique_ptr<GpuQuery>& query = m_occlusion[slot];
  if (!query) {
    auto made = backend.createQuery(QueryKind::Occlusion);
    if (!made) return made.error();
    query = std::move(*made);
  } else if (m_open[slot]) {
    if (auto ended = query->end(); !ended) return ended;
    m_open.reset(slot);
  }
  if (auto begun = query->begin(counted); !begun) return begun;
  m_open.set(slot);
  return {};
}

Result<uint64_t> ContextQueries::readOpen(uint32_t slot, const std::function<Result<void>()>& finish) {
  GpuQuery& query = *m_occlusion[slot];
  uint64_t count = 0;
  Result<void> done = query.end();
  if (done) done = query.result(std::make_unique<CountSink>(count));
  if (Result<void> finished = finish(); done) done = std::move(finished);
  if (auto begun = query.begin(count); done) done = std::move(begun);
  query.pause();
  if (!done) return done.error();
  return count;
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
