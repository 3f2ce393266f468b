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

  /// Starts another QEMU with the same options and the same guest RAM, which waits for a saved state
  /// (-incoming defer); does not wait for it. Only in the process that called start().
  guest::Status prepare();
  /// Kills QEMU (SIGKILL); the one that prepare() has started, now or before, takes its place and answers.
  /// Then the next one is started, so that the next replacement is quick. In another process than the one
  /// that called start(), it asks that one, which is in serve().
  guest::Status replace();
  /// Does what `child` asks for by replace(), until it ends; returns its status as waitpid(2) does.
  int serve(pid_t child);

  /// Returns a folder for files of the run; they are removed with it.
  const std::string& folder() const { return m_folder; }
  std::string qtestPath() const { return socketPath("/qtest", m_number); }
  std::string qmpPath() const { return socketPath("/qmp", m_number); }
  /// Return guest RAM's file, its size and its path. A guest-physical address below the PCI hole is an offset
  /// in it. The file has no name; other processes open memoryPath() while this process lives.
  int memoryFile() const { return m_memory; }
  uint64_t memoryBytes() const { return m_memoryBytes; }
  std::string memoryPath() const;
  /// Returns QEMU's output, without the end of its last line; says so if it is empty.
  std::string output() const;

private:
  std::string socketPath(const char* name, unsigned number) const {
    return m_folder + name + std::to_string(number);
  }
  guest::Status launch(unsigned number, bool incoming, pid_t& pid);
  guest::Status waitUntilItAnswers();
  guest::Status takeNext();
  static void end(pid_t& pid);

  QemuOptions m_options;
  std::string m_folder;
  int m_memory = -1;
  uint64_t m_memoryBytes = 0;
  int m_requests[2] = {-1, -1};  // the owner's end, and that of the processes that ask
  unsigned m_number = 0;         // of the QEMU that runs, counted from 0; the prepared one is the next
  pid_t m_pid = -1, m_prepared = -1, m_owner = -1;
};

}  // namespace aerogpu::host
