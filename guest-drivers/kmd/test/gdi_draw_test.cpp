// SPDX-License-Identifier: MIT
// Tests GDI's operations without a GPU: that floats are computed rightly from integers and that, for any rectangles,
// the device would accept every packet and buffer. gdi_pixel_test.cpp compares pixels.
#include "guest-drivers/kmd/gdi/gdi_draw.h"

#include <gtest/gtest.h>

#include <bit>
#include <functional>
#include <map>
#include <random>
#include <vector>

#include "aerogpu/aerogpu_cmd_table.h"
#include "aerogpu/aerogpu_format.h"
#include "guest-drivers/common/float_bits.h"
#include "guest-drivers/kmd/gdi/gdi_resources.h"

namespace aero {
namespace {

constexpr uint32_t kFirst = 0xF0000000u;

TEST(FloatRatio, IsTheNearestSingle) {
  // Both fit in 24 bits, so IEEE division of singles rounds the exact quotient once.
  std::mt19937 random(1);
  for (int i = 0; i < 200000; i++) {
    const auto num = static_cast<int32_t>(random() >> (8 + i % 20));
    const auto den = static_cast<int32_t>(random() >> (8 + i % 17)) | 1;
    const float want = static_cast<float>(num) / static_cast<float>(den);
    ASSERT_EQ(floatRatio(num, den), std::bit_cast<uint32_t>(want)) << num << "/" << den;
    ASSERT_EQ(floatRatio(-int64_t{num}, den), std::bit_cast<uint32_t>(num ? -want : 0.0f)) << num << "/" << den;
  }
}

TEST(FloatRatio, TiesGoToEven) {
  EXPECT_EQ(floatInt(0), 0u);
  EXPECT_EQ(floatInt(1), kFloatOne);
  EXPECT_EQ(floatInt((1 << 24) + 1), std::bit_cast<uint32_t>(16777216.0f));
  EXPECT_EQ(floatInt((1 << 24) + 3), std::bit_cast<uint32_t>(16777220.0f));
  EXPECT_EQ(floatInt((int64_t{1} << 25) - 1), std::bit_cast<uint32_t>(33554432.0f));
  EXPECT_EQ(floatInt(-1), std::bit_cast<uint32_t>(-1.0f));
}

/** Checks packets as the device does: sizes of textures, rectangles inside, no copy over itself. */
class Device {
public:
  struct Texture {
    uint32_t width, height, format;
    uint32_t allocId;
    uint64_t memory;  // bytes from the first pixel to the end of the allocation
    uint32_t pitch;
  };
  std::map<uint32_t, Texture> textures;
  uint32_t draws = 0, copies = 0;
  uint64_t allocationBytes = 0;

  void run(const uint8_t *data, size_t bytes) {
    size_t at = 0;
    while (at < bytes) {
      aerogpu_cmd_hdr header;
      ASSERT_LE(sizeof header, bytes - at);
      memcpy(&header, data + at, sizeof header);
      ASSERT_GE(header.size_bytes, sizeof header);
      ASSERT_LE(header.size_bytes, bytes - at);
      ASSERT_EQ(header.size_bytes % 4, 0u);
      packet(header, data + at);
      if (::testing::Test::HasFatalFailure()) return;
      at += header.size_bytes;
    }
  }

private:
  template <class T> static T load(const uint8_t *at) {
    T out;
    memcpy(&out, at, sizeof out);
    return out;
  }
  const Texture *find(uint32_t handle) {
    const auto it = textures.find(handle);
    EXPECT_NE(it, textures.end()) << "texture " << std::hex << handle;
    return it == textures.end() ? nullptr : &it->second;
  }

