/* SPDX-License-Identifier: MIT
 * commands.h: what is bound and what is drawn. A part of d3d10umddi.h, which says more. */
#ifndef AEROGPU_DDI_D3D10UMDDI_COMMANDS_H
#define AEROGPU_DDI_D3D10UMDDI_COMMANDS_H

#include "d3d10umddi/views.h"

/* These functions cannot run out of memory: the only error they may set is D3DDDIERR_DEVICEREMOVED. A setter with
 * Start or Offset sets a range and leaves the other slots; a setter with Clear sets the whole state, and Clear is
 * how many slots behind the range were bound and are no longer. */

/* ne-d3d10umddi-d3d10_ddi_primitive_topology: the same numbers as in the API. */
typedef enum D3D10_DDI_PRIMITIVE_TOPOLOGY {
    D3D10_DDI_PRIMITIVE_TOPOLOGY_UNDEFINED                  = 0,
    D3D10_DDI_PRIMITIVE_TOPOLOGY_POINTLIST                  = 1,
    D3D10_DDI_PRIMITIVE_TOPOLOGY_LINELIST                   = 2,
    D3D10_DDI_PRIMITIVE_TOPOLOGY_LINESTRIP                  = 3,
    D3D10_DDI_PRIMITIVE_TOPOLOGY_TRIANGLELIST               = 4,
    D3D10_DDI_PRIMITIVE_TOPOLOGY_TRIANGLESTRIP              = 5,
    D3D10_DDI_PRIMITIVE_TOPOLOGY_LINELIST_ADJ               = 10,
    D3D10_DDI_PRIMITIVE_TOPOLOGY_LINESTRIP_ADJ              = 11,
    D3D10_DDI_PRIMITIVE_TOPOLOGY_TRIANGLELIST_ADJ           = 12,
    D3D10_DDI_PRIMITIVE_TOPOLOGY_TRIANGLESTRIP_ADJ          = 13,
    D3D11_DDI_PRIMITIVE_TOPOLOGY_1_CONTROL_POINT_PATCHLIST  = 33,
    D3D11_DDI_PRIMITIVE_TOPOLOGY_2_CONTROL_POINT_PATCHLIST  = 34,
    D3D11_DDI_PRIMITIVE_TOPOLOGY_3_CONTROL_POINT_PATCHLIST  = 35,
    D3D11_DDI_PRIMITIVE_TOPOLOGY_4_CONTROL_POINT_PATCHLIST  = 36,
    D3D11_DDI_PRIMITIVE_TOPOLOGY_5_CONTROL_POINT_PATCHLIST  = 37,
    D3D11_DDI_PRIMITIVE_TOPOLOGY_6_CONTROL_POINT_PATCHLIST  = 38,
    D3D11_DDI_PRIMITIVE_TOPOLOGY_7_CONTROL_POINT_PATCHLIST  = 39,
    D3D11_DDI_PRIMITIVE_TOPOLOGY_8_CONTROL_POINT_PATCHLIST  = 40,
    D3D11_DDI_PRIMITIVE_TOPOLOGY_9_CONTROL_POINT_PATCHLIST  = 41,
    D3D11_DDI_PRIMITIVE_TOPOLOGY_10_CONTROL_POINT_PATCHLIST = 42,
    D3D11_DDI_PRIMITIVE_TOPOLOGY_11_CONTROL_POINT_PATCHLIST = 43,
    D3D11_DDI_PRIMITIVE_TOPOLOGY_12_CONTROL_POINT_PATCHLIST = 44,
    D3D11_DDI_PRIMITIVE_TOPOLOGY_13_CONTROL_POINT_PATCHLIST = 45,
    D3D11_DDI_PRIMITIVE_TOPOLOGY_14_CONTROL_POINT_PATCHLIST = 46,
    D3D11_DDI_PRIMITIVE_TOPOLOGY_15_CONTROL_POINT_PATCHLIST = 47,
    D3D11_DDI_PRIMITIVE_TOPOLOGY_16_CONTROL_POINT_PATCHLIST = 48,
    D3D11_DDI_PRIMITIVE_TOPOLOGY_17_CONTROL_POINT_PATCHLIST = 49,
    D3D11_DDI_PRIMITIVE_TOPOLOGY_18_CONTROL_POINT_PATCHLIST = 50,
    D3D11_DDI_PRIMITIVE_TOPOLOGY_19_CONTROL_POINT_PATCHLIST = 51,
    D3D11_DDI_PRIMITIVE_TOPOLOGY_20_CONTROL_POINT_PATCHLIST = 52,
    D3D11_DDI_PRIMITIVE_TOPOLOGY_21_CONTROL_POINT_PATCHLIST = 53,
    D3D11_DDI_PRIMITIVE_TOPOLOGY_22_CONTROL_POINT_PATCHLIST = 54,
    D3D11_DDI_PRIMITIVE_TOPOLOGY_23_CONTROL_POINT_PATCHLIST = 55,
    D3D11_DDI_PRIMITIVE_TOPOLOGY_24_CONTROL_POINT_PATCHLIST = 56,
    D3D11_DDI_PRIMITIVE_TOPOLOGY_25_CONTROL_POINT_PATCHLIST = 57,
    D3D11_DDI_PRIMITIVE_TOPOLOGY_26_CONTROL_POINT_PATCHLIST = 58,
    D3D11_DDI_PRIMITIVE_TOPOLOGY_27_CONTROL_POINT_PATCHLIST = 59,
    D3D11_DDI_PRIMITIVE_TOPOLOGY_28_CONTROL_POINT_PATCHLIST = 60,
    D3D11_DDI_PRIMITIVE_TOPOLOGY_29_CONTROL_POINT_PATCHLIST = 61,
    D3D11_DDI_PRIMITIVE_TOPOLOGY_30_CONTROL_POINT_PATCHLIST = 62,
    D3D11_DDI_PRIMITIVE_TOPOLOGY_31_CONTROL_POINT_PATCHLIST = 63,
    D3D11_DDI_PRIMITIVE_TOPOLOGY_32_CONTROL_POINT_PATCHLIST = 64
} D3D10_DDI_PRIMITIVE_TOPOLOGY;

