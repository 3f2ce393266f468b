// SPDX-License-Identifier: MIT
// Occlusion and timestamp queries. QUERY-1 to QUERY-11.
#include <cstring>
#include <memory>
#include <utility>

#include "renderer/core/backend.h"
#include "renderer/core/commands/commands.h"
#include "renderer/core/context_table.h"
#include "renderer/core/guest_access.h"
#include "renderer/core/guest_clock.h"
#include "renderer/core/queries.h"
#include "renderer/core/stats.h"
#include "renderer/core/submission.h"
#include "renderer/core/work_meter.h"

namespace aerogpu::core {

namespace {

constexpr uint32_t kMaxQueries = 8192;  ///< begins and ends of one submission (QUERY-10)

/// Writes the result of a query as aerogpu_ext_query_result.
class ResultSink final : public ByteSink {
public:
  /// `clock`: of a time; null: the result is a count.
  ResultSink(std::unique_ptr<ByteSink> guest, GuestClock* clock)
      : m_guest(std::move(guest)), m_clock(clock) {}

  Result<void> write(const uint8_t* src, uint64_t, uint64_t rowBytes, uint64_t) override {
    aerogpu_ext_query_result result{0, 1};
    if (rowBytes >= sizeof result.value) std::memcpy(&result.value, src, sizeof result.value);
    if (m_clock) result.value = m_clock->give(result.value);
    return m_guest->write(reinterpret_cast<const uint8_t*>(&result), sizeof result, sizeof result, 1);
  }

private:
  const std::unique_ptr<ByteSink> m_guest;
  GuestClock* const m_clock;
};

Result<void> needSlot(uint32_t slot) {
  if (slot < ContextQueries::kSlots) return {};
  return refused(ErrorCode::OutOfBounds, "no such query slot",
                 {{"slot", slot}, {"of", ContextQueries::kSlots}});
}

/// Counts one more begin or end of a query in this submission.
Result<void> takeQuery(Submission::Counts& counts) {
  if (counts.queries == kMaxQueries)
    return refused(ErrorCode::Backend, "too many queries in one submission", {{"limit", kMaxQueries}});
  ++counts.queries;
  return {};
}

}  // namespace

Result<void> runExtQueryBegin(Submission& s, const aerogpu_cmd_ext_query_begin& c) {
  if (auto slot = needSlot(c.slot); !slot) return slot;
  const auto queries = s.contexts.needQueries();
  if (!queries) return queries.error();
  if (auto taken = takeQuery(s.counts); !taken) return taken;
  return (*queries)->begin(s.backend, c.slot);
}

Result<void> runExtQueryEnd(Submission& s, const aerogpu_cmd_ext_query_end& c) {
  if (auto slot = needSlot(c.slot); !slot) return slot;
  const bool occlusion = c.type == AEROGPU_EXT_QUERY_OCCLUSION;
  if (occlusion && (!s.contexts.queries() || !s.contexts.queries()->open(c.slot)))
    return refused(ErrorCode::CmdDecode, "query ends that did not begin", {{"slot", c.slot}});
  constexpr uint64_t kBytes = sizeof(aerogpu_ext_query_result);
  const auto entry = s.guest.writableEntry(c.alloc_id, c.offset_bytes, kBytes);
  if (!entry) return entry.error();
  const auto queries = s.contexts.needQueries();
  if (!queries) return queries.error();
  auto sink = s.guest.sinkAt(**entry, {c.offset_bytes, kBytes, kBytes, 1});
  if (!sink) return sink.error();
  if (auto taken = s.work.take(Work::Bytes, kBytes); !taken) return taken;
  if (auto taken = takeQuery(s.counts); !taken) return taken;
  s.stats.readbackBytes.add(kBytes);
  auto result = std::make_unique<ResultSink>(std::move(*sink), occlusion ? nullptr : &s.clock);
  return occlusion ? (*queries)->end(c.slot, std::move(result))
                   : (*queries)->timestamp(s.backend, std::move(result));
}

}  // namespace aerogpu::core
