// SPDX-License-Identifier: MIT
// Host memory by kind: each object counts as its kind, until it ends.
#include <gtest/gtest.h>

#include <numeric>

#include "renderer/test/expect.h"
#include "renderer/test/harness.h"

namespace {

using namespace aerogpu;
using test::Harness;

class HostMemoryTest : public testing::TestWithParam<const char*> {
protected:
  void SetUp() override { ASSERT_TRUE(h.ok()) << h.createError(); }
  aerogpu_renderer_stats stats() {
    aerogpu_renderer_stats stats{};
    stats.struct_size = sizeof stats;
    aerogpu_renderer_get_stats(h.renderer(), &stats);
    // The kinds add up to the total.
    const auto& kinds = stats.host_memory_kind_bytes;
    EXPECT_EQ(std::accumulate(std::begin(kinds), std::end(kinds), uint64_t{0}), stats.host_memory_bytes);
    return stats;
  }
  uint64_t held(aerogpu_host_memory_kind kind) { return stats().host_memory_kind_bytes[kind]; }

  Harness h{Harness::Options{.backend = GetParam()}};
};

TEST_P(HostMemoryTest, ByKind) {
  const uint64_t buffers = held(AEROGPU_HOST_MEMORY_BUFFERS), textures = held(AEROGPU_HOST_MEMORY_TEXTURES),
                 other = held(AEROGPU_HOST_MEMORY_OTHER);
  CommandWriter make, drop;
  packets::createBuffer(make, 1, 1 << 20);
  Harness::createTexture(make, 2, AEROGPU_FORMAT_R8G8B8A8_UNORM, 512, 256, 0);
  test::expectGood(h.submit(make));
  EXPECT_GE(held(AEROGPU_HOST_MEMORY_BUFFERS) - buffers, uint64_t{1} << 20);
  EXPECT_LT(held(AEROGPU_HOST_MEMORY_BUFFERS) - buffers, (uint64_t{1} << 20) + 65536);
  EXPECT_GE(held(AEROGPU_HOST_MEMORY_TEXTURES) - textures, uint64_t{512} * 256 * 4);
  EXPECT_GT(held(AEROGPU_HOST_MEMORY_OTHER), other) << "the objects themselves";
  EXPECT_EQ(held(AEROGPU_HOST_MEMORY_FRAMES), 0u);
  packets::destroyResource(drop, 1);
  packets::destroyResource(drop, 2);
  test::expectGood(h.submit(drop));
  EXPECT_EQ(held(AEROGPU_HOST_MEMORY_BUFFERS), buffers);
  EXPECT_EQ(held(AEROGPU_HOST_MEMORY_TEXTURES), textures);
}

/// A failed allocation counts nowhere.
TEST_P(HostMemoryTest, ARefusalCountsNothing) {
  const uint64_t textures = held(AEROGPU_HOST_MEMORY_TEXTURES);
  Harness small(Harness::Options{.backend = GetParam(), .maxHostmem = uint64_t{4} << 20});
  ASSERT_TRUE(small.ok()) << small.createError();
  CommandWriter make;
  Harness::createTexture(make, 2, AEROGPU_FORMAT_R8G8B8A8_UNORM, 2048, 2048, 0);
  EXPECT_EQ(small.submit(make).result.last_error_code, uint32_t{AEROGPU_ERROR_BACKEND});
  EXPECT_EQ(held(AEROGPU_HOST_MEMORY_TEXTURES), textures);
}

INSTANTIATE_TEST_SUITE_P(BackEnds, HostMemoryTest, ::testing::Values("null", "vulkan"),
                         [](const auto& backend) { return std::string(backend.param); });

}  // namespace
