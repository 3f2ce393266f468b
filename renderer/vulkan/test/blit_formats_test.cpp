// SPDX-License-Identifier: MIT
// Blits between Direct3D 9's formats, of both back ends, against the test's own model: the places of channels
// come from the names on the page D3DFORMAT of the Direct3D 9 reference, the colors of a YUV pair from
// "Recommended 8-Bit YUV Formats for Video Rendering" in the Media Foundation reference by Microsoft.
#include <algorithm>
#include <cmath>
#include <functional>
#include <random>
#include <string_view>

#include "aerogpu/aerogpu_caps.h"
#include "renderer/test/seeds.h"
#include "renderer/vulkan/test/objects_fixture.h"

namespace aerogpu::test {
namespace {

using Color = std::array<double, 4>;

/// A format by its channels from the highest bit down: U, V, W and Q are signed.
struct Layout {
  aerogpu_format format;
  const char* name;
  bool floats = false;
};
constexpr Layout kLayouts[] = {
    {AEROGPU_FORMAT_B8G8R8A8_UNORM, "A8R8G8B8"},
    {AEROGPU_FORMAT_B8G8R8X8_UNORM, "X8R8G8B8"},
    {AEROGPU_FORMAT_R8G8B8A8_UNORM, "A8B8G8R8"},
    {AEROGPU_FORMAT_B5G6R5_UNORM, "R5G6B5"},
    {AEROGPU_FORMAT_B5G5R5A1_UNORM, "A1R5G5B5"},
    {AEROGPU_FORMAT_D3D9_X1R5G5B5, "X1R5G5B5"},
    {AEROGPU_FORMAT_D3D9_A4R4G4B4, "A4R4G4B4"},
    {AEROGPU_FORMAT_D3D9_X4R4G4B4, "X4R4G4B4"},
    {AEROGPU_FORMAT_D3D9_A8, "A8"},
    {AEROGPU_FORMAT_D3D9_A2B10G10R10, "A2B10G10R10"},
    {AEROGPU_FORMAT_D3D9_A2R10G10B10, "A2R10G10B10"},
    {AEROGPU_FORMAT_D3D9_G16R16, "G16R16"},
    {AEROGPU_FORMAT_D3D9_A16B16G16R16, "A16B16G16R16"},
    {AEROGPU_FORMAT_D3D9_L8, "L8"},
    {AEROGPU_FORMAT_D3D9_A8L8, "A8L8"},
    {AEROGPU_FORMAT_D3D9_A4L4, "A4L4"},
    {AEROGPU_FORMAT_D3D9_L16, "L16"},
    {AEROGPU_FORMAT_D3D9_V8U8, "V8U8"},
    {AEROGPU_FORMAT_D3D9_L6V5U5, "L6V5U5"},
    {AEROGPU_FORMAT_D3D9_X8L8V8U8, "X8L8V8U8"},
    {AEROGPU_FORMAT_D3D9_Q8W8V8U8, "Q8W8V8U8"},
    {AEROGPU_FORMAT_D3D9_V16U16, "V16U16"},
    {AEROGPU_FORMAT_D3D9_A2W10V10U10, "A2W10V10U10"},
    {AEROGPU_FORMAT_D3D9_Q16W16V16U16, "Q16W16V16U16"},
    {AEROGPU_FORMAT_D3D9_R32F, "R32", true},
    {AEROGPU_FORMAT_D3D9_G32R32F, "G32R32", true},
    {AEROGPU_FORMAT_D3D9_A32B32G32R32F, "A32B32G32R32", true},
};

/// Channels of a texel, from the lowest bit up.
struct Part {
  char name;
  uint32_t first, bits;
  bool isSigned() const { return std::string_view("UVWQ").find(name) != std::string_view::npos; }
  /// Steps from 0 to 1, or to -1: those of L6V5U5 are smaller below 0 (FMT-16).
  double steps(bool isBelow) const {
    const bool isUneven = isSigned() && bits == 5;
    return std::ldexp(1.0, static_cast<int>(bits) - (isSigned() ? 1 : 0)) - (isUneven && isBelow ? 0 : 1);
  }
};
std::vector<Part> partsOf(const Layout& layout) {
  std::vector<Part> out;
  for (const char* at = layout.name; *at;) {
    const char name = *at++;
    uint32_t bits = 0;
    while (*at >= '0' && *at <= '9') bits = bits * 10 + static_cast<uint32_t>(*at++ - '0');
    out.push_back({name, 0, bits});
  }
  uint32_t first = 0;
  for (auto part = out.rbegin(); part != out.rend(); first += part++->bits) part->first = first;
  return out;
}
uint32_t bytesOf(const Layout& layout) {
  uint32_t bits = 0;
  for (const Part& part : partsOf(layout)) bits += part.bits;
  return bits / 8;
}
/// The color channels that a part stands for.
std::vector<size_t> channelsOf(const Layout& layout, char name) {
  const bool bump = std::string_view(layout.name).find('U') != std::string_view::npos;
  switch (name) {
    case 'R':
    case 'U':
      return {0};
    case 'G':
    case 'V':
      return {1};
    case 'B':
    case 'W':
      return {2};
    case 'A':
    case 'Q':
      return {3};
    case 'L':
      return bump ? std::vector<size_t>{2} : std::vector<size_t>{0, 1, 2};
    default:
      return {};
  }
}
uint64_t bitsOf(const uint8_t* texel, const Part& part) {
  uint64_t out = 0;
  for (uint32_t i = 0; i < part.bits; ++i) {
    const uint32_t bit = part.first + i;
    out |= uint64_t{texel[bit / 8] >> (bit % 8) & 1u} << i;
  }
  return out;
}
/// Returns a part's number, in its steps; of floats, the number.
double numberOf(const Layout& layout, const uint8_t* texel, const Part& part) {
  const uint64_t bits = bitsOf(texel, part);
  if (layout.floats) return std::bit_cast<float>(static_cast<uint32_t>(bits));
  if (!part.isSigned() || !(bits >> (part.bits - 1))) return static_cast<double>(bits);
  return std::max(static_cast<double>(bits) - std::ldexp(1.0, static_cast<int>(part.bits)),
                  -part.steps(true));
}
Color colorOf(const Layout& layout, const uint8_t* texel) {
  Color out{1, 1, 1, 1};
  if (std::string_view(layout.name) == "A8") out = {0, 0, 0, 1};
  for (const Part& part : partsOf(layout))
    for (const size_t c : channelsOf(layout, part.name)) {
      const double number = numberOf(layout, texel, part);
      out[c] = number / (layout.floats ? 1 : part.steps(number < 0));
    }
  return out;
}

/// The page's formulas, with Y from 16 on and U and V around 128.
Color colorOfYuv(uint8_t y, uint8_t u, uint8_t v) {
  const double c = y - 16.0, d = u - 128.0, e = v - 128.0;
  Color out{1.164383 * c + 1.596027 * e, 1.164383 * c - 0.391762 * d - 0.812968 * e,
            1.164383 * c + 2.017232 * d, 255};
  for (double& channel : out) channel = std::clamp(channel / 255, 0.0, 1.0);
  return out;
}

/// Reads a pixel of 4:2:2.
Color colorOfPair(aerogpu_format format, const uint8_t* row, uint32_t x) {
  const bool lumaFirst = format == AEROGPU_FORMAT_D3D9_YUY2;
  const uint8_t* pair = row + size_t{x / 2} * 4;
  return colorOfYuv(pair[(x % 2) * 2 + (lumaFirst ? 0 : 1)], pair[lumaFirst ? 1 : 0],
                    pair[lumaFirst ? 3 : 2]);
}

/// Reads a pixel of 4:2:0 in the page's layout: Y; then for NV12 U and V in one array, for YV12 all of V and
/// all of U.
Color colorInPlanes(aerogpu_format format, const Bytes& picture, uint32_t width, uint32_t height, uint32_t x,
                    uint32_t y) {
  const size_t whole = size_t{width} * height, place = size_t{y / 2} * (width / 2) + x / 2;
  const uint8_t* chroma = &picture[whole];
  const bool together = format == AEROGPU_FORMAT_D3D9_NV12;
  return colorOfYuv(picture[size_t{y} * width + x], together ? chroma[place * 2] : chroma[whole / 4 + place],
                    together ? chroma[place * 2 + 1] : chroma[place]);
}

using Reader = std::function<Color(uint32_t x, uint32_t y)>;

/// BLIT-7: returns the color that texel x, y of a box gets.
Color sampled(const Reader& at, const BlitBox& box, uint32_t x, uint32_t y, BlitFilter filter) {
  const auto place = [](uint32_t i, uint32_t to, uint32_t from, bool mirror) {
    const double along = (i + 0.5) * from / to;
    return mirror ? from - along : along;
  };
  const double u = place(x, box.to.width, box.from.width, box.mirrorX);
  const double v = place(y, box.to.height, box.from.height, box.mirrorY);
  const auto texel = [&](double i, double j) {
    return at(box.from.x + static_cast<uint32_t>(std::clamp(i, 0.0, box.from.width - 1.0)),
              box.from.y + static_cast<uint32_t>(std::clamp(j, 0.0, box.from.height - 1.0)));
  };
  if (filter == BlitFilter::Point) return texel(std::floor(u), std::floor(v));
  const double i = std::floor(u - 0.5), j = std::floor(v - 0.5), a = u - 0.5 - i, b = v - 0.5 - j;
  Color out;
  for (size_t c = 0; c < 4; ++c)
    out[c] = (texel(i, j)[c] * (1 - a) + texel(i + 1, j)[c] * a) * (1 - b) +
             (texel(i, j + 1)[c] * (1 - a) + texel(i + 1, j + 1)[c] * a) * b;
  return out;
}

class BlitFormats : public ObjectsTest {
protected:
  static constexpr uint32_t kWidth = 14, kHeight = 10;

