// SPDX-License-Identifier: MIT
// Tests the renderer's part of saved states where it is not as a device wrote it, or where the host is
// another one: it is refused with its reason, or loaded, and QEMU goes on within its memory.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <map>
#include <random>

#include "aerogpu/aerogpu_caps.h"
#include "tests-qtest/saved_state.h"

namespace {

using namespace aerogpu::qtest;
using aerogpu::CommandWriter;
namespace packets = aerogpu::packets;

constexpr uint32_t kWidth = 32, kHeight = 16, kPitch = kWidth * 4;
constexpr uint64_t kPeriod = 16'666'667;
constexpr uint64_t kMaxHostmem = uint64_t{64} << 20;

/// Big-endian, as QEMU writes numbers.
Bytes big(uint64_t value, size_t size) {
  Bytes bytes(size);
  for (size_t i = 0; i < size; ++i) bytes[size - 1 - i] = static_cast<uint8_t>(value >> (8 * i));
  return bytes;
}

/// Bytes that can be compressed, but are no constant.
Bytes plainBytes(size_t size) {
  Bytes bytes(size);
  for (size_t i = 0; i < size; ++i) bytes[i] = static_cast<uint8_t>(i / 100);
  return bytes;
}

/// A machine with some of everything: a shown frame, one that waits, a space, shaders, contents.
void makeSome(AeroGpuDev& dev, const Bytes& contents = pattern(300, 3)) {
  dev.setReg(AEROGPU_EXT_REG_SPACES, AEROGPU_EXT_SPACES_ENABLE);
  dev.setReg(AEROGPU_EXT_REG_SCANOUT0_ALLOC, 1);
  dev.startRing({.stride = 80});
  dev.setScanout({.width = kWidth, .height = kHeight, .pitch = kPitch});
  const aerogpu_alloc_entry entries[] = {{1, 0, kSurfaceGpa, 0x1000, 0}};
  const auto table = AeroGpuDev::allocTable(entries);
  const auto submit = [&](const CommandWriter& w, aerogpu_submit_space space) {
    return dev.submit(w, {.table = table, .space = space});
  };
  constexpr aerogpu_submit_space kKernel{0, AEROGPU_EXT_SPACE_FLAG_KERNEL, 0};
  CommandWriter w;
  packets::createShown(w, 1, kWidth, kHeight, 1);
  packets::setTarget(w, 1);
  packets::clearColor(w, {1, 0, 0});
  packets::present(w);
  dev.waitFence(submit(w, kKernel));
  w.reset();
  usePlainPipeline(w, 10);
  packets::createBuffer(w, 20, contents.size());
  packets::upload(w, 20, 0, contents);
  dev.waitFence(submit(w, {3, 0, 0}));
  w.reset();
  packets::setTarget(w, 1);
  packets::clearColor(w, {0, 1, 0});
  packets::present(w, AEROGPU_PRESENT_FLAG_VSYNC);
  submit(w, kKernel);
  dev.waitUntil([&] { return dev.qemu.property("presents-done") == 2; }, "the present's work");
  EXPECT_EQ(dev.errorCount(), 0u) << dev.qemu.output();
  dev.setReg(AEROGPU_MMIO_REG_IRQ_ACK, ~0u);
  dev.qemu.qmp("stop");
}

/// The parameter is a back end, or "packed": then the snapshot is compressed.
class HostileState : public testing::TestWithParam<const char*>, protected StateOnDisk {
protected:
  HostileState()
      : StateOnDisk((packs() ? "renderer=null,compress_state=on" : std::string("renderer=") + GetParam()) +
                    ",max_hostmem=" + std::to_string(kMaxHostmem)) {
    if (packs())
      makeSome(dev, plainBytes(kContents));
    else
      makeSome(dev);
    save();
    const std::string name = "aerogpu/renderer";
    const auto at = std::search(good.begin(), good.end(), name.begin(), name.end());
    partVersionAt = static_cast<size_t>(at - good.begin()) + name.size();
    firstAt = partVersionAt + 4;
    endAt = static_cast<size_t>(sectionEnd(good, at) - good.begin());
  }

