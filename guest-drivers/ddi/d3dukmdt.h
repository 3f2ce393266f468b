/* SPDX-License-Identifier: MIT
 * d3dukmdt.h: the types that Direct3D user-mode and kernel-mode drivers share.
 * Windows 7 interface level. Written from Microsoft's documentation; each declaration names its page
 * (under "windows-hardware/drivers/ddi/") and, for functions, the IRQL that the page gives. 
 * Layouts are checked against recorded ones by ddi/test. */
#ifndef _D3DUKMDT_H_
#define _D3DUKMDT_H_

#include "ddi_base.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef UINT D3DKMT_HANDLE;
typedef UINT D3DDDI_VIDEO_PRESENT_SOURCE_ID;
typedef UINT D3DDDI_VIDEO_PRESENT_TARGET_ID;
typedef ULONGLONG D3DGPU_VIRTUAL_ADDRESS;

#define D3DDDI_ALLOCATIONPRIORITY_HIGH 0xA0000000u
#define D3DDDI_ALLOCATIONPRIORITY_LOW 0x50000000u
#define D3DDDI_ALLOCATIONPRIORITY_MAXIMUM 0xC8000000u
#define D3DDDI_ALLOCATIONPRIORITY_MINIMUM 0x28000000u
#define D3DDDI_ALLOCATIONPRIORITY_NORMAL 0x78000000u
#define D3DDDI_ID_ALL 0xFFFFFFFDu
#define D3DDDI_ID_NOTAPPLICABLE 0
#define D3DDDI_ID_UNINITIALIZED 0xFFFFFFFFu
#define D3DDDI_MAX_BROADCAST_CONTEXT 64
#define D3DDDI_MAX_OBJECT_SIGNALED 32
#define D3DDDI_MAX_OBJECT_WAITED_ON 32

