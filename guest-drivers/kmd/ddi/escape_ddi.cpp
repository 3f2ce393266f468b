// SPDX-License-Identifier: MIT
// escape_ddi.cpp: DxgkDdiEscape and DxgkDdiCollectDbgInfo.
#include "guest-drivers/kmd/calls/escapes.h"
#include "guest-drivers/kmd/ddi/entry_points.h"

namespace aero {

// The OS hands over its own copy of the caller's buffer.
NTSTATUS APIENTRY AeroDdiEscape(const HANDLE hAdapter, const DXGKARG_ESCAPE *args) {
  AERO_ASSERT_IRQL_MAX(PASSIVE_LEVEL);
  AeroAdapter *adapter = AeroAdapter::from(hAdapter);
  if (!adapter || !args || !args->pPrivateDriverData) return STATUS_INVALID_PARAMETER;
  if (!adapter->started) return STATUS_DEVICE_NOT_READY;
  return answerEscape(*adapter, AeroDevice::from(args->hDevice), args->pPrivateDriverData, args->PrivateDriverDataSize);
}

// The OS puts these data into its report of a time-out.
NTSTATUS APIENTRY AeroDdiCollectDbgInfo(const HANDLE hAdapter, const DXGKARG_COLLECTDBGINFO *args) {
  AeroAdapter *adapter = AeroAdapter::from(hAdapter);
  if (!adapter || !args || (args->BufferSize && !args->pBuffer)) return STATUS_INVALID_PARAMETER;
  reportForBugCheck(*adapter, args->pBuffer, args->BufferSize);
  if (args->pExtension) RtlZeroMemory(args->pExtension, sizeof *args->pExtension);
  return STATUS_SUCCESS;
}

}  // namespace aero
