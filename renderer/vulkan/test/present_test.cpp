// SPDX-License-Identifier: MIT
// Frames, submissions in flight, and the pipeline cache on disk.
#include <unistd.h>

#include <bit>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>

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

// PRES-10: only the difference is copied, and each frame is whole, however many are under way.
TEST_F(PresentTest, OnlyTheDamageIsCopied) {
  constexpr uint32_t kSide = 64;
  Harness::Options options;
  options.backend = "vulkan";
  options.flags = AEROGPU_RENDERER_VALIDATION;
  Harness own(options);
  ASSERT_TRUE(own.ok()) << own.createError();
  CommandWriter w;
  const Allocation memory = own.allocate(kSide * kSide * 4);
  Harness::createTexture(w, 1, kBgra, kSide, kSide,
                         AEROGPU_RESOURCE_USAGE_RENDER_TARGET | AEROGPU_RESOURCE_USAGE_SCANOUT, 1, 1,
                         memory.id, kSide * 4);
  ASSERT_EQ(own.submit(w).result.error_count, 0u);
  w.reset();
  own.setScanout(kBgra, kSide, kSide, kSide * 4, memory.gpa);
  std::vector<uint32_t> model(size_t{kSide} * kSide);
  const auto fill = [&](const aerogpu_ext_rect& r, uint32_t color) {
    aerogpu_cmd_ext_fill c{};
    c.texture = 1;
    c.flags = AEROGPU_EXT_FILL_COLOR;
    for (uint32_t i = 0; i < 3; ++i)
      c.color_rgba_f32[i] = std::bit_cast<uint32_t>(static_cast<float>(color >> (16 - i * 8) & 255) / 255);
    c.color_rgba_f32[3] = std::bit_cast<uint32_t>(1.0f);
    w.packet(c, &r, 1);
    for (uint32_t y = r.top; y < r.bottom; ++y)
      for (uint32_t x = r.left; x < r.right; ++x) model[size_t{y} * kSide + x] = 0xFF000000 | color;
  };
  const auto present = [&](const std::vector<aerogpu_ext_rect>& rects) {
    w.packet(aerogpu_cmd_ext_present_rects{.rect_count = static_cast<uint32_t>(rects.size())}, rects.data(),
             rects.size());
  };
  const auto expectFrames = [&](const std::vector<std::vector<uint32_t>>& pictures) {
    own.waitIdle();
    const auto frames = own.takeFrames();
    ASSERT_EQ(frames.size(), pictures.size());
    for (size_t i = 0; i < frames.size(); ++i) {
      std::vector<uint32_t> got(frames[i].pixels.size() / 4);
      std::memcpy(got.data(), frames[i].pixels.data(), frames[i].pixels.size());
      EXPECT_EQ(got, pictures[i]) << "frame " << i;
    }
  };
  fill({0, 0, kSide, kSide}, 0x112233);
  present({});
  ASSERT_EQ(own.submit(w).result.error_count, 0u);
  expectFrames({model});
  uint32_t seed = 5;
  const auto below = [&](uint32_t end) {
    seed = seed * 1664525u + 1013904223u;
    return (seed >> 16) % end;
  };
  uint64_t copied = own.stats().readback_bytes;
  for (int round = 0; round < 12; ++round) {
    // One at a time, then several that wait for each other; some overlap within a present.
    std::vector<std::vector<uint32_t>> pictures;
    const uint32_t count = round < 4 ? 1 : 1 + below(6);
    for (uint32_t i = 0; i < count; ++i) {
      w.reset();
      std::vector<aerogpu_ext_rect> rects;
      for (uint32_t k = 0; k < 1 + below(3); ++k) {
        const uint32_t x = below(56), y = below(56);
        rects.push_back({x, y, x + 1 + below(8), y + 1 + below(8)});
        fill(rects.back(), below(0xFFFFFF));
      }
      present(rects);
      if (round % 3 == 2) {  // a frame that does not come out
        rects.push_back({1, 2, 3, 4});
        fill(rects.back(), below(0xFFFFFF));
        present({rects.back()});
      }
      own.submitAsync(w);
      pictures.push_back(model);
    }
    expectFrames(pictures);
    const uint64_t now = own.stats().readback_bytes;
    if (round < 2) {  // later ones need a frame that no idle one can become
      EXPECT_LE(now - copied, 3u * 8 * 8 * 4 * 2) << "round " << round;
    }
    copied = now;
  }
  for (const std::string& line : own.takeErrorLines()) ADD_FAILURE() << line;
}

