// SPDX-License-Identifier: MIT
// gpu_loss.h: whether the host's GPU works, for the event log and for trying again (recovery.md, LOSS-1 to LOSS-7).
#pragma once

#include <stdint.h>

#include "guest-drivers/kmd/device/registers.h"
#include "guest-drivers/kmd/os/nt.h"

namespace aero {

class GpuLoss {
public:
  explicit GpuLoss(Registers &registers) : m_registers(registers) {}

  /** The adapter starts on a device that has the extension, or not. */
  void start(bool known);
  /** The device has raised an error, which may be this one. Any IRQL. */
  void errorRaised() { InterlockedExchange(&m_look, 1); }
  /** The state register says that the GPU does not work. */
  bool lost() const;
  /** The host could not bring it back, as report() has found: work fails and fences go on, so that no time-out comes.
   */
  bool gone() const { return m_gone && !m_awaited; }
  /** A lost GPU is about to be opened anew (GPU_RESTART). Whoever writes it serialises. At most DISPATCH_LEVEL. */
  void restarts();
  /** Tells what has become of that, once the device knows. DISPATCH_LEVEL. */
  void report();

private:
  Registers &m_registers;
  uint32_t m_generation = 0;  // before the restart that is awaited
  LONG m_look = 0;            // interlocked
  volatile bool m_known = false, m_awaited = false, m_gone = false;
};

}  // namespace aero
