// SPDX-License-Identifier: MIT
// Random textures and sampler states against a model written from the Direct3D 9 pages D3DSAMPLERSTATETYPE,
// D3DTEXTUREADDRESS, D3DTEXTUREFILTERTYPE, "texldl" (its algorithm of the reference device) and D3DFORMAT.
// AEROGPU_ORACLE_SEED and AEROGPU_ORACLE_COUNT choose other textures than the first few.
#include <algorithm>
#include <cmath>
#include <random>
#include <sstream>

#include "renderer/test/seeds.h"
#include "renderer/vulkan/test/draw_fixture.h"

namespace aerogpu::test {
namespace {

using Color = std::array<double, 4>;  // RGBA, 0 to 1

constexpr uint32_t kSide = 16;

struct Format {
  aerogpu_format format;
  uint32_t bytes;
  bool opaque, srgb, hasSrgb;
};
constexpr Format kFormats[] = {{AEROGPU_FORMAT_B8G8R8A8_UNORM, 4, false, false, true},
                               {AEROGPU_FORMAT_R8G8B8A8_UNORM, 4, false, false, true},
                               {AEROGPU_FORMAT_B8G8R8X8_UNORM, 4, true, false, true},
                               {AEROGPU_FORMAT_R8G8B8X8_UNORM, 4, true, false, true},
                               {AEROGPU_FORMAT_B8G8R8A8_UNORM_SRGB, 4, false, true, true},
                               {AEROGPU_FORMAT_R8G8B8X8_UNORM_SRGB, 4, true, true, true},
                               {AEROGPU_FORMAT_B5G6R5_UNORM, 2, true, false, false},
                               {AEROGPU_FORMAT_B5G5R5A1_UNORM, 2, false, false, false}};

enum class Load { Plain, Bias, Level, Project };

struct Sampling {
  Format format;
  uint32_t width, height, mips;
  std::vector<std::vector<Color>> levels;  ///< as the shader reads a texel
  Bytes bytes;
  uint32_t addressU, addressV, mag, min, mip, maxLevel, border;
  bool srgb;
  float bias;  ///< D3DSAMP_MIPMAPLODBIAS
  Load load;
  float shaderW;  ///< fourth component of the coordinate
  double u0, v0;  ///< coordinate of the upper left corner
  double du, dv;  ///< a pixel further
  double level;   ///< of detail, without MAXMIPLEVEL
};

double srgbDecoded(double s) {
  return s <= 0.04045 ? s / 12.92 : std::pow((s + 0.055) / 1.055, 2.4);
}

Color texelOf(const Format& f, const uint8_t* p, bool decode) {
  Color c;
  if (f.bytes == 2) {
    const uint32_t word = p[0] | p[1] << 8;
    if (f.format == AEROGPU_FORMAT_B5G6R5_UNORM)
      c = {(word >> 11) / 31.0, (word >> 5 & 63) / 63.0, (word & 31) / 31.0, 1};
    else
      c = {(word >> 10 & 31) / 31.0, (word >> 5 & 31) / 31.0, (word & 31) / 31.0,
           static_cast<double>(word >> 15)};
    return c;
  }
  const bool rgba = f.format == AEROGPU_FORMAT_R8G8B8A8_UNORM || f.format == AEROGPU_FORMAT_R8G8B8X8_UNORM ||
                    f.format == AEROGPU_FORMAT_R8G8B8X8_UNORM_SRGB;
  for (size_t i = 0; i < 4; ++i) c[i] = p[i] / 255.0;
  if (!rgba) std::swap(c[0], c[2]);
  if (f.opaque) c[3] = 1;
  if (decode)
    for (size_t i = 0; i < 3; ++i) c[i] = srgbDecoded(c[i]);
  return c;
}

/// Texel `i` of a row of `size`, or -1 for the border.
int addressed(uint32_t mode, int i, int size) {
  const auto modulo = [](int a, int b) { return ((a % b) + b) % b; };
  switch (mode) {
    case 1:
      return modulo(i, size);
    case 2: {
      const int m = modulo(i, 2 * size);
      return m < size ? m : 2 * size - 1 - m;
    }
    case 3:
      return std::clamp(i, 0, size - 1);
    case 4:
      return i < 0 || i >= size ? -1 : i;
    default:
      return std::min(i < 0 ? -1 - i : i, size - 1);
  }
}

class SamplerOracle : public GpuTest {
protected:
  struct Result {
    Color color{};
    bool told = true;  ///< false: implementations may differ
    bool border = false;
    double tolerance = 1.01 / 255;
  };

