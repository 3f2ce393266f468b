// SPDX-License-Identifier: MIT
// The capability block (docs/abi/extensions.md, "Capabilities"): its limits are those that packets meet.
#include <bit>
#include <cstring>
#include <map>

#include "aerogpu/aerogpu_caps.h"
#include "renderer/core/caps.h"
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

}  // namespace
