// SPDX-License-Identifier: MIT
// The scheduler and its ring on a device and a kernel of the test's. What the device is told is docs/abi/ring.md, what
// dxgkrnl is told and when are Microsoft's pages "DxgkDdiSubmitCommand", "DxgkDdiPreemptCommand",
// "DxgkDdiResetFromTimeout", "DxgkDdiQueryCurrentFence" and "DXGKARGCB_NOTIFY_INTERRUPT_DATA". An interrupt or a
// callback ends in a DPC exactly when something was told: fake_kernel.cpp looks.
#include "scheduler.h"

#include <gtest/gtest.h>

#include <vector>

#include "aerogpu/aerogpu_cmd_extension.h"
#include "aerogpu/aerogpu_cmd_resource.h"
#include "aerogpu/aerogpu_ring_extension.h"
#include "counters.h"
#include "fake_device.h"

namespace aero::test {
namespace {

using Told = std::vector<std::string>;

constexpr ULONG kQueue = 100;
constexpr uint64_t kDmaGpa = 0x240000000;

class SchedulerTest : public testing::Test {
protected:
  SchedulerTest() { m_registers.map(m_device.bar0()); }
  ~SchedulerTest() override { m_scheduler.stop(); }

  void start() {
    ASSERT_EQ(m_scheduler.start(kQueue), STATUS_SUCCESS);
    m_device.takeWrites();
  }

  /** One submission as DxgkDdiSubmitCommand brings it, at DISPATCH_LEVEL. */
  struct Submit {
    uint32_t fence = 1;
    uint32_t context = 5;
    uint32_t entries = 0;       // of the allocation table
    uint32_t packetBytes = 32;  // 0: an empty DMA buffer
    uint32_t type = AEROGPU_SUBMIT_RENDER;
    uint32_t flags = 0;  // enum DmaFlags
    uint32_t startOffset = 0;
    bool nullRendering = false;
    uint32_t privateBytes = sizeof(AEROGPU_DMA_PRIV);
  };
  NTSTATUS submit(const Submit &what) {
    // Private data of an earlier submission lie before this one's.
    AEROGPU_DMA_PRIV priv[2] = {{0xFFFFFFFF, 0xFFFFFFFF, ~uint64_t{0}}, {}};
    const DmaLayout layout = DmaLayout::forEntries(what.entries);
    priv[1] = layout.toPrivate(what.type, what.flags);
    DXGKARG_SUBMITCOMMAND args = {};
    args.DmaBufferPhysicalAddress.QuadPart = kDmaGpa;
    args.DmaBufferSize = 256 * 1024;
    args.DmaBufferSubmissionStartOffset = what.startOffset;
    args.DmaBufferSubmissionEndOffset =
        what.startOffset + (what.packetBytes ? layout.packetOffset() + what.packetBytes : 0);
    args.pDmaBufferPrivateData = priv;
    args.DmaBufferPrivateDataSize = sizeof priv;
    args.DmaBufferPrivateDataSubmissionStartOffset = sizeof priv[0];
    args.DmaBufferPrivateDataSubmissionEndOffset = static_cast<UINT>(sizeof priv[0]) + what.privateBytes;
    args.SubmissionFenceId = what.fence;
    args.Flags.NullRendering = what.nullRendering;
    NTSTATUS status = STATUS_UNSUCCESSFUL;
    m_kernel.atDispatch([&] { status = m_scheduler.submit(args, {0, what.context}); });
    return status;
  }
  /** Submissions with these fences. */
  void submitAll(std::initializer_list<uint32_t> fences) {
    for (const uint32_t fence : fences) {
      Submit what;
      what.fence = fence;
      ASSERT_EQ(submit(what), STATUS_SUCCESS);
    }
  }

  /** What AeroAdapter::interrupt() does with completions. */
  void interrupt() {
    m_kernel.interrupt([&] {
      const uint32_t status = m_registers.read(AEROGPU_MMIO_REG_IRQ_STATUS);
      m_registers.write(AEROGPU_MMIO_REG_IRQ_ACK, status);
      return status & (AEROGPU_IRQ_FENCE | AEROGPU_IRQ_ERROR) && m_scheduler.interrupt(status);
    });
  }
  void preempt(uint32_t id) {
    DXGKARG_PREEMPTCOMMAND args = {};
    args.PreemptionFenceId = id;
    m_kernel.atDispatch([&] { EXPECT_EQ(m_scheduler.preempt(args), STATUS_SUCCESS); });
  }
  /** The newest submission that the device has. */
  aerogpu_submit_desc newest() const {
    EXPECT_FALSE(m_device.queue.empty()) << "nothing was submitted";
    return m_device.queue.empty() ? aerogpu_submit_desc{} : m_device.queue.back();
  }
  uint64_t lastFence() const { return newest().signal_fence; }

