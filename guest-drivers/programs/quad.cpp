// SPDX-License-Identifier: MIT
// quad.exe: textured, blended quads that move over a gradient, out of one dynamic vertex buffer.
#include <cmath>
#include <cstring>

#include "guest-drivers/programs/raster.h"
#include "guest-drivers/programs/scene.h"
#include "guest-drivers/programs/texture.ps.h"
#include "guest-drivers/programs/values.ps.h"
#include "guest-drivers/programs/values.vs.h"

namespace programs {

namespace {

constexpr uint32_t kWidth = 320, kHeight = 240;
constexpr uint32_t kTexels = 16, kQuadPixels = 64;  // 4 pixels a texel: no pixel centre lies near a texel's edge
constexpr uint32_t kQuads = 8;
constexpr uint32_t kQuadVertices = 6;
constexpr uint32_t kBufferQuads = 10 * (kQuads + 1);

struct Vertex {
  float x, y, z;
  float value[4];  // texture coordinates, or the background's colour
};

constexpr D3DVERTEXELEMENT9 kElements[] = {{0, 0, D3DDECLTYPE_FLOAT3, D3DDECLMETHOD_DEFAULT, D3DDECLUSAGE_POSITION, 0},
                                           {0, 12, D3DDECLTYPE_FLOAT4, D3DDECLMETHOD_DEFAULT, D3DDECLUSAGE_TEXCOORD, 0},
                                           D3DDECL_END()};

/** A disc that fades out, over a pattern of colours. */
uint32_t texel(uint32_t x, uint32_t y) {
  const int dx = static_cast<int>(2 * x + 1) - static_cast<int>(kTexels);
  const int dy = static_cast<int>(2 * y + 1) - static_cast<int>(kTexels);
  const int distance = dx * dx + dy * dy;  // 2 to 450
  const int alpha = distance > 256 ? 0 : 255 - (distance * 3) / 4;
  return argb(static_cast<uint32_t>(alpha), 255 - 12 * x, 40 + 13 * y, (x ^ y) & 4 ? 230 : 60);
}

/** Returns where a quad's first pixel is; it moves back and forth between two ends. */
uint32_t bounce(uint32_t position, uint32_t room) {
  const uint32_t at = position % (2 * room);
  return at < room ? at : 2 * room - at;
}
uint32_t quadX(uint32_t quad, uint32_t frame) {
  return bounce(quad * 37 + frame * (1 + quad % 3), kWidth - kQuadPixels);
}
uint32_t quadY(uint32_t quad, uint32_t frame) {
  return bounce(quad * 53 + frame * (1 + quad % 2), kHeight - kQuadPixels);
}

/** Two triangles over pixels x.. x+width-1, y.. y+height-1, with values at the left, right, upper and lower edges. */
void writeQuad(Vertex *out, uint32_t x, uint32_t y, uint32_t width, uint32_t height, const float (*value)[4]) {
  const float left = static_cast<float>(x) - 0.5f, top = static_cast<float>(y) - 0.5f;
  const float right = left + static_cast<float>(width), bottom = top + static_cast<float>(height);
  const Vertex corner[4] = {
      {left, top, 0.5f, {}}, {right, top, 0.5f, {}}, {left, bottom, 0.5f, {}}, {right, bottom, 0.5f, {}}};
  const int order[kQuadVertices] = {0, 1, 2, 2, 1, 3};
  for (const int i : order) {
    *out = corner[i];
    std::memcpy(out->value, value[i], sizeof out->value);
    ++out;
  }
}

// The green channel counts rows down, blue up, so that each pixel has whole steps of 255.
constexpr float kRowTop = -0.5f / 255, kRowBottom = (kHeight - 0.5f) / 255, kLast = (kHeight - 1) / 255.0f;
constexpr float kBackgroundValues[4][4] = {{0.25f, kRowTop, kLast - kRowTop, 1},
                                           {0.25f, kRowTop, kLast - kRowTop, 1},
                                           {0.25f, kRowBottom, kLast - kRowBottom, 1},
                                           {0.25f, kRowBottom, kLast - kRowBottom, 1}};
constexpr float kTextureValues[4][4] = {{0, 0, 0, 0}, {1, 0, 0, 0}, {0, 1, 0, 0}, {1, 1, 0, 0}};

class Quads : public Scene {
public:
  bool create(IDirect3DDevice9 *device) override {
    float toClip[4];
    pixelsToClip(kWidth, kHeight, toClip);
    return ok(device->CreateVertexShader(reinterpret_cast<const DWORD *>(valuesVs), vertexShader_.put()),
              "CreateVertexShader") &&
           ok(device->CreatePixelShader(reinterpret_cast<const DWORD *>(valuesPs), background_.put()),
              "CreatePixelShader(background)") &&
           ok(device->CreatePixelShader(reinterpret_cast<const DWORD *>(texturePs), textured_.put()),
              "CreatePixelShader(textured)") &&
           ok(device->CreateVertexDeclaration(kElements, declaration_.put()), "CreateVertexDeclaration") &&
           ok(device->CreateVertexBuffer(sizeof(Vertex) * kQuadVertices * kBufferQuads,
                                         D3DUSAGE_DYNAMIC | D3DUSAGE_WRITEONLY, 0, D3DPOOL_DEFAULT, vertices_.put(),
                                         nullptr),
              "CreateVertexBuffer(DYNAMIC)") &&
           createTexture(device) &&
           ok(device->SetRenderState(D3DRS_CULLMODE, D3DCULL_NONE), "SetRenderState(CULLMODE)") &&
           ok(device->SetRenderState(D3DRS_ZENABLE, D3DZB_FALSE), "SetRenderState(ZENABLE)") &&
           ok(device->SetRenderState(D3DRS_SRCBLEND, D3DBLEND_SRCALPHA), "SetRenderState(SRCBLEND)") &&
           ok(device->SetRenderState(D3DRS_DESTBLEND, D3DBLEND_INVSRCALPHA), "SetRenderState(DESTBLEND)") &&
           ok(device->SetSamplerState(0, D3DSAMP_MINFILTER, D3DTEXF_POINT), "SetSamplerState(MINFILTER)") &&
           ok(device->SetSamplerState(0, D3DSAMP_MAGFILTER, D3DTEXF_POINT), "SetSamplerState(MAGFILTER)") &&
           ok(device->SetVertexShaderConstantF(0, toClip, 1), "SetVertexShaderConstantF") &&
           ok(device->SetVertexShader(vertexShader_.get()), "SetVertexShader") &&
           ok(device->SetVertexDeclaration(declaration_.get()), "SetVertexDeclaration") &&
           ok(device->SetTexture(0, texture_.get()), "SetTexture") &&
           ok(device->SetStreamSource(0, vertices_.get(), 0, sizeof(Vertex)), "SetStreamSource");
  }

