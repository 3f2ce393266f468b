// SPDX-License-Identifier: MIT
// A driver written from docs/abi/ alone: it includes no header of protocol/, and every number below is from a
// page there. It brings the ring up, draws, shares, presents, and provokes each error code that a guest can
// get. It uses no extension (EXT-2).
#include <gtest/gtest.h>

#include <bit>
#include <chrono>
#include <functional>
#include <thread>

#include "tests-qtest/qemu_process.h"

namespace {

using aerogpu::qtest::Picture;
using aerogpu::qtest::QemuError;
using aerogpu::qtest::QemuProcess;
using Words = std::vector<uint32_t>;

// pci.md
constexpr uint32_t kMagic = 0x000, kVersion = 0x004, kFeaturesLo = 0x008, kRingGpa = 0x100, kRingSize = 0x108,
                   kRingControl = 0x10C, kFenceGpa = 0x120, kCompleted = 0x130, kDoorbell = 0x200,
                   kIrqStatus = 0x300, kIrqEnable = 0x304, kIrqAck = 0x308, kErrorCode = 0x310,
                   kErrorFence = 0x314, kErrorCount = 0x31C, kScanEnable = 0x400, kScanWidth = 0x404,
                   kScanHeight = 0x408, kScanFormat = 0x40C, kScanPitch = 0x410, kScanGpa = 0x414,
                   kVblankSeq = 0x420, kVblankPeriod = 0x430;
constexpr uint32_t kIrqFence = 1, kIrqError = 0x80000000;
constexpr uint32_t kDecode = 1, kOob = 2, kBackend = 3;
// commands.md, state.md, present.md, shared-surfaces.md: opcodes
constexpr uint32_t kCreateBuffer = 0x100, kCreateTexture = 0x101, kDestroyResource = 0x102, kUpload = 0x104,
                   kCopyTexture = 0x106, kCreateShader = 0x200, kBindShaders = 0x202, kConstantsF = 0x203,
                   kCreateLayout = 0x204, kSetLayout = 0x206, kSetTargets = 0x400, kVertexBuffers = 0x500,
                   kTopology = 0x502, kClear = 0x600, kDraw = 0x601, kPresent = 0x700, kPresentEx = 0x701,
                   kExport = 0x710, kImport = 0x711, kRelease = 0x712, kFlush = 0x720;
constexpr uint32_t kBgra8 = 1, kBgrx8 = 2, kTriangles = 4, kVertex = 0, kPixel = 1, kWriteBack = 1,
                   kVsync = 1;
constexpr uint32_t kSubmitPresent = 1, kSubmitNoIrq = 2;

uint32_t lo(uint64_t v) {
  return static_cast<uint32_t>(v);
}
uint32_t hi(uint64_t v) {
  return static_cast<uint32_t>(v >> 32);
}
uint32_t f(float v) {
  return std::bit_cast<uint32_t>(v);
}

/// commands.md, "Framing": a stream header of 24 bytes, then packets.
class Stream {
public:
  Stream& add(uint32_t opcode, const Words& fields, const Words& tail = {}) {
    const auto bytes = static_cast<uint32_t>(8 + 4 * (fields.size() + tail.size()));
    words.insert(words.end(), {opcode, bytes});
    words.insert(words.end(), fields.begin(), fields.end());
    words.insert(words.end(), tail.begin(), tail.end());
    words[2] = static_cast<uint32_t>(words.size() * 4);
    return *this;
  }
  Words words = {0x444D4341, 0x00010004, 24, 0, 0, 0};
};

struct Entry {
  uint32_t id;
  uint64_t gpa, size;
};

class Driver {
public:
  static constexpr uint64_t kBar0 = 0xFE000000, kBar1 = 0xE0000000;
  static constexpr uint64_t kRing = 0x100000, kFencePage = 0x180000, kCommands = 0x200000, kTable = 0x300000;
  static constexpr uint32_t kSlots = 8;

