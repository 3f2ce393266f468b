// SPDX-License-Identifier: MIT
// Presents of a texture that nobody changed: the picture stays, and no copy of it is made.
#include <gtest/gtest.h>

#include <cstring>

#include "tests-qtest/aerogpu_dev.h"

namespace {

using namespace aerogpu::qtest;
using aerogpu::CommandWriter;

constexpr uint32_t kWidth = 32, kHeight = 16, kPitch = kWidth * 4;
constexpr uint64_t kFrameBytes = uint64_t{kPitch} * kHeight;

void unchangedTextures(const std::string& backend) {
  AeroGpuDev dev("renderer=" + backend);
  dev.startRing();
  const aerogpu_alloc_entry entries[] = {{1, 0, kSurfaceGpa, 0x1000, 0},
                                         {2, 0, kSurfaceGpa + 0x10000, 0x1000, 0}};
  const auto table = AeroGpuDev::allocTable(entries);
  dev.setScanout({.width = kWidth, .height = kHeight, .pitch = kPitch});
  const auto submit = [&](const CommandWriter& w) {
    dev.waitFence(dev.submit(w, {.flags = AEROGPU_SUBMIT_FLAG_PRESENT, .table = table}));
    EXPECT_EQ(dev.reg(AEROGPU_MMIO_REG_ERROR_COUNT), 0u) << dev.qemu.output();
  };
  const auto present = [&](float red, uint32_t texture) {
    CommandWriter w;
    if (texture) {
      aerogpu_cmd_set_render_targets targets{};
      targets.color_count = 1;
      targets.colors[0] = texture;
      w.packet(AEROGPU_CMD_SET_RENDER_TARGETS, targets);
      aerogpu_cmd_clear clear{};
      clear.flags = AEROGPU_CLEAR_COLOR;
      std::memcpy(clear.color_rgba_f32, &red, sizeof red);
      w.packet(AEROGPU_CMD_CLEAR, clear);
    }
    w.packet(AEROGPU_CMD_PRESENT, aerogpu_cmd_present{});
    submit(w);
  };
  const auto shown = [&] { return dev.qemu.screendump().at(kWidth / 2, kHeight / 2); };
  const auto copied = [&] {
    return static_cast<uint64_t>(dev.qemu.property("readback-bytes")) / kFrameBytes;
  };

  CommandWriter make;
  for (const uint32_t i : {1, 2}) {
    aerogpu_cmd_create_texture2d create{};
    create.texture_handle = i;
    create.usage_flags = AEROGPU_RESOURCE_USAGE_RENDER_TARGET | AEROGPU_RESOURCE_USAGE_SCANOUT;
    create.format = AEROGPU_FORMAT_B8G8R8X8_UNORM;
    create.width = kWidth;
    create.height = kHeight;
    create.mip_levels = create.array_layers = 1;
    create.row_pitch_bytes = kPitch;
    create.backing_alloc_id = i;
    make.packet(AEROGPU_CMD_CREATE_TEXTURE2D, create);
  }
  submit(make);
  present(1.0f, 1);
  EXPECT_EQ(shown(), 0xFF0000u);
  EXPECT_EQ(copied(), 1u);
  for (int i = 0; i < 3; ++i) present(0, 0);
  EXPECT_EQ(shown(), 0xFF0000u);
  EXPECT_EQ(copied(), 1u);
  EXPECT_EQ(dev.qemu.property("frames-unchanged"), 3);
  present(0.2f, 1);
  EXPECT_EQ(shown(), 0x330000u);
  EXPECT_EQ(copied(), 2u);

  // A page-flipping driver: draws into the other one, flips, presents. The flip brings the frame.
  const auto flip = [&](uint32_t texture) {
    dev.setReg64(AEROGPU_MMIO_REG_SCANOUT0_FB_GPA_LO, entries[texture - 1].gpa);
    (void)shown();  // waits for it
  };
  present(0.4f, 2);
  EXPECT_EQ(shown(), 0x330000u) << "2 is not on the screen";
  flip(2);
  EXPECT_EQ(shown(), 0x660000u);
  const uint64_t before = copied();
  present(0, 0);
  EXPECT_EQ(shown(), 0x660000u);
  EXPECT_EQ(copied(), before);

  // What a ring reset throws away is made again.
  dev.setReg(AEROGPU_MMIO_REG_RING_CONTROL, AEROGPU_RING_CONTROL_ENABLE | AEROGPU_RING_CONTROL_RESET);
  present(0, 0);
  EXPECT_EQ(shown(), 0x660000u);
  EXPECT_EQ(copied(), before + 1);
}

TEST(Present, AnUnchangedTextureStaysWithoutACopy) {
  unchangedTextures("null");
}
TEST(Present, AnUnchangedTextureStaysWithoutACopyOnVulkan) {
  unchangedTextures("vulkan");
}

}  // namespace
