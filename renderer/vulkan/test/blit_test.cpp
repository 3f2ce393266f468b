// SPDX-License-Identifier: MIT
// Blits of textures, of both back ends. The expected texels are computed here from the equations of Vulkan
// 1.3, "Image Copies With Scaling", with the box's own edge, and Khronos Data Format 13.3, in doubles.
#include <cmath>

#include "renderer/vulkan/test/objects_fixture.h"

namespace aerogpu::test {
namespace {

using Color = std::array<double, 4>;

uint32_t bytesOf(aerogpu_format format) {
  return format == AEROGPU_FORMAT_B5G6R5_UNORM || format == AEROGPU_FORMAT_B5G5R5A1_UNORM ? 2 : 4;
}
bool hasAlpha(aerogpu_format format) {
  return format == AEROGPU_FORMAT_B8G8R8A8_UNORM || format == AEROGPU_FORMAT_R8G8B8A8_UNORM ||
         format == AEROGPU_FORMAT_B8G8R8A8_UNORM_SRGB || format == AEROGPU_FORMAT_B5G5R5A1_UNORM;
}
bool blueFirst(aerogpu_format format) {
  return format == AEROGPU_FORMAT_B8G8R8A8_UNORM || format == AEROGPU_FORMAT_B8G8R8X8_UNORM ||
         format == AEROGPU_FORMAT_B8G8R8A8_UNORM_SRGB;
}
/// Returns the steps of a channel: the largest number it holds.
std::array<int, 4> stepsOf(aerogpu_format format) {
  if (format == AEROGPU_FORMAT_B5G6R5_UNORM) return {31, 63, 31, 1};
  if (format == AEROGPU_FORMAT_B5G5R5A1_UNORM) return {31, 31, 31, 1};
  return {255, 255, 255, 255};
}
/// Returns red, green, blue, alpha as numbers of steps.
std::array<int, 4> unpack(aerogpu_format format, const uint8_t* texel) {
  if (bytesOf(format) == 4) {
    const int red = blueFirst(format) ? 2 : 0;
    return {texel[red], texel[1], texel[2 - red], hasAlpha(format) ? texel[3] : 255};
  }
  const int word = texel[0] | texel[1] << 8;
  if (format == AEROGPU_FORMAT_B5G6R5_UNORM) return {word >> 11, word >> 5 & 63, word & 31, 1};
  return {word >> 10 & 31, word >> 5 & 31, word & 31, word >> 15};
}

double decodeSrgb(double e) {
  return e <= 0.04045 ? e / 12.92 : std::pow((e + 0.055) / 1.055, 2.4);
}
double encodeSrgb(double l) {
  return l <= 0.0031308 ? l * 12.92 : 1.055 * std::pow(l, 1 / 2.4) - 0.055;
}

/// A subresource as the tests keep it.
struct Picture {
  aerogpu_format format;
  uint32_t width, height, depth;
  Bytes bytes;

  Picture(aerogpu_format format, uint32_t width, uint32_t height, uint32_t depth = 1, uint32_t seed = 1)
      : format(format),
        width(width),
        height(height),
        depth(depth),
        bytes(pattern(size_t{width} * height * depth * bytesOf(format), seed)) {}
  Box all() const { return {0, 0, 0, width, height, depth}; }
  const uint8_t* texel(uint32_t x, uint32_t y, uint32_t z) const {
    return bytes.data() + ((size_t{z} * height + y) * width + x) * bytesOf(format);
  }
  Color at(uint32_t x, uint32_t y, uint32_t z, bool srgb) const {
    const auto numbers = unpack(format, texel(x, y, z)), steps = stepsOf(format);
    Color out;
    for (size_t i = 0; i < 4; ++i) {
      out[i] = static_cast<double>(numbers[i]) / steps[i];
      if (srgb && i < 3) out[i] = decodeSrgb(out[i]);
    }
    return out;
  }
  /// Returns the color of the texel of `box.to` at `x`, `y`, `z` from its corner.
  Color sample(const BlitBox& box, uint32_t x, uint32_t y, uint32_t z, BlitFilter filter, bool srgb) const {
    // Vulkan's equations with the corners of a mirrored box exchanged, which makes its scale negative.
    const auto place = [](uint32_t i, uint32_t to, uint32_t from, bool mirror) {
      const double along = (i + 0.5) * from / to;
      return mirror ? from - along : along;
    };
    const double u = place(x, box.to.width, box.from.width, box.mirrorX);
    const double v = place(y, box.to.height, box.from.height, box.mirrorY);
    const auto texelAt = [&](double i, double j) {
      const auto inside = [](double t, uint32_t size) {
        return static_cast<uint32_t>(std::clamp(t, 0.0, size - 1.0));
      };
      return at(box.from.x + inside(i, box.from.width), box.from.y + inside(j, box.from.height),
                box.from.z + z, srgb);
    };
    if (filter == BlitFilter::Point) return texelAt(std::floor(u), std::floor(v));
    const double i = std::floor(u - 0.5), j = std::floor(v - 0.5), a = u - 0.5 - i, b = v - 0.5 - j;
    const Color c00 = texelAt(i, j), c10 = texelAt(i + 1, j), c01 = texelAt(i, j + 1),
                c11 = texelAt(i + 1, j + 1);
    Color out;
    for (size_t k = 0; k < 4; ++k)
      out[k] = (c00[k] * (1 - a) + c10[k] * a) * (1 - b) + (c01[k] * (1 - a) + c11[k] * a) * b;
    return out;
  }
  /// Blits `box` of another picture, both kBgra, by points.
  void take(const Picture& from, const BlitBox& box) {
    for (uint32_t y = 0; y < box.to.height; ++y)
      for (uint32_t x = 0; x < box.to.width; ++x) {
        const Color c = from.sample(box, x, y, 0, BlitFilter::Point, false);
        uint8_t* to = &bytes[(size_t{box.to.y + y} * width + box.to.x + x) * 4];
        for (size_t i = 0; i < 4; ++i) to[i] = static_cast<uint8_t>(std::lround(c[i == 3 ? 3 : 2 - i] * 255));
      }
  }
};

class BlitTest : public ObjectsTest {
protected:
  static TextureDesc of(const Picture& picture, uint32_t layers = 1) {
    TextureDesc desc = flat(picture.width, picture.height, layers);
    desc.format = picture.format;
    desc.depth = picture.depth;
    if (picture.depth > 1) desc.kind = TextureKind::Volume;
    return desc;
  }
  /// Makes a texture with that picture.
  std::unique_ptr<GpuTexture> make(const Picture& picture) {
    auto made = texture(of(picture));
    if (made) put(*made, {}, picture);
    return made;
  }
  static void put(GpuTexture& to, Subresource sub, const Picture& p) {
    const uint64_t row = uint64_t{p.width} * bytesOf(p.format);
    write(to, sub, p.all(), {row, row * p.height}, p.bytes);
  }
  static bool offered(aerogpu_format format) {
    return isNull() || !deviceIsBare() || format != AEROGPU_FORMAT_B5G5R5A1_UNORM;
  }

