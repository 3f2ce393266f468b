// SPDX-License-Identifier: MIT
#include "guest-drivers/umd-d3d10/device/device.h"

namespace aero {

HRESULT Device::open() {
  return context.open();
}

void Device::close() {
  uploads.destroy();
  progress.destroy();
  context.close();
}

bool Device::takeNews(HRESULT &result) {
  if (context.batch() != m_toldBatch) {
    m_toldBatch = context.batch();
    if (table == TableKind::D3D11) m_coreCallbacks.pfnPerformAmortizedProcessingCb(m_core);
  }
  const HRESULT submitted = context.takeError();
  if (!failed(result)) result = submitted;
  // What a lost batch would have made and bound is missing from now on.
  if (failed(result) && context.lost()) result = kDeviceRemoved;
  return failed(result);
}

HRESULT Device::present(const DXGIDDICB_PRESENT &data) {
  const HRESULT result = m_dxgiCallbacks.pfnPresentCb(m_runtimeDevice, &data);
  CallLog &log = m_adapter.log();
  if (log.wants(result)) log.writeCallback(number, "PresentCb", data.hSrcAllocation, result);
  return result;
}

void Device::report(HRESULT code) {
  CallLog &log = m_adapter.log();
  if (log.wants(code)) log.writeCallback(number, "SetErrorCb", static_cast<uint32_t>(code), code);
  m_coreCallbacks.pfnSetErrorCb(m_core, code);
}

}  // namespace aero
