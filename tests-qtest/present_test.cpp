// SPDX-License-Identifier: MIT
// Presents of a texture that nobody changed: the picture stays, and no copy of it is made.
#include <gtest/gtest.h>

#include "tests-qtest/aerogpu_dev.h"

namespace {

using namespace aerogpu::qtest;
using aerogpu::CommandWriter;
namespace packets = aerogpu::packets;

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
    EXPECT_EQ(dev.errorCount(), 0u) << dev.qemu.output();
  };
  const auto present = [&](float red, uint32_t texture) {
    CommandWriter w;
    if (texture) {
      packets::setTarget(w, texture);
      packets::clearColor(w, {red});
    }
    packets::present(w);
    submit(w);
  };
  const auto shown = [&] { return dev.qemu.screendump().at(kWidth / 2, kHeight / 2); };
  const auto copied = [&] {
    return static_cast<uint64_t>(dev.qemu.property("readback-bytes")) / kFrameBytes;
  };

  CommandWriter make;
  for (const uint32_t i : {1, 2}) packets::createShown(make, i, kWidth, kHeight, i);
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
