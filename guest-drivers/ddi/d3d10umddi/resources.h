/* SPDX-License-Identifier: MIT
 * resources.h: resources: description, creation, maps and copies. A part of d3d10umddi.h, which says more. */
#ifndef AEROGPU_DDI_D3D10UMDDI_RESOURCES_H
#define AEROGPU_DDI_D3D10UMDDI_RESOURCES_H

#include "d3d10umddi/handles.h"

/* Flags and usages look like the API's, but some have other values: an API constant never belongs here. */

/* The kind of a resource or view. A 2D array of six or more slices is a cube only if it says so. BUFFEREX occurs
 * in the shader resource views of 11 alone. */
typedef enum D3D10DDIRESOURCE_TYPE {
    D3D10DDIRESOURCE_BUFFER      = 1,
    D3D10DDIRESOURCE_TEXTURE1D   = 2,
    D3D10DDIRESOURCE_TEXTURE2D   = 3,
    D3D10DDIRESOURCE_TEXTURE3D   = 4,
    D3D10DDIRESOURCE_TEXTURECUBE = 5,
    D3D11DDIRESOURCE_BUFFEREX    = 6
} D3D10DDIRESOURCE_TYPE;

/* ne-d3d10umddi-d3d10_ddi_resource_usage: default: the GPU's own; immutable: written by its creation alone;
 * dynamic: the CPU writes it; staging: the CPU reads and writes it and the GPU only copies. */
typedef enum D3D10_DDI_RESOURCE_USAGE {
    D3D10_DDI_USAGE_DEFAULT   = 0,
    D3D10_DDI_USAGE_IMMUTABLE = 1,
    D3D10_DDI_USAGE_DYNAMIC   = 2,
    D3D10_DDI_USAGE_STAGING   = 3
} D3D10_DDI_RESOURCE_USAGE;

/* ne-d3d10umddi-d3d10_ddi_resource_bind_flag: note that 11's unordered access is 0x100, where the API has 0x80:
 * 0x80 is PRESENT here. A resource with PRESENT can be shown and have its identity rotated. */
typedef enum D3D10_DDI_RESOURCE_BIND_FLAG {
    D3D10_DDI_BIND_VERTEX_BUFFER    = 0x1,
    D3D10_DDI_BIND_INDEX_BUFFER     = 0x2,
    D3D10_DDI_BIND_CONSTANT_BUFFER  = 0x4,
    D3D10_DDI_BIND_SHADER_RESOURCE  = 0x8,
    D3D10_DDI_BIND_STREAM_OUTPUT    = 0x10,
    D3D10_DDI_BIND_RENDER_TARGET    = 0x20,
    D3D10_DDI_BIND_DEPTH_STENCIL    = 0x40,
    D3D10_DDI_BIND_PIPELINE_MASK    = 0x7F,
    D3D10_DDI_BIND_PRESENT          = 0x80,
    D3D10_DDI_BIND_MASK             = 0xFF,
    D3D11_DDI_BIND_UNORDERED_ACCESS = 0x100,
    D3D11_DDI_BIND_PIPELINE_MASK    = 0x17F,
    D3D11_DDI_BIND_MASK             = 0x1FF
} D3D10_DDI_RESOURCE_BIND_FLAG;

/* Bits of MapFlags. The API has them 16 bits higher. */
typedef enum D3D10_DDI_CPU_ACCESS {
    D3D10_DDI_CPU_ACCESS_WRITE = 0x1,
    D3D10_DDI_CPU_ACCESS_READ  = 0x2,
    D3D10_DDI_CPU_ACCESS_MASK  = 0x3
} D3D10_DDI_CPU_ACCESS;

/* ne-d3d10umddi-d3d10_ddi_resource_misc_flag: SHARED stands for all kinds of sharing, a keyed mutex included: the
 * runtime and the kernel do the locking. None of the API's TEXTURECUBE, keyed mutex and GDI flags arrives.
 * DISCARD_ON_PRESENT: a presented back buffer may lose its contents. */
typedef enum D3D10_DDI_RESOURCE_MISC_FLAG {
    D3D10_DDI_RESOURCE_AUTO_GEN_MIP_MAP            = 0x1,
    D3D10_DDI_RESOURCE_MISC_SHARED                 = 0x2,
    D3D10_DDI_RESOURCE_MISC_DISCARD_ON_PRESENT     = 0x8,
    D3D11_DDI_RESOURCE_MISC_DRAWINDIRECT_ARGS      = 0x10,
    D3D11_DDI_RESOURCE_MISC_BUFFER_ALLOW_RAW_VIEWS = 0x20,
    D3D11_DDI_RESOURCE_MISC_BUFFER_STRUCTURED      = 0x40,
    D3D11_DDI_RESOURCE_MISC_RESOURCE_CLAMP         = 0x80,
    D3D10_DDI_RESOURCE_MISC_REMOTE                 = 0x400
} D3D10_DDI_RESOURCE_MISC_FLAG;