/* What a geometry or hull shader takes in. Here n control points are 32 + n, in a shader's tokens 7 + n. */
typedef enum D3D10_DDI_PRIMITIVE {
    D3D10_DDI_PRIMITIVE_UNDEFINED              = 0,
    D3D10_DDI_PRIMITIVE_POINT                  = 1,
    D3D10_DDI_PRIMITIVE_LINE                   = 2,
    D3D10_DDI_PRIMITIVE_TRIANGLE               = 3,
    D3D10_DDI_PRIMITIVE_LINE_ADJ               = 6,
    D3D10_DDI_PRIMITIVE_TRIANGLE_ADJ           = 7,
    D3D11_DDI_PRIMITIVE_1_CONTROL_POINT_PATCH  = 33,
    D3D11_DDI_PRIMITIVE_2_CONTROL_POINT_PATCH  = 34,
    D3D11_DDI_PRIMITIVE_3_CONTROL_POINT_PATCH  = 35,
    D3D11_DDI_PRIMITIVE_4_CONTROL_POINT_PATCH  = 36,
    D3D11_DDI_PRIMITIVE_5_CONTROL_POINT_PATCH  = 37,
    D3D11_DDI_PRIMITIVE_6_CONTROL_POINT_PATCH  = 38,
    D3D11_DDI_PRIMITIVE_7_CONTROL_POINT_PATCH  = 39,
    D3D11_DDI_PRIMITIVE_8_CONTROL_POINT_PATCH  = 40,
    D3D11_DDI_PRIMITIVE_9_CONTROL_POINT_PATCH  = 41,
    D3D11_DDI_PRIMITIVE_10_CONTROL_POINT_PATCH = 42,
    D3D11_DDI_PRIMITIVE_11_CONTROL_POINT_PATCH = 43,
    D3D11_DDI_PRIMITIVE_12_CONTROL_POINT_PATCH = 44,
    D3D11_DDI_PRIMITIVE_13_CONTROL_POINT_PATCH = 45,
    D3D11_DDI_PRIMITIVE_14_CONTROL_POINT_PATCH = 46,
    D3D11_DDI_PRIMITIVE_15_CONTROL_POINT_PATCH = 47,
    D3D11_DDI_PRIMITIVE_16_CONTROL_POINT_PATCH = 48,
    D3D11_DDI_PRIMITIVE_17_CONTROL_POINT_PATCH = 49,
    D3D11_DDI_PRIMITIVE_18_CONTROL_POINT_PATCH = 50,
    D3D11_DDI_PRIMITIVE_19_CONTROL_POINT_PATCH = 51,
    D3D11_DDI_PRIMITIVE_20_CONTROL_POINT_PATCH = 52,
    D3D11_DDI_PRIMITIVE_21_CONTROL_POINT_PATCH = 53,
    D3D11_DDI_PRIMITIVE_22_CONTROL_POINT_PATCH = 54,
    D3D11_DDI_PRIMITIVE_23_CONTROL_POINT_PATCH = 55,
    D3D11_DDI_PRIMITIVE_24_CONTROL_POINT_PATCH = 56,
    D3D11_DDI_PRIMITIVE_25_CONTROL_POINT_PATCH = 57,
    D3D11_DDI_PRIMITIVE_26_CONTROL_POINT_PATCH = 58,
    D3D11_DDI_PRIMITIVE_27_CONTROL_POINT_PATCH = 59,
    D3D11_DDI_PRIMITIVE_28_CONTROL_POINT_PATCH = 60,
    D3D11_DDI_PRIMITIVE_29_CONTROL_POINT_PATCH = 61,
    D3D11_DDI_PRIMITIVE_30_CONTROL_POINT_PATCH = 62,
    D3D11_DDI_PRIMITIVE_31_CONTROL_POINT_PATCH = 63,
    D3D11_DDI_PRIMITIVE_32_CONTROL_POINT_PATCH = 64
} D3D10_DDI_PRIMITIVE;

