/* SPDX-License-Identifier: MIT
 * dxgiddi.h: presentation and sharing, what DXGI asks of a Direct3D 10 or 11 driver.
 * Windows 7 interface level. Written from Microsoft's documentation; a declaration names its page (under
 * "windows-hardware/drivers/ddi/"), unless it has none. On Windows, include <windows.h> first.
 * Layouts and types are checked against recorded ones by ddi/test. */
#ifndef _DXGIDDI_H_
#define _DXGIDDI_H_

#include <d3d9types.h>

#include <d3d9caps.h>
#include <dxgitype.h>

#include "d3dumddi.h"

/* DXGI_FORMAT, DXGI_SAMPLE_DESC, DXGI_GAMMA_CONTROL and the like are the API's, of <dxgitype.h>; results such as
 * DXGI_DDI_ERR_WASSTILLDRAWING are winerror.h's. All functions return an HRESULT. */

/* The facility of DXGI_DDI_ERR_. */
#define _FACDXGI_DDI 0x87Bu

/* A device and a resource: the driver's pDrvPrivate of its handles as a number. */
typedef UINT_PTR DXGI_DDI_HDEVICE;
typedef UINT_PTR DXGI_DDI_HRESOURCE;

/* Modes. */

/* ns-dxgiddi-dxgi_ddi_rational */
typedef struct DXGI_DDI_RATIONAL {
    UINT Numerator;
    UINT Denominator;
} DXGI_DDI_RATIONAL;

/* ne-dxgiddi-dxgi_ddi_mode_scanline_order */
typedef enum DXGI_DDI_MODE_SCANLINE_ORDER {
    DXGI_DDI_MODE_SCANLINE_ORDER_UNSPECIFIED       = 0,
    DXGI_DDI_MODE_SCANLINE_ORDER_PROGRESSIVE       = 1,
    DXGI_DDI_MODE_SCANLINE_ORDER_UPPER_FIELD_FIRST = 2,
    DXGI_DDI_MODE_SCANLINE_ORDER_LOWER_FIELD_FIRST = 3
} DXGI_DDI_MODE_SCANLINE_ORDER;

/* ne-dxgiddi-dxgi_ddi_mode_rotation */
typedef enum DXGI_DDI_MODE_ROTATION {
    DXGI_DDI_MODE_ROTATION_UNSPECIFIED = 0,
    DXGI_DDI_MODE_ROTATION_IDENTITY    = 1,
    DXGI_DDI_MODE_ROTATION_ROTATE90    = 2,
    DXGI_DDI_MODE_ROTATION_ROTATE180   = 3,
    DXGI_DDI_MODE_ROTATION_ROTATE270   = 4
} DXGI_DDI_MODE_ROTATION;

/* ne-dxgiddi-dxgi_ddi_mode_scaling: beware: STRETCHED and CENTERED have each other's number in the API. */
typedef enum DXGI_DDI_MODE_SCALING {
    DXGI_DDI_MODE_SCALING_UNSPECIFIED = 0,
    DXGI_DDI_MODE_SCALING_STRETCHED   = 1,
    DXGI_DDI_MODE_SCALING_CENTERED    = 2
} DXGI_DDI_MODE_SCALING;

/* ns-dxgiddi-dxgi_ddi_mode_desc: not the API's DXGI_MODE_DESC: the format comes before the refresh rate, and there
 * is a rotation. */
typedef struct DXGI_DDI_MODE_DESC {
    UINT Width;
    UINT Height;
    DXGI_FORMAT Format;
    DXGI_DDI_RATIONAL RefreshRate;
    DXGI_DDI_MODE_SCANLINE_ORDER ScanlineOrdering;
    DXGI_DDI_MODE_ROTATION Rotation;
    DXGI_DDI_MODE_SCALING Scaling;
} DXGI_DDI_MODE_DESC;

/* Surfaces that are scanned out. */

/* Flags: OPTIONAL: the driver may copy instead of flip without saying so. NONPREROTATED: the surface is not
 * rotated although the mode is; the program turns its picture itself. DriverFlags: NO_SCANOUT is set together with
 * the error DXGI_DDI_ERR_UNSUPPORTED; the runtime flips no such surface, and pfnBlt must be able to rotate and
 * resolve. */
