// SPDX-License-Identifier: MIT
// gpu_loss.h: watches whether the host's GPU works, for the event log and for retrying it (recovery.md,
// LOSS-1 to LOSS-10).
#pragma once

#include <stdint.h>

#include "guest-drivers/kmd/device/registers.h"
#include "guest-drivers/kmd/os/nt.h"

namespace aero {

class GpuLoss {
public:
  explicit GpuLoss(Registers &registers) : m_registers(registers) {}

  /** Called when the adapter starts. `known`: the device has the extension. */
  void start(bool known);
  /** The device has raised an error, which may be a loss of the GPU. Any IRQL. */
  void errorRaised() { InterlockedExchange(&m_look, 1); }
  /** True if the state register says that the GPU does not work. */
  bool lost() const;
  /** True if report() has found that the host could not open the GPU again. Work then fails but fences advance,
   * so Windows sees no time-out. */
  bool gone() const { return m_gone && !m_awaited; }
  /** Called before GPU_RESTART opens a lost GPU anew; callers serialise these calls. At most DISPATCH_LEVEL. */
  void restarts();
  /** Reports the outcome of the restart, once the device knows it. DISPATCH_LEVEL. */
  void report();

private:
  Registers &m_registers;
  uint32_t m_generation = 0;  // before the restart that is awaited
  LONG m_look = 0;            // interlocked
  volatile bool m_known = false, m_awaited = false, m_gone = false;
};

}  // namespace aero