/* nc-d3d10umddi-pfnd3d10ddi_setinputlayout, pfnd3d10ddi_ia_setvertexbuffers, pfnd3d10ddi_ia_setindexbuffer,
 * pfnd3d10ddi_ia_settopology: input. Strides and offsets in bytes; an index buffer is R16_UINT or R32_UINT. Null
 * handles unbind. */
typedef VOID(APIENTRY *PFND3D10DDI_SETINPUTLAYOUT)(
    _In_ D3D10DDI_HDEVICE hDevice,
    _In_ D3D10DDI_HELEMENTLAYOUT hInputLayout);
typedef VOID(APIENTRY *PFND3D10DDI_IA_SETVERTEXBUFFERS)(
    _In_ D3D10DDI_HDEVICE hDevice,
    _In_ UINT StartBuffer,
    _In_ UINT NumBuffers,
    _In_ const D3D10DDI_HRESOURCE *phBuffers,
    _In_ const UINT *pStrides,
    _In_ const UINT *pOffsets);
typedef VOID(APIENTRY *PFND3D10DDI_IA_SETINDEXBUFFER)(
    _In_ D3D10DDI_HDEVICE hDevice,
    _In_ D3D10DDI_HRESOURCE hBuffer,
    _In_ DXGI_FORMAT Format,
    _In_ UINT Offset);
typedef VOID(APIENTRY *PFND3D10DDI_IA_SETTOPOLOGY)(
    _In_ D3D10DDI_HDEVICE hDevice,
    _In_ D3D10_DDI_PRIMITIVE_TOPOLOGY PrimitiveTopology);

/* nc-d3d10umddi-pfnd3d10ddi_setshader, pfnd3d10ddi_setconstantbuffers, pfnd3d10ddi_setshaderresources,
 * pfnd3d10ddi_setsamplers: each stage has a slot of these types. A null shader switches the stage off. */