  /// Blits the boxes between new textures, and compares each texel with the equations: `tolerance` in steps
  /// of the destination's channels.
  void expectBlit(const Picture& from, const Picture& to, const std::vector<BlitBox>& boxes,
                  const BlitArgs& args, double tolerance) {
    SCOPED_TRACE(::testing::Message()
                 << boxes[0].to.width << "x" << boxes[0].to.height << " of " << boxes[0].from.width << "x"
                 << boxes[0].from.height << ", " << from.depth << " slices to " << to.depth);
    auto src = make(from), dst = make(to);
    ASSERT_TRUE(src && dst);
    const auto done = dst->blit({}, *src, {}, boxes, args);
    ASSERT_TRUE(done) << done.error().what << " to " << findFormat(to.format)->name;
    expectPicture(read(*dst, {}, to.all()), from, to, boxes, args, tolerance);
  }
  static void expectPicture(const Bytes& got, const Picture& from, const Picture& to,
                            const std::vector<BlitBox>& boxes, const BlitArgs& args, double tolerance) {
    Picture out = to;
    ASSERT_EQ(got.size(), out.bytes.size());
    out.bytes = got;
    const bool decode = args.decodeSrgb || from.format == AEROGPU_FORMAT_B8G8R8A8_UNORM_SRGB;
    const bool encode = args.encodeSrgb || to.format == AEROGPU_FORMAT_B8G8R8A8_UNORM_SRGB;
    const auto steps = stepsOf(to.format);
    int failures = 0;
    for (uint32_t z = 0; z < to.depth; ++z)
      for (uint32_t y = 0; y < to.height; ++y)
        for (uint32_t x = 0; x < to.width; ++x) {
          const BlitBox* last = nullptr;
          for (const BlitBox& b : boxes)
            if (x - b.to.x < b.to.width && y - b.to.y < b.to.height && z - b.to.z < b.to.depth) last = &b;
          const auto number = unpack(to.format, out.texel(x, y, z));
          if (!last) {
            EXPECT_TRUE(
                std::equal(out.texel(x, y, z), out.texel(x, y, z) + bytesOf(to.format), to.texel(x, y, z)))
                << "outside of the boxes, at " << x << ", " << y << ", " << z;
            continue;
          }
          const Color want =
              from.sample(*last, x - last->to.x, y - last->to.y, z - last->to.z, args.filter, decode);
          for (size_t i = 0; i < (hasAlpha(to.format) ? 4u : 3u); ++i) {
            const double value = (encode && i < 3 ? encodeSrgb(want[i]) : want[i]) * steps[i];
            // To nearest, within the 0.6 steps of Direct3D's conversion rules; NVIDIA's GPUs use 0.52.
            if (std::abs(number[i] - value) <= 0.6 + tolerance) continue;
            if (++failures > 4) return;
            ADD_FAILURE() << "channel " << i << " at " << x << ", " << y << ", " << z << " is " << number[i]
                          << ", not " << value << ", " << findFormat(from.format)->name << " to "
                          << findFormat(to.format)->name << " box " << last->to.width << "x"
                          << last->to.height << " of " << last->from.width << "x" << last->from.height
                          << " mirrored " << last->mirrorX << last->mirrorY;
          }
        }
  }
  static BlitArgs filter(BlitFilter f) {
    BlitArgs args;
    args.filter = f;
    return args;
  }
  static constexpr BlitArgs kPoint{};
};
INSTANTIATE_TEST_SUITE_P(Backends, BlitTest, ::testing::Values("vulkan", "null"),
                         [](const auto& info) { return std::string(info.param); });

/// Scales up and down, by whole and by broken factors, with centers between two texels and elsewhere.
const BlitBox kScales[] = {
    {{0, 0, 0, 20, 14}, {0, 0, 0, 20, 14}, true, false},  // no scale: mirrors
    {{0, 0, 0, 20, 14}, {0, 0, 0, 20, 14}, true, true},
    {{1, 2, 0, 10, 7}, {0, 0, 0, 20, 14}},  // by 2: between two texels
    {{1, 2, 0, 10, 7}, {0, 0, 0, 20, 14}, false, true},
    {{1, 2, 0, 10, 7}, {0, 0, 0, 20, 14}, true, false},
    {{0, 0, 0, 20, 14}, {5, 5, 0, 10, 7}},
    {{3, 1, 0, 17, 13}, {2, 3, 0, 5, 11}},
    {{3, 1, 0, 17, 13}, {2, 3, 0, 5, 11}, true, true},
    {{0, 0, 0, 3, 5}, {1, 1, 0, 19, 12}},
    {{19, 13, 0, 1, 1}, {0, 0, 0, 20, 14}},
    {{0, 0, 0, 20, 14}, {19, 13, 0, 1, 1}},
    {{2, 2, 0, 6, 6}, {4, 4, 0, 4, 9}, false, true},
};

TEST_P(BlitTest, PointTakesTheTexelUnderTheCenter) {
  const Picture from(kBgra, 20, 14, 1, 1), to(kBgra, 20, 14, 1, 2);
  for (const BlitBox& box : kScales) expectBlit(from, to, {box}, kPoint, 0);
}

TEST_P(BlitTest, EveryTexelIsRightUpToTheLargestSizes) {
  const uint32_t most = std::min(16384u, backend().limits().maxTextureSize);
  const Picture from(kBgra, most, 1, 1, 1), to(kBgra, most, 1, 1, 2);
  for (const auto& [width, srcWidth] : {std::pair{most / 2, most},
                                        {most, most - 3},
                                        {most - 5, most},
                                        {most, most / 2},
                                        {most, 3u},
                                        {7u, most}})
    for (const bool mirror : {false, true}) {
      const BlitBox box{{most - width, 0, 0, width, 1}, {most - srcWidth, 0, 0, srcWidth, 1}, mirror};
      expectBlit(from, to, {box}, kPoint, 0);
      expectBlit(from, to, {box}, filter(BlitFilter::Linear), 0.1);
    }
  // Without a scale, and by half, texels are read at their centers.
  const Picture rows(AEROGPU_FORMAT_R8G8B8A8_UNORM, most, 2, 1, 3);
  for (const bool mirror : {false, true}) {
    expectBlit(rows, to, {{{2, 0, 0, most - 2, 1}, {1, 1, 0, most - 2, 1}, mirror}}, kPoint, 0);
    expectBlit(rows, to, {{{most / 2 + 1, 0, 0, most / 2 - 1, 1}, {1, 0, 0, most - 2, 2}, mirror}},
               filter(BlitFilter::Linear), 0);
    expectBlit(rows, to, {{{0, 0, 0, most / 2, 1}, {0, 0, 0, most, 2}, mirror, true}},
               filter(BlitFilter::Linear), 0);
  }
}

TEST_P(BlitTest, LinearWeighsFourTexelsOfTheBox) {
  const Picture from(kBgra, 20, 14, 1, 3), to(kBgra, 20, 14, 1, 4);
  for (const BlitBox& box : kScales) expectBlit(from, to, {box}, filter(BlitFilter::Linear), 0.1);
}

TEST_P(BlitTest, FormatsAreConverted) {
  const aerogpu_format formats[] = {AEROGPU_FORMAT_B8G8R8A8_UNORM, AEROGPU_FORMAT_B8G8R8X8_UNORM,
                                    AEROGPU_FORMAT_R8G8B8A8_UNORM, AEROGPU_FORMAT_R8G8B8X8_UNORM,
                                    AEROGPU_FORMAT_B5G6R5_UNORM,   AEROGPU_FORMAT_B5G5R5A1_UNORM};
  const BlitBox same{{0, 0, 0, 16, 16}, {0, 0, 0, 16, 16}}, larger{{1, 0, 0, 13, 15}, {3, 5, 0, 7, 9}, true};
  // Vulkan wants one of the two nearest values ("Conversion From Floating-Point to Normalized Fixed-Point");
  // lavapipe truncates 8 bits to 5.
  for (const aerogpu_format a : formats)
    for (const aerogpu_format b : formats) {
      if (!offered(a) || !offered(b)) continue;
      const Picture from(a, 16, 16, 1, 5), to(b, 16, 16, 1, 6);
      const double off = !isNull() && bytesOf(b) == 2 ? 0.49 : 0;
      expectBlit(from, to, {same}, kPoint, off);
      expectBlit(from, to, {larger}, kPoint, off);
      expectBlit(from, to, {larger}, filter(BlitFilter::Linear), std::max(off, 0.1));
    }
}

TEST_P(BlitTest, TheXOfTheSourceIsAlphaOne) {
  Picture from(AEROGPU_FORMAT_B8G8R8X8_UNORM, 4, 4), to(kBgra, 4, 4);
  for (size_t i = 3; i < from.bytes.size(); i += 4) from.bytes[i] = 0x12;
  auto src = make(from), dst = make(to);
  ASSERT_TRUE(src && dst);
  const BlitBox boxes[] = {{{0, 0, 0, 4, 4}, {0, 0, 0, 4, 4}}};
  ASSERT_TRUE(dst->blit({}, *src, {}, boxes, kPoint));
  Bytes want = from.bytes;
  for (size_t i = 3; i < want.size(); i += 4) want[i] = 0xFF;
  EXPECT_EQ(read(*dst, {}, to.all()), want);
}

TEST_P(BlitTest, SrgbIsDecodedAndEncodedWhereAsked) {
  const Picture linear(kBgra, 12, 12, 1, 7), srgb(AEROGPU_FORMAT_B8G8R8A8_UNORM_SRGB, 12, 12, 1, 8);
  const BlitBox same{{0, 0, 0, 12, 12}, {0, 0, 0, 12, 12}}, other{{0, 0, 0, 12, 11}, {2, 2, 0, 5, 7}};
  for (const BlitFilter f : {BlitFilter::Point, BlitFilter::Linear})
    for (const BlitBox& box : {same, other}) {
      BlitArgs args = filter(f);
      // GPUs do both with tables or polynomials: lavapipe is off by as much as 0.9 of a step.
      expectBlit(srgb, linear, {box}, args, 0.5);
      expectBlit(linear, srgb, {box}, args, 0.5);
      expectBlit(srgb, srgb, {box}, args, 0.5);
      args.decodeSrgb = true;
      expectBlit(linear, linear, {box}, args, 0.5);
      args.encodeSrgb = true;
      expectBlit(linear, linear, {box}, args, 0.5);
      args.decodeSrgb = false;
      expectBlit(linear, linear, {box}, args, 0.5);
    }
}

TEST_P(BlitTest, OneMipOfOneFaceToAnother) {
  TextureDesc desc = flat(16, 16, 6);
  desc.kind = TextureKind::Cube;
  desc.mipLevels = 3;
  auto a = texture(desc), b = texture(desc);
  ASSERT_TRUE(a && b);
  const Picture from(kBgra, 8, 8, 1, 1), to(kBgra, 16, 16, 1, 2), small(kBgra, 4, 4, 1, 3);
  put(*a, {1, 3}, from);
  put(*b, {0, 5}, to);
  put(*a, {2, 3}, small);
  const std::vector<BlitBox> up = {{{0, 0, 0, 16, 16}, {0, 0, 0, 8, 8}}},
                             down = {{{0, 0, 0, 4, 4}, {0, 0, 0, 8, 8}}};
  ASSERT_TRUE(b->blit({0, 5}, *a, {1, 3}, up, filter(BlitFilter::Linear)));
  expectPicture(read(*b, {0, 5}, to.all()), from, to, up, filter(BlitFilter::Linear), 0.1);
  EXPECT_EQ(read(*b, {0, 4}, to.all()), Bytes(1024));
  EXPECT_EQ(read(*b, {1, 5}, from.all()), Bytes(256));
  // Within one texture, as mips are made.
  ASSERT_TRUE(a->blit({2, 3}, *a, {1, 3}, down, filter(BlitFilter::Linear)));
  expectPicture(read(*a, {2, 3}, small.all()), from, small, down, filter(BlitFilter::Linear), 0.1);
  EXPECT_EQ(read(*a, {1, 3}, from.all()), from.bytes);
  EXPECT_EQ(read(*a, {2, 2}, small.all()), Bytes(64));
}

TEST_P(BlitTest, SlicesOfVolumes) {
  const Picture thick(kBgra, 12, 8, 4, 1), other(AEROGPU_FORMAT_R8G8B8A8_UNORM, 10, 8, 5, 2),
      flat(kBgra, 9, 9, 1, 3);
  // By whole factors, for the GPU's own blit writes volumes.
  expectBlit(thick, other, {{{1, 2, 1, 6, 4, 3}, {0, 4, 1, 3, 2, 3}}}, kPoint, 0);
  expectBlit(thick, other, {{{0, 0, 2, 5, 8, 1}, {4, 0, 0, 5, 8, 1}, true, true}}, kPoint, 0);
  expectBlit(thick, flat, {{{1, 0, 0, 7, 9}, {3, 2, 2, 5, 4}, true}}, filter(BlitFilter::Linear), 0.1);
  expectBlit(thick, flat, {{{2, 3, 0, 5, 4}, {3, 2, 2, 5, 4}, true}}, kPoint, 0);
  expectBlit(thick, flat, {{{3, 1, 0, 5, 3}, {1, 2, 3, 10, 6}, false, true}}, filter(BlitFilter::Linear), 0);
  expectBlit(flat, thick, {{{0, 0, 3, 12, 8}, {1, 1, 0, 6, 4}}}, kPoint, 0);
  expectBlit(thick, thick, {{{0, 0, 0, 5, 5, 2}, {6, 1, 1, 5, 5, 2}}}, kPoint, 0);  // bytes
  // A layer that is not the first.
  auto layers = texture(of(flat, 3)), volume = make(other);
  ASSERT_TRUE(layers && volume);
  put(*layers, {0, 2}, flat);
  const std::vector<BlitBox> box = {{{2, 2, 4, 6, 6}, {3, 3, 0, 6, 6}, false, true}};
  ASSERT_TRUE(volume->blit({}, *layers, {0, 2}, box, kPoint));
  expectPicture(read(*volume, {}, other.all()), flat, other, box, kPoint, 0);
}

TEST_P(BlitTest, WhatOnlyADrawCanDoIsNotDoneToAVolume) {
  if (isNull()) return;  // needs none
  auto volume = make(Picture(kBgra, 8, 8, 2)), opaque = make(Picture(AEROGPU_FORMAT_B8G8R8X8_UNORM, 8, 8));
  ASSERT_TRUE(volume && opaque);
  const BlitBox boxes[] = {{{0, 0, 0, 8, 8}, {0, 0, 0, 4, 4}}};
  const auto done = volume->blit({}, *opaque, {}, boxes, kPoint);
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().code, ErrorCode::Backend);
}

TEST_P(BlitTest, SamplesAreResolvedOnTheWay) {
  const TextureDesc four = flat(8, 8, 1, 4);
  auto src = texture(four), twin = texture(four);
  const Picture before(kBgra, 12, 12, 1, 2);
  ASSERT_TRUE(src && twin);
  ClearArgs red, green;
  red.color = green.color = true;
  red.rgba = {1, 0.2f, 0, 0.4f};
  green.rgba = {0, 1, 0, 1};
  const Box left[] = {{0, 0, 0, 4, 8}}, right[] = {{4, 0, 0, 4, 8}};
  ASSERT_TRUE(src->fill({}, left, red));
  ASSERT_TRUE(src->fill({}, right, green));
  Picture from(kBgra, 8, 8);
  for (uint32_t i = 0; i < 64; ++i)
    std::copy_n((i % 8 < 4 ? Bytes{0, 51, 255, 102} : Bytes{0, 255, 0, 255}).data(), 4, &from.bytes[i * 4]);
  const BlitBox same{{3, 4, 0, 6, 5}, {1, 2, 0, 6, 5}}, scaled{{0, 0, 0, 12, 12}, {1, 2, 0, 6, 6}, true};
  for (const BlitBox& box : {same, scaled}) {
    auto out = make(before);
    ASSERT_TRUE(out);
    const auto done = out->blit({}, *src, {}, {&box, 1}, kPoint);
    ASSERT_TRUE(done) << done.error().what;
    expectPicture(read(*out, {}, before.all()), from, before, {box}, kPoint, 0);
  }
  const Picture thick(kBgra, 12, 12, 2, 3);
  auto volume = make(thick);
  const BlitBox back{{0, 0, 1, 12, 12}, {1, 2, 0, 6, 6}, false, true};
  ASSERT_TRUE(volume && volume->blit({}, *src, {}, {&back, 1}, kPoint));
  expectPicture(read(*volume, {}, thick.all()), from, thick, {back}, kPoint, 0);
  // A copy with equal numbers of samples works; other numbers are not written.
  const BlitBox all{{0, 0, 0, 8, 8}, {0, 0, 0, 8, 8}};
  ASSERT_TRUE(twin->blit({}, *src, {}, {&all, 1}, kPoint));
  auto out = texture(flat(8, 8)), one = make(from);
  ASSERT_TRUE(out && one);
  ASSERT_TRUE(out->resolveFrom({}, *twin, {}, from.all()));
  EXPECT_EQ(read(*out, {}, from.all()), from.bytes);
  const auto refused = twin->blit({}, *one, {}, {&all, 1}, kPoint);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::CmdDecode);
}