  static bool packs() { return std::strcmp(GetParam(), "packed") == 0; }
  /// A big-endian number of the state.
  uint64_t word(size_t at, size_t size) const {
    uint64_t value = 0;
    for (size_t i = 0; i < size; ++i) value = value << 8 | good[at + i];
    return value;
  }
  /// A record of the part, packed or not: where its head is.
  size_t record(uint32_t kind, uint32_t index = 0) const {
    for (size_t at = firstAt;;) {
      const uint64_t is = word(at, 4);
      if ((is & ~uint64_t{kPacked}) == kind && word(at + 4, 4) == index) return at;
      if (is == 0) throw QemuError("no such record");
      const uint64_t bytes = word(at + 8, 8);
      at += kHead;
      if (is & kPacked)
        for (uint64_t left = bytes; left > 0; at += 8 + word(at + 4, 4)) left -= word(at, 4);
      else
        at += bytes;
    }
  }
  void expectRefused(size_t at, const Bytes& bytes, const std::string& why) {
    EXPECT_FALSE(loadWith(at, bytes)) << why;
    EXPECT_NE(said.find(why), std::string::npos) << said << "\nwanted: " << why;
    useIt();
  }
  static constexpr uint32_t kPromise = 1, kSnapshot = 2, kFrame = 3, kPacked = 0x100;
  static constexpr size_t kHead = 16, kContents = 300000;
  size_t partVersionAt, firstAt, endAt;
};

class AnyState : public HostileState {};
class PackedState : public HostileState {};

TEST_P(AnyState, TheGoodOneLoads) {
  EXPECT_EQ(word(record(kSnapshot), 4), packs() ? kSnapshot | kPacked : kSnapshot);

  for (int i = 0; i < 3; ++i) {
    ASSERT_TRUE(loadGood()) << said;
    EXPECT_EQ(dev.qemu.screendump().at(1, 1), 0xFF0000u);
    EXPECT_GT(dev.qemu.property("load-bytes"), int64_t{kPitch} * kHeight);
    dev.qemu.qmp("cont");
    dev.qemu.clockStep(2 * kPeriod);
    dev.waitFence(3);
    EXPECT_EQ(dev.qemu.screendump().at(1, 1), 0x00FF00u) << "the frame that waited";
    dev.qemu.qmp("stop");
  }
}

TEST_P(HostileState, VersionsAndRecords) {
  expectRefused(partVersionAt, big(2, 4), "2 is too new for local version_id 1");
  const size_t snapshot = record(kSnapshot), shown = record(kFrame, 0), waits = record(kFrame, 1);
  expectRefused(snapshot, big(77, 4), "a record of kind 77, 3 is the last that is known");
  expectRefused(snapshot + 8, big(~uint64_t{0}, 8), "a record has 18446744073709551615 bytes, ");
  expectRefused(snapshot + 8, big(kMaxHostmem * 3, 8), "can be held with max_hostmem");
  expectRefused(snapshot + 8, big(0, 8), "there are two snapshots, or an empty one");
  expectRefused(snapshot, big(kPromise, 4), "what the guest was told has ");
  expectRefused(shown + 8, big(15, 8), "a picture of place 0 with 15 bytes");
  expectRefused(waits + 4, big(0, 4), "a picture of place 0 with ");
  expectRefused(waits + 4, big(129, 4), "a picture of place 129 with ");
  // A picture without its submission is dropped.
  EXPECT_TRUE(loadWith(waits + 4, big(100, 4))) << said;
  useIt();
  // The trace container's header is 32 bytes at least; its first record is the snapshot's.
  expectRefused(snapshot + kHead, {0}, "not a trace file");
}

TEST_P(HostileState, Pictures) {
  const size_t shown = record(kFrame) + kHead;
  expectRefused(shown, big(kWidth + 1, 4), "none is like that");
  expectRefused(shown + 4, big(0, 4), "a picture of 32x0 pixels");
  expectRefused(shown + 8, big(0xFFFF, 4), "format 65535");
  Bytes turned = big(kHeight, 4);
  const Bytes height = big(kWidth, 4);
  turned.insert(turned.end(), height.begin(), height.end());
  EXPECT_TRUE(loadWith(shown, turned)) << "as many pixels in another shape; " << said;
  useIt();
}

// CAPS-1
TEST_P(HostileState, WhatTheGuestWasTold) {
  const size_t promise = record(kPromise) + kHead, block = promise + 8;
  expectRefused(promise, {0xFF}, "the guest was told of features 0xff");
  expectRefused(block, {0}, "this host lacks what the guest was told of: no capability block");
  const size_t texture = block + offsetof(aerogpu_caps, max_texture_2d);
  expectRefused(texture + 3, {1}, "this host lacks what the guest was told of: max_texture_2d ");
  // Less than there is: from then on the guest is told of that, also after a reset.
  const uint32_t own = dev.reg(AEROGPU_EXT_REG_CAPS + offsetof(aerogpu_caps, max_texture_2d));
  EXPECT_TRUE(loadWith(texture, {0, 8, 0, 0})) << said;
  dev.qemu.qmp("system_reset");
  dev.setUpPci();
  EXPECT_EQ(dev.reg(AEROGPU_EXT_REG_CAPS + offsetof(aerogpu_caps, max_texture_2d)), 2048u);
  ASSERT_TRUE(loadGood()) << said;
  EXPECT_EQ(dev.reg(AEROGPU_EXT_REG_CAPS + offsetof(aerogpu_caps, max_texture_2d)), own);
}

/// Returns the most bytes of memory that the process has had, of files in memory too.
uint64_t mostResident(pid_t pid) {
  std::ifstream status("/proc/" + std::to_string(pid) + "/status");
  for (std::string line; std::getline(status, line);)
    if (line.rfind("VmHWM:", 0) == 0) return std::strtoull(line.c_str() + 6, nullptr, 10) << 10;
  return 0;
}

/// AEROGPU_TEST_STATES: how many; AEROGPU_TEST_SEED: which. The long tests set them.
TEST_P(AnyState, AnyBytesDoNoHarm) {
  const auto number = [](const char* name, uint64_t otherwise) {
    const char* text = std::getenv(name);
    return text ? std::strtoull(text, nullptr, 10) : otherwise;
  };
  const uint64_t count = number("AEROGPU_TEST_STATES", std::strcmp(GetParam(), "vulkan") == 0 ? 50 : 150);
  std::mt19937_64 random(number("AEROGPU_TEST_SEED", 4711));
  ASSERT_TRUE(loadGood()) << said;
  const uint64_t before = mostResident(dev.qemu.pid());
  uint64_t accepted = 0;
  const size_t snapshot = record(kSnapshot), end = record(kFrame, 0);
  for (uint64_t i = 0; i < count; ++i) {
    // Most of them in the snapshot, the others anywhere in the part.
    const size_t from = i % 4 ? snapshot : firstAt, to = i % 4 ? end : endAt;
    Bytes bytes(1 + random() % 8);
    const size_t at = from + random() % (to - from - bytes.size());
    std::copy_n(good.begin() + static_cast<ptrdiff_t>(at), bytes.size(), bytes.begin());
    if (random() % 2)
      bytes[random() % bytes.size()] ^= static_cast<uint8_t>(1u << (random() % 8));
    else
      for (uint8_t& byte : bytes) byte = static_cast<uint8_t>(random());
    accepted += loadWith(at, bytes);
    useIt();
    if (HasFailure()) FAIL() << "at " << at - firstAt << " of the part, number " << i;
  }
  EXPECT_GT(accepted, 0u) << "contents can be anything";
  EXPECT_LT(accepted, count);
  // A sanitizer keeps what was freed for a while.
  const uint64_t kept = std::getenv("AEROGPU_SANITIZER_RUNTIME") ? uint64_t{256} << 20 : 0;
  EXPECT_LT(mostResident(dev.qemu.pid()), before + kMaxHostmem + (uint64_t{80} << 20) + kept);
  RecordProperty("states", static_cast<int>(count));
  ASSERT_TRUE(loadGood()) << said;
  EXPECT_EQ(dev.qemu.screendump().at(1, 1), 0xFF0000u);
}

// ---- compressed ----

TEST_P(PackedState, IsSmaller) {
  const size_t snapshot = record(kSnapshot), end = record(kFrame, 0);
  EXPECT_GT(word(snapshot + 8, 8), kContents);
  EXPECT_LT(end - snapshot, kContents / 10);
  const auto count = [&](const char* name) { return static_cast<uint64_t>(dev.qemu.property(name)); };
  EXPECT_EQ(count("save-unpacked-bytes"), word(snapshot + 8, 8));
  EXPECT_EQ(count("save-packed-bytes"), end - snapshot - kHead - 8);
  // The two pictures are too small for it.
  EXPECT_EQ(count("save-raw-bytes"), 2u * kPitch * kHeight);
  EXPECT_GE(count("save-held-bytes"), kContents);
}

// Without the property, savevm writes states as ever.
TEST_P(PackedState, OfTwoDevicesLoadsInEither) {
  std::map<std::string, uint64_t> sizes;
  for (const std::string mode : {"on", "off", "auto"}) {
    AeroGpuDev source("renderer=null,compress_state=" + mode);
    makeSome(source, plainBytes(kContents));
    const auto file = source.qemu.folder() / "state";
    migrateTo(source, file);
    sizes[mode] = std::filesystem::file_size(file);
    AeroGpuDev target("renderer=null", {"-incoming", "defer"});
    target.loadFrom(file, "paused");
    EXPECT_GT(target.qemu.property("load-bytes"), int64_t{kContents});
    EXPECT_EQ(target.qemu.screendump().at(1, 1), 0xFF0000u);
  }
  EXPECT_LT(sizes["on"] + kContents / 10 * 9, sizes["off"]);
  // So little of it is not measured.
  EXPECT_GT(sizes["auto"] + kContents / 10, sizes["off"]);
}

TEST_P(PackedState, Sizes) {
  const size_t snapshot = record(kSnapshot), piece = snapshot + kHead, data = piece + 8;
  const uint64_t size = word(piece, 4), packed = word(piece + 4, 4), all = word(snapshot + 8, 8);
  ASSERT_EQ(size, all) << "it is one piece";
  expectRefused(snapshot + 8, big(kMaxHostmem * 3, 8), "can be held with max_hostmem");
  expectRefused(piece, big(0, 4), "a piece of 0 bytes is packed into " + std::to_string(packed));
  expectRefused(piece, big(all + 1, 4), std::to_string(all) + " are left of its record");
  expectRefused(piece, big(~0u, 4), "a piece of 4294967295 bytes is packed");
  expectRefused(piece + 4, big(0, 4), "is packed into 0, ");
  expectRefused(piece + 4, big(size + 1, 4), "is packed into " + std::to_string(size + 1));
  // More than it says, and less.
  expectRefused(piece, big(size - 1, 4), "bytes cannot be unpacked: Destination buffer is too small");
  Bytes longer = big(all + 1, 8);
  const Bytes one = big(size + 1, 4);
  longer.insert(longer.end(), one.begin(), one.end());
  expectRefused(snapshot + 8, longer,
                "a piece of " + std::to_string(size + 1) + " bytes unpacks to " + std::to_string(size));
  // A frame that is cut short, one that goes on with other bytes, none.
  expectRefused(piece + 4, big(packed - 1, 4), "cannot be unpacked");
  expectRefused(piece + 4, big(packed + 1, 4), "cannot be unpacked");
  expectRefused(data, {0}, "cannot be unpacked: Unknown frame descriptor");
  // Only snapshots and pictures can be packed.
  expectRefused(record(kPromise), big(kPromise | kPacked, 4), "a record of kind 257, 3 is the last");
  // As it is, which is no snapshot then: the piece has as many bytes as its record.
  expectRefused(snapshot, big(kSnapshot, 4), "not a trace file");
}

// RFC 8878: magic, a header without sizes, a window, blocks of one byte that is repeated. The largest window
// is 3.75 TiB.
TEST_P(PackedState, Bombs) {
  const size_t snapshot = record(kSnapshot), piece = snapshot + kHead;
  const size_t packed = word(piece + 4, 4);
  constexpr uint32_t kBlock = 128 << 10;
  for (const uint8_t window : {0x50, 0xFF}) {
    Bytes bomb = {0x28, 0xB5, 0x2F, 0xFD, 0x00, window};
    while (bomb.size() + 4 <= packed) {
      const uint32_t last = bomb.size() + 8 > packed, head = kBlock << 3 | 1 << 1 | last;
      for (int i = 0; i < 3; ++i) bomb.push_back(static_cast<uint8_t>(head >> (8 * i)));
      bomb.push_back(0x5A);
    }
    const uint64_t blocks = (bomb.size() - 6) / 4;
    ASSERT_GT(blocks * kBlock, word(piece, 4)) << "it unpacks to more than it says";
    ASSERT_TRUE(loadGood()) << said;
    const uint64_t before = mostResident(dev.qemu.pid());
    expectRefused(piece + 8, bomb, "cannot be unpacked: ");
    EXPECT_LT(mostResident(dev.qemu.pid()), before + (uint64_t{8} << 20));
  }
}

constexpr auto kNameOf = [](const auto& backend) { return std::string(backend.param); };
INSTANTIATE_TEST_SUITE_P(BackEnds, HostileState, testing::Values("null", "vulkan"), kNameOf);
INSTANTIATE_TEST_SUITE_P(BackEnds, AnyState, testing::Values("null", "vulkan", "packed"), kNameOf);
INSTANTIATE_TEST_SUITE_P(BackEnds, PackedState, testing::Values("packed"), kNameOf);

// ---- another host ----

std::string loadedBy(const std::string& options, const std::filesystem::path& file) {
  const Refusal refusal =
      runToExit({"-accel", "qtest", "-machine", "pc", "-m", "64", "-nodefaults", "-display", "none",
                 "-device", "aerogpu,id=gpu0,addr=4," + options, "-incoming", "exec:cat " + file.string()});
  EXPECT_EQ(refusal.status, 1);
  return refusal.output;
}

TEST(OtherHost, WhatItLacksIsNamed) {
  AeroGpuDev source("renderer=null");
  makeSome(source);
  const auto file = source.qemu.folder() / "state";
  migrateTo(source, file);
  EXPECT_NE(loadedBy("renderer=null,max_hostmem=64M", file)
                .find("aerogpu: saved state: this host lacks what the guest was told of: max_host_bytes "
                      "1073741824, here 67108864; with accept=used it goes here if what it holds does\n"),
            std::string::npos);
  // It does not, if this host cannot hold it.
  EXPECT_NE(loadedBy("renderer=null,max_hostmem=64K,accept=used", file).find("max_hostmem is "),
            std::string::npos);
  EXPECT_NE(loadedBy("renderer=null,handle_spaces=off", file)
                .find("aerogpu: saved state: the guest was told of features 0x"),
            std::string::npos);
}

// ---- ways of migrating ----

TEST(Migration, OverASocket) {
  AeroGpuDev source("renderer=null");
  makeSome(source);
  source.qemu.qmp("cont");
  const Seen before = look(source);
  const std::string socket = (source.qemu.folder() / "socket").string();
  AeroGpuDev target("renderer=null", {"-incoming", "unix:" + socket});
  const std::string state = migrate(source, R"({"uri": "unix:)" + socket + "\"}");
  EXPECT_NE(state.find("\"completed\""), std::string::npos) << state << source.qemu.output();
  target.waitUntil(
      [&] {
        return target.qemu.qmp("query-status").find("\"running\"") != std::string::npos &&
               target.qemu.property("load-bytes") != 0;
      },
      "the machine's arrival");
  target.goOnFrom(source);
  EXPECT_TRUE(look(target) == before);
  EXPECT_EQ(target.qemu.screendump().at(1, 1), 0xFF0000u);
  target.qemu.clockStep(2 * kPeriod);
  target.waitFence(3);
  EXPECT_EQ(target.qemu.screendump().at(1, 1), 0x00FF00u);
}