/* ne-d3dukmdt-_d3dddiformat */
typedef enum _D3DDDIFORMAT {
    D3DDDIFMT_UNKNOWN = 0,
    D3DDDIFMT_R8G8B8 = 20,
    D3DDDIFMT_A8R8G8B8 = 21,
    D3DDDIFMT_X8R8G8B8 = 22,
    D3DDDIFMT_R5G6B5 = 23,
    D3DDDIFMT_X1R5G5B5 = 24,
    D3DDDIFMT_A1R5G5B5 = 25,
    D3DDDIFMT_A4R4G4B4 = 26,
    D3DDDIFMT_R3G3B2 = 27,
    D3DDDIFMT_A8 = 28,
    D3DDDIFMT_A8R3G3B2 = 29,
    D3DDDIFMT_X4R4G4B4 = 30,
    D3DDDIFMT_A2B10G10R10 = 31,
    D3DDDIFMT_A8B8G8R8 = 32,
    D3DDDIFMT_X8B8G8R8 = 33,
    D3DDDIFMT_G16R16 = 34,
    D3DDDIFMT_A2R10G10B10 = 35,
    D3DDDIFMT_A16B16G16R16 = 36,
    D3DDDIFMT_A8P8 = 40,
    D3DDDIFMT_P8 = 41,
    D3DDDIFMT_L8 = 50,
    D3DDDIFMT_A8L8 = 51,
    D3DDDIFMT_A4L4 = 52,
    D3DDDIFMT_V8U8 = 60,
    D3DDDIFMT_L6V5U5 = 61,
    D3DDDIFMT_X8L8V8U8 = 62,
    D3DDDIFMT_Q8W8V8U8 = 63,
    D3DDDIFMT_V16U16 = 64,
    D3DDDIFMT_W11V11U10 = 65,
    D3DDDIFMT_A2W10V10U10 = 67,
    D3DDDIFMT_UYVY = 1498831189,
    D3DDDIFMT_R8G8_B8G8 = 1195525970,
    D3DDDIFMT_YUY2 = 844715353,
    D3DDDIFMT_G8R8_G8B8 = 1111970375,
    D3DDDIFMT_DXT1 = 827611204,
    D3DDDIFMT_DXT2 = 844388420,
    D3DDDIFMT_DXT3 = 861165636,
    D3DDDIFMT_DXT4 = 877942852,
    D3DDDIFMT_DXT5 = 894720068,
    D3DDDIFMT_D16_LOCKABLE = 70,
    D3DDDIFMT_D32 = 71,
    D3DDDIFMT_D15S1 = 73,
    D3DDDIFMT_D24S8 = 75,
    D3DDDIFMT_D24X8 = 77,
    D3DDDIFMT_D24X4S4 = 79,
    D3DDDIFMT_D16 = 80,
    D3DDDIFMT_D32F_LOCKABLE = 82,
    D3DDDIFMT_D24FS8 = 83,
    D3DDDIFMT_D32_LOCKABLE = 84,
    D3DDDIFMT_S8_LOCKABLE = 85,
    D3DDDIFMT_S1D15 = 72,
    D3DDDIFMT_S8D24 = 74,
    D3DDDIFMT_X8D24 = 76,
    D3DDDIFMT_X4S4D24 = 78,
    D3DDDIFMT_L16 = 81,
    D3DDDIFMT_VERTEXDATA = 100,
    D3DDDIFMT_INDEX16 = 101,
    D3DDDIFMT_INDEX32 = 102,
    D3DDDIFMT_Q16W16V16U16 = 110,
    D3DDDIFMT_MULTI2_ARGB8 = 827606349,
    D3DDDIFMT_R16F = 111,
    D3DDDIFMT_G16R16F = 112,
    D3DDDIFMT_A16B16G16R16F = 113,
    D3DDDIFMT_R32F = 114,
    D3DDDIFMT_G32R32F = 115,
    D3DDDIFMT_A32B32G32R32F = 116,
    D3DDDIFMT_CxV8U8 = 117,
    D3DDDIFMT_A1 = 118,
    D3DDDIFMT_A2B10G10R10_XR_BIAS = 119,
    D3DDDIFMT_DXVACOMPBUFFER_BASE = 150,
    D3DDDIFMT_PICTUREPARAMSDATA = 150,
    D3DDDIFMT_MACROBLOCKDATA = 151,
    D3DDDIFMT_RESIDUALDIFFERENCEDATA = 152,
    D3DDDIFMT_DEBLOCKINGDATA = 153,
    D3DDDIFMT_INVERSEQUANTIZATIONDATA = 154,
    D3DDDIFMT_SLICECONTROLDATA = 155,
    D3DDDIFMT_BITSTREAMDATA = 156,
    D3DDDIFMT_MOTIONVECTORBUFFER = 157,
    D3DDDIFMT_FILMGRAINBUFFER = 158,
    D3DDDIFMT_DXVA_RESERVED9 = 159,
    D3DDDIFMT_DXVA_RESERVED10 = 160,
    D3DDDIFMT_DXVA_RESERVED11 = 161,
    D3DDDIFMT_DXVA_RESERVED12 = 162,
    D3DDDIFMT_DXVA_RESERVED13 = 163,
    D3DDDIFMT_DXVA_RESERVED14 = 164,
    D3DDDIFMT_DXVA_RESERVED15 = 165,
    D3DDDIFMT_DXVA_RESERVED16 = 166,
    D3DDDIFMT_DXVA_RESERVED17 = 167,
    D3DDDIFMT_DXVA_RESERVED18 = 168,
    D3DDDIFMT_DXVA_RESERVED19 = 169,
    D3DDDIFMT_DXVA_RESERVED20 = 170,
    D3DDDIFMT_DXVA_RESERVED21 = 171,
    D3DDDIFMT_DXVA_RESERVED22 = 172,
    D3DDDIFMT_DXVA_RESERVED23 = 173,
    D3DDDIFMT_DXVA_RESERVED24 = 174,
    D3DDDIFMT_DXVA_RESERVED25 = 175,
    D3DDDIFMT_DXVA_RESERVED26 = 176,
    D3DDDIFMT_DXVA_RESERVED27 = 177,
    D3DDDIFMT_DXVA_RESERVED28 = 178,
    D3DDDIFMT_DXVA_RESERVED29 = 179,
    D3DDDIFMT_DXVA_RESERVED30 = 180,
    D3DDDIFMT_DXVA_RESERVED31 = 181,
    D3DDDIFMT_DXVACOMPBUFFER_MAX = 181,
    D3DDDIFMT_BINARYBUFFER = 199,
    D3DDDIFMT_FORCE_UINT = 0x7FFFFFFF
} D3DDDIFORMAT;