TEST_P(BlitTest, DepthAndStencilAreCopiedNotScaled) {
  Picture from(AEROGPU_FORMAT_D24_UNORM_S8_UINT, 8, 8, 1, 1),
      to(AEROGPU_FORMAT_D24_UNORM_S8_UINT, 8, 8, 1, 2);
  auto src = make(from), dst = make(to), floats = make(Picture(AEROGPU_FORMAT_D32_FLOAT, 8, 8));
  ASSERT_TRUE(src && dst && floats);
  const std::vector<BlitBox> box = {{{4, 1, 0, 3, 6}, {0, 2, 0, 3, 6}}};
  ASSERT_TRUE(dst->blit({}, *src, {}, box, kPoint));
  Bytes want = to.bytes;
  for (uint32_t y = 0; y < 6; ++y)
    std::copy_n(from.texel(0, 2 + y, 0), 12, want.begin() + static_cast<ptrdiff_t>(((y + 1) * 8 + 4) * 4));
  EXPECT_EQ(read(*dst, {}, to.all()), want);
  const auto code = [&](GpuTexture& a, const BlitBox& b) {
    const auto done = a.blit({}, *src, {}, {&b, 1}, kPoint);
    return done ? ErrorCode::None : done.error().code;
  };
  EXPECT_EQ(code(*dst, {{0, 0, 0, 8, 8}, {0, 0, 0, 4, 4}}), ErrorCode::CmdDecode);
  EXPECT_EQ(code(*dst, {{0, 0, 0, 8, 8}, {0, 0, 0, 8, 8}, true}), ErrorCode::CmdDecode);
  EXPECT_EQ(code(*floats, {{0, 0, 0, 8, 8}, {0, 0, 0, 8, 8}}), ErrorCode::CmdDecode);
  EXPECT_EQ(read(*dst, {}, to.all()), want);
}

