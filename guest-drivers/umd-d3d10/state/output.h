// SPDX-License-Identifier: MIT
// output.h: where draws go and how: targets, blending, depth and stencil, rasterizer, viewports, scissors. Only a
// geometry shader chooses another viewport than the first; where the device has one, the others are not sent.
#pragma once

#include "guest-drivers/umd-d3d10/state/state_objects.h"
#include "guest-drivers/umd-d3d10/views/view.h"

namespace aero {

class OutputState {
public:
  OutputState(DeviceObjects &objects, uint32_t &dirty) : m_objects(objects), m_dirty(dirty) {}

  // Bits of the word of dirty state.
  static constexpr uint32_t kBlend = 1, kDepth = 2, kRasterizer = 4, kTargetsBit = 8, kViewport = 16, kScissor = 32;
  static constexpr uint32_t kAll = 63;

  void setTargets(View *const *colors, uint32_t count, View *depth);
  void setBlend(const BlendState *state, const FLOAT *factor, UINT sampleMask);
  void setDepthStencil(const DepthStencilState *state, UINT reference);
  void setRasterizer(const RasterizerState *state);
  void setViewports(const D3D10_DDI_VIEWPORT *viewports, UINT count);
  void setScissors(const D3D10_DDI_RECT *rects, UINT count);
  /** The identities of resources have changed. */
  void rotated() { m_dirty |= kTargetsBit; }

  /** Sends what is dirty. */
  HRESULT send();
  /** Calls `use(resource)` for each target. */
  template <class Use> void forEach(Use use) const {
    for (View *view : m_colors)
      if (view) use(view->resource());
    if (m_depthTarget) use(m_depthTarget->resource());
  }

private:
  UINT fewer(UINT count) const;
  HRESULT sendTargets();
  HRESULT sendBlend();
  bool sendDepth();
  bool sendRasterizer();
  bool sendViewports();
  bool sendScissors();
  bool sendStates(const uint32_t (*states)[2], uint32_t count);

  DeviceObjects &m_objects;
  uint32_t &m_dirty;
  View *m_colors[kTargets] = {};
  View *m_depthTarget = nullptr;
  uint32_t m_colorCount = 0;
  BlendState m_blend;
  float m_factor[4] = {1, 1, 1, 1};
  UINT m_sampleMask = 0xFFFFFFFF;
  DepthStencilState m_depth;
  UINT m_reference = 0;
  RasterizerState m_rasterizer;
  static constexpr UINT kMostViewports = 16;  // D3D10_VIEWPORT_AND_SCISSORRECT_OBJECT_COUNT_PER_PIPELINE
  D3D10_DDI_VIEWPORT m_viewports[kMostViewports] = {{0, 0, 0, 0, 0, 1}};
  D3D10_DDI_RECT m_scissors[kMostViewports] = {};
  UINT m_viewportCount = 1, m_scissorCount = 1;  // that are set
};

}  // namespace aero
