// SPDX-License-Identifier: MIT
// Test support: shaders and layouts as the driver interface of Direct3D 10 has them, and the two plainest
// shaders.
#pragma once

#include <cstring>
#include <vector>

#include "aerogpu/aerogpu_cmd_d3d10.h"
#include "aerogpu/cmd_writer.hpp"
#include "renderer/test/dxbc_builder.h"

namespace aerogpu::test::dxbc {

using Entries = std::vector<aerogpu_ext_signature_entry>;

struct TokenShader {
  Tokens tokens;
  Entries inputs, outputs, patchConstants;
};

/// Puts version and length before the code.
inline Tokens program(uint32_t version, const Tokens& code) {
  Tokens tokens = {version, static_cast<uint32_t>(code.size() + 2)};
  tokens.insert(tokens.end(), code.begin(), code.end());
  return tokens;
}

/// Returns the packet for the shader, without its handle.
inline aerogpu_cmd_ext_create_shader packetOf(const TokenShader& s, uint32_t stage) {
  const auto count = [](const auto& part) { return static_cast<uint32_t>(part.size()); };
  return {{}, 0, stage, 0, count(s.tokens), count(s.inputs), count(s.outputs), count(s.patchConstants)};
}

/// Returns what follows the packet.
inline std::vector<uint8_t> bytesOf(const TokenShader& s) {
  std::vector<uint8_t> bytes;
  const auto append = [&](const auto& part) {
    const auto* first = reinterpret_cast<const uint8_t*>(part.data());
    bytes.insert(bytes.end(), first, first + part.size() * sizeof part[0]);
  };
  append(s.tokens);
  append(s.inputs);
  append(s.outputs);
  append(s.patchConstants);
  return bytes;
}

inline void createShader(CommandWriter& w, uint32_t handle, uint32_t stage, const TokenShader& s) {
  aerogpu_cmd_ext_create_shader c = packetOf(s, stage);
  c.shader_handle = handle;
  const std::vector<uint8_t> bytes = bytesOf(s);
  w.packet(c, bytes.data(), bytes.size());
}

inline void createLayout(CommandWriter& w, uint32_t handle,
                         const std::vector<aerogpu_ext_layout_element>& elements) {
  w.packet(aerogpu_cmd_ext_create_layout{{}, handle, 0, 0}, elements.data(), elements.size());
}

/// Vertex shader 4.0: passes the position v0 and the vector v1 through, to o1.
inline TokenShader vertexTokens() {
  Tokens t;
  op(t, 0x5F, {dst(kInput, 0, 15)});
  op(t, 0x5F, {dst(kInput, 1, 15)});
  op(t, 0x67, {dst(kOutput, 0, 15), {1}});  // SV_Position
  op(t, 0x65, {dst(kOutput, 1, 15)});
  op(t, kMov, {dst(kOutput, 0, 15), src(kInput, 0)});
  op(t, kMov, {dst(kOutput, 1, 15), src(kInput, 1)});
  op(t, kRet, {});
  return {program(kVs40, t), {{0, 0, 15}, {0, 1, 15}}, {{1, 0, 15}, {0, 1, 15}}, {}};
}

/// Pixel shader 4.0: v1 is the colour.
inline TokenShader pixelTokens() {
  Tokens t;
  op(t, 0x62 | 2u << 11, {dst(kInput, 1, 15)});
  op(t, 0x65, {dst(kOutput, 0, 15)});
  op(t, kMov, {dst(kOutput, 0, 15), src(kInput, 1)});
  op(t, kRet, {});
  return {program(kPs40, t), {{1, 0, 15}, {0, 1, 15}}, {{0, 0, 15}}, {}};
}

}  // namespace aerogpu::test::dxbc
