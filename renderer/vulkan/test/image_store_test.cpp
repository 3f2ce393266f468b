// SPDX-License-Identifier: MIT
// Images of destroyed textures are used again, without a visible effect.
#include "renderer/vulkan/test/draw_fixture.h"

namespace aerogpu::test {
namespace {

class ImageStoreTest : public DrawTest {
protected:
  void SetUp() override {
    DrawTest::SetUp();
    // Drops images kept from other tests: they are too old after these batches.
    batches(140);
  }
  /// Submits batches with work for the GPU that leaves no trace.
  void batches(uint32_t count) {
    CommandWriter w;
    for (uint32_t i = 0; i < count; ++i) {
      clearColor(w, 0, 0, 0, 0);
      run(w);
    }
  }
  static int images() { return objectsAlive(Counted::Image); }
};

// OBJ-4
TEST_F(ImageStoreTest, AnImageThatIsUsedAgainReadsAsZero) {
  constexpr uint32_t kCount = 5;
  struct {
    aerogpu_format format;
    size_t bytes;
  } const cases[] = {{kBgra, 4096},
                     {AEROGPU_FORMAT_BC1_RGBA_UNORM, 512},
                     {AEROGPU_FORMAT_B5G6R5_UNORM, 2048},
                     {AEROGPU_FORMAT_D24_UNORM_S8_UINT, 4096}};
  for (const auto& [format, bytes] : cases) {
    CommandWriter w;
    uint32_t textures[kCount];
    for (uint32_t& t : textures) {
      t = texture(w, format, 32, 32);
      packets::upload(w, t, 0, Bytes(bytes, 0x3F));
    }
    run(w);
    const int before = images();
    for (const uint32_t t : textures) packets::destroyResource(w, t);
    for (uint32_t& t : textures) t = texture(w, format, 32, 32);
    run(w);
    EXPECT_EQ(images(), before) << "format " << format;
    for (const uint32_t t : textures) {
      EXPECT_EQ(read(t, format, 32, 32), Bytes(bytes, 0)) << "format " << format;
      packets::destroyResource(w, t);
    }
    run(w);
  }
}

/// An image that an unfinished batch reads cannot become another texture.
TEST_F(ImageStoreTest, AnImageInUseIsNotUsedAgain) {
  CommandWriter w;
  const uint32_t vs = shader(w, "vs_2_0\ndcl_position v0\nmov oPos, v0\nmov oT0.xy, v0\n");
  const uint32_t ps = shader(w, "ps_2_0\ndcl t0.xy\ndcl_2d s0\ntexld r0, t0, s0\nmov oC0, r0\n");
  bindShaders(w, vs, ps);
  constexpr uint32_t kColumns = 4, kWide = kSize / kColumns;
  for (uint32_t i = 0; i < kColumns; ++i) {
    const uint32_t t = texture(w, kBgra, 4, 4, 1, 1, AEROGPU_RESOURCE_USAGE_TEXTURE);
    packets::upload(w, t, 0, Bytes(64, static_cast<uint8_t>(10 + i)));
    setTexture(w, 0, t);
    stream(w, 0, vertexBuffer(w, quad(i * kWide, 0, (i + 1) * kWide, kSize, 0)), sizeof(Vertex));
    draw(w, 6);
    setTexture(w, 0, 0);
    packets::destroyResource(w, t);
  }
  run(w);
  const Bytes bytes = read(m_target, kBgra, kSize, kSize);
  for (uint32_t i = 0; i < kColumns; ++i) {
    const auto want = static_cast<uint8_t>(10 + i);
    EXPECT_EQ(pixel(bytes, kSize, i * kWide + 1, 3), (Pixel{want, want, want, want})) << "column " << i;
  }
}

TEST_F(ImageStoreTest, WhatIsKeptIsLittleAndNotForLong) {
  constexpr uint32_t kCount = 3000;
  const int before = images();
  CommandWriter w;
  std::vector<uint32_t> textures;
  for (uint32_t i = 0; i < kCount; ++i) textures.push_back(texture(w, kBgra, 4, 4));
  run(w);
  EXPECT_EQ(images(), before + static_cast<int>(kCount));
  for (const uint32_t t : textures) packets::destroyResource(w, t);
  run(w);
  EXPECT_EQ(images(), before + 2048);
  batches(140);
  EXPECT_EQ(images(), before);
  // 40 MiB, of which 32 are kept.
  textures.clear();
  for (uint32_t i = 0; i < 10; ++i) textures.push_back(texture(w, kBgra, 1024, 1024));
  run(w);
  EXPECT_EQ(images(), before + 10);
  for (const uint32_t t : textures) packets::destroyResource(w, t);
  run(w);
  EXPECT_LE(images(), before + 8);
  EXPECT_GE(images(), before + 7);
}

}  // namespace
}  // namespace aerogpu::test
