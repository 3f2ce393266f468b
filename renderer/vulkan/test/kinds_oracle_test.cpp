// SPDX-License-Identifier: MIT
// Random volumes, cubes and multisampled targets against models written from the Direct3D 9 pages
// D3DTEXTUREADDRESS, "Cubic Environment Mapping", D3DCUBEMAP_FACES, D3DRENDERSTATETYPE (MULTISAMPLEMASK), and
// the standard sample locations (Vulkan 1.3, "Multisampling"; D3D11_STANDARD_MULTISAMPLE_PATTERN).
// AEROGPU_ORACLE_SEED and AEROGPU_ORACLE_COUNT choose others than the first few.
#include <algorithm>
#include <cmath>
#include <random>

#include "renderer/test/seeds.h"
#include "renderer/vulkan/test/float_target.h"

namespace aerogpu::test {
namespace {

constexpr auto kBgra8 = AEROGPU_FORMAT_B8G8R8A8_UNORM;

Color colorOf(const uint8_t* bgra) {
  return {bgra[2] / 255.0, bgra[1] / 255.0, bgra[0] / 255.0, bgra[3] / 255.0};
}

/// Texel `i` of a row of `size`.
int addressed(uint32_t mode, int i, int size) {
  const auto modulo = [](int a, int b) { return ((a % b) + b) % b; };
  if (mode == 1) return modulo(i, size);
  if (mode == 2) {
    const int m = modulo(i, 2 * size);
    return m < size ? m : 2 * size - 1 - m;
  }
  return std::clamp(i, 0, size - 1);
}

class KindsOracle : public FloatTargetTest {
protected:
  /// Calls `one` with each seed in the test's share.
  template <class One>
  void seeds(uint32_t count, One one) {
    forSeeds(count, [&](uint32_t seed) {
      std::mt19937 random(seed);
      one(random);
    });
  }
  void volume(std::mt19937& random);
  void cube(std::mt19937& random);
  void samples(std::mt19937& random);
};

void KindsOracle::volume(std::mt19937& random) {
  const auto below = [&](uint32_t n) { return static_cast<uint32_t>(random() % n); };
  const uint32_t size[3] = {1 + below(8), 1 + below(8), 1 + below(8)};
  uint32_t full = 1;
  while (std::max({size[0], size[1], size[2]}) >> full) ++full;
  const uint32_t mips = 1 + below(full), level = below(mips);
  Bytes bytes;
  size_t start = 0;  // of the level
  uint32_t at[3];    // its size
  for (uint32_t mip = 0; mip < mips; ++mip) {
    size_t texels = 1;
    for (const uint32_t s : size) texels *= std::max(s >> mip, 1u);
    if (mip == level) start = bytes.size();
    for (size_t i = 0; i < texels * 4; ++i) bytes.push_back(static_cast<uint8_t>(random()));
  }
  for (int i = 0; i < 3; ++i) at[i] = std::max(size[i] >> level, 1u);
  const uint32_t modes[3] = {1 + below(3), 1 + below(3), 1 + below(3)}, filter = 1 + below(2);
  CommandWriter w;
  const uint32_t t = create(w, AEROGPU_EXT_TEXTURE_VOLUME, kBgra8, size[0], size[1], size[2], mips);
  packets::upload(w, t, 0, bytes);
  run(w);
  const auto coordinate = [&] { return static_cast<float>(below(3 * 256)) / 256 - 1 + 1.0f / 640; };
  // The third is constant over all pixels: if the nearest texel depended on rounding, no pixel could be
  // compared.
  const float depth =
      (static_cast<float>(below(3 * 16 * at[2])) / 16 + 1.0f / 32) / static_cast<float>(at[2]) - 1;
  const std::array<float, 3> from = {coordinate(), coordinate(), depth};
  const std::array<float, 3> to = {from[0] + 1.3f, from[1] + 0.7f, 0};
  const auto got = shaded(t, "volume", "texldl r0, v0, s0", from, to,
                          {{kMagFilter, filter},
                           {kMinFilter, filter},
                           {kMipFilter, 1},
                           {kAddressU, modes[0]},
                           {kAddressV, modes[1]},
                           {kAddressW, modes[2]}},
                          static_cast<float>(level));
  const auto texel = [&](const int* p) {
    size_t offset = 0;
    for (int i = 2; i >= 0; --i)
      offset = offset * at[i] + static_cast<size_t>(addressed(modes[i], p[i], static_cast<int>(at[i])));
    return colorOf(bytes.data() + start + offset * 4);
  };
  uint32_t compared = 0;
  for (uint32_t y = 0; y < kSide; ++y)
    for (uint32_t x = 0; x < kSide; ++x) {
      const double where[3] = {from[0] + double{to[0] - from[0]} * (x + 0.5) / kSide,
                               from[1] + double{to[1] - from[1]} * (y + 0.5) / kSide, from[2]};
      double p[3];
      bool told = true;
      for (int i = 0; i < 3; ++i) {
        p[i] = where[i] * at[i] - (filter == 2 ? 0.5 : 0);
        if (filter == 1) told &= std::fabs(p[i] - std::nearbyint(p[i])) > 0.01;
      }
      if (!told) continue;
      Color want{};
      for (int corner = 0; corner < (filter == 2 ? 8 : 1); ++corner) {
        int q[3];
        double weight = 1;
        for (int i = 0; i < 3; ++i) {
          const int upper = corner >> i & 1;
          q[i] = static_cast<int>(std::floor(p[i])) + upper;
          const double f = p[i] - std::floor(p[i]);
          if (filter == 2) weight *= upper ? f : 1 - f;
        }
        const Color c = texel(q);
        for (size_t k = 0; k < 4; ++k) want[k] += c[k] * weight;
      }
      for (size_t k = 0; k < 4; ++k)
        ASSERT_NEAR(got[y * kSide + x][k], want[k],
                    filter == 2 ? 4.0 / 255 : 1e-3)  // weights have eight bits
            << "channel " << k << " of pixel " << x << "," << y << ", " << size[0] << "x" << size[1] << "x"
            << size[2] << " level " << level << " filter " << filter;
      ++compared;
    }
  EXPECT_GT(compared, 100u);
}

// TEX-4, TEX-13
TEST_F(KindsOracle, VolumesAreFilteredInThreeDirections) {
  seeds(24, [&](std::mt19937& random) { volume(random); });
}

void KindsOracle::cube(std::mt19937& random) {
  const auto below = [&](uint32_t n) { return static_cast<uint32_t>(random() % n); };
  const uint32_t side = 1 + below(9);
  Bytes bytes(size_t{side} * side * 6 * 4);
  for (uint8_t& b : bytes) b = static_cast<uint8_t>(random());
  CommandWriter w;
  const uint32_t t = create(w, AEROGPU_EXT_TEXTURE_CUBE, kBgra8, side, side);
  packets::upload(w, t, 0, bytes);
  run(w);
  static constexpr const char* kOrders[] = {"xyzw", "zxyw", "yzxw"};
  const uint32_t order = below(3);
  const std::array<float, 3> from = {-1.51f, -1.37f, below(2) ? 1.0f : -1.0f};
  const std::array<float, 3> to = {1.43f, 1.61f, 0};
  const auto got = shaded(t, "cube", std::string("mov r1, v0.") + kOrders[order] + "\ntexld r0, r1, s0", from,
                          to, {{kMagFilter, 1}, {kMinFilter, 1}, {kMipFilter, 0}});
  uint32_t compared = 0;
  for (uint32_t y = 0; y < kSide; ++y)
    for (uint32_t x = 0; x < kSide; ++x) {
      const double v[3] = {from[0] + double{to[0] - from[0]} * (x + 0.5) / kSide,
                           from[1] + double{to[1] - from[1]} * (y + 0.5) / kSide, from[2]};
      const double d[3] = {v[order == 0   ? 0
                             : order == 1 ? 2
                                          : 1],
                           v[order == 0   ? 1
                             : order == 1 ? 0
                                          : 2],
                           v[order == 0   ? 2
                             : order == 1 ? 1
                                          : 0]};
      int major = 0;
      for (int i = 1; i < 3; ++i)
        if (std::fabs(d[i]) > std::fabs(d[major])) major = i;
      bool told = true;
      for (int i = 0; i < 3; ++i)
        told &= i == major || std::fabs(std::fabs(d[i]) - std::fabs(d[major])) > 0.01;
      const bool negative = d[major] < 0;
      // The parts of the direction along the rows and down the columns of each face.
      const double m = std::fabs(d[major]);
      const double across = major == 0   ? (negative ? d[2] : -d[2])
                            : major == 1 ? d[0]
                            : negative   ? -d[0]
                                         : d[0];
      const double down = major == 1 ? (negative ? -d[2] : d[2]) : -d[1];
      const double column = (across / m + 1) / 2 * side, row = (down / m + 1) / 2 * side;
      told &=
          std::fabs(column - std::nearbyint(column)) > 0.02 && std::fabs(row - std::nearbyint(row)) > 0.02;
      if (!told) continue;
      const size_t face = static_cast<size_t>(major * 2 + negative);
      const size_t at = (face * side + static_cast<size_t>(row)) * side + static_cast<size_t>(column);
      const Color want = colorOf(bytes.data() + at * 4);
      for (size_t k = 0; k < 4; ++k)
        ASSERT_NEAR(got[y * kSide + x][k], want[k], 1e-3)
            << "channel " << k << " of pixel " << x << "," << y << ", side " << side << " order " << order;
      ++compared;
    }
  EXPECT_GT(compared, 100u);
}

// TEX-3, TEX-13
TEST_F(KindsOracle, CubesAreSampledByDirection) {
  seeds(18, [&](std::mt19937& random) { cube(random); });
}

// TEX-13
TEST_F(KindsOracle, OtherKindsAreSampledAsWhatTheyAre) {
  CommandWriter w;
  const uint32_t v = create(w, AEROGPU_EXT_TEXTURE_VOLUME, kBgra8, 2, 2, 2);
  const uint32_t f = texture(w, kBgra8, 4, 2), m = create(w, AEROGPU_EXT_TEXTURE_2D, kBgra8, 4, 4, 1, 1, 4);
  packets::upload(w, v, 0, Bytes(32, 0x80));
  packets::upload(w, f, 0, Bytes(32, 0x80));
  run(w);
  for (const auto& [t, kind] : {std::pair{v, "2d"}, {v, "cube"}, {f, "volume"}, {f, "cube"}, {m, "2d"}}) {
    const Color got = shaded(t, kind, "texld r0, v0, s0", {0.1f, 0.1f, 0.1f}, {0.9f, 0.9f, 0}, point())[17];
    const double half = 128 / 255.0;
    const Color want = t == m ? Color{0, 0, 0, 1} : Color{half, half, half, half};
    for (size_t k = 0; k < 4; ++k) EXPECT_NEAR(got[k], want[k], 1e-3) << kind << " " << t << " channel " << k;
  }
}

struct Place {
  double x, y;
};
/// Indexed by the number of samples.
const std::vector<Place>& standardPlaces(uint32_t samples) {
  static const std::vector<Place> two = {{0.75, 0.75}, {0.25, 0.25}};
  static const std::vector<Place> four = {{0.375, 0.125}, {0.875, 0.375}, {0.125, 0.625}, {0.625, 0.875}};
  static const std::vector<Place> eight = {{0.5625, 0.3125}, {0.4375, 0.6875}, {0.8125, 0.5625},
                                           {0.3125, 0.1875}, {0.1875, 0.8125}, {0.0625, 0.4375},
                                           {0.6875, 0.9375}, {0.9375, 0.0625}};
  return samples == 2 ? two : samples == 4 ? four : eight;
}

/// Returns the distance inside of a triangle, pixels; negative outside. Corners in either order.
double inside(const Place* t, const Place& p) {
  const double area = (t[1].x - t[0].x) * (t[2].y - t[0].y) - (t[1].y - t[0].y) * (t[2].x - t[0].x);
  double least = 1e9;
  for (int i = 0; i < 3; ++i) {
    const Place &a = t[i], &b = t[(i + 1) % 3];
    const double edge = (b.x - a.x) * (p.y - a.y) - (b.y - a.y) * (p.x - a.x);
    const double length = std::hypot(b.x - a.x, b.y - a.y);
    least = std::min(least, (area < 0 ? -edge : edge) / std::max(length, 1e-9));
  }
  return std::fabs(area) < 1e-6 ? -1e9 : least;
}

void KindsOracle::samples(std::mt19937& random) {
  const auto below = [&](uint32_t n) { return static_cast<uint32_t>(random() % n); };
  const uint32_t known = entryOf(kBgra8).samples & entryOf(AEROGPU_FORMAT_D24_UNORM_S8_UINT).samples;
  uint32_t count = 2u << below(3);
  if (!(known & count)) count = 4;
  const std::vector<Place>& places = standardPlaces(count);
  CommandWriter w;
  const uint32_t color = create(w, AEROGPU_EXT_TEXTURE_2D, kBgra8, kSide, kSide, 1, 1, count);
  const uint32_t depth =
      create(w, AEROGPU_EXT_TEXTURE_2D, AEROGPU_FORMAT_D24_UNORM_S8_UINT, kSide, kSide, 1, 1, count);
  const uint32_t flat = texture(w, kBgra8, kSide, kSide);
  const uint32_t flatDepth =
      create(w, AEROGPU_EXT_TEXTURE_2D, AEROGPU_FORMAT_D24_UNORM_S8_UINT, kSide, kSide);
  states(w);
  target(w, color, depth);
  Harness::clear(w, AEROGPU_CLEAR_COLOR | AEROGPU_CLEAR_DEPTH, 0, 0, 0, 0, 1);
  renderState(w, kZEnable, 1u);
  bindShaders(w, shader(w, kVs3), shader(w, "ps_3_0\nmov oC0, c0\n"));
  layout(w, {{0, 0, 2, 0, 0, 0}, {0, 12, 3, 0, 5, 0}});
  topology(w, AEROGPU_TOPOLOGY_TRIANGLELIST);
  struct Sample {
    double z = 1;
    uint32_t value = 0;
    bool told = true;
  };
  std::vector<Sample> model(size_t{kSide} * kSide * count);
  for (int n = 0; n < 3; ++n) {
    // Corners on a grid of sixteenths, in Direct3D 9's coordinates: pixel centers are whole.
    Place corners[3];
    struct V {
      float x, y, z, t[4];
    };
    std::vector<V> vertices;
    const double z = (1 + below(6)) / 8.0;
    for (Place& c : corners) {
      c = {below(20 * 16) / 16.0 - 2, below(20 * 16) / 16.0 - 2};
      vertices.push_back({static_cast<float>(c.x / (kSide / 2.0) - 1),
                          static_cast<float>(1 - c.y / (kSide / 2.0)),
                          static_cast<float>(z),
                          {}});
      c.x += 0.5;  // where samples are counted from
      c.y += 0.5;
    }
    const uint32_t mask = below(3) == 0 ? below(1u << count) : ~0u,
                   value = 40 + 60 * static_cast<uint32_t>(n);
    renderState(w, kMultisampleMask, mask);
    const float shade = static_cast<float>(value) / 255;
    constantsF(w, AEROGPU_SHADER_STAGE_PIXEL, 0, {{shade, shade, shade, shade}});
    stream(w, 0, vertexBuffer(w, vertices), sizeof(V));
    draw(w, 3);
    for (uint32_t i = 0; i < kSide * kSide; ++i)
      for (uint32_t s = 0; s < count; ++s) {
        if (!(mask >> s & 1)) continue;
        const Place p{i % kSide + places[s].x, static_cast<double>(i / kSide) + places[s].y};
        const double far = inside(corners, p);
        Sample& sample = model[i * count + s];
        if (std::fabs(far) < 1.0 / 128) sample.told = false;  // GPUs count in 256ths
        if (far > 0 && z <= sample.z) sample = {z, value, sample.told};
      }
  }
  renderState(w, kMultisampleMask, ~0u);
  const aerogpu_ext_blit_rect whole{{0, 0, kSide, kSide}, {0, 0, kSide, kSide}};
  for (const auto& [dst, src] : {std::pair{flat, color}, {flatDepth, depth}}) {
    aerogpu_cmd_ext_blit blit{};
    blit.dst_texture = dst;
    blit.src_texture = src;
    w.packet(blit, &whole, 1);
  }
  run(w);
  const Bytes colors = read(flat, kBgra8, kSide, kSide);
  const Bytes depths = read(flatDepth, AEROGPU_FORMAT_D24_UNORM_S8_UINT, kSide, kSide);
  uint32_t compared = 0;
  for (uint32_t i = 0; i < kSide * kSide; ++i) {
    const Sample* s = &model[size_t{i} * count];
    double mean = 0;
    bool told = true;
    for (uint32_t k = 0; k < count; ++k) {
      mean += s[k].value / static_cast<double>(count);
      told &= s[k].told;
    }
    if (s[0].told) {
      uint32_t word;
      std::memcpy(&word, depths.data() + size_t{i} * 4, 4);
      ASSERT_NEAR((word & 0xFFFFFF) / 16777215.0, s[0].z, 1e-6)
          << "depth of pixel " << i % kSide << "," << i / kSide << ", " << count << " samples";
    }
    if (!told) continue;
    for (int c = 0; c < 4; ++c)
      ASSERT_NEAR(colors[size_t{i} * 4 + static_cast<size_t>(c)], mean, 1.01)
          << "pixel " << i % kSide << "," << i / kSide << ", " << count << " samples";
    ++compared;
  }
  EXPECT_GT(compared, 200u);
  for (const uint32_t handle : {color, depth, flat, flatDepth}) packets::destroyResource(w, handle);
  run(w);
}

// TEX-9, TEX-10, TEX-11
TEST_F(KindsOracle, SamplesAreCoveredMaskedAndResolved) {
  seeds(24, [&](std::mt19937& random) { samples(random); });
}

// TEX-10
TEST_F(KindsOracle, TargetsOfADrawAgree) {
  CommandWriter w;
  const uint32_t four = create(w, AEROGPU_EXT_TEXTURE_2D, kBgra8, kSide, kSide, 1, 1, 4);
  const uint32_t one = texture(w, AEROGPU_FORMAT_D24_UNORM_S8_UINT, kSide, kSide);
  states(w);
  bindShaders(w, shader(w, kVs3), shader(w, "ps_3_0\nmov oC0, c0\n"));
  target(w, four, one);
  drawQuad(w, {}, {});
  EXPECT_EQ(runForError(w), uint32_t{AEROGPU_ERROR_BACKEND});
  gpu().takeErrorLines();
  target(w, four);
  drawQuad(w, {}, {});
  run(w);
}

// FMT-2, FMT-16, FMT-4, FMT-12
TEST_F(KindsOracle, DepthFormatsCompareOrGiveTheDepth) {
  struct Case {
    aerogpu_format format;
    uint32_t bytes;
    const char* reads;  ///< z: the depth; null: it compares
    bool stencil;
  };
  const Case cases[] = {{AEROGPU_FORMAT_D3D9_D16, 2, nullptr, false},
                        {AEROGPU_FORMAT_D24_UNORM_S8_UINT, 4, nullptr, true},
                        {AEROGPU_FORMAT_D3D9_INTZ, 4, "zzzz", true},
                        {AEROGPU_FORMAT_D3D9_DF16, 2, "z001", false},
                        {AEROGPU_FORMAT_D3D9_DF24, 4, "z001", true}};
  for (const Case& c : cases) {
    if (!(capsOf(c.format) & AEROGPU_FORMAT_CAP_SAMPLE)) continue;
    const std::string name = "format " + std::to_string(c.format);
    CommandWriter w;
    const uint32_t color = texture(w, kBgra8, kSide, kSide), depth = texture(w, c.format, kSide, kSide);
    states(w);
    target(w, color, depth);
    Harness::clear(w, AEROGPU_CLEAR_DEPTH | (c.stencil ? uint32_t{AEROGPU_CLEAR_STENCIL} : 0u), 0, 0, 0, 0, 1,
                   7);
    renderState(w, kZEnable, 1u);
    renderState(w, kStencilEnable, 1u);
    renderState(w, kStencilPass, 7u);  // INCR
    bindShaders(w, shader(w, kVs3), shader(w, "ps_3_0\nmov oC0, c0\n"));
    drawQuad(w, {}, {}, 1, 0.25f);
    drawQuad(w, {}, {}, 1, 0.75f);  // fails the depth test
    renderState(w, kStencilEnable, 0u);
    target(w, color);
    run(w);
    const Bytes bytes = read(depth, c.format, kSide, kSide);
    uint32_t word = 0;
    std::memcpy(&word, bytes.data() + 40 * c.bytes, c.bytes);
    const uint32_t steps = c.bytes == 2 ? 0xFFFF : 0xFFFFFF;
    EXPECT_NEAR((word & steps) / static_cast<double>(steps), 0.25, 1.0 / steps) << name;
    if (c.stencil) {
      EXPECT_EQ(word >> 24, 8u) << name;
    }
    for (const float reference : {0.125f, 0.5f}) {
      const Color got = sampled(depth, {0.1f, 0.1f, reference}, {0.9f, 0.9f, 0}, point())[40];
      for (size_t i = 0; i < 4; ++i) {
        const double passed = reference <= 0.25 ? 1 : 0;
        const double want = !c.reads ? passed : c.reads[i] == 'z' ? 0.25 : c.reads[i] - '0';
        EXPECT_NEAR(got[i], want, 1.0 / 60000) << name << " channel " << i << ", reference " << reference;
      }
    }
  }
}

// FMT-18, BLIT-8
TEST_F(KindsOracle, BlitsConvertWhatSamplersRead) {
  CommandWriter w;
  const uint32_t l8 = texture(w, AEROGPU_FORMAT_D3D9_L8, 4, 4), a8 = texture(w, AEROGPU_FORMAT_D3D9_A8, 4, 4);
  const uint32_t half = texture(w, AEROGPU_FORMAT_D3D9_R16F, 4, 4), flat = texture(w, kBgra8, 8, 8);
  packets::upload(w, l8, 0, Bytes(16, 0x60));
  packets::upload(w, a8, 0, Bytes(16, 0x60));
  Bytes halves;
  for (int i = 0; i < 16; ++i) halves.insert(halves.end(), {0x07, 0x36});  // 96.06 / 255
  packets::upload(w, half, 0, halves);
  run(w);
  const aerogpu_ext_blit_rect twice{{0, 0, 8, 8}, {0, 0, 4, 4}}, back{{0, 0, 4, 4}, {0, 0, 8, 8}};
  const auto blit = [&](uint32_t dst, uint32_t src, const aerogpu_ext_blit_rect& rect) {
    aerogpu_cmd_ext_blit c{};
    c.dst_texture = dst;
    c.src_texture = src;
    w.packet(c, &rect, 1);
  };
  const std::pair<uint32_t, Pixel> cases[] = {
      {l8, {0x60, 0x60, 0x60, 0xFF}}, {a8, {0, 0, 0, 0x60}}, {half, {0xFF, 0xFF, 0x60, 0xFF}}};
  for (const auto& [source, want] : cases) {
    blit(flat, source, twice);
    run(w);
    expectNear(pixel(read(flat, kBgra8, 8, 8), 8, 5, 5), want, 1);
  }
  blit(l8, flat, back);
  run(w);
  EXPECT_EQ(read(l8, AEROGPU_FORMAT_D3D9_L8, 4, 4), Bytes(16, 0x60)) << "red";
  blit(half, flat, back);
  run(w);
  const Bytes got = read(half, AEROGPU_FORMAT_D3D9_R16F, 4, 4);
  EXPECT_EQ(got[1], 0x36) << "half of red";
}

}  // namespace
}  // namespace aerogpu::test
