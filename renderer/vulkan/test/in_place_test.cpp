// SPDX-License-Identifier: MIT
// Transfers that the GPU makes in guest memory itself (host_import.h), beside equal ones through copies:
// ragged offsets and pitches, mips and layers, blocks, the order of accesses to the same bytes, refusals. No
// mapping outlives its submission.
#include <random>

#include "renderer/core/format.h"
#include "renderer/core/texture_layout.h"
#include "renderer/vulkan/test/gpu_test.h"

namespace aerogpu::test {
namespace {

constexpr aerogpu_format kBgra = AEROGPU_FORMAT_B8G8R8A8_UNORM;
constexpr uint8_t kUntouched = 0xA5;
constexpr size_t kInPlace = size_t{64} << 10;  // from this many bytes on lavapipe does without a copy

Bytes pattern(size_t size, uint32_t seed) {
  std::minstd_rand random(seed);
  Bytes out(size);
  for (uint8_t& b : out) b = static_cast<uint8_t>(random() >> 8);
  return out;
}

class InPlaceTest : public GpuTest {
protected:
  static void SetUpTestSuite() {
    GpuTest::SetUpTestSuite();
    if (!s_gpu->ok()) return;
    s_arena = s_gpu->allocate(uint64_t{24} << 20);
    s_gpu->forget(s_arena);
  }
  void SetUp() override {
    GpuTest::SetUp();
    beginImports();
  }
  void TearDown() override {
    refuseImports(false);
    if (gpu().ok()) gpu().mappingLimit = uint64_t{1} << 40;
    for (const Allocation& a : m_allocations) gpu().forget(a);
    EXPECT_EQ(gpu().mappingsHeld(), 0);
    GpuTest::TearDown();
  }
  /// Guest memory that begins `skip` bytes into a page.
  Allocation memory(uint64_t size, uint64_t skip = 0) {
    const uint64_t at = m_used + skip;
    m_used = (at + size + 0x1FFF) & ~uint64_t{0xFFF};
    EXPECT_LE(m_used, s_arena.size);
    m_allocations.push_back(gpu().name(s_arena.gpa + at, size));
    return m_allocations.back();
  }
  std::span<uint8_t> fill(const Allocation& a, const Bytes& bytes, uint64_t offset = 0) {
    std::copy(bytes.begin(), bytes.end(), gpu().bytes(a).begin() + static_cast<ptrdiff_t>(offset));
    return gpu().bytes(a);
  }
  Bytes content(const Allocation& a) { return {gpu().bytes(a).begin(), gpu().bytes(a).end()}; }
  uint32_t backed(CommandWriter& w, uint32_t width, uint32_t height, const Allocation& a, uint32_t pitch,
                  aerogpu_format format = kBgra, uint32_t mips = 1, uint32_t layers = 1) {
    const uint32_t h = gpu().handle();
    Harness::createTexture(w, h, format, width, height,
                           format == AEROGPU_FORMAT_D24_UNORM_S8_UINT ? AEROGPU_RESOURCE_USAGE_DEPTH_STENCIL
                                                                      : AEROGPU_RESOURCE_USAGE_TEXTURE,
                           mips, layers, a.id, pitch);
    return h;
  }
  void copy(CommandWriter& w, uint32_t dst, uint32_t src, uint32_t width, uint32_t height, bool writeBack,
            uint32_t x = 0, uint32_t y = 0) {
    aerogpu_cmd_copy_texture2d c{};
    c.dst_texture = dst;
    c.src_texture = src;
    c.dst_x = c.src_x = x;
    c.dst_y = c.src_y = y;
    c.width = width;
    c.height = height;
    c.flags = writeBack ? AEROGPU_COPY_FLAG_WRITEBACK_DST : 0;
    w.packet(c);
  }
  void copyBuffer(CommandWriter& w, uint32_t dst, uint32_t src, uint64_t size, bool writeBack,
                  uint64_t dstOffset = 0) {
    aerogpu_cmd_copy_buffer c{};
    c.dst_buffer = dst;
    c.src_buffer = src;
    c.dst_offset_bytes = dstOffset;
    c.size_bytes = size;
    c.flags = writeBack ? AEROGPU_COPY_FLAG_WRITEBACK_DST : 0;
    w.packet(c);
  }
  /// Forgets what was imported so far.
  void beginImports() { m_asked = importsAsked(); }
  /// Expects a number of imports since the last call of either function, or since the test's begin. Only
  /// lavapipe is asked for all transfers of these tests (host_import.h).
  void expectImports(int count) {
    const int asked = importsAsked() - std::exchange(m_asked, importsAsked());
    const bool lavapipe = std::strstr(aerogpu_renderer_device_name(gpu().renderer()), "llvmpipe") != nullptr;
    if (!deviceIsBare() && (!lavapipe || deviceProfile())) return;
    EXPECT_EQ(asked, deviceIsBare() ? 0 : count);
  }

private:
  static inline Allocation s_arena;  ///< guest memory that every test reuses
  std::vector<Allocation> m_allocations;
  uint64_t m_used = 0;
  int m_asked = 0;
};

TEST_F(InPlaceTest, UploadAndWriteBackOfAWholeTexture) {
  constexpr uint32_t kWidth = 640, kHeight = 360, kPitch = kWidth * 4;
  const Allocation in = memory(kPitch * kHeight), out = memory(kPitch * kHeight);
  const Bytes bytes = pattern(in.size, 1);
  fill(in, bytes);
  CommandWriter w;
  const uint32_t from = backed(w, kWidth, kHeight, in, kPitch), to = backed(w, kWidth, kHeight, out, kPitch);
  packets::dirtyRange(w, from, 0, in.size);
  run(w);
  expectImports(1);
  EXPECT_EQ(gpu().mappingsHeld(), 0);
  copy(w, to, from, kWidth, kHeight, true);
  run(w);
  expectImports(1);
  EXPECT_EQ(gpu().mappingsHeld(), 0);
  EXPECT_TRUE(content(out) == bytes);
}

TEST_F(InPlaceTest, RaggedOffsetsAndPitches) {
  constexpr uint32_t kWidth = 517, kHeight = 333;
  for (const auto& [skip, pitch] : {std::pair<uint64_t, uint32_t>{0, 2068},
                                    {4, 2072},
                                    {0x7FC, 2500},
                                    {0xFFC, 4000},
                                    {1, 2068},
                                    {2, 2072},
                                    {0, 2069},
                                    {3, 2071}}) {
    const bool texels = skip % 4 == 0 && pitch % 4 == 0;
    const size_t span = size_t{kHeight - 1} * pitch + kWidth * 4;
    const Allocation in = memory(size_t{kHeight} * pitch, skip), out = memory(size_t{kHeight} * pitch, skip);
    const Bytes bytes = pattern(in.size, pitch);
    fill(in, bytes);
    fill(out, Bytes(out.size, kUntouched));
    CommandWriter w;
    const uint32_t from = backed(w, kWidth, kHeight, in, pitch), to = backed(w, kWidth, kHeight, out, pitch);
    packets::dirtyRange(w, from, 0, in.size);
    copy(w, to, from, kWidth, kHeight, true);
    run(w);
    expectImports(texels ? 2 : 0);
    const Bytes got = content(out);
    for (size_t i = 0; i < got.size(); ++i)
      ASSERT_EQ(got[i], i < span && i % pitch < kWidth * 4 ? bytes[i] : kUntouched)
          << i << " at " << skip << ", " << pitch;
    packets::destroyResource(w, from);
    packets::destroyResource(w, to);
    run(w);
  }
}

// COPY-6, ALLOC-13
TEST_F(InPlaceTest, PartsOfATexture) {
  constexpr uint32_t kWidth = 1024, kHeight = 400, kPitch = kWidth * 4 + 64;
  const Allocation in = memory(kPitch * kHeight), out = memory(kPitch * kHeight);
  const Bytes bytes = pattern(in.size, 3);
  CommandWriter w;
  const uint32_t from = backed(w, kWidth, kHeight, in, kPitch), to = backed(w, kWidth, kHeight, out, kPitch);
  fill(in, Bytes(in.size, 0));
  packets::dirtyRange(w, from, 0, in.size);
  run(w);
  fill(in, bytes);
  fill(out, Bytes(out.size, kUntouched));
  beginImports();
  // From inside row 7 to inside row 300: a part of a row, rows, a part of a row.
  const size_t begin = 7 * kPitch + 100, end = 300 * kPitch + 36;
  packets::dirtyRange(w, from, begin, end - begin);
  copy(w, to, from, 900, 390, true, 60, 5);
  run(w);
  expectImports(2);
  const Bytes got = content(out);
  for (size_t y = 0; y < kHeight; ++y)
    for (size_t x = 0; x < kPitch; ++x) {
      const size_t at = y * kPitch + x;
      const bool inCopy = x >= 240 && x < 240 + 3600 && y >= 5 && y < 395;
      // A dirty range makes all texels that it touches equal to memory.
      const bool dirty = at >= begin / 4 * 4 && at < end;
      ASSERT_EQ(got[at], !inCopy ? kUntouched : dirty ? bytes[at] : 0) << x << ", " << y;
    }
}

TEST_F(InPlaceTest, MipsLayersAndEveryFormat) {
  struct {
    aerogpu_format format;
    uint32_t side;
  } const cases[] = {{AEROGPU_FORMAT_R8G8B8X8_UNORM, 515},    {AEROGPU_FORMAT_B8G8R8A8_UNORM_SRGB, 515},
                     {AEROGPU_FORMAT_B5G6R5_UNORM, 801},      {AEROGPU_FORMAT_B5G5R5A1_UNORM, 801},
                     {AEROGPU_FORMAT_D24_UNORM_S8_UINT, 515}, {AEROGPU_FORMAT_BC1_RGBA_UNORM, 1030},
                     {AEROGPU_FORMAT_BC2_RGBA_UNORM, 1030},   {AEROGPU_FORMAT_BC3_RGBA_UNORM_SRGB, 1030},
                     {AEROGPU_FORMAT_BC7_RGBA_UNORM, 1030}};
  for (const auto& c : cases) {
    const core::FormatInfo& info = *core::findFormat(c.format);
    if (deviceIsBare() && (info.blockPixels > 1 || c.format == AEROGPU_FORMAT_B5G5R5A1_UNORM)) continue;
    const uint32_t side = c.side, columns = (side - 1) / info.blockPixels + 1;
    const uint32_t pitch = columns * info.blockBytes + info.blockBytes * 3;
    // Mip 0 with its pitch, mip 1 tight, of two layers.
    const uint32_t half = side / 2, halfColumns = (half - 1) / info.blockPixels + 1;
    const size_t mip0 = size_t{pitch} * columns, mip1 = size_t{halfColumns} * info.blockBytes * halfColumns;
    const Allocation in = memory((mip0 + mip1) * 2, 16);
    const Bytes bytes = pattern(in.size, 7);
    fill(in, bytes);
    CommandWriter w;
    const uint32_t t = backed(w, side, side, in, pitch, c.format, 2, 2);
    packets::dirtyRange(w, t, 0, in.size);
    run(w);
    const int large = static_cast<int>(2 * (size_t{columns} * info.blockBytes * columns >= kInPlace)) +
                      static_cast<int>(2 * (mip1 >= kInPlace));
    EXPECT_GE(large, 2);
    expectImports(info.stencil ? 0 : large);
    for (uint32_t layer = 0; layer < 2; ++layer) {
      const Bytes got = read(t, c.format, side, side, 0, layer),
                  small = read(t, c.format, half, half, 1, layer);
      const size_t row = size_t{columns} * info.blockBytes;
      ASSERT_EQ(got.size(), row * columns) << info.name;
      for (size_t y = 0; y < columns; ++y)
        ASSERT_TRUE(std::equal(got.begin() + static_cast<ptrdiff_t>(y * row),
                               got.begin() + static_cast<ptrdiff_t>((y + 1) * row),
                               bytes.begin() + static_cast<ptrdiff_t>((mip0 + mip1) * layer + y * pitch)))
            << info.name << " layer " << layer << " row " << y;
      ASSERT_TRUE(std::equal(small.begin(), small.end(),
                             bytes.begin() + static_cast<ptrdiff_t>((mip0 + mip1) * layer + mip0)))
          << info.name << " layer " << layer;
    }
    packets::destroyResource(w, t);
    run(w);
    beginImports();
  }
}

TEST_F(InPlaceTest, BuffersThatTheGpuUses) {
  constexpr uint64_t kSize = 3'000'004;
  const Allocation in = memory(kSize, 0x124), out = memory(2 * kSize, 0x348);
  const Bytes old = pattern(kSize, 1), fresh = pattern(kSize, 2);
  CommandWriter w;
  const uint32_t from = gpu().handle(), to = gpu().handle();
  packets::createBuffer(w, from, kSize, AEROGPU_RESOURCE_USAGE_VERTEX_BUFFER, in.id);
  packets::createBuffer(w, to, 2 * kSize, AEROGPU_RESOURCE_USAGE_VERTEX_BUFFER, out.id);
  fill(in, old);
  packets::dirtyRange(w, from, 0, kSize);
  run(w);
  beginImports();
  fill(in, fresh);
  copyBuffer(w, to, from, kSize, true);
  // Neither whole nor small: not renamed, but copied after the copy above.
  packets::dirtyRange(w, from, 8, kSize - 12);
  copyBuffer(w, to, from, kSize, true, kSize);
  run(w);
  expectImports(3);
  Bytes want = old;
  want.insert(want.end(), old.begin(), old.end());
  std::copy(fresh.begin() + 8, fresh.end() - 4, want.begin() + kSize + 8);
  EXPECT_TRUE(content(out) == want);
}

// COPY-7
TEST_F(InPlaceTest, WriteBacksToTheSameBytesKeepTheirOrder) {
  constexpr uint32_t kWidth = 512, kHeight = 512, kPitch = kWidth * 4;
  const Allocation shared = memory(kPitch * kHeight);
  const auto d24 = AEROGPU_FORMAT_D24_UNORM_S8_UINT;
  CommandWriter w;
  const uint32_t color = texture(w, kBgra, kWidth, kHeight);
  const uint32_t depth = texture(w, d24, kWidth, kHeight, 1, 1, AEROGPU_RESOURCE_USAGE_DEPTH_STENCIL);
  const uint32_t other = texture(w, kBgra, kWidth, kHeight);
  const Bytes a = pattern(shared.size, 1), b = pattern(shared.size, 2), c = pattern(shared.size, 3);
  packets::upload(w, color, 0, a);
  packets::upload(w, depth, 0, b);
  packets::upload(w, other, 0, c);
  const uint32_t toColor = backed(w, kWidth, kHeight, shared, kPitch);
  const uint32_t toDepth = backed(w, kWidth, kHeight, shared, kPitch, d24);
  run(w);
  // The CPU assembles depth and stencil words once the GPU is done, whatever came after them.
  copy(w, toDepth, depth, kWidth, kHeight, true);
  copy(w, toColor, color, kWidth, kHeight, true);
  run(w);
  EXPECT_TRUE(content(shared) == a);
  copy(w, toColor, color, kWidth, kHeight, true);
  copy(w, toDepth, depth, kWidth, kHeight, true);
  run(w);
  EXPECT_TRUE(content(shared) == b);
  // Across submissions under way together, and through another packet list.
  for (const uint32_t source : {color, other, color, other}) {
    copy(w, toColor, source, kWidth, kHeight, true);
    gpu().submitAsync(w, m_context);
    w.reset();
  }
  copy(w, toDepth, depth, kWidth, kHeight, true);
  gpu().submitAsync(w, m_context);
  w.reset();
  copy(w, toColor, other, kWidth, kHeight, true);
  run(w);
  EXPECT_TRUE(content(shared) == c);
}

// ALLOC-8
TEST_F(InPlaceTest, ADirtyRangeSeesTheWriteBackBeforeIt) {
  constexpr uint32_t kWidth = 512, kHeight = 300, kPitch = kWidth * 4;
  const Allocation shared = memory(kPitch * kHeight), out = memory(kPitch * kHeight);
  CommandWriter w;
  const uint32_t source = texture(w, kBgra, kWidth, kHeight);
  const Bytes bytes = pattern(shared.size, 5);
  packets::upload(w, source, 0, bytes);
  const uint32_t written = backed(w, kWidth, kHeight, shared, kPitch);
  const uint32_t readAgain = backed(w, kWidth, kHeight, shared, kPitch);
  const uint32_t result = backed(w, kWidth, kHeight, out, kPitch);
  copy(w, written, source, kWidth, kHeight, true);
  packets::dirtyRange(w, readAgain, 0, shared.size);
  copy(w, result, readAgain, kWidth, kHeight, true);
  run(w);
  expectImports(3);
  EXPECT_TRUE(content(out) == bytes);
}

TEST_F(InPlaceTest, WhatAWriteBackReplacesWasReadBefore) {
  constexpr uint32_t kWidth = 512, kHeight = 300, kPitch = kWidth * 4;
  const Allocation shared = memory(kPitch * kHeight);
  const Bytes old = pattern(shared.size, 1), fresh = pattern(shared.size, 2);
  fill(shared, old);
  CommandWriter w;
  const uint32_t source = texture(w, kBgra, kWidth, kHeight);
  packets::upload(w, source, 0, fresh);
  const uint32_t t = backed(w, kWidth, kHeight, shared, kPitch),
                 target = backed(w, kWidth, kHeight, shared, kPitch);
  packets::dirtyRange(w, t, 0, shared.size);
  copy(w, target, source, kWidth, kHeight, true);
  run(w);
  expectImports(2);
  EXPECT_TRUE(content(shared) == fresh);
  EXPECT_TRUE(read(t, kBgra, kWidth, kHeight) == old);
}

TEST_F(InPlaceTest, FallsBackToCopies) {
  constexpr uint32_t kWidth = 640, kHeight = 360, kPitch = kWidth * 4;
  const Allocation in = memory(kPitch * kHeight), out = memory(kPitch * kHeight);
  CommandWriter w;
  const uint32_t from = backed(w, kWidth, kHeight, in, kPitch), to = backed(w, kWidth, kHeight, out, kPitch);
  run(w);
  const auto bothWays = [&](uint32_t seed) {
    const Bytes bytes = pattern(in.size, seed);
    fill(in, bytes);
    packets::dirtyRange(w, from, 0, in.size);
    copy(w, to, from, kWidth, kHeight, true);
    run(w);
    EXPECT_TRUE(content(out) == bytes) << seed;
    EXPECT_EQ(gpu().mappingsHeld(), 0);
  };
  // Memory regions end inside: no mapping is long enough.
  gpu().mappingLimit = uint64_t{32} << 10;
  bothWays(1);
  expectImports(0);
  gpu().mappingLimit = uint64_t{1} << 40;
  // The driver refuses; after many refusals it is not asked any more.
  refuseImports(true);
  for (uint32_t i = 0; i < 20; ++i) bothWays(2 + i);
  expectImports(16);
  refuseImports(false);
  // A new device starts anew.
  TearDownTestSuite();
  SetUpTestSuite();
}

// CMD-9
TEST_F(InPlaceTest, ALostGpuGivesTheMemoryBack) {
  constexpr uint32_t kWidth = 640, kHeight = 360, kPitch = kWidth * 4;
  const Allocation in = memory(kPitch * kHeight), out = memory(kPitch * kHeight);
  for (const Loss where : {Loss::AtSubmit, Loss::AtWait}) {
    CommandWriter w;
    const uint32_t from = backed(w, kWidth, kHeight, in, kPitch),
                   to = backed(w, kWidth, kHeight, out, kPitch);
    run(w);
    beginImports();
    packets::dirtyRange(w, from, 0, in.size);
    copy(w, to, from, kWidth, kHeight, true);
    loseDevice(where);
    EXPECT_GE(gpu().submit(w, m_context).result.error_count, 1u);
    expectImports(2);
    EXPECT_EQ(gpu().mappingsHeld(), 0);
    ASSERT_TRUE(aerogpu_renderer_reset(gpu().renderer()));
    for (const std::string& line : gpu().takeErrorLines())
      EXPECT_EQ(line.find("validation:"), std::string::npos) << line;
  }
}

TEST_F(InPlaceTest, SmallOnesAreCopied) {
  constexpr uint32_t kSide = 100, kPitch = kSide * 4;
  const Allocation in = memory(kPitch * kSide), out = memory(kPitch * kSide);
  const Bytes bytes = pattern(in.size, 1);
  fill(in, bytes);
  CommandWriter w;
  const uint32_t from = backed(w, kSide, kSide, in, kPitch), to = backed(w, kSide, kSide, out, kPitch);
  packets::dirtyRange(w, from, 0, in.size);
  copy(w, to, from, kSide, kSide, true);
  run(w);
  expectImports(0);
  EXPECT_TRUE(content(out) == bytes);
}

TEST_F(InPlaceTest, ManyAtATime) {
  constexpr uint32_t kWidth = 512, kHeight = 128, kPitch = kWidth * 4, kCount = 16;
  const Allocation in = memory(kPitch * kHeight * kCount);
  const Bytes bytes = pattern(in.size, 1);
  fill(in, bytes);
  CommandWriter w;
  uint32_t textures[kCount];
  for (uint32_t i = 0; i < kCount; ++i) {
    textures[i] = gpu().handle();
    Harness::createTexture(w, textures[i], kBgra, kWidth, kHeight, AEROGPU_RESOURCE_USAGE_TEXTURE, 1, 1,
                           in.id, kPitch, i * kPitch * kHeight);
  }
  run(w);
  // More than may be imported at once (256): the rest is copied.
  for (int round = 0; round < 20; ++round)
    for (const uint32_t t : textures) packets::dirtyRange(w, t, 0, kPitch * kHeight);
  run(w);
  expectImports(256);
  for (uint32_t i = 0; i < kCount; ++i) {
    const auto begin = bytes.begin() + static_cast<ptrdiff_t>(i * kPitch * kHeight);
    EXPECT_TRUE(read(textures[i], kBgra, kWidth, kHeight) == Bytes(begin, begin + kPitch * kHeight)) << i;
  }
}

}  // namespace
}  // namespace aerogpu::test
