// SPDX-License-Identifier: MIT
// Cases of readback.exe: textures, and copies between surfaces.
#include <cmath>
#include <cstring>

#include "testbed/programs/readback_cases.h"

namespace programs {

namespace {

/** Returns a distinct colour for each texel. */
uint32_t texel(uint32_t x, uint32_t y, uint32_t level = 0) {
  return argb(255 - 16 * level, 15 * x, 15 * y, (x * 7 + y * 13 + level * 50) % 256);
}

/** Makes a texture in video memory with `levels` levels, filled through one in system memory. */
bool makeTexture(Canvas &canvas, uint32_t size, uint32_t levels, ComPtr<IDirect3DTexture9> *texture) {
  IDirect3DDevice9 *device = canvas.device();
  ComPtr<IDirect3DTexture9> source;
  if (!ok(device->CreateTexture(size, size, levels, 0, D3DFMT_A8R8G8B8, D3DPOOL_SYSTEMMEM, source.put(), nullptr),
          "CreateTexture(SYSTEMMEM)") ||
      !ok(device->CreateTexture(size, size, levels, 0, D3DFMT_A8R8G8B8, D3DPOOL_DEFAULT, texture->put(), nullptr),
          "CreateTexture(DEFAULT)"))
    return false;
  for (uint32_t level = 0; level < levels; ++level) {
    D3DLOCKED_RECT locked{};
    if (!ok(source->LockRect(level, &locked, nullptr, 0), "LockRect")) return false;
    for (uint32_t y = 0; y < size >> level; ++y)
      for (uint32_t x = 0; x < size >> level; ++x) {
        const uint32_t colour = texel(x % 16, y % 16, level);
        std::memcpy(static_cast<char *>(locked.pBits) + ptrdiff_t{locked.Pitch} * y + size_t{x} * 4, &colour, 4);
      }
    if (!ok(source->UnlockRect(level), "UnlockRect")) return false;
  }
  return ok(device->UpdateTexture(source.get(), texture->get()), "UpdateTexture");
}

bool bind(Canvas &canvas, const ComPtr<IDirect3DTexture9> &texture) {
  return ok(canvas.device()->SetTexture(0, texture.get()), "SetTexture") && canvas.use(PixelKind::kTexture);
}

/** Applies D3DTEXTUREADDRESS to a texel's index outside 0..size-1. */
int address(DWORD mode, int at, int size) {
  const int turn = static_cast<int>(std::floor(static_cast<double>(at) / size));
  if (mode == D3DTADDRESS_CLAMP) return at < 0 ? 0 : at >= size ? size - 1 : at;
  const int inside = at - turn * size;
  return mode == D3DTADDRESS_MIRROR && (turn & 1) ? size - 1 - inside : inside;
}

/** Filters linearly at a position in texels, texel 0's centre at 0.5; clamped. */
uint32_t filtered(double u, double v, int size) {
  const int x = static_cast<int>(std::floor(u - 0.5)), y = static_cast<int>(std::floor(v - 0.5));
  const double fx = u - 0.5 - x, fy = v - 0.5 - y;
  uint32_t result = 0;
  for (int shift = 0; shift < 32; shift += 8) {
    double value = 0;
    for (int dy = 0; dy < 2; ++dy)
      for (int dx = 0; dx < 2; ++dx) {
        const auto tx = static_cast<uint32_t>(address(D3DTADDRESS_CLAMP, x + dx, size));
        const auto ty = static_cast<uint32_t>(address(D3DTADDRESS_CLAMP, y + dy, size));
        value += (texel(tx, ty) >> shift & 255) * (dx ? fx : 1 - fx) * (dy ? fy : 1 - fy);
      }
    result |= unorm8(value / 255) << shift;
  }
  return result;
}

}  // namespace

bool addressing(Canvas &canvas, Picture *expected) {
  // Coordinates from -1 to 3 across, -1 to 1 down, 4 pixels a texel; a strip for each mode.
  constexpr D3DTEXTUREADDRESS kModes[3] = {D3DTADDRESS_WRAP, D3DTADDRESS_MIRROR, D3DTADDRESS_CLAMP};
  ComPtr<IDirect3DTexture9> texture;
  if (!makeTexture(canvas, 16, 1, &texture) || !bind(canvas, texture)) return false;
  for (uint32_t strip = 0; strip < 3; ++strip) {
    const Area area{0, strip * 80, 256, 80};
    if (!canvas.sampler(D3DSAMP_ADDRESSU, kModes[strip]) || !canvas.sampler(D3DSAMP_ADDRESSV, kModes[strip]) ||
        !canvas.quad(area, coordinates(-1, -0.625f, 3, 0.625f)))
      return false;
    for (uint32_t y = 0; y < area.height; ++y)
      for (uint32_t x = 0; x < area.width; ++x) {
        const int tx = address(kModes[strip], static_cast<int>(x / 4) - 16, 16);
        const int ty = address(kModes[strip], static_cast<int>(y / 4) - 10, 16);
        expected->at(area.x + x, area.y + y) = texel(static_cast<uint32_t>(tx), static_cast<uint32_t>(ty));
      }
  }
  return true;
}

bool bilinear(Canvas &canvas, Picture *expected) {
  // 16 pixels a texel: the weights are multiples of 1/32.
  ComPtr<IDirect3DTexture9> texture;
  if (!makeTexture(canvas, 16, 1, &texture) || !bind(canvas, texture) ||
      !canvas.sampler(D3DSAMP_MINFILTER, D3DTEXF_LINEAR) || !canvas.sampler(D3DSAMP_MAGFILTER, D3DTEXF_LINEAR) ||
      !canvas.sampler(D3DSAMP_ADDRESSU, D3DTADDRESS_CLAMP) || !canvas.sampler(D3DSAMP_ADDRESSV, D3DTADDRESS_CLAMP) ||
      !canvas.quad(kWholeCanvas, coordinates(0, 0, 1, 1)))
    return false;
  for (uint32_t y = 0; y < kCanvasSize; ++y)
    for (uint32_t x = 0; x < kCanvasSize; ++x) expected->at(x, y) = filtered((x + 0.5) / 16, (y + 0.5) / 16, 16);
  return true;
}

bool mipLevels(Canvas &canvas, Picture *expected) {
  // Each quad is as large as a level, so that its texels and the pixels coincide.
  constexpr uint32_t kSize = 64, kLevels = 7;
  ComPtr<IDirect3DTexture9> texture;
  if (!makeTexture(canvas, kSize, kLevels, &texture) || !bind(canvas, texture) ||
      !canvas.sampler(D3DSAMP_MIPFILTER, D3DTEXF_POINT))
    return false;
  uint32_t left = 0;
  for (uint32_t level = 0; level < kLevels; ++level) {
    const Area area{left, 16 * level, kSize >> level, kSize >> level};
    left += area.width;
    if (!canvas.quad(area, coordinates(0, 0, 1, 1))) return false;
    for (uint32_t y = 0; y < area.height; ++y)
      for (uint32_t x = 0; x < area.width; ++x) expected->at(area.x + x, area.y + y) = texel(x % 16, y % 16, level);
  }
  return true;
}

bool copies(Canvas &canvas, Picture *expected) {
  // System memory to a part of a texture, that to a target, by StretchRect; ColorFill next to it.
  IDirect3DDevice9 *device = canvas.device();
  ComPtr<IDirect3DSurface9> source, middle;
  D3DLOCKED_RECT locked{};
  if (!ok(device->CreateOffscreenPlainSurface(64, 32, D3DFMT_A8R8G8B8, D3DPOOL_SYSTEMMEM, source.put(), nullptr),
          "CreateOffscreenPlainSurface") ||
      !ok(device->CreateRenderTarget(100, 80, D3DFMT_A8R8G8B8, D3DMULTISAMPLE_NONE, 0, FALSE, middle.put(), nullptr),
          "CreateRenderTarget") ||
      !ok(source->LockRect(&locked, nullptr, 0), "LockRect"))
    return false;
  for (uint32_t y = 0; y < 32; ++y)
    for (uint32_t x = 0; x < 64; ++x) {
      const uint32_t colour = argb(255 - x, x * 4, y * 8, x + y);
      std::memcpy(static_cast<char *>(locked.pBits) + ptrdiff_t{locked.Pitch} * y + size_t{x} * 4, &colour, 4);
    }
  const RECT part{10, 5, 50, 30}, from{0, 0, 100, 80}, to{120, 100, 220, 180}, filled{3, 200, 40, 240};
  const POINT at{20, 40};
  constexpr uint32_t kMiddle = argb(77, 1, 2, 3), kFilled = argb(130, 40, 50, 60);
  if (!ok(source->UnlockRect(), "UnlockRect") || !ok(device->ColorFill(middle.get(), nullptr, kMiddle), "ColorFill") ||
      !ok(device->UpdateSurface(source.get(), &part, middle.get(), &at), "UpdateSurface") ||
      !ok(device->StretchRect(middle.get(), &from, canvas.target(), &to, D3DTEXF_NONE), "StretchRect") ||
      !ok(device->ColorFill(canvas.target(), &filled, kFilled), "ColorFill(rectangle)"))
    return false;
  for (uint32_t y = 0; y < 80; ++y)
    for (uint32_t x = 0; x < 100; ++x) expected->at(120 + x, 100 + y) = kMiddle;
  for (uint32_t y = 5; y < 30; ++y)
    for (uint32_t x = 10; x < 50; ++x)
      expected->at(120 + 20 + x - 10, 100 + 40 + y - 5) = argb(255 - x, x * 4, y * 8, x + y);
  for (uint32_t y = 200; y < 240; ++y)
    for (uint32_t x = 3; x < 40; ++x) expected->at(x, y) = kFilled;
  return true;
}

bool drawnTexture(Canvas &canvas, Picture *expected) {
  // A texture is drawn into, then drawn with, twice: the second picture must not come too early.
  IDirect3DDevice9 *device = canvas.device();
  ComPtr<IDirect3DTexture9> texture;
  ComPtr<IDirect3DSurface9> surface;
  if (!ok(device->CreateTexture(64, 64, 1, D3DUSAGE_RENDERTARGET, D3DFMT_A8R8G8B8, D3DPOOL_DEFAULT, texture.put(),
                                nullptr),
          "CreateTexture(RENDERTARGET)") ||
      !ok(texture->GetSurfaceLevel(0, surface.put()), "GetSurfaceLevel") ||
      !ok(device->SetDepthStencilSurface(nullptr), "SetDepthStencilSurface(null)"))
    return false;
  for (uint32_t pass = 0; pass < 2; ++pass) {
    const uint32_t colour = argb(255, 100 + 100 * pass, 30, 200 - 50 * pass);
    const D3DRECT corner{0, 0, 16, 32};
    const Area area{pass * 128, 64 * pass, 128, 128};
    if (!ok(device->SetTexture(0, nullptr), "SetTexture(null)") ||
        !ok(device->SetRenderTarget(0, surface.get()), "SetRenderTarget(texture)") || !canvas.clear(colour) ||
        !ok(device->Clear(1, &corner, D3DCLEAR_TARGET, argb(9, 8, 7, 6), 1, 0), "Clear(rectangle)") ||
        !ok(device->SetRenderTarget(0, canvas.target()), "SetRenderTarget") || !bind(canvas, texture) ||
        !canvas.quad(area, coordinates(0, 0, 1, 1)))
      return false;
    for (uint32_t y = 0; y < 128; ++y)
      for (uint32_t x = 0; x < 128; ++x)
        expected->at(area.x + x, area.y + y) = x < 32 && y < 64 ? argb(9, 8, 7, 6) : colour;
  }
  return true;
}

}  // namespace programs
