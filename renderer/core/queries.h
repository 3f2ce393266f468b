// SPDX-License-Identifier: MIT
// The queries of a guest context (docs/abi/queries.md). Render thread only.
#pragma once

#include <array>
#include <bitset>
#include <cstdint>
#include <functional>
#include <memory>

#include "renderer/core/backend.h"

namespace aerogpu::core {

/// Returns the time of the GPU's clock. `finish`: hands the work over and waits for it. Backend without such
/// a clock.
Result<uint64_t> gpuTime(Backend& backend, const std::function<Result<void>()>& finish);

class ContextQueries {
public:
  static constexpr uint32_t kSlots = 256;  ///< QUERY-2

  explicit ContextQueries(HostMemoryCharge charge) : m_charge(std::move(charge)) {}

  /// Starts a query of a kind that begins in `slot`, at `counted`.
  Result<void> begin(Backend& backend, uint32_t slot, QueryKind kind, const QueryNumbers& counted = {});
  bool open(uint32_t slot) const { return m_open[slot]; }
  /// Returns the kind of an open slot.
  QueryKind kindOf(uint32_t slot) const { return m_slots[slot].kind; }
  /// Returns the numbers of an open slot of a paused context, which goes on counting. `finish`: hands the
  /// work over and waits for it.
  Result<QueryNumbers> readOpen(uint32_t slot, const std::function<Result<void>()>& finish);
  /// Ends an open slot and writes its numbers to `sink`, 8 bytes each.
  Result<void> end(uint32_t slot, std::unique_ptr<ByteSink> sink);
  /// Writes the time when all work so far is done to `sink`, 8 bytes.
  Result<void> timestamp(Backend& backend, std::unique_ptr<ByteSink> sink);

  /// Stops the open counts between the two calls, while another context draws.
  void pause();
  void resume();

private:
  HostMemoryCharge m_charge;
  struct Slot {
    std::unique_ptr<GpuQuery> query;
    QueryKind kind = QueryKind::Occlusion;
  };
  std::array<Slot, kSlots> m_slots;
  std::unique_ptr<GpuQuery> m_timestamp;
  std::bitset<kSlots> m_open;
};

}  // namespace aerogpu::core
