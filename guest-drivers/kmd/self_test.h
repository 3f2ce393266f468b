// SPDX-License-Identifier: MIT
// self_test.h: implements SELFTEST of the escapes (docs/abi/driver-data.md, "Escapes"): checks whether ring, interrupt,
// vblank and pointer work. Nothing of it is visible, and the OS is told nothing.
#pragma once

#include <stdint.h>

#include "guest-drivers/kmd/os/nt.h"

namespace aero {

class CursorPlane;
class Deadline;
class Display;
class Registers;
class InternalQueue;

class SelfTest {
public:
  /** The longest time that a run waits, in ms, and the default: a DDI may not hold up others for longer. */
  static constexpr uint32_t kMaxMs = 500;

  /** All outlive it. */
  SelfTest(const Registers &registers, InternalQueue &internal, Display &display, CursorPlane &cursor)
      : m_registers(registers), m_internal(internal), m_display(display), m_cursor(cursor) {}

  /** Runs the test, and sets `error` to the AEROGPU_DBGCTL_SELFTEST_* of the first fault found. `milliseconds` 0, or
   * over kMaxMs, means kMaxMs. STATUS_DEVICE_BUSY: another test is running. PASSIVE_LEVEL, the adapter is started. */
  NTSTATUS run(uint32_t milliseconds, bool powered, uint32_t &error);

private:
  uint32_t find(const Deadline &deadline);
  uint32_t testInterruptRegisters() const;
  uint32_t testRing(const Deadline &deadline);
  uint32_t testCursor();
  uint32_t testVblank(const Deadline &deadline);

  const Registers &m_registers;
  InternalQueue &m_internal;
  Display &m_display;
  CursorPlane &m_cursor;
  volatile LONG m_busy = 0;
};

}  // namespace aero
