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
  /// The vertices that were brought follow those of an earlier draw in memory, and what bind() bound for that
  /// one is in place for this one too. To be asked when match() is up to date.
  bool goesOn() const {
    return m_brought.run && !m_changed && m_bound.run == m_brought.run &&
           m_bound.stride == m_brought.stride && m_bound.commands == m_gpu.recorder->commandBufferId() &&
           fetchesOnlyBrought();
  }
  /// Which vertices a draw fetches: `count` from `first` on, or by that many indices from `first` on, to each
  /// of which `base` is added.
  struct Drawn {
    bool indexed = false;
    uint32_t first = 0, count = 0;
    int32_t base = 0;
  };
  /// Makes GPU writes to the buffers visible to fetches; may end the render pass.
  void gather(const core::DrawState& state, bool indexed);
  /// Of each draw: notes what it fetches, and looks up where that lies; may end the render pass.
  /// `movable`: vertices may be counted from another one on, which shaders that read their number see.
  Result<void> ready(const core::DrawState& state, const Drawn& drawn, bool movable);
  /// The streams, or the indices, are to be bound anew: they lie elsewhere now, or did in the draw before.
  bool streamsMoved() const { return m_moved.streams || m_wasMoved.streams; }
  bool indicesMoved() const { return m_moved.indices || m_wasMoved.indices; }
  /// `drawn` as it is to be recorded, with what is bound now.
  Drawn recorded(Drawn drawn) const {
    if (m_moved.streams && drawn.indexed) drawn.base -= m_moved.vertex;
    if (m_moved.indices || (m_moved.streams && !drawn.indexed)) drawn.first = 0;
    if (m_bound.run && m_bound.run == m_brought.run) drawn.first += m_brought.firstOfRun;
    return drawn;
  }
  /// `fresh`: nothing is set in this command buffer.
  Result<void> bind(const core::DrawState& state, bool fresh);
  Result<void> bindIndices(const core::DrawState& state);
  /// Lets go of guest objects.
  void reset() {
    m_vs = 0;
    m_layout.reset();
  }

private:
  /// The lowest and the highest number that the draw's indices name; false: not known.
  bool rangeOfIndices(const core::DrawState& state, const Drawn& drawn, uint32_t& least,
                      uint32_t& most) const;
  /// Bytes of a binding's stream from `first` to `last` (vertices); empty for one that fetches none.
  struct Span {
    uint64_t lo, hi;
  };
  Span spanOf(uint32_t binding, const core::VertexStream& stream, uint64_t size, uint64_t first,
              uint64_t last) const;
  bool stepsChanged(const core::DrawState& state) const;
  /// The shader reads nothing but whole vertices of stream 0, one for each vertex.
  bool fetchesOnlyBrought() const {
    return m_fetch.bindingCount == 1 && m_fetch.streams[0] == 0 && m_fetch.divisors[0] == ~0u &&
           m_fetch.extents[0] <= m_brought.stride;
  }
  Result<void> appendToRun(const core::InlineDraw& draw);
  /// Gives vertices that were brought, and that the draw fetches beyond, memory that ends where they do.
  Result<void> boundBrought(const core::DrawState& state, const Drawn& drawn);

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
    uint64_t run = 0;         ///< number of the run that they are part of; 0: none
    uint32_t firstOfRun = 0;  ///< vertex in it
  } m_brought;                ///< of the draw that is being recorded
  /// Vertices without indices of draws one after the other, of one stride: bound once for many draws.
  static constexpr uint64_t kRunBytes = uint64_t{64} << 10;
  struct {
    MemoryRange memory;
    uint64_t number = 0, used = 0, batch = 0;
    uint32_t stride = 0, vertices = 0;
  } m_run;
  struct {
    uint64_t run = 0, commands = 0;  ///< 0: something else
    uint32_t stride = 0;
  } m_bound;  ///< to stream 0
  /// Where the draw's vertices and indices lie if not at home (BufferObject).
  struct Moved {
    bool streams = false, indices = false;
    int32_t vertex = 0;  ///< the one that all streams begin with
    uint64_t index = 0;  ///< the byte of the buffer that the indices begin with
  };
  Moved m_moved, m_wasMoved;
  bool m_movable = false;                                                             ///< of ready()
  std::array<VkDeviceSize, VertexFetch::kMax> m_strides{};                            ///< that are set
  std::array<VkVertexInputBindingDescription2EXT, VertexFetch::kMax> m_bindings;      // scratch
  std::array<VkVertexInputAttributeDescription2EXT, VertexFetch::kMax> m_attributes;  // scratch
};

}  // namespace aerogpu::vk
