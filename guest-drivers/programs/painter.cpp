// SPDX-License-Identifier: MIT
#include "guest-drivers/programs/painter.h"

#include <cstring>

#include "guest-drivers/programs/scene.h"
#include "guest-drivers/programs/values.vs.h"

namespace programs {

namespace {

constexpr D3DVERTEXELEMENT9 kElements[] = {{0, 0, D3DDECLTYPE_FLOAT3, D3DDECLMETHOD_DEFAULT, D3DDECLUSAGE_POSITION, 0},
                                           {0, 12, D3DDECLTYPE_FLOAT4, D3DDECLMETHOD_DEFAULT, D3DDECLUSAGE_TEXCOORD, 0},
                                           D3DDECL_END()};
constexpr DWORD kStages = 2;

}  // namespace

bool Painter::create(IDirect3DDevice9 *device) {
  device_ = device;
  return ok(device->CreateVertexShader(reinterpret_cast<const DWORD *>(valuesVs), vertexShader_.put()),
            "CreateVertexShader") &&
         ok(device->CreateVertexDeclaration(kElements, declaration_.put()), "CreateVertexDeclaration") &&
         ok(device->CreateVertexBuffer(sizeof(PaintVertex) * kMaxVertices, D3DUSAGE_DYNAMIC | D3DUSAGE_WRITEONLY, 0,
                                       D3DPOOL_DEFAULT, vertices_.put(), nullptr),
            "CreateVertexBuffer(DYNAMIC)");
}

bool Painter::begin(IDirect3DTexture9 *texture, uint32_t width, uint32_t height) {
  ComPtr<IDirect3DSurface9> target;
  float toClip[4];
  pixelsToClip(width, height, toClip);
  for (DWORD stage = 0; stage < kStages; ++stage)
    if (!this->texture(stage, nullptr) || !filter(stage, D3DTEXF_LINEAR) ||
        !ok(device_->SetSamplerState(stage, D3DSAMP_ADDRESSU, D3DTADDRESS_CLAMP), "SetSamplerState(ADDRESSU)") ||
        !ok(device_->SetSamplerState(stage, D3DSAMP_ADDRESSV, D3DTADDRESS_CLAMP), "SetSamplerState(ADDRESSV)"))
      return false;
  return ok(texture->GetSurfaceLevel(0, target.put()), "GetSurfaceLevel") &&
         ok(device_->SetRenderTarget(0, target.get()), "SetRenderTarget") &&
         ok(device_->SetRenderState(D3DRS_CULLMODE, D3DCULL_NONE), "SetRenderState(CULLMODE)") &&
         ok(device_->SetRenderState(D3DRS_ZENABLE, D3DZB_FALSE), "SetRenderState(ZENABLE)") && opaque() &&
         ok(device_->SetVertexShader(vertexShader_.get()), "SetVertexShader") &&
         ok(device_->SetVertexDeclaration(declaration_.get()), "SetVertexDeclaration") &&
         ok(device_->SetVertexShaderConstantF(0, toClip, 1), "SetVertexShaderConstantF") &&
         ok(device_->SetStreamSource(0, vertices_.get(), 0, sizeof(PaintVertex)), "SetStreamSource") &&
         ok(device_->BeginScene(), "BeginScene");
}

bool Painter::filter(DWORD stage, D3DTEXTUREFILTERTYPE type) {
  return ok(device_->SetSamplerState(stage, D3DSAMP_MINFILTER, type), "SetSamplerState(MINFILTER)") &&
         ok(device_->SetSamplerState(stage, D3DSAMP_MAGFILTER, type), "SetSamplerState(MAGFILTER)");
}

bool Painter::blend(D3DBLEND source, D3DBLEND destination) {
  return ok(device_->SetRenderState(D3DRS_ALPHABLENDENABLE, TRUE), "SetRenderState(ALPHABLENDENABLE)") &&
         ok(device_->SetRenderState(D3DRS_SRCBLEND, source), "SetRenderState(SRCBLEND)") &&
         ok(device_->SetRenderState(D3DRS_DESTBLEND, destination), "SetRenderState(DESTBLEND)");
}

bool Painter::triangles(const PaintVertex *vertices, uint32_t count) {
  if (count > kMaxVertices) return fail("%u corners are too many", count);
  const bool discard = used_ + count > kMaxVertices;
  if (discard) used_ = 0;
  void *memory = nullptr;
  if (!ok(vertices_->Lock(used_ * sizeof(PaintVertex), count * sizeof(PaintVertex), &memory,
                          discard ? D3DLOCK_DISCARD : D3DLOCK_NOOVERWRITE),
          discard ? "Lock(DISCARD)" : "Lock(NOOVERWRITE)"))
    return false;
  std::memcpy(memory, vertices, count * sizeof(PaintVertex));
  if (!ok(vertices_->Unlock(), "Unlock")) return false;
  const uint32_t first = used_;
  used_ += count;
  return ok(device_->DrawPrimitive(D3DPT_TRIANGLELIST, first, count / 3), "DrawPrimitive");
}

bool Painter::quad(const Box &box, const Span &first, const Span &second) {
  const float left = static_cast<float>(box.x) - 0.5f, top = static_cast<float>(box.y) - 0.5f;
  const float right = left + static_cast<float>(box.width), bottom = top + static_cast<float>(box.height);
  const PaintVertex corner[4] = {{left, top, 0, {first.u0, first.v0, second.v0, second.u0}},
                                 {right, top, 0, {first.u1, first.v0, second.v0, second.u1}},
                                 {left, bottom, 0, {first.u0, first.v1, second.v1, second.u0}},
                                 {right, bottom, 0, {first.u1, first.v1, second.v1, second.u1}}};
  const PaintVertex vertices[6] = {corner[0], corner[1], corner[2], corner[2], corner[1], corner[3]};
  return triangles(vertices, 6);
}

bool uploadPicture(IDirect3DDevice9 *device, const Picture &picture, ComPtr<IDirect3DTexture9> *texture) {
  ComPtr<IDirect3DTexture9> source;
  D3DLOCKED_RECT locked{};
  if (!ok(device->CreateTexture(picture.width, picture.height, 1, 0, D3DFMT_A8R8G8B8, D3DPOOL_SYSTEMMEM, source.put(),
                                nullptr),
          "CreateTexture(SYSTEMMEM)") ||
      !ok(device->CreateTexture(picture.width, picture.height, 1, 0, D3DFMT_A8R8G8B8, D3DPOOL_DEFAULT, texture->put(),
                                nullptr),
          "CreateTexture(DEFAULT)") ||
      !ok(source->LockRect(0, &locked, nullptr, 0), "LockRect"))
    return false;
  for (uint32_t y = 0; y < picture.height; ++y)
    std::memcpy(static_cast<char *>(locked.pBits) + ptrdiff_t{locked.Pitch} * y,
                &picture.pixels[size_t{y} * picture.width], size_t{picture.width} * 4);
  return ok(source->UnlockRect(0), "UnlockRect") &&
         ok(device->UpdateTexture(source.get(), texture->get()), "UpdateTexture");
}

}  // namespace programs
