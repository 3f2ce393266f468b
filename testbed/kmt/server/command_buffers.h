// SPDX-License-Identifier: MIT
// A context's command buffer, allocation list and patch list. There are two sets, used alternately: after
// each Render the program has to continue in the other one, at other addresses and with another size, as
// Windows may require. A program that keeps an old pointer writes into poisoned memory that is not read.
#pragma once

#include <cstdint>

#include "d3dukmdt.h"
#include "testbed/kmt/server/command_memory.h"
#include "testbed/kmt/wire.h"

namespace aerogpu::host {

class CommandBufferSets {
public:
  struct Sizes {
    uint32_t commandBytes = 0, allocationEntries = 0, patchEntries = 0;
  };
  /// The largest command buffer for a program.
  static constexpr uint32_t kMaxCommandBytes = 4 << 20;

  /// `usual`: the driver's sizes (DXGK_CONTEXTINFO); lists never get longer.
  CommandBufferSets(CommandMemory& memory, const Sizes& usual);
  CommandBufferSets(const CommandBufferSets&) = delete;
  CommandBufferSets& operator=(const CommandBufferSets&) = delete;
  ~CommandBufferSets();

  /// False if there was no room.
  bool ok() const { return m_sets[0].bytes && m_sets[1].bytes; }
  const kmt::CommandBuffers& current() const { return m_sets[m_current].buffers; }
  uint8_t* commands() const { return m_memory.at(current().commands); }
  const D3DDDI_ALLOCATIONLIST* allocations() const;
  D3DDDI_PATCHLOCATIONLIST* patches() const;

  /// Switches the program to the other set. Poisons `used` bytes of commands. A nonzero size in `wanted` is
  /// the program's request from now on.
  void turn(uint32_t used, const Sizes& wanted);

private:
  struct Set {
    kmt::CommandBuffers buffers{};
    uint64_t offset = 0, bytes = 0;  // in the file
    Sizes sizes;
  };
  bool make(Set& set, const Sizes& sizes);
  /// Returns the sizes of a set; the second set is smaller.
  static Sizes sizesOf(unsigned set, const Sizes& wanted);

  CommandMemory& m_memory;
  const Sizes m_usual;
  Sizes m_wanted;
  Set m_sets[2];
  unsigned m_current = 0;
};

}  // namespace aerogpu::host
