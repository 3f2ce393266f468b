// SPDX-License-Identifier: MIT
// gdi_engine.h: the driver's own drawing: GDI's operations (DxgkDdiRenderKm) and the blits of DxgkDdiPresent,
// as packets that run in kAlternateContext. Unwraps Windows' structures for kmd/gdi/gdi_draw. PASSIVE_LEVEL.
#pragma once

#include "aerogpu/packet_writer.hpp"
#include "guest-drivers/kmd/gdi/gdi_draw.h"
#include "guest-drivers/kmd/gdi/gdi_resources.h"
#include "guest-drivers/kmd/os/nt.h"

namespace aero {

using aerogpu::PacketWriter;

class AllocationTable;
class InternalQueue;

class GdiEngine {
public:
  /** Both outlive it. */
  GdiEngine(InternalQueue &internal, AllocationTable &allocations) : m_internal(internal), m_allocations(allocations) {}

  /** Makes shaders, vertex layout and scratch on the device. PASSIVE_LEVEL. */
  NTSTATUS start();
  bool started() const { return m_firstHandle != 0; }
  /** Destroys what start() made; InternalQueue::finish() waits until that is done. */
  void stop();
  /** Notes that the device has lost what start() made. */
  void forget() { m_firstHandle = 0; }
  /** Called before a power-down and after a power-up: the device may or may not have been reset. If
   * restore() fails, the next present tries again. */
  void suspend() { stop(); }
  NTSTATUS restore() { return started() ? STATUS_SUCCESS : start(); }

  /** Returns the blits that DXGK_DRIVERCAPS announces where Direct3D is offered. `renderKm`:
   * DxgkDdiRenderKm too, which the page "DXGK_PRESENTATIONCAPS" allows only with a cache-coherent
   * aperture segment. */
  static DXGK_PRESENTATIONCAPS presentationCaps(bool renderKm);

  /** A buffer must have this much room for packets, or an operation may never progress. */
  static constexpr size_t kMinPacketBytes = kGdiMinBytes;

  /** Appends the state that a DMA buffer needs before its first operation; returns false if it does not
   * fit. */
  bool begin(PacketWriter &packets);
  /** Called after the last operation of a DMA buffer; always fits. */
  void end(PacketWriter &packets) { gdiEnd(packets); }

  /**
   * Each appends an operation to `packets`, or as much of it as fits (GdiStatus::Full). `steps`, which is 0
   * for a new operation, then says how far it came, and the same call with the next buffer continues. That
   * number and the count of finished operations belong into MultipassOffset. No packet is left half written.
   * Rectangles are in pixels, left and top inclusive; they are clipped to the surfaces. `steps` is 0 again
   * when the operation is done.
   */
  struct Copy {
    const GdiSurface &dst, &src;
    const RECT &dstRect, &srcRect;
    const RECT *subRects;
    UINT subRectCount;
    const GdiRect &clip;  // nothing outside is drawn
  };
  GdiStatus copy(PacketWriter &packets, const Copy &what, uint32_t &steps);
  /** Copies with a source colour key (DXGK_PRESENTFLAGS.SrcColorKey): pixels of `key` are left out. */
  GdiStatus copyKeyed(PacketWriter &packets, const Copy &what, UINT key, uint32_t &steps);
  /** `rop` is a DXGK_GDIROP_COLORFILL, `color` A8R8G8B8. */
  GdiStatus fill(PacketWriter &packets, const GdiSurface &dst, const RECT *rects, UINT count, UINT color, UINT rop,
                 UINT rop3, uint32_t &steps);
  /** `command` is whole, CommandSize bytes of kernel memory; `surfaces` are those of the allocation list.
   * Unsupported: an operation that presentationCaps() does not offer, or a wrong index or size. */
  GdiStatus render(PacketWriter &packets, const DXGK_RENDERKM_COMMAND &command, const GdiSurface *surfaces,
                   UINT surfaceCount, uint32_t &steps);

private:
  NTSTATUS setUp(uint32_t step);

  InternalQueue &m_internal;
  AllocationTable &m_allocations;
  uint32_t m_firstHandle = 0;  // 0 = nothing is made
  uint32_t m_steps = 0;        // the steps of kGdiSetupSteps that are done
};

}  // namespace aero