/* In the order of a cube's six slices. */
typedef enum D3D10_DDI_TEXTURECUBE_FACE {
    D3D10_DDI_TEXTURECUBE_FACE_POSITIVE_X = 0,
    D3D10_DDI_TEXTURECUBE_FACE_NEGATIVE_X = 1,
    D3D10_DDI_TEXTURECUBE_FACE_POSITIVE_Y = 2,
    D3D10_DDI_TEXTURECUBE_FACE_NEGATIVE_Y = 3,
    D3D10_DDI_TEXTURECUBE_FACE_POSITIVE_Z = 4,
    D3D10_DDI_TEXTURECUBE_FACE_NEGATIVE_Z = 5
} D3D10_DDI_TEXTURECUBE_FACE;

/* ns-d3d10umddi-d3d10ddi_mipinfo: a mip level's size: Texel as the program sees it, Physical as it is stored:
 * rounded up to whole blocks, if the format has blocks. For a buffer TexelWidth is its size in bytes. */
typedef struct D3D10DDI_MIPINFO {
    UINT TexelWidth;
    UINT TexelHeight;
    UINT TexelDepth;
    UINT PhysicalWidth;
    UINT PhysicalHeight;
    UINT PhysicalDepth;
} D3D10DDI_MIPINFO;

/* ns-d3d10umddi-d3d10_ddiarg_subresource_up: initial data of a subresource, pitches in bytes. It lives as long as
 * the call. */
typedef struct D3D10_DDIARG_SUBRESOURCE_UP {
    VOID *pSysMem;
    UINT SysMemPitch;      /* from row to row */
    UINT SysMemSlicePitch; /* from slice to slice of a volume */
} D3D10_DDIARG_SUBRESOURCE_UP;

/* ne-d3d10umddi-d3d10_1_ddiarg_standard_multisample_quality_levels: sample qualities that a 10.1 runtime may ask
 * for in SampleDesc besides the driver's own. */
typedef enum D3D10_1_DDIARG_STANDARD_MULTISAMPLE_QUALITY_LEVELS {
    D3D10_1_DDIARG_STANDARD_MULTISAMPLE_PATTERN = (int)0xFFFFFFFF,
    D3D10_1_DDIARG_CENTER_MULTISAMPLE_PATTERN   = (int)0xFFFFFFFE
} D3D10_1_DDIARG_STANDARD_MULTISAMPLE_QUALITY_LEVELS;

/* ns-d3d10umddi-d3d10ddiarg_createresource: a cube's ArraySize counts faces. With pPrimaryDesc the resource is to
 * be scanned out; the driver may answer in its DriverFlags that it cannot. 10 and 10.1 have this structure. */
typedef struct D3D10DDIARG_CREATERESOURCE {
    const D3D10DDI_MIPINFO *pMipInfoList;              /* MipLevels of them */
    const D3D10_DDIARG_SUBRESOURCE_UP *pInitialDataUP; /* null, or one per subresource: mip + slice * MipLevels */
    D3D10DDIRESOURCE_TYPE ResourceDimension;
    UINT Usage;                                        /* D3D10_DDI_RESOURCE_USAGE */
    UINT BindFlags;                                    /* D3D10_DDI_RESOURCE_BIND_FLAG */
    UINT MapFlags;                                     /* D3D10_DDI_CPU_ACCESS */
    UINT MiscFlags;                                    /* D3D10_DDI_RESOURCE_MISC_FLAG */
    DXGI_FORMAT Format;
    DXGI_SAMPLE_DESC SampleDesc;
    UINT MipLevels;
    UINT ArraySize;
    DXGI_DDI_PRIMARY_DESC *pPrimaryDesc;               /* null, or in and out */
} D3D10DDIARG_CREATERESOURCE;

