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

/// One at a time; counts the calls of the thread that made it. It uses SIGTRAP meanwhile.
class InstructionCount {
public:
  /// `entries`: addresses of functions in `image`.
  InstructionCount(const PeImage& image, const std::vector<uintptr_t>& entries);
  InstructionCount(const InstructionCount&) = delete;
  InstructionCount& operator=(const InstructionCount&) = delete;
  ~InstructionCount();

  /// Returns the count since it was made or cleared.
  uint64_t all() const;
  /// Returns the count by function, if the driver's file has symbols; else empty.
  std::map<std::string, uint64_t> byFunction() const;
  void clear();

private:
  const PeImage& m_image;
};

}  // namespace aerogpu::host