TEST_P(BlitTest, BlocksAreCopiedWhole) {
  if (!isNull() && deviceIsBare()) return;  // has no block compression
  TextureDesc desc = flat(10, 8);
  desc.format = AEROGPU_FORMAT_BC1_RGBA_UNORM;
  auto src = texture(desc), dst = texture(desc), colors = make(Picture(kBgra, 8, 8));
  ASSERT_TRUE(src && dst && colors);
  const Bytes blocks = pattern(48, 1);  // 3x2 blocks of 8 bytes
  write(*src, {}, {0, 0, 0, 10, 8}, {24, 48}, blocks);
  const auto code = [&](GpuTexture& a, const BlitBox& b) {
    const auto done = a.blit({}, *src, {}, {&b, 1}, kPoint);
    return done ? ErrorCode::None : done.error().code;
  };
  EXPECT_EQ(code(*dst, {{8, 0, 0, 2, 4}, {8, 4, 0, 2, 4}}), ErrorCode::None);
  EXPECT_EQ(code(*dst, {{0, 0, 0, 4, 4}, {4, 0, 0, 4, 4}}), ErrorCode::None);
  EXPECT_EQ(code(*dst, {{0, 0, 0, 4, 4}, {2, 0, 0, 4, 4}}), ErrorCode::CmdDecode);
  EXPECT_EQ(code(*dst, {{0, 0, 0, 2, 4}, {8, 0, 0, 2, 4}}), ErrorCode::CmdDecode);
  EXPECT_EQ(code(*dst, {{0, 0, 0, 8, 8}, {0, 0, 0, 4, 4}}), ErrorCode::CmdDecode);
  EXPECT_EQ(code(*colors, {{0, 0, 0, 4, 4}, {0, 0, 0, 4, 4}}), ErrorCode::CmdDecode);
  Bytes want(48);
  std::copy_n(blocks.begin() + 40, 8, want.begin() + 16);
  std::copy_n(blocks.begin() + 8, 8, want.begin());
  EXPECT_EQ(read(*dst, {}, {0, 0, 0, 10, 8}), want);
}

