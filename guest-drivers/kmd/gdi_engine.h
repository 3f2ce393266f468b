// SPDX-License-Identifier: MIT
// gdi_engine.h: what the driver draws itself: GDI's operations (DxgkDdiRenderKm) and the blits of DxgkDdiPresent, as
// packets in the alternate device context of a WDDM context. PASSIVE_LEVEL.
#pragma once

#include "allocations.h"
#include "packet_writer.h"

namespace aero {

class AeroAdapter;

/** A surface that takes part in an operation: the texture handle that stands for its allocation. */
struct DrawSurface {
  uint32_t texture = 0;  // resource handle; 0 = none
  Surface surface = {};
  bool cpuWritten = false;  // its memory may be newer than the texture: mark it dirty before reading
  bool cpuRead = false;     // its memory is read by the CPU: write back what is drawn
  uint32_t dirtyBytes = 0;  // bytes of its memory
};

class GdiEngine {
public:
  explicit GdiEngine(AeroAdapter &adapter) : m_adapter(adapter) {}

  /** Makes shaders, vertex layout and scratch on the device. PASSIVE_LEVEL. */
  NTSTATUS start();
  void stop();
  /** After a power-up. */
  NTSTATUS restore();

  /** State that one DMA buffer needs before the first operation. */
  bool begin(PacketWriter &packets);

  /** Each appends an operation to `packets`, or returns false (with the writer full()) when it does not fit; nothing
   *  is left half written then. Rectangles are in pixels, left and top inclusive; they are clipped to the surfaces. */
  bool copy(PacketWriter &packets, const DrawSurface &dst, const RECT &dstRect, const DrawSurface &src, const RECT &srcRect,
            const RECT *subRects, UINT subRectCount);
  bool fill(PacketWriter &packets, const DrawSurface &dst, const RECT *rects, UINT count, UINT color, UINT rop);
  bool render(PacketWriter &packets, const DXGK_RENDERKM_COMMAND &command, const DrawSurface *surfaces, UINT surfaceCount);

private:
  AeroAdapter &m_adapter;
};

}  // namespace aero