  bool draw(IDirect3DDevice9 *device, uint32_t frame, uint32_t) override {
    if (!ok(device->SetPixelShader(background_.get()), "SetPixelShader") ||
        !ok(device->SetRenderState(D3DRS_ALPHABLENDENABLE, FALSE), "SetRenderState(ALPHABLENDENABLE)") ||
        !drawQuad(device, 0, 0, kWidth, kHeight, kBackgroundValues) ||
        !ok(device->SetPixelShader(textured_.get()), "SetPixelShader") ||
        !ok(device->SetRenderState(D3DRS_ALPHABLENDENABLE, TRUE), "SetRenderState(ALPHABLENDENABLE)"))
      return false;
    for (uint32_t i = 0; i < kQuads; ++i)
      if (!drawQuad(device, quadX(i, frame), quadY(i, frame), kQuadPixels, kQuadPixels, kTextureValues)) return false;
    return true;
  }

  Picture expectation(uint32_t frame) const override {
    Picture picture(kWidth, kHeight);
    for (uint32_t y = 0; y < kHeight; ++y)
      for (uint32_t x = 0; x < kWidth; ++x) picture.at(x, y) = argb(255, 64, y, kHeight - 1 - y);
    for (uint32_t i = 0; i < kQuads; ++i)
      for (uint32_t y = 0; y < kQuadPixels; ++y)
        for (uint32_t x = 0; x < kQuadPixels; ++x) {
          uint32_t &pixel = picture.at(quadX(i, frame) + x, quadY(i, frame) + y);
          pixel = blendOver(texel(x * kTexels / kQuadPixels, y * kTexels / kQuadPixels), pixel);
        }
    return picture;
  }