TEST_P(BlitTest, BoxesFollowOneAnotherAndMayOverlap) {
  const Picture from(kBgra, 16, 16, 1, 1), to(kBgra, 16, 16, 1, 2),
      converted(AEROGPU_FORMAT_R8G8B8A8_UNORM, 16, 16);
  // The last one that covers a texel wins: copies, then draws. There are more than are copied at once.
  std::vector<BlitBox> copies, draws;
  for (uint32_t i = 0; i < 80; ++i) {
    copies.push_back({{i % 11, i % 9, 0, 5, 6}, {i % 7, i % 10, 0, 5, 6}});
    draws.push_back({{i % 11, i % 9, 0, 5, 6}, {i % 7, i % 10, 0, 3, 6}, i % 2 == 1});
  }
  expectBlit(from, to, copies, kPoint, 0);
  expectBlit(from, to, draws, kPoint, 0);
  expectBlit(from, converted, copies, kPoint, 0);
}

TEST_P(BlitTest, WithinItselfTheSourceIsReadFirst) {
  // One box after the other, each as if the source was another texture.
  const std::vector<std::vector<BlitBox>> lists = {
      {{{1, 0, 0, 15, 16}, {0, 0, 0, 15, 16}}},                                        // bytes, to the right
      {{{0, 0, 0, 16, 15}, {0, 1, 0, 16, 15}}},                                        // and up
      {{{0, 0, 0, 16, 16}, {4, 4, 0, 8, 8}}},                                          // grows over itself
      {{{0, 0, 0, 16, 16}, {0, 0, 0, 16, 16}, true, false}},                           // mirrored in place
      {{{8, 0, 0, 8, 8}, {0, 0, 0, 8, 8}}, {{0, 8, 0, 8, 8}, {8, 0, 0, 8, 8}}},        // a chain
      {{{8, 8, 0, 4, 4}, {0, 0, 0, 4, 4}}, {{0, 0, 0, 4, 4}, {4, 4, 0, 4, 4}}},        // writes what was read
      {{{2, 2, 0, 9, 9}, {0, 0, 0, 9, 9}}, {{0, 0, 0, 7, 7}, {3, 3, 0, 7, 7}, true}},  // bytes no longer
  };
  for (const auto& boxes : lists) {
    Picture model(kBgra, 16, 16, 1, 9);
    auto gpu = make(model);
    ASSERT_TRUE(gpu && gpu->blit({}, *gpu, {}, boxes, kPoint));
    for (const BlitBox& box : boxes) model.take(Picture(model), box);
    EXPECT_EQ(read(*gpu, {}, model.all()), model.bytes) << "list " << &boxes - lists.data();
  }
}

