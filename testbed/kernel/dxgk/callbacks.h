// SPDX-License-Identifier: MIT
// DXGKRNL_INTERFACE: what dxgkrnl offers to the miniport.
#pragma once

#include "dispmprt.h"

namespace aerogpu::host {

class Adapter;

/// Fills every slot; DeviceHandle names `adapter`.
void fillDxgkrnlInterface(Adapter& adapter, DXGKRNL_INTERFACE& out);
/// A handle of the kind that user mode sees (allocations, resources), and what DxgkCbGetHandleData finds
/// behind it.
D3DKMT_HANDLE makeKmtHandle(DXGK_HANDLE_TYPE type, void* driverData, void* deviceSpecific,
                            D3DKMT_HANDLE parent);
void setKmtHandleData(D3DKMT_HANDLE handle, void* driverData, void* deviceSpecific);
void dropKmtHandle(D3DKMT_HANDLE handle);
/// Whether the interrupt routine is running on this thread, and whether it asked for a DPC since the last
/// notification.
struct IsrState {
  bool inside = false;
  bool synchronized = false;
  bool notified = false;
  bool dpcRequested = false;
  bool owesDpc =
      false;  // notified under DxgkCbSynchronizeExecution; DxgkCbQueueDpc must follow in the same DDI
};
IsrState& isrState();

}  // namespace aerogpu::host