typedef VOID(APIENTRY *PFND3D10DDI_SETSHADER)(_In_ D3D10DDI_HDEVICE hDevice, _In_ D3D10DDI_HSHADER hShader);
typedef VOID(APIENTRY *PFND3D10DDI_SETCONSTANTBUFFERS)(
    _In_ D3D10DDI_HDEVICE hDevice,
    _In_ UINT StartBuffer,
    _In_ UINT NumBuffers,
    _In_ const D3D10DDI_HRESOURCE *phBuffers);
typedef VOID(APIENTRY *PFND3D10DDI_SETSHADERRESOURCES)(
    _In_ D3D10DDI_HDEVICE hDevice,
    _In_ UINT Offset,
    _In_ UINT NumViews,
    _In_ const D3D10DDI_HSHADERRESOURCEVIEW *phShaderResourceViews);
typedef VOID(APIENTRY *PFND3D10DDI_SETSAMPLERS)(
    _In_ D3D10DDI_HDEVICE hDevice,
    _In_ UINT Offset,
    _In_ UINT NumSamplers,
    _In_ const D3D10DDI_HSAMPLER *phSamplers);

/* ns-d3d10umddi-d3d11ddiarg_pointerdata: a class instance's place: constant buffer, its offset, first sampler and
 * texture. */
typedef struct D3D11DDIARG_POINTERDATA {
    UINT uCBOffset : 12;
    UINT uCBID : 4;
    UINT uBaseSamp : 4;
    UINT uBaseTex : 7;
    UINT uReserved : 5;
} D3D11DDIARG_POINTERDATA;

/* nc-d3d10umddi-pfnd3d11ddi_setshader_with_ifaces: instead of SetShader for a shader with interfaces: the count,
 * an id for each, the data of each. The current page does not name the arguments. */
typedef VOID(APIENTRY *PFND3D11DDI_SETSHADER_WITH_IFACES)(
    _In_ D3D10DDI_HDEVICE hDevice,
    _In_ D3D10DDI_HSHADER hShader,
    _In_ UINT NumClassInstances,
    _In_ const UINT *pIfaces,
    _In_ const D3D11DDIARG_POINTERDATA *pPointerData);

/* nc-d3d10umddi-pfnd3d11ddi_setunorderedaccessviews: the compute stage's views. Initial counts are the hidden
 * counters; -1 keeps one. */
typedef VOID(APIENTRY *PFND3D11DDI_SETUNORDEREDACCESSVIEWS)(
    _In_ D3D10DDI_HDEVICE hDevice,
    _In_ UINT Offset,
    _In_ UINT NumViews,
    _In_ const D3D11DDI_HUNORDEREDACCESSVIEW *phUnorderedAccessView,
    _In_ const UINT *pUAVInitialCounts);

/* nc-d3d10umddi-pfnd3d10ddi_so_settargets: an offset of -1 goes on where the last output to the buffer ended. */
typedef VOID(APIENTRY *PFND3D10DDI_SO_SETTARGETS)(
    _In_ D3D10DDI_HDEVICE hDevice,
    _In_ UINT SOTargets,
    _In_ UINT ClearTargets,
    _In_ const D3D10DDI_HRESOURCE *phResource,
    _In_ const UINT *pOffsets);

/* ns-d3d10umddi-d3d10_ddi_viewport: floats, unlike in the API of 10. */
typedef struct D3D10_DDI_VIEWPORT {
    FLOAT TopLeftX;
    FLOAT TopLeftY;
    FLOAT Width;
    FLOAT Height;
    FLOAT MinDepth;
    FLOAT MaxDepth;
} D3D10_DDI_VIEWPORT;

typedef RECT D3D10_DDI_RECT; /* right and bottom are exclusive */

