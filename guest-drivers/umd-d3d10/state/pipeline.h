// SPDX-License-Identifier: MIT
// pipeline.h: the state that the program wants, and draws. A draw sends what differs from the device's state; one word
// says whether anything does, so that a draw that changes nothing costs only its own packet.
#pragma once

#include "guest-drivers/umd-d3d10/state/input.h"
#include "guest-drivers/umd-d3d10/state/output.h"
#include "guest-drivers/umd-d3d10/state/stage.h"

namespace aero {

class Pipeline {
public:
  explicit Pipeline(DeviceObjects &objects) : m_objects(objects) {}

  void setVertexShader(const Shader *shader) { setShader(m_vertexShader, shader); }
  void setPixelShader(const Shader *shader) { setShader(m_pixelShader, shader); }
  void setGeometryShader(const Shader *shader) {
    if ((shader ? shader->streams : nullptr) != (m_geometryShader ? m_geometryShader->streams : nullptr))
      m_dirty |= kStreams;
    setShader(m_geometryShader, shader);
    noteGeometry();
  }
  /** Sends all four at once: an offset counts when it is set (SO-6). */
  HRESULT setStreamTargets(UINT count, const D3D10DDI_HRESOURCE *buffers, const UINT *offsets);
  /** Follows each change of what the geometry stage has bound, which is sent only while it has a shader. */
  void noteGeometry() {
    if (m_geometryShader && m_geometryDirty) m_dirty |= kGeometryStage;
  }
  /** The identities of resources have changed. */
  void rotated();

  HRESULT draw(UINT vertices, UINT instances, UINT firstVertex, UINT firstInstance);
  HRESULT drawAuto();
  HRESULT drawIndexed(UINT indices, UINT instances, UINT firstIndex, INT baseVertex, UINT firstInstance);

private:
  static constexpr uint32_t kVertexStage = 1024, kPixelStage = 2048, kShaders = 4096, kGeometryStage = 8192,
                            kStreams = 16384;

  DeviceObjects &m_objects;
  uint32_t m_dirty = OutputState::kAll | InputState::kTopology | kShaders;
  uint32_t m_geometryDirty = 0;

public:
  OutputState output{m_objects, m_dirty};
  InputState input{m_objects, m_dirty};
  StageState vertex{m_objects, m_dirty, kVertexStage, AEROGPU_SHADER_STAGE_VERTEX};
  StageState pixel{m_objects, m_dirty, kPixelStage, AEROGPU_SHADER_STAGE_PIXEL};
  StageState geometry{m_objects, m_geometryDirty, kGeometryStage, AEROGPU_SHADER_STAGE_GEOMETRY};

private:
  void setShader(const Shader *&slot, const Shader *shader) {
    if (slot == shader) return;
    slot = shader;
    m_dirty |= kShaders;
  }
  /** Sends what is dirty, makes room for a packet of `bytes`, and lists the memory that it touches. */
  HRESULT prepare(size_t bytes) {
    Context &context = m_objects.context;
    if (!m_dirty && m_listedBatch == context.batch() && bytes <= context.room()) return kOk;
    return prepareAll(bytes);
  }
  HRESULT prepareAll(size_t bytes);
  HRESULT send();
  HRESULT sendStreams();

  struct Listed {
    Resource *resource;
    bool isWritten;
  };
  const Shader *m_vertexShader = nullptr, *m_geometryShader = nullptr, *m_pixelShader = nullptr;
  Array<Listed> m_crossing;    // what is bound and crosses contexts
  uint64_t m_listedBatch = 0;  // the batch that lists it
};

}  // namespace aero
