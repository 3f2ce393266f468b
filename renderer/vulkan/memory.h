// SPDX-License-Identifier: MIT
// Device memory, sub-allocated: blocks of one memory type, and ranges in them. Buffer pools hold one VkBuffer
// per block, so that a range needs no Vulkan object of its own. Render thread only.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "renderer/base/result.h"
#include "renderer/vulkan/device.h"

namespace aerogpu::vk {

/// Free ranges of one block, merged when they touch; next-fit.
class RangeAllocator {
public:
  explicit RangeAllocator(uint64_t size) : m_size(size), m_freeBytes(size) { m_free.emplace(0, size); }
  /// `align` is a power of two. Nothing when no range is large enough.
  std::optional<uint64_t> take(uint64_t size, uint64_t align);
  void give(uint64_t offset, uint64_t size);
  bool unused() const { return m_freeBytes == m_size; }
  uint64_t freeBytes() const { return m_freeBytes; }
  uint64_t size() const { return m_size; }

private:
  std::optional<uint64_t> takeFrom(std::map<uint64_t, uint64_t>::iterator it, uint64_t size, uint64_t align);
  std::map<uint64_t, uint64_t> m_free;  ///< offset -> size
  uint64_t m_next = 0;                  ///< where the last search ended
  uint64_t m_size, m_freeBytes;
};

struct MemoryBlock {
  explicit MemoryBlock(uint64_t size) : ranges(size) {}
  VkDeviceMemory memory = VK_NULL_HANDLE;
  VkBuffer buffer = VK_NULL_HANDLE;  ///< spans the block; null in image pools
  uint8_t* mapped = nullptr;         ///< null when not host-visible
  RangeAllocator ranges;
  bool dedicated = false;
};

/// A piece of a block. Plain value: whoever holds it gives it back to its pool.
struct MemoryRange {
  MemoryBlock* block = nullptr;
  uint64_t offset = 0, size = 0;
  explicit operator bool() const { return block != nullptr; }
  VkBuffer buffer() const { return block->buffer; }
  uint8_t* mapped() const { return block->mapped + offset; }
};

class MemoryPool {
public:
  /// `bufferUsage` 0: an image pool.
  MemoryPool(Device& device, uint32_t memoryType, VkBufferUsageFlags bufferUsage, uint64_t blockBytes,
             const char* name);
  ~MemoryPool();
  MemoryPool(const MemoryPool&) = delete;
  MemoryPool& operator=(const MemoryPool&) = delete;

  Result<MemoryRange> allocate(uint64_t size, uint64_t align);
  void giveBack(const MemoryRange& range);
  bool hostCached() const { return m_cached; }

private:
  /// An empty block of its own kept for the next request of the same size (read-backs, frames), up to this
  /// many bytes: fresh memory costs a page fault every 4 KiB.
  static constexpr uint64_t kSpareBytes = uint64_t{16} << 20;
  MemoryBlock* spare();
  void drop(MemoryBlock* block);
  Result<MemoryBlock*> addBlock(uint64_t size);
  void destroy(MemoryBlock& block);

  Device& m_device;
  const uint32_t m_type;
  const VkBufferUsageFlags m_usage;
  const uint64_t m_blockBytes;
  const char* const m_name;
  bool m_mappable = false, m_cached = false;
  std::vector<std::unique_ptr<MemoryBlock>> m_blocks;
};

/// The first memory type of `typeBits` with all of `required` and, if there is one, of `preferred`.
std::optional<uint32_t> findMemoryType(const Device& device, uint32_t typeBits,
                                       VkMemoryPropertyFlags required, VkMemoryPropertyFlags preferred);

}  // namespace aerogpu::vk
