// SPDX-License-Identifier: MIT
#include "renderer/trace/writer.h"

#include <cerrno>
#include <cstring>

#include "aerogpu/aerogpu_base.h"

namespace aerogpu::trace {

namespace {
template <class T>
std::span<const uint8_t> bytesOf(const T& value) {
  return {reinterpret_cast<const uint8_t*>(&value), sizeof value};
}

/// Returns `,"name":"text"` as JSON; nothing for an empty text.
std::string member(const char* name, const std::string& text) {
  if (text.empty()) return "";
  std::string out = std::string(",\"") + name + "\":\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
  }
  return out + "\"";
}
}  // namespace

std::unique_ptr<Writer> Writer::create(const std::string& path, const Origin& origin, std::string& error) {
  std::FILE* file = std::fopen(path.c_str(), "wb");
  if (!file) {
    error = "cannot write '" + path + "': " + std::strerror(errno);
    return nullptr;
  }
  std::unique_ptr<Writer> writer(new Writer(file, path));
  const std::string metadata = R"({"emulator_version":"aerogpu )" AEROGPU_VERSION
                               R"(","command_abi_version":"1.4")" +
                               member("vm_name", origin.vmName) + member("vm_uuid", origin.vmUuid) +
                               member("failure", origin.failure) + "}";
  Header header{};
  std::memcpy(header.magic, AEROGPU_TRACE_HEADER_MAGIC, sizeof header.magic);
  header.header_size = sizeof header;
  header.container_version = AEROGPU_TRACE_CONTAINER_VERSION;
  header.abi_version = AEROGPU_ABI_VERSION_U32;
  header.metadata_length = static_cast<uint32_t>(metadata.size());
  writer->put(&header, sizeof header);
  writer->put(metadata.data(), metadata.size());
  return writer;
}

Writer::~Writer() {
  if (m_file) std::fclose(m_file);
}

void Writer::put(const void* bytes, size_t size) {
  if (size != 0 && !m_failed && std::fwrite(bytes, 1, size, m_file) != size) m_failed = true;
  m_offset += size;
}

void Writer::record(RecordType type, std::span<const std::span<const uint8_t>> parts) {
  uint64_t length = 0;
  for (const auto part : parts) length += part.size();
  if (length > UINT32_MAX) {  // no record can be longer; the caps on submissions are lower
    m_failed = true;
    return;
  }
  const RecordHeader header{static_cast<uint8_t>(type), 0, 0, static_cast<uint32_t>(length)};
  put(&header, sizeof header);
  for (const auto part : parts) put(part.data(), part.size());
}

void Writer::beginFrame() {
  closeFrame();
  const auto index = static_cast<uint32_t>(m_frames.size());
  m_frames.push_back({index, 0, m_offset, 0, 0});
  const std::span<const uint8_t> parts[] = {bytesOf(index)};
  record(RecordType::BeginFrame, parts);
  m_inFrame = true;
}

void Writer::present() {
  if (!m_inFrame) beginFrame();
  TocEntry& frame = m_frames.back();
  frame.present = m_offset;
  const uint32_t index = frame.index;
  const std::span<const uint8_t> parts[] = {bytesOf(index)};
  record(RecordType::Present, parts);
  closeFrame();
}

void Writer::closeFrame() {
  if (m_inFrame) m_frames.back().end = m_offset;
  m_inFrame = false;
}

void Writer::deviceReset() {
  closeFrame();
  record(RecordType::DeviceReset, {});
}

uint64_t Writer::blob(BlobKind kind, std::span<const uint8_t> bytes, std::span<const uint8_t> more) {
  const BlobHeader header{m_nextBlob++, static_cast<uint32_t>(kind), 0};
  const std::span<const uint8_t> parts[] = {bytesOf(header), bytes, more};
  record(RecordType::Blob, parts);
  return header.id;
}

void Writer::unreadable(std::span<const UnreadableRange> ranges) {
  const std::span<const uint8_t> parts[] = {
      {reinterpret_cast<const uint8_t*>(ranges.data()), ranges.size_bytes()}};
  record(RecordType::UnreadableMemory, parts);
}

void Writer::space(const SpaceRecord& space) {
  const std::span<const uint8_t> parts[] = {bytesOf(space)};
  record(RecordType::Space, parts);
}

void Writer::submission(const SubmissionRecord& submission, std::span<const MemoryRange> ranges) {
  const std::span<const uint8_t> parts[] = {
      bytesOf(submission), {reinterpret_cast<const uint8_t*>(ranges.data()), ranges.size_bytes()}};
  record(RecordType::Submission, parts);
}

bool Writer::finish(std::string& error) {
  closeFrame();
  const uint64_t tocOffset = m_offset;
  TocHeader toc{};
  std::memcpy(toc.magic, AEROGPU_TRACE_TOC_MAGIC, sizeof toc.magic);
  toc.version = AEROGPU_TRACE_TOC_VERSION;
  toc.frame_count = static_cast<uint32_t>(m_frames.size());
  put(&toc, sizeof toc);
  put(m_frames.data(), m_frames.size() * sizeof(TocEntry));
  Footer footer{};
  std::memcpy(footer.magic, AEROGPU_TRACE_FOOTER_MAGIC, sizeof footer.magic);
  footer.footer_size = sizeof footer;
  footer.container_version = AEROGPU_TRACE_CONTAINER_VERSION;
  footer.toc_offset = tocOffset;
  footer.toc_length = m_offset - tocOffset;
  put(&footer, sizeof footer);
  if (std::fclose(m_file) != 0) m_failed = true;
  m_file = nullptr;
  if (m_failed) error = "writing '" + m_path + "' failed: " + std::strerror(errno);
  return !m_failed;
}

}  // namespace aerogpu::trace
