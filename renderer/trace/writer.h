// SPDX-License-Identifier: MIT
// Writes what the renderer captures as a trace file (container: aerogpu/trace_writer.hpp). One thread at a
// time.
#pragma once

#include <cstdint>
#include <cstdio>
#include <memory>
#include <span>
#include <string>
#include <utility>

#include "aerogpu/trace_writer.hpp"
#include "renderer/trace/container.h"

namespace aerogpu::trace {

/// Metadata about the origin of a trace; UTF-8. Empty parts are omitted.
struct Origin {
  std::string vmName, vmUuid;
  std::string failure;  ///< why the newest submissions were written (recent.h)
};

class Writer {
public:
  /// Returns null and a message if the file cannot be created.
  static std::unique_ptr<Writer> create(const std::string& path, const Origin& origin, std::string& error);

  /// Writes to `file`, which it owns then; `path` is for people.
  static std::unique_ptr<Writer> create(std::FILE* file, const std::string& path, const Origin& origin);

  /// Gives the bytes to `sink` in place of a file.
  static std::unique_ptr<Writer> create(TraceFileWriter::Sink sink, void* opaque, const Origin& origin);

  void beginFrame() { m_file.beginFrame(); }
  void present();
  /// Call between frames: ends an open one, which then has no present.
  void deviceReset();
  /// Returns the id of a blob of the two parts' bytes.
  uint64_t blob(BlobKind kind, std::span<const uint8_t> bytes, std::span<const uint8_t> more = {});
  void unreadable(std::span<const UnreadableRange> ranges);
  void space(const SpaceRecord& space);
  void submission(const SubmissionRecord& record, std::span<const MemoryRange> ranges) {
    m_file.submission(record, ranges);
  }
  void snapshot(const SnapshotRecord& record);
  void ahead(const AheadRecord& record);
  void draws(const DrawsRecord& record);
  void load(const LoadRecord& record);
  void snapshotEnd(const SnapshotEndRecord& record);
  bool failed() const { return m_file.failed(); }
  /// Ends an open frame, writes table of contents and footer. False and a message if a write failed.
  bool finish(std::string& error);
  bool inFrame() const { return m_file.inFrame(); }

private:
  explicit Writer(std::string path) : m_path(std::move(path)) {}
  void record(RecordType type, std::span<const uint8_t> payload);

  const std::string m_path;  ///< for people
  TraceFileWriter m_file;
};

}  // namespace aerogpu::trace
