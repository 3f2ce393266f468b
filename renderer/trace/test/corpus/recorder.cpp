// SPDX-License-Identifier: MIT
#include "renderer/trace/test/corpus/recorder.h"

#include <algorithm>
#include <bit>
#include <cstdio>
#include <cstdlib>

#include "aerogpu/d3d9/assembler.h"

namespace aerogpu::test {

namespace {

[[noreturn]] void fail(const std::string& what) {
  std::fprintf(stderr, "trace-corpus: %s\n", what.c_str());
  std::exit(1);
}

/// D3DVERTEXELEMENT9.
struct Element {
  uint16_t stream, offset;
  uint8_t type, method, usage, index;
};
constexpr Element kElements[] = {{0, 0, 3, 0, 0, 0},    // FLOAT4 POSITION
                                 {0, 16, 4, 0, 10, 0},  // D3DCOLOR COLOR
                                 {0, 20, 1, 0, 5, 0},   // FLOAT2 TEXCOORD
                                 {0xFF, 0, 17, 0, 0, 0}};

}  // namespace

Recorder::Recorder() : m_harness(Harness::Options{}) {
  if (!m_harness.ok()) fail(m_harness.createError());
}

void Recorder::begin() {
  m_memory = m_harness.allocate(size_t{kSide} * kSide * 4);
  m_harness.setScanout(AEROGPU_FORMAT_B8G8R8X8_UNORM, kSide, kSide, kSide * 4, m_memory.gpa);
  m_target = handle();
  packets::createShown(w, m_target, kSide, kSide, m_memory.id);
  packets::setTarget(w, m_target);
  packets::setViewport(w, {0, 0, kSide, kSide});
  packets::clearColor(w, {0, 0, 0, 1});
  packets::useInputLayout(w, handle(), {reinterpret_cast<const uint8_t*>(kElements), sizeof kElements});
  packets::setTopology(w, AEROGPU_TOPOLOGY_TRIANGLELIST);
  renderState(kCullMode, 1u);  // D3DCULL_NONE
  renderState(kZEnable, 0u);
}

void Recorder::submit() {
  const FinishedSubmission done = m_harness.submit(w);
  w.reset();
  if (done.result.error_count == 0) return;
  std::string lines;
  for (const std::string& line : m_harness.takeGuestLines()) lines += "\n  " + line;
  fail("packets were refused:" + lines);
}

void Recorder::present() {
  packets::present(w);
  submit();
}

uint32_t Recorder::shader(const std::string& source, uint32_t stage) {
  const d3d9::Assembly assembly = d3d9::assemble(source);
  if (!assembly.ok()) fail(assembly.errorText() + "\n" + source);
  const uint32_t made = handle();
  packets::createShader(w, made, stage, assembly.tokens);
  return made;
}

void Recorder::shaders(const std::string& vertex, const std::string& pixel) {
  const uint32_t vs = shader(vertex, AEROGPU_SHADER_STAGE_VERTEX);
  packets::bindShaders(w, vs, shader(pixel, AEROGPU_SHADER_STAGE_PIXEL));
}

void Recorder::showColors() {
  shaders(kPassThrough, "ps_2_0\ndcl v0\nmov oC0, v0\n");
}

void Recorder::showTexture() {
  shaders(kPassThrough, "ps_2_0\ndcl t0.xy\ndcl_2d s0\ntexld r0, t0, s0\nmov oC0, r0\n");
}

uint32_t Recorder::texture(aerogpu_format format, uint32_t width, uint32_t height,
                           const std::vector<uint8_t>& bytes, uint32_t mips, uint32_t layers) {
  const uint32_t made = handle();
  Harness::createTexture(w, made, format, width, height,
                         AEROGPU_RESOURCE_USAGE_TEXTURE | AEROGPU_RESOURCE_USAGE_RENDER_TARGET, mips, layers);
  if (!bytes.empty()) packets::upload(w, made, 0, bytes);
  return made;
}

uint32_t Recorder::buffer(const void* bytes, size_t size, uint32_t usage) {
  const uint32_t made = handle();
  packets::createBuffer(w, made, (size + 3) & ~size_t{3}, usage);
  packets::upload(w, made, 0, {static_cast<const uint8_t*>(bytes), size});
  return made;
}

void Recorder::bindVertices(const std::vector<Vertex>& vertices) {
  packets::setVertexBuffer(
      w, 0, buffer(vertices.data(), vertices.size() * sizeof(Vertex), AEROGPU_RESOURCE_USAGE_VERTEX_BUFFER),
      sizeof(Vertex));
}

void Recorder::draw(const std::vector<Vertex>& vertices, uint32_t topology) {
  bindVertices(vertices);
  packets::setTopology(w, topology);
  packets::draw(w, static_cast<uint32_t>(vertices.size()));
}

Vertex Recorder::vertex(double x, double y, uint32_t color, double z, double u, double v) {
  // Direct3D 9 has pixels' centres on whole numbers.
  return {static_cast<float>((x - 0.5) / (kSide / 2.0) - 1),
          static_cast<float>(1 - (y - 0.5) / (kSide / 2.0)),
          static_cast<float>(z),
          1,
          color,
          static_cast<float>(u),
          static_cast<float>(v)};
}

std::vector<Vertex> Recorder::quad(double x0, double y0, double x1, double y1, uint32_t color, double z,
                                   double u, double v) {
  const Vertex a = vertex(x0, y0, color, z, 0, 0), b = vertex(x1, y0, color, z, u, 0),
               c = vertex(x0, y1, color, z, 0, v), d = vertex(x1, y1, color, z, u, v);
  return {a, b, c, c, b, d};
}

void Recorder::renderState(uint32_t state, float value) {
  renderState(state, std::bit_cast<uint32_t>(value));
}

Allocation Recorder::memory(const std::vector<uint8_t>& bytes) {
  const Allocation made = m_harness.allocate(bytes.size());
  std::copy(bytes.begin(), bytes.end(), m_harness.bytes(made).begin());
  return made;
}

}  // namespace aerogpu::test