/* ne-d3dukmdt-_d3dddimultisample_type */
typedef enum _D3DDDIMULTISAMPLE_TYPE {
    D3DDDIMULTISAMPLE_NONE = 0,
    D3DDDIMULTISAMPLE_NONMASKABLE = 1,
    D3DDDIMULTISAMPLE_2_SAMPLES = 2,
    D3DDDIMULTISAMPLE_3_SAMPLES = 3,
    D3DDDIMULTISAMPLE_4_SAMPLES = 4,
    D3DDDIMULTISAMPLE_5_SAMPLES = 5,
    D3DDDIMULTISAMPLE_6_SAMPLES = 6,
    D3DDDIMULTISAMPLE_7_SAMPLES = 7,
    D3DDDIMULTISAMPLE_8_SAMPLES = 8,
    D3DDDIMULTISAMPLE_9_SAMPLES = 9,
    D3DDDIMULTISAMPLE_10_SAMPLES = 10,
    D3DDDIMULTISAMPLE_11_SAMPLES = 11,
    D3DDDIMULTISAMPLE_12_SAMPLES = 12,
    D3DDDIMULTISAMPLE_13_SAMPLES = 13,
    D3DDDIMULTISAMPLE_14_SAMPLES = 14,
    D3DDDIMULTISAMPLE_15_SAMPLES = 15,
    D3DDDIMULTISAMPLE_16_SAMPLES = 16,
    D3DDDIMULTISAMPLE_FORCE_UINT = 0x7FFFFFFF
} D3DDDIMULTISAMPLE_TYPE;

/* ne-d3dukmdt-d3dddi_flipinterval_type */
typedef enum D3DDDI_FLIPINTERVAL_TYPE {
    D3DDDI_FLIPINTERVAL_IMMEDIATE = 0,
    D3DDDI_FLIPINTERVAL_ONE = 1,
    D3DDDI_FLIPINTERVAL_TWO = 2,
    D3DDDI_FLIPINTERVAL_THREE = 3,
    D3DDDI_FLIPINTERVAL_FOUR = 4
} D3DDDI_FLIPINTERVAL_TYPE;

/* ne-d3dukmdt-_d3dddi_gammaramp_type */
typedef enum _D3DDDI_GAMMARAMP_TYPE {
    D3DDDI_GAMMARAMP_UNINITIALIZED = 0,
    D3DDDI_GAMMARAMP_DEFAULT = 1,
    D3DDDI_GAMMARAMP_RGB256x3x16 = 2,
    D3DDDI_GAMMARAMP_DXGI_1 = 3
} D3DDDI_GAMMARAMP_TYPE;

/* ne-d3dukmdt-_d3dddi_pool */
typedef enum _D3DDDI_POOL {
    D3DDDIPOOL_SYSTEMMEM = 1,
    D3DDDIPOOL_VIDEOMEMORY = 2,
    D3DDDIPOOL_LOCALVIDMEM = 3,
    D3DDDIPOOL_NONLOCALVIDMEM = 4
} D3DDDI_POOL;

/* ne-d3dukmdt-_d3dddi_rotation */
typedef enum _D3DDDI_ROTATION {
    D3DDDI_ROTATION_IDENTITY = 1,
    D3DDDI_ROTATION_90 = 2,
    D3DDDI_ROTATION_180 = 3,
    D3DDDI_ROTATION_270 = 4
} D3DDDI_ROTATION;

/* ne-d3dukmdt-d3dddi_scanlineordering */
typedef enum D3DDDI_SCANLINEORDERING {
    D3DDDI_SCANLINEORDERING_UNKNOWN = 0,
    D3DDDI_SCANLINEORDERING_PROGRESSIVE = 1,
    D3DDDI_SCANLINEORDERING_INTERLACED = 2
} D3DDDI_SCANLINEORDERING;

