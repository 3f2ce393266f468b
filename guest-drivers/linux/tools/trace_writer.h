// SPDX-License-Identifier: MIT
// Writes a guest program's submissions as a trace file (container: aerogpu/trace_writer.hpp).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "aerogpu/trace_writer.hpp"
#include "guest-drivers/linux/device/alloc_table.h"
#include "guest-drivers/linux/device/status.h"

namespace aerogpu::guest {

class TraceWriter {
public:
  Status open(const char* path);
  void beginFrame() { m_file.beginFrame(); }
  /// Writes the memory of an allocation; the next submission refers to it.
  void memory(uint32_t allocId, std::span<const uint8_t> bytes);
  void submission(std::span<const uint8_t> commands, const AllocTable& table, uint64_t fence);
  /// Ends the frame that beginFrame() began.
  void present() { m_file.present(); }
  /// Writes table of contents and footer. Reports any failed write since open().
  Status finish();

private:
  struct MemoryBlob {
    uint32_t allocId;
    uint64_t blob;
  };

  TraceFileWriter m_file;
  std::vector<MemoryBlob> m_memory;
};

}  // namespace aerogpu::guest
