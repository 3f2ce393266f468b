// SPDX-License-Identifier: MIT
#include "guest-drivers/linux/device/bar.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>

namespace aerogpu::guest {

MappedBar::~MappedBar() {
  if (m_bytes) munmap(m_bytes, m_size);
}

Status MappedBar::map(const std::string& path, size_t minimumBytes) {
  const int fd = open(path.c_str(), O_RDWR | O_SYNC | O_CLOEXEC);
  if (fd < 0) return Status::systemFailure("cannot open %s", path.c_str());
  struct stat info {};
  if (fstat(fd, &info) < 0 || static_cast<size_t>(info.st_size) < minimumBytes) {
    close(fd);
    return Status::failure("%s has %lld bytes, %zu are needed", path.c_str(),
                           static_cast<long long>(info.st_size), minimumBytes);
  }
  void* p = mmap(nullptr, static_cast<size_t>(info.st_size), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  close(fd);
  if (p == MAP_FAILED) return Status::systemFailure("cannot map %s", path.c_str());
  m_bytes = static_cast<uint8_t*>(p);
  m_size = static_cast<size_t>(info.st_size);
  return {};
}

uint32_t MappedBar::read(uint32_t offset) {
  const uint32_t value = *reinterpret_cast<volatile uint32_t*>(m_bytes + offset);
  std::atomic_thread_fence(std::memory_order_acquire);
  return value;
}

// Makes earlier writes to memory (the ring's tail, a frame) visible to the device before the register
// changes.
void MappedBar::write(uint32_t offset, uint32_t value) {
  std::atomic_thread_fence(std::memory_order_seq_cst);
  *reinterpret_cast<volatile uint32_t*>(m_bytes + offset) = value;
}

}  // namespace aerogpu::guest
