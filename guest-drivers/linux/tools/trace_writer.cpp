// SPDX-License-Identifier: MIT
#include "tools/trace_writer.h"

#include <cstring>

#include "aerogpu/aerogpu_base.h"

namespace aerogpu::guest {

namespace {

constexpr uint32_t kContainerVersion = 2;
constexpr uint8_t kBeginFrame = 1, kPresent = 2, kBlob = 4, kSubmission = 5;
constexpr uint32_t kCommandStream = 0x100, kAllocTable = 0x101, kAllocMemory = 0x102;

#pragma pack(push, 1)
struct Header {
  char magic[8];
  uint32_t headerSize, containerVersion, abiVersion, flags, metadataLength, reserved;
};
struct Footer {
  char magic[8];
  uint32_t footerSize, containerVersion;
  uint64_t tocOffset, tocLength;
};
struct RecordHeader {
  uint8_t type, flags;
  uint16_t reserved;
  uint32_t payloadLength;
};
struct BlobHeader {
  uint64_t id;
  uint32_t kind, reserved;
};
struct SubmissionHeader {
  uint32_t version, fixedSize, flags, context, engine, reserved0;
  uint64_t fence, commandBlob, tableBlob;
  uint32_t rangeCount, reserved1;
};
struct Range {
  uint32_t allocId, flags;
  uint64_t address, size, blob;
};
struct TocHeader {
  char magic[8];
  uint32_t version, frames;
};
#pragma pack(pop)
static_assert(sizeof(Header) == 32 && sizeof(Footer) == 32 && sizeof(SubmissionHeader) == 56);

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
  const RecordHeader header{type, 0, 0, static_cast<uint32_t>(length)};
  put(&header, sizeof header);
  for (const auto part : parts) put(part.data(), part.size());
}

Status TraceWriter::open(const char* path) {
  m_file = std::fopen(path, "wb");
  if (!m_file) return Status::systemFailure("cannot write %s", path);
  const char metadata[] = R"({"emulator_version":"aerogpu-demo-trace","command_abi_version":"1.4"})";
  const Header header{{'A', 'E', 'R', 'O', 'G', 'P', 'U', 'T'},
                      sizeof(Header),
                      kContainerVersion,
                      AEROGPU_ABI_VERSION_U32,
                      0,
                      sizeof metadata - 1,
                      0};
  put(&header, sizeof header);
  put(metadata, sizeof metadata - 1);
  return {};
}

void TraceWriter::beginFrame() {
  const auto index = static_cast<uint32_t>(m_frames.size());
  m_frames.push_back({index, 0, m_offset, 0, 0});
  const std::span<const uint8_t> parts[] = {bytesOf(index)};
  record(kBeginFrame, parts);
}

uint64_t TraceWriter::blob(uint32_t kind, std::span<const uint8_t> bytes) {
  const BlobHeader header{m_nextBlob++, kind, 0};
  const std::span<const uint8_t> parts[] = {bytesOf(header), bytes};
  record(kBlob, parts);
  return header.id;
}

void TraceWriter::memory(uint32_t allocId, std::span<const uint8_t> bytes) {
  m_memory.push_back({allocId, blob(kAllocMemory, bytes)});
}

void TraceWriter::submission(std::span<const uint8_t> commands, const AllocTable& table, uint64_t fence) {
  SubmissionHeader header{1, sizeof(SubmissionHeader), 0, 0, 0, 0, fence, 0, 0, 0, 0};
  header.commandBlob = blob(kCommandStream, commands);
  std::vector<uint8_t> tableBytes(table.sizeBytes());
  table.write(tableBytes.data());
  if (!tableBytes.empty()) header.tableBlob = blob(kAllocTable, tableBytes);
  std::vector<Range> ranges;
  for (const aerogpu_alloc_entry& entry : table.entries())
    for (const MemoryBlob& known : m_memory)
      if (known.allocId == entry.alloc_id)
        ranges.push_back({entry.alloc_id, entry.flags, entry.gpa, entry.size_bytes, known.blob});
  header.rangeCount = static_cast<uint32_t>(ranges.size());
  const std::span<const uint8_t> parts[] = {
      bytesOf(header), {reinterpret_cast<const uint8_t*>(ranges.data()), ranges.size() * sizeof(Range)}};
  record(kSubmission, parts);
  // The bytes do not change after the first submission; the reader keeps what it has.
  m_memory.clear();
}

void TraceWriter::present() {
  if (m_frames.empty()) return;
  m_frames.back().present = m_offset;
  const std::span<const uint8_t> parts[] = {bytesOf(m_frames.back().index)};
  record(kPresent, parts);
  m_frames.back().end = m_offset;
}

Status TraceWriter::finish() {
  const uint64_t tocOffset = m_offset;
  const TocHeader toc{{'A', 'E', 'R', 'O', 'T', 'O', 'C', 0}, 1, static_cast<uint32_t>(m_frames.size())};
  put(&toc, sizeof toc);
  put(m_frames.data(), m_frames.size() * sizeof(Frame));
  const Footer footer{{'A', 'E', 'R', 'O', 'G', 'P', 'U', 'F'},
                      sizeof(Footer),
                      kContainerVersion,
                      tocOffset,
                      m_offset - tocOffset};
  put(&footer, sizeof footer);
  if (std::fclose(m_file) != 0) m_failed = true;
  m_file = nullptr;
  return m_failed ? Status::systemFailure("writing the trace failed") : Status();
}

}  // namespace aerogpu::guest
