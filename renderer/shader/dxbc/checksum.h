// SPDX-License-Identifier: MIT
// The checksum of DXBC containers. Header only, for those too that do not link the shader library.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

#include "renderer/shader/dxbc/md5_block.h"

namespace aerogpu::shader {

/// Computes the checksum that the container should have (bytes 4..19). `bytes` is a whole container of at
/// least 20 bytes. It is MD5's block function over the bytes after the checksum, with a different ending: the
/// first word of the last block is the number of bits, and its last word is (bits / 4) | 1, instead of a
/// 64-bit length.
inline void dxbcChecksum(std::span<const uint8_t> bytes, uint8_t (&digest)[16]) {
  constexpr size_t kHashedFrom = 20;  // magic and checksum are not hashed
  const auto data = bytes.subspan(std::min(kHashedFrom, bytes.size()));
  Md5State state;
  size_t at = 0;
  for (; data.size() - at >= 64; at += 64) md5Block(state, data.data() + at);
  const size_t rest = data.size() - at;
  const auto bits = static_cast<uint32_t>(data.size() * 8);
  const uint32_t tail = bits >> 2 | 1;
  uint8_t block[64] = {};
  if (rest >= 56) {
    std::memcpy(block, data.data() + at, rest);
    block[rest] = 0x80;
    md5Block(state, block);
    std::memset(block, 0, sizeof block);
  } else {
    if (rest) std::memcpy(block + 4, data.data() + at, rest);
    block[4 + rest] = 0x80;
  }
  std::memcpy(block, &bits, 4);
  std::memcpy(block + 60, &tail, 4);
  md5Block(state, block);
  std::memcpy(digest, state.data(), 16);
}

}  // namespace aerogpu::shader