  bool can(aerogpu_format format, uint32_t caps) {
    return (backend().formatCaps(format).caps & caps) == caps;
  }
  std::unique_ptr<GpuTexture> make(aerogpu_format format, const Bytes& bytes, uint32_t height = kHeight) {
    TextureDesc desc = flat(kWidth, height);
    desc.format = format;
    auto made = texture(desc);
    const uint64_t row = bytes.size() / height;
    if (made) write(*made, {}, {0, 0, 0, kWidth, height}, {row, bytes.size()}, bytes);
    return made;
  }
  /// Makes bytes of a picture; floats are from -0.5 to 1.5.
  static Bytes random(const Layout& layout, std::mt19937& rng) {
    Bytes out(size_t{kWidth} * kHeight * bytesOf(layout));
    for (uint8_t& byte : out) byte = static_cast<uint8_t>(rng());
    for (size_t i = 0; layout.floats && i < out.size(); i += 4) {
      const float value = static_cast<float>(rng() % 4096) / 2048 - 0.5f;
      std::memcpy(&out[i], &value, 4);
    }
    return out;
  }
  static BlitBox randomBox(std::mt19937& rng) {
    const auto side = [&](uint32_t all) {
      const uint32_t size = 1 + rng() % all;
      return std::pair{static_cast<uint32_t>(rng() % (all - size + 1)), size};
    };
    const auto box = [&] {
      const auto [x, width] = side(kWidth);
      const auto [y, height] = side(kHeight);
      return Box{x, y, 0, width, height};
    };
    return {box(), box(), rng() % 2 == 1, rng() % 2 == 1};
  }
  /// Compares every texel of `got` with the model. Texels of the box for which `keeps` returns true, and
  /// texels outside, must be unchanged.
  void expectPicture(const Layout& to, const Bytes& before, const Bytes& got, const BlitBox& box,
                     BlitFilter filter, const Reader& at,
                     const std::function<bool(uint32_t, uint32_t)>& keeps = {}) {
    ASSERT_EQ(got.size(), before.size());
    int failures = 0;
    for (uint32_t y = 0; y < kHeight; ++y)
      for (uint32_t x = 0; x < kWidth; ++x) {
        const size_t offset = (size_t{y} * kWidth + x) * bytesOf(to);
        const uint32_t i = x - box.to.x, j = y - box.to.y;
        const bool inside = i < box.to.width && j < box.to.height;
        if (!inside || (keeps && keeps(i, j))) {
          const bool same = std::equal(&got[offset], &got[offset] + bytesOf(to), &before[offset]);
          EXPECT_TRUE(same) << "written at " << x << ", " << y;
          if (!same && ++failures > 4) return;
          continue;
        }
        const Color want = sampled(at, box, i, j, filter);
        for (const Part& part : partsOf(to)) {
          const auto channels = channelsOf(to, part.name);
          if (channels.empty()) continue;
          const double value = want[channels[0]], number = numberOf(to, &got[offset], part);
          // Texels of mixed formats are held in 16 signed bits, to nearest.
          const double held = isNull() ? 0 : 0.5 / 32767;
          double wanted = value, off = std::abs(value) * 1e-5 + 1e-6 + held;
          if (!to.floats) {
            const double steps = part.steps(value < 0);
            wanted = std::clamp(value, part.isSigned() ? -1.0 : 0.0, 1.0) * steps;
            // Vulkan wants one of the two nearest numbers ("Conversion From Floating-Point to Normalized
            // Fixed-Point"); lavapipe truncates some. The renderer's own rounding gives the nearest.
            off = 0.5 + 1e-2 + (filter == BlitFilter::Linear ? 0.1 : 0);
            if (!isNull()) off += 0.49 + steps * held;
          }
          if (std::abs(number - wanted) <= off) continue;
          if (++failures > 4) return;
          ADD_FAILURE() << "channel " << part.name << " at " << x << ", " << y << " is " << number << ", not "
                        << wanted << " in " << to.name;
        }
      }
  }
  static constexpr Box kAll{0, 0, 0, kWidth, kHeight};
};
INSTANTIATE_TEST_SUITE_P(Backends, BlitFormats, ::testing::Values("vulkan", "null"),
                         [](const auto& info) { return std::string(info.param); });

// BLIT-8, FMT-18
TEST_P(BlitFormats, EachFormatFromSomeOthersAsTheirNamesSay) {
  std::mt19937 rng(oracleSeed(7));
  constexpr uint32_t kSource = AEROGPU_FORMAT_CAP_BLIT_SRC, kDestination = AEROGPU_FORMAT_CAP_BLIT_DST;
  for (const Layout& to : kLayouts) {
    for (int round = 0; round < 4; ++round) {
      const Layout& from = kLayouts[rng() % std::size(kLayouts)];
      if (!can(from.format, kSource) || from.format == to.format) continue;
      SCOPED_TRACE(::testing::Message() << from.name << " to " << to.name << ", round " << round);
      BlitArgs args;
      args.filter = round % 2 ? BlitFilter::Linear : BlitFilter::Point;
      const Bytes source = random(from, rng), before = random(to, rng);
      const BlitBox box = randomBox(rng);
      auto src = make(from.format, source);
      if (!can(to.format, AEROGPU_FORMAT_CAP_SAMPLE)) continue;
      auto dst = make(to.format, before);
      ASSERT_TRUE(src && dst);
      const auto done = dst->blit({}, *src, {}, {&box, 1}, args);
      if (!can(to.format, kDestination)) {
        ASSERT_FALSE(done);
        EXPECT_EQ(done.error().code, ErrorCode::Backend);
        EXPECT_EQ(read(*dst, {}, kAll), before);
        continue;
      }
      ASSERT_TRUE(done) << done.error().what;
      const auto at = [&](uint32_t x, uint32_t y) {
        return colorOf(from, &source[(size_t{y} * kWidth + x) * bytesOf(from)]);
      };
      expectPicture(to, before, read(*dst, {}, kAll), box, args.filter, at);
    }
  }
  // Every GPU has targets of one and of two bytes.
  for (const aerogpu_format format :
       {AEROGPU_FORMAT_D3D9_L8, AEROGPU_FORMAT_D3D9_A8, AEROGPU_FORMAT_D3D9_A8L8, AEROGPU_FORMAT_D3D9_A4L4})
    EXPECT_TRUE(can(format, kDestination | AEROGPU_FORMAT_CAP_AUTO_MIPS)) << findFormat(format)->name;
}

// BLIT-15
TEST_P(BlitFormats, YuvPairsBecomeColors) {
  std::mt19937 rng(oracleSeed(8));
  const Layout* targets[] = {&kLayouts[0], &kLayouts[3], &kLayouts[13]};  // A8R8G8B8, R5G6B5, L8
  for (const aerogpu_format format : {AEROGPU_FORMAT_D3D9_YUY2, AEROGPU_FORMAT_D3D9_UYVY}) {
    ASSERT_EQ(backend().formatCaps(format).caps, uint32_t{AEROGPU_FORMAT_CAP_BLIT_SRC});
    for (int round = 0; round < 24; ++round) {
      SCOPED_TRACE(::testing::Message() << findFormat(format)->name << ", round " << round);
      Bytes source(size_t{kWidth} * kHeight * 2);
      for (uint8_t& byte : source) byte = static_cast<uint8_t>(rng());
      BlitArgs args;
      args.filter = round % 2 ? BlitFilter::Linear : BlitFilter::Point;
      BlitBox box = randomBox(rng);
      if (round < 4) box.to = box.from = kAll;
      const Layout& to = *targets[round % 3];
      const Bytes before = random(to, rng);
      auto src = make(format, source), dst = make(to.format, before);
      ASSERT_TRUE(src && dst);
      const auto done = dst->blit({}, *src, {}, {&box, 1}, args);
      ASSERT_TRUE(done) << done.error().what;
      const auto at = [&](uint32_t x, uint32_t y) {
        return colorOfPair(format, &source[size_t{y} * kWidth * 2], x);
      };
      expectPicture(to, before, read(*dst, {}, kAll), box, args.filter, at);
    }
  }
}

// FMT-14: its bytes are kept and copied, boxes of odd columns too; it has no other use.
TEST_P(BlitFormats, YuvIsOnlyASource) {
  const Bytes a = pattern(size_t{kWidth} * kHeight * 2, 1), b = pattern(a.size(), 2),
              colors = pattern(a.size() * 2, 3);
  auto src = make(AEROGPU_FORMAT_D3D9_YUY2, a), dst = make(AEROGPU_FORMAT_D3D9_YUY2, b),
       other = make(AEROGPU_FORMAT_D3D9_UYVY, b), rgb = make(kBgra, colors);
  ASSERT_TRUE(src && dst && other && rgb);
  const BlitBox odd{{3, 1, 0, 5, 4}, {2, 5, 0, 5, 4}}, scaled{{0, 0, 0, 8, 8}, {0, 0, 0, 4, 4}};
  ASSERT_TRUE(dst->blit({}, *src, {}, {&odd, 1}, {}));
  Bytes want = b;
  for (size_t y = 0; y < 4; ++y)
    std::copy_n(&a[((5 + y) * kWidth + 2) * 2], 10, &want[((1 + y) * kWidth + 3) * 2]);
  EXPECT_EQ(read(*dst, {}, kAll), want);
  const auto code = [](const Result<void>& done) { return done ? ErrorCode::None : done.error().code; };
  EXPECT_EQ(code(dst->blit({}, *src, {}, {&scaled, 1}, {})), ErrorCode::CmdDecode);
  EXPECT_EQ(code(other->blit({}, *src, {}, {&odd, 1}, {})), ErrorCode::CmdDecode);
  EXPECT_EQ(code(dst->blit({}, *rgb, {}, {&odd, 1}, {})), ErrorCode::CmdDecode);
  ClearArgs color;
  color.color = true;
  EXPECT_EQ(code(dst->fill({}, {}, color)), ErrorCode::CmdDecode);
  EXPECT_EQ(read(*dst, {}, kAll), want);
}

// BLIT-15, FMT-15
TEST_P(BlitFormats, PlanesBecomeColors) {
  std::mt19937 rng(oracleSeed(10));
  const Layout* targets[] = {&kLayouts[0], &kLayouts[3], &kLayouts[13]};  // A8R8G8B8, R5G6B5, L8
  for (const aerogpu_format format : {AEROGPU_FORMAT_D3D9_NV12, AEROGPU_FORMAT_D3D9_YV12}) {
    ASSERT_EQ(backend().formatCaps(format).caps, uint32_t{AEROGPU_FORMAT_CAP_BLIT_SRC});
    for (int round = 0; round < 24; ++round) {
      SCOPED_TRACE(::testing::Message() << findFormat(format)->name << ", round " << round);
      Bytes source(size_t{kWidth} * kHeight * 3 / 2);
      for (uint8_t& byte : source) byte = static_cast<uint8_t>(rng());
      BlitArgs args;
      args.filter = round % 2 ? BlitFilter::Linear : BlitFilter::Point;
      BlitBox box = randomBox(rng);
      if (round < 4) box.to = box.from = kAll;
      const Layout& to = *targets[round % 3];
      const Bytes before = random(to, rng);
      auto src = make(format, source, kHeight * 3 / 2), dst = make(to.format, before);
      ASSERT_TRUE(src && dst);
      const auto done = dst->blit({}, *src, {}, {&box, 1}, args);
      ASSERT_TRUE(done) << done.error().what;
      const auto at = [&](uint32_t x, uint32_t y) {
        return colorInPlanes(format, source, kWidth, kHeight, x, y);
      };
      expectPicture(to, before, read(*dst, {}, kAll), box, args.filter, at);
    }
  }
}

// BLIT-17
TEST_P(BlitFormats, RectanglesOfPlanesLieInThePictureWhereTheyBecomeColors) {
  constexpr uint32_t kRows = kHeight * 3 / 2;
  constexpr Box kTexture{0, 0, 0, kWidth, kRows};
  const auto code = [](const Result<void>& done) { return done ? ErrorCode::None : done.error().code; };
  for (const aerogpu_format format : {AEROGPU_FORMAT_D3D9_NV12, AEROGPU_FORMAT_D3D9_YV12}) {
    SCOPED_TRACE(findFormat(format)->name);
    const Bytes a = pattern(size_t{kWidth} * kRows, 1), b = pattern(a.size(), 2);
    auto src = make(format, a, kRows), dst = make(format, b, kRows),
         rgb = make(kBgra, pattern(size_t{kWidth} * kHeight * 4, 3));
    ASSERT_TRUE(src && dst && rgb);
    const BlitBox below{{0, 0, 0, 4, 1}, {0, kHeight, 0, 4, 1}}, all{kTexture, kTexture},
        scaled{{0, 0, 0, 4, 4}, {0, 0, 0, 8, 8}};
    EXPECT_EQ(code(rgb->blit({}, *src, {}, {&below, 1}, {})), ErrorCode::OutOfBounds);
    EXPECT_EQ(code(dst->blit({}, *src, {}, {&scaled, 1}, {})), ErrorCode::CmdDecode);
    EXPECT_EQ(code(dst->blit({}, *rgb, {}, {&below, 1}, {})), ErrorCode::OutOfBounds)
        << "rgb has no such row";
    EXPECT_EQ(read(*dst, {}, kTexture), b);
    ASSERT_TRUE(dst->blit({}, *src, {}, {&below, 1}, {}));
    Bytes want = b;
    std::copy_n(&a[size_t{kHeight} * kWidth], 4, want.begin());
    EXPECT_EQ(read(*dst, {}, kTexture), want);
    ASSERT_TRUE(dst->blit({}, *src, {}, {&all, 1}, {}));
    EXPECT_EQ(read(*dst, {}, kTexture), a);
  }
}

// BLIT-16
TEST_P(BlitFormats, OnlyTheTargetsColorKeyIsWritten) {
  std::mt19937 rng(oracleSeed(11));
  constexpr uint32_t kDestination = AEROGPU_FORMAT_CAP_BLIT_DST;
  for (const Layout& to : kLayouts) {
    const auto parts = partsOf(to);
    const bool signs = std::any_of(parts.begin(), parts.end(), [](const Part& p) { return p.isSigned(); });
    if (!can(to.format, kDestination)) continue;
    SCOPED_TRACE(to.name);
    const uint32_t bytes = bytesOf(to);
    // Texels of four kinds; two of these differ only in one step of one channel, and in bits of no channel.
    uint32_t kinds[4] = {static_cast<uint32_t>(rng()), 0, static_cast<uint32_t>(rng()), 0};
    kinds[1] = kinds[0] ^ 1u << parts.back().first;
    uint32_t channels = 0;
    for (const Part& part : parts)
      if (!channelsOf(to, part.name).empty() && part.bits < 32)
        channels |= ((1u << part.bits) - 1) << (part.first & 31);
    kinds[3] = kinds[0] ^ ~channels;
    const Layout& from = kLayouts[0];
    for (int round = 0; round < 6; ++round) {
      const Bytes source = random(from, rng);
      Bytes before(size_t{kWidth} * kHeight * bytes);
      for (size_t i = 0; i < before.size(); i += bytes)
        std::memcpy(&before[i], &kinds[rng() % 4], std::min(bytes, 4u));
      auto src = make(from.format, source), dst = make(to.format, before);
      ASSERT_TRUE(src && dst);
      BlitBox box = randomBox(rng);
      if (round == 0) box.to = box.from = kAll;
      BlitArgs args;
      args.filter = round % 2 ? BlitFilter::Linear : BlitFilter::Point;
      args.targetKey = kinds[round == 2 ? 3 : 0];
      const auto done = dst->blit({}, *src, {}, {&box, 1}, args);
      if (signs || to.floats || bytes > 4) {
        ASSERT_FALSE(done);
        EXPECT_EQ(done.error().code, ErrorCode::CmdDecode);
        EXPECT_EQ(read(*dst, {}, kAll), before);
        continue;
      }
      ASSERT_TRUE(done) << done.error().what;
      const auto at = [&](uint32_t x, uint32_t y) {
        return colorOf(from, &source[(size_t{y} * kWidth + x) * 4]);
      };
      const auto keeps = [&](uint32_t x, uint32_t y) {
        uint32_t texel = 0;
        std::memcpy(&texel, &before[(size_t{box.to.y + y} * kWidth + box.to.x + x) * bytes], bytes);
        return ((texel ^ *args.targetKey) & channels) != 0;
      };
      expectPicture(to, before, read(*dst, {}, kAll), box, args.filter, at, keeps);
    }
  }
}

// BLIT-5, BLIT-16: a rectangle sees the results of earlier ones; within one texture too. Both keys are equal.
TEST_P(BlitFormats, TheTargetsKeyIsLookedForWhenARectanglesTurnComes) {
  const auto texels = [](std::initializer_list<uint32_t> words) {
    Bytes out(size_t{kWidth} * kHeight * 4);
    std::memcpy(out.data(), words.begin(), words.size() * 4);
    return out;
  };
  constexpr uint32_t kKey = 0xFF0000FF, kA = 0xFF112233, kB = 0xFF445566;
  const auto word = [&](GpuTexture& from, uint32_t x) {
    const Bytes all = read(from, {}, kAll);
    uint32_t out = 0;
    std::memcpy(&out, &all[size_t{x} * 4], 4);
    return out;
  };
  BlitArgs args;
  args.targetKey = kKey;
  const auto box = [](uint32_t to, uint32_t from) { return BlitBox{{to, 0, 0, 1, 1}, {from, 0, 0, 1, 1}}; };
  {
    auto src = make(kBgra, texels({kKey, kA, kB})), dst = make(kBgra, texels({kKey, kB}));
    ASSERT_TRUE(src && dst);
    // Writes the key over the key, then A, then B, which finds no key; the second texel never was the key.
    const BlitBox boxes[] = {box(0, 0), box(0, 1), box(0, 2), box(1, 1)};
    ASSERT_TRUE(dst->blit({}, *src, {}, boxes, args));
    EXPECT_EQ(word(*dst, 0), kA);
    EXPECT_EQ(word(*dst, 1), kB);
  }
  {
    auto both = make(kBgra, texels({kA, kKey, kKey, kB}));
    ASSERT_TRUE(both);
    const BlitBox boxes[] = {box(1, 0), box(2, 1), box(3, 0)};
    ASSERT_TRUE(both->blit({}, *both, {}, boxes, args));
    EXPECT_EQ(word(*both, 1), kA);
    EXPECT_EQ(word(*both, 2), kA) << "what the rectangle before wrote";
    EXPECT_EQ(word(*both, 3), kB);
  }
  auto src = make(kBgra, texels({kKey, kA})), dst = make(AEROGPU_FORMAT_R8G8B8A8_UNORM, texels({kKey, kKey}));
  ASSERT_TRUE(src && dst);
  args.colorKey = kKey;
  const BlitBox boxes[] = {box(0, 0), box(1, 1)};
  ASSERT_TRUE(dst->blit({}, *src, {}, boxes, args));
  EXPECT_EQ(word(*dst, 0), kKey) << "the source's key stays away";
  EXPECT_EQ(word(*dst, 1), 0xFF332211u);
}

// BLIT-18
TEST_P(BlitFormats, TexelsOfTheColorKeyStayAway) {
  std::mt19937 rng(oracleSeed(9));
  for (const Layout& from : kLayouts) {
    const auto parts = partsOf(from);
    const bool signs = std::any_of(parts.begin(), parts.end(), [](const Part& p) { return p.isSigned(); });
    if (!can(from.format, AEROGPU_FORMAT_CAP_BLIT_SRC)) continue;
    SCOPED_TRACE(from.name);
    const uint32_t bytes = bytesOf(from);
    // Texels of four kinds; two of these differ only in one step of one channel, and in bits of no channel.
    uint32_t kinds[4] = {static_cast<uint32_t>(rng()), 0, static_cast<uint32_t>(rng()), 0};
    const Part& last = parts.back();
    kinds[1] = kinds[0] ^ 1u << last.first;
    uint32_t channels = 0;
    for (const Part& part : parts)
      if (!channelsOf(from, part.name).empty() && part.bits < 32)
        channels |= ((1u << part.bits) - 1) << (part.first & 31);
    kinds[3] = kinds[0] ^ ~channels;
    Bytes source(size_t{kWidth} * kHeight * bytes);
    for (size_t i = 0; i < source.size(); i += bytes)
      std::memcpy(&source[i], &kinds[rng() % 4], std::min(bytes, 4u));
    const bool srgb = from.format == kBgra;
    for (int round = 0; round < 4; ++round) {
      const Layout& to = kLayouts[0];
      const Bytes before = random(to, rng);
      auto src = make(from.format, source), dst = make(to.format, before);
      ASSERT_TRUE(src && dst);
      BlitBox box = randomBox(rng);
      if (round == 0) box.to = box.from = kAll;
      BlitArgs args;
      args.colorKey = kinds[round == 2 ? 3 : 0];
      args.decodeSrgb = args.encodeSrgb = srgb && round == 3;
      const auto done = dst->blit({}, *src, {}, {&box, 1}, args);
      if (signs || from.floats || bytes > 4) {
        ASSERT_FALSE(done);
        EXPECT_EQ(done.error().code, ErrorCode::CmdDecode);
        continue;
      }
      ASSERT_TRUE(done) << done.error().what;
      const auto at = [&](uint32_t x, uint32_t y) {
        return colorOf(from, &source[(size_t{y} * kWidth + x) * bytes]);
      };
      const auto isKey = [&](uint32_t x, uint32_t y) {
        const auto texelOf = [&](uint32_t i, uint32_t size, uint32_t all, bool mirror) {
          const uint32_t k = mirror ? size - 1 - i : i;
          return (2 * k + 1) * all / (2 * size);
        };
        const uint32_t u = texelOf(x, box.to.width, box.from.width, box.mirrorX),
                       v = texelOf(y, box.to.height, box.from.height, box.mirrorY);
        uint32_t texel = 0;
        std::memcpy(&texel, &source[(size_t{box.from.y + v} * kWidth + box.from.x + u) * bytes],
                    std::min(bytes, 4u));
        return ((texel ^ *args.colorKey) & channels) == 0;
      };
      if (args.decodeSrgb) {  // off by a step on some GPUs, so only kept texels count
        const Bytes got = read(*dst, {}, kAll);
        for (uint32_t y = 0; y < box.to.height; ++y)
          for (uint32_t x = 0; x < box.to.width; ++x) {
            const size_t offset = ((size_t{box.to.y} + y) * kWidth + box.to.x + x) * 4;
            const bool kept = std::equal(&got[offset], &got[offset] + 4, &before[offset]);
            EXPECT_EQ(kept, isKey(x, y)) << x << ", " << y;
          }
        continue;
      }
      expectPicture(to, before, read(*dst, {}, kAll), box, BlitFilter::Point, at, isKey);
    }
    if (signs || from.floats || bytes > 4) continue;
    auto src = make(from.format, source), dst = make(kBgra, random(kLayouts[0], rng));
    ASSERT_TRUE(src && dst);
    BlitArgs weighed;
    weighed.colorKey = 0;
    weighed.filter = BlitFilter::Linear;
    const BlitBox box{kAll, kAll};
    const auto refused = dst->blit({}, *src, {}, {&box, 1}, weighed);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, ErrorCode::CmdDecode);
  }
}

}  // namespace
}  // namespace aerogpu::test
