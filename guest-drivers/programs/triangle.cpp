// SPDX-License-Identifier: MIT
// triangle.exe: one triangle, a colour at each corner, over a grey background.
#include "guest-drivers/programs/colour.ps.h"
#include "guest-drivers/programs/colour.vs.h"
#include "guest-drivers/programs/raster.h"
#include "guest-drivers/programs/scene.h"

namespace programs {

namespace {

constexpr uint32_t kWidth = 320, kHeight = 240;
constexpr uint32_t kBackground = argb(255, 48, 56, 64);

struct Vertex {
  float x, y, z;
  uint32_t colour;
};

// Slopes of 1/2 and quarters of pixels: no pixel centre lies near an edge.
constexpr Vertex kVertices[3] = {{160.25f, 20.25f, 0.5f, argb(255, 255, 32, 32)},
                                 {260.25f, 220.25f, 0.5f, argb(255, 32, 255, 32)},
                                 {60.25f, 220.25f, 0.5f, argb(255, 32, 32, 255)}};

constexpr D3DVERTEXELEMENT9 kElements[] = {{0, 0, D3DDECLTYPE_FLOAT3, D3DDECLMETHOD_DEFAULT, D3DDECLUSAGE_POSITION, 0},
                                           {0, 12, D3DDECLTYPE_D3DCOLOR, D3DDECLMETHOD_DEFAULT, D3DDECLUSAGE_COLOR, 0},
                                           D3DDECL_END()};

class Triangle : public Scene {
public:
  bool create(IDirect3DDevice9 *device) override {
    void *memory = nullptr;
    if (!ok(device->CreateVertexShader(reinterpret_cast<const DWORD *>(colourVs), vertexShader_.put()),
            "CreateVertexShader") ||
        !ok(device->CreatePixelShader(reinterpret_cast<const DWORD *>(colourPs), pixelShader_.put()),
            "CreatePixelShader") ||
        !ok(device->CreateVertexDeclaration(kElements, declaration_.put()), "CreateVertexDeclaration") ||
        !ok(device->CreateVertexBuffer(sizeof kVertices, D3DUSAGE_WRITEONLY, 0, D3DPOOL_DEFAULT, vertices_.put(),
                                       nullptr),
            "CreateVertexBuffer") ||
        !ok(vertices_->Lock(0, 0, &memory, 0), "Lock"))
      return false;
    memcpy(memory, kVertices, sizeof kVertices);
    float toClip[4];
    pixelsToClip(kWidth, kHeight, toClip);
    return ok(vertices_->Unlock(), "Unlock") &&
           ok(device->SetRenderState(D3DRS_CULLMODE, D3DCULL_NONE), "SetRenderState(CULLMODE)") &&
           ok(device->SetRenderState(D3DRS_ZENABLE, D3DZB_FALSE), "SetRenderState(ZENABLE)") &&
           ok(device->SetVertexShaderConstantF(0, toClip, 1), "SetVertexShaderConstantF") &&
           ok(device->SetVertexShader(vertexShader_.get()), "SetVertexShader") &&
           ok(device->SetPixelShader(pixelShader_.get()), "SetPixelShader") &&
           ok(device->SetVertexDeclaration(declaration_.get()), "SetVertexDeclaration") &&
           ok(device->SetStreamSource(0, vertices_.get(), 0, sizeof(Vertex)), "SetStreamSource");
  }

  bool draw(IDirect3DDevice9 *device, uint32_t, uint32_t draw) override {
    if (draw == 0 && !ok(device->Clear(0, nullptr, D3DCLEAR_TARGET, kBackground, 1, 0), "Clear")) return false;
    return ok(device->DrawPrimitive(D3DPT_TRIANGLELIST, 0, 1), "DrawPrimitive");
  }

  Picture expectation(uint32_t) const override {
    Picture picture(kWidth, kHeight, kBackground);
    Corner corners[3];
    for (int i = 0; i < 3; ++i) {
      corners[i] = {kVertices[i].x, kVertices[i].y, {}};
      for (int k = 0; k < 4; ++k) corners[i].value[k] = (kVertices[i].colour >> 8 * k & 255) / 255.0;
    }
    rasterize(kWidth, kHeight, corners, [&](uint32_t x, uint32_t y, const double *bgra) {
      picture.at(x, y) = argb(unorm8(bgra[3]), unorm8(bgra[2]), unorm8(bgra[1]), unorm8(bgra[0]));
    });
    return picture;
  }

  uint32_t tolerance() const override { return 1; }  // colours between the corners are rounded

private:
  ComPtr<IDirect3DVertexShader9> vertexShader_;
  ComPtr<IDirect3DPixelShader9> pixelShader_;
  ComPtr<IDirect3DVertexDeclaration9> declaration_;
  ComPtr<IDirect3DVertexBuffer9> vertices_;
};

}  // namespace

}  // namespace programs

int main(int argc, char **argv) {
  programs::Triangle scene;
  return programs::runScene("triangle", "triangle.exe: one triangle, a colour at each corner, in a window of 320x240.",
                            argc, argv, {.width = programs::kWidth, .height = programs::kHeight}, &scene);
}
