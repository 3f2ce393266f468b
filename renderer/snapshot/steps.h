// SPDX-License-Identifier: MIT
// Writes the loads of a snapshot: streams of packets, each with the allocations that they name. Render thread
// only.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "aerogpu/cmd_writer.hpp"
#include "renderer/core/alloc_table.h"
#include "renderer/trace/writer.h"

namespace aerogpu::snapshot {

class Steps {
public:
  explicit Steps(trace::Writer& file) : m_file(file) {}

  /// The packets of the next load.
  CommandWriter packets;
  /// The table of the next load. Sizes, flags and addresses are the loader's.
  std::vector<core::AllocTable::Entry> allocations;

  /// Writes a load if its packets are many.
  void cut() {
    constexpr size_t kManyBytes = size_t{1} << 20;
    if (packets.size() > kManyBytes) write();
  }
  /// Writes a load of the packets and allocations, if there are any, with `memory` from address 0 on.
  void write(std::span<const uint8_t> memory = {});
  /// The same with memory that went ahead under that key.
  void writeAhead(uint64_t key);

private:
  void put(trace::LoadRecord& record);

  trace::Writer& m_file;
};

}  // namespace aerogpu::snapshot
