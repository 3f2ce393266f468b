// SPDX-License-Identifier: MIT
// presents.h: implements DxgkDdiPresent and DxgkDdiRenderKm: blits, fills and GDI operations that the driver draws
// itself, in the device context kAlternateContext.
#pragma once

#include "guest-drivers/kmd/gdi/gdi_engine.h"
#include "guest-drivers/kmd/gdi/kernel_textures.h"

namespace aero {

struct Counters;
class Segments;

class Presents {
public:
  /** All outlive it. */
  Presents(GdiEngine &gdi, KernelTextures &textures, AllocationTable &allocations, Segments &segments,
           InternalQueue &internal, Counters &counters)
      : m_gdi(gdi),
        m_textures(textures),
        m_allocations(allocations),
        m_segments(segments),
        m_internal(internal),
        m_counters(counters) {}

  /** Writes a blit, fill or flip to the DMA buffer, or as much of it as fits. Returns only codes of the page
   *  "DxgkDdiPresent", because others stop checked builds of the OS. PASSIVE_LEVEL. */
  NTSTATUS present(DXGKARG_PRESENT &args);
  /** Writes GDI operations to the DMA buffer, or as many as fit. PASSIVE_LEVEL. */
  NTSTATUS renderKm(DXGKARG_RENDER &args);

private:
  /** Finds the surface of an allocation, and makes the driver's own texture over its memory if it has none. Returns
   *  codes of the page "DxgkDdiPresent". */
  NTSTATUS surfaceOf(const DXGK_ALLOCATIONLIST &listed, GdiSurface &out);
  /** Makes the objects of GdiEngine if they are missing, which they may be after a sleep or a lost GPU. */
  NTSTATUS prepareToDraw();
  /** Logs an operation that cannot be drawn. renderKm() skips it: no page says how GDI's display driver handles an
   *  error, and the operations after it can be drawn. */
  [[gnu::noinline]] void leaveOut(const DXGK_RENDERKM_COMMAND &command, uint32_t offset);

  GdiEngine &m_gdi;
  KernelTextures &m_textures;
  AllocationTable &m_allocations;
  Segments &m_segments;
  InternalQueue &m_internal;
  Counters &m_counters;
};

}  // namespace aero