  static Color at(const Sampling& s, uint32_t level, int x, int y, Result& r) {
    const int w = static_cast<int>(std::max(s.width >> level, 1u)),
              h = static_cast<int>(std::max(s.height >> level, 1u));
    const int i = addressed(s.addressU, x, w), j = addressed(s.addressV, y, h);
    if (i >= 0 && j >= 0) return s.levels[level][static_cast<size_t>(j * w + i)];
    r.border = true;
    const auto channel = [&](uint32_t shift) { return (s.border >> shift & 0xFF) / 255.0; };
    return {channel(16), channel(8), channel(0), channel(24)};
  }

  static Color lookUp(const Sampling& s, uint32_t level, uint32_t filter, double u, double v, Result& r) {
    const double x = u * std::max(s.width >> level, 1u), y = v * std::max(s.height >> level, 1u);
    if (filter == 1) {
      for (const double t : {x, y}) r.told &= std::fabs(t - std::nearbyint(t)) > 0.01;
      return at(s, level, static_cast<int>(std::floor(x)), static_cast<int>(std::floor(y)), r);
    }
    const double fx = x - 0.5 - std::floor(x - 0.5), fy = y - 0.5 - std::floor(y - 0.5);
    const int i = static_cast<int>(std::floor(x - 0.5)), j = static_cast<int>(std::floor(y - 0.5));
    const Color t[4] = {at(s, level, i, j, r), at(s, level, i + 1, j, r), at(s, level, i, j + 1, r),
                        at(s, level, i + 1, j + 1, r)};
    Color out;
    for (size_t k = 0; k < 4; ++k)
      out[k] = (t[0][k] * (1 - fx) + t[1][k] * fx) * (1 - fy) + (t[2][k] * (1 - fx) + t[3][k] * fx) * fy;
    r.tolerance = std::max(r.tolerance, 3.5 / 255);  // weights have eight bits
    return out;
  }

  static Result model(const Sampling& s, uint32_t px, uint32_t py) {
    Result r;
    const double u = s.u0 + s.du * (px + 0.5), v = s.v0 + s.dv * (py + 0.5);
    const uint32_t last = s.mips - 1;
    const uint32_t filter = s.level <= 0 ? s.mag : s.min;
    const double level =
        std::clamp(std::max(s.level, static_cast<double>(s.maxLevel)), 0.0, static_cast<double>(last));
    const auto finest = std::min(s.maxLevel, last);
    if (s.mip == 0) {
      r.color = lookUp(s, finest, filter, u, v, r);
    } else if (s.mip == 1) {
      r.told &= std::fabs(level - std::floor(level) - 0.5) > 0.1;
      r.color = lookUp(s, static_cast<uint32_t>(std::lround(level)), filter, u, v, r);
    } else {
      const auto below = static_cast<uint32_t>(std::floor(level)), above = std::min(below + 1, last);
      const double f = level - below;
      const Color a = lookUp(s, below, filter, u, v, r), b = f > 0 ? lookUp(s, above, filter, u, v, r) : a;
      for (size_t k = 0; k < 4; ++k) r.color[k] = a[k] * (1 - f) + b[k] * f;
      r.tolerance = std::max(r.tolerance, 8.0 / 255);  // the level itself is an approximation
    }
    return r;
  }

