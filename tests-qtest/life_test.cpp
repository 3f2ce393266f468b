// SPDX-License-Identifier: MIT
// Tests the device in QEMU's life: stop and continue, snapshots and migration, monitor commands, pictures,
// counters, trace events, the log.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <sstream>

#include "tests-qtest/aerogpu_dev.h"

namespace {

using namespace aerogpu::qtest;
using aerogpu::CommandWriter;

constexpr uint64_t kPeriod = 16'666'667;

CommandWriter vsyncedPresent() {
  CommandWriter w;
  aerogpu_cmd_present present{};
  present.flags = AEROGPU_PRESENT_FLAG_VSYNC;
  w.packet(present);
  return w;
}

std::string errorOf(const std::function<void()>& command) {
  try {
    command();
  } catch (const QemuError& error) {
    return error.what();
  }
  return "(accepted)";
}

std::string readText(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

/// Nothing of a stopped machine changes: no slot is fetched, no fence comes, memory stays. It continues where
/// it was.
// RING-9, VBL-6
TEST(Life, AStoppedMachineStandsStill) {
  AeroGpuDev dev;
  dev.useFencePage();
  dev.setScanout({});
  dev.startRing();
  dev.waitFence(dev.submitEmpty());
  // A present that its vblank would complete, and one submission that is no longer fetched.
  const uint64_t held = dev.submit(vsyncedPresent());
  dev.waitUntil([&] { return dev.qemu.property("presents-done") == 1; }, "the present's work");
  dev.qemu.qmp("stop");
  const uint64_t late = dev.submitEmpty();
  const auto ring = dev.qemu.read(kRingGpa, 64), fences = dev.qemu.read(kFenceGpa, 64);
  const int64_t fetched = dev.qemu.property("submissions");
  for (int i = 0; i < 50; ++i) {
    dev.ringBell();
    EXPECT_LT(dev.completedFence(), held);
  }
  EXPECT_EQ(dev.qemu.property("submissions"), fetched);
  EXPECT_EQ(dev.qemu.read(kRingGpa, 64), ring);
  EXPECT_EQ(dev.qemu.read(kFenceGpa, 64), fences);
  EXPECT_EQ(dev.qemu.screendump().width, 64u) << "a picture can be taken";
  dev.qemu.qmp("cont");
  dev.qemu.clockStep(2 * kPeriod);
  dev.waitFence(late);
  EXPECT_EQ(dev.reg(AEROGPU_MMIO_REG_ERROR_COUNT), 0u);
}

TEST(Life, AFlipWhileStoppedIsShown) {
  AeroGpuDev dev;
  dev.qemu.write(kSurfaceGpa, std::vector<uint8_t>(256 * 48, 0x11));
  dev.qemu.write(kSurfaceGpa + 0x10000, std::vector<uint8_t>(256 * 48, 0x22));
  dev.setScanout({});
  dev.startRing();
  dev.waitFence(dev.submitEmpty());  // from here on the renderer looks up addresses
  dev.qemu.qmp("stop");
  EXPECT_EQ(dev.qemu.screendump().at(1, 1), 0x111111u);
  dev.setReg64(AEROGPU_MMIO_REG_SCANOUT0_FB_GPA_LO, kSurfaceGpa + 0x10000);
  EXPECT_EQ(dev.qemu.screendump().at(1, 1), 0x222222u);
}

TEST(Life, ResetOfAStoppedMachine) {
  AeroGpuDev dev;
  dev.setScanout({});
  dev.startRing();
  dev.submit(vsyncedPresent());
  dev.qemu.qmp("stop");
  dev.qemu.qmp("system_reset");
  dev.qemu.qmp("cont");
  dev.setUpPci();
  EXPECT_EQ(dev.reg(AEROGPU_MMIO_REG_SCANOUT0_ENABLE), 0u);
  dev.setNextFence(1);
  dev.startRing();
  dev.waitFence(dev.submitEmpty());
}

TEST(Life, ACaptureOnAFullDiskIsSaidAtTheEnd) {
  AeroGpuDev dev("renderer=null,capture=/dev/full");
  dev.startRing();
  dev.waitFence(dev.submitEmpty());
  EXPECT_EQ(dev.qemu.quit(), 0);
  EXPECT_NE(dev.qemu.output().find("aerogpu: capture: "), std::string::npos) << dev.qemu.output();
}

TEST(Life, HotplugIsRefused) {
  AeroGpuDev dev;
  const auto devices = [&] { return dev.qemu.qmp("qom-list", R"({"path": "/machine/peripheral"})"); };
  const std::string before = devices();
  EXPECT_NE(errorOf([&] {
              dev.qemu.qmp("device_add", R"({"driver": "aerogpu", "id": "late"})");
            }).find("Parameter 'driver' expects a pluggable device type"),
            std::string::npos);
  EXPECT_NE(errorOf([&] {
              dev.qemu.qmp("device_del", R"({"id": "gpu0"})");
            }).find("Device 'aerogpu' does not support hotplugging"),
            std::string::npos);
  EXPECT_EQ(devices(), before);
  EXPECT_EQ(dev.reg(AEROGPU_MMIO_REG_MAGIC), uint32_t{AEROGPU_MMIO_MAGIC});
}

TEST(Life, TheMonitorShowsTheDevice) {
  AeroGpuDev dev;
  const std::string pci = dev.qemu.monitor("info pci");
  for (const char* part : {"VGA controller: PCI device a3a0:0001", "PCI subsystem a3a0:0001",
                           "BAR0: 32 bit memory at 0xfe000000 [0xfe00ffff]",
                           "BAR1: 32 bit prefetchable memory at 0xe0000000 [0xe3ffffff]"})
    EXPECT_NE(pci.find(part), std::string::npos) << part << "\n" << pci;
  const std::string tree = dev.qemu.monitor("info qtree");
  for (const char* part : {"dev: aerogpu, id \\\"gpu0\\\"", "max_hostmem = 1073741824", "refresh_rate = 60"})
    EXPECT_NE(tree.find(part), std::string::npos) << part << "\n" << tree;
  const std::string memory = dev.qemu.monitor("info mtree");
  for (const char* part : {"aerogpu-mmio", "vga.vram", "vga-lowmem"})
    EXPECT_NE(memory.find(part), std::string::npos) << part << "\n" << memory;
  EXPECT_NE(dev.qemu.qmp("query-display-options").find("none"), std::string::npos);
}

TEST(Life, PicturesInBothFormatsAreTheSame) {
  AeroGpuDev dev;
  std::vector<uint8_t> bytes(256 * 48);
  for (size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<uint8_t>(i * 7 + i / 256);
  dev.qemu.write(kSurfaceGpa, bytes);
  dev.setScanout({});
  const Picture ppm = dev.qemu.screendump();
  const auto png = dev.qemu.folder() / "screen.png", rgb = dev.qemu.folder() / "screen.rgb";
  dev.qemu.qmp("screendump",
               R"({"filename": ")" + png.string() + R"(", "format": "png", "device": "gpu0", "head": 0})");
  const std::string convert =
      std::string(std::getenv("AEROGPU_PNG_RGB")) + " " + png.string() + " " + rgb.string();
  ASSERT_EQ(std::system(convert.c_str()), 0);
  const std::string text = readText(rgb);
  EXPECT_EQ(std::vector<uint8_t>(text.begin(), text.end()), ppm.rgb);
  EXPECT_NE(errorOf([&] {
              dev.qemu.qmp("screendump", R"({"filename": "/dev/null", "device": "gpu0", "head": 1})");
            }),
            "(accepted)")
      << "there is one head";
}

/// Each counter is readable, never writable, and in docs/develop/debugging.md with its name and its text.
TEST(Life, EveryCounterIsReadableAndDocumented) {
  AeroGpuDev dev;
  std::string docs = readText(AEROGPU_SOURCE_ROOT "/docs/develop/debugging.md");
  std::erase(docs, '`');
  const std::string list = dev.qemu.qmp("qom-list-properties", R"({"typename": "aerogpu"})");
  int counters = 0;
  for (size_t at = 0; (at = list.find("read-only: ", at)) != std::string::npos; ++at) {
    const size_t begin = list.rfind('{', at), end = list.find('}', at);
    const std::string entry = list.substr(begin, end - begin);
    const size_t key = entry.find("\"name\": \"") + 9;
    const std::string name = entry.substr(key, entry.find('"', key) - key);
    const std::string path = R"({"path": "/machine/peripheral/gpu0", "property": ")" + name + "\"";
    EXPECT_NO_THROW(dev.qemu.qmp("qom-get", path + "}")) << name;
    EXPECT_THROW(dev.qemu.qmp("qom-set", path + R"(, "value": 1})"), QemuError) << name;
    const size_t text = at + std::strlen("read-only: ");
    const std::string row = "\n| " + name + " | " + list.substr(text, list.find('"', text) - text) + " |\n";
    EXPECT_NE(docs.find(row), std::string::npos) << row << "is not in docs/develop/debugging.md";
    ++counters;
  }
  EXPECT_GE(counters, 20);
}

TEST(Life, InterruptsAreCountedWhenAnEnabledBitComesUp) {
  AeroGpuDev dev;
  dev.startRing();
  dev.waitFence(dev.submitEmpty());
  dev.waitUntil([&] { return dev.reg(AEROGPU_MMIO_REG_IRQ_STATUS) & AEROGPU_IRQ_FENCE; }, "fence bit");
  EXPECT_EQ(dev.qemu.property("interrupts"), 0) << "not enabled";
  dev.setReg(AEROGPU_MMIO_REG_IRQ_ACK, AEROGPU_IRQ_FENCE);
  dev.setReg(AEROGPU_MMIO_REG_IRQ_ENABLE, AEROGPU_IRQ_FENCE | AEROGPU_IRQ_SCANOUT_VBLANK);
  dev.waitFence(dev.submitEmpty());
  dev.waitUntil([&] { return dev.qemu.property("interrupts") == 1; }, "fence interrupt");
  dev.waitFence(dev.submitEmpty());  // still up
  EXPECT_EQ(dev.qemu.property("interrupts"), 1);
  dev.setScanout({});
  dev.qemu.clockStep(kPeriod);
  EXPECT_EQ(dev.qemu.property("interrupts"), 2);
}

/// Every event of hw-aerogpu/trace-events exists in the binary and can be switched at run time.
TEST(Trace, EveryEventCanBeSwitched) {
  AeroGpuDev dev;
  std::istringstream events(readText(AEROGPU_SOURCE_ROOT "/hw-aerogpu/trace-events"));
  int count = 0;
  for (std::string line; std::getline(events, line);) {
    if (line.rfind("aerogpu_", 0) != 0) continue;
    const std::string name = line.substr(0, line.find('('));
    EXPECT_NO_THROW(dev.qemu.qmp("trace-event-set-state", R"({"name": ")" + name + R"(", "enable": true})"))
        << name;
    EXPECT_NE(dev.qemu.qmp("trace-event-get-state", R"({"name": ")" + name + "\"}").find("\"enabled\""),
              std::string::npos);
    ++count;
  }
  EXPECT_GE(count, 15);
  dev.setReg(AEROGPU_MMIO_REG_CURSOR_X, 0x1234);
  EXPECT_NE(dev.qemu.output().find("aerogpu_reg_write 0x0504 CURSOR_X = 0x00001234"), std::string::npos);
  dev.qemu.qmp("trace-event-set-state", R"({"name": "aerogpu_*", "enable": false})");
  dev.setReg(AEROGPU_MMIO_REG_CURSOR_X, 0x4321);
  EXPECT_EQ(dev.qemu.output().find("0x00004321"), std::string::npos);
}

size_t lines(const std::string& text, const std::string& with) {
  size_t count = 0;
  for (size_t at = 0; (at = text.find(with, at)) != std::string::npos; at += with.size()) ++count;
  return count;
}

/// -d guest_errors names each kind of mistake with its values.
TEST(Log, EachMistakeIsNamed) {
  AeroGpuDev dev("renderer=null", {"-d", "guest_errors"});
  dev.setReg64(AEROGPU_MMIO_REG_FENCE_GPA_LO, 0x1234567000);
  dev.setScanout({.width = 77777});
  dev.setReg(AEROGPU_MMIO_REG_CURSOR_ENABLE, 1);
  dev.qemu.screendump();
  dev.startRing();
  aerogpu_submit_desc desc{};
  desc.signal_fence = 4711;
  dev.push(desc);
  dev.waitFence(4711);
  dev.setReg64(AEROGPU_MMIO_REG_RING_GPA_LO, 0x4000000000);
  dev.ringBell();
  dev.waitUntil([&] { return dev.reg(AEROGPU_MMIO_REG_ERROR_CODE) == AEROGPU_ERROR_OOB; },
                "the ring's error");
  dev.qemu.quit();
  const std::string log = dev.qemu.output();
  for (const char* line :
       {"aerogpu: no memory for a fence page at 0x1234567000", "aerogpu: scanout rejected: size (77777x48",
        "aerogpu: cursor rejected", "aerogpu: bad descriptor in slot 0 (fence 4711)",
        "aerogpu: ring at 0x4000000000 rejected: not in guest memory"})
    EXPECT_NE(log.find(line), std::string::npos) << line << "\n" << log;
}

/// A guest decides how often it errs, but not how long the log gets.
TEST(Log, AGuestCannotFillIt) {
  const auto began = std::chrono::steady_clock::now();
  AeroGpuDev dev("renderer=null", {"-d", "guest_errors"});
  dev.startRing({.entries = 1024});
  CommandWriter bad;
  for (int i = 0; i < 20000; ++i) bad.packet(aerogpu_cmd_destroy_resource{});
  dev.waitFence(dev.submit(bad, {.commandGpa = 0x1000000}));
  aerogpu_submit_desc desc{};
  for (int i = 0; i < 500; ++i) {
    desc.signal_fence = dev.nextFence() + static_cast<uint64_t>(i);
    dev.push(desc);
    dev.setReg(AEROGPU_MMIO_REG_SCANOUT0_ENABLE, 1);
    dev.setReg(AEROGPU_MMIO_REG_FENCE_GPA_HI, 1);
    dev.setReg(AEROGPU_MMIO_REG_SCANOUT0_ENABLE, 0);
    dev.setReg(AEROGPU_MMIO_REG_CURSOR_ENABLE, 1);
    dev.setReg(AEROGPU_MMIO_REG_CURSOR_ENABLE, 0);
  }
  dev.waitFence(desc.signal_fence);
  dev.setReg64(AEROGPU_MMIO_REG_RING_GPA_LO, 0x4000000000);
  for (int i = 0; i < 500; ++i) dev.ringBell();
  dev.qemu.quit();
  const auto seconds =
      std::chrono::duration_cast<std::chrono::seconds>(std::chrono::steady_clock::now() - began);
  // The device writes 20 lines a second and how many it left out, the renderer 32; both count whole seconds.
  const size_t most = (static_cast<size_t>(seconds.count()) + 2) * (20 + 1 + 32 + 1);
  EXPECT_LE(lines(dev.qemu.output(), "aerogpu: "), most);
  EXPECT_GE(lines(dev.qemu.output(), "aerogpu: "), 20u);
}

}  // namespace