/* ns-d3d10umddi-d3d11ddiarg_createresource: 11 adds the size of a structured buffer's structure. */
typedef struct D3D11DDIARG_CREATERESOURCE {
    const D3D10DDI_MIPINFO *pMipInfoList;              /* MipLevels of them */
    const D3D10_DDIARG_SUBRESOURCE_UP *pInitialDataUP; /* null, or one per subresource: mip + slice * MipLevels */
    D3D10DDIRESOURCE_TYPE ResourceDimension;
    UINT Usage;                                        /* D3D10_DDI_RESOURCE_USAGE */
    UINT BindFlags;                                    /* D3D10_DDI_RESOURCE_BIND_FLAG */
    UINT MapFlags;                                     /* D3D10_DDI_CPU_ACCESS */
    UINT MiscFlags;                                    /* D3D10_DDI_RESOURCE_MISC_FLAG */
    DXGI_FORMAT Format;
    DXGI_SAMPLE_DESC SampleDesc;
    UINT MipLevels;
    UINT ArraySize;
    DXGI_DDI_PRIMARY_DESC *pPrimaryDesc;               /* null, or in and out */
    UINT ByteStride;                                   /* in bytes; only with MISC_BUFFER_STRUCTURED */
} D3D11DDIARG_CREATERESOURCE;

/* ns-d3d10umddi-d3d10ddiarg_openresource: a shared resource that anyone created: this driver, the Direct3D 9
 * driver, or the kernel driver for GDI. Only its private data tell format and size. A WDDM 1.1 driver reads
 * pOpenAllocationInfo; pOpenAllocationInfo2 is of a later driver model and has elements of another size. */
typedef struct D3D10DDIARG_OPENRESOURCE {
    UINT NumAllocations;
    union {
        D3DDDI_OPENALLOCATIONINFO *pOpenAllocationInfo;
        D3DDDI_OPENALLOCATIONINFO2 *pOpenAllocationInfo2;
    };
    D3D10DDI_HKMRESOURCE hKMResource;
    VOID *pPrivateDriverData;
    UINT PrivateDriverDataSize; /* in bytes */
} D3D10DDIARG_OPENRESOURCE;

/* nc-d3d10umddi-pfnd3d10ddi_calcprivateresourcesize, pfnd3d11ddi_calcprivateresourcesize,
 * pfnd3d10ddi_calcprivateopenedresourcesize: the driver returns how many bytes it wants for its object; the same
 * arguments then arrive in the creation. These functions may be called by any thread, at any time. */
typedef SIZE_T(APIENTRY *PFND3D10DDI_CALCPRIVATERESOURCESIZE)(
    _In_ D3D10DDI_HDEVICE hDevice,
    _In_ const D3D10DDIARG_CREATERESOURCE *pCreateResource);
typedef SIZE_T(APIENTRY *PFND3D11DDI_CALCPRIVATERESOURCESIZE)(
    _In_ D3D10DDI_HDEVICE hDevice,
    _In_ const D3D11DDIARG_CREATERESOURCE *pCreateResource);
typedef SIZE_T(APIENTRY *PFND3D10DDI_CALCPRIVATEOPENEDRESOURCESIZE)(
    _In_ D3D10DDI_HDEVICE hDevice,
    _In_ const D3D10DDIARG_OPENRESOURCE *pOpenResource);

/* nc-d3d10umddi-pfnd3d10ddi_createresource, pfnd3d11ddi_createresource, pfnd3d10ddi_openresource: errors go to
 * pfnSetErrorCb: E_OUTOFMEMORY, and DXGI_DDI_ERR_UNSUPPORTED for a primary with NO_SCANOUT. After an error no
 * destruction follows. The resource is hRTResource.handle in pfnAllocateCb's hResource if it is shared. */
typedef VOID(APIENTRY *PFND3D10DDI_CREATERESOURCE)(
    _In_ D3D10DDI_HDEVICE hDevice,
    _In_ const D3D10DDIARG_CREATERESOURCE *pCreateResource,
    _In_ D3D10DDI_HRESOURCE hResource,
    _In_ D3D10DDI_HRTRESOURCE hRTResource);
typedef VOID(APIENTRY *PFND3D11DDI_CREATERESOURCE)(
    _In_ D3D10DDI_HDEVICE hDevice,
    _In_ const D3D11DDIARG_CREATERESOURCE *pCreateResource,
    _In_ D3D10DDI_HRESOURCE hResource,
    _In_ D3D10DDI_HRTRESOURCE hRTResource);
typedef VOID(APIENTRY *PFND3D10DDI_OPENRESOURCE)(
    _In_ D3D10DDI_HDEVICE hDevice,
    _In_ const D3D10DDIARG_OPENRESOURCE *pOpenResource,
    _In_ D3D10DDI_HRESOURCE hResource,
    _In_ D3D10DDI_HRTRESOURCE hRTResource);