  static Sampling make(std::mt19937& random) {
    const auto below = [&](uint32_t n) { return static_cast<uint32_t>(random() % n); };
    const auto chance = [&](uint32_t percent) { return below(100) < percent; };
    Sampling s{};
    s.format = kFormats[deviceIsBare() ? below(7) : below(std::size(kFormats))];
    const bool squares = chance(60);
    s.width = squares ? 1u << below(5) : 1 + below(20);
    s.height = squares ? 1u << below(5) : 1 + below(20);
    uint32_t full = 1;
    while (std::max(s.width, s.height) >> full) ++full;
    s.mips = chance(60) ? full : 1 + below(full);
    s.srgb = chance(25);
    for (uint32_t level = 0; level < s.mips; ++level) {
      const uint32_t texels = std::max(s.width >> level, 1u) * std::max(s.height >> level, 1u);
      s.levels.emplace_back();
      for (uint32_t i = 0; i < texels; ++i) {
        uint8_t texel[4];
        for (uint8_t& b : texel) b = static_cast<uint8_t>(random());
        s.levels.back().push_back(texelOf(s.format, texel, s.format.srgb || (s.srgb && s.format.hasSrgb)));
        s.bytes.insert(s.bytes.end(), texel, texel + s.format.bytes);
      }
    }
    const uint32_t addresses = deviceLacks("VK_EXT_custom_border_color") ? 3 : 5;
    s.addressU = 1 + below(addresses);
    s.addressV = 1 + below(addresses);
    s.mag = 1 + below(2);
    s.min = chance(60) ? s.mag : 1 + below(2);
    s.mip = below(3);
    s.maxLevel = chance(60) ? 0 : below(4);
    constexpr uint32_t kBorders[] = {0, 0xFF000000, 0xFFFFFFFF, 0x40FF8000, 0x9020C0F0};
    s.border = kBorders[below(5)];
    // Levels of detail: whole ones if the nearest level is taken, else quarters.
    const float step = s.mip == 2 ? 0.25f : 1.0f;
    const auto steps = [&](int from, uint32_t count) {
      return static_cast<float>(from + static_cast<int>(below(count))) * step;
    };
    s.bias = chance(50) ? 0 : steps(-2, 6);
    if (deviceIsBare()) s.bias = std::min(s.bias, 2.0f);  // the least maxSamplerLodBias
    s.load = static_cast<Load>(below(4));
    s.shaderW = s.load == Load::Bias      ? steps(-2, 5)
                : s.load == Load::Level   ? steps(-1, 6)
                : s.load == Load::Project ? 2
                                          : 1;
    const int kx = static_cast<int>(below(6)) - 3, ky = static_cast<int>(below(6)) - 3;
    s.du = std::ldexp(1.0, kx) / s.width;
    s.dv = std::ldexp(1.0, ky) / s.height;
    s.u0 = std::round((static_cast<double>(below(4096)) / 4096 * 3 - 2) * 1024) / 1024 + 0.13 / s.width;
    s.v0 = std::round((static_cast<double>(below(4096)) / 4096 * 3 - 2) * 1024) / 1024 + 0.13 / s.height;
    s.level = (s.load == Load::Level ? s.shaderW : std::max(kx, ky)) + s.bias +
              (s.load == Load::Bias ? s.shaderW : 0);
    return s;
  }

  static std::string text(const Sampling& s) {
    std::ostringstream o;
    o << "format " << s.format.format << " " << s.width << "x" << s.height << " mips " << s.mips
      << " address " << s.addressU << " " << s.addressV << " filters " << s.mag << " " << s.min << " "
      << s.mip << " finest " << s.maxLevel << " border " << std::hex << s.border << std::dec << " srgb "
      << s.srgb << " bias " << s.bias << " load " << static_cast<int>(s.load) << " w " << s.shaderW
      << " from " << s.u0 << "," << s.v0 << " step " << s.du << "," << s.dv << " level " << s.level;
    return o.str();
  }

