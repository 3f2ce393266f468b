// SPDX-License-Identifier: MIT
// The capability block (docs/abi/extensions.md, "Capabilities"): its limits are those that packets meet.
#include <algorithm>
#include <bit>
#include <cstring>
#include <map>

#include "aerogpu/aerogpu_caps.h"
#include "renderer/core/caps.h"
#include "renderer/core/caps_base.h"
#include "renderer/core/spaces.h"
#include "renderer/test/expect.h"

namespace {

using namespace aerogpu;
using test::expectError;
using test::expectGood;
using test::Harness;

class CapsTest : public testing::TestWithParam<const char*> {
protected:
  void SetUp() override {
    ASSERT_TRUE(h.ok()) << h.createError();
    size_t size = 0;
    const void* block = aerogpu_renderer_caps(h.renderer(), &size);
    ASSERT_GE(size, sizeof caps);
    std::memcpy(&caps, block, sizeof caps);
    EXPECT_EQ(caps.size_bytes, size);
    names = static_cast<const char*>(block);
  }
  test::FinishedSubmission texture(uint32_t width, uint32_t height, uint32_t layers) {
    CommandWriter w;
    const uint32_t handle = h.handle();
    Harness::createTexture(w, handle, AEROGPU_FORMAT_R8G8B8A8_UNORM, width, height, 0, 1, layers);
    const auto finished = h.submit(w);
    CommandWriter drop;
    packets::destroyResource(drop, handle);
    if (finished.result.error_count == 0) expectGood(h.submit(drop));
    return finished;
  }

