// SPDX-License-Identifier: MIT
// Sub-allocation of device memory (see memory.h).
#include "renderer/vulkan/device/memory.h"

#include <algorithm>

namespace aerogpu::vk {

std::optional<uint64_t> RangeAllocator::takeFrom(std::map<uint64_t, uint64_t>::iterator it, uint64_t size,
                                                 uint64_t align) {
  // Takes the end of the range, so that the rest keeps its place in the map.
  const uint64_t begin = it->first, end = begin + it->second;
  if (it->second < size) return std::nullopt;
  const uint64_t at = (end - size) & ~(align - 1);
  if (at < begin) return std::nullopt;
  if (at + size < end) m_free.emplace_hint(std::next(it), at + size, end - at - size);
  m_next = begin;
  if (at > begin)
    it->second = at - begin;
  else
    m_free.erase(it);
  m_freeBytes -= size;
  return at;
}

std::optional<uint64_t> RangeAllocator::take(uint64_t size, uint64_t align) {
  if (size > m_freeBytes) return std::nullopt;
  const auto start = m_free.lower_bound(m_next);
  for (auto it = start; it != m_free.end();) {
    const auto following = std::next(it);
    if (const auto at = takeFrom(it, size, align)) return at;
    it = following;
  }
  const uint64_t stop = m_next;
  for (auto it = m_free.begin(); it != m_free.end() && it->first < stop;) {
    const auto following = std::next(it);
    if (const auto at = takeFrom(it, size, align)) return at;
    it = following;
  }
  return std::nullopt;
}

void RangeAllocator::give(uint64_t offset, uint64_t size) {
  m_freeBytes += size;
  const auto after = m_free.lower_bound(offset);
  const bool meetsAfter = after != m_free.end() && after->first == offset + size;
  if (after != m_free.begin()) {
    const auto before = std::prev(after);
    if (before->first + before->second == offset) {
      before->second += size;
      if (!meetsAfter) return;
      before->second += after->second;
      m_free.erase(after);
      return;
    }
  }
  if (!meetsAfter) {
    m_free.emplace_hint(after, offset, size);
    return;
  }
  // Moves the node to its new beginning, between the same neighbours.
  const auto hint = std::next(after);
  auto node = m_free.extract(after);
  node.key() = offset;
  node.mapped() += size;
  m_free.insert(hint, std::move(node));
}

namespace {

VkResult createBuffer(const Device& device, uint64_t size, VkBufferUsageFlags usage, VkBuffer& buffer) {
  VkBufferCreateInfo info{VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO};
  info.size = size;
  info.usage = usage;
  return device.vk().CreateBuffer(device.handle(), &info, nullptr, &buffer);
}

VkMemoryRequirements needsOf(const Device& device, VkBuffer buffer) {
  VkBufferMemoryRequirementsInfo2 query{VK_STRUCTURE_TYPE_BUFFER_MEMORY_REQUIREMENTS_INFO_2};
  query.buffer = buffer;
  VkMemoryRequirements2 needs{VK_STRUCTURE_TYPE_MEMORY_REQUIREMENTS_2};
  device.vk().GetBufferMemoryRequirements2(device.handle(), &query, &needs);
  return needs.memoryRequirements;
}

VkResult bindBuffer(const Device& device, VkBuffer buffer, VkDeviceMemory memory, VkDeviceSize offset = 0) {
  VkBindBufferMemoryInfo bind{VK_STRUCTURE_TYPE_BIND_BUFFER_MEMORY_INFO};
  bind.buffer = buffer;
  bind.memory = memory;
  bind.memoryOffset = offset;
  return device.vk().BindBufferMemory2(device.handle(), 1, &bind);
}

}  // namespace

MemoryPool::MemoryPool(Device& device, std::vector<uint32_t> types, VkBufferUsageFlags bufferUsage,
                       uint64_t blockBytes, const char* name, bool ownBuffers)
    : m_device(device),
      m_types(std::move(types)),
      m_usage(bufferUsage),
      m_blockBytes(blockBytes),
      m_name(name),
      m_ownBuffers(ownBuffers) {}

MemoryPool::~MemoryPool() {
  for (VkBuffer own : m_ownOfLost) m_device.vk().DestroyBuffer(m_device.handle(), own, nullptr);
  for (auto& block : m_blocks) destroy(*block);
}

void MemoryPool::destroy(MemoryBlock& block) {
  if (block.buffer) m_device.vk().DestroyBuffer(m_device.handle(), block.buffer, nullptr);
  m_device.free(block.memory);
}

VkResult MemoryPool::fill(MemoryBlock& block, uint32_t type, VkDeviceSize bytes) {
  const DeviceTable& vk = m_device.vk();
  const VkMemoryPropertyFlags flags = m_device.memory().memoryTypes[type].propertyFlags;
  VkMemoryAllocateInfo info{VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO};
  info.allocationSize = bytes;
  info.memoryTypeIndex = type;
  VkDeviceMemory memory = VK_NULL_HANDLE;
  VkResult result = m_device.allocate(info, &memory);
  if (result != VK_SUCCESS) return result;
  if (m_usage && (flags & VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT))
    result =
        vk.MapMemory(m_device.handle(), memory, 0, VK_WHOLE_SIZE, 0, reinterpret_cast<void**>(&block.mapped));
  if (result != VK_SUCCESS) {
    m_device.free(memory);
    return result;
  }
  block.memory = memory;
  block.cached = (flags & VK_MEMORY_PROPERTY_HOST_CACHED_BIT) != 0;
  block.coherent = (flags & VK_MEMORY_PROPERTY_HOST_COHERENT_BIT) != 0;
  return VK_SUCCESS;
}

Result<MemoryBlock*> MemoryPool::addBlock(uint64_t size) {
  auto block = std::make_unique<MemoryBlock>(size);
  VkDeviceSize bytes = size;
  uint32_t typeBits = ~0u;
  if (m_usage) {
    if (size > m_device.maxBufferSize()) return m_device.fail(VK_ERROR_OUT_OF_DEVICE_MEMORY, "maxBufferSize");
    const VkResult result = createBuffer(m_device, size, m_usage, block->buffer);
    if (result != VK_SUCCESS) return m_device.fail(result, "vkCreateBuffer");
    const VkMemoryRequirements needs = needsOf(m_device, block->buffer);
    bytes = needs.size;
    typeBits = needs.memoryTypeBits;
  }
  VkResult result = VK_ERROR_OUT_OF_DEVICE_MEMORY;
  for (const uint32_t type : m_types) {
    if (!(typeBits >> type & 1)) continue;
    result = fill(*block, type, bytes);
    if (result == VK_SUCCESS || result == VK_ERROR_DEVICE_LOST) break;
  }
  if (result == VK_SUCCESS && m_usage) result = bindBuffer(m_device, block->buffer, block->memory);
  if (result != VK_SUCCESS) {
    destroy(*block);
    return m_device.fail(result, "device memory");
  }
  m_device.name(VK_OBJECT_TYPE_DEVICE_MEMORY, reinterpret_cast<uint64_t>(block->memory), m_name);
  if (block->buffer) m_device.name(VK_OBJECT_TYPE_BUFFER, reinterpret_cast<uint64_t>(block->buffer), m_name);
  m_blocks.push_back(std::move(block));
  return m_blocks.back().get();
}

Result<MemoryRange> MemoryPool::allocate(uint64_t size, uint64_t align) {
  if (!m_ownBuffers) return take(size, align);
  const uint64_t bytes = (std::max<uint64_t>(size, 1) + 3) & ~uint64_t{3};
  if (bytes > m_device.maxBufferSize()) return m_device.fail(VK_ERROR_OUT_OF_DEVICE_MEMORY, "maxBufferSize");
  VkBuffer own = VK_NULL_HANDLE;
  VkResult result = createBuffer(m_device, bytes, m_usage, own);
  if (result != VK_SUCCESS) return m_device.fail(result, "a buffer of its own");
  // A stray access may reach all of the bound memory, including what the driver adds at the end.
  const VkMemoryRequirements needs = needsOf(m_device, own);
  auto range = take(std::max<uint64_t>(size, needs.size), std::max<uint64_t>(align, needs.alignment));
  if (!range) {
    m_device.vk().DestroyBuffer(m_device.handle(), own, nullptr);
    return range;
  }
  range->own = own;
  result = bindBuffer(m_device, own, range->block->memory, range->offset);
  if (result == VK_SUCCESS) return range;
  giveBack(*range);
  return m_device.fail(result, "a buffer of its own");
}

Result<MemoryRange> MemoryPool::take(uint64_t size, uint64_t align) {
  size = (std::max<uint64_t>(size, 1) + 63) & ~uint64_t{63};
  if (size <= m_blockBytes / 2) {
    for (auto it = m_blocks.rbegin(); it != m_blocks.rend(); ++it) {
      if ((*it)->dedicated) continue;
      if (const auto at = (*it)->ranges.take(size, align)) return MemoryRange{it->get(), *at, size};
    }
    auto block = addBlock(m_blockBytes);
    if (!block) return block.error();
    return MemoryRange{*block, *(*block)->ranges.take(size, align), size};
  }
  if (MemoryBlock* kept = spare(); kept && kept->ranges.size() == size)
    return MemoryRange{kept, *kept->ranges.take(size, 1), size};
  auto block = addBlock(size);
  if (!block) return block.error();
  (*block)->dedicated = true;
  return MemoryRange{*block, *(*block)->ranges.take(size, 1), size};
}

void MemoryPool::giveBack(const MemoryRange& range) {
  if (range.own) {
    // Ranges of a lost GPU stay in use until the pool goes.
    if (m_device.lost())
      m_ownOfLost.push_back(range.own);
    else
      m_device.vk().DestroyBuffer(m_device.handle(), range.own, nullptr);
  }
  range.block->ranges.give(range.offset, range.size);
  if (!range.block->ranges.unused()) return;
  if (range.block->dedicated) {
    if (range.size > kSpareBytes) return drop(range.block);
    for (const auto& block : m_blocks)
      if (block->dedicated && block->ranges.unused() && block.get() != range.block) return drop(block.get());
    return;
  }
  // One empty ordinary block stays as a reserve.
  size_t ordinary = 0;
  for (const auto& block : m_blocks) ordinary += !block->dedicated;
  if (ordinary > 1) drop(range.block);
}

MemoryBlock* MemoryPool::spare() {
  for (const auto& block : m_blocks)
    if (block->dedicated && block->ranges.unused()) return block.get();
  return nullptr;
}

void MemoryPool::drop(MemoryBlock* dropped) {
  const auto it = std::find_if(m_blocks.begin(), m_blocks.end(),
                               [&](const auto& block) { return block.get() == dropped; });
  destroy(**it);
  m_blocks.erase(it);
}

std::vector<uint32_t> memoryTypes(const Device& device, uint32_t typeBits, VkMemoryPropertyFlags required,
                                  VkMemoryPropertyFlags preferred) {
  // Other types are lazily allocated, protected, or AMD's and NVIDIA's, which need features that are off.
  constexpr VkMemoryPropertyFlags kOrdinary =
      VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT | VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT |
      VK_MEMORY_PROPERTY_HOST_COHERENT_BIT | VK_MEMORY_PROPERTY_HOST_CACHED_BIT;
  std::vector<uint32_t> out;
  const VkPhysicalDeviceMemoryProperties& memory = device.memory();
  for (const bool best : {true, false})
    for (uint32_t i = 0; i < memory.memoryTypeCount; ++i) {
      const VkMemoryPropertyFlags flags = memory.memoryTypes[i].propertyFlags;
      if (!(typeBits >> i & 1) || (flags & required) != required || (flags & ~kOrdinary) != 0) continue;
      if (((flags & preferred) == preferred) == best) out.push_back(i);
    }
  return out;
}

std::optional<uint32_t> findMemoryType(const Device& device, uint32_t typeBits,
                                       VkMemoryPropertyFlags required, VkMemoryPropertyFlags preferred) {
  const std::vector<uint32_t> types = memoryTypes(device, typeBits, required, preferred);
  if (types.empty()) return std::nullopt;
  return types.front();
}

}  // namespace aerogpu::vk
