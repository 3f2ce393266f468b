// SPDX-License-Identifier: MIT
// Vertices that the processor shades: reads their content (VertexReader), and runs the vertex shader of a draw, the
// program's or the fixed function's, on each (VertexProcessor). For ProcessVertices, and for draws with shaders that
// use more registers than the hardware has. Under the device's lock.
#pragma once

#include <memory>
#include <vector>

#include "testbed/d3d9-runtime/com/pipeline_state.h"
#include "testbed/d3d9-runtime/software/vertex_interpreter.h"

namespace aerogpu::runtime {

/// The vertices of a draw, readable while this lives.
class VertexReader {
public:
  VertexReader() = default;
  ~VertexReader();
  VertexReader(const VertexReader &) = delete;
  VertexReader &operator=(const VertexReader &) = delete;

  /// Locks the vertex buffers. With `user` that memory is stream 0, `userBytes` long.
  HRESULT open(const StateValues &values, const void *user, size_t userBytes, UINT userStride);
  /// Reads the element of a usage, as vertex shaders do; returns false if the declaration has none. Past the end of a
  /// buffer it reads zeros.
  bool read(UINT vertex, d3d9::Usage usage, UINT usageIndex, Float4 &out) const;

private:
  struct Source {
    BufferMemory *buffer = nullptr;  ///< locked
    const BYTE *bytes = nullptr;
    size_t size = 0;
    UINT stride = 0;
  };
  const Declaration *m_declaration = nullptr;
  Source m_sources[kStreams];
};

/// Runs the vertex shader of the state on single vertices.
class VertexProcessor {
public:
  /// Prepares the shader with the registers that it reads, those of software vertex processing included.
  HRESULT prepare(PipelineState &pipeline);
  bool process(const VertexReader &reader, UINT vertex, ShadedVertex &out) const;

private:
  std::vector<uint32_t> m_code;
  std::unique_ptr<VertexInterpreter> m_shader;
  std::vector<Float4> m_floats;
  d3d9::FixedVertexConstants m_fixed{};
  int32_t m_integers[kIntegers][4]{};
  uint32_t m_booleans[kBooleans]{};
};

}  // namespace aerogpu::runtime