void waitRunning(AeroGpuDev& dev) {
  dev.waitUntil([&] { return dev.qemu.qmp("query-status").find("\"running\": true") != std::string::npos; },
                "the machine's return");
}

/// A target that goes away in the middle: the machine goes on here.
TEST(Migration, ATargetThatGoesAway) {
  AeroGpuDev source("renderer=null");
  makeSome(source);
  source.qemu.qmp("cont");
  EXPECT_NE(migrate(source, exec("head -c 100000 >/dev/null")).find("failed"), std::string::npos);
  waitRunning(source);
  source.qemu.clockStep(2 * kPeriod);
  source.waitFence(3);
  EXPECT_EQ(source.qemu.screendump().at(1, 1), 0x00FF00u);
}

TEST(Migration, PostCopyAndBackgroundSnapshotsAreRefused) {
  for (const std::string capability : {"postcopy-ram", "background-snapshot"}) {
    AeroGpuDev dev("renderer=null");
    const std::string on = R"({"capabilities": [{"capability": ")" + capability + R"(", "state": true}]})";
    // A host's kernel may lack what it needs.
    if (errorOf([&] { dev.qemu.qmp("migrate-set-capabilities", on); }) != "(accepted)") continue;
    const std::string line =
        "aerogpu: a machine with this card cannot be saved with " + capability + ": turn that capability off";
    // Post-copy needs an answer, which no pipe can bring.
    const std::string socket = "unix:" + (dev.qemu.folder() / "socket").string();
    AeroGpuDev target("renderer=null", {"-incoming", "defer"});
    if (errorOf([&] { target.qemu.qmp("migrate-set-capabilities", on); }) != "(accepted)") continue;
    target.qemu.qmp("migrate-incoming", "{\"uri\": \"" + socket + "\"}");
    EXPECT_NE(migrate(dev, "{\"uri\": \"" + socket + "\"}").find(line), std::string::npos)
        << dev.qemu.output();
    // QEMU leaves the machine paused where a background snapshot fails.
    if (capability == "postcopy-ram")
      waitRunning(dev);
    else
      dev.qemu.qmp("cont");
    dev.startRing();
    dev.waitFence(dev.submitEmpty());
  }
}

}  // namespace
