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

  /// Starts a count in `slot` at `counted`.
  Result<void> begin(Backend& backend, uint32_t slot, uint64_t counted = 0);
  bool open(uint32_t slot) const { return m_open[slot]; }
  /// Returns the count of an open slot of a paused context, which goes on counting. `finish`: hands the work
  /// over and waits for it.
  Result<uint64_t> readOpen(uint32_t slot, const std::function<Result<void>()>& finish);
  /// Ends an open slot and writes its count to `sink`, 8 bytes.
  Result<void> end(uint32_t slot, std::unique_ptr<ByteSink> sink);
  /// Writes the time when all work so far is done to `sink`, 8 bytes.
  Result<void> timestamp(Backend& backend, std::unique_ptr<ByteSink> sink);

  /// Stops the open counts between the two calls, while another context draws.
  void pause();
  void resume();

private:
  HostMemoryCharge m_charge;
  std::array<std::unique_ptr<GpuQuery>, kSlots> m_occlusion;
  std::unique_ptr<GpuQuery> m_timestamp;
  std::bitset<kSlots> m_open;
};

}  // namespace aerogpu::core
