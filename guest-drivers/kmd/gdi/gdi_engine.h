// SPDX-License-Identifier: MIT
// gdi_engine.h: what the driver draws itself: GDI's operations (DxgkDdiRenderKm) and the blits of DxgkDdiPresent, as
// packets in the alternate device context of a WDDM context. Unwraps Windows' structures for kmd/logic/gdi_draw.
// PASSIVE_LEVEL.
#pragma once

#include "aerogpu/packet_writer.hpp"
#include "guest-drivers/kmd/gdi/gdi_draw.h"
#include "guest-drivers/kmd/gdi/gdi_resources.h"
#include "guest-drivers/kmd/os/nt.h"

namespace aero {

using aerogpu::PacketWriter;

class AllocationTable;
class Scheduler;

class GdiEngine {
public:
  /** Both outlive it. */
  GdiEngine(Scheduler &scheduler, AllocationTable &allocations) : m_scheduler(scheduler), m_allocations(allocations) {}

  /** Makes shaders, vertex layout and scratch on the device. PASSIVE_LEVEL. */
  NTSTATUS start();
  bool started() const { return m_firstHandle != 0; }
  /** Takes them away. */
  void stop();
  /** The device has nothing of them any more. */
  void forget() { m_firstHandle = 0; }
  /** Before a power-down and after a power-up: the device may or may not have been reset. A restore() that fails is
   *  tried again with the next present. */
  void suspend() { stop(); }
  NTSTATUS restore() { return started() ? STATUS_SUCCESS : start(); }

  /** What DXGK_DRIVERCAPS says about blits where Direct3D is offered. `renderKm`: DxgkDdiRenderKm too, which the page
   * "DXGK_PRESENTATIONCAPS" allows only with a cache-coherent aperture segment. */
  static DXGK_PRESENTATIONCAPS presentationCaps(bool renderKm);

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
  struct Copy {
    const GdiSurface &dst, &src;
    const RECT &dstRect, &srcRect;
    const RECT *subRects;
    UINT subRectCount;
    const GdiRect &clip;  // nothing is drawn outside of it
  };
  GdiStatus copy(PacketWriter &packets, const Copy &what, uint32_t &steps);
  /** A copy with a source colour key (DXGK_PRESENTFLAGS.SrcColorKey): pixels of `key` are left out. */
  GdiStatus copyKeyed(PacketWriter &packets, const Copy &what, UINT key, uint32_t &steps);
  /** `rop` is a DXGK_GDIROP_COLORFILL, `color` A8R8G8B8. */
  GdiStatus fill(PacketWriter &packets, const GdiSurface &dst, const RECT *rects, UINT count, UINT color, UINT rop,
                 UINT rop3, uint32_t &steps);
  /** `command` is whole, CommandSize bytes of kernel memory; surfaces are those of the allocation list. Unsupported:
   *  an operation that presentationCaps() does not offer, or an index or a size that is wrong. */
  GdiStatus render(PacketWriter &packets, const DXGK_RENDERKM_COMMAND &command, const GdiSurface *surfaces,
                   UINT surfaceCount, uint32_t &steps);

private:
  NTSTATUS setUp(uint32_t step);

  Scheduler &m_scheduler;
  AllocationTable &m_allocations;
  uint32_t m_firstHandle = 0;  // 0 = nothing is made
  uint32_t m_steps = 0;        // of kGdiSetupSteps, that are
};

}  // namespace aero