/* ne-d3dukmdt-_d3dddi_synchronizationobject_type */
typedef enum _D3DDDI_SYNCHRONIZATIONOBJECT_TYPE {
    D3DDDI_SYNCHRONIZATION_MUTEX = 1,
    D3DDDI_SEMAPHORE = 2,
    D3DDDI_FENCE = 3,
    D3DDDI_CPU_NOTIFICATION = 4
} D3DDDI_SYNCHRONIZATIONOBJECT_TYPE;

/* ne-d3dukmdt-_d3dddi_video_signal_scanline_ordering */
typedef enum _D3DDDI_VIDEO_SIGNAL_SCANLINE_ORDERING {
    D3DDDI_VSSLO_UNINITIALIZED = 0,
    D3DDDI_VSSLO_PROGRESSIVE = 1,
    D3DDDI_VSSLO_INTERLACED_UPPERFIELDFIRST = 2,
    D3DDDI_VSSLO_INTERLACED_LOWERFIELDFIRST = 3,
    D3DDDI_VSSLO_OTHER = 255
} D3DDDI_VIDEO_SIGNAL_SCANLINE_ORDERING;

/* ns-d3dukmdt-_d3dddi_rational */
typedef struct _D3DDDI_RATIONAL {
    UINT Numerator;
    UINT Denominator;
} D3DDDI_RATIONAL;

/* ns-d3dukmdt-_d3dddi_resourceflags */
typedef struct _D3DDDI_RESOURCEFLAGS {
    union {
        struct {
            UINT RenderTarget : 1;
            UINT ZBuffer : 1;
            UINT Dynamic : 1;
            UINT HintStatic : 1;
            UINT AutogenMipmap : 1;
            UINT DMap : 1;
            UINT WriteOnly : 1;
            UINT NotLockable : 1;
            UINT Points : 1;
            UINT RtPatches : 1;
            UINT NPatches : 1;
            UINT SharedResource : 1;
            UINT DiscardRenderTarget : 1;
            UINT Video : 1;
            UINT CaptureBuffer : 1;
            UINT Primary : 1;
            UINT Texture : 1;
            UINT CubeMap : 1;
            UINT Volume : 1;
            UINT VertexBuffer : 1;
            UINT IndexBuffer : 1;
            UINT DecodeRenderTarget : 1;
            UINT DecodeCompressedBuffer : 1;
            UINT VideoProcessRenderTarget : 1;
            UINT CpuOptimized : 1;
            UINT MightDrawFromLocked : 1;
            UINT Overlay : 1;
            UINT MatchGdiPrimary : 1;
            UINT InterlacedRefresh : 1;
            UINT TextApi : 1;
            UINT RestrictedContent : 1;
            UINT RestrictSharedAccess : 1;
        };
        UINT Value;
    };
} D3DDDI_RESOURCEFLAGS;

/* ns-d3dukmdt-_d3dddi_surfaceinfo */
typedef struct _D3DDDI_SURFACEINFO {
    UINT Width;
    UINT Height;
    UINT Depth;
    const VOID *pSysMem;
    UINT SysMemPitch;
    UINT SysMemSlicePitch;
} D3DDDI_SURFACEINFO;

/* ns-d3dukmdt-_d3dddiarg_createresource */
typedef struct _D3DDDIARG_CREATERESOURCE {
    D3DDDIFORMAT Format;
    D3DDDI_POOL Pool;
    D3DDDIMULTISAMPLE_TYPE MultisampleType;
    UINT MultisampleQuality;
    const D3DDDI_SURFACEINFO *pSurfList;
    UINT SurfCount;
    UINT MipLevels;
    UINT Fvf;
    D3DDDI_VIDEO_PRESENT_SOURCE_ID VidPnSourceId;
    D3DDDI_RATIONAL RefreshRate;
    HANDLE hResource;
    D3DDDI_RESOURCEFLAGS Flags;
    D3DDDI_ROTATION Rotation;
} D3DDDIARG_CREATERESOURCE;