/* nc-d3d10umddi-pfnd3d10ddi_setviewports, pfnd3d10ddi_setscissorrects */
typedef VOID(APIENTRY *PFND3D10DDI_SETVIEWPORTS)(
    _In_ D3D10DDI_HDEVICE hDevice,
    _In_ UINT NumViewports,
    _In_ UINT ClearViewports,
    _In_ const D3D10_DDI_VIEWPORT *pViewports);
typedef VOID(APIENTRY *PFND3D10DDI_SETSCISSORRECTS)(
    _In_ D3D10DDI_HDEVICE hDevice,
    _In_ UINT NumScissorRects,
    _In_ UINT ClearScissorRects,
    _In_ const D3D10_DDI_RECT *pRects);

/* nc-d3d10umddi-pfnd3d10ddi_setblendstate, pfnd3d10ddi_setdepthstencilstate, pfnd3d10ddi_setrasterizerstate: a
 * null state is the API's default state. pBlendFactor: four numbers. */
typedef VOID(APIENTRY *PFND3D10DDI_SETBLENDSTATE)(
    _In_ D3D10DDI_HDEVICE hDevice,
    _In_ D3D10DDI_HBLENDSTATE hState,
    _In_ const FLOAT *pBlendFactor,
    _In_ UINT SampleMask);
typedef VOID(APIENTRY *PFND3D10DDI_SETDEPTHSTENCILSTATE)(
    _In_ D3D10DDI_HDEVICE hDevice,
    _In_ D3D10DDI_HDEPTHSTENCILSTATE hState,
    _In_ UINT StencilRef);
typedef VOID(APIENTRY *PFND3D10DDI_SETRASTERIZERSTATE)(
    _In_ D3D10DDI_HDEVICE hDevice,
    _In_ D3D10DDI_HRASTERIZERSTATE hRasterizerState);

#define D3D10_DDI_SIMULTANEOUS_RENDER_TARGET_COUNT  8

/* nc-d3d10umddi-pfnd3d10ddi_setrendertargets: all targets and the depth-stencil view at once. */
typedef VOID(APIENTRY *PFND3D10DDI_SETRENDERTARGETS)(
    _In_ D3D10DDI_HDEVICE hDevice,
    _In_ const D3D10DDI_HRENDERTARGETVIEW *phRenderTargetView,
    _In_ UINT RTargets,
    _In_ UINT ClearTargets,
    _In_ D3D10DDI_HDEPTHSTENCILVIEW hDepthStencilView);

/* nc-d3d10umddi-pfnd3d11ddi_setrendertargets: 11: targets and unordered access views share the pixel stage's
 * slots. UAVIndex is the first slot of the views, not below NumRTVs; UAVFirsttoSet and UAVNumberUpdated span the
 * slots that changed. */
typedef VOID(APIENTRY *PFND3D11DDI_SETRENDERTARGETS)(
    _In_ D3D10DDI_HDEVICE hDevice,
    _In_ const D3D10DDI_HRENDERTARGETVIEW *phRenderTargetView,
    _In_ UINT NumRTVs,
    _In_ UINT RTVNumbertoUnbind,
    _In_ D3D10DDI_HDEPTHSTENCILVIEW hDepthStencilView,
    _In_ const D3D11DDI_HUNORDEREDACCESSVIEW *phUnorderedAccessView,
    _In_ const UINT *pUAVInitialCounts,
    _In_ UINT UAVIndex,
    _In_ UINT NumUAVs,
    _In_ UINT UAVFirsttoSet,
    _In_ UINT UAVNumberUpdated);

/* nc-d3d10umddi-pfnd3d10ddi_setpredication: what follows is skipped if the query's result equals PredicateValue,
 * the contrary of what one expects. A null query ends it; a query with the hint flag may be ignored. */
typedef VOID(APIENTRY *PFND3D10DDI_SETPREDICATION)(
    _In_ D3D10DDI_HDEVICE hDevice,
    _In_ D3D10DDI_HQUERY hQuery,
    _In_ BOOL PredicateValue);

/* nc-d3d10umddi-pfnd3d10ddi_settextfiltersize: for the one-bit text filter, 1 by 1 at first; Windows 7's API
 * cannot reach it. */
