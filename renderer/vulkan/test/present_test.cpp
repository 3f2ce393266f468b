// SPDX-License-Identifier: MIT
// Frames, submissions in flight, and the pipeline cache on disk.
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "renderer/vulkan/test/draw_fixture.h"

namespace aerogpu::test {
namespace {

class PresentTest : public DrawTest {
protected:
  void present(CommandWriter& w) {
    aerogpu_cmd_present c{};
    w.packet(c);
  }
};

// PRES-3
TEST_F(PresentTest, AFrameIsTheTextureAtThePresent) {
  Harness::Options options;
  options.backend = "vulkan";
  options.flags = AEROGPU_RENDERER_VALIDATION | AEROGPU_RENDERER_PRESENT_COLOR_TARGET;
  Harness own(options);
  ASSERT_TRUE(own.ok()) << own.createError();
  CommandWriter w;
  Harness::createTexture(w, 1, kBgra, 16, 4,
                         AEROGPU_RESOURCE_USAGE_RENDER_TARGET | AEROGPU_RESOURCE_USAGE_SCANOUT);
  target(w, 1);
  clearColor(w, 1, 0, 0, 1);
  present(w);
  clearColor(w, 0, 1, 0, 1);  // after the present: must not be in its picture
  EXPECT_EQ(own.submit(w).result.error_count, 0u);
  auto frames = own.takeFrames();
  ASSERT_EQ(frames.size(), 1u);
  EXPECT_EQ(frames[0].width, 16u);
  EXPECT_EQ(frames[0].height, 4u);
  EXPECT_EQ(frames[0].format, static_cast<uint32_t>(kBgra));
  for (uint32_t y = 0; y < 4; ++y)
    for (uint32_t x = 0; x < 16; ++x) {
      Pixel p;
      std::memcpy(p.data(), frames[0].pixels.data() + size_t{y} * frames[0].strideBytes + size_t{x} * 4, 4);
      EXPECT_EQ(p, (Pixel{0, 0, 255, 255}));
    }
  // Several in flight come out in order, each with its own picture; of two presents in one submission the
  // last counts.
  for (uint32_t i = 1; i <= 20; ++i) {
    w.reset();
    clearColor(w, 0, 0, 1, 1);
    present(w);
    clearColor(w, 0, 0, static_cast<float>(i) / 255, 1);
    present(w);
    own.submitAsync(w);
  }
  own.waitIdle();
  frames = own.takeFrames();
  ASSERT_EQ(frames.size(), 20u);
  for (uint32_t i = 0; i < 20; ++i) EXPECT_EQ(frames[i].pixels[0], i + 1);
  EXPECT_TRUE(own.takeErrorLines().empty());
}

TEST_F(PresentTest, PipelineCacheSurvivesARestart) {
  const auto folder =
      std::filesystem::temp_directory_path() / ("aerogpu-cache-test-" + std::to_string(getpid()));
  const std::string folderName = folder.string();
  const auto drawOnce = [&] {
    Harness::Options options;
    options.backend = "vulkan";
    options.flags = AEROGPU_RENDERER_VALIDATION;
    options.cacheDir = folderName.c_str();
    Harness own(options);
    ASSERT_TRUE(own.ok()) << own.createError();
    Harness* const shared = s_gpu;
    s_gpu = &own;
    CommandWriter w;
    const uint32_t t = texture(w, kBgra, kSize, kSize);
    bindShaders(w, shader(w, kVs), shader(w, kPs));
    layout(w, {{0, 0, 2, 0, 0, 0}, {0, 12, 4, 0, 10, 0}});
    target(w, t);
    drawVertices(w, quad(0, 0, 8, 8, 0xFF336699));
    run(w);
    EXPECT_EQ(pixel(read(t, kBgra, kSize, kSize), kSize, 1, 1), (Pixel{0x99, 0x66, 0x33, 0xFF}));
    EXPECT_TRUE(own.takeErrorLines().empty());
    s_gpu = shared;
  };
  drawOnce();
  std::filesystem::path file;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    EXPECT_TRUE(file.empty()) << "more than one file";
    file = entry.path();
  }
  ASSERT_FALSE(file.empty());
  EXPECT_GT(std::filesystem::file_size(file), 24u);
  drawOnce();
  // Damaged: ignored, and replaced.
  {
    std::fstream stream(file, std::ios::in | std::ios::out | std::ios::binary);
    stream.seekp(40);
    stream.put('\x5A');
    stream.put('\xA5');
  }
  drawOnce();
  std::filesystem::resize_file(file, 10);
  drawOnce();
  EXPECT_GT(std::filesystem::file_size(file), 24u);
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace aerogpu::test
