// SPDX-License-Identifier: MIT
// Captures that live through resets: a replay ends with the frame that the device showed last.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "tests-qtest/aerogpu_dev.h"

namespace {

using namespace aerogpu::qtest;
using aerogpu::CommandWriter;

constexpr uint32_t kWidth = 32, kHeight = 16, kPitch = kWidth * 4;

/// A target with handle 1 at the scanout address, cleared to a colour and presented; rows from `upload` on
/// come from guest memory.
CommandWriter frame(float r, float g, float b, uint32_t upload = kHeight) {
  CommandWriter w;
  aerogpu_cmd_create_texture2d create{};
  create.texture_handle = 1;
  create.usage_flags = AEROGPU_RESOURCE_USAGE_RENDER_TARGET | AEROGPU_RESOURCE_USAGE_SCANOUT;
  create.format = AEROGPU_FORMAT_B8G8R8X8_UNORM;
  create.width = kWidth;
  create.height = kHeight;
  create.mip_levels = create.array_layers = 1;
  create.row_pitch_bytes = kPitch;
  create.backing_alloc_id = 1;
  w.packet(AEROGPU_CMD_CREATE_TEXTURE2D, create);
  aerogpu_cmd_set_render_targets targets{};
  targets.color_count = 1;
  targets.colors[0] = 1;
  w.packet(AEROGPU_CMD_SET_RENDER_TARGETS, targets);
  aerogpu_cmd_clear clear{};
  clear.flags = AEROGPU_CLEAR_COLOR;
  const float color[4] = {r, g, b, 1};
  std::memcpy(clear.color_rgba_f32, color, sizeof color);
  w.packet(AEROGPU_CMD_CLEAR, clear);
  aerogpu_cmd_resource_dirty_range dirty{};
  dirty.resource_handle = 1;
  dirty.offset_bytes = uint64_t{upload} * kPitch;
  dirty.size_bytes = uint64_t{kHeight - upload} * kPitch;
  w.packet(AEROGPU_CMD_RESOURCE_DIRTY_RANGE, dirty);
  w.packet(AEROGPU_CMD_PRESENT, aerogpu_cmd_present{});
  return w;
}

/// The last frame of a trace, as RGB bytes, by the replay tool.
std::vector<uint8_t> replayed(const std::string& trace, const std::string& backend) {
  const std::string png = trace + ".png", raw = trace + ".rgb";
  const auto run = [](const std::string& command) { return std::system(command.c_str()); };
  EXPECT_EQ(run(std::string(std::getenv("AEROGPU_REPLAY")) + " --backend " + backend + " --png " + png + " " +
                trace + " >/dev/null"),
            0);
  EXPECT_EQ(run(std::string(std::getenv("AEROGPU_PNG_RGB")) + " " + png + " " + raw), 0);
  std::vector<uint8_t> rgb(kWidth * kHeight * 3);
  if (std::FILE* file = std::fopen(raw.c_str(), "rb")) {
    rgb.resize(std::fread(rgb.data(), 1, rgb.size(), file));
    std::fclose(file);
  }
  for (const std::string& path : {trace, png, raw}) std::filesystem::remove(path);
  return rgb;
}

void framesAcrossResets(const std::string& backend) {
  const std::string path =
      (std::filesystem::temp_directory_path() / ("aerogpu-qtest-resets-" + std::to_string(::getpid())))
          .string();
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
    dev.waitFence(dev.submit(frame(1, 0, 0), {.table = table}));
    EXPECT_EQ(dev.qemu.screendump().at(0, 0), 0xFF0000u);
    dev.qemu.qmp("system_reset");
    dev.setUpPci();
    // What a ring reset drops is not in the trace: this frame was never seen.
    start(false);
    dev.submit(frame(0, 1, 0), {.table = table});
    dev.setReg(AEROGPU_MMIO_REG_RING_CONTROL, AEROGPU_RING_CONTROL_ENABLE | AEROGPU_RING_CONTROL_RESET);
    // The same handle once more, in another picture: half of it from guest memory.
    std::vector<uint8_t> bytes(kPitch * kHeight);
    for (size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<uint8_t>(i * 7 + 3);
    dev.qemu.write(kSurfaceGpa, bytes);
    dev.waitFence(dev.submit(frame(0, 0, 1, kHeight / 2), {.table = table}));
    EXPECT_EQ(dev.reg(AEROGPU_MMIO_REG_ERROR_COUNT), 0u) << dev.qemu.output();
    shown = dev.qemu.screendump();
    EXPECT_EQ(dev.qemu.quit(), 0);
  }
  ASSERT_EQ(shown.width, kWidth);
  EXPECT_EQ(shown.at(0, 0), 0x0000FFu);
  const size_t at = size_t{kHeight / 2} * kPitch;
  EXPECT_EQ(shown.at(0, kHeight / 2), uint32_t{static_cast<uint8_t>((at + 2) * 7 + 3)} << 16 |
                                          uint32_t{static_cast<uint8_t>((at + 1) * 7 + 3)} << 8 |
                                          static_cast<uint8_t>(at * 7 + 3));
  EXPECT_EQ(replayed(path, backend), shown.rgb);
}

TEST(Capture, GoesOnBehindResets) {
  framesAcrossResets("null");
}
TEST(Capture, GoesOnBehindResetsOnVulkan) {
  framesAcrossResets("vulkan");
}

}  // namespace
