/* SPDX-License-Identifier: MIT
 * views.h: views of resources: how shaders, targets and unordered access see them. A part of d3d10umddi.h, which
 * says more. */
#ifndef AEROGPU_DDI_D3D10UMDDI_VIEWS_H
#define AEROGPU_DDI_D3D10UMDDI_VIEWS_H

#include "d3d10umddi/resources.h"

/* A view belongs to a resource and is destroyed before it. After pfnRotateResourceIdentities it shows the
 * resource's new memory. Elements are counted in the view's format. FirstElement and ElementOffset are one member,
 * so are NumElements and ElementWidth. */

/* Shader resource views. Beware: the API has MipLevels before FirstArraySlice, here it is the other way round. */

/* ns-d3d10umddi-d3d10ddiarg_buffer_shaderresourceview */
typedef struct D3D10DDIARG_BUFFER_SHADERRESOURCEVIEW {
    union {
        UINT FirstElement;
        UINT ElementOffset;
    };
    union {
        UINT NumElements;
        UINT ElementWidth;
    };
} D3D10DDIARG_BUFFER_SHADERRESOURCEVIEW;

/* With the RAW flag the buffer is addressed by bytes. */
#define D3D11_DDI_BUFFEREX_SRV_FLAG_RAW  0x1u

/* ns-d3d10umddi-d3d11ddiarg_bufferex_shaderresourceview */
typedef struct D3D11DDIARG_BUFFEREX_SHADERRESOURCEVIEW {
    union {
        UINT FirstElement;
        UINT ElementOffset;
    };
    union {
        UINT NumElements;
        UINT ElementWidth;
    };
    UINT Flags; /* D3D11_DDI_BUFFEREX_SRV_FLAG_ */
} D3D11DDIARG_BUFFEREX_SHADERRESOURCEVIEW;

/* ns-d3d10umddi-d3d10ddiarg_tex1d_shaderresourceview */
typedef struct D3D10DDIARG_TEX1D_SHADERRESOURCEVIEW {
    UINT MostDetailedMip;
    UINT FirstArraySlice;
    UINT MipLevels;
    UINT ArraySize;
} D3D10DDIARG_TEX1D_SHADERRESOURCEVIEW;

/* ns-d3d10umddi-d3d10ddiarg_tex2d_shaderresourceview */
typedef struct D3D10DDIARG_TEX2D_SHADERRESOURCEVIEW {
    UINT MostDetailedMip;
    UINT FirstArraySlice;
    UINT MipLevels;
    UINT ArraySize;
} D3D10DDIARG_TEX2D_SHADERRESOURCEVIEW;

/* ns-d3d10umddi-d3d10ddiarg_tex3d_shaderresourceview */
typedef struct D3D10DDIARG_TEX3D_SHADERRESOURCEVIEW {
    UINT MostDetailedMip;
    UINT MipLevels;
} D3D10DDIARG_TEX3D_SHADERRESOURCEVIEW;

/* ns-d3d10umddi-d3d10ddiarg_texcube_shaderresourceview: 10.0 has no cube arrays. */
typedef struct D3D10DDIARG_TEXCUBE_SHADERRESOURCEVIEW {
    UINT MostDetailedMip;
    UINT MipLevels;
} D3D10DDIARG_TEXCUBE_SHADERRESOURCEVIEW;

/* ns-d3d10umddi-d3d10_1ddiarg_texcube_shaderresourceview: 10.1 and 11: one shape for a cube and an array of cubes. */
typedef struct D3D10_1DDIARG_TEXCUBE_SHADERRESOURCEVIEW {
    UINT MostDetailedMip;
    UINT MipLevels;
    UINT First2DArrayFace;
    UINT NumCubes;
} D3D10_1DDIARG_TEXCUBE_SHADERRESOURCEVIEW;

/* ns-d3d10umddi-d3d10ddiarg_createshaderresourceview: ResourceDimension tells the member of the union, here and in
 * the other views. */
