// SPDX-License-Identifier: MIT
// DXBC containers (shader models 4 and 5, and Direct3D 10 level 9 ones that wrap a D3D9 stream):
// bounds-checked reading, checksum, signatures. Pure functions on bytes, any thread; nothing here decodes
// shader code.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "renderer/base/result.h"
#include "renderer/shader/cost.h"

namespace aerogpu::shader {

constexpr uint32_t fourCc(char a, char b, char c, char d) {
  return static_cast<uint32_t>(static_cast<unsigned char>(a)) |
         static_cast<uint32_t>(static_cast<unsigned char>(b)) << 8 |
         static_cast<uint32_t>(static_cast<unsigned char>(c)) << 16 |
         static_cast<uint32_t>(static_cast<unsigned char>(d)) << 24;
}

/// Chunks that a container may have; more is an error.
inline constexpr uint32_t kMaxDxbcChunks = 64;

struct DxbcChunk {
  uint32_t tag = 0;                  ///< fourCc
  std::span<const uint8_t> payload;  ///< inside the container's bytes
};

/// One row of an ISGN, OSGN, ISG1, OSG1, OSG5 or PCSG chunk.
struct SignatureElement {
  std::string semantic;       ///< as written, at most 63 characters
  uint32_t semanticHash = 0;  ///< FNV-1a 32 of the upper-cased name
  uint32_t semanticIndex = 0;
  uint32_t systemValue = 0;    ///< D3D_NAME
  uint32_t componentType = 0;  ///< D3D_REGISTER_COMPONENT_TYPE: 1 uint, 2 int, 3 float
  uint32_t registerIndex = 0;  ///< 0xFFFFFFFF = none
  uint8_t mask = 0, usedMask = 0;
  uint32_t stream = 0;  ///< geometry shader stream
};

/// A parsed container: spans into the bytes it was made from, which must outlive it.
struct Dxbc {
  uint32_t totalSize = 0;  ///< bytes, from the header
  std::vector<DxbcChunk> chunks;

  /// Returns the first chunk with that tag, or null.
  const DxbcChunk* find(uint32_t tag) const;
  /// Returns the D3D9 token stream of a level 9 container (chunk Aon9); empty without one.
  std::span<const uint8_t> d3d9Stream() const;
};

/// True if the bytes start with "DXBC".
bool isDxbc(std::span<const uint8_t> bytes);

/// Reads header and chunk table. Ignores bytes after the header's size, and the checksum.
Result<Dxbc> parseDxbc(std::span<const uint8_t> bytes);

/// Returns the chunk with the program (SHEX or SHDR), or null.
const DxbcChunk* programOf(const Dxbc& container);

/// Returns a copy, cut to the header's size, with a correct checksum. Error: not a container.
Result<std::vector<uint8_t>> withValidChecksum(std::span<const uint8_t> bytes);

/// Returns the elements of the input (ISGN, ISG1) or output signature; empty if there is no such chunk.
Result<std::vector<SignatureElement>> readInputSignature(const Dxbc& container);
Result<std::vector<SignatureElement>> readOutputSignature(const Dxbc& container);

/// Returns the rough cost of an invocation of its program: the rounds of loops are a guess.
ShaderCost costOf(const Dxbc& container);
/// Returns the number of instructions in its program, without declarations.
uint64_t instructionsOf(const Dxbc& container);

/// Returns the FNV-1a 32 of the name in upper case (ASCII), as the ABI's input layouts carry it.
uint32_t semanticHash(std::string_view name);

}  // namespace aerogpu::shader
