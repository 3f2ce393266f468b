// SPDX-License-Identifier: MIT
#include "guest-drivers/kmd/gdi/gdi_engine.h"

#include "guest-drivers/kmd/memory/allocations.h"
#include "guest-drivers/kmd/os/kernel_memory.h"
#include "guest-drivers/kmd/submit/internal_queue.h"

namespace aero {
namespace {

// wingdi.h: stretch modes.
constexpr UINT kModeBlackOnWhite = 1, kModeWhiteOnBlack = 2, kModeColorOnColor = 3;

static_assert(sizeof(RECT) == sizeof(GdiRect));

GdiRect rectOf(const RECT &rect) {
  return {static_cast<int32_t>(rect.left), static_cast<int32_t>(rect.top), static_cast<int32_t>(rect.right),
          static_cast<int32_t>(rect.bottom)};
}

// bltRop() and fillRop() are two switches, because their enumerations number the same operations differently.
/** Translates DXGK_GDIROP_BITBLT into a ternary operation; returns false if there is no such operation. */
bool bltRop(UINT rop, UINT rop3, uint8_t &out) {
  switch (rop) {
  case DXGK_GDIROP_SRCCOPY:
    out = kRopSrcCopy;
    return true;
  case DXGK_GDIROP_SRCINVERT:
    out = kRopSrcInvert;
    return true;
  case DXGK_GDIROP_SRCAND:
    out = kRopSrcAnd;
    return true;
  case DXGK_GDIROP_SRCOR:
    out = kRopSrcOr;
    return true;
  case DXGK_GDIROP_ROP3:
    out = static_cast<uint8_t>(rop3);
    return rop3 <= 0xFF;
  default:
    return false;
  }
}

// See bltRop(): another enumeration, other numbers.
/** Translates DXGK_GDIROP_COLORFILL into a ternary operation; returns false if there is no such operation. */
bool fillRop(UINT rop, UINT rop3, uint8_t &out) {
  switch (rop) {
  case DXGK_GDIROPCF_PATCOPY:
    out = kRopPatCopy;
    return true;
  case DXGK_GDIROPCF_PATINVERT:
    out = kRopPatInvert;
    return true;
  case DXGK_GDIROPCF_PDXN:
    out = kRopPdxn;
    return true;
  case DXGK_GDIROPCF_DSTINVERT:
    out = kRopDstInvert;
    return true;
  case DXGK_GDIROPCF_PATAND:
    out = kRopPatAnd;
    return true;
  case DXGK_GDIROPCF_PATOR:
    out = kRopPatOr;
    return true;
  case DXGK_GDIROPCF_ROP3:
    out = static_cast<uint8_t>(rop3);
    return rop3 <= 0xFF;
  default:
    return false;
  }
}

/** One command with its surfaces. */
class Command {
public:
  Command(PacketWriter &packets, uint32_t firstHandle, const DXGK_RENDERKM_COMMAND &command, const GdiSurface *surfaces,
          UINT count, uint32_t &steps)
      : m_packets(packets),
        m_firstHandle(firstHandle),
        m_command(command),
        m_surfaces(surfaces),
        m_count(count),
        m_steps(steps) {}

  GdiStatus run();

private:
  template <class Args> bool holds(const Args &) const {
    return m_command.CommandSize >= FIELD_OFFSET(DXGK_RENDERKM_COMMAND, Command) + sizeof(Args);
  }
  bool surface(UINT index, GdiSurface &out) const {
    if (index >= m_count) return false;
    out = m_surfaces[index];
    return true;
  }
  template <class Args> bool blit(const Args &args, GdiBlit &out) const {
    if (!holds(args) || !surface(args.DstAllocationIndex, out.dst) || !surface(args.SrcAllocationIndex, out.src))
      return false;
    out.dstRect = rectOf(args.DstRect);
    out.srcRect = rectOf(args.SrcRect);
    out.rects = {args.pSubRects, args.pSubRects ? args.NumSubRects : 0};
    out.srcPitch = args.SrcPitch;
    return true;
  }

  GdiStatus bitBlt(const DXGK_GDIARG_BITBLT &args);
  GdiStatus colorFill(const DXGK_GDIARG_COLORFILL &args);
  GdiStatus alphaBlend(const DXGK_GDIARG_ALPHABLEND &args);
  GdiStatus stretchBlt(const DXGK_GDIARG_STRETCHBLT &args);
  GdiStatus transparentBlt(const DXGK_GDIARG_TRANSPARENTBLT &args);
  GdiStatus clearTypeBlend(const DXGK_GDIARG_CLEARTYPEBLEND &args);

