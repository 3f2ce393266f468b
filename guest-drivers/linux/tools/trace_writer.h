// SPDX-License-Identifier: MIT
// Writes .aerogputrace files, container version 2. docs/abi/trace.md.
#pragma once

#include <cstdint>
#include <cstdio>
#include <span>
#include <vector>

#include "aerogpu/aerogpu_trace.h"
#include "guest-drivers/linux/device/alloc_table.h"
#include "guest-drivers/linux/device/status.h"

namespace aerogpu::guest {

class TraceWriter {
public:
  TraceWriter() = default;
  TraceWriter(const TraceWriter&) = delete;
  TraceWriter& operator=(const TraceWriter&) = delete;
  ~TraceWriter();

  Status open(const char* path);
  void beginFrame();
  /// Writes the memory of an allocation: its bytes are written once, later submissions refer to them.
  void memory(uint32_t allocId, std::span<const uint8_t> bytes);
  void submission(std::span<const uint8_t> commands, const AllocTable& table, uint64_t fence);
  void present();
  /// Writes table of contents and footer. Reports any failed write since open().
  Status finish();

private:
  struct MemoryBlob {
    uint32_t allocId;
    uint64_t blob;
  };
  void put(const void* bytes, size_t size);
  void record(uint8_t type, std::span<const std::span<const uint8_t>> parts);
  uint64_t blob(uint32_t kind, std::span<const uint8_t> bytes);

  std::FILE* m_file = nullptr;
  uint64_t m_offset = 0, m_nextBlob = 1;
  bool m_failed = false;
  std::vector<aerogpu_trace_toc_entry> m_frames;
  std::vector<MemoryBlob> m_memory;
};

}  // namespace aerogpu::guest
