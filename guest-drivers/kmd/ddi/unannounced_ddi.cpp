// SPDX-License-Identifier: MIT
// unannounced_ddi.cpp: entry points for swizzling ranges and overlays, of which DXGK_DRIVERCAPS announces none. No page
// says that the OS does not call them then, and the example of the page "DxgkInitialize" sets them. PASSIVE_LEVEL.
#include "guest-drivers/kmd/ddi/entry_points.h"

namespace aero {

NTSTATUS APIENTRY AeroDdiAcquireSwizzlingRange(_In_ const HANDLE, _Inout_ DXGKARG_ACQUIRESWIZZLINGRANGE *) {
  AERO_ASSERT_IRQL_MAX(PASSIVE_LEVEL);
  return STATUS_GRAPHICS_UNSWIZZLING_APERTURE_UNSUPPORTED;  // its page: the OS does not try again
}

NTSTATUS APIENTRY AeroDdiReleaseSwizzlingRange(_In_ const HANDLE, _In_ const DXGKARG_RELEASESWIZZLINGRANGE *) {
  AERO_ASSERT_IRQL_MAX(PASSIVE_LEVEL);
  // No range was ever acquired. This succeeds because the OS also calls it while it cleans up after a time-out (page
  // "Thread Synchronization and TDR"), where a failure is of no use.
  return STATUS_SUCCESS;
}

NTSTATUS APIENTRY AeroDdiCreateOverlay(_In_ const HANDLE, _Inout_ DXGKARG_CREATEOVERLAY *) {
  AERO_ASSERT_IRQL_MAX(PASSIVE_LEVEL);
  return STATUS_INSUFFICIENT_RESOURCES;
}

// This driver creates no overlays, so every handle of one is invalid.
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