  void packet(const aerogpu_cmd_hdr &header, const uint8_t *at) {
    switch (header.opcode) {
    case AEROGPU_CMD_CREATE_TEXTURE2D: {
      const auto c = load<aerogpu_cmd_create_texture2d>(at);
      ASSERT_FALSE(textures.contains(c.texture_handle));
      ASSERT_TRUE(c.width && c.height && c.width <= 16384 && c.height <= 16384);
      if (c.backing_alloc_id) {
        ASSERT_GE(c.row_pitch_bytes, c.width * 4);
        ASSERT_LE(c.backing_offset_bytes + uint64_t{c.row_pitch_bytes} * c.height, allocationBytes);
      }
      textures[c.texture_handle] = {
          c.width, c.height, c.format, c.backing_alloc_id, allocationBytes - c.backing_offset_bytes, c.row_pitch_bytes};
      return;
    }
    case AEROGPU_CMD_DESTROY_RESOURCE:
      ASSERT_EQ(textures.erase(load<aerogpu_cmd_destroy_resource>(at).resource_handle), 1u);
      return;
    case AEROGPU_CMD_RESOURCE_DIRTY_RANGE: {
      const auto c = load<aerogpu_cmd_resource_dirty_range>(at);
      const Texture *texture = find(c.resource_handle);
      ASSERT_TRUE(texture && texture->allocId);
      ASSERT_LE(c.offset_bytes + c.size_bytes, uint64_t{texture->pitch} * texture->height);
      return;
    }
    case AEROGPU_CMD_COPY_TEXTURE2D: {
      const auto c = load<aerogpu_cmd_copy_texture2d>(at);
      const Texture *dst = find(c.dst_texture), *src = find(c.src_texture);
      ASSERT_TRUE(dst && src);
      ASSERT_EQ(dst->format, src->format);
      ASSERT_TRUE(c.width && c.height);
      ASSERT_LE(uint64_t{c.dst_x} + c.width, dst->width);
      ASSERT_LE(uint64_t{c.dst_y} + c.height, dst->height);
      ASSERT_LE(uint64_t{c.src_x} + c.width, src->width);
      ASSERT_LE(uint64_t{c.src_y} + c.height, src->height);
      if (c.dst_texture == c.src_texture) {
        ASSERT_TRUE(c.dst_x + c.width <= c.src_x || c.src_x + c.width <= c.dst_x || c.dst_y + c.height <= c.src_y ||
                    c.src_y + c.height <= c.dst_y);
      }
      if (c.flags & AEROGPU_COPY_FLAG_WRITEBACK_DST) {
        ASSERT_TRUE(dst->allocId);
      }
      copies++;
      return;
    }
    case AEROGPU_CMD_SET_TEXTURE: {
      const uint32_t texture = load<aerogpu_cmd_set_texture>(at).texture;
      if (texture) {
        ASSERT_TRUE(find(texture));
        m_bound.push_back(texture);
      }
      return;
    }
    case AEROGPU_CMD_SET_RENDER_TARGETS: {
      const auto c = load<aerogpu_cmd_set_render_targets>(at);
      // Checks that no texture is drawn to and read at once.
      if (c.color_count) {
        ASSERT_TRUE(find(c.colors[0]));
        for (const uint32_t texture : m_bound) ASSERT_NE(texture, c.colors[0]);
      }
      m_bound.clear();
      return;
    }
    case AEROGPU_CMD_SET_SHADER_CONSTANTS_F: {
      const auto c = load<aerogpu_cmd_set_shader_constants_f>(at);
      ASSERT_EQ(header.size_bytes, sizeof c + size_t{16} * c.vec4_count);
      ASSERT_LE(c.start_register + c.vec4_count, c.stage == AEROGPU_SHADER_STAGE_VERTEX ? 256u : 224u);
      return;
    }
    case AEROGPU_CMD_DRAW: {
      const auto c = load<aerogpu_cmd_draw>(at);
      ASSERT_TRUE(c.vertex_count && c.vertex_count <= 6 * kGdiRectsPerDraw);
      draws++;
      return;
    }
    default:
      return;
    }
  }

  std::vector<uint32_t> m_bound;
};

class GdiDraw : public ::testing::Test {
protected:
  void SetUp() override {
    std::vector<uint8_t> buffer(kGdiSetupBytes);
    for (uint32_t step = 0; step < kGdiSetupSteps; step++) {
      PacketWriter packets(buffer.data(), buffer.size());
      ASSERT_TRUE(gdiSetup(packets, kFirst, step));
      m_device.run(buffer.data(), packets.used());
    }
  }

