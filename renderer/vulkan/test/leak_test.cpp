// SPDX-License-Identifier: MIT
// A renderer that is destroyed takes its files and threads with it, however often one is made.
#include <filesystem>

#include "renderer/vulkan/test/draw_fixture.h"

namespace aerogpu::test {
namespace {

int64_t entries(const char* folder) {
  const auto all = std::filesystem::directory_iterator(folder);
  return std::distance(begin(all), end(all));
}

TEST(Leak, FiftyRenderers) {
  int64_t files = 0, threads = 0;
  for (int i = 0; i < 50; ++i) {
    {
      Harness::Options options;
      options.backend = "vulkan";
      Harness own(options);
      ASSERT_TRUE(own.ok()) << own.createError() << ", renderer " << i;
      CommandWriter w;
      Harness::createTexture(w, 1, kBgra, 16, 16, AEROGPU_RESOURCE_USAGE_RENDER_TARGET);
      const uint32_t targets[] = {1};
      packets::setTargets(w, targets);
      Harness::clear(w, AEROGPU_CLEAR_COLOR, 1, 1, 1, 1);
      // Some renderers end with work under way.
      if (i % 2)
        ASSERT_EQ(own.submit(w).result.error_count, 0u);
      else
        own.submitAsync(w);
    }
    EXPECT_EQ(devicesAlive(), 0);
    if (i == 2) {
      files = entries("/proc/self/fd");
      threads = entries("/proc/self/task");
    }
  }
  EXPECT_LE(entries("/proc/self/fd"), files);
  EXPECT_LE(entries("/proc/self/task"), threads);
}

}  // namespace
}  // namespace aerogpu::test
