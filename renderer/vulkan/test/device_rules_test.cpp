// SPDX-License-Identifier: MIT
// The renderer keeps to the limits of devices of other makes: memory that runs out, fewer targets, smaller
// images. Each test names its profile (renderer/test/vulkan_profiles.h) and is skipped with other profiles.
#include "renderer/vulkan/test/draw_fixture.h"

namespace aerogpu::test {
namespace {

class DeviceRulesTest : public DrawTest {
protected:
  static bool is(std::initializer_list<const char*> names) {
    for (const char* name : names)
      if (deviceProfile() && std::strcmp(deviceProfile()->name, name) == 0) return true;
    return false;
  }
};

TEST_F(DeviceRulesTest, BuffersGoOnInHostMemoryWhenTheDevicesIsFull) {
  if (!is({"amd", "nvidia"})) GTEST_SKIP() << "needs a heap that is small";
  // Three times the device memory that the host sees, in pieces that share blocks and pieces that do not.
  const VkDeviceSize wanted = 3 * deviceProfile()->heaps[2];
  const VkDeviceSize before = bytesOffDevice();
  CommandWriter w;
  std::vector<uint32_t> handles;
  for (VkDeviceSize bytes = 0; bytes < wanted;) {
    const size_t size = handles.size() % 2 ? size_t{6} << 20 : size_t{1} << 20;
    handles.push_back(gpu().handle());
    packets::createBuffer(w, handles.back(), size, AEROGPU_RESOURCE_USAGE_VERTEX_BUFFER);
    bytes += size;
  }
  run(w);
  EXPECT_GE(bytesOffDevice() - before, wanted - deviceProfile()->heaps[2]);
  // The last buffer works like any other.
  const auto corners = quad(2, 2, 6, 6, 0xFF336699);
  packets::upload(w, handles.back(), 0,
                  {reinterpret_cast<const uint8_t*>(corners.data()), corners.size() * sizeof(Vertex)});
  stream(w, 0, handles.back(), sizeof(Vertex));
  draw(w, 6);
  run(w);
  EXPECT_EQ(result(4, 4), (Pixel{0x99, 0x66, 0x33, 0xFF}));
  for (const uint32_t h : handles) packets::destroyResource(w, h);
  run(w);
}

/// Without robustBufferAccess2 an access out of range may read anything in the VkBuffer (Vulkan 1.3,
/// "robustBufferAccess"): so it holds no other buffer. The double does not read so; it reports the contents.
TEST_F(DeviceRulesTest, VerticesPastABufferAreNobodyElses) {
  if (!is({"bare"})) GTEST_SKIP() << "needs a device without VK_EXT_robustness2";
  CommandWriter w;
  vertexBuffer(w, std::vector<Vertex>(4096, quad(0, 0, 8, 8, 0xFF5A5A5A)[0]));
  const uint32_t small = vertexBuffer(w, quad(0, 0, 8, 8, 0xFF0000FF));
  run(w);
  takeBytesBesideVertices();
  stream(w, 0, small, sizeof(Vertex));
  draw(w, 6, 1, 3);
  draw(w, 6);
  run(w);
  EXPECT_EQ(result(4, 4), (Pixel{255, 0, 0, 255}));
  EXPECT_LT(takeBytesBesideVertices(), 64u) << "the end of the buffer, rounded up";
}

TEST_F(DeviceRulesTest, MoreTargetsThanThereAreIsAnError) {
  if (!is({"bare"})) GTEST_SKIP() << "needs few render targets";
  CommandWriter w;
  std::array<uint32_t, 5> targets;
  for (uint32_t& h : targets) h = texture(w, kBgra, kSize, kSize);
  run(w);
  packets::setTargets(w, std::span(targets).first(4), 0);
  drawVertices(w, quad(0, 0, 8, 8, 0xFF336699));
  run(w);
  EXPECT_EQ(pixel(read(targets[0], kBgra, kSize, kSize), kSize, 3, 3), (Pixel{0x99, 0x66, 0x33, 0xFF}));
  packets::setTargets(w, targets, 0);
  draw(w, 6);
  EXPECT_EQ(runForError(w), uint32_t{AEROGPU_ERROR_BACKEND});
  EXPECT_EQ(gpu().takeErrorLines().size(), 1u);
}

TEST_F(DeviceRulesTest, ATextureTooLargeIsAnError) {
  if (!is({"bare"})) GTEST_SKIP() << "needs a small largest texture";
  CommandWriter w;
  texture(w, kBgra, 4096, 4);
  run(w);
  texture(w, kBgra, 4097, 4);
  EXPECT_NE(runForError(w), 0u);
  (void)gpu().takeErrorLines();
}

TEST_F(DeviceRulesTest, AViewportTooLargeShowsNothing) {
  if (!is({"bare"})) GTEST_SKIP() << "needs small viewports";
  CommandWriter w;
  viewport(w, 0, 0, 4096, 4096);
  drawVertices(w, quad(0, 0, 8, 8, 0xFFFFFFFF));
  viewport(w, 0, 0, 4100, 8);
  draw(w, 6);
  viewport(w, 8191, 0, 8, 8);
  draw(w, 6);
  run(w);
}

TEST_F(DeviceRulesTest, MirrorOnceIsRightAroundTheTexture) {
  // Without samplerMirrorClampToEdge mirroring goes on past -1 and 1; in between there is no difference.
  CommandWriter w;
  const uint32_t tex = texture(w, kBgra, 2, 1, 1, 1, AEROGPU_RESOURCE_USAGE_TEXTURE);
  const uint32_t texels[2] = {0xFF0000FF, 0xFF00FF00};
  packets::upload(w, tex, 0, {reinterpret_cast<const uint8_t*>(texels), sizeof texels});
  const uint32_t vs =
      shader(w, "vs_2_0\ndef c0, 0.125, 0, 0, 0\ndcl_position v0\nmov oPos, v0\nadd oT0, v0, c0\n");
  const uint32_t ps = shader(w, "ps_2_0\ndcl t0.xy\ndcl_2d s0\ntexld r0, t0, s0\nmov oC0, r0\n");
  bindShaders(w, vs, ps);
  setTexture(w, 0, tex);
  for (const uint32_t axis : {kAddressU, kAddressV}) samplerState(w, 0, axis, 5u);  // D3DTADDRESS_MIRRORONCE
  drawVertices(w, quad(0, 0, 8, 8, 0));
  run(w);
  // u runs from -1 to 1 across eight pixels, shifted by half a pixel: both halves of each side, mirrored at
  // 0.
  for (uint32_t x = 0; x < kSize; ++x) {
    const double u = std::fabs((x + 0.5) / 4 - 1);
    EXPECT_EQ(result(x, 4), u < 0.5 ? (Pixel{255, 0, 0, 255}) : (Pixel{0, 255, 0, 255})) << x;
  }
}

}  // namespace
}  // namespace aerogpu::test