  explicit Driver(const std::string& options, const std::vector<std::string>& extra = {})
      : qemu(options, extra) {
    // PCI Local Bus Specification 3.0: configuration mechanism 1, slot 4; BARs, then I/O, memory, bus master.
    for (const auto& [offset, value] :
         {std::pair<uint32_t, uint32_t>{0x10, kBar0}, {0x14, kBar1}, {0x04, 0x0007}}) {
      qemu.outl(0xCF8, 0x80000000u | 4 << 11 | offset);
      qemu.outl(0xCFC, value);
    }
  }

  void setBusMaster(bool on) {
    qemu.outl(0xCF8, 0x80000000u | 4 << 11 | 0x04);
    qemu.outl(0xCFC, on ? 7 : 3);
  }

  uint32_t reg(uint32_t offset) { return qemu.readl(kBar0 + offset); }
  void set(uint32_t offset, uint32_t value) { qemu.writel(kBar0 + offset, value); }
  void set64(uint32_t offset, uint64_t value) {
    set(offset, lo(value));
    set(offset + 4, hi(value));
  }
  uint64_t reg64(uint32_t offset) {
    const uint32_t low = reg(offset);
    return uint64_t{reg(offset + 4)} << 32 | low;
  }

  /// Writes a ring header, and sets its address, the fence page and ENABLE. Page ring.md.
  void startRing(uint64_t gpa = kRing, uint32_t stride = 64, uint32_t first = 0,
                 uint32_t magic = 0x474E5241) {
    m_ring = gpa;
    m_stride = stride;
    m_tail = first;
    const uint32_t bytes = 64 + kSlots * stride;
    write(gpa, {magic, 0x00010004, bytes, kSlots, stride, 0, first, first, 0, 0, 0, 0, 0, 0, 0, 0});
    set64(kRingGpa, gpa);
    set(kRingSize, bytes);
    set64(kFenceGpa, kFencePage);
    set(kRingControl, 1);
  }
  uint32_t head() { return qemu.readl(m_ring + 24); }
  void mendMagic() { qemu.writel(m_ring, 0x474E5241); }
  void bell() { set(kDoorbell, 0xDEAD); }

  /// Fills the next slot, moves the tail, rings the bell. Page ring.md.
  uint64_t submitRaw(uint64_t commands, uint32_t commandBytes, uint64_t table, uint32_t tableBytes,
                     uint32_t flags = 0, uint32_t context = 0) {
    const uint64_t fence = ++m_fence;
    write(m_ring + 64 + uint64_t{m_tail % kSlots} * m_stride,
          {64, flags, context, 0, lo(commands), hi(commands), commandBytes, 0, lo(table), hi(table),
           tableBytes, 0, lo(fence), hi(fence), 0, 0});
    qemu.writel(m_ring + 28, ++m_tail);
    bell();
    return fence;
  }
  uint64_t submit(const Stream& stream, const std::vector<Entry>& entries = {}, uint32_t flags = 0,
                  uint32_t context = 0) {
    write(kCommands, stream.words);
    Words table;
    if (!entries.empty()) {
      const auto count = static_cast<uint32_t>(entries.size());
      table = {0x434F4C41, 0x00010004, 24 + 32 * count, count, 32, 0};
      for (const Entry& e : entries)
        table.insert(table.end(), {e.id, 0, lo(e.gpa), hi(e.gpa), lo(e.size), hi(e.size), 0, 0});
      write(kTable, table);
    }
    return submitRaw(kCommands, static_cast<uint32_t>(stream.words.size() * 4), table.empty() ? 0 : kTable,
                     static_cast<uint32_t>(table.size() * 4), flags, context);
  }
  uint64_t submitNothing(uint32_t flags) { return submitRaw(0, 0, 0, 0, flags); }

