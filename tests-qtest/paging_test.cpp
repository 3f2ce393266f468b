// SPDX-License-Identifier: MIT
// Tests the kernel driver's paging on the device: copies and fills between RAM and BAR1, with and without a
// GPU, and submissions that hold the ring when they fail. docs/abi/memory.md.
#include <gtest/gtest.h>

#include "aerogpu/aerogpu_ring_extension.h"
#include "tests-qtest/aerogpu_dev.h"
#include "tests-qtest/saved_state.h"

namespace {

using namespace aerogpu::qtest;
using aerogpu::CommandWriter;
namespace packets = aerogpu::packets;

constexpr uint64_t kWordGpa = 0x600000, kListGpa = 0x610000, kBytesGpa = 0x700000;
constexpr uint32_t kHold = AEROGPU_SUBMIT_FLAG_EXT_HOLD;
constexpr aerogpu_submit_space kKernel{0, AEROGPU_EXT_SPACE_FLAG_KERNEL, 0};
enum : uint32_t { kWords = 1, kVram, kScattered };

void fill(CommandWriter& w, uint32_t alloc, uint64_t offset, uint32_t pattern, uint64_t size) {
  w.packet(aerogpu_cmd_ext_fill_memory{
      .alloc_id = alloc, .pattern = pattern, .offset_bytes = offset, .size_bytes = size});
}
void copy(CommandWriter& w, uint32_t to, uint32_t from, uint64_t size) {
  w.packet(aerogpu_cmd_ext_copy_memory{.dst_alloc_id = to, .src_alloc_id = from, .size_bytes = size});
}

class Paging : public testing::Test {
protected:
  void SetUp() override {
    ASSERT_TRUE(dev.reg(AEROGPU_MMIO_REG_FEATURES_HI) & AEROGPU_EXT_FEATURE_HI_MEMORY);
    dev.useFencePage();
    dev.startRing();
  }
  uint64_t submit(const CommandWriter& w, uint32_t flags = 0,
                  std::optional<aerogpu_submit_space> space = {}) {
    const aerogpu_alloc_entry entries[] = {{kWords, 0, kWordGpa, 0x1000, 0},
                                           {kVram, 0, AeroGpuDev::kBar1, 0x10000, 0},
                                           {kScattered, AEROGPU_ALLOC_FLAG_EXT_SCATTER, kListGpa, 0x4000, 0}};
    const auto table = AeroGpuDev::allocTable(entries);
    return dev.submit(w, {.flags = flags, .commandGpa = m_commands, .table = table, .space = space});
  }
  /// Moves to the next place in guest memory for commands, because earlier submissions still wait in the
  /// ring.
  void useOtherCommands() { m_commands += 0x1000; }
  /// Submits a fill of the words that reaches too far, and a value after it.
  uint64_t fail(uint32_t flags = kHold, std::optional<aerogpu_submit_space> space = {}) {
    CommandWriter w;
    fill(w, kWords, 0xFFC, 1, 8);
    packets::writeValue(w, kWords, 0, 77);
    return submit(w, flags, space);
  }
  uint64_t good(uint32_t value, uint32_t flags = 0, std::optional<aerogpu_submit_space> space = {}) {
    CommandWriter w;
    fill(w, kWords, 8, value, 4);
    packets::writeValue(w, kWords, 0, value);
    return submit(w, flags, space);
  }
  void rest() {
    dev.waitUntil([&] { return dev.qemu.property("resting") == 1; }, "rest");
  }
  void waitHeld(uint64_t fence) {
    dev.waitUntil([&] { return dev.reg64(AEROGPU_MMIO_REG_ERROR_FENCE_LO) == fence; }, "the error");
    rest();
  }
  uint32_t word(uint64_t offset) { return dev.qemu.readl(kWordGpa + offset); }
  void expectHeld(uint64_t fence) {
    EXPECT_EQ(dev.completedFence(), fence - 1);
    EXPECT_EQ(dev.fencePage().completed_fence, fence - 1);
  }
  void resetRing() {
    dev.setReg(AEROGPU_MMIO_REG_RING_CONTROL, AEROGPU_RING_CONTROL_ENABLE | AEROGPU_RING_CONTROL_RESET);
  }

