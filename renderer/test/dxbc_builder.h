// SPDX-License-Identifier: MIT
// Test support: DXBC containers assembled token by token (names as in d3d10TokenizedProgramFormat.hpp), and
// the two plainest shaders. Header only, standard library only: the device tests use it too.
#pragma once

#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

namespace aerogpu::test::dxbc {

using Tokens = std::vector<uint32_t>;

enum : uint32_t {
  kTemp = 0,
  kInput = 1,
  kOutput = 2,
  kSampler = 6,
  kResource = 7,
  kConstantBuffer = 8,
  kUav = 30,
  kThreadId = 32
};
inline constexpr uint32_t kXyzw = 0xE4, kXyxx = 0x04;

inline Tokens dst(uint32_t type, uint32_t reg, uint32_t mask) {
  return {2 | mask << 4 | type << 12 | 1u << 20, reg};
}
inline Tokens src(uint32_t type, uint32_t reg, uint32_t swizzle = kXyzw) {
  return {2 | 1u << 2 | swizzle << 4 | type << 12 | 1u << 20, reg};
}
inline Tokens scalar(uint32_t type, uint32_t reg, uint32_t component) {
  return {2 | 2u << 2 | component << 4 | type << 12 | 1u << 20, reg};
}
inline Tokens handle(uint32_t type, uint32_t reg) {
  return {type << 12 | 1u << 20, reg};
}
inline Tokens constant(uint32_t buffer, uint32_t index) {
  return {2 | 1u << 2 | kXyzw << 4 | kConstantBuffer << 12 | 2u << 20, buffer, index};
}
inline Tokens immediate(uint32_t value) {
  return {0x4001, value};
}

/// Appends one instruction: its length goes into bits 24..30.
inline void op(Tokens& out, uint32_t opcode, std::initializer_list<Tokens> operands) {
  const size_t at = out.size();
  out.push_back(opcode);
  for (const Tokens& t : operands) out.insert(out.end(), t.begin(), t.end());
  out[at] |= static_cast<uint32_t>(out.size() - at) << 24;
}

struct SignatureRow {
  const char* name;
  uint32_t index, systemValue, type, reg, mask;
};

inline Tokens signature(const std::vector<SignatureRow>& rows) {
  Tokens out = {static_cast<uint32_t>(rows.size()), 8};
  std::string names;
  const uint32_t base = static_cast<uint32_t>(8 + rows.size() * 24);
  for (const SignatureRow& r : rows) {
    out.insert(out.end(), {base + static_cast<uint32_t>(names.size()), r.index, r.systemValue, r.type, r.reg,
                           r.mask | r.mask << 8});
    names += r.name;
    names += '\0';
  }
  names.resize((names.size() + 3) & ~size_t{3});
  const size_t at = out.size();
  out.resize(at + names.size() / 4);
  std::memcpy(out.data() + at, names.data(), names.size());
  return out;
}

/// Returns a container with a checksum of zeros.
inline Tokens container(uint32_t version, const Tokens& code, const std::vector<SignatureRow>& in,
                        const std::vector<SignatureRow>& out) {
  Tokens shader = {version, static_cast<uint32_t>(code.size() + 2)};
  shader.insert(shader.end(), code.begin(), code.end());
  const auto tag = [](const char* t) {
    uint32_t v;
    std::memcpy(&v, t, 4);
    return v;
  };
  const std::pair<uint32_t, Tokens> chunks[] = {
      {tag("ISGN"), signature(in)},
      {tag("OSGN"), signature(out)},
      {(version >> 4 & 0xF) >= 5 ? tag("SHEX") : tag("SHDR"), shader}};
  Tokens file = {tag("DXBC"), 0, 0, 0, 0, 1, 0, 3, 0, 0, 0};
  for (size_t i = 0; i < 3; ++i) {
    file[8 + i] = static_cast<uint32_t>(file.size() * 4);
    file.push_back(chunks[i].first);
    file.push_back(static_cast<uint32_t>(chunks[i].second.size() * 4));
    file.insert(file.end(), chunks[i].second.begin(), chunks[i].second.end());
  }
  file[6] = static_cast<uint32_t>(file.size() * 4);
  return file;
}

inline constexpr uint32_t kVs40 = 1u << 16 | 0x40, kPs40 = 0x40, kCs50 = 5u << 16 | 0x50;
inline constexpr uint32_t kMov = 0x36, kAdd = 0x00, kSample = 0x45, kRet = 0x3E;

/// Vertex shader 4.0: passes position and one vector through; adds cb0[1] to the vector.
inline Tokens vertexCode() {
  Tokens t;
  op(t, 0x59, {{2 | 1u << 2 | kXyzw << 4 | kConstantBuffer << 12 | 2u << 20, 0, 2}});
  op(t, 0x5F, {dst(kInput, 0, 15)});
  op(t, 0x5F, {dst(kInput, 1, 15)});
  op(t, 0x67, {dst(kOutput, 0, 15), {1}});  // SV_Position
  op(t, 0x65, {dst(kOutput, 1, 15)});
  op(t, kMov, {dst(kOutput, 0, 15), src(kInput, 0)});
  op(t, kAdd, {dst(kOutput, 1, 15), src(kInput, 1), constant(0, 1)});
  op(t, kRet, {});
  return container(kVs40, t, {{"POSITION", 0, 0, 3, 0, 15}, {"COLOR", 0, 0, 3, 1, 15}},
                   {{"SV_Position", 0, 1, 3, 0, 15}, {"COLOR", 0, 0, 3, 1, 15}});
}

/// Pixel shader 4.0: the vector is the colour.
inline Tokens pixelCode() {
  Tokens t;
  op(t, 0x62 | 2u << 11, {dst(kInput, 1, 15)});
  op(t, 0x65, {dst(kOutput, 0, 15)});
  op(t, kMov, {dst(kOutput, 0, 15), src(kInput, 1)});
  op(t, kRet, {});
  return container(kPs40, t, {{"SV_Position", 0, 1, 3, 0, 15}, {"COLOR", 0, 0, 3, 1, 15}},
                   {{"SV_Target", 0, 0, 3, 0, 15}});
}

}  // namespace aerogpu::test::dxbc
