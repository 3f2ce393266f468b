/* SPDX-License-Identifier: MIT
 * handles.h: the handles that runtime and driver give each other. A part of d3d10umddi.h, which says more. */
#ifndef AEROGPU_DDI_D3D10UMDDI_HANDLES_H
#define AEROGPU_DDI_D3D10UMDDI_HANDLES_H

#include "dxgiddi.h"

/* A handle is a structure around a pointer, so that the compiler tells one kind from another. D3D10DDI_Hxxx points
 * to memory that the runtime allocated for the driver: as many bytes as the driver's CalcPrivateXxxSize said, not
 * cleared, at one address until DestroyXxx. D3D10DDI_HRTxxx is the runtime's name of the same object, for
 * callbacks. */

/* The driver's objects. A null pDrvPrivate in a call that binds means none. */
typedef struct D3D10DDI_HADAPTER             { VOID *pDrvPrivate; } D3D10DDI_HADAPTER;
typedef struct D3D10DDI_HDEVICE              { VOID *pDrvPrivate; } D3D10DDI_HDEVICE;
typedef struct D3D10DDI_HRESOURCE            { VOID *pDrvPrivate; } D3D10DDI_HRESOURCE;
typedef struct D3D10DDI_HSHADERRESOURCEVIEW  { VOID *pDrvPrivate; } D3D10DDI_HSHADERRESOURCEVIEW;
typedef struct D3D10DDI_HRENDERTARGETVIEW    { VOID *pDrvPrivate; } D3D10DDI_HRENDERTARGETVIEW;
typedef struct D3D10DDI_HDEPTHSTENCILVIEW    { VOID *pDrvPrivate; } D3D10DDI_HDEPTHSTENCILVIEW;
typedef struct D3D11DDI_HUNORDEREDACCESSVIEW { VOID *pDrvPrivate; } D3D11DDI_HUNORDEREDACCESSVIEW;
typedef struct D3D10DDI_HSHADER              { VOID *pDrvPrivate; } D3D10DDI_HSHADER;
typedef struct D3D10DDI_HELEMENTLAYOUT       { VOID *pDrvPrivate; } D3D10DDI_HELEMENTLAYOUT;
typedef struct D3D10DDI_HBLENDSTATE          { VOID *pDrvPrivate; } D3D10DDI_HBLENDSTATE;
typedef struct D3D10DDI_HDEPTHSTENCILSTATE   { VOID *pDrvPrivate; } D3D10DDI_HDEPTHSTENCILSTATE;
typedef struct D3D10DDI_HRASTERIZERSTATE     { VOID *pDrvPrivate; } D3D10DDI_HRASTERIZERSTATE;
typedef struct D3D10DDI_HSAMPLER             { VOID *pDrvPrivate; } D3D10DDI_HSAMPLER;
typedef struct D3D10DDI_HQUERY               { VOID *pDrvPrivate; } D3D10DDI_HQUERY;
typedef struct D3D11DDI_HCOMMANDLIST         { VOID *pDrvPrivate; } D3D11DDI_HCOMMANDLIST;

/* The runtime's objects. hRTDevice is for the kernel's callbacks, hRTCoreLayer for pfnSetErrorCb and the state
 * callbacks: they are not to be exchanged. */
typedef struct D3D10DDI_HRTADAPTER             { VOID *handle; } D3D10DDI_HRTADAPTER;
typedef struct D3D10DDI_HRTDEVICE              { VOID *handle; } D3D10DDI_HRTDEVICE;
typedef struct D3D10DDI_HRTCORELAYER           { VOID *handle; } D3D10DDI_HRTCORELAYER;
typedef struct D3D10DDI_HRTRESOURCE            { VOID *handle; } D3D10DDI_HRTRESOURCE;
typedef struct D3D10DDI_HRTSHADERRESOURCEVIEW  { VOID *handle; } D3D10DDI_HRTSHADERRESOURCEVIEW;
typedef struct D3D10DDI_HRTRENDERTARGETVIEW    { VOID *handle; } D3D10DDI_HRTRENDERTARGETVIEW;
typedef struct D3D10DDI_HRTDEPTHSTENCILVIEW    { VOID *handle; } D3D10DDI_HRTDEPTHSTENCILVIEW;
typedef struct D3D11DDI_HRTUNORDEREDACCESSVIEW { VOID *handle; } D3D11DDI_HRTUNORDEREDACCESSVIEW;
typedef struct D3D10DDI_HRTSHADER              { VOID *handle; } D3D10DDI_HRTSHADER;
typedef struct D3D10DDI_HRTELEMENTLAYOUT       { VOID *handle; } D3D10DDI_HRTELEMENTLAYOUT;
typedef struct D3D10DDI_HRTBLENDSTATE          { VOID *handle; } D3D10DDI_HRTBLENDSTATE;
typedef struct D3D10DDI_HRTDEPTHSTENCILSTATE   { VOID *handle; } D3D10DDI_HRTDEPTHSTENCILSTATE;
typedef struct D3D10DDI_HRTRASTERIZERSTATE     { VOID *handle; } D3D10DDI_HRTRASTERIZERSTATE;
typedef struct D3D10DDI_HRTSAMPLER             { VOID *handle; } D3D10DDI_HRTSAMPLER;
typedef struct D3D10DDI_HRTQUERY               { VOID *handle; } D3D10DDI_HRTQUERY;
typedef struct D3D11DDI_HRTCOMMANDLIST         { VOID *handle; } D3D11DDI_HRTCOMMANDLIST;

/* The kernel's objects. */
typedef struct D3D10DDI_HKMDEVICE     { D3DKMT_HANDLE handle; } D3D10DDI_HKMDEVICE;
typedef struct D3D10DDI_HKMRESOURCE   { D3DKMT_HANDLE handle; } D3D10DDI_HKMRESOURCE;
typedef struct D3D10DDI_HKMALLOCATION { D3DKMT_HANDLE handle; } D3D10DDI_HKMALLOCATION;

#endif
