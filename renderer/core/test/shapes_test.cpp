// SPDX-License-Identifier: MIT
// Shapes of Direct3D 10's resources (docs/abi/d3d10-resources.md) over the null back end, and what a device
// says that does not announce them.
#include <gtest/gtest.h>

#include <array>

#include "renderer/test/harness.h"

namespace {

using namespace aerogpu;
using test::Harness;

constexpr uint32_t kNone = AEROGPU_ERROR_NONE, kDecode = AEROGPU_ERROR_CMD_DECODE, kOob = AEROGPU_ERROR_OOB;

Harness::Options optionsOf(const char* caps) {
  Harness::Options options;
  options.caps = caps;
  return options;
}

class Shapes : public ::testing::Test {
protected:
  explicit Shapes(const char* caps = "host") : h(optionsOf(caps)) {}
  uint32_t code(CommandWriter& w) {
    const uint32_t error = h.submit(w).result.last_error_code;
    w.reset();
    return error;
  }
  uint32_t create(CommandWriter& w, uint32_t kind, uint32_t width, uint32_t height, uint32_t depth,
                  uint32_t mips) {
    aerogpu_cmd_ext_create_texture c{};
    c.texture_handle = h.handle();
    c.kind = kind;
    c.format = AEROGPU_FORMAT_R8G8B8A8_UNORM;
    c.width = width;
    c.height = height;
    c.depth = depth;
    c.mip_levels = mips;
    c.array_layers = c.sample_count = 1;
    w.packet(c);
    return c.texture_handle;
  }
  /// Returns the errors of each shape by turns: a row, a slice as target, mips of a volume, a copy of odd
  /// bytes.
  std::array<uint32_t, 4> codes() {
    CommandWriter w;
    create(w, AEROGPU_EXT_TEXTURE_1D, 8, 1, 1, 1);
    const uint32_t row = code(w);
    const uint32_t volume = create(w, AEROGPU_EXT_TEXTURE_VOLUME, 4, 4, 4, 2);
    EXPECT_EQ(code(w), kNone);
    packets::setTarget(w, volume);
    const uint32_t target = code(w);
    w.packet(aerogpu_cmd_ext_generate_mips{{}, volume, AEROGPU_EXT_MIPS_LINEAR});
    const uint32_t mips = code(w);
    const uint32_t buffers[] = {h.handle(), h.handle()};
    for (const uint32_t b : buffers) packets::createBuffer(w, b, 16, 0);
    EXPECT_EQ(code(w), kNone);
    w.packet(aerogpu_cmd_copy_buffer{{}, buffers[0], buffers[1], 1, 2, 3, 0, 0});
    return {row, target, mips, code(w)};
  }

