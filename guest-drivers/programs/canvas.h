// SPDX-License-Identifier: MIT
// canvas.h: draws for the cases of readback.exe: a target, a depth surface, and quads whose corners carry four values.
#pragma once

#include "guest-drivers/programs/program.h"

namespace programs {

constexpr uint32_t kCanvasSize = 256;

struct CanvasVertex {
  float x, y, z;  // in pixels, whose centres are whole numbers; depth
  float value[4];
};

/** Pixels x.. x+width-1, y.. y+height-1. */
struct Area {
  uint32_t x, y, width, height;
};
constexpr Area kWholeCanvas{0, 0, kCanvasSize, kCanvasSize};

/** Four values at each corner: upper left, upper right, lower left, lower right. */
struct QuadValues {
  float corner[4][4];
};
/** Returns one colour for all corners. */
QuadValues flat(uint32_t colour);
/** Returns texture coordinates from (u0, v0) at the upper left edge to (u1, v1) at the lower right. */
QuadValues coordinates(float u0, float v0, float u1, float v1);

enum class PixelKind { kValues, kTexture };

class Canvas {
public:
  /** Makes everything; prints what failed. */
  bool create(IDirect3DDevice9 *device);

  /** Resets target, depth surface and the states that the cases change: no blending, depth, scissor, culling; point
   * sampling of the first level, wrapped. Clears the target to 0. */
  bool reset();

  bool use(PixelKind kind);
  bool state(D3DRENDERSTATETYPE type, DWORD value);
  bool sampler(D3DSAMPLERSTATETYPE type, DWORD value);
  bool clear(uint32_t colour);
  /** Draws two triangles over an area, at one depth or from `z` on the left edge to `zRight` on the right. */
  bool quad(const Area &area, const QuadValues &values, float z = 0.5f);
  bool quad(const Area &area, const QuadValues &values, float z, float zRight);
  /** Draws triangles from `count` corners, at most kMaxVertices. */
  bool triangles(const CanvasVertex *vertices, uint32_t count);

  bool read(Picture *picture) { return readTarget(device_, target_.get(), picture); }
  IDirect3DDevice9 *device() const { return device_; }
  IDirect3DSurface9 *target() const { return target_.get(); }

  static constexpr uint32_t kMaxVertices = 96;

private:
  IDirect3DDevice9 *device_ = nullptr;
  ComPtr<IDirect3DSurface9> target_, depth_;
  ComPtr<IDirect3DVertexShader9> vertexShader_;
  ComPtr<IDirect3DPixelShader9> values_, texture_;
  ComPtr<IDirect3DVertexDeclaration9> declaration_;
  ComPtr<IDirect3DVertexBuffer9> vertices_;
};

/** Writes the two triangles over an area that Canvas::quad draws; six corners. */
void quadCorners(const Area &area, const QuadValues &values, float z, float zRight, CanvasVertex *out);

}  // namespace programs