typedef struct D3D10DDIARG_CREATESHADERRESOURCEVIEW {
    D3D10DDI_HRESOURCE hDrvResource;
    DXGI_FORMAT Format;
    D3D10DDIRESOURCE_TYPE ResourceDimension;
    union {
        D3D10DDIARG_BUFFER_SHADERRESOURCEVIEW Buffer;
        D3D10DDIARG_TEX1D_SHADERRESOURCEVIEW Tex1D;
        D3D10DDIARG_TEX2D_SHADERRESOURCEVIEW Tex2D;
        D3D10DDIARG_TEX3D_SHADERRESOURCEVIEW Tex3D;
        D3D10DDIARG_TEXCUBE_SHADERRESOURCEVIEW TexCube;
    };
} D3D10DDIARG_CREATESHADERRESOURCEVIEW;

/* ns-d3d10umddi-d3d10_1ddiarg_createshaderresourceview: 10.1: another TexCube. */
typedef struct D3D10_1DDIARG_CREATESHADERRESOURCEVIEW {
    D3D10DDI_HRESOURCE hDrvResource;
    DXGI_FORMAT Format;
    D3D10DDIRESOURCE_TYPE ResourceDimension;
    union {
        D3D10DDIARG_BUFFER_SHADERRESOURCEVIEW Buffer;
        D3D10DDIARG_TEX1D_SHADERRESOURCEVIEW Tex1D;
        D3D10DDIARG_TEX2D_SHADERRESOURCEVIEW Tex2D;
        D3D10DDIARG_TEX3D_SHADERRESOURCEVIEW Tex3D;
        D3D10_1DDIARG_TEXCUBE_SHADERRESOURCEVIEW TexCube;
    };
} D3D10_1DDIARG_CREATESHADERRESOURCEVIEW;

/* ns-d3d10umddi-d3d11ddiarg_createshaderresourceview: 11: and BufferEx. */
typedef struct D3D11DDIARG_CREATESHADERRESOURCEVIEW {
    D3D10DDI_HRESOURCE hDrvResource;
    DXGI_FORMAT Format;
    D3D10DDIRESOURCE_TYPE ResourceDimension;
    union {
        D3D10DDIARG_BUFFER_SHADERRESOURCEVIEW Buffer;
        D3D10DDIARG_TEX1D_SHADERRESOURCEVIEW Tex1D;
        D3D10DDIARG_TEX2D_SHADERRESOURCEVIEW Tex2D;
        D3D10DDIARG_TEX3D_SHADERRESOURCEVIEW Tex3D;
        D3D10_1DDIARG_TEXCUBE_SHADERRESOURCEVIEW TexCube;
        D3D11DDIARG_BUFFEREX_SHADERRESOURCEVIEW BufferEx;
    };
} D3D11DDIARG_CREATESHADERRESOURCEVIEW;

/* nc-d3d10umddi-pfnd3d10ddi_calcprivateshaderresourceviewsize, pfnd3d10ddi_createshaderresourceview,
 * pfnd3d10_1ddi_calcprivateshaderresourceviewsize, pfnd3d10_1ddi_createshaderresourceview,
 * pfnd3d11ddi_calcprivateshaderresourceviewsize, pfnd3d11ddi_createshaderresourceview,
 * pfnd3d10ddi_destroyshaderresourceview */
typedef SIZE_T(APIENTRY *PFND3D10DDI_CALCPRIVATESHADERRESOURCEVIEWSIZE)(
    _In_ D3D10DDI_HDEVICE hDevice,
    _In_ const D3D10DDIARG_CREATESHADERRESOURCEVIEW *pCreateShaderResourceView);
typedef VOID(APIENTRY *PFND3D10DDI_CREATESHADERRESOURCEVIEW)(
    _In_ D3D10DDI_HDEVICE hDevice,
    _In_ const D3D10DDIARG_CREATESHADERRESOURCEVIEW *pCreateShaderResourceView,
    _In_ D3D10DDI_HSHADERRESOURCEVIEW hShaderResourceView,
    _In_ D3D10DDI_HRTSHADERRESOURCEVIEW hRTShaderResourceView);