  // Each blend rounds, and up to five quads overlap.
  uint32_t tolerance() const override { return 2; }

private:
  bool createTexture(IDirect3DDevice9 *device) {
    ComPtr<IDirect3DTexture9> source;
    if (!ok(device->CreateTexture(kTexels, kTexels, 1, 0, D3DFMT_A8R8G8B8, D3DPOOL_SYSTEMMEM, source.put(), nullptr),
            "CreateTexture(SYSTEMMEM)") ||
        !ok(device->CreateTexture(kTexels, kTexels, 1, 0, D3DFMT_A8R8G8B8, D3DPOOL_DEFAULT, texture_.put(), nullptr),
            "CreateTexture(DEFAULT)"))
      return false;
    D3DLOCKED_RECT locked{};
    if (!ok(source->LockRect(0, &locked, nullptr, 0), "LockRect")) return false;
    for (uint32_t y = 0; y < kTexels; ++y)
      for (uint32_t x = 0; x < kTexels; ++x) {
        const uint32_t colour = texel(x, y);
        std::memcpy(static_cast<char *>(locked.pBits) + ptrdiff_t{locked.Pitch} * y + size_t{x} * 4, &colour, 4);
      }
    return ok(source->UnlockRect(0), "UnlockRect") &&
           ok(device->UpdateTexture(source.get(), texture_.get()), "UpdateTexture");
  }

  /** Appends a quad to the buffer, or restarts the buffer, and draws the quad. */
  bool drawQuad(IDirect3DDevice9 *device, uint32_t x, uint32_t y, uint32_t width, uint32_t height,
                const float (&value)[4][4]) {
    constexpr uint32_t kBytes = kQuadVertices * sizeof(Vertex);
    const bool discard = next_ == kBufferQuads;
    if (discard) next_ = 0;
    void *memory = nullptr;
    if (!ok(vertices_->Lock(next_ * kBytes, kBytes, &memory, discard ? D3DLOCK_DISCARD : D3DLOCK_NOOVERWRITE),
            discard ? "Lock(DISCARD)" : "Lock(NOOVERWRITE)"))
      return false;
    writeQuad(static_cast<Vertex *>(memory), x, y, width, height, value);
    if (!ok(vertices_->Unlock(), "Unlock")) return false;
    const uint32_t first = next_++ * kQuadVertices;
    return ok(device->DrawPrimitive(D3DPT_TRIANGLELIST, first, 2), "DrawPrimitive");
  }

  ComPtr<IDirect3DVertexShader9> vertexShader_;
  ComPtr<IDirect3DPixelShader9> background_, textured_;
  ComPtr<IDirect3DVertexDeclaration9> declaration_;
  ComPtr<IDirect3DVertexBuffer9> vertices_;
  ComPtr<IDirect3DTexture9> texture_;
  uint32_t next_ = kBufferQuads;  // so the first lock discards
};

}  // namespace

}  // namespace programs

int main(int argc, char **argv) {
  programs::Quads scene;
  return programs::runScene("quad",
                            "quad.exe: eight textured quads with alpha move over a gradient, in a window of 320x240.",
                            argc, argv, {.width = programs::kWidth, .height = programs::kHeight}, &scene);
}
