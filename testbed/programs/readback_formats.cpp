// SPDX-License-Identifier: MIT
// Cases of readback.exe: the values of textures in Direct3D 9's formats, and of targets in them. Sources: pages
// "D3DFORMAT" (channels from the highest bit down) and "Texture Pixel Formats": unsigned channels are 0 to 1, signed
// ones -1 to 1; colours that a format lacks read as 1, of A8 as 0, L is all three.
#include <cmath>
#include <cstring>

#include "testbed/programs/readback_cases.h"

namespace programs {

namespace {

/** A channel in a texel's bits: 'u' unsigned, 's' signed, 'f' a float, '1' and '0' constants. */
struct Channel {
  char type;
  uint8_t first = 0, bits = 0;
};
constexpr Channel kOne{'1'}, kZero{'0'};

struct Format {
  const char *name;
  D3DFORMAT format;
  uint32_t bytes;
  Channel channels[4];  // red, green, blue, alpha
  bool drawn;           // common hardware of the last twenty years draws to it
};

constexpr Channel u(int first, int bits) {
  return {'u', static_cast<uint8_t>(first), static_cast<uint8_t>(bits)};
}
constexpr Channel s(int first, int bits) {
  return {'s', static_cast<uint8_t>(first), static_cast<uint8_t>(bits)};
}
constexpr Channel f(int first, int bits) {
  return {'f', static_cast<uint8_t>(first), static_cast<uint8_t>(bits)};
}

constexpr Format kFormats[] = {
    {"A8R8G8B8", D3DFMT_A8R8G8B8, 4, {u(16, 8), u(8, 8), u(0, 8), u(24, 8)}, true},
    {"X8R8G8B8", D3DFMT_X8R8G8B8, 4, {u(16, 8), u(8, 8), u(0, 8), kOne}, true},
    {"R5G6B5", D3DFMT_R5G6B5, 2, {u(11, 5), u(5, 6), u(0, 5), kOne}, true},
    {"X1R5G5B5", D3DFMT_X1R5G5B5, 2, {u(10, 5), u(5, 5), u(0, 5), kOne}, true},
    {"A1R5G5B5", D3DFMT_A1R5G5B5, 2, {u(10, 5), u(5, 5), u(0, 5), u(15, 1)}, true},
    {"A4R4G4B4", D3DFMT_A4R4G4B4, 2, {u(8, 4), u(4, 4), u(0, 4), u(12, 4)}, false},
    {"X4R4G4B4", D3DFMT_X4R4G4B4, 2, {u(8, 4), u(4, 4), u(0, 4), kOne}, false},
    {"A2R10G10B10", D3DFMT_A2R10G10B10, 4, {u(20, 10), u(10, 10), u(0, 10), u(30, 2)}, true},
    {"A2B10G10R10", D3DFMT_A2B10G10R10, 4, {u(0, 10), u(10, 10), u(20, 10), u(30, 2)}, true},
    {"A8", D3DFMT_A8, 1, {kZero, kZero, kZero, u(0, 8)}, false},
    {"L8", D3DFMT_L8, 1, {u(0, 8), u(0, 8), u(0, 8), kOne}, false},
    {"A8L8", D3DFMT_A8L8, 2, {u(0, 8), u(0, 8), u(0, 8), u(8, 8)}, false},
    {"A4L4", D3DFMT_A4L4, 1, {u(0, 4), u(0, 4), u(0, 4), u(4, 4)}, false},
    {"L16", D3DFMT_L16, 2, {u(0, 16), u(0, 16), u(0, 16), kOne}, false},
    {"G16R16", D3DFMT_G16R16, 4, {u(0, 16), u(16, 16), kOne, kOne}, true},
    {"A16B16G16R16", D3DFMT_A16B16G16R16, 8, {u(0, 16), u(16, 16), u(32, 16), u(48, 16)}, true},
    {"R16F", D3DFMT_R16F, 2, {f(0, 16), kOne, kOne, kOne}, true},
    {"G16R16F", D3DFMT_G16R16F, 4, {f(0, 16), f(16, 16), kOne, kOne}, true},
    {"A16B16G16R16F", D3DFMT_A16B16G16R16F, 8, {f(0, 16), f(16, 16), f(32, 16), f(48, 16)}, true},
    {"R32F", D3DFMT_R32F, 4, {f(0, 32), kOne, kOne, kOne}, true},
    {"G32R32F", D3DFMT_G32R32F, 8, {f(0, 32), f(32, 32), kOne, kOne}, true},
    {"A32B32G32R32F", D3DFMT_A32B32G32R32F, 16, {f(0, 32), f(32, 32), f(64, 32), f(96, 32)}, true},
    {"V8U8", D3DFMT_V8U8, 2, {s(0, 8), s(8, 8), kOne, kOne}, false},
    {"L6V5U5", D3DFMT_L6V5U5, 2, {s(0, 5), s(5, 5), u(10, 6), kOne}, false},
    {"X8L8V8U8", D3DFMT_X8L8V8U8, 4, {s(0, 8), s(8, 8), u(16, 8), kOne}, false},
    {"Q8W8V8U8", D3DFMT_Q8W8V8U8, 4, {s(0, 8), s(8, 8), s(16, 8), s(24, 8)}, false},
    {"V16U16", D3DFMT_V16U16, 4, {s(0, 16), s(16, 16), kOne, kOne}, false},
};
constexpr uint32_t kTile = 32, kTexels = 4, kTilesAcross = kCanvasSize / kTile;

/** Returns a number below `count`, for a texel and channel. */
uint32_t pick(uint32_t x, uint32_t y, uint32_t channel, uint32_t count) {
  return (x * 5 + y * 11 + channel * 7) % count;
}

/** True if channels are the same bits, as L is red, green and blue. */
bool sameBits(const Channel &a, const Channel &b) {
  return a.type == b.type && a.first == b.first && a.bits == b.bits;
}

/** Returns a half float of 0 to 1 in sixteenths: all are exact. */
uint32_t half(uint32_t sixteenths) {
  if (!sixteenths) return 0;
  uint32_t exponent = 15 - 4, mantissa = sixteenths;
  while (mantissa < 1024) {
    mantissa *= 2;
    exponent--;
  }
  return (exponent + 10) << 10 | (mantissa & 1023);
}

/** Returns a channel of texel (x, y): its bits, and their value. */
double channelValue(const Format &format, uint32_t channel, uint32_t x, uint32_t y, uint32_t &bits) {
  const Channel &c = format.channels[channel];
  bits = 0;
  if (c.type == '1') return 1;
  if (c.type == '0') return 0;
  // L is one channel of the texel.
  uint32_t source = channel;
  while (source > 0 && sameBits(format.channels[source - 1], c)) source--;
  if (c.type == 'f') {
    const uint32_t sixteenths = pick(x, y, source, 17);
    const float single = static_cast<float>(sixteenths) / 16;
    if (c.bits == 32)
      std::memcpy(&bits, &single, sizeof bits);
    else
      bits = half(sixteenths);
    return single;
  }
  const uint32_t most = c.type == 'u' ? (1u << c.bits) - 1 : (1u << (c.bits - 1)) - 1;
  if (c.type == 'u') {
    bits = pick(x, y, source, 16) * most / 15;
    return static_cast<double>(bits) / most;
  }
  const int steps = static_cast<int>(pick(x, y, source, 16)) - 8;  // two's complement; the lowest two are both -1
  const int number = steps == -8 ? -static_cast<int>(most) - 1 : steps * static_cast<int>(most) / 7;
  bits = static_cast<uint32_t>(number) & ((1u << c.bits) - 1);
  return number < -static_cast<int>(most) ? -1.0 : static_cast<double>(number) / most;
}

/** Returns a texel's bytes, in memory order. */
void texelBytes(const Format &format, uint32_t x, uint32_t y, uint8_t out[16]) {
  std::memset(out, 0, 16);
  for (uint32_t channel = 0; channel < 4; channel++) {
    const Channel &c = format.channels[channel];
    uint32_t bits = 0;
    channelValue(format, channel, x, y, bits);
    if (c.bits == 0) continue;
    if (channel > 0 && sameBits(format.channels[channel - 1], c)) continue;
    for (uint32_t bit = 0; bit < c.bits; bit++)
      if (bits >> bit & 1)
        out[(c.first + bit) / 8] = static_cast<uint8_t>(out[(c.first + bit) / 8] | 1 << (c.first + bit) % 8);
  }
}

uint32_t shown(const double rgba[4]) {
  uint32_t bytes[4];
  for (int k = 0; k < 4; k++) bytes[k] = unorm8(rgba[k] < 0 ? 0 : rgba[k] > 1 ? 1 : rgba[k]);
  return argb(bytes[3], bytes[0], bytes[1], bytes[2]);
}

bool isFormat(Canvas &canvas, D3DFORMAT format, DWORD usage) {
  ComPtr<IDirect3D9> direct3d;
  return SUCCEEDED(canvas.device()->GetDirect3D(direct3d.put())) &&
         SUCCEEDED(direct3d->CheckDeviceFormat(D3DADAPTER_DEFAULT, D3DDEVTYPE_HAL, D3DFMT_X8R8G8B8, usage,
                                               D3DRTYPE_TEXTURE, format));
}

Area tile(uint32_t index) {
  return {index % kTilesAcross * kTile, index / kTilesAcross * kTile, kTile, kTile};
}

bool showTexture(Canvas &canvas, IDirect3DTexture9 *texture, const Area &area) {
  return ok(canvas.device()->SetTexture(0, texture), "SetTexture") && canvas.use(PixelKind::kTexture) &&
         canvas.quad(area, coordinates(0, 0, 1, 1));
}

}  // namespace

bool formats(Canvas &canvas, Picture *expected) {
  IDirect3DDevice9 *device = canvas.device();
  for (uint32_t i = 0; i < std::size(kFormats); i++) {
    const Format &format = kFormats[i];
    // A format that the driver does not report need not work.
    if (!isFormat(canvas, format.format, 0)) {
      std::printf("# formats: no texture of D3DFMT_%s\n", format.name);
      continue;
    }
    // Managed textures are updated as by UpdateTexture, the others are locked.
    ComPtr<IDirect3DTexture9> texture;
    const bool managed = i % 2 != 0;
    if (!ok(device->CreateTexture(kTexels, kTexels, 1, managed ? 0 : D3DUSAGE_DYNAMIC, format.format,
                                  managed ? D3DPOOL_MANAGED : D3DPOOL_DEFAULT, texture.put(), nullptr),
            format.name))
      return false;
    D3DLOCKED_RECT locked{};
    if (!ok(texture->LockRect(0, &locked, nullptr, 0), "LockRect")) return false;
    const Area area = tile(i);
    for (uint32_t y = 0; y < kTexels; y++)
      for (uint32_t x = 0; x < kTexels; x++) {
        uint8_t bytes[16];
        texelBytes(format, x, y, bytes);
        std::memcpy(static_cast<uint8_t *>(locked.pBits) + ptrdiff_t{locked.Pitch} * y + size_t{x} * format.bytes,
                    bytes, format.bytes);
        double rgba[4];
        uint32_t unused;
        for (uint32_t channel = 0; channel < 4; channel++) rgba[channel] = channelValue(format, channel, x, y, unused);
        constexpr uint32_t kEdge = kTile / kTexels;
        for (uint32_t row = 0; row < kEdge; row++)
          for (uint32_t column = 0; column < kEdge; column++)
            expected->at(area.x + x * kEdge + column, area.y + y * kEdge + row) = shown(rgba);
      }
    if (!ok(texture->UnlockRect(0), "UnlockRect") || !showTexture(canvas, texture.get(), area)) return false;
  }
  return true;
}

bool drawnFormats(Canvas &canvas, Picture *expected) {
  // Fills each quarter of a target with a colour; a channel is rounded to its format, and a missing one reads as 1.
  IDirect3DDevice9 *device = canvas.device();
  // For these colours the way of rounding to 1, 2, 5 or 6 bits does not matter.
  constexpr uint32_t kColours[4] = {argb(255, 255, 0, 66), argb(0, 66, 198, 255), argb(85, 132, 198, 0),
                                    argb(170, 0, 255, 132)};
  uint32_t count = 0;
  for (const Format &format : kFormats) {
    if (!format.drawn) continue;
    const Area area = tile(count++);
    if (!isFormat(canvas, format.format, D3DUSAGE_RENDERTARGET)) {
      std::printf("# drawn-formats: no target of D3DFMT_%s\n", format.name);
      continue;
    }
    ComPtr<IDirect3DTexture9> texture;
    ComPtr<IDirect3DSurface9> surface;
    constexpr uint32_t kSize = kCanvasSize;  // the vertex shader assumes this size
    if (!ok(device->CreateTexture(kSize, kSize, 1, D3DUSAGE_RENDERTARGET, format.format, D3DPOOL_DEFAULT, texture.put(),
                                  nullptr),
            format.name) ||
        !ok(texture->GetSurfaceLevel(0, surface.put()), "GetSurfaceLevel") ||
        !ok(device->SetTexture(0, nullptr), "SetTexture(null)") ||
        !ok(device->SetRenderTarget(0, surface.get()), "SetRenderTarget") || !canvas.use(PixelKind::kValues))
      return false;
    for (uint32_t quarter = 0; quarter < 4; quarter++) {
      const Area part{quarter % 2 * kSize / 2, quarter / 2 * kSize / 2, kSize / 2, kSize / 2};
      if (!canvas.quad(part, flat(kColours[quarter]))) return false;
      double rgba[4];
      constexpr uint32_t kShift[4] = {16, 8, 0, 24};
      for (uint32_t channel = 0; channel < 4; channel++) {
        const Channel &c = format.channels[channel];
        const double value = (kColours[quarter] >> kShift[channel] & 255) / 255.0;
        const double most = c.type == 'u' ? std::pow(2.0, c.bits) - 1 : 0;
        rgba[channel] = c.type == '1' ? 1 : c.type == 'u' ? std::floor(value * most + 0.5) / most : value;
      }
      for (uint32_t y = 0; y < kTile / 2; y++)
        for (uint32_t x = 0; x < kTile / 2; x++)
          expected->at(area.x + quarter % 2 * kTile / 2 + x, area.y + quarter / 2 * kTile / 2 + y) = shown(rgba);
    }
    if (!ok(device->SetRenderTarget(0, canvas.target()), "SetRenderTarget") ||
        !showTexture(canvas, texture.get(), area))
      return false;
  }
  return true;
}

}  // namespace programs
