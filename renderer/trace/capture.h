// SPDX-License-Identifier: MIT
// Captures what a renderer executes to a trace file: streams, allocation tables, the guest bytes that the
// commands read at the moment they read them, and resets. What did not run is not in the file. Render thread
// only.
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
  static std::unique_ptr<Capture> start(const std::string& path, const Origin& origin,
                                        const core::GuestMemory& guest, std::string& error);

  /// Before the execution of one submission.
  void begin(const aerogpu_submission& submission);
  /// After it: writes what of the submission ran. `scanoutAlloc`: the allocation whose texture its presents
  /// showed, 0 without spaces.
  void end(const aerogpu_submission& submission, const core::ExecutionReport& report, uint32_t scanoutAlloc);
  /// Every object, token and binding was dropped.
  void deviceReset();
  core::ByteSource* onGuestRead(const core::AllocTable::Entry& entry, const core::ByteRows& rows,
                                std::span<const core::GuestRun> runs) override;
  bool finish(std::string& error) { return m_writer->finish(error); }

private:
  /// What is kept of the buffer for guest bytes from one submission to the next.
  static constexpr size_t kKeepBytes = size_t{16} << 20;

  Capture(std::unique_ptr<Writer> writer, const core::GuestMemory& guest)
      : m_writer(std::move(writer)), m_guest(guest) {}
  uint64_t blob(BlobKind kind, std::span<const uint8_t> bytes);
  /// The table with every scattered allocation as a linear one of the file's own; valid until the next call.
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
  bool m_written = false;  ///< something ran since the start or the last reset
  std::vector<MemoryRange> m_ranges;
  std::vector<UnreadableRange> m_unreadable;
  Rows m_rows;
  core::AllocTable m_allocs;     ///< of the submission
  std::vector<uint8_t> m_table;  ///< as the file gets it
};

}  // namespace aerogpu::trace
