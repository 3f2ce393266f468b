// SPDX-License-Identifier: MIT
// Captures a renderer's execution to a trace file: streams, allocation tables, the guest bytes that the
// commands read at the moment they read them, and resets. The file has no commands that did not run. Render
// thread only.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "aerogpu/renderer.h"
#include "renderer/core/execution_report.h"
#include "renderer/core/guest_read_observer.h"
#include "renderer/trace/content_ids.h"
#include "renderer/trace/writer.h"

namespace aerogpu::trace {

class Capture : public core::GuestReadObserver {
public:
  Capture(std::unique_ptr<Writer> writer, const core::GuestMemory& guest)
      : m_writer(std::move(writer)), m_guest(guest) {}

  /// Returns the file, for what comes before the first submission.
  Writer& writer() { return *m_writer; }
  /// Call before the execution of one submission.
  void begin(const aerogpu_submission& submission);
  /// Call after the execution: writes the part of the submission that ran. `scanoutAlloc`: the allocation
  /// whose texture its presents showed, 0 without spaces.
  void end(const aerogpu_submission& submission, const core::ExecutionReport& report, uint32_t scanoutAlloc);
  /// Notes that every object, token and binding was dropped.
  void deviceReset();
  core::ByteSource* onGuestRead(const core::AllocTable::Entry& entry, const core::ByteRows& rows,
                                std::span<const core::GuestRun> runs) override;
  bool finish(std::string& error) { return m_writer->finish(error); }

private:
  /// Most bytes of the buffer for guest bytes that are kept from one submission to the next.
  static constexpr size_t kKeepBytes = size_t{16} << 20;

  uint64_t blob(BlobKind kind, std::span<const uint8_t> bytes);
  /// Returns the table with every scattered allocation as a linear one in the file; valid until the next
  /// call.
  std::span<const uint8_t> linearTable(std::span<const uint8_t> table);
  uint64_t addressOf(const core::AllocTable::Entry& entry) const;

  /// Rows that were read, without the gaps between them if those are wide.
  struct Rows : core::ByteSource {
    bool read(uint64_t offset, void* dst, uint64_t size) override;
    std::vector<uint8_t> bytes;
    uint64_t pitch = 0, stored = 0;  ///< from row to row, where they came from and in `bytes`
  };

  std::unique_ptr<Writer> m_writer;
  const core::GuestMemory& m_guest;
  ContentIds m_contents;
  bool m_written = false;  ///< commands ran since the start or the last reset
  std::vector<MemoryRange> m_ranges;
  std::vector<UnreadableRange> m_unreadable;
  Rows m_rows;
  core::AllocTable m_allocs;     ///< of the submission
  std::vector<uint8_t> m_table;  ///< in the file's form
};

}  // namespace aerogpu::trace
