/* SPDX-License-Identifier: MIT
 * device.h: opening the adapter, its caps, and the device. A part of d3d10umddi.h, which says more. */
#ifndef AEROGPU_DDI_D3D10UMDDI_DEVICE_H
#define AEROGPU_DDI_D3D10UMDDI_DEVICE_H

#include "d3d10umddi/versions.h"
#include "d3d10umddi/callbacks.h"
#include "d3d10umddi/contexts.h"

/* Filled by the driver; in tables.h. */
typedef struct D3D10DDI_ADAPTERFUNCS D3D10DDI_ADAPTERFUNCS;
typedef struct D3D10_2DDI_ADAPTERFUNCS D3D10_2DDI_ADAPTERFUNCS;
typedef struct D3D10DDI_DEVICEFUNCS D3D10DDI_DEVICEFUNCS;
typedef struct D3D10_1DDI_DEVICEFUNCS D3D10_1DDI_DEVICEFUNCS;

/* ns-d3d10umddi-d3d10ddiarg_openadapter: argument of both exports. Which one was called tells the member of the
 * union: OpenAdapter10 fills pAdapterFuncs, three functions, OpenAdapter10_2 fills pAdapterFuncs_2, five. The
 * other pointer is the same memory: writing both writes past the shorter table. OpenAdapter10 refuses an Interface
 * that it does not know, but no Version. */
typedef struct D3D10DDIARG_OPENADAPTER {
    D3D10DDI_HRTADAPTER hRTAdapter;                   /* for pfnQueryAdapterInfoCb */
    D3D10DDI_HADAPTER hAdapter;                       /* the driver's answer */
    UINT Interface;
    UINT Version;
    const D3DDDI_ADAPTERCALLBACKS *pAdapterCallbacks; /* the table is kept by pointer */
    union {
        D3D10DDI_ADAPTERFUNCS *pAdapterFuncs;
        D3D10_2DDI_ADAPTERFUNCS *pAdapterFuncs_2;
    };
} D3D10DDIARG_OPENADAPTER;

/* nc-d3d10umddi-pfnd3d10ddi_openadapter, pfnd3d10ddi_closeadapter: the type of the exports OpenAdapter10 and
 * OpenAdapter10_2. There is no OpenAdapter11. */
typedef HRESULT(APIENTRY *PFND3D10DDI_OPENADAPTER)(_Inout_ D3D10DDIARG_OPENADAPTER *pOpenData);
typedef HRESULT(APIENTRY *PFND3D10DDI_CLOSEADAPTER)(_In_ D3D10DDI_HADAPTER hAdapter);

/* nc-d3d10umddi-pfnd3d10_2ddi_getsupportedversions: called for the number first, with a null array. An array that
 * is too short is HRESULT_FROM_WIN32(ERROR_INSUFFICIENT_BUFFER). */
typedef HRESULT(APIENTRY *PFND3D10_2DDI_GETSUPPORTEDVERSIONS)(
    _In_ D3D10DDI_HADAPTER hAdapter,
    _Inout_ UINT32 *puEntries,
    _Out_opt_ UINT64 *pSupportedDDIInterfaceVersions);

/* ne-d3d10umddi-d3d10_2ddicaps_type */
typedef enum D3D10_2DDICAPS_TYPE {
    D3D11DDICAPS_THREADING         = 0x80,
    D3D11DDICAPS_SHADER            = 0x81,
    D3D11DDICAPS_3DPIPELINESUPPORT = 0x82
} D3D10_2DDICAPS_TYPE;

/* ns-d3d10umddi-d3d10_2ddiarg_getcaps: Type's answer is a structure of one UINT at pData. For a type that the
 * driver does not know zeros and S_OK are the safest answer. */
typedef struct D3D10_2DDIARG_GETCAPS {
    D3D10_2DDICAPS_TYPE Type;
    VOID *pInfo;
    VOID *pData;
    UINT DataSize; /* in bytes */
} D3D10_2DDIARG_GETCAPS;

/* nc-d3d10umddi-pfnd3d10_2ddi_getcaps */
typedef HRESULT(APIENTRY *PFND3D10_2DDI_GETCAPS)(
    _In_ D3D10DDI_HADAPTER hAdapter,
    _In_ const D3D10_2DDIARG_GETCAPS *pData);

/* 0: one thread at a time enters a device. COMMANDLISTS is a draft that was withdrawn; BUILD_2 needs FREETHREADED. */
#define D3D11DDICAPS_FREETHREADED          0x1u
#define D3D11DDICAPS_COMMANDLISTS          0x2u
#define D3D11DDICAPS_COMMANDLISTS_BUILD_2  0x4u

/* ns-d3d10umddi-d3d11ddi_threading_caps */
typedef struct D3D11DDI_THREADING_CAPS {
    UINT Caps; /* D3D11DDICAPS_ */
} D3D11DDI_THREADING_CAPS;

/* Compute with raw and structured buffers is an option of level 10 and a duty of level 11. */
#define D3D11DDICAPS_SHADER_DOUBLES                                                0x1u
#define D3D11DDICAPS_SHADER_COMPUTE_PLUS_RAW_AND_STRUCTURED_BUFFERS_IN_SHADER_4_X  0x2u

/* ns-d3d10umddi-d3d11ddi_shader_caps */
typedef struct D3D11DDI_SHADER_CAPS {
    UINT Caps; /* D3D11DDICAPS_SHADER_ */
} D3D11DDI_SHADER_CAPS;

