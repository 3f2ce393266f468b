// SPDX-License-Identifier: MIT
// A renderer that moves to another GPU: everything is there as it was; where something lacks or fails, it is
// on the GPU before. The GPUs are those that the Vulkan double plays.
#include <cstdio>
#include <string>

#include "renderer/test/saving.h"
#include "renderer/test/vulkan_profiles.h"
#include "renderer/vulkan/test/gpu_test.h"

namespace aerogpu::test {
namespace {

constexpr uint32_t kTextures = 6, kSide = 32, kBytes = kSide * kSide * 4;
constexpr auto kFormat = AEROGPU_FORMAT_B8G8R8A8_UNORM;

class OtherGpuTest : public ::testing::Test {
protected:
  void SetUp() override {
    m_device = deviceProfile() ? deviceProfile()->name : "";
    make();
  }
  void TearDown() override {
    for (const std::string& line : h->takeErrorLines()) ADD_FAILURE() << line;
    h.reset();
    playProfile(m_device.c_str());
    failImages(0, 0);
    (void)takeBrokenRules();  // limits are those of the newest GPU
    EXPECT_EQ(devicesAlive(), 0);
  }
  /// Makes the renderer anew, with validation if asked: that takes long where a test opens many GPUs.
  void make(uint32_t flags = 0) {
    h = std::make_unique<Harness>(Harness::Options{.backend = "vulkan", .flags = flags, .cacheDir = ""});
    ASSERT_TRUE(h->ok()) << h->createError();
  }
  void run(CommandWriter& w) {
    EXPECT_EQ(h->submit(w).result.error_count, 0u);
    w.reset();
  }
  static Bytes texels(uint32_t texture) {
    Bytes bytes(kBytes);
    for (size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<uint8_t>(i * 7 + i / 251 + texture * 31);
    return bytes;
  }
  /// Makes textures with texels, and a target, the last one, which is cleared; it stays bound.
  void fill() {
    CommandWriter w;
    for (uint32_t t = 1; t <= kTextures; ++t) {
      Harness::createTexture(w, t, kFormat, kSide, kSide,
                             AEROGPU_RESOURCE_USAGE_TEXTURE | AEROGPU_RESOURCE_USAGE_RENDER_TARGET);
      packets::upload(w, t, 0, texels(t));
    }
    packets::setTarget(w, kTextures);
    packets::clearColor(w, {0, 0, 1, 1});
    run(w);
    while (h->handle() < 100) {
    }
  }
  /// Expects what fill() made, and that the guest draws on.
  void expectAll() {
    for (uint32_t t = 1; t < kTextures; ++t)
      EXPECT_TRUE(h->readTexture(t, kFormat, kSide, kSide) == texels(t)) << "texture " << t;
    Bytes blue(kBytes);
    for (size_t i = 0; i < blue.size(); i += 4) blue[i] = blue[i + 3] = 255;
    EXPECT_TRUE(h->readTexture(kTextures, kFormat, kSide, kSide) == blue);
    CommandWriter w;
    packets::clearColor(w, {0, 1, 0, 1});
    run(w);
    EXPECT_EQ(h->readTexture(kTextures, kFormat, kSide, kSide)[1], 255) << "the target is bound";
    packets::clearColor(w, {0, 0, 1, 1});
    run(w);
  }
  /// Returns why the renderer did not move, or nothing. `m_kept` tells what became of its objects.
  std::string move(const char* device, bool (*goesOn)(void*, uint64_t) = nullptr, void* opaque = nullptr) {
    char error[16384] = "";
    m_kept = false;
    const bool moved =
        aerogpu_renderer_move_to(h->renderer(), device, goesOn, opaque, &m_kept, error, sizeof error);
    EXPECT_EQ(moved, !*error) << error;
    return error;
  }
  Bytes snapshot() {
    Bytes bytes;
    EXPECT_EQ(save(h->renderer(), bytes), "");
    return bytes;
  }

  std::unique_ptr<Harness> h;
  bool m_kept = false;

private:
  std::string m_device;
};

TEST_F(OtherGpuTest, ByNameAndByIndex) {
  make(AEROGPU_RENDERER_VALIDATION);
  fill();
  const Bytes before = snapshot();
  for (const char* device : {"", "0", h->renderer() ? aerogpu_renderer_device_name(h->renderer()) : ""}) {
    EXPECT_EQ(move(device), "");
    EXPECT_TRUE(m_kept);
    EXPECT_EQ(devicesAlive(), 1);
    EXPECT_TRUE(snapshot() == before);
  }
  expectAll();
}

/// Where the host has several, they differ in more than the double plays.
TEST_F(OtherGpuTest, EachGpuOfThisHost) {
  h = std::make_unique<Harness>(Harness::Options{.backend = "vulkan", .cacheDir = "", .caps = "base"});
  ASSERT_TRUE(h->ok()) << h->createError();
  fill();
  const std::string first = aerogpu_renderer_device_name(h->renderer());
  int gpus = 0;
  for (;; ++gpus) {
    const std::string said = move(std::to_string(gpus).c_str());
    if (said.find("no Vulkan device matches") != std::string::npos) break;
    ASSERT_EQ(said, "");
    std::printf("%s\n", aerogpu_renderer_device_name(h->renderer()));
    expectAll();
  }
  EXPECT_GE(gpus, 1);
  EXPECT_EQ(move(first.c_str()), "");
  EXPECT_EQ(aerogpu_renderer_device_name(h->renderer()), first);
  expectAll();
}

TEST_F(OtherGpuTest, AnUnknownNameSaysWhichThereAre) {
  fill();
  const std::string said = move("GeForce 256");
  EXPECT_NE(said.find("no Vulkan device matches \"GeForce 256\" (0 = "), std::string::npos) << said;
  EXPECT_NE(said.find(aerogpu_renderer_device_name(h->renderer())), std::string::npos) << said;
  EXPECT_TRUE(m_kept);
  EXPECT_EQ(devicesAlive(), 1);
  expectAll();
}

TEST_F(OtherGpuTest, AGpuThatDoesNotOpen) {
  fill();
  refuseDevices(true);
  const std::string said = move("");
  refuseDevices(false);
  EXPECT_NE(said.find("vkCreateDevice"), std::string::npos) << said;
  EXPECT_TRUE(m_kept);
  expectAll();
}

TEST_F(OtherGpuTest, BetweenDesktopsThereAndBack) {
  if (deviceIsBare()) GTEST_SKIP() << "it has less to take along";
  make(AEROGPU_RENDERER_VALIDATION);
  fill();
  size_t size = 0;
  const auto* told = static_cast<const uint8_t*>(aerogpu_renderer_caps(h->renderer(), &size));
  const Bytes caps(told, told + size);
  for (const char* profile : {"amd", "nvidia", "", "atom", "amd", ""}) {
    SCOPED_TRACE(profile);
    playProfile(profile);
    EXPECT_EQ(move(""), "");
    EXPECT_TRUE(m_kept);
    EXPECT_EQ(devicesAlive(), 1);
    expectAll();
    char lacks[1024] = "";
    EXPECT_TRUE(aerogpu_renderer_covers_caps(h->renderer(), caps.data(), caps.size(), lacks, sizeof lacks))
        << lacks;
  }
}

TEST_F(OtherGpuTest, OneThatLacksSomethingIsRefusedWithTheList) {
  if (deviceIsBare()) GTEST_SKIP() << "it lacks all that there is to lack";
  fill();
  playProfile("bare");
  for (int i = 0; i < 2; ++i) {
    const std::string said = move("");
    EXPECT_NE(said.find(" lacks what the guest was told of: max_texture_2d 16384, here 4096; "),
              std::string::npos)
        << said;
    EXPECT_NE(said.find("; all uses of BC1_RGBA_UNORM, "), std::string::npos) << said;
    EXPECT_TRUE(m_kept);
    EXPECT_EQ(devicesAlive(), 1);
    expectAll();
  }
}

/// A guest that was told of little goes anywhere, and still may use no more than that.
TEST_F(OtherGpuTest, WhatTheGuestWasToldStays) {
  playProfile("bare");
  make();
  fill();
  EXPECT_EQ(move(""), "");
  playProfile("nvidia");
  EXPECT_EQ(move(""), "");
  expectAll();
  CommandWriter w;
  Harness::createTexture(w, 90, AEROGPU_FORMAT_BC1_RGBA_UNORM, kSide, kSide, AEROGPU_RESOURCE_USAGE_TEXTURE);
  EXPECT_EQ(h->submit(w).result.last_error_code, uint32_t{AEROGPU_ERROR_BACKEND});
  EXPECT_EQ(h->takeErrorLines().size(), 1u) << "it is not announced";
}

TEST_F(OtherGpuTest, WhatTheOtherOneCannotHoldIsHereAgain) {
  fill();
  uint32_t inLoads = 0;  // the first images are the GPU's own
  std::string said;
  for (int after = 0; after < 1000; ++after) {
    failImages(after, 1);
    said = move("");
    if (said.empty()) break;
    EXPECT_NE(said.find("OUT_OF_DEVICE_MEMORY"), std::string::npos) << after << ": " << said;
    inLoads += said.starts_with("load ");
    EXPECT_TRUE(m_kept);
    EXPECT_FALSE(aerogpu_renderer_gpu_lost(h->renderer()));
    EXPECT_EQ(devicesAlive(), 1);
    expectAll();
  }
  EXPECT_EQ(said, "");
  EXPECT_EQ(inLoads, kTextures);
}

TEST_F(OtherGpuTest, WhatNoneCanHoldIsLost) {
  CommandWriter w;  // images of smaller textures are kept for new ones
  Harness::createTexture(w, 40, kFormat, 4096, 4096, AEROGPU_RESOURCE_USAGE_TEXTURE);
  run(w);
  fill();
  std::string said;
  for (int after = 0; after < 1000 && said.find("; on the GPU before: ") == std::string::npos; ++after) {
    failImages(after, 1000);
    said = move("");
    ASSERT_NE(said, "");
  }
  EXPECT_FALSE(m_kept);
  failImages(0, 0);
  EXPECT_TRUE(aerogpu_renderer_gpu_lost(h->renderer()));
  EXPECT_EQ(h->stats().held_objects, 0u);
  packets::clearColor(w, {0, 1, 0, 1});
  EXPECT_TRUE(h->submit(w).result.gpu_lost);
  ASSERT_TRUE(aerogpu_renderer_reset(h->renderer()));
  fill();
  expectAll();
  (void)h->takeErrorLines();
}

TEST_F(OtherGpuTest, GivenUpAtAnyTime) {
  fill();
  const auto countdown = [](void* opaque, uint64_t) { return --*static_cast<int*>(opaque) >= 0; };
  bool moved = false;
  int calls = 0;
  for (; !moved && calls < 1000; calls += calls < 4 ? 1 : 3) {
    int left = calls;
    const std::string said = move("", countdown, &left);
    moved = said.empty();
    if (!moved) {
      EXPECT_EQ(said, "it was given up");
    }
    EXPECT_TRUE(m_kept);
    EXPECT_EQ(devicesAlive(), 1);
    if (calls % 10 == 0) expectAll();
  }
  EXPECT_TRUE(moved);
  EXPECT_GT(calls, 3);
  expectAll();
}

TEST_F(OtherGpuTest, FramesThatAreOutStay) {
  make(AEROGPU_RENDERER_VALIDATION);
  const Allocation shown = h->allocate(kBytes);
  CommandWriter w;
  packets::createTexture(w, {.handle = 50,
                             .format = AEROGPU_FORMAT_B8G8R8X8_UNORM,
                             .width = kSide,
                             .height = kSide,
                             .usage = AEROGPU_RESOURCE_USAGE_RENDER_TARGET,
                             .rowPitch = kSide * 4,
                             .allocId = shown.id});
  packets::setTarget(w, 50);
  run(w);
  h->setScanout(AEROGPU_FORMAT_B8G8R8X8_UNORM, kSide, kSide, kSide * 4, shown.gpa);
  h->holdsFrames = true;
  for (int i = 0; i < 2; ++i) {
    packets::clearColor(w, {1, 0, 0, 1});
    packets::present(w);
    EXPECT_TRUE(h->submit(w).hasFrame);
    w.reset();
    EXPECT_EQ(move(""), "");
    EXPECT_EQ(devicesAlive(), 2 + i) << "their memory is that GPU's";
  }
  EXPECT_NE(move("").find("pictures of 2 GPUs that were left before are still shown"), std::string::npos);
  EXPECT_EQ(devicesAlive(), 3);
  h->releaseFrames();
  packets::clearColor(w, {0, 1, 0, 1});
  packets::present(w);
  EXPECT_TRUE(h->submit(w).hasFrame) << "the next one is whole";
  w.reset();
  h->waitIdle();
  EXPECT_EQ(devicesAlive(), 1);
  const std::vector<Frame> frames = h->takeFrames();
  ASSERT_EQ(frames.size(), 3u);
  EXPECT_EQ(frames[1].pixels[2], 255) << "red";
  EXPECT_EQ(frames[2].pixels[1], 255) << "green";
}

TEST_F(OtherGpuTest, ALostOneIsReplacedAtTheNextReset) {
  fill();
  aerogpu_renderer_lose(h->renderer());
  playProfile(deviceIsBare() ? "bare" : "amd");
  EXPECT_EQ(move(""), "");
  EXPECT_TRUE(aerogpu_renderer_gpu_lost(h->renderer()));
  EXPECT_EQ(h->stats().held_objects, 0u);
  ASSERT_TRUE(aerogpu_renderer_reset(h->renderer()));
  EXPECT_FALSE(aerogpu_renderer_gpu_lost(h->renderer()));
  fill();
  expectAll();
}

}  // namespace
}  // namespace aerogpu::test