TEST_P(BlitTest, BadBoxesAreRefusedAndNothingIsDone) {
  const Picture from(kBgra, 8, 8, 1, 1), to(kBgra, 8, 8, 1, 2);
  auto src = make(from), dst = make(to), volume = make(Picture(kBgra, 8, 8, 4));
  ASSERT_TRUE(src && dst && volume);
  const BlitBox fine{{0, 0, 0, 4, 4}, {0, 0, 0, 8, 8}};
  const auto code = [&](GpuTexture& a, Subresource sub, GpuTexture& b, Subresource srcSub,
                        const BlitBox& box) {
    const BlitBox boxes[] = {fine, box};
    const auto done = a.blit(sub, b, srcSub, boxes, kPoint);
    return done ? ErrorCode::None : done.error().code;
  };
  for (const Box& bad : {Box{0, 0, 0, 9, 1},
                         {8, 0, 0, 1, 1},
                         {0, 7, 0, 1, 2},
                         {0, 0, 0, 0, 1},
                         {0, 0, 0, 1, 0},
                         {0, 0, 0, 1, 1, 0},
                         {0, 0, 1, 1, 1},
                         {1, 0, 0, UINT32_MAX, 1}}) {
    EXPECT_EQ(code(*dst, {}, *src, {}, {bad, {0, 0, 0, 8, 8, bad.depth}}), ErrorCode::OutOfBounds)
        << bad.x << bad.width;
    EXPECT_EQ(code(*dst, {}, *src, {}, {{0, 0, 0, 8, 8, bad.depth}, bad}), ErrorCode::OutOfBounds)
        << bad.x << bad.width;
  }
  EXPECT_EQ(code(*dst, {1, 0}, *src, {}, fine), ErrorCode::OutOfBounds);
  EXPECT_EQ(code(*dst, {}, *src, {0, 1}, fine), ErrorCode::OutOfBounds);
  EXPECT_EQ(code(*dst, {}, *volume, {}, {{0, 0, 0, 4, 4, 1}, {0, 0, 0, 4, 4, 2}}), ErrorCode::CmdDecode)
      << "slices become fewer between volumes alone";
  EXPECT_EQ(read(*dst, {}, to.all()), to.bytes);
  EXPECT_TRUE(dst->blit({}, *src, {}, {}, kPoint));
  EXPECT_EQ(read(*dst, {}, to.all()), to.bytes);
}

