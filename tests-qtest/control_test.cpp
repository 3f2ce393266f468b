// SPDX-License-Identifier: MIT
// Properties, counters, trace events, captures, and resets at every stage.
#include <gtest/gtest.h>

#include "tests-qtest/aerogpu_dev.h"
#include "tests-qtest/replay.h"

namespace {

using namespace aerogpu::qtest;
using aerogpu::CommandWriter;
namespace packets = aerogpu::packets;

TEST(Properties, MaxHostmemIsAnErrorToTheGuest) {
  AeroGpuDev dev("renderer=null,max_hostmem=1M");
  dev.startRing();
  CommandWriter w;
  packets::createBuffer(w, 1, 2 << 20);
  dev.waitFence(dev.submit(w));
  EXPECT_EQ(dev.reg(AEROGPU_MMIO_REG_ERROR_CODE), uint32_t{AEROGPU_ERROR_BACKEND});
}

TEST(Counters, FollowTheSubmissions) {
  AeroGpuDev dev;
  dev.startRing();
  CommandWriter w;
  w.packet(aerogpu_cmd_flush{});
  w.packet(AEROGPU_CMD_NOP, aerogpu_cmd_flush{});
  w.packet(aerogpu_cmd_present{});
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

/// The trace has a line for each register write, submission, fence and interrupt, with its details.
TEST(Trace, NamedEventsTellWhatHappened) {
  AeroGpuDev dev("renderer=null", {"-trace", "aerogpu_*"});
  dev.interceptIntx();
  dev.setReg(AEROGPU_MMIO_REG_IRQ_ENABLE, AEROGPU_IRQ_FENCE);
  dev.startRing();
  dev.setNextFence(0xABC);
  dev.waitFence(dev.submitEmpty());
  dev.waitUntil([&] { return dev.intxLevel(); }, "interrupt");
  CommandWriter bad;
  bad.packet(aerogpu_cmd_destroy_resource{});
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

TEST(Capture, ReplayGivesTheSameFrame) {
  const std::string path = capturePath("capture");
  constexpr uint32_t kWidth = 16, kHeight = 8;
  Picture shown;
  {
    AeroGpuDev dev("renderer=null,capture=" + path);
    dev.startRing();
    const aerogpu_alloc_entry entries[] = {{1, 0, kSurfaceGpa, 0x1000, 0}};
    const auto table = AeroGpuDev::allocTable(entries);
    const auto bytes = pattern(kWidth * kHeight * 4, 7);
    dev.qemu.write(kSurfaceGpa, bytes);
    dev.setScanout({.width = kWidth, .height = kHeight, .pitch = kWidth * 4});
    CommandWriter w;
    packets::createTexture(
        w, {.handle = 1, .width = kWidth, .height = kHeight, .rowPitch = kWidth * 4, .allocId = 1});
    packets::dirtyRange(w, 1, 0, bytes.size());
    packets::setTarget(w, 1);
    packets::present(w);
    dev.waitFence(dev.submit(w, {.table = table}));
    shown = dev.qemu.screendump();
    EXPECT_EQ(dev.qemu.quit(), 0);
  }
  EXPECT_EQ(replayedFrame(path, "null"), shown.rgb);
}

/// After a reset the old ring's memory may have another owner.
// PCI-7
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
  for (int i = 0; i < 65536; ++i) w.packet(aerogpu_cmd_flush{});
  dev.startRing();
  dev.submit(w, {.commandGpa = 0x1000000});
  reset();
  // A present that waits for a vblank, which the stopped clock never brings.
  dev.setScanout({});
  dev.startRing();
  CommandWriter p;
  packets::present(p, AEROGPU_PRESENT_FLAG_VSYNC);
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