/* ne-d3d10umddi-d3d11ddi_3dpipelinelevel */
typedef enum D3D11DDI_3DPIPELINELEVEL {
    D3D11DDI_3DPIPELINELEVEL_10_0 = 0,
    D3D11DDI_3DPIPELINELEVEL_10_1 = 1,
    D3D11DDI_3DPIPELINELEVEL_11_0 = 2
} D3D11DDI_3DPIPELINELEVEL;

/* A bit per level; a level implies those below it, and their bits must be set too. */
#define D3D11DDI_ENCODE_3DPIPELINESUPPORT_CAP(Level)  (0x1u << (Level))

/* ns-d3d10umddi-d3d11ddi_3dpipelinesupport_caps */
typedef struct D3D11DDI_3DPIPELINESUPPORT_CAPS {
    UINT Caps;
} D3D11DDI_3DPIPELINESUPPORT_CAPS;

/* Flags of a device. The pipeline level is the one that the runtime chose, for the interface of 11. */
#define D3D10DDI_CREATEDEVICE_FLAG_DISABLE_EXTRA_THREAD_CREATION  0x1u
#define D3D11DDI_CREATEDEVICE_FLAG_3DPIPELINESUPPORT_SHIFT        1
#define D3D11DDI_CREATEDEVICE_FLAG_3DPIPELINESUPPORT_MASK         0xEu
#define D3D11DDI_CREATEDEVICE_FLAG_SINGLETHREADED                 0x10u

#define D3D11DDI_EXTRACT_3DPIPELINELEVEL_FROM_FLAGS(Flags)                                      \
    ((D3D11DDI_3DPIPELINELEVEL)(((Flags) & D3D11DDI_CREATEDEVICE_FLAG_3DPIPELINESUPPORT_MASK) >> \
                                D3D11DDI_CREATEDEVICE_FLAG_3DPIPELINESUPPORT_SHIFT))

/* ns-d3d10umddi-d3d10ddiarg_calcprivatedevicesize */
typedef struct D3D10DDIARG_CALCPRIVATEDEVICESIZE {
    UINT Interface;
    UINT Version;
    UINT Flags;
} D3D10DDIARG_CALCPRIVATEDEVICESIZE;

/* ns-d3d10umddi-d3d10ddiarg_createdevice: Interface tells which table there is to fill, in place: the three
 * pointers are one. A table of 10 is shorter than one of 11. Both callback tables are kept by pointer. */
typedef struct D3D10DDIARG_CREATEDEVICE {
    D3D10DDI_HRTDEVICE hRTDevice;       /* for pKTCallbacks */
    UINT Interface;
    UINT Version;
    const D3DDDI_DEVICECALLBACKS *pKTCallbacks;
    union {
        D3D10DDI_DEVICEFUNCS *pDeviceFuncs;
        D3D10_1DDI_DEVICEFUNCS *p10_1DeviceFuncs;
        D3D11DDI_DEVICEFUNCS *p11DeviceFuncs;
    };
    D3D10DDI_HDEVICE hDrvDevice;        /* where the driver's data go */
    DXGI_DDI_BASE_ARGS DXGIBaseDDI;     /* IS_DXGI1_1_BASE_FUNCTIONS tells its length */
    D3D10DDI_HRTCORELAYER hRTCoreLayer; /* for pUMCallbacks */
    union {
        const D3D10DDI_CORELAYER_DEVICECALLBACKS *pUMCallbacks;
        const D3D11DDI_CORELAYER_DEVICECALLBACKS *p11UMCallbacks;
    };
    UINT Flags;                         /* D3D10DDI_CREATEDEVICE_FLAG_, D3D11DDI_CREATEDEVICE_FLAG_ */
} D3D10DDIARG_CREATEDEVICE;

/* nc-d3d10umddi-pfnd3d10ddi_calcprivatedevicesize, pfnd3d10ddi_createdevice: a success other than S_OK is
 * DXGI_STATUS_NO_REDIRECTION: windows of the device cannot share surfaces with the compositor. */
typedef SIZE_T(APIENTRY *PFND3D10DDI_CALCPRIVATEDEVICESIZE)(
    _In_ D3D10DDI_HADAPTER hAdapter,
    _In_ const D3D10DDIARG_CALCPRIVATEDEVICESIZE *pData);
typedef HRESULT(APIENTRY *PFND3D10DDI_CREATEDEVICE)(
    _In_ D3D10DDI_HADAPTER hAdapter,
    _Inout_ D3D10DDIARG_CREATEDEVICE *pCreateData);

/* nc-d3d10umddi-pfnd3d10ddi_relocatedevicefuncs, pfnd3d10_1ddi_relocatedevicefuncs,
 * pfnd3d11ddi_relocatedevicefuncs: the table has moved: later changes go to the new place. */
typedef VOID(APIENTRY *PFND3D10DDI_RELOCATEDEVICEFUNCS)(
    _In_ D3D10DDI_HDEVICE hDevice,
    _Inout_ D3D10DDI_DEVICEFUNCS *pDeviceFunctions);
typedef VOID(APIENTRY *PFND3D10_1DDI_RELOCATEDEVICEFUNCS)(
    _In_ D3D10DDI_HDEVICE hDevice,
    _Inout_ D3D10_1DDI_DEVICEFUNCS *pDeviceFunctions);
typedef VOID(APIENTRY *PFND3D11DDI_RELOCATEDEVICEFUNCS)(
    _In_ D3D10DDI_HDEVICE hDevice,
    _Inout_ D3D11DDI_DEVICEFUNCS *pDeviceFunctions);

/* nc-d3d10umddi-pfnd3d10ddi_destroydevice: after all its objects. */
typedef VOID(APIENTRY *PFND3D10DDI_DESTROYDEVICE)(_In_ D3D10DDI_HDEVICE hDevice);

#endif
