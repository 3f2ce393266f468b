// SPDX-License-Identifier: MIT
// check_ddi.cpp: questions about formats and counters. They never report an error, except for a counter.
#include "guest-drivers/umd-d3d10/ddi/entry_points.h"

namespace aero::ddi {

HRESULT CheckFormatSupport(Device &device, DXGI_FORMAT format, UINT *caps) {
  *caps = device.adapter().formats().support(format);
  return kOk;
}

HRESULT CheckMultisampleQualityLevels(Device &device, DXGI_FORMAT format, UINT samples, UINT *levels) {
  *levels = device.adapter().formats().qualities(format, samples);
  return kOk;
}

HRESULT CheckCounterInfo(Device &, D3D10DDI_COUNTER_INFO *info) {
  *info = {};
  return kOk;
}

HRESULT CheckCounter(Device &, D3D10DDI_QUERY, D3D10DDI_COUNTER_TYPE *, UINT *, LPSTR, UINT *, LPSTR, UINT *, LPSTR,
                     UINT *) {
  return kDxgiUnsupported;
}

}  // namespace aero::ddi
