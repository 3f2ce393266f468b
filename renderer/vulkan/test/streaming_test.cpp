// SPDX-License-Identifier: MIT
// Buffers that are updated while draws under way read them: pictures and bytes against a model that works
// sequentially.
#include <algorithm>
#include <future>
#include <random>

#include "renderer/test/seeds.h"
#include "renderer/vulkan/test/draw_fixture.h"

namespace aerogpu::test {
namespace {

constexpr uint32_t kSide = 64, kVertexBytes = 8;

/// A point is eight bytes of any value: x and y, a color. So ranges may cut points.
class StreamingTest : public DrawTest {
protected:
  /// A buffer as the guest knows it.
  struct Model {
    uint32_t handle = 0;
    Allocation backing{};  ///< id 0: none
    Bytes bytes{};
    std::vector<bool> known{};  ///< not lost to a DISCARD
    std::vector<bool> used{};   ///< by packets since the last DISCARD, or since all was waited for
  };

  void SetUp() override {
    DrawTest::SetUp();
    CommandWriter w;
    m_big = texture(w, kBgra, kSide, kSide);
    bindShaders(
        w,
        shader(w,
               "vs_2_0\ndcl_position v0\ndcl_color v1\ndef c1, 0, 0, 0.5, 1\nmad r0, v0, c0.xyzz, c0.zwzz\n"
               "mov r0.zw, c1\nmov oPos, r0\nmov oD0, v1\n"),
        m_ps);
    // r is x, g is y.
    constantsF(w, AEROGPU_SHADER_STAGE_VERTEX, 0, {{255.0f / 32, -255.0f / 32, -1, 1}});
    layout(w, {{0, 0, 4, 0, 0, 0}, {0, 4, 4, 0, 10, 0}});
    target(w, m_big);
    viewport(w, 0, 0, kSide, kSide);
    clearColor(w, 0, 0, 0, 0);
    topology(w, AEROGPU_TOPOLOGY_POINTLIST);
    run(w);
    m_pixels.assign(size_t{kSide} * kSide * 4, 0);
  }

  uint32_t below(uint64_t end) { return static_cast<uint32_t>(m_random() % end); }
  /// Makes new contents for `size` bytes from byte `at` of a buffer: x and y inside of the target.
  void points(std::span<uint8_t> out, uint64_t at) {
    for (size_t i = 0; i < out.size(); ++i) {
      const uint64_t place = (at + i) % kVertexBytes;  // b, g, r, a of the place; of the color
      out[i] = static_cast<uint8_t>(place < 4 ? below(kSide) : m_random());
    }
  }
  Model buffer(CommandWriter& w, uint32_t bytes, bool backed) {
    Model m;
    m.handle = gpu().handle();
    if (backed) m.backing = gpu().allocate(bytes);
    packets::createBuffer(w, m.handle, bytes, AEROGPU_RESOURCE_USAGE_VERTEX_BUFFER, m.backing.id);
    m.bytes.resize(bytes);
    points(m.bytes, 0);
    packets::upload(w, m.handle, 0, m.bytes);
    m.known.assign(bytes, true);
    m.used.assign(bytes, false);
    return m;
  }
  static bool all(const std::vector<bool>& flags, uint64_t lo, uint64_t hi, bool value) {
    return std::all_of(flags.begin() + static_cast<ptrdiff_t>(lo), flags.begin() + static_cast<ptrdiff_t>(hi),
                       [&](bool f) { return f == value; });
  }
  static void set(std::vector<bool>& flags, uint64_t lo, uint64_t hi, bool value) {
    std::fill(flags.begin() + static_cast<ptrdiff_t>(lo), flags.begin() + static_cast<ptrdiff_t>(hi), value);
  }

