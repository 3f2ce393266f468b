// SPDX-License-Identifier: MIT
// Tests saved state: a VM whose renderer holds nothing continues in another QEMU where it was; a VM with
// objects is refused with their number; states that no device can have saved are refused and do no harm.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <random>

#include "tests-qtest/aerogpu_dev.h"
#include "tests-qtest/saved_state.h"

namespace {

using namespace aerogpu::qtest;
using aerogpu::CommandWriter;
namespace packets = aerogpu::packets;

constexpr uint64_t kPeriod = 16'666'667;  ///< ns, at 60 Hz
constexpr uint64_t kCursorGpa = 0x500000;

/// A VM with something in every part: ring, fence page, latched error, scanout from memory, cursor with a
/// shape that memory no longer has, with `ramped` a gamma ramp, vblank in mid-period, and a vsynced present
/// that waits, with a submission after it.
struct Busy {
  explicit Busy(AeroGpuDev& dev, bool ramped = false) : dev(dev) {
    dev.qemu.clockStep(12'345);
    dev.useFencePage();
    dev.setScanout({});
    dev.qemu.write(kSurfaceGpa, pattern(256 * 48, 7));
    dev.qemu.write(kCursorGpa, Bytes(4 * 4 * 4, 0xC0));
    dev.setReg(AEROGPU_MMIO_REG_CURSOR_WIDTH, 4);
    dev.setReg(AEROGPU_MMIO_REG_CURSOR_HEIGHT, 4);
    dev.setReg(AEROGPU_MMIO_REG_CURSOR_PITCH_BYTES, 16);
    dev.setReg(AEROGPU_MMIO_REG_CURSOR_FORMAT, AEROGPU_FORMAT_B8G8R8A8_UNORM);
    dev.setReg(AEROGPU_MMIO_REG_CURSOR_X, 20);
    dev.setReg(AEROGPU_MMIO_REG_CURSOR_Y, 10);
    dev.setReg64(AEROGPU_MMIO_REG_CURSOR_FB_GPA_LO, kCursorGpa);
    dev.setReg(AEROGPU_MMIO_REG_CURSOR_ENABLE, 1);
    if (ramped) {
      for (uint32_t at = 0; at < AEROGPU_EXT_REG_GAMMA_RAMP_BYTES; at += 4)
        dev.setReg(AEROGPU_EXT_REG_GAMMA_RAMP + at, at * 0x10003);
      dev.setReg(AEROGPU_EXT_REG_GAMMA_ENABLE, 1);
      dev.setReg(AEROGPU_EXT_REG_GAMMA_RAMP, 0x12345678);  // not taken yet
    }
    picture = dev.qemu.screendump().rgb;
    dev.qemu.write(kCursorGpa, Bytes(4 * 4 * 4, 0));  // not read again

    dev.setReg(AEROGPU_MMIO_REG_IRQ_ENABLE, AEROGPU_IRQ_SCANOUT_VBLANK | AEROGPU_IRQ_ERROR);
    dev.startRing();
    aerogpu_submit_desc bad{};  // too small: an error, and the renderer keeps nothing
    bad.signal_fence = 1;
    dev.push(bad);
    dev.setNextFence(2);
    dev.waitFence(1);
    dev.qemu.clockStep(3 * kPeriod + kPeriod / 2);
    dev.setReg(AEROGPU_MMIO_REG_IRQ_ACK, AEROGPU_IRQ_SCANOUT_VBLANK);
    CommandWriter present;
    packets::present(present, AEROGPU_PRESENT_FLAG_VSYNC);
    held = dev.submit(present);
    last = dev.submitEmpty();
    dev.waitUntil([&] { return dev.qemu.property("presents") == 1 && dev.qemu.property("submissions") == 3; },
                  "the present's work");
  }
  static constexpr uint64_t kClock = 12'345 + 3 * kPeriod + kPeriod / 2;

  AeroGpuDev& dev;
  uint64_t held, last;
  Bytes picture;
};

/// Expects that the VM continues, in this QEMU or in another one: the next vblank comes half a period later
/// and completes both fences.
void expectGoesOn(AeroGpuDev& dev, const Busy& busy, const Seen& before) {
  const uint64_t begin = dev.reg64(AEROGPU_MMIO_REG_SCANOUT0_VBLANK_SEQ_LO);
  EXPECT_LT(dev.completedFence(), busy.held);
  dev.qemu.clockStep(kPeriod / 2 - 1000);
  EXPECT_EQ(dev.reg64(AEROGPU_MMIO_REG_SCANOUT0_VBLANK_SEQ_LO), begin) << "the phase is what it was";
  EXPECT_LT(dev.completedFence(), busy.held);
  dev.qemu.clockStep(2000);
  EXPECT_EQ(dev.reg64(AEROGPU_MMIO_REG_SCANOUT0_VBLANK_SEQ_LO), before.sequence + 1);
  dev.waitFence(busy.last);
  EXPECT_TRUE(dev.reg(AEROGPU_MMIO_REG_IRQ_STATUS) & AEROGPU_IRQ_SCANOUT_VBLANK);
  EXPECT_EQ(dev.ringHeader().head, 3u);
  EXPECT_EQ(dev.fencePage().completed_fence, busy.last);
  EXPECT_EQ(dev.errorCount(), 1u);
  dev.waitFence(dev.submitEmpty());
  EXPECT_EQ(dev.ringHeader().head, 4u);
  EXPECT_EQ(dev.errorCount(), 1u);
}

// PCI-9
TEST(SavedState, AMachineGoesOnElsewhereWhereItWas) {
  AeroGpuDev source;
  Busy busy(source, true);
  source.interceptIntx();
  const Seen before = look(source);
  EXPECT_EQ(before.sequence, 3u);
  EXPECT_LT(before.fence, busy.held);
  EXPECT_EQ(source.errorCount(), 1u);
  const std::filesystem::path file = source.qemu.folder() / "state";
  migrateTo(source, file);
  EXPECT_EQ(look(source), before) << "it stands still";

  AeroGpuDev target("renderer=null", {"-incoming", "defer"});
  target.interceptIntx();
  // With -accel qtest QEMU does not restore the virtual clock; for a real guest it does.
  target.qemu.clockStep(Busy::kClock);
  target.loadFrom(file);
  target.goOnFrom(source);
  EXPECT_EQ(look(target), before);
  EXPECT_EQ(target.qemu.screendump().rgb, busy.picture)
      << "scanout, the cursor's shape as it was read, the gamma ramp as it was enabled";
  EXPECT_EQ(target.reg(AEROGPU_EXT_REG_GAMMA_ENABLE), 1u);
  EXPECT_EQ(target.reg(AEROGPU_EXT_REG_GAMMA_RAMP), 0x12345678u);
  expectGoesOn(target, busy, before);
  EXPECT_EQ(target.reg(AEROGPU_MMIO_REG_IRQ_STATUS),
            AEROGPU_IRQ_FENCE | AEROGPU_IRQ_SCANOUT_VBLANK | AEROGPU_IRQ_ERROR);
  target.setReg(AEROGPU_MMIO_REG_IRQ_ACK, ~0u);
  EXPECT_FALSE(target.intxLevel());
  target.qemu.clockStep(kPeriod);
  EXPECT_TRUE(target.intxLevel()) << "the line goes on";
}

// PCI-9
TEST(SavedState, VgaAndABlankScreenAreKept) {
  for (const bool blank : {false, true}) {
    AeroGpuDev source;
    if (blank) {
      source.setScanout({});
      source.setReg(AEROGPU_MMIO_REG_SCANOUT0_ENABLE, 0);
    }
    const Picture before = source.qemu.screendump();
    const std::filesystem::path file = source.qemu.folder() / "state";
    migrateTo(source, file);
    AeroGpuDev target("renderer=null", {"-incoming", "defer"});
    target.loadFrom(file);
    const Picture after = target.qemu.screendump();
    EXPECT_EQ(after.width, before.width) << blank;
    EXPECT_EQ(after.rgb, before.rgb) << blank;
    target.setScanout({});
    EXPECT_EQ(target.qemu.screendump().width, 64u);
  }
}

// PCI-9, PRES-13, PAL-2
TEST(SavedState, ThePaletteIsKept) {
  AeroGpuDev source;
  source.qemu.write(kSurfaceGpa, pattern(64 * 48, 11));
  for (uint32_t i = 0; i < 256; ++i) source.setReg(AEROGPU_EXT_REG_PALETTE + 4 * i, i * 0x010101 ^ 0x8F);
  source.setReg(AEROGPU_EXT_REG_SCANOUT0_FOLLOW, 1);
  source.setScanout({.format = AEROGPU_EXT_SCANOUT_P8, .width = 64, .height = 48, .pitch = 64});
  const Picture before = source.qemu.screendump();
  const std::filesystem::path file = source.qemu.folder() / "state";
  migrateTo(source, file);
  AeroGpuDev target("renderer=null", {"-incoming", "defer"});
  target.loadFrom(file);
  EXPECT_EQ(target.qemu.screendump().rgb, before.rgb);
  EXPECT_EQ(target.reg(AEROGPU_EXT_REG_SCANOUT0_FOLLOW), 1u);
  EXPECT_EQ(target.reg(AEROGPU_EXT_REG_PALETTE + 4 * 255), 0xFFFF70u);
}

/// A running ring continues: slots that were not fetched yet are fetched by the machine that loads the state.
// PCI-9
TEST(SavedState, WhatWasNotFetchedIsFetchedLater) {
  AeroGpuDev source;
  source.startRing();
  source.waitFence(source.submitEmpty());
  source.qemu.qmp("stop");
  const uint64_t late = source.submitEmpty();
  const std::filesystem::path file = source.qemu.folder() / "state";
  migrateTo(source, file);
  AeroGpuDev target("renderer=null", {"-incoming", "defer"});
  target.loadFrom(file, "paused");
  target.goOnFrom(source);
  EXPECT_LT(target.completedFence(), late);
  target.qemu.qmp("cont");
  target.waitFence(late);
  EXPECT_EQ(target.ringHeader().head, 2u);
  target.waitFence(target.submitEmpty());
}

/// Nothing prevents saving beforehand, and what holds nothing brings nothing of the renderer along.
TEST(SavedState, NothingIsRefusedFromTheStart) {
  for (const char* options : {"renderer=null", "renderer=vulkan"}) {
    AeroGpuDev dev(options);
    EXPECT_EQ(dev.qemu.qmp("query-migrate").find("blocked-reasons"), std::string::npos);
    const auto file = dev.qemu.folder() / "state";
    migrateTo(dev, file);
    const Bytes all = readBytes(file);
    const std::string part = "aerogpu/renderer";
    // A GPU's capabilities belong to what the guest was told.
    EXPECT_EQ(std::search(all.begin(), all.end(), part.begin(), part.end()) != all.end(),
              std::string(options) != "renderer=null");
    EXPECT_EQ(dev.qemu.property("save-bytes"), 0);
  }
}

/// A state from before the renderer's part of it existed: the device's section as it was written then, in a
/// state of today's machine.
// PCI-9
TEST(SavedState, OneFromBeforeObjectsWereSaved) {
  AeroGpuDev source;
  source.setReg(AEROGPU_EXT_REG_GPU_ENABLE, 1);
  for (uint32_t i = 0; i < 256; ++i) source.setReg(AEROGPU_EXT_REG_PALETTE + 4 * i, i * 0x010101 ^ 0x8F);
  Busy busy(source, true);
  const Seen before = look(source);
  const auto file = source.qemu.folder() / "state";
  migrateTo(source, file);
  const Bytes all = readBytes(file), old = readBytes(AEROGPU_SOURCE_ROOT "/tests-qtest/states/1.section");
  ASSERT_EQ(old.size(), 6482u);
  const auto name = sectionName(all);
  Bytes made(all.begin(), name - 1);
  made.insert(made.end(), old.begin(), old.end());
  made.insert(made.end(), sectionEnd(all, name), all.end());
  writeBytes(file, made);
  AeroGpuDev target("renderer=null", {"-incoming", "defer"});
  target.qemu.clockStep(Busy::kClock);
  target.loadFrom(file);
  target.goOnFrom(source);
  EXPECT_TRUE(look(target) == before);
  EXPECT_EQ(target.qemu.screendump().rgb, busy.picture);
  expectGoesOn(target, busy, before);
}

// ---- streams that no device wrote ----

/// A field in the device's part of a stream; big-endian there.
struct Field {
  std::string name;
  size_t size;
  /// True if no device can have saved 0, or all ones, in the field.
  bool zeroIsWrong = false, onesAreWrong = false;
};

std::vector<Field> layout(size_t waiting, size_t pixels) {
  std::vector<Field> f;
  constexpr uint32_t kReserved = 0x10;
  for (uint32_t offset = 0; offset <= AEROGPU_MMIO_REG_CURSOR_PITCH_BYTES; offset += 4)
    f.push_back({"register " + std::to_string(offset), 4, offset == AEROGPU_MMIO_REG_SCANOUT0_ENABLE,
                 offset == AEROGPU_MMIO_REG_MAGIC || offset == kReserved ||
                     offset == AEROGPU_MMIO_REG_DOORBELL || offset == AEROGPU_MMIO_REG_RING_CONTROL ||
                     offset == AEROGPU_MMIO_REG_IRQ_ENABLE || offset == AEROGPU_MMIO_REG_SCANOUT0_ENABLE});
  for (const char* latch : {"fence", "sequence", "time"}) f.push_back({std::string("latched ") + latch, 4});
  f.insert(f.end(), {{"irq.status", 4, false, true},
                     {"irq.msi_kick", 1},
                     {"errors.code", 4, true, true},
                     {"errors.count", 4, true},
                     {"errors.fence", 8},
                     {"vblank.period", 8, true, true},
                     {"vblank.start", 8, false, true},
                     {"vblank.base", 8, false, true},
                     {"vblank.last_ns", 8, false, true},
                     {"vblank.irq_seq", 8, false, true},
                     {"fence.completed", 8},
                     {"fence.gpa", 8},
                     {"ring.current", 1},
                     {"ring.fetch", 4},
                     {"ring.head", 4},
                     {"ring.head_gpa", 8},
                     {"ring.head_stale", 1},
                     {"completions.last_vsync_seq", 8, false, true},
                     {"completions.count", 4, true, true}});
  for (size_t i = 0; i < waiting; ++i)
    f.insert(f.end(), {{"signal_fence", 8},
                       {"work_done_seq", 8, false, true},
                       {"next_head", 4},
                       {"flags", 4},
                       {"error_count", 4, false, true},  // without a code
                       {"error_code", 4, false, true},
                       {"present_count", 4},
                       {"vsync", 1, i == 0},
                       {"texture", 1},
                       {"moves_head", 1},
                       {"shows", 1}});
  f.insert(f.end(), {{"scanout.display", 4, false, true},
                     {"scanout.width", 4, true, true},
                     {"scanout.height", 4, true, true},
                     {"scanout.format", 4, true, true},
                     {"scanout.pitch", 4, true},
                     {"scanout.gpa", 8, true},
                     {"scanout.flip_gpa", 8},
                     {"scanout.config_stale", 1},
                     {"scanout.maybe_texture", 1},
                     {"cursor.stale", 1},
                     {"cursor.width", 4, true, true},
                     {"cursor.height", 4, true, true},
                     {"cursor.hot_x", 4, false, true},
                     {"cursor.hot_y", 4, false, true},
                     {"cursor.pixels", 4, true, true}});
  for (size_t i = 0; i < pixels; ++i) f.push_back({"pixel", 4});
  return f;
}

size_t bytesOf(const std::vector<Field>& fields) {
  size_t size = 0;
  for (const Field& f : fields) size += f.size;
  return size;
}

/// Returns where the fields end: the subsection of the GPU's loss follows them.
Bytes::const_iterator fieldsEnd(const Bytes& stream, const std::vector<Field>& fields) {
  const auto name = sectionName(stream);
  const std::string next =
      "\x05\x0C"
      "aerogpu/loss";
  const auto end = std::search(name + static_cast<std::ptrdiff_t>(bytesOf(fields)), stream.end(),
                               next.begin(), next.end());
  if (end == stream.end()) throw QemuError("the section of the device has no subsections");
  return end;
}

class MadeUpState : public testing::Test, protected StateOnDisk {
protected:
  MadeUpState() : StateOnDisk("renderer=null"), busy(dev) {
    // With a PCI line up, QEMU itself aborts at a reset after a load that failed between the bus and its
    // device.
    dev.setReg(AEROGPU_MMIO_REG_IRQ_ACK, ~0u);
    dev.qemu.qmp("stop");
    before = look(dev);
    save();
    endAt = static_cast<size_t>(fieldsEnd(good, layout(2, 16)) - good.begin());
    firstAt = endAt - bytesOf(layout(2, 16));
  }
  Busy busy;
  Seen before;
  size_t firstAt = 0, endAt = 0;
};

TEST_F(MadeUpState, NoneIsMadeUpHere) {
  useIt();
  dev.waitUntil([&] { return dev.completedFence() == busy.last; }, "the time after the snapshot");
  ASSERT_TRUE(loadGood()) << said;
  EXPECT_LT(dev.completedFence(), busy.held) << "back to when it was saved";
  EXPECT_EQ(dev.ringHeader().head, before.ring.head);
  EXPECT_EQ(dev.qemu.screendump().rgb, busy.picture);
  // The clock of -accel qtest does not go back: the vblank that the present waits for is over.
  dev.qemu.qmp("cont");
  dev.qemu.clockStep(kPeriod);
  dev.waitFence(busy.last);
  EXPECT_EQ(dev.errorCount(), 1u);
}

TEST_F(MadeUpState, EachFieldAtItsLimits) {
  size_t at = firstAt;
  int refused = 0;
  for (const Field& f : layout(2, 16)) {
    const bool plainRegister =
        f.name.rfind("register ", 0) == 0 && !f.onesAreWrong && f.name != "register 1284";
    for (const bool ones : {false, true}) {
      if (plainRegister || (f.name == "pixel" && at + 4 != endAt)) continue;  // one of each kind will do
      const Bytes bytes(f.size, ones ? 0xFF : 0);
      const bool same =
          std::equal(bytes.begin(), bytes.end(), good.begin() + static_cast<std::ptrdiff_t>(at));
      const bool accepted = loadWith(at, bytes);
      EXPECT_EQ(accepted, same || !(ones ? f.onesAreWrong : f.zeroIsWrong))
          << f.name << (ones ? " all ones\n" : " zero\n") << said;
      if (!accepted) {
        ++refused;
        // A stream that is short of elements ends in the next field.
        EXPECT_TRUE(said.find("aerogpu: saved state: ") != std::string::npos ||
                    said.find("Input validation failed: aerogpu/") != std::string::npos ||
                    f.name == "completions.count")
            << f.name << "\n"
            << said;
      }
      useIt();
    }
    at += f.size;
  }
  EXPECT_EQ(at, endAt);
  EXPECT_GE(refused, 30);
}

TEST_F(MadeUpState, OfAnotherVersion) {
  for (const uint8_t version : {0, 2, 255}) {
    EXPECT_FALSE(loadWith(versionAt + 3, Bytes{version})) << int{version};
    EXPECT_NE(said.find("version"), std::string::npos) << said;
  }
  ASSERT_TRUE(loadGood()) << said;
  useIt();
}

TEST_F(MadeUpState, AnyBytesDoNoHarm) {
  std::mt19937 random(4711);
  for (int i = 0; i < 40; ++i) {
    // Half of them after the registers, in the other parts.
    const size_t from = i % 2 ? firstAt : endAt - 64 * 4, at = from + random() % (endAt - from - 4);
    Bytes bytes(1 + i % 4);
    for (uint8_t& byte : bytes) byte = static_cast<uint8_t>(random());
    loadWith(at, bytes);
    useIt();
  }
  dev.qemu.qmp("system_reset");
  dev.qemu.qmp("cont");
  dev.setUpPci();
  dev.setNextFence(1);
  dev.startRing();
  dev.waitFence(dev.submitEmpty());
}

/// Loads a file in a separate QEMU, which has to exit by itself with an error.
Refusal loadElsewhere(const std::filesystem::path& file, const std::string& options) {
  return runToExit({"-accel", "qtest", "-machine", "pc", "-m", "64", "-nodefaults", "-display", "none",
                    "-device", "aerogpu,id=gpu0,addr=4,renderer=null" + options, "-incoming",
                    "exec:cat " + file.string()});
}

TEST(SavedState, CutShort) {
  AeroGpuDev source;
  const std::filesystem::path file = source.qemu.folder() / "state", cut = source.qemu.folder() / "cut";
  migrateTo(source, file);
  const Bytes all = readBytes(file);
  const auto section = sectionName(all);
  const auto end = fieldsEnd(all, layout(0, 0));
  // In its header, in PCI's part, in VGA's, in the registers, among the parts after them, before its last
  // byte.
  for (const std::ptrdiff_t after : {std::ptrdiff_t{24}, std::ptrdiff_t{200}, end - section - 1500,
                                     end - section - 500, end - section - 100, end - section - 1}) {
    writeBytes(cut, Bytes(all.begin(), section + after));
    const Refusal refusal = loadElsewhere(cut, "");
    EXPECT_EQ(refusal.status, 1) << after << "\n" << refusal.output;
    EXPECT_NE(refusal.output.find("failed"), std::string::npos) << after << "\n" << refusal.output;
  }
}

/// A state is valid only for the refresh rate that it was saved with: otherwise the vblank count would jump.
TEST(SavedState, AnotherRefreshRateIsRefused) {
  AeroGpuDev source;
  const std::filesystem::path file = source.qemu.folder() / "state";
  migrateTo(source, file);
  const Refusal refusal = loadElsewhere(file, ",refresh_rate=75");
  EXPECT_EQ(refusal.status, 1);
  EXPECT_NE(
      refusal.output.find("aerogpu: saved state: its vblank period is 16666667 ns, the device's refresh_rate "
                          "makes 13333333"),
      std::string::npos)
      << refusal.output;
}

}  // namespace
