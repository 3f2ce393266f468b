// SPDX-License-Identifier: MIT
#include "guest-drivers/kmd/logic/pointer.h"

#include <string.h>

namespace aero {
namespace {

constexpr uint32_t kTransparent = 0x00000000;
constexpr uint32_t kBlack = 0xFF000000;
constexpr uint32_t kWhite = 0xFFFFFFFF;
/** Marks an inverted pixel until its neighbours are done; no other pixel has colour with alpha 0. */
constexpr uint32_t kInvert = 0x00000001;

uint32_t get(const uint8_t *line, uint32_t x) {
  uint32_t pixel;
  memcpy(&pixel, line + size_t{x} * 4, sizeof pixel);
  return pixel;
}

void put(uint8_t *line, uint32_t x, uint32_t pixel) {
  memcpy(line + size_t{x} * 4, &pixel, sizeof pixel);
}

bool bit(const uint8_t *line, uint32_t x) {
  return line[x / 8] & (0x80 >> x % 8);
}

uint32_t monochrome(const PointerShape &shape, uint32_t x, uint32_t y) {
  const bool keep = bit(shape.pixels + size_t{y} * shape.pitch, x);
  const bool flip = bit(shape.pixels + size_t{y + shape.height} * shape.pitch, x);
  if (keep) return flip ? kInvert : kTransparent;
  return flip ? kWhite : kBlack;
}

uint32_t masked(uint32_t pixel) {
  if (pixel >> 24 == 0) return pixel | 0xFF000000;
  return (pixel & 0xFFFFFF) ? kInvert : kTransparent;  // XOR with 0 leaves the screen as it is
}

bool invertedNear(const uint8_t *out, uint32_t pitch, uint32_t width, uint32_t height, uint32_t x, uint32_t y) {
  for (int dy = -1; dy <= 1; dy++)
    for (int dx = -1; dx <= 1; dx++) {
      const int64_t nx = int64_t{x} + dx, ny = int64_t{y} + dy;
      if (nx < 0 || ny < 0 || nx >= width || ny >= height) continue;
      if (get(out + static_cast<size_t>(ny) * pitch, static_cast<uint32_t>(nx)) == kInvert) return true;
    }
  return false;
}

void resolveInverted(uint8_t *out, uint32_t pitch, uint32_t width, uint32_t height) {
  bool any = false;
  for (uint32_t y = 0; y < height; y++)
    for (uint32_t x = 0; x < width; x++) {
      uint8_t *line = out + size_t{y} * pitch;
      if (get(line, x) == kTransparent && invertedNear(out, pitch, width, height, x, y)) put(line, x, kWhite);
      any |= get(line, x) == kInvert;
    }
  if (!any) return;
  for (uint32_t y = 0; y < height; y++)
    for (uint32_t x = 0; x < width; x++)
      if (get(out + size_t{y} * pitch, x) == kInvert) put(out + size_t{y} * pitch, x, kBlack);
}

}  // namespace

void convertPointer(const PointerShape &shape, uint8_t *out, uint32_t outPitch) {
  for (uint32_t y = 0; y < shape.height; y++) {
    uint8_t *line = out + size_t{y} * outPitch;
    const uint8_t *from = shape.pixels + size_t{y} * shape.pitch;
    for (uint32_t x = 0; x < shape.width; x++) {
      uint32_t pixel;
      if (shape.kind == PointerKind::Monochrome)
        pixel = monochrome(shape, x, y);
      else if (shape.kind == PointerKind::MaskedColor)
        pixel = masked(get(from, x));
      else {
        pixel = get(from, x);
        if (pixel >> 24 == 0) pixel = kTransparent;
      }
      put(line, x, pixel);
    }
  }
  if (shape.kind != PointerKind::Color) resolveInverted(out, outPitch, shape.width, shape.height);
}

}  // namespace aero
