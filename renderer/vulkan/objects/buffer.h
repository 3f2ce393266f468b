// SPDX-License-Identifier: MIT
// A guest buffer: a range of a host-visible VkBuffer that is written in place while the GPU does not use it,
// renamed when it does, and updated by a copy on the GPU where neither will do. Render thread only.
#pragma once

#include <vector>

#include "renderer/core/backend.h"
#include "renderer/vulkan/device/gpu.h"

namespace aerogpu::vk {

class BufferObject final : public core::GpuBuffer {
public:
  /// Zeroed.
  static Result<std::unique_ptr<core::GpuBuffer>> create(Gpu& gpu, const core::BufferDesc& desc);
  ~BufferObject() override;

  static BufferObject& of(core::Buffer& buffer) { return static_cast<BufferObject&>(*buffer.gpu); }

  Result<void> update(uint64_t offset, uint64_t size, core::ByteSource& source,
                      core::UpdatePromise promise) override;
  Result<void> copyFrom(uint64_t dstOffset, core::GpuBuffer& from, uint64_t srcOffset,
                        uint64_t size) override;
  Result<void> read(uint64_t offset, uint64_t size, std::unique_ptr<core::ByteSink> sink) override;
  Result<void> fill(uint64_t offset, uint64_t size, uint32_t pattern) override;

  /// Notes that the batch being recorded reads the buffer, as one of `boundAs` (DirtyBits that a rename must
  /// set).
  void use(uint32_t boundAs) {
    m_lastUse = m_gpu.recorder->batch();
    m_readStages = VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT;
    m_boundAs |= boundAs;
  }
  /// The same for `access`; ends the render pass and waits for GPU writes where needed.
  void useAfterWrites(VkAccessFlags2 access, uint32_t boundAs);
  /// True when a GPU write is not visible to shaders and fetches yet.
  bool writePending() const { return m_writeAccess != 0; }
  /// Notes a write by shaders of the batch being recorded.
  void noteGpuWrite(VkPipelineStageFlags2 stages, VkAccessFlags2 access);

  VkBuffer handle() const { return m_range.buffer(); }
  uint64_t offset() const { return m_range.offset; }
  uint64_t size() const { return m_size; }
  /// Identity of the storage: a rename changes it.
  uint64_t serial() const { return m_serial; }
  /// A view of 32-bit texels over [offset, offset + size); lives as long as the storage.
  Result<VkBufferView> texels(VkFormat format, uint64_t offset, uint64_t size);

private:
  BufferObject(Gpu& gpu, uint64_t size) : m_gpu(gpu), m_size(size) {}
  /// Whether the host can write the range in place, if need be after a rename.
  bool writable(uint64_t offset, uint64_t size);
  Result<void> writeStaged(uint64_t offset, uint64_t size, core::ByteSource& source);
  /// Records a copy to [offset, offset + size), behind what used it before.
  void copyIn(uint64_t offset, VkBuffer from, uint64_t fromOffset, uint64_t size);
  void copyBytes(VkBuffer from, uint64_t fromOffset, VkBuffer to, uint64_t toOffset, uint64_t size);
  bool rename(uint64_t keepBefore, uint64_t keepFrom);

  Gpu& m_gpu;
  const uint64_t m_size;
  MemoryRange m_range;
  HostMemoryCharge m_charge;
  uint64_t m_lastUse = 0, m_lastGpuWrite = 0, m_serial = 0;
  VkPipelineStageFlags2 m_writeStages = 0, m_readStages = 0;
  VkAccessFlags2 m_writeAccess = 0;
  uint32_t m_boundAs = 0;
  struct Texels {
    VkFormat format;
    uint64_t offset, size;
    VkBufferView view;
    HostMemoryCharge charge;
  };
  static constexpr size_t kMaxTexels = 64;
  void dropTexels();
  std::vector<Texels> m_texels;
};

}  // namespace aerogpu::vk
