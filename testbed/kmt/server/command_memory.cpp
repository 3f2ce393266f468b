// SPDX-License-Identifier: MIT
#include "testbed/kmt/server/command_memory.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "testbed/kernel/nt/nt_state.h"

namespace aerogpu::host {

CommandMemory::~CommandMemory() {
  if (m_base) freeUserMemory(m_base, kBytes);
  if (m_file >= 0) close(m_file);
}

guest::Status CommandMemory::create() {
  m_file = memfd_create("aerogpu-kmt", MFD_CLOEXEC | MFD_ALLOW_SEALING);
  if (m_file < 0) return guest::Status::systemFailure("cannot make a file for command buffers");
  if (ftruncate(m_file, static_cast<off_t>(kBytes)) != 0 ||
      fcntl(m_file, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) != 0)
    return guest::Status::systemFailure("cannot set the size of the file for command buffers");
  m_base = static_cast<uint8_t*>(mapUserMemory(m_file, kBytes));
  if (!m_base) return guest::Status::systemFailure("cannot map the file for command buffers");
  return {};
}

std::string CommandMemory::path() const {
  return "/proc/" + std::to_string(getpid()) + "/fd/" + std::to_string(m_file);
}

uint64_t CommandMemory::allocate(uint64_t bytes) {
  std::lock_guard lock(m_mutex);
  return m_pages.allocate(bytes);
}

void CommandMemory::release(uint64_t offset, uint64_t bytes) {
  std::lock_guard lock(m_mutex);
  const uint64_t pages = (bytes + guest::kPageBytes - 1) & ~(guest::kPageBytes - 1);
  fallocate(m_file, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, static_cast<off_t>(offset),
            static_cast<off_t>(pages));
  m_pages.release(offset, pages);
}

}  // namespace aerogpu::host