TEST_P(BlitTest, TheAccountOfHostMemoryIsAsBefore) {
  const uint64_t before = hostMemory().heldBytes();
  {
    auto src = texture(flat(64, 64, 1, 4)), dst = make(Picture(kBgra, 64, 64));
    ASSERT_TRUE(src && dst);
    const BlitBox resolves{{0, 0, 0, 64, 64}, {0, 0, 0, 32, 32}}, own{{0, 0, 0, 64, 64}, {0, 0, 0, 9, 9}},
        shifts{{1, 1, 0, 60, 60}, {0, 0, 0, 60, 60}};
    const auto all = [&] {
      EXPECT_TRUE(dst->blit({}, *src, {}, {&resolves, 1}, kPoint));
      EXPECT_TRUE(dst->blit({}, *dst, {}, {&own, 1}, filter(BlitFilter::Linear)));
      EXPECT_TRUE(dst->blit({}, *dst, {}, {&shifts, 1}, kPoint));
      ClearArgs args;
      args.color = true;
      EXPECT_TRUE(dst->fill({}, {}, args));
      finish();
    };
    all();  // makes the views
    const uint64_t once = hostMemory().heldBytes();
    for (int i = 0; i < 20; ++i) all();
    EXPECT_EQ(hostMemory().heldBytes(), once);
  }
  finish();
  EXPECT_EQ(hostMemory().heldBytes(), before);
}

TEST_P(BlitTest, WhatIsHeldForBlitsIsHandedOverBeforeItPilesUp) {
  if (isNull()) return;  // holds one box at a time
  auto gpu = texture(flat(2048, 2048));
  ASSERT_TRUE(gpu);
  const BlitBox shifts{{1, 0, 0, 2047, 2048}, {0, 0, 0, 2047, 2048}};  // 16 MiB
  const int before = batchesSubmitted();
  for (int i = 0; i < 4; ++i) ASSERT_TRUE(gpu->blit({}, *gpu, {}, {&shifts, 1}, kPoint));
  EXPECT_EQ(batchesSubmitted(), before);
  for (int i = 0; i < 8; ++i) ASSERT_TRUE(gpu->blit({}, *gpu, {}, {&shifts, 1}, kPoint));
  EXPECT_EQ(batchesSubmitted(), before + 2);
  finish();
}

TEST_P(BlitTest, ManyBlitsInOneBatch) {
  // More descriptor sets than a pool has, for views that come and go.
  const Picture from(kBgra, 4, 4, 1, 1), to(AEROGPU_FORMAT_R8G8B8A8_UNORM, 4, 4, 1, 2);
  const std::vector<BlitBox> box = {{{0, 0, 0, 4, 4}, {1, 1, 0, 2, 2}}};
  auto dst = make(to);
  ASSERT_TRUE(dst);
  for (int i = 0; i < 200; ++i) {
    auto src = make(Picture(kBgra, 4, 4, 1, 1));
    ASSERT_TRUE(src && dst->blit({}, *src, {}, box, kPoint));
  }
  expectPicture(read(*dst, {}, to.all()), from, to, box, kPoint, 0);
}

