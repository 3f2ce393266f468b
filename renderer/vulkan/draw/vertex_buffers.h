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

  /// Determines what the vertex shader fetches with the bound input layout.
  Result<void> match(const core::DrawState& state, const DrawShaders& shaders);
  const VertexFetch& fetch() const { return m_fetch; }
  /// True if match() has changed the fetch since bind().
  bool changed() const { return m_changed; }
  /// Sets the next draw's own vertices and indices in place of stream 0 and the index buffer (null: none).
  /// They are copied to staging memory of the open batch; may hand it over and open another.
  Result<void> bring(const core::InlineDraw* draw);
  bool brought() const { return m_brought.vertices.block != nullptr; }
  /// True if the draw's own vertices follow those of an earlier draw in memory, and that draw's bindings
  /// still hold. Call it when match() is up to date.
  bool goesOn() const {
    return m_brought.run && !m_changed && m_bound.run == m_brought.run &&
           m_bound.stride == m_brought.stride && m_bound.commands == m_gpu.recorder->commandBufferId() &&
           fetchesOnlyBrought();
  }
  /// The vertices that a draw fetches: `count` vertices from number `first` on; or, if `indexed`, those that
  /// `count` indices from index `first` on name, each index plus `base`.
  struct Drawn {
    bool indexed = false;
    uint32_t first = 0, count = 0;
    int32_t base = 0;
  };
  /// Makes GPU writes to the buffers visible to fetches; may end the render pass.
  void gather(const core::DrawState& state, bool indexed);
  /// Notes a draw's fetches, and locates their bytes; may end the render pass. `movable`: vertices may get
  /// other numbers, which shaders that read them would notice.
  Result<void> ready(const core::DrawState& state, const Drawn& drawn, bool movable);
  /// True if the streams, or the indices, must be bound anew: they moved now or in the previous draw.
  bool streamsMoved() const { return m_moved.streams || m_wasMoved.streams; }
  bool indicesMoved() const { return m_moved.indices || m_wasMoved.indices; }
  /// Returns `drawn` as it must be recorded with the current bindings.
  Drawn recorded(Drawn drawn) const {
    if (m_moved.streams && drawn.indexed) drawn.base -= m_moved.vertex;
    if (m_moved.indices || (m_moved.streams && !drawn.indexed)) drawn.first = 0;
    if (m_bound.run && m_bound.run == m_brought.run) drawn.first += m_brought.firstOfRun;
    return drawn;
  }
  /// Binds streams and indices. `fresh`: this command buffer has no bindings yet.
  Result<void> bind(const core::DrawState& state, bool fresh);
  Result<void> bindIndices(const core::DrawState& state);
  /// Releases guest objects.
  void reset() {
    m_vs = 0;
    m_layout.reset();
  }

private:
  /// Finds the lowest and the highest number among the draw's indices; false if they are unknown.
  bool rangeOfIndices(const core::DrawState& state, const Drawn& drawn, uint32_t& least,
                      uint32_t& most) const;
  /// The bytes that a binding fetches from `first` to `last` (vertices); may be empty.
  struct Span {
    uint64_t lo, hi;
  };
  Span spanOf(uint32_t binding, const core::VertexStream& stream, uint64_t size, uint64_t first,
              uint64_t last) const;
  bool stepsChanged(const core::DrawState& state) const;
  /// True if the shader reads only whole vertices of stream 0, one for each vertex.
  bool fetchesOnlyBrought() const {
    return m_fetch.bindingCount == 1 && m_fetch.streams[0] == 0 && m_fetch.divisors[0] == ~0u &&
           m_fetch.extents[0] <= m_brought.stride;
  }
  Result<void> appendToRun(const core::InlineDraw& draw);
  /// If the draw fetches beyond its own vertices, gives them memory that ends with them.
  Result<void> boundBrought(const core::DrawState& state, const Drawn& drawn);

  Gpu& m_gpu;
  const StandIns& m_standIns;
  VertexFetch m_fetch;
  uint64_t m_vs = 0;  ///< module and layout of m_fetch
  core::Ref<core::InputLayout> m_layout;
  bool m_changed = true;
  struct {
    MemoryRange vertices, indices;
    uint64_t vertexBytes = 0;
    uint32_t stride = 0;
    bool is32Bit = false;
    uint64_t run = 0;         ///< number of their run; 0: none
    uint32_t firstOfRun = 0;  ///< number of the first vertex in it
  } m_brought;                ///< of the current draw
  /// Vertices of consecutive draws without indices, of one stride: bound once for many draws.
  static constexpr uint64_t kRunBytes = uint64_t{64} << 10;
  struct {
    MemoryRange memory;
    uint64_t number = 0, used = 0, batch = 0;
    uint32_t stride = 0, vertices = 0;
  } m_run;
  struct {
    uint64_t run = 0, commands = 0;  ///< 0: another buffer
    uint32_t stride = 0;
  } m_bound;  ///< in stream 0
  /// The places of vertices and indices that the draw fetches from a window (BufferObject).
  struct Moved {
    bool streams = false, indices = false;
    int32_t vertex = 0;  ///< the first vertex of all streams
    uint64_t index = 0;  ///< byte of the buffer at which the indices begin
  };
  Moved m_moved, m_wasMoved;
  bool m_movable = false;                                                             ///< of ready()
  std::array<VkDeviceSize, VertexFetch::kMax> m_strides{};                            ///< as last set
  std::array<VkVertexInputBindingDescription2EXT, VertexFetch::kMax> m_bindings;      // scratch
  std::array<VkVertexInputAttributeDescription2EXT, VertexFetch::kMax> m_attributes;  // scratch
};

}  // namespace aerogpu::vk
