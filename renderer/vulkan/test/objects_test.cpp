// SPDX-License-Identifier: MIT
// Buffers, textures of each kind and queries at the back ends' own interface. Contents are compared with
// arrays that the tests keep.
#include <sys/mman.h>

#include <chrono>

#include "renderer/vulkan/test/objects_fixture.h"

namespace aerogpu::test {
namespace {

/// Page-aligned memory that a GPU may read and write itself.
class Pages {
public:
  explicit Pages(size_t size)
      : m_size(size),
        m_bytes(static_cast<uint8_t*>(
            mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0))) {}
  ~Pages() { munmap(m_bytes, m_size); }
  Pages(const Pages&) = delete;
  Pages& operator=(const Pages&) = delete;
  std::span<uint8_t> bytes() const { return {m_bytes, m_size}; }

private:
  const size_t m_size;
  uint8_t* const m_bytes;
};

class LendingSource final : public ByteSource {
public:
  explicit LendingSource(std::span<uint8_t> bytes) : m_bytes(bytes) {}
  bool read(uint64_t offset, void* dst, uint64_t size) override {
    std::copy_n(m_bytes.data() + offset, size, static_cast<uint8_t*>(dst));
    return true;
  }
  std::unique_ptr<Lent> lend() override { return std::make_unique<Lent>(m_bytes.data(), m_bytes.size()); }

private:
  std::span<uint8_t> m_bytes;
};

class LendingSink final : public ByteSink {
public:
  LendingSink(std::span<uint8_t> bytes, uint64_t pitch) : m_bytes(bytes), m_pitch(pitch) {}
  Result<void> write(const uint8_t* src, uint64_t srcPitch, uint64_t rowBytes, uint64_t rows) override {
    for (uint64_t row = 0; row < rows; ++row, ++m_row)
      std::copy_n(src + row * srcPitch, rowBytes, m_bytes.data() + m_row * m_pitch);
    return {};
  }
  std::unique_ptr<Lent> lend(uint64_t& pitch) override {
    pitch = m_pitch;
    return std::make_unique<Lent>(m_bytes.data(), m_bytes.size());
  }

private:
  std::span<uint8_t> m_bytes;
  const uint64_t m_pitch;
  uint64_t m_row = 0;
};

INSTANTIATE_TEST_SUITE_P(Backends, ObjectsTest, ::testing::Values("vulkan", "null"),
                         [](const auto& info) { return std::string(info.param); });

TEST_P(ObjectsTest, ABufferIsWrittenCopiedAndRead) {
  auto from = backend().createBuffer({64, 0}), to = backend().createBuffer({64, 0});
  ASSERT_TRUE(from && to);
  const Bytes bytes = pattern(32, 1);
  SpanSource source(bytes);
  ASSERT_TRUE((*from)->write(8, 32, source));
  ASSERT_TRUE((*to)->copyFrom(20, **from, 12, 16));
  Bytes out;
  ASSERT_TRUE((*to)->read(16, 24, std::make_unique<VectorSink>(out)));
  finish();
  Bytes want(24);
  std::copy_n(bytes.begin() + 4, 16, want.begin() + 4);
  EXPECT_EQ(out, want);
}

TEST_P(ObjectsTest, AVolumeIsZeroThenWhatWasWrittenToItsBoxes) {
  Model model(7, 5, 6);
  auto gpu = texture(volume(7, 5, 6));
  ASSERT_TRUE(gpu);
  EXPECT_EQ(read(*gpu, {}, model.all()), model.bytes);
  const struct {
    Box box;
    Pitches pitches;
  } cases[] = {
      {{0, 0, 0, 7, 5, 6}, {28, 140}},  // all of it, tight
      {{2, 1, 3, 3, 2, 2}, {12, 24}},   // inside
      {{1, 0, 1, 4, 5, 3}, {20, 120}},  // rows and slices further apart, slices not by whole rows
      {{0, 4, 0, 7, 1, 6}, {28, 52}},   // one row of each slice
      {{6, 4, 5, 1, 1, 1}, {4, 4}},     // the last texel
  };
  uint32_t seed = 1;
  for (const auto& c : cases) {
    const Bytes bytes = pattern(
        (c.box.depth - 1) * c.pitches.slice + (c.box.height - 1) * c.pitches.row + uint64_t{c.box.width} * 4,
        seed++);
    write(*gpu, {}, c.box, c.pitches, bytes);
    model.write(c.box, c.pitches, bytes);
    EXPECT_EQ(read(*gpu, {}, model.all()), model.bytes) << "write " << seed;
    EXPECT_EQ(read(*gpu, {}, c.box), model.read(c.box)) << "read " << seed;
  }
}

TEST_P(ObjectsTest, TheMipsOfAVolumeHalveItsDepthToo) {
  auto gpu = texture(volume(8, 4, 6, 4));
  ASSERT_TRUE(gpu);
  Model mips[] = {{8, 4, 6}, {4, 2, 3}, {2, 1, 1}, {1, 1, 1}};
  for (uint32_t level = 0; level < 4; ++level) {
    mips[level].bytes = pattern(mips[level].bytes.size(), level + 1);
    writeTight(*gpu, {level, 0}, mips[level].all(), mips[level].bytes);
  }
  for (uint32_t level = 0; level < 4; ++level)
    EXPECT_EQ(read(*gpu, {level, 0}, mips[level].all()), mips[level].bytes) << level;
}

TEST_P(ObjectsTest, VolumesLargerThanAPieceOfStagingMemory) {
  // 4 MiB a piece: it holds several slices of the first volume, and less than one of the second.
  for (Model model : {Model(64, 64, 300), Model(1024, 1536, 2)}) {
    model.bytes = pattern(model.bytes.size(), model.depth);
    auto gpu = texture(volume(model.width, model.height, model.depth));
    ASSERT_TRUE(gpu);
    writeTight(*gpu, {}, model.all(), model.bytes);
    EXPECT_TRUE(read(*gpu, {}, model.all()) == model.bytes) << model.depth;
  }
}

TEST_P(ObjectsTest, AVolumeIsReadAndWrittenInPlace) {
  Model model(64, 40, 16);
  auto gpu = texture(volume(64, 40, 16));
  ASSERT_TRUE(gpu);
  const int asked = importsAsked();
  // Rows 320 bytes apart, slices 40 rows.
  const Pages from(size_t{320} * 40 * 16), to(size_t{320} * 40 * 16);
  const Bytes bytes = pattern(from.bytes().size(), 9);
  std::copy(bytes.begin(), bytes.end(), from.bytes().begin());
  LendingSource source(from.bytes().first(size_t{320} * 40 * 16 - 64));
  ASSERT_TRUE(gpu->write({}, model.all(), {320, uint64_t{320} * 40}, source));
  model.write(model.all(), {320, uint64_t{320} * 40}, bytes);
  ASSERT_TRUE(gpu->read({}, model.all(),
                        std::make_unique<LendingSink>(to.bytes().first(size_t{320} * 40 * 16 - 64), 320)));
  finish();
  for (uint32_t z = 0; z < 16; ++z)
    for (uint32_t y = 0; y < 40; ++y)
      ASSERT_TRUE(std::equal(model.texel(0, y, z), model.texel(0, y, z) + 256,
                             to.bytes().begin() + static_cast<ptrdiff_t>(z * 40 + y) * 320))
          << y << " of slice " << z;
  EXPECT_EQ(read(*gpu, {}, model.all()), model.bytes);
  if (isNull() || importsAsked() == asked) return;  // a device without the extension copies
  EXPECT_EQ(importsAsked() - asked, 2);
}

TEST_P(ObjectsTest, BoxesOfVolumesAreCopied) {
  Model from(6, 6, 6), to(8, 4, 5), slice(6, 6, 1);
  auto src = texture(volume(6, 6, 6)), dst = texture(volume(8, 4, 5));
  auto layers = texture(flat(6, 6, 3));
  ASSERT_TRUE(src && dst && layers);
  from.bytes = pattern(from.bytes.size(), 3);
  writeTight(*src, {}, from.all(), from.bytes);
  const Box box{1, 2, 3, 5, 3, 2};
  ASSERT_TRUE(dst->copyFrom({}, 3, 1, 2, *src, {}, box));
  to.write({3, 1, 2, 5, 3, 2}, {20, 60}, from.read(box));
  EXPECT_EQ(read(*dst, {}, to.all()), to.bytes);
  // Within itself, from slices 0..1 to 4..5.
  ASSERT_TRUE(src->copyFrom({}, 0, 0, 4, *src, {}, {0, 0, 0, 6, 6, 2}));
  from.write({0, 0, 4, 6, 6, 2}, {24, 144}, from.read({0, 0, 0, 6, 6, 2}));
  EXPECT_EQ(read(*src, {}, from.all()), from.bytes);
  // A slice to a layer, and back to another slice.
  ASSERT_TRUE(layers->copyFrom({0, 2}, 0, 0, 0, *src, {}, {0, 0, 3, 6, 6, 1}));
  ASSERT_TRUE(src->copyFrom({}, 0, 0, 0, *layers, {0, 2}, {0, 0, 0, 6, 6, 1}));
  slice.bytes = from.read({0, 0, 3, 6, 6, 1});
  from.write({0, 0, 0, 6, 6, 1}, {24, 144}, slice.bytes);
  EXPECT_EQ(read(*layers, {0, 2}, slice.all()), slice.bytes);
  EXPECT_EQ(read(*src, {}, from.all()), from.bytes);
}

TEST_P(ObjectsTest, ABlockCompressedVolumeHasItsSlicesApart) {
  if (!isNull() && deviceIsBare()) return;  // has no block compression
  // 8x8 texels are 2x2 blocks of 8 bytes.
  auto gpu = texture(volume(8, 8, 3, 1, AEROGPU_FORMAT_BC1_RGBA_UNORM));
  ASSERT_TRUE(gpu);
  EXPECT_EQ(read(*gpu, {}, {0, 0, 0, 8, 8, 3}), Bytes(96));
  const Bytes bytes = pattern(64, 5);
  write(*gpu, {}, {0, 0, 1, 8, 8, 2}, {16, 32}, bytes);
  Bytes want(32);
  want.insert(want.end(), bytes.begin(), bytes.end());
  EXPECT_EQ(read(*gpu, {}, {0, 0, 0, 8, 8, 3}), want);
  EXPECT_EQ(read(*gpu, {}, {4, 4, 2, 4, 4, 1}), Bytes(bytes.begin() + 56, bytes.end()));
}

TEST_P(ObjectsTest, TheFacesOfACubeAreItsLayers) {
  TextureDesc desc = flat(4, 4, 6);
  desc.kind = TextureKind::Cube;
  desc.mipLevels = 3;
  auto gpu = texture(desc);
  ASSERT_TRUE(gpu);
  std::vector<Model> faces;
  for (uint32_t face = 0; face < 6; ++face) {
    Model& model = faces.emplace_back(2, 2, 1);
    model.bytes = pattern(16, face);
    writeTight(*gpu, {1, face}, model.all(), model.bytes);
  }
  ASSERT_TRUE(gpu->copyFrom({1, 5}, 0, 1, 0, *gpu, {1, 2}, {0, 0, 0, 2, 1}));
  faces[5].write({0, 1, 0, 2, 1}, {8, 0}, faces[2].read({0, 0, 0, 2, 1}));
  for (uint32_t face = 0; face < 6; ++face) {
    EXPECT_EQ(read(*gpu, {1, face}, faces[face].all()), faces[face].bytes) << face;
    EXPECT_EQ(read(*gpu, {0, face}, {0, 0, 0, 4, 4}), Bytes(64)) << face;
  }
}

TEST_P(ObjectsTest, SamplesAreClearedCopiedAndResolved) {
  const TextureDesc four = flat(8, 8, 1, 4);
  auto source = texture(four), copy = texture(four), out = texture(flat(8, 8));
  ASSERT_TRUE(source && copy && out);
  Model model(8, 8, 1);
  // New memory is zero in every sample.
  model.bytes = pattern(model.bytes.size(), 1);
  writeTight(*out, {}, model.all(), model.bytes);
  ASSERT_TRUE(out->resolveFrom({}, *copy, {}, {2, 1, 0, 3, 4}));
  model.write({2, 1, 0, 3, 4}, {12, 0}, Bytes(48));
  EXPECT_EQ(read(*out, {}, model.all()), model.bytes);

  clear(source, four, {1, 0.2f, 0, 0.4f});  // bytes B, G, R, A: 0, 51, 255, 102
  ASSERT_TRUE(copy->copyFrom({}, 4, 4, 0, *source, {}, {0, 0, 0, 4, 4}));
  ASSERT_TRUE(out->resolveFrom({}, *copy, {}, model.all()));
  Model want(8, 8, 1);
  for (uint32_t y = 4; y < 8; ++y)
    for (uint32_t x = 4; x < 8; ++x)
      std::copy_n(std::array<uint8_t, 4>{0, 51, 255, 102}.data(), 4, want.texel(x, y, 0));
  EXPECT_EQ(read(*out, {}, model.all()), want.bytes);
}

TEST_P(ObjectsTest, WhatIsNoTextureOfTheDeviceIsRefused) {
  if (isNull()) return;  // takes every size
  TextureDesc desc = flat(8, 8);
  desc.samples = 16;  // lavapipe has 1 and 4
  EXPECT_FALSE(backend().createTexture(desc));
  EXPECT_FALSE(backend().createTexture(volume(1, 1, 1u << 20)));
}

TEST_P(ObjectsTest, TargetsAreOfOneSampleCount) {
  if (isNull()) return;  // draws nothing
  const TextureDesc descs[] = {flat(8, 8, 1, 4), flat(8, 8), volume(8, 8, 2)};
  std::vector<Ref<Texture>> textures;
  for (const TextureDesc& desc : descs) {
    textures.push_back(makeRef<Texture>());
    textures.back()->desc = desc;
    textures.back()->gpu = texture(desc);
    ASSERT_TRUE(textures.back()->gpu);
  }
  DrawState state;
  state.colorTargetCount = 2;
  ClearArgs args;
  args.color = true;
  const auto clearOf = [&](size_t first, size_t second) {
    state.colorTargets[0].texture = textures[first];
    state.colorTargets[1].texture = textures[second];
    state.dirty = kDirtyAll;
    return bool{backend().clear(state, args)};
  };
  EXPECT_TRUE(clearOf(1, 1));
  EXPECT_FALSE(clearOf(0, 1));
  EXPECT_TRUE(clearOf(2, 1)) << "a slice of a volume";
  finish();
  EXPECT_TRUE(backend().recover());
}

TEST_P(ObjectsTest, AnOcclusionQueryCountsSamplesOfItsDraws) {
  if (isNull()) return;                // draws nothing; see below
  const bool exact = !deviceIsBare();  // else: only whether any sample passed
  auto query = backend().createQuery(QueryKind::Occlusion);
  ASSERT_TRUE(query);
  Painter painter(backend(), flat(16, 8));
  Bytes none, two, spread;
  painter.draw();
  ASSERT_TRUE((*query)->begin({}));
  ASSERT_TRUE((*query)->end());
  ASSERT_TRUE((*query)->result(std::make_unique<VectorSink>(none)));
  ASSERT_TRUE((*query)->begin({}));
  painter.draw();
  painter.draw();
  ASSERT_TRUE((*query)->end());
  painter.draw();
  ASSERT_TRUE((*query)->result(std::make_unique<VectorSink>(two)));
  // Over 150 batches, more than the slots of a pool and the slots kept of one query, and a submission's end.
  ASSERT_TRUE((*query)->begin({}));
  for (int batch = 0; batch < 150; ++batch) {
    painter.draw();
    ASSERT_TRUE(backend().flush());
  }
  finish();
  painter.draw();
  ASSERT_TRUE((*query)->end());
  ASSERT_TRUE((*query)->result(std::make_unique<VectorSink>(spread)));
  finish();
  EXPECT_EQ(number(none), 0u);
  if (exact) {
    EXPECT_EQ(number(two), 2u * 16 * 8);
    EXPECT_EQ(number(spread), 151u * 16 * 8);
  } else {
    EXPECT_GT(number(two), 0u);
    EXPECT_GT(number(spread), 0u);
  }
}

TEST_P(ObjectsTest, AQueryThatEndsBetweenBatchesOrDiesWhileItCounts) {
  auto query = backend().createQuery(QueryKind::Occlusion);
  auto dying = backend().createQuery(QueryKind::Occlusion);
  ASSERT_TRUE(query && dying);
  ASSERT_TRUE((*query)->begin({}));
  ASSERT_TRUE((*dying)->begin({}));
  finish();
  ASSERT_TRUE((*query)->end());
  Bytes out;
  ASSERT_TRUE((*query)->result(std::make_unique<VectorSink>(out)));
  dying->reset();
  finish();
  EXPECT_EQ(number(out), 0u);
}

TEST_P(ObjectsTest, OcclusionQueriesOverlap) {
  if (isNull() || deviceIsBare()) return;  // draws nothing, or does not count
  auto outer = backend().createQuery(QueryKind::Occlusion),
       inner = backend().createQuery(QueryKind::Occlusion);
  ASSERT_TRUE(outer && inner);
  Painter painter(backend(), flat(16, 8));
  Bytes all, some;
  ASSERT_TRUE((*outer)->begin({}));
  painter.draw();
  ASSERT_TRUE((*inner)->begin({}));
  painter.draw();
  ASSERT_TRUE(backend().flush());
  painter.draw();
  ASSERT_TRUE((*outer)->end());
  painter.draw();
  ASSERT_TRUE((*inner)->end());
  ASSERT_TRUE((*outer)->result(std::make_unique<VectorSink>(all)));
  ASSERT_TRUE((*inner)->result(std::make_unique<VectorSink>(some)));
  finish();
  EXPECT_EQ(number(all), 3u * 16 * 8);
  EXPECT_EQ(number(some), 3u * 16 * 8);
}

TEST_P(ObjectsTest, TimestampsAreNanosecondsThatGoOn) {
  auto first = backend().createQuery(QueryKind::Timestamp);
  if (!isNull() && deviceIsBare()) {
    EXPECT_FALSE(first) << "a device without timestamps";
    return;
  }
  auto second = backend().createQuery(QueryKind::Timestamp);
  ASSERT_TRUE(first && second);
  const auto before = std::chrono::steady_clock::now();
  Bytes early, late;
  ASSERT_TRUE((*first)->end());
  ASSERT_TRUE((*first)->result(std::make_unique<VectorSink>(early)));
  finish();
  ASSERT_TRUE((*second)->end());
  ASSERT_TRUE((*second)->result(std::make_unique<VectorSink>(late)));
  finish();
  const std::chrono::nanoseconds passed = std::chrono::steady_clock::now() - before;
  EXPECT_GT(number(late), number(early));
  EXPECT_LE(number(late) - number(early), static_cast<uint64_t>(passed.count()));
}

}  // namespace
}  // namespace aerogpu::test
