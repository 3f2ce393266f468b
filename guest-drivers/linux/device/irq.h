// SPDX-License-Identifier: MIT
// Interrupts. The device asserts INTx while IRQ_STATUS & IRQ_ENABLE is not zero (IRQ-1);
// Linux's uio_pci_generic masks INTx in the command register at each one, and user space unmasks it
// (Documentation/driver-api/uio-howto.rst, "Generic PCI UIO driver").
#pragma once

#include <cstdint>
#include <string>

#include "guest-drivers/linux/device/bar.h"
#include "guest-drivers/linux/device/status.h"

namespace aerogpu::guest {

/// The source of interrupts. Tests substitute another.
class InterruptLine {
public:
  virtual ~InterruptLine() = default;
  /// Sleeps until the line fired or `timeoutNs` have passed; sets `fired` accordingly.
  virtual Status wait(int64_t timeoutNs, bool& fired) = 0;
  /// Lets the next interrupt through.
  virtual Status unmask() = 0;
};

/// /dev/uioN of the function.
class UioLine final : public InterruptLine {
public:
  UioLine() = default;
  UioLine(const UioLine&) = delete;
  UioLine& operator=(const UioLine&) = delete;
  ~UioLine() override;
  /// Opens the UIO device below `functionPath` (sysfs); the driver is bound already.
  Status open(const std::string& functionPath);
  Status wait(int64_t timeoutNs, bool& fired) override;
  Status unmask() override;

private:
  int m_uio = -1, m_config = -1;
};

/// IRQ_STATUS, IRQ_ENABLE and IRQ_ACK over a line. One thread.
class Interrupts {
public:
  Interrupts(Registers& registers, InterruptLine& line) : m_registers(registers), m_line(line) {}

  /// Add and remove bits of IRQ_ENABLE. enable() first acknowledges those that are still pending.
  void enable(uint32_t bits);
  void disable(uint32_t bits);
  uint32_t enabled() const { return m_enabled; }

  /// Sleeps until an interrupt or the timeout. Acknowledges the enabled bits that are pending and returns
  /// them in `bits`, also those that the caller does not wait for; 0 after a timeout.
  Status wait(int64_t timeoutNs, uint32_t& bits);
  /// Returns the number of interrupts taken so far.
  uint64_t count() const { return m_count; }

private:
  Registers& m_registers;
  InterruptLine& m_line;
  uint32_t m_enabled = 0;
  uint64_t m_count = 0;
};

}  // namespace aerogpu::guest
