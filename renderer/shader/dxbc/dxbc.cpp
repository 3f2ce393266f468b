// SPDX-License-Identifier: MIT
// DXBC containers (dxbc.h). Layout: "DXBC", 16 bytes of checksum, u32 1, u32 size, u32 number of chunks, one
// u32 offset a chunk; a chunk is a tag, a size and its bytes. Level 9 code lies in chunk Aon9 after a header
// of four words (size, version, unknown, offset of the code from the start of the header).
#include "renderer/shader/dxbc/dxbc.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "renderer/shader/dxbc/checksum.h"

namespace aerogpu::shader {
namespace {

constexpr uint32_t kMagic = fourCc('D', 'X', 'B', 'C');
constexpr size_t kHeaderSize = 32;
constexpr uint32_t kMaxSignatureElements = 128;
constexpr size_t kMaxSemanticLength = 63;

Error broken(const char* what) {
  return {ErrorCode::CmdDecode, what, {}};
}

/// Returns 32 bits at `offset`; the caller has checked that they exist.
uint32_t word(std::span<const uint8_t> bytes, size_t offset) {
  uint32_t value;
  std::memcpy(&value, bytes.data() + offset, 4);
  return value;
}

bool holds(std::span<const uint8_t> bytes, uint64_t offset, uint64_t size) {
  return offset <= bytes.size() && size <= bytes.size() - offset;
}

char upper(char c) {
  return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
}

/// The places of a signature row's fields; they differ between the chunk versions.
struct RowLayout {
  uint32_t tag;
  uint32_t size;      ///< bytes of a row
  uint32_t streamAt;  ///< offset of the stream, or ~0
  uint32_t nameAt;    ///< offset of the name's offset; index, value, type, register, masks follow it
};
constexpr auto kRowLayouts = std::to_array<RowLayout>({
    {fourCc('I', 'S', 'G', 'N'), 24, ~0u, 0},
    {fourCc('O', 'S', 'G', 'N'), 24, ~0u, 0},
    {fourCc('P', 'C', 'S', 'G'), 24, ~0u, 0},
    {fourCc('O', 'S', 'G', '5'), 28, 0, 4},
    {fourCc('I', 'S', 'G', '1'), 32, 0, 4},
    {fourCc('O', 'S', 'G', '1'), 32, 0, 4},
});

Result<std::vector<SignatureElement>> readSignature(const DxbcChunk& chunk) {
  const auto layout = std::find_if(kRowLayouts.begin(), kRowLayouts.end(),
                                   [&](const RowLayout& l) { return l.tag == chunk.tag; });
  const std::span<const uint8_t> bytes = chunk.payload;
  if (layout == kRowLayouts.end() || bytes.size() < 8) return broken("signature chunk is too short");
  const uint32_t count = word(bytes, 0);
  const uint32_t rows = word(bytes, 4);
  if (count > kMaxSignatureElements || !holds(bytes, rows, uint64_t{count} * layout->size))
    return broken("signature rows run past their chunk");
  std::vector<SignatureElement> out(count);
  for (uint32_t i = 0; i < count; ++i) {
    const auto row = bytes.subspan(rows + size_t{i} * layout->size, layout->size);
    SignatureElement& e = out[i];
    if (layout->streamAt != ~0u) e.stream = word(row, layout->streamAt);
    const uint32_t name = word(row, layout->nameAt);
    e.semanticIndex = word(row, layout->nameAt + 4);
    e.systemValue = word(row, layout->nameAt + 8);
    e.componentType = word(row, layout->nameAt + 12);
    e.registerIndex = word(row, layout->nameAt + 16);
    e.mask = row[layout->nameAt + 20] & 0xF;
    e.usedMask = row[layout->nameAt + 21] & 0xF;
    if (name >= bytes.size()) return broken("semantic name lies outside of its chunk");
    const auto rest = bytes.subspan(name);
    const auto end = std::find(rest.begin(), rest.end(), uint8_t{0});
    if (end == rest.end() || static_cast<size_t>(end - rest.begin()) > kMaxSemanticLength)
      return broken("semantic name has no end");
    e.semantic.assign(rest.begin(), end);
    e.semanticHash = semanticHash(e.semantic);
  }
  return out;
}

Result<std::vector<SignatureElement>> firstSignature(const Dxbc& container,
                                                     std::initializer_list<uint32_t> tags) {
  for (const uint32_t tag : tags)
    if (const DxbcChunk* chunk = container.find(tag)) return readSignature(*chunk);
  return std::vector<SignatureElement>{};
}

}  // namespace

const DxbcChunk* Dxbc::find(uint32_t tag) const {
  for (const DxbcChunk& chunk : chunks)
    if (chunk.tag == tag) return &chunk;
  return nullptr;
}

std::span<const uint8_t> Dxbc::d3d9Stream() const {
  const DxbcChunk* chunk = find(fourCc('A', 'o', 'n', '9'));
  if (!chunk || chunk->payload.size() < 16) return {};
  const uint32_t offset = word(chunk->payload, 12);
  const uint64_t end = std::min<uint64_t>(word(chunk->payload, 0), chunk->payload.size());
  if (offset < 16 || offset > end) return {};
  return chunk->payload.subspan(offset, (end - offset) & ~uint64_t{3});
}

bool isDxbc(std::span<const uint8_t> bytes) {
  return bytes.size() >= 4 && word(bytes, 0) == kMagic;
}

Result<Dxbc> parseDxbc(std::span<const uint8_t> bytes) {
  if (!isDxbc(bytes) || bytes.size() < kHeaderSize) return broken("not a DXBC container");
  Dxbc out;
  out.totalSize = word(bytes, 24);
  if (out.totalSize < kHeaderSize || out.totalSize > bytes.size())
    return broken("DXBC container is cut short");
  bytes = bytes.first(out.totalSize);
  const uint32_t count = word(bytes, 28);
  if (count > kMaxDxbcChunks || !holds(bytes, kHeaderSize, uint64_t{count} * 4))
    return broken("DXBC container has too many chunks");
  for (uint32_t i = 0; i < count; ++i) {
    const uint64_t offset = word(bytes, kHeaderSize + size_t{i} * 4);
    if (!holds(bytes, offset, 8)) return broken("DXBC chunk lies outside of its container");
    const uint32_t size = word(bytes, offset + 4);
    if (!holds(bytes, offset + 8, size)) return broken("DXBC chunk lies outside of its container");
    out.chunks.push_back({word(bytes, offset), bytes.subspan(offset + 8, size)});
  }
  return out;
}

const DxbcChunk* programOf(const Dxbc& container) {
  const DxbcChunk* code = container.find(fourCc('S', 'H', 'E', 'X'));
  return code ? code : container.find(fourCc('S', 'H', 'D', 'R'));
}

Result<std::vector<uint8_t>> withValidChecksum(std::span<const uint8_t> bytes) {
  if (!isDxbc(bytes) || bytes.size() < kHeaderSize) return broken("not a DXBC container");
  const uint32_t size = word(bytes, 24);
  if (size < kHeaderSize || size > bytes.size()) return broken("DXBC container is cut short");
  std::vector<uint8_t> out(bytes.begin(), bytes.begin() + size);
  uint8_t digest[16];
  dxbcChecksum(out, digest);
  std::memcpy(out.data() + 4, digest, sizeof digest);
  return out;
}

Result<std::vector<SignatureElement>> readInputSignature(const Dxbc& container) {
  return firstSignature(container, {fourCc('I', 'S', 'G', 'N'), fourCc('I', 'S', 'G', '1')});
}

Result<std::vector<SignatureElement>> readOutputSignature(const Dxbc& container) {
  return firstSignature(container,
                        {fourCc('O', 'S', 'G', 'N'), fourCc('O', 'S', 'G', '5'), fourCc('O', 'S', 'G', '1')});
}

uint32_t semanticHash(std::string_view name) {
  uint32_t hash = 2166136261u;
  for (const char c : name) {
    hash ^= static_cast<uint8_t>(upper(c));
    hash *= 16777619u;
  }
  return hash;
}

}  // namespace aerogpu::shader