typedef VOID(APIENTRY *PFND3D10DDI_SETTEXTFILTERSIZE)(
    _In_ D3D10DDI_HDEVICE hDevice,
    _In_ UINT Width,
    _In_ UINT Height);

/* nc-d3d10umddi-pfnd3d10ddi_draw, pfnd3d10ddi_drawindexed, pfnd3d10ddi_drawinstanced,
 * pfnd3d10ddi_drawindexedinstanced, pfnd3d10ddi_drawauto: BaseVertexLocation is signed. DrawAuto takes its count
 * from what was streamed to the buffer in slot 0. */
typedef VOID(APIENTRY *PFND3D10DDI_DRAW)(
    _In_ D3D10DDI_HDEVICE hDevice,
    _In_ UINT VertexCount,
    _In_ UINT StartVertexLocation);
typedef VOID(APIENTRY *PFND3D10DDI_DRAWINDEXED)(
    _In_ D3D10DDI_HDEVICE hDevice,
    _In_ UINT IndexCount,
    _In_ UINT StartIndexLocation,
    _In_ INT BaseVertexLocation);
typedef VOID(APIENTRY *PFND3D10DDI_DRAWINSTANCED)(
    _In_ D3D10DDI_HDEVICE hDevice,
    _In_ UINT VertexCountPerInstance,
    _In_ UINT InstanceCount,
    _In_ UINT StartVertexLocation,
    _In_ UINT StartInstanceLocation);
typedef VOID(APIENTRY *PFND3D10DDI_DRAWINDEXEDINSTANCED)(
    _In_ D3D10DDI_HDEVICE hDevice,
    _In_ UINT IndexCountPerInstance,
    _In_ UINT InstanceCount,
    _In_ UINT StartIndexLocation,
    _In_ INT BaseVertexLocation,
    _In_ UINT StartInstanceLocation);
typedef VOID(APIENTRY *PFND3D10DDI_DRAWAUTO)(_In_ D3D10DDI_HDEVICE hDevice);

/* nc-d3d10umddi-pfnd3d11ddi_drawinstancedindirect, pfnd3d11ddi_drawindexedinstancedindirect: the arguments are in
 * a buffer, at an offset in bytes that is a multiple of 4: four UINTs, or five with indices. */
typedef VOID(APIENTRY *PFND3D11DDI_DRAWINSTANCEDINDIRECT)(
    _In_ D3D10DDI_HDEVICE hDevice,
    _In_ D3D10DDI_HRESOURCE hBufferForArgs,
    _In_ UINT AlignedByteOffsetForArgs);
typedef VOID(APIENTRY *PFND3D11DDI_DRAWINDEXEDINSTANCEDINDIRECT)(
    _In_ D3D10DDI_HDEVICE hDevice,
    _In_ D3D10DDI_HRESOURCE hBufferForArgs,
    _In_ UINT AlignedByteOffsetForArgs);

/* nc-d3d10umddi-pfnd3d11ddi_dispatch, pfnd3d11ddi_dispatchindirect: in thread groups; indirectly three UINTs. */
typedef VOID(APIENTRY *PFND3D11DDI_DISPATCH)(
    _In_ D3D10DDI_HDEVICE hDevice,
    _In_ UINT ThreadGroupCountX,
    _In_ UINT ThreadGroupCountY,
    _In_ UINT ThreadGroupCountZ);
typedef VOID(APIENTRY *PFND3D11DDI_DISPATCHINDIRECT)(
    _In_ D3D10DDI_HDEVICE hDevice,
    _In_ D3D10DDI_HRESOURCE hBufferForArgs,
    _In_ UINT AlignedByteOffsetForArgs);

/* nc-d3d10umddi-pfnd3d10ddi_flush: submits. There is work even without commands: what was destroyed goes now, and
 * a frame that was copied for the compositor must go out. */
typedef VOID(APIENTRY *PFND3D10DDI_FLUSH)(_In_ D3D10DDI_HDEVICE hDevice);

#endif
