// SPDX-License-Identifier: MIT
// Tests that flips and presents never tear and never go back: every picture, taken at any moment, is one
// whole frame, and not older than the previous picture. PRES-3, SCAN-7.
#include <gtest/gtest.h>

#include "tests-qtest/aerogpu_dev.h"

namespace {

using namespace aerogpu::qtest;
using aerogpu::CommandWriter;
namespace packets = aerogpu::packets;

constexpr uint32_t kWidth = 320, kHeight = 200, kPitch = kWidth * 4, kBuffers = 3, kFrames = 30;
constexpr uint64_t kPeriod = 16'666'667, kBufferBytes = 0x40000;
constexpr uint64_t bufferGpa(uint32_t frame) {
  return kSurfaceGpa + frame % kBuffers * kBufferBytes;
}

/// A picture of frame f is red f / 255 everywhere, which UNORM8 holds exactly.
class Watched {
public:
  explicit Watched(const std::string& backend) : dev("renderer=" + backend) {
    for (uint32_t i = 0; i < kBuffers; ++i)
      m_entries.push_back({i + 1, 0, kSurfaceGpa + i * kBufferBytes, kBufferBytes, 0});
    m_table = AeroGpuDev::allocTable(m_entries);
    dev.startRing();
  }
  void createTextures() {
    CommandWriter w;
    for (uint32_t i = 1; i <= kBuffers; ++i) packets::createShown(w, i, kWidth, kHeight, i);
    dev.waitFence(dev.submit(w, {.table = m_table}));
  }
  void enable(uint32_t frame) {
    dev.setScanout({.width = kWidth, .height = kHeight, .pitch = kPitch, .gpa = bufferGpa(frame)});
  }
  void flip(uint32_t frame) { dev.setReg64(AEROGPU_MMIO_REG_SCANOUT0_FB_GPA_LO, bufferGpa(frame)); }

  /// Submits a stream from place `slot` % 8 of the eight in guest memory. Returns the fence.
  uint64_t submit(const CommandWriter& c, uint32_t slot, uint32_t flags = 0) {
    return dev.submit(c, {.flags = flags, .commandGpa = kCommandGpa + slot % 8 * 0x1000, .table = m_table});
  }
  /// Draws a frame in two steps into its buffer, then presents. Returns the fence.
  uint64_t draw(uint32_t frame, uint32_t texture) {
    CommandWriter w;
    packets::setTarget(w, texture);
    packets::clearColor(w, {1, 1, 1});  // visible in a torn picture
    packets::clearColor(w, {static_cast<float>(frame) / 255});
    aerogpu_cmd_present present{};
    present.flags = AEROGPU_PRESENT_FLAG_VSYNC;
    w.packet(present);
    return submit(w, frame, AEROGPU_SUBMIT_FLAG_PRESENT);
  }
  /// Steps over vblanks until the fence is complete: the first one after the GPU was done.
  void toVblankOf(uint64_t fence) {
    dev.waitUntil(
        [&] {
          dev.qemu.clockStep(kPeriod);
          return dev.completedFence() >= fence;
        },
        "a frame's vblank");
  }
  /// Returns the frame on the screen.
  uint32_t shown() {
    const Picture picture = dev.qemu.screendump();
    EXPECT_EQ(picture.width, kWidth);
    const uint32_t first = picture.at(0, 0);
    uint32_t others = 0;
    for (uint32_t y = 0; y < picture.height; ++y)
      for (uint32_t x = 0; x < picture.width; ++x) others += picture.at(x, y) != first;
    EXPECT_EQ(others, 0u) << "torn: " << std::hex << first << " is not the only colour";
    EXPECT_EQ(first & 0xFFFF, 0u) << "no frame: " << std::hex << first;
    const uint32_t frame = first >> 16;
    EXPECT_GE(frame, m_newest) << "an older frame came back";
    m_newest = frame;
    return frame;
  }