  GdiSurface surface(uint32_t handle, uint32_t width, uint32_t height, uint32_t format, bool memory) {
    GdiSurface out;
    out.texture = handle;
    out.width = width;
    out.height = height;
    out.format = format;
    if (memory) {
      out.allocId = handle;
      out.pitch = (width * 4 + 63) & ~63u;
      out.bytes = uint64_t{out.pitch} * height;
      out.cpuWritten = out.cpuRead = out.pitchOfCommand = true;
    }
    m_device.textures[handle] = {width, height, format, out.allocId, out.bytes, out.pitch};
    return out;
  }

  /** Runs the operation in buffers of `room`; returns their number, 0 = unsupported. */
  uint32_t draw(size_t room, const std::function<GdiStatus(PacketWriter &, uint32_t &)> &operation) {
    std::vector<uint8_t> buffer(room + 64, 0xA5);
    uint32_t steps = 0;
    for (uint32_t pass = 1; pass < 100000; pass++) {
      PacketWriter packets(buffer.data(), room);
      EXPECT_TRUE(gdiBegin(packets, kFirst));
      const size_t begun = packets.used();
      const uint32_t before = steps;
      const GdiStatus status = operation(packets, steps);
      if (status == GdiStatus::Unsupported) {
        EXPECT_EQ(packets.used(), begun);
        EXPECT_EQ(steps, before);
        return 0;
      }
      if (status == GdiStatus::Full && steps == before) {
        ADD_FAILURE() << "no progress";
        return 0;
      }
      gdiEnd(packets);
      EXPECT_FALSE(packets.full());
      for (size_t i = room; i < buffer.size(); i++) EXPECT_EQ(buffer[i], 0xA5);
      m_device.run(buffer.data(), packets.used());
      if (status == GdiStatus::Done || HasFatalFailure()) return pass;
    }
    ADD_FAILURE() << "no end";
    return 0;
  }

