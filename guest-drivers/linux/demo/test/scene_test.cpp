// SPDX-License-Identifier: MIT
// Tests the scene without a device: the streams are well formed, the layout stays on the screen, nothing
// depends on the clock.
#include "guest-drivers/linux/demo/scene.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

#include "aerogpu/aerogpu.h"
#include "guest-drivers/linux/demo/knot.h"

namespace aerogpu::guest {
namespace {

/// Returns the opcodes of a stream; fails the test if its framing is broken.
std::vector<uint32_t> opcodes(const CommandWriter& stream) {
  std::vector<uint32_t> found;
  aerogpu_cmd_stream_header header;
  std::memcpy(&header, stream.data(), sizeof header);
  EXPECT_EQ(header.size_bytes, stream.size());
  size_t at = sizeof header;
  while (at < stream.size()) {
    aerogpu_cmd_hdr packet;
    std::memcpy(&packet, stream.data() + at, sizeof packet);
    if (packet.size_bytes < 8 || packet.size_bytes % 4 || packet.size_bytes > stream.size() - at) {
      ADD_FAILURE() << "packet at " << at;
      break;
    }
    found.push_back(packet.opcode);
    at += packet.size_bytes;
  }
  return found;
}

std::vector<uint8_t> frameBytes(Mode mode, uint32_t frames) {
  HostMemory memory(0x10000000, Scene::memoryBytes(mode) + (4 << 20));
  Scene scene;
  EXPECT_TRUE(scene.create(memory, mode).ok());
  CommandWriter stream;
  scene.setup(stream);
  FrameStats stats;
  for (stats.frame = 0; stats.frame < frames; ++stats.frame) {
    stats.seconds = stats.frame / 60.0;
    stream.reset();
    scene.frame(stats, stream);
  }
  return {stream.data(), stream.data() + stream.size()};
}

TEST(Scene, StreamsAreFramedAndPresentOnce) {
  HostMemory memory(0x10000000, Scene::memoryBytes({1280, 720}) + (4 << 20));
  Scene scene;
  ASSERT_TRUE(scene.create(memory, {1280, 720}).ok());
  CommandWriter stream;
  scene.setup(stream);
  EXPECT_FALSE(opcodes(stream).empty());
  for (uint32_t frame = 0; frame < 4; ++frame) {
    stream.reset();
    FrameStats stats;
    stats.frame = frame;
    scene.frame(stats, stream);
    const auto found = opcodes(stream);
    EXPECT_EQ(std::count(found.begin(), found.end(), AEROGPU_CMD_EXT_PRESENT_RECTS), 1);
    EXPECT_EQ(found.back(), static_cast<uint32_t>(AEROGPU_CMD_EXT_PRESENT_RECTS));
    EXPECT_LT(stream.size(), 128u * 1024);
  }
}

TEST(Scene, StillPanesAreBlurredOnce) {
  HostMemory memory(0x10000000, Scene::memoryBytes({1280, 720}) + (4 << 20));
  Scene scene;
  ASSERT_TRUE(scene.create(memory, {1280, 720}).ok());
  CommandWriter first, second;
  FrameStats stats;
  scene.frame(stats, first);
  stats.frame = 1;
  stats.seconds = 1;  // the about window has moved, the others have not
  scene.frame(stats, second);
  const auto targets = [](const CommandWriter& stream) {
    const auto found = opcodes(stream);
    return std::count(found.begin(), found.end(), AEROGPU_CMD_SET_RENDER_TARGETS);
  };
  EXPECT_LT(targets(second), targets(first));
}

/// The rectangles of a present lie on the screen. They cover all of it in the first frame, and less later.
TEST(Scene, PresentsNameWhatDiffers) {
  constexpr Mode kMode{1280, 720};
  HostMemory memory(0x10000000, Scene::memoryBytes(kMode) + (4 << 20));
  Scene scene;
  ASSERT_TRUE(scene.create(memory, kMode).ok());
  FrameStats stats;
  for (; stats.frame < 40; ++stats.frame) {
    stats.seconds = stats.frame / 4.0;
    CommandWriter stream;
    scene.frame(stats, stream);
    aerogpu_cmd_hdr header;
    size_t last = sizeof(aerogpu_cmd_stream_header);
    for (size_t at = last; at < stream.size(); at += header.size_bytes) {
      std::memcpy(&header, stream.data() + at, sizeof header);
      last = at;
    }
    aerogpu_cmd_ext_present_rects present;
    std::memcpy(&present, stream.data() + last, sizeof present);
    ASSERT_EQ(present.hdr.opcode, static_cast<uint32_t>(AEROGPU_CMD_EXT_PRESENT_RECTS));
    EXPECT_EQ(present.flags, static_cast<uint32_t>(AEROGPU_PRESENT_FLAG_VSYNC));
    uint64_t pixels = 0;
    for (uint32_t i = 0; i < present.rect_count; ++i) {
      aerogpu_ext_rect r;
      std::memcpy(&r, stream.data() + last + sizeof present + i * sizeof r, sizeof r);
      EXPECT_LT(r.left, r.right);
      EXPECT_LT(r.top, r.bottom);
      EXPECT_LE(r.right, kMode.width);
      EXPECT_LE(r.bottom, kMode.height);
      pixels += uint64_t{r.right - r.left} * (r.bottom - r.top);
    }
    if (stats.frame == 0) {
      EXPECT_GE(pixels, uint64_t{kMode.width} * kMode.height);
    } else {
      EXPECT_LT(pixels, uint64_t{kMode.width} * kMode.height * 3 / 4);
    }
  }
}

TEST(Scene, FramesAreAFunctionOfTime) {
  EXPECT_EQ(frameBytes({1024, 768}, 3), frameBytes({1024, 768}, 3));
}

TEST(Layout, PanesStayOnTheScreen) {
  for (const Mode mode : {Mode{640, 480}, Mode{1280, 720}, Mode{1920, 1080}, Mode{4096, 4096}})
    for (double t = 0; t < 40; t += 0.37)
      for (uint32_t pane = 0; pane < kPaneCount; ++pane) {
        const Rect r = paneRect(mode, static_cast<Pane>(pane), t);
        EXPECT_GE(r.x, 0);
        EXPECT_GE(r.y, 0);
        EXPECT_LE(r.x + r.w, static_cast<int>(mode.width)) << mode.width << " pane " << pane;
        EXPECT_LE(r.y + r.h, static_cast<int>(mode.height)) << mode.height << " pane " << pane;
        const Rect blur = blurRect(r), still = blurRect(paneRect(mode, static_cast<Pane>(pane), 0));
        EXPECT_EQ(blur.w, still.w);
        EXPECT_EQ(blur.x % kBlurScale, 0);
        EXPECT_LE(blur.x, r.x);
        EXPECT_GE(blur.x + blur.w, r.x + r.w);
      }
}

TEST(Knot, NormalsAreUnitAndIndicesInside) {
  const KnotMesh mesh = makeKnot(60, 12);
  EXPECT_EQ(mesh.vertices.size(), 61u * 13);
  EXPECT_EQ(mesh.indices.size(), 60u * 12 * 6);
  for (const KnotVertex& v : mesh.vertices)
    EXPECT_NEAR(std::hypot(v.normal[0], v.normal[1], v.normal[2]), 1, 1e-4);
  for (const uint16_t i : mesh.indices) EXPECT_LT(i, mesh.vertices.size());
}

TEST(Knot, PerspectiveMapsNearToZeroAndFarToOne) {
  const Matrix m = perspective(1, 1, 2, 10);
  const auto depth = [&](float z) { return (m[10] * z + m[11]) / (m[14] * z); };
  EXPECT_NEAR(depth(2), 0, 1e-6);
  EXPECT_NEAR(depth(10), 1, 1e-6);
}

}  // namespace
}  // namespace aerogpu::guest
