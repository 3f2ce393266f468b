// SPDX-License-Identifier: MIT
// Storage and updates of buffers (see buffer.h).
#include "renderer/vulkan/objects/buffer.h"

#include <algorithm>
#include <cstring>

namespace aerogpu::vk {
namespace {

constexpr uint64_t kAlign = 256;  // largest offset alignment that Vulkan allows a device to ask
constexpr uint64_t kRenameBytes = uint64_t{1}
                                  << 20;  // larger buffers are renamed only when wholly overwritten
constexpr uint64_t kRenamePerBatch = uint64_t{64} << 20;
constexpr uint64_t kStagePiece = uint64_t{4} << 20;  // one chunk of staging memory

}  // namespace

Result<std::unique_ptr<core::GpuBuffer>> BufferObject::create(Gpu& gpu, const core::BufferDesc& desc) {
  std::unique_ptr<BufferObject> self(new BufferObject(gpu, desc.sizeBytes));
  self->m_charge =
      HostMemoryCharge::take(gpu.hostMemory, std::max(desc.sizeBytes, kAlign) + sizeof(BufferObject));
  if (!self->m_charge.ok()) return Error{ErrorCode::Backend, "host memory limit reached", {}};
  auto range = gpu.buffers->allocate(desc.sizeBytes, kAlign);
  if (!range) return range.error();
  self->m_range = *range;
  self->m_serial = gpu.nextSerial++;
  std::memset(self->m_range.mapped(), 0, self->m_range.size);
  return std::unique_ptr<core::GpuBuffer>(std::move(self));
}

BufferObject::~BufferObject() {
  if (!m_range) return;
  dropTexels();
  if (m_gpu.recorder->finished(m_lastUse))
    m_gpu.buffers->giveBack(m_range);
  else
    m_gpu.recorder->retire(*m_gpu.buffers, m_range);
}

void BufferObject::dropTexels() {
  for (const Texels& t : m_texels) m_gpu.recorder->retire(Retired::Kind::BufferView, t.view);
  m_texels.clear();
}

Result<VkBufferView> BufferObject::texels(VkFormat format, uint64_t offset, uint64_t size) {
  for (const Texels& t : m_texels)
    if (t.format == format && t.offset == offset && t.size == size) return t.view;
  const VkPhysicalDeviceLimits& limits = m_gpu.device->limits();
  if (offset % m_gpu.device->texelAlignment(4) != 0)  // R32 of every kind
    return Error{ErrorCode::Backend, "offset of a buffer view is not aligned for this GPU", {}};
  if (m_texels.size() >= kMaxTexels) dropTexels();
  HostMemoryCharge charge = HostMemoryCharge::take(m_gpu.hostMemory, kViewBytes);
  if (!charge.ok()) return Error{ErrorCode::Backend, "host memory limit reached by views", {}};
  VkBufferViewCreateInfo info{VK_STRUCTURE_TYPE_BUFFER_VIEW_CREATE_INFO};
  info.buffer = handle();
  info.format = format;
  info.offset = m_range.offset + offset;
  info.range = std::min<uint64_t>(size, uint64_t{limits.maxTexelBufferElements} * 4) & ~uint64_t{3};
  VkBufferView view = VK_NULL_HANDLE;
  const VkResult result = m_gpu.device->vk().CreateBufferView(m_gpu.device->handle(), &info, nullptr, &view);
  if (result != VK_SUCCESS) return m_gpu.device->fail(result, "vkCreateBufferView");
  m_texels.push_back({format, offset, size, view, std::move(charge)});
  return view;
}

bool BufferObject::rename(uint64_t keepBefore, uint64_t keepFrom) {
  Recorder& recorder = *m_gpu.recorder;
  if (m_gpu.renamedBatch != recorder.batch()) {
    m_gpu.renamedBatch = recorder.batch();
    m_gpu.renamedBytes = 0;
  }
  if (m_gpu.renamedBytes + m_size > kRenamePerBatch) return false;
  auto fresh = m_gpu.buffers->allocate(m_size, kAlign);
  if (!fresh) return false;
  m_gpu.renamedBytes += m_size;
  std::memcpy(fresh->mapped(), m_range.mapped(), keepBefore);
  std::memcpy(fresh->mapped() + keepFrom, m_range.mapped() + keepFrom, m_size - keepFrom);
  recorder.retire(*m_gpu.buffers, m_range);
  m_range = *fresh;
  m_lastUse = 0;
  m_readStages = m_writeStages = 0;
  m_writeAccess = 0;
  m_gpu.renamed |= m_boundAs;
  m_boundAs = 0;
  m_serial = m_gpu.nextSerial++;
  dropTexels();
  return true;
}

bool BufferObject::writable(uint64_t offset, uint64_t size) {
  Recorder& recorder = *m_gpu.recorder;
  if (recorder.finished(m_lastUse)) return true;
  const bool whole = offset == 0 && size == m_size;
  const bool cheap = m_size <= kRenameBytes && (m_range.block->cached || m_size <= 4096);
  return recorder.finished(m_lastGpuWrite) && (whole || cheap) && rename(offset, offset + size);
}

Result<void> BufferObject::fill(uint64_t offset, uint64_t size, uint32_t pattern) {
  if (auto checked = core::checkFill(m_size, offset, size); !checked) return checked;
  if (writable(offset, size)) {
    for (uint64_t at = offset; at < offset + size; at += sizeof pattern)
      std::memcpy(m_range.mapped() + at, &pattern, sizeof pattern);
    return {};
  }
  if (auto opened = m_gpu.recorder->open(); !opened) return opened;
  useAfterWrites(VK_ACCESS_2_TRANSFER_WRITE_BIT, 0);
  m_gpu.device->vk().CmdFillBuffer(m_gpu.recorder->outsidePass(), handle(), m_range.offset + offset, size,
                                   pattern);
  noteGpuWrite(VK_PIPELINE_STAGE_2_CLEAR_BIT, VK_ACCESS_2_TRANSFER_WRITE_BIT);
  return {};
}

Result<void> BufferObject::update(uint64_t offset, uint64_t size, core::ByteSource& source,
                                  core::UpdatePromise) {
  if (!writable(offset, size)) return writeStaged(offset, size, source);
  if (!source.read(0, m_range.mapped() + offset, size))
    return Error{ErrorCode::OutOfBounds, "guest memory of a buffer cannot be read", {}};
  return {};
}

Result<void> BufferObject::writeStaged(uint64_t offset, uint64_t size, core::ByteSource& source) {
  Recorder& recorder = *m_gpu.recorder;
  if (m_gpu.imports->wants(size, size)) {
    if (auto import = m_gpu.imports->import(source.lend())) {
      if (auto opened = recorder.open(); !opened) return opened;
      copyIn(offset, import->buffer(), import->offset(), size);
      recorder.keep(std::move(import));
      return {};
    }
  }
  for (uint64_t done = 0; done < size;) {
    const uint64_t piece = std::min(size - done, kStagePiece);
    if (auto opened = recorder.open(); !opened) return opened;
    auto staged = recorder.stage(piece);
    if (!staged) return staged.error();
    if (!source.read(done, staged->mapped(), piece))
      return Error{ErrorCode::OutOfBounds, "guest memory of a buffer cannot be read", {}};
    copyIn(offset + done, staged->buffer(), staged->offset, piece);
    done += piece;
  }
  return {};
}

void BufferObject::copyIn(uint64_t offset, VkBuffer from, uint64_t fromOffset, uint64_t size) {
  useAfterWrites(VK_ACCESS_2_TRANSFER_WRITE_BIT, 0);
  copyBytes(from, fromOffset, handle(), m_range.offset + offset, size);
  noteGpuWrite(VK_PIPELINE_STAGE_2_COPY_BIT, VK_ACCESS_2_TRANSFER_WRITE_BIT);
}

void BufferObject::copyBytes(VkBuffer from, uint64_t fromOffset, VkBuffer to, uint64_t toOffset,
                             uint64_t size) {
  VkBufferCopy2 region{VK_STRUCTURE_TYPE_BUFFER_COPY_2};
  region.srcOffset = fromOffset;
  region.dstOffset = toOffset;
  region.size = size;
  VkCopyBufferInfo2 copy{VK_STRUCTURE_TYPE_COPY_BUFFER_INFO_2};
  copy.srcBuffer = from;
  copy.dstBuffer = to;
  copy.regionCount = 1;
  copy.pRegions = &region;
  m_gpu.device->vk().CmdCopyBuffer2(m_gpu.recorder->outsidePass(), &copy);
}

void BufferObject::useAfterWrites(VkAccessFlags2 access, uint32_t boundAs) {
  constexpr VkAccessFlags2 kWrites = VK_ACCESS_2_TRANSFER_WRITE_BIT | VK_ACCESS_2_SHADER_STORAGE_WRITE_BIT;
  const bool writes = (access & kWrites) != 0;
  const bool needed = m_writeAccess != 0 || (writes && m_readStages != 0);
  if (needed) {
    VkMemoryBarrier2 barrier{VK_STRUCTURE_TYPE_MEMORY_BARRIER_2};
    barrier.srcStageMask = m_writeStages | m_readStages;
    barrier.srcAccessMask = m_writeAccess;
    // Everything that may follow is covered at once, so that one barrier is enough for many uses.
    barrier.dstStageMask = VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT;
    barrier.dstAccessMask = VK_ACCESS_2_MEMORY_READ_BIT | VK_ACCESS_2_MEMORY_WRITE_BIT;
    VkDependencyInfo info{VK_STRUCTURE_TYPE_DEPENDENCY_INFO};
    info.memoryBarrierCount = 1;
    info.pMemoryBarriers = &barrier;
    m_gpu.device->vk().CmdPipelineBarrier2(m_gpu.recorder->outsidePass(), &info);
    m_writeStages = m_readStages = 0;
    m_writeAccess = 0;
  }
  m_lastUse = m_gpu.recorder->batch();
  m_boundAs |= boundAs;
  if (!writes) m_readStages = VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT;
}

void BufferObject::noteGpuWrite(VkPipelineStageFlags2 stages, VkAccessFlags2 access) {
  m_gpu.recorder->hostReads();  // rename() does
  m_writeStages |= stages;
  m_writeAccess |= access;
  m_lastGpuWrite = m_lastUse = m_gpu.recorder->batch();
}

Result<void> BufferObject::copyFrom(uint64_t dstOffset, core::GpuBuffer& from, uint64_t srcOffset,
                                    uint64_t size) {
  auto& src = static_cast<BufferObject&>(from);
  Recorder& recorder = *m_gpu.recorder;
  if (auto opened = recorder.open(); !opened) return opened;
  src.useAfterWrites(VK_ACCESS_2_TRANSFER_READ_BIT, 0);
  copyIn(dstOffset, src.handle(), src.offset() + srcOffset, size);
  return {};
}

Result<void> BufferObject::read(uint64_t offset, uint64_t size, std::unique_ptr<core::ByteSink> sink) {
  Recorder& recorder = *m_gpu.recorder;
  if (auto opened = recorder.open(); !opened) return opened;
  if (m_gpu.imports->wants(size, size)) {
    uint64_t pitch = 0;
    if (auto import = m_gpu.imports->import(sink->lend(pitch))) {
      recorder.orderHostCopies();
      useAfterWrites(VK_ACCESS_2_TRANSFER_READ_BIT, 0);
      copyBytes(handle(), m_range.offset + offset, import->buffer(), import->offset(), size);
      recorder.hostReads();
      recorder.keep(std::move(import));
      return {};
    }
  }
  auto staged = recorder.stageReadback(size);
  if (!staged) return staged.error();
  useAfterWrites(VK_ACCESS_2_TRANSFER_READ_BIT, 0);
  copyBytes(handle(), m_range.offset + offset, staged->buffer(), staged->offset, size);
  recorder.hostReads();
  Readback readback;
  readback.sink = std::move(sink);
  readback.memory = *staged;
  readback.pixels = staged->mapped();
  readback.pitch = readback.rowBytes = size;
  readback.rows = 1;
  recorder.addReadback(std::move(readback));
  return {};
}

}  // namespace aerogpu::vk