  void compareOne(uint32_t seed) {
    std::mt19937 random(seed);
    const Sampling s = make(random);
    if (s.mag != s.min && std::fabs(s.level) < 0.1) return;  // either filter is right
    // With a finest level Vulkan filters magnified textures as if they were minified (sampler_cache.cpp).
    if (s.mag != s.min && s.maxLevel && s.level <= 0) return;
    static constexpr const char* kLoads[] = {"texld", "texldb", "texldl", "texldp"};
    CommandWriter w;
    const uint32_t out = texture(w, kBgra, kSide, kSide);
    const uint32_t t = texture(w, s.format.format, s.width, s.height, s.mips);
    packets::upload(w, t, 0, s.bytes);
    target(w, out);
    viewport(w, 0, 0, kSide, kSide);
    renderState(w, kCullMode, 1u);
    renderState(w, kZEnable, 0u);
    bindShaders(
        w,
        shader(w,
               "vs_3_0\ndcl_position v0\ndcl_texcoord v1\ndcl_position o0\ndcl_texcoord o1\nmov o0, v0\n"
               "mov o1, v1\n"),
        shader(w, std::string("ps_3_0\ndcl_texcoord v0\ndcl_2d s0\n") + kLoads[static_cast<int>(s.load)] +
                      " r0, v0, s0\nmov oC0, r0\n"));
    layout(w, {{0, 0, 2, 0, 0, 0}, {0, 12, 3, 0, 5, 0}});
    struct TexVertex {
      float x, y, z, u, v, zero, w;
    };
    std::vector<TexVertex> quad;
    const double scale = s.load == Load::Project ? s.shaderW : 1;
    for (const auto& [cx, cy] : {std::pair{0, 0}, {1, 0}, {0, 1}, {0, 1}, {1, 0}, {1, 1}})
      quad.push_back({(cx * 16 - 0.5f) / 8 - 1, 1 - (cy * 16 - 0.5f) / 8, 0.5f,
                      static_cast<float>((s.u0 + s.du * kSide * cx) * scale),
                      static_cast<float>((s.v0 + s.dv * kSide * cy) * scale), 0, s.shaderW});
    stream(w, 0, vertexBuffer(w, quad), sizeof(TexVertex));
    topology(w, AEROGPU_TOPOLOGY_TRIANGLELIST);
    const std::pair<uint32_t, uint32_t> states[] = {{kAddressU, s.addressU},
                                                    {kAddressV, s.addressV},
                                                    {kBorderColor, s.border},
                                                    {kMagFilter, s.mag},
                                                    {kMinFilter, s.min},
                                                    {kMipFilter, s.mip},
                                                    {kMaxMipLevel, s.maxLevel},
                                                    {kSrgbTexture, uint32_t{s.srgb}},
                                                    {kMipMapLodBias, std::bit_cast<uint32_t>(s.bias)}};
    for (const auto& [state, value] : states) samplerState(w, 0, state, value);
    setTexture(w, 0, t);
    draw(w, 6);
    run(w);
    const Bytes got = read(out, kBgra, kSide, kSide);
    for (uint32_t y = 0; y < kSide && !HasFailure(); ++y)
      for (uint32_t x = 0; x < kSide && !HasFailure(); ++x) {
        Result r = model(s, x, y);
        if (s.srgb && s.format.bytes == 2) {  // the shader decodes the filtered color (STATE-20)
          for (size_t i = 0; i < 3; ++i) r.color[i] = srgbDecoded(r.color[i]);
          r.tolerance *= 2.4 / 1.055;  // the curve's slope at 1
        }
        // A border is not decoded, and its alpha without an alpha channel is not specified.
        if (!r.told || (r.border && (s.format.opaque || s.format.srgb || s.srgb))) continue;
        const Pixel p = pixel(got, kSide, x, y);
        const Color value = {p[2] / 255.0, p[1] / 255.0, p[0] / 255.0, p[3] / 255.0};
        for (size_t i = 0; i < 4; ++i)
          EXPECT_NEAR(value[i], r.color[i], r.tolerance)
              << "channel " << i << " of pixel " << x << "," << y << ", texture " << seed << "\n"
              << text(s);
        ++m_compared;
      }
    for (const uint32_t handle : {out, t}) packets::destroyResource(w, handle);
    run(w);
  }
  uint32_t m_compared = 0;
};

TEST_F(SamplerOracle, RandomTextures) {
  uint32_t count = 0;
  forSeeds(60, [&](uint32_t seed) {
    compareOne(seed);
    ++count;
  });
  EXPECT_GT(m_compared, count * 64) << "of 256 a texture";
}

}  // namespace
}  // namespace aerogpu::test
