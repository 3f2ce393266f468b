/* SPDX-License-Identifier: MIT
 * states.h: state objects: blending, depth and stencil, rasterizer, samplers, input layout. A part of
 * d3d10umddi.h, which says more. */
#ifndef AEROGPU_DDI_D3D10UMDDI_STATES_H
#define AEROGPU_DDI_D3D10UMDDI_STATES_H

#include "d3d10umddi/handles.h"

/* State objects never change. The runtime makes one of equal ones, 4096 of a kind at most. Enumerators are the
 * API's. */

/* ne-d3d10umddi-d3d10_ddi_comparison_func */
typedef enum D3D10_DDI_COMPARISON_FUNC {
    D3D10_DDI_COMPARISON_NEVER         = 1,
    D3D10_DDI_COMPARISON_LESS          = 2,
    D3D10_DDI_COMPARISON_EQUAL         = 3,
    D3D10_DDI_COMPARISON_LESS_EQUAL    = 4,
    D3D10_DDI_COMPARISON_GREATER       = 5,
    D3D10_DDI_COMPARISON_NOT_EQUAL     = 6,
    D3D10_DDI_COMPARISON_GREATER_EQUAL = 7,
    D3D10_DDI_COMPARISON_ALWAYS        = 8
} D3D10_DDI_COMPARISON_FUNC;

/* ne-d3d10umddi-d3d10_ddi_blend */
typedef enum D3D10_DDI_BLEND {
    D3D10_DDI_BLEND_ZERO            = 1,
    D3D10_DDI_BLEND_ONE             = 2,
    D3D10_DDI_BLEND_SRC_COLOR       = 3,
    D3D10_DDI_BLEND_INV_SRC_COLOR   = 4,
    D3D10_DDI_BLEND_SRC_ALPHA       = 5,
    D3D10_DDI_BLEND_INV_SRC_ALPHA   = 6,
    D3D10_DDI_BLEND_DEST_ALPHA      = 7,
    D3D10_DDI_BLEND_INV_DEST_ALPHA  = 8,
    D3D10_DDI_BLEND_DEST_COLOR      = 9,
    D3D10_DDI_BLEND_INV_DEST_COLOR  = 10,
    D3D10_DDI_BLEND_SRC_ALPHASAT    = 11,
    D3D10_DDI_BLEND_BLEND_FACTOR    = 14,
    D3D10_DDI_BLEND_INVBLEND_FACTOR = 15,
    D3D10_DDI_BLEND_SRC1_COLOR      = 16,
    D3D10_DDI_BLEND_INV_SRC1_COLOR  = 17,
    D3D10_DDI_BLEND_SRC1_ALPHA      = 18,
    D3D10_DDI_BLEND_INV_SRC1_ALPHA  = 19
} D3D10_DDI_BLEND;

/* ne-d3d10umddi-d3d10_ddi_blend_op */
typedef enum D3D10_DDI_BLEND_OP {
    D3D10_DDI_BLEND_OP_ADD          = 1,
    D3D10_DDI_BLEND_OP_SUBTRACT     = 2,
    D3D10_DDI_BLEND_OP_REV_SUBTRACT = 3,
    D3D10_DDI_BLEND_OP_MIN          = 4,
    D3D10_DDI_BLEND_OP_MAX          = 5
} D3D10_DDI_BLEND_OP;

typedef enum D3D10_DDI_COLOR_WRITE_ENABLE {
    D3D10_DDI_COLOR_WRITE_ENABLE_RED   = 0x1,
    D3D10_DDI_COLOR_WRITE_ENABLE_GREEN = 0x2,
    D3D10_DDI_COLOR_WRITE_ENABLE_BLUE  = 0x4,
    D3D10_DDI_COLOR_WRITE_ENABLE_ALPHA = 0x8,
    D3D10_DDI_COLOR_WRITE_ENABLE_ALL   = 0xF
} D3D10_DDI_COLOR_WRITE_ENABLE;

/* ns-d3d10umddi-d3d10_ddi_blend_desc: 10.0: a switch and a mask per target, one function for all. */
typedef struct D3D10_DDI_BLEND_DESC {
    BOOL AlphaToCoverageEnable;
    BOOL BlendEnable[8];
    D3D10_DDI_BLEND SrcBlend;
    D3D10_DDI_BLEND DestBlend;
    D3D10_DDI_BLEND_OP BlendOp;
    D3D10_DDI_BLEND SrcBlendAlpha;
    D3D10_DDI_BLEND DestBlendAlpha;
    D3D10_DDI_BLEND_OP BlendOpAlpha;
    UINT8 RenderTargetWriteMask[8]; /* D3D10_DDI_COLOR_WRITE_ENABLE */
} D3D10_DDI_BLEND_DESC;

