// SPDX-License-Identifier: MIT
// Test support: a renderer on the Vulkan back end with validation on, shaders from D3D9 assembly, short forms
// of the packets. Failures of the back end, guest errors and validation messages fail the test that caused
// them.
#pragma once

#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <string>
#include <vector>

#include "aerogpu/d3d9/assembler.h"
#include "aerogpu/d3d9/states.h"
#include "renderer/test/harness.h"
#include "renderer/test/refusals.h"  // IWYU pragma: keep
#include "renderer/test/vulkan_device_rules.h"
#include "renderer/test/vulkan_double.h"

namespace aerogpu::test {

using Bytes = std::vector<uint8_t>;
using Pixel = std::array<uint8_t, 4>;  ///< in the order of memory

/// Returns 0..1 as a byte, to nearest.
inline uint8_t unorm8(float value) {
  return static_cast<uint8_t>(std::lround(value * 255));
}

/// One renderer for the tests of one file: lavapipe compiles each pipeline once.
class GpuTest : public ::testing::Test {
protected:
  static void SetUpTestSuite() {
    Harness::Options options;
    options.backend = "vulkan";
    options.flags = AEROGPU_RENDERER_VALIDATION | AEROGPU_RENDERER_LEND_GUEST_MEMORY;
    options.guestBytes = uint64_t{64} << 20;
    s_gpu = new Harness(options);
  }
  static void TearDownTestSuite() {
    delete s_gpu;
    s_gpu = nullptr;
  }
  void SetUp() override {
    ASSERT_TRUE(s_gpu && s_gpu->ok()) << (s_gpu ? s_gpu->createError() : "");
    m_context = s_nextContext++;  // fresh state for each test
  }
  void TearDown() override {
    if (!s_gpu || !s_gpu->ok()) return;
    for (const std::string& line : s_gpu->takeErrorLines()) ADD_FAILURE() << line;
    for (const std::string& rule : takeBrokenRules()) ADD_FAILURE() << "rule of the device broken: " << rule;
  }
  Harness& gpu() { return *s_gpu; }

  /// Runs the stream in `w` and expects no error.
  void run(CommandWriter& w) {
    const FinishedSubmission finished = gpu().submit(w, m_context);
    EXPECT_EQ(finished.result.error_count, 0u) << "code " << finished.result.last_error_code;
    w.reset();
  }
  /// Runs the stream and returns the code of the one error that must follow.
  uint32_t runForError(CommandWriter& w) {
    const FinishedSubmission finished = gpu().submit(w, m_context);
    EXPECT_EQ(finished.result.error_count, 1u);
    w.reset();
    return finished.result.last_error_code;
  }

  /// Returns AEROGPU_CAPS_* that the device announces.
  uint32_t capsFlags() {
    size_t size = 0;
    aerogpu_caps caps;
    std::memcpy(&caps, aerogpu_renderer_caps(gpu().renderer(), &size), sizeof caps);
    return caps.flags;
  }

  uint32_t texture(CommandWriter& w, aerogpu_format format, uint32_t width, uint32_t height,
                   uint32_t mips = 1, uint32_t layers = 1,
                   uint32_t usage = AEROGPU_RESOURCE_USAGE_TEXTURE | AEROGPU_RESOURCE_USAGE_RENDER_TARGET) {
    const uint32_t h = gpu().handle();
    Harness::createTexture(w, h, format, width, height, usage, mips, layers);
    return h;
  }
  uint32_t buffer(CommandWriter& w, const void* data, size_t size, uint32_t usage) {
    const uint32_t h = gpu().handle();
    packets::createBuffer(w, h, (size + 3) & ~size_t{3}, usage);
    packets::upload(w, h, 0, {static_cast<const uint8_t*>(data), size});
    return h;
  }
  template <class T>
  uint32_t vertexBuffer(CommandWriter& w, const std::vector<T>& data) {
    return buffer(w, data.data(), data.size() * sizeof(T), AEROGPU_RESOURCE_USAGE_VERTEX_BUFFER);
  }

