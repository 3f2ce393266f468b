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
#include "renderer/vulkan/device/device.h"

namespace aerogpu::vk {

/// The largest alignment that Vulkan allows a device to ask for in buffer offsets, bytes.
inline constexpr uint64_t kBufferAlign = 256;

/// Free ranges of one block, merged when they touch; next-fit.
class RangeAllocator {
public:
  explicit RangeAllocator(uint64_t size) : m_size(size), m_freeBytes(size) { m_free.emplace(0, size); }
  /// Takes a range; nothing if none is large enough. `align` is a power of two.
  std::optional<uint64_t> take(uint64_t size, uint64_t align);
  void give(uint64_t offset, uint64_t size);
  bool unused() const { return m_freeBytes == m_size; }
  uint64_t freeBytes() const { return m_freeBytes; }
  uint64_t size() const { return m_size; }

private:
  std::optional<uint64_t> takeFrom(std::map<uint64_t, uint64_t>::iterator it, uint64_t size, uint64_t align);
  std::map<uint64_t, uint64_t> m_free;  ///< offset -> size
  uint64_t m_next = 0;                  ///< end of the last search
  uint64_t m_size, m_freeBytes;
};

struct MemoryBlock {
  explicit MemoryBlock(uint64_t size) : ranges(size) {}
  VkDeviceMemory memory = VK_NULL_HANDLE;
  VkBuffer buffer = VK_NULL_HANDLE;  ///< spans the block; null in image pools
  uint8_t* mapped = nullptr;         ///< null when not host-visible
  RangeAllocator ranges;
  bool dedicated = false;
  bool cached = false;    ///< reading it is as fast as writing
  bool coherent = false;  ///< else the host sees the device's writes only after an invalidation
};

/// A piece of a block. Plain value: its holder gives it back to its pool.
struct MemoryRange {
  MemoryBlock* block = nullptr;
  uint64_t offset = 0, size = 0;
  VkBuffer own = VK_NULL_HANDLE;  ///< covers just the range (MemoryPool's `ownBuffers`)
  explicit operator bool() const { return block != nullptr; }
  VkBuffer buffer() const { return own ? own : block->buffer; }
  /// Returns the start of the range in buffer().
  uint64_t at() const { return own ? 0 : offset; }
  uint8_t* mapped() const { return block->mapped + offset; }
};

class MemoryPool {
public:
  /// `types`: the memory types to take, in this order: the next one if one is full. `bufferUsage` 0: an image
  /// pool. `ownBuffers`: each range has its own VkBuffer, for GPUs that bound the reach of a shader or fetch
  /// only by buffers (DeviceCaps::boundByBuffers).
  MemoryPool(Device& device, std::vector<uint32_t> types, VkBufferUsageFlags bufferUsage, uint64_t blockBytes,
             const char* name, bool ownBuffers = false);
  ~MemoryPool();
  MemoryPool(const MemoryPool&) = delete;
  MemoryPool& operator=(const MemoryPool&) = delete;

  Result<MemoryRange> allocate(uint64_t size, uint64_t align);
  void giveBack(const MemoryRange& range);

private:
  Result<MemoryRange> take(uint64_t size, uint64_t align);
  /// One empty block is kept for the next request of the same size (read-backs, frames), up to this many
  /// bytes: fresh memory costs a page fault every 4 KiB.
  static constexpr uint64_t kSpareBytes = uint64_t{16} << 20;
  MemoryBlock* spare();
  void drop(MemoryBlock* block);
  Result<MemoryBlock*> addBlock(uint64_t size);
  VkResult fill(MemoryBlock& block, uint32_t type, VkDeviceSize bytes);
  void destroy(MemoryBlock& block);

  Device& m_device;
  const std::vector<uint32_t> m_types;
  const VkBufferUsageFlags m_usage;
  const uint64_t m_blockBytes;
  const char* const m_name;
  const bool m_ownBuffers;
  std::vector<VkBuffer> m_ownOfLost;
  std::vector<std::unique_ptr<MemoryBlock>> m_blocks;
};

/// Returns the memory types of `typeBits` with all of `required`: first those that have all of `preferred`
/// too, else in the device's order, which is from fast to slow. Leaves out types that need a feature or have
/// no own bytes.
std::vector<uint32_t> memoryTypes(const Device& device, uint32_t typeBits, VkMemoryPropertyFlags required,
                                  VkMemoryPropertyFlags preferred);
/// Returns the first of memoryTypes().
std::optional<uint32_t> findMemoryType(const Device& device, uint32_t typeBits,
                                       VkMemoryPropertyFlags required, VkMemoryPropertyFlags preferred);

}  // namespace aerogpu::vk