/* nc-d3d10umddi-pfnd3d10ddi_destroyresource: batches that are not submitted yet may use the resource still: its
 * allocation goes with the next flush. A primary's goes before this returns. */
typedef VOID(APIENTRY *PFND3D10DDI_DESTROYRESOURCE)(_In_ D3D10DDI_HDEVICE hDevice, _In_ D3D10DDI_HRESOURCE hResource);

/* ne-d3d10umddi-d3d10_ddi_map: differs from the API by its name only. */
typedef enum D3D10_DDI_MAP {
    D3D10_DDI_MAP_READ              = 1,
    D3D10_DDI_MAP_WRITE             = 2,
    D3D10_DDI_MAP_READWRITE         = 3,
    D3D10_DDI_MAP_WRITE_DISCARD     = 4,
    D3D10_DDI_MAP_WRITE_NOOVERWRITE = 5
} D3D10_DDI_MAP;

/* ne-d3d10umddi-d3d10_ddi_map_flag: the driver answers DXGI_DDI_ERR_WASSTILLDRAWING instead of waiting. */
typedef enum D3D10_DDI_MAP_FLAG {
    D3D10_DDI_MAP_FLAG_DONOTWAIT = 0x100000,
    D3D10_DDI_MAP_FLAG_MASK      = 0x100000
} D3D10_DDI_MAP_FLAG;

/* ns-d3d10umddi-d3d10ddi_mapped_subresource: where the memory is: pitches in bytes. They hold until the unmap. */
typedef struct D3D10DDI_MAPPED_SUBRESOURCE {
    VOID *pData;
    UINT RowPitch;
    UINT DepthPitch;
} D3D10DDI_MAPPED_SUBRESOURCE;

/* nc-d3d10umddi-pfnd3d10ddi_resourcemap, pfnd3d10ddi_resourceunmap, pfnd3d10ddi_resourceisstagingbusy: used by all
 * six map slots and their unmaps; Subresource is 0 for a buffer. Discard and no-overwrite must not wait for the
 * GPU. Allowed errors: DXGI_DDI_ERR_WASSTILLDRAWING, if DONOTWAIT was set, and D3DDDIERR_DEVICEREMOVED. */
typedef VOID(APIENTRY *PFND3D10DDI_RESOURCEMAP)(
    _In_ D3D10DDI_HDEVICE hDevice,
    _In_ D3D10DDI_HRESOURCE hResource,
    _In_ UINT Subresource,
    _In_ D3D10_DDI_MAP DDIMap,
    _In_ UINT Flags,
    _Out_ D3D10DDI_MAPPED_SUBRESOURCE *pMappedSubResource);
typedef VOID(APIENTRY *PFND3D10DDI_RESOURCEUNMAP)(
    _In_ D3D10DDI_HDEVICE hDevice,
    _In_ D3D10DDI_HRESOURCE hResource,
    _In_ UINT Subresource);
typedef BOOL(APIENTRY *PFND3D10DDI_RESOURCEISSTAGINGBUSY)(
    _In_ D3D10DDI_HDEVICE hDevice,
    _In_ D3D10DDI_HRESOURCE hResource);

/* ns-d3d10umddi-d3d10_ddi_box: signed, unlike the API's. In texels; in bytes for a buffer. right, bottom and back
 * are exclusive. */
typedef struct D3D10_DDI_BOX {
    LONG left;
    LONG top;
    LONG front;
    LONG right;
    LONG bottom;
    LONG back;
} D3D10_DDI_BOX;

/* nc-d3d10umddi-pfnd3d10ddi_resourcecopy, pfnd3d10ddi_resourcecopyregion: a null box is the whole subresource, an
 * empty one nothing. 10.1 and 11 use the copy's types for pfnResourceConvert(Region) too: there the two formats
 * may differ. */
typedef VOID(APIENTRY *PFND3D10DDI_RESOURCECOPY)(
    _In_ D3D10DDI_HDEVICE hDevice,
    _In_ D3D10DDI_HRESOURCE hDstResource,
    _In_ D3D10DDI_HRESOURCE hSrcResource);
typedef VOID(APIENTRY *PFND3D10DDI_RESOURCECOPYREGION)(
    _In_ D3D10DDI_HDEVICE hDevice,
    _In_ D3D10DDI_HRESOURCE hDstResource,
    _In_ UINT DstSubresource,
    _In_ UINT DstX,
    _In_ UINT DstY,
    _In_ UINT DstZ,
    _In_ D3D10DDI_HRESOURCE hSrcResource,
    _In_ UINT SrcSubresource,
    _In_opt_ const D3D10_DDI_BOX *pSrcBox);

