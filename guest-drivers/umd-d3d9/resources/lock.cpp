// SPDX-License-Identifier: MIT
#include "guest-drivers/umd-d3d9/resources/lock.h"

#include "guest-drivers/umd-d3d9/resources/buffers.h"
#include "guest-drivers/umd-d3d9/resources/surface_copies.h"

namespace aero {
namespace {

Box lockedArea(const Surface &surface, const FormatRow *format, const D3DDDIARG_LOCK &args) {
  Box box = surface.whole();
  if (args.Flags.AreaValid) {
    box.rect = clipped(args.Area, surface.width, surface.height);
  } else if (args.Flags.BoxValid) {
    const D3DDDIBOX &asked = args.Box;
    const auto signedValue = [](UINT value) { return static_cast<LONG>(value < 0x7FFFFFFF ? value : 0x7FFFFFFF); };
    box.rect =
        clipped({signedValue(asked.Left), signedValue(asked.Top), signedValue(asked.Right), signedValue(asked.Bottom)},
                surface.width, surface.height);
    box.front = asked.Front < surface.depth ? asked.Front : surface.depth;
    box.back = asked.Back < surface.depth ? asked.Back : surface.depth;
  }
  if (format) box.rect = wholeBlocks(*format, box.rect, surface.width, surface.height);
  return box.isEmpty() ? Box{{}, 0, 0} : box;
}

/** Puts the answer of a lock into the arguments. */
void answer(const Surface &surface, const FormatRow *format, const Box &area, D3DDDIARG_LOCK &args) {
  const SurfaceLock &lock = surface.lock;
  const uint32_t block = format ? format->block : 1, bytes = format ? format->blockBytes : 0;
  args.pSurfData = lock.bytes
                       ? lock.bytes + area.front * lock.slicePitch + uint64_t{area.rect.top / block} * lock.pitch +
                             uint64_t{area.rect.left / block} * bytes
                       : nullptr;
  args.Pitch = format && format->isTight ? surface.width : lock.pitch;
  args.SlicePitch = static_cast<UINT>(lock.slicePitch);
}

/** Allocates memory for a surface of format NULL, which has no pixels, while it is locked: its description promises a
 * pointer. */
HRESULT lockNothing(Surface &surface) {
  surface.lock.pitch = surface.width;
  surface.lock.slicePitch = uint64_t{surface.width} * surface.height;
  surface.lock.bytes = static_cast<uint8_t *>(heapAllocate(static_cast<size_t>(surface.lock.slicePitch)));
  if (!surface.lock.bytes) return kOutOfMemory;
  surface.lock.where = SurfaceLock::Where::Copy;
  return kOk;
}

/** Returns the smallest box that contains both. */
Box around(const Box &a, const Box &b) {
  const auto least = [](uint32_t x, uint32_t y) { return x < y ? x : y; };
  const auto most = [](uint32_t x, uint32_t y) { return x > y ? x : y; };
  return {{least(a.rect.left, b.rect.left), least(a.rect.top, b.rect.top), most(a.rect.right, b.rect.right),
           most(a.rect.bottom, b.rect.bottom)},
          least(a.front, b.front),
          most(a.back, b.back)};
}

/** Returns the part's first byte, by the pitches of the lock. */
uint8_t *firstByte(const SurfaceLock &lock, const FormatRow &format, const Box &area) {
  const RowSpan span = rowsOf(format, area.rect);
  return lock.bytes + area.front * lock.slicePitch + uint64_t{span.firstRow} * lock.pitch + span.firstByte;
}

/** Locks the image's own memory. */
HRESULT lockMemory(DeviceObjects &objects, Surface &surface, D3DDDI_LOCKFLAGS flags, bool probe) {
  Image &image = *surface.image;
  const Runtime &runtime = objects.context.runtime();
  D3DDDICB_LOCKFLAGS how = {};
  how.ReadOnly = flags.ReadOnly;
  // Without DonotWait the memory manager ignores IgnoreSync (page "PFND3DDDI_LOCKCB").
  how.IgnoreSync = flags.NoOverwrite && !flags.ReadOnly && runtime.hasAperture();
  how.DonotWait = flags.DoNotWait || probe || how.IgnoreSync;
  void *memory = nullptr;
  HRESULT result = runtime.lock(image.memory.handle, how, memory);
  if (result == kWasStillDrawing && how.IgnoreSync && !flags.DoNotWait) {
    how.IgnoreSync = how.DonotWait = 0;
    result = runtime.lock(image.memory.handle, how, memory);
  }
  if (failed(result)) return result;
  image.locks++;
  surface.lock.where = SurfaceLock::Where::Memory;
  surface.lock.bytes = static_cast<uint8_t *>(memory) + image.layout.offset(surface.level, surface.layer);
  surface.lock.pitch = image.layout.level(surface.level).pitch;
  surface.lock.slicePitch = image.layout.level(surface.level).sliceBytes();
  surface.lock.stale = surface.memoryStale;
  return kOk;
}

/** Locks the process' bytes of a small image. Draws do not read them, so this never waits. */
HRESULT lockProcess(Surface &surface) {
  Image &image = *surface.image;
  surface.lock.bytes = image.processBytes(surface.level, surface.layer);
  if (!surface.lock.bytes) return kOutOfMemory;
  surface.lock.where = SurfaceLock::Where::Process;
  surface.lock.pitch = image.layout.level(surface.level).pitch;
  surface.lock.slicePitch = image.layout.level(surface.level).sliceBytes();
  return kOk;
}

/** Locks staging, with the surface's content if `read`. */
HRESULT lockStaging(DeviceObjects &objects, Surface &surface, const Box &area, bool read, bool wait) {
  Image &image = *surface.image;
  Staging *staging;
  HRESULT result = image.takeStaging(objects, surface.width, surface.height, surface.depth, wait, staging);
  if (failed(result)) return result;
  if (read && !image.copyOut(objects, surface.part(area), *staging)) return objects.context.takeError();
  if (objects.context.isPending(staging->memory)) result = objects.context.submit();
  if (failed(result)) return result;
  void *memory = nullptr;
  result = staging->lock(objects.context.runtime(), {}, memory);
  if (failed(result)) return result;
  staging->locked = true;
  surface.lock.where = SurfaceLock::Where::Staging;
  surface.lock.staging = staging;
  surface.lock.bytes = static_cast<uint8_t *>(memory);
  surface.lock.pitch = staging->pitch;
  surface.lock.slicePitch = staging->slicePitch;
  return kOk;
}

/** True if the requested copy has the surface's current content. */
bool isCurrent(const DeviceObjects &objects, const Surface &surface, const Box &area) {
  if (!surface.asked || surface.asked->reader != &surface || !(surface.askedArea == area)) return false;
  if (!surface.bindings && surface.askedWrites == surface.writes) return true;
  return objects.context.isEmpty() && objects.context.batch() == surface.askedBatch;
}

/** Locks staging with the surface's content, but never waits: if the content has not arrived, this requests it for a
 * later lock. */
HRESULT lockLater(DeviceObjects &objects, Surface &surface, const Box &area) {
  Image &image = *surface.image;
  Context &context = objects.context;
  if (!isCurrent(objects, surface, area)) {
    if (surface.asked && surface.asked->reader == &surface) surface.asked->reader = nullptr;
    surface.asked = nullptr;
    Staging *staging;
    HRESULT result = image.takeStaging(objects, surface.width, surface.height, surface.depth, false, staging);
    if (result == kWasStillDrawing) {  // or the batch that uses the staging would never end
      const HRESULT submitted = context.submit();
      if (failed(submitted)) return submitted;
    }
    if (failed(result)) return result;
    if (!image.copyOut(objects, surface.part(area), *staging)) return context.takeError();
    result = context.submit();
    if (failed(result)) return result;
    staging->reader = &surface;
    surface.asked = staging;
    surface.askedArea = area;
    surface.askedWrites = surface.writes;
    surface.askedBatch = context.batch();
  }
  D3DDDICB_LOCKFLAGS how = {};
  how.DonotWait = 1;
  void *memory = nullptr;
  const HRESULT result = surface.asked->lock(context.runtime(), how, memory);
  if (failed(result)) return result;
  Staging &staging = *surface.asked;
  staging.reader = nullptr;
  surface.asked = nullptr;
  staging.locked = true;
  surface.lock.where = SurfaceLock::Where::Staging;
  surface.lock.staging = &staging;
  surface.lock.bytes = static_cast<uint8_t *>(memory);
  surface.lock.pitch = staging.pitch;
  surface.lock.slicePitch = staging.slicePitch;
  return kOk;
}

/** Locks memory of the process, for a surface whose old content does not matter. */
HRESULT lockCopy(Surface &surface) {
  const LevelLayout &level = surface.image->layout.level(surface.level);
  surface.lock.bytes = static_cast<uint8_t *>(heapAllocate(static_cast<size_t>(level.bytes())));
  if (!surface.lock.bytes) return kOutOfMemory;
  surface.lock.where = SurfaceLock::Where::Copy;
  surface.lock.pitch = level.pitch;
  surface.lock.slicePitch = level.sliceBytes();
  return kOk;
}

HRESULT lockImage(DeviceObjects &objects, Surface &surface, const Box &area, D3DDDI_LOCKFLAGS flags) {
  Image &image = *surface.image;
  if (image.sampleCount > 1) return kNotAvailable;  // no memory has all samples of a pixel
  // Both flags together mean no-overwrite.
  const bool discard = flags.Discard && !flags.NoOverwrite;
  if (image.isSmall && (discard || !surface.memoryStale)) return lockProcess(surface);
  if (image.cpuVisible && (discard || !surface.memoryStale)) {
    const bool pending = objects.context.isPending(image.memory);
    // What the program may write to during the lock must not be listed in a batch that another call submits meanwhile.
    const bool overwritesNothing = flags.NoOverwrite && objects.context.runtime().hasAperture();
    if (pending && !discard && !overwritesNothing) {
      const HRESULT submitted = objects.context.submit();
      if (failed(submitted)) return submitted;
    }
    if (!pending || !discard) {
      const HRESULT result = lockMemory(objects, surface, flags, discard);
      if (result != kWasStillDrawing || !discard) return result;
    }
  }
  if (!discard)
    return flags.DoNotWait ? lockLater(objects, surface, area) : lockStaging(objects, surface, area, true, true);
  const HRESULT result = lockStaging(objects, surface, area, false, !flags.DoNotWait);
  return result == kNotAvailable ? lockCopy(surface) : result;
}

HRESULT unlockImage(DeviceObjects &objects, Resource &resource, Surface &surface) {
  SurfaceLock &lock = surface.lock;
  Image &image = *surface.image;
  const Runtime &runtime = objects.context.runtime();
  HRESULT result = kOk;
  bool sent = true;
  if (lock.where == SurfaceLock::Where::Memory) {
    const ImagePart part = surface.part(lock.area);
    // While the program has another level locked, the batch must not list the memory: Windows would move it, or refuse
    // the batch where it cannot (page "PFND3DDDI_RENDERCB"). So packets carry the bytes.
    if (lock.writes && image.locks > 1)
      sent = image.upload(objects, part, firstByte(lock, *resource.format(), lock.area), lock.pitch, lock.slicePitch);
    image.locks--;
    result = runtime.unlock(image.memory.handle);
    if (lock.writes && !image.locks) sent = image.markDirty(objects, part, !lock.stale);
    if (lock.writes) surface.writes++;
    if (lock.writes && lock.area == surface.whole()) surface.memoryStale = false;
  } else if (lock.where == SurfaceLock::Where::Staging) {
    lock.staging->locked = false;
    result = runtime.unlock(lock.staging->memory.handle);
    if (lock.writes) {
      sent = image.copyIn(objects, surface.part(lock.area), *lock.staging);
      surface.markWritten();
    }
  } else if (lock.where == SurfaceLock::Where::Process) {
    if (lock.writes) {
      sent = image.upload(objects, surface.part(lock.area), firstByte(lock, *resource.format(), lock.area), lock.pitch,
                          lock.slicePitch);
      surface.writes++;
      if (lock.area == surface.whole()) surface.memoryStale = false;
    }
  } else if (lock.where == SurfaceLock::Where::Copy) {
    if (lock.writes) {
      sent = image.upload(objects, surface.part(lock.area), firstByte(lock, *resource.format(), lock.area), lock.pitch,
                          lock.slicePitch);
      surface.markWritten();
    }
    heapFree(lock.bytes);
  }
  lock = {};
  return failed(result) || sent ? result : objects.context.takeError();
}

HRESULT lockBuffer(BufferStore &buffer, D3DDDIARG_LOCK &args) {
  uint32_t begin = 0, end = buffer.size;
  if (args.Flags.RangeValid) {
    begin = args.Range.Offset < buffer.size ? args.Range.Offset : buffer.size;
    const uint32_t most = buffer.size - begin;
    // A size of 0 means everything to the end (page "IDirect3DVertexBuffer9::Lock").
    end = begin + (args.Range.Size && args.Range.Size < most ? args.Range.Size : most);
  }
  if (!buffer.locks) {
    buffer.lockBegin = begin;
    buffer.lockEnd = end;
    buffer.lockWrites = !args.Flags.ReadOnly;
    buffer.lockPromises = args.Flags.NoOverwrite;
  } else {
    if (begin < buffer.lockBegin) buffer.lockBegin = begin;
    if (end > buffer.lockEnd) buffer.lockEnd = end;
    buffer.lockWrites |= !args.Flags.ReadOnly;
    buffer.lockPromises &= args.Flags.NoOverwrite;
  }
  // Both flags together mean the promise only.
  if (args.Flags.Discard && !args.Flags.NoOverwrite) buffer.isDiscarded = true;
  buffer.locks++;
  args.pSurfData = args.Flags.NotifyOnly ? nullptr : buffer.bytes + begin;
  args.Pitch = end - begin;
  args.SlicePitch = end - begin;
  return kOk;
}

HRESULT unlockBuffer(const DeviceObjects &objects, UploadMemory &uploads, BufferStore &buffer) {
  if (!buffer.locks) return kInvalidArgument;
  if (--buffer.locks) return kOk;
  if (!buffer.lockWrites || buffer.ofRuntime) return kOk;
  const uint32_t begin = buffer.lockBegin, end = buffer.lockEnd;
  if (buffer.lockPromises && buffer.sent.meets(begin, end) && buffer.sent.batch == objects.context.batch() &&
      rewriteSent(uploads, buffer, begin, end))
    return kOk;
  buffer.markDirty(begin, end, buffer.lockPromises);
  return kOk;
}

}  // namespace

HRESULT lockResource(DeviceObjects &objects, Resource &resource, D3DDDIARG_LOCK &args) {
  if (resource.isBuffer()) return lockBuffer(resource.buffer(), args);
  Surface *surface = resource.surface(args.SubResourceIndex);
  if (!surface) return kNotAvailable;
  SurfaceLock &lock = surface->lock;
  const Box area = lockedArea(*surface, resource.format(), args);
  // The runtime does not know that ATI1 and ATI2 have blocks. A lock may not split one.
  if (surface->image && resource.format()->isTight && args.Flags.AreaValid &&
      !(clipped(args.Area, surface->width, surface->height) == area.rect))
    return kNotAvailable;
  // A rectangle of a planar format lies in several places, so the lock counts for the whole surface.
  const bool isPlanar = resource.format() && resource.format()->isPlanar;
  const Box touched = isPlanar && !area.isEmpty() ? surface->whole() : area;
  if (lock.count) {
    if (lock.writes && !area.isEmpty()) lock.area = around(lock.area, touched);
  } else {
    lock.area = touched;
    lock.writes = !args.Flags.ReadOnly && !area.isEmpty();
    HRESULT result = kOk;
    if (surface->image) {
      result = lockImage(objects, *surface, area.isEmpty() ? surface->whole() : touched, args.Flags);
    } else if (resource.format() && resource.format()->isNull() && !resource.isSystemMemory()) {
      result = lockNothing(*surface);
    } else {
      lock.where = SurfaceLock::Where::Runtime;
      lock.bytes = surface->system;
      lock.pitch = surface->systemPitch;
      lock.slicePitch = surface->systemSlicePitch;
    }
    if (failed(result)) {
      lock = {};
      return result;
    }
  }
  lock.count++;
  if (args.Flags.NotifyOnly)
    args.pSurfData = nullptr;
  else
    answer(*surface, resource.format(), area, args);
  if (resource.isBitmap() && args.pSurfData)
    args.pSurfData = static_cast<uint8_t *>(args.pSurfData) + area.rect.left / 8;
  return kOk;
}

HRESULT unlockResource(DeviceObjects &objects, UploadMemory &uploads, Resource &resource,
                       const D3DDDIARG_UNLOCK &args) {
  if (resource.isBuffer()) return unlockBuffer(objects, uploads, resource.buffer());
  Surface *surface = resource.surface(args.SubResourceIndex);
  // The one case in which a driver may return this (page "Handling the E_INVALIDARG Return Value").
  if (!surface || !surface->lock.count) return kInvalidArgument;
  if (--surface->lock.count) return kOk;
  if (surface->image) return unlockImage(objects, resource, *surface);
  if (surface->lock.where == SurfaceLock::Where::Copy) heapFree(surface->lock.bytes);
  surface->lock = {};
  return kOk;
}

}  // namespace aero
