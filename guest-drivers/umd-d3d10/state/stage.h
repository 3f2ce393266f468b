// SPDX-License-Identifier: MIT
// stage.h: what a shader stage has bound: constant buffers, textures, samplers.
#pragma once

#include "guest-drivers/umd-d3d10/state/state_objects.h"
#include "guest-drivers/umd-d3d10/views/view.h"

namespace aero {

/** A range of slots that differ from the device's. */
struct SlotRange {
  uint32_t begin = 0, end = 0;
  bool isEmpty() const { return begin == end; }
  void add(uint32_t slot) {
    if (isEmpty()) {
      begin = slot;
      end = slot + 1;
      return;
    }
    if (slot < begin) begin = slot;
    if (slot >= end) end = slot + 1;
  }
};

class StageState {
public:
  static constexpr uint32_t kBuffers = 14, kTextures = 128, kSamplers = 16;

  /** `bit`: of the word of dirty state, if any slot is dirty. `stage`: enum aerogpu_shader_stage. */
  StageState(DeviceObjects &objects, uint32_t &dirty, uint32_t bit, uint32_t stage)
      : m_objects(objects), m_dirty(dirty), m_bit(bit), m_stage(stage) {
    for (uint32_t i = 0; i < kSamplers; i++) m_dirtySamplers.add(i);  // Direct3D 10's defaults differ
    m_dirty |= bit;
  }

  void setBuffers(UINT first, UINT count, const D3D10DDI_HRESOURCE *buffers);
  void setTextures(UINT first, UINT count, const D3D10DDI_HSHADERRESOURCEVIEW *views);
  void setSamplers(UINT first, UINT count, const D3D10DDI_HSAMPLER *samplers);
  /** The identities of resources have changed. */
  void rotated();

  HRESULT send();
  template <class Use> void forEach(Use use) const {
    for (uint32_t i = 0; i < m_textureEnd; i++)
      if (m_textures[i]) use(m_textures[i]->resource());
  }

private:
  bool sendBuffers();
  bool sendTextures();
  bool sendSamplers();

  DeviceObjects &m_objects;
  uint32_t &m_dirty;
  const uint32_t m_bit, m_stage;
  Resource *m_buffers[kBuffers] = {};
  View *m_textures[kTextures] = {};
  SamplerState m_samplers[kSamplers];
  uint32_t m_textureEnd = 0;  // no texture is bound from here on
  SlotRange m_dirtyBuffers, m_dirtyTextures, m_dirtySamplers;
};

}  // namespace aero
