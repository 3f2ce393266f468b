// SPDX-License-Identifier: MIT
// Writes a trace file, container version 2. One thread at a time.
#pragma once

#include <cstdint>
#include <cstdio>
#include <memory>
#include <span>
#include <string>
#include <vector>

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
  ~Writer();

  void beginFrame();
  void present();
  /// Call between frames: ends an open one, which then has no present.
  void deviceReset();
  /// Returns the id of a blob of the two parts' bytes.
  uint64_t blob(BlobKind kind, std::span<const uint8_t> bytes, std::span<const uint8_t> more = {});
  void unreadable(std::span<const UnreadableRange> ranges);
  void space(const SpaceRecord& space);
  void submission(const SubmissionRecord& record, std::span<const MemoryRange> ranges);
  /// Ends an open frame, writes table of contents and footer. False and a message if a write failed.
  bool finish(std::string& error);
  bool inFrame() const { return m_inFrame; }

private:
  explicit Writer(std::FILE* file, std::string path) : m_file(file), m_path(std::move(path)) {}
  void put(const void* bytes, size_t size);
  void record(RecordType type, std::span<const std::span<const uint8_t>> parts);
  void closeFrame();

  std::FILE* m_file;
  std::string m_path;
  uint64_t m_offset = 0;
  uint64_t m_nextBlob = 1;
  bool m_inFrame = false;
  bool m_failed = false;
  std::vector<TocEntry> m_frames;
};

}  // namespace aerogpu::trace
