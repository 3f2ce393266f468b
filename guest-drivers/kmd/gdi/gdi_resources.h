// SPDX-License-Identifier: MIT
// gdi_resources.h: makes, binds and destroys the objects that the driver's own drawing keeps on the device, and
// assigns their handles. Any IRQL.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "aerogpu/packet_writer.hpp"
#include "guest-drivers/kmd/gdi/gdi_types.h"

namespace aero {

using aerogpu::PacketWriter;

/** Resource handles of the driver, `kGdiHandles` in a row. */
constexpr uint32_t kGdiHandles = 32;

/** Appends packets that make shaders, vertex layout, vertices and scratch on the device, in kGdiSetupSteps
 * pieces of at most kGdiSetupBytes each; returns false if `packets` is too small. */
constexpr uint32_t kGdiSetupSteps = 3;
constexpr size_t kGdiSetupBytes = 12 << 10;
bool gdiSetup(PacketWriter &packets, uint32_t firstHandle, uint32_t step);
/** Destroys what the first `steps` pieces made; at most kGdiSetupBytes. */
bool gdiTeardown(PacketWriter &packets, uint32_t firstHandle, uint32_t steps);

/** Every operation leaves this much of a buffer free, for gdiEnd. */
constexpr size_t kGdiEndBytes = 256;
/** A buffer of this size takes at least one step of any operation, with gdiBegin and gdiEnd around it. */
constexpr size_t kGdiMinBytes = 12 << 10;

/** Appends the state that a buffer needs before its first operation. */
bool gdiBegin(PacketWriter &packets, uint32_t firstHandle);
/** Unbinds what the operations bound, so that no state keeps surfaces alive. Called after the last
 * operation. */
void gdiEnd(PacketWriter &packets);

enum class GdiShader : uint32_t { Fill, Copy, Key, Rop, Text, Gamma, Count };

/** Size of the scratch textures, which hold copies of the pixels that an operation reads while it draws. A cell of
 * an operation is no larger. The pixel shaders contain the size (c40). */
constexpr uint32_t kScratchWidth = 1024;
constexpr uint32_t kScratchHeight = 512;
constexpr uint32_t kScratchFormats = 4;

/** The most rectangles of one draw; vertices contain a rectangle's number (gdi_rect.vsa). */
constexpr uint32_t kGdiRectsPerDraw = 32;
constexpr uint32_t kFirstRectRegister = 8;
/** The first register of the table in gdi_rop.psa. */
constexpr uint32_t kFirstRopRegister = 8;

struct GdiResources {
  uint32_t first;

  uint32_t vertexShader() const { return first; }
  uint32_t layout() const { return first + 1; }
  uint32_t vertices() const { return first + 2; }
  uint32_t shader(GdiShader which) const { return first + 3 + static_cast<uint32_t>(which); }
  /** Return a scratch texture; 0 for a format that has none. */
  uint32_t dstScratch(uint32_t format) const { return scratch(format, 0); }
  uint32_t srcScratch(uint32_t format) const { return scratch(format, 1); }
  /** Return the handles of textures that exist for one operation, over memory with the pitch of its command. */
  uint32_t passingDst() const { return firstScratch() + 2 * kScratchFormats; }
  uint32_t passingSrc() const { return passingDst() + 1; }

  uint32_t firstScratch() const { return shader(GdiShader::Count); }
  static uint32_t scratchFormat(uint32_t number);

private:
  uint32_t scratch(uint32_t format, uint32_t which) const;
};

static_assert(3 + static_cast<uint32_t>(GdiShader::Count) + 2 * kScratchFormats + 2 <= kGdiHandles);

}  // namespace aero
