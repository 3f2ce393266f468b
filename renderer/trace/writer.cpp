// SPDX-License-Identifier: MIT
#include "renderer/trace/writer.h"

#include <cerrno>
#include <cstring>

namespace aerogpu::trace {

namespace {
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

std::string metadataOf(const Origin& origin) {
  return R"({"emulator_version":"aerogpu )" AEROGPU_VERSION R"(","command_abi_version":"1.4")" +
         member("vm_name", origin.vmName) + member("vm_uuid", origin.vmUuid) +
         member("failure", origin.failure) + "}";
}
}  // namespace

std::unique_ptr<Writer> Writer::create(const std::string& path, const Origin& origin, std::string& error) {
  std::unique_ptr<Writer> writer(new Writer("'" + path + "'"));
  if (!writer->m_file.open(path.c_str(), metadataOf(origin))) {
    error = "cannot write '" + path + "': " + std::strerror(errno);
    return nullptr;
  }
  return writer;
}

std::unique_ptr<Writer> Writer::create(std::FILE* file, const std::string& path, const Origin& origin) {
  std::unique_ptr<Writer> writer(new Writer("'" + path + "'"));
  writer->m_file.open(file, metadataOf(origin));
  return writer;
}

std::unique_ptr<Writer> Writer::create(TraceFileWriter::Sink sink, void* opaque, const Origin& origin) {
  std::unique_ptr<Writer> writer(new Writer("the snapshot"));
  writer->m_file.open(sink, opaque, metadataOf(origin));
  return writer;
}

void Writer::record(RecordType type, std::span<const uint8_t> payload) {
  const std::span<const uint8_t> parts[] = {payload};
  m_file.record(static_cast<aerogpu_trace_record_type>(type), parts);
}

void Writer::present() {
  if (!inFrame()) beginFrame();
  m_file.present();
}

void Writer::deviceReset() {
  m_file.endFrame();
  record(RecordType::DeviceReset, {});
}

uint64_t Writer::blob(BlobKind kind, std::span<const uint8_t> bytes, std::span<const uint8_t> more) {
  return m_file.blob(static_cast<aerogpu_trace_blob_kind>(kind), bytes, more);
}

void Writer::unreadable(std::span<const UnreadableRange> ranges) {
  record(RecordType::UnreadableMemory, TraceFileWriter::bytesOfAll(ranges));
}

void Writer::space(const SpaceRecord& space) {
  record(RecordType::Space, TraceFileWriter::bytesOf(space));
}

void Writer::snapshot(const SnapshotRecord& what) {
  record(RecordType::Snapshot, TraceFileWriter::bytesOf(what));
}

void Writer::ahead(const AheadRecord& what) {
  record(RecordType::Ahead, TraceFileWriter::bytesOf(what));
}

void Writer::draws(const DrawsRecord& what) {
  record(RecordType::Draws, TraceFileWriter::bytesOf(what));
}

void Writer::load(const LoadRecord& what) {
  record(RecordType::Load, TraceFileWriter::bytesOf(what));
}

void Writer::snapshotEnd(const SnapshotEndRecord& what) {
  record(RecordType::SnapshotEnd, TraceFileWriter::bytesOf(what));
}

bool Writer::finish(std::string& error) {
  if (m_file.finish()) return true;
  error = "writing " + m_path + " failed: " + std::strerror(errno);
  return false;
}

}  // namespace aerogpu::trace
