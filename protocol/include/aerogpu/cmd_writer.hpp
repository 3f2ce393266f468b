// SPDX-License-Identifier: MIT
// Builds a whole command stream in memory that grows: the guest program, tests, fuzzer seeds and benchmarks use it.
// Header-only, C++17, depends on the ABI headers alone. Not thread-safe.
#pragma once

#include <cstring>
#include <vector>

#include "packet_writer.hpp"

namespace aerogpu {

/// Builds one command stream, header included, in memory it owns.
class CommandWriter : public PacketAppender<CommandWriter> {
public:
  explicit CommandWriter(uint32_t abiVersion = AEROGPU_ABI_VERSION_U32) : m_abiVersion(abiVersion) { reset(); }

  /// Empties the stream; keeps the memory.
  void reset() {
    m_bytes.resize(sizeof(aerogpu_cmd_stream_header));
    aerogpu_cmd_stream_header header{};
    header.magic = AEROGPU_CMD_STREAM_MAGIC;
    header.abi_version = m_abiVersion;
    header.size_bytes = sizeof header;
    std::memcpy(m_bytes.data(), &header, sizeof header);
  }

  /// Appends bytes unchanged, for malformed streams in tests.
  void raw(const void* bytes, size_t count) {
    const auto* p = static_cast<const uint8_t*>(bytes);
    m_bytes.insert(m_bytes.end(), p, p + count);
    updateSize();
  }

  /// Returns the finished stream, header included. Valid until the next call of a non-const member.
  const uint8_t* data() const { return m_bytes.data(); }
  size_t size() const { return m_bytes.size(); }
  bool empty() const { return m_bytes.size() == sizeof(aerogpu_cmd_stream_header); }

private:
  friend class PacketAppender<CommandWriter>;

  uint8_t* reserve(size_t bytes) {
    if (bytes > UINT32_MAX) return nullptr;
    const size_t at = m_bytes.size();
    m_bytes.resize(at + bytes);
    updateSize();
    return m_bytes.data() + at;
  }
  void updateSize() {
    const uint32_t size = static_cast<uint32_t>(m_bytes.size());
    std::memcpy(m_bytes.data() + offsetof(aerogpu_cmd_stream_header, size_bytes), &size, sizeof size);
  }

  uint32_t m_abiVersion;
  std::vector<uint8_t> m_bytes;
};

}  // namespace aerogpu
