// SPDX-License-Identifier: MIT
// Memory that the device can reach: physically contiguous blocks with known guest-physical addresses. In the
// VM they come from 2 MiB huge pages; tools and tests use ordinary memory with made-up addresses.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "guest-drivers/linux/device/status.h"

namespace aerogpu::guest {

inline constexpr uint64_t kPageBytes = 4096;
inline constexpr uint64_t kHugePageBytes = 2 << 20;

/// A physically contiguous piece of memory. `size` is a multiple of the page size.
struct Block {
  uint8_t* cpu = nullptr;
  uint64_t gpa = 0;
  uint64_t size = 0;
};

/// Hands out pages of one extent, first fit; merges neighbours that are given back. Not thread-safe.
class PageAllocator {
public:
  /// `bytes` is a multiple of the page size.
  explicit PageAllocator(uint64_t bytes);
  /// Returns the byte offset of `bytes` (rounded up to pages), or kNone. `alignment` is a power of two of at
  /// least a page.
  uint64_t allocate(uint64_t bytes, uint64_t alignment = kPageBytes);
  /// Gives pages back; `offset` and `bytes` as they were allocated.
  void release(uint64_t offset, uint64_t bytes);
  uint64_t freeBytes() const;
  uint64_t largestFree() const;

  static constexpr uint64_t kNone = UINT64_MAX;

private:
  std::map<uint64_t, uint64_t> m_free;  // offset -> bytes
};

/// Several extents, each contiguous for the CPU and for the device. Not thread-safe.
class Memory {
public:
  virtual ~Memory() = default;
  /// Allocates at least `bytes`, zeroed, at a guest-physical address that is a multiple of `alignment` (a
  /// power of two of at least a page, at most 2 MiB). Fails if no extent has that much in one piece.
  Status allocate(uint64_t bytes, Block& out, uint64_t alignment = kPageBytes);
  void release(const Block& block);
  uint64_t freeBytes() const;
  /// Returns where the CPU sees `gpa`; null if the address is not in this memory.
  uint8_t* at(uint64_t gpa) const;
  /// Finds the guest-physical address of what the CPU sees at `cpu`; returns false if that is not in this
  /// memory.
  bool addressOf(const void* cpu, uint64_t& gpa) const;

protected:
  struct Extent {
    uint8_t* cpu;
    uint64_t gpa;
    uint64_t size;
    PageAllocator pages;
  };
  void addExtent(uint8_t* cpu, uint64_t gpa, uint64_t size);
  std::vector<Extent> m_extents;
};

/// Huge pages of the running kernel. Root only: physical addresses come from /proc/self/pagemap.
class HugePageMemory final : public Memory {
public:
  HugePageMemory() = default;
  HugePageMemory(const HugePageMemory&) = delete;
  HugePageMemory& operator=(const HugePageMemory&) = delete;
  ~HugePageMemory() override;
  /// Takes `pages` huge pages, and maps physical neighbours next to each other. hugetlbfs is mounted at
  /// `mountPoint`.
  Status create(unsigned pages, const char* mountPoint);
  /// Returns a path by which other processes can open the file of this memory while this process lives. The
  /// file is unlinked already, so nobody has to remove it.
  std::string path() const;
  /// Finds where in that file `gpa` is; returns false if it is not in this memory.
  bool fileOffset(uint64_t gpa, uint64_t& offset) const;

private:
  uint8_t* m_base = nullptr;
  size_t m_bytes = 0;
  int m_file = -1;
  std::map<uint64_t, uint64_t> m_fileOffsets;  // file offset of each huge page, by its physical address
};

/// Ordinary memory that pretends to lie at `gpa`.
class HostMemory final : public Memory {
public:
  HostMemory(uint64_t gpa, uint64_t bytes);

private:
  struct Free {
    void operator()(uint8_t* p) const;
  };
  std::unique_ptr<uint8_t, Free> m_bytes;
};

/// Groups the pages of `physical` (one address a page, any order) into runs of neighbours: indices sorted by
/// address, and where each run begins. Pure; used by HugePageMemory.
struct PageRuns {
  std::vector<size_t> order;
  std::vector<size_t> begins;  // indices into order
};
PageRuns sortIntoRuns(const std::vector<uint64_t>& physical, uint64_t pageBytes);

}  // namespace aerogpu::guest
