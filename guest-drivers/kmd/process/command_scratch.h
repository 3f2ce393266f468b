// SPDX-License-Identifier: MIT
// command_scratch.h: provides cached memory in which a command buffer is checked. DMA buffers are write-combined, and
// reads of them bypass the caches.
#pragma once

#include "guest-drivers/kmd/os/kernel_memory.h"

namespace aero {

/** Keeps a small piece of memory from one call to the next. Any number of threads may call take() and give(). */
class CommandScratch {
public:
  CommandScratch() = default;
  CommandScratch(const CommandScratch &) = delete;
  CommandScratch &operator=(const CommandScratch &) = delete;
  ~CommandScratch() { poolFree(m_kept); }

  /** Returns at least `bytes` bytes, or null; PASSIVE_LEVEL. */
  uint8_t *take(UINT bytes) {
    auto *block = bytes <= kMostKept ? static_cast<Block *>(InterlockedExchangePointer(&m_kept, nullptr)) : nullptr;
    if (!block || block->bytes < bytes) {
      poolFree(block);
      const UINT rounded = (bytes + kStep - 1) & ~(kStep - 1);
      block = static_cast<Block *>(poolAllocate(sizeof(Block) + rounded));
      if (!block) return nullptr;
      block->bytes = rounded;
    }
    return reinterpret_cast<uint8_t *>(block + 1);
  }
  void give(uint8_t *memory) {
    Block *block = reinterpret_cast<Block *>(memory) - 1;
    if (block->bytes > kMostKept) return poolFree(block);
    poolFree(InterlockedExchangePointer(&m_kept, block));
  }

private:
  struct alignas(16) Block {
    UINT bytes;  // bytes after the header
  };
  static constexpr UINT kStep = 4096;
  static constexpr UINT kMostKept = 64 * 1024;

  PVOID m_kept = nullptr;
};

/** Holds scratch memory for a scope. */
class ScratchScope {
public:
  ScratchScope(CommandScratch &scratch, UINT bytes) : m_scratch(scratch), m_memory(scratch.take(bytes)) {}
  ScratchScope(const ScratchScope &) = delete;
  ScratchScope &operator=(const ScratchScope &) = delete;
  ~ScratchScope() {
    if (m_memory) m_scratch.give(m_memory);
  }
  /** Returns null if there was none. */
  uint8_t *data() const { return m_memory; }

private:
  CommandScratch &m_scratch;
  uint8_t *m_memory;
};

}  // namespace aero
