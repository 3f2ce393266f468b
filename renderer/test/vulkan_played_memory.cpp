// SPDX-License-Identifier: MIT
// The memory of a played device: its types and heaps, and memory that is a copy until it is flushed or
// invalidated.
#include <algorithm>
#include <cstring>
#include <memory>

#include "renderer/test/vulkan_device_rules.h"
#include "renderer/test/vulkan_played.h"

namespace aerogpu::test {
namespace {

struct Memory {
  uint32_t type = 0, heap = 0;
  VkDeviceSize size = 0;
  uint8_t* device = nullptr;             ///< mapped, of memory that is not coherent
  std::unique_ptr<uint8_t[]> host;       ///< the host's view of it
  bool buffers = false, images = false;  ///< bound
};

std::map<VkDeviceMemory, Memory> g_memory;  // with the state's mutex
int g_heapRefusals = 0;                     // with the state's mutex

}  // namespace

namespace played {

VKAPI_ATTR VkResult VKAPI_CALL AllocateMemory(VkDevice device, const VkMemoryAllocateInfo* info,
                                              const VkAllocationCallbacks* callbacks, VkDeviceMemory* out) {
  const DeviceProfile* const profile = playedAs(device);
  if (!profile) return real.AllocateMemory(device, info, callbacks, out);
  const std::scoped_lock lock(state.mutex);
  const auto& types = profile->types;
  check(info->memoryTypeIndex < types.size(), "vkAllocateMemory: no such memory type");
  if (info->memoryTypeIndex >= types.size()) return VK_ERROR_UNKNOWN;
  const DeviceProfile::MemoryType& type = types[info->memoryTypeIndex];
  check((type.flags & ~VkMemoryPropertyFlags{0xF}) == 0,
        "vkAllocateMemory: a memory type that takes a feature");
  check(info->allocationSize <= profile->heaps[type.heap], "vkAllocateMemory: larger than its heap");
  check(g_memory.size() < state.limits.maxMemoryAllocationCount, "maxMemoryAllocationCount");
  VkDeviceSize room = profile->heaps[type.heap];
  if (type.heap == 0 && state.heapRoom != 0) room = std::min(room, state.heapRoom);
  if (state.heapUse[type.heap] + info->allocationSize > room) {
    ++g_heapRefusals;
    return VK_ERROR_OUT_OF_DEVICE_MEMORY;
  }
  VkMemoryAllocateInfo actual = *info;
  actual.memoryTypeIndex = state.realType;
  const VkResult result = real.AllocateMemory(device, &actual, callbacks, out);
  if (result != VK_SUCCESS) return result;
  state.heapUse[type.heap] += info->allocationSize;
  Memory& memory = g_memory[*out];
  memory.type = info->memoryTypeIndex;
  memory.heap = type.heap;
  memory.size = info->allocationSize;
  return result;
}

VKAPI_ATTR void VKAPI_CALL FreeMemory(VkDevice device, VkDeviceMemory memory,
                                      const VkAllocationCallbacks* callbacks) {
  const std::scoped_lock lock(state.mutex);
  if (const auto it = g_memory.find(memory); it != g_memory.end()) {
    state.heapUse[it->second.heap] -= it->second.size;
    g_memory.erase(it);
  }
  real.FreeMemory(device, memory, callbacks);
}

VKAPI_ATTR VkResult VKAPI_CALL MapMemory(VkDevice device, VkDeviceMemory memory, VkDeviceSize offset,
                                         VkDeviceSize size, VkMemoryMapFlags flags, void** out) {
  const DeviceProfile* const profile = playedAs(device);
  if (!profile) return real.MapMemory(device, memory, offset, size, flags, out);
  const std::scoped_lock lock(state.mutex);
  Memory& m = g_memory[memory];
  const VkMemoryPropertyFlags type = profile->types[m.type].flags;
  check((type & VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT) != 0, "vkMapMemory: memory that the host cannot see");
  if (!(type & VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT)) return VK_ERROR_MEMORY_MAP_FAILED;
  const VkResult result = real.MapMemory(device, memory, offset, size, flags, out);
  if (result != VK_SUCCESS || (type & VK_MEMORY_PROPERTY_HOST_COHERENT_BIT)) return result;
  check(offset == 0 && size == VK_WHOLE_SIZE, "the double maps whole allocations only");
  m.device = static_cast<uint8_t*>(*out);
  m.host = std::make_unique<uint8_t[]>(m.size);
  std::memset(m.host.get(), 0xA5, m.size);  // its content must not be relied upon
  *out = m.host.get();
  return result;
}

namespace {
/// Copies between the two copies of memory that is not coherent.
void move(uint32_t count, const VkMappedMemoryRange* ranges, bool toDevice) {
  const std::scoped_lock lock(state.mutex);
  for (uint32_t i = 0; i < count; ++i) {
    Memory& m = g_memory[ranges[i].memory];
    const VkDeviceSize offset = ranges[i].offset, atom = state.limits.nonCoherentAtomSize;
    const bool whole = ranges[i].size == VK_WHOLE_SIZE;
    const VkDeviceSize size = whole ? m.size - std::min(offset, m.size) : ranges[i].size;
    check(offset % atom == 0, "nonCoherentAtomSize: offset");
    check(whole || size % atom == 0 || offset + size == m.size, "nonCoherentAtomSize: size");
    check(offset <= m.size && size <= m.size - offset, "VkMappedMemoryRange: past the memory");
    if (!m.device || offset > m.size || size > m.size - offset) continue;
    if (toDevice)
      std::memcpy(m.device + offset, m.host.get() + offset, size);
    else
      std::memcpy(m.host.get() + offset, m.device + offset, size);
  }
}
}  // namespace

VKAPI_ATTR VkResult VKAPI_CALL FlushMappedMemoryRanges(VkDevice, uint32_t count,
                                                       const VkMappedMemoryRange* ranges) {
  move(count, ranges, true);
  return VK_SUCCESS;
}

VKAPI_ATTR VkResult VKAPI_CALL InvalidateMappedMemoryRanges(VkDevice, uint32_t count,
                                                            const VkMappedMemoryRange* ranges) {
  move(count, ranges, false);
  return VK_SUCCESS;
}

VKAPI_ATTR void VKAPI_CALL GetBufferMemoryRequirements2(VkDevice device,
                                                        const VkBufferMemoryRequirementsInfo2* info,
                                                        VkMemoryRequirements2* out) {
  real.GetBufferMemoryRequirements2(device, info, out);
  if (const DeviceProfile* profile = playedAs(device))
    out->memoryRequirements.memoryTypeBits = profile->bufferTypes;
}

VKAPI_ATTR void VKAPI_CALL GetImageMemoryRequirements2(VkDevice device,
                                                       const VkImageMemoryRequirementsInfo2* info,
                                                       VkMemoryRequirements2* out) {
  real.GetImageMemoryRequirements2(device, info, out);
  if (const DeviceProfile* profile = playedAs(device))
    out->memoryRequirements.memoryTypeBits = profile->imageTypes;
}

VKAPI_ATTR VkResult VKAPI_CALL GetMemoryHostPointerPropertiesEXT(VkDevice device,
                                                                 VkExternalMemoryHandleTypeFlagBits handle,
                                                                 const void* pointer,
                                                                 VkMemoryHostPointerPropertiesEXT* out) {
  const VkResult result = real.GetMemoryHostPointerPropertiesEXT(device, handle, pointer, out);
  const DeviceProfile* const profile = playedAs(device);
  if (!profile) return result;
  out->memoryTypeBits = 0;
  const uint32_t hosts =
      profile->heaps.size() > 1;  // the host's memory is not the device's if it has its own
  for (uint32_t i = 0; i < profile->types.size(); ++i)
    if ((profile->types[i].flags & VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT) && profile->types[i].heap == hosts)
      out->memoryTypeBits |= 1u << i;
  return result;
}

namespace {
void bind(VkDevice device, VkDeviceMemory memory, bool image) {
  const DeviceProfile* const profile = playedAs(device);
  if (!profile) return;
  const std::scoped_lock lock(state.mutex);
  Memory& m = g_memory[memory];
  const uint32_t bits = image ? profile->imageTypes : profile->bufferTypes;
  check((bits >> m.type & 1) != 0, "memoryTypeBits of what is bound");
  (image ? m.images : m.buffers) = true;
  check(!(m.images && m.buffers) || state.limits.bufferImageGranularity == 1, "bufferImageGranularity");
}
}  // namespace

VKAPI_ATTR VkResult VKAPI_CALL BindBufferMemory2(VkDevice device, uint32_t count,
                                                 const VkBindBufferMemoryInfo* infos) {
  for (uint32_t i = 0; i < count; ++i) {
    bind(device, infos[i].memory, false);
    VkBufferMemoryRequirementsInfo2 query{VK_STRUCTURE_TYPE_BUFFER_MEMORY_REQUIREMENTS_INFO_2};
    query.buffer = infos[i].buffer;
    VkMemoryRequirements2 needs{VK_STRUCTURE_TYPE_MEMORY_REQUIREMENTS_2};
    real.GetBufferMemoryRequirements2(device, &query, &needs);
    const std::scoped_lock lock(state.mutex);
    state.bufferBytes[infos[i].buffer] = needs.memoryRequirements.size;
  }
  return real.BindBufferMemory2(device, count, infos);
}

VKAPI_ATTR VkResult VKAPI_CALL BindImageMemory2(VkDevice device, uint32_t count,
                                                const VkBindImageMemoryInfo* infos) {
  for (uint32_t i = 0; i < count; ++i) bind(device, infos[i].memory, true);
  return real.BindImageMemory2(device, count, infos);
}

}  // namespace played

using played::state;

void limitHeap(VkDeviceSize bytes, bool hasBudget) {
  const std::scoped_lock lock(state.mutex);
  state.heapRoom = bytes;
  state.hasBudget = hasBudget;
  g_heapRefusals = 0;
}

int heapRefusals() {
  const std::scoped_lock lock(state.mutex);
  return g_heapRefusals;
}

VkDeviceSize heapBytes() {
  const std::scoped_lock lock(state.mutex);
  return state.heapUse[0];
}

VkDeviceSize bytesOffDevice() {
  const std::scoped_lock lock(state.mutex);
  VkDeviceSize bytes = 0;
  for (const auto& [handle, memory] : g_memory)
    if (memory.heap == 1) bytes += memory.size;
  return bytes;
}

}  // namespace aerogpu::test
