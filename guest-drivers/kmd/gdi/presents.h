// SPDX-License-Identifier: MIT
// presents.h: DxgkDdiPresent and DxgkDdiRenderKm: blits, fills and GDI operations that the driver draws itself, in the
// alternate device context of the WDDM context.
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

  /** Writes a blit, fill or flip to the DMA buffer, or as much of it as there is room for. Codes are those of the page
   *  "DxgkDdiPresent": others make checked builds of the OS stop. PASSIVE_LEVEL. */
  NTSTATUS present(DXGKARG_PRESENT &args);
  /** Writes GDI operations to the DMA buffer, or as many as there is room for. PASSIVE_LEVEL. */
  NTSTATUS renderKm(DXGKARG_RENDER &args);

private:
  /** The surface of an allocation, with a texture of the driver's own over its memory where there is none. Codes of the
   *  page "DxgkDdiPresent". */
  NTSTATUS surfaceOf(const DXGK_ALLOCATIONLIST &listed, GdiSurface &out);
  /** Makes what the driver draws with unless it is there: after a sleep it may be missing. */
  NTSTATUS prepareToDraw();
  /** Leaves out an operation that cannot be drawn, as ESCAPE is, and logs it: no page says what the display driver of
   *  GDI does with an error, and the operations after it can be drawn. */
  [[gnu::noinline]] void leaveOut(const DXGK_RENDERKM_COMMAND &command, uint32_t offset);

  GdiEngine &m_gdi;
  KernelTextures &m_textures;
  AllocationTable &m_allocations;
  Segments &m_segments;
  InternalQueue &m_internal;
  Counters &m_counters;
};

}  // namespace aero
