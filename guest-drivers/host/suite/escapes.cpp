// SPDX-License-Identifier: MIT
#include "suite/escapes.h"

#include "suite/streams.h"

namespace aerogpu::host {

NTSTATUS Escapes::raw(void* data, UINT bytes) {
  DXGKARG_ESCAPE args{};
  args.hDevice = m_client.device();
  args.pPrivateDriverData = data;
  args.PrivateDriverDataSize = bytes;
  ProcessScope process(m_client.processId());
  std::shared_lock exclusion(m_adapter.exclusion());
  return callDdi("DxgkDdiEscape", kPassiveLevel, m_adapter.ddi.DxgkDdiEscape, m_adapter.context(), &args);
}

uint64_t submitErrors(Adapter& adapter, Context& context) {
  Stream bad;
  bad.destroy(newHandle()).destroy(newHandle());
  uint64_t number = 0;
  expect(ntSuccess(context.render(bad.bytes(), {}, &number)), "the driver takes it");
  expect(adapter.scheduler().waitIdle(number), "it completes");
  return adapter.registers().read64(AEROGPU_MMIO_REG_COMPLETED_FENCE_LO);
}

}  // namespace aerogpu::host
