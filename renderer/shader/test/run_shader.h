// SPDX-License-Identifier: MIT
// Shortcuts of the execution tests: one GPU for the whole program, one pixel a vertex, comparison of pixels.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "renderer/shader/test/shader_gpu.h"

namespace aerogpu::shader::test {

/// Returns the device, or null after a test failure. It is never destroyed: leak checkers can name a driver's
/// leaks only while its library is loaded.
inline ShaderGpu* gpu() {
  static std::string error;
  static ShaderGpu* const instance = ShaderGpu::create(error).release();
  EXPECT_TRUE(instance) << error;
  return instance;
}

/// Draws and expects no error.
inline Picture render(const Draw& draw) {
  Picture picture;
  if (gpu()) picture = gpu()->draw(draw);
  EXPECT_EQ(picture.error, "") << draw.vs << "\n" << draw.ps;
  const size_t pixels = size_t{draw.width} * draw.height;
  for (auto& target : picture.color) target.resize(pixels);
  picture.depth.resize(pixels);
  return picture;
}

/// Returns the clip-space position of the centre of pixel (x, y) of a target, y down.
inline Vec4 pixelCentre(uint32_t x, uint32_t y, uint32_t width, uint32_t height, float z = 0) {
  const auto along = [](uint32_t at, uint32_t size) {
    return (static_cast<float>(at) + 0.5f) / static_cast<float>(size) * 2;
  };
  return {along(x, width) - 1, 1 - along(y, height), z, 1};
}

/// Makes a row of points, one a pixel: v0 is the position, v1, v2, ... the row's values.
inline void setRow(Draw& draw, const std::vector<std::vector<Vec4>>& rows) {
  draw.topology = VK_PRIMITIVE_TOPOLOGY_POINT_LIST;
  draw.width = static_cast<uint32_t>(rows.size());
  draw.height = 1;
  draw.vertices.clear();
  for (uint32_t i = 0; i < rows.size(); ++i) {
    std::vector<Vec4> vertex{pixelCentre(i, 0, draw.width, 1)};
    vertex.insert(vertex.end(), rows[i].begin(), rows[i].end());
    draw.vertices.push_back(std::move(vertex));
  }
}

/// Makes two triangles over the whole target. `value` gives v1 at a corner, x and y in pixels;
/// counter-clockwise on screen if `back`.
template <class Value>
void setQuad(Draw& draw, uint32_t width, uint32_t height, Value value, bool back = false) {
  draw.topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST;
  draw.width = width;
  draw.height = height;
  draw.vertices.clear();
  const float corners[6][2] = {{0, 0}, {1, 0}, {0, 1}, {0, 1}, {1, 0}, {1, 1}};
  for (int i = 0; i < 6; ++i) {
    const float* c = corners[back ? 5 - i : i];
    draw.vertices.push_back({{c[0] * 2 - 1, 1 - c[1] * 2, 0, 1},
                             value(c[0] * static_cast<float>(width), c[1] * static_cast<float>(height))});
  }
}

inline void expectNear(const Vec4& actual, const Vec4& expected, float relative, const std::string& where) {
  for (int i = 0; i < 4; ++i) {
    const float allowed = relative * std::max(1.0f, std::fabs(expected[i]));
    EXPECT_TRUE(std::fabs(actual[i] - expected[i]) <= allowed)
        << where << " component " << i << ": got " << actual[i] << ", expected " << expected[i];
  }
}

/// Returns a vertex shader of model 3 that passes v1..vN on as TEXCOORD0..N-1.
inline std::string passThrough(uint32_t values) {
  std::string s = "vs_3_0\ndcl_position v0\ndcl_position o0\n", body = "mov o0, v0\n";
  for (uint32_t i = 0; i < values; ++i) {
    const std::string n = std::to_string(i), r = std::to_string(i + 1);
    for (const char* file : {" v", " o"})
      s.append("dcl_texcoord").append(n).append(file).append(r).append("\n");
    body.append("mov o").append(r).append(", v").append(r).append("\n");
  }
  return s + body;
}

/// Runs `body` (declarations included) in a ps_3_0 with v0..v(N-1) = the values of the row; returns pixels of
/// oC0.
inline std::vector<Vec4> runPixel(const std::string& body, const std::vector<std::vector<Vec4>>& rows,
                                  Draw draw = {}) {
  const auto values = static_cast<uint32_t>(rows.at(0).size());
  draw.vs = passThrough(values);
  draw.ps = "ps_3_0\n";
  for (uint32_t i = 0; i < values; ++i)
    draw.ps += "dcl_texcoord" + std::to_string(i) + " v" + std::to_string(i) + "\n";
  draw.ps += body;
  setRow(draw, rows);
  return render(draw).color[0];
}

/// Runs `body` in a vs_3_0 with v1..vN = the values of the row and o1 as result; returns pixels.
inline std::vector<Vec4> runVertex(const std::string& body, const std::vector<std::vector<Vec4>>& rows,
                                   Draw draw = {}) {
  draw.vs = "vs_3_0\ndcl_position v0\ndcl_position o0\ndcl_texcoord o1\n";
  for (size_t i = 0; i < rows.at(0).size(); ++i)
    draw.vs += "dcl_texcoord" + std::to_string(i) + " v" + std::to_string(i + 1) + "\n";
  draw.vs += "mov o0, v0\n" + body;
  draw.ps = "ps_3_0\ndcl_texcoord v0\nmov oC0, v0\n";
  setRow(draw, rows);
  return render(draw).color[0];
}

}  // namespace aerogpu::shader::test
