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
  /// The next draw brings vertices and indices in place of stream 0 and the index buffer (null: none). They
  /// are copied to staging memory of the batch that is open; may hand it over and open another.
  Result<void> bring(const core::InlineDraw* draw);
  bool brought() const { return m_brought.vertices.block != nullptr; }
  /// Makes the buffers ready to be fetched; may end the render pass.
  void gather(const core::DrawState& state, bool indexed);
  /// `fresh`: nothing is set in this command buffer.
  Result<void> bind(const core::DrawState& state, bool fresh);
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
  struct {
    MemoryRange vertices, indices;
    uint64_t vertexBytes = 0;
    uint32_t stride = 0;
    bool is32Bit = false;
  } m_brought;                                              ///< of the draw that is being recorded
  std::array<VkDeviceSize, VertexFetch::kMax> m_strides{};  ///< that are set
  std::array<VkVertexInputBindingDescription2EXT, VertexFetch::kMax> m_bindings;      // scratch
  std::array<VkVertexInputAttributeDescription2EXT, VertexFetch::kMax> m_attributes;  // scratch
};

}  // namespace aerogpu::vk