/* ns-d3d10umddi-d3d10_ddi_render_target_blend_desc1: a target of 10.1 and 11. */
typedef struct D3D10_DDI_RENDER_TARGET_BLEND_DESC1 {
    BOOL BlendEnable;
    D3D10_DDI_BLEND SrcBlend;
    D3D10_DDI_BLEND DestBlend;
    D3D10_DDI_BLEND_OP BlendOp;
    D3D10_DDI_BLEND SrcBlendAlpha;
    D3D10_DDI_BLEND DestBlendAlpha;
    D3D10_DDI_BLEND_OP BlendOpAlpha;
    UINT8 RenderTargetWriteMask; /* D3D10_DDI_COLOR_WRITE_ENABLE */
} D3D10_DDI_RENDER_TARGET_BLEND_DESC1;

/* ns-d3d10umddi-d3d10_1_ddi_blend_desc: 10.1 and 11. Without IndependentBlendEnable the first target's function is
 * all targets'. */
typedef struct D3D10_1_DDI_BLEND_DESC {
    BOOL AlphaToCoverageEnable;
    BOOL IndependentBlendEnable;
    D3D10_DDI_RENDER_TARGET_BLEND_DESC1 RenderTarget[8];
} D3D10_1_DDI_BLEND_DESC;

/* nc-d3d10umddi-pfnd3d10ddi_calcprivateblendstatesize, pfnd3d10ddi_createblendstate,
 * pfnd3d10_1ddi_calcprivateblendstatesize, pfnd3d10_1ddi_createblendstate, pfnd3d10ddi_destroyblendstate */
typedef SIZE_T(APIENTRY *PFND3D10DDI_CALCPRIVATEBLENDSTATESIZE)(
    _In_ D3D10DDI_HDEVICE hDevice,
    _In_ const D3D10_DDI_BLEND_DESC *pBlendDesc);
typedef VOID(APIENTRY *PFND3D10DDI_CREATEBLENDSTATE)(
    _In_ D3D10DDI_HDEVICE hDevice,
    _In_ const D3D10_DDI_BLEND_DESC *pBlendDesc,
    _In_ D3D10DDI_HBLENDSTATE hBlendState,
    _In_ D3D10DDI_HRTBLENDSTATE hRTBlendState);
typedef SIZE_T(APIENTRY *PFND3D10_1DDI_CALCPRIVATEBLENDSTATESIZE)(
    _In_ D3D10DDI_HDEVICE hDevice,
    _In_ const D3D10_1_DDI_BLEND_DESC *pBlendDesc);
typedef VOID(APIENTRY *PFND3D10_1DDI_CREATEBLENDSTATE)(
    _In_ D3D10DDI_HDEVICE hDevice,
    _In_ const D3D10_1_DDI_BLEND_DESC *pBlendDesc,
    _In_ D3D10DDI_HBLENDSTATE hBlendState,
    _In_ D3D10DDI_HRTBLENDSTATE hRTBlendState);
typedef VOID(APIENTRY *PFND3D10DDI_DESTROYBLENDSTATE)(
    _In_ D3D10DDI_HDEVICE hDevice,
    _In_ D3D10DDI_HBLENDSTATE hBlendState);

typedef enum D3D10_DDI_DEPTH_WRITE_MASK {
    D3D10_DDI_DEPTH_WRITE_MASK_ZERO = 0,
    D3D10_DDI_DEPTH_WRITE_MASK_ALL  = 1
} D3D10_DDI_DEPTH_WRITE_MASK;

/* ne-d3d10umddi-d3d10_ddi_stencil_op */
typedef enum D3D10_DDI_STENCIL_OP {
    D3D10_DDI_STENCIL_OP_KEEP     = 1,
    D3D10_DDI_STENCIL_OP_ZERO     = 2,
    D3D10_DDI_STENCIL_OP_REPLACE  = 3,
    D3D10_DDI_STENCIL_OP_INCR_SAT = 4,
    D3D10_DDI_STENCIL_OP_DECR_SAT = 5,
    D3D10_DDI_STENCIL_OP_INVERT   = 6,
    D3D10_DDI_STENCIL_OP_INCR     = 7,
    D3D10_DDI_STENCIL_OP_DECR     = 8
} D3D10_DDI_STENCIL_OP;