typedef SIZE_T(APIENTRY *PFND3D10_1DDI_CALCPRIVATESHADERRESOURCEVIEWSIZE)(
    _In_ D3D10DDI_HDEVICE hDevice,
    _In_ const D3D10_1DDIARG_CREATESHADERRESOURCEVIEW *pCreateShaderResourceView);
typedef VOID(APIENTRY *PFND3D10_1DDI_CREATESHADERRESOURCEVIEW)(
    _In_ D3D10DDI_HDEVICE hDevice,
    _In_ const D3D10_1DDIARG_CREATESHADERRESOURCEVIEW *pCreateShaderResourceView,
    _In_ D3D10DDI_HSHADERRESOURCEVIEW hShaderResourceView,
    _In_ D3D10DDI_HRTSHADERRESOURCEVIEW hRTShaderResourceView);
typedef SIZE_T(APIENTRY *PFND3D11DDI_CALCPRIVATESHADERRESOURCEVIEWSIZE)(
    _In_ D3D10DDI_HDEVICE hDevice,
    _In_ const D3D11DDIARG_CREATESHADERRESOURCEVIEW *pCreateShaderResourceView);
typedef VOID(APIENTRY *PFND3D11DDI_CREATESHADERRESOURCEVIEW)(
    _In_ D3D10DDI_HDEVICE hDevice,
    _In_ const D3D11DDIARG_CREATESHADERRESOURCEVIEW *pCreateShaderResourceView,
    _In_ D3D10DDI_HSHADERRESOURCEVIEW hShaderResourceView,
    _In_ D3D10DDI_HRTSHADERRESOURCEVIEW hRTShaderResourceView);
typedef VOID(APIENTRY *PFND3D10DDI_DESTROYSHADERRESOURCEVIEW)(
    _In_ D3D10DDI_HDEVICE hDevice,
    _In_ D3D10DDI_HSHADERRESOURCEVIEW hShaderResourceView);

/* nc-d3d10umddi-pfnd3d10ddi_shaderresourceviewreadafterwritehazard: what the view shows was written and is about
 * to be read. The current page gives the arguments in another order. */
typedef VOID(APIENTRY *PFND3D10DDI_SHADERRESOURCEVIEWREADAFTERWRITEHAZARD)(
    _In_ D3D10DDI_HDEVICE hDevice,
    _In_ D3D10DDI_HSHADERRESOURCEVIEW hShaderResourceView,
    _In_ D3D10DDI_HRESOURCE hResource);

/* Render target views. A volume's target is a range of its depth. */

/* ns-d3d10umddi-d3d10ddiarg_buffer_rendertargetview */
typedef struct D3D10DDIARG_BUFFER_RENDERTARGETVIEW {
    union {
        UINT FirstElement;
        UINT ElementOffset;
    };
    union {
        UINT NumElements;
        UINT ElementWidth;
    };
} D3D10DDIARG_BUFFER_RENDERTARGETVIEW;

/* ns-d3d10umddi-d3d11ddiarg_buffer_rendertargetview: the same layout; no structure of 11 uses it. */
typedef struct D3D11DDIARG_BUFFER_RENDERTARGETVIEW {
    union {
        UINT FirstElement;
        UINT ElementOffset;
    };
    union {
        UINT NumElements;
        UINT ElementWidth;
    };
} D3D11DDIARG_BUFFER_RENDERTARGETVIEW;

/* ns-d3d10umddi-d3d10ddiarg_tex1d_rendertargetview */
typedef struct D3D10DDIARG_TEX1D_RENDERTARGETVIEW {
    UINT MipSlice;
    UINT FirstArraySlice;
    UINT ArraySize;
} D3D10DDIARG_TEX1D_RENDERTARGETVIEW;

