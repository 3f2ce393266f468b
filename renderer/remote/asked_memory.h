// SPDX-License-Identifier: MIT
// Guest memory of a machine whose RAM this process does not map: the server's callbacks ask the client for
// each piece, which comes and goes through staging memory that both map. Any thread.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "aerogpu/renderer.h"
#include "renderer/base/mutex.h"
#include "renderer/remote/channel.h"

namespace aerogpu::remote {

class AskedMemory {
public:
  explicit AskedMemory(const Channel& channel) : m_channel(channel), m_line(channel.memoryCaller()) {}

  /// As the callbacks of aerogpu/renderer.h. A mapping has kStagingPiece bytes at most.
  int map(uint64_t gpa, uint64_t size, bool write, aerogpu_guest_mapping& out);
  void unmap(const aerogpu_guest_mapping& mapping, uint64_t bytesWritten);
  size_t waitingSpaces(uint64_t taken, uint32_t* spaces, size_t room);

private:
  /// Takes a piece of the staging; waits for one, which its holder gives back without asking for another.
  size_t takePiece() EXCLUDES(m_mutex);
  void givePiece(size_t piece) EXCLUDES(m_mutex);

  const Channel& m_channel;
  LineCaller m_line;
  Mutex m_mutex;
  CondVar m_given;
  std::array<bool, kStagingPieces> m_taken GUARDED_BY(m_mutex){};
  std::array<uint64_t, kStagingPieces> m_gpa{};  ///< of a mapping to write, by its owner
};

}  // namespace aerogpu::remote