  Harness h;
};

class OldShapes : public Shapes {
protected:
  OldShapes() : Shapes("base") {}
};

// DXR-1
TEST_F(Shapes, AreThereWhereAnnounced) {
  EXPECT_EQ(codes(), (std::array<uint32_t, 4>{kNone, kNone, kNone, kNone}));
}

// DXR-3
TEST_F(Shapes, ViewsOfVolumesCountSlices) {
  CommandWriter w;
  const uint32_t volume = create(w, AEROGPU_EXT_TEXTURE_VOLUME, 4, 4, 4, 2);
  const auto view = [&](uint32_t mip, uint32_t first, uint32_t count) {
    w.packet(aerogpu_cmd_create_texture_view{
        {}, h.handle(), volume, AEROGPU_FORMAT_R8G8B8A8_UNORM, mip, 1, first, count, 0});
    return code(w);
  };
  EXPECT_EQ(view(0, 3, 1), kNone);
  EXPECT_EQ(view(0, 0, 4), kNone);
  EXPECT_EQ(view(0, 3, 2), kOob);
  EXPECT_EQ(view(1, 1, 1), kNone);
  EXPECT_EQ(view(1, 2, 1), kOob);
}

// DXR-3: a clear of a target that shows a slice changes that one alone.
TEST_F(Shapes, AClearChangesItsSlice) {
  constexpr auto kFormat = AEROGPU_FORMAT_R8G8B8A8_UNORM;
  CommandWriter w;
  const uint32_t volume = create(w, AEROGPU_EXT_TEXTURE_VOLUME, 3, 3, 3, 1), view = h.handle();
  packets::upload(w, volume, 0, std::vector<uint8_t>(3 * 3 * 3 * 4, 10));
  w.packet(aerogpu_cmd_create_texture_view{{}, view, volume, kFormat, 0, 1, 2, 1, 0});
  packets::setTarget(w, view);
  packets::clearColor(w, {1, 1, 1, 1});
  ASSERT_EQ(code(w), kNone);
  for (uint32_t slice = 0; slice < 3; ++slice)
    EXPECT_EQ(h.readTexture(volume, kFormat, 3, 3, 0, slice),
              std::vector<uint8_t>(3 * 3 * 4, slice == 2 ? 255 : 10))
        << "slice " << slice;
}

// DXR-4: two slices become their mean.
TEST_F(Shapes, MipsAreHalvedThreeWays) {
  CommandWriter w;
  const uint32_t volume = create(w, AEROGPU_EXT_TEXTURE_VOLUME, 2, 2, 2, 2);
  std::vector<uint8_t> bytes(2 * 2 * 2 * 4, 10);
  for (size_t i = bytes.size() / 2; i < bytes.size(); ++i) bytes[i] = 30;
  packets::upload(w, volume, 0, bytes);
  w.packet(aerogpu_cmd_ext_generate_mips{{}, volume, AEROGPU_EXT_MIPS_LINEAR});
  EXPECT_EQ(code(w), kNone);
  EXPECT_EQ(h.readTexture(volume, AEROGPU_FORMAT_R8G8B8A8_UNORM, 1, 1, 1), std::vector<uint8_t>(4, 20));
}

// DXR-1
TEST_F(OldShapes, AreDecodeErrors) {
  EXPECT_EQ(codes(), (std::array<uint32_t, 4>{kDecode, kDecode, kDecode, kDecode}));
  CommandWriter w;
  const uint32_t b = h.handle();
  packets::createBuffer(w, b, 16, 0);
  const aerogpu_shader_resource_buffer_binding view{b, 0, 0, AEROGPU_FORMAT_BC1_RGBA_UNORM};
  w.packet(aerogpu_cmd_set_shader_resource_buffers{{}, AEROGPU_SHADER_STAGE_PIXEL, 0, 0, 0}, &view, 1);
  EXPECT_EQ(code(w), kNone) << "the format is not read";
}

// LAYER-1: a clear reaches the layers that all targets have; without the flag only the first one.
TEST_F(Shapes, ClearsReachEachLayer) {
  constexpr auto kFormat = AEROGPU_FORMAT_R8G8B8A8_UNORM;
  for (const char* caps : {"host", "base"}) {
    Harness device(optionsOf(caps));
    CommandWriter w;
    const uint32_t textures[] = {device.handle(), device.handle()},
                   views[] = {device.handle(), device.handle()};
    for (size_t i = 0; i < 2; ++i) {
      Harness::createTexture(w, textures[i], kFormat, 2, 2,
                             AEROGPU_RESOURCE_USAGE_TEXTURE | AEROGPU_RESOURCE_USAGE_RENDER_TARGET, 1, 4);
      w.packet(aerogpu_cmd_create_texture_view{
          {}, views[i], textures[i], kFormat, 0, 1, 1, static_cast<uint32_t>(3 - i), 0});
    }
    packets::setTargets(w, views, 0);
    packets::clearColor(w, {1, 1, 1, 1});
    ASSERT_EQ(device.submit(w).result.error_count, 0u);
    const uint32_t cleared = *caps == 'h' ? 2 : 1;
    for (const uint32_t texture : textures)
      for (uint32_t layer = 0; layer < 4; ++layer)
        EXPECT_EQ(device.readTexture(texture, kFormat, 2, 2, 0, layer),
                  std::vector<uint8_t>(16, layer >= 1 && layer < 1 + cleared ? 255 : 0))
            << caps << ", layer " << layer;
  }
}

// LAYER-3, LAYER-4
TEST_F(OldShapes, SeveralViewportsAreRefused) {
  CommandWriter w;
  const aerogpu_ext_viewport viewport{0, 0, 0x3F800000, 0x3F800000, 0, 0};
  w.packet(aerogpu_cmd_ext_set_viewports{}, &viewport, 1);
  EXPECT_EQ(code(w), uint32_t{AEROGPU_ERROR_BACKEND});
  const aerogpu_ext_scissor rect{0, 0, 1, 1};
  w.packet(aerogpu_cmd_ext_set_scissors{}, &rect, 1);
  EXPECT_EQ(code(w), uint32_t{AEROGPU_ERROR_BACKEND});
}

}  // namespace
