// SPDX-License-Identifier: MIT
// Captures that survive resets: a replay ends with the frame that the device showed last.
#include <gtest/gtest.h>

#include "tests-qtest/aerogpu_dev.h"
#include "tests-qtest/replay.h"

namespace {

using namespace aerogpu::qtest;
using aerogpu::CommandWriter;
namespace packets = aerogpu::packets;

constexpr uint32_t kWidth = 32, kHeight = 16, kPitch = kWidth * 4;

/// Returns a target with handle 1 at the scanout address, cleared to a colour and presented; rows from
/// `upload` on come from guest memory.
CommandWriter frame(packets::Rgba color, uint32_t upload = kHeight) {
  CommandWriter w;
  packets::createShown(w, 1, kWidth, kHeight, 1);
  packets::setTarget(w, 1);
  packets::clearColor(w, color);
  packets::dirtyRange(w, 1, uint64_t{upload} * kPitch, uint64_t{kHeight - upload} * kPitch);
  packets::present(w);
  return w;
}

void framesAcrossResets(const std::string& backend) {
  const std::string path = capturePath("resets");
  const aerogpu_alloc_entry entries[] = {{1, 0, kSurfaceGpa, 0x1000, 0}};
  const auto table = AeroGpuDev::allocTable(entries);
  Picture shown;
  {
    AeroGpuDev dev("renderer=" + backend + ",capture=" + path);
    const auto start = [&](bool enable = true) {
      dev.startRing({.enable = enable});
      dev.setScanout({.width = kWidth, .height = kHeight, .pitch = kPitch});
    };
    start();
    dev.waitFence(dev.submit(frame({1, 0, 0}), {.table = table}));
    EXPECT_EQ(dev.qemu.screendump().at(0, 0), 0xFF0000u);
    dev.qemu.qmp("system_reset");
    dev.setUpPci();
    // A frame that a ring reset drops was never shown, and is not in the trace.
    start(false);
    dev.submit(frame({0, 1, 0}), {.table = table});
    dev.setReg(AEROGPU_MMIO_REG_RING_CONTROL, AEROGPU_RING_CONTROL_ENABLE | AEROGPU_RING_CONTROL_RESET);
    // Another picture under the same handle; half of it comes from guest memory.
    std::vector<uint8_t> bytes(kPitch * kHeight);
    for (size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<uint8_t>(i * 7 + 3);
    dev.qemu.write(kSurfaceGpa, bytes);
    dev.waitFence(dev.submit(frame({0, 0, 1}, kHeight / 2), {.table = table}));
    EXPECT_EQ(dev.errorCount(), 0u) << dev.qemu.output();
    shown = dev.qemu.screendump();
    EXPECT_EQ(dev.qemu.quit(), 0);
  }
  ASSERT_EQ(shown.width, kWidth);
  EXPECT_EQ(shown.at(0, 0), 0x0000FFu);
  const size_t at = size_t{kHeight / 2} * kPitch;
  EXPECT_EQ(shown.at(0, kHeight / 2), uint32_t{static_cast<uint8_t>((at + 2) * 7 + 3)} << 16 |
                                          uint32_t{static_cast<uint8_t>((at + 1) * 7 + 3)} << 8 |
                                          static_cast<uint8_t>(at * 7 + 3));
  EXPECT_EQ(replayedFrame(path, backend), shown.rgb);
}

TEST(Capture, GoesOnBehindResets) {
  framesAcrossResets("null");
}
TEST(Capture, GoesOnBehindResetsOnVulkan) {
  framesAcrossResets("vulkan");
}

}  // namespace
