// SPDX-License-Identifier: MIT
// Tests saved state: a VM whose renderer holds nothing continues in another QEMU where it was; a VM with
// objects is refused with their number; states that no device can have saved are refused and do no harm.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <random>

#include "tests-qtest/aerogpu_dev.h"

namespace {

using namespace aerogpu::qtest;
using aerogpu::CommandWriter;
namespace packets = aerogpu::packets;

constexpr uint64_t kPeriod = 16'666'667;  ///< ns, at 60 Hz
constexpr uint64_t kCursorGpa = 0x500000;

using Bytes = std::vector<uint8_t>;

Bytes readBytes(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

void writeBytes(const std::filesystem::path& path, std::span<const uint8_t> bytes) {
  std::ofstream out(path, std::ios::binary);
  out.write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
}

/// Returns where the name of the device's section begins. The search includes the byte of the name's length,
/// because the video BIOS has a longer name that ends with the same text.
Bytes::const_iterator sectionName(const Bytes& stream) {
  const std::string name =
      "\x14"
      "0000:00:04.0/aerogpu";
  const auto at = std::search(stream.begin(), stream.end(), name.begin(), name.end());
  if (at == stream.end()) throw QemuError("no section of the device");
  return at + 1;
}

std::string errorOf(const std::function<void()>& command) {
  try {
    command();
  } catch (const QemuError& error) {
    return error.what();
  }
  return "(accepted)";
}

std::string exec(const std::string& shell) {
  return "{\"uri\": \"exec:" + shell + "\"}";
}

/// Writes RAM and devices to a file; QEMU stops the VM for it.
void migrateTo(AeroGpuDev& dev, const std::filesystem::path& path) {
  dev.qemu.qmp("migrate", exec("cat >" + path.string()));
  std::string state;
  dev.waitUntil(
      [&] {
        state = dev.qemu.qmp("query-migrate");
        return state.find("\"completed\"") != std::string::npos ||
               state.find("\"failed\"") != std::string::npos;
      },
      "the end of the migration");
  ASSERT_NE(state.find("\"completed\""), std::string::npos) << state << dev.qemu.output();
}

/// Everything that a guest can poll without side effects.
struct Seen {
  std::vector<uint32_t> registers;
  uint64_t fence, sequence, time;
  aerogpu_ring_header ring;
  aerogpu_fence_page page;
  bool operator==(const Seen& other) const {
    return registers == other.registers && fence == other.fence && sequence == other.sequence &&
           time == other.time && std::memcmp(&ring, &other.ring, sizeof ring) == 0 &&
           std::memcmp(&page, &other.page, sizeof page) == 0;
  }
};

Seen look(AeroGpuDev& dev) {
  Seen seen{{},
            dev.completedFence(),
            dev.reg64(AEROGPU_MMIO_REG_SCANOUT0_VBLANK_SEQ_LO),
            dev.reg64(AEROGPU_MMIO_REG_SCANOUT0_VBLANK_TIME_NS_LO),
            dev.ringHeader(),
            dev.fencePage()};
  for (uint32_t offset = 0; offset <= AEROGPU_MMIO_REG_CURSOR_PITCH_BYTES; offset += 4)
    seen.registers.push_back(dev.reg(offset));
  return seen;
}

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

/// A save is refused while the renderer has objects or a shown texture, and always with Vulkan; one line says
/// how much there is.
TEST(SavedState, WhatTheRendererHoldsIsRefusedWithItsNumber) {
  AeroGpuDev dev;
  const std::filesystem::path file = dev.qemu.folder() / "devices";
  const auto saveDevices = [&] {
    dev.qemu.qmp("xen-save-devices-state", R"({"live": true, "filename": ")" + file.string() + "\"}");
  };
  const auto refused = [&](const std::string& what) {
    const std::string line = "aerogpu: what the back end null holds for the guest cannot be saved: " + what;
    // At once, and exactly.
    const size_t seen = dev.qemu.output().size();
    EXPECT_NE(errorOf(saveDevices), "(accepted)");
    EXPECT_NE(dev.qemu.output().find(line + "\n", seen), std::string::npos) << dev.qemu.output();
    // Before any migration begins, as soon as the reason is known.
    dev.waitForBlocker(line);
    EXPECT_NE(errorOf([&] { dev.qemu.qmp("migrate", exec("cat >/dev/null")); }).find(line),
              std::string::npos);
    EXPECT_NE(dev.qemu.monitor("savevm one").find(line), std::string::npos);
  };
  dev.startRing();
  dev.waitFence(dev.submitEmpty());
  EXPECT_EQ(errorOf(saveDevices), "(accepted)");

  CommandWriter w;
  packets::createBuffer(w, 1, 64, AEROGPU_RESOURCE_USAGE_VERTEX_BUFFER);
  dev.waitFence(dev.submit(w));
  refused("objects 2, frames 0");  // the buffer, and the context in which it was made
  EXPECT_EQ(dev.qemu.property("held-objects"), 2);

  w.reset();
  packets::createTexture(
      w, {.handle = 2, .width = 64, .height = 48, .usage = packets::kShown, .rowPitch = 256, .allocId = 1});
  packets::present(w);
  dev.setScanout({});
  const aerogpu_alloc_entry entry{1, 0, kSurfaceGpa, 256 * 48, 0};
  dev.waitFence(dev.submit(w, {.table = AeroGpuDev::allocTable({&entry, 1})}));
  refused("objects 3, frames 1");

  // Everything is destroyed, the picture too.
  w.reset();
  packets::destroyResource(w, 1);
  packets::destroyResource(w, 2);
  w.packet(AEROGPU_CMD_EXT_RESET_CONTEXT, aerogpu_cmd_ext_reset_context{});
  packets::present(w);
  dev.waitFence(dev.submit(w));
  EXPECT_EQ(dev.qemu.property("held-objects"), 0);
  EXPECT_EQ(errorOf(saveDevices), "(accepted)");
  dev.waitForNoBlocker();
  EXPECT_EQ(errorOf([&] { dev.qemu.qmp("migrate", exec("cat >/dev/null")); }), "(accepted)");
}

TEST(SavedState, WithVulkanItIsRefusedFromTheStart) {
  AeroGpuDev dev("renderer=vulkan");
  const std::string line = "aerogpu: what the back end vulkan holds for the guest cannot be saved: objects ";
  EXPECT_NE(errorOf([&] { dev.qemu.qmp("migrate", exec("cat >/dev/null")); }).find(line + "0, frames 0"),
            std::string::npos);
  EXPECT_NE(dev.qemu.monitor("savevm one").find(line + "0, frames 0"), std::string::npos);
  dev.startRing();
  CommandWriter w;
  packets::createBuffer(w, 1, 64, AEROGPU_RESOURCE_USAGE_VERTEX_BUFFER);
  dev.waitFence(dev.submit(w));
  dev.waitForBlocker(line + "2, frames 0");
  EXPECT_NE(errorOf([&] { dev.qemu.qmp("migrate", exec("cat >/dev/null")); }).find(line + "2, frames 0"),
            std::string::npos);
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

/// Returns where the device's part ends. A section: type, id, length of the name, name, instance, version,
/// data; then 0x7E and the id again.
Bytes::const_iterator partsEnd(const Bytes& stream, const std::vector<Field>& fields) {
  const auto name = sectionName(stream);
  Bytes footer = {0x7E};
  footer.insert(footer.end(), name - 5, name - 1);
  const auto end = std::search(name + static_cast<std::ptrdiff_t>(bytesOf(fields)), stream.end(),
                               footer.begin(), footer.end());
  if (end == stream.end()) throw QemuError("the section of the device has no end");
  return end;
}

/// A snapshot in a qcow2 file, where QEMU keeps it as it was written, so that it can be changed there.
class MadeUpState : public testing::Test {
protected:
  MadeUpState()
      : disk(makeDisk()),
        dev("renderer=null", {"-drive", "if=none,id=disk,format=qcow2,file=" + disk}),
        busy(dev) {
    // With a PCI line up, QEMU itself aborts at a reset after a load that failed between the bus and its
    // device.
    dev.setReg(AEROGPU_MMIO_REG_IRQ_ACK, ~0u);
    dev.qemu.qmp("stop");
    before = look(dev);
    const std::string answer = dev.qemu.monitor("savevm one");
    if (answer.find("rror") != std::string::npos) throw QemuError(answer);
    const Bytes image = readBytes(disk);
    const auto name = sectionName(image);
    const auto end = partsEnd(image, layout(2, 16));
    versionAt = static_cast<size_t>(name - image.begin()) + kNameBytes + 4;
    endAt = static_cast<size_t>(end - image.begin());
    firstAt = endAt - bytesOf(layout(2, 16));
    good = image;
  }
  ~MadeUpState() override { std::filesystem::remove(disk); }

  static std::string makeDisk() {
    std::string name = (std::filesystem::temp_directory_path() / "aerogpu-state-XXXXXX").string();
    const int fd = mkstemp(name.data());
    if (fd < 0) throw QemuError("cannot make a file in " + std::filesystem::temp_directory_path().string());
    close(fd);
    if (std::system(("qemu-img create -q -f qcow2 " + name + " 1M").c_str()) != 0)
      throw QemuError("qemu-img failed");
    return name;
  }

  /// Puts bytes into the snapshot, loads it, restores them; returns true if it was accepted.
  bool loadWith(size_t at, const Bytes& bytes) {
    patch(at, bytes);
    said = dev.qemu.output();
    const size_t seen = said.size();
    const std::string answer = dev.qemu.monitor("loadvm one");
    said = answer + dev.qemu.output().substr(seen);
    patch(at, {good.begin() + static_cast<std::ptrdiff_t>(at),
               good.begin() + static_cast<std::ptrdiff_t>(at + bytes.size())});
    return answer.find("rror") == std::string::npos;
  }
  bool loadGood() { return loadWith(versionAt, {good[versionAt]}); }
  void patch(size_t at, const Bytes& bytes) {
    std::fstream file(disk, std::ios::binary | std::ios::in | std::ios::out);
    file.seekp(static_cast<std::streamoff>(at));
    file.write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
    if (!file.flush()) throw QemuError("cannot write " + disk);
  }
  /// Lets the machine continue and draw, whatever was loaded, and expects that it answers.
  void useIt() {
    dev.qemu.qmp("cont");
    dev.qemu.clockStep(kPeriod);
    dev.ringBell();
    dev.qemu.screendump();
    dev.qemu.qmp("stop");
    EXPECT_EQ(dev.reg(AEROGPU_MMIO_REG_MAGIC), uint32_t{AEROGPU_MMIO_MAGIC});
  }

  static constexpr size_t kNameBytes = 20;
  std::string disk;
  AeroGpuDev dev;
  Busy busy;
  Seen before;
  Bytes good;  ///< the file with the original snapshot
  size_t versionAt = 0, firstAt = 0, endAt = 0;
  std::string said;
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
    EXPECT_FALSE(loadWith(versionAt + 3, {version})) << int{version};
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
  const auto end = partsEnd(all, layout(0, 0));
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
