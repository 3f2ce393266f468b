// SPDX-License-Identifier: MIT
#include "renderer/trace/reader.h"

#include <cstring>

#include "aerogpu/aerogpu_base.h"

namespace aerogpu::trace {

bool Reader::begin(std::span<const uint8_t> file, std::string& error) {
  const auto fail = [&error](std::string text) {
    error = std::move(text);
    return false;
  };
  m_file = file;
  if (file.size() < sizeof m_header) return fail("cut short: no room for a trace header");
  std::memcpy(&m_header, file.data(), sizeof m_header);
  if (std::memcmp(m_header.magic, AEROGPU_TRACE_HEADER_MAGIC, sizeof m_header.magic) != 0)
    return fail("not a trace file (wrong magic)");
  if (m_header.container_version == 0 || m_header.container_version > AEROGPU_TRACE_CONTAINER_VERSION)
    return fail("container version " + std::to_string(m_header.container_version) +
                " is not known (1 and 2 are)");
  if (m_header.header_size != sizeof m_header) return fail("header has a wrong size");
  if (m_header.abi_version >> 16 != AEROGPU_ABI_MAJOR)
    return fail("made for another major ABI revision, " + std::to_string(m_header.abi_version >> 16));
  if (file.size() - sizeof(Header) < m_header.metadata_length)
    return fail("cut short: the footer is missing");
  m_metadata.assign(reinterpret_cast<const char*>(file.data()) + sizeof(Header), m_header.metadata_length);
  m_at = sizeof(Header) + m_header.metadata_length;
  return true;
}

bool Reader::open(std::span<const uint8_t> file, std::string& error) {
  if (!begin(file, error)) return false;
  const auto fail = [&error](std::string text) {
    error = std::move(text);
    return false;
  };
  if (file.size() - m_at < sizeof(Footer)) return fail("cut short: the footer is missing");
  Footer footer;
  std::memcpy(&footer, file.data() + file.size() - sizeof footer, sizeof footer);
  if (std::memcmp(footer.magic, AEROGPU_TRACE_FOOTER_MAGIC, sizeof footer.magic) != 0)
    return fail("cut short: the footer is missing");
  if (footer.footer_size != sizeof footer || footer.container_version != m_header.container_version)
    return fail("footer does not fit the header");
  const uint64_t tocEnd = file.size() - sizeof footer;
  if (footer.toc_offset < m_at || footer.toc_offset > tocEnd ||
      footer.toc_length > tocEnd - footer.toc_offset)
    return fail("table of contents lies outside the file");
  m_end = footer.toc_offset;
  TocHeader toc;
  if (footer.toc_length < sizeof toc) return fail("table of contents is cut short");
  std::memcpy(&toc, file.data() + footer.toc_offset, sizeof toc);
  if (std::memcmp(toc.magic, AEROGPU_TRACE_TOC_MAGIC, sizeof toc.magic) != 0 ||
      toc.version != AEROGPU_TRACE_TOC_VERSION)
    return fail("table of contents is not known (wrong magic or version)");
  if (toc.frame_count > (footer.toc_length - sizeof toc) / sizeof(TocEntry))
    return fail("table of contents is cut short");
  m_frames.resize(toc.frame_count);
  if (toc.frame_count != 0)
    std::memcpy(m_frames.data(), file.data() + footer.toc_offset + sizeof toc,
                toc.frame_count * sizeof(TocEntry));
  return true;
}

bool Reader::openCut(std::span<const uint8_t> file, std::string& error) {
  if (open(file, error)) return true;
  if (!begin(file, error)) return false;
  const uint64_t first = m_at;
  m_end = file.size();
  Record record;
  std::string where;
  while (next(record, where)) {
  }
  m_end = m_at;
  m_lost = file.size() - m_end;
  m_at = first;
  m_frames.clear();
  error.clear();
  return true;
}

bool Reader::next(Record& record, std::string& error) {
  if (m_at == m_end) return false;
  RecordHeader header;
  const uint64_t left = m_end - m_at;
  if (left < sizeof header) {
    error = "record at byte " + std::to_string(m_at) + " is cut short";
    return false;
  }
  std::memcpy(&header, m_file.data() + m_at, sizeof header);
  if (header.payload_length > left - sizeof header) {
    error = "record at byte " + std::to_string(m_at) + " reaches past the records";
    return false;
  }
  record = {static_cast<RecordType>(header.type), m_file.subspan(m_at + sizeof header, header.payload_length),
            m_at, m_file.subspan(m_at, sizeof header + header.payload_length)};
  m_at += sizeof header + header.payload_length;
  return true;
}

}  // namespace aerogpu::trace
