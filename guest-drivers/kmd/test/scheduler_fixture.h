// SPDX-License-Identifier: MIT
// Test support: the scheduler and its ring on a fake device and a fake kernel. docs/abi/ring.md says what the device is
// told; Microsoft's pages "DxgkDdiSubmitCommand", "DxgkDdiPreemptCommand", "DxgkDdiResetFromTimeout",
// "DxgkDdiQueryCurrentFence" and "DXGKARGCB_NOTIFY_INTERRUPT_DATA" say what dxgkrnl is told, and when. An interrupt or
// a callback ends in a DPC exactly if something was reported: fake_kernel.cpp checks that.
#pragma once

#include <gtest/gtest.h>

#include <vector>

#include "guest-drivers/kmd/os/counters.h"
#include "guest-drivers/kmd/submit/scheduler.h"
#include "guest-drivers/kmd/test/fake_device.h"

namespace aero::test {

using Told = std::vector<std::string>;

constexpr ULONG kQueue = 100;
constexpr uint64_t kDmaGpa = 0x240000000;

class SchedulerTest : public testing::Test {
protected:
  SchedulerTest() { m_registers.map(m_device.bar0()); }
  ~SchedulerTest() override { m_scheduler.stop(); }

  void start(bool holds = false) {
    ASSERT_EQ(m_scheduler.start(kQueue, false, holds), STATUS_SUCCESS);
    m_device.takeWrites();
  }

  /** One submission as DxgkDdiSubmitCommand receives it, at DISPATCH_LEVEL. */
  struct Submit {
    uint32_t fence = 1;
    uint32_t context = 5;
    uint32_t space = 0;
    uint32_t entries = 0;       // entries of the allocation table
    uint32_t packetBytes = 32;  // 0: an empty DMA buffer
    uint32_t type = AEROGPU_SUBMIT_RENDER;
    uint32_t flags = 0;  // enum DmaFlags
    uint32_t startOffset = 0;
    bool nullRendering = false;
    uint32_t privateBytes = sizeof(AEROGPU_DMA_PRIV);
  };
  NTSTATUS submit(const Submit &what) {
    // The private data of an earlier submission lies before this one's.
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
    m_kernel.atDispatch([&] { status = m_scheduler.submit(args, {what.space, what.context}); });
    return status;
  }
  /** Submits with these fences, in order. */
  void submitAll(std::initializer_list<uint32_t> fences) {
    for (const uint32_t fence : fences) {
      Submit what;
      what.fence = fence;
      ASSERT_EQ(submit(what), STATUS_SUCCESS);
    }
  }

  /** Does what AeroAdapter::interrupt() does with completions. */
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
  /** Returns the newest submission that the device has. */
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
  InternalQueue &m_internal = m_scheduler.internal();
};

}  // namespace aero::test