  AeroGpuDev dev;

private:
  std::vector<aerogpu_alloc_entry> m_entries;
  std::vector<uint8_t> m_table;
  uint32_t m_newest = 0;
};

/// Flips as the demo and the Windows driver do: the next frame is under way when the flip to this one comes.
void pageFlips(const std::string& backend) {
  Watched w(backend);
  w.createTextures();
  w.dev.waitFence(w.draw(1, 1 % kBuffers + 1));
  w.enable(1);
  EXPECT_EQ(w.shown(), 1u);
  uint64_t fence = w.draw(2, 2 % kBuffers + 1);
  for (uint32_t frame = 2; frame < kFrames; ++frame) {
    w.shown();
    const uint64_t next = w.draw(frame + 1, (frame + 1) % kBuffers + 1);
    w.dev.waitUntil([&] { return w.dev.qemu.property("presents-done") == frame + 1; },
                    "the next frame's work");
    EXPECT_EQ(w.shown(), frame - 1) << "nothing changes before the flip";
    EXPECT_LT(w.dev.completedFence(), fence) << "not before its vblank";
    w.toVblankOf(fence);
    EXPECT_LT(w.dev.completedFence(), next) << "one present in a vblank";
    EXPECT_EQ(w.shown(), frame - 1);
    w.flip(frame);
    EXPECT_EQ(w.shown(), frame) << "a flip counts from the HI write";
    fence = next;
  }
  EXPECT_EQ(w.dev.errorCount(), 0u) << w.dev.qemu.output();
}

// SCAN-7, PRES-3
TEST(Flips, OfTexturesShowWholeFrames) {
  pageFlips("null");
}
TEST(Flips, OfTexturesShowWholeFramesOnVulkan) {
  pageFlips("vulkan");
}

/// Draws into one buffer and presents it, repeatedly: a frame appears as a whole, at its vblank and not
/// before, even if the next frames are drawn already.
void presentsOfOneTexture(const std::string& backend) {
  Watched w(backend);
  w.createTextures();
  w.enable(0);
  w.dev.qemu.clockStep(kPeriod / 2);
  const uint64_t first = w.draw(1, 1);
  w.dev.waitUntil([&] { return w.dev.qemu.property("presents-done") == 1; }, "the first frame's work");
  w.toVblankOf(first);
  EXPECT_EQ(w.shown(), 1u);
  for (uint32_t frame = 2; frame < kFrames; ++frame) {
    const uint64_t fence = w.draw(frame, 1);
    w.shown();
    w.dev.waitUntil([&] { return w.dev.qemu.property("presents-done") == frame; }, "the frame's work");
    EXPECT_EQ(w.shown(), frame - 1) << "not before its vblank";
    w.toVblankOf(fence);
    EXPECT_EQ(w.shown(), frame);
  }
}

// PRES-3
TEST(Presents, OfOneTextureShowWholeFrames) {
  presentsOfOneTexture("null");
}
TEST(Presents, OfOneTextureShowWholeFramesOnVulkan) {
  presentsOfOneTexture("vulkan");
}

/// Flips like a driver that draws with the CPU: fills the buffer that is not shown, then flips to it.
TEST(Flips, OfMemoryShowWholeFrames) {
  Watched w("null");
  for (uint32_t frame = 1; frame < kFrames; ++frame) {
    std::vector<uint8_t> bytes(size_t{kPitch} * kHeight);
    for (size_t at = 2; at < bytes.size(); at += 4) bytes[at] = static_cast<uint8_t>(frame);
    w.dev.qemu.write(bufferGpa(frame), bytes);
    if (frame == 1) {
      w.enable(frame);
    } else {
      EXPECT_EQ(w.shown(), frame - 1);
      w.dev.setReg(AEROGPU_MMIO_REG_SCANOUT0_FB_GPA_LO, static_cast<uint32_t>(bufferGpa(frame)));
      EXPECT_EQ(w.shown(), frame - 1) << "LO alone flips nothing";
      w.dev.setReg(AEROGPU_MMIO_REG_SCANOUT0_FB_GPA_HI, 0);
    }
    EXPECT_EQ(w.shown(), frame);
  }
}

/// Makes many flips at once: the last one counts, even if a ring reset drops the look-up of its address.
void flipsInARow(const std::string& backend) {
  Watched w(backend);
  w.createTextures();
  w.enable(0);
  for (uint32_t round = 0; round < 8; ++round) {
    const uint32_t first = 3 + round * kBuffers;
    uint64_t fence = 0;
    for (uint32_t i = 0; i < kBuffers; ++i) {
      CommandWriter c;
      packets::setTarget(c, (first + i) % kBuffers + 1);
      packets::clearColor(c, {static_cast<float>(first + i) / 255});
      fence = w.submit(c, first + i);
    }
    w.dev.waitFence(fence);
    for (uint32_t i = 0; i < 40; ++i) w.flip(i);
    w.flip(first + round % kBuffers);
    if (round % 2)
      w.dev.setReg(AEROGPU_MMIO_REG_RING_CONTROL, AEROGPU_RING_CONTROL_ENABLE | AEROGPU_RING_CONTROL_RESET);
    EXPECT_EQ(w.shown(), first + round % kBuffers);
  }
}

// SCAN-2
TEST(Flips, TheLastOfManyCounts) {
  flipsInARow("null");
}
TEST(Flips, TheLastOfManyCountsOnVulkan) {
  flipsInARow("vulkan");
}

/// A present that waits for its vblank shows nothing after the driver has flipped away from its buffer.
// PRES-4
TEST(Flips, AwayFromAPresentThatWaits) {
  Watched w("null");
  w.createTextures();
  w.enable(0);
  w.dev.qemu.clockStep(kPeriod / 2);
  CommandWriter other;
  packets::setTarget(other, 2);
  packets::clearColor(other, {7.0f / 255});
  w.dev.waitFence(w.submit(other, 0));
  const uint64_t fence = w.draw(5, 1);
  w.dev.waitUntil([&] { return w.dev.qemu.property("presents-done") == 1; }, "the present's work");
  w.flip(1);
  EXPECT_EQ(w.shown(), 7u);
  w.toVblankOf(fence);
  EXPECT_EQ(w.shown(), 7u);
}

/// Flips from a texture to memory and back: shows the texture if there is one at the address, else the
/// memory.
// SCAN-7
TEST(Flips, BetweenTexturesAndMemory) {
  Watched w("null");
  w.createTextures();
  w.enable(0);
  std::vector<uint8_t> bytes(size_t{kPitch} * kHeight);
  const uint64_t memory = kSurfaceGpa + kBuffers * kBufferBytes;
  for (uint32_t frame = 3; frame < 20; frame += 2) {
    w.toVblankOf(w.draw(frame, frame % kBuffers + 1));
    w.flip(frame);
    EXPECT_EQ(w.shown(), frame);
    for (size_t at = 2; at < bytes.size(); at += 4) bytes[at] = static_cast<uint8_t>(frame + 1);
    w.dev.qemu.write(memory, bytes);
    w.dev.setReg64(AEROGPU_MMIO_REG_SCANOUT0_FB_GPA_LO, memory);
    EXPECT_EQ(w.shown(), frame + 1);
  }
}

}  // namespace
