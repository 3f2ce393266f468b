// SPDX-License-Identifier: MIT
#include "guest-drivers/umd-d3d10/dxgi/present.h"

#include "aerogpu/aerogpu_format.h"

#include "guest-drivers/umd-d3d10/resources/copy.h"

namespace aero {
namespace {

/** True if its numbers count light; those of the other formats of the screen are encoded for the eye. */
bool isLinear(const FormatRow &format) {
  return format.linear == DXGI_FORMAT_R16G16B16A16_FLOAT;
}

}  // namespace

HRESULT blt(DeviceObjects &objects, const DXGI_DDI_ARG_BLT &args) {
  Resource &target = *Resource::from(args.hDstResource), &source = *Resource::from(args.hSrcResource);
  if (args.Rotate != DXGI_DDI_MODE_ROTATION_IDENTITY && args.Rotate != DXGI_DDI_MODE_ROTATION_UNSPECIFIED)
    return kNotAvailable;  // it does not come: no primary was refused
  if (target.isBuffer() || source.isBuffer()) return kInvalidArgument;
  uint32_t flags = AEROGPU_EXT_BLIT_NONE;
  const bool from = isLinear(source.format()), to = isLinear(target.format());
  if (from && !to) flags = AEROGPU_EXT_BLIT_SRGB_ENCODE;
  if (!from && to) flags = AEROGPU_EXT_BLIT_SRGB_DECODE;
  const HRESULT result =
      blitSubresource(objects, target, args.DstSubresource, {args.DstLeft, args.DstTop, args.DstRight, args.DstBottom},
                      source, args.SrcSubresource, flags);
  // The frame reaches the compositor with the submission that the next Flush makes.
  if (!failed(result) && args.Flags.Present) objects.context.demandSubmit();
  return result;
}

void rotate(const DXGI_DDI_HRESOURCE *resources, UINT count) {
  if (count < 2) return;
  const Identity first = Resource::from(resources[0])->identity;
  for (UINT i = 0; i < count; i++) {
    Resource &resource = *Resource::from(resources[i]);
    resource.identity = i + 1 < count ? Resource::from(resources[i + 1])->identity : first;
    resource.generation++;
  }
}

}  // namespace aero
