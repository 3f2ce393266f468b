// SPDX-License-Identifier: MIT
// Counts the instructions that a driver's image executes for some of its entry points, by single-stepping
// (the trap flag) the image alone: a breakpoint at each entry point begins a call, one at the return address
// of each function that the driver calls continues it. A copy by rep movs counts as one instruction. The
// instruction after an access to a device register that the host emulates is not counted.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "testbed/kernel/core/pe_image.h"

namespace aerogpu::host {

/// Only one may exist at a time. Counts the calls of the thread that made it, and uses SIGTRAP meanwhile.
class InstructionCount {
public:
  /// `entries`: addresses of functions in `image`.
  InstructionCount(const PeImage& image, const std::vector<uintptr_t>& entries);
  InstructionCount(const InstructionCount&) = delete;
  InstructionCount& operator=(const InstructionCount&) = delete;
  ~InstructionCount();

  /// Returns how many instructions were executed since this object was made, or since clear().
  uint64_t all() const;
  /// Returns the count by function, if the driver's file has symbols; else empty.
  std::map<std::string, uint64_t> byFunction() const;
  void clear();

private:
  const PeImage& m_image;
};

}  // namespace aerogpu::host
