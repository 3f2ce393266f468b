// SPDX-License-Identifier: MIT
// The server's side of guest memory: RAM that the client has told of is mapped here, all else is asked for
// (asked_memory.h). Before bytes in mapped RAM are written, and after, the client is told where, so that a
// migration, the display and translated code see the change even if this process dies between. Any thread.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "renderer/base/mutex.h"
#include "renderer/remote/asked_memory.h"
#include "renderer/remote/descriptors.h"
#include "renderer/remote/protocol.h"

namespace aerogpu::remote {

class GuestRegions {
public:
  /// `note` tells the client of a write.
  GuestRegions(const Channel& channel, std::function<void(const WriteEvent&)> note)
      : m_asked(channel), m_note(std::move(note)) {}
  ~GuestRegions();
  GuestRegions(const GuestRegions&) = delete;
  GuestRegions& operator=(const GuestRegions&) = delete;

  /// Replaces the table. A mapping that is in use stays until its end. False if a region cannot be mapped.
  bool set(std::span<const RegionRecord> records, std::vector<Descriptor> files) EXCLUDES(m_mutex);

  /// As the callbacks of aerogpu/renderer.h.
  int map(uint64_t gpa, uint64_t size, bool write, aerogpu_guest_mapping& out) EXCLUDES(m_mutex);
  void unmap(const aerogpu_guest_mapping& mapping, uint64_t bytesWritten) EXCLUDES(m_mutex);
  bool lends(uint64_t gpa, uint64_t size) EXCLUDES(m_mutex);
  size_t waitingSpaces(uint64_t taken, uint32_t* spaces, size_t room) {
    return m_asked.waitingSpaces(taken, spaces, room);
  }

private:
  struct Region {
    uint64_t gpa = 0, size = 0;
    uint8_t* bytes = nullptr;
    bool writable = false;
    bool retired = false;
    uint32_t users = 0;
    ~Region();
  };
  /// Returns the region of an address, or null.
  Region* find(uint64_t gpa) const REQUIRES(m_mutex);
  void leave(Region* region) EXCLUDES(m_mutex);

  AskedMemory m_asked;
  const std::function<void(const WriteEvent&)> m_note;
  Mutex m_mutex;
  std::vector<std::unique_ptr<Region>> m_regions GUARDED_BY(m_mutex);  ///< by address
  std::vector<std::unique_ptr<Region>> m_retired GUARDED_BY(m_mutex);
};

}  // namespace aerogpu::remote
