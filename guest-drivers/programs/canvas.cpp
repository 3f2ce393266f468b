// SPDX-License-Identifier: MIT
#include "guest-drivers/programs/canvas.h"

#include <cstring>

#include "guest-drivers/programs/scene.h"
#include "guest-drivers/programs/texture.ps.h"
#include "guest-drivers/programs/values.ps.h"
#include "guest-drivers/programs/values.vs.h"

namespace programs {

namespace {

constexpr D3DVERTEXELEMENT9 kElements[] = {{0, 0, D3DDECLTYPE_FLOAT3, D3DDECLMETHOD_DEFAULT, D3DDECLUSAGE_POSITION, 0},
                                           {0, 12, D3DDECLTYPE_FLOAT4, D3DDECLMETHOD_DEFAULT, D3DDECLUSAGE_TEXCOORD, 0},
                                           D3DDECL_END()};

struct StateValue {
  D3DRENDERSTATETYPE type;
  DWORD value;
};
constexpr StateValue kStates[] = {
    {D3DRS_CULLMODE, D3DCULL_NONE},          {D3DRS_ZENABLE, D3DZB_FALSE},   {D3DRS_ZWRITEENABLE, TRUE},
    {D3DRS_ZFUNC, D3DCMP_LESSEQUAL},         {D3DRS_STENCILENABLE, FALSE},   {D3DRS_ALPHABLENDENABLE, FALSE},
    {D3DRS_SEPARATEALPHABLENDENABLE, FALSE}, {D3DRS_SRCBLEND, D3DBLEND_ONE}, {D3DRS_DESTBLEND, D3DBLEND_ZERO},
    {D3DRS_BLENDOP, D3DBLENDOP_ADD},         {D3DRS_ALPHATESTENABLE, FALSE}, {D3DRS_SCISSORTESTENABLE, FALSE},
    {D3DRS_COLORWRITEENABLE, 0xF},
};
struct SamplerValue {
  D3DSAMPLERSTATETYPE type;
  DWORD value;
};
constexpr SamplerValue kSamplers[] = {
    {D3DSAMP_MINFILTER, D3DTEXF_POINT},   {D3DSAMP_MAGFILTER, D3DTEXF_POINT},   {D3DSAMP_MIPFILTER, D3DTEXF_NONE},
    {D3DSAMP_ADDRESSU, D3DTADDRESS_WRAP}, {D3DSAMP_ADDRESSV, D3DTADDRESS_WRAP},
};

}  // namespace

QuadValues flat(uint32_t colour) {
  QuadValues values;
  for (auto &corner : values.corner)
    for (int k = 0; k < 4; ++k) {
      const int shift[4] = {16, 8, 0, 24};
      corner[k] = static_cast<float>(colour >> shift[k] & 255) / 255.0f;
    }
  return values;
}

QuadValues coordinates(float u0, float v0, float u1, float v1) {
  return {{{u0, v0, 0, 0}, {u1, v0, 0, 0}, {u0, v1, 0, 0}, {u1, v1, 0, 0}}};
}

void quadCorners(const Area &area, const QuadValues &values, float z, float zRight, CanvasVertex *out) {
  const float left = static_cast<float>(area.x) - 0.5f, top = static_cast<float>(area.y) - 0.5f;
  const float right = left + static_cast<float>(area.width), bottom = top + static_cast<float>(area.height);
  CanvasVertex corner[4] = {
      {left, top, z, {}}, {right, top, zRight, {}}, {left, bottom, z, {}}, {right, bottom, zRight, {}}};
  for (int i = 0; i < 4; ++i) std::memcpy(corner[i].value, values.corner[i], sizeof corner[i].value);
  const int order[6] = {0, 1, 2, 2, 1, 3};
  for (const int i : order) *out++ = corner[i];
}

bool Canvas::create(IDirect3DDevice9 *device) {
  device_ = device;
  return ok(device->CreateRenderTarget(kCanvasSize, kCanvasSize, D3DFMT_A8R8G8B8, D3DMULTISAMPLE_NONE, 0, FALSE,
                                       target_.put(), nullptr),
            "CreateRenderTarget") &&
         ok(device->CreateDepthStencilSurface(kCanvasSize, kCanvasSize, D3DFMT_D24S8, D3DMULTISAMPLE_NONE, 0, FALSE,
                                              depth_.put(), nullptr),
            "CreateDepthStencilSurface") &&
         ok(device->CreateVertexShader(reinterpret_cast<const DWORD *>(valuesVs), vertexShader_.put()),
            "CreateVertexShader") &&
         ok(device->CreatePixelShader(reinterpret_cast<const DWORD *>(valuesPs), values_.put()), "CreatePixelShader") &&
         ok(device->CreatePixelShader(reinterpret_cast<const DWORD *>(texturePs), texture_.put()),
            "CreatePixelShader") &&
         ok(device->CreateVertexDeclaration(kElements, declaration_.put()), "CreateVertexDeclaration") &&
         ok(device->CreateVertexBuffer(sizeof(CanvasVertex) * kMaxVertices, D3DUSAGE_DYNAMIC | D3DUSAGE_WRITEONLY, 0,
                                       D3DPOOL_DEFAULT, vertices_.put(), nullptr),
            "CreateVertexBuffer");
}

bool Canvas::reset() {
  float toClip[4];
  pixelsToClip(kCanvasSize, kCanvasSize, toClip);
  for (const StateValue &value : kStates)
    if (!state(value.type, value.value)) return false;
  for (const SamplerValue &value : kSamplers)
    if (!sampler(value.type, value.value)) return false;
  return ok(device_->SetRenderTarget(0, target_.get()), "SetRenderTarget") &&
         ok(device_->SetDepthStencilSurface(depth_.get()), "SetDepthStencilSurface") &&
         ok(device_->SetTexture(0, nullptr), "SetTexture(null)") &&
         ok(device_->SetVertexShader(vertexShader_.get()), "SetVertexShader") &&
         ok(device_->SetVertexDeclaration(declaration_.get()), "SetVertexDeclaration") &&
         ok(device_->SetVertexShaderConstantF(0, toClip, 1), "SetVertexShaderConstantF") &&
         ok(device_->SetStreamSource(0, vertices_.get(), 0, sizeof(CanvasVertex)), "SetStreamSource") &&
         use(PixelKind::kValues) && clear(0);
}

bool Canvas::use(PixelKind kind) {
  return ok(device_->SetPixelShader(kind == PixelKind::kTexture ? texture_.get() : values_.get()), "SetPixelShader");
}

bool Canvas::state(D3DRENDERSTATETYPE type, DWORD value) {
  const HRESULT result = device_->SetRenderState(type, value);
  return SUCCEEDED(result) || fail("SetRenderState(%d, %lu) failed: 0x%08lX", type, value, static_cast<DWORD>(result));
}

bool Canvas::sampler(D3DSAMPLERSTATETYPE type, DWORD value) {
  const HRESULT result = device_->SetSamplerState(0, type, value);
  return SUCCEEDED(result) || fail("SetSamplerState(%d, %lu) failed: 0x%08lX", type, value, static_cast<DWORD>(result));
}

bool Canvas::clear(uint32_t colour) {
  return ok(device_->Clear(0, nullptr, D3DCLEAR_TARGET, colour, 1, 0), "Clear");
}

bool Canvas::quad(const Area &area, const QuadValues &values, float z) {
  return quad(area, values, z, z);
}

bool Canvas::quad(const Area &area, const QuadValues &values, float z, float zRight) {
  CanvasVertex corners[6];
  quadCorners(area, values, z, zRight, corners);
  return triangles(corners, 6);
}

bool Canvas::triangles(const CanvasVertex *vertices, uint32_t count) {
  if (count > kMaxVertices) return fail("%u corners are too many", count);
  void *memory = nullptr;
  if (!ok(vertices_->Lock(0, count * sizeof(CanvasVertex), &memory, D3DLOCK_DISCARD), "Lock(DISCARD)")) return false;
  std::memcpy(memory, vertices, count * sizeof(CanvasVertex));
  return ok(vertices_->Unlock(), "Unlock") && ok(device_->BeginScene(), "BeginScene") &&
         ok(device_->DrawPrimitive(D3DPT_TRIANGLELIST, 0, count / 3), "DrawPrimitive") &&
         ok(device_->EndScene(), "EndScene");
}

}  // namespace programs