/* ns-d3d10umddi-d3d10ddiarg_tex2d_rendertargetview */
typedef struct D3D10DDIARG_TEX2D_RENDERTARGETVIEW {
    UINT MipSlice;
    UINT FirstArraySlice;
    UINT ArraySize;
} D3D10DDIARG_TEX2D_RENDERTARGETVIEW;

/* ns-d3d10umddi-d3d10ddiarg_tex3d_rendertargetview */
typedef struct D3D10DDIARG_TEX3D_RENDERTARGETVIEW {
    UINT MipSlice;
    UINT FirstW; /* the first slice of the depth */
    UINT WSize;
} D3D10DDIARG_TEX3D_RENDERTARGETVIEW;

/* ns-d3d10umddi-d3d10ddiarg_texcube_rendertargetview */
typedef struct D3D10DDIARG_TEXCUBE_RENDERTARGETVIEW {
    UINT MipSlice;
    UINT FirstArraySlice;
    UINT ArraySize;
} D3D10DDIARG_TEXCUBE_RENDERTARGETVIEW;

/* ns-d3d10umddi-d3d10ddiarg_createrendertargetview */
typedef struct D3D10DDIARG_CREATERENDERTARGETVIEW {
    D3D10DDI_HRESOURCE hDrvResource;
    DXGI_FORMAT Format;
    D3D10DDIRESOURCE_TYPE ResourceDimension;
    union {
        D3D10DDIARG_BUFFER_RENDERTARGETVIEW Buffer;
        D3D10DDIARG_TEX1D_RENDERTARGETVIEW Tex1D;
        D3D10DDIARG_TEX2D_RENDERTARGETVIEW Tex2D;
        D3D10DDIARG_TEX3D_RENDERTARGETVIEW Tex3D;
        D3D10DDIARG_TEXCUBE_RENDERTARGETVIEW TexCube;
    };
} D3D10DDIARG_CREATERENDERTARGETVIEW;

/* nc-d3d10umddi-pfnd3d10ddi_calcprivaterendertargetviewsize, pfnd3d10ddi_createrendertargetview,
 * pfnd3d10ddi_destroyrendertargetview */
typedef SIZE_T(APIENTRY *PFND3D10DDI_CALCPRIVATERENDERTARGETVIEWSIZE)(
    _In_ D3D10DDI_HDEVICE hDevice,
    _In_ const D3D10DDIARG_CREATERENDERTARGETVIEW *pCreateRenderTargetView);
typedef VOID(APIENTRY *PFND3D10DDI_CREATERENDERTARGETVIEW)(
    _In_ D3D10DDI_HDEVICE hDevice,
    _In_ const D3D10DDIARG_CREATERENDERTARGETVIEW *pCreateRenderTargetView,
    _In_ D3D10DDI_HRENDERTARGETVIEW hRenderTargetView,
    _In_ D3D10DDI_HRTRENDERTARGETVIEW hRTRenderTargetView);
typedef VOID(APIENTRY *PFND3D10DDI_DESTROYRENDERTARGETVIEW)(
    _In_ D3D10DDI_HDEVICE hDevice,
    _In_ D3D10DDI_HRENDERTARGETVIEW hRenderTargetView);

/* nc-d3d10umddi-pfnd3d10ddi_clearrendertargetview: pColorRGBA: four numbers. Clears the whole view, whatever
 * scissor, viewport and masks are; for integer formats it converts them. */
typedef VOID(APIENTRY *PFND3D10DDI_CLEARRENDERTARGETVIEW)(
    _In_ D3D10DDI_HDEVICE hDevice,
    _In_ D3D10DDI_HRENDERTARGETVIEW hRenderTargetView,
    _In_ FLOAT *pColorRGBA);

/* Depth-stencil views. */

/* ns-d3d10umddi-d3d10ddiarg_tex1d_depthstencilview */
typedef struct D3D10DDIARG_TEX1D_DEPTHSTENCILVIEW {
    UINT MipSlice;
    UINT FirstArraySlice;
    UINT ArraySize;
} D3D10DDIARG_TEX1D_DEPTHSTENCILVIEW;

