// SPDX-License-Identifier: MIT
// The file that a process and the host share for command buffers and lists. It lies in tmpfs, cannot change
// its size, and is mapped in the host below kUserProbeAddress, as memory of the process that the driver
// probes.
#pragma once

#include <cstdint>
#include <mutex>
#include <string>

#include "guest-drivers/linux/device/memory.h"
#include "guest-drivers/linux/device/status.h"

namespace aerogpu::host {

class CommandMemory {
public:
  static constexpr uint64_t kBytes = 64 << 20;

  CommandMemory() = default;
  CommandMemory(const CommandMemory&) = delete;
  CommandMemory& operator=(const CommandMemory&) = delete;
  ~CommandMemory();

  guest::Status create();
  /// Returns the path by which other processes open the file while this process lives.
  std::string path() const;

  /// Returns an offset in the file; guest::PageAllocator::kNone if there is no room. The bytes are zero.
  uint64_t allocate(uint64_t bytes);
  void release(uint64_t offset, uint64_t bytes);
  /// Returns the host's address of `offset`.
  uint8_t* at(uint64_t offset) const { return m_base + offset; }

private:
  int m_file = -1;
  uint8_t* m_base = nullptr;
  std::mutex m_mutex;
  guest::PageAllocator m_pages{kBytes};
};

}  // namespace aerogpu::host
