// SPDX-License-Identifier: MIT
// A trace of one feature and its expected picture: packets go through a renderer on the null back end, which
// captures them, and the test's own model of the feature paints the picture. One thread.
#pragma once

#include <array>
#include <functional>
#include <string>
#include <vector>

#include "aerogpu/d3d9/states.h"
#include "renderer/test/harness.h"

namespace aerogpu::test {

inline constexpr uint32_t kSide = 64;  ///< of the picture, pixels

/// Red, green, blue, 0 to 1.
using Rgb = std::array<double, 3>;

struct Picture {
  std::vector<Rgb> pixels = std::vector<Rgb>(size_t{kSide} * kSide);
  Rgb& at(uint32_t x, uint32_t y) { return pixels[size_t{y} * kSide + x]; }
  /// Fills pixels [x0, x1) x [y0, y1).
  void fill(uint32_t x0, uint32_t y0, uint32_t x1, uint32_t y1, const Rgb& color) {
    paint(x0, y0, x1, y1, [&](uint32_t, uint32_t) { return color; });
  }
  /// Paints pixels [x0, x1) x [y0, y1), each by its place.
  void paint(uint32_t x0, uint32_t y0, uint32_t x1, uint32_t y1,
             const std::function<Rgb(uint32_t x, uint32_t y)>& color) {
    for (uint32_t y = y0; y < y1; ++y)
      for (uint32_t x = x0; x < x1; ++x) at(x, y) = color(x, y);
  }
};

struct Vertex {
  float x, y, z, w;
  uint32_t color;  ///< D3DCOLOR
  float u, v;
};

constexpr uint32_t argb(uint32_t a, uint32_t r, uint32_t g, uint32_t b) {
  return a << 24 | r << 16 | g << 8 | b;
}
/// Returns a D3DCOLOR without its alpha.
constexpr Rgb rgbOf(uint32_t color) {
  return {(color >> 16 & 255) / 255.0, (color >> 8 & 255) / 255.0, (color & 255) / 255.0};
}

// kZEnable, kAddressU and so on: the numbers of the states.
#define AEROGPU_TEST_STATE(ENUMERATOR, NAME, NUMBER, ...) k##ENUMERATOR = NUMBER,
enum : uint32_t { AEROGPU_D3D9_RENDER_STATES(AEROGPU_TEST_STATE) };
enum : uint32_t { AEROGPU_D3D9_SAMPLER_STATES(AEROGPU_TEST_STATE) };
#undef AEROGPU_TEST_STATE

/// Passes position, colour and coordinates on.
inline constexpr const char* kPassThrough =
    "vs_2_0\ndcl_position v0\ndcl_color v1\ndcl_texcoord v2\nmov oPos, v0\nmov oD0, v1\nmov oT0, v2\n";

/// Records on its own renderer; a refused packet ends the process with its line.
class Recorder {
public:
  Recorder();

  Harness& harness() { return m_harness; }
  /// Makes a black shown target of kSide x kSide, the usual states, the layout of Vertex.
  void begin();
  uint32_t handle() { return m_harness.handle(); }
  /// The current stream; submit() ends it.
  CommandWriter w;
  void submit();
  /// Presents the target and submits.
  void present();

  uint32_t target() const { return m_target; }
  /// Assembles and binds shaders in place of the bound ones.
  void shaders(const std::string& vertex, const std::string& pixel);
  /// Binds kPassThrough, and a pixel shader that shows the colour, or s0's texel at the coordinates.
  void showColors();
  void showTexture();
  uint32_t texture(aerogpu_format format, uint32_t width, uint32_t height, const std::vector<uint8_t>& bytes,
                   uint32_t mips = 1, uint32_t layers = 1);
  uint32_t buffer(const void* bytes, size_t size, uint32_t usage);
  void draw(const std::vector<Vertex>& vertices, uint32_t topology = AEROGPU_TOPOLOGY_TRIANGLELIST);
  void bindVertices(const std::vector<Vertex>& vertices);
  /// Returns two triangles that cover pixels [x0, x1) x [y0, y1) exactly, with coordinates from 0 to `u`,
  /// `v`.
  static std::vector<Vertex> quad(double x0, double y0, double x1, double y1, uint32_t color, double z = 0.5,
                                  double u = 1, double v = 1);
  /// Returns a point of the picture, pixels' centres on whole numbers and a half, in clip space.
  static Vertex vertex(double x, double y, uint32_t color, double z = 0.5, double u = 0, double v = 0);
  void renderState(uint32_t state, uint32_t value) { packets::renderState(w, state, value); }
  void renderState(uint32_t state, float value);
  void samplerState(uint32_t state, uint32_t value, uint32_t slot = 0) {
    packets::samplerState(w, slot, state, value);
  }
  void bindTexture(uint32_t texture, uint32_t slot = 0) { packets::setTexture(w, slot, texture); }
  /// Returns guest memory with these bytes.
  Allocation memory(const std::vector<uint8_t>& bytes);

private:
  uint32_t shader(const std::string& source, uint32_t stage);

  Harness m_harness;
  Allocation m_memory;
  uint32_t m_target = 0;
};

/// A feature: its recording, and the picture.
struct Feature {
  const char* name;
  Picture (*record)(Recorder& r);
  /// The allowed error of a channel, in steps of 255: 1 if a GPU may round either way.
  int tolerance = 0;
};

/// The features of one file.
std::vector<Feature> d3d10Features();
std::vector<Feature> drawFeatures();
std::vector<Feature> outputFeatures();
std::vector<Feature> textureFeatures();
std::vector<Feature> verbFeatures();

}  // namespace aerogpu::test
