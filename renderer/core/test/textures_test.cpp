// SPDX-License-Identifier: MIT
// EXT_CREATE_TEXTURE, and packets over volumes, cubes and samples (docs/abi/formats.md), with both back ends.
#include <gtest/gtest.h>

#include <cstring>

#include "aerogpu/aerogpu_caps.h"
#include "renderer/test/expect.h"

namespace {

using namespace aerogpu;
using test::Allocation;
using test::expectError;
using test::expectGood;
using test::Harness;

constexpr auto kFormat = AEROGPU_FORMAT_B8G8R8A8_UNORM;
constexpr uint32_t k2D = AEROGPU_EXT_TEXTURE_2D, kCube = AEROGPU_EXT_TEXTURE_CUBE,
                   kVolume = AEROGPU_EXT_TEXTURE_VOLUME;

class Textures : public testing::TestWithParam<const char*> {
protected:
  void SetUp() override {
    ASSERT_TRUE(h.ok()) << h.createError();
    size_t size = 0;
    block = static_cast<const uint8_t*>(aerogpu_renderer_caps(h.renderer(), &size));
    ASSERT_GE(size, sizeof caps);
    std::memcpy(&caps, block, sizeof caps);
  }
  static aerogpu_cmd_ext_create_texture make(uint32_t kind, uint32_t width, uint32_t height,
                                             uint32_t depth = 1, uint32_t mips = 1, uint32_t layers = 1,
                                             uint32_t samples = 1, aerogpu_format format = kFormat) {
    aerogpu_cmd_ext_create_texture c{};
    c.kind = kind;
    c.width = width;
    c.height = height;
    c.depth = depth;
    c.mip_levels = mips;
    c.array_layers = layers;
    c.sample_count = samples;
    c.format = format;
    return c;
  }
  uint32_t create(aerogpu_cmd_ext_create_texture c) {
    c.texture_handle = h.handle();
    CommandWriter w;
    w.packet(c);
    expectGood(h.submit(w));
    return c.texture_handle;
  }
  void refuse(aerogpu_cmd_ext_create_texture c, uint32_t code) {
    c.texture_handle = h.handle();
    CommandWriter w;
    w.packet(c);
    expectError(h.submit(w), code);
  }
  uint32_t samplesOf(aerogpu_format format) const {
    for (uint32_t i = 0; i < caps.format_count; ++i) {
      aerogpu_format_caps entry;
      std::memcpy(&entry, block + caps.formats_offset + size_t{i} * caps.format_entry_bytes, sizeof entry);
      if (entry.format == static_cast<uint32_t>(format)) return entry.samples;
    }
    return 0;
  }
  static aerogpu_cmd_copy_texture2d copy(uint32_t dst, uint32_t dstLayer, uint32_t src, uint32_t srcLayer,
                                         uint32_t side) {
    aerogpu_cmd_copy_texture2d c{};
    c.dst_texture = dst;
    c.dst_array_layer = dstLayer;
    c.src_texture = src;
    c.src_array_layer = srcLayer;
    c.width = c.height = side;
    return c;
  }
  /// Makes a volume of 4x4x3 in which each slice's bytes equal its number + 1.
  uint32_t slices() {
    const uint32_t t = create(make(kVolume, 4, 4, 3));
    std::vector<uint8_t> bytes(4 * 4 * 3 * 4);
    for (size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<uint8_t>(i / 64 + 1);
    CommandWriter w;
    packets::upload(w, t, 0, bytes);
    expectGood(h.submit(w));
    return t;
  }

  Harness h{Harness::Options{.backend = GetParam()}};
  aerogpu_caps caps{};
  const uint8_t* block = nullptr;
};

constexpr uint32_t kDecode = AEROGPU_ERROR_CMD_DECODE, kOob = AEROGPU_ERROR_OOB,
                   kBackend = AEROGPU_ERROR_BACKEND;

// TEX-1, TEX-2, TEX-3, TEX-4
TEST_P(Textures, KindsHaveTheirShapes) {
  create(make(k2D, 5, 3, 1, 3, 4));
  create(make(kCube, 4, 4, 1, 3, 6));
  create(make(kVolume, 2, 5, 9, 4));
  refuse(make(3, 4, 4), kDecode);
  refuse(make(k2D, 4, 4, 2), kDecode);
  refuse(make(kCube, 4, 2, 1, 1, 6), kDecode);
  refuse(make(kCube, 4, 4, 2, 1, 6), kDecode);
  refuse(make(kCube, 4, 4, 1, 1, 5), kDecode);
  refuse(make(kVolume, 4, 4, 4, 1, 2), kDecode);
  refuse(make(kVolume, 4, 4, 4, 1, 1, 1, AEROGPU_FORMAT_D24_UNORM_S8_UINT), kDecode);
  refuse(make(kVolume, 2, 5, 9, 5), kDecode);
  refuse(make(kVolume, 0, 5, 9), kDecode);
  refuse(make(kVolume, 1, 5, 0), kDecode);
  refuse(make(k2D, 4, 4, 1, 0), kDecode);
  refuse(make(k2D, 4, 4, 1, 1, 0), kDecode);
  auto unknown = make(k2D, 4, 4);
  unknown.format = 0x1FFF;
  refuse(unknown, kDecode);
}

// TEX-5, CAPS-6
TEST_P(Textures, LimitsOfTheirKindCount) {
  create(make(kVolume, caps.max_texture_volume, 1, 1));
  create(make(kVolume, 1, 1, caps.max_texture_volume));
  refuse(make(kVolume, 1, 1, caps.max_texture_volume + 1), kOob);
  refuse(make(kVolume, caps.max_texture_volume + 1, 1, 1), kOob);
  refuse(make(kCube, caps.max_texture_cube + 1, caps.max_texture_cube + 1, 1, 1, 6), kOob);
  refuse(make(k2D, 1, caps.max_texture_2d + 1), kOob);
}

// TEX-5, TEX-8
TEST_P(Textures, SamplesAreOfTheTable) {
  for (const auto format : {kFormat, AEROGPU_FORMAT_D24_UNORM_S8_UINT, AEROGPU_FORMAT_D3D9_A16B16G16R16F}) {
    const uint32_t known = samplesOf(format);
    for (uint32_t samples = 1; samples <= 16; samples *= 2) {
      const auto c = make(k2D, 8, 8, 1, 1, 1, samples, format);
      if (samples == 1 || (known & samples))
        create(c);
      else
        refuse(c, kBackend);
    }
  }
  ASSERT_TRUE(samplesOf(kFormat) & 4) << "Vulkan 1.3 requires four";
  refuse(make(k2D, 8, 8, 1, 1, 1, 0), kDecode);
  refuse(make(k2D, 8, 8, 1, 1, 1, 3), kDecode);
  refuse(make(k2D, 8, 8, 1, 1, 1, 32), kDecode);
  refuse(make(k2D, 8, 8, 1, 2, 1, 4), kDecode);
  refuse(make(k2D, 8, 8, 1, 1, 2, 4), kDecode);
  refuse(make(kCube, 8, 8, 1, 1, 6, 4), kDecode);
  refuse(make(k2D, 8, 8, 1, 1, 1, 4, AEROGPU_FORMAT_BC1_RGBA_UNORM), kDecode);
  auto backed = make(k2D, 8, 8, 1, 1, 1, 4);
  const Allocation memory = h.allocate(4096);
  backed.backing_alloc_id = memory.id;
  backed.row_pitch_bytes = 32;
  refuse(backed, kDecode);

  const uint32_t t = create(make(k2D, 8, 8, 1, 1, 1, 4)), same = create(make(k2D, 8, 8, 1, 1, 1, 4)),
                 one = create(make(k2D, 8, 8));
  CommandWriter w;
  packets::upload(w, t, 0, std::vector<uint8_t>(4));
  expectError(h.submit(w), kDecode);
  w.reset();
  packets::attachBacking(w, t, memory.id, 32);
  expectError(h.submit(w), kDecode);
  w.reset();
  w.packet(copy(one, 0, t, 0, 8));
  expectError(h.submit(w), kDecode);
  w.reset();
  w.packet(copy(same, 0, t, 0, 8));
  expectGood(h.submit(w));
}

// TEX-4, TEX-7
TEST_P(Textures, LayersOfVolumesAreSlices) {
  const uint32_t t = slices(), flat = create(make(k2D, 4, 4));
  const auto first = [&](uint32_t texture, uint32_t layer) {
    const auto bytes = h.readTexture(texture, kFormat, 4, 4, 0, layer);
    return bytes.empty() ? 0 : bytes[0];
  };
  for (uint32_t z = 0; z < 3; ++z) EXPECT_EQ(first(t, z), z + 1);
  CommandWriter w;
  w.packet(copy(t, 0, t, 2, 4));
  expectGood(h.submit(w));
  EXPECT_EQ(first(t, 0), 3);
  EXPECT_EQ(first(t, 1), 2);
  w.reset();
  w.packet(copy(flat, 0, t, 3, 4));
  expectError(h.submit(w), kOob);
  w.reset();
  w.packet(copy(t, 3, t, 0, 4));
  expectError(h.submit(w), kOob);
  w.reset();
  w.packet(copy(t, 1, t, 1, 4));
  expectError(h.submit(w), kDecode);

  w.reset();
  const aerogpu_ext_rect corner{0, 0, 2, 2};
  aerogpu_cmd_ext_fill fill{};
  fill.texture = t;
  fill.array_layer = 1;
  fill.flags = AEROGPU_EXT_FILL_COLOR;
  w.packet(fill, &corner, 1);
  expectGood(h.submit(w));
  const auto bytes = h.readTexture(t, kFormat, 4, 4, 0, 1);
  ASSERT_EQ(bytes.size(), 64u);
  EXPECT_EQ(bytes[0], 0);
  EXPECT_EQ(bytes[12], 2);
  EXPECT_EQ(first(t, 2), 3);
  w.reset();
  fill.array_layer = 2;
  w.packet(fill, static_cast<const aerogpu_ext_rect*>(nullptr), 0);
  expectGood(h.submit(w));
  EXPECT_EQ(h.readTexture(t, kFormat, 4, 4, 0, 2), std::vector<uint8_t>(64, 0));
  EXPECT_EQ(first(t, 0), 3);
  w.reset();
  fill.array_layer = 3;
  w.packet(fill, static_cast<const aerogpu_ext_rect*>(nullptr), 0);
  expectError(h.submit(w), kOob);

  w.reset();
  aerogpu_ext_blit_rect whole{{0, 0, 4, 4}, {0, 0, 4, 4}};
  aerogpu_cmd_ext_blit blit{};
  blit.dst_texture = flat;
  blit.src_texture = t;
  blit.src_array_layer = 1;
  w.packet(blit, &whole, 1);
  expectGood(h.submit(w));
  EXPECT_EQ(h.readTexture(flat, kFormat, 4, 4), h.readTexture(t, kFormat, 4, 4, 0, 1));
  w.reset();
  blit.src_array_layer = 3;
  w.packet(blit, &whole, 0);
  expectError(h.submit(w), kOob);

  w.reset();
  aerogpu_cmd_create_texture_view view{};
  view.view_handle = h.handle();
  view.texture_handle = t;
  view.format = kFormat;
  view.mip_level_count = view.array_layer_count = 1;
  w.reset();
  w.packet(view);
  expectGood(h.submit(w));
  view.view_handle = h.handle();
  view.base_array_layer = 3;
  w.reset();
  w.packet(view);
  expectError(h.submit(w), kOob);
}

// TEX-4, ALLOC-11
TEST_P(Textures, VolumesLieInMemorySliceBySlice) {
  const Allocation memory = h.allocate(4096);
  // Mip 0: 3 slices of 2 rows 32 bytes apart; mip 1: one slice of one tight row of one texel.
  auto c = make(kVolume, 3, 2, 3, 2);
  c.backing_alloc_id = memory.id;
  c.row_pitch_bytes = 32;
  auto bytes = h.bytes(memory);
  for (size_t i = 0; i < 256; ++i) bytes[i] = static_cast<uint8_t>(i);
  const uint32_t t = create(c);
  CommandWriter w;
  packets::dirtyRange(w, t, 0, 3 * 64 + 4);
  expectGood(h.submit(w));
  for (uint32_t z = 0; z < 3; ++z) {
    const auto slice = h.readTexture(t, kFormat, 3, 2, 0, z);
    ASSERT_EQ(slice.size(), 24u);
    for (size_t i = 0; i < 24; ++i) EXPECT_EQ(slice[i], z * 64 + i / 12 * 32 + i % 12);
  }
  EXPECT_EQ(h.readTexture(t, kFormat, 1, 1, 1), (std::vector<uint8_t>{192, 193, 194, 195}));
  // Copies the first slice over the third, and writes that back to its place in memory.
  auto back = copy(t, 2, t, 0, 2);
  back.flags = AEROGPU_COPY_FLAG_WRITEBACK_DST;
  w.reset();
  w.packet(back);
  expectGood(h.submit(w));
  for (size_t i = 0; i < 64; ++i) {
    const bool copied = i % 32 < 8;
    EXPECT_EQ(bytes[128 + i], copied ? i : 128 + i) << i;
    EXPECT_EQ(bytes[i], i);
  }
  w.reset();
  packets::dirtyRange(w, t, 0, 3 * 64 + 5);
  expectError(h.submit(w), kOob);
}

// TEX-12, LIM-14
TEST_P(Textures, EverySampleCountsAsHostMemory) {
  if (std::string(GetParam()) == "null") GTEST_SKIP() << "it keeps one sample";
  Harness small(Harness::Options{.backend = GetParam(), .maxHostmem = uint64_t{64} << 20});
  CommandWriter w;
  auto c = make(k2D, 2048, 2048, 1, 1, 1, 1);  // 16 MiB
  c.texture_handle = 1;
  w.packet(c);
  expectGood(small.submit(w));
  w.reset();
  c.texture_handle = 2;
  c.sample_count = 4;
  w.packet(c);
  expectError(small.submit(w), kBackend);
}

// FMT-9
TEST_P(Textures, ViewsTakeTwinsOfDirect3D9) {
  using Pair = std::pair<aerogpu_format, aerogpu_format>;
  const auto view = [&](const Pair& formats, uint32_t code) {
    const uint32_t t = create(make(k2D, 4, 4, 1, 1, 1, 1, formats.first));
    aerogpu_cmd_create_texture_view c{};
    c.view_handle = h.handle();
    c.texture_handle = t;
    c.format = formats.second;
    c.mip_level_count = c.array_layer_count = 1;
    CommandWriter w;
    w.packet(c);
    if (code)
      expectError(h.submit(w), code);
    else
      expectGood(h.submit(w));
  };
  for (const Pair& p : {Pair{AEROGPU_FORMAT_D3D9_X1R5G5B5, AEROGPU_FORMAT_B5G5R5A1_UNORM},
                        Pair{AEROGPU_FORMAT_D3D9_A4R4G4B4, AEROGPU_FORMAT_D3D9_X4R4G4B4},
                        Pair{AEROGPU_FORMAT_D24_UNORM_S8_UINT, AEROGPU_FORMAT_D3D9_INTZ},
                        Pair{AEROGPU_FORMAT_D3D9_DF24, AEROGPU_FORMAT_D3D9_INTZ},
                        Pair{AEROGPU_FORMAT_D3D9_D16, AEROGPU_FORMAT_D3D9_DF16}})
    view(p, 0);
  view({AEROGPU_FORMAT_D3D9_L8, AEROGPU_FORMAT_D3D9_A8}, kDecode);
  view({AEROGPU_FORMAT_D3D9_D16, AEROGPU_FORMAT_D3D9_L16}, kDecode);
}

// FMT-11, TEX-8
TEST_P(Textures, OnlyOrdinaryOnesAreShown) {
  const Allocation memory = h.allocate(4096);
  auto c = make(k2D, 4, 4, 1, 1, 1, 1, AEROGPU_FORMAT_D3D9_A2R10G10B10);
  c.backing_alloc_id = memory.id;
  c.row_pitch_bytes = 16;
  create(c);
  h.setScanout(kFormat, 4, 4, 16, memory.gpa);
  h.takeFrames();
  CommandWriter w;
  packets::present(w);
  h.submit(w);
  EXPECT_TRUE(h.takeFrames().empty());
  c.format = kFormat;
  create(c);
  w.reset();
  packets::present(w);
  expectGood(h.submit(w));
  EXPECT_EQ(h.takeFrames().size(), 1u);
}

INSTANTIATE_TEST_SUITE_P(BackEnds, Textures, ::testing::Values("null", "vulkan"),
                         [](const auto& backend) { return std::string(backend.param); });

}  // namespace
