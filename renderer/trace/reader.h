// SPDX-License-Identifier: MIT
// Reads a trace file, container versions 1 and 2, record by record. The file is hostile: every length is
// checked against the existing bytes.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "renderer/trace/container.h"

namespace aerogpu::trace {

class Reader {
public:
  struct Record {
    RecordType type;
    std::span<const uint8_t> payload;
    uint64_t offset;                 ///< in the file
    std::span<const uint8_t> whole;  ///< with its header
  };

  /// Checks header, footer and table of contents. False and one line of explanation on an error. The bytes
  /// outlive the reader.
  bool open(std::span<const uint8_t> file, std::string& error);
  /// As open(), for a file that may lack its end: then it has the records that are whole, and no frames()
  /// (TRACE-20).
  bool openCut(std::span<const uint8_t> file, std::string& error);
  /// Reads the next record. False at the end, or with a non-empty `error` if the record is broken.
  bool next(Record& record, std::string& error);
  /// Returns the bytes before the first record.
  std::span<const uint8_t> head() const { return m_file.first(sizeof(Header) + m_header.metadata_length); }
  const std::string& metadata() const { return m_metadata; }
  uint32_t containerVersion() const { return m_header.container_version; }
  std::span<const TocEntry> frames() const { return m_frames; }
  /// Bytes of the file after its last whole record, of one that lacks its end; else 0.
  uint64_t lostBytes() const { return m_lost; }

private:
  /// Checks the header and takes the metadata.
  bool begin(std::span<const uint8_t> file, std::string& error);
  std::span<const uint8_t> m_file;
  Header m_header{};
  uint64_t m_at = 0, m_end = 0;  ///< of the records, bytes in the file
  uint64_t m_lost = 0;
  std::string m_metadata;
  std::vector<TocEntry> m_frames;
};

}  // namespace aerogpu::trace