  FakeKernel m_kernel;
  FakeDevice m_device{m_kernel};
  Registers m_registers;
  Counters m_counters = {};
  Scheduler m_scheduler{m_registers, m_counters, m_kernel.dxgk};
};

TEST_F(SchedulerTest, AStartTellsTheDeviceOfARingThatItCanUse) {
  ASSERT_EQ(m_scheduler.start(kQueue), STATUS_SUCCESS);
  // The page's order: the places first, RING_CONTROL last.
  ASSERT_FALSE(m_device.writes.empty());
  EXPECT_EQ(m_device.writes.back(), (RegisterWrite{AEROGPU_MMIO_REG_RING_CONTROL, AEROGPU_RING_CONTROL_ENABLE}));
  const aerogpu_ring_header *ring = m_device.ring();
  ASSERT_TRUE(ring);
  EXPECT_EQ(ring->magic, 0x474E5241u);
  EXPECT_EQ(ring->abi_version >> 16, 1u);
  EXPECT_EQ(ring->entry_stride_bytes, 64u);
  EXPECT_GE(ring->entry_count, kQueue) << "room for all that the OS may queue";
  EXPECT_EQ(ring->entry_count & (ring->entry_count - 1), 0u) << "a power of two";
  EXPECT_EQ(ring->size_bytes, 64 + 64 * ring->entry_count);
  EXPECT_EQ(m_device.value(AEROGPU_MMIO_REG_RING_SIZE_BYTES), ring->size_bytes);
  EXPECT_EQ(ring->head, ring->tail);
  EXPECT_EQ(ring->flags, 0u);
  ASSERT_TRUE(m_device.fencePage());
  EXPECT_EQ(reinterpret_cast<uintptr_t>(m_device.fencePage()) % 8, 0u);
}

// SPACE-1, SPACE-5, SPACE-6
TEST_F(SchedulerTest, WithHandleSpacesSlotsSayThatTheDriverWroteThem) {
  ASSERT_EQ(m_scheduler.start(kQueue, true), STATUS_SUCCESS);
  EXPECT_EQ(m_device.writes.back(), (RegisterWrite{AEROGPU_MMIO_REG_RING_CONTROL, AEROGPU_RING_CONTROL_ENABLE}));
  EXPECT_EQ(m_device.value(AEROGPU_EXT_REG_SPACES), 1u) << "enabled before the ring";
  const aerogpu_ring_header *ring = m_device.ring();
  ASSERT_TRUE(ring);
  EXPECT_EQ(ring->entry_stride_bytes, 80u);
  EXPECT_EQ(ring->size_bytes, 64 + 80 * ring->entry_count);
  const aerogpu_cmd_ext_reset_context packet = {{AEROGPU_CMD_EXT_RESET_CONTEXT, sizeof packet}, 0, 0};
  m_device.newestSpace = {9, 9, 9};
  ASSERT_EQ(m_scheduler.submitInternal(&packet, sizeof packet), STATUS_SUCCESS);
  EXPECT_EQ(newest().desc_size_bytes, 80u);
  EXPECT_EQ(m_device.newestSpace.space, 0u);
  EXPECT_EQ(m_device.newestSpace.flags, 1u);
  EXPECT_EQ(m_device.newestSpace.reserved0, 0u);
  m_device.complete(m_device.queue.size());
  // After a sleep in which the device was reset it has to be told again.
  m_scheduler.suspend();
  EXPECT_EQ(m_device.value(AEROGPU_EXT_REG_SPACES), 0u) << "a driver for ABI 1.4 may come next";
  m_device.resetMachine();
  m_scheduler.resume(true);
  EXPECT_EQ(m_device.value(AEROGPU_EXT_REG_SPACES), 1u);
  submitAll({1});
  EXPECT_EQ(newest().desc_size_bytes, 80u);
  m_device.complete(m_device.queue.size());
  m_scheduler.stop();
  EXPECT_EQ(m_device.value(AEROGPU_EXT_REG_SPACES), 0u);
}

TEST_F(SchedulerTest, AStartBeginsAboveEverythingThatTheDeviceHasCompleted) {
  m_device.setCompletedFence(0x500000007);
  start();
  EXPECT_EQ(m_scheduler.currentFence(), 0u) << "the 7 was another driver's";
  EXPECT_EQ(m_kernel.take(), Told{}) << "nothing of this start's is complete";
  submitAll({1});
  EXPECT_EQ(lastFence(), 0x600000001u);
  m_device.complete();
  interrupt();
  EXPECT_EQ(m_kernel.take(), (Told{"completed 1", "dpc"}));
}

TEST_F(SchedulerTest, AStartWithoutMemoryLeavesNothing) {
  for (int allocation = 1; allocation <= 3; allocation++) {
    m_kernel.failAllocation = allocation;
    EXPECT_EQ(m_scheduler.start(kQueue), STATUS_INSUFFICIENT_RESOURCES);
    EXPECT_EQ(m_kernel.allocations(), 0u);
    EXPECT_EQ(m_device.writes, std::vector<RegisterWrite>{});
  }
  EXPECT_EQ(m_kernel.failAllocation, 0);
  start();
}

TEST_F(SchedulerTest, ADescriptorSaysWhereTableAndCommandsLie) {
  start();
  Submit what;
  what.startOffset = 0x1000;
  what.entries = 3;
  what.packetBytes = 100;
  ASSERT_EQ(submit(what), STATUS_SUCCESS);
  ASSERT_EQ(m_device.queue.size(), 1u);
  const aerogpu_submit_desc &desc = m_device.queue[0];
  EXPECT_EQ(desc.desc_size_bytes, 64u);
  EXPECT_EQ(desc.flags, 0u);
  EXPECT_EQ(desc.context_id, 5u);
  EXPECT_EQ(desc.engine_id, 0u);
  // A header of 24 bytes and three entries of 32; the stream follows at the next multiple of 16, with a header of 24.
  EXPECT_EQ(desc.alloc_table_gpa, kDmaGpa + 0x1000);
  EXPECT_EQ(desc.alloc_table_size_bytes, 24u + 3 * 32);
  EXPECT_EQ(desc.cmd_gpa, kDmaGpa + 0x1000 + 128);
  EXPECT_EQ(desc.cmd_size_bytes, 24u + 100);
  EXPECT_EQ(desc.signal_fence, 0x100000001u);
  EXPECT_EQ(desc.cmd_reserved0 | desc.alloc_table_reserved0 | desc.reserved0, 0u);
  // The bell comes after the tail, once.
  EXPECT_EQ(m_device.takeWrites(), (std::vector<RegisterWrite>{{AEROGPU_MMIO_REG_DOORBELL, 1}}));
  EXPECT_EQ(m_counters.submissions, 1u);
  EXPECT_EQ(m_counters.renderSubmissions, 1u);
}

TEST_F(SchedulerTest, WithoutAllocationsThereIsNoTable) {
  start();
  ASSERT_EQ(submit({}), STATUS_SUCCESS);
  EXPECT_EQ(m_device.queue[0].alloc_table_gpa, 0u);
  EXPECT_EQ(m_device.queue[0].alloc_table_size_bytes, 0u);
  EXPECT_EQ(m_device.queue[0].cmd_gpa, kDmaGpa);
  EXPECT_EQ(m_device.queue[0].cmd_size_bytes, 24u + 32);
}

TEST_F(SchedulerTest, FlagsOfTheStreamReachTheDescriptor) {
  start();
  Submit present;
  present.type = AEROGPU_SUBMIT_PRESENT;
  present.flags = kDmaPresent;
  Submit drawn = present;
  drawn.fence = 2;
  drawn.flags = kDmaPresent | kDmaAlternate;
  Submit blit = present;
  blit.fence = 3;
  blit.flags = kDmaAlternate;
  Submit paging;
  paging.fence = 4;
  paging.context = kInternalContext;
  paging.type = AEROGPU_SUBMIT_PAGING;
  for (const Submit &what : {present, drawn, blit, paging}) ASSERT_EQ(submit(what), STATUS_SUCCESS);
  ASSERT_EQ(m_device.queue.size(), 4u);
  const uint32_t flags[] = {AEROGPU_SUBMIT_FLAG_PRESENT, AEROGPU_SUBMIT_FLAG_PRESENT, 0, 0};
  const uint32_t contexts[] = {5, 0x400, 0x400, 0};
  for (size_t i = 0; i < 4; i++) {
    EXPECT_EQ(m_device.queue[i].flags, flags[i]) << i;
    EXPECT_EQ(m_device.queue[i].context_id, contexts[i]) << i;
  }
  EXPECT_EQ(m_counters.presentSubmissions, 3u);
  EXPECT_EQ(m_counters.pagingSubmissions, 1u);
}

// Page "DXGKARG_SUBMITCOMMAND": one paging buffer is used for several submissions, from StartOffset to EndOffset.
TEST_F(SchedulerTest, EachOperationOfAPagingBufferIsRun) {
  start();
  submitAll({1});
  constexpr uint32_t kBytes[] = {160, 320, 64};
  constexpr uint32_t kEntries[] = {2, 1, 0}, kStart = 4096;
  // An operation that was submitted before, three, and room that nobody wrote.
  AEROGPU_DMA_PRIV priv[6];
  memset(priv, 0xCD, sizeof priv);
  for (int i = 0; i < 3; i++) priv[1 + i] = DmaLayout::forEntries(kEntries[i]).toPagingPrivate(kBytes[i]);
  DXGKARG_SUBMITCOMMAND args = {};
  args.DmaBufferPhysicalAddress.QuadPart = kDmaGpa;
  args.DmaBufferSize = 65536;
  args.DmaBufferSubmissionStartOffset = kStart;
  args.DmaBufferSubmissionEndOffset = kStart + kBytes[0] + kBytes[1] + kBytes[2];
  args.pDmaBufferPrivateData = priv;
  args.DmaBufferPrivateDataSize = sizeof priv;
  args.DmaBufferPrivateDataSubmissionStartOffset = sizeof priv[0];
  args.SubmissionFenceId = 2;
  args.Flags.Paging = 1;
  // Whether the private data ends with the operations or where the OS has room for more.
  for (const UINT privateEnd : {UINT{4 * sizeof priv[0]}, UINT{sizeof priv}}) {
    m_device.queue.clear();
    args.DmaBufferPrivateDataSubmissionEndOffset = privateEnd;
    m_kernel.atDispatch([&] { EXPECT_EQ(m_scheduler.submit(args, {}), STATUS_SUCCESS); });
    ASSERT_EQ(m_device.queue.size(), 3u);
    uint64_t gpa = kDmaGpa + kStart;
    for (int i = 0; i < 3; i++) {
      const aerogpu_submit_desc &desc = m_device.queue[i];
      const DmaLayout layout = DmaLayout::forEntries(kEntries[i]);
      EXPECT_EQ(desc.cmd_gpa, gpa + layout.commandOffset) << i;
      EXPECT_EQ(desc.cmd_size_bytes, kBytes[i] - layout.commandOffset) << i;
      EXPECT_EQ(desc.alloc_table_size_bytes, layout.tableBytes()) << i;
      EXPECT_EQ(desc.flags, i < 2 ? uint32_t{AEROGPU_SUBMIT_FLAG_NO_IRQ} : 0u) << i;
      EXPECT_EQ(desc.signal_fence & 0xFFFFFFFF, i < 2 ? 0 : args.SubmissionFenceId) << i << ": one that says nothing";
      gpa += kBytes[i];
    }
    args.SubmissionFenceId++;
  }
}

TEST_F(SchedulerTest, WhatRunsNothingStillSignals) {
  start();
  Submit empty, null, unmarked, untyped;
  empty.packetBytes = 0;
  null.nullRendering = true;
  unmarked.privateBytes = sizeof(AEROGPU_DMA_PRIV) - 1;
  untyped.type = 0;
  uint32_t fence = 0;
  for (Submit *what : {&empty, &null, &unmarked, &untyped}) {
    what->fence = ++fence;
    what->flags = kDmaPresent | kDmaAlternate;
    ASSERT_EQ(submit(*what), STATUS_SUCCESS);
    const aerogpu_submit_desc desc = newest();
    EXPECT_EQ(desc.cmd_gpa | desc.cmd_size_bytes | desc.alloc_table_gpa | desc.alloc_table_size_bytes, 0u) << fence;
    EXPECT_EQ(desc.flags, 0u) << fence;
    EXPECT_EQ(desc.signal_fence, 0x100000000u + fence);
  }
  EXPECT_EQ(m_counters.renderSubmissions, 0u);
}

TEST_F(SchedulerTest, AStreamThatWouldBeginOutsideOfTheBufferIsNotRun) {
  start();
  AEROGPU_DMA_PRIV priv = DmaLayout::forEntries(4).toPrivate(AEROGPU_SUBMIT_RENDER, 0);
  DXGKARG_SUBMITCOMMAND args = {};
  args.DmaBufferPhysicalAddress.QuadPart = kDmaGpa;
  args.DmaBufferSubmissionEndOffset = DmaLayout::forEntries(4).packetOffset() - 1;
  args.pDmaBufferPrivateData = &priv;
  args.DmaBufferPrivateDataSize = args.DmaBufferPrivateDataSubmissionEndOffset = sizeof priv;
  args.SubmissionFenceId = 1;
  m_kernel.atDispatch([&] { EXPECT_EQ(m_scheduler.submit(args, {0, 5}), STATUS_SUCCESS); });
  EXPECT_EQ(m_device.queue[0].cmd_size_bytes, 0u);
  EXPECT_EQ(m_device.queue[0].alloc_table_size_bytes, 0u);
}

TEST_F(SchedulerTest, FencesGoUpThroughTheWrapOf32Bits) {
  start();
  submitAll({0x7FFFFFFF, 0xFFFFFFFE, 0xFFFFFFFF, 0, 1});
  const uint64_t fences[] = {0x17FFFFFFF, 0x1FFFFFFFE, 0x1FFFFFFFF, 0x200000000, 0x200000001};
  for (size_t i = 0; i < 5; i++) EXPECT_EQ(m_device.queue[i].signal_fence, fences[i]) << i;
  EXPECT_EQ(m_scheduler.lastSubmitted(), 0x200000001u);
  m_device.complete(3);
  interrupt();
  m_device.complete();
  interrupt();
  EXPECT_EQ(m_scheduler.currentFence(), 0u);
  m_device.complete();
  interrupt();
  EXPECT_EQ(m_kernel.take(), (Told{"completed FFFFFFFF", "dpc", "completed 0", "dpc", "completed 1", "dpc"}));
}

TEST_F(SchedulerTest, AFullRingLosesTheWorkAndNothingFollowsIt) {
  start();
  const uint32_t entries = m_device.ring()->entry_count;
  for (uint32_t i = 1; i <= entries; i++) submitAll({i});
  ASSERT_EQ(m_device.queue.size(), entries);
  EXPECT_EQ(m_counters.ringFull, 0u);
  // Any status but success stops the system (bug-check 0x119).
  submitAll({entries + 1});
  EXPECT_EQ(m_device.queue.size(), entries) << "no slot is written over";
  EXPECT_EQ(m_device.ring()->tail, entries);
  EXPECT_EQ(m_counters.ringFull, 1u);
  EXPECT_EQ(m_scheduler.lastSubmitted(), 0x100000000u + entries) << "what was not taken was not submitted";
  // There is room again, but a later fence must not say that the lost one is done.
  m_device.complete(entries);
  interrupt();
  submitAll({entries + 2});
  EXPECT_TRUE(m_device.queue.empty());
  EXPECT_EQ(m_scheduler.currentFence(), entries);
  char last[32];
  snprintf(last, sizeof last, "completed %X", entries);
  EXPECT_EQ(m_kernel.take(), (Told{last, "dpc"}));
}

TEST_F(SchedulerTest, TheRingGoesRoundAndRound) {
  start();
  const uint32_t entries = m_device.ring()->entry_count;
  for (uint32_t i = 1; i <= 3 * entries + 5; i++) {
    submitAll({i});
    ASSERT_EQ(m_device.queue.size(), 1u);
    ASSERT_EQ(lastFence(), 0x100000000u + i);
    ASSERT_EQ(m_device.ring()->tail, i) << "counts up without masking";
    m_device.complete();
  }
  interrupt();
  EXPECT_EQ(m_counters.ringFull, 0u);
  EXPECT_EQ(m_scheduler.completed(), 0x100000000u + 3 * entries + 5);
}

TEST_F(SchedulerTest, TheHighestCompletedFenceIsToldOnce) {
  start();
  submitAll({1, 2, 3});
  m_device.complete(2);
  interrupt();
  EXPECT_EQ(m_kernel.take(), (Told{"completed 2", "dpc"}));
  // Another reason to interrupt: nothing new is complete.
  m_kernel.interrupt([&] { return m_scheduler.interrupt(AEROGPU_IRQ_FENCE); });
  EXPECT_EQ(m_kernel.take(), Told{});
  m_device.complete();
  interrupt();
  EXPECT_EQ(m_kernel.take(), (Told{"completed 3", "dpc"}));
  EXPECT_EQ(m_counters.fenceInterrupts, 2u);
}

TEST_F(SchedulerTest, QueryCurrentFenceTellsWhatNoInterruptHasTold) {
  start();
  submitAll({1, 2});
  EXPECT_EQ(m_scheduler.currentFence(), 0u);
  EXPECT_EQ(m_kernel.take(), Told{});
  m_device.complete();
  EXPECT_EQ(m_scheduler.currentFence(), 1u);
  EXPECT_EQ(m_kernel.take(), (Told{"completed 1", "dpc"}));
  interrupt();
  EXPECT_EQ(m_scheduler.currentFence(), 1u);
  EXPECT_EQ(m_kernel.take(), Told{}) << "not twice";
}

TEST_F(SchedulerTest, AnIdleEngineIsPreemptedAtOnce) {
  start();
  submitAll({1});
  m_device.complete();
  interrupt();
  m_kernel.take();
  preempt(0x80000001);
  EXPECT_EQ(m_kernel.take(), (Told{"preempted 80000001 last 1", "dpc"}));
  m_kernel.interrupt([&] { return m_scheduler.interrupt(AEROGPU_IRQ_FENCE); });
  EXPECT_EQ(m_kernel.take(), Told{}) << "not twice";
}

TEST_F(SchedulerTest, ABusyEngineIsPreemptedWhenAllBeforeItIsDone) {
  start();
  submitAll({1, 2});
  preempt(0x80000001);
  EXPECT_EQ(m_kernel.take(), Told{});
  m_device.complete();
  interrupt();
  EXPECT_EQ(m_kernel.take(), (Told{"completed 1", "dpc"}));
  m_device.complete();
  interrupt();
  EXPECT_EQ(m_kernel.take(), (Told{"completed 2", "preempted 80000001 last 2", "dpc"}));
}

TEST_F(SchedulerTest, APreemptionTellsOfCompletionsThatItFindsFirst) {
  start();
  submitAll({1});
  m_device.complete();
  preempt(0x80000001);
  EXPECT_EQ(m_kernel.take(), (Told{"completed 1", "preempted 80000001 last 1", "dpc"}));
  interrupt();
  EXPECT_EQ(m_kernel.take(), Told{});
}

TEST_F(SchedulerTest, AFailedPacketIsNoFault) {
  start();
  submitAll({1, 2});
  m_device.fail(AEROGPU_ERROR_CMD_DECODE);
  interrupt();
  EXPECT_EQ(m_kernel.take(), (Told{"completed 1", "dpc"}));
  EXPECT_EQ(m_counters.errorInterrupts, 1u);
  EXPECT_EQ(m_counters.lastErrorFence, 0x100000001u);
}

// Page "DXGK_INTERRUPT_TYPE": DXGK_INTERRUPT_DMA_FAULTED is reserved. Whose submission did not run is kept in mind.
TEST_F(SchedulerTest, AnInternalErrorIsOneContextsAndNoFault) {
  start();
  submitAll({1, 2});
  Submit other;
  other.fence = 3;
  other.context = 6;
  ASSERT_EQ(submit(other), STATUS_SUCCESS);
  m_device.fail(AEROGPU_ERROR_CMD_DECODE);
  interrupt();
  EXPECT_FALSE(m_scheduler.failed({0, 5}));
  m_device.fail(AEROGPU_ERROR_INTERNAL);
  interrupt();
  EXPECT_EQ(m_kernel.take(), (Told{"completed 1", "dpc", "completed 2", "dpc"}));
  EXPECT_TRUE(m_scheduler.failed({0, 5}));
  EXPECT_FALSE(m_scheduler.failed({0, 6}));
  EXPECT_FALSE(m_scheduler.failed({0, kInternalContext}));
  m_scheduler.begins({0, 5});
  EXPECT_FALSE(m_scheduler.failed({0, 5})) << "somebody else's from here on";
  // The driver's own work is nobody's.
  m_device.complete();
  const aerogpu_cmd_hdr nop = {AEROGPU_CMD_NOP, sizeof nop};
  ASSERT_EQ(m_scheduler.submitInternal(&nop, sizeof nop, {0, 6}), STATUS_SUCCESS);
  m_device.fail(AEROGPU_ERROR_INTERNAL);
  interrupt();
  EXPECT_FALSE(m_scheduler.failed({0, 5}));
}

TEST_F(SchedulerTest, AnIdleEngineIsPreemptedAfterAResetToo) {
  start();
  submitAll({1, 2, 3});
  m_device.complete();
  interrupt();
  ASSERT_EQ(m_scheduler.resetFromTimeout(), STATUS_SUCCESS);
  ASSERT_EQ(m_scheduler.restartFromTimeout(), STATUS_SUCCESS);
  m_kernel.take();
  preempt(0x80000001);
  EXPECT_EQ(m_kernel.take(), (Told{"preempted 80000001 last 1", "dpc"})) << "the lost ones are not waited for";
}

TEST_F(SchedulerTest, AResetLosesWhatIsQueuedAndNeverTellsOfIt) {
  start();
  submitAll({1, 2, 3});
  m_device.complete();
  interrupt();
  preempt(0x80000001);
  m_kernel.take();
  EXPECT_EQ(m_scheduler.resetFromTimeout(), STATUS_SUCCESS);
  EXPECT_TRUE(m_device.queue.empty());
  EXPECT_EQ(m_counters.timeoutResets, 1u);
  EXPECT_EQ(m_scheduler.currentFence(), 1u) << "what was complete stays so, what was lost is not";
  // Between reset and restart nothing is taken.
  submitAll({4});
  EXPECT_TRUE(m_device.queue.empty());
  EXPECT_EQ(m_scheduler.restartFromTimeout(), STATUS_SUCCESS);
  EXPECT_EQ(m_scheduler.currentFence(), 1u);
  m_kernel.interrupt([&] { return m_scheduler.interrupt(AEROGPU_IRQ_FENCE); });
  EXPECT_EQ(m_kernel.take(), Told{}) << "neither the lost fences nor the lost preemption";
  submitAll({5});
  EXPECT_EQ(lastFence(), 0x100000005u) << "fences go on";
  m_device.complete();
  interrupt();
  EXPECT_EQ(m_kernel.take(), (Told{"completed 5", "dpc"}));
}

// Page "DxgkDdiResetFromTimeout": afterwards the GPU touches no memory, and any answer but success stops the system.
TEST_F(SchedulerTest, ADeviceThatDoesNotLetGoIsCutOffFromMemory) {
  start();
  submitAll({1});
  m_device.hangs = true;
  const uint64_t before = m_kernel.now();
  EXPECT_EQ(m_scheduler.resetFromTimeout(), STATUS_SUCCESS);
  EXPECT_LT(m_kernel.now() - before, 500000000u);
  EXPECT_EQ(m_kernel.pciCommand, 3u) << "no bus master";
  EXPECT_EQ(m_kernel.take(), Told{});
  m_device.hangs = false;
  EXPECT_EQ(m_scheduler.restartFromTimeout(), STATUS_SUCCESS);
  EXPECT_EQ(m_kernel.pciCommand, 7u);
  submitAll({2});
  EXPECT_EQ(m_device.queue.size(), 1u);
}

TEST_F(SchedulerTest, ADeviceThatKnowsOfNoRingCountsAsReset) {
  start();
  submitAll({1});
  m_device.resetMachine();
  const uint64_t before = m_kernel.now();
  EXPECT_EQ(m_scheduler.resetFromTimeout(), STATUS_SUCCESS);
  EXPECT_EQ(m_kernel.now(), before) << "nobody is waited for";
  EXPECT_EQ(m_device.value(AEROGPU_MMIO_REG_RING_CONTROL), 0u) << "no ring at address 0 is enabled";
  EXPECT_EQ(m_kernel.pciCommand, 7u);
}

TEST_F(SchedulerTest, AResetEndsWhenTheDeviceLetsGoLater) {
  start();
  submitAll({1});
  m_device.hangs = true;
  const uint64_t before = m_kernel.now();
  m_kernel.whenWaited = [&] {
    if (m_kernel.now() - before < 50000000) return;
    m_device.hangs = false;
    m_device.write(AEROGPU_MMIO_REG_RING_CONTROL, AEROGPU_RING_CONTROL_RESET | AEROGPU_RING_CONTROL_ENABLE);
  };
  EXPECT_EQ(m_scheduler.resetFromTimeout(), STATUS_SUCCESS);
  EXPECT_LT(m_kernel.now() - before, 52000000u);
  EXPECT_EQ(m_kernel.pciCommand, 7u);
}

TEST_F(SchedulerTest, ADeviceThatHasLeftTheBusCountsAsReset) {
  start();
  submitAll({1});
  m_device.gone = true;
  const uint64_t before = m_kernel.now();
  EXPECT_EQ(m_scheduler.resetFromTimeout(), STATUS_SUCCESS);
  EXPECT_EQ(m_kernel.now(), before) << "nobody is waited for";
}

TEST_F(SchedulerTest, PowerTakesTheRingAwayAndGivesItBack) {
  start();
  submitAll({1});
  m_device.complete();
  interrupt();
  m_kernel.take();
  m_scheduler.suspend();
  for (const uint32_t reg :
       {AEROGPU_MMIO_REG_RING_CONTROL, AEROGPU_MMIO_REG_RING_GPA_LO, AEROGPU_MMIO_REG_RING_GPA_HI,
        AEROGPU_MMIO_REG_RING_SIZE_BYTES, AEROGPU_MMIO_REG_FENCE_GPA_LO, AEROGPU_MMIO_REG_FENCE_GPA_HI})
    EXPECT_EQ(m_device.value(reg), 0u) << std::hex << reg;
  EXPECT_FALSE(m_scheduler.deviceForgot());
  m_scheduler.resume(false);
  EXPECT_EQ(m_device.value(AEROGPU_MMIO_REG_RING_CONTROL), AEROGPU_RING_CONTROL_ENABLE);
  EXPECT_EQ(m_scheduler.currentFence(), 1u);
  EXPECT_EQ(m_kernel.take(), Told{});
  submitAll({2});
  EXPECT_EQ(lastFence(), 0x100000002u);
  m_device.complete();
  interrupt();
  EXPECT_EQ(m_kernel.take(), (Told{"completed 2", "dpc"}));
}

TEST_F(SchedulerTest, ADeviceThatWasResetInASleepIsNoticed) {
  start();
  submitAll({1, 2});
  m_device.complete(2);
  interrupt();
  m_kernel.take();
  m_scheduler.suspend();
  m_device.resetMachine();
  EXPECT_TRUE(m_scheduler.deviceForgot());
  m_scheduler.resume(true);
  EXPECT_EQ(m_device.fencePage()->completed_fence, 0u);
  EXPECT_EQ(m_scheduler.currentFence(), 2u) << "what was complete stays so, whatever the device remembers";
  preempt(0x80000001);
  EXPECT_EQ(m_kernel.take(), (Told{"preempted 80000001 last 2", "dpc"})) << "nothing is waited for";
  submitAll({3});
  EXPECT_EQ(lastFence(), 0x100000003u) << "the driver's fences go on";
  m_device.complete();
  interrupt();
  EXPECT_EQ(m_kernel.take(), (Told{"completed 3", "dpc"}));
}

TEST_F(SchedulerTest, AStopTakesTheDeviceOffTheMemory) {
  start();
  submitAll({1});
  m_scheduler.stop();
  EXPECT_EQ(m_kernel.allocations(), 0u);
  EXPECT_EQ(m_device.value(AEROGPU_MMIO_REG_RING_CONTROL), 0u);
  EXPECT_EQ(m_device.value(AEROGPU_MMIO_REG_RING_GPA_LO) | m_device.value(AEROGPU_MMIO_REG_RING_GPA_HI), 0u);
  EXPECT_EQ(m_device.value(AEROGPU_MMIO_REG_FENCE_GPA_LO) | m_device.value(AEROGPU_MMIO_REG_FENCE_GPA_HI), 0u);
  m_device.takeWrites();
  m_scheduler.stop();
  EXPECT_EQ(m_device.takeWrites(), std::vector<RegisterWrite>{}) << "a second stop does nothing";
  // A new start, as after a restart of the device in the device manager.
  start();
  submitAll({1});
  EXPECT_EQ(m_device.queue.size(), 1u);
}

TEST_F(SchedulerTest, TheDriversOwnWorkAfterAResetDoesNotTellOfWhatWasLost) {
  start();
  submitAll({1, 2});
  EXPECT_EQ(m_scheduler.resetFromTimeout(), STATUS_SUCCESS);
  EXPECT_EQ(m_scheduler.restartFromTimeout(), STATUS_SUCCESS);
  const aerogpu_cmd_hdr nop = {AEROGPU_CMD_NOP, sizeof nop};
  ASSERT_EQ(m_scheduler.submitInternal(&nop, sizeof nop), STATUS_SUCCESS);
  m_device.complete();
  m_kernel.interrupt([&] { return m_scheduler.interrupt(AEROGPU_IRQ_FENCE); });
  EXPECT_EQ(m_kernel.take(), Told{});
}

class InternalSubmissions : public SchedulerTest {
protected:
  const aerogpu_cmd_hdr m_nop = {AEROGPU_CMD_NOP, sizeof m_nop};
  NTSTATUS submitNop() { return m_scheduler.submitInternal(&m_nop, sizeof m_nop); }
  /** Takes all buffers. */
  void fill() {
    for (uint32_t i = 0; i < Scheduler::kInternalSlots; i++) ASSERT_EQ(submitNop(), STATUS_SUCCESS);
  }
  /** A packet that can be told from others. */
  bool end(uint32_t handle, uint32_t context = kInternalContext) {
    const aerogpu_cmd_destroy_resource packet = {{AEROGPU_CMD_DESTROY_RESOURCE, sizeof packet}, handle, 0};
    return m_scheduler.submitEnd(&packet, sizeof packet, {0, context});
  }
  /** The handles that submissions of the device's queue from `first` on end, in order. */
  std::vector<uint32_t> ends(size_t first) const {
    std::vector<uint32_t> handles;
    for (size_t i = first; i < m_device.queue.size(); i++) {
      const aerogpu_submit_desc &desc = m_device.queue[i];
      const auto *at = static_cast<const uint8_t *>(m_kernel.memoryAt(desc.cmd_gpa, desc.cmd_size_bytes));
      for (size_t offset = sizeof(aerogpu_cmd_stream_header);
           offset + sizeof(aerogpu_cmd_destroy_resource) <= desc.cmd_size_bytes;
           offset += sizeof(aerogpu_cmd_destroy_resource)) {
        aerogpu_cmd_destroy_resource packet;
        memcpy(&packet, at + offset, sizeof packet);
        if (packet.hdr.opcode == AEROGPU_CMD_DESTROY_RESOURCE) handles.push_back(packet.resource_handle);
      }
    }
    return handles;
  }
};

TEST_F(InternalSubmissions, RunInOrderWithoutAnInterruptAndSayNothingNew) {
  start();
  submitAll({1});
  EXPECT_EQ(m_scheduler.submitInternal(&m_nop, sizeof m_nop, {0, 0x1FF}), STATUS_SUCCESS);
  ASSERT_EQ(m_device.queue.size(), 2u);
  const aerogpu_submit_desc &desc = m_device.queue[1];
  EXPECT_EQ(desc.flags, uint32_t{AEROGPU_SUBMIT_FLAG_NO_IRQ});
  EXPECT_EQ(desc.context_id, 0x1FFu);
  EXPECT_EQ(desc.signal_fence, 0x100000000u) << "from before the first submission of the OS";
  EXPECT_EQ(desc.alloc_table_size_bytes, 0u);
  struct Stream {
    aerogpu_cmd_stream_header header;
    aerogpu_cmd_hdr packet;
  };
  ASSERT_EQ(desc.cmd_size_bytes, sizeof(Stream));
  const auto *stream = static_cast<const Stream *>(m_kernel.memoryAt(desc.cmd_gpa, sizeof(Stream)));
  ASSERT_TRUE(stream);
  EXPECT_EQ(stream->header.magic, AEROGPU_CMD_STREAM_MAGIC);
  EXPECT_EQ(stream->header.size_bytes, sizeof(Stream));
  EXPECT_EQ(stream->packet.opcode, AEROGPU_CMD_NOP);
  EXPECT_EQ(stream->packet.size_bytes, sizeof m_nop);
  EXPECT_EQ(m_counters.internalSubmissions, 1u);
  m_device.complete(2);
  interrupt();
  EXPECT_EQ(m_kernel.take(), (Told{"completed 1", "dpc"}));
}

TEST_F(InternalSubmissions, KeepTheirMemoryUntilTheyHaveRun) {
  start();
  std::vector<uint64_t> places;
  for (uint32_t i = 0; i < Scheduler::kInternalSlots; i++) {
    ASSERT_EQ(submitNop(), STATUS_SUCCESS);
    for (const uint64_t place : places) EXPECT_NE(newest().cmd_gpa, place);
    places.push_back(newest().cmd_gpa);
  }
  // The next one waits for the first to leave the ring.
  const uint64_t before = m_kernel.now();
  m_kernel.whenWaited = [&] {
    if (m_kernel.now() - before >= 5000000 && m_device.queue.size() == Scheduler::kInternalSlots) m_device.complete();
  };
  EXPECT_EQ(submitNop(), STATUS_SUCCESS);
  EXPECT_GE(m_kernel.now() - before, 5000000u);
  EXPECT_EQ(newest().cmd_gpa, places[0]);
}

TEST_F(InternalSubmissions, AreGivenUpWithoutRoomAndThenAtOnce) {
  start();
  fill();
  uint64_t before = m_kernel.now();
  EXPECT_EQ(submitNop(), STATUS_IO_TIMEOUT);
  EXPECT_GE(m_kernel.now() - before, 200000000u);
  EXPECT_LT(m_kernel.now() - before, 210000000u);
  EXPECT_EQ(m_device.queue.size(), size_t{Scheduler::kInternalSlots});
  // Nothing has moved since.
  before = m_kernel.now();
  EXPECT_EQ(submitNop(), STATUS_IO_TIMEOUT);
  EXPECT_LT(m_kernel.now() - before, 2000000u);
  m_device.complete();
  EXPECT_EQ(submitNop(), STATUS_SUCCESS);
}

TEST_F(InternalSubmissions, ThatEndSomethingAreKeptAndGoFirst) {
  start();
  fill();
  const uint64_t before = m_kernel.now();
  for (uint32_t handle = 1; handle <= 5; handle++) EXPECT_TRUE(end(handle));
  EXPECT_TRUE(end(6, 0x1FF));
  EXPECT_TRUE(end(7));
  EXPECT_EQ(m_kernel.now(), before) << "nothing is waited for";
  EXPECT_TRUE(m_scheduler.owes());
  EXPECT_EQ(m_device.queue.size(), size_t{Scheduler::kInternalSlots});
  // Three submissions: of those in a row that are one context's one.
  m_device.complete(4);
  EXPECT_EQ(submitNop(), STATUS_SUCCESS);
  EXPECT_FALSE(m_scheduler.owes());
  ASSERT_EQ(m_device.queue.size(), Scheduler::kInternalSlots - 4 + 4u);
  EXPECT_EQ(ends(Scheduler::kInternalSlots - 4), (std::vector<uint32_t>{1, 2, 3, 4, 5, 6, 7}));
  EXPECT_EQ(m_device.queue[Scheduler::kInternalSlots - 3].context_id, 0x1FFu);
}

TEST_F(InternalSubmissions, ComeAgainAfterAReset) {
  start();
  EXPECT_TRUE(end(1));
  m_device.complete();
  for (uint32_t handle = 2; handle <= 40; handle++) EXPECT_TRUE(end(handle));
  submitAll({1});
  ASSERT_EQ(m_scheduler.resetFromTimeout(), STATUS_SUCCESS);
  EXPECT_TRUE(m_device.queue.empty());
  EXPECT_TRUE(end(41)) << "while the system cleans up";
  EXPECT_TRUE(m_device.queue.empty());
  ASSERT_EQ(m_scheduler.restartFromTimeout(), STATUS_SUCCESS);
  // What was in the ring may have run (RING-7, RING-10), what was kept has not.
  for (size_t i = 0; i < m_device.queue.size(); i++)
    EXPECT_EQ(m_device.queue[i].flags & AEROGPU_SUBMIT_FLAG_EXT_AGAIN,
              i < Scheduler::kInternalSlots ? AEROGPU_SUBMIT_FLAG_EXT_AGAIN : 0u)
        << i;
  // Each once, in their order; what was the OS' own does not come again.
  m_device.complete(m_device.queue.size() / 2);
  m_scheduler.sendOwed();
  std::vector<uint32_t> expected;
  for (uint32_t handle = 2; handle <= 41; handle++) expected.push_back(handle);
  std::vector<uint32_t> left = ends(0);
  ASSERT_FALSE(left.empty());
  EXPECT_EQ(left, std::vector<uint32_t>(expected.end() - static_cast<std::ptrdiff_t>(left.size()), expected.end()));
  EXPECT_EQ(left.back(), 41u);
  EXPECT_FALSE(m_scheduler.owes());
}

TEST_F(InternalSubmissions, AreMarkedWhenTheyComeAgainAndNotBefore) {
  start();
  EXPECT_TRUE(end(1));
  ASSERT_EQ(m_scheduler.resetFromTimeout(), STATUS_SUCCESS);
  ASSERT_EQ(m_scheduler.restartFromTimeout(), STATUS_SUCCESS);
  ASSERT_EQ(m_device.queue.size(), 1u);
  EXPECT_EQ(m_device.queue[0].flags, AEROGPU_SUBMIT_FLAG_NO_IRQ | AEROGPU_SUBMIT_FLAG_EXT_AGAIN);
  m_device.complete();
  EXPECT_TRUE(end(2));
  ASSERT_EQ(m_device.queue.size(), 1u);
  EXPECT_EQ(m_device.queue[0].flags, uint32_t{AEROGPU_SUBMIT_FLAG_NO_IRQ}) << "the same buffer, for the first time";
}

TEST_F(InternalSubmissions, AreOfNoUseToADeviceThatHasForgotten) {
  start();
  submitAll({1});
  m_device.complete();
  EXPECT_TRUE(end(1));
  m_scheduler.suspend();
  EXPECT_TRUE(end(2));
  m_device.resetMachine();
  m_scheduler.resume(true);
  EXPECT_TRUE(m_device.queue.empty());
  EXPECT_FALSE(m_scheduler.owes());
}

TEST_F(InternalSubmissions, AreWaitedForByTheClockWhateverADelayLasts) {
  start();
  m_kernel.clockTick = 15625000;  // Windows' as a rule: 64 a second
  fill();
  uint64_t before = m_kernel.now();
  EXPECT_EQ(submitNop(), STATUS_IO_TIMEOUT);
  EXPECT_GE(m_kernel.now() - before, 200000000u - m_kernel.clockTick);
  EXPECT_LE(m_kernel.now() - before, 200000000u + 2 * m_kernel.clockTick);
  before = m_kernel.now();
  EXPECT_EQ(m_scheduler.waitIdle(100), STATUS_IO_TIMEOUT);
  EXPECT_GE(m_kernel.now() - before, 100000000u - m_kernel.clockTick);
  EXPECT_LE(m_kernel.now() - before, 100000000u + 2 * m_kernel.clockTick);
}

TEST_F(InternalSubmissions, LetOthersInWhileTheyWait) {
  start();
  fill();
  bool tried = false;
  m_kernel.whenWaited = [&] {
    if (tried) return;
    tried = true;
    m_device.complete();
    EXPECT_EQ(submitNop(), STATUS_SUCCESS) << "another thread's, between two looks";
    m_device.complete();
  };
  EXPECT_EQ(submitNop(), STATUS_SUCCESS);
  EXPECT_TRUE(tried);
}

TEST_F(InternalSubmissions, ThatAreTooLargeOrComeTooLateAreRefused) {
  start();
  const std::vector<uint8_t> packets(Scheduler::kInternalBytes);
  constexpr uint32_t largest = Scheduler::kInternalBytes - sizeof(aerogpu_cmd_stream_header);
  EXPECT_EQ(m_scheduler.submitInternal(packets.data(), largest), STATUS_SUCCESS);
  EXPECT_EQ(m_scheduler.submitInternal(packets.data(), largest + 1), STATUS_BUFFER_OVERFLOW);
  m_scheduler.suspend();
  EXPECT_EQ(submitNop(), STATUS_DEVICE_NOT_READY);
  EXPECT_EQ(m_device.queue.size(), 0u);
}

TEST_F(InternalSubmissions, AreWaitedForWithinTheTimeThatIsGiven) {
  start();
  EXPECT_EQ(m_scheduler.waitIdle(100), STATUS_SUCCESS) << "nothing is queued";
  ASSERT_EQ(submitNop(), STATUS_SUCCESS);
  uint64_t before = m_kernel.now();
  EXPECT_EQ(m_scheduler.waitIdle(100), STATUS_IO_TIMEOUT);
  EXPECT_GE(m_kernel.now() - before, 100000000u);
  EXPECT_LT(m_kernel.now() - before, 110000000u);
  before = m_kernel.now();
  m_kernel.whenWaited = [&] {
    if (m_kernel.now() - before >= 7000000 && !m_device.queue.empty()) m_device.complete();
  };
  EXPECT_EQ(m_scheduler.waitIdle(100), STATUS_SUCCESS);
  EXPECT_LT(m_kernel.now() - before, 10000000u);
}

}  // namespace
}  // namespace aero::test
