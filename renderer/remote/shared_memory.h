// SPDX-License-Identifier: MIT
// Memory that two processes map: a file without a name that neither can shrink or grow, so that no access to
// it faults (a file that was cut is SIGBUS in whoever reads it).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

namespace aerogpu::remote {

/// A descriptor that it closes.
class Descriptor {
public:
  Descriptor() = default;
  explicit Descriptor(int fd) : m_fd(fd) {}
  Descriptor(Descriptor&& other) noexcept : m_fd(std::exchange(other.m_fd, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept;
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor();

  int get() const { return m_fd; }
  explicit operator bool() const { return m_fd >= 0; }

private:
  int m_fd = -1;
};

class SharedMemory {
public:
  SharedMemory() = default;
  SharedMemory(SharedMemory&& other) noexcept;
  SharedMemory& operator=(SharedMemory&& other) noexcept;
  SharedMemory(const SharedMemory&) = delete;
  SharedMemory& operator=(const SharedMemory&) = delete;
  ~SharedMemory();

  /// Makes zeroed memory, sealed. Its pages exist from their first write on. Empty and a message on failure.
  static SharedMemory make(const char* name, uint64_t bytes, std::string& error);
  /// Maps memory that the other side has made. Empty and a message unless it has just this size and cannot be
  /// made shorter.
  static SharedMemory take(Descriptor fd, uint64_t bytes, bool write, std::string& error);

  explicit operator bool() const { return m_bytes != nullptr; }
  uint8_t* bytes() const { return m_bytes; }
  uint64_t size() const { return m_size; }
  int fd() const { return m_fd.get(); }
  /// Gives the pages of a range back to the system; they are zero afterwards. `offset` and `size` are
  /// multiples of the page size.
  void drop(uint64_t offset, uint64_t size) const;

private:
  bool map(bool write, std::string& error);

  Descriptor m_fd;
  uint8_t* m_bytes = nullptr;
  uint64_t m_size = 0;
};

}  // namespace aerogpu::remote