/* ns-d3d10umddi-d3d10ddiarg_tex2d_depthstencilview */
typedef struct D3D10DDIARG_TEX2D_DEPTHSTENCILVIEW {
    UINT MipSlice;
    UINT FirstArraySlice;
    UINT ArraySize;
} D3D10DDIARG_TEX2D_DEPTHSTENCILVIEW;

/* ns-d3d10umddi-d3d10ddiarg_texcube_depthstencilview */
typedef struct D3D10DDIARG_TEXCUBE_DEPTHSTENCILVIEW {
    UINT MipSlice;
    UINT FirstArraySlice;
    UINT ArraySize;
} D3D10DDIARG_TEXCUBE_DEPTHSTENCILVIEW;

/* ns-d3d10umddi-d3d10ddiarg_createdepthstencilview */
typedef struct D3D10DDIARG_CREATEDEPTHSTENCILVIEW {
    D3D10DDI_HRESOURCE hDrvResource;
    DXGI_FORMAT Format;
    D3D10DDIRESOURCE_TYPE ResourceDimension;
    union {
        D3D10DDIARG_TEX1D_DEPTHSTENCILVIEW Tex1D;
        D3D10DDIARG_TEX2D_DEPTHSTENCILVIEW Tex2D;
        D3D10DDIARG_TEXCUBE_DEPTHSTENCILVIEW TexCube;
    };
} D3D10DDIARG_CREATEDEPTHSTENCILVIEW;

/* ne-d3d10umddi-d3d11_ddi_createdepthstencilview_flag: such a view may be bound while a shader reads the same
 * resource. */
typedef enum D3D11_DDI_CREATEDEPTHSTENCILVIEW_FLAG {
    D3D11_DDI_CREATE_DSV_READ_ONLY_DEPTH   = 0x1,
    D3D11_DDI_CREATE_DSV_READ_ONLY_STENCIL = 0x2,
    D3D11_DDI_CREATE_DSV_FLAG_MASK         = 0x3
} D3D11_DDI_CREATEDEPTHSTENCILVIEW_FLAG;

/* ns-d3d10umddi-d3d11ddiarg_createdepthstencilview: 11: Flags stand before the union. */
typedef struct D3D11DDIARG_CREATEDEPTHSTENCILVIEW {
    D3D10DDI_HRESOURCE hDrvResource;
    DXGI_FORMAT Format;
    D3D10DDIRESOURCE_TYPE ResourceDimension;
    UINT Flags; /* D3D11_DDI_CREATEDEPTHSTENCILVIEW_FLAG */
    union {
        D3D10DDIARG_TEX1D_DEPTHSTENCILVIEW Tex1D;
        D3D10DDIARG_TEX2D_DEPTHSTENCILVIEW Tex2D;
        D3D10DDIARG_TEXCUBE_DEPTHSTENCILVIEW TexCube;
    };
} D3D11DDIARG_CREATEDEPTHSTENCILVIEW;

/* nc-d3d10umddi-pfnd3d10ddi_calcprivatedepthstencilviewsize, pfnd3d10ddi_createdepthstencilview,
 * pfnd3d11ddi_calcprivatedepthstencilviewsize, pfnd3d11ddi_createdepthstencilview,
 * pfnd3d10ddi_destroydepthstencilview */
typedef SIZE_T(APIENTRY *PFND3D10DDI_CALCPRIVATEDEPTHSTENCILVIEWSIZE)(
    _In_ D3D10DDI_HDEVICE hDevice,
    _In_ const D3D10DDIARG_CREATEDEPTHSTENCILVIEW *pCreateDepthStencilView);
