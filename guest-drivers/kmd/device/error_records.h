// SPDX-License-Identifier: MIT
// error_records.h: reads the device's errors one by one, and whose work caused each (docs/abi/ring.md, REC).
#pragma once

#include <stdint.h>

#include "guest-drivers/kmd/logic/dma_layout.h"

namespace aero {

class Registers;

struct ErrorRecord {
  uint32_t code;  // enum aerogpu_error_code; 0: there was none
  bool more;      // more records wait
  bool lost;      // a submission that did not run (INTERNAL) found no room, so its owner is unknown
  uint64_t fence;
  DeviceContext whose;  // valid only with code INTERNAL
};

/** One reader at a time: the interrupt routine, or code that keeps it from running. */
class ErrorRecords {
public:
  /** The most records that can wait. A record that the device adds while they are read raises another interrupt. */
  static constexpr uint32_t kMost = 128;

  explicit ErrorRecords(const Registers &registers) : m_registers(registers) {}
  /** `there`: the device has records. If so, asks for them, and drops those that wait. Called after each reset of
   * the device, while its interrupts are off. PASSIVE_LEVEL. */
  void start(bool there);
  bool there() const { return m_there; }
  /** Takes the oldest record; code 0 if none waits. Any IRQL. */
  ErrorRecord take() const;

private:
  const Registers &m_registers;
  bool m_there = false;
};

}  // namespace aero
