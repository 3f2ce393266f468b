// SPDX-License-Identifier: MIT
#include "guest-drivers/umd-d3d10/adapter/caps.h"

namespace aero {
namespace {

// The x versions are those with the extended formats (BGRA). The _7 versions stand for the scheduling of a later driver
// model. 11_0 is missing until its table is complete.
constexpr UINT64 kVersions[] = {D3D10_0_DDI_SUPPORTED, D3D10_0_x_DDI_SUPPORTED, D3D10_1_DDI_SUPPORTED,
                                D3D10_1_x_DDI_SUPPORTED};
constexpr UINT32 kVersionCount = sizeof kVersions / sizeof kVersions[0];

}  // namespace

TableKind tableKind(UINT interfaceNumber) {
  switch (interfaceNumber) {
  case D3D10_0_DDI_INTERFACE_VERSION:
  case D3D10_0_x_DDI_INTERFACE_VERSION:
    return TableKind::D3D10;
  case D3D10_1_DDI_INTERFACE_VERSION:
  case D3D10_1_x_DDI_INTERFACE_VERSION:
    return TableKind::D3D10_1;
  case D3D11_0_DDI_INTERFACE_VERSION:
    return TableKind::D3D11;
  default:
    return TableKind::None;
  }
}

HRESULT getSupportedVersions(UINT32 &entries, UINT64 *versions) {
  const UINT32 room = entries;
  entries = kVersionCount;
  if (!versions) return kOk;
  if (room < kVersionCount) return kInsufficientBuffer;
  memcpy(versions, kVersions, sizeof kVersions);
  return kOk;
}

HRESULT getCaps(const D3D10_2DDIARG_GETCAPS &args) {
  if (!args.pData) return kInvalidArgument;
  memset(args.pData, 0, args.DataSize);
  // THREADING: nothing: one thread at a time enters a device. SHADER: neither doubles nor compute.
  UINT caps = 0;
  if (capsType(args) == D3D11DDICAPS_3DPIPELINESUPPORT)
    caps = D3D11DDI_ENCODE_3DPIPELINESUPPORT_CAP(D3D11DDI_3DPIPELINELEVEL_10_0) |
           D3D11DDI_ENCODE_3DPIPELINESUPPORT_CAP(D3D11DDI_3DPIPELINELEVEL_10_1);
  if (!caps) return kOk;
  if (args.DataSize < sizeof caps) return kInvalidArgument;
  memcpy(args.pData, &caps, sizeof caps);
  return kOk;
}

}  // namespace aero
