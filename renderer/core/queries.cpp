// SPDX-License-Identifier: MIT
#include "renderer/core/queries.h"

#include <algorithm>
#include <cstring>

namespace aerogpu::core {

namespace {

/// Keeps the numbers of a query.
class CountSink final : public ByteSink {
public:
  explicit CountSink(QueryNumbers& numbers) : m_numbers(numbers) {}
  Result<void> write(const uint8_t* src, uint64_t, uint64_t rowBytes, uint64_t) override {
    std::memcpy(m_numbers.data(), src, std::min<uint64_t>(rowBytes, sizeof m_numbers));
    return {};
  }

private:
  QueryNumbers& m_numbers;
};

}  // namespace

Result<uint64_t> gpuTime(Backend& backend, const std::function<Result<void>()>& finish) {
  auto query = backend.createQuery(QueryKind::Timestamp);
  if (!query) return query.error();
  QueryNumbers time{};
  Result<void> done = (*query)->end();
  if (done) done = (*query)->result(std::make_unique<CountSink>(time));
  if (Result<void> finished = finish(); done) done = std::move(finished);
  if (!done) return done.error();
  return time[0];
}

Result<void> ContextQueries::begin(Backend& backend, uint32_t number, QueryKind kind,
                                   const QueryNumbers& counted) {
  Slot& slot = m_slots[number];
  if (m_open[number]) {
    if (auto ended = slot.query->end(); !ended) return ended;
    m_open.reset(number);
  }
  if (!slot.query || slot.kind != kind) {
    auto made = backend.createQuery(kind);
    if (!made) return made.error();
    slot = {std::move(*made), kind};
  }
  if (auto begun = slot.query->begin(counted); !begun) return begun;
  m_open.set(number);
  return {};
}

Result<QueryNumbers> ContextQueries::readOpen(uint32_t slot, const std::function<Result<void>()>& finish) {
  GpuQuery& query = *m_slots[slot].query;
  QueryNumbers counted{};
  Result<void> done = query.end();
  if (done) done = query.result(std::make_unique<CountSink>(counted));
  if (Result<void> finished = finish(); done) done = std::move(finished);
  if (auto begun = query.begin(counted); done) done = std::move(begun);
  query.pause();
  if (!done) return done.error();
  return counted;
}

Result<void> ContextQueries::end(uint32_t slot, std::unique_ptr<ByteSink> sink) {
  m_open.reset(slot);
  GpuQuery& query = *m_slots[slot].query;
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
    if (m_open[slot]) m_slots[slot].query->pause();
}

void ContextQueries::resume() {
  if (m_open.none()) return;
  for (uint32_t slot = 0; slot < kSlots; ++slot)
    if (m_open[slot]) m_slots[slot].query->resume();
}

}  // namespace aerogpu::core
