// SPDX-License-Identifier: MIT
// Tests submissions, completions and preemptions.
#include "aerogpu/aerogpu_cmd_extension.h"
#include "aerogpu/aerogpu_ring_extension.h"
#include "guest-drivers/kmd/test/scheduler_fixture.h"

namespace aero::test {
namespace {

TEST_F(SchedulerTest, AStartTellsTheDeviceOfARingThatItCanUse) {
  ASSERT_EQ(m_scheduler.start(kQueue), STATUS_SUCCESS);
  // The page's order: the addresses first, RING_CONTROL last.
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
  ASSERT_EQ(m_internal.submit(&packet, sizeof packet), STATUS_SUCCESS);
  EXPECT_EQ(newest().desc_size_bytes, 80u);
  EXPECT_EQ(m_device.newestSpace.space, 0u);
  EXPECT_EQ(m_device.newestSpace.flags, 1u);
  EXPECT_EQ(m_device.newestSpace.reserved0, 0u);
  m_device.complete(m_device.queue.size());
  // After a sleep in which the device was reset the driver has to tell it again.
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
class PagingBuffers : public SchedulerTest, public testing::WithParamInterface<bool> {};

// With feature bit 56 each operation stops the ring if it fails (MEM-10).
TEST_P(PagingBuffers, EachOperationIsRun) {
  const bool holds = GetParam();
  start(holds);
  submitAll({1});
  constexpr uint32_t kBytes[] = {160, 320, 64};
  constexpr uint32_t kEntries[] = {2, 1, 0}, kStart = 4096;
  // One operation that was submitted before, three new ones, and room that no one wrote.
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
  // The private data ends with the operations, or where the OS has room for more.
  for (const UINT privateEnd : {UINT{4 * sizeof priv[0]}, UINT{sizeof priv}}) {
    m_device.queue.clear();
    args.DmaBufferPrivateDataSubmissionEndOffset = privateEnd;
    m_kernel.atDispatch([&] { EXPECT_EQ(m_scheduler.submit(args, {0, 7}), STATUS_SUCCESS); });
    ASSERT_EQ(m_device.queue.size(), 3u);
    uint64_t gpa = kDmaGpa + kStart;
    for (int i = 0; i < 3; i++) {
      const aerogpu_submit_desc &desc = m_device.queue[i];
      const DmaLayout layout = DmaLayout::forEntries(kEntries[i]);
      EXPECT_EQ(desc.cmd_gpa, gpa + layout.commandOffset) << i;
      EXPECT_EQ(desc.cmd_size_bytes, kBytes[i] - layout.commandOffset) << i;
      EXPECT_EQ(desc.alloc_table_size_bytes, layout.tableBytes()) << i;
      EXPECT_EQ(desc.context_id, kInternalContext) << "whichever the OS names";
      EXPECT_EQ(desc.flags, (i < 2 ? uint32_t{AEROGPU_SUBMIT_FLAG_NO_IRQ} : 0u) |
                                (holds ? uint32_t{AEROGPU_SUBMIT_FLAG_EXT_HOLD} : 0u))
          << i;
      EXPECT_EQ(desc.signal_fence & 0xFFFFFFFF, i < 2 ? 0 : args.SubmissionFenceId) << i << ": one that says nothing";
      gpa += kBytes[i];
    }
    args.SubmissionFenceId++;
  }
}

INSTANTIATE_TEST_SUITE_P(SchedulerTest, PagingBuffers, testing::Bool());

// Programs' rendering, and the driver's own submissions, may fail: others continue.
TEST_F(SchedulerTest, OnlyPagingStopsTheRing) {
  start(true);
  submitAll({1});
  EXPECT_EQ(newest().flags, AEROGPU_SUBMIT_FLAG_NONE);
  const uint64_t packet = 0;
  ASSERT_EQ(m_internal.submit(&packet, sizeof packet), STATUS_SUCCESS);
  EXPECT_EQ(newest().flags, AEROGPU_SUBMIT_FLAG_NO_IRQ);
}

// Until the reset neither the completion of failed paging nor a preemption is reported, whatever the OS asks.
TEST_F(SchedulerTest, PagingThatFailsIsNeitherDoneNorPreempted) {
  start(true);
  submitAll({1, 2});
  m_device.complete();
  m_kernel.take();
  m_device.setValue(AEROGPU_MMIO_REG_ERROR_CODE, AEROGPU_ERROR_OOB);
  m_device.setValue(AEROGPU_MMIO_REG_IRQ_STATUS, AEROGPU_IRQ_ERROR);
  interrupt();
  preempt(9);
  for (const std::string &told : m_kernel.take()) EXPECT_TRUE(told == "completed 1" || told == "dpc") << told;
  EXPECT_EQ(m_scheduler.currentFence(), 1u);
  ASSERT_EQ(m_scheduler.resetFromTimeout(), STATUS_SUCCESS);
  ASSERT_EQ(m_scheduler.restartFromTimeout(), STATUS_SUCCESS);
  submitAll({3});
  m_device.complete();
  m_kernel.take();
  interrupt();
  EXPECT_EQ(m_scheduler.currentFence(), 3u);
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
  // There is room again, but a later fence must not report the lost one as done.
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
  // An interrupt for another reason: nothing new is complete.
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

// Page "DXGK_INTERRUPT_TYPE": DXGK_INTERRUPT_DMA_FAULTED is reserved. The driver remembers whose submission did not
// run.
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
  m_scheduler.begins({0, 5}, 0);
  EXPECT_FALSE(m_scheduler.failed({0, 5})) << "somebody else's from here on";
  // The driver's own work belongs to no context.
  m_device.complete();
  const aerogpu_cmd_hdr nop = {AEROGPU_CMD_NOP, sizeof nop};
  ASSERT_EQ(m_internal.submit(&nop, sizeof nop, {0, 6}), STATUS_SUCCESS);
  m_device.fail(AEROGPU_ERROR_INTERNAL);
  interrupt();
  EXPECT_FALSE(m_scheduler.failed({0, 5}));
}

/** With error records exactly the owners of failed submissions are marked as failed, however many failed before the
 * interrupt was taken. */
// REC-1, REC-2
TEST_F(SchedulerTest, ErrorsOfSeveralSpacesInOneInterrupt) {
  constexpr uint32_t kOne = 0x5001, kTwo = 0x7002, kThree = 0x9003, kFour = 0x9004;
  ASSERT_EQ(m_scheduler.start(kQueue, true), STATUS_SUCCESS);
  m_scheduler.startErrors(true);
  uint32_t fence = 0;
  for (const uint32_t space : {kOne, kThree, kTwo, kFour, kThree}) {
    Submit what;
    what.fence = ++fence;
    what.space = space;
    ASSERT_EQ(submit(what), STATUS_SUCCESS);
  }
  m_device.fail(AEROGPU_ERROR_INTERNAL);
  m_device.fail(AEROGPU_ERROR_CMD_DECODE);
  m_device.fail(AEROGPU_ERROR_INTERNAL);
  m_device.complete();
  m_device.fail(AEROGPU_ERROR_BACKEND);
  interrupt();
  EXPECT_TRUE(m_scheduler.failed({kOne, 5}));
  EXPECT_TRUE(m_scheduler.failed({kOne, 6})) << "all contexts of it";
  EXPECT_TRUE(m_scheduler.failed({kTwo, 5}));
  EXPECT_FALSE(m_scheduler.failed({kThree, 5})) << "its packets failed, and the rest ran";
  EXPECT_FALSE(m_scheduler.failed({kFour, 5}));
  EXPECT_EQ(m_scheduler.failureCount(), 2);
  EXPECT_EQ(m_counters.errorInterrupts, 1u);
  EXPECT_EQ(m_counters.lastErrorFence, 0x100000005u);
}

/** An error from before a start belongs to no current context. A sleep that resets the device ends its records. */
// REC-1
TEST_F(SchedulerTest, ErrorRecordsBeginWithAStart) {
  ASSERT_EQ(m_scheduler.start(kQueue, true), STATUS_SUCCESS);
  m_scheduler.startErrors(true);
  Submit what;
  what.space = 0x5001;
  ASSERT_EQ(submit(what), STATUS_SUCCESS);
  m_device.fail(AEROGPU_ERROR_INTERNAL);
  m_scheduler.stop();
  m_device.setValue(AEROGPU_MMIO_REG_IRQ_STATUS, 0);
  ASSERT_EQ(m_scheduler.start(kQueue, true), STATUS_SUCCESS);
  m_scheduler.startErrors(true);
  for (const bool slept : {false, true}) {
    if (slept) {
      m_scheduler.suspend();
      m_device.resetMachine();
      m_scheduler.startErrors(true);
      m_scheduler.resume(true);
    }
    what.fence++;
    what.space++;
    ASSERT_EQ(submit(what), STATUS_SUCCESS);
    m_device.fail(AEROGPU_ERROR_INTERNAL);
    interrupt();
    EXPECT_FALSE(m_scheduler.failed({0x5001, 5}));
    EXPECT_TRUE(m_scheduler.failed({what.space, 5})) << slept;
  }
}

/** If a record of INTERNAL found no room, every context counts as failed. */
// REC-4
TEST_F(SchedulerTest, AnErrorWithoutARecordIsEverybodys) {
  ASSERT_EQ(m_scheduler.start(kQueue, true), STATUS_SUCCESS);
  m_scheduler.startErrors(true);
  for (const uint32_t code : {AEROGPU_ERROR_BACKEND, AEROGPU_ERROR_INTERNAL}) {
    Submit what;
    what.fence = code;
    what.space = 0x5001;
    ASSERT_EQ(submit(what), STATUS_SUCCESS);
    m_device.fail(code, true);
    interrupt();
    for (const uint32_t space : {0x5001u, 0x7002u})
      EXPECT_EQ(m_scheduler.failed({space, 5}), code == AEROGPU_ERROR_INTERNAL);
  }
  m_scheduler.begins({0x7002, 0}, 0);
  EXPECT_FALSE(m_scheduler.failed({0x7002, 5})) << "somebody else's from here on";
}

/** A device that has left the bus reads as all ones. */
TEST_F(SchedulerTest, ADeviceThatIsGoneHasNoErrorRecords) {
  ASSERT_EQ(m_scheduler.start(kQueue, true), STATUS_SUCCESS);
  m_scheduler.startErrors(true);
  m_device.gone = true;
  m_kernel.interrupt([&] { return m_scheduler.interrupt(AEROGPU_IRQ_ERROR); });
  EXPECT_EQ(m_scheduler.failureCount(), 0);
  m_device.gone = false;
}

}  // namespace
}  // namespace aero::test
