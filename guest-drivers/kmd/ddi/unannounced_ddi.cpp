// SPDX-License-Identifier: MIT
// unannounced_ddi.cpp: entries of what DXGK_DRIVERCAPS says there is none of: swizzling ranges, overlays. No page says
// that they are not called then, and the start-up example of the page "DxgkInitialize" fills them. PASSIVE_LEVEL.
#include "guest-drivers/kmd/ddi/entry_points.h"

namespace aero {

NTSTATUS APIENTRY AeroDdiAcquireSwizzlingRange(_In_ const HANDLE, _Inout_ DXGKARG_ACQUIRESWIZZLINGRANGE *) {
  AERO_ASSERT_IRQL_MAX(PASSIVE_LEVEL);
  return STATUS_GRAPHICS_UNSWIZZLING_APERTURE_UNSUPPORTED;  // its page: the OS does not try again
}

NTSTATUS APIENTRY AeroDdiReleaseSwizzlingRange(_In_ const HANDLE, _In_ const DXGKARG_RELEASESWIZZLINGRANGE *) {
  AERO_ASSERT_IRQL_MAX(PASSIVE_LEVEL);
  // None was acquired, so none is held. This one comes in the clean-up of a time-out too, where a failure helps nobody
  // (page "Thread Synchronization and TDR").
  return STATUS_SUCCESS;
}

NTSTATUS APIENTRY AeroDdiCreateOverlay(_In_ const HANDLE, _Inout_ DXGKARG_CREATEOVERLAY *) {
  AERO_ASSERT_IRQL_MAX(PASSIVE_LEVEL);
  return STATUS_INSUFFICIENT_RESOURCES;
}

// A handle of an overlay cannot be one of this driver's.
NTSTATUS APIENTRY AeroDdiUpdateOverlay(_In_ const HANDLE, _In_ const DXGKARG_UPDATEOVERLAY *) {
  AERO_ASSERT_IRQL_MAX(PASSIVE_LEVEL);
  return STATUS_INVALID_PARAMETER;
}

NTSTATUS APIENTRY AeroDdiFlipOverlay(_In_ const HANDLE, _In_ const DXGKARG_FLIPOVERLAY *) {
  AERO_ASSERT_IRQL_MAX(PASSIVE_LEVEL);
  return STATUS_INVALID_PARAMETER;
}

NTSTATUS APIENTRY AeroDdiDestroyOverlay(_In_ const HANDLE) {
  AERO_ASSERT_IRQL_MAX(PASSIVE_LEVEL);
  return STATUS_INVALID_PARAMETER;
}

}  // namespace aero