typedef VOID(APIENTRY *PFND3D10DDI_CREATEDEPTHSTENCILVIEW)(
    _In_ D3D10DDI_HDEVICE hDevice,
    _In_ const D3D10DDIARG_CREATEDEPTHSTENCILVIEW *pCreateDepthStencilView,
    _In_ D3D10DDI_HDEPTHSTENCILVIEW hDepthStencilView,
    _In_ D3D10DDI_HRTDEPTHSTENCILVIEW hRTDepthStencilView);
typedef SIZE_T(APIENTRY *PFND3D11DDI_CALCPRIVATEDEPTHSTENCILVIEWSIZE)(
    _In_ D3D10DDI_HDEVICE hDevice,
    _In_ const D3D11DDIARG_CREATEDEPTHSTENCILVIEW *pCreateDepthStencilView);
typedef VOID(APIENTRY *PFND3D11DDI_CREATEDEPTHSTENCILVIEW)(
    _In_ D3D10DDI_HDEVICE hDevice,
    _In_ const D3D11DDIARG_CREATEDEPTHSTENCILVIEW *pCreateDepthStencilView,
    _In_ D3D10DDI_HDEPTHSTENCILVIEW hDepthStencilView,
    _In_ D3D10DDI_HRTDEPTHSTENCILVIEW hRTDepthStencilView);
typedef VOID(APIENTRY *PFND3D10DDI_DESTROYDEPTHSTENCILVIEW)(
    _In_ D3D10DDI_HDEVICE hDevice,
    _In_ D3D10DDI_HDEPTHSTENCILVIEW hDepthStencilView);

typedef enum D3D10_DDI_CLEAR_FLAG {
    D3D10_DDI_CLEAR_DEPTH     = 0x1,
    D3D10_DDI_CLEAR_STENCIL   = 0x2,
    D3D10_DDI_CLEAR_FLAG_MASK = 0x3
} D3D10_DDI_CLEAR_FLAG;

/* nc-d3d10umddi-pfnd3d10ddi_cleardepthstencilview: Flags: D3D10_DDI_CLEAR_FLAG. */
typedef VOID(APIENTRY *PFND3D10DDI_CLEARDEPTHSTENCILVIEW)(
    _In_ D3D10DDI_HDEVICE hDevice,
    _In_ D3D10DDI_HDEPTHSTENCILVIEW hDepthStencilView,
    _In_ UINT Flags,
    _In_ FLOAT Depth,
    _In_ UINT8 Stencil);

/* Unordered access views, of 11. */

/* Flags, as in the API. */
#define D3D11_DDI_BUFFER_UAV_FLAG_RAW      0x1u /* addressed by bytes */
#define D3D11_DDI_BUFFER_UAV_FLAG_APPEND   0x2u /* append and consume, by a hidden counter */
#define D3D11_DDI_BUFFER_UAV_FLAG_COUNTER  0x4u /* the counter alone */

/* ns-d3d10umddi-d3d11ddiarg_buffer_unorderedaccessview */
typedef struct D3D11DDIARG_BUFFER_UNORDEREDACCESSVIEW {
    UINT FirstElement;
    UINT NumElements;
    UINT Flags; /* D3D11_DDI_BUFFER_UAV_FLAG_ */
} D3D11DDIARG_BUFFER_UNORDEREDACCESSVIEW;

/* ns-d3d10umddi-d3d11ddiarg_tex1d_unorderedaccessview */
typedef struct D3D11DDIARG_TEX1D_UNORDEREDACCESSVIEW {
    UINT MipSlice;
    UINT FirstArraySlice;
    UINT ArraySize;
} D3D11DDIARG_TEX1D_UNORDEREDACCESSVIEW;

/* ns-d3d10umddi-d3d11ddiarg_tex2d_unorderedaccessview */
typedef struct D3D11DDIARG_TEX2D_UNORDEREDACCESSVIEW {
    UINT MipSlice;
    UINT FirstArraySlice;
    UINT ArraySize;
} D3D11DDIARG_TEX2D_UNORDEREDACCESSVIEW;

