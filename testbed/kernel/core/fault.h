// SPDX-License-Identifier: MIT
// Faults of driver code: translates the processor's exceptions into Windows'. Emulated instructions continue,
// faults on user addresses at a low IRQL are dispatched to the driver's handlers, everything else is the
// bug-check with which Windows would stop (bug-check code reference: 0x50, 0xD1, 0x7E, 0x1E, 0x139).
#pragma once

#include <cstdint>

#include "testbed/kernel/core/emulate.h"
#include "testbed/kernel/core/width.h"

namespace aerogpu::host {

/// First address above a process' memory (MmUserProbeAddress of Windows 7). The host keeps user buffers below
/// and everything else above.
inline constexpr uintptr_t kUserProbeAddress = byWidth(0x7FFFFFF0000, 0x7FFF0000);

/// Installs the signal handlers. Once per process.
void installFaultHandlers(const EmulationHooks& hooks);

/// Raises `status` out of the running export (one with kExportMayRaise), as ExRaiseStatus and ProbeForRead
/// do. `first`, `second`: the parameters in EXCEPTION_RECORD.
[[noreturn]] void raiseFromExport(uint32_t status, unsigned parameterCount = 0, uint64_t first = 0,
                                  uint64_t second = 0);

}  // namespace aerogpu::host
