// SPDX-License-Identifier: MIT
#include "guest-drivers/kmd/gdi/gdi_draw.h"

#include "aerogpu/aerogpu_cmd_state.h"
#include "aerogpu/aerogpu_format.h"
#include "guest-drivers/kmd/gdi/gdi_operation.h"

namespace aero {
namespace {

GdiAxis axisOf(int32_t dstLow, int32_t dstHigh, int32_t srcLow, int32_t srcHigh, bool mirror) {
  return {dstLow, int64_t{dstHigh} - dstLow, srcLow, int64_t{srcHigh} - srcLow, mirror};
}

void applyBlit(GdiPlan &plan, const GdiBlit &blit) {
  plan.dst = blit.dst;
  plan.src = blit.src;
  plan.rects = blit.rects;
  plan.clip = blit.clip;
  plan.x = axisOf(blit.dstRect.left, blit.dstRect.right, blit.srcRect.left, blit.srcRect.right, blit.mirrorX);
  plan.y = axisOf(blit.dstRect.top, blit.dstRect.bottom, blit.srcRect.top, blit.srcRect.bottom, blit.mirrorY);
  plan.dstPitch = blit.dstPitch;
  plan.srcPitch = blit.srcPitch;
}

bool opaqueFormat(uint32_t format) {
  return format == AEROGPU_FORMAT_B8G8R8X8_UNORM || format == AEROGPU_FORMAT_R8G8B8X8_UNORM ||
         format == AEROGPU_FORMAT_B5G6R5_UNORM;
}

/** Writes a colour as a shader constant: each channel times `scale` / 255. */
void setColor(uint32_t (&words)[4], uint32_t argb, int64_t scale) {
  for (uint32_t i = 0; i < 4; i++) words[i] = floatRatio(int64_t{gdiChannel(argb, i)} * scale, 255);
}

void setAll(uint32_t (&words)[4], uint32_t value) {
  for (uint32_t &word : words) word = value;
}

// True if a raster operation needs a pattern.
constexpr bool needsPattern(uint8_t rop) {
  return (rop >> 4) != (rop & 0x0F);
}
constexpr bool needsSource(uint8_t rop) {
  return (rop >> 2 & 0x33) != (rop & 0x33);
}
constexpr bool needsDestination(uint8_t rop) {
  return (rop >> 1 & 0x55) != (rop & 0x55);
}

void setRop(GdiPlan &plan, uint8_t rop, uint32_t pattern) {
  plan.shader = GdiShader::Rop;
  plan.reads = GdiReads::Copy;
  plan.rop = rop;
  plan.pattern = pattern;
}

}  // namespace

GdiStatus gdiCopy(PacketWriter &packets, uint32_t firstHandle, const GdiBlit &blit, uint32_t &steps) {
  GdiPlan plan;
  applyBlit(plan, blit);
  const bool plain = !plan.x.scaled() && !plan.y.scaled() && !blit.mirrorX && !blit.mirrorY;
  if (blit.dst.bytePixels || blit.src.bytePixels) {
    // The texture packs four pixels into one of its own, and only whole ones of these can be copied.
    if (!plain || !blit.dst.bytePixels || !blit.src.bytePixels || (plan.x.dst0 - plan.x.src0) % 4)
      return GdiStatus::Unsupported;
    plan.x.src0 = (plan.x.src0 - plan.x.dst0) / 4;
    plan.x.dst0 = 0;
    plan.x.srcSize = plan.x.dstSize = 1;
  }
  plan.texelCopy = plain && blit.dst.format == blit.src.format;
  plan.shader = GdiShader::Copy;
  plan.constantCount = 1;
  setAll(plan.constants[0], kFloatOne);
  return gdiRun(packets, firstHandle, plan, steps);
}

GdiStatus gdiRopBlit(PacketWriter &packets, uint32_t firstHandle, const GdiBlit &blit, uint8_t rop3, uint32_t &steps) {
  if (rop3 == kRopSrcCopy) return gdiCopy(packets, firstHandle, blit, steps);
  if (rop3 == kRopNone) return GdiStatus::Done;
  if (needsPattern(rop3) || blit.dst.bytePixels || blit.src.bytePixels) return GdiStatus::Unsupported;
  // Without a source this is a fill that needs no pattern.
  if (!needsSource(rop3)) return gdiFill(packets, firstHandle, blit.dst, blit.rects, 0, rop3, steps, blit.dstPitch);
  GdiPlan plan;
  applyBlit(plan, blit);
  setRop(plan, rop3, 0);
  return gdiRun(packets, firstHandle, plan, steps);
}

GdiStatus gdiAlphaBlend(PacketWriter &packets, uint32_t firstHandle, const GdiBlit &blit, uint8_t constantAlpha,
                        bool sourceAlpha, uint32_t &steps) {
  if (blit.dst.bytePixels || blit.src.bytePixels) return GdiStatus::Unsupported;
  if (constantAlpha == 0) return GdiStatus::Done;
  if (constantAlpha == 255 && !sourceAlpha) return gdiCopy(packets, firstHandle, blit, steps);
  GdiPlan plan;
  applyBlit(plan, blit);
  plan.shader = GdiShader::Copy;
  plan.reads = GdiReads::Blend;
  plan.constantCount = 1;
  plan.blendConstant = floatRatio(constantAlpha, 255);
  if (sourceAlpha) {
    setAll(plan.constants[0], plan.blendConstant);
    plan.blendSrc = AEROGPU_BLEND_ONE;
    plan.blendDst = AEROGPU_BLEND_INV_SRC_ALPHA;
  } else {
    setAll(plan.constants[0], kFloatOne);
    plan.blendSrc = AEROGPU_BLEND_CONSTANT;
    plan.blendDst = AEROGPU_BLEND_INV_CONSTANT;
  }
  return gdiRun(packets, firstHandle, plan, steps);
}

GdiStatus gdiTransparentBlt(PacketWriter &packets, uint32_t firstHandle, const GdiBlit &blit, uint32_t color,
                            bool honorAlpha, uint32_t &steps) {
  if (blit.dst.bytePixels || blit.src.bytePixels) return GdiStatus::Unsupported;
  GdiPlan plan;
  applyBlit(plan, blit);
  plan.shader = GdiShader::Key;
  plan.constantCount = 2;
  setColor(plan.constants[0], color, 1);
  setAll(plan.constants[1], kFloatOne);
  // A source without alpha has no alpha to compare.
  if (!honorAlpha || opaqueFormat(blit.src.format)) plan.constants[1][3] = 0;
  return gdiRun(packets, firstHandle, plan, steps);
}

GdiStatus gdiFill(PacketWriter &packets, uint32_t firstHandle, const GdiSurface &dst, const GdiRects &rects,
                  uint32_t color, uint8_t rop3, uint32_t &steps, uint32_t dstPitch) {
  if (dst.bytePixels || needsSource(rop3)) return GdiStatus::Unsupported;
  if (rop3 == kRopNone) return GdiStatus::Done;
  GdiPlan plan;
  plan.dst = dst;
  plan.dstPitch = dstPitch;
  plan.rects = rects;
  if (needsDestination(rop3)) {
    setRop(plan, rop3, color);
  } else {
    // The result is the pattern, its inverse, all zeros or all ones.
    const uint32_t value = (rop3 & 0x10 ? color : 0) | (rop3 & 0x01 ? ~color : 0);
    plan.shader = GdiShader::Fill;
    plan.constantCount = 1;
    setColor(plan.constants[0], value, 1);
  }
  return gdiRun(packets, firstHandle, plan, steps);
}

GdiStatus gdiClearTypeBlend(PacketWriter &packets, uint32_t firstHandle, const GdiClearType &text, uint32_t &steps) {
  if (text.dst.bytePixels || text.alpha.bytePixels) return GdiStatus::Unsupported;
  GdiPlan plan;
  plan.dst = text.dst;
  plan.src = text.alpha;
  plan.rects = text.rects;
  plan.srcPitch = text.alphaPitch;
  plan.x.src0 = text.toAlphaX;
  plan.y.src0 = text.toAlphaY;
  plan.reads = GdiReads::Copy;
  setColor(plan.constants[0], text.color, 255);
  setColor(plan.constants[1], text.color2, 1);
  if (text.gammaRow == GdiClearType::kNoGamma) {
    plan.shader = GdiShader::Text;
    plan.constantCount = 2;
  } else {
    constexpr uint32_t kRows = 16, kRowPixels = 512 / 4;
    if (text.gammaRow >= kRows || !text.gamma.texture || text.gamma.width != kRowPixels || text.gamma.height != kRows)
      return GdiStatus::Unsupported;
    plan.gamma = text.gamma;
    plan.shader = GdiShader::Gamma;
    plan.constantCount = 3;
    plan.constants[2][1] = floatRatio(2 * int64_t{text.gammaRow} + 1, int64_t{2} * kRows);
  }
  return gdiRun(packets, firstHandle, plan, steps);
}

}  // namespace aero
