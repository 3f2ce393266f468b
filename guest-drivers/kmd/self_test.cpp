// SPDX-License-Identifier: MIT
#include "guest-drivers/kmd/self_test.h"

#include "aerogpu/aerogpu_escape.h"
#include "guest-drivers/kmd/display/cursor_plane.h"
#include "guest-drivers/kmd/display/display.h"
#include "guest-drivers/kmd/os/waiting.h"
#include "guest-drivers/kmd/submit/internal_queue.h"

namespace aero {
namespace {

constexpr uint32_t kPollMs = 1;
/** This many ticks without an interrupt mean that there is none; fewer may be a slow machine. */
constexpr uint32_t kTicks = 3;
/** Windows' clock advances in steps of up to 15.6 ms. */
constexpr uint64_t kClockStepNs = 15625000;
constexpr uint32_t kInterrupts = AEROGPU_IRQ_FENCE | AEROGPU_IRQ_SCANOUT_VBLANK | AEROGPU_IRQ_ERROR;

uint64_t nowNs() {
  return KeQueryInterruptTime() * 100;
}

}  // namespace

NTSTATUS SelfTest::run(uint32_t milliseconds, bool powered, uint32_t &error) {
  if (InterlockedExchange(&m_busy, 1)) return STATUS_DEVICE_BUSY;
  const Deadline deadline(milliseconds && milliseconds < kMaxMs ? milliseconds : kMaxMs);
  error = AEROGPU_DBGCTL_SELFTEST_ERR_INVALID_STATE;
  if (powered) error = find(deadline);
  InterlockedExchange(&m_busy, 0);
  return STATUS_SUCCESS;
}

uint32_t SelfTest::find(const Deadline &deadline) {
  if (const uint32_t error = testInterruptRegisters()) return error;
  if (const uint32_t error = testRing(deadline)) return error;
  if (const uint32_t error = testCursor()) return error;
  return testVblank(deadline);
}

/** Checks that the mask is the driver's, and that no undefined bit is pending. */
uint32_t SelfTest::testInterruptRegisters() const {
  if (m_registers.read(AEROGPU_MMIO_REG_IRQ_STATUS) & ~kInterrupts)
    return AEROGPU_DBGCTL_SELFTEST_ERR_VBLANK_IRQ_REGS_OUT_OF_RANGE;
  // The OS may change the mask between the two reads, so this tries again.
  for (int i = 0; i < 3; i++)
    if (m_registers.read(AEROGPU_MMIO_REG_IRQ_ENABLE) == m_display.interruptMask()) return AEROGPU_DBGCTL_SELFTEST_OK;
  return AEROGPU_DBGCTL_SELFTEST_ERR_VBLANK_IRQ_REGS_OUT_OF_RANGE;
}

/** Sends a NOP through the ring, after the work that is in it. */
uint32_t SelfTest::testRing(const Deadline &deadline) {
  const aerogpu_cmd_hdr nop = {AEROGPU_CMD_NOP, sizeof nop};
  const uint32_t before = m_internal.ring().tail();
  NTSTATUS status = m_internal.submit(&nop, sizeof nop, {}, deadline.leftMs());
  if (status == STATUS_IO_TIMEOUT) return AEROGPU_DBGCTL_SELFTEST_ERR_NO_RESOURCES;
  if (!NT_SUCCESS(status)) return AEROGPU_DBGCTL_SELFTEST_ERR_RING_NOT_READY;
  status = m_internal.waitIdle(deadline.leftMs());
  if (NT_SUCCESS(status)) return AEROGPU_DBGCTL_SELFTEST_OK;
  if (status != STATUS_IO_TIMEOUT) return AEROGPU_DBGCTL_SELFTEST_ERR_RING_NOT_READY;
  const bool onlyTheNop = static_cast<int32_t>(m_internal.ring().head() - before) >= 0;
  return onlyTheNop ? AEROGPU_DBGCTL_SELFTEST_ERR_TIMEOUT : AEROGPU_DBGCTL_SELFTEST_ERR_GPU_BUSY;
}

uint32_t SelfTest::testCursor() {
  switch (m_cursor.check()) {
  case CursorPlane::Check::OutOfRange:
    return AEROGPU_DBGCTL_SELFTEST_ERR_CURSOR_REGS_OUT_OF_RANGE;
  case CursorPlane::Check::Mismatch:
    return AEROGPU_DBGCTL_SELFTEST_ERR_CURSOR_RW_MISMATCH;
  default:
    return AEROGPU_DBGCTL_SELFTEST_OK;
  }
}

/** Checks that ticks are counted, that each raises its interrupt (VBL-4), that the interrupt arrives, and that it is
 * gone when acknowledged. */
uint32_t SelfTest::testVblank(const Deadline &deadline) {
  const uint32_t period = m_registers.read(AEROGPU_MMIO_REG_SCANOUT0_VBLANK_PERIOD_NS);
  if (!Display::isPeriod(period)) return AEROGPU_DBGCTL_SELFTEST_ERR_VBLANK_REGS_OUT_OF_RANGE;
  m_display.beginProbe();
  uint32_t error = AEROGPU_DBGCTL_SELFTEST_OK;
  const uint64_t first = m_display.vblankSequence(), began = nowNs();
  // While the scanout is off there is no vblank (VBL-1); switching it off meanwhile is no error.
  while (m_display.scanout().enabled) {
    const Display::Probe probe = m_display.probed();
    const uint64_t ticks = m_display.vblankSequence() - first;
    // A tick may come between the acknowledgement and the check of it, but not twice in a row.
    if (probe.uncleared >= 2) {
      error = AEROGPU_DBGCTL_SELFTEST_ERR_VBLANK_IRQ_NOT_CLEARED;
      break;
    }
    if (ticks && probe.delivered > probe.uncleared) break;
    if (!ticks && nowNs() - began > uint64_t{period} * kTicks + 2 * kClockStepNs) {
      error = AEROGPU_DBGCTL_SELFTEST_ERR_VBLANK_SEQ_STUCK;
      break;
    }
    if (deadline.passed()) {
      if (ticks < kTicks || probe.delivered)
        error = AEROGPU_DBGCTL_SELFTEST_ERR_TIME_BUDGET_EXHAUSTED;
      else if (m_registers.read(AEROGPU_MMIO_REG_IRQ_STATUS) & AEROGPU_IRQ_SCANOUT_VBLANK)
        error = AEROGPU_DBGCTL_SELFTEST_ERR_VBLANK_IRQ_NOT_DELIVERED;
      else
        error = AEROGPU_DBGCTL_SELFTEST_ERR_VBLANK_IRQ_NOT_LATCHED;
      break;
    }
    sleepMs(kPollMs);
  }
  m_display.endProbe();
  return error;
}

}  // namespace aero
