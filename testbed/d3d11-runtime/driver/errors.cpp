// SPDX-License-Identifier: MIT
#include "testbed/d3d11-runtime/driver/errors.h"

namespace aerogpu::runtime11 {

bool isAllowed(Errors category, HRESULT code) {
  const bool removed = code == static_cast<HRESULT>(D3DDDIERR_DEVICEREMOVED);
  const bool memory = code == E_OUTOFMEMORY;
  const bool drawing = code == DXGI_DDI_ERR_WASSTILLDRAWING;
  switch (category) {
  case Errors::None:
    return false;
  case Errors::DeviceRemoved:
  case Errors::Map:
    return removed;
  case Errors::OutOfMemory:
    return removed || memory;
  case Errors::Primary:
    return removed || memory || code == DXGI_DDI_ERR_UNSUPPORTED;
  case Errors::Counter:
    return removed || memory || code == DXGI_DDI_ERR_NONEXCLUSIVE;
  case Errors::MapDoNotWait:
  case Errors::GetData:
    return removed || drawing;
  case Errors::CheckCounter:
    return code == DXGI_DDI_ERR_UNSUPPORTED || code == E_INVALIDARG;
  }
  return false;
}

}  // namespace aerogpu::runtime11
