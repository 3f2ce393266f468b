// SPDX-License-Identifier: MIT
#include "renderer/trace/capture.h"

#include "aerogpu/aerogpu_cmd.h"
#include "aerogpu/aerogpu_ring.h"
#include "renderer/cmd/stream.h"

namespace aerogpu::trace {

namespace {
/// Whether a stream holds a present: the frame's end in the file.
bool holdsPresent(std::span<const uint8_t> stream) {
  auto reader = cmd::PacketReader::open(stream);
  if (!reader) return false;
  while (!reader->atEnd()) {
    const auto packet = reader->next();
    if (!packet) return false;
    if (packet->opcode == AEROGPU_CMD_PRESENT || packet->opcode == AEROGPU_CMD_PRESENT_EX) return true;
  }
  return false;
}
}  // namespace

std::unique_ptr<Capture> Capture::start(const std::string& path, const core::GuestMemory& guest,
                                        std::string& error) {
  auto writer = Writer::create(path, error);
  if (!writer) return nullptr;
  return std::unique_ptr<Capture>(new Capture(std::move(writer), guest));
}

void Capture::begin(const aerogpu_submission& submission) {
  if (!m_writer->inFrame()) m_writer->beginFrame();
  const std::span<const uint8_t> stream(static_cast<const uint8_t*>(submission.cmd), submission.cmd_size);
  const std::span<const uint8_t> table(static_cast<const uint8_t*>(submission.alloc_table),
                                       submission.alloc_table_size);
  m_record = {};
  m_record.version = 1;
  m_record.fixedSize = sizeof m_record;
  m_record.flags = submission.flags;
  m_record.context = submission.context_id;
  m_record.engine = submission.engine_id;
  m_record.fence = submission.signal_fence;
  m_record.commandBlob = m_writer->blob(BlobKind::CommandStream, stream);
  m_record.allocTableBlob = table.empty() ? 0 : m_writer->blob(BlobKind::AllocTable, table);
  m_present = holdsPresent(stream);
  m_ranges.clear();
}

void Capture::onGuestRead(uint32_t allocId, uint64_t gpa, uint64_t size) {
  m_bytes.resize(size);
  if (!m_guest.read(gpa, m_bytes.data(), size)) return;  // the command itself fails on the same bytes
  m_ranges.push_back({allocId, 0, gpa, size, m_writer->blob(BlobKind::AllocMemory, m_bytes)});
}

void Capture::end() {
  m_record.rangeCount = static_cast<uint32_t>(m_ranges.size());
  m_writer->submission(m_record, m_ranges);
  if (m_present) m_writer->present();
}

}  // namespace aerogpu::trace
