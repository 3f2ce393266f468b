// SPDX-License-Identifier: MIT
// Handles of user mode, D3DKMT_HANDLE, and what the driver has behind them. Any thread.
#pragma once

#include "d3dkmddi.h"

namespace aerogpu::host {

/// A handle of the kind that user mode sees (allocations, resources), and what DxgkCbGetHandleData finds
/// behind it.
D3DKMT_HANDLE makeKmtHandle(DXGK_HANDLE_TYPE type, void* driverData, void* deviceSpecific,
                            D3DKMT_HANDLE parent);
void setKmtHandleData(D3DKMT_HANDLE handle, void* driverData, void* deviceSpecific);
void dropKmtHandle(D3DKMT_HANDLE handle);
/// What DxgkCbGetHandleData, DxgkCbGetHandleParent and DxgkCbEnumHandleChildren answer.
void* kmtHandleData(const DXGKARGCB_GETHANDLEDATA& data);
D3DKMT_HANDLE kmtHandleParent(D3DKMT_HANDLE handle);
D3DKMT_HANDLE kmtHandleChild(const DXGKARGCB_ENUMHANDLECHILDREN& data);

}  // namespace aerogpu::host
