// SPDX-License-Identifier: MIT
#include "guest-drivers/linux/tools/trace_writer.h"

#include <cstring>

#include "aerogpu/aerogpu_base.h"

namespace aerogpu::guest {

namespace {

template <class T>
std::span<const uint8_t> bytesOf(const T& value) {
  return {reinterpret_cast<const uint8_t*>(&value), sizeof value};
}

}  // namespace

TraceWriter::~TraceWriter() {
  if (m_file) std::fclose(m_file);
}

void TraceWriter::put(const void* bytes, size_t size) {
  if (size && std::fwrite(bytes, 1, size, m_file) != size) m_failed = true;
  m_offset += size;
}

void TraceWriter::record(uint8_t type, std::span<const std::span<const uint8_t>> parts) {
  uint64_t length = 0;
  for (const auto part : parts) length += part.size();
  if (length > UINT32_MAX) {
    m_failed = true;
    return;
  }
  const aerogpu_trace_record header{type, 0, 0, static_cast<uint32_t>(length)};
  put(&header, sizeof header);
  for (const auto part : parts) put(part.data(), part.size());
}

Status TraceWriter::open(const char* path) {
  m_file = std::fopen(path, "wb");
  if (!m_file) return Status::systemFailure("cannot write %s", path);
  const char metadata[] = R"({"emulator_version":"aerogpu-demo-trace","command_abi_version":"1.4"})";
  aerogpu_trace_header header{};
  std::memcpy(header.magic, AEROGPU_TRACE_HEADER_MAGIC, sizeof header.magic);
  header.header_size = sizeof header;
  header.container_version = AEROGPU_TRACE_CONTAINER_VERSION;
  header.abi_version = AEROGPU_ABI_VERSION_U32;
  header.metadata_length = sizeof metadata - 1;
  put(&header, sizeof header);
  put(metadata, sizeof metadata - 1);
  return {};
}

void TraceWriter::beginFrame() {
  const auto index = static_cast<uint32_t>(m_frames.size());
  m_frames.push_back({index, 0, m_offset, 0, 0});
  const std::span<const uint8_t> parts[] = {bytesOf(index)};
  record(AEROGPU_TRACE_RECORD_BEGIN_FRAME, parts);
}

uint64_t TraceWriter::blob(uint32_t kind, std::span<const uint8_t> bytes) {
  const aerogpu_trace_blob header{m_nextBlob++, kind, 0};
  const std::span<const uint8_t> parts[] = {bytesOf(header), bytes};
  record(AEROGPU_TRACE_RECORD_BLOB, parts);
  return header.id;
}

void TraceWriter::memory(uint32_t allocId, std::span<const uint8_t> bytes) {
  m_memory.push_back({allocId, blob(AEROGPU_TRACE_BLOB_ALLOC_MEMORY, bytes)});
}

void TraceWriter::submission(std::span<const uint8_t> commands, const AllocTable& table, uint64_t fence) {
  aerogpu_trace_submission header{};
  header.version = AEROGPU_TRACE_SUBMISSION_VERSION;
  header.fixed_size = sizeof header;
  header.signal_fence = fence;
  header.command_blob = blob(AEROGPU_TRACE_BLOB_COMMAND_STREAM, commands);
  std::vector<uint8_t> tableBytes(table.sizeBytes());
  table.write(tableBytes.data());
  if (!tableBytes.empty()) header.alloc_table_blob = blob(AEROGPU_TRACE_BLOB_ALLOC_TABLE, tableBytes);
  std::vector<aerogpu_trace_memory_range> ranges;
  for (const aerogpu_alloc_entry& entry : table.entries())
    for (const MemoryBlob& known : m_memory)
      if (known.allocId == entry.alloc_id)
        ranges.push_back({entry.alloc_id, entry.flags, entry.gpa, entry.size_bytes, known.blob});
  header.range_count = static_cast<uint32_t>(ranges.size());
  const std::span<const uint8_t> parts[] = {
      bytesOf(header),
      {reinterpret_cast<const uint8_t*>(ranges.data()), ranges.size() * sizeof(aerogpu_trace_memory_range)}};
  record(AEROGPU_TRACE_RECORD_SUBMISSION, parts);
  // The bytes do not change after the first submission; the reader keeps what it has.
  m_memory.clear();
}

void TraceWriter::present() {
  if (m_frames.empty()) return;
  m_frames.back().present = m_offset;
  const std::span<const uint8_t> parts[] = {bytesOf(m_frames.back().index)};
  record(AEROGPU_TRACE_RECORD_PRESENT, parts);
  m_frames.back().end = m_offset;
}

Status TraceWriter::finish() {
  const uint64_t tocOffset = m_offset;
  aerogpu_trace_toc_header toc{};
  std::memcpy(toc.magic, AEROGPU_TRACE_TOC_MAGIC, sizeof toc.magic);
  toc.version = AEROGPU_TRACE_TOC_VERSION;
  toc.frame_count = static_cast<uint32_t>(m_frames.size());
  put(&toc, sizeof toc);
  put(m_frames.data(), m_frames.size() * sizeof(aerogpu_trace_toc_entry));
  aerogpu_trace_footer footer{};
  std::memcpy(footer.magic, AEROGPU_TRACE_FOOTER_MAGIC, sizeof footer.magic);
  footer.footer_size = sizeof footer;
  footer.container_version = AEROGPU_TRACE_CONTAINER_VERSION;
  footer.toc_offset = tocOffset;
  footer.toc_length = m_offset - tocOffset;
  put(&footer, sizeof footer);
  if (std::fclose(m_file) != 0) m_failed = true;
  m_file = nullptr;
  return m_failed ? Status::systemFailure("writing the trace failed") : Status();
}

}  // namespace aerogpu::guest
