// SPDX-License-Identifier: MIT
// The QEMU of a qtest machine: the distribution's binary with the device, no CPU, guest RAM in a file, and
// its sockets. One per run of the host; the processes of its tests connect one after the other.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>

#include "guest-drivers/linux/device/status.h"

namespace aerogpu::host {

struct QemuOptions {
  std::string launcher;       // scripts/qemu-aerogpu
  std::string deviceOptions;  // options of -device aerogpu, with a comma before each; may be empty
  uint64_t memoryBytes = 1u << 30;
};

class Qemu {
public:
  Qemu() = default;
  Qemu(const Qemu&) = delete;
  Qemu& operator=(const Qemu&) = delete;
  /// Ends QEMU and removes its folder.
  ~Qemu();

  /// Starts QEMU; returns when it answers, or after a minute. QEMU ends with the calling thread, however that
  /// ends.
  guest::Status start(const QemuOptions& options);

  /// Returns a folder for files of the run; they are removed with it.
  const std::string& folder() const { return m_folder; }
  std::string qtestPath() const { return m_folder + "/qtest"; }
  std::string qmpPath() const { return m_folder + "/qmp"; }
  /// Return guest RAM's file, its size and its path. A guest-physical address below the PCI hole is an offset
  /// in it. The file has no name; other processes open memoryPath() while this process lives.
  int memoryFile() const { return m_memory; }
  uint64_t memoryBytes() const { return m_memoryBytes; }
  std::string memoryPath() const;
  /// Returns QEMU's output, without the end of its last line; says so if it is empty.
  std::string output() const;

private:
  std::string m_folder;
  int m_memory = -1;
  uint64_t m_memoryBytes = 0;
  pid_t m_pid = -1, m_owner = -1;
};

}  // namespace aerogpu::host