/* ns-d3d10umddi-d3d10_ddi_depth_stencilop_desc */
typedef struct D3D10_DDI_DEPTH_STENCILOP_DESC {
    D3D10_DDI_STENCIL_OP StencilFailOp;
    D3D10_DDI_STENCIL_OP StencilDepthFailOp;
    D3D10_DDI_STENCIL_OP StencilPassOp;
    D3D10_DDI_COMPARISON_FUNC StencilFunc;
} D3D10_DDI_DEPTH_STENCILOP_DESC;

/* ns-d3d10umddi-d3d10_ddi_depth_stencil_desc: FrontEnable and BackEnable are not in the API: stencil may be off
 * for one side only. */
typedef struct D3D10_DDI_DEPTH_STENCIL_DESC {
    BOOL DepthEnable;
    D3D10_DDI_DEPTH_WRITE_MASK DepthWriteMask;
    D3D10_DDI_COMPARISON_FUNC DepthFunc;
    BOOL StencilEnable;
    BOOL FrontEnable;
    BOOL BackEnable;
    UINT8 StencilReadMask;
    UINT8 StencilWriteMask;
    D3D10_DDI_DEPTH_STENCILOP_DESC FrontFace;
    D3D10_DDI_DEPTH_STENCILOP_DESC BackFace;
} D3D10_DDI_DEPTH_STENCIL_DESC;

/* nc-d3d10umddi-pfnd3d10ddi_calcprivatedepthstencilstatesize, pfnd3d10ddi_createdepthstencilstate,
 * pfnd3d10ddi_destroydepthstencilstate */
typedef SIZE_T(APIENTRY *PFND3D10DDI_CALCPRIVATEDEPTHSTENCILSTATESIZE)(
    _In_ D3D10DDI_HDEVICE hDevice,
    _In_ const D3D10_DDI_DEPTH_STENCIL_DESC *pDepthStencilDesc);
typedef VOID(APIENTRY *PFND3D10DDI_CREATEDEPTHSTENCILSTATE)(
    _In_ D3D10DDI_HDEVICE hDevice,
    _In_ const D3D10_DDI_DEPTH_STENCIL_DESC *pDepthStencilDesc,
    _In_ D3D10DDI_HDEPTHSTENCILSTATE hDepthStencilState,
    _In_ D3D10DDI_HRTDEPTHSTENCILSTATE hRTDepthStencilState);
typedef VOID(APIENTRY *PFND3D10DDI_DESTROYDEPTHSTENCILSTATE)(
    _In_ D3D10DDI_HDEVICE hDevice,
    _In_ D3D10DDI_HDEPTHSTENCILSTATE hDepthStencilState);

typedef enum D3D10_DDI_FILL_MODE {
    D3D10_DDI_FILL_WIREFRAME = 2,
    D3D10_DDI_FILL_SOLID     = 3
} D3D10_DDI_FILL_MODE;

typedef enum D3D10_DDI_CULL_MODE {
    D3D10_DDI_CULL_NONE  = 1,
    D3D10_DDI_CULL_FRONT = 2,
    D3D10_DDI_CULL_BACK  = 3
} D3D10_DDI_CULL_MODE;

/* No structure uses it: see FrontCounterClockwise. */
typedef enum D3D10_DDI_FRONT_WINDING {
    D3D10_DDI_FRONT_CW  = 1,
    D3D10_DDI_FRONT_CCW = 2
} D3D10_DDI_FRONT_WINDING;

/* ns-d3d10umddi-d3d10_ddi_rasterizer_desc */
typedef struct D3D10_DDI_RASTERIZER_DESC {
    D3D10_DDI_FILL_MODE FillMode;
    D3D10_DDI_CULL_MODE CullMode;
    BOOL FrontCounterClockwise;
    INT32 DepthBias;
    FLOAT DepthBiasClamp;
    FLOAT SlopeScaledDepthBias;
    BOOL DepthClipEnable;
    BOOL ScissorEnable;
    BOOL MultisampleEnable;
    BOOL AntialiasedLineEnable;
} D3D10_DDI_RASTERIZER_DESC;

/* nc-d3d10umddi-pfnd3d10ddi_calcprivaterasterizerstatesize, pfnd3d10ddi_createrasterizerstate,
 * pfnd3d10ddi_destroyrasterizerstate */
typedef SIZE_T(APIENTRY *PFND3D10DDI_CALCPRIVATERASTERIZERSTATESIZE)(
    _In_ D3D10DDI_HDEVICE hDevice,
    _In_ const D3D10_DDI_RASTERIZER_DESC *pRasterizerDesc);
