// SPDX-License-Identifier: MIT
// Imports of host memory (see host_import.h). Vulkan 1.3, "VK_EXT_external_memory_host".
#include "renderer/vulkan/device/host_import.h"

#include <unistd.h>

#include "renderer/vulkan/device/memory.h"

namespace aerogpu::vk {
namespace {

constexpr VkExternalMemoryHandleTypeFlagBits kHandle = VK_EXTERNAL_MEMORY_HANDLE_TYPE_HOST_ALLOCATION_BIT_EXT;

}  // namespace

HostImport::~HostImport() {
  const DeviceTable& vk = m_owner.m_device.vk();
  VkDevice device = m_owner.m_device.handle();
  if (m_buffer) vk.DestroyBuffer(device, m_buffer, nullptr);
  if (m_memory) vk.FreeMemory(device, m_memory, nullptr);
  m_owner.m_bytes.fetch_sub(m_bytes, std::memory_order_relaxed);
  m_owner.m_count.fetch_sub(1, std::memory_order_release);
}

void HostImport::strand(std::vector<std::unique_ptr<HostImport>>& imports) {
  for (std::unique_ptr<HostImport>& import : imports) {
    HostImporter& owner = import->m_owner;
    owner.m_stranded.push_back(std::move(import));
  }
  imports.clear();
}

HostImporter::HostImporter(Device& device)
    : m_device(device),
      m_leastBytes(device.properties().deviceType == VK_PHYSICAL_DEVICE_TYPE_CPU ? kLeastBytesCpu
                                                                                 : kLeastBytes) {
  const auto page = static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
  // If a part of a page exists, the whole page does; bytes beyond are unknown.
  if (device.caps().hostImportAlignment != 0 && page % device.caps().hostImportAlignment == 0)
    m_pageBytes = page;
}

bool HostImporter::wants(uint64_t bytes, uint64_t span) const {
  return m_pageBytes != 0 && bytes >= m_leastBytes && span / 2 <= bytes && m_failures < kMostFailures &&
         m_count.load(std::memory_order_relaxed) < kMostImports &&
         m_bytes.load(std::memory_order_relaxed) + span <= kMostBytes;
}

std::unique_ptr<HostImport> HostImporter::import(std::unique_ptr<core::Lent> lent) {
  if (!lent) return nullptr;
  std::unique_ptr<HostImport> made(new HostImport(*this, std::move(lent)));
  const auto first = reinterpret_cast<uintptr_t>(made->m_lent->first());
  made->m_offset = first % m_pageBytes;
  made->m_bytes = (made->m_offset + made->m_lent->size() + m_pageBytes - 1) / m_pageBytes * m_pageBytes;
  m_bytes.fetch_add(made->m_bytes, std::memory_order_relaxed);
  m_count.fetch_add(1, std::memory_order_relaxed);
  if (create(*made) != VK_SUCCESS) {
    ++m_failures;
    return nullptr;
  }
  m_failures = 0;
  return made;
}

VkResult HostImporter::create(HostImport& made) {
  const DeviceTable& vk = m_device.vk();
  uint8_t* const pages = made.m_lent->first() - made.m_offset;
  VkMemoryHostPointerPropertiesEXT pointer{VK_STRUCTURE_TYPE_MEMORY_HOST_POINTER_PROPERTIES_EXT};
  VkResult result = vk.GetMemoryHostPointerPropertiesEXT(m_device.handle(), kHandle, pages, &pointer);
  if (result != VK_SUCCESS) return result;

  VkExternalMemoryBufferCreateInfo external{VK_STRUCTURE_TYPE_EXTERNAL_MEMORY_BUFFER_CREATE_INFO};
  external.handleTypes = kHandle;
  VkBufferCreateInfo buffer{VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO, &external};
  buffer.size = made.m_bytes;
  buffer.usage = kHostImportUsage;
  result = vk.CreateBuffer(m_device.handle(), &buffer, nullptr, &made.m_buffer);
  if (result != VK_SUCCESS) return result;
  VkBufferMemoryRequirementsInfo2 wanted{VK_STRUCTURE_TYPE_BUFFER_MEMORY_REQUIREMENTS_INFO_2};
  wanted.buffer = made.m_buffer;
  VkMemoryRequirements2 needs{VK_STRUCTURE_TYPE_MEMORY_REQUIREMENTS_2};
  vk.GetBufferMemoryRequirements2(m_device.handle(), &wanted, &needs);
  // Must be coherent: no flush follows the guest's writes, and the guest knows no invalidation.
  const auto type =
      findMemoryType(m_device, pointer.memoryTypeBits & needs.memoryRequirements.memoryTypeBits,
                     VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT, 0);
  if (!type || needs.memoryRequirements.size > made.m_bytes) return VK_ERROR_INVALID_EXTERNAL_HANDLE;

  VkImportMemoryHostPointerInfoEXT import{VK_STRUCTURE_TYPE_IMPORT_MEMORY_HOST_POINTER_INFO_EXT};
  import.handleType = kHandle;
  import.pHostPointer = pages;
  VkMemoryAllocateInfo memory{VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO, &import};
  memory.allocationSize = made.m_bytes;
  memory.memoryTypeIndex = *type;
  result = vk.AllocateMemory(m_device.handle(), &memory, nullptr, &made.m_memory);
  if (result != VK_SUCCESS) return result;
  VkBindBufferMemoryInfo bind{VK_STRUCTURE_TYPE_BIND_BUFFER_MEMORY_INFO};
  bind.buffer = made.m_buffer;
  bind.memory = made.m_memory;
  return vk.BindBufferMemory2(m_device.handle(), 1, &bind);
}

}  // namespace aerogpu::vk
