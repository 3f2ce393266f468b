// SPDX-License-Identifier: MIT
// Accesses to device memory that is mapped without rights: the instruction that faulted is decoded and
// carried out, its device operand through a DeviceBus, its other operands as the processor would. What
// compilers make of volatile accesses and of copies is known: mov and its kin, arithmetic with memory, string
// instructions, SSE moves. Intel SDM volume 2, chapters 2 to 4 (encoding; the instructions' pages), appendix
// A (opcode map).
#pragma once

#include <cstddef>
#include <cstdint>

#include "testbed/kernel/core/seh.h"

namespace aerogpu::host {

/// Device memory by its virtual addresses. Called in the signal handler of the thread that accesses; may lock
/// and may block, for the fault is synchronous. No access of less than its width is split.
class DeviceBus {
public:
  virtual ~DeviceBus() = default;
  /// All `bytes` from `address` on are device memory.
  virtual bool holds(uint64_t address, uint64_t bytes) const = 0;
  /// `bytes` is 1, 2, 4 or 8.
  virtual uint64_t read(uint64_t address, unsigned bytes) = 0;
  virtual void write(uint64_t address, uint64_t value, unsigned bytes) = 0;
  /// As many accesses of one byte in order, or what is as good: string instructions over memory.
  virtual void readBlock(uint64_t address, void* to, uint64_t bytes) = 0;
  virtual void writeBlock(uint64_t address, const void* from, uint64_t bytes) = 0;
};

/// What the instructions are of. X86: without REX, and addresses have 32 bits.
enum class CodeKind : uint8_t { X86, X64 };
inline constexpr CodeKind kOwnCode = kIs64 ? CodeKind::X64 : CodeKind::X86;

/// Carries out the instruction at context.rip, whose memory operand is device memory, and moves `context`
/// past it. False: an instruction that is not known here, or whose operand is no device memory; `context` is
/// as it was.
bool emulateDeviceAccess(SehContext& context, DeviceBus& bus, CodeKind kind = kOwnCode);

}  // namespace aerogpu::host
