// SPDX-License-Identifier: MIT
// Guest memory that the GPU reads and writes in place (VK_EXT_external_memory_host): a large transfer between
// an image and memory in one piece then needs no copy in staging memory. An import lives for one batch: a
// driver pins pages only while the guest waits for the transfer, so the guest's balloon, hot-unplugged memory
// and a moved BAR never meet pages that the GPU still holds.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

#include "renderer/core/backend.h"
#include "renderer/vulkan/device/device.h"

namespace aerogpu::vk {

class HostImporter;

/// One piece of lent memory as part of a buffer. Destroyed, on any thread, when the GPU has finished with it,
/// which gives the memory back.
class HostImport {
public:
  ~HostImport();
  HostImport(const HostImport&) = delete;
  HostImport& operator=(const HostImport&) = delete;

  /// Keeps imports until their importer ends: the GPU hangs, and may still use them. Completion thread.
  static void strand(std::vector<std::unique_ptr<HostImport>>& imports);

  VkBuffer buffer() const { return m_buffer; }
  /// Returns the start of the piece in buffer().
  uint64_t offset() const { return m_offset; }

private:
  friend class HostImporter;
  HostImport(HostImporter& owner, std::unique_ptr<core::Lent> lent)
      : m_owner(owner), m_lent(std::move(lent)) {}

  HostImporter& m_owner;
  const std::unique_ptr<core::Lent> m_lent;
  uint64_t m_offset = 0, m_bytes = 0;
  VkBuffer m_buffer = VK_NULL_HANDLE;
  VkDeviceMemory m_memory = VK_NULL_HANDLE;
};

/// Makes imports. Render thread, except for their ends; outlives them.
class HostImporter {
public:
  explicit HostImporter(Device& device);

  /// True if a transfer of `bytes` that lie within `span` bytes of memory is worth an import, and there is
  /// room for one. Call it first: lending memory costs a look-up too.
  bool wants(uint64_t bytes, uint64_t span) const;
  /// True if an import lives: the GPU may still use its memory. On a GPU that hangs this stays true.
  bool any() const { return m_count.load(std::memory_order_acquire) != 0; }
  /// Returns null if the driver refuses, which is no error: the bytes are copied then.
  std::unique_ptr<HostImport> import(std::unique_ptr<core::Lent> lent);

private:
  friend class HostImport;
  /// Copying fewer bytes is quicker than an import. Measured on lavapipe, which only notes the pointer; a
  /// GPU's driver pins each page.
  static constexpr uint64_t kLeastBytesCpu = uint64_t{64} << 10, kLeastBytes = uint64_t{1} << 20;
  static constexpr uint64_t kMostBytes = uint64_t{512} << 20;  ///< at a time: they may be pinned
  static constexpr uint32_t kMostImports = 256;                ///< Vulkan promises 4096 allocations in all
  static constexpr uint32_t kMostFailures = 16;                ///< in a row, after which it stops trying

  VkResult create(HostImport& made);

  Device& m_device;
  const uint64_t m_leastBytes;
  uint64_t m_pageBytes = 0;  ///< 0: no imports
  uint32_t m_failures = 0;
  std::atomic<uint64_t> m_bytes{0};
  std::atomic<uint32_t> m_count{0};
  std::vector<std::unique_ptr<HostImport>> m_stranded;  // last: these imports refer to the members above
};

}  // namespace aerogpu::vk
