// SPDX-License-Identifier: MIT
// Buffers and textures of each kind at the back ends' own interface, `vulkan` and `null` alike: ABI 1.4 has
// no packets for volumes, cubes and samples. Contents are held against arrays that the tests keep.
#include <dlfcn.h>
#include <gtest/gtest.h>
#include <sys/mman.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "aerogpu/d3d9/assembler.h"
#include "renderer/core/backend_config.h"
#include "renderer/core/guest_memory.h"
#include "renderer/core/input_layout.h"
#include "renderer/test/vulkan_device_rules.h"
#include "renderer/test/vulkan_double.h"

namespace aerogpu::test {
namespace {

using Bytes = std::vector<uint8_t>;
using namespace core;

constexpr aerogpu_format kBgra = AEROGPU_FORMAT_B8G8R8A8_UNORM;

Bytes pattern(size_t size, uint32_t seed) {
  Bytes out(size);
  for (uint8_t& b : out) {
    seed = seed * 1664525u + 1013904223u;
    b = static_cast<uint8_t>(seed >> 24);
  }
  return out;
}

/// Appends what it is given to a vector.
class VectorSink final : public ByteSink {
public:
  explicit VectorSink(Bytes& out) : m_out(out) {}
  Result<void> write(const uint8_t* src, uint64_t srcPitch, uint64_t rowBytes, uint64_t rows) override {
    for (uint64_t row = 0; row < rows; ++row)
      m_out.insert(m_out.end(), src + row * srcPitch, src + row * srcPitch + rowBytes);
    return {};
  }

private:
  Bytes& m_out;
};

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

class ObjectsTest : public ::testing::TestWithParam<const char*> {
protected:
  void SetUp() override {
    if (isNull()) {
      m_backend = null::createBackend(m_config);
      return;
    }
    // Leaks inside drivers can be suppressed by name only while the driver is still loaded.
    for (const char* library : {"libvulkan_lvp.so", "libVkLayer_khronos_validation.so"})
      dlopen(library, RTLD_NOW | RTLD_NODELETE);
    m_config.validation = true;
    std::string error;
    aerogpu_renderer_prepare_process(nullptr, nullptr, 0);  // if it fails, the log says so
    m_backend = vk::createBackend(m_config, error);
    ASSERT_TRUE(m_backend) << error;
  }
  void TearDown() override {
    m_backend.reset();
    for (const std::string& line : m_lines) ADD_FAILURE() << line;
    for (const std::string& rule : takeBrokenRules()) ADD_FAILURE() << "rule of the device broken: " << rule;
  }
  static bool isNull() { return std::string(GetParam()) == "null"; }

  Backend& backend() { return *m_backend; }
  std::unique_ptr<GpuTexture> texture(const TextureDesc& desc) {
    auto made = backend().createTexture(desc);
    EXPECT_TRUE(made) << made.error().what;
    return made ? std::move(*made) : nullptr;
  }
  static TextureDesc volume(uint32_t width, uint32_t height, uint32_t depth, uint32_t mips = 1,
                            aerogpu_format format = kBgra) {
    TextureDesc desc;
    desc.kind = TextureKind::Volume;
    desc.format = format;
    desc.width = width;
    desc.height = height;
    desc.depth = depth;
    desc.mipLevels = mips;
    return desc;
  }
  static TextureDesc flat(uint32_t width, uint32_t height, uint32_t layers = 1, uint32_t samples = 1) {
    TextureDesc desc;
    desc.format = kBgra;
    desc.width = width;
    desc.height = height;
    desc.arrayLayers = layers;
    desc.samples = samples;
    return desc;
  }

