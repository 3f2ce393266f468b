// SPDX-License-Identifier: MIT
// Fills of buffers and textures, of both back ends. The expected texels are computed from the Vulkan
// specification ("Clear Values", "Filling Buffers") and Khronos Data Format 13.3, one by one.
#include <cmath>

#include "renderer/vulkan/test/objects_fixture.h"

namespace aerogpu::test {
namespace {

class FillTest : public ObjectsTest {
protected:
  static TextureDesc of(aerogpu_format format, uint32_t width, uint32_t height, uint32_t layers = 1,
                        uint32_t mips = 1) {
    TextureDesc desc = flat(width, height, layers);
    desc.format = format;
    desc.mipLevels = mips;
    return desc;
  }
  static ClearArgs color(float r, float g, float b, float a) {
    ClearArgs args;
    args.color = true;
    args.rgba = {r, g, b, a};
    return args;
  }
  /// Makes the texture, writes `before` to the subresource, fills the boxes and compares them with `texel`,
  /// the rest with `before`.
  void expectFilled(const TextureDesc& desc, Subresource sub, std::vector<Box> boxes, const ClearArgs& args,
                    const Bytes& texel) {
    auto gpu = texture(desc);
    ASSERT_TRUE(gpu);
    const auto size = static_cast<uint32_t>(texel.size());
    const Box all{
        0, 0, 0, desc.width >> sub.mip, desc.height >> sub.mip, std::max(1u, desc.depth >> sub.mip)};
    Bytes want = pattern(size_t{all.width} * all.height * all.depth * size, 7);
    write(*gpu, sub, all, {uint64_t{all.width} * size, uint64_t{all.width} * all.height * size}, want);
    const auto filled = gpu->fill(sub, boxes, args);
    ASSERT_TRUE(filled) << filled.error().what;
    if (boxes.empty()) boxes.push_back(all);
    for (const Box& box : boxes)
      for (uint32_t z = box.z; z < box.z + box.depth; ++z)
        for (uint32_t y = box.y; y < box.y + box.height; ++y)
          for (uint32_t x = box.x; x < box.x + box.width; ++x)
            std::copy(texel.begin(), texel.end(),
                      want.begin() + static_cast<ptrdiff_t>(((z * all.height + y) * all.width + x) * size));
    EXPECT_EQ(read(*gpu, sub, all), want) << findFormat(desc.format)->name;
  }
};
INSTANTIATE_TEST_SUITE_P(Backends, FillTest, ::testing::Values("vulkan", "null"),
                         [](const auto& info) { return std::string(info.param); });

TEST_P(FillTest, ABufferIsFilledWithWordsIdleOrInUse) {
  auto buffer = backend().createBuffer({4096, 0}), other = backend().createBuffer({4096, 0});
  ASSERT_TRUE(buffer && other);
  Bytes want = pattern(4096, 1), got;
  SpanSource source(want);
  ASSERT_TRUE((*buffer)->write(0, 4096, source));
  const auto fill = [&](size_t offset, size_t size, uint32_t word) {
    const auto filled = (*buffer)->fill(offset, size, word);
    EXPECT_TRUE(filled) << filled.error().what;
    for (size_t at = offset; at < offset + size; ++at)
      want[at] = static_cast<uint8_t>(word >> (at - offset) % 4 * 8);
  };
  fill(8, 100, 0x04030201);
  // Written by the GPU in this batch, so that the host cannot write there.
  ASSERT_TRUE((*other)->copyFrom(0, **buffer, 0, 4096));
  ASSERT_TRUE((*buffer)->copyFrom(2048, **other, 0, 512));
  std::copy_n(want.begin(), 512, want.begin() + 2048);
  fill(2052, 64, 0xAABBCCDD);
  fill(4092, 4, 0x11223344);
  ASSERT_TRUE((*buffer)->copyFrom(0, **other, 8, 4));
  std::copy_n(want.begin() + 8, 4, want.begin());
  ASSERT_TRUE((*buffer)->read(0, 4096, std::make_unique<VectorSink>(got)));
  fill(0, 4096, 0xFFFFFFFF);  // after the read
  finish();
  Bytes after;
  ASSERT_TRUE((*buffer)->read(0, 4096, std::make_unique<VectorSink>(after)));
  finish();
  EXPECT_EQ(after, want);
  std::fill(want.begin(), want.end(), uint8_t{0});
  EXPECT_NE(got, after);
  EXPECT_EQ(Bytes(got.begin() + 2052, got.begin() + 2056), (Bytes{0xDD, 0xCC, 0xBB, 0xAA}));
  EXPECT_EQ(Bytes(got.end() - 4, got.end()), (Bytes{0x44, 0x33, 0x22, 0x11}));
  EXPECT_EQ(Bytes(got.begin(), got.begin() + 4), (Bytes{1, 2, 3, 4}));
}

TEST_P(FillTest, WordsAreWholeAndInside) {
  auto buffer = backend().createBuffer({64, 0});
  ASSERT_TRUE(buffer);
  const struct {
    uint64_t offset, size;
    ErrorCode code;
  } cases[] = {{2, 4, ErrorCode::CmdDecode},    {0, 6, ErrorCode::CmdDecode},
               {0, 0, ErrorCode::OutOfBounds},  {60, 8, ErrorCode::OutOfBounds},
               {64, 4, ErrorCode::OutOfBounds}, {8, UINT64_MAX - 3, ErrorCode::OutOfBounds}};
  for (const auto& c : cases) {
    const auto filled = (*buffer)->fill(c.offset, c.size, ~0u);
    ASSERT_FALSE(filled) << c.offset << ", " << c.size;
    EXPECT_EQ(filled.error().code, c.code) << c.offset << ", " << c.size;
  }
  Bytes got;
  ASSERT_TRUE((*buffer)->read(0, 64, std::make_unique<VectorSink>(got)));
  finish();
  EXPECT_EQ(got, Bytes(64));
}

TEST_P(FillTest, BoxesGetTheColorInEachFormat) {
  // Red 1, green 0.2 = 51/255, blue 0, alpha 0.4 = 102/255. Of 31 and 63 steps 0.2 is 6.2 and 12.6.
  const ClearArgs args = color(1, 0.2f, 0, 0.4f);
  const struct {
    aerogpu_format format;
    Bytes texel;
  } cases[] = {
      {AEROGPU_FORMAT_B8G8R8A8_UNORM, {0, 51, 255, 102}}, {AEROGPU_FORMAT_B8G8R8X8_UNORM, {0, 51, 255, 255}},
      {AEROGPU_FORMAT_R8G8B8A8_UNORM, {255, 51, 0, 102}}, {AEROGPU_FORMAT_R8G8B8X8_UNORM, {255, 51, 0, 255}},
      {AEROGPU_FORMAT_B5G6R5_UNORM, {0xA0, 0xF9}},    // 31 << 11 | 13 << 5
      {AEROGPU_FORMAT_B5G5R5A1_UNORM, {0xC0, 0x7C}},  // 0 << 15 | 31 << 10 | 6 << 5
  };
  for (const auto& c : cases) {
    if (!isNull() && deviceIsBare() && c.format == AEROGPU_FORMAT_B5G5R5A1_UNORM) continue;  // has none
    const TextureDesc desc = of(c.format, 16, 12);
    expectFilled(desc, {}, {}, args, c.texel);
    expectFilled(desc, {}, {{3, 2, 0, 5, 7}}, args, c.texel);
    expectFilled(desc, {}, {{0, 0, 0, 1, 1}, {2, 3, 0, 9, 2}, {15, 11, 0, 1, 1}, {4, 1, 0, 3, 9}}, args,
                 c.texel);
  }
}

TEST_P(FillTest, SrgbIsEncoded) {
  // 13.3.2: 1.055 * L^(1/2.4) - 0.055 above 0.0031308, else 12.92 L. 0.5 gives 0.7354, 0.002 gives 0.0258.
  const auto encode = [](double l) {
    return static_cast<uint8_t>(
        std::lround(255 * (l > 0.0031308 ? 1.055 * std::pow(l, 1 / 2.4) - 0.055 : l * 12.92)));
  };
  const Bytes encoded = {encode(0.002), encode(0.5), 255, 128}, plain = {1, 128, 255, 128};
  ClearArgs args = color(1, 0.502f, 0.002f, 0.502f);
  const Bytes twin = {encode(0.002), encode(0.502), 255, 128};
  EXPECT_EQ(encoded[0], 7);
  expectFilled(of(AEROGPU_FORMAT_B8G8R8A8_UNORM, 8, 8), {}, {{1, 1, 0, 3, 3}}, args, plain);
  expectFilled(of(AEROGPU_FORMAT_B8G8R8A8_UNORM_SRGB, 8, 8), {}, {{1, 1, 0, 3, 3}}, args, twin);
  args.encodeSrgb = true;
  expectFilled(of(AEROGPU_FORMAT_B8G8R8A8_UNORM, 8, 8), {}, {{1, 1, 0, 3, 3}}, args, twin);
  expectFilled(of(AEROGPU_FORMAT_B8G8R8A8_UNORM, 8, 8), {}, {}, args, twin);
  // No twin: written unchanged. 0.502 of 63 steps is 31.6.
  expectFilled(of(AEROGPU_FORMAT_B5G6R5_UNORM, 8, 8), {}, {}, args, {0x00, 0xFC});
}

TEST_P(FillTest, OneMipOfOneFace) {
  TextureDesc desc = of(kBgra, 16, 16, 6, 3);
  desc.kind = TextureKind::Cube;
  const ClearArgs args = color(0, 0, 1, 1);
  expectFilled(desc, {1, 4}, {{2, 2, 0, 5, 3}}, args, {255, 0, 0, 255});
  auto gpu = texture(desc);
  ASSERT_TRUE(gpu && gpu->fill({1, 4}, {}, args));
  for (uint32_t face = 0; face < 6; ++face)
    for (uint32_t mip = 0; mip < 3; ++mip) {
      const Box all{0, 0, 0, 16u >> mip, 16u >> mip};
      const Bytes got = read(*gpu, {mip, face}, all);
      const bool filled = mip == 1 && face == 4;
      EXPECT_EQ(Bytes(got.begin(), got.begin() + 4), filled ? (Bytes{255, 0, 0, 255}) : Bytes(4))
          << face << mip;
    }
}

TEST_P(FillTest, SlicesOfAVolume) {
  const ClearArgs args = color(0, 0.2f, 0, 1);
  expectFilled(volume(8, 4, 6), {}, {}, args, {0, 51, 0, 255});
  expectFilled(volume(8, 4, 6), {}, {{1, 1, 2, 3, 2, 3}, {7, 3, 5, 1, 1, 1}}, args, {0, 51, 0, 255});
  expectFilled(volume(8, 4, 6, 2), {1, 0}, {}, args, {0, 51, 0, 255});
  expectFilled(volume(8, 4, 6, 2), {1, 0}, {{0, 0, 1, 4, 2, 1}}, args, {0, 51, 0, 255});
  expectFilled(volume(8, 4, 6, 1, AEROGPU_FORMAT_B5G6R5_UNORM), {}, {{3, 0, 0, 2, 4, 2}}, args, {0xA0, 0x01});
  expectFilled(volume(8, 4, 6, 1, AEROGPU_FORMAT_R8G8B8A8_UNORM_SRGB), {}, {}, color(0, 1, 0.5f, 0.2f),
               {0, 255, 188, 51});
}

TEST_P(FillTest, DepthAndStencilApart) {
  TextureDesc desc = of(AEROGPU_FORMAT_D24_UNORM_S8_UINT, 16, 8);
  auto gpu = texture(desc);
  ASSERT_TRUE(gpu);
  ClearArgs both, depth, stencil;
  both.depth = both.stencil = depth.depth = stencil.stencil = true;
  both.depthValue = 1;
  both.stencilValue = 0x1A5;  // its low byte counts
  depth.depthValue = 0;
  stencil.stencilValue = 0x3C;
  ASSERT_TRUE(gpu->fill({}, {}, both));
  const Box one[] = {{2, 1, 0, 4, 4}}, two[] = {{4, 2, 0, 4, 4}, {12, 0, 0, 2, 8}};
  ASSERT_TRUE(gpu->fill({}, one, depth));
  ASSERT_TRUE(gpu->fill({}, two, stencil));
  const Bytes got = read(*gpu, {}, {0, 0, 0, 16, 8});
  const auto in = [](const Box& b, uint32_t x, uint32_t y) {
    return x >= b.x && x < b.x + b.width && y >= b.y && y < b.y + b.height;
  };
  for (uint32_t y = 0; y < 8; ++y)
    for (uint32_t x = 0; x < 16; ++x) {
      uint32_t word = 0;
      std::memcpy(&word, got.data() + size_t{y * 16 + x} * 4, 4);
      const uint32_t want = (in(one[0], x, y) ? 0 : 0xFFFFFFu) |
                            (in(two[0], x, y) || in(two[1], x, y) ? 0x3C000000u : 0xA5000000u);
      EXPECT_EQ(word, want) << x << ", " << y;
    }
}

TEST_P(FillTest, DepthOfFloatsIsLimited) {
  auto gpu = texture(of(AEROGPU_FORMAT_D32_FLOAT, 4, 4));
  ASSERT_TRUE(gpu);
  for (const auto& [value, want] :
       {std::pair{0.3f, 0.3f}, {1.5f, 1.0f}, {-1.0f, 0.0f}, {std::nanf(""), 0.0f}}) {
    ClearArgs args;
    args.depth = true;
    args.depthValue = value;
    ASSERT_TRUE(gpu->fill({}, {}, args));
    const Bytes got = read(*gpu, {}, {3, 3, 0, 1, 1});
    float depth = -1;
    ASSERT_EQ(got.size(), sizeof depth);
    std::memcpy(&depth, got.data(), sizeof depth);
    EXPECT_EQ(depth, want) << value;
  }
}

TEST_P(FillTest, AllSamples) {
  auto four = texture(flat(8, 8, 1, 4)), out = texture(flat(8, 8));
  ASSERT_TRUE(four && out);
  const Box box[] = {{2, 2, 0, 4, 4}};
  ASSERT_TRUE(four->fill({}, {}, color(1, 1, 1, 1)));
  ASSERT_TRUE(four->fill({}, box, color(0, 0.2f, 0, 1)));
  ASSERT_TRUE(out->resolveFrom({}, *four, {}, {0, 0, 0, 8, 8}));
  Model want(8, 8, 1);
  std::fill(want.bytes.begin(), want.bytes.end(), uint8_t{255});
  for (uint32_t y = 2; y < 6; ++y)
    for (uint32_t x = 2; x < 6; ++x) std::copy_n(Bytes{0, 51, 0, 255}.data(), 4, want.texel(x, y, 0));
  EXPECT_EQ(read(*out, {}, want.all()), want.bytes);
}

TEST_P(FillTest, TakesItsTurnAmongTheOtherVerbs) {
  auto a = texture(flat(8, 8)), b = texture(flat(8, 8));
  ASSERT_TRUE(a && b);
  Model first(8, 8, 1), second(8, 8, 1);
  first.bytes = pattern(256, 3);
  writeTight(*a, {}, first.all(), first.bytes);
  const Box box[] = {{0, 0, 0, 8, 4}};
  ASSERT_TRUE(a->fill({}, box, color(1, 1, 1, 1)));
  ASSERT_TRUE(b->copyFrom({}, 0, 0, 0, *a, {}, first.all()));
  ASSERT_TRUE(a->fill({}, {}, color(0, 0, 0, 0)));
  writeTight(*a, {}, {0, 0, 0, 8, 1}, Bytes(32, 9));
  std::fill_n(first.bytes.begin(), 128, uint8_t{255});
  std::fill_n(second.bytes.begin(), 32, uint8_t{9});
  EXPECT_EQ(read(*b, {}, first.all()), first.bytes);
  EXPECT_EQ(read(*a, {}, first.all()), second.bytes);
}

TEST_P(FillTest, WhatCannotBeFilledIsRefused) {
  TextureDesc desc = of(kBgra, 8, 8, 2, 2);
  auto gpu = texture(desc), depth = texture(of(AEROGPU_FORMAT_D32_FLOAT, 8, 8));
  ASSERT_TRUE(gpu && depth);
  ClearArgs depthArgs, stencilArgs, nothing;
  depthArgs.depth = stencilArgs.stencil = true;
  const auto code = [](GpuTexture& texture, Subresource sub, std::vector<Box> boxes, const ClearArgs& args) {
    const auto filled = texture.fill(sub, boxes, args);
    return filled ? ErrorCode::None : filled.error().code;
  };
  const ClearArgs white = color(1, 1, 1, 1);
  EXPECT_EQ(code(*gpu, {2, 0}, {}, white), ErrorCode::OutOfBounds);
  EXPECT_EQ(code(*gpu, {0, 2}, {}, white), ErrorCode::OutOfBounds);
  for (const Box& box : {Box{0, 0, 0, 9, 1},
                         {8, 0, 0, 1, 1},
                         {0, 7, 0, 1, 2},
                         {0, 0, 0, 0, 1},
                         {0, 0, 0, 1, 0},
                         {0, 0, 0, 1, 1, 0},
                         {0, 0, 0, 1, 1, 2},
                         {0, 0, 1, 1, 1},
                         {1, 0, 0, UINT32_MAX, 1}})
    EXPECT_EQ(code(*gpu, {}, {{0, 0, 0, 1, 1}, box}, white), ErrorCode::OutOfBounds)
        << box.x << ", " << box.width;
  EXPECT_EQ(code(*gpu, {1, 0}, {{0, 0, 0, 5, 1}}, white), ErrorCode::OutOfBounds);
  EXPECT_EQ(code(*gpu, {}, {}, nothing), ErrorCode::CmdDecode);
  EXPECT_EQ(code(*gpu, {}, {}, depthArgs), ErrorCode::CmdDecode);
  EXPECT_EQ(code(*depth, {}, {}, white), ErrorCode::CmdDecode);
  EXPECT_EQ(code(*depth, {}, {}, stencilArgs), ErrorCode::CmdDecode);
  EXPECT_EQ(read(*gpu, {}, {0, 0, 0, 8, 8}), Bytes(256));
  if (!isNull() && deviceIsBare()) return;  // has no block compression
  auto blocks = texture(of(AEROGPU_FORMAT_BC1_RGBA_UNORM, 8, 8));
  ASSERT_TRUE(blocks);
  EXPECT_EQ(code(*blocks, {}, {}, white), ErrorCode::CmdDecode);
}

}  // namespace
}  // namespace aerogpu::test
