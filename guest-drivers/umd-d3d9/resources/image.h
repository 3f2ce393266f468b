// SPDX-License-Identifier: MIT
// image.h: a texture on the device and the memory behind it. The texture is what draws see; its memory is a copy of
// some moment, which Surface (resource.h) keeps account of.
#pragma once

#include "guest-drivers/umd-d3d9/resources/texture_layout.h"
#include "guest-drivers/umd-d3d9/submit/wire.h"

namespace aero {

/** What an image is for. */
struct ImageUse {
  bool texture = false, target = false, depth = false;
  bool shared = false;
  bool primary = false;      // scanned out
  bool dynamic = false;      // programs write to it again and again
  uint32_t sampleCount = 1;  // a pixel; above 1 copies of all its samples alone reach it
};

/** How large it is: pixels, levels, and layers or, of a volume, slices. */
struct ImageSize {
  uint32_t width = 0, height = 0;
  uint32_t depth = 0;  // 0: no volume
  uint32_t levels = 1, layers = 1;
};

/** One level in memory that the CPU locks: bytes on their way to or from an image. Where the device does not copy
 *  between textures and any memory (feature bit 39), it is the memory of a texture of one level. */
struct Staging {
  Allocation memory;
  uint32_t handle = 0;
  uint32_t width = 0, height = 0, slices = 0;
  uint32_t pitch = 0;
  uint64_t slicePitch = 0;
  bool locked = false;
  const void *reader = nullptr;  // the surface that waits for a copy into it, without anybody who waits
};

/** Pixels of one level: a rectangle in one layer, or in each of `slices` slices of a volume from `layer` on. */
struct ImagePart {
  uint32_t level = 0, layer = 0;
  Rect rect;
  uint32_t slices = 1;
};

struct Image {
  static constexpr uint32_t kMaxStaging = 3;
  // What is at most so large has no memory of the guest's: an allocation costs whole pages, and calls of the kernel to
  // make, lock and end it. What is written often goes with the packets only as long as a copy costs less than a lock.
  static constexpr uint64_t kSmallBytes = uint64_t{64} * 1024, kSmallDynamicBytes = uint64_t{16} * 1024;

  const FormatRow *format = nullptr;
  TextureLayout layout;
  Allocation memory;
  uint32_t handle = 0;
  bool cpuVisible = false;       // the memory may be locked
  bool isSmall = false;          // what is locked lies in the process, and goes with the packets
  bool crossesContexts = false;  // shared, or scanned out: every batch that touches it lists its memory
  uint32_t sampleCount = 1;
  uint32_t locks = 0;        // of the memory
  uint8_t *bytes = nullptr;  // of a small one, all levels and layers; null: nobody has locked it yet
  Staging staging[kMaxStaging];

  /** Lays it out, and says what memory it needs: 0 bytes are none. False for dimensions that cannot be. */
  bool plan(const Runtime &runtime, const FormatRow &row, const ImageSize &size, const ImageUse &use,
            AllocationRequest &request);
  /** Where a level of a layer lies among the bytes of a small one, or null without memory. */
  uint8_t *processBytes(uint32_t level, uint32_t layer);
  /** Makes the texture over `memory`, if it needs some, or imports the kernel driver's. */
  HRESULT create(Wire &wire, const ImageUse &use);
  /** Takes over an allocation that somebody else made: its texture is imported. */
  HRESULT open(Wire &wire, const FormatRow &row, uint32_t width, uint32_t height, const Allocation &allocation);
  /** A handle of the texture that `memory` has the token of. */
  HRESULT import(Wire &wire);
  /** Ends all of it, but for memory that goes with the runtime's resource. */
  void destroy(Wire &wire);

  /** Writes bytes at `source` (rows `sourcePitch`, slices `sourceSlicePitch` apart) by packets that carry them. */
  bool upload(Wire &wire, const ImagePart &part, const void *source, uint32_t sourcePitch, uint64_t sourceSlicePitch);
  /** Tells the device that memory has changed. `wholeRows`: what lies between the rows may be read too. */
  bool markDirty(Wire &wire, const ImagePart &part, bool wholeRows);

  /** Staging for a level of that size that no GPU work uses. `wait`: until there is one, else null and still drawing.
   */
  HRESULT takeStaging(Wire &wire, uint32_t width, uint32_t height, uint32_t slices, bool wait, Staging *&out);
  /** Copies to the same pixels of staging (as large as the level), and to its memory. */
  bool copyOut(Wire &wire, const ImagePart &part, Staging &to);
  /** Copies what the CPU wrote to the same pixels of staging. */
  bool copyIn(Wire &wire, const ImagePart &part, Staging &from);

private:
  bool uploadSlice(Wire &wire, const ImagePart &part, uint32_t layer, const uint8_t *from, uint32_t sourcePitch);
  bool makeTexture(Wire &wire, uint32_t usage, uint32_t sampleCount);
  uint64_t stagingOffset(const ImagePart &part, const Staging &staging) const;
};

/** `rect` of one image to (x, y) of another, both of one device format. */
bool copyPixels(Wire &wire, uint32_t to, uint32_t toLevel, uint32_t toLayer, uint32_t x, uint32_t y, uint32_t from,
                uint32_t fromLevel, uint32_t fromLayer, const Rect &rect, uint32_t flags);

}  // namespace aero