  static constexpr uint64_t kHostmem = uint64_t{300} << 20;
  Harness h{Harness::Options{.backend = GetParam(), .maxHostmem = kHostmem}};
  aerogpu_caps caps{};
  const char* names = nullptr;
};

// CAPS-2, CAPS-3
TEST_P(CapsTest, NamesTheGpu) {
  EXPECT_EQ(std::string(names + caps.device_name_offset), aerogpu_renderer_device_name(h.renderer()));
  EXPECT_EQ(std::string(names + caps.driver_name_offset).empty(), std::string(GetParam()) == "null");
}

// CAPS-4, OBJ-6
TEST_P(CapsTest, TexturesMeetTheirLimits) {
  expectGood(texture(caps.max_texture_2d, 1, 1));
  expectGood(texture(1, caps.max_texture_2d, 1));
  expectGood(texture(1, 1, caps.max_array_layers));
  expectError(texture(caps.max_texture_2d + 1, 1, 1), AEROGPU_ERROR_OOB);
  expectError(texture(1, caps.max_texture_2d + 1, 1), AEROGPU_ERROR_OOB);
  expectError(texture(1, 1, caps.max_array_layers + 1), AEROGPU_ERROR_OOB);
}

// CAPS-4, OBJ-5, LIM-14
TEST_P(CapsTest, BuffersMeetTheirLimits) {
  EXPECT_EQ(caps.max_host_bytes, kHostmem);
  ASSERT_GT(caps.max_buffer_bytes, kHostmem);
  CommandWriter w;
  packets::createBuffer(w, 1, caps.max_buffer_bytes + 4);
  expectError(h.submit(w), AEROGPU_ERROR_OOB);
  w.reset();
  packets::createBuffer(w, 1, caps.max_buffer_bytes);
  expectError(h.submit(w), AEROGPU_ERROR_BACKEND);
}

// CAPS-4
TEST_P(CapsTest, OtherLimitsArePossible) {
  EXPECT_EQ(caps.max_objects, core::Spaces::kMaxObjects);
  EXPECT_TRUE(caps.color_samples & 1);
  EXPECT_TRUE(caps.depth_samples & 1);
  EXPECT_LE(std::bit_width(caps.color_samples | caps.depth_samples), 5);
  EXPECT_GE(caps.max_anisotropy, 1u);
  // Vulkan 1.3, "Required Limits".
  EXPECT_GE(caps.max_texture_volume, 256u);
  EXPECT_GE(caps.max_texture_cube, 4096u);
}

// CAPS-5
TEST_P(CapsTest, EveryFormatHasAnEntry) {
  ASSERT_GE(caps.format_entry_bytes, sizeof(aerogpu_format_caps));
  ASSERT_LE(caps.formats_offset + uint64_t{caps.format_count} * caps.format_entry_bytes, caps.size_bytes);
  std::map<uint32_t, aerogpu_format_caps> entries;
  for (uint32_t i = 0; i < caps.format_count; ++i) {
    aerogpu_format_caps entry;
    std::memcpy(&entry, names + caps.formats_offset + size_t{i} * caps.format_entry_bytes, sizeof entry);
    EXPECT_TRUE(entries.emplace(entry.format, entry).second) << entry.format << " has two entries";
  }
  // The formats are those that packets know: asks for every number around those of the protocol.
  for (uint32_t format = 0; format < 0x1300; ++format)
    EXPECT_EQ(entries.contains(format), core::findFormat(format) != nullptr) << format;
  // Vulkan 1.3, "Required Format Support".
  const uint32_t sampled = AEROGPU_FORMAT_CAP_SAMPLE | AEROGPU_FORMAT_CAP_FILTER;
  const uint32_t drawn = sampled | AEROGPU_FORMAT_CAP_TARGET | AEROGPU_FORMAT_CAP_BLEND;
  const auto has = [&](uint32_t format, uint32_t bits) { return (entries[format].caps & bits) == bits; };
  EXPECT_TRUE(
      has(AEROGPU_FORMAT_B8G8R8A8_UNORM, drawn | AEROGPU_FORMAT_CAP_SRGB_READ | AEROGPU_FORMAT_CAP_CUBE));
  EXPECT_TRUE(has(AEROGPU_FORMAT_D3D9_A2B10G10R10, drawn));
  EXPECT_TRUE(has(AEROGPU_FORMAT_D3D9_A16B16G16R16F, drawn));
  EXPECT_TRUE(has(AEROGPU_FORMAT_D3D9_R16F, drawn));
  EXPECT_TRUE(has(AEROGPU_FORMAT_D3D9_R32F, AEROGPU_FORMAT_CAP_SAMPLE | AEROGPU_FORMAT_CAP_TARGET));
  EXPECT_TRUE(has(AEROGPU_FORMAT_D3D9_L8, drawn | AEROGPU_FORMAT_CAP_VOLUME));
  EXPECT_TRUE(has(AEROGPU_FORMAT_D3D9_A4R4G4B4, sampled));
  EXPECT_TRUE(has(AEROGPU_FORMAT_D3D9_D16, AEROGPU_FORMAT_CAP_DEPTH | AEROGPU_FORMAT_CAP_COMPARE));
  EXPECT_TRUE(has(AEROGPU_FORMAT_D3D9_INTZ, AEROGPU_FORMAT_CAP_DEPTH | AEROGPU_FORMAT_CAP_SAMPLE));
  // XSTATE-11
  for (const uint32_t format :
       {AEROGPU_FORMAT_D3D9_L8, AEROGPU_FORMAT_D3D9_A8, AEROGPU_FORMAT_D3D9_R32F, AEROGPU_FORMAT_D3D9_INTZ})
    EXPECT_TRUE(has(format, AEROGPU_FORMAT_CAP_GATHER)) << format;
  EXPECT_FALSE(has(AEROGPU_FORMAT_D3D9_D16, AEROGPU_FORMAT_CAP_GATHER)) << "it compares";
  // No format of that kind can have these.
  for (const auto& [format, entry] : entries) {
    const core::FormatInfo& info = *core::findFormat(format);
    EXPECT_EQ(entry.caps & ~core::possibleFormatCaps(info), 0u) << info.name;
    if (entry.samples) {
      EXPECT_TRUE(entry.caps & (AEROGPU_FORMAT_CAP_TARGET | AEROGPU_FORMAT_CAP_DEPTH)) << info.name;
    }
  }
  EXPECT_FALSE(has(AEROGPU_FORMAT_D3D9_A8L8, AEROGPU_FORMAT_CAP_TARGET));
  EXPECT_FALSE(has(AEROGPU_FORMAT_D3D9_R8G8B8, AEROGPU_FORMAT_CAP_TARGET));
  EXPECT_FALSE(has(AEROGPU_FORMAT_D3D9_INTZ, AEROGPU_FORMAT_CAP_COMPARE));
}

// CAPS-7
TEST_P(CapsTest, MissingVertexTypesAreRefused) {
  for (uint8_t type = 0; type < 17; ++type) {
    const uint8_t elements[] = {0, 0, 0, 0, type, 0, 0, 0, 0xFF, 0, 0, 0, 17, 0, 0, 0};
    CommandWriter w;
    packets::useInputLayout(w, h.handle(), elements);
    const auto finished = h.submit(w);
    if (caps.missing_vertex_types >> type & 1)
      expectError(finished, AEROGPU_ERROR_BACKEND);
    else
      expectGood(finished);
  }
}

INSTANTIATE_TEST_SUITE_P(BackEnds, CapsTest, ::testing::Values("null", "vulkan"),
                         [](const auto& backend) { return std::string(backend.param); });

/// A guest that was told of less than this renderer has, as one that comes from another host.
class Withheld : public testing::Test {
protected:
  Withheld() {
    size_t size = 0;
    const auto* own = static_cast<const uint8_t*>(aerogpu_renderer_caps(h.renderer(), &size));
    block.assign(own, own + size);
    std::memcpy(&caps, own, sizeof caps);
  }
  bool adopt(bool partly = false) {
    std::memcpy(block.data(), &caps, sizeof caps);
    return aerogpu_renderer_adopt_caps(h.renderer(), block.data(), block.size(), partly);
  }
  aerogpu_format_caps& format(uint32_t wanted) {
    auto* entry = reinterpret_cast<aerogpu_format_caps*>(&block[caps.formats_offset]);
    while (entry->format != wanted) ++entry;
    return *entry;
  }
  test::FinishedSubmission texture(aerogpu_format format, uint32_t usage, uint32_t side = 16) {
    CommandWriter w;
    Harness::createTexture(w, h.handle(), format, side, side, usage);
    return h.submit(w);
  }
  test::FinishedSubmission withSamples(uint32_t samples) {
    CommandWriter w;
    aerogpu_cmd_ext_create_texture c{};
    c.texture_handle = h.handle();
    c.usage_flags = AEROGPU_RESOURCE_USAGE_RENDER_TARGET;
    c.format = AEROGPU_FORMAT_R8G8B8A8_UNORM;
    c.width = c.height = 16;
    c.depth = c.mip_levels = c.array_layers = 1;
    c.sample_count = samples;
    w.packet(c);
    return h.submit(w);
  }
  test::FinishedSubmission targets(uint32_t count) {
    CommandWriter w;
    packets::setTargets(w, std::vector<uint32_t>(count));
    return h.submit(w);
  }
  test::FinishedSubmission elements(uint8_t type) {
    CommandWriter w;
    aerogpu_cmd_create_input_layout c{};
    c.input_layout_handle = h.handle();
    // D3DVERTEXELEMENT9: stream, offset, type, method, usage, its index; then D3DDECL_END.
    const uint8_t blob[] = {0, 0, 0, 0, type, 0, 0, 0, 0xFF, 0, 0, 0, 17, 0, 0, 0};
    w.packet(c, blob, sizeof blob);
    return h.submit(w);
  }
  void expectAll() {
    expectGood(texture(AEROGPU_FORMAT_R8G8B8A8_UNORM, kTexture, 4096));
    expectGood(texture(AEROGPU_FORMAT_D3D9_L8, kTarget));
    expectGood(withSamples(4));
    expectGood(targets(8));
    expectGood(elements(kDec3n));
  }
  static constexpr uint32_t kBackend = AEROGPU_ERROR_BACKEND;
  static constexpr uint32_t kTexture = AEROGPU_RESOURCE_USAGE_TEXTURE,
                            kTarget = AEROGPU_RESOURCE_USAGE_RENDER_TARGET;
  static constexpr uint8_t kDec3n = 14;  // D3DDECLTYPE_DEC3N
  Harness h;
  std::vector<uint8_t> block;
  aerogpu_caps caps{};
};

// CAPS-1: what a guest was told does not change, and what it was not told it does not get.
TEST_F(Withheld, IsRefused) {
  expectAll();
  caps.max_texture_2d = 2048;
  caps.max_color_targets = 2;
  caps.missing_vertex_types = 1u << kDec3n;
  caps.max_buffer_bytes = 1024;
  format(AEROGPU_FORMAT_D3D9_L8).caps &= ~AEROGPU_FORMAT_CAP_TARGET;
  format(AEROGPU_FORMAT_R8G8B8A8_UNORM).samples = 1;
  ASSERT_TRUE(aerogpu_renderer_reset(h.renderer()));  // a machine that comes from elsewhere holds no more
  ASSERT_TRUE(adopt());
  expectGood(texture(AEROGPU_FORMAT_R8G8B8A8_UNORM, kTexture, 2048));
  expectError(texture(AEROGPU_FORMAT_R8G8B8A8_UNORM, kTexture, 2049), AEROGPU_ERROR_OOB);
  expectGood(texture(AEROGPU_FORMAT_D3D9_L8, kTexture));
  expectError(texture(AEROGPU_FORMAT_D3D9_L8, kTarget), kBackend);
  expectError(withSamples(4), kBackend);
  expectGood(targets(2));
  expectError(targets(3), kBackend);
  expectGood(elements(2));
  expectError(elements(kDec3n), kBackend);
  CommandWriter w;
  packets::createBuffer(w, h.handle(), 1028);
  expectError(h.submit(w), AEROGPU_ERROR_OOB);
  ASSERT_TRUE(aerogpu_renderer_adopt_caps(h.renderer(), nullptr, 0, false));
  expectAll();
}

// CAPS-8: within what it was told, a packet that this host cannot run is BACKEND; beyond it, what it always
// was.
TEST_F(Withheld, WhatIsLackingIsBackend) {
  const uint32_t own = caps.max_texture_2d;
  caps.max_texture_2d = 2 * own;
  caps.max_buffer_bytes *= 2;
  caps.max_color_targets = 12;
  format(AEROGPU_FORMAT_R8G8B8A8_UNORM).samples = 0xFF;
  EXPECT_FALSE(adopt());
  ASSERT_TRUE(adopt(true));
  std::vector<std::string> said;
  const auto times = [&](const std::string& text) {
    return std::ranges::count_if(said, [&](const std::string& line) {
      return line.find("this host lacks what the guest was told of, and uses: " + text) != std::string::npos;
    });
  };
  for (int i = 0; i < 3; ++i) {
    expectError(texture(AEROGPU_FORMAT_R8G8B8A8_UNORM, kTexture, own + 1), kBackend);
    expectError(texture(AEROGPU_FORMAT_R8G8B8A8_UNORM, kTexture, 2 * own + 1), AEROGPU_ERROR_OOB);
    expectError(withSamples(8), kBackend);
    CommandWriter w;
    packets::createBuffer(w, h.handle(), caps.max_buffer_bytes);
    expectError(h.submit(w), kBackend);
    w.reset();
    packets::createBuffer(w, h.handle(), caps.max_buffer_bytes + 4);
    expectError(h.submit(w), AEROGPU_ERROR_OOB);
  }
  said = h.takeErrorLines();
  EXPECT_EQ(times("texture is larger than the GPU allows"), 1);
  EXPECT_EQ(times("buffer is larger than the GPU allows"), 1);
  EXPECT_EQ(times("this GPU has no such number of samples"), 1);
  expectAll();
  // Another machine is told anew.
  ASSERT_TRUE(adopt(true));
  expectError(texture(AEROGPU_FORMAT_R8G8B8A8_UNORM, kTexture, own + 1), kBackend);
  said = h.takeErrorLines();
  EXPECT_EQ(times("texture is larger than the GPU allows"), 1);
}

TEST_F(Withheld, MoreThanThereIsIsNotAdopted) {
  caps.max_texture_2d = 2048;
  ASSERT_TRUE(adopt());
  caps.max_texture_2d = 1 << 20;
  EXPECT_FALSE(adopt());
  EXPECT_FALSE(aerogpu_renderer_adopt_caps(h.renderer(), block.data(), 7, false));
  // The last that was adopted still holds.
  expectError(texture(AEROGPU_FORMAT_R8G8B8A8_UNORM, kTexture, 2049), AEROGPU_ERROR_OOB);
}

TEST(CapsSets, AreKnownByName) {
  for (const char* name : {"", "host", "base", "base-1"})
    EXPECT_TRUE(Harness(Harness::Options{.caps = name}).ok()) << name;
  Harness unknown{Harness::Options{.caps = "base-0"}};
  EXPECT_FALSE(unknown.ok());
  EXPECT_EQ(unknown.createError(), "no set of capabilities is named base-0: host, base, base-1");
}

// The set never changes: a machine that was told of it must go on with every later version. A sum over it
// tells.
TEST(CapsSets, Base1IsForEver) {
  uint64_t sum = 0xCBF29CE484222325;  // FNV-1a, 64 bits
  const auto add = [&](uint64_t value) {
    for (unsigned i = 0; i < 8; ++i) sum = (sum ^ (value >> i * 8 & 0xFF)) * 0x100000001B3;
  };
  const core::BackendLimits& l = core::base1Limits();
  for (const uint64_t value :
       {uint64_t{l.maxTextureSize}, uint64_t{l.maxVolumeSize}, uint64_t{l.maxCubeSize},
        uint64_t{l.maxArrayLayers}, l.maxBufferBytes, uint64_t{l.maxAnisotropy}, uint64_t{l.colorSamples},
        uint64_t{l.depthSamples}, uint64_t{l.capsFlags}, uint64_t{l.maxColorTargets},
        uint64_t{l.maxClipPlanes}, uint64_t{std::bit_cast<uint32_t>(l.maxPointSize)},
        uint64_t{l.missingVertexTypes}})
    add(value);
  for (const auto& [format, uses] : core::base1Formats()) {
    add(format);
    add(uses.caps);
    add(uses.samples);
  }
  EXPECT_EQ(sum, 7029483547184301123u);
}

}  // namespace
