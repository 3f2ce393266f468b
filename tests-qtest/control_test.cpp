// SPDX-License-Identifier: MIT
// Properties, counters, trace events, captures, migration, and resets at every stage.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>

#include "tests-qtest/aerogpu_dev.h"

namespace {

using namespace aerogpu::qtest;
using aerogpu::CommandWriter;

TEST(Properties, BadValuesAreRefusedWithAClearError) {
  const struct {
    const char* options;
    const char* named;  ///< what the message must name
  } cases[] = {
      {"renderer=bogus", "renderer"},
      {"renderer=vulkan,vulkan-device=no-such-gpu", "no-such-gpu"},
      {"renderer=null,xres=0", "xres"},
      {"renderer=null,yres=100000", "yres"},
      {"renderer=null,refresh_rate=0", "refresh_rate"},
      {"renderer=null,vgamem_mb=3", "vgamem_mb"},
      {"renderer=null,vgamem_mb=4096", "vgamem_mb"},
      {"renderer=null,capture=/no/such/folder/file", "/no/such/folder/file"},
      {"renderer=null,max_hostmem=0", "max_hostmem"},
  };
  for (const auto& c : cases) {
    const Refusal refusal = startRefused(c.options);
    EXPECT_EQ(refusal.status, 1) << c.options << "\n" << refusal.output;
    EXPECT_NE(refusal.output.find(c.named), std::string::npos) << c.options << "\n" << refusal.output;
  }
}

TEST(Properties, MaxHostmemIsAnErrorToTheGuest) {
  AeroGpuDev dev("renderer=null,max_hostmem=1M");
  dev.startRing();
  CommandWriter w;
  aerogpu_cmd_create_buffer create{};
  create.buffer_handle = 1;
  create.size_bytes = 2 << 20;
  w.packet(AEROGPU_CMD_CREATE_BUFFER, create);
  dev.waitFence(dev.submit(w));
  EXPECT_EQ(dev.reg(AEROGPU_MMIO_REG_ERROR_CODE), uint32_t{AEROGPU_ERROR_BACKEND});
}

TEST(Counters, FollowTheSubmissions) {
  AeroGpuDev dev;
  dev.startRing();
  CommandWriter w;
  w.packet(AEROGPU_CMD_FLUSH, aerogpu_cmd_flush{});
  w.packet(AEROGPU_CMD_NOP, aerogpu_cmd_flush{});
  w.packet(AEROGPU_CMD_PRESENT, aerogpu_cmd_present{});
  dev.waitFence(dev.submit(w));
  dev.waitFence(dev.submitEmpty());
  EXPECT_EQ(dev.qemu.property("submissions"), 2);
  EXPECT_EQ(dev.qemu.property("packets"), 3);
  EXPECT_EQ(dev.qemu.property("presents"), 1);
  EXPECT_EQ(dev.qemu.property("errors"), 0);
  EXPECT_EQ(dev.qemu.property("queue-depth"), 0);
  EXPECT_EQ(dev.qemu.property("bytes"), static_cast<int64_t>(w.size()));
  EXPECT_GT(dev.qemu.property("fence-latency-max-ns"), 0);
}

TEST(Properties, TextAndNumbers) {
  AeroGpuDev dev("renderer=null,xres=1600");
  EXPECT_EQ(dev.qemu.stringProperty("renderer"), "null");
  EXPECT_EQ(dev.qemu.property("xres"), 1600);
  EXPECT_THROW(dev.qemu.property("renderer"), QemuError);
  EXPECT_THROW(dev.qemu.stringProperty("xres"), QemuError);
  EXPECT_EQ(qmpNumber("{\"return\": -17}"), -17);
  EXPECT_EQ(qmpNumber("{\"return\": -9223372036854775808, \"id\": 1}"), INT64_MIN);
  EXPECT_THROW(qmpNumber("{\"return\": 1.5}"), QemuError);
  EXPECT_THROW(qmpNumber("{\"return\": 18446744073709551616}"), QemuError);
  EXPECT_EQ(qmpString("{\"return\": \"a \\\"b\\\" \\\\c\"}"), "a \"b\" \\c");
  EXPECT_THROW(qmpString("{\"return\": \"cut"), QemuError);
}

/// One line for each register write, submission, fence and interrupt, with what they are about.
TEST(Trace, NamedEventsTellWhatHappened) {
  AeroGpuDev dev("renderer=null", {"-trace", "aerogpu_*"});
  dev.interceptIntx();
  dev.setReg(AEROGPU_MMIO_REG_IRQ_ENABLE, AEROGPU_IRQ_FENCE);
  dev.startRing();
  dev.setNextFence(0xABC);
  dev.waitFence(dev.submitEmpty());
  dev.waitUntil([&] { return dev.intxLevel(); }, "interrupt");
  CommandWriter bad;
  bad.packet(AEROGPU_CMD_DESTROY_RESOURCE, aerogpu_cmd_destroy_resource{});
  dev.waitFence(dev.submit(bad));
  EXPECT_EQ(dev.qemu.quit(), 0);
  const std::string log = dev.qemu.output();
  size_t at = 0;
  for (const char* line : {"aerogpu_reg_write 0x0304 IRQ_ENABLE = 0x00000001",
                           "aerogpu_reg_write 0x010c RING_CONTROL = 0x00000001",
                           "aerogpu_submit fence 0xabc flags 0x0 commands 0 bytes",
                           "aerogpu_complete fence 0xabc head 0x1 after ",
                           "aerogpu_irq_raise bits 0x1 status 0x1 enable 0x1", "aerogpu_irq_level level 1",
                           "aerogpu_submit fence 0xabd", "aerogpu_error code 1 fence 0xabd count 1"}) {
    const size_t found = log.find(line, at);
    ASSERT_NE(found, std::string::npos) << line << " is missing, or comes too early, in\n" << log;
    at = found;
  }
}

TEST(Migration, IsRefusedWithAReason) {
  AeroGpuDev dev;
  try {
    dev.qemu.qmp("migrate", "{\"uri\": \"exec:cat >/dev/null\"}");
    ADD_FAILURE() << "a state that cannot be saved was accepted";
  } catch (const QemuError& error) {
    EXPECT_NE(std::string(error.what()).find("aerogpu"), std::string::npos) << error.what();
  }
}

TEST(Capture, ReplayGivesTheSameFrame) {
  const std::filesystem::path path =
      std::filesystem::temp_directory_path() / ("aerogpu-qtest-capture-" + std::to_string(::getpid()));
  constexpr uint32_t kWidth = 16, kHeight = 8;
  Picture shown;
  {
    AeroGpuDev dev("renderer=null,capture=" + path.string());
    dev.startRing();
    const aerogpu_alloc_entry entries[] = {{1, 0, kSurfaceGpa, 0x1000, 0}};
    const auto table = AeroGpuDev::allocTable(entries);
    std::vector<uint8_t> bytes(kWidth * kHeight * 4);
    for (size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<uint8_t>(i * 11);
    dev.qemu.write(kSurfaceGpa, bytes);
    dev.setScanout({.width = kWidth, .height = kHeight, .pitch = kWidth * 4});
    CommandWriter w;
    aerogpu_cmd_create_texture2d create{};
    create.texture_handle = 1;
    create.format = AEROGPU_FORMAT_B8G8R8X8_UNORM;
    create.width = kWidth;
    create.height = kHeight;
    create.mip_levels = create.array_layers = 1;
    create.row_pitch_bytes = kWidth * 4;
    create.backing_alloc_id = 1;
    w.packet(AEROGPU_CMD_CREATE_TEXTURE2D, create);
    aerogpu_cmd_resource_dirty_range dirty{};
    dirty.resource_handle = 1;
    dirty.size_bytes = bytes.size();
    w.packet(AEROGPU_CMD_RESOURCE_DIRTY_RANGE, dirty);
    aerogpu_cmd_set_render_targets targets{};
    targets.color_count = 1;
    targets.colors[0] = 1;
    w.packet(AEROGPU_CMD_SET_RENDER_TARGETS, targets);
    w.packet(AEROGPU_CMD_PRESENT, aerogpu_cmd_present{});
    dev.waitFence(dev.submit(w, {.table = table}));
    shown = dev.qemu.screendump();
    EXPECT_EQ(dev.qemu.quit(), 0);
  }
  // pnmtopng and the like are not needed: the replayed picture comes back through a raw PPM of the same
  // pixels.
  const std::filesystem::path png = path.string() + ".png";
  const std::string command = std::string(std::getenv("AEROGPU_REPLAY")) + " --backend null --png " +
                              png.string() + " " + path.string() + " >/dev/null";
  ASSERT_EQ(std::system(command.c_str()), 0);
  const std::string compare =
      std::string(std::getenv("AEROGPU_PNG_RGB")) + " " + png.string() + " " + path.string() + ".rgb";
  ASSERT_EQ(std::system(compare.c_str()), 0);
  std::vector<uint8_t> rgb(shown.rgb.size());
  std::FILE* file = std::fopen((path.string() + ".rgb").c_str(), "rb");
  ASSERT_NE(file, nullptr);
  EXPECT_EQ(std::fread(rgb.data(), 1, rgb.size(), file), rgb.size());
  std::fclose(file);
  EXPECT_EQ(rgb, shown.rgb);
  for (const char* suffix : {"", ".png", ".rgb"}) std::filesystem::remove(path.string() + suffix);
}

/// After a reset the old ring's memory may be anybody's.
TEST(Reset, OfTheDeviceWritesNothingIntoTheRing) {
  AeroGpuDev dev;
  dev.startRing({.enable = false});
  for (int i = 0; i < 5; ++i) dev.submitEmpty();
  const auto before = dev.qemu.read(kRingGpa, 64);
  dev.qemu.qmp("system_reset");
  EXPECT_EQ(dev.qemu.read(kRingGpa, 64), before);
}

TEST(Reset, AtEveryStage) {
  AeroGpuDev dev;
  const auto reset = [&] {
    dev.qemu.qmp("system_reset");
    dev.setUpPci();
    EXPECT_EQ(dev.completedFence(), 0u);
    EXPECT_EQ(dev.reg(AEROGPU_MMIO_REG_RING_CONTROL) & AEROGPU_RING_CONTROL_ENABLE, 0u);
  };
  reset();  // nothing set up
  dev.startRing();
  reset();  // an idle ring
  dev.startRing();
  for (int i = 0; i < 10; ++i) dev.submitEmpty(0, false);
  reset();  // queued, no bell
  dev.startRing();
  for (int i = 0; i < 12; ++i) dev.submitEmpty();
  reset();  // perhaps in flight
  // A long submission: a megabyte of packets.
  CommandWriter w;
  for (int i = 0; i < 65536; ++i) w.packet(AEROGPU_CMD_FLUSH, aerogpu_cmd_flush{});
  dev.startRing();
  dev.submit(w, {.commandGpa = 0x1000000});
  reset();
  // A present that waits for a vblank that the stopped clock never brings.
  dev.setScanout({});
  dev.startRing();
  CommandWriter p;
  aerogpu_cmd_present present{};
  present.flags = AEROGPU_PRESENT_FLAG_VSYNC;
  p.packet(AEROGPU_CMD_PRESENT, present);
  dev.submit(p);
  reset();
  dev.setScanout({});
  dev.startRing();
  dev.submit(p);
  dev.setReg(AEROGPU_MMIO_REG_RING_CONTROL, AEROGPU_RING_CONTROL_ENABLE | AEROGPU_RING_CONTROL_RESET);
  EXPECT_EQ(dev.ringHeader().head, dev.ringHeader().tail);
  dev.setReg(AEROGPU_MMIO_REG_SCANOUT0_ENABLE, 0);
  dev.setNextFence(1000);
  dev.waitFence(dev.submitEmpty());
}

}  // namespace
