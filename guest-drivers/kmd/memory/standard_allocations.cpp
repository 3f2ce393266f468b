// SPDX-License-Identifier: MIT
#include "guest-drivers/kmd/memory/standard_allocations.h"

#include "aerogpu/aerogpu_format.h"
#include "guest-drivers/kmd/logic/allocation_rules.h"
#include "guest-drivers/kmd/logic/modes.h"
#include "guest-drivers/kmd/memory/allocations.h"

namespace aero {
namespace {

/** The surface of a standard allocation. */
struct StandardSurface {
  uint32_t width, height, d3dFormat, pitch;
  AllocationUse use;
  uint32_t flags;
};

/** Describes the surface that the OS asks for; returns false if the driver cannot make it. */
bool describe(const DXGKARG_GETSTANDARDALLOCATIONDRIVERDATA &args, bool palette, StandardSurface &out) {
  const uint32_t cpu = AEROGPU_WDDM_ALLOC_PRIV_FLAG_CPU_VISIBLE;
  switch (args.StandardAllocationType) {
  case D3DKMDT_STANDARDALLOCATION_SHAREDPRIMARYSURFACE: {
    const D3DKMDT_SHAREDPRIMARYSURFACEDATA &data = *args.pCreateSharedPrimarySurfaceData;
    out = {data.Width,
           data.Height,
           static_cast<uint32_t>(data.Format),
           framePitch(data.Width, bytesPerPixel(data.Format)),
           AllocationUse::Primary,
           AEROGPU_WDDM_ALLOC_PRIV_FLAG_IS_SHARED};
    return deviceFormat(data.Format) != AEROGPU_FORMAT_INVALID || (palette && data.Format == D3DDDIFMT_P8);
  }
  case D3DKMDT_STANDARDALLOCATION_SHADOWSURFACE: {
    const D3DKMDT_SHADOWSURFACEDATA &data = *args.pCreateShadowSurfaceData;
    out = {data.Width,
           data.Height,
           static_cast<uint32_t>(data.Format),
           framePitch(data.Width, bytesPerPixel(data.Format)),
           AllocationUse::Shadow,
           cpu};
    return true;
  }
  case D3DKMDT_STANDARDALLOCATION_STAGINGSURFACE: {
    const D3DKMDT_STAGINGSURFACEDATA &data = *args.pCreateStagingSurfaceData;
    out = {data.Width,
           data.Height,
           D3DDDIFMT_X8R8G8B8,
           framePitch(data.Width),
           AllocationUse::Staging,
           cpu | AEROGPU_WDDM_ALLOC_PRIV_FLAG_STAGING};
    return true;
  }
  case D3DKMDT_STANDARDALLOCATION_GDISURFACE: {
    const D3DKMDT_GDISURFACEDATA &data = *args.pCreateGdiSurfaceData;
    const bool colors = deviceFormat(data.Format) != AEROGPU_FORMAT_INVALID;
    const bool colorsOrBytes = colors || data.Format == D3DDDIFMT_A8;
    out = {data.Width,
           data.Height,
           static_cast<uint32_t>(data.Format),
           framePitch(data.Width, bytesPerPixel(data.Format)),
           AllocationUse::GdiTexture,
           0};
    switch (data.Type) {
    case D3DKMDT_GDISURFACE_TEXTURE:
      // The compositor opens these and draws them, so they are shared from the start.
      out.flags = AEROGPU_WDDM_ALLOC_PRIV_FLAG_IS_SHARED;
      return colors;
    case D3DKMDT_GDISURFACE_STAGING:
      out.use = AllocationUse::GdiStaging;
      out.flags = AEROGPU_WDDM_ALLOC_PRIV_FLAG_IS_SHARED;
      return colorsOrBytes;
    case D3DKMDT_GDISURFACE_STAGING_CPUVISIBLE:
      out.use = AllocationUse::GdiStagingCpuVisible;
      out.flags = cpu;
      return colorsOrBytes;
    case D3DKMDT_GDISURFACE_LOOKUPTABLE:
      out.use = AllocationUse::GdiLookup;
      out.flags = AEROGPU_WDDM_ALLOC_PRIV_FLAG_IS_SHARED;
      return data.Format == D3DDDIFMT_A8;
    case D3DKMDT_GDISURFACE_EXISTINGSYSMEM:
      out.use = AllocationUse::GdiExisting;
      out.flags = cpu;
      return colorsOrBytes;
    default:
      return false;
    }
  }
  default:
    return false;
  }
}

/** Tells the OS the pitch that the CPU will use. */
void returnPitch(DXGKARG_GETSTANDARDALLOCATIONDRIVERDATA &args, uint32_t pitch) {
  if (args.StandardAllocationType == D3DKMDT_STANDARDALLOCATION_SHADOWSURFACE)
    args.pCreateShadowSurfaceData->Pitch = pitch;
  else if (args.StandardAllocationType == D3DKMDT_STANDARDALLOCATION_STAGINGSURFACE)
    args.pCreateStagingSurfaceData->Pitch = pitch;
  else if (args.StandardAllocationType == D3DKMDT_STANDARDALLOCATION_GDISURFACE)
    args.pCreateGdiSurfaceData->Pitch = pitch;
}

}  // namespace

bool describeStandardAllocation(DXGKARG_GETSTANDARDALLOCATIONDRIVERDATA &args, bool palette, AllocationPrivate &out) {
  StandardSurface surface;
  if (!describe(args, palette, surface) || !surface.width || !surface.height || surface.width > kMaxSurfaceEdge ||
      surface.height > kMaxSurfaceEdge)
    return false;
  out = {};
  out.magic = AEROGPU_WDDM_ALLOC_PRIV_MAGIC;
  out.version = AEROGPU_WDDM_ALLOC_PRIV_VERSION_2;
  out.flags = surface.flags;
  out.size_bytes = uint64_t{surface.pitch} * surface.height;
  out.reserved0 = packSurface(surface.width, surface.height, surface.d3dFormat);
  out.kind = AEROGPU_WDDM_ALLOC_KIND_TEXTURE2D;
  out.width = surface.width;
  out.height = surface.height;
  out.format = surface.d3dFormat;
  out.row_pitch_bytes = surface.pitch;
  out.reserved1 = static_cast<uint32_t>(surface.use);
  returnPitch(args, surface.pitch);
  return true;
}

}  // namespace aero
