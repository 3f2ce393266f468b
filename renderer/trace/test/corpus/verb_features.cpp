// SPDX-License-Identifier: MIT
// Copies, blits and fills, and presents of damage.
#include <algorithm>
#include <bit>
#include <utility>

#include "renderer/test/memory_packets.h"
#include "renderer/trace/test/corpus/recorder.h"

namespace aerogpu::test {
namespace {

using Bytes = std::vector<uint8_t>;

/// Returns 16x16 texels in blue, green, red, X: their column and row.
Bytes grid() {
  Bytes out;
  for (uint8_t y = 0; y < 16; ++y)
    for (uint8_t x = 0; x < 16; ++x)
      out.insert(out.end(), {50, static_cast<uint8_t>(y * 16), static_cast<uint8_t>(x * 16), 255});
  return out;
}
Rgb gridColor(uint32_t x, uint32_t y) {
  return {x * 16 / 255.0, y * 16 / 255.0, 50 / 255.0};
}
void blit(Recorder& r, uint32_t source, uint32_t flags, const std::vector<aerogpu_ext_blit_rect>& rects,
          uint32_t key = 0) {
  aerogpu_cmd_ext_blit c{};
  c.dst_texture = r.target();
  c.src_texture = source;
  c.flags = flags;
  c.color_key = key;
  c.rect_count = static_cast<uint32_t>(rects.size());
  r.w.packet(c, rects.data(), rects.size());
}

Picture copies(Recorder& r) {
  const uint32_t source = r.texture(AEROGPU_FORMAT_B8G8R8X8_UNORM, 16, 16, grid());
  aerogpu_cmd_copy_texture2d c{};
  c.dst_texture = r.target();
  c.src_texture = source;
  c.dst_x = 30;
  c.dst_y = 7;
  c.src_x = 2;
  c.src_y = 3;
  c.width = 10;
  c.height = 12;
  r.w.packet(c);
  Picture out;
  out.paint(30, 7, 40, 19, [](uint32_t x, uint32_t y) { return gridColor(x - 28, y - 4); });
  return out;
}

Picture scaledBlits(Recorder& r) {
  const uint32_t source = r.texture(AEROGPU_FORMAT_B8G8R8X8_UNORM, 16, 16, grid());
  blit(r, source, 0, {{{0, 0, 32, 48}, {0, 0, 16, 16}}});
  blit(r, source, AEROGPU_EXT_BLIT_MIRROR_X | AEROGPU_EXT_BLIT_MIRROR_Y,
       {{{40, 10, 47, 15}, {1, 2, 15, 12}}});
  Picture out;
  out.paint(0, 0, 32, 48, [](uint32_t x, uint32_t y) { return gridColor(x / 2, y / 3); });
  // Each texel of 7x5 represents two each way of 14x10; a centre between two takes the second.
  out.paint(40, 10, 47, 15, [](uint32_t x, uint32_t y) {
    const uint32_t i = 46 - x, j = 14 - y;
    return gridColor(1 + (2 * i + 1) * 14 / 14, 2 + (2 * j + 1) * 10 / 10);
  });
  return out;
}

/// Blits grey of 16 to 235, then red in each second pair: Y 81, U 90, V 240 is (255, 0, 0) in BT.601.
Picture yuv(Recorder& r) {
  Bytes bytes;
  for (uint32_t x = 0; x < 8; ++x)
    if (x % 2 == 0)
      bytes.insert(bytes.end(),
                   {static_cast<uint8_t>(16 + x * 27), 128, static_cast<uint8_t>(16 + x * 27 + 27), 128});
    else
      bytes.insert(bytes.end(), {81, 90, 81, 240});
  const uint32_t source = r.texture(AEROGPU_FORMAT_D3D9_YUY2, 16, 1, bytes);
  blit(r, source, 0, {{{0, 0, kSide, kSide}, {0, 0, 16, 1}}});
  Picture out;
  for (uint32_t pair = 0; pair < 8; ++pair)
    for (uint32_t i = 0; i < 2; ++i) {
      const double grey = (pair * 27 + i * 27) / 219.0;
      const uint32_t x = (pair * 2 + i) * 4;
      out.fill(x, 0, x + 4, kSide, pair % 2 == 0 ? Rgb{grey, grey, grey} : Rgb{1, 0, 0});
    }
  return out;
}

/// Blits two colors of 4:2:0: red as in yuv(), and below (0, 0, 255), which has Y 41, U 240, V 110.
Picture yuvPlanes(Recorder& r) {
  for (uint32_t i = 0; i < 2; ++i) {
    Bytes bytes(16 * 16, 81);
    std::fill(bytes.begin() + 128, bytes.end(), 41);
    for (uint32_t pair = 0; pair < 64; ++pair) {
      const bool red = pair < 32;
      const uint8_t u = red ? 90 : 240, v = red ? 240 : 110;
      if (i == 0) {
        bytes.insert(bytes.end(), {u, v});
      } else {
        bytes.push_back(v);
      }
    }
    if (i == 1)
      for (uint32_t pair = 0; pair < 64; ++pair) bytes.push_back(pair < 32 ? 90 : 240);
    const uint32_t source =
        r.texture(i == 0 ? AEROGPU_FORMAT_D3D9_NV12 : AEROGPU_FORMAT_D3D9_YV12, 16, 24, bytes);
    blit(r, source, 0, {{{i * 32, 0, i * 32 + 32, kSide}, {0, 0, 16, 16}}});
  }
  Picture out;
  out.fill(0, 0, kSide, kSide / 2, {1, 0, 0});
  out.fill(0, kSide / 2, kSide, kSide, {0, 0, 1});
  return out;
}

/// Blits to yellow texels of the target only.
Picture targetColorKey(Recorder& r) {
  const uint32_t source = r.texture(AEROGPU_FORMAT_B8G8R8X8_UNORM, 16, 16, grid());
  packets::clearColor(r.w, {1, 1, 0, 1});
  aerogpu_cmd_ext_fill c{};
  c.texture = r.target();
  c.flags = AEROGPU_EXT_FILL_COLOR;
  c.color_rgba_f32[1] = c.color_rgba_f32[3] = std::bit_cast<uint32_t>(1.0f);
  const aerogpu_ext_rect hole = {10, 20, 50, 40};
  c.rect_count = 1;
  r.w.packetWithTail(AEROGPU_CMD_EXT_FILL, c, &hole, sizeof hole);
  blit(r, source, AEROGPU_EXT_BLIT_DST_COLOR_KEY, {{{0, 0, kSide, kSide}, {0, 0, 16, 16}}}, 0xFFFFFF00);
  Picture out;
  out.paint(0, 0, kSide, kSide, [](uint32_t x, uint32_t y) { return gridColor(x / 4, y / 4); });
  out.fill(10, 20, 50, 40, {0, 1, 0});
  return out;
}

Picture colorKey(Recorder& r) {
  Bytes bytes = grid();
  const Bytes key = {1, 2, 3, 255};
  for (size_t i = 0; i < 256; ++i)
    if (i % 16 == i / 16 || i % 5 == 0)
      std::copy(key.begin(), key.end(), bytes.begin() + static_cast<ptrdiff_t>(i) * 4);
  const uint32_t source = r.texture(AEROGPU_FORMAT_B8G8R8X8_UNORM, 16, 16, bytes);
  packets::clearColor(r.w, {1, 1, 0, 1});
  blit(r, source, AEROGPU_EXT_BLIT_SRC_COLOR_KEY, {{{0, 0, kSide, kSide}, {0, 0, 16, 16}}}, 0x00030201);
  Picture out;
  out.paint(0, 0, kSide, kSide, [](uint32_t x, uint32_t y) {
    const uint32_t u = x / 4, v = y / 4, i = v * 16 + u;
    return u == v || i % 5 == 0 ? Rgb{1, 1, 0} : gridColor(u, v);
  });
  return out;
}

/// Blits within the target, over itself: the source is read first.
Picture overlappingBlit(Recorder& r) {
  const uint32_t source = r.texture(AEROGPU_FORMAT_B8G8R8X8_UNORM, 16, 16, grid());
  blit(r, source, 0, {{{0, 0, 16, 16}, {0, 0, 16, 16}}});
  blit(r, r.target(), 0, {{{4, 4, 20, 20}, {0, 0, 16, 16}}});
  Picture out;
  out.paint(0, 0, 16, 16, gridColor);
  out.paint(4, 4, 20, 20, [](uint32_t x, uint32_t y) { return gridColor(x - 4, y - 4); });
  return out;
}

Picture fills(Recorder& r) {
  aerogpu_cmd_ext_fill c{};
  c.texture = r.target();
  c.flags = AEROGPU_EXT_FILL_COLOR;
  const float color[] = {0.2f, 0.8f, 0.4f, 1};
  for (int i = 0; i < 4; ++i) c.color_rgba_f32[i] = std::bit_cast<uint32_t>(color[i]);
  c.rect_count = 2;
  const aerogpu_ext_rect rects[] = {{3, 4, 20, 30}, {40, 1, 64, 64}};
  r.w.packetWithTail(AEROGPU_CMD_EXT_FILL, c, rects, sizeof rects);
  Picture out;
  out.fill(3, 4, 20, 30, {0.2, 0.8, 0.4});
  out.fill(40, 1, 64, 64, {0.2, 0.8, 0.4});
  return out;
}

void updateRows(Recorder& r, uint32_t texture, const Allocation& memory, uint32_t width, uint32_t height) {
  aerogpu_cmd_ext_update_texture c{};
  c.texture = texture;
  c.width = width;
  c.height = height;
  c.depth = 1;
  c.src_alloc_id = memory.id;
  c.src_row_pitch_bytes = width * 4;
  r.w.packet(c);
}

/// Copies a box of texels to guest memory, and from there to another texture.
Picture readBack(Recorder& r) {
  const uint32_t source = r.texture(AEROGPU_FORMAT_B8G8R8X8_UNORM, 16, 16, grid()),
                 other = r.texture(AEROGPU_FORMAT_B8G8R8X8_UNORM, 8, 4, {});
  const Allocation memory = r.memory(Bytes(8 * 4 * 4));
  aerogpu_cmd_ext_read_texture c{};
  c.texture = source;
  c.x = 3;
  c.y = 5;
  c.width = 8;
  c.height = 4;
  c.depth = 1;
  c.dst_alloc_id = memory.id;
  c.dst_row_pitch_bytes = 8 * 4;
  r.w.packet(c);
  r.submit();
  updateRows(r, other, memory, 8, 4);
  blit(r, other, 0, {{{10, 10, 18, 14}, {0, 0, 8, 4}}});
  Picture out;
  out.paint(10, 10, 18, 14, [](uint32_t x, uint32_t y) { return gridColor(x - 7, y - 5); });
  return out;
}

/// Shows two texels that are a value in guest memory.
Picture writtenValue(Recorder& r) {
  const uint32_t texels = r.texture(AEROGPU_FORMAT_B8G8R8X8_UNORM, 2, 1, {});
  const Allocation memory = r.memory(Bytes(8));
  packets::writeValue(r.w, memory.id, 0, 0xFF0040FFFFFF8000);
  r.submit();
  updateRows(r, texels, memory, 2, 1);
  blit(r, texels, 0, {{{0, 0, 64, 64}, {0, 0, 2, 1}}});
  Picture out;
  out.fill(0, 0, 32, 64, rgbOf(0xFF8000));
  out.fill(32, 0, 64, 64, rgbOf(0x0040FF));
  return out;
}

/// Attaches guest memory to a texture after its creation, and then other memory.
Picture attachedBacking(Recorder& r) {
  const uint32_t texture = r.texture(AEROGPU_FORMAT_B8G8R8X8_UNORM, 16, 16, {});
  Bytes turned = grid();
  for (size_t i = 0; i < turned.size(); i += 4) std::swap(turned[i + 1], turned[i + 2]);
  for (const auto& [bytes, at] : {std::pair{grid(), 0u}, {turned, 20u}}) {
    packets::attachBacking(r.w, texture, r.memory(bytes).id, 64);
    packets::dirtyRange(r.w, texture, 0, bytes.size());
    blit(r, texture, 0, {{{at, at, at + 16, at + 16}, {0, 0, 16, 16}}});
    r.submit();
  }
  Picture out;
  out.paint(0, 0, 16, 16, gridColor);
  out.paint(20, 20, 36, 36, [](uint32_t x, uint32_t y) { return gridColor(y - 20, x - 20); });
  return out;
}

/// Writes a texture's memory by the packets that need no GPU, all in one submission: a fill, a copy through a
/// page list, a copy that overlaps itself.
Picture copiedMemory(Recorder& r) {
  constexpr uint32_t kSource = 16, kBytes = kSource * kSource * 4;
  const Allocation from = r.memory(grid()), to = r.memory(Bytes(kBytes, 0));
  const Allocation between = r.harness().allocateScattered(kBytes + 4096);
  const uint32_t texture = r.handle();
  Harness::createTexture(r.w, texture, AEROGPU_FORMAT_B8G8R8X8_UNORM, kSource, kSource, 0, 1, 1, to.id,
                         kSource * 4);
  copyMemory(r.w, between, 4000, from, 0, kBytes);
  copyMemory(r.w, to, 0, between, 4000, kBytes);
  copyMemory(r.w, to, 8 * kSource * 4, to, 6 * kSource * 4, 4 * kSource * 4);
  fillMemory(r.w, to, 14 * kSource * 4, 0xFF, kSource * 4);
  packets::dirtyRange(r.w, texture, 0, kBytes);
  r.w.packet(aerogpu_cmd_copy_texture2d{.dst_texture = r.target(),
                                        .src_texture = texture,
                                        .dst_x = 8,
                                        .dst_y = 8,
                                        .width = kSource,
                                        .height = kSource});
  Picture out;
  out.paint(8, 8, 8 + kSource, 8 + kSource, [](uint32_t x, uint32_t y) {
    x -= 8;
    y -= 8;
    if (y == 14) return Rgb{0, 0, 1};
    return gridColor(x, y >= 8 && y < 12 ? y - 2 : y);
  });
  return out;
}

/// A present that names the changed rectangles shows the rest of the previous picture.
Picture presentedRectangles(Recorder& r) {
  packets::clearColor(r.w, {0, 0, 1, 1});
  r.present();
  r.showColors();
  Picture out;
  out.fill(0, 0, kSide, kSide, {0, 0, 1});
  for (uint32_t i = 0; i < 3; ++i) {
    const uint32_t at = i * 20, color = argb(255, 255, 80 * i, 0);
    r.draw(Recorder::quad(at, at, at + 10, at + 12, color));
    aerogpu_cmd_ext_present_rects c{};
    c.rect_count = 1;
    const aerogpu_ext_rect rect = {at, at, at + 10, at + 12};
    r.w.packetWithTail(AEROGPU_CMD_EXT_PRESENT_RECTS, c, &rect, sizeof rect);
    r.submit();
    out.fill(at, at, at + 10, at + 12, rgbOf(color));
  }
  return out;
}

}  // namespace

std::vector<Feature> verbFeatures() {
  return {{"copies", copies},
          {"scaled_blits", scaledBlits},
          {"yuv", yuv, 1},
          {"yuv_planes", yuvPlanes, 1},
          {"color_key", colorKey},
          {"target_color_key", targetColorKey},
          {"overlapping_blit", overlappingBlit},
          {"fills", fills},
          {"read_back", readBack},
          {"written_value", writtenValue},
          {"attached_backing", attachedBacking},
          {"copied_memory", copiedMemory},
          {"presented_rectangles", presentedRectangles}};
}

}  // namespace aerogpu::test
