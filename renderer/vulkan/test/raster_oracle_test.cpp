// SPDX-License-Identifier: MIT
// The pixels that random triangles cover, the culled winding and the triangle that gives the colour, against
// the rules of the Direct3D 9 pages "Rasterization Rules" (pixel centres on whole numbers, top-left rule),
// D3DCULL, D3DSHADEMODE, "Triangle Strips" and "Triangle Fans". AEROGPU_ORACLE_SEED and AEROGPU_ORACLE_COUNT
// choose other images.
#include <algorithm>
#include <random>

#include "renderer/test/seeds.h"
#include "renderer/vulkan/test/draw_fixture.h"

namespace aerogpu::test {
namespace {

constexpr int kCell = 32, kAcross = 8, kSide = kCell * kAcross,
              kGrid = 16;  ///< places are sixteenths of a pixel

struct Corner {
  int x, y;  ///< in sixteenths of a pixel, y down
  uint32_t color;
};

/// Returns twice the area, positive for clockwise on screen; its sign tells on which side of the edge a point
/// lies.
int64_t side(const Corner& a, const Corner& b, int64_t x, int64_t y) {
  return int64_t{b.x - a.x} * (y - a.y) - int64_t{b.y - a.y} * (x - a.x);
}

bool inside(const Corner& a, const Corner& b, int64_t x, int64_t y) {
  const int64_t e = side(a, b, x, y);
  if (e) return e > 0;
  // For points on the edge of a clockwise triangle: a top edge runs right, a left one up.
  return b.y < a.y || (b.y == a.y && b.x > a.x);
}

class RasterOracle : public GpuTest {
protected:
  static void fill(std::vector<uint32_t>& image, Corner a, Corner b, Corner c, uint32_t cull,
                   uint32_t color) {
    const int64_t area = side(a, b, c.x, c.y);
    if (area == 0 || (cull == 2 && area > 0) || (cull == 3 && area < 0)) return;
    if (area < 0) std::swap(b, c);
    const auto [left, right] = std::minmax({a.x, b.x, c.x});
    const auto [top, bottom] = std::minmax({a.y, b.y, c.y});
    for (int y = top / kGrid; y <= bottom / kGrid; ++y)
      for (int x = left / kGrid; x <= right / kGrid; ++x) {
        const int64_t px = int64_t{x} * kGrid, py = int64_t{y} * kGrid;
        if (inside(a, b, px, py) && inside(b, c, px, py) && inside(c, a, px, py))
          image[static_cast<size_t>(y * kSide + x)] = color;
      }
  }

  /// Fills the triangles of one draw: corners in order, the flat colour is the first corner's.
  static void fillAll(std::vector<uint32_t>& image, const Corner* v, size_t count, uint32_t topology,
                      uint32_t cull) {
    if (topology == AEROGPU_TOPOLOGY_TRIANGLELIST)
      for (size_t i = 0; i + 2 < count; i += 3) fill(image, v[i], v[i + 1], v[i + 2], cull, v[i].color);
    else if (topology == AEROGPU_TOPOLOGY_TRIANGLESTRIP)
      for (size_t i = 0; i + 2 < count; ++i)
        fill(image, v[i], v[i % 2 ? i + 2 : i + 1], v[i % 2 ? i + 1 : i + 2], cull, v[i].color);
    else
      for (size_t i = 0; i + 2 < count; ++i) fill(image, v[i + 1], v[i + 2], v[0], cull, v[i + 1].color);
  }

  void image(uint32_t seed) {
    std::mt19937 random(seed);
    const auto below = [&](uint32_t n) { return static_cast<uint32_t>(random() % n); };
    struct DrawVertex {
      float x, y, z;
      uint32_t color;
    };
    constexpr uint32_t kCorners = 6;
    constexpr uint32_t kTopologies[] = {AEROGPU_TOPOLOGY_TRIANGLELIST, AEROGPU_TOPOLOGY_TRIANGLESTRIP,
                                        AEROGPU_TOPOLOGY_TRIANGLEFAN};
    std::vector<uint32_t> want(size_t{kSide} * kSide, 0);
    std::vector<DrawVertex> vertices;
    struct Call {
      uint32_t topology, cull;
    };
    std::vector<Call> calls;
    for (uint32_t cell = 0; cell < kAcross * kAcross; ++cell) {
      Corner corners[kCorners];
      // Coarse places make shared edges, and edges through pixel centres.
      const int step = static_cast<int>(1u << below(5));
      for (Corner& c : corners) {
        const auto place = [&] {
          return static_cast<int>(below(static_cast<uint32_t>(30 * kGrid / step))) * step + kGrid;
        };
        c = {static_cast<int>(cell % kAcross) * kCell * kGrid + place(),
             static_cast<int>(cell / kAcross) * kCell * kGrid + place(),
             0xFF000000u | static_cast<uint32_t>(random())};
        vertices.push_back({static_cast<float>(c.x) / kGrid / (kSide / 2) - 1,
                            1 - static_cast<float>(c.y) / kGrid / (kSide / 2), 0.5f, c.color});
      }
      calls.push_back({kTopologies[below(3)], 1 + below(3)});
      fillAll(want, corners, kCorners, calls.back().topology, calls.back().cull);
    }
    CommandWriter w;
    const uint32_t out = texture(w, kBgra, kSide, kSide);
    target(w, out);
    viewport(w, 0, 0, kSide, kSide);
    clearColor(w, 0, 0, 0, 0);
    renderState(w, kZEnable, 0u);
    renderState(w, kShadeMode, 1u);
    bindShaders(w, shader(w, kVs), shader(w, kPs));
    layout(w, {{0, 0, 2, 0, 0, 0}, {0, 12, 4, 0, 10, 0}});
    stream(w, 0, vertexBuffer(w, vertices), sizeof(DrawVertex));
    for (uint32_t cell = 0; cell < calls.size(); ++cell) {
      renderState(w, kCullMode, calls[cell].cull);
      topology(w, calls[cell].topology);
      draw(w, kCorners, 1, cell * kCorners);
    }
    run(w);
    const Bytes got = read(out, kBgra, kSide, kSide);
    ASSERT_EQ(got.size(), want.size() * 4);
    for (size_t i = 0; i < want.size() && !HasFailure(); ++i) {
      uint32_t value;
      std::memcpy(&value, got.data() + i * 4, 4);
      const size_t x = i % kSide, y = i / kSide, cell = y / kCell * kAcross + x / kCell;
      EXPECT_EQ(value, want[i]) << "image " << seed << " pixel " << x << "," << y << " topology "
                                << calls[cell].topology << " cull " << calls[cell].cull;
    }
    packets::destroyResource(w, out);
    run(w);
  }
};

TEST_F(RasterOracle, RandomTriangles) {
  forSeeds(5, [&](uint32_t seed) { image(seed); });
}

}  // namespace
}  // namespace aerogpu::test