#define DXGI_DDI_PRIMARY_OPTIONAL                0x1u
#define DXGI_DDI_PRIMARY_NONPREROTATED           0x2u
#define DXGI_DDI_PRIMARY_DRIVER_FLAG_NO_SCANOUT  0x1u

/* ns-dxgiddi-dxgi_ddi_primary_desc */
typedef struct DXGI_DDI_PRIMARY_DESC {
    UINT Flags;       /* DXGI_DDI_PRIMARY_ */
    D3DDDI_VIDEO_PRESENT_SOURCE_ID VidPnSourceId;
    DXGI_DDI_MODE_DESC ModeDesc;
    UINT DriverFlags; /* DXGI_DDI_PRIMARY_DRIVER_FLAG_; the driver's answer */
} DXGI_DDI_PRIMARY_DESC;

/* Presentation. */

/* ne-dxgiddi-dxgi_ddi_flip_interval_type: vertical blanks that a flip waits for. */
typedef enum DXGI_DDI_FLIP_INTERVAL_TYPE {
    DXGI_DDI_FLIP_INTERVAL_IMMEDIATE = 0,
    DXGI_DDI_FLIP_INTERVAL_ONE       = 1,
    DXGI_DDI_FLIP_INTERVAL_TWO       = 2,
    DXGI_DDI_FLIP_INTERVAL_THREE     = 3,
    DXGI_DDI_FLIP_INTERVAL_FOUR      = 4
} DXGI_DDI_FLIP_INTERVAL_TYPE;

/* ns-dxgiddi-dxgi_ddi_present_flags: blt: a copy to a window that the kernel driver makes. Flip: a full-screen
 * program's. */
typedef struct DXGI_DDI_PRESENT_FLAGS {
    union {
        struct {
            UINT Blt : 1;
            UINT Flip : 1;
            UINT Reserved : 30;
        };
        UINT Value;
    };
} DXGI_DDI_PRESENT_FLAGS;

/* ns-dxgiddi-dxgi_ddi_arg_present: the driver submits all it has and then calls pfnPresentCb with pDXGIContext. It
 * does not wait, and never finds that there is nothing to do. */
typedef struct DXGI_DDI_ARG_PRESENT {
    DXGI_DDI_HDEVICE hDevice;
    DXGI_DDI_HRESOURCE hSurfaceToPresent;
    UINT SrcSubResourceIndex;
    DXGI_DDI_HRESOURCE hDstResource; /* 0 for a window */
    UINT DstSubResourceIndex;
    VOID *pDXGIContext;
    DXGI_DDI_PRESENT_FLAGS Flags;
    DXGI_DDI_FLIP_INTERVAL_TYPE FlipInterval;
} DXGI_DDI_ARG_PRESENT;

/* ns-dxgiddi-dxgi_ddi_arg_blt_flags: with Present the destination is the compositor's surface: the copy must be
 * one pass, and reach the kernel with the next flush. */
typedef struct DXGI_DDI_ARG_BLT_FLAGS {
    union {
        struct {
            UINT Resolve : 1;
            UINT Convert : 1;
            UINT Stretch : 1;
            UINT Present : 1;
            UINT Reserved : 28;
        };
        UINT Value;
    };
} DXGI_DDI_ARG_BLT_FLAGS;

/* ns-dxgiddi-dxgi_ddi_arg_blt: from the whole source subresource to a rectangle. */
typedef struct DXGI_DDI_ARG_BLT {
    DXGI_DDI_HDEVICE hDevice;
    DXGI_DDI_HRESOURCE hDstResource;
    UINT DstSubresource;
    UINT DstLeft;
    UINT DstTop;
    UINT DstRight;
    UINT DstBottom;
    DXGI_DDI_HRESOURCE hSrcResource;
    UINT SrcSubresource;
    DXGI_DDI_ARG_BLT_FLAGS Flags;
    DXGI_DDI_MODE_ROTATION Rotate; /* counter-clockwise */
} DXGI_DDI_ARG_BLT;