  void update(CommandWriter& w, Model& m, uint64_t lo, uint64_t hi) {
    const uint64_t size = hi - lo;
    Bytes fresh(size);
    points(fresh, lo);
    uint32_t flags = 0;
    const uint32_t kind = below(6);
    if (kind == 0 && size <= 4096) {
      packets::upload(w, m.handle, lo, fresh);
    } else if (kind <= 2 && m.backing.id != 0) {
      // The memory is read when the packet runs, before submit() returns; one range at a time.
      submitSoFar(w);
      std::ranges::copy(fresh, gpu().bytes(m.backing).begin() + static_cast<ptrdiff_t>(lo));
      packets::dirtyRange(w, m.handle, lo, size);
      submitSoFar(w);
    } else {
      if (m_ringAt + size > m_ring.size) {
        submitSoFar(w);
        gpu().waitIdle();
        m_ringAt = 0;
      }
      std::ranges::copy(fresh, gpu().bytes(m_ring).begin() + static_cast<ptrdiff_t>(m_ringAt));
      if (all(m.used, lo, hi, false) && below(3)) flags |= AEROGPU_EXT_UPDATE_NO_OVERWRITE;
      if (below(8) == 0) flags = AEROGPU_EXT_UPDATE_DISCARD;
      w.packet(aerogpu_cmd_ext_update_buffer{.buffer = m.handle,
                                             .flags = flags,
                                             .dst_offset_bytes = lo,
                                             .size_bytes = size,
                                             .src_alloc_id = m_ring.id,
                                             .src_offset_bytes = m_ringAt});
      m_ringAt += size;
    }
    if (flags & AEROGPU_EXT_UPDATE_DISCARD) {
      set(m.known, 0, m.known.size(), false);
      set(m.used, 0, m.used.size(), false);
    }
    std::ranges::copy(fresh, m.bytes.begin() + static_cast<ptrdiff_t>(lo));
    set(m.known, lo, hi, true);
  }
  void paint(Model& m, uint64_t at) {
    const uint8_t* v = m.bytes.data() + at;
    std::copy_n(v + 4, 4, m_pixels.begin() + (v[1] * kSide + v[2]) * 4);
    set(m.used, at, at + kVertexBytes, true);
  }
  void submitSoFar(CommandWriter& w) {
    gpu().submitAsync(w, m_context);
    w.reset();
  }
  void bindIndices(CommandWriter& w, uint32_t handle, bool wide, uint32_t offset) {
    aerogpu_cmd_set_index_buffer c{};
    c.buffer = handle;
    c.format = wide ? AEROGPU_INDEX_FORMAT_UINT32 : AEROGPU_INDEX_FORMAT_UINT16;
    c.offset_bytes = offset;
    w.packet(c);
  }

