// SPDX-License-Identifier: MIT
#include "testbed/d3d11-runtime/driver/choice.h"

namespace aerogpu::runtime11 {
namespace {

constexpr UINT kRevision = 7601;  // of Windows 7 SP1

struct Version {
  UINT64 supported;
  Shape shape;
  bool extended;
};

// The preferred ones come first. The 7 and vista versions are left out: see docs/d3d11/testbed.md.
constexpr Version kVersions[] = {
    {D3D11_0_DDI_SUPPORTED, Shape::Eleven, true},  {D3D10_1_x_DDI_SUPPORTED, Shape::TenOne, true},
    {D3D10_1_DDI_SUPPORTED, Shape::TenOne, false}, {D3D10_0_x_DDI_SUPPORTED, Shape::Ten, true},
    {D3D10_0_DDI_SUPPORTED, Shape::Ten, false},
};

bool lists(const std::vector<UINT64> &supported, UINT64 version) {
  // The build must be the same; the lowest 16 bits are no part of a version.
  for (const UINT64 one : supported)
    if (one >> 16 == version >> 16) return true;
  return false;
}

bool offers(const Version &version, UINT levels, D3D11DDI_3DPIPELINELEVEL level) {
  switch (version.shape) {
  case Shape::Eleven:
    return (levels & D3D11DDI_ENCODE_3DPIPELINESUPPORT_CAP(level)) != 0;
  case Shape::TenOne:
    return level == D3D11DDI_3DPIPELINELEVEL_10_1;
  case Shape::Ten:
    return level == D3D11DDI_3DPIPELINELEVEL_10_0;
  }
  return false;
}

}  // namespace

bool choose(const std::vector<UINT64> &supported, UINT levels, D3D_FEATURE_LEVEL wanted, UINT only, Choice &choice) {
  D3D11DDI_3DPIPELINELEVEL level = D3D11DDI_3DPIPELINELEVEL_10_0;
  switch (wanted) {
  case D3D_FEATURE_LEVEL_11_0:
    level = D3D11DDI_3DPIPELINELEVEL_11_0;
    break;
  case D3D_FEATURE_LEVEL_10_1:
    level = D3D11DDI_3DPIPELINELEVEL_10_1;
    break;
  case D3D_FEATURE_LEVEL_10_0:
    break;
  default:
    return false;
  }
  for (const Version &version : kVersions) {
    const UINT number = static_cast<UINT>(version.supported >> 32);
    if ((only && only != number) || !lists(supported, version.supported) || !offers(version, levels, level)) continue;
    choice.interfaceVersion = number;
    choice.version = (static_cast<UINT>(version.supported) & 0xFFFF0000u) | kRevision;
    choice.shape = version.shape;
    choice.level = level;
    choice.extendedFormats = version.extended;
    return true;
  }
  return false;
}

}  // namespace aerogpu::runtime11
