// SPDX-License-Identifier: MIT
// Accesses to device memory that is mapped without rights: decodes and executes the instruction that faulted,
// its device operand through a DeviceBus, its other operands as the processor would. It knows the
// instructions that compilers generate for volatile accesses and copies: mov and its kin, arithmetic with
// memory, string instructions, SSE moves. Intel SDM volume 2, chapters 2 to 4 (encoding; the instructions'
// pages), appendix A (opcode map).
#pragma once

#include <cstddef>
#include <cstdint>

#include "testbed/kernel/core/seh.h"

namespace aerogpu::host {

/// Device memory by its virtual addresses. Called in the signal handler of the accessing thread; may lock and
/// may block, because the fault is synchronous. No access is split below its width.
class DeviceBus {
public:
  virtual ~DeviceBus() = default;
  /// True if all `bytes` from `address` on are device memory.
  virtual bool holds(uint64_t address, uint64_t bytes) const = 0;
  /// Read and write `bytes` bytes: 1, 2, 4 or 8.
  virtual uint64_t read(uint64_t address, unsigned bytes) = 0;
  virtual void write(uint64_t address, uint64_t value, unsigned bytes) = 0;
  /// Does as many accesses of one byte in order, or an equivalent: for string instructions over memory.
  virtual void readBlock(uint64_t address, void* to, uint64_t bytes) = 0;
  virtual void writeBlock(uint64_t address, const void* from, uint64_t bytes) = 0;
};

/// The mode of the instructions. X86: without REX, and addresses have 32 bits.
enum class CodeKind : uint8_t { X86, X64 };
inline constexpr CodeKind kOwnCode = kIs64 ? CodeKind::X64 : CodeKind::X86;

/// Executes the instruction at context.rip, whose memory operand is device memory, and moves `context` past
/// it. Returns false for an unknown instruction, or if its operand is no device memory; `context` is then
/// unchanged.
bool emulateDeviceAccess(SehContext& context, DeviceBus& bus, CodeKind kind = kOwnCode);

}  // namespace aerogpu::host