  static void write(GpuTexture& to, Subresource sub, const Box& box, Pitches pitches, const Bytes& bytes) {
    SpanSource source(bytes);
    const auto written = to.write(sub, box, pitches, source);
    EXPECT_TRUE(written) << written.error().what;
  }
  static void writeTight(GpuTexture& to, Subresource sub, const Box& box, const Bytes& bytes) {
    write(to, sub, box, {uint64_t{box.width} * 4, uint64_t{box.width} * 4 * box.height}, bytes);
  }
  Bytes read(GpuTexture& from, Subresource sub, const Box& box) {
    Bytes out;
    const auto read = from.read(sub, box, std::make_unique<VectorSink>(out));
    EXPECT_TRUE(read) << read.error().what;
    finish();
    return out;
  }
  /// Ends a submission, waits for it and expects no error.
  void finish() {
    struct Done final : Completion {
      void completed(const std::optional<Error>& gpuError, aerogpu_frame*) override {
        EXPECT_FALSE(gpuError) << gpuError->what << gpuError->detail;
      }
    };
    backend().endSubmission(std::make_unique<Done>());
    EXPECT_TRUE(backend().waitIdle(UINT64_MAX));
  }
  /// Fills `target` by a clear of it as a render target.
  void clear(std::unique_ptr<GpuTexture>& target, const TextureDesc& desc, std::array<float, 4> rgba) {
    auto texture = makeRef<Texture>();
    texture->desc = desc;
    texture->layout = *TextureLayout::make(desc, 0);
    texture->gpu = std::move(target);
    DrawState state;
    state.dirty = kDirtyAll;
    state.colorTargetCount = 1;
    state.colorTargets[0].texture = texture;
    state.viewport = {0, 0, static_cast<float>(desc.width), static_cast<float>(desc.height), 0, 1};
    ClearArgs args;
    args.color = true;
    args.rgba = rgba;
    const auto cleared = backend().clear(state, args);
    EXPECT_TRUE(cleared) << cleared.error().what;
    finish();
    EXPECT_TRUE(backend().recover());  // lets go of the targets
    target = std::move(texture->gpu);
  }

private:
  static void onLog(void* self, enum aerogpu_log_level level, const char* line) {
    if (level == AEROGPU_LOG_ERROR) static_cast<ObjectsTest*>(self)->m_lines.emplace_back(line);
  }
  HostMemory m_hostMemory{uint64_t{1} << 30};
  Stats m_stats;
  std::vector<std::string> m_lines;
  Log m_log{onLog, this};
  std::atomic<bool> m_interrupted{false}, m_closing{false};
  BackendConfig m_config{m_hostMemory, m_stats, m_log, m_interrupted, m_closing, {}, {}, false};
  std::unique_ptr<Backend> m_backend;
};
INSTANTIATE_TEST_SUITE_P(Backends, ObjectsTest, ::testing::Values("vulkan", "null"),
                         [](const auto& info) { return std::string(info.param); });

/// Texels of 4 bytes in a box, as the tests keep them.
struct Model {
  Model(uint32_t width, uint32_t height, uint32_t depth)
      : width(width), height(height), depth(depth), bytes(size_t{width} * height * depth * 4) {}
  uint32_t width, height, depth;
  Bytes bytes;

