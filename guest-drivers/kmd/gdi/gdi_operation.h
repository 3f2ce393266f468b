// SPDX-License-Identifier: MIT
// gdi_operation.h: cuts a planned operation into cells and steps, and writes it as packets. For gdi_*.cpp only.
#pragma once

#include "guest-drivers/common/float_bits.h"
#include "guest-drivers/kmd/gdi/gdi_geometry.h"
#include "guest-drivers/kmd/gdi/gdi_resources.h"
#include "guest-drivers/kmd/gdi/gdi_types.h"

namespace aero {

/** How an operation uses destination pixels: not at all, by blending, or by reading a copy of them. */
enum class GdiReads : uint8_t { Nothing, Blend, Copy };

/** An operation before it is cut up. */
struct GdiPlan {
  GdiSurface dst;
  GdiSurface src;  // texture 0 = none
  GdiSurface gamma;
  GdiRects rects;
  GdiRect clip = {INT32_MIN, INT32_MIN, INT32_MAX, INT32_MAX};  // in pixels of the texture
  GdiAxis x, y;
  uint32_t dstPitch = 0;  // of the command
  uint32_t srcPitch = 0;
  bool texelCopy = false;  // unscaled and unconverted: no draw
  GdiReads reads = GdiReads::Nothing;
  GdiShader shader = GdiShader::Fill;
  uint32_t blendSrc = 0, blendDst = 0;  // enum aerogpu_blend_factor, with GdiReads::Blend
  uint32_t blendConstant = 0;           // bits of a float, all channels
  uint8_t rop = 0;                      // with GdiShader::Rop
  uint32_t pattern = 0;                 // A8R8G8B8
  uint32_t constantCount = 0;           // with other shaders: the number of constants from c4 on
  uint32_t constants[3][4] = {};        // bits of floats
};

/** Returns channel i of an A8R8G8B8 colour, in the order of shaders: R, G, B, A. */
constexpr uint32_t gdiChannel(uint32_t argb, uint32_t i) {
  constexpr uint32_t kShift[4] = {16, 8, 0, 24};
  return argb >> kShift[i] & 0xFF;
}

GdiStatus gdiRun(PacketWriter &packets, uint32_t firstHandle, GdiPlan &plan, uint32_t &steps);

}  // namespace aero
