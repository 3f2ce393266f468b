// SPDX-License-Identifier: MIT
// Handles of user mode, D3DKMT_HANDLE, and the driver's data for them. Any thread.
#pragma once

#include "d3dkmddi.h"

namespace aerogpu::host {

/// Makes a handle of the kind that user mode sees (allocations, resources), with the data that
/// DxgkCbGetHandleData returns for it.
D3DKMT_HANDLE makeKmtHandle(DXGK_HANDLE_TYPE type, void* driverData, void* deviceSpecific,
                            D3DKMT_HANDLE parent);
void setKmtHandleData(D3DKMT_HANDLE handle, void* driverData, void* deviceSpecific);
void dropKmtHandle(D3DKMT_HANDLE handle);
/// Return the answers of DxgkCbGetHandleData, DxgkCbGetHandleParent and DxgkCbEnumHandleChildren.
void* kmtHandleData(const DXGKARGCB_GETHANDLEDATA& data);
D3DKMT_HANDLE kmtHandleParent(D3DKMT_HANDLE handle);
D3DKMT_HANDLE kmtHandleChild(const DXGKARGCB_ENUMHANDLECHILDREN& data);

}  // namespace aerogpu::host
