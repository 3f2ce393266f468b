// SPDX-License-Identifier: MIT
// contents_draw.h: draws the contents of contents.h.
#pragma once

#include "guest-drivers/programs/contents.h"
#include "guest-drivers/programs/painter.h"

namespace programs {

class ContentDrawer {
public:
  /** Makes the objects that this kind is drawn with; prints what failed. */
  bool create(IDirect3DDevice9 *device, ContentKind kind, uint32_t width, uint32_t height);
  /** Draws a frame into level 0 of a render target of this size. */
  bool draw(IDirect3DTexture9 *target, uint32_t frame);

private:
  bool gradient(const Gradient &part);
  bool drawTorus(uint32_t frame);
  bool drawWaves(uint32_t frame);
  bool drawBubbles(uint32_t frame);
  bool drawLife(uint32_t frame);

  IDirect3DDevice9 *device_ = nullptr;
  ContentKind kind_ = ContentKind::kWaves;
  uint32_t width_ = 0, height_ = 0;
  Painter painter_;
  ComPtr<IDirect3DPixelShader9> values_, waves_, textured_;
  ComPtr<IDirect3DTexture9> texture_;  // the bubble, or the cells (then it is dynamic)
};

}  // namespace programs
