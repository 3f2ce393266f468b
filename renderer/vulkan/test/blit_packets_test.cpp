// SPDX-License-Identifier: MIT
// EXT_BLIT, EXT_FILL and EXT_GENERATE_MIPS as packets, on both back ends. blit_test and fill_test have the
// effects on formats, filters and overlaps.
#include <algorithm>

#include "renderer/vulkan/test/gpu_test.h"

namespace aerogpu::test {
namespace {

constexpr aerogpu_format kRgba = AEROGPU_FORMAT_R8G8B8A8_UNORM, kBgra = AEROGPU_FORMAT_B8G8R8A8_UNORM,
                         kBgrx = AEROGPU_FORMAT_B8G8R8X8_UNORM, kDepth = AEROGPU_FORMAT_D24_UNORM_S8_UINT;
constexpr uint32_t kDecode = AEROGPU_ERROR_CMD_DECODE, kOob = AEROGPU_ERROR_OOB;

using Rect = aerogpu_ext_rect;
using BlitRect = aerogpu_ext_blit_rect;

/// Each texel holds its place: x, y, then `seed`, then 255.
Bytes places(uint32_t width, uint32_t height, uint8_t seed) {
  Bytes out;
  for (uint32_t y = 0; y < height; ++y)
    for (uint32_t x = 0; x < width; ++x)
      out.insert(out.end(), {static_cast<uint8_t>(x), static_cast<uint8_t>(y), seed, 255});
  return out;
}

/// Each test has its own renderer, since the back ends take turns.
class BlitPackets : public GpuTest, public ::testing::WithParamInterface<const char*> {
protected:
  static void SetUpTestSuite() {}
  static void TearDownTestSuite() {}
  void SetUp() override {
    Harness::Options options;
    options.backend = GetParam();
    if (std::string(GetParam()) == "vulkan") {
      GpuTest::SetUpTestSuite();
    } else {
      s_gpu = new Harness(options);
    }
    GpuTest::SetUp();
  }
  void TearDown() override {
    GpuTest::TearDown();
    GpuTest::TearDownTestSuite();
  }
  uint32_t filled(CommandWriter& w, aerogpu_format format, uint32_t width, uint32_t height,
                  const Bytes& bytes, uint32_t mips = 1, uint32_t layers = 1) {
    const uint32_t t = texture(w, format, width, height, mips, layers);
    packets::upload(w, t, 0, bytes);
    return t;
  }
  static void blit(CommandWriter& w, aerogpu_cmd_ext_blit c, const std::vector<BlitRect>& rects) {
    c.rect_count = static_cast<uint32_t>(rects.size());
    w.packetWithTail(AEROGPU_CMD_EXT_BLIT, c, rects.data(), rects.size() * sizeof(BlitRect));
  }
  static void fill(CommandWriter& w, aerogpu_cmd_ext_fill c, const std::vector<Rect>& rects) {
    c.rect_count = static_cast<uint32_t>(rects.size());
    w.packetWithTail(AEROGPU_CMD_EXT_FILL, c, rects.data(), rects.size() * sizeof(Rect));
  }
  static aerogpu_cmd_ext_fill colour(uint32_t texture, float r, float g, float b, float a) {
    aerogpu_cmd_ext_fill c{.texture = texture, .flags = AEROGPU_EXT_FILL_COLOR};
    const float rgba[] = {r, g, b, a};
    for (int i = 0; i < 4; ++i) c.color_rgba_f32[i] = std::bit_cast<uint32_t>(rgba[i]);
    return c;
  }
};

// BLIT-2, BLIT-5, BLIT-7: flags, both rectangles, mips and layers reach the blit.
TEST_P(BlitPackets, TexelsComeFromWhereTheRuleSays) {
  CommandWriter w;
  const uint32_t src = texture(w, kRgba, 16, 8, 2, 2);
  // Layer 1, mip 1 of the source: 8x4.
  const Bytes from = places(8, 4, 7);
  packets::upload(w, src, 2 * (16 * 8 + 8 * 4) * 4 - from.size(), from);
  for (const uint32_t flags : {0u, uint32_t{AEROGPU_EXT_BLIT_MIRROR_X}, uint32_t{AEROGPU_EXT_BLIT_MIRROR_Y},
                               uint32_t{AEROGPU_EXT_BLIT_MIRROR_X | AEROGPU_EXT_BLIT_MIRROR_Y}}) {
    const uint32_t dst = texture(w, kRgba, 32, 32, 2, 3);
    // 3x2 texels at 2,1 go to 9x5 at 1,4 of mip 1 (16x16), layer 2; then 1x1 to 2x2 over its corner.
    blit(w,
         {.dst_texture = dst,
          .dst_mip_level = 1,
          .dst_array_layer = 2,
          .src_texture = src,
          .src_mip_level = 1,
          .src_array_layer = 1,
          .flags = flags},
         {{{1, 4, 10, 9}, {2, 1, 5, 3}}, {{1, 4, 3, 6}, {7, 3, 8, 4}}});
    run(w);
    const Bytes got = read(dst, kRgba, 16, 16, 1, 2);
    ASSERT_EQ(got.size(), 16u * 16 * 4);
    for (uint32_t y = 0; y < 16; ++y)
      for (uint32_t x = 0; x < 16; ++x) {
        Pixel want{};
        if (x >= 1 && x < 10 && y >= 4 && y < 9) {
          const uint32_t i = flags & AEROGPU_EXT_BLIT_MIRROR_X ? 9 - x : x - 1;
          const uint32_t j = flags & AEROGPU_EXT_BLIT_MIRROR_Y ? 8 - y : y - 4;
          want = {static_cast<uint8_t>(2 + (2 * i + 1) * 3 / 18),
                  static_cast<uint8_t>(1 + (2 * j + 1) * 2 / 10), 7, 255};
        }
        if (x >= 1 && x < 3 && y >= 4 && y < 6) want = {7, 3, 7, 255};
        EXPECT_EQ(pixel(got, 16, x, y), want) << "flags " << flags << " at " << x << "," << y;
      }
    EXPECT_EQ(read(dst, kRgba, 32, 32, 0, 2), Bytes(32 * 32 * 4)) << "another mip was written";
    EXPECT_EQ(read(dst, kRgba, 16, 16, 1, 1), Bytes(16 * 16 * 4)) << "another layer was written";
  }
}

// BLIT-7: linear, the texels outside of the rectangle do not count.
TEST_P(BlitPackets, LinearWeighsInsideOfTheRectangle) {
  CommandWriter w;
  // Columns 0, 80, 160, 240 of red; the rectangle has the middle two.
  Bytes from;
  for (const uint8_t red : {0, 80, 160, 240}) from.insert(from.end(), {red, 0, 0, 255});
  const uint32_t src = filled(w, kRgba, 4, 1, from), dst = texture(w, kRgba, 8, 1);
  blit(w, {.dst_texture = dst, .src_texture = src, .flags = AEROGPU_EXT_BLIT_LINEAR},
       {{{0, 0, 8, 1}, {1, 0, 3, 1}}});
  run(w);
  const Bytes got = read(dst, kRgba, 8, 1);
  for (uint32_t x = 0; x < 8; ++x) {
    const float u = (static_cast<float>(x) + 0.5f) * 2 / 8 - 0.5f;  // between the texels' centers
    const float red = 80 + 80 * std::clamp(u, 0.0f, 1.0f);
    expectNear(pixel(got, 8, x, 0), {static_cast<uint8_t>(std::lround(red)), 0, 0, 255}, 1,
               std::to_string(x));
  }
}

// BLIT-8, BLIT-9: X8 is opaque, channels swap; sRGB on one side changes values, on both sides none.
TEST_P(BlitPackets, ColorsAreConvertedByValue) {
  CommandWriter w;
  const uint32_t src = filled(w, kBgrx, 1, 1, {10, 20, 188, 0});
  const auto converted = [&](uint32_t flags, aerogpu_format format) {
    const uint32_t dst = texture(w, format, 1, 1);
    blit(w, {.dst_texture = dst, .src_texture = src, .flags = flags}, {{{0, 0, 1, 1}, {0, 0, 1, 1}}});
    run(w);
    return pixel(read(dst, format, 1, 1), 1, 0, 0);
  };
  EXPECT_EQ(converted(0, kRgba), (Pixel{188, 20, 10, 255}));
  EXPECT_EQ(converted(0, kBgra), (Pixel{10, 20, 188, 255}));
  const auto linear = [](float c) {
    return c <= 0.04045f ? c / 12.92f : std::pow((c + 0.055f) / 1.055f, 2.4f);
  };
  const auto encoded = [](float c) {
    return c <= 0.0031308f ? c * 12.92f : 1.055f * std::pow(c, 1 / 2.4f) - 0.055f;
  };
  const auto each = [](auto f) {
    return Pixel{unorm8(f(188 / 255.0f)), unorm8(f(20 / 255.0f)), unorm8(f(10 / 255.0f)), 255};
  };
  expectNear(converted(AEROGPU_EXT_BLIT_SRGB_DECODE, kRgba), each(linear), 1, "decoded");
  expectNear(converted(AEROGPU_EXT_BLIT_SRGB_ENCODE, kRgba), each(encoded), 1, "encoded");
  expectNear(converted(AEROGPU_EXT_BLIT_SRGB_DECODE | AEROGPU_EXT_BLIT_SRGB_ENCODE, kRgba),
             {188, 20, 10, 255}, 1, "both");
}

// BLIT-5, BLIT-6: within one texture, over itself, and formats that can only be copied.
TEST_P(BlitPackets, CopiesWithinOneTextureAndOfAnyFormat) {
  CommandWriter w;
  const Bytes before = places(8, 8, 1);
  const uint32_t t = filled(w, kRgba, 8, 8, before);
  blit(w, {.dst_texture = t, .src_texture = t}, {{{2, 2, 8, 8}, {0, 0, 6, 6}}});
  run(w);
  const Bytes got = read(t, kRgba, 8, 8);
  for (uint32_t y = 0; y < 8; ++y)
    for (uint32_t x = 0; x < 8; ++x)
      EXPECT_EQ(pixel(got, 8, x, y),
                x >= 2 && y >= 2 ? pixel(before, 8, x - 2, y - 2) : pixel(before, 8, x, y));

  const Bytes depth = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16};
  const uint32_t a = filled(w, kDepth, 2, 2, depth), b = texture(w, kDepth, 2, 2);
  blit(w, {.dst_texture = b, .src_texture = a}, {{{0, 0, 2, 1}, {0, 1, 2, 2}}});
  run(w);
  EXPECT_EQ(read(b, kDepth, 2, 2), (Bytes{9, 10, 11, 12, 13, 14, 15, 16, 0, 0, 0, 0, 0, 0, 0, 0}));
  blit(w, {.dst_texture = b, .src_texture = a}, {{{0, 0, 2, 2}, {0, 0, 1, 1}}});
  EXPECT_EQ(runForError(w), kDecode) << "depth was scaled";
}

// BLIT-10, BLIT-3: earlier draws are blitted; only the rectangles are written back, all after all blits.
TEST_P(BlitPackets, TheResultGoesToGuestMemory) {
  CommandWriter w;
  const Allocation memory = gpu().allocate(4096);
  std::ranges::fill(gpu().bytes(memory), uint8_t{0xEE});
  const uint32_t dst = gpu().handle();
  Harness::createTexture(w, dst, kRgba, 8, 8,
                         AEROGPU_RESOURCE_USAGE_TEXTURE | AEROGPU_RESOURCE_USAGE_RENDER_TARGET, 1, 1,
                         memory.id, 40, 16);
  const uint32_t src = texture(w, kRgba, 4, 4);
  target(w, src);
  clearColor(w, 1, 0, 0, 1);
  // The second lies over a part of the first.
  blit(w, {.dst_texture = dst, .src_texture = src, .flags = AEROGPU_EXT_BLIT_WRITEBACK_DST},
       {{{1, 1, 4, 4}, {0, 0, 4, 4}}, {{3, 3, 5, 5}, {0, 0, 1, 1}}});
  run(w);
  const auto bytes = gpu().bytes(memory);
  for (uint32_t y = 0; y < 8; ++y)
    for (uint32_t x = 0; x < 10; ++x) {
      const bool inside = (x >= 1 && x < 4 && y >= 1 && y < 4) || (x >= 3 && x < 5 && y >= 3 && y < 5);
      const Pixel want = inside ? Pixel{255, 0, 0, 255} : Pixel{0xEE, 0xEE, 0xEE, 0xEE};
      EXPECT_TRUE(std::equal(want.begin(), want.end(), bytes.begin() + 16 + y * 40 + x * 4)) << x << "," << y;
    }
  // Without a backing nothing is blitted.
  const uint32_t bare = texture(w, kRgba, 4, 4);
  run(w);
  blit(w, {.dst_texture = bare, .src_texture = src, .flags = AEROGPU_EXT_BLIT_WRITEBACK_DST},
       {{{0, 0, 4, 4}, {0, 0, 4, 4}}});
  EXPECT_EQ(runForError(w), kDecode);
  EXPECT_EQ(read(bare, kRgba, 4, 4), Bytes(64));
  gpu().forget(memory);
}

// BLIT-18: the key reaches the blit; texels that are left out are written back unchanged.
TEST_P(BlitPackets, TheColorKeyStaysAway) {
  CommandWriter w;
  const Allocation memory = gpu().allocate(4096);
  const uint32_t dst = gpu().handle();
  Harness::createTexture(w, dst, kRgba, 4, 1,
                         AEROGPU_RESOURCE_USAGE_TEXTURE | AEROGPU_RESOURCE_USAGE_RENDER_TARGET, 1, 1,
                         memory.id, 16);
  // The key's blue differs in the second texel, its X in the third.
  const uint32_t src = filled(w, kBgrx, 4, 1, {1, 2, 3, 4, 9, 2, 3, 4, 1, 2, 3, 200, 7, 7, 7, 7});
  fill(w, colour(dst, 1, 0, 0, 0), {});
  blit(w,
       {.dst_texture = dst,
        .src_texture = src,
        .flags = AEROGPU_EXT_BLIT_SRC_COLOR_KEY | AEROGPU_EXT_BLIT_WRITEBACK_DST,
        .color_key = 0x55030201},
       {{{0, 0, 4, 1}, {0, 0, 4, 1}}});
  run(w);
  const Bytes want = {255, 0, 0, 0, 3, 2, 9, 255, 255, 0, 0, 0, 7, 7, 7, 255};
  const auto bytes = gpu().bytes(memory);
  EXPECT_EQ(Bytes(bytes.begin(), bytes.begin() + 16), want);
  // Without the flag the field has no effect: X8 becomes opaque.
  blit(w, {.dst_texture = dst, .src_texture = src, .color_key = 0x55030201}, {{{0, 0, 4, 1}, {0, 0, 4, 1}}});
  run(w);
  EXPECT_EQ(read(dst, kRgba, 4, 1), (Bytes{3, 2, 1, 255, 3, 2, 9, 255, 3, 2, 1, 255, 7, 7, 7, 255}));
  gpu().forget(memory);
}

// BLIT-16: the destination's key reaches the blit.
TEST_P(BlitPackets, OnlyTheColorKeyIsWritten) {
  CommandWriter w;
  const uint32_t dst = filled(w, kBgrx, 3, 1, {1, 2, 3, 4, 9, 2, 3, 4, 1, 2, 3, 200});
  const uint32_t src = filled(w, kRgba, 3, 1, {10, 20, 30, 40, 10, 20, 30, 40, 10, 20, 30, 40});
  blit(w,
       {.dst_texture = dst,
        .src_texture = src,
        .flags = AEROGPU_EXT_BLIT_DST_COLOR_KEY,
        .color_key = 0x55030201},
       {{{0, 0, 3, 1}, {0, 0, 3, 1}}});
  run(w);
  const Bytes got = read(dst, kBgrx, 3, 1);
  for (const auto& [x, want] : {std::pair{0, Bytes{30, 20, 10}}, {1, {9, 2, 3}}, {2, {30, 20, 10}}})
    EXPECT_EQ(Bytes(&got[size_t(x) * 4], &got[size_t(x) * 4] + 3), want) << "texel " << x;
  const uint32_t floats = texture(w, AEROGPU_FORMAT_D3D9_A16B16G16R16F, 3, 1);
  run(w);
  blit(w, {.dst_texture = floats, .src_texture = src, .flags = AEROGPU_EXT_BLIT_DST_COLOR_KEY},
       {{{0, 0, 3, 1}, {0, 0, 3, 1}}});
  EXPECT_EQ(runForError(w), kDecode);
}

// FMT-15
TEST_P(BlitPackets, PlanesAreOfThreeThirds) {
  CommandWriter w;
  // Two by two pixels of Y 81 and 145, with U and V; rows of Y, then U V or V U.
  const uint32_t sources[] = {filled(w, AEROGPU_FORMAT_D3D9_NV12, 2, 3, {81, 81, 16, 235, 90, 240}),
                              filled(w, AEROGPU_FORMAT_D3D9_YV12, 2, 3, {81, 81, 16, 235, 240, 90})};
  for (const uint32_t yuv : sources) {
    const uint32_t dst = texture(w, kRgba, 2, 1);
    blit(w, {.dst_texture = dst, .src_texture = yuv}, {{{0, 0, 2, 1}, {0, 0, 2, 1}}});
    run(w);
    const Bytes got = read(dst, kRgba, 2, 1);
    for (size_t i = 0; i < 8; ++i) {
      const int want = i % 4 == 0 || i % 4 == 3 ? 255 : 0;  // pure red
      EXPECT_NEAR(got[i], want, 1) << "byte " << i;
    }
    blit(w, {.dst_texture = dst, .src_texture = yuv}, {{{0, 0, 2, 1}, {0, 2, 2, 3}}});
    EXPECT_EQ(runForError(w), kOob) << "below the picture";
  }
  struct {
    const char* what;
    uint32_t width, height, kind, samples;
  } const wrong[] = {{"odd width", 3, 3, AEROGPU_EXT_TEXTURE_2D, 1},
                     {"no thirds", 2, 4, AEROGPU_EXT_TEXTURE_2D, 1},
                     {"samples", 2, 3, AEROGPU_EXT_TEXTURE_2D, 4},
                     {"volume", 2, 3, AEROGPU_EXT_TEXTURE_VOLUME, 1}};
  for (const aerogpu_format format : {AEROGPU_FORMAT_D3D9_NV12, AEROGPU_FORMAT_D3D9_YV12})
    for (const auto& row : wrong) {
      w.packet(aerogpu_cmd_ext_create_texture{.texture_handle = gpu().handle(),
                                              .usage_flags = AEROGPU_RESOURCE_USAGE_TEXTURE,
                                              .format = static_cast<uint32_t>(format),
                                              .kind = row.kind,
                                              .width = row.width,
                                              .height = row.height,
                                              .depth = 1,
                                              .mip_levels = 1,
                                              .array_layers = 1,
                                              .sample_count = row.samples});
      EXPECT_EQ(runForError(w), kDecode) << row.what;
    }
}

// FMT-14: the properties of such textures, and what is refused.
TEST_P(BlitPackets, YuvTexturesAreFlatAndOfEvenWidth) {
  CommandWriter w;
  const uint32_t sources[] = {filled(w, AEROGPU_FORMAT_D3D9_YUY2, 2, 1, {16, 128, 235, 128}),
                              filled(w, AEROGPU_FORMAT_D3D9_UYVY, 2, 1, {128, 16, 128, 235})};
  for (const uint32_t yuv : sources) {
    const uint32_t dst = texture(w, kRgba, 2, 1);
    blit(w, {.dst_texture = dst, .src_texture = yuv}, {{{0, 0, 2, 1}, {0, 0, 2, 1}}});
    run(w);
    EXPECT_EQ(read(dst, kRgba, 2, 1), (Bytes{0, 0, 0, 255, 255, 255, 255, 255})) << "black and white";
  }
  struct {
    const char* what;
    uint32_t kind, width, mips, layers, samples;
  } const wrong[] = {
      {"odd width", AEROGPU_EXT_TEXTURE_2D, 3, 1, 1, 1}, {"mips", AEROGPU_EXT_TEXTURE_2D, 4, 2, 1, 1},
      {"layers", AEROGPU_EXT_TEXTURE_2D, 4, 1, 2, 1},    {"samples", AEROGPU_EXT_TEXTURE_2D, 4, 1, 1, 4},
      {"cube", AEROGPU_EXT_TEXTURE_CUBE, 4, 1, 6, 1},    {"volume", AEROGPU_EXT_TEXTURE_VOLUME, 4, 1, 1, 1}};
  for (const auto& row : wrong) {
    w.packet(aerogpu_cmd_ext_create_texture{.texture_handle = gpu().handle(),
                                            .usage_flags = AEROGPU_RESOURCE_USAGE_TEXTURE,
                                            .format = AEROGPU_FORMAT_D3D9_UYVY,
                                            .kind = row.kind,
                                            .width = row.width,
                                            .height = row.width,
                                            .depth = 1,
                                            .mip_levels = row.mips,
                                            .array_layers = row.layers,
                                            .sample_count = row.samples});
    EXPECT_EQ(runForError(w), kDecode) << row.what;
  }
}

// BLIT-1, BLIT-2, CMD-7: one fault, and nothing is done.
TEST_P(BlitPackets, WhatIsWrongIsRefusedAsAWhole) {
  CommandWriter w;
  const uint32_t src = filled(w, kRgba, 8, 8, places(8, 8, 3)), dst = texture(w, kRgba, 8, 8, 2),
                 other = buffer(w, "abcd", 4, 0);
  run(w);
  const uint32_t bc = texture(w, AEROGPU_FORMAT_BC1_RGBA_UNORM, 8, 8);
  const bool hasBlocks = gpu().submit(w).result.error_count == 0;
  if (!hasBlocks) gpu().takeErrorLines();  // not every GPU has them
  w.reset();
  const BlitRect good = {{0, 0, 4, 4}, {0, 0, 4, 4}};
  struct Case {
    const char* what;
    aerogpu_cmd_ext_blit packet;
    std::vector<BlitRect> rects;
    uint32_t code;
  };
  const aerogpu_cmd_ext_blit plain{.dst_texture = dst, .src_texture = src};
  const auto with = [&](auto change) {
    aerogpu_cmd_ext_blit c = plain;
    change(c);
    return c;
  };
  const std::vector<Case> cases = {
      {"no destination", with([](auto& c) { c.dst_texture = 0; }), {good}, kDecode},
      {"no source", with([](auto& c) { c.src_texture = 0; }), {good}, kDecode},
      {"a buffer", with([&](auto& c) { c.src_texture = other; }), {good}, kDecode},
      {"unknown flag", with([](auto& c) { c.flags = 256; }), {good}, kDecode},
      {"weighed key",
       with([](auto& c) { c.flags = AEROGPU_EXT_BLIT_SRC_COLOR_KEY | AEROGPU_EXT_BLIT_LINEAR; }),
       {good},
       kDecode},
      {"key of blocks",
       with([&](auto& c) {
         c.src_texture = bc;
         c.flags = AEROGPU_EXT_BLIT_SRC_COLOR_KEY;
       }),
       {good},
       kDecode},
      {"key of blocks as destination",
       with([&](auto& c) {
         c.dst_texture = bc;
         c.flags = AEROGPU_EXT_BLIT_DST_COLOR_KEY;
       }),
       {good},
       kDecode},
      {"blocks from texels", with([&](auto& c) { c.dst_texture = bc; }), {good}, kDecode},
      {"no such mip", with([](auto& c) { c.dst_mip_level = 2; }), {good}, kOob},
      {"no such layer", with([](auto& c) { c.src_array_layer = 1; }), {good}, kOob},
      {"no such mip, nothing to do", with([](auto& c) { c.src_mip_level = 1; }), {}, kOob},
      {"source outside", plain, {good, {{0, 0, 4, 4}, {5, 0, 9, 4}}}, kOob},
      {"destination outside", plain, {good, {{0, 5, 4, 9}, {0, 0, 4, 4}}}, kOob},
      {"empty", plain, {good, {{4, 4, 4, 5}, {0, 0, 4, 4}}}, kOob},
      {"turned round", plain, {good, {{0, 0, 4, 4}, {4, 4, 0, 0}}}, kOob},
      {"wraps", plain, {good, {{0, 0, 4, 4}, {0xFFFFFFFE, 0, 0xFFFFFFFF, 4}}}, kOob},
      {"too many", plain, std::vector<BlitRect>(1025, good), kOob},
  };
  for (const Case& c : cases) {
    if (!hasBlocks && (c.packet.dst_texture == bc || c.packet.src_texture == bc)) continue;
    blit(w, c.packet, c.rects);
    EXPECT_EQ(runForError(w), c.code) << c.what;
    EXPECT_EQ(read(dst, kRgba, 8, 8), Bytes(256)) << c.what;
  }
  blit(w, plain, std::vector<BlitRect>(1024, good));
  blit(w, plain, {});
  run(w);
  EXPECT_EQ(pixel(read(dst, kRgba, 8, 8), 8, 3, 3), (Pixel{3, 3, 3, 255}));
}

// BLIT-11, BLIT-12
TEST_P(BlitPackets, FillsWriteWhatIsNamed) {
  CommandWriter w;
  const uint32_t t = texture(w, kBgra, 8, 8, 2, 2);
  aerogpu_cmd_ext_fill c = colour(t, 1, 0.5f, 0, 0.25f);
  c.mip_level = 1;
  c.array_layer = 1;
  fill(w, c, {{0, 0, 1, 4}, {2, 1, 4, 2}});
  run(w);
  const Bytes got = read(t, kBgra, 4, 4, 1, 1);
  for (uint32_t y = 0; y < 4; ++y)
    for (uint32_t x = 0; x < 4; ++x)
      expectNear(pixel(got, 4, x, y), x == 0 || (x >= 2 && y == 1) ? Pixel{0, 128, 255, 64} : Pixel{}, 1);
  EXPECT_EQ(read(t, kBgra, 8, 8, 0, 1), Bytes(256));
  EXPECT_EQ(read(t, kBgra, 4, 4, 1, 0), Bytes(64));
  c.flags |= AEROGPU_EXT_FILL_SRGB_ENCODE;
  fill(w, c, {});  // 0.5 encoded is 188
  run(w);
  expectNear(pixel(read(t, kBgra, 4, 4, 1, 1), 4, 3, 3), {0, 188, 255, 64}, 1);

  const uint32_t depth = texture(w, kDepth, 2, 1);
  aerogpu_cmd_ext_fill d{.texture = depth,
                         .flags = AEROGPU_EXT_FILL_DEPTH | AEROGPU_EXT_FILL_STENCIL,
                         .depth_f32 = std::bit_cast<uint32_t>(1.0f),
                         .stencil = 0x1A5};
  fill(w, d, {});
  d.flags = AEROGPU_EXT_FILL_DEPTH;
  d.depth_f32 = 0;
  fill(w, d, {{1, 0, 2, 1}});
  run(w);
  // D24 in the low bits, stencil above.
  EXPECT_EQ(read(depth, kDepth, 2, 1), (Bytes{0xFF, 0xFF, 0xFF, 0xA5, 0, 0, 0, 0xA5}));

  struct {
    const char* what;
    aerogpu_cmd_ext_fill packet;
    std::vector<Rect> rects;
    uint32_t code;
  } const wrong[] = {
      {"nothing named", {.texture = t}, {}, kDecode},
      {"unknown flag", {.texture = t, .flags = 1 | 16}, {}, kDecode},
      {"depth of a colour", {.texture = t, .flags = AEROGPU_EXT_FILL_DEPTH}, {}, kDecode},
      {"colour of depth", colour(depth, 0, 0, 0, 0), {}, kDecode},
      {"depth over 1",
       {.texture = depth, .flags = 2, .depth_f32 = std::bit_cast<uint32_t>(1.5f)},
       {},
       kDecode},
      {"no number", {.texture = depth, .flags = 2, .depth_f32 = 0x7FC00000}, {}, kDecode},
      {"outside", colour(t, 0, 0, 0, 0), {{0, 0, 1, 1}, {0, 0, 9, 1}}, kOob},
      {"too many", colour(t, 0, 0, 0, 0), std::vector<Rect>(1025, Rect{0, 0, 1, 1}), kOob},
  };
  for (const auto& row : wrong) {
    fill(w, row.packet, row.rects);
    EXPECT_EQ(runForError(w), row.code) << row.what;
  }
}

// BLIT-13: each level is made from the previous one, in each layer.
TEST_P(BlitPackets, LevelsAreMadeFromTheOneBefore) {
  CommandWriter w;
  Bytes level0 = places(8, 8, 9), other = level0;
  for (size_t i = 0; i < other.size(); i += 4) other[i + 2] = 200;
  Bytes layer(level0), all;
  layer.resize((64 + 16 + 4 + 1) * 4, 0x55);
  all = layer;
  std::copy(other.begin(), other.end(), layer.begin());
  all.insert(all.end(), layer.begin(), layer.end());
  const auto level = [&](const Bytes& above, uint32_t size, bool linear) {  // size: of the level to make
    Bytes out;
    for (uint32_t y = 0; y < size; ++y)
      for (uint32_t x = 0; x < size; ++x)
        for (uint32_t i = 0; i < 4; ++i) {
          const auto at = [&](uint32_t u, uint32_t v) {
            return above[((2 * y + v) * size * 2 + 2 * x + u) * 4 + i];
          };
          // u = 2x + 1 lies between two texels: linear is their mean, the nearest is the second.
          out.push_back(linear ? static_cast<uint8_t>((at(0, 0) + at(1, 0) + at(0, 1) + at(1, 1) + 2) / 4)
                               : at(1, 1));
        }
    return out;
  };
  for (const bool linear : {false, true}) {
    const uint32_t t = filled(w, kRgba, 8, 8, all, 4, 2);
    w.packet(aerogpu_cmd_ext_generate_mips{.texture = t,
                                           .flags = linear ? uint32_t{AEROGPU_EXT_MIPS_LINEAR} : 0u});
    run(w);
    for (uint32_t l = 0; l < 2; ++l) {
      Bytes above = l ? other : level0;
      EXPECT_EQ(read(t, kRgba, 8, 8, 0, l), above);
      for (uint32_t mip = 1, size = 4; mip < 4; ++mip, size /= 2) {
        const Bytes got = read(t, kRgba, size, size, mip, l), want = level(above, size, linear);
        ASSERT_EQ(got.size(), want.size());
        for (size_t i = 0; i < got.size(); ++i)
          EXPECT_NEAR(got[i], want[i], linear ? 1 : 0) << "mip " << mip << " layer " << l << " byte " << i;
        above = got;
      }
    }
  }
  const uint32_t single = filled(w, kRgba, 8, 8, level0);
  w.packet(aerogpu_cmd_ext_generate_mips{.texture = single});
  run(w);
  EXPECT_EQ(read(single, kRgba, 8, 8), level0);
  const uint32_t deep = texture(w, kDepth, 4, 4, 3);
  w.packet(aerogpu_cmd_ext_generate_mips{.texture = deep});
  EXPECT_EQ(runForError(w), kDecode);
  w.packet(aerogpu_cmd_ext_generate_mips{.texture = single, .flags = 4});
  EXPECT_EQ(runForError(w), kDecode);
}

// BLIT-13, BLIT-9: the mean of black and white in sRGB is 188.
TEST_P(BlitPackets, LevelsCanBeMadeOfDecodedValues) {
  CommandWriter w;
  const Bytes from = {0, 0, 0, 255, 255, 255, 255, 255};
  for (const bool srgb : {false, true}) {
    Bytes both = from;
    both.resize(12);
    const uint32_t t = filled(w, kRgba, 2, 1, both, 2);
    w.packet(aerogpu_cmd_ext_generate_mips{
        .texture = t, .flags = AEROGPU_EXT_MIPS_LINEAR | (srgb ? uint32_t{AEROGPU_EXT_MIPS_SRGB} : 0u)});
    run(w);
    const uint8_t mean = srgb ? 188 : 128;
    expectNear(pixel(read(t, kRgba, 1, 1, 1), 1, 0, 0), {mean, mean, mean, 255}, 1);
  }
}

// BLIT-3: bindings and state stay.
TEST_P(BlitPackets, TheContextStaysAsItWas) {
  CommandWriter w;
  const uint32_t t = texture(w, kRgba, 4, 4), other = texture(w, kRgba, 4, 4, 3);
  target(w, t);
  clearColor(w, 0, 1, 0, 1);
  fill(w, colour(other, 1, 1, 1, 1), {});
  w.packet(aerogpu_cmd_ext_generate_mips{.texture = other});
  blit(w, {.dst_texture = t, .src_texture = other}, {{{0, 0, 2, 2}, {0, 0, 4, 4}}});
  run(w);
  EXPECT_EQ(pixel(read(t, kRgba, 4, 4), 4, 1, 1), (Pixel{255, 255, 255, 255}));
  EXPECT_EQ(pixel(read(t, kRgba, 4, 4), 4, 2, 2), (Pixel{0, 255, 0, 255}));
  clearColor(w, 0, 0, 1, 1);  // the same target
  run(w);
  EXPECT_EQ(pixel(read(t, kRgba, 4, 4), 4, 1, 1), (Pixel{0, 0, 255, 255}));
}

INSTANTIATE_TEST_SUITE_P(, BlitPackets, ::testing::Values("null", "vulkan"),
                         [](const auto& info) { return std::string(info.param); });

}  // namespace
}  // namespace aerogpu::test
