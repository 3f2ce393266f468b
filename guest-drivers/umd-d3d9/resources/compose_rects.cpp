// SPDX-License-Identifier: MIT
#include "guest-drivers/umd-d3d9/resources/compose_rects.h"

#include <bit>

namespace aero {
namespace {

// The entries of the buffers: D3DCOMPOSERECTDESC and D3DCOMPOSERECTDESTINATION of d3d9types.h.
struct Glyph {
  uint16_t x, y, width, height;
};
struct Place {
  uint16_t glyph, reserved;
  int16_t x, y;
};
static_assert(sizeof(Glyph) == 8 && sizeof(Place) == 8);

constexpr uint32_t kMaxRects = 0xFFFF;  // a driver ignores more
// Number of bits that are combined at a time: from any bit of a byte on, they lie in at most eight bytes.
constexpr uint32_t kBitsAtOnce = 56;

uint64_t load(const uint8_t *at, uint32_t bytes) {
  uint64_t value = 0;
  for (uint32_t i = 0; i < bytes; i++) value = value << 8 | at[i];
  return value;
}

void store(uint8_t *at, uint32_t bytes, uint64_t value) {
  for (uint32_t i = bytes; i-- > 0; value >>= 8) at[i] = static_cast<uint8_t>(value);
}

/** The bytes of a row that contain `count` bits from `bit` on. */
struct BitRun {
  BitRun(uint32_t bit, uint32_t count)
      : byte(bit / 8), bytes((bit % 8 + count + 7) / 8), behind(bytes * 8 - bit % 8 - count) {}
  uint32_t byte, bytes;
  uint32_t behind;  // bits after the run in its last byte
};

uint64_t combine(D3DDDI_COMPOSERECTSOP operation, uint64_t to, uint64_t from) {
  switch (operation) {
  case D3DDDICOMPOSERECTS_OR:
    return to | from;
  case D3DDDICOMPOSERECTS_AND:
    return to & from;
  case D3DDDICOMPOSERECTS_NEG:
    return to & ~from;
  default:
    return from;
  }
}

void composeRow(uint8_t *to, uint32_t x, const uint8_t *from, uint32_t left, uint32_t width,
                D3DDDI_COMPOSERECTSOP operation) {
  while (width) {
    // From the second time on the destination begins at a byte.
    const uint32_t most = kBitsAtOnce - x % 8, count = width < most ? width : most;
    const BitRun target(x, count), source(left, count);
    const uint64_t mask = ((uint64_t{1} << count) - 1) << target.behind;
    const uint64_t bits = load(from + source.byte, source.bytes) >> source.behind << target.behind;
    const uint64_t old = load(to + target.byte, target.bytes);
    store(to + target.byte, target.bytes, (old & ~mask) | (combine(operation, old, bits) & mask));
    x += count;
    left += count;
    width -= count;
  }
}

/** Reads the entry of a buffer; returns false past its end. The program may write to it meanwhile, so it is read
 * once. */
template <class T> bool entry(const BufferStore &buffer, uint32_t index, T &out) {
  if (index >= buffer.size / sizeof(T)) return false;
  memcpy(&out, buffer.bytes + size_t{index} * sizeof(T), sizeof(T));
  return true;
}

/** Composes a glyph at a place, clipped to the surface. */
void composeGlyph(const Bitmap &to, int64_t x, int64_t y, const Bitmap &from, const Glyph &glyph,
                  D3DDDI_COMPOSERECTSOP operation) {
  if (uint32_t{glyph.x} + glyph.width > from.width || uint32_t{glyph.y} + glyph.height > from.height) return;
  if (x >= to.width || y >= to.height || x + glyph.width <= 0 || y + glyph.height <= 0) return;
  const auto before = [](int64_t at) { return static_cast<uint32_t>(at < 0 ? -at : 0); };
  const auto inside = [](int64_t at, uint32_t size, uint32_t room) {
    return static_cast<uint32_t>(at + size < room ? size : room - at);
  };
  const Rect rect = {glyph.x + before(x), glyph.y + before(y), glyph.x + inside(x, glyph.width, to.width),
                     glyph.y + inside(y, glyph.height, to.height)};
  composeBits(to, static_cast<uint32_t>(x < 0 ? 0 : x), static_cast<uint32_t>(y < 0 ? 0 : y), from, rect, operation);
}

}  // namespace

bool bitmapOf(Resource &resource, uint32_t subresource, Bitmap &out) {
  const Surface *surface = resource.isBitmap() ? resource.surface(subresource) : nullptr;
  if (!surface || !surface->system || uint64_t{surface->systemPitch} * 8 < surface->width) return false;
  out = {surface->system, surface->systemPitch, surface->width, surface->height};
  return true;
}

void composeBits(const Bitmap &to, uint32_t x, uint32_t y, const Bitmap &from, const Rect &rect,
                 D3DDDI_COMPOSERECTSOP operation) {
  for (uint32_t row = 0; row < rect.height(); row++)
    composeRow(to.bytes + size_t{y + row} * to.pitch, x, from.bytes + size_t{rect.top + row} * from.pitch, rect.left,
               rect.width(), operation);
}

HRESULT composeRects(const D3DDDIARG_COMPOSERECTS &args) {
  Resource *source = Resource::from(args.hSrcResource), *destination = Resource::from(args.hDstResource);
  Resource *glyphs = Resource::from(args.hSrcRectDescsVB), *places = Resource::from(args.hDstRectDescsVB);
  if (!source || !destination || !glyphs || !places || !glyphs->isBuffer() || !places->isBuffer()) return kNotAvailable;
  Bitmap from, to;
  if (!bitmapOf(*source, args.SrcSubResourceIndex, from) || !bitmapOf(*destination, args.DstSubResourceIndex, to) ||
      from.bytes == to.bytes)
    return kNotAvailable;
  const auto operation = std::bit_cast<uint32_t>(args.Operation);
  if (operation < D3DDDICOMPOSERECTS_COPY || operation > D3DDDICOMPOSERECTS_NEG) return kNotAvailable;
  if (args.NumRects > kMaxRects) return kOk;
  for (uint32_t i = 0; i < args.NumRects; i++) {
    Place place;
    if (!entry(places->buffer(), i, place)) break;
    Glyph glyph;
    if (entry(glyphs->buffer(), place.glyph, glyph))
      composeGlyph(to, int64_t{place.x} + args.XOffset, int64_t{place.y} + args.YOffset, from, glyph, args.Operation);
  }
  return kOk;
}

HRESULT copyBits(Resource &source, uint32_t sourceIndex, const Rect &rect, Resource &destination,
                 uint32_t destinationIndex, uint32_t x, uint32_t y) {
  Bitmap from, to;
  if (!bitmapOf(source, sourceIndex, from) || !bitmapOf(destination, destinationIndex, to) || from.bytes == to.bytes)
    return kNotImplemented;
  composeBits(to, x, y, from, rect, D3DDDICOMPOSERECTS_COPY);
  return kOk;
}

}  // namespace aero