class PipelineFileTest : public PresentTest {
protected:
  void TearDown() override {
    std::filesystem::remove_all(m_folder);
    PresentTest::TearDown();
  }
  /// Makes a renderer that makes a pipeline, and destroys it.
  void drawOnce(const char* cacheDir, const char* vmUuid = nullptr) {
    Harness::Options options;
    options.backend = "vulkan";
    options.flags = AEROGPU_RENDERER_VALIDATION;
    options.cacheDir = cacheDir;
    options.vmUuid = vmUuid;
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
  }
  /// Returns all files, without the folder's name, and without those that the GPU's driver keeps.
  std::set<std::string> files() const {
    std::set<std::string> found;
    if (std::filesystem::exists(m_folder))
      for (const auto& entry : std::filesystem::recursive_directory_iterator(m_folder))
        if (entry.path().filename().string().starts_with("pipelines-"))
          found.insert(std::filesystem::relative(entry.path(), m_folder).string());
    return found;
  }

  const std::filesystem::path m_folder =
      std::filesystem::temp_directory_path() / ("aerogpu-cache-test-" + std::to_string(getpid()));
};

/// A file has the GPU driver's own format, and a guest influences it: no VM gets another VM's file.
TEST_F(PipelineFileTest, PipelinesAreOneMachinesOwn) {
  const char* const before = std::getenv("XDG_CACHE_HOME");
  const std::string kept = before ? before : "";
  setenv("XDG_CACHE_HOME", m_folder.c_str(), 1);
  for (const char* nobody : {static_cast<const char*>(nullptr), "", "00000000-0000-0000-0000-000000000000",
                             "../somewhere", "a/b", "."}) {
    drawOnce(nullptr, nobody);
    EXPECT_EQ(files(), std::set<std::string>{}) << (nobody ? nobody : "no UUID");
  }
  const char* const machines[] = {"1b4e28ba-2fa1-11d2-883f-0016d3cca427",
                                  "6fa459ea-ee8a-3ca4-894e-db77e160355e"};
  std::set<std::string> folders;
  for (const char* uuid : machines) drawOnce(nullptr, uuid);
  for (const std::string& file : files()) folders.insert(std::filesystem::path(file).parent_path().string());
  EXPECT_EQ(files().size(), 2u);
  EXPECT_EQ(folders, (std::set<std::string>{std::string("aerogpu/") + machines[0],
                                            std::string("aerogpu/") + machines[1]}));
  if (before)
    setenv("XDG_CACHE_HOME", kept.c_str(), 1);
  else
    unsetenv("XDG_CACHE_HOME");
}

TEST_F(PipelineFileTest, SurvivesARestart) {
  const std::string folderName = m_folder.string();
  const auto drawOnce = [&] { PipelineFileTest::drawOnce(folderName.c_str()); };
  drawOnce();
  std::filesystem::path file;
  for (const auto& entry : std::filesystem::directory_iterator(m_folder)) {
    if (entry.is_directory()) continue;  // of the driver's, in a process of its own
    EXPECT_TRUE(file.empty()) << "more than one file";
    file = entry.path();
  }
  ASSERT_FALSE(file.empty());
  EXPECT_GT(std::filesystem::file_size(file), 24u);
  drawOnce();
  // A damaged file is ignored and replaced.
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
}

}  // namespace
}  // namespace aerogpu::test
