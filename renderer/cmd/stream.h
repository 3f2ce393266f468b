// SPDX-License-Identifier: MIT
// Framing of a command stream: header and packets. CMD-1 to CMD-3. Works on the renderer's private copy.
#pragma once

#include <cstdint>
#include <span>

#include "aerogpu/aerogpu_cmd.h"
#include "renderer/base/result.h"

namespace aerogpu::cmd {

/// One packet: its bytes (header included, a multiple of 4, at least 8) and its offset in the stream.
struct Packet {
  uint32_t opcode = 0;
  uint32_t offset = 0;       ///< bytes from the start of the stream
  uint32_t streamMinor = 0;  ///< minor revision that the stream was written for
  std::span<const uint8_t> bytes;
};

/// Walks the packets of one stream. Always advances; never reads outside the stream.
class PacketReader {
public:
  /// Checks the stream header: magic, major revision, size (at least the header, a multiple of 4, at most
  /// `bytes`).
  static Result<PacketReader> open(std::span<const uint8_t> bytes);

  /// Returns the next packet; `atEnd()` is true if there is none. Broken framing is an error, after which the
  /// stream is over.
  Result<Packet> next();
  bool atEnd() const { return m_offset == m_stream.size(); }
  uint32_t offset() const { return static_cast<uint32_t>(m_offset); }
  uint32_t minor() const { return m_minor; }
  uint64_t sizeBytes() const { return m_stream.size(); }

private:
  PacketReader(std::span<const uint8_t> stream, uint32_t minor)
      : m_stream(stream), m_minor(minor), m_offset(sizeof(aerogpu_cmd_stream_header)) {}

  std::span<const uint8_t> m_stream;
  uint32_t m_minor;
  size_t m_offset;
};

}  // namespace aerogpu::cmd
