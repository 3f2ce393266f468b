// SPDX-License-Identifier: MIT
// Cases of readback.exe: volumes, cubes, targets with several samples a pixel, and levels that the device makes.
#include <cmath>
#include <cstring>

#include "testbed/programs/cube.ps.h"
#include "testbed/programs/readback_cases.h"
#include "testbed/programs/volume.ps.h"

namespace programs {

namespace {

/** Returns a distinct colour for each texel of each slice, face or level. */
uint32_t texel(uint32_t x, uint32_t y, uint32_t z, uint32_t level) {
  return argb(255 - 20 * z, 30 * x, 30 * y, (60 * z + 11 * x + 90 * level) % 256);
}

/** Returns three coordinates at each corner. */
QuadValues corners(const float (&at)[4][3]) {
  QuadValues values{};
  for (int i = 0; i < 4; i++) std::memcpy(values.corner[i], at[i], sizeof at[i]);
  return values;
}

bool useShader(Canvas &canvas, const void *code, ComPtr<IDirect3DPixelShader9> &shader,
               IDirect3DBaseTexture9 *texture) {
  IDirect3DDevice9 *device = canvas.device();
  return ok(device->CreatePixelShader(static_cast<const DWORD *>(code), shader.put()), "CreatePixelShader") &&
         ok(device->SetPixelShader(shader.get()), "SetPixelShader") && ok(device->SetTexture(0, texture), "SetTexture");
}

DWORD textureCaps(Canvas &canvas) {
  D3DCAPS9 caps{};
  return SUCCEEDED(canvas.device()->GetDeviceCaps(&caps)) ? caps.TextureCaps : 0;
}

constexpr uint32_t kSize = 8, kDepth = 4, kLevels = 3;

bool fillVolume(IDirect3DVolumeTexture9 *texture) {
  for (uint32_t level = 0; level < kLevels; level++) {
    D3DLOCKED_BOX locked{};
    if (!ok(texture->LockBox(level, &locked, nullptr, 0), "LockBox")) return false;
    for (uint32_t z = 0; z < kDepth >> level; z++)
      for (uint32_t y = 0; y < kSize >> level; y++)
        for (uint32_t x = 0; x < kSize >> level; x++) {
          const uint32_t colour = texel(x, y, z, level);
          std::memcpy(static_cast<char *>(locked.pBits) + ptrdiff_t{locked.SlicePitch} * z +
                          ptrdiff_t{locked.RowPitch} * y + size_t{x} * 4,
                      &colour, 4);
        }
    if (!ok(texture->UnlockBox(level), "UnlockBox")) return false;
  }
  return true;
}

}  // namespace

const char *volumeMissing(Canvas &canvas) {
  return textureCaps(canvas) & D3DPTEXTURECAPS_VOLUMEMAP ? nullptr : "D3DPTEXTURECAPS_VOLUMEMAP";
}

bool volume(Canvas &canvas, Picture *expected) {
  // Each slice of each level separately, from a volume that UpdateTexture has filled; then one of which LockBox wrote a
  // box; then the means of two slices.
  IDirect3DDevice9 *device = canvas.device();
  ComPtr<IDirect3DVolumeTexture9> source, texture, written;
  ComPtr<IDirect3DPixelShader9> shader;
  if (!ok(device->CreateVolumeTexture(kSize, kSize, kDepth, kLevels, 0, D3DFMT_A8R8G8B8, D3DPOOL_SYSTEMMEM,
                                      source.put(), nullptr),
          "CreateVolumeTexture(SYSTEMMEM)") ||
      !ok(device->CreateVolumeTexture(kSize, kSize, kDepth, kLevels, 0, D3DFMT_A8R8G8B8, D3DPOOL_DEFAULT, texture.put(),
                                      nullptr),
          "CreateVolumeTexture(DEFAULT)") ||
      !ok(device->CreateVolumeTexture(kSize, kSize, kDepth, kLevels, D3DUSAGE_DYNAMIC, D3DFMT_A8R8G8B8, D3DPOOL_DEFAULT,
                                      written.put(), nullptr),
          "CreateVolumeTexture(DYNAMIC)") ||
      !fillVolume(source.get()) || !ok(device->UpdateTexture(source.get(), texture.get()), "UpdateTexture") ||
      !fillVolume(written.get()))
    return false;
  const D3DBOX box{2, 1, 6, 5, 1, 3};
  D3DLOCKED_BOX locked{};
  if (!ok(written->LockBox(0, &locked, &box, 0), "LockBox")) return false;
  for (uint32_t z = 0; z < 2; z++)
    for (uint32_t y = 0; y < 4; y++)
      for (uint32_t x = 0; x < 4; x++) {
        const uint32_t colour = argb(9, 200, 16 * z, 10 * x + y);
        std::memcpy(static_cast<char *>(locked.pBits) + ptrdiff_t{locked.SlicePitch} * z +
                        ptrdiff_t{locked.RowPitch} * y + size_t{x} * 4,
                    &colour, 4);
      }
  if (!ok(written->UnlockBox(0), "UnlockBox") || !useShader(canvas, volumePs, shader, texture.get())) return false;

  const auto slice = [&](const Area &area, float w) {
    return canvas.quad(area, corners({{0, 0, w}, {1, 0, w}, {0, 1, w}, {1, 1, w}}));
  };
  uint32_t left = 0;
  if (!canvas.sampler(D3DSAMP_MIPFILTER, D3DTEXF_POINT)) return false;
  for (uint32_t level = 0; level < kLevels; level++)
    for (uint32_t z = 0; z < kDepth >> level; z++) {
      const Area area{left, 0, kSize >> level, kSize >> level};
      left += area.width;
      // Sized so that texels and pixels coincide, and this level is used.
      if (!slice(area, (static_cast<float>(z) + 0.5f) / static_cast<float>(kDepth >> level))) return false;
      for (uint32_t y = 0; y < area.height; y++)
        for (uint32_t x = 0; x < area.width; x++) expected->at(area.x + x, area.y + y) = texel(x, y, z, level);
    }
  if (!ok(device->SetTexture(0, written.get()), "SetTexture")) return false;
  for (uint32_t z = 0; z < kDepth; z++) {
    const Area area{z * kSize, 16, kSize, kSize};
    if (!slice(area, (static_cast<float>(z) + 0.5f) / kDepth)) return false;
    for (uint32_t y = 0; y < kSize; y++)
      for (uint32_t x = 0; x < kSize; x++) {
        const bool inside = x >= 2 && x < 6 && y >= 1 && y < 5 && z >= 1 && z < 3;
        expected->at(area.x + x, area.y + y) =
            inside ? argb(9, 200, 16 * (z - 1), 10 * (x - 2) + (y - 1)) : texel(x, y, z, 0);
      }
  }
  if (!ok(device->SetTexture(0, texture.get()), "SetTexture") || !canvas.sampler(D3DSAMP_MIPFILTER, D3DTEXF_NONE) ||
      !canvas.sampler(D3DSAMP_MINFILTER, D3DTEXF_LINEAR) || !canvas.sampler(D3DSAMP_MAGFILTER, D3DTEXF_LINEAR))
    return false;
  for (uint32_t z = 0; z + 1 < kDepth; z++) {
    const Area area{z * kSize, 32, kSize, kSize};
    if (!slice(area, static_cast<float>(z + 1) / kDepth)) return false;
    for (uint32_t y = 0; y < kSize; y++)
      for (uint32_t x = 0; x < kSize; x++) {
        const uint32_t a = texel(x, y, z, 0), b = texel(x, y, z + 1, 0);
        uint32_t mean = 0;
        for (int shift = 0; shift < 32; shift += 8) mean |= ((a >> shift & 255) + (b >> shift & 255)) / 2 << shift;
        expected->at(area.x + x, area.y + y) = mean;
      }
  }
  return true;
}

bool cube(Canvas &canvas, Picture *expected) {
  // Page "Cubic Environment Mapping (Direct3D 9)": directions at the upper left, upper right and lower left of each
  // face, in the order of D3DCUBEMAP_FACES.
  constexpr float kFaces[6][3][3] = {
      {{1, 1, 1}, {1, 1, -1}, {1, -1, 1}},   {{-1, 1, -1}, {-1, 1, 1}, {-1, -1, -1}},
      {{-1, 1, -1}, {1, 1, -1}, {-1, 1, 1}}, {{-1, -1, 1}, {1, -1, 1}, {-1, -1, -1}},
      {{-1, 1, 1}, {1, 1, 1}, {-1, -1, 1}},  {{1, 1, -1}, {-1, 1, -1}, {1, -1, -1}},
  };
  IDirect3DDevice9 *device = canvas.device();
  ComPtr<IDirect3DCubeTexture9> texture;
  ComPtr<IDirect3DPixelShader9> shader;
  if (!ok(device->CreateCubeTexture(kSize, kLevels, 0, D3DFMT_A8R8G8B8, D3DPOOL_MANAGED, texture.put(), nullptr),
          "CreateCubeTexture"))
    return false;
  for (uint32_t face = 0; face < 6; face++)
    for (uint32_t level = 0; level < kLevels; level++) {
      D3DLOCKED_RECT locked{};
      if (!ok(texture->LockRect(static_cast<D3DCUBEMAP_FACES>(face), level, &locked, nullptr, 0), "LockRect"))
        return false;
      for (uint32_t y = 0; y < kSize >> level; y++)
        for (uint32_t x = 0; x < kSize >> level; x++) {
          const uint32_t colour = texel(x, y, face, level);
          std::memcpy(static_cast<char *>(locked.pBits) + ptrdiff_t{locked.Pitch} * y + size_t{x} * 4, &colour, 4);
        }
      if (!ok(texture->UnlockRect(static_cast<D3DCUBEMAP_FACES>(face), level), "UnlockRect")) return false;
    }
  if (!useShader(canvas, cubePs, shader, texture.get()) || !canvas.sampler(D3DSAMP_MIPFILTER, D3DTEXF_POINT))
    return false;
  for (uint32_t face = 0; face < 6; face++)
    for (uint32_t level = 0; level < kLevels; level++) {
      const Area area{face * 16, level * 16, kSize >> level, kSize >> level};
      const auto &at = kFaces[face];
      float all[4][3];
      std::memcpy(all, at, sizeof at);
      for (int k = 0; k < 3; k++) all[3][k] = at[1][k] + at[2][k] - at[0][k];
      if (!canvas.quad(area, corners(all))) return false;
      for (uint32_t y = 0; y < area.height; y++)
        for (uint32_t x = 0; x < area.width; x++) expected->at(area.x + x, area.y + y) = texel(x, y, face, level);
    }
  return true;
}

const char *samplesMissing(Canvas &canvas) {
  ComPtr<IDirect3D9> direct3d;
  return SUCCEEDED(canvas.device()->GetDirect3D(direct3d.put())) &&
                 SUCCEEDED(direct3d->CheckDeviceMultiSampleType(D3DADAPTER_DEFAULT, D3DDEVTYPE_HAL, D3DFMT_A8R8G8B8,
                                                                TRUE, D3DMULTISAMPLE_4_SAMPLES, nullptr))
             ? nullptr
             : "D3DMULTISAMPLE_4_SAMPLES of D3DFMT_A8R8G8B8";
}

bool multisample(Canvas &canvas, Picture *expected) {
  // A rectangle from one pixel's centre to another's, over depth: at its edges half of the four samples are
  // covered, at its corners one (the pattern of four has one in each quarter of a pixel). The resolve is
  // their mean.
  IDirect3DDevice9 *device = canvas.device();
  ComPtr<IDirect3DSurface9> target, depth;
  constexpr D3DMULTISAMPLE_TYPE kType = D3DMULTISAMPLE_4_SAMPLES;
  constexpr uint32_t kBack = argb(255, 0, 0, 200), kFront = argb(255, 240, 0, 40), kHidden = argb(255, 0, 255, 0);
  if (!ok(device->CreateRenderTarget(kCanvasSize, kCanvasSize, D3DFMT_A8R8G8B8, kType, 0, FALSE, target.put(), nullptr),
          "CreateRenderTarget(4 samples)") ||
      !ok(device->CreateDepthStencilSurface(kCanvasSize, kCanvasSize, D3DFMT_D24S8, kType, 0, FALSE, depth.put(),
                                            nullptr),
          "CreateDepthStencilSurface(4 samples)") ||
      !ok(device->SetRenderTarget(0, target.get()), "SetRenderTarget") ||
      !ok(device->SetDepthStencilSurface(depth.get()), "SetDepthStencilSurface") ||
      !ok(device->Clear(0, nullptr, D3DCLEAR_TARGET | D3DCLEAR_ZBUFFER, kBack, 1, 0), "Clear") ||
      !canvas.state(D3DRS_ZENABLE, D3DZB_TRUE) || !canvas.state(D3DRS_MULTISAMPLEANTIALIAS, TRUE))
    return false;
  CanvasVertex front[6], hidden[6];
  quadCorners({0, 0, 1, 1}, flat(kFront), 0.25f, 0.25f, front);
  quadCorners({0, 0, 1, 1}, flat(kHidden), 0.75f, 0.75f, hidden);
  // The unit square from -0.5 to 0.5 becomes one from (40, 60) to (140, 120).
  for (int i = 0; i < 6; i++) {
    front[i].x = hidden[i].x = 90 + front[i].x * 100;
    front[i].y = hidden[i].y = 90 + front[i].y * 60;
  }
  if (!canvas.triangles(front, 6) || !canvas.triangles(hidden, 6) ||
      !ok(device->SetDepthStencilSurface(nullptr), "SetDepthStencilSurface(null)") ||
      !ok(device->SetRenderTarget(0, canvas.target()), "SetRenderTarget") ||
      !ok(device->StretchRect(target.get(), nullptr, canvas.target(), nullptr, D3DTEXF_NONE), "StretchRect"))
    return false;
  for (uint32_t y = 0; y < kCanvasSize; y++)
    for (uint32_t x = 0; x < kCanvasSize; x++) {
      const auto covered = [](uint32_t at, uint32_t begin, uint32_t end) {
        return at < begin || at > end ? 0u : at == begin || at == end ? 1u : 2u;  // halves
      };
      const uint32_t quarters = covered(x, 40, 140) * covered(y, 60, 120);
      uint32_t colour = 0;
      for (int shift = 0; shift < 32; shift += 8)
        colour |= ((kFront >> shift & 255) * quarters + (kBack >> shift & 255) * (4 - quarters) + 2) / 4 << shift;
      expected->at(x, y) = colour;
    }
  return true;
}

const char *generatedMissing(Canvas &canvas) {
  ComPtr<IDirect3D9> direct3d;
  return SUCCEEDED(canvas.device()->GetDirect3D(direct3d.put())) &&
                 direct3d->CheckDeviceFormat(D3DADAPTER_DEFAULT, D3DDEVTYPE_HAL, D3DFMT_X8R8G8B8,
                                             D3DUSAGE_AUTOGENMIPMAP, D3DRTYPE_TEXTURE, D3DFMT_A8R8G8B8) == D3D_OK
             ? nullptr
             : "D3DUSAGE_AUTOGENMIPMAP of D3DFMT_A8R8G8B8";
}

bool generatedLevels(Canvas &canvas, Picture *expected) {
  // Each texel of a level is the mean of four of the level above, as with a linear filter; after the first level has
  // changed, so have the others.
  constexpr uint32_t kEdge = 64, kCount = 7;
  IDirect3DDevice9 *device = canvas.device();
  ComPtr<IDirect3DTexture9> texture;
  if (!ok(device->CreateTexture(kEdge, kEdge, 0, D3DUSAGE_AUTOGENMIPMAP, D3DFMT_A8R8G8B8, D3DPOOL_MANAGED,
                                texture.put(), nullptr),
          "CreateTexture(AUTOGENMIPMAP)") ||
      !ok(texture->SetAutoGenFilterType(D3DTEXF_LINEAR), "SetAutoGenFilterType"))
    return false;
  static double levels[2][kEdge * kEdge][4];
  for (uint32_t round = 0; round < 2; round++) {
    D3DLOCKED_RECT locked{};
    if (!ok(texture->LockRect(0, &locked, nullptr, 0), "LockRect")) return false;
    for (uint32_t y = 0; y < kEdge; y++)
      for (uint32_t x = 0; x < kEdge; x++) {
        const uint32_t colour = round ? argb(x * 4, y * 4, 255 - x * 2, (x ^ y) * 4) : argb(255, 255, 255, 255);
        std::memcpy(static_cast<char *>(locked.pBits) + ptrdiff_t{locked.Pitch} * y + size_t{x} * 4, &colour, 4);
        for (int k = 0; k < 4; k++) levels[0][y * kEdge + x][k] = colour >> (8 * k) & 255;
      }
    if (!ok(texture->UnlockRect(0), "UnlockRect") || !ok(device->SetTexture(0, texture.get()), "SetTexture") ||
        !canvas.use(PixelKind::kTexture) || !canvas.sampler(D3DSAMP_MIPFILTER, D3DTEXF_POINT))
      return false;
    texture->GenerateMipSubLevels();
    uint32_t left = 0;
    for (uint32_t level = 0; level < kCount; level++) {
      const uint32_t size = kEdge >> level;
      const Area area{left, 20 * level, size, size};
      left += size;
      auto &now = levels[level % 2], &next = levels[(level + 1) % 2];
      if (!canvas.quad(area, coordinates(0, 0, 1, 1))) return false;
      for (uint32_t y = 0; y < size; y++)
        for (uint32_t x = 0; x < size; x++) {
          uint32_t colour = 0;
          for (int k = 0; k < 4; k++) colour |= static_cast<uint32_t>(std::lround(now[y * size + x][k])) << (8 * k);
          expected->at(area.x + x, area.y + y) = colour;
        }
      for (uint32_t y = 0; y < size / 2; y++)
        for (uint32_t x = 0; x < size / 2; x++)
          for (int k = 0; k < 4; k++)
            next[y * (size / 2) + x][k] =
                (now[2 * y * size + 2 * x][k] + now[2 * y * size + 2 * x + 1][k] + now[(2 * y + 1) * size + 2 * x][k] +
                 now[(2 * y + 1) * size + 2 * x + 1][k]) /
                4;
    }
  }
  return true;
}

}  // namespace programs
