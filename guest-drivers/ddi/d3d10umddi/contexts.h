/* SPDX-License-Identifier: MIT
 * contexts.h: deferred contexts and command lists of 11. A part of d3d10umddi.h, which says more. */
#ifndef AEROGPU_DDI_D3D10UMDDI_CONTEXTS_H
#define AEROGPU_DDI_D3D10UMDDI_CONTEXTS_H

#include "d3d10umddi/callbacks.h"

/* For drivers that claim D3D11DDICAPS_COMMANDLISTS_BUILD_2. Without it the runtime records by itself, calls none
 * of these functions, and lets their slots be null. */

typedef struct D3D11DDI_DEVICEFUNCS D3D11DDI_DEVICEFUNCS; /* tables.h */

/* ne-d3d10umddi-d3d11ddi_handletype: kinds of handles, each of which a deferred context may have its own private
 * data of. */
typedef enum D3D11DDI_HANDLETYPE {
    D3D10DDI_HT_RESOURCE            = 0,
    D3D10DDI_HT_SHADERRESOURCEVIEW  = 1,
    D3D10DDI_HT_RENDERTARGETVIEW    = 2,
    D3D10DDI_HT_DEPTHSTENCILVIEW    = 3,
    D3D10DDI_HT_SHADER              = 4,
    D3D10DDI_HT_ELEMENTLAYOUT       = 5,
    D3D10DDI_HT_BLENDSTATE          = 6,
    D3D10DDI_HT_DEPTHSTENCILSTATE   = 7,
    D3D10DDI_HT_RASTERIZERSTATE     = 8,
    D3D10DDI_HT_SAMPLERSTATE        = 9,
    D3D10DDI_HT_QUERY               = 10,
    D3D11DDI_HT_COMMANDLIST         = 11,
    D3D11DDI_HT_UNORDEREDACCESSVIEW = 12
} D3D11DDI_HANDLETYPE;

/* ns-d3d10umddi-d3d11ddi_handlesize */
typedef struct D3D11DDI_HANDLESIZE {
    D3D11DDI_HANDLETYPE HandleType;
    SIZE_T DriverPrivateSize; /* in bytes */
} D3D11DDI_HANDLESIZE;

/* nc-d3d10umddi-pfnd3d11ddi_checkdeferredcontexthandlesizes, pfnd3d11ddi_calcdeferredcontexthandlesize: called
 * twice: for the number in *pHSizes, then for as many elements. */
typedef VOID(APIENTRY *PFND3D11DDI_CHECKDEFERREDCONTEXTHANDLESIZES)(
    _In_ D3D10DDI_HDEVICE hDevice,
    _Inout_ UINT *pHSizes,
    _Out_opt_ D3D11DDI_HANDLESIZE *pHandleSize);
typedef SIZE_T(APIENTRY *PFND3D11DDI_CALCDEFERREDCONTEXTHANDLESIZE)(
    _In_ D3D10DDI_HDEVICE hDevice,
    _In_ D3D11DDI_HANDLETYPE HandleType,
    _In_opt_ VOID *pICObject);

/* ns-d3d10umddi-d3d11ddiarg_calcprivatedeferredcontextsize */
typedef struct D3D11DDIARG_CALCPRIVATEDEFERREDCONTEXTSIZE {
    UINT Flags;
} D3D11DDIARG_CALCPRIVATEDEFERREDCONTEXTSIZE;

/* ns-d3d10umddi-d3d11ddiarg_createdeferredcontext: p11ContextFuncs is filled in place, as the device's table is.
 * Errors go to this context's callbacks. */
typedef struct D3D11DDIARG_CREATEDEFERREDCONTEXT {
    D3D11DDI_DEVICEFUNCS *p11ContextFuncs;
    D3D10DDI_HDEVICE hDrvContext;
    D3D10DDI_HRTCORELAYER hRTCoreLayer;
    const D3D11DDI_CORELAYER_DEVICECALLBACKS *p11UMCallbacks;
    UINT Flags;
} D3D11DDIARG_CREATEDEFERREDCONTEXT;

