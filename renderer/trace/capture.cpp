// SPDX-License-Identifier: MIT
#include "renderer/trace/capture.h"

#include <algorithm>
#include <cstring>

#include "aerogpu/aerogpu_cmd.h"
#include "aerogpu/aerogpu_extension.h"
#include "aerogpu/aerogpu_pci.h"
#include "aerogpu/aerogpu_ring.h"

namespace aerogpu::trace {

namespace {
/// In the file a scattered allocation is a linear one, so that a reader needs no page lists: entry I of the
/// table, sorted by id, lies at kLinearBase + I * kLinearBytes. No guest has memory there (x86 has 2^52 bytes
/// at most), a table has at most 2^19 entries, and no resource reaches further into its allocation than
/// kLinearBytes.
constexpr uint64_t kLinearBase = uint64_t{1} << 62, kLinearBytes = uint64_t{1} << 41;
}  // namespace

uint64_t Capture::blob(BlobKind kind, std::span<const uint8_t> bytes) {
  const ContentIds::Key key = m_contents.keyOf(kind, bytes);
  if (const uint64_t known = m_contents.find(key)) return known;
  const uint64_t id = m_writer->blob(kind, bytes);
  m_contents.remember(key, id);
  return id;
}

void Capture::begin(const aerogpu_submission& submission) {
  // Execution refuses a table with a defect again, now and in the replay.
  (void)m_allocs.load({static_cast<const uint8_t*>(submission.alloc_table), submission.alloc_table_size});
  m_ranges.clear();
  m_unreadable.clear();
}

bool Capture::Rows::read(uint64_t offset, void* dst, uint64_t size) {
  const uint64_t at = offset / pitch * stored + offset % pitch;
  if (at > bytes.size() || size > bytes.size() - at) return false;
  std::memcpy(dst, bytes.data() + at, size);
  return true;
}

uint64_t Capture::addressOf(const core::AllocTable::Entry& entry) const {
  if (!entry.scattered) return entry.gpa;
  return kLinearBase +
         static_cast<uint64_t>(m_allocs.find(entry.id) - m_allocs.entries().data()) * kLinearBytes;
}

std::span<const uint8_t> Capture::linearTable(std::span<const uint8_t> table) {
  const auto scattered = [](const core::AllocTable::Entry& entry) { return entry.scattered; };
  if (std::none_of(m_allocs.entries().begin(), m_allocs.entries().end(), scattered)) return table;
  m_table.assign(table.begin(), table.end());
  aerogpu_alloc_table_header header;
  std::memcpy(&header, m_table.data(), sizeof header);
  for (uint64_t i = 0; i < header.entry_count; ++i) {
    uint8_t* at = m_table.data() + sizeof header + i * header.entry_stride_bytes;
    aerogpu_alloc_entry entry;
    std::memcpy(&entry, at, sizeof entry);
    if (!(entry.flags & AEROGPU_ALLOC_FLAG_EXT_SCATTER)) continue;
    entry.flags &= ~AEROGPU_ALLOC_FLAG_EXT_SCATTER;
    entry.gpa = addressOf(*m_allocs.find(entry.alloc_id));
    entry.size_bytes = std::min(entry.size_bytes, kLinearBytes);
    std::memcpy(at, &entry, sizeof entry);
  }
  return m_table;
}

core::ByteSource* Capture::onGuestRead(const core::AllocTable::Entry& entry, const core::ByteRows& rows,
                                       std::span<const core::GuestRun> runs) {
  // If wide gaps, which can have any size, lie between them, rows are separate ranges.
  const uint64_t size = rows.dense() ? rows.span() : rows.rowBytes;
  const uint64_t count = rows.dense() ? 1 : rows.rows;
  const uint64_t address = addressOf(entry) + rows.offset;
  core::GuestSource source(m_guest, runs, rows.span());
  m_rows.bytes.resize(size * count);
  m_rows.pitch = rows.dense() ? size : rows.pitch;
  m_rows.stored = size;
  for (uint64_t i = 0; i < count; ++i) {
    if (runs.empty() || !source.read(i * rows.pitch, m_rows.bytes.data() + i * size, size)) {
      m_unreadable.push_back({address + i * rows.pitch, size});
      return nullptr;
    }
  }
  if (!m_writer->inFrame()) m_writer->beginFrame();
  for (uint64_t i = 0; i < count; ++i)
    m_ranges.push_back({entry.id, 0, address + i * rows.pitch, size,
                        blob(BlobKind::AllocMemory, {m_rows.bytes.data() + i * size, size})});
  return &m_rows;
}

void Capture::end(const aerogpu_submission& submission, const core::ExecutionReport& report,
                  uint32_t scanoutAlloc) {
  if (m_rows.bytes.capacity() > kKeepBytes) m_rows.bytes = {};
  // A defect of the descriptor and an interruption before the first packet leave no trace in the device.
  if (submission.descriptor_error != AEROGPU_ERROR_NONE ||
      (report.dropped && report.executedBytes <= sizeof(aerogpu_cmd_stream_header)))
    return;
  if (!m_writer->inFrame()) m_writer->beginFrame();
  const std::span<const uint8_t> stream(static_cast<const uint8_t*>(submission.cmd), submission.cmd_size);
  const std::span<const uint8_t> table(static_cast<const uint8_t*>(submission.alloc_table),
                                       submission.alloc_table_size);
  SubmissionRecord record{};
  record.version = AEROGPU_TRACE_SUBMISSION_VERSION;
  record.fixed_size = sizeof record;
  record.flags = submission.flags;
  record.context_id = submission.context_id;
  record.engine_id = submission.engine_id;
  record.signal_fence = submission.signal_fence;
  if (report.dropped || report.stopped) {
    // The packets that ran, under a header that counts only those.
    aerogpu_cmd_stream_header header;
    std::memcpy(&header, stream.data(), sizeof header);
    header.size_bytes = static_cast<uint32_t>(report.executedBytes);
    record.command_blob =
        m_writer->blob(BlobKind::CommandStream, {reinterpret_cast<const uint8_t*>(&header), sizeof header},
                       stream.first(report.executedBytes).subspan(sizeof header));
  } else if (!stream.empty()) {
    record.command_blob = m_writer->blob(BlobKind::CommandStream, stream);
  }
  record.alloc_table_blob = table.empty() ? 0 : blob(BlobKind::AllocTable, linearTable(table));
  record.range_count = static_cast<uint32_t>(m_ranges.size());
  if (!m_unreadable.empty()) m_writer->unreadable(m_unreadable);
  if (submission.in_space) m_writer->space({submission.space, submission.space_flags, scanoutAlloc, 0});
  m_writer->submission(record, m_ranges);
  if (report.presents != 0) m_writer->present();
  m_written = true;
}

void Capture::deviceReset() {
  if (m_written) m_writer->deviceReset();
  m_written = false;
}

}  // namespace aerogpu::trace
