// SPDX-License-Identifier: MIT
// Vertex streams and the index buffer of a draw. Render thread only.
#pragma once

#include <array>

#include "renderer/vulkan/draw/shader_path.h"
#include "renderer/vulkan/draw/stand_ins.h"
#include "renderer/vulkan/objects/input_layout.h"

namespace aerogpu::vk {

class VertexBuffers {
public:
  VertexBuffers(Gpu& gpu, const StandIns& standIns) : m_gpu(gpu), m_standIns(standIns) {}

  /// Finds out what the vertex shader fetches with the bound input layout.
  Result<void> match(const core::DrawState& state, const DrawShaders& shaders);
  const VertexFetch& fetch() const { return m_fetch; }
  /// match() found something else since bind().
  bool changed() const { return m_changed; }
  /// Makes the buffers ready to be fetched; may end the render pass.
  void gather(const core::DrawState& state, bool indexed);
  Result<void> bind(const core::DrawState& state);
  Result<void> bindIndices(const core::DrawState& state);
  /// Lets go of guest objects.
  void reset() {
    m_vs = 0;
    m_layout.reset();
  }

private:
  Gpu& m_gpu;
  const StandIns& m_standIns;
  VertexFetch m_fetch;
  uint64_t m_vs = 0;  ///< m_fetch was made for this module and layout
  core::Ref<core::InputLayout> m_layout;
  bool m_changed = true;
  std::array<VkVertexInputBindingDescription2EXT, VertexFetch::kMax> m_bindings;      // scratch
  std::array<VkVertexInputAttributeDescription2EXT, VertexFetch::kMax> m_attributes;  // scratch
};

}  // namespace aerogpu::vk
