// SPDX-License-Identifier: MIT
// An example of each format number loads for ever. load_fuzz-seeds writes one of the newest.
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>

#include "aerogpu/aerogpu_trace.h"
#include "renderer/core/test/spaces_fixture.h"
#include "renderer/snapshot/test/everything.h"

namespace aerogpu::test {
namespace {

class SnapshotFormats : public testing::TestWithParam<uint32_t> {};

TEST_P(SnapshotFormats, Load) {
  const std::string path =
      std::string(AEROGPU_SNAPSHOT_FORMATS) + "/" + std::to_string(GetParam()) + ".aerogputrace";
  std::ifstream in(path, std::ios::binary);
  const std::vector<uint8_t> bytes{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  ASSERT_FALSE(bytes.empty()) << path;
  Harness h;
  ASSERT_EQ(loadSnapshot(h.renderer(), bytes), "");
  while (h.handle() < 1000) {
  }
  // What format 1 says of the objects of everything().
  h.space = Harness::kKernel;
  EXPECT_EQ(h.readBuffer(handles::kBuffer, 256), pattern(256));
  h.space = Harness::InSpace{3};
  const std::vector<uint8_t> texels = pattern(8 * 8 * 4);
  EXPECT_EQ(h.readTexture(handles::kImported, AEROGPU_FORMAT_R8G8B8A8_UNORM, 8, 8), texels);
  EXPECT_STREQ(h.spaceInfo(3)->image_name, "game.exe");
  EXPECT_EQ(takeSnapshot(h.renderer()).error, "");
}

INSTANTIATE_TEST_SUITE_P(Kept, SnapshotFormats, testing::Range(1u, AEROGPU_TRACE_SNAPSHOT_FORMAT + 1));

}  // namespace
}  // namespace aerogpu::test
