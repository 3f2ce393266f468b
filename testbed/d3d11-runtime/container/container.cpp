// SPDX-License-Identifier: MIT
#include "testbed/d3d11-runtime/container/container.h"

#include <algorithm>
#include <cstring>

#include "renderer/shader/dxbc/checksum.h"

namespace aerogpu::runtime11 {
namespace {

constexpr size_t kHeader = 32, kMostChunks = 64, kMostRows = 128;

/// Bytes with checked reads: what lies outside reads as nothing.
class Bytes {
public:
  Bytes(const uint8_t *data, size_t size) : m_data(data), m_size(size) {}
  size_t size() const { return m_size; }
  const uint8_t *data() const { return m_data; }
  bool holds(uint64_t at, uint64_t bytes) const { return at <= m_size && bytes <= m_size - at; }
  bool word(uint64_t at, uint32_t &out) const {
    if (!holds(at, 4)) return false;
    std::memcpy(&out, m_data + at, 4);
    return true;
  }
  Bytes part(uint64_t at, uint64_t bytes) const { return {m_data + at, static_cast<size_t>(bytes)}; }

private:
  const uint8_t *m_data;
  size_t m_size;
};

constexpr uint32_t tag(const char (&text)[5]) {
  return static_cast<uint32_t>(static_cast<unsigned char>(text[0])) |
         static_cast<uint32_t>(static_cast<unsigned char>(text[1])) << 8 |
         static_cast<uint32_t>(static_cast<unsigned char>(text[2])) << 16 |
         static_cast<uint32_t>(static_cast<unsigned char>(text[3])) << 24;
}

bool readName(const Bytes &chunk, uint32_t at, std::string &out) {
  if (at >= chunk.size()) return false;
  const uint8_t *begin = chunk.data() + at, *end = chunk.data() + chunk.size();
  const uint8_t *zero = std::find(begin, end, uint8_t{0});
  if (zero == end) return false;
  out.assign(begin, zero);
  return true;
}

/// Reads a signature chunk. `hasStream`: OSG5 and the 1 chunks begin a row with a stream; `hasPrecision`: the 1 chunks
/// end it with a minimum precision.
bool readRows(const Bytes &chunk, bool hasStream, bool hasPrecision, std::vector<Element> &out) {
  uint32_t count = 0, first = 0;
  if (!chunk.word(0, count) || !chunk.word(4, first) || count > kMostRows) return false;
  const uint64_t size = 24 + (hasStream ? 4 : 0) + (hasPrecision ? 4 : 0);
  out.clear();
  for (uint32_t i = 0; i < count; ++i) {
    Element row;
    uint64_t at = first + i * size;
    uint32_t name = 0, masks = 0;
    if (hasStream) {
      if (!chunk.word(at, row.stream)) return false;
      at += 4;
    }
    if (!chunk.word(at, name) || !chunk.word(at + 4, row.index) || !chunk.word(at + 8, row.systemValue) ||
        !chunk.word(at + 12, row.type) || !chunk.word(at + 16, row.reg) || !chunk.word(at + 20, masks) ||
        !readName(chunk, name, row.name))
      return false;
    row.mask = masks & 0xF;
    row.used = masks >> 8 & 0xF;
    out.push_back(row);
  }
  return true;
}

bool readProgram(const Bytes &chunk, Container &out) {
  uint32_t version = 0, length = 0;
  if (!chunk.word(0, version) || !chunk.word(4, length)) return false;
  if (length < 2 || !chunk.holds(0, uint64_t{length} * 4)) return false;
  const uint32_t stage = version >> 16;
  if (stage > static_cast<uint32_t>(Stage::Compute)) return false;
  out.stage = static_cast<Stage>(stage);
  out.major = version >> 4 & 0xF;
  out.minor = version & 0xF;
  if (out.major < 4 || out.major > 5) return false;
  out.tokens.resize(length);
  std::memcpy(out.tokens.data(), chunk.data(), size_t{length} * 4);
  return true;
}

}  // namespace

std::optional<Container> takeApart(const void *memory, size_t given, bool needsProgram) {
  const uint8_t *data = static_cast<const uint8_t *>(memory);
  if (!data || given < kHeader) return std::nullopt;
  uint32_t magic = 0, size = 0, count = 0;
  std::memcpy(&magic, data, 4);
  std::memcpy(&size, data + 24, 4);
  if (magic != tag("DXBC") || size < kHeader || size > given) return std::nullopt;
  const Bytes bytes(data, size);
  uint8_t digest[16];
  shader::dxbcChecksum({data, size}, digest);
  if (std::memcmp(digest, data + 4, sizeof digest) != 0) return std::nullopt;
  if (!bytes.word(28, count) || count > kMostChunks) return std::nullopt;
  Container out;
  bool hasProgram = false, hasInputs = false;
  for (uint32_t i = 0; i < count; ++i) {
    uint32_t offset = 0, kind = 0, length = 0;
    if (!bytes.word(kHeader + uint64_t{i} * 4, offset) || !bytes.word(offset, kind) ||
        !bytes.word(uint64_t{offset} + 4, length) || !bytes.holds(uint64_t{offset} + 8, length))
      return std::nullopt;
    const Bytes chunk = bytes.part(uint64_t{offset} + 8, length);
    bool right = true;
    if (kind == tag("ISGN") || kind == tag("ISG1")) {
      right = readRows(chunk, kind == tag("ISG1"), kind == tag("ISG1"), out.inputs);
      hasInputs = true;
    } else if (kind == tag("OSGN") || kind == tag("OSG5") || kind == tag("OSG1")) {
      right = readRows(chunk, kind != tag("OSGN"), kind == tag("OSG1"), out.outputs);
    } else if (kind == tag("PCSG") || kind == tag("PSG1")) {
      right = readRows(chunk, kind == tag("PSG1"), kind == tag("PSG1"), out.patch);
    } else if (kind == tag("SHDR") || kind == tag("SHEX")) {
      right = hasProgram = readProgram(chunk, out);
    }
    if (!right) return std::nullopt;
  }
  if (needsProgram ? !hasProgram : !hasInputs) return std::nullopt;
  return out;
}

std::vector<DriverElement> driverElements(const std::vector<Element> &elements) {
  // The first name of a driver's for each of D3D_NAME's factors: quad edges, quad insides, triangle edges, triangle
  // inside, line detail, line density.
  constexpr uint32_t kFirstFactor = 11, kFactors[] = {11, 15, 17, 20, 21, 22};
  constexpr uint32_t kPlain = 10;
  std::vector<DriverElement> out;
  uint32_t edges[std::size(kFactors)] = {};
  for (const Element &row : elements) {
    DriverElement element{0, row.reg, row.mask};
    if (row.systemValue <= kPlain) {
      element.name = row.systemValue;
    } else if (row.systemValue - kFirstFactor < std::size(kFactors)) {
      const uint32_t kind = row.systemValue - kFirstFactor;
      element.name = kFactors[kind] + edges[kind]++;
    }  // targets, depth and coverage have no name there
    out.push_back(element);
  }
  return out;
}

bool declaresBuffersOf11(const std::vector<uint32_t> &tokens) {
  // D3D11_SB_OPCODE_DCL_UNORDERED_ACCESS_VIEW_TYPED to D3D11_SB_OPCODE_DCL_RESOURCE_STRUCTURED.
  constexpr uint32_t kFirst = 156, kLast = 162, kCustomData = 53;
  for (size_t at = 2; at < tokens.size();) {
    const uint32_t opcode = tokens[at] & 0x7FF;
    if (opcode >= kFirst && opcode <= kLast) return true;
    const size_t length = opcode != kCustomData ? tokens[at] >> 24 & 0x7F : at + 1 < tokens.size() ? tokens[at + 1] : 0;
    if (!length) return false;
    at += length;
  }
  return false;
}

}  // namespace aerogpu::runtime11