/* ns-dxgiddi-dxgi_ddi_arg_rotate_resource_identities: each resource takes over what the next one has, the last one
 * what the first had. Kernel handles and memory move, the runtime's handles stay; views then show the new memory. */
typedef struct DXGI_DDI_ARG_ROTATE_RESOURCE_IDENTITIES {
    DXGI_DDI_HDEVICE hDevice;
    const DXGI_DDI_HRESOURCE *pResources;
    UINT Resources; /* how many */
} DXGI_DDI_ARG_ROTATE_RESOURCE_IDENTITIES;

/* ns-dxgiddi-dxgi_ddi_arg_setdisplaymode */
typedef struct DXGI_DDI_ARG_SETDISPLAYMODE {
    DXGI_DDI_HDEVICE hDevice;
    DXGI_DDI_HRESOURCE hResource;
    UINT SubResourceIndex;
} DXGI_DDI_ARG_SETDISPLAYMODE;

/* Gamma. */

/* ns-dxgiddi-dxgi_ddi_arg_get_gamma_control_caps: a driver that has none sets NumGammaControlPoints to 0. */
typedef struct DXGI_DDI_ARG_GET_GAMMA_CONTROL_CAPS {
    DXGI_DDI_HDEVICE hDevice;
    DXGI_GAMMA_CONTROL_CAPABILITIES *pGammaCapabilities;
} DXGI_DDI_ARG_GET_GAMMA_CONTROL_CAPS;

/* No function of Windows 7's tables takes it: the curve goes to the kernel. */
typedef struct DXGI_DDI_ARG_SET_GAMMA_CONTROL {
    DXGI_DDI_HDEVICE hDevice;
    DXGI_GAMMA_CONTROL GammaControl;
} DXGI_DDI_ARG_SET_GAMMA_CONTROL;

/* Memory and sharing. */

/* ns-dxgiddi-dxgi_ddi_arg_setresourcepriority */
typedef struct DXGI_DDI_ARG_SETRESOURCEPRIORITY {
    DXGI_DDI_HDEVICE hDevice;
    DXGI_DDI_HRESOURCE hResource;
    UINT Priority; /* D3DDDI_ALLOCATIONPRIORITY_ */
} DXGI_DDI_ARG_SETRESOURCEPRIORITY;

typedef enum DXGI_DDI_RESIDENCY {
    DXGI_DDI_RESIDENCY_FULLY_RESIDENT            = 1,
    DXGI_DDI_RESIDENCY_RESIDENT_IN_SHARED_MEMORY = 2,
    DXGI_DDI_RESIDENCY_EVICTED_TO_DISK           = 3
} DXGI_DDI_RESIDENCY;

/* ns-dxgiddi-dxgi_ddi_arg_queryresourceresidency */
typedef struct DXGI_DDI_ARG_QUERYRESOURCERESIDENCY {
    DXGI_DDI_HDEVICE hDevice;
    const DXGI_DDI_HRESOURCE *pResources;
    DXGI_DDI_RESIDENCY *pStatus;
    SIZE_T Resources; /* how many */
} DXGI_DDI_ARG_QUERYRESOURCERESIDENCY;

/* ns-dxgiddi-dxgi_ddi_arg_resolvesharedresource: the resource's owner changes: its contents must be final and
 * submitted. */
typedef struct DXGI_DDI_ARG_RESOLVESHAREDRESOURCE {
    DXGI_DDI_HDEVICE hDevice;
    DXGI_DDI_HRESOURCE hResource;
} DXGI_DDI_ARG_RESOLVESHAREDRESOURCE;

/* Tables. */

/* ns-dxgiddi-dxgiddicb_present: hDstAllocation is 0 unless the destination is a resource. */
typedef struct DXGIDDICB_PRESENT {
    D3DKMT_HANDLE hSrcAllocation;
    D3DKMT_HANDLE hDstAllocation;
    VOID *pDXGIContext; /* of DXGI_DDI_ARG_PRESENT */
    HANDLE hContext;    /* that the driver got from pfnCreateContextCb */
    UINT BroadcastContextCount;
    HANDLE BroadcastContext[D3DDDI_MAX_BROADCAST_CONTEXT];
} DXGIDDICB_PRESENT;

