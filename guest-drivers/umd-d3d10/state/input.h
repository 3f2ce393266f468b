// SPDX-License-Identifier: MIT
// input.h: where vertices come from: vertex buffers, index buffer, layout, topology.
#pragma once

#include "guest-drivers/umd-d3d10/shaders/shader.h"
#include "guest-drivers/umd-d3d10/state/stage.h"

namespace aero {

class InputState {
public:
  static constexpr uint32_t kSlots = 32;
  // Bits of the word of dirty state.
  static constexpr uint32_t kVertexBuffers = 64, kIndexBuffer = 128, kLayout = 256, kTopology = 512, kAll = 960;

  InputState(DeviceObjects &objects, uint32_t &dirty) : m_objects(objects), m_dirty(dirty) {}

  void setVertexBuffers(UINT first, UINT count, const D3D10DDI_HRESOURCE *buffers, const UINT *strides,
                        const UINT *offsets);
  void setIndexBuffer(Resource *buffer, DXGI_FORMAT format, UINT offset);
  void setLayout(const ElementLayout *layout);
  void setTopology(D3D10_DDI_PRIMITIVE_TOPOLOGY topology);
  bool hasIndices() const { return m_indices != nullptr; }
  bool hasTopology() const { return m_topology != 0; }

  HRESULT send();

private:
  struct Stream {
    Resource *buffer;
    UINT stride, offset;
  };

  DeviceObjects &m_objects;
  uint32_t &m_dirty;
  Stream m_streams[kSlots] = {};
  SlotRange m_dirtyStreams;
  Resource *m_indices = nullptr;
  uint32_t m_indexFormat = AEROGPU_INDEX_FORMAT_UINT16;
  UINT m_indexOffset = 0;
  const ElementLayout *m_layout = nullptr;
  uint32_t m_topology = 0;
};

}  // namespace aero