  void waitUntil(const std::function<bool()>& done, const char* what) {
    const auto deadline =
        std::chrono::steady_clock::now() + std::chrono::milliseconds(aerogpu::qtest::kDeadlineMs);
    while (!done()) {
      if (std::chrono::steady_clock::now() > deadline)
        throw QemuError(std::string("waited in vain for ") + what);
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  }
  void waitFence(uint64_t fence) {
    waitUntil([&] { return reg64(kCompleted) >= fence; }, "a fence");
  }
  /// Waits for a submission, whose head has then moved and whose error is latched, and returns its code. 0:
  /// no error.
  uint32_t codeOf(uint64_t fence, uint32_t errors = 1) {
    const uint32_t before = m_errors;
    waitUntil([&] { return head() == m_tail; }, "the head");
    // An error is latched after the head has moved (FENCE-1). If there is none, nothing shows that; so this
    // waits for the fence, and for another submission.
    set(kIrqEnable, 0);
    waitFence(fence);
    waitFence(submitNothing(kSubmitNoIrq));
    m_errors = reg(kErrorCount);
    if (m_errors == before) return 0;
    EXPECT_EQ(m_errors - before, errors);
    EXPECT_EQ(reg64(kErrorFence), fence);
    return reg(kErrorCode);
  }
  uint32_t codeOf(const Stream& stream, const std::vector<Entry>& entries = {}, uint32_t errors = 1) {
    return codeOf(submit(stream, entries), errors);
  }
  void good(const Stream& stream, const std::vector<Entry>& entries = {}) {
    ASSERT_EQ(codeOf(stream, entries), 0u);
  }

  void write(uint64_t gpa, const Words& words) {
    qemu.write(gpa, {reinterpret_cast<const uint8_t*>(words.data()), words.size() * 4});
  }

  QemuProcess qemu;

private:
  uint64_t m_ring = 0, m_fence = 0;
  uint32_t m_stride = 64, m_tail = 0, m_errors = 0;
};

/// Returns the fields of CREATE_TEXTURE2D: no mips, a pitch of 4 bytes a pixel. Page commands.md.
Words texture(uint32_t handle, uint32_t format, uint32_t width, uint32_t height, uint32_t allocId = 0) {
  return {handle, 0, format, width, height, 1, 1, width * 4, allocId, 0, 0, 0};
}
Words targets(uint32_t color) {
  return {1, 0, color, 0, 0, 0, 0, 0, 0, 0};
}
/// Copies all of a texture to another one, and to that one's guest memory.
Words copyOut(uint32_t to, uint32_t from, uint32_t width, uint32_t height) {
  return {to, from, 0, 0, 0, 0, 0, 0, 0, 0, width, height, kWriteBack, 0};
}

constexpr uint64_t kMemory = 0x400000;

// PCI-1, REG-4, REG-6, RING-1, RING-4, FENCE-1, FENCE-4, FENCE-5, IRQ-2, IRQ-3, SUB-7, SUB-9
TEST(Contract, TheRingComesUp) {
  Driver d("renderer=null");
  ASSERT_EQ(d.reg(kMagic), 0x55504741u);
  ASSERT_EQ(d.reg(kVersion) >> 16, 1u);
  EXPECT_EQ(d.reg(kFeaturesLo) & 0x3F, 0x3Fu);
  d.startRing();
  EXPECT_EQ(d.qemu.readl(Driver::kFencePage), 0x434E4546u) << "magic of the fence page";
  EXPECT_EQ(d.qemu.readq(Driver::kFencePage + 8), 0u);
  for (int i = 0; i < 20; ++i) {  // more than there are slots
    const uint64_t fence = d.submitNothing(kSubmitNoIrq);
    d.waitFence(fence);
    d.waitUntil([&] { return d.qemu.readq(Driver::kFencePage + 8) == fence; }, "the fence page");
  }
  d.waitUntil([&] { return d.head() == 20; }, "the head");
  EXPECT_EQ(d.reg(kIrqStatus), 0u) << "NO_IRQ";
  d.submitNothing(~kSubmitNoIrq);  // unknown flags
  d.waitUntil([&] { return d.reg(kIrqStatus) == kIrqFence; }, "the interrupt");
  d.set(kIrqAck, kIrqFence);
  EXPECT_EQ(d.reg(kIrqStatus), 0u);
  d.set64(kFenceGpa, Driver::kFencePage + 4);
  const uint64_t unaligned = d.submitNothing(0);
  d.waitFence(unaligned);
  EXPECT_EQ(d.qemu.readl(Driver::kFencePage + 4), 0x00010004u) << "nothing is written there";
  EXPECT_EQ(d.qemu.readl(Driver::kFencePage + 12), 0u);
  EXPECT_EQ(d.reg(kErrorCount), 0u) << "no page, no error";
}

// PCI-10, RING-12, RING-13, RING-5
TEST(Contract, ARingIsMendedAndReplaced) {
  Driver d("renderer=null");
  d.startRing(Driver::kRing, 64, 0, 0xBAD);
  const uint64_t fence = d.submitNothing(0);
  d.waitUntil([&] { return d.reg(kErrorCount) == 1; }, "the error");
  EXPECT_EQ(d.reg(kErrorCode), kDecode);
  EXPECT_EQ(d.reg64(kErrorFence), 0u);
  EXPECT_EQ(d.reg64(kCompleted), 0u);
  d.mendMagic();
  d.bell();
  d.waitFence(fence);
  d.setBusMaster(false);
  const uint64_t later = d.submitNothing(0);
  d.waitUntil([&] { return d.reg(kErrorCount) == 2; }, "the second error");
  EXPECT_EQ(d.reg(kErrorCode), kOob);
  EXPECT_LT(d.reg64(kCompleted), later);
  d.setBusMaster(true);
  d.bell();
  d.waitFence(later);
  d.startRing(Driver::kRing + 0x10000, 128, 0xFFFFFFFE);  // counters wrap
  for (int i = 0; i < 4; ++i) d.waitFence(d.submitNothing(0));
  d.waitUntil([&] { return d.head() == 2; }, "the head");
}

// SUB-4, SUB-3, CMD-2
TEST(Contract, TheLargestBuffers) {
  Driver d("renderer=null", {"-m", "256"});
  d.startRing();
  constexpr uint64_t kLarge = 0x4000000;
  d.write(kLarge, Stream().add(kFlush, {0, 0}).words);
  EXPECT_EQ(d.codeOf(d.submitRaw(kLarge, 64u << 20, 0, 0)), 0u);
  EXPECT_EQ(d.codeOf(d.submitRaw(kLarge, (64u << 20) + 4, 0, 0)), kOob);
  d.write(kLarge, {0x434F4C41, 0x00010004, 24, 0, 32, 0});
  EXPECT_EQ(d.codeOf(d.submitRaw(0, 0, kLarge, 16u << 20)), 0u);
  EXPECT_EQ(d.codeOf(d.submitRaw(0, 0, kLarge, (16u << 20) + 4)), kOob);
  EXPECT_EQ(d.codeOf(d.submitRaw(kLarge, 0, 0, 0)), kDecode);
  EXPECT_EQ(d.codeOf(d.submitRaw(0, 24, 0, 0)), kDecode);
}

/// Shaders as Direct3D 9 tokens (state.md, SHADER-13), written as numbers. kVs is vs_2_0 { dcl_position v0;
/// dcl_texcoord v1; mov oPos, v0; mov oT0, v1 }, kPs is ps_2_0 { dcl t0; add r0, t0, c0; mov oC0, r0 }.
const Words kVs = {0xFFFE0200, 0x0200001F, 0x80000000, 0x900F0000, 0x0200001F, 0x80000005, 0x900F0001,
                   0x02000001, 0xC00F0000, 0x90E40000, 0x02000001, 0xE00F0000, 0x90E40001, 0x0000FFFF};
const Words kPs = {0xFFFF0200, 0x0200001F, 0x80000000, 0xB00F0000, 0x03000002, 0x800F0000,
                   0xB0E40000, 0xA0E40000, 0x02000001, 0x800F0800, 0x80E40000, 0x0000FFFF};
/// A vertex declaration (state.md, INPUT-1) of three elements, 8 bytes each: FLOAT3 POSITION from stream 0,
/// FLOAT2 TEXCOORD from stream 1, and the end.
const Words kElements = {0x00000000, 0x00000002, 0x00000001, 0x00050001, 0x000000FF, 0x00000011};

// DRAW-1, DRAW-2, SHADER-13, SHADER-10, SHADER-11, INPUT-1, INPUT-3, INPUT-10, STATE-9, STATE-13, COPY-2,
// COPY-6, OBJ-4, OBJ-7, ALLOC-10, TOK-2, TOK-3, TOK-4, TOK-10, EXT-2
TEST(Contract, ATriangleAndItsAlias) {
  Driver d("renderer=vulkan");
  d.startRing();
  constexpr uint32_t kTarget = 1, kAlias = 2, kOut = 3, kVertices = 4, kVsHandle = 5, kPsHandle = 6,
                     kLayout = 7, kSide = 16;
  constexpr uint64_t kToken = 0x123456789ABCDEF0;
  // Direct3D 9's pixel centres lie on integers: an edge at 7.25 has pixels 0 to 7 on its left. Direct3D 10's
  // would have 0 to 6.
  const float edge = 7.25f / 8 - 1;
  const Words triangle = {f(edge), f(5), f(0.5f), f(edge), f(-5), f(0.5f), f(-11), f(0), f(0.5f)};
  const std::vector<Entry> table = {{9, kMemory, kSide * kSide * 4}};
  d.good(Stream()
             .add(kCreateTexture, texture(kTarget, kBgra8, kSide, kSide))
             .add(kCreateTexture, texture(kOut, kBgra8, kSide, kSide, 9))
             .add(kCreateBuffer, {kVertices, 1, 36, 0, 0, 0, 0, 0})
             .add(kUpload, {kVertices, 0, 0, 0, 36, 0}, triangle)
             .add(kCreateShader, {kVsHandle, kVertex, static_cast<uint32_t>(kVs.size() * 4), 0}, kVs)
             .add(kCreateShader, {kPsHandle, kPixel, static_cast<uint32_t>(kPs.size() * 4), 0}, kPs)
             .add(kCreateLayout, {kLayout, 24, 0}, kElements)
             .add(kBindShaders, {kVsHandle, kPsHandle, 0, 0})
             .add(kSetLayout, {kLayout, 0})
             .add(kVertexBuffers, {0, 1}, {kVertices, 12, 0, 0})
             .add(kTopology, {kTriangles, 0})
             .add(kConstantsF, {kPixel, 0, 1, 0}, {f(0.2f), f(0.4f), f(0.8f), f(0.0f)})
             .add(kSetTargets, targets(kTarget))
             .add(kDraw, {3, 1, 0, 0})
             .add(kExport, {kTarget, 0, lo(kToken), hi(kToken)}),
         table);
  // Another context, like that of another process, knows the surface by its token.
  ASSERT_EQ(d.codeOf(d.submit(Stream()
                                  .add(kImport, {kAlias, 0, lo(kToken), hi(kToken)})
                                  .add(kDestroyResource, {kTarget, 0})
                                  .add(kRelease, {lo(kToken), hi(kToken), 0, 0})
                                  .add(kCopyTexture, copyOut(kOut, kAlias, kSide, kSide)),
                              table, 0, 77)),
            0u);
  for (uint32_t y = 0; y < kSide; ++y)
    for (uint32_t x = 0; x < kSide; ++x) {
      // The unbound stream 1 is (0, 0), so t0 is (0, 0, 0, 1); blue comes first: 0.8, 0.4, 0.2, 1 of 255.
      const uint32_t want = x <= 7 ? 0xFF3366CC : 0;
      ASSERT_EQ(d.qemu.readl(kMemory + (y * kSide + x) * 4), want) << x << ", " << y;
    }
  EXPECT_EQ(d.codeOf(Stream().add(kImport, {8, 0, lo(kToken), hi(kToken)})), kDecode) << "a used-up token";
}

// PRES-1, PRES-2, PRES-3, PRES-5, SCAN-1, SCAN-10, SCAN-5, SCAN-9, VBL-1, VBL-2, EXT-2
TEST(Contract, Presents) {
  Driver d("renderer=null");
  EXPECT_EQ(d.reg(kVblankPeriod), 16'666'667u);
  constexpr uint32_t kWidth = 64, kHeight = 48, kShown = 1;
  const std::vector<Entry> table = {{9, kMemory, kWidth * kHeight * 4}};
  d.startRing();
  d.set(kScanWidth, kWidth);
  d.set(kScanHeight, kHeight);
  d.set(kScanFormat, kBgrx8);
  d.set(kScanPitch, kWidth * 4);
  d.set64(kScanGpa, kMemory);
  d.set(kScanEnable, 1);
  const auto fill = [](float r, float g, float b) { return Words{1, f(r), f(g), f(b), f(1), f(1), 0}; };
  d.good(Stream()
             .add(kCreateTexture, texture(kShown, kBgrx8, kWidth, kHeight, 9))
             .add(kSetTargets, targets(kShown))
             .add(kClear, fill(0.2f, 0.4f, 0.8f))
             .add(kFlush, {0, 0})
             .add(kPresent, {0, 0})
             .add(kClear, fill(1, 1, 1)),  // after the present: not shown
         table);
  Picture picture = d.qemu.screendump();
  ASSERT_EQ(picture.width, kWidth);
  ASSERT_EQ(picture.height, kHeight);
  EXPECT_EQ(picture.at(5, 7), 0x3366CCu);

  d.set(kIrqEnable, kIrqFence);
  const uint64_t sequence = d.reg64(kVblankSeq);
  const uint64_t fence = d.submit(Stream().add(kPresentEx, {0, kVsync, 0x77, 0}), table, kSubmitPresent);
  d.waitUntil([&] { return d.qemu.property("presents-done") == 2; }, "the present's work");
  d.qemu.clockStep(8'000'000);
  EXPECT_LT(d.reg64(kCompleted), fence) << "before the vblank";
  d.qemu.clockStep(9'000'000);
  d.waitFence(fence);
  EXPECT_EQ(d.reg64(kVblankSeq), sequence + 1);
  EXPECT_EQ(d.qemu.screendump().at(5, 7), 0xFFFFFFu);

  d.set(kScanWidth, kWidth / 2);
  picture = d.qemu.screendump();
  EXPECT_EQ(picture.width, kWidth / 2) << "counts from the next drawing";
  d.set(kScanPitch, 4);  // less than a row: invalid
  EXPECT_EQ(d.reg(kScanPitch), 4u) << "is read back all the same";
  EXPECT_EQ(d.qemu.screendump().width, kWidth / 2);
}

// FENCE-3, FENCE-7, FENCE-8, CMD-7, IRQ-2, SHADER-6, CMD-11
TEST(Contract, EachErrorCode) {
  Driver d("renderer=vulkan");
  d.startRing();
  const auto fails = [&](uint32_t code, const Stream& stream) {
    d.set(kIrqAck, ~0u);
    EXPECT_EQ(d.codeOf(stream), code);
    EXPECT_TRUE(d.reg(kIrqStatus) & kIrqError);
  };
  fails(kDecode, Stream().add(kDestroyResource, {1234, 0}));
  fails(kDecode, Stream().add(kDraw, {3}));  // cut short
  fails(kOob, Stream().add(kTopology, {kTriangles, 0}).add(kVertexBuffers, {32, 1}, {0, 0, 0, 0}));
  // A hull shader: COMPUTE with stage_ex, which the last field is.
  fails(kBackend, Stream().add(kCreateShader, {1, 2, static_cast<uint32_t>(kVs.size() * 4), 3}, kVs));
  // Each failed packet counts; the last one's code stays until the next error, whatever is acknowledged.
  const uint32_t before = d.reg(kErrorCount);
  EXPECT_EQ(d.codeOf(Stream()
                         .add(kDraw, {3})
                         .add(kDestroyResource, {1234, 0})
                         .add(kCreateBuffer, {1, 0, 16, 0, 0, 0, 0, 0})
                         .add(kUpload, {1, 0, 16, 0, 4, 0}, {7}),
                     {}, 3),
            kOob);
  EXPECT_EQ(d.reg(kErrorCount), before + 3);
  d.set(kIrqAck, ~0u);
  EXPECT_EQ(d.reg(kErrorCode), kOob);
  d.good(Stream().add(kDestroyResource, {1, 0}));
  EXPECT_EQ(d.reg(kErrorCode), kOob);
}

}  // namespace
