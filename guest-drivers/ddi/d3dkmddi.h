/* SPDX-License-Identifier: MIT
 * d3dkmddi.h: what the DirectX graphics kernel subsystem asks of a display miniport driver.
 * Windows 7 interface level. Written from Microsoft's documentation; each declaration names its page
 * (under "windows-hardware/drivers/ddi/") and, for functions, the IRQL that the page gives.
 * Layouts are checked against recorded ones by ddi/test. */
#ifndef _D3DKMDDI_H_
#define _D3DKMDDI_H_

#include "d3dkmdt.h"

#ifdef __cplusplus
extern "C" {
#endif

#define DXGKDDI_INTERFACE_VERSION_VISTA 0x1052
#define DXGKDDI_INTERFACE_VERSION_VISTA_SP1 0x1053
#define DXGKDDI_INTERFACE_VERSION_WIN7 0x2005

#ifndef DXGKDDI_INTERFACE_VERSION
#define DXGKDDI_INTERFACE_VERSION DXGKDDI_INTERFACE_VERSION_WIN7
#endif
#if DXGKDDI_INTERFACE_VERSION != DXGKDDI_INTERFACE_VERSION_WIN7
#error "these declarations are those of Windows 7 (DXGKDDI_INTERFACE_VERSION 0x2005)"
#endif

#define D3DKM_INVALID_GAMMA_INDEX 0xFFFFFFFFu
#define DXGK_MAX_ASYMETRICAL_PROCESSING_NODES 64
#define DXGK_PRESENT_DESTINATION_INDEX 2
#define DXGK_PRESENT_MAX_INDEX 2
#define DXGK_PRESENT_SOURCE_INDEX 1
#define DXGK_SEGMENT_ID_INVALID 0
#define DXGK_SEGMENT_ID_SYSTEMMEMORY 31
#define DXGK_SEGMENT_SET_SYSTEMMEMORY 0x80000000u
#define DXGK_TEXTURE_SIZE_SHIFT 11

/* ne-d3dkmddi-_dxgk_active_vidpn_invalidation_reason */
typedef enum _DXGK_ACTIVE_VIDPN_INVALIDATION_REASON {
    DXGK_AVIR_UNINITIALIZED = 0,
    DXGK_AVIR_HOTKEY = 1,
    DXGK_AVIR_USERMODE = 2
} DXGK_ACTIVE_VIDPN_INVALIDATION_REASON;

/* ne-d3dkmddi-_dxgk_buildpagingbuffer_operation */
typedef enum _DXGK_BUILDPAGINGBUFFER_OPERATION {
    DXGK_OPERATION_TRANSFER = 0,
    DXGK_OPERATION_FILL = 1,
    DXGK_OPERATION_DISCARD_CONTENT = 2,
    DXGK_OPERATION_READ_PHYSICAL = 3,
    DXGK_OPERATION_WRITE_PHYSICAL = 4,
    DXGK_OPERATION_MAP_APERTURE_SEGMENT = 5,
    DXGK_OPERATION_UNMAP_APERTURE_SEGMENT = 6,
    DXGK_OPERATION_SPECIAL_LOCK_TRANSFER = 7,
    DXGK_OPERATION_VIRTUAL_TRANSFER = 8,
    DXGK_OPERATION_VIRTUAL_FILL = 9
} DXGK_BUILDPAGINGBUFFER_OPERATION;

/* ne-d3dkmddi-_dxgk_gdirop_bitblt */
typedef enum _DXGK_GDIROP_BITBLT {
    DXGK_GDIROP_INVALID = 0,
    DXGK_GDIROP_SRCCOPY = 1,
    DXGK_GDIROP_SRCINVERT = 2,
    DXGK_GDIROP_SRCAND = 3,
    DXGK_GDIROP_SRCOR = 4,
    DXGK_GDIROP_ROP3 = 5
} DXGK_GDIROP_BITBLT;

/* ne-d3dkmddi-_dxgk_gdirop_colorfill */
typedef enum _DXGK_GDIROP_COLORFILL {
    DXGK_GDIROPCF_INVALID = 0,
    DXGK_GDIROPCF_PATCOPY = 1,
    DXGK_GDIROPCF_PATINVERT = 2,
    DXGK_GDIROPCF_PDXN = 3,
    DXGK_GDIROPCF_DSTINVERT = 4,
    DXGK_GDIROPCF_PATAND = 5,
    DXGK_GDIROPCF_PATOR = 6,
    DXGK_GDIROPCF_ROP3 = 7
} DXGK_GDIROP_COLORFILL;

/* nc-d3dkmddi-dxgkcb_gethandledata */
typedef enum _DXGK_HANDLE_TYPE {
    DXGK_HANDLE_ALLOCATION = 1,
    DXGK_HANDLE_RESOURCE = 2
} DXGK_HANDLE_TYPE;

/* ne-d3dkmddi-_dxgk_interrupt_type */
typedef enum _DXGK_INTERRUPT_TYPE {
    DXGK_INTERRUPT_DMA_COMPLETED = 1,
    DXGK_INTERRUPT_DMA_PREEMPTED = 2,
    DXGK_INTERRUPT_CRTC_VSYNC = 3,
    DXGK_INTERRUPT_DMA_FAULTED = 4
} DXGK_INTERRUPT_TYPE;

/* ne-d3dkmddi-_dxgk_monitor_interface_version */
typedef enum _DXGK_MONITOR_INTERFACE_VERSION {
    DXGK_MONITOR_INTERFACE_VERSION_UNINITIALIZED = 0,
    DXGK_MONITOR_INTERFACE_VERSION_V1 = 1,
    DXGK_MONITOR_INTERFACE_VERSION_V2 = 2
} DXGK_MONITOR_INTERFACE_VERSION;

/* ne-d3dkmddi-_dxgk_queryadapterinfotype */
typedef enum _DXGK_QUERYADAPTERINFOTYPE {
    DXGKQAITYPE_UMDRIVERPRIVATE = 0,
    DXGKQAITYPE_DRIVERCAPS = 1,
    DXGKQAITYPE_QUERYSEGMENT = 2,
    DXGKQAITYPE_ALLOCATIONGROUP = 3,
    DXGKQAITYPE_QUERYSEGMENT2 = 4
} DXGK_QUERYADAPTERINFOTYPE;

/* ne-d3dkmddi-_dxgk_recommendfunctionalvidpn_reason */
typedef enum _DXGK_RECOMMENDFUNCTIONALVIDPN_REASON {
    DXGK_RFVR_UNINITIALIZED = 0,
    DXGK_RFVR_HOTKEY = 1,
    DXGK_RFVR_USERMODE = 2
} DXGK_RECOMMENDFUNCTIONALVIDPN_REASON;

/* ne-d3dkmddi-_dxgk_recommendvidpntopology_reason */
typedef enum _DXGK_RECOMMENDVIDPNTOPOLOGY_REASON {
    DXGK_RVT_UNINITIALIZED = 0,
    DXGK_RVT_INITIALIZATION_NOLKG = 1,
    DXGK_RVT_AUGMENTATION_NOLKG = 2,
    DXGK_RVT_AUGMENTATION_LKGOVERRIDE = 3,
    DXGK_RVT_INITIALIZATION_LKGOVERRIDE = 4
} DXGK_RECOMMENDVIDPNTOPOLOGY_REASON;

/* ne-d3dkmddi-_dxgk_renderkm_operation */
typedef enum _DXGK_RENDERKM_OPERATION {
    DXGK_GDIOP_BITBLT = 1,
    DXGK_GDIOP_COLORFILL = 2,
    DXGK_GDIOP_ALPHABLEND = 3,
    DXGK_GDIOP_STRETCHBLT = 4,
    DXGK_GDIOP_ESCAPE = 5,
    DXGK_GDIOP_TRANSPARENTBLT = 6,
    DXGK_GDIOP_CLEARTYPEBLEND = 7
} DXGK_RENDERKM_OPERATION;

/* ne-d3dkmddi-_dxgk_vidpn_interface_version */
typedef enum _DXGK_VIDPN_INTERFACE_VERSION {
    DXGK_VIDPN_INTERFACE_VERSION_UNINITIALIZED = 0,
    DXGK_VIDPN_INTERFACE_VERSION_V1 = 1
} DXGK_VIDPN_INTERFACE_VERSION;

/* ne-d3dkmddi-_dxgk_wddmversion */
typedef enum _DXGK_WDDMVERSION {
    DXGKDDI_WDDMv1 = 4096,
    DXGKDDI_WDDMv2 = 8192
} DXGK_WDDMVERSION;

/* ns-d3dkmddi-_d3dkm_transparentbltflags */
typedef struct _D3DKM_TRANSPARENTBLTFLAGS {
    union {
        struct {
            UINT HonorAlpha : 1;
        };
        UINT Value;
    };
} D3DKM_TRANSPARENTBLTFLAGS;

/* ns-d3dkmddi-_dxgkargcb_enumhandlechildren */
typedef struct _DXGKARGCB_ENUMHANDLECHILDREN {
    D3DKMT_HANDLE hObject;
    UINT Index;
} DXGKARGCB_ENUMHANDLECHILDREN;

/* ns-d3dkmddi-_dxgkargcb_getcaptureaddress */
typedef struct _DXGKARGCB_GETCAPTUREADDRESS {
    D3DKMT_HANDLE hAllocation;
    UINT SegmentId;
    PHYSICAL_ADDRESS PhysicalAddress;
} DXGKARGCB_GETCAPTUREADDRESS;

/* ns-d3dkmddi-_dxgkcb_gethandledataflags */
typedef struct _DXGKCB_GETHANDLEDATAFLAGS {
    union {
        struct {
            UINT DeviceSpecific : 1;
            UINT Reserved : 31;
        };
        UINT Value;
    };
} DXGKCB_GETHANDLEDATAFLAGS;

/* ns-d3dkmddi-_dxgkargcb_gethandledata */
typedef struct _DXGKARGCB_GETHANDLEDATA {
    D3DKMT_HANDLE hObject;
    DXGK_HANDLE_TYPE Type;
    DXGKCB_GETHANDLEDATAFLAGS Flags;
} DXGKARGCB_GETHANDLEDATA;

/* ns-d3dkmddi-_dxgkcb_notify_interrupt_data_flags */
typedef struct _DXGKCB_NOTIFY_INTERRUPT_DATA_FLAGS {
    union {
        struct {
            UINT ValidPhysicalAdapterMask : 1;
            UINT HsyncFlipCompletion : 1;
            UINT Reserved : 30;
        };
        UINT Value;
    };
} DXGKCB_NOTIFY_INTERRUPT_DATA_FLAGS;

/* ns-d3dkmddi-_dxgkargcb_notify_interrupt_data */
typedef struct _DXGKARGCB_NOTIFY_INTERRUPT_DATA {
    DXGK_INTERRUPT_TYPE InterruptType;
    union {
        struct {
            UINT SubmissionFenceId;
            UINT NodeOrdinal;
            UINT EngineOrdinal;
        } DmaCompleted;
        struct {
            UINT PreemptionFenceId;
            UINT LastCompletedFenceId;
            UINT NodeOrdinal;
            UINT EngineOrdinal;
        } DmaPreempted;
        struct {
            UINT FaultedFenceId;
            NTSTATUS Status;
            UINT NodeOrdinal;
            UINT EngineOrdinal;
        } DmaFaulted;
        struct {
            D3DDDI_VIDEO_PRESENT_TARGET_ID VidPnTargetId;
            PHYSICAL_ADDRESS PhysicalAddress;
            UINT PhysicalAdapterMask;
        } CrtcVsync;
        struct {
            UINT Reserved[16];
        } Reserved;
    };
    DXGKCB_NOTIFY_INTERRUPT_DATA_FLAGS Flags;
} DXGKARGCB_NOTIFY_INTERRUPT_DATA;

/* ns-d3dkmddi-_dxgkarg_acquireswizzlingrange */
typedef struct _DXGKARG_ACQUIRESWIZZLINGRANGE {
    HANDLE hAllocation;
    UINT PrivateDriverData;
    UINT RangeId;
    UINT SegmentId;
    SIZE_T RangeSize;
    PHYSICAL_ADDRESS CPUTranslatedAddress;
} DXGKARG_ACQUIRESWIZZLINGRANGE;

/* ns-d3dkmddi-_dxgk_discardcontentflags */
typedef struct _DXGK_DISCARDCONTENTFLAGS {
    union {
        struct {
            UINT AllocationIsIdle : 1;
            UINT Reserved : 31;
        };
        UINT Value;
    };
} DXGK_DISCARDCONTENTFLAGS;

/* ns-d3dkmddi-_dxgk_mapapertureflags */
typedef struct _DXGK_MAPAPERTUREFLAGS {
    union {
        struct {
            UINT CacheCoherent : 1;
            UINT Reserved : 31;
        };
        UINT Value;
    };
} DXGK_MAPAPERTUREFLAGS;

/* ns-d3dkmddi-_dxgk_transferflags */
typedef struct _DXGK_TRANSFERFLAGS {
    union {
        struct {
            UINT Swizzle : 1;
            UINT Unswizzle : 1;
            UINT AllocationIsIdle : 1;
            UINT TransferStart : 1;
            UINT TransferEnd : 1;
            UINT Reserved : 27;
        };
        UINT Value;
    };
} DXGK_TRANSFERFLAGS;

/* ns-d3dkmddi-_dxgkarg_buildpagingbuffer */
typedef struct _DXGKARG_BUILDPAGINGBUFFER {
    VOID *pDmaBuffer;
    UINT DmaSize;
    VOID *pDmaBufferPrivateData;
    UINT DmaBufferPrivateDataSize;
    DXGK_BUILDPAGINGBUFFER_OPERATION Operation;
    UINT MultipassOffset;
    union {
        struct {
            HANDLE hAllocation;
            UINT TransferOffset;
            SIZE_T TransferSize;
            struct {
                UINT SegmentId;
                union {
                    LARGE_INTEGER SegmentAddress;
                    MDL *pMdl;
                };
            } Source;
            struct {
                UINT SegmentId;
                union {
                    LARGE_INTEGER SegmentAddress;
                    MDL *pMdl;
                };
            } Destination;
            DXGK_TRANSFERFLAGS Flags;
            UINT MdlOffset;
        } Transfer;
        struct {
            HANDLE hAllocation;
            SIZE_T FillSize;
            UINT FillPattern;
            struct {
                UINT SegmentId;
                LARGE_INTEGER SegmentAddress;
            } Destination;
        } Fill;
        struct {
            HANDLE hAllocation;
            DXGK_DISCARDCONTENTFLAGS Flags;
            UINT SegmentId;
            PHYSICAL_ADDRESS SegmentAddress;
        } DiscardContent;
        struct {
            UINT SegmentId;
            PHYSICAL_ADDRESS PhysicalAddress;
        } ReadPhysical;
        struct {
            UINT SegmentId;
            PHYSICAL_ADDRESS PhysicalAddress;
        } WritePhysical;
        struct {
            HANDLE hDevice;
            HANDLE hAllocation;
            UINT SegmentId;
            SIZE_T OffsetInPages;
            SIZE_T NumberOfPages;
            PMDL pMdl;
            DXGK_MAPAPERTUREFLAGS Flags;
            ULONG MdlOffset;
        } MapApertureSegment;
        struct {
            HANDLE hDevice;
            HANDLE hAllocation;
            UINT SegmentId;
            SIZE_T OffsetInPages;
            SIZE_T NumberOfPages;
            PHYSICAL_ADDRESS DummyPage;
        } UnmapApertureSegment;
        struct {
            HANDLE hAllocation;
            UINT TransferOffset;
            SIZE_T TransferSize;
            struct {
                UINT SegmentId;
                union {
                    LARGE_INTEGER SegmentAddress;
                    MDL *pMdl;
                };
            } Source;
            struct {
                UINT SegmentId;
                union {
                    LARGE_INTEGER SegmentAddress;
                    MDL *pMdl;
                };
            } Destination;
            DXGK_TRANSFERFLAGS Flags;
            UINT SwizzlingRangeId;
            UINT SwizzlingRangeData;
        } SpecialLockTransfer;
        struct {
            UINT Reserved[64];
        } Reserved;
    };
    HANDLE hSystemContext;
} DXGKARG_BUILDPAGINGBUFFER;

/* ns-d3dkmddi-_dxgkarg_closeallocation */
typedef struct _DXGKARG_CLOSEALLOCATION {
    UINT NumAllocations;
    const HANDLE *pOpenHandleList;
} DXGKARG_CLOSEALLOCATION;

/* ns-d3dkmddi-_dxgkarg_collectdbginfo_ext */
typedef struct _DXGKARG_COLLECTDBGINFO_EXT {
    UINT BucketingKey;
    UINT CurrentDmaBufferOffset;
    UINT Reserved2;
    UINT Reserved3;
    UINT Reserved4;
    UINT Reserved5;
    UINT Reserved6;
    UINT Reserved7;
} DXGKARG_COLLECTDBGINFO_EXT;

/* ns-d3dkmddi-_dxgkarg_collectdbginfo */
typedef struct _DXGKARG_COLLECTDBGINFO {
    UINT Reason;
    VOID *pBuffer;
    SIZE_T BufferSize;
    DXGKARG_COLLECTDBGINFO_EXT *pExtension;
} DXGKARG_COLLECTDBGINFO;

/* ns-d3dkmddi-_dxgkarg_commitvidpn_flags */
typedef struct _DXGKARG_COMMITVIDPN_FLAGS {
    UINT PathPowerTransition : 1;
    UINT PathPoweredOff : 1;
    UINT Reserved : 30;
} DXGKARG_COMMITVIDPN_FLAGS;

/* ns-d3dkmddi-_dxgkarg_commitvidpn */
typedef struct _DXGKARG_COMMITVIDPN {
    D3DKMDT_HVIDPN hFunctionalVidPn;
    D3DDDI_VIDEO_PRESENT_SOURCE_ID AffectedVidPnSourceId;
    D3DKMDT_MONITOR_CONNECTIVITY_CHECKS MonitorConnectivityChecks;
    HANDLE hPrimaryAllocation;
    DXGKARG_COMMITVIDPN_FLAGS Flags;
} DXGKARG_COMMITVIDPN;

/* ns-d3dkmddi-_dxgk_allocationinfoflags */
typedef struct _DXGK_ALLOCATIONINFOFLAGS {
    union {
        struct {
            UINT CpuVisible : 1;
            UINT PermanentSysMem : 1;
            UINT Cached : 1;
            UINT Protected : 1;
            UINT ExistingSysMem : 1;
            UINT ExistingKernelSysMem : 1;
            UINT FromEndOfSegment : 1;
            UINT Swizzled : 1;
            UINT Overlay : 1;
            UINT Capture : 1;
            UINT UseAlternateVA : 1;
            UINT SynchronousPaging : 1;
            UINT LinkMirrored : 1;
            UINT LinkInstanced : 1;
            UINT HistoryBuffer : 1;
            UINT Reserved : 4;
            UINT DXGK_ALLOC_RESERVED16 : 1;
            UINT DXGK_ALLOC_RESERVED15 : 1;
            UINT DXGK_ALLOC_RESERVED14 : 1;
            UINT DXGK_ALLOC_RESERVED13 : 1;
            UINT DXGK_ALLOC_RESERVED12 : 1;
            UINT DXGK_ALLOC_RESERVED11 : 1;
            UINT DXGK_ALLOC_RESERVED10 : 1;
            UINT DXGK_ALLOC_RESERVED9 : 1;
            UINT DXGK_ALLOC_RESERVED4 : 1;
            UINT DXGK_ALLOC_RESERVED3 : 1;
            UINT DXGK_ALLOC_RESERVED2 : 1;
            UINT DXGK_ALLOC_RESERVED1 : 1;
            UINT DXGK_ALLOC_RESERVED0 : 1;
        };
        UINT Value;
    };
} DXGK_ALLOCATIONINFOFLAGS;

/* ns-d3dkmddi-_dxgk_allocationusageinfo1 */
typedef struct _DXGK_ALLOCATIONUSAGEINFO1 {
    union {
        struct {
            UINT PrivateFormat : 1;
            UINT Swizzled : 1;
            UINT MipMap : 1;
            UINT Cube : 1;
            UINT Volume : 1;
            UINT Vertex : 1;
            UINT Index : 1;
            UINT Reserved : 25;
        };
        UINT Value;
    } Flags;
    union {
        D3DDDIFORMAT Format;
        UINT PrivateFormat;
    };
    UINT SwizzledFormat;
    UINT ByteOffset;
    UINT Width;
    UINT Height;
    UINT Pitch;
    UINT Depth;
    UINT SlicePitch;
} DXGK_ALLOCATIONUSAGEINFO1;

/* ns-d3dkmddi-_dxgk_allocationusagehint */
typedef struct _DXGK_ALLOCATIONUSAGEHINT {
    UINT Version;
    DXGK_ALLOCATIONUSAGEINFO1 v1;
} DXGK_ALLOCATIONUSAGEHINT;

/* ns-d3dkmddi-_dxgk_segmentbankpreference */
typedef struct _DXGK_SEGMENTBANKPREFERENCE {
    union {
        struct {
            UINT Bank0 : 7;
            UINT Direction0 : 1;
            UINT Bank1 : 7;
            UINT Direction1 : 1;
            UINT Bank2 : 7;
            UINT Direction2 : 1;
            UINT Bank3 : 7;
            UINT Direction3 : 1;
        };
        UINT Value;
    };
} DXGK_SEGMENTBANKPREFERENCE;

/* ns-d3dkmddi-_dxgk_segmentpreference */
typedef struct _DXGK_SEGMENTPREFERENCE {
    union {
        struct {
            UINT SegmentId0 : 5;
            UINT Direction0 : 1;
            UINT SegmentId1 : 5;
            UINT Direction1 : 1;
            UINT SegmentId2 : 5;
            UINT Direction2 : 1;
            UINT SegmentId3 : 5;
            UINT Direction3 : 1;
            UINT SegmentId4 : 5;
            UINT Direction4 : 1;
            UINT Reserved : 2;
        };
        UINT Value;
    };
} DXGK_SEGMENTPREFERENCE;

/* ns-d3dkmddi-_dxgk_allocationinfo */
typedef struct _DXGK_ALLOCATIONINFO {
    VOID *pPrivateDriverData;
    UINT PrivateDriverDataSize;
    UINT Alignment;
    SIZE_T Size;
    SIZE_T PitchAlignedSize;
    DXGK_SEGMENTBANKPREFERENCE HintedBank;
    DXGK_SEGMENTPREFERENCE PreferredSegment;
    UINT SupportedReadSegmentSet;
    UINT SupportedWriteSegmentSet;
    UINT EvictionSegmentSet;
    union {
        UINT MaximumRenamingListLength;
        UINT PhysicalAdapterIndex;
    };
    HANDLE hAllocation;
    DXGK_ALLOCATIONINFOFLAGS Flags;
    DXGK_ALLOCATIONUSAGEHINT *pAllocationUsageHint;
    UINT AllocationPriority;
} DXGK_ALLOCATIONINFO;

/* ns-d3dkmddi-_dxgk_createallocationflags */
typedef struct _DXGK_CREATEALLOCATIONFLAGS {
    union {
        struct {
            UINT Resource : 1;
            UINT Reserved : 31;
        };
        UINT Value;
    };
} DXGK_CREATEALLOCATIONFLAGS;

/* ns-d3dkmddi-_dxgkarg_createallocation */
typedef struct _DXGKARG_CREATEALLOCATION {
    const VOID *pPrivateDriverData;
    UINT PrivateDriverDataSize;
    UINT NumAllocations;
    DXGK_ALLOCATIONINFO *pAllocationInfo;
    HANDLE hResource;
    DXGK_CREATEALLOCATIONFLAGS Flags;
} DXGKARG_CREATEALLOCATION;

/* ns-d3dkmddi-_dxgk_contextinfo */
typedef struct _DXGK_CONTEXTINFO {
    UINT DmaBufferSize;
    UINT DmaBufferSegmentSet;
    UINT DmaBufferPrivateDataSize;
    UINT AllocationListSize;
    UINT PatchLocationListSize;
    UINT Reserved;
} DXGK_CONTEXTINFO;

/* ns-d3dkmddi-_dxgk_createcontextflags */
typedef struct _DXGK_CREATECONTEXTFLAGS {
    union {
        struct {
            UINT SystemContext : 1;
            UINT GdiContext : 1;
            UINT VirtualAddressing : 1;
            UINT SystemProtectedContext : 1;
            UINT Reserved : 28;
        };
        UINT Value;
    };
} DXGK_CREATECONTEXTFLAGS;

/* ns-d3dkmddi-_dxgkarg_createcontext */
typedef struct _DXGKARG_CREATECONTEXT {
    HANDLE hContext;
    UINT NodeOrdinal;
    UINT EngineAffinity;
    DXGK_CREATECONTEXTFLAGS Flags;
    VOID *pPrivateDriverData;
    UINT PrivateDriverDataSize;
    DXGK_CONTEXTINFO ContextInfo;
} DXGKARG_CREATECONTEXT;

/* ns-d3dkmddi-_dxgk_createdeviceflags */
typedef struct _DXGK_CREATEDEVICEFLAGS {
    union {
        struct {
            UINT SystemDevice : 1;
            UINT GdiDevice : 1;
            UINT Reserved : 29;
            UINT DXGK_DEVICE_RESERVED0 : 1;
        };
        UINT Value;
    };
} DXGK_CREATEDEVICEFLAGS;

/* ns-d3dkmddi-_dxgk_deviceinfoflags */
typedef struct _DXGK_DEVICEINFOFLAGS {
    union {
        struct {
            UINT GuaranteedDmaBufferContract : 1;
            UINT Reserved : 31;
        };
        UINT Value;
    };
} DXGK_DEVICEINFOFLAGS;

/* ns-d3dkmddi-_dxgk_deviceinfo */
typedef struct _DXGK_DEVICEINFO {
    UINT DmaBufferSize;
    UINT DmaBufferSegmentSet;
    UINT DmaBufferPrivateDataSize;
    UINT AllocationListSize;
    UINT PatchLocationListSize;
    DXGK_DEVICEINFOFLAGS Flags;
} DXGK_DEVICEINFO;

/* ns-d3dkmddi-_dxgkarg_createdevice */
typedef struct _DXGKARG_CREATEDEVICE {
    HANDLE hDevice;
    union {
        DXGK_CREATEDEVICEFLAGS Flags;
        DXGK_DEVICEINFO *pInfo;
    };
} DXGKARG_CREATEDEVICE;

/* ns-d3dkmddi-_dxgk_overlayinfo */
typedef struct _DXGK_OVERLAYINFO {
    HANDLE hAllocation;
    PHYSICAL_ADDRESS PhysicalAddress;
    UINT SegmentId;
    RECT DstRect;
    RECT SrcRect;
    VOID *pPrivateDriverData;
    UINT PrivateDriverDataSize;
} DXGK_OVERLAYINFO;

/* ns-d3dkmddi-_dxgkarg_createoverlay */
typedef struct _DXGKARG_CREATEOVERLAY {
    D3DDDI_VIDEO_PRESENT_SOURCE_ID VidPnSourceId;
    DXGK_OVERLAYINFO OverlayInfo;
    HANDLE hOverlay;
} DXGKARG_CREATEOVERLAY;

/* ns-d3dkmddi-_dxgkarg_describeallocation */
typedef struct _DXGKARG_DESCRIBEALLOCATION {
    HANDLE hAllocation;
    UINT Width;
    UINT Height;
    D3DDDIFORMAT Format;
    D3DDDI_MULTISAMPLINGMETHOD MultisampleMethod;
    D3DDDI_RATIONAL RefreshRate;
    UINT PrivateDriverFormatAttribute;
} DXGKARG_DESCRIBEALLOCATION;

/* ns-d3dkmddi-_dxgk_destroyallocationflags */
typedef struct _DXGK_DESTROYALLOCATIONFLAGS {
    union {
        struct {
            UINT DestroyResource : 1;
            UINT Reserved : 31;
        };
        UINT Value;
    };
} DXGK_DESTROYALLOCATIONFLAGS;

/* ns-d3dkmddi-_dxgkarg_destroyallocation */
typedef struct _DXGKARG_DESTROYALLOCATION {
    UINT NumAllocations;
    const HANDLE *pAllocationList;
    HANDLE hResource;
    DXGK_DESTROYALLOCATIONFLAGS Flags;
} DXGKARG_DESTROYALLOCATION;

/* ns-d3dkmddi-_dxgk_enum_pivot */
typedef struct _DXGK_ENUM_PIVOT {
    D3DDDI_VIDEO_PRESENT_SOURCE_ID VidPnSourceId;
    D3DDDI_VIDEO_PRESENT_TARGET_ID VidPnTargetId;
} DXGK_ENUM_PIVOT;

/* ns-d3dkmddi-_dxgkarg_enumvidpncofuncmodality */
typedef struct _DXGKARG_ENUMVIDPNCOFUNCMODALITY {
    D3DKMDT_HVIDPN hConstrainingVidPn;
    D3DKMDT_ENUMCOFUNCMODALITY_PIVOT_TYPE EnumPivotType;
    DXGK_ENUM_PIVOT EnumPivot;
} DXGKARG_ENUMVIDPNCOFUNCMODALITY;

/* ns-d3dkmddi-_dxgkarg_escape */
typedef struct _DXGKARG_ESCAPE {
    HANDLE hDevice;
    D3DDDI_ESCAPEFLAGS Flags;
    VOID *pPrivateDriverData;
    UINT PrivateDriverDataSize;
    HANDLE hContext;
} DXGKARG_ESCAPE;

/* ns-d3dkmddi-_dxgkarg_flipoverlay */
typedef struct _DXGKARG_FLIPOVERLAY {
    HANDLE hSource;
    PHYSICAL_ADDRESS SrcPhysicalAddress;
    UINT SrcSegmentId;
    VOID *pPrivateDriverData;
    UINT PrivateDriverDataSize;
} DXGKARG_FLIPOVERLAY;

/* ns-d3dkmddi-_dxgkarg_getscanline */
typedef struct _DXGKARG_GETSCANLINE {
    D3DDDI_VIDEO_PRESENT_TARGET_ID VidPnTargetId;
    BOOLEAN InVerticalBlank;
    UINT ScanLine;
} DXGKARG_GETSCANLINE;

/* ns-d3dkmddi-_dxgkarg_getstandardallocationdriverdata */
typedef struct _DXGKARG_GETSTANDARDALLOCATIONDRIVERDATA {
    D3DKMDT_STANDARDALLOCATION_TYPE StandardAllocationType;
    union {
        D3DKMDT_SHAREDPRIMARYSURFACEDATA *pCreateSharedPrimarySurfaceData;
        D3DKMDT_SHADOWSURFACEDATA *pCreateShadowSurfaceData;
        D3DKMDT_STAGINGSURFACEDATA *pCreateStagingSurfaceData;
        D3DKMDT_GDISURFACEDATA *pCreateGdiSurfaceData;
    };
    VOID *pAllocationPrivateDriverData;
    UINT AllocationPrivateDriverDataSize;
    VOID *pResourcePrivateDriverData;
    UINT ResourcePrivateDriverDataSize;
} DXGKARG_GETSTANDARDALLOCATIONDRIVERDATA;

/* ns-d3dkmddi-_dxgkarg_issupportedvidpn */
typedef struct _DXGKARG_ISSUPPORTEDVIDPN {
    D3DKMDT_HVIDPN hDesiredVidPn;
    BOOLEAN IsVidPnSupported;
} DXGKARG_ISSUPPORTEDVIDPN;

/* ns-d3dkmddi-_dxgk_openallocationflags */
typedef struct _DXGK_OPENALLOCATIONFLAGS {
    union {
        struct {
            UINT Create : 1;
            UINT ReadOnly : 1;
            UINT Reserved : 30;
        };
        UINT Value;
    };
} DXGK_OPENALLOCATIONFLAGS;

/* ns-d3dkmddi-_dxgk_openallocationinfo */
typedef struct _DXGK_OPENALLOCATIONINFO {
    D3DKMT_HANDLE hAllocation;
    VOID *pPrivateDriverData;
    UINT PrivateDriverDataSize;
    HANDLE hDeviceSpecificAllocation;
} DXGK_OPENALLOCATIONINFO;

/* ns-d3dkmddi-_dxgkarg_openallocation */
typedef struct _DXGKARG_OPENALLOCATION {
    UINT NumAllocations;
    DXGK_OPENALLOCATIONINFO *pOpenAllocation;
    VOID *pPrivateDriverData;
    UINT PrivateDriverSize;
    DXGK_OPENALLOCATIONFLAGS Flags;
} DXGKARG_OPENALLOCATION;

/* ns-d3dkmddi-_dxgk_allocationlist */
typedef struct _DXGK_ALLOCATIONLIST {
    HANDLE hDeviceSpecificAllocation;
    struct {
        UINT WriteOperation : 1;
        UINT SegmentId : 5;
        UINT Reserved : 26;
    };
    PHYSICAL_ADDRESS PhysicalAddress;
} DXGK_ALLOCATIONLIST;

/* ns-d3dkmddi-_dxgk_patchflags */
typedef struct _DXGK_PATCHFLAGS {
    union {
        struct {
            UINT Paging : 1;
            UINT Present : 1;
            UINT RedirectedPresent : 1;
            UINT NullRendering : 1;
            UINT Reserved : 28;
        };
        UINT Value;
    };
} DXGK_PATCHFLAGS;

/* ns-d3dkmddi-_dxgkarg_patch */
typedef struct _DXGKARG_PATCH {
    union {
        HANDLE hDevice;
        HANDLE hContext;
    };
    UINT DmaBufferSegmentId;
    PHYSICAL_ADDRESS DmaBufferPhysicalAddress;
    VOID *pDmaBuffer;
    UINT DmaBufferSize;
    UINT DmaBufferSubmissionStartOffset;
    UINT DmaBufferSubmissionEndOffset;
    VOID *pDmaBufferPrivateData;
    UINT DmaBufferPrivateDataSize;
    UINT DmaBufferPrivateDataSubmissionStartOffset;
    UINT DmaBufferPrivateDataSubmissionEndOffset;
    const DXGK_ALLOCATIONLIST *pAllocationList;
    UINT AllocationListSize;
    const D3DDDI_PATCHLOCATIONLIST *pPatchLocationList;
    UINT PatchLocationListSize;
    UINT PatchLocationListSubmissionStart;
    UINT PatchLocationListSubmissionLength;
    UINT SubmissionFenceId;
    DXGK_PATCHFLAGS Flags;
    UINT EngineOrdinal;
} DXGKARG_PATCH;

/* ns-d3dkmddi-_dxgk_preemptcommandflags */
typedef struct _DXGK_PREEMPTCOMMANDFLAGS {
    union {
        struct {
            UINT Reserved : 32;
        };
        UINT Value;
    };
} DXGK_PREEMPTCOMMANDFLAGS;

/* ns-d3dkmddi-_dxgkarg_preemptcommand */
typedef struct _DXGKARG_PREEMPTCOMMAND {
    UINT PreemptionFenceId;
    UINT NodeOrdinal;
    UINT EngineOrdinal;
    DXGK_PREEMPTCOMMANDFLAGS Flags;
} DXGKARG_PREEMPTCOMMAND;

/* ns-d3dkmddi-_dxgk_presentallocationinfo, with the 32-bit SegmentId of the Windows 7 kit */
typedef struct _DXGK_PRESENTALLOCATIONINFO {
    HANDLE hDeviceSpecificAllocation;
    D3DGPU_VIRTUAL_ADDRESS AllocationVirtualAddress;
    PHYSICAL_ADDRESS PhysicalAddress;
    UINT SegmentId;
} DXGK_PRESENTALLOCATIONINFO;

/* ns-d3dkmddi-_dxgk_presentflags */
typedef struct _DXGK_PRESENTFLAGS {
    union {
        struct {
            UINT Blt : 1;
            UINT ColorFill : 1;
            UINT Flip : 1;
            UINT FlipWithNoWait : 1;
            UINT SrcColorKey : 1;
            UINT DstColorKey : 1;
            UINT LinearToSrgb : 1;
            UINT Rotate : 1;
            UINT Reserved : 24;
        };
        UINT Value;
    };
} DXGK_PRESENTFLAGS;

/* ns-d3dkmddi-_dxgkarg_present */
typedef struct _DXGKARG_PRESENT {
    VOID *pDmaBuffer;
    UINT DmaSize;
    VOID *pDmaBufferPrivateData;
    UINT DmaBufferPrivateDataSize;
    union {
        DXGK_ALLOCATIONLIST *pAllocationList;
        DXGK_PRESENTALLOCATIONINFO *pAllocationInfo;
    };
    D3DDDI_PATCHLOCATIONLIST *pPatchLocationListOut;
    UINT PatchLocationListOutSize;
    UINT MultipassOffset;
    UINT Color;
    RECT DstRect;
    RECT SrcRect;
    UINT SubRectCnt;
    const RECT *pDstSubRects;
    D3DDDI_FLIPINTERVAL_TYPE FlipInterval;
    DXGK_PRESENTFLAGS Flags;
    UINT DmaBufferSegmentId;
    PHYSICAL_ADDRESS DmaBufferPhysicalAddress;
} DXGKARG_PRESENT;

/* ns-d3dkmddi-_dxgkarg_queryadapterinfo */
typedef struct _DXGKARG_QUERYADAPTERINFO {
    DXGK_QUERYADAPTERINFOTYPE Type;
    VOID *pInputData;
    UINT InputDataSize;
    VOID *pOutputData;
    UINT OutputDataSize;
} DXGKARG_QUERYADAPTERINFO;

/* ns-d3dkmddi-_dxgkarg_querycurrentfence */
typedef struct _DXGKARG_QUERYCURRENTFENCE {
    UINT CurrentFence;
    UINT NodeOrdinal;
    UINT EngineOrdinal;
} DXGKARG_QUERYCURRENTFENCE;

/* ns-d3dkmddi-_dxgkarg_queryvidpnhwcapability */
typedef struct _DXGKARG_QUERYVIDPNHWCAPABILITY {
    D3DKMDT_HVIDPN hFunctionalVidPn;
    D3DDDI_VIDEO_PRESENT_SOURCE_ID SourceId;
    D3DDDI_VIDEO_PRESENT_TARGET_ID TargetId;
    D3DKMDT_VIDPN_HW_CAPABILITY VidPnHWCaps;
} DXGKARG_QUERYVIDPNHWCAPABILITY;

/* ns-d3dkmddi-_dxgkarg_recommendfunctionalvidpn */
typedef struct _DXGKARG_RECOMMENDFUNCTIONALVIDPN {
    UINT NumberOfVidPnTargets;
    const D3DDDI_VIDEO_PRESENT_TARGET_ID *pVidPnTargetPrioritizationVector;
    D3DKMDT_HVIDPN hRecommendedFunctionalVidPn;
    DXGK_RECOMMENDFUNCTIONALVIDPN_REASON RequestReason;
    VOID *pPrivateDriverData;
    UINT PrivateDriverDataSize;
} DXGKARG_RECOMMENDFUNCTIONALVIDPN;

/* nc-d3dkmddi-dxgkddi_monitorsourcemodeset_acquirefirstmodeinfo; PASSIVE_LEVEL */
typedef NTSTATUS (APIENTRY *DXGKDDI_MONITORSOURCEMODESET_ACQUIREFIRSTMODEINFO)(
    _In_ const D3DKMDT_HMONITORSOURCEMODESET hMonitorSourceModeSet,
    _Out_ const D3DKMDT_MONITOR_SOURCE_MODE **ppFirstMonitorSourceModeInfo);

/* nc-d3dkmddi-dxgkddi_monitorsourcemodeset_acquirenextmodeinfo; PASSIVE_LEVEL */
typedef NTSTATUS (APIENTRY *DXGKDDI_MONITORSOURCEMODESET_ACQUIRENEXTMODEINFO)(
    _In_ const D3DKMDT_HMONITORSOURCEMODESET hMonitorSourceModeSet,
    _In_ const D3DKMDT_MONITOR_SOURCE_MODE *pMonitorSourceModeInfo,
    _Out_ const D3DKMDT_MONITOR_SOURCE_MODE **ppNextMonitorSourceModeInfo);

/* nc-d3dkmddi-dxgkddi_monitorsourcemodeset_acquirepreferredmodeinfo; PASSIVE_LEVEL */
typedef NTSTATUS (APIENTRY *DXGKDDI_MONITORSOURCEMODESET_ACQUIREPREFERREDMODEINFO)(
    _In_ const D3DKMDT_HMONITORSOURCEMODESET hMonitorSourceModeSet,
    _Out_ const D3DKMDT_MONITOR_SOURCE_MODE **ppFirstMonitorSourceModeInfo);

/* nc-d3dkmddi-dxgkddi_monitorsourcemodeset_addmode; PASSIVE_LEVEL */
typedef NTSTATUS (APIENTRY *DXGKDDI_MONITORSOURCEMODESET_ADDMODE)(
    _In_ const D3DKMDT_HMONITORSOURCEMODESET hMonitorSourceModeSet,
    _In_ const D3DKMDT_MONITOR_SOURCE_MODE *pMonitorSourceModeInfo);

/* nc-d3dkmddi-dxgkddi_monitorsourcemodeset_createnewmodeinfo; PASSIVE_LEVEL */
typedef NTSTATUS (APIENTRY *DXGKDDI_MONITORSOURCEMODESET_CREATENEWMODEINFO)(
    _In_ const D3DKMDT_HMONITORSOURCEMODESET hMonitorSourceModeSet,
    _Out_ D3DKMDT_MONITOR_SOURCE_MODE **ppNewMonitorSourceModeInfo);

/* nc-d3dkmddi-dxgkddi_monitorsourcemodeset_getnummodes; PASSIVE_LEVEL */
typedef NTSTATUS (APIENTRY *DXGKDDI_MONITORSOURCEMODESET_GETNUMMODES)(
    _In_ const D3DKMDT_HMONITORSOURCEMODESET hMonitorSourceModeSet,
    _Out_ const SIZE_T *pNumMonitorSourceModes);

/* nc-d3dkmddi-dxgkddi_monitorsourcemodeset_releasemodeinfo; PASSIVE_LEVEL */
typedef NTSTATUS (APIENTRY *DXGKDDI_MONITORSOURCEMODESET_RELEASEMODEINFO)(
    _In_ const D3DKMDT_HMONITORSOURCEMODESET hMonitorSourceModeSet,
    _In_ const D3DKMDT_MONITOR_SOURCE_MODE *pMonitorSourceModeInfo);

/* ns-d3dkmddi-_dxgk_monitorsourcemodeset_interface */
typedef struct _DXGK_MONITORSOURCEMODESET_INTERFACE {
    DXGKDDI_MONITORSOURCEMODESET_GETNUMMODES pfnGetNumModes;
    DXGKDDI_MONITORSOURCEMODESET_ACQUIREPREFERREDMODEINFO pfnAcquirePreferredModeInfo;
    DXGKDDI_MONITORSOURCEMODESET_ACQUIREFIRSTMODEINFO pfnAcquireFirstModeInfo;
    DXGKDDI_MONITORSOURCEMODESET_ACQUIRENEXTMODEINFO pfnAcquireNextModeInfo;
    DXGKDDI_MONITORSOURCEMODESET_CREATENEWMODEINFO pfnCreateNewModeInfo;
    DXGKDDI_MONITORSOURCEMODESET_ADDMODE pfnAddMode;
    DXGKDDI_MONITORSOURCEMODESET_RELEASEMODEINFO pfnReleaseModeInfo;
} DXGK_MONITORSOURCEMODESET_INTERFACE;

/* ns-d3dkmddi-_dxgkarg_recommendmonitormodes */
typedef struct _DXGKARG_RECOMMENDMONITORMODES {
    D3DDDI_VIDEO_PRESENT_TARGET_ID VideoPresentTargetId;
    D3DKMDT_HMONITORSOURCEMODESET hMonitorSourceModeSet;
    const DXGK_MONITORSOURCEMODESET_INTERFACE *pMonitorSourceModeSetInterface;
} DXGKARG_RECOMMENDMONITORMODES;

/* ns-d3dkmddi-_dxgkarg_recommendvidpntopology */
typedef struct _DXGKARG_RECOMMENDVIDPNTOPOLOGY {
    D3DKMDT_HVIDPN hVidPn;
    D3DDDI_VIDEO_PRESENT_SOURCE_ID VidPnSourceId;
    DXGK_RECOMMENDVIDPNTOPOLOGY_REASON RequestReason;
    D3DKMDT_HVIDPNTOPOLOGY hFallbackTopology;
} DXGKARG_RECOMMENDVIDPNTOPOLOGY;

/* ns-d3dkmddi-_dxgkarg_releaseswizzlingrange */
typedef struct _DXGKARG_RELEASESWIZZLINGRANGE {
    HANDLE hAllocation;
    UINT PrivateDriverData;
    UINT RangeId;
} DXGKARG_RELEASESWIZZLINGRANGE;

/* ns-d3dkmddi-_dxgkarg_render */
typedef struct _DXGKARG_RENDER {
    const VOID *pCommand;
    UINT CommandLength;
    VOID *pDmaBuffer;
    UINT DmaSize;
    VOID *pDmaBufferPrivateData;
    UINT DmaBufferPrivateDataSize;
    DXGK_ALLOCATIONLIST *pAllocationList;
    UINT AllocationListSize;
    D3DDDI_PATCHLOCATIONLIST *pPatchLocationListIn;
    UINT PatchLocationListInSize;
    D3DDDI_PATCHLOCATIONLIST *pPatchLocationListOut;
    UINT PatchLocationListOutSize;
    UINT MultipassOffset;
    UINT DmaBufferSegmentId;
    PHYSICAL_ADDRESS DmaBufferPhysicalAddress;
} DXGKARG_RENDER;

/* ns-d3dkmddi-_dxgkarg_setdisplayprivatedriverformat */
typedef struct _DXGKARG_SETDISPLAYPRIVATEDRIVERFORMAT {
    D3DDDI_VIDEO_PRESENT_SOURCE_ID VidPnSourceId;
    HANDLE PrimaryAllocation;
    UINT PrivateDriverFormatAttribute;
} DXGKARG_SETDISPLAYPRIVATEDRIVERFORMAT;

/* ns-d3dkmddi-_dxgk_setpointerpositionflags */
typedef struct _DXGK_SETPOINTERPOSITIONFLAGS {
    union {
        struct {
            UINT Visible : 1;
            UINT Procedural : 1;
            UINT Reserved : 30;
        };
        UINT Value;
    };
} DXGK_SETPOINTERPOSITIONFLAGS;

/* ns-d3dkmddi-_dxgkarg_setpointerposition */
typedef struct _DXGKARG_SETPOINTERPOSITION {
    D3DDDI_VIDEO_PRESENT_SOURCE_ID VidPnSourceId;
    INT X;
    INT Y;
    DXGK_SETPOINTERPOSITIONFLAGS Flags;
} DXGKARG_SETPOINTERPOSITION;

/* ns-d3dkmddi-_dxgk_pointerflags */
typedef struct _DXGK_POINTERFLAGS {
    union {
        struct {
            UINT Monochrome : 1;
            UINT Color : 1;
            UINT MaskedColor : 1;
            UINT Reserved : 29;
        };
        UINT Value;
    };
} DXGK_POINTERFLAGS;

/* ns-d3dkmddi-_dxgkarg_setpointershape */
typedef struct _DXGKARG_SETPOINTERSHAPE {
    DXGK_POINTERFLAGS Flags;
    UINT Width;
    UINT Height;
    UINT Pitch;
    D3DDDI_VIDEO_PRESENT_SOURCE_ID VidPnSourceId;
    const VOID *pPixels;
    UINT XHot;
    UINT YHot;
} DXGKARG_SETPOINTERSHAPE;

/* ns-d3dkmddi-_dxgk_setvidpnsourceaddress_flags */
typedef struct _DXGK_SETVIDPNSOURCEADDRESS_FLAGS {
    union {
        struct {
            UINT ModeChange : 1;
            UINT FlipImmediate : 1;
            UINT FlipOnNextVSync : 1;
            UINT FlipStereo : 1;
            UINT FlipStereoTemporaryMono : 1;
            UINT FlipStereoPreferRight : 1;
            UINT SharedPrimaryTransition : 1;
            UINT IndependentFlipExclusive : 1;
            UINT MoveFlip : 1;
            UINT Reserved : 23;
        };
        UINT Value;
    };
} DXGK_SETVIDPNSOURCEADDRESS_FLAGS;

/* ns-d3dkmddi-_dxgkarg_setvidpnsourceaddress */
typedef struct _DXGKARG_SETVIDPNSOURCEADDRESS {
    D3DDDI_VIDEO_PRESENT_SOURCE_ID VidPnSourceId;
    UINT PrimarySegment;
    PHYSICAL_ADDRESS PrimaryAddress;
    HANDLE hAllocation;
    UINT ContextCount;
    HANDLE Context[1+D3DDDI_MAX_BROADCAST_CONTEXT];
    DXGK_SETVIDPNSOURCEADDRESS_FLAGS Flags;
} DXGKARG_SETVIDPNSOURCEADDRESS;

/* ns-d3dkmddi-_dxgkarg_setvidpnsourcevisibility */
typedef struct _DXGKARG_SETVIDPNSOURCEVISIBILITY {
    D3DDDI_VIDEO_PRESENT_SOURCE_ID VidPnSourceId;
    BOOLEAN Visible;
} DXGKARG_SETVIDPNSOURCEVISIBILITY;

/* ns-d3dkmddi-_dxgkarg_stopcapture */
typedef struct _DXGKARG_STOPCAPTURE {
    HANDLE hAllocation;
} DXGKARG_STOPCAPTURE;

/* ns-d3dkmddi-_dxgk_submitcommandflags */
typedef struct _DXGK_SUBMITCOMMANDFLAGS {
    union {
        struct {
            UINT Paging : 1;
            UINT Present : 1;
            UINT RedirectedPresent : 1;
            UINT NullRendering : 1;
            UINT Flip : 1;
            UINT FlipWithNoWait : 1;
            UINT Reserved : 26;
        };
        UINT Value;
    };
} DXGK_SUBMITCOMMANDFLAGS;

/* ns-d3dkmddi-_dxgkarg_submitcommand */
typedef struct _DXGKARG_SUBMITCOMMAND {
    union {
        HANDLE hDevice;
        HANDLE hContext;
    };
    UINT DmaBufferSegmentId;
    PHYSICAL_ADDRESS DmaBufferPhysicalAddress;
    UINT DmaBufferSize;
    UINT DmaBufferSubmissionStartOffset;
    UINT DmaBufferSubmissionEndOffset;
    VOID *pDmaBufferPrivateData;
    UINT DmaBufferPrivateDataSize;
    UINT DmaBufferPrivateDataSubmissionStartOffset;
    UINT DmaBufferPrivateDataSubmissionEndOffset;
    UINT SubmissionFenceId;
    D3DDDI_VIDEO_PRESENT_SOURCE_ID VidPnSourceId;
    D3DDDI_FLIPINTERVAL_TYPE FlipInterval;
    DXGK_SUBMITCOMMANDFLAGS Flags;
    UINT EngineOrdinal;
    D3DGPU_VIRTUAL_ADDRESS DmaBufferVirtualAddress;
} DXGKARG_SUBMITCOMMAND;

/* ns-d3dkmddi-_dxgkarg_updateactivevidpnpresentpath */
typedef struct _DXGKARG_UPDATEACTIVEVIDPNPRESENTPATH {
    D3DKMDT_VIDPN_PRESENT_PATH VidPnPresentPathInfo;
} DXGKARG_UPDATEACTIVEVIDPNPRESENTPATH;

/* ns-d3dkmddi-_dxgkarg_updateoverlay */
typedef struct _DXGKARG_UPDATEOVERLAY {
    DXGK_OVERLAYINFO OverlayInfo;
} DXGKARG_UPDATEOVERLAY;

/* ns-d3dkmddi-_dxgk_flipcaps */
typedef struct _DXGK_FLIPCAPS {
    union {
        struct {
            UINT FlipOnVSyncWithNoWait : 1;
            UINT FlipOnVSyncMmIo : 1;
            UINT FlipInterval : 1;
            UINT FlipImmediateMmIo : 1;
            UINT Reserved : 28;
        };
        UINT Value;
    };
} DXGK_FLIPCAPS;

/* ns-d3dkmddi-_dxgk_gammarampcaps */
typedef struct _DXGK_GAMMARAMPCAPS {
    union {
        struct {
            UINT Gamma_Rgb256x3x16 : 1;
            UINT Reserved : 31;
        };
        UINT Value;
    };
} DXGK_GAMMARAMPCAPS;

/* ns-d3dkmddi-_dxgk_gpuenginetopology */
typedef struct _DXGK_GPUENGINETOPOLOGY {
    UINT NbAsymetricProcessingNodes;
    UINT Reserved[DXGK_MAX_ASYMETRICAL_PROCESSING_NODES];
} DXGK_GPUENGINETOPOLOGY;

/* ns-d3dkmddi-_dxgk_presentationcaps */
typedef struct _DXGK_PRESENTATIONCAPS {
    union {
        struct {
            UINT NoScreenToScreenBlt : 1;
            UINT NoOverlapScreenBlt : 1;
            UINT SupportKernelModeCommandBuffer : 1;
            UINT NoSameBitmapAlphaBlend : 1;
            UINT NoSameBitmapStretchBlt : 1;
            UINT NoSameBitmapTransparentBlt : 1;
            UINT NoSameBitmapOverlappedAlphaBlend : 1;
            UINT NoSameBitmapOverlappedStretchBlt : 1;
            UINT DriverSupportsCddDwmInterop : 1;
            UINT Reserved0 : 1;
            UINT AlignmentShift : 4;
            UINT MaxTextureWidthShift : 3;
            UINT MaxTextureHeightShift : 3;
            UINT SupportAllBltRops : 1;
            UINT SupportMirrorStretchBlt : 1;
            UINT SupportMonoStretchBltModes : 1;
            UINT StagingRectStartPitchAligned : 1;
            UINT NoSameBitmapBitBlt : 1;
            UINT NoSameBitmapOverlappedBitBlt : 1;
            UINT Reserved1 : 1;
            UINT NoTempSurfaceForClearTypeBlend : 1;
            UINT Reserved : 4;
        };
        UINT Value;
    };
} DXGK_PRESENTATIONCAPS;

/* ns-d3dkmddi-_dxgk_vidmmcaps */
typedef struct _DXGK_VIDMMCAPS {
    union {
        struct {
            UINT OutOfOrderLock : 1;
            UINT DedicatedPagingEngine : 1;
            UINT PagingEngineCanSwizzle : 1;
            UINT SectionBackedPrimary : 1;
            UINT Reserved : 28;
        };
        UINT Value;
    };
    UINT PagingNode;
} DXGK_VIDMMCAPS;

/* ns-d3dkmddi-_dxgk_vidschcaps */
typedef struct _DXGK_VIDSCHCAPS {
    union {
        struct {
            UINT MultiEngineAware : 1;
            UINT VSyncPowerSaveAware : 1;
            UINT Reserved : 30;
        };
        UINT Value;
    };
} DXGK_VIDSCHCAPS;

/* ns-d3dkmddi-_dxgk_drivercaps */
typedef struct _DXGK_DRIVERCAPS {
    PHYSICAL_ADDRESS HighestAcceptableAddress;
    UINT MaxAllocationListSlotId;
    SIZE_T ApertureSegmentCommitLimit;
    UINT MaxPointerWidth;
    UINT MaxPointerHeight;
    DXGK_POINTERFLAGS PointerCaps;
    UINT InterruptMessageNumber;
    UINT NumberOfSwizzlingRanges;
    UINT MaxOverlays;
    DXGK_GAMMARAMPCAPS GammaRampCaps;
    DXGK_PRESENTATIONCAPS PresentationCaps;
    UINT MaxQueuedFlipOnVSync;
    DXGK_FLIPCAPS FlipCaps;
    DXGK_VIDSCHCAPS SchedulingCaps;
    DXGK_VIDMMCAPS MemoryManagementCaps;
    DXGK_GPUENGINETOPOLOGY GpuEngineTopology;
    DXGK_WDDMVERSION WDDMVersion;
    UINT Reserved[7];
    UINT Reserved1[40];
} DXGK_DRIVERCAPS;

/* ns-d3dkmddi-_dxgk_gdiarg_alphablend */
typedef struct _DXGK_GDIARG_ALPHABLEND {
    RECT SrcRect;
    RECT DstRect;
    UINT SrcAllocationIndex;
    UINT DstAllocationIndex;
    UINT NumSubRects;
    RECT *pSubRects;
    BYTE SourceConstantAlpha;
    BOOLEAN SourceHasAlpha;
    UINT SrcPitch;
} DXGK_GDIARG_ALPHABLEND;

/* ns-d3dkmddi-_dxgk_gdiarg_bitblt */
typedef struct _DXGK_GDIARG_BITBLT {
    RECT SrcRect;
    RECT DstRect;
    UINT SrcAllocationIndex;
    UINT DstAllocationIndex;
    UINT NumSubRects;
    RECT *pSubRects;
    WORD Rop;
    WORD Rop3;
    UINT SrcPitch;
    UINT DstPitch;
} DXGK_GDIARG_BITBLT;

/* ns-d3dkmddi-_dxgk_gdiarg_cleartypeblend */
typedef struct _DXGK_GDIARG_CLEARTYPEBLEND {
    RECT DstRect;
    UINT TmpSurfAllocationIndex;
    UINT GammaSurfAllocationIndex;
    UINT AlphaSurfAllocationIndex;
    UINT DstAllocationIndex;
    INT DstToAlphaOffsetX;
    INT DstToAlphaOffsetY;
    UINT Color;
    UINT Gamma;
    UINT NumSubRects;
    RECT *pSubRects;
    UINT AlphaSurfPitch;
    UINT Color2;
} DXGK_GDIARG_CLEARTYPEBLEND;

/* ns-d3dkmddi-_dxgk_gdiarg_colorfill */
typedef struct _DXGK_GDIARG_COLORFILL {
    RECT DstRect;
    UINT DstAllocationIndex;
    UINT NumSubRects;
    RECT *pSubRects;
    UINT Color;
    WORD Rop;
    WORD Rop3;
} DXGK_GDIARG_COLORFILL;

/* ns-d3dkmddi-_dxgk_gdiarg_stretchblt */
typedef struct _DXGK_GDIARG_STRETCHBLT {
    RECT SrcRect;
    RECT DstRect;
    UINT DstAllocationIndex;
    UINT SrcAllocationIndex;
    UINT NumSubRects;
    RECT *pSubRects;
    union {
        struct {
            UINT Mode : 16;
            UINT MirrorX : 1;
            UINT MirrorY : 1;
        };
        UINT Flags;
    };
    UINT SrcPitch;
} DXGK_GDIARG_STRETCHBLT;

/* ns-d3dkmddi-_dxgk_gdiarg_transparentblt */
typedef struct _DXGK_GDIARG_TRANSPARENTBLT {
    RECT SrcRect;
    RECT DstRect;
    UINT SrcAllocationIndex;
    UINT DstAllocationIndex;
    UINT Color;
    UINT NumSubRects;
    RECT *pSubRects;
    D3DKM_TRANSPARENTBLTFLAGS Flags;
    UINT SrcPitch;
} DXGK_GDIARG_TRANSPARENTBLT;

/* nc-d3dkmddi-dxgkcb_enumhandlechildren; < DISPATCH_LEVEL */
typedef D3DKMT_HANDLE (APIENTRY *DXGKCB_ENUMHANDLECHILDREN)(
    _In_ const DXGKARGCB_ENUMHANDLECHILDREN *pData);

/* nc-d3dkmddi-dxgkcb_getcaptureaddress; < DISPATCH_LEVEL */
typedef NTSTATUS (APIENTRY *DXGKCB_GETCAPTUREADDRESS)(
    _Inout_ DXGKARGCB_GETCAPTUREADDRESS *pData);

/* nc-d3dkmddi-dxgkcb_gethandledata; < DISPATCH_LEVEL */
typedef VOID* (APIENTRY *DXGKCB_GETHANDLEDATA)(
    _In_ const DXGKARGCB_GETHANDLEDATA *pData);

/* nc-d3dkmddi-dxgkcb_gethandleparent; < DISPATCH_LEVEL */
typedef D3DKMT_HANDLE (APIENTRY *DXGKCB_GETHANDLEPARENT)(
    _In_ D3DKMT_HANDLE hAllocation);

/* nc-d3dkmddi-dxgkcb_notify_dpc; DISPATCH_LEVEL */
typedef VOID (APIENTRY *DXGKCB_NOTIFY_DPC)(
    _In_ const HANDLE hAdapter);

/* nc-d3dkmddi-dxgkcb_notify_interrupt; IRQL: see its remarks */
typedef VOID (APIENTRY *DXGKCB_NOTIFY_INTERRUPT)(
    _In_ const HANDLE hAdapter,
    _Inout_ const DXGKARGCB_NOTIFY_INTERRUPT_DATA *pData);

/* nc-d3dkmddi-dxgkddi_vidpnsourcemodeset_acquirefirstmodeinfo; PASSIVE_LEVEL */
typedef NTSTATUS (APIENTRY *DXGKDDI_VIDPNSOURCEMODESET_ACQUIREFIRSTMODEINFO)(
    _In_ const D3DKMDT_HVIDPNSOURCEMODESET hVidPnSourceModeSet,
    _Out_ const D3DKMDT_VIDPN_SOURCE_MODE **ppFirstVidPnSourceModeInfo);

/* nc-d3dkmddi-dxgkddi_vidpnsourcemodeset_acquirenextmodeinfo; PASSIVE_LEVEL */
typedef NTSTATUS (APIENTRY *DXGKDDI_VIDPNSOURCEMODESET_ACQUIRENEXTMODEINFO)(
    _In_ const D3DKMDT_HVIDPNSOURCEMODESET hVidPnSourceModeSet,
    _In_ const D3DKMDT_VIDPN_SOURCE_MODE *pVidPnSourceModeInfo,
    _Out_ const D3DKMDT_VIDPN_SOURCE_MODE **ppNextVidPnSourceModeInfo);

/* nc-d3dkmddi-dxgkddi_vidpnsourcemodeset_acquirepinnedmodeinfo; PASSIVE_LEVEL */
typedef NTSTATUS (APIENTRY *DXGKDDI_VIDPNSOURCEMODESET_ACQUIREPINNEDMODEINFO)(
    _In_ const D3DKMDT_HVIDPNSOURCEMODESET hVidPnSourceModeSet,
    _Out_ const D3DKMDT_VIDPN_SOURCE_MODE **ppPinnedVidPnSourceModeInfo);

/* nc-d3dkmddi-dxgkddi_vidpnsourcemodeset_addmode; PASSIVE_LEVEL */
typedef NTSTATUS (APIENTRY *DXGKDDI_VIDPNSOURCEMODESET_ADDMODE)(
    _In_ D3DKMDT_HVIDPNSOURCEMODESET hVidPnSourceModeSet,
    _In_ D3DKMDT_VIDPN_SOURCE_MODE const *pVidPnSourceModeInfo);

/* nc-d3dkmddi-dxgkddi_vidpnsourcemodeset_createnewmodeinfo; PASSIVE_LEVEL */
typedef NTSTATUS (APIENTRY *DXGKDDI_VIDPNSOURCEMODESET_CREATENEWMODEINFO)(
    _In_ const D3DKMDT_HVIDPNSOURCEMODESET hVidPnSourceModeSet,
    _Out_ D3DKMDT_VIDPN_SOURCE_MODE **ppNewVidPnSourceModeInfo);

/* nc-d3dkmddi-dxgkddi_vidpnsourcemodeset_getnummodes; PASSIVE_LEVEL */
typedef NTSTATUS (APIENTRY *DXGKDDI_VIDPNSOURCEMODESET_GETNUMMODES)(
    _In_ const D3DKMDT_HVIDPNSOURCEMODESET hVidPnSourceModeSet,
    _Out_ SIZE_T const *pNumSourceModes);

/* nc-d3dkmddi-dxgkddi_vidpnsourcemodeset_pinmode; PASSIVE_LEVEL */
typedef NTSTATUS (APIENTRY *DXGKDDI_VIDPNSOURCEMODESET_PINMODE)(
    _In_ D3DKMDT_HVIDPNSOURCEMODESET hVidPnSourceModeSet,
    _In_ const D3DKMDT_VIDEO_PRESENT_SOURCE_MODE_ID VidPnSourceModeId);

/* nc-d3dkmddi-dxgkddi_vidpnsourcemodeset_releasemodeinfo; PASSIVE_LEVEL */
typedef NTSTATUS (APIENTRY *DXGKDDI_VIDPNSOURCEMODESET_RELEASEMODEINFO)(
    _In_ const D3DKMDT_HVIDPNSOURCEMODESET hVidPnSourceModeSet,
    _In_ const D3DKMDT_VIDPN_SOURCE_MODE *pVidPnSourceModeInfo);

/* ns-d3dkmddi-_dxgk_vidpnsourcemodeset_interface */
typedef struct _DXGK_VIDPNSOURCEMODESET_INTERFACE {
    DXGKDDI_VIDPNSOURCEMODESET_GETNUMMODES pfnGetNumModes;
    DXGKDDI_VIDPNSOURCEMODESET_ACQUIREFIRSTMODEINFO pfnAcquireFirstModeInfo;
    DXGKDDI_VIDPNSOURCEMODESET_ACQUIRENEXTMODEINFO pfnAcquireNextModeInfo;
    DXGKDDI_VIDPNSOURCEMODESET_ACQUIREPINNEDMODEINFO pfnAcquirePinnedModeInfo;
    DXGKDDI_VIDPNSOURCEMODESET_RELEASEMODEINFO pfnReleaseModeInfo;
    DXGKDDI_VIDPNSOURCEMODESET_CREATENEWMODEINFO pfnCreateNewModeInfo;
    DXGKDDI_VIDPNSOURCEMODESET_ADDMODE pfnAddMode;
    DXGKDDI_VIDPNSOURCEMODESET_PINMODE pfnPinMode;
} DXGK_VIDPNSOURCEMODESET_INTERFACE;

/* nc-d3dkmddi-dxgkddi_vidpn_acquiresourcemodeset; PASSIVE_LEVEL */
typedef NTSTATUS (APIENTRY *DXGKDDI_VIDPN_ACQUIRESOURCEMODESET)(
    _In_ const D3DKMDT_HVIDPN hVidPn,
    _In_ const D3DDDI_VIDEO_PRESENT_SOURCE_ID VidPnSourceId,
    _Out_ D3DKMDT_HVIDPNSOURCEMODESET *phVidPnSourceModeSet,
    _Out_ const DXGK_VIDPNSOURCEMODESET_INTERFACE **ppVidPnSourceModeSetInterface);

/* nc-d3dkmddi-dxgkddi_vidpntargetmodeset_acquirefirstmodeinfo; PASSIVE_LEVEL */
typedef NTSTATUS (APIENTRY *DXGKDDI_VIDPNTARGETMODESET_ACQUIREFIRSTMODEINFO)(
    _In_ const D3DKMDT_HVIDPNTARGETMODESET hVidPnTargetModeSet,
    _Out_ const D3DKMDT_VIDPN_TARGET_MODE **ppFirstVidPnTargetModeInfo);

/* nc-d3dkmddi-dxgkddi_vidpntargetmodeset_acquirenextmodeinfo; PASSIVE_LEVEL */
typedef NTSTATUS (APIENTRY *DXGKDDI_VIDPNTARGETMODESET_ACQUIRENEXTMODEINFO)(
    _In_ const D3DKMDT_HVIDPNTARGETMODESET hVidPnTargetModeSet,
    _In_ const D3DKMDT_VIDPN_TARGET_MODE *pVidPnTargetModeInfo,
    _Out_ const D3DKMDT_VIDPN_TARGET_MODE **ppNextVidPnTargetModeInfo);

/* nc-d3dkmddi-dxgkddi_vidpntargetmodeset_acquirepinnedmodeinfo; PASSIVE_LEVEL */
typedef NTSTATUS (APIENTRY *DXGKDDI_VIDPNTARGETMODESET_ACQUIREPINNEDMODEINFO)(
    _In_ const D3DKMDT_HVIDPNTARGETMODESET hVidPnTargetModeSet,
    _Out_ const D3DKMDT_VIDPN_TARGET_MODE **ppPinnedVidPnTargetModeInfo);

/* nc-d3dkmddi-dxgkddi_vidpntargetmodeset_addmode; PASSIVE_LEVEL */
typedef NTSTATUS (APIENTRY *DXGKDDI_VIDPNTARGETMODESET_ADDMODE)(
    _In_ D3DKMDT_HVIDPNTARGETMODESET hVidPnTargetModeSet,
    _In_ D3DKMDT_VIDPN_TARGET_MODE const *pVidPnTargetModeInfo);

/* nc-d3dkmddi-dxgkddi_vidpntargetmodeset_createnewmodeinfo; PASSIVE_LEVEL */
typedef NTSTATUS (APIENTRY *DXGKDDI_VIDPNTARGETMODESET_CREATENEWMODEINFO)(
    _In_ const D3DKMDT_HVIDPNTARGETMODESET hVidPnTargetModeSet,
    _Out_ D3DKMDT_VIDPN_TARGET_MODE **ppNewVidPnTargetModeInfo);

/* nc-d3dkmddi-dxgkddi_vidpntargetmodeset_getnummodes; PASSIVE_LEVEL */
typedef NTSTATUS (APIENTRY *DXGKDDI_VIDPNTARGETMODESET_GETNUMMODES)(
    _In_ const D3DKMDT_HVIDPNTARGETMODESET hVidPnTargetModeSet,
    _Out_ SIZE_T const *pNumTargetModes);

/* nc-d3dkmddi-dxgkddi_vidpntargetmodeset_pinmode; PASSIVE_LEVEL */
typedef NTSTATUS (APIENTRY *DXGKDDI_VIDPNTARGETMODESET_PINMODE)(
    _In_ D3DKMDT_HVIDPNSOURCEMODESET hVidPnTargetModeSet,
    _In_ const D3DKMDT_VIDEO_PRESENT_TARGET_MODE_ID VidPnTargetModeId);

/* nc-d3dkmddi-dxgkddi_vidpntargetmodeset_releasemodeinfo; PASSIVE_LEVEL */
typedef NTSTATUS (APIENTRY *DXGKDDI_VIDPNTARGETMODESET_RELEASEMODEINFO)(
    _In_ const D3DKMDT_HVIDPNTARGETMODESET hVidPnTargetModeSet,
    _In_ const D3DKMDT_VIDPN_TARGET_MODE *pVidPnTargetModeInfo);

/* ns-d3dkmddi-_dxgk_vidpntargetmodeset_interface */
typedef struct _DXGK_VIDPNTARGETMODESET_INTERFACE {
    DXGKDDI_VIDPNTARGETMODESET_GETNUMMODES pfnGetNumModes;
    DXGKDDI_VIDPNTARGETMODESET_ACQUIREFIRSTMODEINFO pfnAcquireFirstModeInfo;
    DXGKDDI_VIDPNTARGETMODESET_ACQUIRENEXTMODEINFO pfnAcquireNextModeInfo;
    DXGKDDI_VIDPNTARGETMODESET_ACQUIREPINNEDMODEINFO pfnAcquirePinnedModeInfo;
    DXGKDDI_VIDPNTARGETMODESET_RELEASEMODEINFO pfnReleaseModeInfo;
    DXGKDDI_VIDPNTARGETMODESET_CREATENEWMODEINFO pfnCreateNewModeInfo;
    DXGKDDI_VIDPNTARGETMODESET_ADDMODE pfnAddMode;
    DXGKDDI_VIDPNTARGETMODESET_PINMODE pfnPinMode;
} DXGK_VIDPNTARGETMODESET_INTERFACE;

/* nc-d3dkmddi-dxgkddi_vidpn_acquiretargetmodeset; PASSIVE_LEVEL */
typedef NTSTATUS (APIENTRY *DXGKDDI_VIDPN_ACQUIRETARGETMODESET)(
    _In_ const D3DKMDT_HVIDPN hVidPN,
    _In_ const D3DDDI_VIDEO_PRESENT_TARGET_ID VidPnTargetId,
    _Out_ D3DKMDT_HVIDPNTARGETMODESET *phVidPnTargetModeSet,
    _Out_ const DXGK_VIDPNTARGETMODESET_INTERFACE **ppVidPnTargetModeSetInterface);

/* nc-d3dkmddi-dxgkddi_vidpn_assignmultisamplingmethodset; PASSIVE_LEVEL */
typedef NTSTATUS (APIENTRY *DXGKDDI_VIDPN_ASSIGNMULTISAMPLINGMETHODSET)(
    _In_ D3DKMDT_HVIDPN hVidPn,
    _In_ const D3DDDI_VIDEO_PRESENT_SOURCE_ID VidPnSourceId,
    _In_ const SIZE_T NumMethods,
    _In_ const D3DDDI_MULTISAMPLINGMETHOD *pSupportedMethodSet);

/* nc-d3dkmddi-dxgkddi_vidpn_assignsourcemodeset; PASSIVE_LEVEL */
typedef NTSTATUS (APIENTRY *DXGKDDI_VIDPN_ASSIGNSOURCEMODESET)(
    _In_ D3DKMDT_HVIDPN hVidPn,
    _In_ const D3DDDI_VIDEO_PRESENT_SOURCE_ID VidPnSourceId,
    _In_ const D3DKMDT_HVIDPNSOURCEMODESET hVidPnSourceModeSet);

/* nc-d3dkmddi-dxgkddi_vidpn_assigntargetmodeset; PASSIVE_LEVEL */
typedef NTSTATUS (APIENTRY *DXGKDDI_VIDPN_ASSIGNTARGETMODESET)(
    _In_ D3DKMDT_HVIDPN hVidPn,
    _In_ const D3DDDI_VIDEO_PRESENT_TARGET_ID VidPnTargetId,
    _In_ const D3DKMDT_HVIDPNTARGETMODESET hVidPnTargetModeSet);

/* nc-d3dkmddi-dxgkddi_vidpn_createnewsourcemodeset; PASSIVE_LEVEL */
typedef NTSTATUS (APIENTRY *DXGKDDI_VIDPN_CREATENEWSOURCEMODESET)(
    _In_ const D3DKMDT_HVIDPN hVidPn,
    _In_ const D3DDDI_VIDEO_PRESENT_SOURCE_ID VidPnSourceId,
    _Out_ D3DKMDT_HVIDPNSOURCEMODESET *phNewVidPnSourceModeSet,
    _Out_ const DXGK_VIDPNSOURCEMODESET_INTERFACE **ppVidPnSourceModeSetInterface);

/* nc-d3dkmddi-dxgkddi_vidpn_createnewtargetmodeset; PASSIVE_LEVEL */
typedef NTSTATUS (APIENTRY *DXGKDDI_VIDPN_CREATENEWTARGETMODESET)(
    _In_ const D3DKMDT_HVIDPN hVidPn,
    _In_ const D3DDDI_VIDEO_PRESENT_TARGET_ID VidPnTargetId,
    _Out_ D3DKMDT_HVIDPNTARGETMODESET *phNewVidPnTargetModeSet,
    _Out_ const DXGK_VIDPNTARGETMODESET_INTERFACE **ppVidPnTargetModeSetInterace);

/* nc-d3dkmddi-dxgkddi_vidpntopology_acquirefirstpathinfo; PASSIVE_LEVEL */
typedef NTSTATUS (APIENTRY *DXGKDDI_VIDPNTOPOLOGY_ACQUIREFIRSTPATHINFO)(
    _In_ const D3DKMDT_HVIDPNTOPOLOGY hVidPnTopology,
    _Out_ const D3DKMDT_VIDPN_PRESENT_PATH **ppFirstVidPnPresentPathInfo);

/* nc-d3dkmddi-dxgkddi_vidpntopology_acquirenextpathinfo; PASSIVE_LEVEL */
typedef NTSTATUS (APIENTRY *DXGKDDI_VIDPNTOPOLOGY_ACQUIRENEXTPATHINFO)(
    _In_ const D3DKMDT_HVIDPNTOPOLOGY hVidPnTopology,
    _In_ const D3DKMDT_VIDPN_PRESENT_PATH *pVidPnPresentPathInfo,
    _Out_ const D3DKMDT_VIDPN_PRESENT_PATH **ppNextVidPnPresentPathInfo);

/* nc-d3dkmddi-dxgkddi_vidpntopology_acquirepathinfo; PASSIVE_LEVEL */
typedef NTSTATUS (APIENTRY *DXGKDDI_VIDPNTOPOLOGY_ACQUIREPATHINFO)(
    _In_ const D3DKMDT_HVIDPNTOPOLOGY hVidPnTopology,
    _In_ const D3DDDI_VIDEO_PRESENT_SOURCE_ID VidPnSourceId,
    _In_ const D3DDDI_VIDEO_PRESENT_TARGET_ID VidPnTargetId,
    _Out_ const D3DKMDT_VIDPN_PRESENT_PATH **pVidPnPresentPathInfo);

/* nc-d3dkmddi-dxgkddi_vidpntopology_addpath; PASSIVE_LEVEL */
typedef NTSTATUS (APIENTRY *DXGKDDI_VIDPNTOPOLOGY_ADDPATH)(
    _In_ D3DKMDT_HVIDPNTOPOLOGY hVidPnTopology,
    _In_ D3DKMDT_VIDPN_PRESENT_PATH const *pVidPnPresentPath);

/* nc-d3dkmddi-dxgkddi_vidpntopology_createnewpathinfo; PASSIVE_LEVEL */
typedef NTSTATUS (APIENTRY *DXGKDDI_VIDPNTOPOLOGY_CREATENEWPATHINFO)(
    _In_ const D3DKMDT_HVIDPNTOPOLOGY hVidPnTopology,
    _Out_ D3DKMDT_VIDPN_PRESENT_PATH **ppNewVidPnPresentPathInfo);

/* nc-d3dkmddi-dxgkddi_vidpntopology_enumpathtargetsfromsource; PASSIVE_LEVEL */
typedef NTSTATUS (APIENTRY *DXGKDDI_VIDPNTOPOLOGY_ENUMPATHTARGETSFROMSOURCE)(
    _In_ const D3DKMDT_HVIDPNTOPOLOGY hVidPnTopology,
    _In_ const D3DDDI_VIDEO_PRESENT_SOURCE_ID VidPnSourceId,
    _In_ const D3DKMDT_VIDPN_PRESENT_PATH_INDEX VidPnPresentPathIndex,
    _Out_ D3DDDI_VIDEO_PRESENT_TARGET_ID *pVidPnTargetId);

/* nc-d3dkmddi-dxgkddi_vidpntopology_getnumpaths; PASSIVE_LEVEL */
typedef NTSTATUS (APIENTRY *DXGKDDI_VIDPNTOPOLOGY_GETNUMPATHS)(
    _In_ const D3DKMDT_HVIDPNTOPOLOGY hVidPnTopology,
    _Out_ SIZE_T *pNumPaths);

/* nc-d3dkmddi-dxgkddi_vidpntopology_getnumpathsfromsource; PASSIVE_LEVEL */
typedef NTSTATUS (APIENTRY *DXGKDDI_VIDPNTOPOLOGY_GETNUMPATHSFROMSOURCE)(
    _In_ const D3DKMDT_HVIDPNTOPOLOGY hVidPnTopology,
    _In_ const D3DDDI_VIDEO_PRESENT_SOURCE_ID VidPnSourceId,
    _Out_ SIZE_T *pNumPathsFromSource);

/* nc-d3dkmddi-dxgkddi_vidpntopology_getpathsourcefromtarget; PASSIVE_LEVEL */
typedef NTSTATUS (APIENTRY *DXGKDDI_VIDPNTOPOLOGY_GETPATHSOURCEFROMTARGET)(
    _In_ const D3DKMDT_HVIDPNTOPOLOGY hVidTopology,
    _In_ const D3DDDI_VIDEO_PRESENT_TARGET_ID VidPnTargetId,
    _Out_ D3DDDI_VIDEO_PRESENT_SOURCE_ID *pVidPnSourceId);

/* nc-d3dkmddi-dxgkddi_vidpntopology_releasepathinfo; PASSIVE_LEVEL */
typedef NTSTATUS (APIENTRY *DXGKDDI_VIDPNTOPOLOGY_RELEASEPATHINFO)(
    _In_ const D3DKMDT_HVIDPNTOPOLOGY hVidPnTopology,
    _In_ const D3DKMDT_VIDPN_PRESENT_PATH *pVidPnPresentPathInfo);

/* nc-d3dkmddi-dxgkddi_vidpntopology_removepath; PASSIVE_LEVEL */
typedef NTSTATUS (APIENTRY *DXGKDDI_VIDPNTOPOLOGY_REMOVEPATH)(
    _In_ const D3DKMDT_HVIDPNTOPOLOGY hVidPnTopology,
    _In_ const D3DDDI_VIDEO_PRESENT_SOURCE_ID VidPnSourceId,
    _In_ const D3DDDI_VIDEO_PRESENT_TARGET_ID VidPnTargetId);

/* nc-d3dkmddi-dxgkddi_vidpntopology_updatepathsupportinfo; PASSIVE_LEVEL */
typedef NTSTATUS (APIENTRY *DXGKDDI_VIDPNTOPOLOGY_UPDATEPATHSUPPORTINFO)(
    _In_ const D3DKMDT_HVIDPNTOPOLOGY i_hVidPnTopology,
    _In_ const D3DKMDT_VIDPN_PRESENT_PATH *i_pVidPnPresentPathInfo);

/* ns-d3dkmddi-_dxgk_vidpntopology_interface */
typedef struct _DXGK_VIDPNTOPOLOGY_INTERFACE {
    DXGKDDI_VIDPNTOPOLOGY_GETNUMPATHS pfnGetNumPaths;
    DXGKDDI_VIDPNTOPOLOGY_GETNUMPATHSFROMSOURCE pfnGetNumPathsFromSource;
    DXGKDDI_VIDPNTOPOLOGY_ENUMPATHTARGETSFROMSOURCE pfnEnumPathTargetsFromSource;
    DXGKDDI_VIDPNTOPOLOGY_GETPATHSOURCEFROMTARGET pfnGetPathSourceFromTarget;
    DXGKDDI_VIDPNTOPOLOGY_ACQUIREPATHINFO pfnAcquirePathInfo;
    DXGKDDI_VIDPNTOPOLOGY_ACQUIREFIRSTPATHINFO pfnAcquireFirstPathInfo;
    DXGKDDI_VIDPNTOPOLOGY_ACQUIRENEXTPATHINFO pfnAcquireNextPathInfo;
    DXGKDDI_VIDPNTOPOLOGY_UPDATEPATHSUPPORTINFO pfnUpdatePathSupportInfo;
    DXGKDDI_VIDPNTOPOLOGY_RELEASEPATHINFO pfnReleasePathInfo;
    DXGKDDI_VIDPNTOPOLOGY_CREATENEWPATHINFO pfnCreateNewPathInfo;
    DXGKDDI_VIDPNTOPOLOGY_ADDPATH pfnAddPath;
    DXGKDDI_VIDPNTOPOLOGY_REMOVEPATH pfnRemovePath;
} DXGK_VIDPNTOPOLOGY_INTERFACE;

/* nc-d3dkmddi-dxgkddi_vidpn_gettopology; PASSIVE_LEVEL */
typedef NTSTATUS (APIENTRY *DXGKDDI_VIDPN_GETTOPOLOGY)(
    _In_ const D3DKMDT_HVIDPN hVidPn,
    _Out_ D3DKMDT_HVIDPNTOPOLOGY *phVidPnTopology,
    _Out_ const DXGK_VIDPNTOPOLOGY_INTERFACE **ppVidPnTopologyInterface);

/* nc-d3dkmddi-dxgkddi_vidpn_releasesourcemodeset; PASSIVE_LEVEL */
typedef NTSTATUS (APIENTRY *DXGKDDI_VIDPN_RELEASESOURCEMODESET)(
    _In_ const D3DKMDT_HVIDPN hVidPn,
    _In_ const D3DKMDT_HVIDPNSOURCEMODESET hVidPnSourceModeSet);

/* nc-d3dkmddi-dxgkddi_vidpn_releasetargetmodeset; PASSIVE_LEVEL */
typedef NTSTATUS (APIENTRY *DXGKDDI_VIDPN_RELEASETARGETMODESET)(
    _In_ const D3DKMDT_HVIDPN hVidPn,
    _In_ const D3DKMDT_HVIDPNTARGETMODESET hVidPnTargetModeSet);

/* ns-d3dkmddi-_dxgk_vidpn_interface */
typedef struct _DXGK_VIDPN_INTERFACE {
    DXGK_VIDPN_INTERFACE_VERSION Version;
    DXGKDDI_VIDPN_GETTOPOLOGY pfnGetTopology;
    DXGKDDI_VIDPN_ACQUIRESOURCEMODESET pfnAcquireSourceModeSet;
    DXGKDDI_VIDPN_RELEASESOURCEMODESET pfnReleaseSourceModeSet;
    DXGKDDI_VIDPN_CREATENEWSOURCEMODESET pfnCreateNewSourceModeSet;
    DXGKDDI_VIDPN_ASSIGNSOURCEMODESET pfnAssignSourceModeSet;
    DXGKDDI_VIDPN_ASSIGNMULTISAMPLINGMETHODSET pfnAssignMultisamplingMethodSet;
    DXGKDDI_VIDPN_ACQUIRETARGETMODESET pfnAcquireTargetModeSet;
    DXGKDDI_VIDPN_RELEASETARGETMODESET pfnReleaseTargetModeSet;
    DXGKDDI_VIDPN_CREATENEWTARGETMODESET pfnCreateNewTargetModeSet;
    DXGKDDI_VIDPN_ASSIGNTARGETMODESET pfnAssignTargetModeSet;
} DXGK_VIDPN_INTERFACE;

/* nc-d3dkmddi-dxgkcb_queryvidpninterface; <= APC_LEVEL */
typedef NTSTATUS (APIENTRY *DXGKCB_QUERYVIDPNINTERFACE)(
    _In_ const D3DKMDT_HVIDPN hVidPn,
    _In_ const DXGK_VIDPN_INTERFACE_VERSION VidPnInterfaceVersion,
    _Out_ const DXGK_VIDPN_INTERFACE **ppVidPnInterface);

/* ns-d3dkmddi-_dxgk_interfacespecificdata */
typedef struct _DXGK_INTERFACESPECIFICDATA {
    HANDLE hAdapter;
    DXGKCB_GETHANDLEDATA *pfnGetHandleDataCb;
    DXGKCB_GETHANDLEPARENT *pfnGetHandleParentCb;
    DXGKCB_ENUMHANDLECHILDREN *pfnEnumHandleChildrenCb;
    DXGKCB_NOTIFY_INTERRUPT *pfnNotifyInterruptCb;
    DXGKCB_NOTIFY_DPC *pfnNotifyDpcCb;
    DXGKCB_QUERYVIDPNINTERFACE *pfnQueryVidPnInterfaceCb;
    DXGKCB_GETCAPTUREADDRESS *pfnGetCaptureAddressCb;
} DXGK_INTERFACESPECIFICDATA;

/* nc-d3dkmddi-dxgkddi_monitordescriptorset_acquirefirstdescriptorinfo; PASSIVE_LEVEL */
typedef NTSTATUS (APIENTRY *DXGKDDI_MONITORDESCRIPTORSET_ACQUIREFIRSTDESCRIPTORINFO)(
    _In_ const D3DKMDT_HMONITORDESCRIPTORSET hMonitorDescriptorSet,
    _Out_ const D3DKMDT_MONITOR_DESCRIPTOR **ppFirstMonitorDescriptorInfo);

/* nc-d3dkmddi-dxgkddi_monitordescriptorset_acquirenextdescriptorinfo; PASSIVE_LEVEL */
typedef NTSTATUS (APIENTRY *DXGKDDI_MONITORDESCRIPTORSET_ACQUIRENEXTDESCRIPTORINFO)(
    _In_ const D3DKMDT_HMONITORDESCRIPTORSET hMonitorDescriptorSet,
    _In_ const D3DKMDT_MONITOR_DESCRIPTOR *pMonitorDescriptorInfo,
    _Out_ const D3DKMDT_MONITOR_DESCRIPTOR **ppNextMonitorDescriptorInfo);

/* nc-d3dkmddi-dxgkddi_monitordescriptorset_getnumdescriptors; PASSIVE_LEVEL */
typedef NTSTATUS (APIENTRY *DXGKDDI_MONITORDESCRIPTORSET_GETNUMDESCRIPTORS)(
    _In_ const D3DKMDT_HMONITORDESCRIPTORSET hMonitorDescriptorSet,
    _Out_ SIZE_T const *pNumMonitorDescriptors);

/* nc-d3dkmddi-dxgkddi_monitordescriptorset_releasedescriptorinfo; PASSIVE_LEVEL */
typedef NTSTATUS (APIENTRY *DXGKDDI_MONITORDESCRIPTORSET_RELEASEDESCRIPTORINFO)(
    _In_ const D3DKMDT_HMONITORDESCRIPTORSET hMonitorDescriptorSet,
    _In_ const D3DKMDT_MONITOR_DESCRIPTOR *pMonitorDescriptorInfo);

/* ns-d3dkmddi-_dxgk_monitordescriptorset_interface */
typedef struct _DXGK_MONITORDESCRIPTORSET_INTERFACE {
    DXGKDDI_MONITORDESCRIPTORSET_GETNUMDESCRIPTORS pfnGetNumDescriptors;
    DXGKDDI_MONITORDESCRIPTORSET_ACQUIREFIRSTDESCRIPTORINFO pfnAcquireFirstDescriptorInfo;
    DXGKDDI_MONITORDESCRIPTORSET_ACQUIRENEXTDESCRIPTORINFO pfnAcquireNextDescriptorInfo;
    DXGKDDI_MONITORDESCRIPTORSET_RELEASEDESCRIPTORINFO pfnReleaseDescriptorInfo;
} DXGK_MONITORDESCRIPTORSET_INTERFACE;

/* nc-d3dkmddi-dxgkddi_monitorfrequencyrangeset_acquirefirstfrequencyrangeinfo; PASSIVE_LEVEL */
typedef NTSTATUS (APIENTRY *DXGKDDI_MONITORFREQUENCYRANGESET_ACQUIREFIRSTFREQUENCYRANGEINFO)(
    _In_ const D3DKMDT_HMONITORFREQUENCYRANGESET hMonitorFrequencyRangeSet,
    _Out_ const D3DKMDT_MONITOR_FREQUENCY_RANGE **ppFirstMonitorFrequencyRangeInfo);

/* nc-d3dkmddi-dxgkddi_monitorfrequencyrangeset_acquirenextfrequencyrangeinfo; PASSIVE_LEVEL */
typedef NTSTATUS (APIENTRY *DXGKDDI_MONITORFREQUENCYRANGESET_ACQUIRENEXTFREQUENCYRANGEINFO)(
    _In_ const D3DKMDT_HMONITORFREQUENCYRANGESET hMonitorFrequencyRangeSet,
    _In_ const D3DKMDT_MONITOR_FREQUENCY_RANGE *const pMonitorFrequencyRangeInfo,
    _Out_ const D3DKMDT_MONITOR_FREQUENCY_RANGE **ppNextMonitorFrequencyRangeInfo);

/* nc-d3dkmddi-dxgkddi_monitorfrequencyrangeset_getnumfrequencyranges; PASSIVE_LEVEL */
typedef NTSTATUS (APIENTRY *DXGKDDI_MONITORFREQUENCYRANGESET_GETNUMFREQUENCYRANGES)(
    _In_ const D3DKMDT_HMONITORFREQUENCYRANGESET hMonitorFrequencyRangeSet,
    _Out_ SIZE_T const *pNumMonitorFrequencyRanges);

/* nc-d3dkmddi-dxgkddi_monitorfrequencyrangeset_releasefrequencyrangeinfo; PASSIVE_LEVEL */
typedef NTSTATUS (APIENTRY *DXGKDDI_MONITORFREQUENCYRANGESET_RELEASEFREQUENCYRANGEINFO)(
    _In_ const D3DKMDT_HMONITORFREQUENCYRANGESET hMonitorFrequencyRangeSet,
    _In_ const D3DKMDT_MONITOR_FREQUENCY_RANGE *pMonitorFrequencyRangeInfo);

/* ns-d3dkmddi-_dxgk_monitorfrequencyrangeset_interface */
typedef struct _DXGK_MONITORFREQUENCYRANGESET_INTERFACE {
    DXGKDDI_MONITORFREQUENCYRANGESET_GETNUMFREQUENCYRANGES pfnGetNumFrequencyRanges;
    DXGKDDI_MONITORFREQUENCYRANGESET_ACQUIREFIRSTFREQUENCYRANGEINFO pfnAcquireFirstFrequencyRangeInfo;
    DXGKDDI_MONITORFREQUENCYRANGESET_ACQUIRENEXTFREQUENCYRANGEINFO pfnAcquireNextFrequencyRangeInfo;
    DXGKDDI_MONITORFREQUENCYRANGESET_RELEASEFREQUENCYRANGEINFO pfnReleaseFrequencyRangeInfo;
} DXGK_MONITORFREQUENCYRANGESET_INTERFACE;

/* nc-d3dkmddi-dxgkddi_monitor_acquiremonitorsourcemodeset; PASSIVE_LEVEL */
typedef NTSTATUS (APIENTRY *DXGKDDI_MONITOR_ACQUIREMONITORSOURCEMODESET)(
    _In_ const D3DKMDT_ADAPTER hAdapter,
    _In_ const D3DDDI_VIDEO_PRESENT_TARGET_ID VideoPresentTargetId,
    _Out_ D3DKMDT_HMONITORSOURCEMODESET *phMonitorSourceModeSet,
    _Out_ const DXGK_MONITORSOURCEMODESET_INTERFACE **ppMonitorSourceModeSetInterface);

/* nc-d3dkmddi-dxgkddi_monitor_getmonitordescriptorset; PASSIVE_LEVEL */
typedef NTSTATUS (APIENTRY *DXGKDDI_MONITOR_GETMONITORDESCRIPTORSET)(
    _In_ const D3DKMDT_ADAPTER hAdapter,
    _In_ const D3DDDI_VIDEO_PRESENT_TARGET_ID VideoPresentTargetId,
    _Out_ D3DKMDT_HMONITORDESCRIPTORSET *phMonitorDescriptorSet,
    _Out_ const DXGK_MONITORDESCRIPTORSET_INTERFACE **ppMonitorDescriptorSetInterface);

/* nc-d3dkmddi-dxgkddi_monitor_getmonitorfrequencyrangeset; PASSIVE_LEVEL */
typedef NTSTATUS (APIENTRY *DXGKDDI_MONITOR_GETMONITORFREQUENCYRANGESET)(
    _In_ const D3DKMDT_ADAPTER hAdapter,
    _In_ const D3DDDI_VIDEO_PRESENT_TARGET_ID VideoPresentTargetId,
    _Out_ D3DKMDT_HMONITORFREQUENCYRANGESET *phMonitorFrequencyRangeSet,
    _Out_ const DXGK_MONITORFREQUENCYRANGESET_INTERFACE **ppMonitorFrequencyRangeSetInterface);

/* nc-d3dkmddi-dxgkddi_monitor_releasemonitorsourcemodeset; PASSIVE_LEVEL */
typedef NTSTATUS (APIENTRY *DXGKDDI_MONITOR_RELEASEMONITORSOURCEMODESET)(
    _In_ const D3DKMDT_ADAPTER hAdapter,
    _In_ const D3DKMDT_HMONITORSOURCEMODESET hMonitorSourceModeSet);

/* ns-d3dkmddi-_dxgk_monitor_interface */
typedef struct _DXGK_MONITOR_INTERFACE {
    DXGK_MONITOR_INTERFACE_VERSION Version;
    DXGKDDI_MONITOR_ACQUIREMONITORSOURCEMODESET pfnAcquireMonitorSourceModeSet;
    DXGKDDI_MONITOR_RELEASEMONITORSOURCEMODESET pfnReleaseMonitorSourceModeSet;
    DXGKDDI_MONITOR_GETMONITORFREQUENCYRANGESET pfnGetMonitorFrequencyRangeSet;
    DXGKDDI_MONITOR_GETMONITORDESCRIPTORSET pfnGetMonitorDescriptorSet;
} DXGK_MONITOR_INTERFACE;

/* nc-d3dkmddi-dxgkddi_monitor_getadditionalmonitormodeset; PASSIVE_LEVEL */
typedef NTSTATUS (APIENTRY *DXGKDDI_MONITOR_GETADDITIONALMONITORMODESET)(
    _In_ const D3DKMDT_ADAPTER hAdapter,
    _In_ const D3DDDI_VIDEO_PRESENT_TARGET_ID VideoPresentTargetId,
    _Out_ UINT *pNumberModes,
    _Out_ DXGK_TARGETMODE_DETAIL_TIMING **ppAdditionalModesSet);

/* nc-d3dkmddi-dxgkddi_monitor_releaseadditionalmonitormodeset; PASSIVE_LEVEL */
typedef NTSTATUS (APIENTRY *DXGKDDI_MONITOR_RELEASEADDITIONALMONITORMODESET)(
    _In_ const D3DKMDT_ADAPTER hAdapter,
    _In_ const D3DDDI_VIDEO_PRESENT_TARGET_ID VideoPresentTargetId,
    _In_ const DXGK_TARGETMODE_DETAIL_TIMING *pAdditionalModesSet);

/* ns-d3dkmddi-_dxgk_monitor_interface_v2 */
typedef struct _DXGK_MONITOR_INTERFACE_V2 {
    DXGK_MONITOR_INTERFACE_VERSION Version;
    DXGKDDI_MONITOR_ACQUIREMONITORSOURCEMODESET pfnAcquireMonitorSourceModeSet;
    DXGKDDI_MONITOR_RELEASEMONITORSOURCEMODESET pfnReleaseMonitorSourceModeSet;
    DXGKDDI_MONITOR_GETMONITORFREQUENCYRANGESET pfnGetMonitorFrequencyRangeSet;
    DXGKDDI_MONITOR_GETMONITORDESCRIPTORSET pfnGetMonitorDescriptorSet;
    DXGKDDI_MONITOR_GETADDITIONALMONITORMODESET pfnGetAdditionalMonitorModeSet;
    DXGKDDI_MONITOR_RELEASEADDITIONALMONITORMODESET pfnReleaseAdditionalMonitorModeSet;
} DXGK_MONITOR_INTERFACE_V2;

/* ns-d3dkmddi-_dxgk_pte, in the form of the Windows 7 kit */
typedef struct _DXGK_PTE {
    union {
        struct {
            ULONGLONG Valid : 1;
            ULONGLONG CacheCoherent : 1;
            ULONGLONG ReadOnly : 1;
            ULONGLONG Privileged : 1;
            ULONGLONG Segment : 5;
            ULONGLONG Reserved : 3;
            ULONGLONG PageAddress : 52;
        };
        ULONGLONG Value;
    };
} DXGK_PTE;

/* ns-d3dkmddi-_dxgk_segmentflags */
typedef struct _DXGK_SEGMENTFLAGS {
    union {
        struct {
            UINT Aperture : 1;
            UINT Agp : 1;
            UINT CpuVisible : 1;
            UINT UseBanking : 1;
            UINT CacheCoherent : 1;
            UINT PitchAlignment : 1;
            UINT PopulatedFromSystemMemory : 1;
            UINT PreservedDuringStandby : 1;
            UINT PreservedDuringHibernate : 1;
            UINT PartiallyPreservedDuringHibernate : 1;
            UINT Reserved : 22;
        };
        UINT Value;
    };
} DXGK_SEGMENTFLAGS;

/* ns-d3dkmddi-_dxgk_querysegmentin */
typedef struct _DXGK_QUERYSEGMENTIN {
    PHYSICAL_ADDRESS AgpApertureBase;
    LARGE_INTEGER AgpApertureSize;
    DXGK_SEGMENTFLAGS AgpFlags;
} DXGK_QUERYSEGMENTIN;

/* ns-d3dkmddi-_dxgk_segmentdescriptor */
typedef struct _DXGK_SEGMENTDESCRIPTOR {
    PHYSICAL_ADDRESS BaseAddress;
    PHYSICAL_ADDRESS CpuTranslatedAddress;
    SIZE_T Size;
    UINT NbOfBanks;
    SIZE_T *pBankRangeTable;
    SIZE_T CommitLimit;
    DXGK_SEGMENTFLAGS Flags;
} DXGK_SEGMENTDESCRIPTOR;

/* ns-d3dkmddi-_dxgk_querysegmentout */
typedef struct _DXGK_QUERYSEGMENTOUT {
    UINT NbSegment;
    DXGK_SEGMENTDESCRIPTOR *pSegmentDescriptor;
    UINT PagingBufferSegmentId;
    UINT PagingBufferSize;
    UINT PagingBufferPrivateDataSize;
} DXGK_QUERYSEGMENTOUT;

/* ns-d3dkmddi-_dxgk_renderkm_command */
typedef struct _DXGK_RENDERKM_COMMAND {
    DXGK_RENDERKM_OPERATION OpCode;
    UINT CommandSize;
    union {
        DXGK_GDIARG_BITBLT BitBlt;
        DXGK_GDIARG_COLORFILL ColorFill;
        DXGK_GDIARG_ALPHABLEND AlphaBlend;
        DXGK_GDIARG_STRETCHBLT StretchBlt;
        DXGK_GDIARG_TRANSPARENTBLT TransparentBlt;
        DXGK_GDIARG_CLEARTYPEBLEND ClearTypeBlend;
    } Command;
} DXGK_RENDERKM_COMMAND;

/* nc-d3dkmddi-dxgkcb_querymonitorinterface; <= APC_LEVEL */
typedef NTSTATUS (APIENTRY *DXGKCB_QUERYMONITORINTERFACE)(
    _In_ const HANDLE hAdapter,
    _In_ const DXGK_MONITOR_INTERFACE_VERSION MonitorInterfaceVersion,
    _Out_ const DXGK_MONITOR_INTERFACE **ppMonitorInterface);

/* nc-d3dkmddi-dxgkddi_acquireswizzlingrange; PASSIVE_LEVEL */
typedef NTSTATUS APIENTRY DXGKDDI_ACQUIRESWIZZLINGRANGE(
    _In_ const HANDLE hAdapter,
    _Inout_ DXGKARG_ACQUIRESWIZZLINGRANGE *pAcquireSwizzlingRange);
typedef DXGKDDI_ACQUIRESWIZZLINGRANGE *PDXGKDDI_ACQUIRESWIZZLINGRANGE;

/* nc-d3dkmddi-dxgkddi_buildpagingbuffer; PASSIVE_LEVEL */
typedef NTSTATUS APIENTRY DXGKDDI_BUILDPAGINGBUFFER(
    _In_ const HANDLE hAdapter,
    _In_ DXGKARG_BUILDPAGINGBUFFER *pBuildPagingBuffer);
typedef DXGKDDI_BUILDPAGINGBUFFER *PDXGKDDI_BUILDPAGINGBUFFER;

/* nc-d3dkmddi-dxgkddi_closeallocation; PASSIVE_LEVEL */
typedef NTSTATUS APIENTRY DXGKDDI_CLOSEALLOCATION(
    _In_ const HANDLE hDevice,
    _In_ const DXGKARG_CLOSEALLOCATION *pCloseAllocation);
typedef DXGKDDI_CLOSEALLOCATION *PDXGKDDI_CLOSEALLOCATION;

/* nc-d3dkmddi-dxgkddi_collectdbginfo; PASSIVE_LEVEL */
typedef NTSTATUS APIENTRY DXGKDDI_COLLECTDBGINFO(
    _In_ const HANDLE hAdapter,
    _In_ const DXGKARG_COLLECTDBGINFO *pCollectDbgInfo);
typedef DXGKDDI_COLLECTDBGINFO *PDXGKDDI_COLLECTDBGINFO;

/* nc-d3dkmddi-dxgkddi_commitvidpn; PASSIVE_LEVEL */
typedef NTSTATUS APIENTRY DXGKDDI_COMMITVIDPN(
    _In_ const HANDLE hAdapter,
    _In_ const DXGKARG_COMMITVIDPN *pCommitVidPnArg);
typedef DXGKDDI_COMMITVIDPN *PDXGKDDI_COMMITVIDPN;

/* nc-d3dkmddi-dxgkddi_controlinterrupt; PASSIVE_LEVEL */
typedef NTSTATUS APIENTRY DXGKDDI_CONTROLINTERRUPT(
    _In_ const HANDLE hAdapter,
    _In_ const DXGK_INTERRUPT_TYPE InterruptType,
    _In_ BOOLEAN Enable);
typedef DXGKDDI_CONTROLINTERRUPT *PDXGKDDI_CONTROLINTERRUPT;

/* nc-d3dkmddi-dxgkddi_createallocation; PASSIVE_LEVEL */
typedef NTSTATUS APIENTRY DXGKDDI_CREATEALLOCATION(
    _In_ const HANDLE hAdapter,
    _Inout_ DXGKARG_CREATEALLOCATION *pCreateAllocation);
typedef DXGKDDI_CREATEALLOCATION *PDXGKDDI_CREATEALLOCATION;

/* a slot of DRIVER_INITIALIZATION_DATA that WDDM 1.1 leaves empty */
typedef NTSTATUS APIENTRY DXGKDDI_CREATEALLOCATION2(
    _In_ const HANDLE hAdapter,
    _In_ VOID *pReserved);
typedef DXGKDDI_CREATEALLOCATION2 *PDXGKDDI_CREATEALLOCATION2;

/* nc-d3dkmddi-dxgkddi_createcontext; PASSIVE_LEVEL */
typedef NTSTATUS APIENTRY DXGKDDI_CREATECONTEXT(
    _In_ const HANDLE hDevice,
    _Inout_ DXGKARG_CREATECONTEXT *pCreateContext);
typedef DXGKDDI_CREATECONTEXT *PDXGKDDI_CREATECONTEXT;

/* nc-d3dkmddi-dxgkddi_createdevice; PASSIVE_LEVEL */
typedef NTSTATUS APIENTRY DXGKDDI_CREATEDEVICE(
    _In_ const HANDLE hAdapter,
    _Inout_ DXGKARG_CREATEDEVICE *pCreateDevice);
typedef DXGKDDI_CREATEDEVICE *PDXGKDDI_CREATEDEVICE;

/* nc-d3dkmddi-dxgkddi_createoverlay; PASSIVE_LEVEL */
typedef NTSTATUS APIENTRY DXGKDDI_CREATEOVERLAY(
    _In_ const HANDLE hAdapter,
    _Inout_ DXGKARG_CREATEOVERLAY *pCreateOverlay);
typedef DXGKDDI_CREATEOVERLAY *PDXGKDDI_CREATEOVERLAY;

/* nc-d3dkmddi-dxgkddi_describeallocation; PASSIVE_LEVEL */
typedef NTSTATUS APIENTRY DXGKDDI_DESCRIBEALLOCATION(
    _In_ const HANDLE hAdapter,
    _Inout_ DXGKARG_DESCRIBEALLOCATION *pDescribeAllocation);
typedef DXGKDDI_DESCRIBEALLOCATION *PDXGKDDI_DESCRIBEALLOCATION;

/* a slot of DRIVER_INITIALIZATION_DATA that WDDM 1.1 leaves empty */
typedef NTSTATUS APIENTRY DXGKDDI_DESCRIBEPAGETABLE(
    _In_ const HANDLE hAdapter,
    _In_ VOID *pReserved);
typedef DXGKDDI_DESCRIBEPAGETABLE *PDXGKDDI_DESCRIBEPAGETABLE;

/* nc-d3dkmddi-dxgkddi_destroyallocation; PASSIVE_LEVEL */
typedef NTSTATUS APIENTRY DXGKDDI_DESTROYALLOCATION(
    _In_ const HANDLE hAdapter,
    _In_ const DXGKARG_DESTROYALLOCATION *pDestroyAllocation);
typedef DXGKDDI_DESTROYALLOCATION *PDXGKDDI_DESTROYALLOCATION;

/* nc-d3dkmddi-dxgkddi_destroycontext; PASSIVE_LEVEL */
typedef NTSTATUS APIENTRY DXGKDDI_DESTROYCONTEXT(
    _In_ const HANDLE hContext);
typedef DXGKDDI_DESTROYCONTEXT *PDXGKDDI_DESTROYCONTEXT;

/* nc-d3dkmddi-dxgkddi_destroydevice; PASSIVE_LEVEL */
typedef NTSTATUS APIENTRY DXGKDDI_DESTROYDEVICE(
    _In_ const HANDLE hDevice);
typedef DXGKDDI_DESTROYDEVICE *PDXGKDDI_DESTROYDEVICE;

/* nc-d3dkmddi-dxgkddi_destroyoverlay; PASSIVE_LEVEL */
typedef NTSTATUS APIENTRY DXGKDDI_DESTROYOVERLAY(
    _In_ const HANDLE hOverlay);
typedef DXGKDDI_DESTROYOVERLAY *PDXGKDDI_DESTROYOVERLAY;

/* nc-d3dkmddi-dxgkddi_enumvidpncofuncmodality; PASSIVE_LEVEL */
typedef NTSTATUS APIENTRY DXGKDDI_ENUMVIDPNCOFUNCMODALITY(
    _In_ const HANDLE hAdapter,
    _In_ const DXGKARG_ENUMVIDPNCOFUNCMODALITY *pEnumCofuncModalityArg);
typedef DXGKDDI_ENUMVIDPNCOFUNCMODALITY *PDXGKDDI_ENUMVIDPNCOFUNCMODALITY;

/* nc-d3dkmddi-dxgkddi_escape; PASSIVE_LEVEL */
typedef NTSTATUS APIENTRY DXGKDDI_ESCAPE(
    _In_ const HANDLE hAdapter,
    _In_ const DXGKARG_ESCAPE *pEscape);
typedef DXGKDDI_ESCAPE *PDXGKDDI_ESCAPE;

/* nc-d3dkmddi-dxgkddi_flipoverlay; PASSIVE_LEVEL */
typedef NTSTATUS APIENTRY DXGKDDI_FLIPOVERLAY(
    _In_ const HANDLE hOverlay,
    _In_ const DXGKARG_FLIPOVERLAY *pFlipOverlay);
typedef DXGKDDI_FLIPOVERLAY *PDXGKDDI_FLIPOVERLAY;

/* nc-d3dkmddi-dxgkddi_getscanline; PASSIVE_LEVEL */
typedef NTSTATUS APIENTRY DXGKDDI_GETSCANLINE(
    _In_ const HANDLE hAdapter,
    _Inout_ DXGKARG_GETSCANLINE *pGetScanLine);
typedef DXGKDDI_GETSCANLINE *PDXGKDDI_GETSCANLINE;

/* nc-d3dkmddi-dxgkddi_getstandardallocationdriverdata; PASSIVE_LEVEL */
typedef NTSTATUS APIENTRY DXGKDDI_GETSTANDARDALLOCATIONDRIVERDATA(
    _In_ const HANDLE hAdapter,
    _Inout_ DXGKARG_GETSTANDARDALLOCATIONDRIVERDATA *pGetStandardAllocationDriverData);
typedef DXGKDDI_GETSTANDARDALLOCATIONDRIVERDATA *PDXGKDDI_GETSTANDARDALLOCATIONDRIVERDATA;

/* nc-d3dkmddi-dxgkddi_issupportedvidpn; PASSIVE_LEVEL */
typedef NTSTATUS APIENTRY DXGKDDI_ISSUPPORTEDVIDPN(
    _In_ const HANDLE hAdapter,
    _Inout_ DXGKARG_ISSUPPORTEDVIDPN *pIsSupportedVidPnArg);
typedef DXGKDDI_ISSUPPORTEDVIDPN *PDXGKDDI_ISSUPPORTEDVIDPN;

/* a slot of DRIVER_INITIALIZATION_DATA that WDDM 1.1 leaves empty */
typedef NTSTATUS APIENTRY DXGKDDI_MOVEPAGEDIRECTORY(
    _In_ const HANDLE hAdapter,
    _In_ VOID *pReserved);
typedef DXGKDDI_MOVEPAGEDIRECTORY *PDXGKDDI_MOVEPAGEDIRECTORY;

/* nc-d3dkmddi-dxgkddi_openallocationinfo; PASSIVE_LEVEL */
typedef NTSTATUS APIENTRY DXGKDDI_OPENALLOCATIONINFO(
    _In_ const HANDLE hDevice,
    _In_ const DXGKARG_OPENALLOCATION *pOpenAllocation);
typedef DXGKDDI_OPENALLOCATIONINFO *PDXGKDDI_OPENALLOCATIONINFO;

/* nc-d3dkmddi-dxgkddi_patch; PASSIVE_LEVEL */
typedef NTSTATUS APIENTRY DXGKDDI_PATCH(
    _In_ const HANDLE hAdapter,
    _In_ const DXGKARG_PATCH *pPatch);
typedef DXGKDDI_PATCH *PDXGKDDI_PATCH;

/* nc-d3dkmddi-dxgkddi_preemptcommand; DISPATCH_LEVEL */
typedef NTSTATUS APIENTRY DXGKDDI_PREEMPTCOMMAND(
    _In_ const HANDLE hAdapter,
    _In_ const DXGKARG_PREEMPTCOMMAND *pPreemptCommand);
typedef DXGKDDI_PREEMPTCOMMAND *PDXGKDDI_PREEMPTCOMMAND;

/* nc-d3dkmddi-dxgkddi_present; PASSIVE_LEVEL */
typedef NTSTATUS APIENTRY DXGKDDI_PRESENT(
    _In_ const HANDLE hContext,
    _Inout_ DXGKARG_PRESENT *pPresent);
typedef DXGKDDI_PRESENT *PDXGKDDI_PRESENT;

/* nc-d3dkmddi-dxgkddi_queryadapterinfo; PASSIVE_LEVEL */
typedef NTSTATUS APIENTRY DXGKDDI_QUERYADAPTERINFO(
    _In_ const HANDLE hAdapter,
    _In_ const DXGKARG_QUERYADAPTERINFO *pQueryAdapterInfo);
typedef DXGKDDI_QUERYADAPTERINFO *PDXGKDDI_QUERYADAPTERINFO;

/* nc-d3dkmddi-dxgkddi_querycurrentfence; PASSIVE_LEVEL */
typedef NTSTATUS APIENTRY DXGKDDI_QUERYCURRENTFENCE(
    const HANDLE hAdapter,
    DXGKARG_QUERYCURRENTFENCE *pCurrentFence);
typedef DXGKDDI_QUERYCURRENTFENCE *PDXGKDDI_QUERYCURRENTFENCE;

/* nc-d3dkmddi-dxgkddi_queryvidpnhwcapability; PASSIVE_LEVEL */
typedef NTSTATUS APIENTRY DXGKDDI_QUERYVIDPNHWCAPABILITY(
    _In_ const HANDLE i_hAdapter,
    _Inout_ DXGKARG_QUERYVIDPNHWCAPABILITY *io_pVidPnHWCaps);
typedef DXGKDDI_QUERYVIDPNHWCAPABILITY *PDXGKDDI_QUERYVIDPNHWCAPABILITY;

/* nc-d3dkmddi-dxgkddi_recommendfunctionalvidpn; PASSIVE_LEVEL */
typedef NTSTATUS APIENTRY DXGKDDI_RECOMMENDFUNCTIONALVIDPN(
    _In_ const HANDLE hAdapter,
    _In_ const DXGKARG_RECOMMENDFUNCTIONALVIDPN *pRecommendFunctionalVidPnArg);
typedef DXGKDDI_RECOMMENDFUNCTIONALVIDPN *PDXGKDDI_RECOMMENDFUNCTIONALVIDPN;

/* nc-d3dkmddi-dxgkddi_recommendmonitormodes; < DISPATCH_LEVEL */
typedef NTSTATUS APIENTRY DXGKDDI_RECOMMENDMONITORMODES(
    _In_ const HANDLE hAdapter,
    _In_ const DXGKARG_RECOMMENDMONITORMODES *pRecommendMonitorModesArg);
typedef DXGKDDI_RECOMMENDMONITORMODES *PDXGKDDI_RECOMMENDMONITORMODES;

/* nc-d3dkmddi-dxgkddi_recommendvidpntopology; PASSIVE_LEVEL */
typedef NTSTATUS APIENTRY DXGKDDI_RECOMMENDVIDPNTOPOLOGY(
    _In_ const HANDLE hAdapter,
    _In_ const DXGKARG_RECOMMENDVIDPNTOPOLOGY *pRecommendVidPnTopologyArg);
typedef DXGKDDI_RECOMMENDVIDPNTOPOLOGY *PDXGKDDI_RECOMMENDVIDPNTOPOLOGY;

/* nc-d3dkmddi-dxgkddi_releaseswizzlingrange; PASSIVE_LEVEL */
typedef NTSTATUS APIENTRY DXGKDDI_RELEASESWIZZLINGRANGE(
    _In_ const HANDLE hAdapter,
    _In_ const DXGKARG_RELEASESWIZZLINGRANGE *pReleaseSwizzlingRange);
typedef DXGKDDI_RELEASESWIZZLINGRANGE *PDXGKDDI_RELEASESWIZZLINGRANGE;

/* nc-d3dkmddi-dxgkddi_render; PASSIVE_LEVEL */
typedef NTSTATUS APIENTRY DXGKDDI_RENDER(
    _In_ const HANDLE hContext,
    _Inout_ DXGKARG_RENDER *pRender);
typedef DXGKDDI_RENDER *PDXGKDDI_RENDER;

/* nc-d3dkmddi-dxgkddi_renderkm; PASSIVE_LEVEL */
typedef NTSTATUS APIENTRY DXGKDDI_RENDERKM(
    _In_ const HANDLE hContext,
    _Inout_ DXGKARG_RENDER *pRenderKmArgs);
typedef DXGKDDI_RENDERKM *PDXGKDDI_RENDERKM;

/* nc-d3dkmddi-dxgkddi_resetfromtimeout; PASSIVE_LEVEL */
typedef NTSTATUS APIENTRY DXGKDDI_RESETFROMTIMEOUT(
    _In_ const HANDLE hAdapter);
typedef DXGKDDI_RESETFROMTIMEOUT *PDXGKDDI_RESETFROMTIMEOUT;

/* nc-d3dkmddi-dxgkddi_restartfromtimeout; PASSIVE_LEVEL */
typedef NTSTATUS APIENTRY DXGKDDI_RESTARTFROMTIMEOUT(
    _In_ const HANDLE hAdapter);
typedef DXGKDDI_RESTARTFROMTIMEOUT *PDXGKDDI_RESTARTFROMTIMEOUT;

/* nc-d3dkmddi-dxgkddi_setdisplayprivatedriverformat; PASSIVE_LEVEL */
typedef NTSTATUS APIENTRY DXGKDDI_SETDISPLAYPRIVATEDRIVERFORMAT(
    _In_ const HANDLE hAdapter,
    _In_ const DXGKARG_SETDISPLAYPRIVATEDRIVERFORMAT *pSetDisplayPrivateDriverFormat);
typedef DXGKDDI_SETDISPLAYPRIVATEDRIVERFORMAT *PDXGKDDI_SETDISPLAYPRIVATEDRIVERFORMAT;

/* nc-d3dkmddi-dxgkddi_setpalette; PASSIVE_LEVEL */
typedef NTSTATUS APIENTRY DXGKDDI_SETPALETTE(
    _In_ const HANDLE hAdapter,
    _In_ const DXGKARG_SETPALETTE *pSetPalette);
typedef DXGKDDI_SETPALETTE *PDXGKDDI_SETPALETTE;

/* nc-d3dkmddi-dxgkddi_setpointerposition; PASSIVE_LEVEL */
typedef NTSTATUS APIENTRY DXGKDDI_SETPOINTERPOSITION(
    _In_ const HANDLE hAdapter,
    _In_ const DXGKARG_SETPOINTERPOSITION *pSetPointerPosition);
typedef DXGKDDI_SETPOINTERPOSITION *PDXGKDDI_SETPOINTERPOSITION;

/* nc-d3dkmddi-dxgkddi_setpointershape; PASSIVE_LEVEL */
typedef NTSTATUS APIENTRY DXGKDDI_SETPOINTERSHAPE(
    _In_ const HANDLE hAdapter,
    _In_ const DXGKARG_SETPOINTERSHAPE *pSetPointerShape);
typedef DXGKDDI_SETPOINTERSHAPE *PDXGKDDI_SETPOINTERSHAPE;

/* nc-d3dkmddi-dxgkddi_setvidpnsourceaddress; PASSIVE_LEVEL; DIRQL where flips are memory-mapped */
typedef NTSTATUS APIENTRY DXGKDDI_SETVIDPNSOURCEADDRESS(
    _In_ const HANDLE hAdapter,
    _In_ const DXGKARG_SETVIDPNSOURCEADDRESS *pSetVidPnSourceAddress);
typedef DXGKDDI_SETVIDPNSOURCEADDRESS *PDXGKDDI_SETVIDPNSOURCEADDRESS;

/* nc-d3dkmddi-dxgkddi_setvidpnsourcevisibility; PASSIVE_LEVEL */
typedef NTSTATUS APIENTRY DXGKDDI_SETVIDPNSOURCEVISIBILITY(
    _In_ const HANDLE hAdapter,
    _In_ const DXGKARG_SETVIDPNSOURCEVISIBILITY *pSetVidPnSourceVisibility);
typedef DXGKDDI_SETVIDPNSOURCEVISIBILITY *PDXGKDDI_SETVIDPNSOURCEVISIBILITY;

/* nc-d3dkmddi-dxgkddi_stopcapture; PASSIVE_LEVEL */
typedef NTSTATUS APIENTRY DXGKDDI_STOPCAPTURE(
    _In_ const HANDLE hAdapter,
    _In_ const DXGKARG_STOPCAPTURE *pStopCapture);
typedef DXGKDDI_STOPCAPTURE *PDXGKDDI_STOPCAPTURE;

/* nc-d3dkmddi-dxgkddi_submitcommand; DISPATCH_LEVEL */
typedef NTSTATUS APIENTRY DXGKDDI_SUBMITCOMMAND(
    _In_ const HANDLE hAdapter,
    _In_ const DXGKARG_SUBMITCOMMAND *pSubmitCommand);
typedef DXGKDDI_SUBMITCOMMAND *PDXGKDDI_SUBMITCOMMAND;

/* a slot of DRIVER_INITIALIZATION_DATA that WDDM 1.1 leaves empty */
typedef NTSTATUS APIENTRY DXGKDDI_SUBMITRENDER(
    _In_ const HANDLE hAdapter,
    _In_ VOID *pReserved);
typedef DXGKDDI_SUBMITRENDER *PDXGKDDI_SUBMITRENDER;

/* nc-d3dkmddi-dxgkddi_updateactivevidpnpresentpath; PASSIVE_LEVEL */
typedef NTSTATUS APIENTRY DXGKDDI_UPDATEACTIVEVIDPNPRESENTPATH(
    _In_ const HANDLE hAdapter,
    _In_ const DXGKARG_UPDATEACTIVEVIDPNPRESENTPATH *pUpdateActiveVidPnPresentPathArg);
typedef DXGKDDI_UPDATEACTIVEVIDPNPRESENTPATH *PDXGKDDI_UPDATEACTIVEVIDPNPRESENTPATH;

/* nc-d3dkmddi-dxgkddi_updateoverlay; PASSIVE_LEVEL */
typedef NTSTATUS APIENTRY DXGKDDI_UPDATEOVERLAY(
    _In_ const HANDLE hOverlay,
    _In_ const DXGKARG_UPDATEOVERLAY *pUpdateOverlay);
typedef DXGKDDI_UPDATEOVERLAY *PDXGKDDI_UPDATEOVERLAY;

/* a slot of DRIVER_INITIALIZATION_DATA that WDDM 1.1 leaves empty */
typedef NTSTATUS APIENTRY DXGKDDI_UPDATEPAGEDIRECTORY(
    _In_ const HANDLE hAdapter,
    _In_ VOID *pReserved);
typedef DXGKDDI_UPDATEPAGEDIRECTORY *PDXGKDDI_UPDATEPAGEDIRECTORY;

/* a slot of DRIVER_INITIALIZATION_DATA that WDDM 1.1 leaves empty */
typedef NTSTATUS APIENTRY DXGKDDI_UPDATEPAGETABLE(
    _In_ const HANDLE hAdapter,
    _In_ VOID *pReserved);
typedef DXGKDDI_UPDATEPAGETABLE *PDXGKDDI_UPDATEPAGETABLE;

#ifdef __cplusplus
}
#endif

#endif
