// SPDX-License-Identifier: MIT
// gdi_engine.h: what the driver draws itself: GDI's operations (DxgkDdiRenderKm) and the blits of DxgkDdiPresent, as
// packets in the alternate device context of a WDDM context. Unwraps Windows' structures for kmd/logic/gdi_draw.
// PASSIVE_LEVEL.
#pragma once

#include "allocations.h"
#include "gdi_draw.h"
#include "packet_writer.h"

namespace aero {

class AeroAdapter;

/** A surface that takes part in an operation: the texture handle that stands for its allocation. */
struct DrawSurface {
  uint32_t texture = 0;     // resource handle; 0 = none
  Surface surface = {};     // of the texture: a D3DDDIFMT_A8 surface is B8G8R8A8_UNORM, a quarter as wide (rounded up)
  bool cpuWritten = false;  // its memory may be newer than the texture: mark it dirty before reading
  bool cpuRead = false;     // its memory is read by the CPU: write back what is drawn
  uint64_t dirtyBytes = 0;  // bytes of its memory
  uint32_t allocId = 0;     // of its memory; needed with pitchOfCommand, 0 = none
  bool pitchOfCommand = false;  // GDI staging surfaces: the command's pitch says where the rows lie
  bool bytePixels = false;      // D3DDDIFMT_A8
};

class GdiEngine {
public:
  explicit GdiEngine(AeroAdapter &adapter) : m_adapter(adapter) {}

  /** Makes shaders, vertex layout and scratch on the device. PASSIVE_LEVEL. */
  NTSTATUS start();
  /** Takes them away; the ring must still run. */
  void stop();
  /** Before a power-down, while the ring runs, and after a power-up: the device may or may not have been reset. */
  void suspend() { stop(); }
  NTSTATUS restore() { return start(); }

  /** What DXGK_DRIVERCAPS says about blits when DxgkDdiRenderKm is offered, which the page "DXGK_PRESENTATIONCAPS"
   * allows only with a cache-coherent aperture segment. */
  static DXGK_PRESENTATIONCAPS presentationCaps();

  /** A buffer must have this much room for packets, or an operation may never get on. */
  static constexpr size_t kMinPacketBytes = kGdiMinBytes;

  /** State that one DMA buffer needs before the first operation; false when it does not fit. */
  bool begin(PacketWriter &packets);
  /** Behind the last operation of a DMA buffer; always fits. */
  void end(PacketWriter &packets) { gdiEnd(packets); }

  /**
   * Each appends an operation to `packets`, or as much of it as fits (GdiStatus::Full): then `steps`, which is 0 for a
   * new operation, says how far it came, and the same call in the next buffer goes on. That number and the count of
   * finished operations belong into MultipassOffset. Nothing is left half written. Rectangles are in pixels, left and
   * top inclusive; they are clipped to the surfaces. `steps` is 0 again when the operation is done.
   */
  GdiStatus copy(PacketWriter &packets, const DrawSurface &dst, const RECT &dstRect, const DrawSurface &src,
                 const RECT &srcRect, const RECT *subRects, UINT subRectCount, uint32_t &steps);
  /** The same with a source colour key (DXGK_PRESENTFLAGS.SrcColorKey): pixels of `key` are left out. */
  GdiStatus copyKeyed(PacketWriter &packets, const DrawSurface &dst, const RECT &dstRect, const DrawSurface &src,
                      const RECT &srcRect, const RECT *subRects, UINT subRectCount, UINT key, uint32_t &steps);
  /** `rop` is a DXGK_GDIROP_COLORFILL, `color` A8R8G8B8. */
  GdiStatus fill(PacketWriter &packets, const DrawSurface &dst, const RECT *rects, UINT count, UINT color, UINT rop,
                 UINT rop3, uint32_t &steps);
  /** `command` is whole, CommandSize bytes of kernel memory; surfaces are those of the allocation list. Unsupported:
   *  an operation that presentationCaps() does not offer, or an index or a size that is wrong. */
  GdiStatus render(PacketWriter &packets, const DXGK_RENDERKM_COMMAND &command, const DrawSurface *surfaces,
                   UINT surfaceCount, uint32_t &steps);

private:
  NTSTATUS submit(bool (*write)(PacketWriter &packets, uint32_t firstHandle, uint32_t step), uint32_t step);

  AeroAdapter &m_adapter;
  uint32_t m_firstHandle = 0;  // 0 = nothing is made
};

}  // namespace aero
