// SPDX-License-Identifier: MIT
// blt.h: copies between resources, and fills them: with one packet if the device has blits and fills, else with plain
// copies, clears and the driver's own draws. Also copies between the runtime's memory and the device.
#pragma once

#include "guest-drivers/umd-d3d9/state/draw.h"

namespace aero {

class Blits {
public:
  Blits(DeviceObjects &objects, Pipeline &pipeline, Draws &draws)
      : m_objects(objects), m_pipeline(pipeline), m_draws(draws) {}
  void destroy();

  HRESULT blt(const D3DDDIARG_BLT &args);
  HRESULT colorFill(const D3DDDIARG_COLORFILL &args);
  /** Fills depth, as DirectDraw programs do to clear it. Returns E_NOTIMPL on devices without fills. */
  HRESULT depthFill(const D3DDDIARG_DEPTHFILL &args);
  HRESULT bufBlt(const D3DDDIARG_BUFFERBLT &args);
  /** Copies the depth that is bound to the texture of stage 0, of which samples are resolved. Does nothing if one of
   * them is missing or they do not fit. */
  HRESULT resolveDepth();

  /** The value of D3DRS_POINTSIZE that asks for resolveDepth(): "RESZ", as programs and D3D9On12
   * (src/9on12PipelineState.cpp) have it. */
  static constexpr uint32_t kResolveDepth = 0x7FA05000;

private:
  struct Mapping {
    Rect from, to;
    bool linear = false, mirrorX = false, mirrorY = false, toSrgb = false;
    bool hasKey = false;        // texels of the source that equal `key` are not copied
    bool hasTargetKey = false;  // only texels of the destination that equal `key` are written
    uint32_t key = 0;           // in the format of the memory

    bool isStraight() const {
      return from.width() == to.width() && from.height() == to.height() && !mirrorX && !mirrorY && !toSrgb && !hasKey &&
             !hasTargetKey;
    }
  };
  /** A texture for the duration of a copy; image.destroy() destroys it. */
  struct Temporary {
    Image image;
    Surface surface;
    bool create(DeviceObjects &objects, const FormatRow &format, const Rect &size, uint32_t usage);
  };

  HRESULT videoToVideo(Surface &from, Surface &to, const Mapping &mapping);
  HRESULT writeMapped(const FormatRow &format, const uint8_t *memory, uint32_t pitch, Surface &to,
                      const Mapping &mapping);
  HRESULT readMapped(Surface &from, const FormatRow &format, const Mapping &mapping, uint8_t *memory, uint32_t pitch);
  bool sendBlit(Surface &from, Surface &to, const Mapping &mapping);
  HRESULT fillBlocks(Surface &surface, const Rect &rect, uint32_t color);
  /** Fills a video surface. `argb`: a D3DCOLOR. */
  HRESULT fillVideo(Surface &surface, const RECT &area, uint32_t argb);
  aerogpu_cmd_ext_fill *appendFill(Surface &surface, const Rect &rect);
  bool drawMapped(Surface &from, uint32_t fromView, Surface &to, const Mapping &mapping);
  bool makeObjects();

  DeviceObjects &m_objects;
  Pipeline &m_pipeline;
  Draws &m_draws;
  Shader m_vertexShader, m_pixelShader;
  uint32_t m_layout = 0;
};

}  // namespace aero
