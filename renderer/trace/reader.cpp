// SPDX-License-Identifier: MIT
#include "renderer/trace/reader.h"

#include <cstring>

#include "aerogpu/aerogpu_base.h"

namespace aerogpu::trace {

bool Reader::open(std::span<const uint8_t> file, std::string& error) {
  const auto fail = [&error](std::string text) {
    error = std::move(text);
    return false;
  };
  m_file = file;
  if (file.size() < sizeof m_header) return fail("cut short: no room for a trace header");
  std::memcpy(&m_header, file.data(), sizeof m_header);
  if (std::memcmp(m_header.magic, kHeaderMagic, sizeof kHeaderMagic) != 0)
    return fail("not a trace file (wrong magic)");
  if (m_header.containerVersion == 0 || m_header.containerVersion > kContainerVersion)
    return fail("container version " + std::to_string(m_header.containerVersion) +
                " is not known (1 and 2 are)");
  if (m_header.headerSize != sizeof m_header) return fail("header has a wrong size");
  if (m_header.abiVersion >> 16 != AEROGPU_ABI_MAJOR)
    return fail("made for another major ABI revision, " + std::to_string(m_header.abiVersion >> 16));
  if (file.size() < sizeof(Header) + sizeof(Footer) + uint64_t{m_header.metadataLength})
    return fail("cut short: the footer is missing");
  m_metadata.assign(reinterpret_cast<const char*>(file.data()) + sizeof(Header), m_header.metadataLength);

  Footer footer;
  std::memcpy(&footer, file.data() + file.size() - sizeof footer, sizeof footer);
  if (std::memcmp(footer.magic, kFooterMagic, sizeof kFooterMagic) != 0)
    return fail("cut short: the footer is missing");
  if (footer.footerSize != sizeof footer || footer.containerVersion != m_header.containerVersion)
    return fail("footer does not fit the header");
  m_at = sizeof(Header) + m_header.metadataLength;
  const uint64_t tocEnd = file.size() - sizeof footer;
  if (footer.tocOffset < m_at || footer.tocOffset > tocEnd || footer.tocLength > tocEnd - footer.tocOffset)
    return fail("table of contents lies outside the file");
  m_end = footer.tocOffset;
  TocHeader toc;
  if (footer.tocLength < sizeof toc) return fail("table of contents is cut short");
  std::memcpy(&toc, file.data() + footer.tocOffset, sizeof toc);
  if (std::memcmp(toc.magic, kTocMagic, sizeof kTocMagic) != 0 || toc.version != 1)
    return fail("table of contents is not known (wrong magic or version)");
  if (toc.frameCount > (footer.tocLength - sizeof toc) / sizeof(TocEntry))
    return fail("table of contents is cut short");
  m_frames.resize(toc.frameCount);
  if (toc.frameCount != 0)
    std::memcpy(m_frames.data(), file.data() + footer.tocOffset + sizeof toc,
                toc.frameCount * sizeof(TocEntry));
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
  if (header.payloadLength > left - sizeof header) {
    error = "record at byte " + std::to_string(m_at) + " reaches past the records";
    return false;
  }
  record = {static_cast<RecordType>(header.type), m_file.subspan(m_at + sizeof header, header.payloadLength),
            m_at};
  m_at += sizeof header + header.payloadLength;
  return true;
}

}  // namespace aerogpu::trace
