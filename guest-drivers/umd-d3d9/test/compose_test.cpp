// SPDX-License-Identifier: MIT
// Tests surfaces of one bit a texel and ComposeRects against a model that goes texel by texel. Pages
// "PFND3DDDI_COMPOSERECTS" and "D3DDDIARG_COMPOSERECTS"; the structures in the buffers are those of d3d9types.h.
#include "guest-drivers/umd-d3d9/resources/compose_rects.h"

#include <random>

#include "guest-drivers/umd-d3d9/test/umd_test.h"

namespace aero::test {
namespace {

struct SourceRect {  // D3DCOMPOSERECTDESC
  uint16_t x, y, width, height;
};
struct DestinationRect {  // D3DCOMPOSERECTDESTINATION
  uint16_t source, reserved;
  int16_t x, y;
};

constexpr uint32_t kCopy = 1, kOr = 2, kAnd = 3, kNeg = 4;

/** Rows of bits in bytes, every bit of which is known. */
struct Picture {
  uint32_t width = 0, height = 0, pitch = 0;
  std::vector<uint8_t> bytes;

  Picture() = default;
  Picture(uint32_t w, uint32_t h, uint32_t rowBytes)
      : width(w), height(h), pitch(rowBytes), bytes(size_t{rowBytes} * h) {}