typedef VOID(APIENTRY *PFND3D10DDI_CREATERASTERIZERSTATE)(
    _In_ D3D10DDI_HDEVICE hDevice,
    _In_ const D3D10_DDI_RASTERIZER_DESC *pRasterizerDesc,
    _In_ D3D10DDI_HRASTERIZERSTATE hRasterizerState,
    _In_ D3D10DDI_HRTRASTERIZERSTATE hRTRasterizerState);
typedef VOID(APIENTRY *PFND3D10DDI_DESTROYRASTERIZERSTATE)(
    _In_ D3D10DDI_HDEVICE hDevice,
    _In_ D3D10DDI_HRASTERIZERSTATE hRasterizerState);

typedef enum D3D10_DDI_FILTER_TYPE {
    D3D10_DDI_FILTER_TYPE_POINT  = 0,
    D3D10_DDI_FILTER_TYPE_LINEAR = 1
} D3D10_DDI_FILTER_TYPE;

/* A filter's bits: a D3D10_DDI_FILTER_TYPE for minification, magnification and levels, and what comes on top. */
#define D3D10_DDI_FILTER_TYPE_MASK           0x3u
#define D3D10_DDI_MIN_FILTER_SHIFT           4
#define D3D10_DDI_MAG_FILTER_SHIFT           2
#define D3D10_DDI_MIP_FILTER_SHIFT           0
#define D3D10_DDI_ANISOTROPIC_FILTERING_BIT  0x40u
#define D3D10_DDI_COMPARISON_FILTERING_BIT   0x80u
#define D3D10_DDI_TEXT_1BIT_BIT              0x80000000u

/* ne-d3d10umddi-d3d10_ddi_filter: TEXT_1BIT goes with pfnSetTextFilterSize and is not part of Windows 7's API. */
typedef enum D3D10_DDI_FILTER {
    D3D10_DDI_FILTER_MIN_MAG_MIP_POINT                          = 0x0,
    D3D10_DDI_FILTER_MIN_MAG_POINT_MIP_LINEAR                   = 0x1,
    D3D10_DDI_FILTER_MIN_POINT_MAG_LINEAR_MIP_POINT             = 0x4,
    D3D10_DDI_FILTER_MIN_POINT_MAG_MIP_LINEAR                   = 0x5,
    D3D10_DDI_FILTER_MIN_LINEAR_MAG_MIP_POINT                   = 0x10,
    D3D10_DDI_FILTER_MIN_LINEAR_MAG_POINT_MIP_LINEAR            = 0x11,
    D3D10_DDI_FILTER_MIN_MAG_LINEAR_MIP_POINT                   = 0x14,
    D3D10_DDI_FILTER_MIN_MAG_MIP_LINEAR                         = 0x15,
    D3D10_DDI_FILTER_ANISOTROPIC                                = 0x55,
    D3D10_DDI_FILTER_COMPARISON_MIN_MAG_MIP_POINT               = 0x80,
    D3D10_DDI_FILTER_COMPARISON_MIN_MAG_POINT_MIP_LINEAR        = 0x81,
    D3D10_DDI_FILTER_COMPARISON_MIN_POINT_MAG_LINEAR_MIP_POINT  = 0x84,
    D3D10_DDI_FILTER_COMPARISON_MIN_POINT_MAG_MIP_LINEAR        = 0x85,
    D3D10_DDI_FILTER_COMPARISON_MIN_LINEAR_MAG_MIP_POINT        = 0x90,
    D3D10_DDI_FILTER_COMPARISON_MIN_LINEAR_MAG_POINT_MIP_LINEAR = 0x91,
    D3D10_DDI_FILTER_COMPARISON_MIN_MAG_LINEAR_MIP_POINT        = 0x94,
    D3D10_DDI_FILTER_COMPARISON_MIN_MAG_MIP_LINEAR              = 0x95,
    D3D10_DDI_FILTER_COMPARISON_ANISOTROPIC                     = 0xD5,
    D3D10_DDI_FILTER_TEXT_1BIT                                  = (int)0x80000000
} D3D10_DDI_FILTER;

/* ne-d3d10umddi-d3d10_ddi_texture_address_mode */
typedef enum D3D10_DDI_TEXTURE_ADDRESS_MODE {
    D3D10_DDI_TEXTURE_ADDRESS_WRAP       = 1,
    D3D10_DDI_TEXTURE_ADDRESS_MIRROR     = 2,
    D3D10_DDI_TEXTURE_ADDRESS_CLAMP      = 3,
    D3D10_DDI_TEXTURE_ADDRESS_BORDER     = 4,
    D3D10_DDI_TEXTURE_ADDRESS_MIRRORONCE = 5
} D3D10_DDI_TEXTURE_ADDRESS_MODE;

