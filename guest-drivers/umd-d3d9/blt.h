// SPDX-License-Identifier: MIT
// blt.h: copies between resources: straight ones by the device's copies, others by a draw of the driver's own, and
// those between memory of the runtime's and the device.
#pragma once

#include "draw.h"

namespace aero {

class Blits {
public:
  Blits(Wire &wire, Pipeline &pipeline, Draws &draws) : m_wire(wire), m_pipeline(pipeline), m_draws(draws) {}
  void destroy();

  HRESULT blt(const D3DDDIARG_BLT &args);
  HRESULT colorFill(const D3DDDIARG_COLORFILL &args);
  /** A texture of the runtime's to one on the device, with all levels that both have. */
  HRESULT texBlt(const D3DDDIARG_TEXBLT &args);
  HRESULT bufBlt(const D3DDDIARG_BUFFERBLT &args);

private:
  struct Mapping {
    Rect from, to;
    bool linear, mirrorX, mirrorY, toSrgb;
  };

  HRESULT result(bool sent);
  HRESULT videoToVideo(Surface &from, Surface &to, const Mapping &mapping);
  bool drawMapped(Surface &from, uint32_t fromView, Surface &to, const Mapping &mapping);
  bool makeObjects();

  Wire &m_wire;
  Pipeline &m_pipeline;
  Draws &m_draws;
  Shader m_vertexShader, m_pixelShader;
  uint32_t m_layout = 0;
};

}  // namespace aero
