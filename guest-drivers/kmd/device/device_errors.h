// SPDX-License-Identifier: MIT
// device_errors.h: writes the device's errors to the event log: the first one at once, then at most one entry
// in kQuietSeconds, with the count. A program that makes mistakes all the time must not fill the log.
#pragma once

#include <stdint.h>

#include "guest-drivers/kmd/os/nt.h"

namespace aero {

class Registers;

class DeviceErrors {
public:
  static constexpr uint32_t kQuietSeconds = 60;

  explicit DeviceErrors(const Registers &registers) : m_registers(registers) {}
  /** Ignores earlier errors. PASSIVE_LEVEL, before interrupts are on. */
  void start();
  /** The device raised ERROR; DIRQL. A DPC has to follow. */
  void raised() { InterlockedExchange(&m_pending, 1); }
  /** Writes an entry if errors were raised and the quiet time is over. Called in the DPC; DISPATCH_LEVEL. */
  void report();
  /** Writes the errors that the log does not have yet. PASSIVE_LEVEL, no DPC runs any more. Returns the
   * count since start(). */
  uint32_t finish();

private:
  void write(uint32_t count);

  const Registers &m_registers;
  volatile LONG m_pending = 0;
  uint32_t m_first = 0;     // ERROR_COUNT at the start
  uint32_t m_told = 0;      // ERROR_COUNT when the last entry was written
  uint64_t m_quietEnd = 0;  // interrupt time, 100 ns
};

}  // namespace aero
