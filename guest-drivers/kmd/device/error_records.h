// SPDX-License-Identifier: MIT
// error_records.h: the device's errors one by one, with whose each was (docs/abi/ring.md, REC).
#pragma once

#include <stdint.h>

#include "guest-drivers/kmd/logic/dma_layout.h"

namespace aero {

class Registers;

struct ErrorRecord {
  uint32_t code;  // enum aerogpu_error_code; 0: there was none
  bool more;      // others wait
  bool lost;      // a submission that did not run (INTERNAL) found no room: whose it was is not known
  uint64_t fence;
  DeviceContext whose;  // with code INTERNAL only
};

/** One reader at a time: the interrupt routine, or who keeps it from running. */
class ErrorRecords {
public:
  /** That wait at most; what comes while they are read interrupts again. */
  static constexpr uint32_t kMost = 128;

  explicit ErrorRecords(const Registers &registers) : m_registers(registers) {}
  /** Asks the device for records, if it has them, and drops those that wait. While its interrupts are off, after each
   *  reset of it. PASSIVE_LEVEL. */
  void start(bool there);
  bool there() const { return m_there; }
  /** Takes the oldest one. Any IRQL. */
  ErrorRecord take() const;

private:
  const Registers &m_registers;
  bool m_there = false;
};

}  // namespace aero
