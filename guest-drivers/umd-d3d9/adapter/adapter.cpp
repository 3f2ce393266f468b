// SPDX-License-Identifier: MIT
#include "guest-drivers/umd-d3d9/adapter/adapter.h"

namespace aero {

HRESULT Adapter::open() {
  const HRESULT result = AdapterInfo::open(m_runtime, m_callbacks, "OpenAdapter");
  if (failed(result)) return result;
  m_formats = FormatTable(featuresHigh(), block(), m_interface);
  m_log.open(logLevel(), {"Direct3D 9", "d3d9"});
  return kOk;
}

}  // namespace aero