/* nc-dxgiddi-pfnddxgiddi_presentcb: hDevice is D3D10DDIARG_CREATEDEVICE's hRTDevice.handle. */
typedef HRESULT(APIENTRY *PFNDDXGIDDI_PRESENTCB)(_In_ HANDLE hDevice, _In_ const DXGIDDICB_PRESENT *pPresentData);

/* ns-dxgiddi-dxgi_ddi_base_callbacks: kept by pointer. Later systems append to it. */
typedef struct DXGI_DDI_BASE_CALLBACKS {
    PFNDDXGIDDI_PRESENTCB pfnPresentCb;
} DXGI_DDI_BASE_CALLBACKS;

/* ns-dxgiddi-dxgi_ddi_base_functions: filled by the driver, in place. */
typedef struct DXGI_DDI_BASE_FUNCTIONS {
    HRESULT(APIENTRY *pfnPresent)(DXGI_DDI_ARG_PRESENT *);
    HRESULT(APIENTRY *pfnGetGammaCaps)(DXGI_DDI_ARG_GET_GAMMA_CONTROL_CAPS *);
    HRESULT(APIENTRY *pfnSetDisplayMode)(DXGI_DDI_ARG_SETDISPLAYMODE *);
    HRESULT(APIENTRY *pfnSetResourcePriority)(DXGI_DDI_ARG_SETRESOURCEPRIORITY *);
    HRESULT(APIENTRY *pfnQueryResourceResidency)(DXGI_DDI_ARG_QUERYRESOURCERESIDENCY *);
    HRESULT(APIENTRY *pfnRotateResourceIdentities)(DXGI_DDI_ARG_ROTATE_RESOURCE_IDENTITIES *);
    HRESULT(APIENTRY *pfnBlt)(DXGI_DDI_ARG_BLT *);
} DXGI_DDI_BASE_FUNCTIONS;

/* ns-dxgiddi-dxgi1_1_ddi_base_functions: Windows 7's: IS_DXGI1_1_BASE_FUNCTIONS (d3d10umddi/versions.h) says
 * whether a device has this one. */
typedef struct DXGI1_1_DDI_BASE_FUNCTIONS {
    HRESULT(APIENTRY *pfnPresent)(DXGI_DDI_ARG_PRESENT *);
    HRESULT(APIENTRY *pfnGetGammaCaps)(DXGI_DDI_ARG_GET_GAMMA_CONTROL_CAPS *);
    HRESULT(APIENTRY *pfnSetDisplayMode)(DXGI_DDI_ARG_SETDISPLAYMODE *);
    HRESULT(APIENTRY *pfnSetResourcePriority)(DXGI_DDI_ARG_SETRESOURCEPRIORITY *);
    HRESULT(APIENTRY *pfnQueryResourceResidency)(DXGI_DDI_ARG_QUERYRESOURCERESIDENCY *);
    HRESULT(APIENTRY *pfnRotateResourceIdentities)(DXGI_DDI_ARG_ROTATE_RESOURCE_IDENTITIES *);
    HRESULT(APIENTRY *pfnBlt)(DXGI_DDI_ARG_BLT *);
    HRESULT(APIENTRY *pfnResolveSharedResource)(DXGI_DDI_ARG_RESOLVESHAREDRESOURCE *);
} DXGI1_1_DDI_BASE_FUNCTIONS;

/* ns-dxgiddi-dxgi_ddi_base_args */
typedef struct DXGI_DDI_BASE_ARGS {
    DXGI_DDI_BASE_CALLBACKS *pDXGIBaseCallbacks;
    union {
        DXGI1_1_DDI_BASE_FUNCTIONS *pDXGIDDIBaseFunctions2;
        DXGI_DDI_BASE_FUNCTIONS *pDXGIDDIBaseFunctions;
    };
} DXGI_DDI_BASE_ARGS;

#endif