  std::mt19937 m_random{oracleSeed(8)};
  uint32_t m_big = 0;
  Bytes m_pixels;
  Allocation m_ring{};
  uint64_t m_ringAt = 0;
};

// COPY-7, UPD-1, UPD-14, UPD-8: ranges of every kind between draws of every kind, with much work under way.
TEST_F(StreamingTest, RandomUpdatesAndDraws) {
  m_ring = gpu().allocate(uint64_t{4} << 20);
  const Allocation back = gpu().allocate(uint64_t{2} << 20);
  CommandWriter w;
  Model models[] = {buffer(w, 1024, false), buffer(w, 40000, true), buffer(w, 3u << 19, true),
                    buffer(w, 200000, false)};
  Model& indices = models[3];
  // A second buffer for indices, whose bytes are not points.
  const uint32_t indexHandle = gpu().handle();
  constexpr uint32_t kIndexBytes = 8192;
  packets::createBuffer(w, indexHandle, kIndexBytes, AEROGPU_RESOURCE_USAGE_INDEX_BUFFER);
  (void)indices;
  run(w);
  uint64_t draws = 0;
  for (int round = 0; round < 40; ++round) {
    clearColor(w, 0, 0, 0, 0);
    std::ranges::fill(m_pixels, uint8_t{0});
    // A round streams forward, stays in one place, or jumps about.
    const uint32_t manner = below(3);
    uint64_t forward = 0;
    Model& m = models[below(4)];
    const uint64_t size = m.bytes.size();
    for (int step = 0; step < 60; ++step) {
      uint64_t lo, length = 1 + below(std::min<uint64_t>(size, below(10) ? 700 : 9000));
      if (manner == 0) {
        lo = (forward + 7) & ~uint64_t{7};
        if (lo + length > size) lo = 0;
        if (lo + length > size) length = size;
        forward = lo + length;
      } else {
        lo = manner == 1 ? 0 : below(size - length + 1);
      }
      update(w, m, lo, lo + length);
      // Vertices in it, or around it, whose bytes are all known.
      const uint64_t count = size / kVertexBytes;
      uint64_t first = std::min<uint64_t>((lo + kVertexBytes - 1) / kVertexBytes, count - 1);
      uint64_t vertices = std::max<uint64_t>(1, length / kVertexBytes);
      if (below(6) == 0) {
        first -= std::min<uint64_t>(first, below(5));
        vertices += below(300);
      }
      vertices = std::min(vertices, count - first);
      while (vertices != 0 && !all(m.known, first * kVertexBytes, (first + vertices) * kVertexBytes, true))
        vertices /= 2;
      if (vertices == 0) continue;
      ++draws;
      const uint32_t offset = below(3) ? 0 : below(first + 1) * kVertexBytes;
      stream(w, 0, m.handle, kVertexBytes, offset);
      const auto from = static_cast<uint32_t>(first - offset / kVertexBytes);
      if (below(3)) {
        draw(w, static_cast<uint32_t>(vertices), 1, from);
        for (uint64_t v = first; v < first + vertices; ++v) paint(m, v * kVertexBytes);
        continue;
      }
      // By indices in any order, which are streamed too.
      const bool wide = below(2);
      const uint32_t n = 1 + below(200), base = below(from + 1);
      Bytes list(size_t{n} * (wide ? 4 : 2));
      std::vector<uint32_t> numbers(n);
      bool fits = true;
      for (uint32_t i = 0; i < n; ++i) {
        numbers[i] = from - base + below(vertices);
        fits &= wide || numbers[i] < 65536;
        std::memcpy(list.data() + size_t{i} * (wide ? 4 : 2), &numbers[i], wide ? 4 : 2);
      }
      if (!fits) continue;
      const uint32_t place = below((kIndexBytes - list.size()) / 4) * 4;
      packets::upload(w, indexHandle, place, list);
      const uint32_t skip = below(place / 4 + 1) * 4;
      bindIndices(w, indexHandle, wide, skip);
      drawIndexed(w, n, (place - skip) / (wide ? 4 : 2), static_cast<int32_t>(base));
      for (const uint32_t number : numbers) paint(m, (uint64_t{number} + base) * kVertexBytes + offset);
    }
    if (below(4) == 0) {
      // Reads all of it at once: a copy on the GPU to another buffer and back to memory.
      Model& other = models[(static_cast<size_t>(&m - models) + 1) % 4];
      const uint64_t bytes = std::min(m.bytes.size(), other.bytes.size()) & ~uint64_t{3};
      w.packet(
          aerogpu_cmd_copy_buffer{.dst_buffer = other.handle, .src_buffer = m.handle, .size_bytes = bytes});
      std::copy_n(m.bytes.begin(), bytes, other.bytes.begin());
      std::copy_n(m.known.begin(), bytes, other.known.begin());
      set(m.used, 0, bytes, true);
      set(other.used, 0, bytes, true);
    }
    if (below(2)) {
      // The frame goes on in the next submission, while this one is under way.
      submitSoFar(w);
      continue;
    }
    run(w);
    const Bytes got = read(m_big, kBgra, kSide, kSide);
    ASSERT_EQ(got, m_pixels) << "round " << round << ", manner " << manner << ", buffer of " << size;
    for (Model& b : models) {
      const Bytes bytes = gpu().readBuffer(b.handle, b.bytes.size());
      for (size_t i = 0; i < bytes.size(); ++i)
        if (b.known[i]) {
          ASSERT_EQ(bytes[i], b.bytes[i]) << "round " << round << ", byte " << i << " of " << b.bytes.size();
        }
      set(b.used, 0, b.used.size(), false);
    }
  }
  EXPECT_GT(draws, 1000u);
  (void)back;
}

// UPD-14: a promise concerns draws, not earlier updates, which the GPU may still have to carry out.
TEST_F(StreamingTest, PromisedUpdatesStayBehindOtherUpdates) {
  constexpr uint32_t kBytes = 3u << 20, kLarge = 2u << 20;  // more than a window holds
  const Allocation memory = gpu().allocate(kLarge + 4096);
  CommandWriter w;
  Model m = buffer(w, kBytes, false);
  run(w);
  points(gpu().bytes(memory), 0);
  const auto update = [&](uint64_t to, uint64_t size, uint64_t from, uint32_t flags) {
    w.packet(aerogpu_cmd_ext_update_buffer{.buffer = m.handle,
                                           .flags = flags,
                                           .dst_offset_bytes = to,
                                           .size_bytes = size,
                                           .src_alloc_id = memory.id,
                                           .src_offset_bytes = from});
    std::copy_n(gpu().bytes(memory).begin() + static_cast<ptrdiff_t>(from), size,
                m.bytes.begin() + static_cast<ptrdiff_t>(to));
  };
  stream(w, 0, m.handle, kVertexBytes);
  draw(w, 4, 1, (1u << 20) / kVertexBytes);
  update(0, kLarge, 0, 0);
  update(96, 800, kLarge, AEROGPU_EXT_UPDATE_NO_OVERWRITE);
  draw(w, 100, 1, 12);
  run(w);
  EXPECT_TRUE(gpu().readBuffer(m.handle, kBytes) == m.bytes);
}

/// Each draw samples one texel of a texture that is updated between all draws.
class TextureStreamingTest : public DrawTest {
protected:
  void SetUp() override {
    DrawTest::SetUp();
    CommandWriter w;
    m_texture = texture(w, kBgra, kSize, kSize);
    m_memory = gpu().allocate(uint64_t{1} << 20);
    bindShaders(w, shader(w, "vs_2_0\ndcl_position v0\nmov oPos, v0\nmov oT0, c0\n"),
                shader(w, "ps_2_0\ndcl t0.xy\ndcl_2d s0\ntexld r0, t0, s0\nmov oC0, r0\n"));
    setTexture(w, 0, m_texture);
    for (const uint32_t filter : {uint32_t{kMagFilter}, uint32_t{kMinFilter}}) samplerState(w, 0, filter, 1);
    layout(w, {{0, 0, 2, 0, 0, 0}});
    std::vector<Vertex> points;
    for (uint32_t i = 0; i < kSize * kSize; ++i)
      points.push_back(at(static_cast<float>(i % kSize), static_cast<float>(i / kSize), 0));
    stream(w, 0, vertexBuffer(w, points), sizeof(Vertex));
    topology(w, AEROGPU_TOPOLOGY_POINTLIST);
    run(w);
  }
  void update(CommandWriter& w, uint32_t x, uint32_t y, uint32_t width, uint32_t color, uint32_t flags) {
    for (uint32_t i = 0; i < width; ++i) std::memcpy(gpu().bytes(m_memory).data() + m_at + i * 4, &color, 4);
    w.packet(aerogpu_cmd_ext_update_texture{.texture = m_texture,
                                            .flags = flags,
                                            .x = x,
                                            .y = y,
                                            .width = width,
                                            .height = 1,
                                            .depth = 1,
                                            .src_alloc_id = m_memory.id,
                                            .src_offset_bytes = m_at});
    m_at += width * 4;
  }
  /// Copies texel x, y of a texture of `side` texels to pixel `to`.
  void sample(CommandWriter& w, uint32_t x, uint32_t y, uint32_t to, uint32_t side = kSize) {
    const auto texels = static_cast<float>(side);
    constantsF(w, AEROGPU_SHADER_STAGE_VERTEX, 0,
               {{(static_cast<float>(x) + 0.5f) / texels, (static_cast<float>(y) + 0.5f) / texels, 0, 1}});
    draw(w, 1, 1, to);
  }
  static uint32_t word(const Bytes& bytes, uint32_t i) {
    uint32_t out;
    std::memcpy(&out, bytes.data() + size_t{i} * 4, 4);
    return out;
  }