TEST_P(BlitTest, DrawsAroundItGoOnAndQueriesDoNotCountIt) {
  if (isNull() || deviceIsBare()) return;  // draw nothing, or do not count
  const Picture from(kBgra, 16, 8, 1, 1), to(AEROGPU_FORMAT_R8G8B8A8_UNORM, 16, 8, 1, 2);
  auto src = make(from), dst = make(to), thick = make(Picture(kBgra, 16, 8, 2));
  auto samples = texture(flat(16, 8, 1, 4));
  auto query = backend().createQuery(QueryKind::Occlusion);
  ASSERT_TRUE(src && dst && thick && samples && query);
  const std::vector<BlitBox> box = {{{0, 0, 0, 16, 8}, {0, 0, 0, 16, 8}, true}},
                             half = {{{0, 0, 0, 8, 4}, {0, 0, 0, 16, 8}}};
  ClearArgs args;
  args.color = true;
  const Box some[] = {{0, 0, 0, 2, 2}, {4, 4, 0, 2, 2}};
  Bytes counted;
  {
    Painter painter(backend(), flat(16, 8));
    painter.draw();
    ASSERT_TRUE((*query)->begin({}));
    painter.draw();
    ASSERT_TRUE(dst->blit({}, *src, {}, box, kPoint));
    painter.draw();
    ASSERT_TRUE(thick->blit({}, *src, {}, half, kPoint));
    ASSERT_TRUE(src->blit({}, *samples, {}, half, kPoint));
    painter.draw();
    ASSERT_TRUE(samples->fill({}, some, args));
    ASSERT_TRUE(samples->fill({}, {}, args));
    painter.draw();
    ASSERT_TRUE((*query)->end());
    ASSERT_TRUE((*query)->result(std::make_unique<VectorSink>(counted)));
    finish();
  }
  EXPECT_EQ(number(counted), 4u * 16 * 8);
  expectPicture(read(*dst, {}, to.all()), from, to, box, kPoint, 0);
}

TEST_P(BlitTest, OneAfterTheOtherToOneTextureShareAPass) {
  constexpr uint32_t kSide = 32;
  Picture model(kBgra, kSide, kSide, 1, 1), other(kBgra, kSide, kSide, 1, 2);
  Picture sources[4] = {{kBgra, 8, 8, 1, 3}, {kBgra, 8, 8, 1, 4}, {kBgra, 8, 8, 1, 5}, {kBgra, 8, 8, 1, 6}};
  auto dst = make(model), second = make(other);
  std::unique_ptr<GpuTexture> from[4];
  for (size_t i = 0; i < 4; ++i) from[i] = make(sources[i]);
  ASSERT_TRUE(dst && second);
  uint32_t place = 0;
  const auto blit = [&](size_t i) {
    const BlitBox box{{place % 23, place % 19, 0, 8, 8}, {0, 0, 0, 8, 8}, true};
    place += 5;
    ASSERT_TRUE(dst->blit({}, *from[i], {}, {&box, 1}, kPoint));
    model.take(sources[i], box);
  };
  // From the second on, sources lie as samplers want them, and the place is known.
  for (size_t i = 0; i < 4; ++i) blit(i);
  const int begun = passesBegun();
  for (size_t i = 0; i < 40; ++i) blit(i % 4);
  EXPECT_EQ(passesBegun() - begun, 0);

  // A draw between them keeps its place.
  const Box corner{9, 7, 0, 11, 13};
  ClearArgs args;
  args.color = true;
  args.rgba = {1, 0, 0, 1};
  ASSERT_TRUE(dst->fill({}, {&corner, 1}, args));
  for (uint32_t y = corner.y; y < corner.y + corner.height; ++y)
    for (uint32_t x = corner.x; x < corner.x + corner.width; ++x)
      std::copy_n(Bytes{0, 0, 255, 255}.data(), 4, &model.bytes[(size_t{y} * kSide + x) * 4]);
  blit(0);
  sources[0] = Picture(kBgra, 8, 8, 1, 7);
  put(*from[0], {}, sources[0]);  // after it was read
  blit(0);
  blit(1);
  const BlitBox back{{0, 0, 0, 8, 8}, {3, 4, 0, 8, 8}, false, true},
      over{{1, 1, 0, 30, 30}, {2, 0, 0, 15, 15}}, within{{0, 16, 0, 16, 16}, {8, 0, 0, 16, 16}, true};
  ASSERT_TRUE(from[2]->blit({}, *dst, {}, {&back, 1}, kPoint));  // it was just drawn to
  sources[2].take(model, back);
  blit(2);
  ASSERT_TRUE(second->blit({}, *dst, {}, {&over, 1}, kPoint));
  other.take(model, over);
  blit(3);
  ASSERT_TRUE(dst->blit({}, *dst, {}, {&within, 1}, kPoint));
  model.take(Picture(model), within);
  blit(1);
  EXPECT_EQ(read(*dst, {}, model.all()), model.bytes);
  blit(2);
  if (!isNull() && !deviceIsBare()) {
    Painter painter(backend(), flat(16, 8));
    painter.draw();
    blit(0);
    painter.draw();
    finish();
  }
  blit(1);
  EXPECT_EQ(read(*dst, {}, model.all()), model.bytes);
  EXPECT_EQ(read(*second, {}, other.all()), other.bytes);
}

}  // namespace
}  // namespace aerogpu::test
