// SPDX-License-Identifier: MIT
// Composes command streams (ABI page, "Command stream"): the guest program, tests, fuzzer seeds and benchmarks use
// it. Header-only, C++17, depends on the ABI headers alone. Not thread-safe.
#pragma once

#include <cstring>
#include <type_traits>
#include <vector>

#include "aerogpu_cmd_table.h"

namespace aerogpu {

/// Builds one command stream in memory it owns. A packet is appended by giving its filled structure; the writer
/// fills hdr. Handles and registers are not checked: tests compose invalid streams on purpose.
class CommandWriter {
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

  /// Appends a packet without variable data. `T` is an aerogpu_cmd_* structure with a `hdr` member.
  template <class T>
  void packet(uint32_t opcode, T fixed) {
    packetWithTail(opcode, fixed, nullptr, 0);
  }

  /// Appends a packet with `tailBytes` bytes of variable data, padded with zeros to a multiple of 4.
  template <class T>
  void packetWithTail(uint32_t opcode, T fixed, const void* tail, size_t tailBytes) {
    static_assert(std::is_trivially_copyable_v<T>);
    const size_t padded = (sizeof fixed + tailBytes + 3) & ~size_t{3};
    aerogpu_cmd_hdr* hdr = reinterpret_cast<aerogpu_cmd_hdr*>(&fixed);  // hdr is the first member of every packet
    hdr->opcode = opcode;
    hdr->size_bytes = static_cast<uint32_t>(padded);
    const size_t at = m_bytes.size();
    m_bytes.resize(at + padded);
    std::memcpy(m_bytes.data() + at, &fixed, sizeof fixed);
    if (tailBytes != 0) std::memcpy(m_bytes.data() + at + sizeof fixed, tail, tailBytes);
    updateSize();
  }

  /// Appends bytes as they are, for malformed streams in tests.
  void raw(const void* bytes, size_t count) {
    const auto* p = static_cast<const uint8_t*>(bytes);
    m_bytes.insert(m_bytes.end(), p, p + count);
    updateSize();
  }

  /// The finished stream, header included. Valid until the next call of a non-const member.
  const uint8_t* data() const { return m_bytes.data(); }
  size_t size() const { return m_bytes.size(); }
  bool empty() const { return m_bytes.size() == sizeof(aerogpu_cmd_stream_header); }

private:
  void updateSize() {
    const uint32_t size = static_cast<uint32_t>(m_bytes.size());
    std::memcpy(m_bytes.data() + offsetof(aerogpu_cmd_stream_header, size_bytes), &size, sizeof size);
  }

  uint32_t m_abiVersion;
  std::vector<uint8_t> m_bytes;
};

}  // namespace aerogpu
