// SPDX-License-Identifier: MIT
#include "renderer/trace/capture.h"

#include <cstring>

#include "aerogpu/aerogpu_cmd.h"
#include "aerogpu/aerogpu_pci.h"
#include "aerogpu/aerogpu_ring.h"

namespace aerogpu::trace {

std::unique_ptr<Capture> Capture::start(const std::string& path, const core::GuestMemory& guest,
                                        std::string& error) {
  auto writer = Writer::create(path, error);
  if (!writer) return nullptr;
  return std::unique_ptr<Capture>(new Capture(std::move(writer), guest));
}

uint64_t Capture::blob(BlobKind kind, std::span<const uint8_t> bytes) {
  const ContentIds::Key key = m_contents.keyOf(kind, bytes);
  if (const uint64_t known = m_contents.find(key)) return known;
  const uint64_t id = m_writer->blob(kind, bytes);
  m_contents.remember(key, id);
  return id;
}

void Capture::begin() {
  m_ranges.clear();
  m_unreadable.clear();
}

std::span<const uint8_t> Capture::onGuestRead(uint32_t allocId, uint64_t gpa, uint64_t size) {
  m_bytes.resize(size);
  if (!m_guest.read(gpa, m_bytes.data(), size)) {
    m_unreadable.push_back({gpa, size});
    return {};
  }
  if (!m_writer->inFrame()) m_writer->beginFrame();
  m_ranges.push_back({allocId, 0, gpa, size, blob(BlobKind::AllocMemory, m_bytes)});
  return m_bytes;
}

void Capture::end(const aerogpu_submission& submission, const core::Outcome& outcome) {
  if (m_bytes.capacity() > kKeepBytes) m_bytes = {};
  // A defect of the descriptor and an interruption before the first packet leave no trace in the device.
  if (submission.descriptor_error != AEROGPU_ERROR_NONE ||
      (outcome.dropped && outcome.executedBytes <= sizeof(aerogpu_cmd_stream_header)))
    return;
  if (!m_writer->inFrame()) m_writer->beginFrame();
  const std::span<const uint8_t> stream(static_cast<const uint8_t*>(submission.cmd), submission.cmd_size);
  const std::span<const uint8_t> table(static_cast<const uint8_t*>(submission.alloc_table),
                                       submission.alloc_table_size);
  SubmissionRecord record{};
  record.version = 1;
  record.fixedSize = sizeof record;
  record.flags = submission.flags;
  record.context = submission.context_id;
  record.engine = submission.engine_id;
  record.fence = submission.signal_fence;
  if (outcome.dropped) {
    // The packets that ran, under a header that counts no others.
    aerogpu_cmd_stream_header header;
    std::memcpy(&header, stream.data(), sizeof header);
    header.size_bytes = static_cast<uint32_t>(outcome.executedBytes);
    record.commandBlob =
        m_writer->blob(BlobKind::CommandStream, {reinterpret_cast<const uint8_t*>(&header), sizeof header},
                       stream.first(outcome.executedBytes).subspan(sizeof header));
  } else if (!stream.empty()) {
    record.commandBlob = m_writer->blob(BlobKind::CommandStream, stream);
  }
  record.allocTableBlob = table.empty() ? 0 : blob(BlobKind::AllocTable, table);
  record.rangeCount = static_cast<uint32_t>(m_ranges.size());
  if (!m_unreadable.empty()) m_writer->unreadable(m_unreadable);
  m_writer->submission(record, m_ranges);
  if (outcome.presents != 0) m_writer->present();
  m_written = true;
}

void Capture::deviceReset() {
  if (m_written) m_writer->deviceReset();
  m_written = false;
}

}  // namespace aerogpu::trace
