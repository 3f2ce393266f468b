// SPDX-License-Identifier: MIT
#include "guest-drivers/programs/contents_draw.h"

#include <cstring>

#include "guest-drivers/programs/texture.ps.h"
#include "guest-drivers/programs/values.ps.h"
#include "guest-drivers/programs/waves.ps.h"

namespace programs {

bool ContentDrawer::create(IDirect3DDevice9 *device, ContentKind kind, uint32_t width, uint32_t height) {
  device_ = device;
  kind_ = kind;
  width_ = width;
  height_ = height;
  if (!painter_.create(device) ||
      !ok(device->CreatePixelShader(reinterpret_cast<const DWORD *>(valuesPs), values_.put()),
          "CreatePixelShader(values)") ||
      !ok(device->CreatePixelShader(reinterpret_cast<const DWORD *>(wavesPs), waves_.put()),
          "CreatePixelShader(waves)") ||
      !ok(device->CreatePixelShader(reinterpret_cast<const DWORD *>(texturePs), textured_.put()),
          "CreatePixelShader(texture)"))
    return false;
  if (kind == ContentKind::kBubbles) return uploadPicture(device, bubblePicture(), &texture_);
  return kind != ContentKind::kLife ||
         ok(device->CreateTexture(width / kCell, height / kCell, 1, D3DUSAGE_DYNAMIC, D3DFMT_A8R8G8B8, D3DPOOL_DEFAULT,
                                  texture_.put(), nullptr),
            "CreateTexture(DYNAMIC)");
}

bool ContentDrawer::draw(IDirect3DTexture9 *target, uint32_t frame) {
  if (!painter_.begin(target, width_, height_) || !painter_.pixelShader(values_.get())) return false;
  bool drawn = true;
  switch (kind_) {
  case ContentKind::kTorus:
    drawn = drawTorus(frame);
    break;
  case ContentKind::kWaves:
    drawn = drawWaves(frame);
    break;
  case ContentKind::kBubbles:
    drawn = drawBubbles(frame);
    break;
  case ContentKind::kChart:
    for (const Gradient &part : chartParts(width_, height_, frame)) drawn = drawn && gradient(part);
    break;
  case ContentKind::kLife:
    drawn = drawLife(frame);
    break;
  }
  return drawn && painter_.end();
}

bool ContentDrawer::gradient(const Gradient &part) {
  const float left = static_cast<float>(part.x) - 0.5f, top = static_cast<float>(part.y) - 0.5f;
  const float right = left + static_cast<float>(part.width), bottom = top + static_cast<float>(part.height);
  PaintVertex corner[4] = {{left, top, 0, {}}, {right, top, 0, {}}, {left, bottom, 0, {}}, {right, bottom, 0, {}}};
  for (int i = 0; i < 4; ++i)
    for (int k = 0; k < 4; ++k) corner[i].value[k] = static_cast<float>(i < 2 ? part.top[k] : part.bottom[k]);
  const PaintVertex vertices[6] = {corner[0], corner[1], corner[2], corner[2], corner[1], corner[3]};
  return painter_.triangles(vertices, 6);
}

bool ContentDrawer::drawTorus(uint32_t frame) {
  if (!gradient(torusGround(width_, height_))) return false;
  std::vector<PaintVertex> vertices;
  for (const Corner &corner : torusTriangles(width_, height_, frame)) {
    PaintVertex vertex{static_cast<float>(corner.x), static_cast<float>(corner.y), 0, {}};
    for (int k = 0; k < 4; ++k) vertex.value[k] = static_cast<float>(corner.value[k]);
    vertices.push_back(vertex);
  }
  return painter_.triangles(vertices.data(), static_cast<uint32_t>(vertices.size()));
}

bool ContentDrawer::drawWaves(uint32_t frame) {
  float phases[4];
  wavePhases(frame, phases);
  return painter_.pixelShader(waves_.get()) &&
         ok(device_->SetPixelShaderConstantF(0, phases, 1), "SetPixelShaderConstantF") &&
         painter_.quad({0, 0, static_cast<int>(width_), static_cast<int>(height_)},
                       {0, 0, static_cast<float>(width_) * kWaveScale, static_cast<float>(height_) * kWaveScale});
}

bool ContentDrawer::drawBubbles(uint32_t frame) {
  if (!gradient(bubblesGround(width_, height_)) || !painter_.pixelShader(textured_.get()) ||
      !painter_.texture(0, texture_.get()) || !painter_.filter(0, D3DTEXF_POINT) ||
      !painter_.blend(D3DBLEND_SRCALPHA, D3DBLEND_INVSRCALPHA) ||
      !ok(device_->SetRenderState(D3DRS_COLORWRITEENABLE, 7), "SetRenderState(COLORWRITEENABLE)"))
    return false;
  for (uint32_t i = 0; i < kBubbles; ++i) {
    const Place place = bubblePlace(i, width_, height_, frame);
    if (!painter_.quad({static_cast<int>(place.x), static_cast<int>(place.y), static_cast<int>(kBubbleSize),
                        static_cast<int>(kBubbleSize)}))
      return false;
  }
  return ok(device_->SetRenderState(D3DRS_COLORWRITEENABLE, 15), "SetRenderState(COLORWRITEENABLE)");
}

bool ContentDrawer::drawLife(uint32_t frame) {
  const Picture cells = lifePicture(width_, height_, frame);
  D3DLOCKED_RECT locked{};
  if (!ok(texture_->LockRect(0, &locked, nullptr, D3DLOCK_DISCARD), "LockRect(DISCARD)")) return false;
  for (uint32_t y = 0; y < cells.height; ++y)
    std::memcpy(static_cast<char *>(locked.pBits) + ptrdiff_t{locked.Pitch} * y, &cells.pixels[size_t{y} * cells.width],
                size_t{cells.width} * 4);
  return ok(texture_->UnlockRect(0), "UnlockRect") && painter_.pixelShader(textured_.get()) &&
         painter_.texture(0, texture_.get()) && painter_.filter(0, D3DTEXF_POINT) &&
         painter_.quad({0, 0, static_cast<int>(width_), static_cast<int>(height_)});
}

}  // namespace programs
