// SPDX-License-Identifier: MIT
// image.h: a texture on the device and the memory behind it. The texture is what draws see; its memory is a copy of
// some moment, which Surface (resource.h) keeps account of.
#pragma once

#include "texture_layout.h"
#include "wire.h"

namespace aero {

/** What an image is for. */
struct ImageUse {
  bool texture = false, target = false, depth = false;
  bool shared = false;
  bool primary = false;  // scanned out
};

/** A texture of one level in memory that the CPU locks: bytes on their way to or from an image. */
struct Staging {
  Allocation memory;
  uint32_t handle = 0;
  uint32_t width = 0, height = 0, pitch = 0;
  bool locked = false;
};

struct Image {
  static constexpr uint32_t kMaxStaging = 3;

  const FormatRow *format = nullptr;
  TextureLayout layout;
  Allocation memory;
  uint32_t handle = 0;
  bool cpuVisible = false;       // the memory may be locked
  bool crossesContexts = false;  // shared, or scanned out: every batch that touches it lists its memory
  uint32_t locks = 0;            // of the memory
  Staging staging[kMaxStaging];

  /** Lays it out, and says what memory it needs. False for dimensions that cannot be. */
  bool plan(const FormatRow &row, uint32_t width, uint32_t height, uint32_t levels, uint32_t layers,
            const ImageUse &use, AllocationRequest &request);
  /** Makes the texture over `memory`, which is there, or imports the kernel driver's. */
  HRESULT create(Wire &wire, const ImageUse &use);
  /** Takes over an allocation that somebody else made: its texture is imported. */
  HRESULT open(Wire &wire, const FormatRow &row, uint32_t width, uint32_t height, const Allocation &allocation);
  /** A handle of the texture that `memory` has the token of. */
  HRESULT import(Wire &wire);
  /** Ends all of it, but for memory that goes with the runtime's resource. */
  void destroy(Wire &wire);

  /** Writes `bytes` at `source` (rows `sourcePitch` apart) to `rect` by packets that carry them. */
  bool upload(Wire &wire, uint32_t level, uint32_t layer, const Rect &rect, const void *source, uint32_t sourcePitch);
  /** Tells the device that memory of `rect` has changed. `wholeRows`: what lies between the rows may be read too. */
  bool markDirty(Wire &wire, uint32_t level, uint32_t layer, const Rect &rect, bool wholeRows);

  /** Staging of `width` by `height` that no GPU work uses. `wait`: until there is one, else null and still drawing. */
  HRESULT takeStaging(Wire &wire, uint32_t width, uint32_t height, bool wait, Staging *&out);
  /** Copies `rect` of a level to the same pixels of staging (as large as the level), and to its memory. */
  bool copyOut(Wire &wire, uint32_t level, uint32_t layer, const Rect &rect, Staging &to);
  /** Copies what the CPU wrote to staging, from (fromX, fromY) on, to `rect` of a level. */
  bool copyIn(Wire &wire, uint32_t level, uint32_t layer, const Rect &rect, Staging &from, uint32_t fromX,
              uint32_t fromY);
};

/** `rect` of one image to (x, y) of another, both of one device format. */
bool copyPixels(Wire &wire, uint32_t to, uint32_t toLevel, uint32_t toLayer, uint32_t x, uint32_t y, uint32_t from,
                uint32_t fromLevel, uint32_t fromLayer, const Rect &rect, uint32_t flags);

}  // namespace aero