/* ns-d3d10umddi-d3d11ddiarg_tex3d_unorderedaccessview */
typedef struct D3D11DDIARG_TEX3D_UNORDEREDACCESSVIEW {
    UINT MipSlice;
    UINT FirstW;
    UINT WSize;
} D3D11DDIARG_TEX3D_UNORDEREDACCESSVIEW;

/* ns-d3d10umddi-d3d11ddiarg_createunorderedaccessview */
typedef struct D3D11DDIARG_CREATEUNORDEREDACCESSVIEW {
    D3D10DDI_HRESOURCE hDrvResource;
    DXGI_FORMAT Format;
    D3D10DDIRESOURCE_TYPE ResourceDimension;
    union {
        D3D11DDIARG_BUFFER_UNORDEREDACCESSVIEW Buffer;
        D3D11DDIARG_TEX1D_UNORDEREDACCESSVIEW Tex1D;
        D3D11DDIARG_TEX2D_UNORDEREDACCESSVIEW Tex2D;
        D3D11DDIARG_TEX3D_UNORDEREDACCESSVIEW Tex3D;
    };
} D3D11DDIARG_CREATEUNORDEREDACCESSVIEW;

/* nc-d3d10umddi-pfnd3d11ddi_calcprivateunorderedaccessviewsize, pfnd3d11ddi_createunorderedaccessview,
 * pfnd3d11ddi_destroyunorderedaccessview */
typedef SIZE_T(APIENTRY *PFND3D11DDI_CALCPRIVATEUNORDEREDACCESSVIEWSIZE)(
    _In_ D3D10DDI_HDEVICE hDevice,
    _In_ const D3D11DDIARG_CREATEUNORDEREDACCESSVIEW *pCreateUnorderedAccessView);
typedef VOID(APIENTRY *PFND3D11DDI_CREATEUNORDEREDACCESSVIEW)(
    _In_ D3D10DDI_HDEVICE hDevice,
    _In_ const D3D11DDIARG_CREATEUNORDEREDACCESSVIEW *pCreateUnorderedAccessView,
    _In_ D3D11DDI_HUNORDEREDACCESSVIEW hUnorderedAccessView,
    _In_ D3D11DDI_HRTUNORDEREDACCESSVIEW hRTUnorderedAccessView);
typedef VOID(APIENTRY *PFND3D11DDI_DESTROYUNORDEREDACCESSVIEW)(
    _In_ D3D10DDI_HDEVICE hDevice,
    _In_ D3D11DDI_HUNORDEREDACCESSVIEW hUnorderedAccessView);

/* nc-d3d10umddi-pfnd3d11ddi_clearunorderedaccessviewuint, pfnd3d11ddi_clearunorderedaccessviewfloat: four values
 * each. Uint writes bits as they are, Float converts. */
typedef VOID(APIENTRY *PFND3D11DDI_CLEARUNORDEREDACCESSVIEWUINT)(
    _In_ D3D10DDI_HDEVICE hDevice,
    _In_ D3D11DDI_HUNORDEREDACCESSVIEW hUnorderedAccessView,
    _In_ const UINT *pUints);
typedef VOID(APIENTRY *PFND3D11DDI_CLEARUNORDEREDACCESSVIEWFLOAT)(
    _In_ D3D10DDI_HDEVICE hDevice,
    _In_ D3D11DDI_HUNORDEREDACCESSVIEW hUnorderedAccessView,
    _In_ const FLOAT *pFloats);

/* nc-d3d10umddi-pfnd3d11ddi_copystructurecount: the view's hidden counter, as a UINT into a buffer; the offset is
 * in bytes. */
typedef VOID(APIENTRY *PFND3D11DDI_COPYSTRUCTURECOUNT)(
    _In_ D3D10DDI_HDEVICE hDevice,
    _In_ D3D10DDI_HRESOURCE hDstBuffer,
    _In_ UINT DstAlignedByteOffset,
    _In_ D3D11DDI_HUNORDEREDACCESSVIEW hSrcView);

#endif
