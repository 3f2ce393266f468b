// SPDX-License-Identifier: MIT
#include "renderer/remote/shared_memory.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace aerogpu::remote {

Descriptor& Descriptor::operator=(Descriptor&& other) noexcept {
  std::swap(m_fd, other.m_fd);
  return *this;
}

Descriptor::~Descriptor() {
  if (m_fd >= 0) close(m_fd);
}

SharedMemory::SharedMemory(SharedMemory&& other) noexcept {
  *this = std::move(other);
}

SharedMemory& SharedMemory::operator=(SharedMemory&& other) noexcept {
  std::swap(m_fd, other.m_fd);
  std::swap(m_bytes, other.m_bytes);
  std::swap(m_size, other.m_size);
  return *this;
}

SharedMemory::~SharedMemory() {
  if (m_bytes) munmap(m_bytes, m_size);
}

bool SharedMemory::map(bool write, std::string& error) {
  void* bytes = mmap(nullptr, m_size, write ? PROT_READ | PROT_WRITE : PROT_READ, MAP_SHARED, m_fd.get(), 0);
  if (bytes == MAP_FAILED) {
    error = std::string("shared memory cannot be mapped: ") + std::strerror(errno);
    return false;
  }
  m_bytes = static_cast<uint8_t*>(bytes);
  return true;
}

SharedMemory SharedMemory::make(const char* name, uint64_t bytes, std::string& error) {
  SharedMemory memory;
  memory.m_fd = Descriptor(memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING));
  memory.m_size = bytes;
  if (!memory.m_fd || ftruncate(memory.m_fd.get(), static_cast<off_t>(bytes)) != 0 ||
      fcntl(memory.m_fd.get(), F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) != 0) {
    error = std::string("no shared memory: ") + std::strerror(errno);
    return {};
  }
  return memory.map(true, error) ? std::move(memory) : SharedMemory{};
}

SharedMemory SharedMemory::take(Descriptor fd, uint64_t bytes, bool write, std::string& error) {
  SharedMemory memory;
  struct stat about {};
  const int seals = fcntl(fd.get(), F_GET_SEALS);
  if (seals < 0 || (seals & F_SEAL_SHRINK) == 0 || fstat(fd.get(), &about) != 0 ||
      static_cast<uint64_t>(about.st_size) != bytes) {
    error = "shared memory of another size, or that can be made shorter";
    return {};
  }
  memory.m_fd = std::move(fd);
  memory.m_size = bytes;
  return memory.map(write, error) ? std::move(memory) : SharedMemory{};
}

void SharedMemory::drop(uint64_t offset, uint64_t size) const {
  fallocate(m_fd.get(), FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, static_cast<off_t>(offset),
            static_cast<off_t>(size));
}

}  // namespace aerogpu::remote
