// SPDX-License-Identifier: MIT
#include "tests-qtest/driver/heavy_work.h"

#include <array>
#include <bit>

#include "aerogpu/cmd_packets.hpp"
#include "aerogpu/d3d9/token_writer.h"

namespace aerogpu::host {

namespace {

using d3d9::destinationToken;
using d3d9::Opcode;
using d3d9::RegisterType;
using d3d9::sourceToken;

constexpr uint32_t kSide = 1024, kTextureSide = 256;  // pixels
/// Instruction slots of a shader of model 3: MaxPixelShader30InstructionSlots (LIM-12).
constexpr uint32_t kSlots = 512;
constexpr uint32_t kDraws = 200, kPipelines = 24;
/// LIM-9: vertices of a slice.
constexpr uint32_t kVertices = 1 << 22;
/// For llvmpipe each sample is separate code, and an anisotropic one is long: only a few.
constexpr uint32_t kAnisotropicSamples = 8;

/// A token stream of shader model 3 or less.
class Code {
public:
  explicit Code(d3d9::Version version) { m_writer.version(version); }
  d3d9::TokenWriter& operator*() { return m_writer; }
  d3d9::TokenWriter* operator->() { return &m_writer; }
  void create(Stream& stream, uint32_t handle, uint32_t stage) {
    m_writer.end();
    packets::createShader(stream.writer(), handle, stage, {m_writer.data(), m_writer.size()});
  }

private:
  std::array<uint32_t, 4096> m_tokens{};
  d3d9::TokenWriter m_writer{m_tokens.data(), m_tokens.size()};
};

constexpr d3d9::Version kPixel3{d3d9::Stage::Pixel, 3, 0}, kVertex3{d3d9::Stage::Vertex, 3, 0};

uint32_t temp(uint32_t number) {
  return sourceToken(RegisterType::Temp, number);
}
uint32_t toTemp(uint32_t number) {
  return destinationToken(RegisterType::Temp, number);
}

void createPositions(Stream& stream, uint32_t handle) {
  const uint32_t out = destinationToken(RegisterType::Output, 0);
  Code code(kVertex3);
  code->dcl(d3d9::Usage::Position, 0, destinationToken(RegisterType::Input, 0));
  code->dcl(d3d9::Usage::Position, 0, out);
  code->instruction(Opcode::Mov, out, sourceToken(RegisterType::Input, 0));
  code.create(stream, handle, AEROGPU_SHADER_STAGE_VERTEX);
}

/// Creates a shader with the largest number of slots, `samples` of them samples; `salt` makes it a different
/// program.
void createLongest(Stream& stream, uint32_t handle, uint32_t samples, uint32_t salt) {
  constexpr uint32_t kConstant = 9;
  const auto bits = [](float value) { return std::bit_cast<uint32_t>(value); };
  Code code(kPixel3);
  code->dclSampler(d3d9::SamplerType::Texture2D, 0);
  code->def(kConstant, bits(0.01f), bits(0.02f), bits(0.03f), bits(static_cast<float>(salt)));
  code->instruction(Opcode::Mov, toTemp(0), sourceToken(RegisterType::Const, kConstant));
  uint32_t slots = 2;  // including the last one
  for (; samples != 0 && slots + 2 <= kSlots; --samples, slots += 2) {
    code->instruction(Opcode::Tex, toTemp(1), temp(0), sourceToken(RegisterType::Sampler, 0));
    code->instruction(Opcode::Add, toTemp(0), temp(0), temp(1));
  }
  for (; slots < kSlots; ++slots)
    code->instruction(Opcode::Mad, toTemp(0), temp(0), sourceToken(RegisterType::Const, kConstant), temp(1));
  code->instruction(Opcode::Mov, destinationToken(RegisterType::ColorOut, 0), temp(0));
  code.create(stream, handle, AEROGPU_SHADER_STAGE_PIXEL);
}

/// Creates a shader that loops 255 times 255 rounds.
void createLoops(Stream& stream, uint32_t handle) {
  const uint32_t constant = sourceToken(RegisterType::Const, 0);
  Code code(kPixel3);
  code->defI(0, 255, 0, 0, 0);
  code->instruction(Opcode::Mov, toTemp(0), constant);
  for (int i = 0; i < 2; ++i) code->instruction(Opcode::Rep, sourceToken(RegisterType::ConstInt, 0));
  code->instruction(Opcode::Add, toTemp(0), temp(0), constant);
  for (int i = 0; i < 2; ++i) code->instruction(Opcode::EndRep);
  code->instruction(Opcode::Mov, destinationToken(RegisterType::ColorOut, 0), temp(0));
  code.create(stream, handle, AEROGPU_SHADER_STAGE_PIXEL);
}

}  // namespace

void CoveringDraws::make(Stream& stream) {
  const float corners[] = {-1, 3, 0, -1, -1, 0, 3, -1, 0};
  m_buffer = newHandle();
  m_vertex = newHandle();
  m_pixel = newHandle();
  m_layout = newHandle();
  stream.createBuffer(m_buffer, sizeof corners, 0).upload(m_buffer, 0, corners, sizeof corners);
  createPositions(stream, m_vertex);
  Code code(kPixel3);
  code->instruction(Opcode::Mov, destinationToken(RegisterType::ColorOut, 0),
                    sourceToken(RegisterType::Const, 0));
  code.create(stream, m_pixel, AEROGPU_SHADER_STAGE_PIXEL);
  // D3DVERTEXELEMENT9: stream 0, FLOAT3 POSITION; D3DDECL_END.
  const uint8_t elements[] = {0, 0, 0, 0, 2, 0, 0, 0, 0xFF, 0, 0, 0, 17, 0, 0, 0};
  packets::useInputLayout(stream.writer(), m_layout, elements);
}

void CoveringDraws::bind(Stream& stream, uint32_t target, uint32_t width, uint32_t height) const {
  CommandWriter& w = stream.target(target).writer();
  packets::setViewport(w, {0, 0, static_cast<float>(width), static_cast<float>(height), 0, 1});
  packets::bindShaders(w, m_vertex, m_pixel);
  w.packet(aerogpu_cmd_set_input_layout{{}, m_layout, 0});
  packets::setVertexBuffer(w, 0, m_buffer, 12);
  packets::setTopology(w, AEROGPU_TOPOLOGY_TRIANGLELIST);
  packets::renderState(w, 22, 1);  // D3DRS_CULLMODE, D3DCULL_NONE
}

void CoveringDraws::fill(Stream& stream, uint32_t target, uint32_t width, uint32_t height,
                         uint32_t argb) const {
  bind(stream, target, width, height);
  stream.clear(~argb);
  const auto channel = [argb](unsigned shift) { return static_cast<float>(argb >> shift & 255) / 255.0f; };
  const float color[] = {channel(16), channel(8), channel(0), channel(24)};
  packets::setConstantsF(stream.writer(), AEROGPU_SHADER_STAGE_PIXEL, 0, color);
  packets::draw(stream.writer(), 3);
}

const char* HeavyWork::nameOf(Kind kind) {
  switch (kind) {
    case Kind::Samples:
      return "samples";
    case Kind::Loops:
      return "loops";
    case Kind::Vertices:
      return "vertices";
    case Kind::Pipelines:
      return "pipelines";
  }
  return "?";
}

void HeavyWork::make(Stream& stream) {
  m_draws.make(stream);
  m_target = newHandle();
  m_texture = newHandle();
  m_vertex = newHandle();
  m_samples = newHandle();
  m_loops = newHandle();
  stream.createTexture(m_target, kSide, kSide, AEROGPU_FORMAT_B8G8R8A8_UNORM, 0)
      .createTexture(m_texture, kTextureSide, kTextureSide, AEROGPU_FORMAT_B8G8R8A8_UNORM, 0);
  createPositions(stream, m_vertex);
  createLongest(stream, m_samples, kAnisotropicSamples, 0);
  createLoops(stream, m_loops);
}

void HeavyWork::work(Stream& stream, Kind kind) {
  m_draws.bind(stream, m_target, kSide, kSide);
  CommandWriter& w = stream.writer();
  packets::setTexture(w, 0, m_texture);
  packets::samplerState(w, 0, 10, 16);  // D3DSAMP_MAXANISOTROPY
  packets::samplerState(w, 0, 6,
                        kind == Kind::Samples ? 3 : 2);  // D3DSAMP_MINFILTER, D3DTEXF_ANISOTROPIC or _LINEAR
  switch (kind) {
    case Kind::Samples:
    case Kind::Loops:
      packets::bindShaders(w, m_vertex, kind == Kind::Samples ? m_samples : m_loops);
      for (uint32_t i = 0; i < kDraws; ++i) packets::draw(w, 3);
      break;
    case Kind::Vertices:  // what lies beyond the buffer reads as zero
      for (uint32_t i = 0; i < kDraws; ++i) packets::draw(w, kVertices);
      break;
    case Kind::Pipelines:
      packets::setViewport(w, {0, 0, 1, 1, 0, 1});
      for (uint32_t i = 0; i < kPipelines; ++i) {
        const uint32_t pixel = newHandle();
        createLongest(stream, pixel, kSlots, pixel);
        packets::bindShaders(w, m_vertex, pixel);
        packets::draw(w, 3);
      }
      break;
  }
}

}  // namespace aerogpu::host
