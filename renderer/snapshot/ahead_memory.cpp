// SPDX-License-Identifier: MIT
#include "renderer/snapshot/ahead_memory.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace aerogpu::snapshot {

namespace {

std::string failure(const char* what) {
  return std::string(what) + ": " + std::strerror(errno);
}

}  // namespace

AheadMemory::~AheadMemory() {
  if (m_file >= 0) close(m_file);
}

Result<void, std::string> AheadMemory::open() {
  if (m_file < 0) m_file = memfd_create("aerogpu-ahead", MFD_CLOEXEC);
  if (m_file < 0) return failure("no file for memory ahead of a snapshot");
  return {};
}

Result<void, std::string> AheadMemory::keep(uint64_t key, std::span<const uint8_t> bytes) {
  drop(key);
  if (m_pieces.size() >= kMostPieces)
    return "more than " + std::to_string(kMostPieces) + " pieces are ahead of a snapshot";
  if (bytes.size() > m_mostBytes - m_bytes)
    return "more than " + std::to_string(m_mostBytes) + " bytes are ahead of a snapshot";
  if (auto opened = open(); !opened) return opened;
  for (size_t done = 0; done < bytes.size();) {
    const ssize_t count =
        pwrite(m_file, bytes.data() + done, bytes.size() - done, static_cast<off_t>(m_end + done));
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return failure("memory ahead of a snapshot cannot be kept");
    done += static_cast<size_t>(count);
  }
  m_pieces.emplace(key, Piece{m_end, bytes.size()});
  m_end += bytes.size();
  m_bytes += bytes.size();
  return {};
}

void AheadMemory::drop(uint64_t key) {
  const auto found = m_pieces.find(key);
  if (found == m_pieces.end()) return;
  // Only whole pages of a hole are given back, so what lies beside it is not touched.
  if (found->second.size != 0)
    (void)fallocate(m_file, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
                    static_cast<off_t>(found->second.offset), static_cast<off_t>(found->second.size));
  m_bytes -= found->second.size;
  m_pieces.erase(found);
}

void AheadMemory::dropAll() {
  if (m_file >= 0) close(m_file);
  m_file = -1;
  m_pieces.clear();
  m_bytes = m_end = 0;
}

Result<std::vector<uint8_t>, std::string> AheadMemory::take(uint64_t key) {
  const auto found = m_pieces.find(key);
  if (found == m_pieces.end())
    return "a load needs memory " + std::to_string(key) + ", which did not come ahead";
  std::vector<uint8_t> bytes(found->second.size);
  for (size_t done = 0; done < bytes.size();) {
    const ssize_t count = pread(m_file, bytes.data() + done, bytes.size() - done,
                                static_cast<off_t>(found->second.offset + done));
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return failure("memory ahead of a snapshot cannot be read");
    done += static_cast<size_t>(count);
  }
  drop(key);
  return bytes;
}

}  // namespace aerogpu::snapshot