  uint8_t* texel(uint32_t x, uint32_t y, uint32_t z) {
    return bytes.data() + ((size_t{z} * height + y) * width + x) * 4;
  }
  void write(const Box& box, Pitches pitches, const Bytes& from) {
    for (uint32_t z = 0; z < box.depth; ++z)
      for (uint32_t y = 0; y < box.height; ++y)
        std::copy_n(from.data() + z * pitches.slice + y * pitches.row, size_t{box.width} * 4,
                    texel(box.x, box.y + y, box.z + z));
  }
  Bytes read(const Box& box) {
    Bytes out;
    for (uint32_t z = 0; z < box.depth; ++z)
      for (uint32_t y = 0; y < box.height; ++y) {
        const uint8_t* row = texel(box.x, box.y + y, box.z + z);
        out.insert(out.end(), row, row + size_t{box.width} * 4);
      }
    return out;
  }
  Box all() const { return {0, 0, 0, width, height, depth}; }
};

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
  // 4 MiB a piece: of the first volume several slices fit, of the second not one.
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

TEST_P(ObjectsTest, TargetsAreOfOneSampleCountAndNoVolumes) {
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
  EXPECT_FALSE(clearOf(2, 1));
  finish();
  EXPECT_TRUE(backend().recover());
}

/// A triangle over all of a target, drawn at the back end's interface.
class Painter {
public:
  Painter(Backend& backend, const TextureDesc& desc) : m_backend(backend) {
    const auto shader = [&](Stage stage, const char* source) {
      const d3d9::Assembly assembly = d3d9::assemble(source);
      EXPECT_TRUE(assembly.ok()) << assembly.errorText();
      auto out = makeRef<Shader>();
      const auto* bytes = reinterpret_cast<const uint8_t*>(assembly.tokens.data());
      auto made = backend.createShader(stage, {bytes, assembly.tokens.size() * 4}, out->family);
      EXPECT_TRUE(made);
      if (made) out->gpu = std::move(*made);
      m_state.shaders[static_cast<size_t>(stage)] = out;
    };
    shader(Stage::Vertex, "vs_2_0\ndcl_position v0\nmov oPos, v0\n");
    shader(Stage::Pixel, "ps_2_0\ndef c0, 1, 1, 1, 1\nmov oC0, c0\n");
    auto layout = makeRef<InputLayout>();
    constexpr uint32_t kPosition = 0, kFloat4 = 3;  // D3DDECLUSAGE, D3DDECLTYPE
    const uint8_t declaration[16] = {0, 0, 0, 0, kFloat4, 0, kPosition, 0, 0xFF, 0, 0, 0, 17, 0, 0, 0};
    auto elements = parseInputLayout(declaration);
    EXPECT_TRUE(elements);
    layout->elements = std::move(*elements);
    layout->gpu = std::move(*backend.createInputLayout(layout->elements));
    m_state.inputLayout = layout;
    constexpr float kCorners[3][4] = {{-2, 2, 0, 1}, {10, 2, 0, 1}, {-2, -10, 0, 1}};
    auto corners = makeRef<Buffer>();
    corners->desc.sizeBytes = sizeof kCorners;
    corners->gpu = std::move(*backend.createBuffer(corners->desc));
    SpanSource source({reinterpret_cast<const uint8_t*>(kCorners), sizeof kCorners});
    EXPECT_TRUE(corners->gpu->write(0, sizeof kCorners, source));
    m_state.vertexStreams[0] = {corners, 16, 0};
    auto target = makeRef<Texture>();
    target->desc = desc;
    target->gpu = std::move(*backend.createTexture(desc));
    m_state.colorTargetCount = 1;
    m_state.colorTargets[0].texture = target;
    m_state.viewport = {0, 0, static_cast<float>(desc.width), static_cast<float>(desc.height), 0, 1};
    m_state.topology = Topology::TriangleList;
    m_state.rasterizer.cull = CullMode::None;
    m_state.dirty = kDirtyAll;
  }
  ~Painter() {
    m_state = {};
    EXPECT_TRUE(m_backend.recover());  // lets go of the targets
  }
  void draw() {
    const auto drawn = m_backend.draw(m_state, {3, 1, 0, 0});
    EXPECT_TRUE(drawn) << drawn.error().what;
  }

private:
  Backend& m_backend;
  DrawState m_state;
};

uint64_t number(const Bytes& bytes) {
  uint64_t out = 0;
  EXPECT_EQ(bytes.size(), sizeof out);
  if (bytes.size() == sizeof out) std::memcpy(&out, bytes.data(), sizeof out);
  return out;
}

TEST_P(ObjectsTest, AnOcclusionQueryCountsSamplesOfItsDraws) {
  if (isNull()) return;                // draws nothing; see below
  const bool exact = !deviceIsBare();  // else: whether there was any
  auto query = backend().createQuery(QueryKind::Occlusion);
  ASSERT_TRUE(query);
  Painter painter(backend(), flat(16, 8));
  Bytes none, two, spread;
  painter.draw();
  ASSERT_TRUE((*query)->begin());
  ASSERT_TRUE((*query)->end());
  ASSERT_TRUE((*query)->result(std::make_unique<VectorSink>(none)));
  ASSERT_TRUE((*query)->begin());
  painter.draw();
  painter.draw();
  ASSERT_TRUE((*query)->end());
  painter.draw();
  ASSERT_TRUE((*query)->result(std::make_unique<VectorSink>(two)));
  // Over 40 batches, more than the slots of a pool, and a submission's end.
  ASSERT_TRUE((*query)->begin());
  for (int batch = 0; batch < 40; ++batch) {
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
    EXPECT_EQ(number(spread), 41u * 16 * 8);
  } else {
    EXPECT_GT(number(two), 0u);
    EXPECT_GT(number(spread), 0u);
  }
}

TEST_P(ObjectsTest, AQueryThatEndsBetweenBatchesOrDiesWhileItCounts) {
  auto query = backend().createQuery(QueryKind::Occlusion);
  auto dying = backend().createQuery(QueryKind::Occlusion);
  ASSERT_TRUE(query && dying);
  ASSERT_TRUE((*query)->begin());
  ASSERT_TRUE((*dying)->begin());
  finish();
  ASSERT_TRUE((*query)->end());
  Bytes out;
  ASSERT_TRUE((*query)->result(std::make_unique<VectorSink>(out)));
  dying->reset();
  finish();
  EXPECT_EQ(number(out), 0u);
}

TEST_P(ObjectsTest, OcclusionQueriesOverlap) {
  if (isNull() || deviceIsBare()) return;  // draw nothing, or do not count
  auto outer = backend().createQuery(QueryKind::Occlusion),
       inner = backend().createQuery(QueryKind::Occlusion);
  ASSERT_TRUE(outer && inner);
  Painter painter(backend(), flat(16, 8));
  Bytes all, some;
  ASSERT_TRUE((*outer)->begin());
  painter.draw();
  ASSERT_TRUE((*inner)->begin());
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
