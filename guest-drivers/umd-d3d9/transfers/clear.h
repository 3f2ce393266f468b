// SPDX-License-Identifier: MIT
// clear.h: Clear. The device clears what its viewport and scissor leave (DRAW-6), so a rectangle becomes a viewport.
// Several rectangles are one fill of each surface, if the device has fills (docs/abi/blit.md).
#pragma once

#include "guest-drivers/umd-d3d9/state/pipeline.h"

namespace aero {

/** Clears the bound targets. Only one call of a device at a time uses this. */
class Clears {
public:
  Clears(DeviceObjects &objects, Pipeline &pipeline) : m_objects(objects), m_pipeline(pipeline) {}

  /** Clears `count` rectangles at `rects`, or the viewport if `rects` is null. */
  HRESULT clear(const D3DDDIARG_CLEAR &args, uint32_t count, const RECT *rects);

private:
  bool fill(Surface &surface, const aerogpu_cmd_ext_fill &what, const RECT &bound, uint32_t count, const RECT *rects);
  bool fillBound(const aerogpu_cmd_clear &clear, const RECT &bound, uint32_t count, const RECT *rects);

  DeviceObjects &m_objects;
  Pipeline &m_pipeline;
};

}  // namespace aero
