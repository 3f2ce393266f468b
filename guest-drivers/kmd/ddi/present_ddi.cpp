// SPDX-License-Identifier: MIT
// present_ddi.cpp: DxgkDdiPresent and DxgkDdiRenderKm.
#include "guest-drivers/kmd/adapter.h"
#include "guest-drivers/kmd/ddi/entry_points.h"

namespace aero {

NTSTATUS APIENTRY AeroDdiPresent(const HANDLE hContext, DXGKARG_PRESENT *args) {
  AERO_ASSERT_IRQL_MAX(PASSIVE_LEVEL);
  AeroContext *context = AeroContext::from(hContext);
  if (!context || !args) return STATUS_INVALID_HANDLE;
  AeroAdapter &adapter = *context->adapter;
  if (adapter.isLost(*context)) return STATUS_GRAPHICS_GPU_EXCEPTION_ON_DEVICE;
  return adapter.presents.present(*args);
}

NTSTATUS APIENTRY AeroDdiRenderKm(const HANDLE hContext, DXGKARG_RENDER *args) {
  AERO_ASSERT_IRQL_MAX(PASSIVE_LEVEL);
  AeroContext *context = AeroContext::from(hContext);
  if (!context || !args) return STATUS_INVALID_PARAMETER;
  AeroAdapter &adapter = *context->adapter;
  if (!adapter.acceleratesGdi()) return STATUS_ILLEGAL_INSTRUCTION;
  if (adapter.isLost(*context)) return STATUS_GRAPHICS_GPU_EXCEPTION_ON_DEVICE;
  return adapter.presents.renderKm(*args);
}

}  // namespace aero