  static uint8_t maskOf(int64_t x) { return static_cast<uint8_t>(0x80 >> x % 8); }
  size_t at(int64_t x, int64_t y) const { return static_cast<size_t>(y * pitch + x / 8); }
  bool bit(int64_t x, int64_t y) const { return bytes[at(x, y)] & maskOf(x); }
  bool has(int64_t x, int64_t y) const { return x >= 0 && y >= 0 && x < width && y < height; }
  void set(int64_t x, int64_t y, bool on) {
    if (on)
      bytes[at(x, y)] |= maskOf(x);
    else
      bytes[at(x, y)] &= static_cast<uint8_t>(~maskOf(x));
  }
  void combine(int64_t x, int64_t y, bool from, uint32_t operation) {
    const bool old = bit(x, y);
    set(x, y,
        operation == kCopy  ? from
        : operation == kOr  ? old || from
        : operation == kAnd ? old && from
                            : old && !from);
  }
};

/** Composes rectangles as the pages say. */
void compose(Picture &to, const Picture &from, const std::vector<SourceRect> &sources,
             const std::vector<DestinationRect> &places, uint32_t count, uint32_t operation, int xOffset, int yOffset) {
  for (size_t i = 0; i < count && i < places.size(); i++) {
    if (places[i].source >= sources.size()) continue;
    const SourceRect &rect = sources[places[i].source];
    if (rect.x + rect.width > static_cast<int64_t>(from.width) ||
        rect.y + rect.height > static_cast<int64_t>(from.height))
      continue;
    for (int64_t y = 0; y < rect.height; y++)
      for (int64_t x = 0; x < rect.width; x++) {
        const int64_t toX = int64_t{places[i].x} + xOffset + x, toY = int64_t{places[i].y} + yOffset + y;
        if (to.has(toX, toY)) to.combine(toX, toY, from.bit(rect.x + x, rect.y + y), operation);
      }
  }
}

TEST(ComposeBits, RunsOfBitsWhereverTheyBegin) {
  std::mt19937 twister(118);
  const auto below = [&](uint32_t end) { return static_cast<uint32_t>(twister() % end); };
  for (int i = 0; i < 20000; i++) {
    SCOPED_TRACE(i);
    const auto picture = [&] {
      const uint32_t width = 1 + below(below(4) ? 40 : 300);
      Picture out(width, 1 + below(4), (width + 7) / 8 + below(3));
      for (uint8_t &byte : out.bytes) byte = static_cast<uint8_t>(twister());
      return out;
    };
    Picture from = picture(), to = picture();
    const uint32_t width = below(std::min(from.width, to.width) + 1),
                   height = below(std::min(from.height, to.height) + 1);
    const uint32_t left = below(from.width - width + 1), top = below(from.height - height + 1);
    const uint32_t x = below(to.width - width + 1), y = below(to.height - height + 1), operation = 1 + below(4);
    Picture expected = to;
    for (uint32_t row = 0; row < height; row++)
      for (uint32_t column = 0; column < width; column++)
        expected.combine(x + column, y + row, from.bit(left + column, top + row), operation);
    const Picture before = from;
    composeBits({to.bytes.data(), to.pitch, to.width, to.height}, x, y,
                {from.bytes.data(), from.pitch, from.width, from.height}, {left, top, left + width, top + height},
                static_cast<D3DDDI_COMPOSERECTSOP>(operation));
    ASSERT_EQ(to.bytes, expected.bytes) << width << "x" << height << " from " << left << " to " << x << ", "
                                        << operation;
    ASSERT_EQ(from.bytes, before.bytes);
  }
}

class UmdCompose : public Umd {
protected:
  static uint32_t text() {
    return Program::flag([](auto &f) { f.TextApi = 1; });
  }
  HANDLE bitmap(uint32_t width, uint32_t height, uint32_t levels = 1) {
    return p.resource(D3DDDIFMT_A1, width, height, Program::texture() | text(), D3DDDIPOOL_VIDEOMEMORY, levels);
  }
  /** Locks a surface, and gives the picture the pitch of the lock. */
  uint8_t *lock(HANDLE resource, Picture &picture, uint32_t subresource = 0) {
    D3DDDIARG_LOCK args = {};
    args.hResource = resource;
    args.SubResourceIndex = subresource;
    EXPECT_EQ(p.fn.pfnLock(p.dev(), &args), 0);
    picture.pitch = args.Pitch;
    EXPECT_GE(args.Pitch, (picture.width + 7) / 8);
    EXPECT_EQ(args.Pitch % 4, 0u);
    return static_cast<uint8_t *>(args.pSurfData);
  }
  Picture read(HANDLE resource, uint32_t width, uint32_t height, uint32_t subresource = 0) {
    Picture out;
    out.width = width;
    out.height = height;
    const uint8_t *from = lock(resource, out, subresource);
    out.bytes.assign(from, from + size_t{out.pitch} * height);
    p.unlock(resource, subresource);
    return out;
  }
  Picture scribble(HANDLE resource, uint32_t width, uint32_t height, uint32_t subresource = 0) {
    Picture out = read(resource, width, height, subresource);
    for (uint8_t &byte : out.bytes) byte = static_cast<uint8_t>(random());
    memcpy(lock(resource, out, subresource), out.bytes.data(), out.bytes.size());
    p.unlock(resource, subresource);
    return out;
  }
  template <class T> HANDLE list(const std::vector<T> &items) {
    return p.buffer(static_cast<uint32_t>(items.size() * sizeof(T)), items.data(), Program::vertices() | text());
  }
  /** Makes a list in the runtime's memory. */
  template <class T> HANDLE listInMemory(std::vector<T> &items) {
    return p.resource(D3DDDIFMT_VERTEXDATA, static_cast<uint32_t>(items.size() * sizeof(T)), 1,
                      Program::vertices() | text(), D3DDDIPOOL_SYSTEMMEM, 1, 1, items.data());
  }
  HRESULT call(HANDLE from, HANDLE sources, HANDLE to, HANDLE places, uint32_t count, uint32_t operation, int x = 0,
               int y = 0, uint32_t fromIndex = 0, uint32_t toIndex = 0) {
    D3DDDIARG_COMPOSERECTS args = {};
    args.hSrcResource = from;
    args.SrcSubResourceIndex = fromIndex;
    args.hDstResource = to;
    args.DstSubResourceIndex = toIndex;
    args.hSrcRectDescsVB = sources;
    args.NumRects = count;
    args.hDstRectDescsVB = places;
    memcpy(&args.Operation, &operation, sizeof operation);
    args.XOffset = x;
    args.YOffset = y;
    return p.fn.pfnComposeRects(p.dev(), &args);
  }
  uint32_t random() { return static_cast<uint32_t>(m_twister()); }

private:
  std::mt19937 m_twister{54};
};

TEST_F(UmdCompose, GlyphsBecomeText) {
  // Two glyphs of 8x2 and 3x1, each shown once, the second one cut on the right.
  HANDLE glyphs = bitmap(16, 2), line = bitmap(20, 2);
  Picture alphabet(16, 2, 0);
  uint8_t *bytes = lock(glyphs, alphabet);
  bytes[0] = 0xF0;
  bytes[1] = 0xA0;
  bytes[alphabet.pitch] = 0x0F;
  p.unlock(glyphs);
  HANDLE sources = list<SourceRect>({{0, 0, 8, 2}, {8, 0, 3, 1}}),
         places = list<DestinationRect>({{0, 0, 1, 0}, {1, 0, 17, 1}});
  EXPECT_EQ(call(glyphs, sources, line, places, 2, kCopy, 1, 0), 0);
  const Picture text = read(line, 20, 2);
  const auto row = [&](uint32_t y) {
    const uint8_t *first = &text.bytes[text.at(0, y)];
    return std::vector<uint8_t>(first, first + 4);
  };
  EXPECT_EQ(row(0), (std::vector<uint8_t>{0x3C, 0, 0, 0}));
  EXPECT_EQ(row(1), (std::vector<uint8_t>{0x03, 0xC0, 0x20, 0})) << "101 begins at 18: its last bit is cut";
}

TEST_F(UmdCompose, AnyRectanglesGiveWhatTheModelGives) {
  constexpr uint32_t kWidth = 70, kHeight = 20;
  std::vector<uint8_t> memory(size_t{64} * kHeight);
  HANDLE from = bitmap(kWidth, kHeight), video = bitmap(93, kHeight);
  HANDLE system =
      p.resource(D3DDDIFMT_A1, 93, kHeight, Program::texture(), D3DDDIPOOL_SYSTEMMEM, 1, 1, memory.data(), 64);
  rt.allBusy = true;
  const auto renders = rt.calls["Render"], allocations = rt.calls["Allocate"], locks = rt.calls["Lock"];
  const auto edge = [&](uint32_t most) -> uint16_t {
    constexpr uint16_t kEdges[] = {0, 1, 19, 20, 69, 70, 71, 0x7FFF, 0x8000, 0xFFFF};
    return random() % 32 ? static_cast<uint16_t>(random() % most) : kEdges[random() % 10];
  };
  const auto place = [&](uint32_t most) {
    return random() % 8 ? static_cast<int16_t>(static_cast<int>(random() % most) - 8) : static_cast<int16_t>(random());
  };
  const auto offset = [&] {
    constexpr int kFar[] = {INT32_MAX, INT32_MIN, INT32_MAX - 0x7FFF, INT32_MIN + 0x8000, 0x7FFF, -0x8000, 100, -100};
    return random() % 16 ? static_cast<int>(random() % 9) - 4 : kFar[random() % 8];
  };
  size_t changed = 0;
  for (int i = 0; i < 3000; i++) {
    SCOPED_TRACE(i);
    const bool inMemory = random() % 2;
    HANDLE to = random() % 2 ? video : system;
    const Picture source = scribble(from, kWidth, kHeight), before = scribble(to, 93, kHeight);
    std::vector<SourceRect> sources(1 + random() % 6);
    for (SourceRect &rect : sources) rect = {edge(40), edge(11), edge(40), edge(11)};
    std::vector<DestinationRect> places(1 + random() % 8);
    for (DestinationRect &rect : places)
      rect = {static_cast<uint16_t>(random() % 16 ? random() % sources.size() : random()), 0xABCD, place(100),
              place(30)};
    HANDLE first = inMemory ? listInMemory(sources) : list(sources),
           second = inMemory ? listInMemory(places) : list(places);
    // The call may ask for more rectangles than the buffer has.
    const uint32_t counts[] = {static_cast<uint32_t>(places.size()), static_cast<uint32_t>(places.size()), 0, 1,
                               0xFFFF};
    const uint32_t count = counts[random() % 5], operation = 1 + random() % 4;
    const int x = offset(), y = offset();
    ASSERT_EQ(call(from, first, to, second, count, operation, x, y), 0);
    Picture expected = before;
    compose(expected, source, sources, places, count, operation, x, y);
    ASSERT_EQ(read(to, 93, kHeight).bytes, expected.bytes) << "operation " << operation << " at " << x << " " << y;
    ASSERT_EQ(read(from, kWidth, kHeight).bytes, source.bytes);
    changed += expected.bytes != before.bytes;
    p.destroy(first);
    p.destroy(second);
  }
  EXPECT_GT(changed, 1000u) << "else the cases are none";
  EXPECT_EQ(rt.calls["Render"], renders) << "the device has no part in it";
  EXPECT_EQ(rt.calls["Allocate"], allocations);
  EXPECT_EQ(rt.calls["Lock"], locks);
  EXPECT_EQ(rt.waits, 0);
}

TEST_F(UmdCompose, LevelsOfATextureAreSurfacesOfTheirOwn) {
  HANDLE texture = bitmap(64, 16, 3);
  const Picture top = scribble(texture, 64, 16, 0), below = scribble(texture, 32, 8, 1),
                last = scribble(texture, 16, 4, 2);
  HANDLE sources = list<SourceRect>({{0, 0, 32, 8}}), places = list<DestinationRect>({{0, 0, 3, 2}});
  ASSERT_EQ(call(texture, sources, texture, places, 1, kOr, 0, 0, 1, 0), 0);
  Picture expected = top;
  compose(expected, below, {{0, 0, 32, 8}}, {{0, 0, 3, 2}}, 1, kOr, 0, 0);
  EXPECT_EQ(read(texture, 64, 16, 0).bytes, expected.bytes);
  EXPECT_EQ(read(texture, 32, 8, 1).bytes, below.bytes);
  EXPECT_EQ(read(texture, 16, 4, 2).bytes, last.bytes);
}

TEST_F(UmdCompose, WhatIsNoSuchCallChangesNothing) {
  HANDLE from = bitmap(32, 32), to = bitmap(32, 32);
  scribble(from, 32, 32);
  const Picture before = scribble(to, 32, 32);
  HANDLE sources = list<SourceRect>({{0, 0, 32, 32}}), places = list<DestinationRect>({{0, 0, 0, 0}});
  HANDLE plain = p.resource(D3DDDIFMT_A8R8G8B8, 32, 32, Program::texture());
  HANDLE short7 = p.buffer(7, nullptr);
  std::vector<uint8_t> memory(32);
  const auto system = [&](void *at, uint32_t pitch) {
    return p.resource(D3DDDIFMT_A1, 32, 8, 0, D3DDDIPOOL_SYSTEMMEM, 1, 1, at, pitch);
  };
  const HRESULT no = kNotAvailable;
  // Resources of another kind.
  for (HANDLE other : {HANDLE{nullptr}, plain, sources, system(nullptr, 4), system(memory.data(), 3)}) {
    EXPECT_EQ(call(other, sources, to, places, 1, kCopy), no);
    EXPECT_EQ(call(from, sources, other, places, 1, kCopy), no);
  }
  for (HANDLE other : {HANDLE{nullptr}, plain, from}) {
    EXPECT_EQ(call(from, other, to, places, 1, kCopy), no);
    EXPECT_EQ(call(from, sources, to, other, 1, kCopy), no);
  }
  for (const uint32_t index : {1u, 0x7FFFFFFFu, 0xFFFFFFFFu}) {
    EXPECT_EQ(call(from, sources, to, places, 1, kCopy, 0, 0, index, 0), no);
    EXPECT_EQ(call(from, sources, to, places, 1, kCopy, 0, 0, 0, index), no);
  }
  for (const uint32_t operation : {0u, 5u, 0x7FFFFFFFu, 0x80000001u, 0xFFFFFFFFu})
    EXPECT_EQ(call(from, sources, to, places, 1, operation), no) << operation;
  EXPECT_EQ(call(to, sources, to, places, 1, kNeg), no) << "a surface is not composed from itself";
  // Buffers smaller than one structure, and more rectangles than the limit, are ignored.
  EXPECT_EQ(call(from, short7, to, places, 1, kCopy), 0);
  EXPECT_EQ(call(from, sources, to, short7, 0xFFFF, kCopy), 0);
  for (const uint32_t count : {0x10000u, 0x7FFFFFFFu, 0xFFFFFFFFu})
    EXPECT_EQ(call(from, sources, to, places, count, kCopy), 0) << count;
  EXPECT_EQ(read(to, 32, 32).bytes, before.bytes);
  EXPECT_EQ(call(from, sources, to, places, 0xFFFF, kCopy), 0);
  EXPECT_EQ(read(to, 32, 32).bytes, read(from, 32, 32).bytes);
}

TEST_F(UmdCompose, SuchSurfacesAreMadeAndNothingElseIs) {
  const auto make = [&](uint32_t width, uint32_t height, uint32_t flags, uint32_t levels = 1, uint32_t faces = 1) {
    HANDLE out;
    const HRESULT result =
        p.tryResource(D3DDDIFMT_A1, width, height, flags, out, D3DDDIPOOL_VIDEOMEMORY, levels, faces);
    if (out) p.destroy(out);
    return result;
  };
  const uint32_t texture = Program::texture();
  EXPECT_EQ(make(8192, 2048, texture | text()), 0) << "the largest of d3d9types.h";
  EXPECT_EQ(make(8192, 2048, texture), 0) << "a destination need not have the flag";
  EXPECT_EQ(make(1, 1, text()), 0);
  EXPECT_EQ(make(8193, 1, texture), kNotAvailable);
  EXPECT_EQ(make(1, 2049, texture), kNotAvailable);
  EXPECT_EQ(make(0xFFFFFFFF, 0xFFFFFFFF, texture), kNotAvailable);
  EXPECT_EQ(make(8, 8, texture, 2, 2), kNotAvailable) << "two levels that are four surfaces";
  EXPECT_EQ(make(1, 1, 0, 1, 1000), kNotAvailable);
  for (const uint32_t flags : {Program::target(), Program::depth(), Program::shared(), Program::cube(),
                               Program::volume(), Program::autogen(), Program::primary()})
    EXPECT_EQ(make(8, 8, texture | text() | flags), kNotAvailable) << std::hex << flags;
  D3DDDI_SURFACEINFO empty = {};
  empty.Width = 8;
  D3DDDIARG_CREATERESOURCE none = {};
  none.Format = D3DDDIFMT_A1;
  none.Pool = D3DDDIPOOL_VIDEOMEMORY;
  none.pSurfList = &empty;
  none.SurfCount = none.MipLevels = 1;
  none.Flags.Value = texture;
  EXPECT_EQ(p.fn.pfnCreateResource(p.dev(), &none), kNotAvailable) << "no rows";
  HANDLE out;
  EXPECT_EQ(p.tryKind(D3DDDIFMT_A1, {8, 8, 0, 1, 1, 2}, texture, out), 0) << "samples of a texture are reserved";
  p.destroy(out);
  EXPECT_EQ(p.tryResource(D3DDDIFMT_A8R8G8B8, 8, 8, texture | text(), out), kNotAvailable)
      << "no other format is of text";
  for (int64_t left = 0; left < 4; left++) {
    failHeapAfter(left);
    EXPECT_EQ(p.tryResource(D3DDDIFMT_A1, 64, 64, texture | text(), out, D3DDDIPOOL_VIDEOMEMORY, 3), kOutOfMemory);
    failHeapAfter(-1);
  }
}

TEST_F(UmdCompose, LocksBeginAtTheByteOfTheRectangle) {
  HANDLE surface = bitmap(64, 8);
  Picture whole(64, 8, 0);
  const uint8_t *first = lock(surface, whole);
  p.unlock(surface);
  D3DDDIARG_LOCK part = {};
  part.hResource = surface;
  part.Flags.AreaValid = 1;
  part.Area = {19, 3, 30, 5};
  ASSERT_EQ(p.fn.pfnLock(p.dev(), &part), 0);
  EXPECT_EQ(part.pSurfData, first + size_t{3} * whole.pitch + 2);
  p.unlock(surface);
}

TEST_F(UmdCompose, CopiesAreOfBitsAndOtherCallsLeaveThemAlone) {
  std::vector<uint8_t> memory(size_t{8} * 8);
  HANDLE system = p.resource(D3DDDIFMT_A1, 40, 8, Program::texture(), D3DDDIPOOL_SYSTEMMEM, 1, 1, memory.data(), 8);
  HANDLE to = bitmap(40, 8), plain = p.resource(D3DDDIFMT_A8R8G8B8, 40, 8, Program::texture());
  for (uint8_t &byte : memory) byte = static_cast<uint8_t>(random());
  Picture source(40, 8, 8), expected = scribble(to, 40, 8);
  source.bytes = memory;
  // UpdateSurface, as far as it is a copy.
  EXPECT_EQ(p.blt(system, {3, 1, 30, 6}, to, {9, 2, 36, 7}), 0);
  compose(expected, source, {{3, 1, 27, 5}}, {{0, 0, 9, 2}}, 1, kCopy, 0, 0);
  EXPECT_EQ(read(to, 40, 8).bytes, expected.bytes);
  EXPECT_EQ(p.blt(system, {0, 0, 40, 8}, to, {0, 0, 20, 8}), kNotImplemented);
  EXPECT_EQ(p.blt(plain, {0, 0, 40, 8}, to, {0, 0, 40, 8}), kNotImplemented);
  EXPECT_EQ(p.blt(to, {0, 0, 8, 8}, to, {8, 0, 16, 8}), kNotImplemented);
  EXPECT_EQ(p.blt(to, {0, 0, 41, 8}, system, {0, 0, 41, 8}), 0) << "outside: nothing to copy";
  const D3DDDIARG_COLORFILL fill = {to, 0, {0, 0, 40, 8}, 0xFFFFFFFF, {}};
  EXPECT_EQ(p.fn.pfnColorFill(p.dev(), &fill), kNotImplemented);
  EXPECT_EQ(read(to, 40, 8).bytes, expected.bytes);
  // UpdateTexture.
  D3DDDIARG_TEXBLT update = {};
  update.hDstResource = to;
  update.hSrcResource = system;
  update.SrcRect = {1, 0, 40, 7};
  update.DstPoint = {2, 3};
  EXPECT_EQ(p.fn.pfnTexBlt(p.dev(), &update), 0);
  compose(expected, source, {{1, 0, 38, 5}}, {{0, 0, 2, 3}}, 1, kCopy, 0, 0);
  EXPECT_EQ(read(to, 40, 8).bytes, expected.bytes);
  update.hSrcResource = plain;
  EXPECT_EQ(p.fn.pfnTexBlt(p.dev(), &update), kNotImplemented);
  // Bound as a texture or a target it acts as none.
  prepare();
  EXPECT_EQ(p.fn.pfnSetTexture(p.dev(), 0, to), 0);
  EXPECT_EQ(p.draw(D3DPT_TRIANGLELIST, 1), 0);
  p.setTarget(to, 40, 8);
  p.clear(0xFFFFFFFF);
  p.flush();
  EXPECT_EQ(read(to, 40, 8).bytes, expected.bytes);
}

}  // namespace
}  // namespace aero::test
