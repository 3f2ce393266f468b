// SPDX-License-Identifier: MIT
// The queries of a guest context (docs/abi/queries.md). Render thread only.
#pragma once

#include <array>
#include <bitset>
#include <cstdint>
#include <memory>

#include "renderer/core/backend.h"

namespace aerogpu::core {

class ContextQueries {
public:
  static constexpr uint32_t kSlots = 256;  ///< QUERY-2

  explicit ContextQueries(HostMemoryCharge charge) : m_charge(std::move(charge)) {}

  /// Starts a count in `slot` at 0.
  Result<void> begin(Backend& backend, uint32_t slot);
  bool open(uint32_t slot) const { return m_open[slot]; }
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