/* nc-d3d10umddi-pfnd3d10ddi_resourceupdatesubresourceup: pSysMemUP is read before the call returns, and takes
 * effect in the order of the calls. The slot for constant buffers has this type too. Pitches in bytes. */
typedef VOID(APIENTRY *PFND3D10DDI_RESOURCEUPDATESUBRESOURCEUP)(
    _In_ D3D10DDI_HDEVICE hDevice,
    _In_ D3D10DDI_HRESOURCE hDstResource,
    _In_ UINT DstSubresource,
    _In_opt_ const D3D10_DDI_BOX *pDstBox,
    _In_ const VOID *pSysMemUP,
    _In_ UINT RowPitch,
    _In_ UINT DepthPitch);

/* nc-d3d10umddi-pfnd3d10ddi_resourceresolvesubresource: fills the one-sample destination; ResolveFormat is typed. */
typedef VOID(APIENTRY *PFND3D10DDI_RESOURCERESOLVESUBRESOURCE)(
    _In_ D3D10DDI_HDEVICE hDevice,
    _In_ D3D10DDI_HRESOURCE hDstResource,
    _In_ UINT DstSubresource,
    _In_ D3D10DDI_HRESOURCE hSrcResource,
    _In_ UINT SrcSubresource,
    _In_ DXGI_FORMAT ResolveFormat);

/* nc-d3d10umddi-pfnd3d10ddi_genmips: levels below the view's first, from it. */
typedef VOID(APIENTRY *PFND3D10DDI_GENMIPS)(
    _In_ D3D10DDI_HDEVICE hDevice,
    _In_ D3D10DDI_HSHADERRESOURCEVIEW hShaderResourceView);

/* nc-d3d10umddi-pfnd3d10ddi_resourcereadafterwritehazard: the resource was written and is about to be read. A
 * driver that follows dependencies itself has nothing to do. */
typedef VOID(APIENTRY *PFND3D10DDI_RESOURCEREADAFTERWRITEHAZARD)(
    _In_ D3D10DDI_HDEVICE hDevice,
    _In_ D3D10DDI_HRESOURCE hResource);

/* nc-d3d10umddi-pfnd3d11ddi_setresourceminlod: the lowest level that may be sampled, for resources with
 * MISC_RESOURCE_CLAMP. */
typedef VOID(APIENTRY *PFND3D11DDI_SETRESOURCEMINLOD)(
    _In_ D3D10DDI_HDEVICE hDevice,
    _In_ D3D10DDI_HRESOURCE hResource,
    _In_ FLOAT MinLOD);

/* nc-d3d10umddi-pfnd3d10ddi_checkformatsupport: bits of *pFormatCaps. What a level demands of a format must be
 * there; the runtime knows all else by itself. NOT_SUPPORTED stands alone. */
#define D3D10_DDI_FORMAT_SUPPORT_SHADER_SAMPLE             0x1u
#define D3D10_DDI_FORMAT_SUPPORT_RENDERTARGET              0x2u
#define D3D10_DDI_FORMAT_SUPPORT_BLENDABLE                 0x4u
#define D3D10_DDI_FORMAT_SUPPORT_MULTISAMPLE_RENDERTARGET  0x8u
#define D3D10_DDI_FORMAT_SUPPORT_MULTISAMPLE_LOAD          0x10u
#define D3D10_DDI_FORMAT_SUPPORT_NOT_SUPPORTED             0x80000000u

/* nc-d3d10umddi-pfnd3d10ddi_checkformatsupport, pfnd3d10ddi_checkmultisamplequalitylevels: *pNumQualityLevels is 0
 * for a count that the driver lacks and 1 for one sample. No error may be set here. */
typedef VOID(APIENTRY *PFND3D10DDI_CHECKFORMATSUPPORT)(
    _In_ D3D10DDI_HDEVICE hDevice,
    _In_ DXGI_FORMAT Format,
    _Out_ UINT *pFormatCaps);
typedef VOID(APIENTRY *PFND3D10DDI_CHECKMULTISAMPLEQUALITYLEVELS)(
    _In_ D3D10DDI_HDEVICE hDevice,
    _In_ DXGI_FORMAT Format,
    _In_ UINT SampleCount,
    _Out_ UINT *pNumQualityLevels);

#endif
