// SPDX-License-Identifier: MIT
// allocation_ddi.cpp: entry points by which the video memory manager creates, opens and destroys allocations.
#include "guest-drivers/kmd/calls/allocation_calls.h"
#include "guest-drivers/kmd/ddi/entry_points.h"

namespace aero {

NTSTATUS APIENTRY AeroDdiCreateAllocation(const HANDLE hAdapter, DXGKARG_CREATEALLOCATION *args) {
  AERO_ASSERT_IRQL_MAX(PASSIVE_LEVEL);
  AeroAdapter *adapter = AeroAdapter::from(hAdapter);
  return adapter && args && args->NumAllocations ? createAllocations(*adapter, *args) : STATUS_INVALID_PARAMETER;
}

NTSTATUS APIENTRY AeroDdiDestroyAllocation(const HANDLE hAdapter, const DXGKARG_DESTROYALLOCATION *args) {
  AERO_ASSERT_IRQL_MAX(PASSIVE_LEVEL);
  AeroAdapter *adapter = AeroAdapter::from(hAdapter);
  if (!adapter || !args) return STATUS_INVALID_PARAMETER;
  destroyAllocations(*adapter, *args);
  return STATUS_SUCCESS;
}

NTSTATUS APIENTRY AeroDdiDescribeAllocation(const HANDLE hAdapter, DXGKARG_DESCRIBEALLOCATION *args) {
  AERO_ASSERT_IRQL_MAX(PASSIVE_LEVEL);
  AeroAdapter *adapter = AeroAdapter::from(hAdapter);
  const AeroAllocation *allocation = args ? AeroAllocation::from(args->hAllocation) : nullptr;
  return adapter && allocation ? describeAllocation(*adapter, *allocation, *args) : STATUS_INVALID_PARAMETER;
}

NTSTATUS APIENTRY AeroDdiGetStandardAllocationDriverData(const HANDLE hAdapter,
                                                         DXGKARG_GETSTANDARDALLOCATIONDRIVERDATA *args) {
  AERO_ASSERT_IRQL_MAX(PASSIVE_LEVEL);
  AeroAdapter *adapter = AeroAdapter::from(hAdapter);
  return adapter && args ? tellStandardAllocation(*adapter, *args) : STATUS_INVALID_PARAMETER;
}

NTSTATUS APIENTRY AeroDdiOpenAllocation(const HANDLE hDevice, const DXGKARG_OPENALLOCATION *args) {
  AERO_ASSERT_IRQL_MAX(PASSIVE_LEVEL);
  AeroDevice *device = AeroDevice::from(hDevice);
  return device && args ? openAllocations(*device, *args) : STATUS_INVALID_PARAMETER;
}

NTSTATUS APIENTRY AeroDdiCloseAllocation(const HANDLE hDevice, const DXGKARG_CLOSEALLOCATION *args) {
  AERO_ASSERT_IRQL_MAX(PASSIVE_LEVEL);
  AeroDevice *device = AeroDevice::from(hDevice);
  if (!device || !args) return STATUS_INVALID_PARAMETER;
  closeAllocations(*device->adapter, *args);
  return STATUS_SUCCESS;
}

}  // namespace aero