/* ns-d3dukmdt-_d3dddicb_lockflags */
typedef struct _D3DDDICB_LOCKFLAGS {
    union {
        struct {
            UINT ReadOnly : 1;
            UINT WriteOnly : 1;
            UINT DonotWait : 1;
            UINT IgnoreSync : 1;
            UINT LockEntire : 1;
            UINT DonotEvict : 1;
            UINT AcquireAperture : 1;
            UINT Discard : 1;
            UINT NoExistingReference : 1;
            UINT UseAlternateVA : 1;
            UINT IgnoreReadSync : 1;
            UINT Reserved : 21;
        };
        UINT Value;
    };
} D3DDDICB_LOCKFLAGS;

/* ns-d3dukmdt-_d3dddicb_signalflags */
typedef struct _D3DDDICB_SIGNALFLAGS {
    union {
        struct {
            UINT SignalAtSubmission : 1;
            UINT Reserved : 31;
        };
        UINT Value;
    };
} D3DDDICB_SIGNALFLAGS;

/* ns-d3dukmdt-_d3dddirect */
typedef struct _D3DDDIRECT {
    LONG left;
    LONG top;
    LONG right;
    LONG bottom;
} D3DDDIRECT;

/* ns-d3dukmdt-_d3dddi_allocationinfo */
typedef struct _D3DDDI_ALLOCATIONINFO {
    D3DKMT_HANDLE hAllocation;
    const VOID *pSystemMem;
    VOID *pPrivateDriverData;
    UINT PrivateDriverDataSize;
    D3DDDI_VIDEO_PRESENT_SOURCE_ID VidPnSourceId;
    union {
        struct {
            UINT Primary : 1;
            UINT Reserved : 31;
        };
        UINT Value;
    } Flags;
} D3DDDI_ALLOCATIONINFO;

/* ns-d3dukmdt-_d3dddi_allocationlist */
typedef struct _D3DDDI_ALLOCATIONLIST {
    D3DKMT_HANDLE hAllocation;
    union {
        struct {
            UINT WriteOperation : 1;
            UINT DoNotRetireInstance : 1;
            UINT Reserved : 30;
        };
        UINT Value;
    };
} D3DDDI_ALLOCATIONLIST;

/* ns-d3dukmdt-_d3dddi_createcontextflags */
typedef struct _D3DDDI_CREATECONTEXTFLAGS {
    union {
        struct {
            UINT NullRendering : 1;
            UINT InitialData : 1;
            UINT Reserved : 30;
        };
        UINT Value;
    };
} D3DDDI_CREATECONTEXTFLAGS;

/* ns-d3dukmdt-d3dddi_dxgi_rgb */
typedef struct D3DDDI_DXGI_RGB {
    float Red;
    float Green;
    float Blue;
} D3DDDI_DXGI_RGB;

/* ns-d3dukmdt-_d3dddi_escapeflags */
typedef struct _D3DDDI_ESCAPEFLAGS {
    union {
        struct {
            UINT HardwareAccess : 1;
            UINT Reserved : 31;
        };
        UINT Value;
    };
} D3DDDI_ESCAPEFLAGS;

/* ns-d3dukmdt-_d3dddi_gamma_ramp_dxgi_1 */
typedef struct _D3DDDI_GAMMA_RAMP_DXGI_1 {
    D3DDDI_DXGI_RGB Scale;
    D3DDDI_DXGI_RGB Offset;
    D3DDDI_DXGI_RGB GammaCurve[1025];
} D3DDDI_GAMMA_RAMP_DXGI_1;

/* ns-d3dukmdt-_d3dddi_gamma_ramp_rgb256x3x16 */
typedef struct _D3DDDI_GAMMA_RAMP_RGB256x3x16 {
    USHORT Red[256];
    USHORT Green[256];
    USHORT Blue[256];
} D3DDDI_GAMMA_RAMP_RGB256x3x16;

/* ns-d3dukmdt-_d3dddi_kerneloverlayinfo */
typedef struct _D3DDDI_KERNELOVERLAYINFO {
    D3DKMT_HANDLE hAllocation;
    D3DDDIRECT DstRect;
    D3DDDIRECT SrcRect;
    VOID *pPrivateDriverData;
    UINT PrivateDriverDataSize;
} D3DDDI_KERNELOVERLAYINFO;