/* nc-d3d10umddi-pfnd3d11ddi_calcprivatedeferredcontextsize, pfnd3d11ddi_createdeferredcontext,
 * pfnd3d11ddi_recyclecreatedeferredcontext */
typedef SIZE_T(APIENTRY *PFND3D11DDI_CALCPRIVATEDEFERREDCONTEXTSIZE)(
    _In_ D3D10DDI_HDEVICE hDevice,
    _In_ const D3D11DDIARG_CALCPRIVATEDEFERREDCONTEXTSIZE *pCalcPrivateDeferredContextSize);
typedef VOID(APIENTRY *PFND3D11DDI_CREATEDEFERREDCONTEXT)(
    _In_ D3D10DDI_HDEVICE hDevice,
    _In_ const D3D11DDIARG_CREATEDEFERREDCONTEXT *pCreateDeferredContext);
typedef HRESULT(APIENTRY *PFND3D11DDI_RECYCLECREATEDEFERREDCONTEXT)(
    _In_ D3D10DDI_HDEVICE hDevice,
    _In_ const D3D11DDIARG_CREATEDEFERREDCONTEXT *pCreateDeferredContext);

/* ns-d3d10umddi-d3d11ddiarg_createcommandlist */
typedef struct D3D11DDIARG_CREATECOMMANDLIST {
    D3D10DDI_HDEVICE hDeferredContext;
} D3D11DDIARG_CREATECOMMANDLIST;

/* nc-d3d10umddi-pfnd3d11ddi_calcprivatecommandlistsize, pfnd3d11ddi_createcommandlist,
 * pfnd3d11ddi_recyclecreatecommandlist */
typedef SIZE_T(APIENTRY *PFND3D11DDI_CALCPRIVATECOMMANDLISTSIZE)(
    _In_ D3D10DDI_HDEVICE hDevice,
    _In_ const D3D11DDIARG_CREATECOMMANDLIST *pCreateCommandList);
typedef VOID(APIENTRY *PFND3D11DDI_CREATECOMMANDLIST)(
    _In_ D3D10DDI_HDEVICE hDevice,
    _In_ const D3D11DDIARG_CREATECOMMANDLIST *pCreateCommandList,
    _In_ D3D11DDI_HCOMMANDLIST hCommandList,
    _In_ D3D11DDI_HRTCOMMANDLIST hRTCommandList);
typedef HRESULT(APIENTRY *PFND3D11DDI_RECYCLECREATECOMMANDLIST)(
    _In_ D3D10DDI_HDEVICE hDevice,
    _In_ const D3D11DDIARG_CREATECOMMANDLIST *pCreateCommandList,
    _In_ D3D11DDI_HCOMMANDLIST hCommandList,
    _In_ D3D11DDI_HRTCOMMANDLIST hRTCommandList);

/* nc-d3d10umddi-pfnd3d11ddi_destroycommandlist, pfnd3d11ddi_recyclecommandlist, pfnd3d11ddi_abandoncommandlist,
 * pfnd3d11ddi_commandlistexecute: pfnRecycleDestroyCommandList has the destruction's type. */
typedef VOID(APIENTRY *PFND3D11DDI_DESTROYCOMMANDLIST)(
    _In_ D3D10DDI_HDEVICE hDevice,
    _In_ D3D11DDI_HCOMMANDLIST hCommandList);
typedef VOID(APIENTRY *PFND3D11DDI_RECYCLECOMMANDLIST)(
    _In_ D3D10DDI_HDEVICE hDevice,
    _In_ D3D11DDI_HCOMMANDLIST hCommandList);
typedef VOID(APIENTRY *PFND3D11DDI_ABANDONCOMMANDLIST)(_In_ D3D10DDI_HDEVICE hDevice);
typedef VOID(APIENTRY *PFND3D11DDI_COMMANDLISTEXECUTE)(
    _In_ D3D10DDI_HDEVICE hDevice,
    _In_ D3D11DDI_HCOMMANDLIST hCommandList);

#endif
