// SPDX-License-Identifier: MIT
// image.h: a texture on the device, and guest memory with a copy of its pixels. Draws use the texture; Surface
// (resource.h) records whether the copy is old.
#pragma once

#include "guest-drivers/umd-common/base/texture_layout.h"
#include "guest-drivers/umd-d3d9/submit/device_objects.h"

namespace aero {

/** The uses of an image. */
struct ImageUse {
  bool texture = false, target = false, depth = false;
  bool shared = false;
  bool primary = false;      // scanned out
  bool dynamic = false;      // programs write to it repeatedly
  uint32_t sampleCount = 1;  // samples a pixel; above 1, the CPU has no access
};

/** The size of an image: pixels, levels, and layers or, of a volume, slices. */
struct ImageSize {
  uint32_t width = 0, height = 0;
  uint32_t depth = 0;  // 0: no volume
  uint32_t levels = 1, layers = 1;
};

/** Memory of the size of one level, which the CPU locks to read or write the pixels of an image. If the device cannot
 * copy between textures and plain memory (feature bit 39), it is the memory of a texture of one level. */
struct Staging {
  Allocation memory;
  uint32_t handle = 0;
  uint32_t width = 0, height = 0, slices = 0;
  uint32_t pitch = 0;
  uint64_t slicePitch = 0;
  bool locked = false;
  const void *reader = nullptr;  // the surface that it was requested for, by a lock that does not wait
  uint64_t doneBatch = 0;        // a lock has shown that the device is done with this batch

  /** Locks the memory; memory.batch is then done. */
  HRESULT lock(const Runtime &runtime, D3DDDICB_LOCKFLAGS how, void *&bytes) {
    const HRESULT result = runtime.lock(memory.handle, how, bytes);
    if (!failed(result)) doneBatch = memory.batch;
    return result;
  }
  /** True if the device is known to be done with the memory. */
  bool isDone() const { return memory.batch && doneBatch == memory.batch; }
};

/** Pixels of one level: a rectangle in one layer, or in each of `slices` slices of a volume from `layer` on. */
struct ImagePart {
  uint32_t level = 0, layer = 0;
  Rect rect;
  uint32_t slices = 1;
};

struct Image {
  static constexpr uint32_t kMaxStaging = 3;
  // Limits of images without guest memory, whose locked bytes are sent in packets: an allocation takes whole pages, and
  // kernel calls to make, lock and destroy it. A dynamic image is sent often, so its limit is where copies cost more
  // than locks.
  static constexpr uint64_t kSmallBytes = uint64_t{64} * 1024, kSmallDynamicBytes = uint64_t{16} * 1024;

  const FormatRow *format = nullptr;
  TextureLayout layout;
  Allocation memory;
  uint32_t handle = 0;
  bool cpuVisible = false;       // the memory may be locked
  bool isSmall = false;          // locked bytes lie in the process' heap, and packets carry them
  bool crossesContexts = false;  // shared, or scanned out: every batch that touches it lists its memory
  uint32_t sampleCount = 1;
  uint32_t locks = 0;        // locks of the memory
  uint8_t *bytes = nullptr;  // bytes of a small image, all levels and layers; null: it was never locked
  Staging staging[kMaxStaging];

  /** Sets the layout, and sets `request` to the memory that the image needs; 0 bytes mean none. Returns false for
   * invalid dimensions or uses. */
  bool plan(const Runtime &runtime, const FormatRow &row, const ImageSize &size, const ImageUse &use,
            AllocationRequest &request);
  /** Returns where a level of a layer lies among the bytes of a small image, or null without memory. */
  uint8_t *processBytes(uint32_t level, uint32_t layer);
  /** Makes the texture, with `memory` as its backing if there is some, or imports the texture that the kernel driver
   * has made. */
  HRESULT create(DeviceObjects &objects, const ImageUse &use);
  /** Takes over an allocation that another device made: its texture is imported. */
  HRESULT open(DeviceObjects &objects, const FormatRow &row, uint32_t width, uint32_t height,
               const Allocation &allocation);
  /** Imports the texture whose token `memory` has. */
  HRESULT import(DeviceObjects &objects);
  /** Destroys all of it, except memory that belongs to the runtime's resource. */
  void destroy(DeviceObjects &objects);

  /** Writes bytes at `source` (rows `sourcePitch`, slices `sourceSlicePitch` apart) by packets that carry them. */
  bool upload(DeviceObjects &objects, const ImagePart &part, const void *source, uint32_t sourcePitch,
              uint64_t sourceSlicePitch);
  /** Tells the device that memory has changed. `wholeRows`: the memory between the rows is up to date too, so one
   * packet may include it. */
  bool markDirty(DeviceObjects &objects, const ImagePart &part, bool wholeRows);

  /** Finds or makes staging for a level of that size that no GPU work uses. If all is in use: with `wait`, returns the
   * oldest, and the caller's lock waits for it; otherwise fails with kWasStillDrawing. `locked`: set to its bytes if
   * the search has locked it, and then the caller unlocks it; else to null. */
  HRESULT takeStaging(DeviceObjects &objects, uint32_t width, uint32_t height, uint32_t slices, bool wait,
                      Staging *&out, void **locked = nullptr);
  /** Copies a part to the same pixels of staging, which is as large as the level, and makes the device store them in
   * its memory. */
  bool copyOut(DeviceObjects &objects, const ImagePart &part, Staging &to);
  /** Copies what the CPU wrote in staging to the same pixels of the image. */
  bool copyIn(DeviceObjects &objects, const ImagePart &part, Staging &from);

private:
  bool uploadSlice(DeviceObjects &objects, const ImagePart &part, uint32_t layer, const uint8_t *from,
                   uint32_t sourcePitch);
  bool makeTexture(DeviceObjects &objects, uint32_t usage, uint32_t sampleCount);
  uint64_t stagingOffset(const ImagePart &part, const Staging &staging) const;
};

/** Copies `rect` of one image to (x, y) of another; both have the same device format. */
bool copyPixels(DeviceObjects &objects, uint32_t to, uint32_t toLevel, uint32_t toLayer, uint32_t x, uint32_t y,
                uint32_t from, uint32_t fromLevel, uint32_t fromLayer, const Rect &rect, uint32_t flags);

}  // namespace aero
