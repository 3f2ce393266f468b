// SPDX-License-Identifier: MIT
#include "guest-drivers/umd-d3d9/resources/surface_copies.h"

namespace aero {
namespace {

/** Packets carry up to this many bytes; more are copied through memory that the device reads. */
constexpr uint64_t kCarriedBytes = 16384;

/** An update of this size is submitted at once, so that the device copies while the program prepares the next one. It
 * waits for memory when the device is behind, which is shorter than carrying so much through the kernel's buffers. */
constexpr uint64_t kStartedBytes = 512 << 10;

HRESULT startUpdate(Context &context, uint64_t bytes, HRESULT result) {
  return failed(result) || bytes < kStartedBytes ? result : context.submit();
}

void copyRows(uint8_t *to, size_t toPitch, const uint8_t *from, size_t fromPitch, size_t bytes, uint32_t rows) {
  for (uint32_t row = 0; row < rows; row++) memcpy(to + row * toPitch, from + row * fromPitch, bytes);
}

/** Copies the slices of a box, `span` of each. */
void copySlices(const RowSpan &span, uint32_t slices, uint8_t *to, size_t toPitch, uint64_t toSlicePitch,
                const uint8_t *from, size_t fromPitch, uint64_t fromSlicePitch) {
  for (uint32_t slice = 0; slice < slices; slice++)
    copyRows(to + slice * toSlicePitch, toPitch, from + slice * fromSlicePitch, fromPitch, span.bytes, span.rows);
}

/** How a surface in the runtime's memory stores the rows of its format. */
struct SystemRows {
  uint32_t pitch;
  uint64_t slicePitch;
};

SystemRows systemRows(const Surface &surface, const FormatRow &format) {
  if (!format.isTight) return {surface.systemPitch, surface.systemSlicePitch};
  return {(surface.width + format.block - 1) / format.block * format.blockBytes, 0};
}

/** Returns how many bytes the runtime has for a surface of tight blocks. It counts one byte for each pixel, which is
 * too few if an edge of the surface cuts blocks. */
size_t tightBytes(const Surface &surface) {
  return size_t{surface.systemPitch} * surface.height;
}

/** Returns where `box` begins in staging, which is as large as the level. */
uint8_t *inStaging(void *memory, const Staging &staging, const Box &box, const RowSpan &span) {
  return static_cast<uint8_t *>(memory) + box.front * staging.slicePitch + uint64_t{span.firstRow} * staging.pitch +
         span.firstByte;
}

/** Where a box lies in the runtime's memory. */
struct SystemPart {
  SystemPart(const Surface &surface, const FormatRow &format, const Box &box)
      : rows(systemRows(surface, format)),
        span(rowsOf(format, box.rect)),
        first(static_cast<size_t>(box.front * rows.slicePitch + uint64_t{span.firstRow} * rows.pitch)),
        bytes(size_t{rows.pitch} * span.rows),
        isThere(!format.isTight || first + bytes <= tightBytes(surface)) {}
  const SystemRows rows;
  const RowSpan span;
  const size_t first, bytes;  // position and size of its whole rows
  const bool isThere;         // the runtime has all of them
};

}  // namespace

Rect wholeBlocks(const FormatRow &format, const Rect &rect, uint32_t width, uint32_t height) {
  const uint32_t mask = format.block - 1u;
  const auto up = [mask](uint32_t value, uint32_t limit) {
    const uint32_t rounded = (value + mask) & ~mask;
    return rounded < limit ? rounded : limit;
  };
  return {rect.left & ~mask, rect.top & ~mask, up(rect.right, width), up(rect.bottom, height)};
}

HRESULT writeSurface(DeviceObjects &objects, Surface &surface, const Box &box, const uint8_t *source,
                     uint32_t sourcePitch, uint64_t sourceSlicePitch) {
  Image &image = *surface.image;
  if (image.sampleCount > 1) return kNotAvailable;
  const RowSpan span = rowsOf(*image.format, box.rect);
  const ImagePart part = surface.part(box);
  const Runtime &runtime = objects.context.runtime();
  const uint64_t bytes = uint64_t{span.rows} * span.bytes * part.slices;
  if (!image.isSmall && bytes > kCarriedBytes) {
    if (image.cpuVisible && !image.locks && !objects.context.isPending(image.memory)) {
      D3DDDICB_LOCKFLAGS how = {};
      how.DonotWait = 1;
      void *memory = nullptr;
      if (!failed(runtime.lock(image.memory.handle, how, memory))) {
        const LevelLayout &level = image.layout.level(part.level);
        uint8_t *to = static_cast<uint8_t *>(memory) + image.layout.offset(part.level, part.layer) +
                      uint64_t{span.firstRow} * level.pitch + span.firstByte;
        copySlices(span, part.slices, to, level.pitch, level.sliceBytes(), source, sourcePitch, sourceSlicePitch);
        const HRESULT result = runtime.unlock(image.memory.handle);
        surface.writes++;
        if (!image.markDirty(objects, part, !surface.memoryStale)) return objects.context.takeError();
        if (box == surface.whole()) surface.memoryStale = false;
        return startUpdate(objects.context, bytes, result);
      }
    }
    Staging *staging;
    void *memory = nullptr;
    const bool waits = bytes >= kStartedBytes;
    if (!failed(image.takeStaging(objects, surface.width, surface.height, surface.depth, waits, staging, &memory)) &&
        (memory || (!objects.context.isPending(staging->memory) && !failed(staging->lock(runtime, {}, memory))))) {
      copySlices(span, part.slices, inStaging(memory, *staging, box, span), staging->pitch, staging->slicePitch, source,
                 sourcePitch, sourceSlicePitch);
      const HRESULT result = runtime.unlock(staging->memory.handle);
      surface.markWritten();
      if (!image.copyIn(objects, part, *staging)) return objects.context.takeError();
      return startUpdate(objects.context, bytes, result);
    }
    // No memory is free, or none can be locked: the packets carry the bytes.
  }
  surface.markWritten();
  return image.upload(objects, part, source, sourcePitch, sourceSlicePitch) ? kOk : objects.context.takeError();
}

HRESULT writeSurface(DeviceObjects &objects, Surface &to, const Box &area, const Surface &from, const FormatRow &format,
                     const Box &box) {
  const auto [rows, span, first, bytes, isThere] = SystemPart(from, format, box);
  if (isThere)
    return writeSurface(objects, to, area, from.system + first + span.firstByte, rows.pitch, rows.slicePitch);
  // Bytes that the runtime does not have are zero.
  auto *copy = static_cast<uint8_t *>(heapAllocate(bytes));
  if (!copy) return kOutOfMemory;
  memset(copy, 0, bytes);
  if (first < tightBytes(from)) memcpy(copy, from.system + first, tightBytes(from) - first);
  const HRESULT result = writeSurface(objects, to, area, copy + span.firstByte, rows.pitch, 0);
  heapFree(copy);
  return result;
}

HRESULT readSurface(DeviceObjects &objects, Surface &from, const Box &box, const Surface &to, const FormatRow &format,
                    const Box &area) {
  const auto [rows, span, first, bytes, isThere] = SystemPart(to, format, area);
  if (isThere) return readSurface(objects, from, box, to.system + first + span.firstByte, rows.pitch, rows.slicePitch);
  auto *copy = static_cast<uint8_t *>(heapAllocate(bytes));
  if (!copy) return kOutOfMemory;
  const HRESULT result = readSurface(objects, from, box, copy + span.firstByte, rows.pitch, 0);
  if (!failed(result)) {
    // Bytes beside the rectangle belong to the program.
    for (uint32_t row = 0; row < span.rows; row++) {
      const size_t at = size_t{row} * rows.pitch + span.firstByte, end = tightBytes(to);
      if (first + at >= end) break;
      const size_t room = end - first - at;
      memcpy(to.system + first + at, copy + at, span.bytes < room ? span.bytes : room);
    }
  }
  heapFree(copy);
  return result;
}

HRESULT readSurface(DeviceObjects &objects, Surface &surface, const Box &box, uint8_t *to, uint32_t toPitch,
                    uint64_t toSlicePitch) {
  Image &image = *surface.image;
  if (image.sampleCount > 1) return kNotAvailable;
  Staging *staging;
  HRESULT result = image.takeStaging(objects, surface.width, surface.height, surface.depth, true, staging);
  if (failed(result)) return result;
  if (!image.copyOut(objects, surface.part(box), *staging)) return objects.context.takeError();
  result = objects.context.submit();
  if (failed(result)) return result;
  D3DDDICB_LOCKFLAGS how = {};
  how.ReadOnly = 1;
  void *memory = nullptr;
  result = staging->lock(objects.context.runtime(), how, memory);
  if (failed(result)) return result;
  const RowSpan span = rowsOf(*image.format, box.rect);
  copySlices(span, box.back - box.front, to, toPitch, toSlicePitch, inStaging(memory, *staging, box, span),
             staging->pitch, staging->slicePitch);
  return objects.context.runtime().unlock(staging->memory.handle);
}

}  // namespace aero
