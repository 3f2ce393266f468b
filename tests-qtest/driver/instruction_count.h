// SPDX-License-Identifier: MIT
// Counts what a driver's image executes of some of its entry points, by single-stepping (the trap flag) of
// the image alone: a breakpoint at each entry point begins a call, one at the return address of each function
// that the driver calls goes on with it. A copy by rep movs is one instruction. Of an access to a device's
// register that the host emulates, the instruction behind it is not seen.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "testbed/kernel/core/pe_image.h"

namespace aerogpu::host {

/// One at a time; the calls are those of the thread that made it. Meanwhile SIGTRAP is its own.
class InstructionCount {
public:
  /// `entries`: addresses of functions in `image`.
  InstructionCount(const PeImage& image, const std::vector<uintptr_t>& entries);
  InstructionCount(const InstructionCount&) = delete;
  InstructionCount& operator=(const InstructionCount&) = delete;
  ~InstructionCount();

  /// Since it was made or cleared.
  uint64_t all() const;
  /// The same by function, where the driver's file has symbols; else empty.
  std::map<std::string, uint64_t> byFunction() const;
  void clear();

private:
  const PeImage& m_image;
};

}  // namespace aerogpu::host
