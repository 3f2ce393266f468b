// SPDX-License-Identifier: MIT
// Tests handle spaces on the device: the register, slots of 80 bytes, resets, the picture, captures, saved
// state, the list for people on the host. docs/abi/spaces.md.
#include <gtest/gtest.h>

#include "tests-qtest/aerogpu_dev.h"
#include "tests-qtest/replay.h"
#include "tests-qtest/saved_state.h"

namespace {

using namespace aerogpu::qtest;
using aerogpu::CommandWriter;
namespace packets = aerogpu::packets;

constexpr uint32_t kWidth = 32, kHeight = 16, kPitch = kWidth * 4;
constexpr aerogpu_submit_space kKernel{0, AEROGPU_EXT_SPACE_FLAG_KERNEL, 0};

void enableSpaces(AeroGpuDev& dev) {
  dev.setReg(AEROGPU_EXT_REG_SPACES, AEROGPU_EXT_SPACES_ENABLE);
}
bool spacesEnabled(AeroGpuDev& dev) {
  return dev.reg(AEROGPU_EXT_REG_SPACES) == AEROGPU_EXT_SPACES_ENABLE;
}
/// Submits in a space and waits; returns the number of errors.
uint32_t errorsIn(AeroGpuDev& dev, aerogpu_submit_space space, const CommandWriter& w,
                  std::span<const uint8_t> table = {}) {
  const uint32_t before = dev.errorCount();
  dev.waitFence(dev.submit(w, {.table = table, .space = space}));
  return dev.errorCount() - before;
}
CommandWriter oneBuffer(uint32_t handle = 1) {
  CommandWriter w;
  packets::createBuffer(w, handle, 16);
  return w;
}

// EXT-1: an extension that is not announced does not exist.
TEST(Spaces, APropertyHidesThem) {
  AeroGpuDev dev("renderer=null,handle_spaces=off");
  EXPECT_FALSE(dev.reg(AEROGPU_MMIO_REG_FEATURES_HI) & (1u << (48 - 32) | 1u << (55 - 32) | 1u << (57 - 32)));
  enableSpaces(dev);
  EXPECT_FALSE(spacesEnabled(dev));
  dev.startRing();
  const uint32_t before = dev.errorCount();
  dev.waitFence(dev.submit(oneBuffer()));
  EXPECT_EQ(dev.errorCount(), before) << "a slot of 64 bytes";
}

// SPACE-1, SPACE-2, SPACE-4, EXT-1
TEST(Spaces, TheRegister) {
  AeroGpuDev dev("renderer=null,max_space_hostmem=96M");
  EXPECT_TRUE(dev.reg(AEROGPU_MMIO_REG_FEATURES_HI) & 1u << (48 - 32));
  EXPECT_FALSE(spacesEnabled(dev));
  const auto limits = [&] {
    return std::vector<uint32_t>{
        dev.reg(AEROGPU_EXT_REG_SPACE_COUNT), dev.reg(AEROGPU_EXT_REG_SPACE_CONTEXTS),
        dev.reg(AEROGPU_EXT_REG_SPACE_OBJECTS), dev.reg(AEROGPU_EXT_REG_SPACE_MEMORY_MB)};
  };
  EXPECT_EQ(limits(), (std::vector<uint32_t>{4096, 256, 1u << 18, 96}));
  dev.startRing();
  dev.setReg(AEROGPU_EXT_REG_SPACES, 1);
  EXPECT_FALSE(spacesEnabled(dev)) << "the ring is enabled";
  dev.setReg(AEROGPU_MMIO_REG_RING_CONTROL, 0);
  dev.setReg(AEROGPU_EXT_REG_SPACES, ~0u);
  EXPECT_TRUE(spacesEnabled(dev)) << "no other bit is there";
  EXPECT_EQ(limits(), (std::vector<uint32_t>{4096, 256, 1u << 18, 96}));
  dev.startRing({.stride = 80});
  dev.setReg(AEROGPU_EXT_REG_SPACES, 0);
  EXPECT_TRUE(spacesEnabled(dev));
  dev.setReg(AEROGPU_MMIO_REG_RING_CONTROL, AEROGPU_RING_CONTROL_ENABLE | AEROGPU_RING_CONTROL_RESET);
  EXPECT_TRUE(spacesEnabled(dev)) << "a ring reset leaves them";
  dev.setReg(AEROGPU_MMIO_REG_RING_CONTROL, 0);
  dev.setReg(AEROGPU_EXT_REG_SPACES, 0);
  EXPECT_FALSE(spacesEnabled(dev)) << "a driver that stops";
  dev.setReg(AEROGPU_EXT_REG_SPACES, 1);
  dev.setReg(AEROGPU_EXT_REG_SCANOUT0_ALLOC, 7);
  dev.qemu.qmp("system_reset");
  dev.setUpPci();
  EXPECT_FALSE(spacesEnabled(dev));
  EXPECT_EQ(dev.reg(AEROGPU_EXT_REG_SCANOUT0_ALLOC), 0u);
}

// SPACE-5
TEST(Spaces, SlotsThatAreTooSmallAreAnError) {
  AeroGpuDev dev;
  enableSpaces(dev);
  dev.startRing({.stride = 64});
  dev.submit(oneBuffer());
  dev.waitUntil([&] { return dev.errorCount() == 1; }, "the ring's error");
  EXPECT_EQ(dev.reg(AEROGPU_MMIO_REG_ERROR_CODE), uint32_t{AEROGPU_ERROR_CMD_DECODE});
  EXPECT_EQ(dev.reg64(AEROGPU_MMIO_REG_ERROR_FENCE_LO), 0u);
  EXPECT_EQ(dev.ringHeader().head, 0u);
  dev.startRing({.stride = 80});
  dev.waitFence(dev.submit(oneBuffer()));  // a descriptor of 64 bytes
  EXPECT_EQ(dev.errorCount(), 2u);
  EXPECT_EQ(dev.reg64(AEROGPU_MMIO_REG_ERROR_FENCE_LO), dev.nextFence() - 1);
  EXPECT_EQ(errorsIn(dev, kKernel, oneBuffer()), 0u);
  dev.startRing({.stride = 96});
  EXPECT_EQ(errorsIn(dev, {5, 0, ~uint64_t{0}}, oneBuffer()), 0u) << "what is reserved is not read";
  EXPECT_EQ(errorsIn(dev, {5, 0, 0}, oneBuffer()), 1u) << "the same object";
  EXPECT_EQ(errorsIn(dev, {6, 0, 0}, oneBuffer()), 0u);
  EXPECT_EQ(errorsIn(dev, {6, AEROGPU_EXT_SPACE_FLAG_KERNEL, 0}, oneBuffer(2)), 1u);
  EXPECT_EQ(errorsIn(dev, {6, 2, 0}, oneBuffer(2)), 1u);
}

/// Fields that 1.4 reserves are ignored while spaces are disabled: slots of 80 bytes with anything after 64.
// SPACE-3, SUB-2
TEST(Spaces, NotAskedForNothingIsThere) {
  AeroGpuDev dev;
  dev.setReg(AEROGPU_EXT_REG_SCANOUT0_ALLOC, 99);
  dev.startRing({.stride = 80});
  EXPECT_EQ(errorsIn(dev, {5, 0x80, 4}, oneBuffer()), 0u);
  EXPECT_EQ(errorsIn(dev, {6, 0, 4}, oneBuffer()), 1u) << "one space of handles";
  CommandWriter w;
  packets::createShown(w, 2, kWidth, kHeight, 1);
  packets::setTarget(w, 2);
  packets::clearColor(w, {1, 0, 0});
  packets::present(w);
  dev.setScanout({.width = kWidth, .height = kHeight, .pitch = kPitch});
  const aerogpu_alloc_entry entries[] = {{1, 0, kSurfaceGpa, 0x1000, 0}};
  EXPECT_EQ(errorsIn(dev, {7, 0, 0}, w, AeroGpuDev::allocTable(entries)), 0u);
  EXPECT_EQ(dev.qemu.screendump().at(0, 0), 0xFF0000u) << "found by its address";
}

// SPACE-2, SPACE-16
TEST(Spaces, ResetsAndTheEndOfASpace) {
  AeroGpuDev dev;
  enableSpaces(dev);
  dev.startRing({.stride = 80});
  for (const uint32_t space : {1u, 2u}) EXPECT_EQ(errorsIn(dev, {space, 0, 0}, oneBuffer()), 0u);
  dev.setReg(AEROGPU_MMIO_REG_RING_CONTROL, AEROGPU_RING_CONTROL_ENABLE | AEROGPU_RING_CONTROL_RESET);
  EXPECT_EQ(errorsIn(dev, {1, 0, 0}, oneBuffer()), 1u) << "its objects live";
  CommandWriter end;
  aerogpu_cmd_ext_destroy_space c{};
  c.space = 1;
  end.packet(c);
  EXPECT_EQ(errorsIn(dev, kKernel, end), 0u);
  EXPECT_EQ(errorsIn(dev, {1, 0, 0}, oneBuffer()), 0u);
  EXPECT_EQ(errorsIn(dev, {2, 0, 0}, oneBuffer()), 1u);
  dev.qemu.qmp("system_reset");
  dev.setUpPci();
  dev.setNextFence(1);
  enableSpaces(dev);
  dev.startRing({.stride = 80});
  for (const uint32_t space : {1u, 2u}) EXPECT_EQ(errorsIn(dev, {space, 0, 0}, oneBuffer()), 0u);
}

// SPACE-15
TEST(Spaces, AreListedForPeople) {
  AeroGpuDev dev;
  enableSpaces(dev);
  dev.startRing({.stride = 80});
  CommandWriter w;
  aerogpu_cmd_ext_name_space name{};
  name.space = ~0u;
  name.process_id = 4711;
  std::string("game.exe").copy(reinterpret_cast<char*>(name.image_name), sizeof name.image_name);
  w.packet(name);
  EXPECT_EQ(errorsIn(dev, kKernel, w), 0u);
  EXPECT_EQ(errorsIn(dev, {~0u, 0, 0}, oneBuffer()), 0u);
  EXPECT_EQ(errorsIn(dev, {~0u, 0, 0}, oneBuffer()), 1u);
  const std::string list =
      dev.qemu.qmp("qom-get", R"({"path": "/machine/peripheral/gpu0", "property": "spaces"})");
  for (const char* part : {"\"image\": \"game.exe\"", "\"process-id\": 4711", "\"space\": 4294967295",
                           "\"space\": 0", "\"submissions\": 2", "\"errors\": 1", "\"objects\": 1"})
    EXPECT_NE(list.find(part), std::string::npos) << part << " in " << list;
}

/// Spaces that begin and end are in the trace.
// SPACE-15, SPACE-16
TEST(Spaces, AreTraced) {
  AeroGpuDev dev("renderer=null", {"-trace", "aerogpu_renderer"});
  enableSpaces(dev);
  dev.startRing({.stride = 80});
  CommandWriter w;
  aerogpu_cmd_ext_name_space name{};
  name.space = 9;
  name.process_id = 4711;
  std::string("game.exe").copy(reinterpret_cast<char*>(name.image_name), sizeof name.image_name);
  w.packet(name);
  EXPECT_EQ(errorsIn(dev, kKernel, w), 0u);
  const std::string who = "space 9, process 4711, game.exe: ";
  const std::string before = dev.qemu.output();
  EXPECT_NE(before.find(who + "begins"), std::string::npos) << before;
  EXPECT_EQ(before.find(who + "ends"), std::string::npos) << before;
  w.reset();
  aerogpu_cmd_ext_destroy_space end{};
  end.space = 9;
  w.packet(end);
  EXPECT_EQ(errorsIn(dev, kKernel, w), 0u);
  const std::string after = dev.qemu.output();
  EXPECT_NE(after.find(who + "ends"), std::string::npos) << after;
}

/// Two programs draw, each under handle 1, to textures that the kernel driver made; the kernel driver shows
/// one, then the other. The replay shows what the screen did.
void framesOfTwoSpaces(const std::string& backend, uint32_t shownLast) {
  const std::string path = capturePath("spaces");
  const aerogpu_alloc_entry entries[] = {{11, 0, kSurfaceGpa, 0x1000, 0},
                                         {12, 0, kSurfaceGpa + 0x1000, 0x1000, 0}};
  const auto table = AeroGpuDev::allocTable(entries);
  Picture shown;
  {
    AeroGpuDev dev("renderer=" + backend + ",capture=" + path);
    enableSpaces(dev);
    dev.startRing({.stride = 80});
    CommandWriter make;
    for (const uint32_t space : {1u, 2u}) {
      packets::createShown(make, space, kWidth, kHeight, 10 + space);
      aerogpu_cmd_export_shared_surface share{};
      share.resource_handle = space;
      share.share_token = 100 + space;
      make.packet(share);
      aerogpu_cmd_ext_grant grant{};
      grant.share_token = 100 + space;
      grant.space = space;
      make.packet(grant);
    }
    EXPECT_EQ(errorsIn(dev, kKernel, make, table), 0u);
    for (const uint32_t space : {1u, 2u}) {
      CommandWriter draw;
      aerogpu_cmd_import_shared_surface import{};
      import.out_resource_handle = 1;
      import.share_token = 100 + space;
      draw.packet(import);
      packets::setTarget(draw, 1);
      packets::clearColor(draw, space == 1 ? packets::Rgba{1, 0, 0} : packets::Rgba{0, 0, 1});
      EXPECT_EQ(errorsIn(dev, {space, 0, 0}, draw, table), 0u);
    }
    CommandWriter present;
    packets::present(present);
    for (const uint32_t space : {3 - shownLast, shownLast}) {
      dev.setReg(AEROGPU_EXT_REG_SCANOUT0_ALLOC, 10 + space);
      // The address of both: a reader finds memory there, and no texture.
      dev.setScanout({.width = kWidth, .height = kHeight, .pitch = kPitch});
      EXPECT_EQ(errorsIn(dev, kKernel, present), 0u);
      shown = dev.qemu.screendump();
      EXPECT_EQ(shown.at(3, 3), space == 1 ? 0xFF0000u : 0x0000FFu);
    }
    EXPECT_EQ(dev.qemu.quit(), 0);
  }
  EXPECT_EQ(replayedFrame(path, backend), shown.rgb);
}

// SPACE-18, TRACE-3, TRACE-10
TEST(Spaces, WhatIsShownAndReplayed) {
  framesOfTwoSpaces("null", 1);
  framesOfTwoSpaces("null", 2);
}
// SPACE-7, SPACE-18, TRACE-3
TEST(Spaces, WhatIsShownAndReplayedOnVulkan) {
  framesOfTwoSpaces("vulkan", 2);
}

/// A write of the address also takes the register SCANOUT0_ALLOC; before that write the picture stays.
// SPACE-18, SCAN-2
TEST(Spaces, AFlipShowsATextureOrMemory) {
  AeroGpuDev dev;
  enableSpaces(dev);
  dev.startRing({.stride = 80});
  const aerogpu_alloc_entry entries[] = {{11, 0, kSurfaceGpa, 0x1000, 0}};
  CommandWriter w;
  packets::createShown(w, 1, kWidth, kHeight, 11);
  packets::setTarget(w, 1);
  packets::clearColor(w, {0, 1, 0});
  EXPECT_EQ(errorsIn(dev, kKernel, w, AeroGpuDev::allocTable(entries)), 0u);
  dev.qemu.write(kSurfaceGpa, std::vector<uint8_t>(size_t{kPitch} * kHeight, 0xFF));
  dev.setScanout({.width = kWidth, .height = kHeight, .pitch = kPitch});
  EXPECT_EQ(dev.qemu.screendump().at(0, 0), 0xFFFFFFu) << "the address finds no texture";
  dev.setReg(AEROGPU_EXT_REG_SCANOUT0_ALLOC, 11);
  EXPECT_EQ(dev.qemu.screendump().at(0, 0), 0xFFFFFFu) << "not before the flip";
  dev.setReg(AEROGPU_MMIO_REG_SCANOUT0_FB_GPA_HI, 0);
  EXPECT_EQ(dev.qemu.screendump().at(0, 0), 0x00FF00u);
  dev.setReg(AEROGPU_EXT_REG_SCANOUT0_ALLOC, 0);
  dev.setReg(AEROGPU_MMIO_REG_SCANOUT0_FB_GPA_HI, 0);
  EXPECT_EQ(dev.qemu.screendump().at(0, 0), 0xFFFFFFu);
}

/// A machine with a space continues with it, and with spaces enabled.
// SPACE-1, PCI-9
TEST(Spaces, ASavedMachineHasThemStill) {
  AeroGpuDev source;
  enableSpaces(source);
  source.setReg(AEROGPU_EXT_REG_SCANOUT0_ALLOC, 11);
  source.startRing({.stride = 80});
  source.setScanout({.width = kWidth, .height = kHeight, .pitch = kPitch});
  EXPECT_EQ(errorsIn(source, {3, 0, 0}, oneBuffer(2)), 0u);
  EXPECT_EQ(source.qemu.property("held-objects"), 3) << "the space, its context, the buffer";
  const auto file = source.qemu.folder() / "state";
  migrateTo(source, file);

  AeroGpuDev target("renderer=null", {"-incoming", "defer"});
  target.loadFrom(file);
  target.goOnFrom(source);
  EXPECT_TRUE(spacesEnabled(target));
  EXPECT_EQ(target.reg(AEROGPU_EXT_REG_SCANOUT0_ALLOC), 11u);
  EXPECT_EQ(target.qemu.property("held-objects"), 3);
  EXPECT_EQ(errorsIn(target, {3, 0, 0}, oneBuffer()), 0u);
  CommandWriter drop;
  packets::destroyResource(drop, 2);
  EXPECT_EQ(errorsIn(target, {3, 0, 0}, drop), 0u);
  // The earlier flip counts: the allocation's texture is shown.
  const aerogpu_alloc_entry entries[] = {{11, 0, kSurfaceGpa, 0x1000, 0}};
  CommandWriter w;
  packets::createShown(w, 1, kWidth, kHeight, 11);
  packets::setTarget(w, 1);
  packets::clearColor(w, {0, 1, 0});
  packets::present(w);
  EXPECT_EQ(errorsIn(target, kKernel, w, AeroGpuDev::allocTable(entries)), 0u);
  EXPECT_EQ(target.qemu.screendump().at(0, 0), 0x00FF00u);
}

}  // namespace