  uint32_t m_texture = 0;
  Allocation m_memory{};
  uint32_t m_at = 0;
};

// UPD-14, UPD-8, COPY-7
TEST_F(TextureStreamingTest, PromisesKeepTheOrderThatCounts) {
  std::mt19937 random(oracleSeed(9));
  const auto below = [&](uint32_t end) { return static_cast<uint32_t>(random() % end); };
  CommandWriter w;
  std::vector<uint32_t> texels(kSize * kSize);
  std::vector<bool> known(kSize * kSize, true), used(kSize * kSize, false);
  for (int round = 0; round < 30; ++round) {
    clearColor(w, 0, 0, 0, 0);
    std::vector<uint32_t> want(kSize * kSize);
    m_at = 0;
    for (uint32_t i = 0; i < kSize * kSize; ++i) {
      const uint32_t x = below(kSize), y = below(kSize), width = 1 + below(kSize - x);
      const uint32_t color = random();
      bool free = true;
      for (uint32_t j = x; j < x + width; ++j) free &= !used[y * kSize + j];
      uint32_t flags = free ? AEROGPU_EXT_UPDATE_NO_OVERWRITE : 0;
      if (below(12) == 0) {
        flags |= AEROGPU_EXT_UPDATE_DISCARD;
        known.assign(known.size(), false);
        used.assign(used.size(), false);
      }
      update(w, x, y, width, color, flags);
      for (uint32_t j = x; j < x + width; ++j) {
        texels[y * kSize + j] = color;
        known[y * kSize + j] = true;
      }
      uint32_t from = below(2) ? y * kSize + x + below(width) : below(kSize * kSize);
      if (!known[from]) from = y * kSize + x;
      sample(w, from % kSize, from / kSize, i);
      want[i] = texels[from];
      used[from] = true;
      if (below(40) == 0) {
        gpu().submitAsync(w, m_context);
        w.reset();
      }
    }
    run(w);
    const Bytes got = result();
    for (uint32_t i = 0; i < kSize * kSize; ++i) ASSERT_EQ(word(got, i), want[i]) << round << ", draw " << i;
    used.assign(used.size(), false);
    const Bytes bytes = read(m_texture, kBgra, kSize, kSize);
    for (uint32_t i = 0; i < kSize * kSize; ++i)
      if (known[i]) {
        ASSERT_EQ(word(bytes, i), texels[i]) << round << ", texel " << i;
      }
  }
}

/// An idle GPU copies boxes ahead of the batch: 64 at a time, at most 16 times. A busy one gets all with the
/// batch.
TEST_F(TextureStreamingTest, PromisedBoxesGoAheadToAnIdleGpu) {
  constexpr uint32_t kWide = 64;
  const struct {
    uint32_t boxes;
    bool busy;
    int ahead;
  } cases[] = {{64, false, 0}, {200, false, 3}, {200, true, 0}, {1500, false, 16}};
  for (const auto& c : cases) {
    SCOPED_TRACE(testing::Message() << c.boxes << " boxes, busy " << c.busy);
    m_at = 0;
    CommandWriter w;
    m_texture = texture(w, kBgra, kWide, kWide);
    setTexture(w, 0, m_texture);
    run(w);
    gpu().waitIdle();
    std::promise<void> go;
    int batches = batchesSubmitted();
    if (c.busy) {
      // The submission ends when it has been read back, which is not before `go`.
      gpu().onGuestAccess = [gone = go.get_future().share()](uint64_t, bool write) {
        if (write) gone.wait();
      };
      sample(w, 0, 0, 0, kWide);
      w.packet(aerogpu_cmd_ext_read_texture{.texture = m_target,
                                            .width = 1,
                                            .height = 1,
                                            .depth = 1,
                                            .dst_alloc_id = m_memory.id,
                                            .dst_offset_bytes = uint64_t{512} << 10});
      gpu().submitAsync(w, m_context);
      w.reset();
      ++batches;
    }
    const auto color = [&](uint32_t i) { return 0xFF000000 | (i * 7 + 1); };
    clearColor(w, 0, 0, 0, 0);
    sample(w, kWide - 1, kWide - 1, 0, kWide);  // the texture is in use
    for (uint32_t i = 0; i < c.boxes; ++i) {
      update(w, i % kWide, i / kWide, 1, color(i), AEROGPU_EXT_UPDATE_NO_OVERWRITE);
      sample(w, i % kWide, i / kWide, i % (kSize * kSize), kWide);
    }
    gpu().submitAsync(w, m_context);
    EXPECT_EQ(batchesSubmitted() - batches, 1 + c.ahead);
    go.set_value();
    gpu().waitIdle();
    gpu().onGuestAccess = nullptr;
    for (const FinishedSubmission& each : gpu().takeFinished()) EXPECT_EQ(each.result.error_count, 0u);
    const Bytes drawn = result(), texels = read(m_texture, kBgra, kWide, kWide);
    for (uint32_t i = 0; i < kWide * kWide; ++i)
      ASSERT_EQ(word(texels, i), i < c.boxes ? color(i) : 0) << "texel " << i;
    for (uint32_t i = 0; i < c.boxes; ++i)
      if (i + kSize * kSize >= c.boxes) {
        ASSERT_EQ(word(drawn, i % (kSize * kSize)), color(i)) << "draw " << i;
      }
  }
}

// UPD-14: a promise does not concern other updates. Large ones are copied from guest memory, each by its own
// command; the validation layer checks that overlapping ones are ordered.
TEST_F(TextureStreamingTest, PromisedBoxesThatMeetKeepTheirOrder) {
  constexpr uint32_t kWide = 256, kBox = 128, kBytes = kBox * kBox * 4;
  const Allocation memory = gpu().allocate(2 * kBytes);
  std::ranges::fill(gpu().bytes(memory).first(kBytes), 0x11);
  std::ranges::fill(gpu().bytes(memory).subspan(kBytes), 0x22);
  CommandWriter w;
  m_texture = texture(w, kBgra, kWide, kWide);
  setTexture(w, 0, m_texture);
  sample(w, kSize - 1, kSize - 1, 0);
  const uint32_t places[] = {0, kBox / 2};
  for (uint32_t i = 0; i < 2; ++i)
    w.packet(aerogpu_cmd_ext_update_texture{.texture = m_texture,
                                            .flags = AEROGPU_EXT_UPDATE_NO_OVERWRITE,
                                            .x = places[i],
                                            .y = places[i],
                                            .width = kBox,
                                            .height = kBox,
                                            .depth = 1,
                                            .src_alloc_id = memory.id,
                                            .src_row_pitch_bytes = kBox * 4,
                                            .src_offset_bytes = uint64_t{i} * kBytes});
  run(w);
  const Bytes got = read(m_texture, kBgra, kWide, kWide);
  for (uint32_t y = 0; y < kWide; ++y)
    for (uint32_t x = 0; x < kWide; ++x) {
      const auto in = [&](uint32_t from) { return x - from < kBox && y - from < kBox; };
      const uint32_t want = in(places[1]) ? 0x22222222 : in(places[0]) ? 0x11111111 : 0;
      ASSERT_EQ(word(got, y * kWide + x), want) << x << ", " << y;
    }
}

}  // namespace
}  // namespace aerogpu::test
