// SPDX-License-Identifier: MIT
#include "renderer/snapshot/spool.h"

#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>

namespace aerogpu::snapshot {

Spool::~Spool() {
  if (m_file >= 0) close(m_file);
}

bool Spool::add(const void* bytes, size_t size) {
  if (m_file < 0) m_file = memfd_create("aerogpu-moved", MFD_CLOEXEC);
  if (m_file < 0) return false;
  for (size_t done = 0; done < size;) {
    const ssize_t count = pwrite(m_file, static_cast<const uint8_t*>(bytes) + done, size - done,
                                 static_cast<off_t>(m_size + done));
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return false;
    done += static_cast<size_t>(count);
  }
  m_size += size;
  return true;
}

bool Spool::read(uint64_t at, std::span<uint8_t> out) const {
  for (size_t done = 0; done < out.size();) {
    const ssize_t count = pread(m_file, out.data() + done, out.size() - done, static_cast<off_t>(at + done));
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return false;
    done += static_cast<size_t>(count);
  }
  return true;
}

}  // namespace aerogpu::snapshot
