// SPDX-License-Identifier: MIT
#include "renderer/cmd/stream.h"

#include <cstring>

namespace aerogpu::cmd {

// AllocTable::load() and parseDxgi() begin alike: each names the fields of a header of its own.
Result<PacketReader> PacketReader::open(std::span<const uint8_t> bytes) {
  aerogpu_cmd_stream_header header;
  if (bytes.size() < sizeof header)
    return refused(ErrorCode::CmdDecode, "command buffer shorter than its header",
                   {{"bytes", bytes.size()}, {"limit", sizeof header}});
  std::memcpy(&header, bytes.data(), sizeof header);
  if (header.magic != AEROGPU_CMD_STREAM_MAGIC)
    return refused(ErrorCode::CmdDecode, "command stream has a wrong magic", {{"magic", header.magic}});
  if (header.abi_version >> 16 != AEROGPU_ABI_MAJOR)
    return refused(ErrorCode::CmdDecode, "command stream is of another major revision",
                   {{"abi_version", header.abi_version}, {"major", AEROGPU_ABI_MAJOR}});
  if (header.size_bytes < sizeof header || header.size_bytes % 4 != 0)
    return refused(ErrorCode::CmdDecode, "command stream has a bad size",
                   {{"size_bytes", header.size_bytes}});
  if (header.size_bytes > bytes.size())
    return refused(ErrorCode::CmdDecode, "command stream is longer than its command buffer",
                   {{"size_bytes", header.size_bytes}, {"limit", bytes.size()}});
  return PacketReader(bytes.first(header.size_bytes), header.abi_version & 0xFFFF);
}

Result<Packet> PacketReader::next() {
  const std::span<const uint8_t> rest = m_stream.subspan(m_offset);
  const uint32_t at = offset();
  aerogpu_cmd_hdr hdr;
  if (rest.size() < sizeof hdr) {
    m_offset = m_stream.size();
    return refused(ErrorCode::CmdDecode, "packet header is cut off",
                   {{"bytes", rest.size()}, {"limit", sizeof hdr}});
  }
  std::memcpy(&hdr, rest.data(), sizeof hdr);
  if (hdr.size_bytes < sizeof hdr || hdr.size_bytes % 4 != 0 || hdr.size_bytes > rest.size()) {
    m_offset = m_stream.size();
    return refused(ErrorCode::CmdDecode, "packet has a bad size; the rest of the stream is skipped",
                   {{"opcode", hdr.opcode}, {"size_bytes", hdr.size_bytes}, {"limit", rest.size()}});
  }
  m_offset += hdr.size_bytes;
  return Packet{hdr.opcode, at, m_minor, rest.first(hdr.size_bytes)};
}

}  // namespace aerogpu::cmd