/* ns-d3dukmdt-_d3dddi_multisamplingmethod */
typedef struct _D3DDDI_MULTISAMPLINGMETHOD {
    UINT NumSamples;
    UINT NumQualityLevels;
} D3DDDI_MULTISAMPLINGMETHOD;

/* ns-d3dukmdt-_d3dddi_allocationinfo2: the address is reserved at this level. */
typedef struct _D3DDDI_ALLOCATIONINFO2 {
    D3DKMT_HANDLE hAllocation;
    const VOID *pSystemMem;
    VOID *pPrivateDriverData;
    UINT PrivateDriverDataSize;
    D3DDDI_VIDEO_PRESENT_SOURCE_ID VidPnSourceId;
    union {
        struct {
            UINT Primary : 1;
            UINT Reserved : 31;
        };
        UINT Value;
    } Flags;
    D3DGPU_VIRTUAL_ADDRESS GpuVirtualAddress;
    ULONG_PTR Reserved[6];
} D3DDDI_ALLOCATIONINFO2;

/* ns-d3dukmdt-_d3dddi_openallocationinfo */
typedef struct _D3DDDI_OPENALLOCATIONINFO {
    D3DKMT_HANDLE hAllocation;
    const VOID *pPrivateDriverData;
    UINT PrivateDriverDataSize;
} D3DDDI_OPENALLOCATIONINFO;

/* ns-d3dukmdt-_d3dddi_openallocationinfo2: the address is reserved at this level. */
typedef struct _D3DDDI_OPENALLOCATIONINFO2 {
    D3DKMT_HANDLE hAllocation;
    const VOID *pPrivateDriverData;
    UINT PrivateDriverDataSize;
    D3DGPU_VIRTUAL_ADDRESS GpuVirtualAddress;
    ULONG_PTR Reserved[6];
} D3DDDI_OPENALLOCATIONINFO2;

/* ns-d3dukmdt-_d3dddi_patchlocationlist */
typedef struct _D3DDDI_PATCHLOCATIONLIST {
    UINT AllocationIndex;
    union {
        struct {
            UINT SlotId : 24;
            UINT Reserved : 8;
        };
        UINT Value;
    };
    UINT DriverId;
    UINT AllocationOffset;
    UINT PatchOffset;
    UINT SplitOffset;
} D3DDDI_PATCHLOCATIONLIST;

/* ns-d3dukmdt-_d3dddi_synchronizationobjectinfo */
typedef struct _D3DDDI_SYNCHRONIZATIONOBJECTINFO {
    D3DDDI_SYNCHRONIZATIONOBJECT_TYPE Type;
    union {
        struct {
            BOOL InitialState;
        } SynchronizationMutex;
        struct {
            UINT MaxCount;
            UINT InitialCount;
        } Semaphore;
        struct {
            UINT Reserved[16];
        } Reserved;
    };
} D3DDDI_SYNCHRONIZATIONOBJECTINFO;

/* ns-d3dukmdt-_d3dddi_synchronizationobject_flags */
typedef struct _D3DDDI_SYNCHRONIZATIONOBJECT_FLAGS {
    union {
        struct {
            UINT Shared : 1;
            UINT Reserved : 31;
        };
        UINT Value;
    };
} D3DDDI_SYNCHRONIZATIONOBJECT_FLAGS;

/* ns-d3dukmdt-_d3dddi_synchronizationobjectinfo2 */
typedef struct _D3DDDI_SYNCHRONIZATIONOBJECTINFO2 {
    D3DDDI_SYNCHRONIZATIONOBJECT_TYPE Type;
    D3DDDI_SYNCHRONIZATIONOBJECT_FLAGS Flags;
    union {
        struct {
            BOOL InitialState;
        } SynchronizationMutex;
        struct {
            UINT MaxCount;
            UINT InitialCount;
        } Semaphore;
        struct {
            UINT64 FenceValue;
        } Fence;
        struct {
            HANDLE Event;
        } CPUNotification;
        struct {
            UINT64 Reserved[8];
        } Reserved;
    };
    D3DKMT_HANDLE SharedHandle;
} D3DDDI_SYNCHRONIZATIONOBJECTINFO2;

#ifdef __cplusplus
}
#endif

#endif
