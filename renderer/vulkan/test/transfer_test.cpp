// SPDX-License-Identifier: MIT
// Resources and transfers on the GPU: zeroed memory, uploads, copies, write-back, clears, frames, the memory
// cap.
#include "renderer/core/format.h"
#include "renderer/vulkan/test/gpu_test.h"

namespace aerogpu::test {
namespace {

constexpr aerogpu_format kBgra = AEROGPU_FORMAT_B8G8R8A8_UNORM;

Bytes pattern(size_t size, uint32_t seed) {
  Bytes out(size);
  for (uint8_t& b : out) {
    seed = seed * 1664525u + 1013904223u;
    b = static_cast<uint8_t>(seed >> 24);
  }
  return out;
}

class TransferTest : public GpuTest {
protected:
  void copyTexture(CommandWriter& w, uint32_t dst, uint32_t dx, uint32_t dy, uint32_t src, uint32_t sx,
                   uint32_t sy, uint32_t width, uint32_t height) {
    aerogpu_cmd_copy_texture2d c{};
    c.dst_texture = dst;
    c.src_texture = src;
    c.dst_x = dx;
    c.dst_y = dy;
    c.src_x = sx;
    c.src_y = sy;
    c.width = width;
    c.height = height;
    w.packet(c);
  }
};

// OBJ-4
TEST_F(TransferTest, NewResourcesAreZero) {
  // Over 4 MiB each, so that each has its own block of memory, which the next resource of that size gets
  // again.
  struct {
    aerogpu_format format;
    uint32_t width, height;
    size_t bytes;
  } const cases[] = {{kBgra, 1024, 1056, 4u * 1024 * 1056},
                     {AEROGPU_FORMAT_B5G6R5_UNORM, 1024, 2112, 2u * 1024 * 2112},
                     {AEROGPU_FORMAT_BC1_RGBA_UNORM, 4096, 2112, 8u * 1024 * 528},
                     {AEROGPU_FORMAT_BC7_RGBA_UNORM, 2048, 2112, 16u * 512 * 528},
                     {AEROGPU_FORMAT_D24_UNORM_S8_UINT, 1024, 1056, 4u * 1024 * 1056},
                     {AEROGPU_FORMAT_D32_FLOAT, 1024, 1056, 4u * 1024 * 1056}};
  // Fills a resource with bytes that are not zero, destroys it, and lets its memory come back.
  const auto dirtyMemoryOf = [&](CommandWriter& w, uint32_t handle, size_t bytes) {
    const uint32_t other = texture(w, kBgra, 1, 1);
    packets::upload(w, handle, 0, Bytes(bytes, 0x3F));
    run(w);
    packets::destroyResource(w, handle);
    for (int batch = 0; batch < 2; ++batch) {  // the first may use it, the second gives it back first
      packets::upload(w, other, 0, pattern(4, 1));
      run(w);
    }
  };
  for (const auto& c : cases) {
    if (deviceIsBare() && core::findFormat(c.format)->blockPixels > 1) continue;
    CommandWriter w;
    const auto make = [&] {
      return texture(w, c.format, c.width, c.height, 1, 1, AEROGPU_RESOURCE_USAGE_TEXTURE);
    };
    dirtyMemoryOf(w, make(), c.bytes);
    const uint32_t t = make();
    run(w);
    EXPECT_TRUE(read(t, c.format, c.width, c.height) == Bytes(c.bytes, 0)) << c.format;
  }
  constexpr size_t kBufferBytes = 5u << 20;
  CommandWriter w;
  const uint32_t before = gpu().handle(), b = gpu().handle();
  packets::createBuffer(w, before, kBufferBytes, AEROGPU_RESOURCE_USAGE_VERTEX_BUFFER);
  dirtyMemoryOf(w, before, kBufferBytes);
  packets::createBuffer(w, b, kBufferBytes, AEROGPU_RESOURCE_USAGE_VERTEX_BUFFER);
  run(w);
  EXPECT_TRUE(gpu().readBuffer(b, kBufferBytes) == Bytes(kBufferBytes, 0));
}

TEST_F(TransferTest, FlushHandsOverWhatCameBeforeIt) {
  // PRES-8. The dirty range after it makes the renderer read guest memory in the middle of the submission: by
  // then the queue has the clear; without a FLUSH it has nothing.
  const Allocation memory = gpu().allocate(1024);
  for (const bool flushes : {true, false}) {
    CommandWriter w;
    const uint32_t t = texture(w, kBgra, 16, 16), later = gpu().handle();
    Harness::createTexture(w, later, kBgra, 16, 16, AEROGPU_RESOURCE_USAGE_TEXTURE, 1, 1, memory.id, 64);
    run(w);
    target(w, t);
    clearColor(w, 1, 0, 0, 1);
    if (flushes) w.packet(AEROGPU_CMD_FLUSH, aerogpu_cmd_flush{});
    packets::dirtyRange(w, later, 0, 1024);
    const int before = batchesSubmitted();
    int seen = -1;
    gpu().onGuestAccess = [&](uint64_t gpa, bool) {
      if (gpa == memory.gpa && seen < 0) seen = batchesSubmitted() - before;
    };
    run(w);
    gpu().onGuestAccess = nullptr;
    EXPECT_EQ(seen, flushes ? 1 : 0);
    EXPECT_EQ(batchesSubmitted() - before, flushes ? 2 : 1);
  }
}

TEST_F(TransferTest, ADirtyRangeSeesTheWriteBacksBeforeIt) {
  // Packets run in order, within a submission and from one to the next (ALLOC-8, SUB-1).
  const Bytes bytes = pattern(1024, 7);
  const Allocation memory = gpu().allocate(bytes.size());
  CommandWriter w;
  const uint32_t source = texture(w, kBgra, 16, 16);
  packets::upload(w, source, 0, bytes);
  const uint32_t middle = gpu().handle(), other = gpu().handle(), late = gpu().handle();
  for (const uint32_t t : {middle, other, late})
    Harness::createTexture(w, t, kBgra, 16, 16, AEROGPU_RESOURCE_USAGE_TEXTURE, 1, 1, memory.id, 64);
  aerogpu_cmd_copy_texture2d c{};
  c.dst_texture = middle;
  c.src_texture = source;
  c.width = c.height = 16;
  c.flags = AEROGPU_COPY_FLAG_WRITEBACK_DST;
  w.packet(c);
  packets::dirtyRange(w, other, 0, bytes.size());
  gpu().submitAsync(w, m_context);
  CommandWriter next;
  packets::dirtyRange(next, late, 0, bytes.size());
  run(next);
  EXPECT_EQ(read(other, kBgra, 16, 16), bytes);
  EXPECT_EQ(read(late, kBgra, 16, 16), bytes);
  gpu().forget(memory);
}

// ALLOC-14
TEST_F(TransferTest, FormatsKeepTheirBytes) {
  struct {
    aerogpu_format format;
    size_t bytes;
  } const cases[] = {
      {kBgra, 4},
      {AEROGPU_FORMAT_R8G8B8A8_UNORM, 4},
      {AEROGPU_FORMAT_B8G8R8X8_UNORM, 4},
      {AEROGPU_FORMAT_R8G8B8X8_UNORM_SRGB, 4},
      {AEROGPU_FORMAT_B5G6R5_UNORM, 2},
      {AEROGPU_FORMAT_B5G5R5A1_UNORM, 2},
      {AEROGPU_FORMAT_D24_UNORM_S8_UINT, 4},
  };
  for (const auto& c : cases) {
    CommandWriter w;
    const uint32_t t = texture(w, c.format, 13, 7, 1, 1, AEROGPU_RESOURCE_USAGE_TEXTURE);
    const Bytes data = pattern(size_t{13} * 7 * c.bytes, c.format);
    packets::upload(w, t, 0, data);
    run(w);
    EXPECT_EQ(read(t, c.format, 13, 7), data) << c.format;
  }
  for (const aerogpu_format format : {AEROGPU_FORMAT_BC1_RGBA_UNORM, AEROGPU_FORMAT_BC2_RGBA_UNORM,
                                      AEROGPU_FORMAT_BC3_RGBA_UNORM_SRGB, AEROGPU_FORMAT_BC7_RGBA_UNORM}) {
    if (deviceIsBare()) break;  // the device has none of these
    CommandWriter w;
    const uint32_t t = texture(w, format, 20, 12, 1, 1, AEROGPU_RESOURCE_USAGE_TEXTURE);
    const size_t block = format == AEROGPU_FORMAT_BC1_RGBA_UNORM ? 8 : 16;
    const Bytes data = pattern(size_t{5} * 3 * block, format);
    packets::upload(w, t, 0, data);
    run(w);
    EXPECT_EQ(read(t, format, 20, 12), data) << format;
  }
}

// COPY-2, ALLOC-10
TEST_F(TransferTest, UploadOfOddRangesTouchesOnlyThem) {
  CommandWriter w;
  const uint32_t t = texture(w, kBgra, 8, 8, 3, 2);
  // Packed layout: 8x8, 4x4, 2x2 of layer 0, then of layer 1.
  const size_t layer = size_t{64 + 16 + 4} * 4;
  const Bytes all = pattern(layer * 2, 7);
  packets::upload(w, t, 0, all);
  Bytes expected(all.begin(), all.begin() + 256);
  const Bytes patch = pattern(40, 9);
  packets::upload(w, t, 36, patch);
  std::copy(patch.begin(), patch.end(), expected.begin() + 36);
  run(w);
  EXPECT_EQ(read(t, kBgra, 8, 8), expected);
  EXPECT_EQ(read(t, kBgra, 2, 2, 2, 1), Bytes(all.begin() + layer + 320, all.begin() + layer + 336));

  const uint32_t b = gpu().handle();
  packets::createBuffer(w, b, 64, AEROGPU_RESOURCE_USAGE_VERTEX_BUFFER);
  packets::upload(w, b, 3, pattern(7, 1));
  run(w);
  Bytes want(64, 0);
  const Bytes seven = pattern(7, 1);
  std::copy(seven.begin(), seven.end(), want.begin() + 3);
  EXPECT_EQ(gpu().readBuffer(b, 64), want);
}

// COPY-7
TEST_F(TransferTest, BufferCopiesInOrderWithUploads) {
  CommandWriter w;
  const Bytes first = pattern(256, 1), second = pattern(256, 2);
  const uint32_t a = buffer(w, first.data(), 256, AEROGPU_RESOURCE_USAGE_VERTEX_BUFFER);
  const uint32_t b = gpu().handle();
  packets::createBuffer(w, b, 512, AEROGPU_RESOURCE_USAGE_VERTEX_BUFFER);
  aerogpu_cmd_copy_buffer c{};
  c.dst_buffer = b;
  c.src_buffer = a;
  c.size_bytes = 256;
  w.packet(c);
  packets::upload(w, a, 0, second);  // after the copy
  c.dst_offset_bytes = 256;
  w.packet(c);
  packets::upload(w, b, 8, std::span(second).first(4));  // the GPU has written b by then
  run(w);
  Bytes want = first;
  want.insert(want.end(), second.begin(), second.end());
  std::copy_n(second.begin(), 4, want.begin() + 8);
  EXPECT_EQ(gpu().readBuffer(b, 512), want);
}

// COPY-4
TEST_F(TransferTest, TextureCopies) {
  CommandWriter w;
  const uint32_t a = texture(w, kBgra, 16, 16), b = texture(w, kBgra, 16, 16);
  const Bytes data = pattern(1024, 5);
  packets::upload(w, a, 0, data);
  copyTexture(w, b, 5, 6, a, 1, 2, 7, 3);
  copyTexture(w, a, 8, 8, a, 0, 0, 8, 8);  // within one image
  run(w);
  Bytes wantB(data.size(), 0), wantA = data;
  for (size_t y = 0; y < 3; ++y)
    std::copy_n(data.data() + ((y + 2) * 16 + 1) * 4, 28, wantB.data() + ((y + 6) * 16 + 5) * 4);
  for (size_t y = 0; y < 8; ++y) std::copy_n(data.data() + y * 64, 32, wantA.data() + ((y + 8) * 16 + 8) * 4);
  EXPECT_EQ(read(b, kBgra, 16, 16), wantB);
  EXPECT_EQ(read(a, kBgra, 16, 16), wantA);
}

// DRAW-6, ALLOC-14
TEST_F(TransferTest, ClearsColorDepthAndStencil) {
  CommandWriter w;
  const uint32_t t = texture(w, kBgra, 8, 8);
  const uint32_t d =
      texture(w, AEROGPU_FORMAT_D24_UNORM_S8_UINT, 8, 8, 1, 1, AEROGPU_RESOURCE_USAGE_DEPTH_STENCIL);
  target(w, t, d);
  Harness::clear(w, AEROGPU_CLEAR_COLOR | AEROGPU_CLEAR_DEPTH | AEROGPU_CLEAR_STENCIL, 1, 0.2f, 0.4f, 0.6f,
                 0.5f, 0x42);
  run(w);
  // Blue first: 0.4, 0.2, 1, 0.6 of 255.
  EXPECT_EQ(pixel(read(t, kBgra, 8, 8), 8, 3, 3), (Pixel{102, 51, 255, 153}));
  const Bytes ds = read(d, AEROGPU_FORMAT_D24_UNORM_S8_UINT, 8, 8);
  uint32_t word;
  std::memcpy(&word, ds.data(), 4);
  EXPECT_EQ(word >> 24, 0x42u);
  EXPECT_NEAR(static_cast<double>(word & 0xFFFFFF), 0.5 * 0xFFFFFF, 1.0);
  // Stencil alone leaves depth alone.
  Harness::clear(w, AEROGPU_CLEAR_STENCIL, 0, 0, 0, 0, 0, 7);
  run(w);
  uint32_t after;
  std::memcpy(&after, read(d, AEROGPU_FORMAT_D24_UNORM_S8_UINT, 8, 8).data(), 4);
  EXPECT_EQ(after, (word & 0xFFFFFFu) | 7u << 24);
}

// DRAW-6
TEST_F(TransferTest, D3d9ClearIsLimitedByViewportAndScissor) {
  CommandWriter w;
  const uint32_t t = texture(w, kBgra, 8, 8);
  target(w, t);
  viewport(w, 2, 1, 5, 6);
  clearColor(w, 1, 1, 1, 1);
  renderState(w, kScissorTestEnable, 1u);
  scissor(w, 0, 3, 4, 5);
  clearColor(w, 1, 0, 0, 1);
  run(w);
  const Bytes got = read(t, kBgra, 8, 8);
  for (uint32_t y = 0; y < 8; ++y)
    for (uint32_t x = 0; x < 8; ++x) {
      const bool inViewport = x >= 2 && x < 7 && y >= 1 && y < 7;
      const bool inScissor = x < 4 && y >= 3;
      const Pixel want = !inViewport ? Pixel{0, 0, 0, 0}
                         : inScissor ? Pixel{0, 0, 255, 255}
                                     : Pixel{255, 255, 255, 255};
      EXPECT_EQ(pixel(got, 8, x, y), want) << x << "," << y;
    }
}

// LIM-14
TEST_F(TransferTest, MemoryCapIsEnforced) {
  Harness::Options options;
  options.backend = "vulkan";
  options.maxHostmem = uint64_t{8} << 20;
  Harness small(options);
  ASSERT_TRUE(small.ok()) << small.createError();
  CommandWriter w;
  Harness::createTexture(w, 1, kBgra, 1024, 1024, AEROGPU_RESOURCE_USAGE_TEXTURE);  // 4 MiB
  EXPECT_EQ(small.submit(w).result.error_count, 0u);
  w.reset();
  Harness::createTexture(w, 2, kBgra, 1024, 1024, AEROGPU_RESOURCE_USAGE_TEXTURE);
  const FinishedSubmission refused = small.submit(w);
  EXPECT_EQ(refused.result.last_error_code, static_cast<uint32_t>(AEROGPU_ERROR_BACKEND));
  w.reset();
  packets::destroyResource(w, 1);
  Harness::createTexture(w, 2, kBgra, 1024, 1024, AEROGPU_RESOURCE_USAGE_TEXTURE);
  EXPECT_EQ(small.submit(w).result.error_count, 0u);
}

// LIST-4
TEST_F(TransferTest, AScatterListIsReadAfterAnEarlierWriteBackIntoIt) {
  constexpr uint64_t kPage = 4096;
  const Allocation before = gpu().allocate(kPage), after = gpu().allocate(kPage),
                   list = gpu().allocate(kPage);
  const Bytes old = pattern(kPage, 5), fresh = pattern(kPage, 6);
  std::copy(old.begin(), old.end(), gpu().bytes(before).begin());
  std::copy(fresh.begin(), fresh.end(), gpu().bytes(after).begin());
  std::memcpy(gpu().bytes(list).data(), &before.gpa, 8);
  const Allocation scattered = gpu().name(list.gpa, kPage, AEROGPU_ALLOC_FLAG_EXT_SCATTER);
  const uint32_t words = gpu().handle(), inList = gpu().handle(), first = gpu().handle(),
                 then = gpu().handle();
  CommandWriter w;
  packets::createBuffer(w, words, 8, 0);
  packets::upload(w, words, 0, {reinterpret_cast<const uint8_t*>(&after.gpa), 8});
  packets::createBuffer(w, inList, 8, 0, list.id);
  packets::createBuffer(w, first, kPage, 0, scattered.id);
  packets::createBuffer(w, then, kPage, 0, scattered.id);
  packets::dirtyRange(w, first, 0, kPage);
  const uint32_t target = texture(w, kBgra, 2048, 2048, 1, 1, AEROGPU_RESOURCE_USAGE_RENDER_TARGET);
  packets::setTargets(w, std::array{target});
  run(w);
  // Work that keeps the GPU busy for a while, then the write-back.
  for (int i = 0; i < 20; ++i) Harness::clear(w, AEROGPU_CLEAR_COLOR, 0.1f * static_cast<float>(i), 0, 0, 1);
  aerogpu_cmd_copy_buffer copy{};
  copy.dst_buffer = inList;
  copy.src_buffer = words;
  copy.size_bytes = 8;
  copy.flags = AEROGPU_COPY_FLAG_WRITEBACK_DST;
  w.packet(copy);
  gpu().submitAsync(w, m_context);
  w.reset();
  packets::dirtyRange(w, then, 0, kPage);
  run(w);
  EXPECT_EQ(gpu().readBuffer(first, kPage), old);
  EXPECT_EQ(gpu().readBuffer(then, kPage), fresh);
  for (const Allocation& a : {before, after, list, scattered}) gpu().forget(a);
}

// LIST-1
TEST_F(TransferTest, ScatteredBackingsBothWays) {
  constexpr uint32_t kSide = 100, kPitch = 1000;
  constexpr size_t kBytes = size_t{kSide} * kPitch;
  const Allocation in = gpu().allocateScattered(kBytes), out = gpu().allocateScattered(kBytes);
  const Bytes bytes = pattern(kBytes, 9);
  for (size_t i = 0; i < bytes.size(); ++i) gpu().scatteredByte(in, i) = bytes[i];
  const uint32_t from = gpu().handle(), to = gpu().handle();
  CommandWriter w;
  for (const auto& [handle, memory] : {std::pair{from, in}, std::pair{to, out}})
    Harness::createTexture(w, handle, kBgra, kSide, kSide, AEROGPU_RESOURCE_USAGE_TEXTURE, 1, 1, memory.id,
                           kPitch);
  packets::dirtyRange(w, from, 0, bytes.size());
  aerogpu_cmd_copy_texture2d copy{};
  copy.dst_texture = to;
  copy.src_texture = from;
  copy.width = copy.height = kSide;
  copy.flags = AEROGPU_COPY_FLAG_WRITEBACK_DST;
  w.packet(copy);
  run(w);
  for (size_t y = 0; y < kSide; ++y)
    for (size_t x = 0; x < kPitch; ++x)
      ASSERT_EQ(gpu().scatteredByte(out, y * kPitch + x), x < size_t{kSide} * 4 ? bytes[y * kPitch + x] : 0)
          << x << ", " << y;
  for (const Allocation& a : {in, out}) gpu().forget(a);
}

}  // namespace
}  // namespace aerogpu::test
