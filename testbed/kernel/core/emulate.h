// SPDX-License-Identifier: MIT
// Emulates instructions that a kernel driver may execute and a process may not: moves from and to CR8 (the
// IRQL: wdm.h's inline KeGetCurrentIrql, KfRaiseIrql, KeLowerIrql of x64; x86 has no CR8) and loads from
// KUSER_SHARED_DATA. Intel SDM volume 2, chapter 2 (encoding), "MOV - Move to/from Control Registers".
#pragma once

#include <cstdint>

#include "testbed/kernel/core/seh.h"

namespace aerogpu::host {

inline constexpr uint64_t kSharedUserData = byWidth(0xFFFFF78000000000, 0xFFDF0000),
                          kSharedUserDataBytes = 4096;

/// The services that the emulation needs from the rest of the host; unit tests provide their own.
struct EmulationHooks {
  uint8_t (*readIrql)();
  void (*writeIrql)(uint64_t value);
  /// Reads `bytes` (1, 2, 4, 8) at `offset` of KUSER_SHARED_DATA.
  uint64_t (*readSharedUserData)(uint32_t offset, unsigned bytes);
};

enum class Emulated {
  Done,        ///< `context` is past the instruction
  NotOurs,     ///< an ordinary fault
  Privileged,  ///< an instruction that a display driver must not use: port I/O, cli, rdmsr, ...
  FastFail,    ///< int 0x29
};

/// Examines the instruction that faulted at context.rip. `faultAddress` is the page fault's, 0 for other
/// faults.
Emulated emulateInstruction(SehContext& context, uint64_t faultAddress, const EmulationHooks& hooks);

}  // namespace aerogpu::host
