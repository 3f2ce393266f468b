// SPDX-License-Identifier: MIT
// EXT_DRAW_INLINE: draws the same pictures as draws from buffers, and bindings stay.
#include "renderer/vulkan/test/draw_fixture.h"

namespace aerogpu::test {
namespace {

constexpr uint32_t kDecode = AEROGPU_ERROR_CMD_DECODE, kOob = AEROGPU_ERROR_OOB;

class InlineTest : public DrawTest {
protected:
  /// Vertices, padding to 4, indices.
  template <class Index>
  void drawInline(CommandWriter& w, const std::vector<Vertex>& v, const std::vector<Index>& indices) {
    Bytes bytes(v.size() * sizeof(Vertex) + indices.size() * sizeof(Index));
    std::memcpy(bytes.data(), v.data(), v.size() * sizeof(Vertex));
    if (!indices.empty())
      std::memcpy(bytes.data() + v.size() * sizeof(Vertex), indices.data(), indices.size() * sizeof(Index));
    w.packetWithTail(
        AEROGPU_CMD_EXT_DRAW_INLINE,
        aerogpu_cmd_ext_draw_inline{
            .vertex_count = static_cast<uint32_t>(v.size()),
            .vertex_stride_bytes = sizeof(Vertex),
            .index_count = static_cast<uint32_t>(indices.size()),
            .index_format = sizeof(Index) == 4 ? AEROGPU_INDEX_FORMAT_UINT32 : AEROGPU_INDEX_FORMAT_UINT16},
        bytes.data(), bytes.size());
  }
  void drawInline(CommandWriter& w, const std::vector<Vertex>& v) {
    drawInline(w, v, std::vector<uint16_t>{});
  }
};

// UPD-12
TEST_F(InlineTest, DrawsItsOwnVerticesAndWhatIsBoundStays) {
  CommandWriter w;
  const auto bound = quad(0, 0, 1, 1, 0xFF0000FF);
  stream(w, 0, vertexBuffer(w, bound), sizeof(Vertex));
  const std::vector<uint16_t> indices = {0, 1, 2, 3, 4, 5};
  aerogpu_cmd_set_index_buffer c{};
  c.buffer = buffer(w, indices.data(), indices.size() * 2, AEROGPU_RESOURCE_USAGE_INDEX_BUFFER);
  w.packet(c);
  for (uint32_t x = 1; x < kSize; ++x) {
    const auto left = static_cast<float>(x);
    // Column x from row x on; each in its own color.
    auto v = quad(left, left, left + 1, kSize, 0xFF000000 | x << 16);
    if (x % 3 == 0) {
      drawInline(w, v);
    } else if (x % 3 == 1) {  // in another order, two triangles of four vertices
      drawInline(w, std::vector<Vertex>{v[0], v[1], v[2], v[5]}, std::vector<uint16_t>{0, 1, 2, 2, 1, 3});
    } else {
      drawInline(w, std::vector<Vertex>{v[5], v[0], v[1], v[2]}, std::vector<uint32_t>{1, 2, 3, 3, 2, 0});
    }
    if (x == 4) draw(w, 6);
  }
  run(w);
  Bytes got = result();
  for (uint32_t y = 0; y < kSize; ++y)
    for (uint32_t x = 1; x < kSize; ++x)
      EXPECT_EQ(pixel(got, kSize, x, y), (y >= x ? Pixel{0, 0, static_cast<uint8_t>(x), 255} : Pixel{}))
          << x << "," << y;
  EXPECT_EQ(pixel(got, kSize, 0, 0), (Pixel{255, 0, 0, 255}));
  clearColor(w, 0, 0, 0, 0);
  drawInline(w, quad(3, 3, 4, 4, 0xFF00FF00), std::vector<uint16_t>{0, 1, 2, 3, 4, 5});
  drawIndexed(w, 6);
  run(w);
  got = result();
  EXPECT_EQ(pixel(got, kSize, 0, 0), (Pixel{255, 0, 0, 255})) << "the bound vertices by the bound indices";
  EXPECT_EQ(pixel(got, kSize, 3, 3), (Pixel{0, 255, 0, 255}));
}

// UPD-12: many consecutive draws, of several strides, among draws of bound buffers.
TEST_F(InlineTest, DrawsOfOneStrideFollowEachOther) {
  CommandWriter w;
  constexpr uint32_t kCells = kSize * kSize;
  const auto cell = [&](uint32_t i, uint32_t color) {
    const auto x = static_cast<float>(i % kSize), y = static_cast<float>(i / kSize);
    return quad(x, y, x + 1, y + 1, color);
  };
  std::vector<Vertex> bound;
  for (uint32_t i = 0; i < kCells; ++i) {
    const auto v = cell(i, 0xFFFF0000 | i);
    bound.insert(bound.end(), v.begin(), v.end());
  }
  stream(w, 0, vertexBuffer(w, bound), sizeof(Vertex));
  std::array<Pixel, kCells> want{};
  for (uint32_t i = 0; i < 2000; ++i) {
    const uint32_t at = i * 37 % kCells, color = 0xFF000000 | i * 40503 % 0xFFFFFF;
    if (i % 11 == 10) {
      draw(w, 6, 1, at * 6);
      want[at] = {static_cast<uint8_t>(at), 0, 255, 255};
      continue;
    }
    want[at] = {static_cast<uint8_t>(color), static_cast<uint8_t>(color >> 8),
                static_cast<uint8_t>(color >> 16), 255};
    const auto v = cell(at, color);
    if (i % 13 == 12) {
      drawInline(w, v, std::vector<uint16_t>{0, 1, 2, 3, 4, 5});
      continue;
    }
    // Padded by bytes that no shader reads.
    const uint32_t stride = sizeof(Vertex) + (i / 50 % 3) * 4;
    Bytes bytes(stride * v.size(), 0x7F);
    for (size_t k = 0; k < v.size(); ++k) std::memcpy(&bytes[k * stride], &v[k], sizeof(Vertex));
    w.packetWithTail(AEROGPU_CMD_EXT_DRAW_INLINE,
                     aerogpu_cmd_ext_draw_inline{.vertex_count = static_cast<uint32_t>(v.size()),
                                                 .vertex_stride_bytes = stride},
                     bytes.data(), bytes.size());
  }
  run(w);
  const Bytes got = result();
  for (uint32_t i = 0; i < kCells; ++i) EXPECT_EQ(pixel(got, kSize, i % kSize, i / kSize), want[i]) << i;
}

// UPD-12, INPUT-10: an index past the vertices reads 0, not the bytes after them.
TEST_F(InlineTest, IndicesPastTheVerticesReadZero) {
  CommandWriter w;
  // A vertex at 0,0,0,0-color is the middle of the target. The indices lie after the vertices.
  const auto v = quad(0, 0, 8, 8, 0xFFFFFFFF);
  const std::vector<uint16_t> past(96, 0x4444);
  drawInline(w, v, past);
  drawInline(w, quad(7, 7, 8, 8, 0xFF336699));
  run(w);
  const Bytes got = result();
  for (uint32_t i = 0; i < kSize * kSize - 1; ++i) EXPECT_EQ(pixel(got, kSize, i, 0), Pixel{}) << i;
  EXPECT_EQ(pixel(got, kSize, 7, 7), (Pixel{0x99, 0x66, 0x33, 0xFF}));
}

// INPUT-10: bytes past the end of a buffer, which may be another program's, are not read.
TEST_F(InlineTest, VerticesPastABufferReadZero) {
  CommandWriter w;
  std::vector<Vertex> whole, other;
  const auto own = quad(0, 0, 1, 1, 0xFFFFFFFF);
  for (int i = 0; i < 64; ++i) {
    const auto v = quad(0, 0, 8, 8, 0xFFFFFFFF);
    other.insert(other.end(), v.begin(), v.end());
  }
  // Wherever the pool puts them, some of the others lie after this one.
  for (int i = 0; i < 4; ++i) vertexBuffer(w, other);
  const uint32_t first = vertexBuffer(w, own);
  for (int i = 0; i < 4; ++i) vertexBuffer(w, other);
  stream(w, 0, first, sizeof(Vertex));
  for (uint32_t from = 6; from < 400; ++from) draw(w, 6, 1, from);
  run(w);
  const Bytes got = result();
  for (uint32_t i = 0; i < kSize * kSize; ++i)
    ASSERT_EQ(pixel(got, kSize, i % kSize, i / kSize), Pixel{}) << i;
}

// UPD-12: more vertices in a frame than one piece of staging memory holds, and over many frames.
TEST_F(InlineTest, MoreThanStagingMemoryHolds) {
  CommandWriter w;
  std::vector<Vertex> many;
  for (int i = 0; i < 500; ++i) {
    const auto v = quad(0, 0, kSize, kSize, 0xFF000000 | static_cast<uint32_t>(i));
    many.insert(many.end(), v.begin(), v.end());
  }
  ASSERT_LE(many.size() * sizeof(Vertex), 65536u);
  const auto last = quad(0, 0, kSize, kSize, 0xFF123456);
  std::copy(last.begin(), last.end(), many.end() - 6);
  for (int round = 0; round < 3; ++round) {
    for (int i = 0; i < 120; ++i) drawInline(w, many);
    run(w);
    EXPECT_EQ(result(5, 5), (Pixel{0x56, 0x34, 0x12, 0xFF}));
    clearColor(w, 0, 0, 0, 0);
  }
}

// UPD-11, UPD-13, CMD-7
TEST_F(InlineTest, RefusedOnes) {
  const auto packet = [&](CommandWriter& w, const aerogpu_cmd_ext_draw_inline& c, size_t bytes) {
    const Bytes tail(bytes);
    w.packetWithTail(AEROGPU_CMD_EXT_DRAW_INLINE, c, tail.data(), tail.size());
  };
  const struct {
    uint32_t code;
    aerogpu_cmd_ext_draw_inline c;
    size_t bytes;
  } cases[] = {
      {kDecode, {.vertex_count = 3, .vertex_stride_bytes = 16}, 44},
      {kDecode, {.vertex_count = 3, .vertex_stride_bytes = 0}, 48},
      {kDecode, {.vertex_count = 3, .vertex_stride_bytes = 16, .index_count = 3}, 52},
      {kDecode, {.vertex_count = 3, .vertex_stride_bytes = 15, .index_count = 2}, 48},  // padded to 48
      {kDecode, {.vertex_count = 3, .vertex_stride_bytes = 16, .index_format = 2}, 48},
      {kOob, {.vertex_count = 3, .vertex_stride_bytes = 2049}, 8192},
      {kOob, {.vertex_count = 4097, .vertex_stride_bytes = 16}, 65552},
      {kOob, {.vertex_count = 4096, .vertex_stride_bytes = 16, .index_count = 1}, 65540},
      {kOob, {.vertex_count = UINT32_MAX, .vertex_stride_bytes = 2048, .index_count = UINT32_MAX}, 64},
  };
  CommandWriter w;
  for (const auto& c : cases) {
    packet(w, c.c, c.bytes);
    EXPECT_EQ(runForError(w), c.code) << &c - cases;
  }
  packet(w, {.vertex_count = 0, .vertex_stride_bytes = 0, .index_count = 0}, 0);
  packet(w, {.vertex_count = 0, .index_count = 2}, 4);
  packet(w, {.vertex_count = 4096, .vertex_stride_bytes = 16}, 65536);
  run(w);
  EXPECT_EQ(result(), Bytes(kSize * kSize * 4));
}

}  // namespace
}  // namespace aerogpu::test
