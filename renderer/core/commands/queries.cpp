// SPDX-License-Identifier: MIT
// Queries. QUERY-1 to QUERY-11, SO-14, SO-15.
#include <algorithm>
#include <array>
#include <cstring>
#include <memory>
#include <utility>

#include "aerogpu/aerogpu_caps.h"
#include "renderer/core/announced.h"
#include "renderer/core/backend.h"
#include "renderer/core/commands/commands.h"
#include "renderer/core/context_table.h"
#include "renderer/core/guest_access.h"
#include "renderer/core/guest_clock.h"
#include "renderer/core/lacking.h"
#include "renderer/core/queries.h"
#include "renderer/core/stats.h"
#include "renderer/core/submission.h"
#include "renderer/core/work_meter.h"

namespace aerogpu::core {

namespace {

constexpr uint32_t kMaxQueries = 8192;  ///< begins and ends of one submission (QUERY-10)

QueryKind queryKindOf(uint32_t type) {
  switch (type) {
    case AEROGPU_EXT_QUERY_TIMESTAMP:
      return QueryKind::Timestamp;
    case AEROGPU_EXT_QUERY_STREAM_STATISTICS:
      return QueryKind::Streams;
    default:
      return QueryKind::Occlusion;
  }
}

/// Writes the numbers of a query, each as aerogpu_ext_query_result.
class ResultSink final : public ByteSink {
public:
  /// `clock`: of a time; null: the numbers are counts.
  ResultSink(std::unique_ptr<ByteSink> guest, GuestClock* clock)
      : m_guest(std::move(guest)), m_clock(clock) {}

  Result<void> write(const uint8_t* src, uint64_t, uint64_t rowBytes, uint64_t) override {
    std::array<aerogpu_ext_query_result, kMaxQueryNumbers> results{};
    const size_t count = std::min<uint64_t>(rowBytes / sizeof results[0].value, results.size());
    for (size_t i = 0; i < count; ++i) {
      std::memcpy(&results[i].value, src + i * sizeof results[i].value, sizeof results[i].value);
      if (m_clock) results[i].value = m_clock->give(results[i].value);
      results[i].available = 1;
    }
    const uint64_t bytes = count * sizeof results[0];
    return m_guest->write(reinterpret_cast<const uint8_t*>(results.data()), bytes, bytes, 1);
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

/// Succeeds if queries of the kind can be used: SO-1.
Result<void> needKind(Submission& s, QueryKind kind) {
  if (kind != QueryKind::Streams) return {};
  if (!(s.announced.told().capsFlags & AEROGPU_CAPS_STREAM_OUTPUT))
    return refused(ErrorCode::CmdDecode, "unknown query type",
                   {{"type", uint32_t{AEROGPU_EXT_QUERY_STREAM_STATISTICS}}});
  return needOffered(s, AEROGPU_CAPS_STREAM_OUTPUT, "queries of stream output are not supported");
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
  const QueryKind kind = queryKindOf(c.type);
  if (auto there = needKind(s, kind); !there) return there;
  const auto queries = s.contexts.needQueries();
  if (!queries) return queries.error();
  if (auto taken = takeQuery(s.counts); !taken) return taken;
  return (*queries)->begin(s.backend, c.slot, kind);
}

Result<void> runExtQueryEnd(Submission& s, const aerogpu_cmd_ext_query_end& c) {
  if (auto slot = needSlot(c.slot); !slot) return slot;
  const QueryKind kind = queryKindOf(c.type);
  const bool begins = kind != QueryKind::Timestamp;
  const ContextQueries* const open = s.contexts.queries();
  if (begins && (!open || !open->open(c.slot) || open->kindOf(c.slot) != kind))
    return refused(ErrorCode::CmdDecode, "query ends that did not begin",
                   {{"slot", c.slot}, {"type", c.type}});
  const uint64_t bytes = numbersOf(kind) * sizeof(aerogpu_ext_query_result);
  const auto entry = s.guest.writableEntry(c.alloc_id, c.offset_bytes, bytes);
  if (!entry) return entry.error();
  const auto queries = s.contexts.needQueries();
  if (!queries) return queries.error();
  auto sink = s.guest.sinkAt(**entry, {c.offset_bytes, bytes, bytes, 1});
  if (!sink) return sink.error();
  if (auto taken = s.work.take(Work::Bytes, bytes); !taken) return taken;
  if (auto taken = takeQuery(s.counts); !taken) return taken;
  s.stats.readbackBytes.add(bytes);
  auto result = std::make_unique<ResultSink>(std::move(*sink), begins ? nullptr : &s.clock);
  return begins ? (*queries)->end(c.slot, std::move(result))
                : (*queries)->timestamp(s.backend, std::move(result));
}

}  // namespace aerogpu::core