/* ns-d3d10umddi-d3d10_ddi_sampler_desc */
typedef struct D3D10_DDI_SAMPLER_DESC {
    D3D10_DDI_FILTER Filter;
    D3D10_DDI_TEXTURE_ADDRESS_MODE AddressU;
    D3D10_DDI_TEXTURE_ADDRESS_MODE AddressV;
    D3D10_DDI_TEXTURE_ADDRESS_MODE AddressW;
    FLOAT MipLODBias;
    UINT MaxAnisotropy;
    D3D10_DDI_COMPARISON_FUNC ComparisonFunc;
    FLOAT BorderColor[4];
    FLOAT MinLOD;
    FLOAT MaxLOD;
} D3D10_DDI_SAMPLER_DESC;

/* No function of the tables takes it. */
typedef struct D3D10_DDIARG_CREATE_SAMPLER {
    const D3D10_DDI_SAMPLER_DESC *pSamplerDesc;
} D3D10_DDIARG_CREATE_SAMPLER;

/* nc-d3d10umddi-pfnd3d10ddi_calcprivatesamplersize, pfnd3d10ddi_createsampler, pfnd3d10ddi_destroysampler */
typedef SIZE_T(APIENTRY *PFND3D10DDI_CALCPRIVATESAMPLERSIZE)(
    _In_ D3D10DDI_HDEVICE hDevice,
    _In_ const D3D10_DDI_SAMPLER_DESC *pSamplerDesc);
typedef VOID(APIENTRY *PFND3D10DDI_CREATESAMPLER)(
    _In_ D3D10DDI_HDEVICE hDevice,
    _In_ const D3D10_DDI_SAMPLER_DESC *pSamplerDesc,
    _In_ D3D10DDI_HSAMPLER hSampler,
    _In_ D3D10DDI_HRTSAMPLER hRTSampler);
typedef VOID(APIENTRY *PFND3D10DDI_DESTROYSAMPLER)(_In_ D3D10DDI_HDEVICE hDevice, _In_ D3D10DDI_HSAMPLER hSampler);

typedef enum D3D10_DDI_INPUT_CLASSIFICATION {
    D3D10_DDI_INPUT_PER_VERTEX_DATA   = 0,
    D3D10_DDI_INPUT_PER_INSTANCE_DATA = 1
} D3D10_DDI_INPUT_CLASSIFICATION;

/* ns-d3d10umddi-d3d10ddiarg_input_element_desc: an element names the vertex shader's register, no semantic. */
typedef struct D3D10DDIARG_INPUT_ELEMENT_DESC {
    UINT InputSlot;
    UINT AlignedByteOffset;    /* in bytes, in the slot's vertex */
    DXGI_FORMAT Format;
    D3D10_DDI_INPUT_CLASSIFICATION InputSlotClass;
    UINT InstanceDataStepRate; /* instances per step; 0 never steps */
    UINT InputRegister;
} D3D10DDIARG_INPUT_ELEMENT_DESC;

/* ns-d3d10umddi-d3d10ddiarg_createelementlayout */
typedef struct D3D10DDIARG_CREATEELEMENTLAYOUT {
    const D3D10DDIARG_INPUT_ELEMENT_DESC *pVertexElements;
    UINT NumElements;
} D3D10DDIARG_CREATEELEMENTLAYOUT;

/* nc-d3d10umddi-pfnd3d10ddi_calcprivateelementlayoutsize, pfnd3d10ddi_createelementlayout,
 * pfnd3d10ddi_destroyelementlayout */
typedef SIZE_T(APIENTRY *PFND3D10DDI_CALCPRIVATEELEMENTLAYOUTSIZE)(
    _In_ D3D10DDI_HDEVICE hDevice,
    _In_ const D3D10DDIARG_CREATEELEMENTLAYOUT *pCreateElementLayout);
typedef VOID(APIENTRY *PFND3D10DDI_CREATEELEMENTLAYOUT)(
    _In_ D3D10DDI_HDEVICE hDevice,
    _In_ const D3D10DDIARG_CREATEELEMENTLAYOUT *pCreateElementLayout,
    _In_ D3D10DDI_HELEMENTLAYOUT hElementLayout,
    _In_ D3D10DDI_HRTELEMENTLAYOUT hRTElementLayout);
typedef VOID(APIENTRY *PFND3D10DDI_DESTROYELEMENTLAYOUT)(
    _In_ D3D10DDI_HDEVICE hDevice,
    _In_ D3D10DDI_HELEMENTLAYOUT hElementLayout);

#endif
