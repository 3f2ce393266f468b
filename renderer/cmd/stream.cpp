// SPDX-License-Identifier: MIT
#include "renderer/cmd/stream.h"

#include <cstring>

namespace aerogpu::cmd {

Result<PacketReader> PacketReader::open(std::span<const uint8_t> bytes) {
  aerogpu_cmd_stream_header header;
  if (bytes.size() < sizeof header)
    return Error{ErrorCode::CmdDecode, "command buffer shorter than its header"};
  std::memcpy(&header, bytes.data(), sizeof header);
  if (header.magic != AEROGPU_CMD_STREAM_MAGIC)
    return Error{ErrorCode::CmdDecode, "command stream has a wrong magic"};
  if (header.abi_version >> 16 != AEROGPU_ABI_MAJOR)
    return Error{ErrorCode::CmdDecode, "command stream is of another major revision"};
  if (header.size_bytes < sizeof header || header.size_bytes % 4 != 0)
    return Error{ErrorCode::CmdDecode, "command stream has a bad size"};
  if (header.size_bytes > bytes.size())
    return Error{ErrorCode::CmdDecode, "command stream is longer than its command buffer"};
  return PacketReader(bytes.first(header.size_bytes), header.abi_version & 0xFFFF);
}

Result<Packet> PacketReader::next() {
  const std::span<const uint8_t> rest = m_stream.subspan(m_offset);
  const uint32_t at = offset();
  aerogpu_cmd_hdr hdr;
  if (rest.size() < sizeof hdr) {
    m_offset = m_stream.size();
    return Error{ErrorCode::CmdDecode, "packet header is cut off"};
  }
  std::memcpy(&hdr, rest.data(), sizeof hdr);
  if (hdr.size_bytes < sizeof hdr || hdr.size_bytes % 4 != 0 || hdr.size_bytes > rest.size()) {
    m_offset = m_stream.size();
    return Error{ErrorCode::CmdDecode, "packet has a bad size; the rest of the stream is skipped"};
  }
  m_offset += hdr.size_bytes;
  return Packet{hdr.opcode, at, m_minor, rest.first(hdr.size_bytes)};
}

}  // namespace aerogpu::cmd