  uint32_t shader(CommandWriter& w, const std::string& source) {
    const d3d9::Assembly assembly = d3d9::assemble(source);
    EXPECT_TRUE(assembly.ok()) << assembly.errorText();
    const uint32_t h = gpu().handle();
    const bool isPixel = source.find("ps_") < source.find("vs_");
    packets::createShader(w, h, isPixel ? AEROGPU_SHADER_STAGE_PIXEL : AEROGPU_SHADER_STAGE_VERTEX,
                          assembly.tokens);
    return h;
  }
  void bindShaders(CommandWriter& w, uint32_t vs, uint32_t ps) { packets::bindShaders(w, vs, ps); }
  struct Element {
    uint16_t stream, offset;
    uint8_t type, method, usage, index;
  };
  uint32_t layout(CommandWriter& w, std::vector<Element> elements) {
    elements.push_back({0xFF, 0, 17, 0, 0, 0});  // D3DDECL_END
    const uint32_t h = gpu().handle();
    packets::useInputLayout(w, h, {reinterpret_cast<const uint8_t*>(elements.data()), elements.size() * 8});
    return h;
  }
  void stream(CommandWriter& w, uint32_t slot, uint32_t buffer, uint32_t stride, uint32_t offset = 0) {
    packets::setVertexBuffer(w, slot, buffer, stride, offset);
  }
  void topology(CommandWriter& w, uint32_t t) { packets::setTopology(w, t); }
  void renderState(CommandWriter& w, uint32_t state, uint32_t value) {
    packets::renderState(w, state, value);
  }
  void renderState(CommandWriter& w, uint32_t state, float value) {
    renderState(w, state, std::bit_cast<uint32_t>(value));
  }
  void samplerState(CommandWriter& w, uint32_t slot, uint32_t state, uint32_t value,
                    uint32_t stage = AEROGPU_SHADER_STAGE_PIXEL) {
    packets::samplerState(w, slot, state, value, stage);
  }
  void setTexture(CommandWriter& w, uint32_t slot, uint32_t texture,
                  uint32_t stage = AEROGPU_SHADER_STAGE_PIXEL) {
    packets::setTexture(w, slot, texture, stage);
  }
  void constantsF(CommandWriter& w, uint32_t stage, uint32_t start,
                  const std::vector<std::array<float, 4>>& values) {
    packets::setConstantsF(w, stage, start, {values.empty() ? nullptr : values[0].data(), values.size() * 4});
  }
  void viewport(CommandWriter& w, float x, float y, float width, float height, float zMin = 0,
                float zMax = 1) {
    packets::setViewport(w, {x, y, width, height, zMin, zMax});
  }
  void scissor(CommandWriter& w, int32_t x, int32_t y, int32_t width, int32_t height) {
    w.packet(aerogpu_cmd_set_scissor{{}, x, y, width, height});
  }
  void draw(CommandWriter& w, uint32_t vertices, uint32_t instances = 1, uint32_t first = 0) {
    packets::draw(w, vertices, instances, first);
  }
  void drawIndexed(CommandWriter& w, uint32_t count, uint32_t first = 0, int32_t base = 0,
                   uint32_t instances = 1) {
    packets::drawIndexed(w, count, first, base, instances);
  }
  void clearColor(CommandWriter& w, float r, float g, float b, float a) {
    Harness::clear(w, AEROGPU_CLEAR_COLOR, r, g, b, a);
  }
  void target(CommandWriter& w, uint32_t color, uint32_t depth = 0) {
    if (color)
      packets::setTargets(w, std::array{color}, depth);
    else
      packets::setTargets(w, {}, depth);
  }
  Bytes read(uint32_t texture, aerogpu_format format, uint32_t width, uint32_t height, uint32_t mip = 0,
             uint32_t layer = 0) {
    return gpu().readTexture(texture, format, width, height, mip, layer);
  }
  static Pixel pixel(const Bytes& bytes, uint32_t width, uint32_t x, uint32_t y) {
    Pixel p{};
    const size_t at = (size_t{y} * width + x) * 4;
    if (at + 4 <= bytes.size()) std::memcpy(p.data(), bytes.data() + at, 4);
    return p;
  }
  /// Compares each channel within `tolerance`.
  static void expectNear(const Pixel& got, const Pixel& want, int tolerance, const std::string& what = "") {
    for (int i = 0; i < 4; ++i)
      EXPECT_NEAR(got[i], want[i], tolerance)
          << what << " byte " << i << " of " << +got[0] << "," << +got[1] << "," << +got[2] << "," << +got[3];
  }

  // kZEnable, kAddressU and so on: the numbers of the states.
#define AEROGPU_TEST_STATE(ENUMERATOR, NAME, NUMBER, ...) k##ENUMERATOR = NUMBER,
  enum : uint32_t { AEROGPU_D3D9_RENDER_STATES(AEROGPU_TEST_STATE) };
  enum : uint32_t { AEROGPU_D3D9_SAMPLER_STATES(AEROGPU_TEST_STATE) };
#undef AEROGPU_TEST_STATE

  static inline Harness* s_gpu = nullptr;
  static inline uint32_t s_nextContext = 1;
  uint32_t m_context = 0;
};

}  // namespace aerogpu::test
