// SPDX-License-Identifier: MIT
// Storage and updates of buffers (see buffer.h).
#include "renderer/vulkan/objects/buffer.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "renderer/vulkan/objects/stream_counter.h"

namespace aerogpu::vk {
namespace {

constexpr uint64_t kRenameBytes = uint64_t{1}
                                  << 20;  // larger buffers are renamed only when wholly overwritten
constexpr uint64_t kWindowAlign = 64;
constexpr uint64_t kUncachedBytes = 4096;  // most that the host reads back from memory that is slow to read
constexpr uint64_t kStagePiece = uint64_t{4} << 20;  // one chunk of staging memory

}  // namespace

BufferObject::BufferObject(Gpu& gpu, uint64_t size) : m_gpu(gpu), m_size(size) {}

Result<std::unique_ptr<core::GpuBuffer>> BufferObject::create(Gpu& gpu, const core::BufferDesc& desc) {
  std::unique_ptr<BufferObject> self(new BufferObject(gpu, desc.sizeBytes));
  self->m_charge = HostMemoryCharge::take(
      gpu.hostMemory, std::max(desc.sizeBytes, kBufferAlign) + sizeof(BufferObject), HostMemoryKind::Buffers);
  if (!self->m_charge.ok())
    return refused(ErrorCode::Backend, "host memory limit reached", {{"bytes", desc.sizeBytes}});
  auto range = gpu.buffers->allocate(desc.sizeBytes, kBufferAlign);
  if (!range) return range.error();
  self->m_range = *range;
  self->m_serial = gpu.nextSerial++;
  std::memset(self->m_range.mapped(), 0, self->m_range.size);
  return std::unique_ptr<core::GpuBuffer>(std::move(self));
}

BufferObject::~BufferObject() {
  if (!m_range) return;
  while (m_windowCount != 0) dropWindow(m_windowCount - 1);
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

Result<VkBufferView> BufferObject::texels(VkFormat format, uint32_t texelBytes, uint64_t offset,
                                          uint64_t size) {
  for (const Texels& t : m_texels)
    if (t.format == format && t.offset == offset && t.size == size) return t.view;
  const VkPhysicalDeviceLimits& limits = m_gpu.device->limits();
  if (const VkDeviceSize alignment = m_gpu.device->texelAlignment(texelBytes); offset % alignment != 0)
    return refused(ErrorCode::Backend, "offset of a buffer view is not aligned for this GPU",
                   {{"offset_bytes", offset}, {"bytes", alignment}});
  if (m_texels.size() >= kMaxTexels) dropTexels();
  HostMemoryCharge charge = HostMemoryCharge::take(m_gpu.hostMemory, kViewBytes, HostMemoryKind::Buffers);
  if (!charge.ok()) return Error{ErrorCode::Backend, "host memory limit reached by views", {}};
  VkBufferViewCreateInfo info{VK_STRUCTURE_TYPE_BUFFER_VIEW_CREATE_INFO};
  info.buffer = handle();
  info.format = format;
  info.offset = m_range.at() + offset;
  const uint64_t range = std::min<uint64_t>(size, uint64_t{limits.maxTexelBufferElements} * texelBytes);
  info.range = range - range % texelBytes;
  VkBufferView view = VK_NULL_HANDLE;
  const VkResult result = m_gpu.device->vk().CreateBufferView(m_gpu.device->handle(), &info, nullptr, &view);
  if (result != VK_SUCCESS) return m_gpu.device->fail(result, "vkCreateBufferView");
  m_texels.push_back({format, offset, size, view, std::move(charge)});
  return view;
}

bool BufferObject::rename(uint64_t lo, uint64_t hi, core::ByteSource* source, bool& unreadable) {
  unreadable = false;
  Recorder& recorder = *m_gpu.recorder;
  if (!recorder.finished(m_lastGpuWrite)) return false;
  const bool whole = lo == 0 && hi == m_size;
  const bool cheap = m_size <= kRenameBytes && (m_range.block->cached || m_size <= kUncachedBytes);
  if ((!whole && !cheap) || !m_gpu.renames.take(recorder, m_size)) return false;
  auto fresh = m_gpu.buffers->allocate(m_size, kBufferAlign);
  if (!fresh) return false;
  // The memory holds another program's bytes, which must not become this buffer's.
  if (source && !source->read(0, fresh->mapped() + lo, hi - lo)) {
    m_gpu.buffers->giveBack(*fresh);
    unreadable = true;
    return false;
  }
  std::memcpy(fresh->mapped(), m_range.mapped(), lo);
  std::memcpy(fresh->mapped() + hi, m_range.mapped() + hi, m_size - hi);
  std::memset(fresh->mapped() + m_size, 0, fresh->size - m_size);
  for (size_t i = 0; i < m_windowCount; ++i) {
    const Window& w = (*m_windows)[i];
    if (w.lo < lo) std::memcpy(fresh->mapped() + w.lo, w.at(w.lo), std::min(w.hi, lo) - w.lo);
    const uint64_t behind = std::max(w.lo, hi);
    if (behind < w.hi) std::memcpy(fresh->mapped() + behind, w.at(behind), w.hi - behind);
  }
  while (m_windowCount != 0) dropWindow(m_windowCount - 1);
  recorder.retire(*m_gpu.buffers, m_range);
  m_range = *fresh;
  m_uses.clear();
  m_gpuWrites.clear();
  m_lastUse = m_discardedUse = 0;
  m_readStages = m_writeStages = 0;
  m_writeAccess = 0;
  m_gpu.renames.note(m_boundAs);
  m_boundAs = 0;
  m_serial = m_gpu.nextSerial++;
  dropTexels();
  return true;
}

void BufferObject::dropWindow(size_t i) {
  m_gpu.windows->give((*m_windows)[i].range, m_lastUse);
  if (i != --m_windowCount) (*m_windows)[i] = (*m_windows)[m_windowCount];
}

void BufferObject::mergeHome() {
  for (size_t i = m_windowCount; i-- != 0;) {
    const Window& w = (*m_windows)[i];
    if (busyAtHome(w.lo, w.hi)) continue;
    std::memcpy(m_range.mapped() + w.lo, w.at(w.lo), w.hi - w.lo);
    dropWindow(i);
  }
}

void BufferObject::flatten() {
  mergeHome();
  if (m_windowCount == 0 || rename(0, 0)) return;
  for (size_t i = std::exchange(m_windowCount, 0); i-- != 0;) {
    const Window& w = (*m_windows)[i];
    copyIn(w.lo, w.range.buffer(), w.range.at(), w.hi - w.lo);
    m_gpu.windows->give(w.range, m_lastUse);
  }
}

BufferObject::Window* BufferObject::openWindow(Span part, Span fresh, core::ByteSource* source,
                                               bool& unreadable) {
  unreadable = false;
  part.lo &= ~(kWindowAlign - 1);  // indices and attributes are as aligned as at home
  // Extends the part over windows that it meets, after which it may meet others.
  for (bool again = true; again;) {
    again = false;
    for (size_t i = 0; i < m_windowCount; ++i) {
      const Window& w = (*m_windows)[i];
      if (!w.meets(part.lo, part.hi) || (w.lo >= part.lo && w.hi <= part.hi)) continue;
      part = {std::min(part.lo, w.lo), std::max(part.hi, w.hi)};
      again = true;
    }
  }
  size_t absorbed = 0;
  for (size_t i = 0; i < m_windowCount; ++i) absorbed += (*m_windows)[i].meets(part.lo, part.hi);
  const uint64_t bytes = part.hi - part.lo, kept = bytes - (fresh.hi - fresh.lo);
  if (bytes > WindowPool::kMost || m_windowCount - absorbed == kWindows) return nullptr;
  if (kept > kUncachedBytes && !m_range.block->cached) return nullptr;
  if (m_gpuWrites.busy(part.lo, part.hi, m_gpu.recorder->completed())) return nullptr;
  // Room to grow, as streams do.
  const uint64_t room =
      std::min({std::max(bytes * 2, WindowPool::kLeast), WindowPool::kMost, m_size - part.lo});
  if (!m_gpu.renames.take(*m_gpu.recorder, room)) return nullptr;
  auto range = m_gpu.windows->take(room, m_gpu.recorder->completed());
  if (!range) return nullptr;
  Window made;
  made.lo = part.lo;
  made.hi = part.hi;
  made.end = std::min(part.lo + range->size, m_size);
  made.range = *range;
  if (source && !source->read(0, made.at(fresh.lo), fresh.hi - fresh.lo)) {
    m_gpu.windows->give(*range, 0);
    unreadable = true;
    return nullptr;
  }
  const auto keep = [&](const uint8_t* from, uint64_t lo, uint64_t hi) {  // `from` is byte `lo`
    if (lo < fresh.lo) std::memcpy(made.at(lo), from, std::min(hi, fresh.lo) - lo);
    const uint64_t behind = std::max(lo, fresh.hi);
    if (behind < hi) std::memcpy(made.at(behind), from + (behind - lo), hi - behind);
  };
  if (kept != 0) keep(m_range.mapped() + part.lo, part.lo, part.hi);
  for (size_t i = m_windowCount; i-- != 0;) {
    const Window& w = (*m_windows)[i];
    if (!w.meets(part.lo, part.hi)) continue;
    keep(w.at(w.lo), w.lo, w.hi);
    dropWindow(i);
  }
  if (!m_windows) m_windows = std::make_unique<std::array<Window, kWindows>>();
  m_streamed = true;
  m_gpu.renames.note(m_boundAs);  // bindings of the home are stale now
  return &((*m_windows)[m_windowCount++] = made);
}

bool BufferObject::fetchBesideWindows(uint64_t lo, uint64_t hi, uint32_t boundAs, bool anywhere) {
  if (anywhere) {
    bool met = false;
    for (size_t i = 0; i < m_windowCount; ++i) {
      Window& w = (*m_windows)[i];
      if (w.holds(lo, hi)) {
        w.uses.note(lo, hi, m_lastUse);
        return true;
      }
      met |= w.meets(lo, hi);
    }
    if (met) {
      bool unreadable;
      if (Window* w = openWindow({lo, hi}, {lo, lo}, nullptr, unreadable)) {
        w->uses.note(lo, hi, m_lastUse);
        return true;
      }
      flatten();
    }
  } else {
    flatten();
  }
  m_uses.note(lo, hi, m_lastUse = m_gpu.recorder->batch());
  m_boundAs |= boundAs;
  m_readStages = VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT;
  settleWrites();
  return false;
}

BufferObject::Place BufferObject::place(uint64_t lo) const {
  for (size_t i = 0; i < m_windowCount; ++i) {
    const Window& w = (*m_windows)[i];
    if (w.lo <= lo && lo < w.hi) return {w.range.buffer(), w.range.at() + (lo - w.lo), w.hi - lo};
  }
  return {handle(), m_range.at() + lo, m_size - lo};
}

const uint8_t* BufferObject::hostBytes(uint64_t lo, uint64_t hi) {
  if (!m_range.block->cached || m_gpuWrites.busy(lo, hi, m_gpu.recorder->completed())) return nullptr;
  for (size_t i = 0; i < m_windowCount; ++i) {
    const Window& w = (*m_windows)[i];
    if (w.holds(lo, hi)) return w.at(lo);
    if (w.meets(lo, hi)) return nullptr;
  }
  return m_range.mapped() + lo;
}

Result<void> BufferObject::fill(uint64_t offset, uint64_t size, uint32_t pattern) {
  if (auto checked = core::checkFill(m_size, offset, size); !checked) return checked;
  const uint64_t end = offset + size;
  mergeHome();
  const bool ordered = m_gpu.recorder->finished(m_lastGpuWrite);
  if (m_windowCount == 0 && ((ordered && !busyAtHome(offset, end)) || rename(offset, end))) {
    for (uint64_t at = offset; at < end; at += sizeof pattern)
      std::memcpy(m_range.mapped() + at, &pattern, sizeof pattern);
    return {};
  }
  if (auto opened = m_gpu.recorder->open(); !opened) return opened;
  useAfterWrites(VK_ACCESS_2_TRANSFER_WRITE_BIT, 0);
  m_gpu.device->vk().CmdFillBuffer(m_gpu.recorder->outsidePass(), handle(), m_range.at() + offset, size,
                                   pattern);
  noteGpuWrite(VK_PIPELINE_STAGE_2_CLEAR_BIT, VK_ACCESS_2_TRANSFER_WRITE_BIT, offset, end);
  return {};
}

namespace {
Error unreadableBuffer() {
  return Error{ErrorCode::OutOfBounds, "guest memory of a buffer cannot be read", {}};
}
}  // namespace

Result<void> BufferObject::update(uint64_t offset, uint64_t size, core::ByteSource& source,
                                  core::UpdatePromise promise) {
  const Recorder& recorder = *m_gpu.recorder;
  const uint64_t lo = offset, hi = offset + size;
  const auto put = [&](uint8_t* to) -> Result<void> {
    if (!source.read(0, to, size)) return unreadableBuffer();
    return {};
  };
  if (recorder.finished(m_lastUse)) {  // no use is under way at all
    mergeHome();
    return put(m_range.mapped() + lo);
  }
  const uint64_t completed = recorder.completed();
  // Promises count from the last DISCARD: the guest need not care about draws before it.
  const bool promised = promise.noOverwrite && m_discardedUse <= completed;
  if (promise.discard) m_discardedUse = m_lastUse;
  // Writes of the GPU keep their order with this one.
  if (m_gpuWrites.busy(lo, hi, completed)) return writeStaged(offset, size, source);
  if (promise.discard) {
    while (m_windowCount != 0) dropWindow(m_windowCount - 1);
  } else if (m_windowCount != 0) {
    mergeHome();
  }
  bool met = false;
  for (size_t i = 0; i < m_windowCount; ++i) {
    Window& w = (*m_windows)[i];
    if (w.takes(lo, hi) && (promise.noOverwrite || !w.uses.busy(lo, hi, completed))) {
      bool alone = true;
      for (size_t j = 0; j < m_windowCount; ++j) alone &= j == i || !(*m_windows)[j].meets(lo, hi);
      // A window that could take it continues even if the home could, so that a stream stays in one place.
      if (alone) {
        if (auto written = put(w.at(lo)); !written) return written;
        w.hi = std::max(w.hi, hi);
        return {};
      }
    }
    met |= w.meets(lo, hi);
  }
  if (!met && (promised || !busyAtHome(lo, hi))) return put(m_range.mapped() + lo);
  m_streamed = true;
  bool failed = false;
  if (lo == 0 && hi == m_size && rename(lo, hi, &source, failed)) return {};
  if (failed) return unreadableBuffer();
  if (openWindow({lo, hi}, {lo, hi}, &source, failed)) return {};
  if (failed) return unreadableBuffer();
  if (rename(lo, hi, &source, failed)) return {};
  if (failed) return unreadableBuffer();
  return writeStaged(offset, size, source);
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
  // Always a barrier: to Vulkan, indices past a neighbour in the same VkBuffer may have read here.
  m_readStages = VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT;
  useAfterWrites(VK_ACCESS_2_TRANSFER_WRITE_BIT, 0);
  copyBytes(from, fromOffset, handle(), m_range.at() + offset, size);
  noteGpuWrite(VK_PIPELINE_STAGE_2_COPY_BIT, VK_ACCESS_2_TRANSFER_WRITE_BIT, offset, offset + size);
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
  if (m_windowCount != 0) flatten();
  constexpr VkAccessFlags2 kWrites = VK_ACCESS_2_TRANSFER_WRITE_BIT | VK_ACCESS_2_SHADER_STORAGE_WRITE_BIT |
                                     VK_ACCESS_2_TRANSFORM_FEEDBACK_WRITE_BIT_EXT;
  const bool writes = (access & kWrites) != 0;
  const bool needed = m_writeAccess != 0 || (writes && m_readStages != 0);
  if (needed) {
    VkMemoryBarrier2 barrier{VK_STRUCTURE_TYPE_MEMORY_BARRIER_2};
    barrier.srcStageMask = m_writeStages | m_readStages;
    barrier.srcAccessMask = m_writeAccess;
    // Covers all later uses at once, so that one barrier is enough for many.
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
  m_uses.note(0, m_size, m_lastUse);
  m_boundAs |= boundAs;
  if (!writes) m_readStages = VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT;
}

void BufferObject::noteGpuWrite(VkPipelineStageFlags2 stages, VkAccessFlags2 access, uint64_t lo,
                                uint64_t hi) {
  m_gpu.recorder->hostReads();  // in rename() and openWindow()
  m_writeStages |= stages;
  m_writeAccess |= access;
  m_lastGpuWrite = m_lastUse = m_gpu.recorder->batch();
  m_gpuWrites.note(lo, hi, m_lastUse);
}

StreamCounter& BufferObject::streamCounter() {
  if (!m_streamCounter) m_streamCounter = std::make_unique<StreamCounter>(m_gpu);
  return *m_streamCounter;
}

Result<void> BufferObject::setFilled(uint32_t bytes) {
  if (bytes != 0 || m_streamCounter) streamCounter().set(bytes);
  return {};
}

Result<uint32_t> BufferObject::filled() {
  if (!m_streamCounter) return 0u;
  auto bytes = m_streamCounter->read();
  if (!bytes) return bytes;
  return static_cast<uint32_t>(std::min<uint64_t>(*bytes, m_size));
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
  if (auto opened = recorder.openToRead(); !opened) return opened;
  if (recorder.endsSoon() && m_gpu.imports->wants(size, size)) {
    uint64_t pitch = 0;
    if (auto import = m_gpu.imports->import(sink->lend(pitch))) {
      recorder.orderHostCopies();
      useAfterWrites(VK_ACCESS_2_TRANSFER_READ_BIT, 0);
      copyBytes(handle(), m_range.at() + offset, import->buffer(), import->offset(), size);
      recorder.hostReads();
      recorder.keepTarget(std::move(import));
      return {};
    }
  }
  auto staged = recorder.stageReadback(size);
  if (!staged) return staged.error();
  useAfterWrites(VK_ACCESS_2_TRANSFER_READ_BIT, 0);
  copyBytes(handle(), m_range.at() + offset, staged->buffer(), staged->offset, size);
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
