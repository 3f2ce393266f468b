// SPDX-License-Identifier: MIT
// A guest buffer: a range of a host-visible VkBuffer, its home, that is written in place while no use under
// way touches the bytes. Bytes in use get a window: a piece of memory that replaces a part of the buffer
// until the home can take its bytes. Draws whose vertices and indices lie in one place are bound there. An
// operation that needs the whole buffer in one place flattens it first. Render thread only.
#pragma once

#include <array>
#include <memory>
#include <vector>

#include "renderer/base/recycled.h"
#include "renderer/core/backend.h"
#include "renderer/vulkan/device/use_ranges.h"
#include "renderer/vulkan/objects/gpu.h"

namespace aerogpu::vk {

class StreamCounter;

class BufferObject final : public core::GpuBuffer, public Recycled<BufferObject> {
public:
  /// Creates a zeroed buffer.
  static Result<std::unique_ptr<core::GpuBuffer>> create(Gpu& gpu, const core::BufferDesc& desc);
  ~BufferObject() override;

  static BufferObject& of(core::Buffer& buffer) { return static_cast<BufferObject&>(*buffer.gpu); }

  Result<void> update(uint64_t offset, uint64_t size, core::ByteSource& source,
                      core::UpdatePromise promise) override;
  Result<void> copyFrom(uint64_t dstOffset, core::GpuBuffer& from, uint64_t srcOffset,
                        uint64_t size) override;
  Result<void> read(uint64_t offset, uint64_t size, std::unique_ptr<core::ByteSink> sink) override;
  Result<void> fill(uint64_t offset, uint64_t size, uint32_t pattern) override;
  Result<void> setFilled(uint32_t bytes) override;
  Result<uint32_t> filled() override;

  /// Returns how far stream output has filled the buffer.
  StreamCounter& streamCounter();
  /// Notes that the batch being recorded accesses any of the buffer, as one of `boundAs` (DirtyBits that a
  /// rename must set). Ends the render pass and waits for GPU writes if needed.
  void useAfterWrites(VkAccessFlags2 access, uint32_t boundAs);
  /// Prepares a draw of the current batch that fetches [lo, hi), a part of the buffer; call settleWrites()
  /// first. Notes the fetch, and brings the bytes to one place. True if that is a window, which `anywhere`
  /// must allow. May end the render pass.
  bool fetch(uint64_t lo, uint64_t hi, uint32_t boundAs, bool anywhere) {
    m_lastUse = m_gpu.recorder->batch();
    m_readStages = VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT;
    m_boundAs |= boundAs;
    if (m_windowCount != 0) return fetchBesideWindows(lo, hi, boundAs, anywhere);
    m_uses.note(lo, hi, m_lastUse);
    return false;
  }
  /// Call before draws that fetch: makes GPU writes visible, which can end the render pass.
  void settleWrites() {
    if (m_writeAccess != 0) useAfterWrites(VK_ACCESS_2_MEMORY_READ_BIT, 0);
  }
  /// The place of byte `lo` after fetch(), and the number of bytes after it there.
  struct Place {
    VkBuffer buffer;
    uint64_t offset, size;
  };
  Place place(uint64_t lo) const;
  Place home(uint64_t lo) const { return {handle(), m_range.at() + lo, m_size - lo}; }
  /// True if parts are overwritten while others are in use: then it pays to determine exactly what a draw
  /// fetches.
  bool streamed() const { return m_streamed; }
  /// Returns the bytes for the host to read, null if that is slow or not possible.
  const uint8_t* hostBytes(uint64_t lo, uint64_t hi);
  /// True if a GPU write is not visible to shaders and fetches yet.
  bool writePending() const { return m_writeAccess != 0; }
  /// Notes a write by shaders of the batch being recorded.
  void noteGpuWrite(VkPipelineStageFlags2 stages, VkAccessFlags2 access) {
    noteGpuWrite(stages, access, 0, m_size);
  }

  VkBuffer handle() const { return m_range.buffer(); }
  uint64_t offset() const { return m_range.at(); }
  uint64_t size() const { return m_size; }
  /// Identity of the storage: a rename changes it.
  uint64_t serial() const { return m_serial; }
  /// Returns a view of texels of `texelBytes` each over [offset, offset + size); lives as long as the
  /// storage.
  Result<VkBufferView> texels(VkFormat format, uint32_t texelBytes, uint64_t offset, uint64_t size);

private:
  /// The bytes [lo, hi) of the buffer, with room up to `end`, and their uses here.
  struct Window {
    uint64_t lo = 0, hi = 0, end = 0;
    MemoryRange range;
    UseRanges uses;

    bool meets(uint64_t from, uint64_t to) const { return lo < to && from < hi; }
    bool holds(uint64_t from, uint64_t to) const { return lo <= from && to <= hi; }
    /// True if it can be written there, without a gap after its bytes.
    bool takes(uint64_t from, uint64_t to) const { return lo <= from && from <= hi && to <= end; }
    uint8_t* at(uint64_t byte) const { return range.mapped() + (byte - lo); }
  };
  static constexpr size_t kWindows = 8;

  BufferObject(Gpu& gpu, uint64_t size);
  void noteGpuWrite(VkPipelineStageFlags2 stages, VkAccessFlags2 access, uint64_t lo, uint64_t hi);
  bool fetchBesideWindows(uint64_t lo, uint64_t hi, uint32_t boundAs, bool anywhere);
  /// Copies windows home whose bytes are no longer used there.
  void mergeHome();
  /// The bytes [lo, hi) of the buffer.
  struct Span {
    uint64_t lo, hi;
  };
  /// Makes one window that holds `part`. Bytes of `fresh` come from `source`, the others from home and
  /// windows. Null if that is too much or cannot be read. Removes windows that the new one covers.
  Window* openWindow(Span part, Span fresh, core::ByteSource* source, bool& unreadable);
  void dropWindow(size_t i);
  /// Brings all bytes home; the GPU copies windows that this cannot do without it.
  void flatten();
  Result<void> writeStaged(uint64_t offset, uint64_t size, core::ByteSource& source);
  /// Records a copy to [offset, offset + size), after earlier uses.
  void copyIn(uint64_t offset, VkBuffer from, uint64_t fromOffset, uint64_t size);
  void copyBytes(VkBuffer from, uint64_t fromOffset, VkBuffer to, uint64_t toOffset, uint64_t size);
  /// Gives the buffer another home, with all bytes; [lo, hi) come from `source`. If they cannot be read the
  /// buffer does not change. Without a source the caller writes each of them.
  bool rename(uint64_t lo, uint64_t hi, core::ByteSource* source, bool& unreadable);
  bool rename(uint64_t lo, uint64_t hi) {
    bool unreadable;
    return rename(lo, hi, nullptr, unreadable);
  }
  bool busyAtHome(uint64_t lo, uint64_t hi) { return m_uses.busy(lo, hi, m_gpu.recorder->completed()); }

  Gpu& m_gpu;
  const uint64_t m_size;
  MemoryRange m_range;
  HostMemoryCharge m_charge;
  uint64_t m_lastUse = 0, m_lastGpuWrite = 0, m_serial = 0;
  uint64_t m_discardedUse = 0;  ///< the home's last use before the last DISCARD that left it in use
  UseRanges m_uses;             ///< uses of the home
  UseRanges m_gpuWrites;        ///< its writes among them
  std::unique_ptr<std::array<Window, kWindows>> m_windows;
  size_t m_windowCount = 0;
  std::unique_ptr<StreamCounter> m_streamCounter;  ///< null: filled with nothing
  bool m_streamed = false;
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