  AeroGpuDev dev;

private:
  uint64_t m_commands = kCommandGpa;
};

// MEM-1, MEM-4, LIST-1
TEST_F(Paging, BetweenRamAndVideoMemory) {
  dev.setScanout({.width = 64, .height = 64, .pitch = 256, .gpa = AeroGpuDev::kBar1});
  const auto bytes = pattern(0x4000, 3);
  for (uint64_t page = 0; page < 4; ++page) {
    dev.qemu.writeq(kListGpa + 8 * page, kBytesGpa + 0x2000 * (3 - page));
    dev.qemu.write(kBytesGpa + 0x2000 * (3 - page), std::span(bytes).subspan(page * 0x1000, 0x1000));
  }
  CommandWriter w;
  copy(w, kVram, kScattered, 0x4000);
  fill(w, kScattered, 0, 0x01020304, 0x4000);
  dev.waitFence(submit(w, kHold));
  EXPECT_EQ(dev.errorCount(), 0u) << dev.qemu.output();
  EXPECT_EQ(dev.qemu.read(AeroGpuDev::kBar1, 0x4000), bytes);
  EXPECT_EQ(dev.qemu.readl(kBytesGpa + 0x6FFC), 0x01020304u);
  // The screen's view of that memory is drawn anew.
  (void)dev.qemu.screendump();
  w.reset();
  fill(w, kVram, 0, 0x00204060, 0x4000);
  dev.waitFence(submit(w));
  EXPECT_EQ(dev.qemu.screendump().at(63, 63), 0x204060u);
}

// MEM-10, MEM-11, MEM-12, MEM-13, RING-11
TEST_F(Paging, WhatFailsHoldsTheRing) {
  dev.setReg(AEROGPU_MMIO_REG_IRQ_ENABLE, AEROGPU_IRQ_FENCE | AEROGPU_IRQ_ERROR);
  dev.waitFence(good(5));
  dev.setReg(AEROGPU_MMIO_REG_IRQ_ACK, ~0u);
  const uint32_t head = dev.ringHeader().head;
  const uint64_t fence = fail(kHold | AEROGPU_SUBMIT_FLAG_NO_IRQ);
  waitHeld(fence);
  expectHeld(fence);
  EXPECT_EQ(dev.ringHeader().head, head);
  EXPECT_EQ(dev.errorCount(), 1u);
  EXPECT_EQ(dev.reg(AEROGPU_MMIO_REG_ERROR_CODE), uint32_t{AEROGPU_ERROR_OOB});
  EXPECT_EQ(dev.reg(AEROGPU_MMIO_REG_IRQ_STATUS), uint32_t{AEROGPU_IRQ_ERROR}) << "once, and no FENCE";
  dev.setReg(AEROGPU_MMIO_REG_IRQ_ACK, ~0u);
  EXPECT_EQ(word(0), 5u) << "its value does not come";
  const int64_t fetched = dev.qemu.property("submissions");
  for (uint32_t i = 0; i < 6; ++i) {
    useOtherCommands();
    good(6 + i, i & 1 ? kHold : 0);
  }
  // Other writes do not end it.
  dev.setReg(AEROGPU_MMIO_REG_RING_CONTROL, 0);
  dev.enableRing();
  dev.setReg(AEROGPU_EXT_REG_GPU_ENABLE, 1);
  dev.setReg(AEROGPU_EXT_REG_GPU_ENABLE, 0);
  dev.ringBell();
  rest();
  EXPECT_EQ(dev.qemu.property("submissions"), fetched) << "nothing more is fetched";
  expectHeld(fence);
  EXPECT_EQ(dev.errorCount(), 1u);
  EXPECT_EQ(dev.reg(AEROGPU_MMIO_REG_IRQ_STATUS), 0u);
  EXPECT_EQ(word(8), 5u);
  resetRing();
  EXPECT_EQ(dev.ringHeader().head, dev.ringHeader().tail);
  dev.waitFence(good(9, kHold));
  EXPECT_EQ(word(0), 9u);
  EXPECT_EQ(word(8), 9u);
  EXPECT_EQ(dev.errorCount(), 1u);
}

/// Slots that the device fetched after the failed one, in the same read of the ring, do not run either.
// MEM-12
TEST_F(Paging, WhatWasFetchedBehindItDoesNotRun) {
  dev.setReg(AEROGPU_MMIO_REG_RING_CONTROL, 0);
  const uint64_t before = good(3);
  useOtherCommands();
  const uint64_t fence = fail();
  for (uint32_t i = 0; i < 8; ++i) {
    useOtherCommands();
    good(20 + i);
  }
  dev.enableRing();
  dev.ringBell();
  waitHeld(fence);
  expectHeld(fence);
  EXPECT_EQ(before, fence - 1);
  EXPECT_EQ(word(8), 3u);
  resetRing();
  dev.waitFence(good(4));
  EXPECT_EQ(word(8), 4u);
}

// MEM-10, MEM-11
TEST_F(Paging, AtWhateverStageItFails) {
  const auto ends = [&](uint64_t fence, uint32_t code) {
    waitHeld(fence);
    expectHeld(fence);
    EXPECT_EQ(dev.reg(AEROGPU_MMIO_REG_ERROR_CODE), code);
    resetRing();
    dev.waitFence(good(1));
  };
  CommandWriter w;
  packets::destroyResource(w, 4321);
  ends(submit(w, kHold), AEROGPU_ERROR_CMD_DECODE);
  ends(dev.submit(w, {.flags = kHold, .table = std::vector<uint8_t>(24)}), AEROGPU_ERROR_CMD_DECODE);
  ends(dev.submit(w, {.flags = kHold, .commandGpa = uint64_t{1} << 40}), AEROGPU_ERROR_OOB);
  aerogpu_submit_desc desc{};
  desc.desc_size_bytes = 32;
  desc.flags = kHold;
  desc.signal_fence = dev.nextFence();
  dev.setNextFence(desc.signal_fence + 1);
  dev.push(desc);
  ends(desc.signal_fence, AEROGPU_ERROR_CMD_DECODE);
}

// MEM-2, MEM-10
TEST_F(Paging, AProgramCannotStopTheRing) {
  dev.setReg(AEROGPU_MMIO_REG_RING_CONTROL, 0);
  dev.setReg(AEROGPU_EXT_REG_SPACES, AEROGPU_EXT_SPACES_ENABLE);
  dev.startRing({.stride = 80});
  for (const uint32_t space : {0u, 1u}) {
    dev.waitFence(fail(kHold, aerogpu_submit_space{space, 0, 0}));
    EXPECT_EQ(word(0), 77u);
  }
  const uint64_t fence = fail(kHold, kKernel);
  waitHeld(fence);
  expectHeld(fence);
  resetRing();
  dev.waitFence(good(8, kHold, kKernel));
  EXPECT_EQ(word(0), 8u);
}

/// Earlier work completes as ever, a present at its vblank, and the error comes after that.
// MEM-12, PRES-5, FENCE-1
TEST_F(Paging, WhatIsBeforeItCompletes) {
  dev.setScanout({});
  CommandWriter w;
  packets::present(w, AEROGPU_PRESENT_FLAG_VSYNC);
  packets::writeValue(w, kWords, 16, 1);
  const uint64_t before = submit(w);
  dev.waitUntil([&] { return word(16) == 1; }, "its work");
  const uint64_t fence = fail();
  rest();
  EXPECT_LT(dev.completedFence(), before);
  EXPECT_EQ(dev.errorCount(), 0u);
  dev.qemu.clockStep(1'000'000'000);
  dev.waitFence(before);
  waitHeld(fence);
  EXPECT_EQ(dev.completedFence(), before);
}

// MEM-13, LOSS-4, PCI-8
TEST_F(Paging, ARestartAndADeviceResetEndItToo) {
  waitHeld(fail());
  dev.setReg(AEROGPU_EXT_REG_GPU_RESTART, 1);
  dev.waitFence(good(2, kHold));
  waitHeld(fail());
  dev.qemu.qmp("system_reset");
  dev.setUpPci();
  dev.setNextFence(1);
  SetUp();
  dev.waitFence(good(3, kHold));
  EXPECT_EQ(word(0), 3u);
}

/// A held ring stays held elsewhere, and is freed as here.
// MEM-11, MEM-13, PCI-9
TEST_F(Paging, AHeldRingIsSavedAsHeld) {
  const uint64_t fence = fail();
  waitHeld(fence);
  const auto file = dev.qemu.folder() / "state";
  migrateTo(dev, file);
  AeroGpuDev target("renderer=null", {"-incoming", "defer"});
  target.loadFrom(file);
  target.goOnFrom(dev);
  EXPECT_EQ(target.completedFence(), fence - 1);
  EXPECT_EQ(target.errorCount(), dev.errorCount()) << "the driver was told";
  const int64_t fetched = target.qemu.property("submissions");
  target.setReg(AEROGPU_EXT_REG_GPU_ENABLE, 0);  // looks at it again
  EXPECT_EQ(target.errorCount(), dev.errorCount()) << "once is enough";
  target.submitEmpty();
  target.waitUntil([&] { return target.qemu.property("resting") == 1; }, "rest");
  EXPECT_EQ(target.qemu.property("submissions"), fetched) << "nothing more is fetched";
  target.setReg(AEROGPU_MMIO_REG_RING_CONTROL, AEROGPU_RING_CONTROL_ENABLE | AEROGPU_RING_CONTROL_RESET);
  target.waitFence(target.submitEmpty());
}

/// Without a GPU, for a while or for good, paging continues; work that needs one holds the ring.
// MEM-8, MEM-14, LOSS-2, LOSS-3, LOSS-6
TEST_F(Paging, WithoutAGpu) {
  CommandWriter paging, drawing;
  fill(paging, kWords, 8, 0x42, 8);
  packets::createBuffer(drawing, 1, 16);
  dev.qemu.setProperty("x-gpu-fault", 1);
  dev.waitFence(submit(drawing));
  dev.waitUntil([&] { return dev.reg(AEROGPU_EXT_REG_GPU_STATE) == AEROGPU_EXT_GPU_LOST; }, "the loss");
  const uint32_t errors = dev.errorCount();
  dev.waitFence(submit(paging, kHold));
  EXPECT_EQ(word(8), 0x42u);
  EXPECT_EQ(dev.errorCount(), errors);
  dev.qemu.setProperty("x-gpu-fault", 2);
  dev.setReg(AEROGPU_EXT_REG_GPU_ENABLE, 1);
  dev.setReg(AEROGPU_EXT_REG_GPU_RESTART, 1);
  dev.waitUntil([&] { return dev.reg(AEROGPU_EXT_REG_GPU_STATE) == AEROGPU_EXT_GPU_GONE; }, "its end");
  dev.waitFence(submit(paging, kHold));
  EXPECT_EQ(dev.errorCount(), errors);
  waitHeld(submit(drawing, kHold));
  EXPECT_EQ(dev.reg(AEROGPU_MMIO_REG_ERROR_CODE), uint32_t{AEROGPU_ERROR_BACKEND});
  resetRing();
  dev.waitFence(submit(paging, kHold));
}

}  // namespace