  PacketWriter &m_packets;
  uint32_t m_firstHandle;
  const DXGK_RENDERKM_COMMAND &m_command;
  const GdiSurface *m_surfaces;
  UINT m_count;
  uint32_t &m_steps;
};

GdiStatus Command::run() {
  switch (m_command.OpCode) {
  case DXGK_GDIOP_BITBLT:
    return bitBlt(m_command.Command.BitBlt);
  case DXGK_GDIOP_COLORFILL:
    return colorFill(m_command.Command.ColorFill);
  case DXGK_GDIOP_ALPHABLEND:
    return alphaBlend(m_command.Command.AlphaBlend);
  case DXGK_GDIOP_STRETCHBLT:
    return stretchBlt(m_command.Command.StretchBlt);
  case DXGK_GDIOP_ESCAPE:  // page "DXGK_RENDERKM_OPERATION": to be skipped
    return GdiStatus::Done;
  case DXGK_GDIOP_TRANSPARENTBLT:
    return transparentBlt(m_command.Command.TransparentBlt);
  case DXGK_GDIOP_CLEARTYPEBLEND:
    return clearTypeBlend(m_command.Command.ClearTypeBlend);
  default:
    return GdiStatus::Unsupported;
  }
}

GdiStatus Command::bitBlt(const DXGK_GDIARG_BITBLT &args) {
  GdiBlit operation;
  uint8_t rop3;
  if (!blit(args, operation) || !bltRop(args.Rop, args.Rop3, rop3)) return GdiStatus::Unsupported;
  operation.dstPitch = args.DstPitch;
  // BitBlt never stretches: of the source rectangle only the upper left corner counts.
  const GdiRect &dst = operation.dstRect;
  operation.srcRect.right = static_cast<int32_t>(operation.srcRect.left + (int64_t{dst.right} - dst.left));
  operation.srcRect.bottom = static_cast<int32_t>(operation.srcRect.top + (int64_t{dst.bottom} - dst.top));
  return gdiRopBlit(m_packets, m_firstHandle, operation, rop3, m_steps);
}

GdiStatus Command::colorFill(const DXGK_GDIARG_COLORFILL &args) {
  GdiSurface dst;
  uint8_t rop3;
  if (!holds(args) || !surface(args.DstAllocationIndex, dst) || !fillRop(args.Rop, args.Rop3, rop3))
    return GdiStatus::Unsupported;
  const GdiRects rects = {args.pSubRects, args.pSubRects ? args.NumSubRects : 0};
  return gdiFill(m_packets, m_firstHandle, dst, rects, args.Color, rop3, m_steps);
}

GdiStatus Command::alphaBlend(const DXGK_GDIARG_ALPHABLEND &args) {
  GdiBlit operation;
  if (!blit(args, operation)) return GdiStatus::Unsupported;
  return gdiAlphaBlend(m_packets, m_firstHandle, operation, args.SourceConstantAlpha, args.SourceHasAlpha != FALSE,
                       m_steps);
}

GdiStatus Command::stretchBlt(const DXGK_GDIARG_STRETCHBLT &args) {
  GdiBlit operation;
  if (!blit(args, operation)) return GdiStatus::Unsupported;
  operation.mirrorX = args.MirrorX;
  operation.mirrorY = args.MirrorY;
  const GdiRect &dst = operation.dstRect, &src = operation.srcRect;
  const bool shrinks = int64_t{dst.right} - dst.left < int64_t{src.right} - src.left ||
                       int64_t{dst.bottom} - dst.top < int64_t{src.bottom} - src.top;
  // The two modes that combine pixels do so only where the picture shrinks.
  if (args.Mode > kModeColorOnColor || ((args.Mode == kModeBlackOnWhite || args.Mode == kModeWhiteOnBlack) && shrinks))
    return GdiStatus::Unsupported;
  return gdiCopy(m_packets, m_firstHandle, operation, m_steps);
}

GdiStatus Command::transparentBlt(const DXGK_GDIARG_TRANSPARENTBLT &args) {
  GdiBlit operation;
  if (!blit(args, operation)) return GdiStatus::Unsupported;
  return gdiTransparentBlt(m_packets, m_firstHandle, operation, args.Color, args.Flags.HonorAlpha, m_steps);
}

GdiStatus Command::clearTypeBlend(const DXGK_GDIARG_CLEARTYPEBLEND &args) {
  GdiClearType text;
  if (!holds(args) || !surface(args.DstAllocationIndex, text.dst) ||
      !surface(args.AlphaSurfAllocationIndex, text.alpha))
    return GdiStatus::Unsupported;
  if (args.Gamma != GdiClearType::kNoGamma && !surface(args.GammaSurfAllocationIndex, text.gamma))
    return GdiStatus::Unsupported;
  text.rects = {args.pSubRects, args.pSubRects ? args.NumSubRects : 0};
  text.toAlphaX = args.DstToAlphaOffsetX;
  text.toAlphaY = args.DstToAlphaOffsetY;
  text.alphaPitch = args.AlphaSurfPitch;
  text.color = args.Color;
  text.color2 = args.Color2;
  text.gammaRow = args.Gamma;
  return gdiClearTypeBlend(m_packets, m_firstHandle, text, m_steps);
}

/** Builds the blit of a present; `whole` is the area it covers without sub-rectangles. */
GdiBlit presentBlit(const GdiEngine::Copy &what, const GdiRect &whole) {
  GdiBlit operation;
  operation.dst = what.dst;
  operation.src = what.src;
  operation.dstRect = whole;
  operation.srcRect = rectOf(what.srcRect);
  const bool listed = what.subRects && what.subRectCount;
  operation.rects = {listed ? static_cast<const void *>(what.subRects) : &whole, listed ? what.subRectCount : 1};
  operation.clip = what.clip;
  return operation;
}

GdiStatus finished(GdiStatus status, uint32_t &steps) {
  if (status != GdiStatus::Full) steps = 0;
  return status;
}

}  // namespace

DXGK_PRESENTATIONCAPS GdiEngine::presentationCaps(bool renderKm) {
  DXGK_PRESENTATIONCAPS caps = {};
  // Presents draw into the textures of user-mode drivers as into any other.
  caps.DriverSupportsCddDwmInterop = 1;
  caps.AlignmentShift = 6;        // framePitch()
  caps.MaxTextureWidthShift = 3;  // 2^(3 + 11) = 16384
  caps.MaxTextureHeightShift = 3;
  if (!renderKm) return caps;
  caps.SupportKernelModeCommandBuffer = 1;
  // A source that overlaps its destination is copied to scratch first, cell by cell; for a stretched one no
  // order of cells would be correct.
  caps.NoSameBitmapOverlappedAlphaBlend = 1;
  caps.NoSameBitmapOverlappedStretchBlt = 1;
  caps.SupportAllBltRops = 1;
  caps.SupportMirrorStretchBlt = 1;
  caps.NoTempSurfaceForClearTypeBlend = 1;
  return caps;
}

NTSTATUS GdiEngine::setUp(uint32_t step) {
  void *buffer = poolAllocate(kGdiSetupBytes);
  if (!buffer) return STATUS_INSUFFICIENT_RESOURCES;
  PacketWriter packets(buffer, kGdiSetupBytes);
  NTSTATUS status = STATUS_BUFFER_OVERFLOW;
  if (gdiSetup(packets, m_firstHandle, step)) status = m_internal.submit(buffer, static_cast<uint32_t>(packets.used()));
  poolFree(buffer);
  return status;
}

NTSTATUS GdiEngine::start() {
  {
    TableLock lock(m_allocations);
    m_firstHandle = m_allocations.newKernelHandles(kGdiHandles);
  }
  for (m_steps = 0; m_steps < kGdiSetupSteps; m_steps++) {
    const NTSTATUS status = setUp(m_steps);
    if (!NT_SUCCESS(status)) {
      stop();  // removes the steps that succeeded
      return status;
    }
  }
  return STATUS_SUCCESS;
}

void GdiEngine::stop() {
  if (!m_firstHandle) return;
  void *buffer = m_steps ? poolAllocate(kGdiSetupBytes) : nullptr;
  if (buffer) {
    PacketWriter packets(buffer, kGdiSetupBytes);
    if (gdiTeardown(packets, m_firstHandle, m_steps))
      m_internal.submitEnd(buffer, static_cast<uint32_t>(packets.used()));
    poolFree(buffer);
  }
  m_firstHandle = 0;
}

bool GdiEngine::begin(PacketWriter &packets) {
  return m_firstHandle && gdiBegin(packets, m_firstHandle);
}

GdiStatus GdiEngine::copy(PacketWriter &packets, const Copy &what, uint32_t &steps) {
  const GdiRect whole = rectOf(what.dstRect);
  const GdiBlit operation = presentBlit(what, whole);
  return finished(gdiCopy(packets, m_firstHandle, operation, steps), steps);
}

GdiStatus GdiEngine::copyKeyed(PacketWriter &packets, const Copy &what, UINT key, uint32_t &steps) {
  const GdiRect whole = rectOf(what.dstRect);
  const GdiBlit operation = presentBlit(what, whole);
  return finished(gdiTransparentBlt(packets, m_firstHandle, operation, key, false, steps), steps);
}

GdiStatus GdiEngine::fill(PacketWriter &packets, const GdiSurface &dst, const RECT *rects, UINT count, UINT color,
                          UINT rop, UINT rop3, uint32_t &steps) {
  uint8_t operation;
  if (!fillRop(rop, rop3, operation)) return GdiStatus::Unsupported;
  return finished(gdiFill(packets, m_firstHandle, dst, {rects, count}, color, operation, steps), steps);
}

GdiStatus GdiEngine::render(PacketWriter &packets, const DXGK_RENDERKM_COMMAND &command, const GdiSurface *surfaces,
                            UINT surfaceCount, uint32_t &steps) {
  return finished(Command(packets, m_firstHandle, command, surfaces, surfaceCount, steps).run(), steps);
}

}  // namespace aero