  Device m_device;
};

TEST_F(GdiDraw, SetUpAndTeardownFitTheirBuffers) {
  std::vector<uint8_t> buffer(kGdiSetupBytes);
  PacketWriter packets(buffer.data(), buffer.size());
  EXPECT_TRUE(gdiTeardown(packets, kFirst, kGdiSetupSteps));
  PacketWriter small(buffer.data(), 64);
  EXPECT_FALSE(gdiSetup(small, kFirst, 0));
  PacketWriter tooSmall(buffer.data(), 512);
  EXPECT_FALSE(gdiBegin(tooSmall, kFirst));
  EXPECT_EQ(tooSmall.used(), 0u);
}

TEST_F(GdiDraw, OneUnscaledRectangleIsOneCopy) {
  GdiBlit blit;
  blit.src = surface(1, 100, 100, AEROGPU_FORMAT_B8G8R8A8_UNORM, false);
  blit.dst = surface(2, 100, 100, AEROGPU_FORMAT_B8G8R8A8_UNORM, false);
  blit.dstRect = blit.srcRect = {0, 0, 100, 100};
  const GdiRect rect = {10, 10, 20, 20};
  blit.rects = {&rect, 1};
  EXPECT_EQ(draw(65536, [&](PacketWriter &p, uint32_t &s) { return gdiCopy(p, kFirst, blit, s); }), 1u);
  EXPECT_EQ(m_device.copies, 1u);
  EXPECT_EQ(m_device.draws, 0u);
}

TEST_F(GdiDraw, ManyRectanglesOfAFillAreFewDraws) {
  const GdiSurface dst = surface(1, 1000, 1000, AEROGPU_FORMAT_B8G8R8A8_UNORM, false);
  std::vector<GdiRect> rects;
  rects.reserve(100);
  for (int32_t i = 0; i < 100; i++) rects.push_back({i * 10, i * 10, i * 10 + 5, i * 10 + 5});
  const GdiRects listed = {rects.data(), 100};
  draw(65536, [&](PacketWriter &p, uint32_t &s) { return gdiFill(p, kFirst, dst, listed, 0, kRopPatCopy, s); });
  EXPECT_EQ(m_device.draws, (100 + kGdiRectsPerDraw - 1) / kGdiRectsPerDraw);
}

TEST_F(GdiDraw, NothingToDrawIsDoneWithoutAPacket) {
  const GdiSurface dst = surface(1, 10, 10, AEROGPU_FORMAT_B8G8R8A8_UNORM, false);
  const GdiRect rects[] = {{10, 0, 20, 10}, {5, 5, 5, 9}, {7, 3, 2, 9}, {-5, -5, 0, 0}};
  for (const uint32_t count : {4u, 0u}) {
    const GdiRects listed = {rects, count};
    EXPECT_EQ(
        draw(65536, [&](PacketWriter &p, uint32_t &s) { return gdiFill(p, kFirst, dst, listed, 0, kRopPatCopy, s); }),
        1u);
  }
  EXPECT_EQ(m_device.draws, 0u);
}

TEST_F(GdiDraw, WhatNeedsWhatIsNotThereIsUnsupported) {
  const GdiSurface dst = surface(1, 64, 64, AEROGPU_FORMAT_B8G8R8A8_UNORM, false);
  GdiSurface table = surface(2, 64, 64, AEROGPU_FORMAT_B8G8R8A8_UNORM, false);
  table.bytePixels = true;
  GdiBlit blit;
  blit.dst = dst;
  blit.src = table;
  blit.dstRect = blit.srcRect = {0, 0, 64, 64};
  const GdiRect rect = {0, 0, 64, 64};
  blit.rects = {&rect, 1};
  const auto none = [&](const std::function<GdiStatus(PacketWriter &, uint32_t &)> &operation) {
    EXPECT_EQ(draw(65536, operation), 0u);
  };
  none([&](PacketWriter &p, uint32_t &s) { return gdiCopy(p, kFirst, blit, s); });
  none([&](PacketWriter &p, uint32_t &s) { return gdiAlphaBlend(p, kFirst, blit, 9, true, s); });
  blit.src = dst;
  none([&](PacketWriter &p, uint32_t &s) { return gdiRopBlit(p, kFirst, blit, 0xC0, s); });             // S & P
  none([&](PacketWriter &p, uint32_t &s) { return gdiFill(p, kFirst, dst, blit.rects, 0, 0x88, s); });  // S & D
  none([&](PacketWriter &p, uint32_t &s) { return gdiFill(p, kFirst, table, blit.rects, 0, kRopPatCopy, s); });
  none([&](PacketWriter &p, uint32_t &s) { return gdiFill(p, kFirst, {}, blit.rects, 0, kRopPatCopy, s); });
  const GdiSurface narrow = surface(3, 64, 64, AEROGPU_FORMAT_B5G6R5_UNORM, false);
  none([&](PacketWriter &p, uint32_t &s) { return gdiFill(p, kFirst, narrow, blit.rects, 0, kRopPatInvert, s); });
  GdiClearType text;
  text.dst = dst;
  text.alpha = surface(4, 64, 64, AEROGPU_FORMAT_B8G8R8A8_UNORM, false);
  text.gamma = table;
  text.rects = blit.rects;
  text.gammaRow = 3;  // a table of the wrong size
  none([&](PacketWriter &p, uint32_t &s) { return gdiClearTypeBlend(p, kFirst, text, s); });
}

TEST_F(GdiDraw, AnyOperationOnAnyRectanglesIsSoundPacketsAndGetsOn) {
  std::mt19937 random(7);
  const auto below = [&](uint32_t n) { return static_cast<uint32_t>(random() % n); };
  const auto coordinate = [&]() -> int32_t {
    switch (below(8)) {
    case 0:
      return static_cast<int32_t>(random());
    case 1:
      return below(2) ? INT32_MAX : INT32_MIN;
    case 2:
      return -static_cast<int32_t>(below(3000));
    default:
      return static_cast<int32_t>(below(2600));
    }
  };
  const auto anyRect = [&]() -> GdiRect {
    GdiRect r = {coordinate(), coordinate(), 0, 0};
    if (below(4) == 0) return {r.left, r.top, coordinate(), coordinate()};
    r.right = static_cast<int32_t>(std::min<int64_t>(int64_t{r.left} + below(2000), INT32_MAX));
    r.bottom = static_cast<int32_t>(std::min<int64_t>(int64_t{r.top} + below(1500), INT32_MAX));
    return r;
  };
  constexpr uint32_t kFormats[] = {AEROGPU_FORMAT_B8G8R8A8_UNORM, AEROGPU_FORMAT_B8G8R8X8_UNORM,
                                   AEROGPU_FORMAT_R8G8B8A8_UNORM, AEROGPU_FORMAT_R8G8B8X8_UNORM,
                                   AEROGPU_FORMAT_B5G6R5_UNORM};
  uint32_t drawn = 0;
  for (int i = 0; i < 60000; i++) {
    SCOPED_TRACE(i);
    const auto anySurface = [&](uint32_t handle) {
      const bool memory = below(4) == 0;
      const uint32_t width = 1 + below(2500), height = 1 + below(1500);
      return surface(handle, width, height, kFormats[below(memory ? 4 : 5)], memory);
    };
    GdiBlit blit;
    blit.dst = anySurface(1);
    blit.src = below(4) ? anySurface(2) : blit.dst;
    // Passing textures lie over either memory; the smaller one must hold them.
    m_device.allocationBytes = ~uint64_t{0} >> 1;
    if (blit.dst.bytes) m_device.allocationBytes = blit.dst.bytes;
    if (blit.src.bytes) m_device.allocationBytes = std::max(blit.src.bytes, blit.dst.bytes);
    blit.dstRect = anyRect();
    blit.srcRect = below(2) ? anyRect() : blit.dstRect;
    blit.mirrorX = below(4) == 0;
    blit.mirrorY = below(4) == 0;
    blit.dstPitch = below(3) ? 0 : below(10000);
    blit.srcPitch = below(3) ? 0 : below(10000) & ~3u;
    std::vector<GdiRect> rects(below(4) ? below(5) : below(100));
    for (GdiRect &rect : rects) rect = anyRect();
    blit.rects = {rects.data(), static_cast<uint32_t>(rects.size())};
    const auto number = static_cast<uint8_t>(random());
    const size_t room = below(3) ? 65536 : kGdiMinBytes;
    GdiClearType text;
    text.dst = blit.dst;
    text.alpha = blit.src;
    text.rects = blit.rects;
    text.toAlphaX = coordinate();
    text.toAlphaY = coordinate();
    text.alphaPitch = blit.srcPitch;
    text.gamma = surface(3, 128, 16, AEROGPU_FORMAT_B8G8R8A8_UNORM, false);
    text.gammaRow = below(2) ? below(16) : GdiClearType::kNoGamma;
    const uint32_t what = below(6);
    drawn += draw(room, [&](PacketWriter &p, uint32_t &s) {
               switch (what) {
               case 0:
                 return gdiCopy(p, kFirst, blit, s);
               case 1:
                 return gdiRopBlit(p, kFirst, blit, number, s);
               case 2:
                 return gdiAlphaBlend(p, kFirst, blit, number, number & 1, s);
               case 3:
                 return gdiTransparentBlt(p, kFirst, blit, number, number & 1, s);
               case 4:
                 return gdiFill(p, kFirst, blit.dst, blit.rects, number, number, s, blit.dstPitch);
               default:
                 return gdiClearTypeBlend(p, kFirst, text, s);
               }
             }) != 0;
    if (HasFailure()) return;
  }
  EXPECT_GT(drawn, 20000u);
  EXPECT_GT(m_device.draws, 2000u);
  EXPECT_GT(m_device.copies, 5000u);
}

}  // namespace
}  // namespace aero
