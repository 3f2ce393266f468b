// SPDX-License-Identifier: MIT
// Writes trace files, container version 2, record by record. docs/abi/trace.md, "Container". Header-only, C++20,
// depends on the ABI headers alone. Not thread-safe.
#pragma once

#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <span>
#include <string_view>
#include <vector>

#include "aerogpu_base.h"
#include "aerogpu_trace.h"

namespace aerogpu {

class TraceFileWriter {
public:
  using Bytes = std::span<const uint8_t>;

  TraceFileWriter() = default;
  TraceFileWriter(const TraceFileWriter&) = delete;
  TraceFileWriter& operator=(const TraceFileWriter&) = delete;
  ~TraceFileWriter() {
    if (m_file) std::fclose(m_file);
  }

  /// Takes the file's bytes, in their order. False if it cannot.
  using Sink = bool (*)(void* opaque, const void* bytes, size_t size);

  /// Creates the file, before all other calls. `metadata`: JSON. False, with errno, when the file cannot be created.
  bool open(const char* path, std::string_view metadata) {
    std::FILE* file = std::fopen(path, "wb");
    if (file) open(file, metadata);
    return file != nullptr;
  }
  /// Writes to a file that is open and empty, and is closed by finish().
  void open(std::FILE* file, std::string_view metadata) {
    m_file = file;
    begin(metadata);
  }
  /// Gives the bytes to `sink` in place of a file.
  void open(Sink sink, void* opaque, std::string_view metadata) {
    m_sink = sink;
    m_opaque = opaque;
    begin(metadata);
  }

  /// True if something since open() could not be written.
  bool failed() const { return m_error != 0; }
  bool inFrame() const { return m_inFrame; }
  /// Begins a frame. Ends the previous frame first if that has no present.
  void beginFrame() {
    endFrame();
    const auto index = static_cast<uint32_t>(m_frames.size());
    m_frames.push_back({index, 0, m_offset, 0, 0});
    const Bytes parts[] = {bytesOf(index)};
    record(AEROGPU_TRACE_RECORD_BEGIN_FRAME, parts);
    m_inFrame = true;
  }
  /// Writes the present of the current frame, and ends the frame.
  void present() {
    aerogpu_trace_toc_entry& frame = m_frames.back();
    frame.present = m_offset;
    const uint32_t index = frame.index;
    const Bytes parts[] = {bytesOf(index)};
    record(AEROGPU_TRACE_RECORD_PRESENT, parts);
    endFrame();
  }
  void endFrame() {
    if (m_inFrame) m_frames.back().end = m_offset;
    m_inFrame = false;
  }

  /// Writes a record whose payload is `parts`, one after the other.
  void record(aerogpu_trace_record_type type, std::span<const Bytes> parts) {
    uint64_t length = 0;
    for (const Bytes part : parts) length += part.size();
    if (length > UINT32_MAX) {  // a record cannot be longer; the caps on submissions keep below that
      fail(EFBIG);
      return;
    }
    const aerogpu_trace_record header{static_cast<uint8_t>(type), 0, 0, static_cast<uint32_t>(length)};
    put(&header, sizeof header);
    for (const Bytes part : parts) put(part.data(), part.size());
  }
  /// Writes a blob of the bytes of both parts, and returns its id.
  uint64_t blob(aerogpu_trace_blob_kind kind, Bytes bytes, Bytes more = {}) {
    const aerogpu_trace_blob header{m_nextBlob++, static_cast<uint32_t>(kind), 0};
    const Bytes parts[] = {bytesOf(header), bytes, more};
    record(AEROGPU_TRACE_RECORD_BLOB, parts);
    return header.id;
  }
  void submission(const aerogpu_trace_submission& submission, std::span<const aerogpu_trace_memory_range> ranges) {
    const Bytes parts[] = {bytesOf(submission), bytesOfAll(ranges)};
    record(AEROGPU_TRACE_RECORD_SUBMISSION, parts);
    // What has been written stays if the program dies.
    if (m_file && std::fflush(m_file) != 0) fail(errno);
  }

  /// Ends an open frame, writes table of contents and footer, and closes the file. False, with errno, if anything
  /// since open() could not be written.
  bool finish() {
    endFrame();
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
    if (m_file && std::fclose(m_file) != 0) fail(errno);
    m_file = nullptr;
    if (m_error != 0) errno = m_error;
    return m_error == 0;
  }

  template <class T>
  static Bytes bytesOf(const T& value) {
    return {reinterpret_cast<const uint8_t*>(&value), sizeof value};
  }
  template <class T>
  static Bytes bytesOfAll(std::span<const T> values) {
    return {reinterpret_cast<const uint8_t*>(values.data()), values.size_bytes()};
  }

private:
  void begin(std::string_view metadata) {
    aerogpu_trace_header header{};
    std::memcpy(header.magic, AEROGPU_TRACE_HEADER_MAGIC, sizeof header.magic);
    header.header_size = sizeof header;
    header.container_version = AEROGPU_TRACE_CONTAINER_VERSION;
    header.abi_version = AEROGPU_ABI_VERSION_U32;
    header.metadata_length = static_cast<uint32_t>(metadata.size());
    put(&header, sizeof header);
    put(metadata.data(), metadata.size());
  }

  void put(const void* bytes, size_t size) {
    if (size != 0 && m_error == 0 &&
        !(m_sink ? m_sink(m_opaque, bytes, size) : std::fwrite(bytes, 1, size, m_file) == size))
      fail(m_sink ? EIO : errno);
    m_offset += size;
  }
  /// The first reason stays.
  void fail(int error) {
    if (m_error == 0) m_error = error != 0 ? error : EIO;
  }

  std::FILE* m_file = nullptr;
  Sink m_sink = nullptr;  ///< in place of m_file
  void* m_opaque = nullptr;
  uint64_t m_offset = 0;
  uint64_t m_nextBlob = 1;
  bool m_inFrame = false;
  int m_error = 0;  ///< errno of the first failure
  std::vector<aerogpu_trace_toc_entry> m_frames;
};

}  // namespace aerogpu
