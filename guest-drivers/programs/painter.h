// SPDX-License-Identifier: MIT
// painter.h: draws triangles and quads in pixels onto any target, with four values at each corner.
#pragma once

#include <vector>

#include "guest-drivers/programs/program.h"

namespace programs {

struct PaintVertex {
  float x, y, z;   // pixels, whose centres are whole numbers; depth
  float value[4];  // passed to the pixel shader in t0
};

/** Pixels x.. x+width-1, y.. y+height-1; may lie partly outside of the target. */
struct Box {
  int x = 0, y = 0, width = 0, height = 0;
};

/** Texture coordinates at a quad's edges. The default is the whole texture. */
struct Span {
  float u0 = 0, v0 = 0, u1 = 1, v1 = 1;
};

class Painter {
public:
  /** Makes everything; prints what failed. */
  bool create(IDirect3DDevice9 *device);
  /** From now on triangles go to level 0 of `texture`, width x height pixels, which no stage has bound. No culling,
   * no depth, no blending; linear filters, clamped. */
  bool begin(IDirect3DTexture9 *texture, uint32_t width, uint32_t height);
  bool end() { return ok(device_->EndScene(), "EndScene"); }

  bool pixelShader(IDirect3DPixelShader9 *shader) { return ok(device_->SetPixelShader(shader), "SetPixelShader"); }
  bool texture(DWORD stage, IDirect3DTexture9 *texture) {
    return ok(device_->SetTexture(stage, texture), "SetTexture");
  }
  bool filter(DWORD stage, D3DTEXTUREFILTERTYPE type);
  /** Blends by D3DBLENDOP_ADD with these factors. */
  bool blend(D3DBLEND source, D3DBLEND destination);
  bool opaque() {
    return ok(device_->SetRenderState(D3DRS_ALPHABLENDENABLE, FALSE), "SetRenderState(ALPHABLENDENABLE)");
  }

  bool triangles(const PaintVertex *vertices, uint32_t count);
  /** Draws two triangles. t0 has `first` in xy and `second`, reversed, in wz: ps_2_0 can swap them, not move them. */
  bool quad(const Box &box, const Span &first = {}, const Span &second = {});

  static constexpr uint32_t kMaxVertices = 8192;

private:
  IDirect3DDevice9 *device_ = nullptr;
  ComPtr<IDirect3DVertexShader9> vertexShader_;
  ComPtr<IDirect3DVertexDeclaration9> declaration_;
  ComPtr<IDirect3DVertexBuffer9> vertices_;
  uint32_t used_ = kMaxVertices;  // so the first lock discards
};

/** Makes a texture in the default pool with this picture. Prints what failed. */
bool uploadPicture(IDirect3DDevice9 *device, const Picture &picture, ComPtr<IDirect3DTexture9> *texture);

}  // namespace programs
