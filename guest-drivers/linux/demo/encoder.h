// SPDX-License-Identifier: MIT
// Encodes command streams, one packet per call; functions are named after packets. Bindings and states that
// are already set are not sent again, except for render targets, textures and constants.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "aerogpu/aerogpu_format.h"
#include "aerogpu/cmd_writer.hpp"
#include "aerogpu/d3d9/states.h"
#include "guest-drivers/linux/demo/layout.h"

namespace aerogpu::guest {

using d3d9::RenderStateType;

enum class SamplerMode { ClampPoint, ClampLinear, WrapLinear, WrapMip };

class Encoder {
public:
  explicit Encoder(CommandWriter& out) : m_out(out) {}

  void createBuffer(uint32_t handle, uint32_t usage, uint64_t size, uint32_t allocId);
  void createTexture(uint32_t handle, uint32_t usage, uint32_t format, uint32_t width, uint32_t height,
                     uint32_t mips, uint32_t pitch, uint32_t allocId);
  void dirtyRange(uint32_t handle, uint64_t offset, uint64_t size);
  void upload(uint32_t handle, uint64_t offset, const void* bytes, size_t size);
  /// Copies all of `source` (its size) to (x, y) of the destination.
  void copyTexture(uint32_t destination, uint32_t source, uint32_t width, uint32_t height, uint32_t x = 0,
                   uint32_t y = 0);
  /// Copies a rectangle to the same place of a texture of the same size.
  void copyRect(uint32_t destination, uint32_t source, const Rect& rect);
  void createShader(uint32_t handle, uint32_t stage, std::span<const uint32_t> tokens);
  /// `elements`: D3DVERTEXELEMENT9 with its end element.
  void createInputLayout(uint32_t handle, const void* elements, size_t bytes);

  void bindShaders(uint32_t vertex, uint32_t pixel);
  void inputLayout(uint32_t handle);
  void vertexBuffer(uint32_t handle, uint32_t stride);
  void indexBuffer(uint32_t handle);
  void topology(uint32_t topology);
  /// Sets the render target, and the viewport to all of it.
  void target(uint32_t color, uint32_t depth, uint32_t width, uint32_t height);
  void texture(uint32_t slot, uint32_t handle);
  void sampler(uint32_t slot, SamplerMode mode);
  void renderState(RenderStateType state, uint32_t value);
  template <class Enum>
  void renderState(RenderStateType state, Enum value) {
    renderState(state, static_cast<uint32_t>(value));
  }
  void vertexConstants(uint32_t first, std::span<const float> values);
  void pixelConstants(uint32_t first, std::span<const float> values);
  void clear(uint32_t flags, std::array<float, 4> color, float depth);
  void draw(uint32_t vertices, uint32_t first = 0);
  void drawIndexed(uint32_t indices, uint32_t first = 0, int32_t baseVertex = 0);
  /// Draws quads, each as two triangles of four vertices. The packet contains the vertices; the bound buffers
  /// stay.
  void drawQuadsInline(const void* vertices, uint32_t quads, uint32_t stride);
  /// Presents; the picture differs from the previous one in these rectangles.
  void presentVsync(std::span<const Rect> damage);

private:
  CommandWriter& m_out;
  std::vector<uint8_t> m_inline;
  std::array<uint32_t, 256> m_states{};  // value + 1, 0 = unknown
  std::array<int, 8> m_samplers{};       // mode + 1
  uint32_t m_vertexShader = 0, m_pixelShader = 0, m_layout = 0, m_vertices = 0, m_stride = 0, m_indices = 0,
           m_topology = 0;
};

}  // namespace aerogpu::guest
