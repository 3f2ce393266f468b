// SPDX-License-Identifier: MIT
// The scenes of DirectVk as command streams: D3D9 shaders, constants, textures.
#pragma once

#include <string>
#include <vector>

#include "renderer/bench/direct_vk.h"
#include "renderer/test/harness.h"

namespace aerogpu::bench {

std::vector<uint32_t> assemble(const std::string& text);
/// Creates a layout for kQuad's vertices; the shader places them by constant 0.
uint32_t createQuadLayout(CommandWriter& w, test::Harness& harness);
uint32_t createQuadShader(CommandWriter& w, test::Harness& harness);

/// Owns the objects of the scenes in one renderer.
class Scene {
public:
  Scene(const char* backend, uint32_t width, uint32_t height);
  bool ok() const { return m_ready; }
  test::Harness& harness() { return m_harness; }

  /// Returns the stream of one frame. Built once: the benchmark measures the renderer, not the writer.
  CommandWriter frame(std::span<const DirectVk::Draw> draws, bool blend);
  /// Sets state for draws from stream 0, whose vertices are at their places.
  void setOneState(CommandWriter& w, uint32_t texture = 0);
  /// Submits and waits; false after an error.
  bool run(const CommandWriter& stream) {
    const bool good = m_harness.submit(stream).result.error_count == 0;
    m_harness.takeFinished();
    return good;
  }
  uint32_t target() const { return m_target; }

private:
  void createObjects(uint32_t width, uint32_t height);

  test::Harness m_harness;
  bool m_ready = false;
  uint32_t m_target = 0, m_vertices = 0, m_layout = 0, m_vs = 0;
  uint32_t m_ps[DirectVk::kPipelines] = {}, m_textures[DirectVk::kTextures] = {};
};

}  // namespace aerogpu::bench
