/* SPDX-License-Identifier: MIT
 * d3dkmthk.h: what gdi32 exports for Direct3D runtimes and OpenGL drivers, and dxgkrnl answers.
 * Windows 7 interface level. Written from Microsoft's documentation; each declaration names its page
 * (under "windows-hardware/drivers/ddi/"). On Windows, include <windows.h> first.
 * Layouts are checked against recorded ones by ddi/test. Later headers have more members in some of these structures
 * without a version condition; the notes say where. */
#ifndef _D3DKMTHK_H_
#define _D3DKMTHK_H_

#include "d3dukmdt.h"

#ifdef __cplusplus
extern "C" {
#endif

#ifdef _WIN32
typedef LONG NTSTATUS;
#endif

/* ns-d3dkmthk-_d3dkmt_dirtyregions, ns-d3dkmthk-_d3dkmt_getpresenthistory */
#define D3DKMT_GETPRESENTHISTORY_MAXTOKENS 0x800u
#define D3DKMT_MAX_PRESENT_HISTORY_RECTS 0x10u

/* How long a present waits for the compositor: in ms, and in units of 100 ns. */
#define FLIPEX_TIMEOUT_KERNEL 0x1312D00u
#define FLIPEX_TIMEOUT_USER 0x7D0u

/* The token of a blit that Vista's compositor was told of. */
typedef ULONGLONG D3DKMT_VISTABLTMODEL_PRESENTHISTORYTOKEN;

/* ne-d3dkmthk-_d3dkmdt_mode_pruning_reason */
typedef enum _D3DKMDT_MODE_PRUNING_REASON {
    D3DKMDT_MPR_UNINITIALIZED = 0,
    D3DKMDT_MPR_ALLCAPS = 1,
    D3DKMDT_MPR_DESCRIPTOR_MONITOR_SOURCE_MODE = 2,
    D3DKMDT_MPR_DESCRIPTOR_MONITOR_FREQUENCY_RANGE = 3,
    D3DKMDT_MPR_DESCRIPTOR_OVERRIDE_MONITOR_SOURCE_MODE = 4,
    D3DKMDT_MPR_DESCRIPTOR_OVERRIDE_MONITOR_FREQUENCY_RANGE = 5,
    D3DKMDT_MPR_DEFAULT_PROFILE_MONITOR_SOURCE_MODE = 6,
    D3DKMDT_MPR_DRIVER_RECOMMENDED_MONITOR_SOURCE_MODE = 7,
    D3DKMDT_MPR_MONITOR_FREQUENCY_RANGE_OVERRIDE = 8,
    D3DKMDT_MPR_CLONE_PATH_PRUNED = 9,
    D3DKMDT_MPR_MAXVALID = 10
} D3DKMDT_MODE_PRUNING_REASON;

/* ne-d3dkmthk-_d3dkmt_allocationresidencystatus */
typedef enum _D3DKMT_ALLOCATIONRESIDENCYSTATUS {
    D3DKMT_ALLOCATIONRESIDENCYSTATUS_RESIDENTINGPUMEMORY = 1,
    D3DKMT_ALLOCATIONRESIDENCYSTATUS_RESIDENTINSHAREDMEMORY = 2,
    D3DKMT_ALLOCATIONRESIDENCYSTATUS_NOTRESIDENT = 3
} D3DKMT_ALLOCATIONRESIDENCYSTATUS;

/* ne-d3dkmthk-_d3dkmt_clienthint */
typedef enum _D3DKMT_CLIENTHINT {
    D3DKMT_CLIENTHINT_UNKNOWN = 0,
    D3DKMT_CLIENTHINT_OPENGL = 1,
    D3DKMT_CLIENTHINT_CDD = 2,
    D3DKMT_CLIENTHINT_DX7 = 7,
    D3DKMT_CLIENTHINT_DX8 = 8,
    D3DKMT_CLIENTHINT_DX9 = 9,
    D3DKMT_CLIENTHINT_DX10 = 10
} D3DKMT_CLIENTHINT;

/* ne-d3dkmthk-_d3dkmt_deviceescape_type */
typedef enum _D3DKMT_DEVICEESCAPE_TYPE {
    D3DKMT_DEVICEESCAPE_VIDPNFROMALLOCATION = 0
} D3DKMT_DEVICEESCAPE_TYPE;

/* ne-d3dkmthk-_d3dkmt_deviceexecution_state */
typedef enum _D3DKMT_DEVICEEXECUTION_STATE {
    D3DKMT_DEVICEEXECUTION_ACTIVE = 1,
    D3DKMT_DEVICEEXECUTION_RESET = 2,
    D3DKMT_DEVICEEXECUTION_HUNG = 3,
    D3DKMT_DEVICEEXECUTION_STOPPED = 4,
    D3DKMT_DEVICEEXECUTION_ERROR_OUTOFMEMORY = 5,
    D3DKMT_DEVICEEXECUTION_ERROR_DMAFAULT = 6
} D3DKMT_DEVICEEXECUTION_STATE;

/* ne-d3dkmthk-_d3dkmt_devicestate_type */
typedef enum _D3DKMT_DEVICESTATE_TYPE {
    D3DKMT_DEVICESTATE_EXECUTION = 1,
    D3DKMT_DEVICESTATE_PRESENT = 2,
    D3DKMT_DEVICESTATE_RESET = 3
} D3DKMT_DEVICESTATE_TYPE;

/* ne-d3dkmthk-_d3dkmt_dmmescapetype */
typedef enum _D3DKMT_DMMESCAPETYPE {
    D3DKMT_DMMESCAPETYPE_UNINITIALIZED = 0,
    D3DKMT_DMMESCAPETYPE_GET_SUMMARY_INFO = 1,
    D3DKMT_DMMESCAPETYPE_GET_VIDEO_PRESENT_SOURCES_INFO = 2,
    D3DKMT_DMMESCAPETYPE_GET_VIDEO_PRESENT_TARGETS_INFO = 3,
    D3DKMT_DMMESCAPETYPE_GET_ACTIVEVIDPN_INFO = 4,
    D3DKMT_DMMESCAPETYPE_GET_MONITORS_INFO = 5,
    D3DKMT_DMMESCAPETYPE_RECENTLY_COMMITTED_VIDPNS_INFO = 6,
    D3DKMT_DMMESCAPETYPE_RECENT_MODECHANGE_REQUESTS_INFO = 7,
    D3DKMT_DMMESCAPETYPE_RECENTLY_RECOMMENDED_VIDPNS_INFO = 8,
    D3DKMT_DMMESCAPETYPE_RECENT_MONITOR_PRESENCE_EVENTS_INFO = 9,
    D3DKMT_DMMESCAPETYPE_ACTIVEVIDPN_SOURCEMODESET_INFO = 10,
    D3DKMT_DMMESCAPETYPE_ACTIVEVIDPN_COFUNCPATHMODALITY_INFO = 11,
    D3DKMT_DMMESCAPETYPE_GET_LASTCLIENTCOMMITTEDVIDPN_INFO = 12,
    D3DKMT_DMMESCAPETYPE_GET_VERSION_INFO = 13,
    D3DKMT_DMMESCAPETYPE_VIDPN_MGR_DIAGNOSTICS = 14
} D3DKMT_DMMESCAPETYPE;

/* ne-d3dkmthk-_qai_driverversion */
typedef enum _QAI_DRIVERVERSION {
    KMT_DRIVERVERSION_WDDM_1_0 = 1000,
    KMT_DRIVERVERSION_WDDM_1_1_PRERELEASE = 1102,
    KMT_DRIVERVERSION_WDDM_1_1 = 1105
} D3DKMT_DRIVERVERSION;

/* ne-d3dkmthk-_d3dkmt_escapetype */
typedef enum _D3DKMT_ESCAPETYPE {
    D3DKMT_ESCAPE_DRIVERPRIVATE = 0,
    D3DKMT_ESCAPE_VIDMM = 1,
    D3DKMT_ESCAPE_TDRDBGCTRL = 2,
    D3DKMT_ESCAPE_VIDSCH = 3,
    D3DKMT_ESCAPE_DEVICE = 4,
    D3DKMT_ESCAPE_DMM = 5,
    D3DKMT_ESCAPE_DEBUG_SNAPSHOT = 6,
    D3DKMT_ESCAPE_SETDRIVERUPDATESTATUS = 7,
    D3DKMT_ESCAPE_DRT_TEST = 8,
    D3DKMT_ESCAPE_DIAGNOSTICS = 9
} D3DKMT_ESCAPETYPE;

/* ne-d3dkmthk-_d3dkmt_present_model */
typedef enum _D3DKMT_PRESENT_MODEL {
    D3DKMT_PM_UNINITIALIZED = 0,
    D3DKMT_PM_REDIRECTED_GDI = 1,
    D3DKMT_PM_REDIRECTED_FLIP = 2,
    D3DKMT_PM_REDIRECTED_BLT = 3,
    D3DKMT_PM_REDIRECTED_VISTABLT = 4,
    D3DKMT_PM_SCREENCAPTUREFENCE = 5,
    D3DKMT_PM_REDIRECTED_GDI_SYSMEM = 6
} D3DKMT_PRESENT_MODEL;

/* ne-d3dkmthk-_d3dkmt_queuedlimit_type */
typedef enum _D3DKMT_QUEUEDLIMIT_TYPE {
    D3DKMT_SET_QUEUEDLIMIT_PRESENT = 1,
    D3DKMT_GET_QUEUEDLIMIT_PRESENT = 2
} D3DKMT_QUEUEDLIMIT_TYPE;

/* ne-d3dkmthk-_d3dkmt_schedulingpriorityclass */
typedef enum _D3DKMT_SCHEDULINGPRIORITYCLASS {
    D3DKMT_SCHEDULINGPRIORITYCLASS_IDLE = 0,
    D3DKMT_SCHEDULINGPRIORITYCLASS_BELOW_NORMAL = 1,
    D3DKMT_SCHEDULINGPRIORITYCLASS_NORMAL = 2,
    D3DKMT_SCHEDULINGPRIORITYCLASS_ABOVE_NORMAL = 3,
    D3DKMT_SCHEDULINGPRIORITYCLASS_HIGH = 4,
    D3DKMT_SCHEDULINGPRIORITYCLASS_REALTIME = 5
} D3DKMT_SCHEDULINGPRIORITYCLASS;

/* ne-d3dkmthk-_d3dkmt_tdrdbgctrltype */
typedef enum _D3DKMT_TDRDBGCTRLTYPE {
    D3DKMT_TDRDBGCTRLTYPE_FORCETDR = 0,
    D3DKMT_TDRDBGCTRLTYPE_DISABLEBREAK = 1,
    D3DKMT_TDRDBGCTRLTYPE_ENABLEBREAK = 2,
    D3DKMT_TDRDBGCTRLTYPE_UNCONDITIONAL = 3,
    D3DKMT_TDRDBGCTRLTYPE_VSYNCTDR = 4,
    D3DKMT_TDRDBGCTRLTYPE_GPUTDR = 5
} D3DKMT_TDRDBGCTRLTYPE;

/* ne-d3dkmthk-_d3dkmt_vidmmescapetype */
typedef enum _D3DKMT_VIDMMESCAPETYPE {
    D3DKMT_VIDMMESCAPETYPE_SETFAULT = 0,
    D3DKMT_VIDMMESCAPETYPE_RUN_COHERENCY_TEST = 1,
    D3DKMT_VIDMMESCAPETYPE_RUN_UNMAP_TO_DUMMY_PAGE_TEST = 2,
    D3DKMT_VIDMMESCAPETYPE_APERTURE_CORRUPTION_CHECK = 3,
    D3DKMT_VIDMMESCAPETYPE_SUSPEND_CPU_ACCESS_TEST = 4
} D3DKMT_VIDMMESCAPETYPE;

/* ne-d3dkmthk-_d3dkmt_vidpnsourceowner_type */
typedef enum _D3DKMT_VIDPNSOURCEOWNER_TYPE {
    D3DKMT_VIDPNSOURCEOWNER_UNOWNED = 0,
    D3DKMT_VIDPNSOURCEOWNER_SHARED = 1,
    D3DKMT_VIDPNSOURCEOWNER_EXCLUSIVE = 2,
    D3DKMT_VIDPNSOURCEOWNER_EXCLUSIVEGDI = 3
} D3DKMT_VIDPNSOURCEOWNER_TYPE;

/* ne-d3dkmthk-_d3dkmt_vidschescapetype */
typedef enum _D3DKMT_VIDSCHESCAPETYPE {
    D3DKMT_VIDSCHESCAPETYPE_PREEMPTIONCONTROL = 0,
    D3DKMT_VIDSCHESCAPETYPE_SUSPENDSCHEDULER = 1,
    D3DKMT_VIDSCHESCAPETYPE_TDRCONTROL = 2,
    D3DKMT_VIDSCHESCAPETYPE_SUSPENDRESUME = 3
} D3DKMT_VIDSCHESCAPETYPE;

/* ne-d3dkmthk-_kmtqueryadapterinfotype */
typedef enum _KMTQUERYADAPTERINFOTYPE {
    KMTQAITYPE_UMDRIVERPRIVATE = 0,
    KMTQAITYPE_UMDRIVERNAME = 1,
    KMTQAITYPE_UMOPENGLINFO = 2,
    KMTQAITYPE_GETSEGMENTSIZE = 3,
    KMTQAITYPE_ADAPTERGUID = 4,
    KMTQAITYPE_FLIPQUEUEINFO = 5,
    KMTQAITYPE_ADAPTERADDRESS = 6,
    KMTQAITYPE_SETWORKINGSETINFO = 7,
    KMTQAITYPE_ADAPTERREGISTRYINFO = 8,
    KMTQAITYPE_CURRENTDISPLAYMODE = 9,
    KMTQAITYPE_MODELIST = 10,
    KMTQAITYPE_CHECKDRIVERUPDATESTATUS = 11,
    KMTQAITYPE_VIRTUALADDRESSINFO = 12,
    KMTQAITYPE_DRIVERVERSION = 13
} KMTQUERYADAPTERINFOTYPE;

/* ne-d3dkmthk-_kmtumdversion */
typedef enum _KMTUMDVERSION {
    KMTUMDVERSION_DX9 = 0,
    KMTUMDVERSION_DX10 = 1,
    KMTUMDVERSION_DX11 = 2
} KMTUMDVERSION;

/* ns-d3dkmthk-_d3dkmdt_displaymode_flags */
typedef struct _D3DKMDT_DISPLAYMODE_FLAGS {
    BOOLEAN ValidatedAgainstMonitorCaps : 1;
    BOOLEAN RoundedFakeMode : 1;
    UINT : 0; /* the next ones have a unit of their own with every compiler */
    D3DKMDT_MODE_PRUNING_REASON ModePruningReason : 4;
    UINT Reserved : 28;
} D3DKMDT_DISPLAYMODE_FLAGS;

/* ns-d3dkmthk-_d3dkmt_acquirekeyedmutex */
typedef struct _D3DKMT_ACQUIREKEYEDMUTEX {
    D3DKMT_HANDLE hKeyedMutex;
    UINT64 Key;
    PLARGE_INTEGER pTimeout;
    UINT64 FenceValue;
} D3DKMT_ACQUIREKEYEDMUTEX;

/* ns-d3dkmthk-_d3dkmt_adapteraddress */
typedef struct _D3DKMT_ADAPTERADDRESS {
    UINT BusNumber;
    UINT DeviceNumber;
    UINT FunctionNumber;
} D3DKMT_ADAPTERADDRESS;

/* ns-d3dkmthk-_d3dkmt_adapterregistryinfo */
typedef struct _D3DKMT_ADAPTERREGISTRYINFO {
    WCHAR AdapterString[260];
    WCHAR BiosString[260];
    WCHAR DacType[260];
    WCHAR ChipType[260];
} D3DKMT_ADAPTERREGISTRYINFO;

/* ns-d3dkmthk-_d3dkmt_dirtyregions */
typedef struct _D3DKMT_DIRTYREGIONS {
    UINT NumRects;
    RECT Rects[D3DKMT_MAX_PRESENT_HISTORY_RECTS];
} D3DKMT_DIRTYREGIONS;

/* ns-d3dkmthk-_d3dkmt_bltmodel_presenthistorytoken */
typedef struct _D3DKMT_BLTMODEL_PRESENTHISTORYTOKEN {
    ULONG64 hLogicalSurface;
    ULONG64 hPhysicalSurface;
    UINT64 EventId;
    D3DKMT_DIRTYREGIONS DirtyRegions;
} D3DKMT_BLTMODEL_PRESENTHISTORYTOKEN;

/* ns-d3dkmthk-_d3dkmt_changesurfacepointer */
typedef struct _D3DKMT_CHANGESURFACEPOINTER {
    HDC hDC;
    HANDLE hBitmap;
    VOID *pSurfacePointer;
    UINT Width;
    UINT Height;
    UINT Pitch;
} D3DKMT_CHANGESURFACEPOINTER;

/* ns-d3dkmthk-_d3dkmt_checkmonitorpowerstate */
typedef struct _D3DKMT_CHECKMONITORPOWERSTATE {
    D3DKMT_HANDLE hAdapter;
    D3DDDI_VIDEO_PRESENT_SOURCE_ID VidPnSourceId;
} D3DKMT_CHECKMONITORPOWERSTATE;

/* ns-d3dkmthk-_d3dkmt_checkocclusion */
typedef struct _D3DKMT_CHECKOCCLUSION {
    HWND hWindow;
} D3DKMT_CHECKOCCLUSION;

/* ns-d3dkmthk-_d3dkmt_checksharedresourceaccess */
typedef struct _D3DKMT_CHECKSHAREDRESOURCEACCESS {
    D3DKMT_HANDLE hResource;
    UINT ClientPid;
} D3DKMT_CHECKSHAREDRESOURCEACCESS;

/* ns-d3dkmthk-_d3dkmt_checkvidpnexclusiveownership */
typedef struct _D3DKMT_CHECKVIDPNEXCLUSIVEOWNERSHIP {
    D3DKMT_HANDLE hAdapter;
    D3DDDI_VIDEO_PRESENT_SOURCE_ID VidPnSourceId;
} D3DKMT_CHECKVIDPNEXCLUSIVEOWNERSHIP;

/* ns-d3dkmthk-_d3dkmt_closeadapter */
typedef struct _D3DKMT_CLOSEADAPTER {
    D3DKMT_HANDLE hAdapter;
} D3DKMT_CLOSEADAPTER;

/* ns-d3dkmthk-_d3dkmt_configuresharedresource */
typedef struct _D3DKMT_CONFIGURESHAREDRESOURCE {
    D3DKMT_HANDLE hDevice;
    D3DKMT_HANDLE hResource;
    BOOLEAN IsDwm;
    HANDLE hProcess;
    BOOLEAN AllowAccess;
} D3DKMT_CONFIGURESHAREDRESOURCE;

/* ns-d3dkmthk-_d3dkmt_createallocationflags */
typedef struct _D3DKMT_CREATEALLOCATIONFLAGS {
    UINT CreateResource : 1;
    UINT CreateShared : 1;
    UINT NonSecure : 1;
    UINT CreateProtected : 1;
    UINT RestrictSharedAccess : 1;
    UINT ExistingSysMem : 1;
    UINT Reserved : 26;
} D3DKMT_CREATEALLOCATIONFLAGS;

/* ns-d3dkmthk-_d3dkmt_createallocation: later headers have a D3DKMT_STANDARDALLOCATION in a union with
 * pPrivateDriverData. */
typedef struct _D3DKMT_CREATEALLOCATION {
    D3DKMT_HANDLE hDevice;
    D3DKMT_HANDLE hResource;
    D3DKMT_HANDLE hGlobalShare;
    const VOID *pPrivateRuntimeData;
    UINT PrivateRuntimeDataSize;
    const VOID *pPrivateDriverData;
    UINT PrivateDriverDataSize;
    UINT NumAllocations;
    union {
        D3DDDI_ALLOCATIONINFO *pAllocationInfo;
        D3DDDI_ALLOCATIONINFO2 *pAllocationInfo2;
    };
    D3DKMT_CREATEALLOCATIONFLAGS Flags;
    HANDLE hPrivateRuntimeResourceHandle;
} D3DKMT_CREATEALLOCATION;

/* ns-d3dkmthk-_d3dkmt_createcontext */
typedef struct _D3DKMT_CREATECONTEXT {
    D3DKMT_HANDLE hDevice;
    UINT NodeOrdinal;
    UINT EngineAffinity;
    D3DDDI_CREATECONTEXTFLAGS Flags;
    VOID *pPrivateDriverData;
    UINT PrivateDriverDataSize;
    D3DKMT_CLIENTHINT ClientHint;
    D3DKMT_HANDLE hContext;
    VOID *pCommandBuffer;
    UINT CommandBufferSize;
    D3DDDI_ALLOCATIONLIST *pAllocationList;
    UINT AllocationListSize;
    D3DDDI_PATCHLOCATIONLIST *pPatchLocationList;
    UINT PatchLocationListSize;
    D3DGPU_VIRTUAL_ADDRESS CommandBuffer;
} D3DKMT_CREATECONTEXT;

/* ns-d3dkmthk-_d3dkmt_createdcfrommemory */
typedef struct _D3DKMT_CREATEDCFROMMEMORY {
    VOID *pMemory;
    D3DDDIFORMAT Format;
    UINT Width;
    UINT Height;
    UINT Pitch;
    HDC hDeviceDc;
    PALETTEENTRY *pColorTable;
    HDC hDc;
    HANDLE hBitmap;
} D3DKMT_CREATEDCFROMMEMORY;

/* ns-d3dkmthk-_d3dkmt_createdeviceflags */
typedef struct _D3DKMT_CREATEDEVICEFLAGS {
    UINT LegacyMode : 1;
    UINT RequestVSync : 1;
    UINT Reserved : 30;
} D3DKMT_CREATEDEVICEFLAGS;

/* ns-d3dkmthk-_d3dkmt_createdevice */
typedef struct _D3DKMT_CREATEDEVICE {
    union {
        D3DKMT_HANDLE hAdapter;
        VOID *pAdapter;
    };
    D3DKMT_CREATEDEVICEFLAGS Flags;
    D3DKMT_HANDLE hDevice;
    VOID *pCommandBuffer;
    UINT CommandBufferSize;
    D3DDDI_ALLOCATIONLIST *pAllocationList;
    UINT AllocationListSize;
    D3DDDI_PATCHLOCATIONLIST *pPatchLocationList;
    UINT PatchLocationListSize;
} D3DKMT_CREATEDEVICE;

/* ns-d3dkmthk-_d3dkmt_createkeyedmutex */
typedef struct _D3DKMT_CREATEKEYEDMUTEX {
    UINT64 InitialValue;
    D3DKMT_HANDLE hSharedHandle;
    D3DKMT_HANDLE hKeyedMutex;
} D3DKMT_CREATEKEYEDMUTEX;

/* ns-d3dkmthk-_d3dkmt_createoverlay */
typedef struct _D3DKMT_CREATEOVERLAY {
    D3DDDI_VIDEO_PRESENT_SOURCE_ID VidPnSourceId;
    D3DKMT_HANDLE hDevice;
    D3DDDI_KERNELOVERLAYINFO OverlayInfo;
    D3DKMT_HANDLE hOverlay;
} D3DKMT_CREATEOVERLAY;

/* ns-d3dkmthk-_d3dkmt_createsynchronizationobject */
typedef struct _D3DKMT_CREATESYNCHRONIZATIONOBJECT {
    D3DKMT_HANDLE hDevice;
    D3DDDI_SYNCHRONIZATIONOBJECTINFO Info;
    D3DKMT_HANDLE hSyncObject;
} D3DKMT_CREATESYNCHRONIZATIONOBJECT;

/* ns-d3dkmthk-_d3dkmt_createsynchronizationobject2 */
typedef struct _D3DKMT_CREATESYNCHRONIZATIONOBJECT2 {
    D3DKMT_HANDLE hDevice;
    D3DDDI_SYNCHRONIZATIONOBJECTINFO2 Info;
    D3DKMT_HANDLE hSyncObject;
} D3DKMT_CREATESYNCHRONIZATIONOBJECT2;

/* ns-d3dkmthk-_d3dkmt_displaymode */
typedef struct _D3DKMT_DISPLAYMODE {
    UINT Width;
    UINT Height;
    D3DDDIFORMAT Format;
    UINT IntegerRefreshRate;
    D3DDDI_RATIONAL RefreshRate;
    D3DDDI_VIDEO_SIGNAL_SCANLINE_ORDERING ScanLineOrdering;
    D3DDDI_ROTATION DisplayOrientation;
    UINT DisplayFixedOutput;
    D3DKMDT_DISPLAYMODE_FLAGS Flags;
} D3DKMT_DISPLAYMODE;

/* ns-d3dkmthk-_d3dkmt_currentdisplaymode */
typedef struct _D3DKMT_CURRENTDISPLAYMODE {
    D3DDDI_VIDEO_PRESENT_SOURCE_ID VidPnSourceId;
    D3DKMT_DISPLAYMODE DisplayMode;
} D3DKMT_CURRENTDISPLAYMODE;

/* ns-d3dkmthk-_d3dkmt_debug_snapshot_escape */
typedef struct _D3DKMT_DEBUG_SNAPSHOT_ESCAPE {
    UINT Length;
    BYTE Buffer[1];
} D3DKMT_DEBUG_SNAPSHOT_ESCAPE;

/* ns-d3dkmthk-_d3dkmt_destroyallocation */
typedef struct _D3DKMT_DESTROYALLOCATION {
    D3DKMT_HANDLE hDevice;
    D3DKMT_HANDLE hResource;
    const D3DKMT_HANDLE *phAllocationList;
    UINT AllocationCount;
} D3DKMT_DESTROYALLOCATION;

/* ns-d3dkmthk-_d3dkmt_destroycontext */
typedef struct _D3DKMT_DESTROYCONTEXT {
    D3DKMT_HANDLE hContext;
} D3DKMT_DESTROYCONTEXT;

/* ns-d3dkmthk-_d3dkmt_destroydcfrommemory */
typedef struct _D3DKMT_DESTROYDCFROMMEMORY {
    HDC hDc;
    HANDLE hBitmap;
} D3DKMT_DESTROYDCFROMMEMORY;

/* ns-d3dkmthk-_d3dkmt_destroydevice */
typedef struct _D3DKMT_DESTROYDEVICE {
    D3DKMT_HANDLE hDevice;
} D3DKMT_DESTROYDEVICE;

/* ns-d3dkmthk-_d3dkmt_destroykeyedmutex */
typedef struct _D3DKMT_DESTROYKEYEDMUTEX {
    D3DKMT_HANDLE hKeyedMutex;
} D3DKMT_DESTROYKEYEDMUTEX;

/* ns-d3dkmthk-_d3dkmt_destroyoverlay */
typedef struct _D3DKMT_DESTROYOVERLAY {
    D3DKMT_HANDLE hDevice;
    D3DKMT_HANDLE hOverlay;
} D3DKMT_DESTROYOVERLAY;

/* ns-d3dkmthk-_d3dkmt_destroysynchronizationobject */
typedef struct _D3DKMT_DESTROYSYNCHRONIZATIONOBJECT {
    D3DKMT_HANDLE hSyncObject;
} D3DKMT_DESTROYSYNCHRONIZATIONOBJECT;

/* ns-d3dkmthk-_d3dkmt_present_stats */
typedef struct _D3DKMT_PRESENT_STATS {
    UINT PresentCount;
    UINT PresentRefreshCount;
    UINT SyncRefreshCount;
    LARGE_INTEGER SyncQPCTime;
    LARGE_INTEGER SyncGPUTime;
} D3DKMT_PRESENT_STATS;

/* ns-d3dkmthk-_d3dkmt_devicepresent_state */
typedef struct _D3DKMT_DEVICEPRESENT_STATE {
    D3DDDI_VIDEO_PRESENT_SOURCE_ID VidPnSourceId;
    D3DKMT_PRESENT_STATS PresentStats;
} D3DKMT_DEVICEPRESENT_STATE;

/* ns-d3dkmthk-_d3dkmt_devicereset_state */
typedef struct _D3DKMT_DEVICERESET_STATE {
    union {
        struct {
            UINT DesktopSwitched : 1;
            UINT Reserved : 31;
        };
        UINT Value;
    };
} D3DKMT_DEVICERESET_STATE;

/* ns-d3dkmthk-_d3dkmt_device_escape */
typedef struct _D3DKMT_DEVICE_ESCAPE {
    D3DKMT_DEVICEESCAPE_TYPE Type;
    union {
        struct {
            D3DKMT_HANDLE hPrimaryAllocation;
            D3DDDI_VIDEO_PRESENT_SOURCE_ID VidPnSourceId;
        } VidPnFromAllocation;
    };
} D3DKMT_DEVICE_ESCAPE;

/* ns-d3dkmthk-_d3dkmt_dmm_escape */
typedef struct _D3DKMT_DMM_ESCAPE {
    D3DKMT_DMMESCAPETYPE Type;
    SIZE_T ProvidedBufferSize;
    SIZE_T MinRequiredBufferSize;
    UCHAR Data[1];
} D3DKMT_DMM_ESCAPE;

/* ns-d3dkmthk-_d3dkmt_escape */
typedef struct _D3DKMT_ESCAPE {
    D3DKMT_HANDLE hAdapter;
    D3DKMT_HANDLE hDevice;
    D3DKMT_ESCAPETYPE Type;
    D3DDDI_ESCAPEFLAGS Flags;
    VOID *pPrivateDriverData;
    UINT PrivateDriverDataSize;
    D3DKMT_HANDLE hContext;
} D3DKMT_ESCAPE;

/* ns-d3dkmthk-_d3dkmt_fence_presenthistorytoken */
typedef struct _D3DKMT_FENCE_PRESENTHISTORYTOKEN {
    UINT64 Key;
} D3DKMT_FENCE_PRESENTHISTORYTOKEN;

/* ns-d3dkmthk-_d3dkmt_flipinfoflags */
typedef struct _D3DKMT_FLIPINFOFLAGS {
    UINT FlipInterval : 1;
    UINT Reserved : 31;
} D3DKMT_FLIPINFOFLAGS;

/* ns-d3dkmthk-_d3dkmt_flipmodel_presenthistorytokenflags */
typedef struct _D3DKMT_FLIPMODEL_PRESENTHISTORYTOKENFLAGS {
    union {
        struct {
            UINT Video : 1;
            UINT RestrictedContent : 1;
            UINT ClipToView : 1;
            UINT Reserved : 29;
        };
        UINT Value;
    };
} D3DKMT_FLIPMODEL_PRESENTHISTORYTOKENFLAGS;

/* ns-d3dkmthk-_d3dkmt_flipmodel_presenthistorytoken: later headers have one more member after hLogicalSurface. */
typedef struct _D3DKMT_FLIPMODEL_PRESENTHISTORYTOKEN {
    UINT64 FenceValue;
    ULONG64 hLogicalSurface;
    UINT SwapChainIndex;
    UINT64 PresentLimitSemaphoreId;
    D3DDDI_FLIPINTERVAL_TYPE FlipInterval;
    D3DKMT_FLIPMODEL_PRESENTHISTORYTOKENFLAGS Flags;
    D3DKMT_DIRTYREGIONS DirtyRegions;
} D3DKMT_FLIPMODEL_PRESENTHISTORYTOKEN;

/* ns-d3dkmthk-_d3dkmt_flipoverlay */
typedef struct _D3DKMT_FLIPOVERLAY {
    D3DKMT_HANDLE hDevice;
    D3DKMT_HANDLE hOverlay;
    D3DKMT_HANDLE hSource;
    VOID *pPrivateDriverData;
    UINT PrivateDriverDataSize;
} D3DKMT_FLIPOVERLAY;

/* ns-d3dkmthk-_d3dkmt_flipqueueinfo */
typedef struct _D3DKMT_FLIPQUEUEINFO {
    UINT MaxHardwareFlipQueueLength;
    UINT MaxSoftwareFlipQueueLength;
    D3DKMT_FLIPINFOFLAGS FlipFlags;
} D3DKMT_FLIPQUEUEINFO;

/* ns-d3dkmthk-_d3dkmt_gdimodel_presenthistorytoken */
typedef struct _D3DKMT_GDIMODEL_PRESENTHISTORYTOKEN {
    ULONG64 hLogicalSurface;
    ULONG64 hPhysicalSurface;
    D3DKMT_DIRTYREGIONS DirtyRegions;
} D3DKMT_GDIMODEL_PRESENTHISTORYTOKEN;

/* ns-d3dkmthk-_d3dkmt_gdimodel_sysmem_presenthistorytoken */
typedef struct _D3DKMT_GDIMODEL_SYSMEM_PRESENTHISTORYTOKEN {
    UINT64 hlsurf;
    UINT dwDirtyFlags;
    UINT64 uiCookie;
} D3DKMT_GDIMODEL_SYSMEM_PRESENTHISTORYTOKEN;

/* ns-d3dkmthk-_d3dkmt_getcontextschedulingpriority */
typedef struct _D3DKMT_GETCONTEXTSCHEDULINGPRIORITY {
    D3DKMT_HANDLE hContext;
    INT Priority;
} D3DKMT_GETCONTEXTSCHEDULINGPRIORITY;

/* ns-d3dkmthk-_d3dkmt_getdevicestate: later headers have one more member in the union. */
typedef struct _D3DKMT_GETDEVICESTATE {
    D3DKMT_HANDLE hDevice;
    D3DKMT_DEVICESTATE_TYPE StateType;
    union {
        D3DKMT_DEVICEEXECUTION_STATE ExecutionState;
        D3DKMT_DEVICEPRESENT_STATE PresentState;
        D3DKMT_DEVICERESET_STATE ResetState;
    };
} D3DKMT_GETDEVICESTATE;

/* ns-d3dkmthk-_d3dkmt_getdisplaymodelist */
typedef struct _D3DKMT_GETDISPLAYMODELIST {
    D3DKMT_HANDLE hAdapter;
    D3DDDI_VIDEO_PRESENT_SOURCE_ID VidPnSourceId;
    D3DKMT_DISPLAYMODE *pModeList;
    UINT ModeCount;
} D3DKMT_GETDISPLAYMODELIST;

/* ns-d3dkmthk-_d3dkmt_multisamplemethod */
typedef struct _D3DKMT_MULTISAMPLEMETHOD {
    UINT NumSamples;
    UINT NumQualityLevels;
    UINT Reserved;
} D3DKMT_MULTISAMPLEMETHOD;

/* ns-d3dkmthk-_d3dkmt_getmultisamplemethodlist */
typedef struct _D3DKMT_GETMULTISAMPLEMETHODLIST {
    D3DKMT_HANDLE hAdapter;
    D3DDDI_VIDEO_PRESENT_SOURCE_ID VidPnSourceId;
    UINT Width;
    UINT Height;
    D3DDDIFORMAT Format;
    D3DKMT_MULTISAMPLEMETHOD *pMethodList;
    UINT MethodCount;
} D3DKMT_GETMULTISAMPLEMETHODLIST;

/* ns-d3dkmthk-_d3dkmt_getoverlaystate */
typedef struct _D3DKMT_GETOVERLAYSTATE {
    D3DKMT_HANDLE hDevice;
    D3DKMT_HANDLE hOverlay;
    BOOLEAN OverlayEnabled;
} D3DKMT_GETOVERLAYSTATE;

/* ns-d3dkmthk-_d3dkmt_presenthistorytoken: later headers have one more kind of token and a longer Flip. */
typedef struct _D3DKMT_PRESENTHISTORYTOKEN {
    D3DKMT_PRESENT_MODEL Model;
    UINT TokenSize;
    union {
        D3DKMT_FLIPMODEL_PRESENTHISTORYTOKEN Flip;
        D3DKMT_BLTMODEL_PRESENTHISTORYTOKEN Blt;
        D3DKMT_VISTABLTMODEL_PRESENTHISTORYTOKEN VistaBlt;
        D3DKMT_GDIMODEL_PRESENTHISTORYTOKEN Gdi;
        D3DKMT_FENCE_PRESENTHISTORYTOKEN Fence;
        D3DKMT_GDIMODEL_SYSMEM_PRESENTHISTORYTOKEN GdiSysMem;
    } Token;
} D3DKMT_PRESENTHISTORYTOKEN;

/* ns-d3dkmthk-_d3dkmt_getpresenthistory */
typedef struct _D3DKMT_GETPRESENTHISTORY {
    D3DKMT_HANDLE hAdapter;
    UINT ProvidedSize;
    UINT WrittenSize;
    D3DKMT_PRESENTHISTORYTOKEN *pTokens;
    UINT NumTokens;
} D3DKMT_GETPRESENTHISTORY;

/* ns-d3dkmthk-_d3dkmt_getruntimedata */
typedef struct _D3DKMT_GETRUNTIMEDATA {
    D3DKMT_HANDLE hAdapter;
    D3DKMT_HANDLE hGlobalShare;
    VOID *pRuntimeData;
    UINT RuntimeDataSize;
} D3DKMT_GETRUNTIMEDATA;

/* ns-d3dkmthk-_d3dkmt_getscanline */
typedef struct _D3DKMT_GETSCANLINE {
    D3DKMT_HANDLE hAdapter;
    D3DDDI_VIDEO_PRESENT_SOURCE_ID VidPnSourceId;
    BOOLEAN InVerticalBlank;
    UINT ScanLine;
} D3DKMT_GETSCANLINE;

/* ns-d3dkmthk-_d3dkmt_getsharedprimaryhandle */
typedef struct _D3DKMT_GETSHAREDPRIMARYHANDLE {
    D3DKMT_HANDLE hAdapter;
    D3DDDI_VIDEO_PRESENT_SOURCE_ID VidPnSourceId;
    D3DKMT_HANDLE hSharedPrimary;
} D3DKMT_GETSHAREDPRIMARYHANDLE;

/* ns-d3dkmthk-_d3dkmt_invalidateactivevidpn */
typedef struct _D3DKMT_INVALIDATEACTIVEVIDPN {
    D3DKMT_HANDLE hAdapter;
    VOID *pPrivateDriverData;
    UINT PrivateDriverDataSize;
} D3DKMT_INVALIDATEACTIVEVIDPN;

/* ns-d3dkmthk-_d3dkmt_lock: hAllocation may come back changed if Flags.Discard renamed the allocation. */
typedef struct _D3DKMT_LOCK {
    D3DKMT_HANDLE hDevice;
    D3DKMT_HANDLE hAllocation;
    UINT PrivateDriverData;
    UINT NumPages;
    const UINT *pPages;
    VOID *pData;
    D3DDDICB_LOCKFLAGS Flags;
    D3DGPU_VIRTUAL_ADDRESS GpuVirtualAddress;
} D3DKMT_LOCK;

/* ns-d3dkmthk-_d3dkmt_openadapterfromdevicename */
typedef struct _D3DKMT_OPENADAPTERFROMDEVICENAME {
    PCWSTR pDeviceName;
    D3DKMT_HANDLE hAdapter;
    LUID AdapterLuid;
} D3DKMT_OPENADAPTERFROMDEVICENAME;

/* ns-d3dkmthk-_d3dkmt_openadapterfromgdidisplayname */
typedef struct _D3DKMT_OPENADAPTERFROMGDIDISPLAYNAME {
    WCHAR DeviceName[32];
    D3DKMT_HANDLE hAdapter;
    LUID AdapterLuid;
    D3DDDI_VIDEO_PRESENT_SOURCE_ID VidPnSourceId;
} D3DKMT_OPENADAPTERFROMGDIDISPLAYNAME;

/* ns-d3dkmthk-_d3dkmt_openadapterfromhdc */
typedef struct _D3DKMT_OPENADAPTERFROMHDC {
    HDC hDc;
    D3DKMT_HANDLE hAdapter;
    LUID AdapterLuid;
    D3DDDI_VIDEO_PRESENT_SOURCE_ID VidPnSourceId;
} D3DKMT_OPENADAPTERFROMHDC;

/* ns-d3dkmthk-_d3dkmt_openglinfo */
typedef struct _D3DKMT_OPENGLINFO {
    WCHAR UmdOpenGlIcdFileName[260];
    ULONG Version;
    ULONG Flags;
} D3DKMT_OPENGLINFO;

/* ns-d3dkmthk-_d3dkmt_openkeyedmutex */
typedef struct _D3DKMT_OPENKEYEDMUTEX {
    D3DKMT_HANDLE hSharedHandle;
    D3DKMT_HANDLE hKeyedMutex;
} D3DKMT_OPENKEYEDMUTEX;

/* ns-d3dkmthk-_d3dkmt_openresource */
typedef struct _D3DKMT_OPENRESOURCE {
    D3DKMT_HANDLE hDevice;
    D3DKMT_HANDLE hGlobalShare;
    UINT NumAllocations;
    union {
        D3DDDI_OPENALLOCATIONINFO *pOpenAllocationInfo;
        D3DDDI_OPENALLOCATIONINFO2 *pOpenAllocationInfo2;
    };
    VOID *pPrivateRuntimeData;
    UINT PrivateRuntimeDataSize;
    VOID *pResourcePrivateDriverData;
    UINT ResourcePrivateDriverDataSize;
    VOID *pTotalPrivateDriverDataBuffer;
    UINT TotalPrivateDriverDataBufferSize;
    D3DKMT_HANDLE hResource;
} D3DKMT_OPENRESOURCE;

/* ns-d3dkmthk-_d3dkmt_opensynchronizationobject */
typedef struct _D3DKMT_OPENSYNCHRONIZATIONOBJECT {
    D3DKMT_HANDLE hSharedHandle;
    D3DKMT_HANDLE hSyncObject;
    ULONGLONG Reserved[8];
} D3DKMT_OPENSYNCHRONIZATIONOBJECT;

/* ns-d3dkmthk-_d3dkmt_polldisplaychildren */
typedef struct _D3DKMT_POLLDISPLAYCHILDREN {
    D3DKMT_HANDLE hAdapter;
    UINT NonDestructiveOnly : 1;
    UINT SynchronousPolling : 1;
    UINT DisableModeReset : 1;
    UINT PollAllAdapters : 1;
    UINT PollInterruptible : 1;
    UINT Reserved : 27;
} D3DKMT_POLLDISPLAYCHILDREN;

/* ns-d3dkmthk-_d3dkmt_presentflags */
typedef struct _D3DKMT_PRESENTFLAGS {
    union {
        struct {
            UINT Blt : 1;
            UINT ColorFill : 1;
            UINT Flip : 1;
            UINT FlipDoNotFlip : 1;
            UINT FlipDoNotWait : 1;
            UINT FlipRestart : 1;
            UINT DstRectValid : 1;
            UINT SrcRectValid : 1;
            UINT RestrictVidPnSource : 1;
            UINT SrcColorKey : 1;
            UINT DstColorKey : 1;
            UINT LinearToSrgb : 1;
            UINT PresentCountValid : 1;
            UINT Rotate : 1;
            UINT PresentToBitmap : 1;
            UINT RedirectedFlip : 1;
            UINT RedirectedBlt : 1;
            UINT Reserved : 15;
        };
        UINT Value;
    };
} D3DKMT_PRESENTFLAGS;

/* ns-d3dkmthk-_d3dkmt_present: later headers have a longer PresentHistoryToken. */
typedef struct _D3DKMT_PRESENT {
    union {
        D3DKMT_HANDLE hDevice;
        D3DKMT_HANDLE hContext;
    };
    HWND hWindow;
    D3DDDI_VIDEO_PRESENT_SOURCE_ID VidPnSourceId;
    D3DKMT_HANDLE hSource;
    D3DKMT_HANDLE hDestination;
    UINT Color;
    RECT DstRect;
    RECT SrcRect;
    UINT SubRectCnt;
    const RECT *pSrcSubRects;
    UINT PresentCount;
    D3DDDI_FLIPINTERVAL_TYPE FlipInterval;
    D3DKMT_PRESENTFLAGS Flags;
    UINT BroadcastContextCount;
    D3DKMT_HANDLE BroadcastContext[D3DDDI_MAX_BROADCAST_CONTEXT];
    HANDLE PresentLimitSemaphore;
    D3DKMT_PRESENTHISTORYTOKEN PresentHistoryToken;
} D3DKMT_PRESENT;

/* ns-d3dkmthk-_d3dkmt_queryadapterinfo */
typedef struct _D3DKMT_QUERYADAPTERINFO {
    D3DKMT_HANDLE hAdapter;
    KMTQUERYADAPTERINFOTYPE Type;
    VOID *pPrivateDriverData;
    UINT PrivateDriverDataSize;
} D3DKMT_QUERYADAPTERINFO;

/* ns-d3dkmthk-_d3dkmt_queryallocationresidency */
typedef struct _D3DKMT_QUERYALLOCATIONRESIDENCY {
    D3DKMT_HANDLE hDevice;
    D3DKMT_HANDLE hResource;
    const D3DKMT_HANDLE *phAllocationList;
    UINT AllocationCount;
    D3DKMT_ALLOCATIONRESIDENCYSTATUS *pResidencyStatus;
} D3DKMT_QUERYALLOCATIONRESIDENCY;

/* ns-d3dkmthk-_d3dkmt_queryresourceinfo */
typedef struct _D3DKMT_QUERYRESOURCEINFO {
    D3DKMT_HANDLE hDevice;
    D3DKMT_HANDLE hGlobalShare;
    VOID *pPrivateRuntimeData;
    UINT PrivateRuntimeDataSize;
    UINT TotalPrivateDriverDataSize;
    UINT ResourcePrivateDriverDataSize;
    UINT NumAllocations;
} D3DKMT_QUERYRESOURCEINFO;

/* ns-d3dkmthk-_d3dkmt_releasekeyedmutex */
typedef struct _D3DKMT_RELEASEKEYEDMUTEX {
    D3DKMT_HANDLE hKeyedMutex;
    UINT64 Key;
    UINT64 FenceValue;
} D3DKMT_RELEASEKEYEDMUTEX;

/* ns-d3dkmthk-_d3dkmt_renderflags */
typedef struct _D3DKMT_RENDERFLAGS {
    UINT ResizeCommandBuffer : 1;
    UINT ResizeAllocationList : 1;
    UINT ResizePatchLocationList : 1;
    UINT NullRendering : 1;
    UINT PresentRedirected : 1;
    UINT RenderKm : 1;
    UINT Reserved : 26;
} D3DKMT_RENDERFLAGS;

/* ns-d3dkmthk-_d3dkmt_render: On return, also after an error, pNew* and New*Size are what the next commands go to. */
typedef struct _D3DKMT_RENDER {
    union {
        D3DKMT_HANDLE hDevice;
        D3DKMT_HANDLE hContext;
    };
    UINT CommandOffset;
    UINT CommandLength;
    UINT AllocationCount;
    UINT PatchLocationCount;
    VOID *pNewCommandBuffer;
    UINT NewCommandBufferSize;
    D3DDDI_ALLOCATIONLIST *pNewAllocationList;
    UINT NewAllocationListSize;
    D3DDDI_PATCHLOCATIONLIST *pNewPatchLocationList;
    UINT NewPatchLocationListSize;
    D3DKMT_RENDERFLAGS Flags;
    ULONGLONG PresentHistoryToken;
    UINT BroadcastContextCount;
    D3DKMT_HANDLE BroadcastContext[D3DDDI_MAX_BROADCAST_CONTEXT];
    UINT QueuedBufferCount;
    D3DGPU_VIRTUAL_ADDRESS NewCommandBuffer;
    VOID *pPrivateDriverData;
    UINT PrivateDriverDataSize;
} D3DKMT_RENDER;

/* ns-d3dkmthk-_d3dkmt_segmentsizeinfo */
typedef struct _D3DKMT_SEGMENTSIZEINFO {
    ULONGLONG DedicatedVideoMemorySize;
    ULONGLONG DedicatedSystemMemorySize;
    ULONGLONG SharedSystemMemorySize;
} D3DKMT_SEGMENTSIZEINFO;

/* ns-d3dkmthk-_d3dkmt_setallocationpriority */
typedef struct _D3DKMT_SETALLOCATIONPRIORITY {
    D3DKMT_HANDLE hDevice;
    D3DKMT_HANDLE hResource;
    const D3DKMT_HANDLE *phAllocationList;
    UINT AllocationCount;
    const UINT *pPriorities;
} D3DKMT_SETALLOCATIONPRIORITY;

/* ns-d3dkmthk-_d3dkmt_setcontextschedulingpriority */
typedef struct _D3DKMT_SETCONTEXTSCHEDULINGPRIORITY {
    D3DKMT_HANDLE hContext;
    INT Priority;
} D3DKMT_SETCONTEXTSCHEDULINGPRIORITY;

/* ns-d3dkmthk-_d3dkmt_setdisplaymode_flags */
typedef struct _D3DKMT_SETDISPLAYMODE_FLAGS {
    BOOLEAN PreserveVidPn : 1;
    UINT : 0; /* the next ones have a unit of their own with every compiler */
    UINT Reserved : 31;
} D3DKMT_SETDISPLAYMODE_FLAGS;

/* ns-d3dkmthk-_d3dkmt_setdisplaymode */
typedef struct _D3DKMT_SETDISPLAYMODE {
    D3DKMT_HANDLE hDevice;
    D3DKMT_HANDLE hPrimaryAllocation;
    D3DDDI_VIDEO_SIGNAL_SCANLINE_ORDERING ScanLineOrdering;
    D3DDDI_ROTATION DisplayOrientation;
    UINT PrivateDriverFormatAttribute;
    D3DKMT_SETDISPLAYMODE_FLAGS Flags;
} D3DKMT_SETDISPLAYMODE;

/* ns-d3dkmthk-_d3dkmt_setdisplayprivatedriverformat */
typedef struct _D3DKMT_SETDISPLAYPRIVATEDRIVERFORMAT {
    D3DKMT_HANDLE hDevice;
    D3DDDI_VIDEO_PRESENT_SOURCE_ID VidPnSourceId;
    UINT PrivateDriverFormatAttribute;
} D3DKMT_SETDISPLAYPRIVATEDRIVERFORMAT;

/* ns-d3dkmthk-_d3dkmt_setgammaramp */
typedef struct _D3DKMT_SETGAMMARAMP {
    D3DKMT_HANDLE hDevice;
    D3DDDI_VIDEO_PRESENT_SOURCE_ID VidPnSourceId;
    D3DDDI_GAMMARAMP_TYPE Type;
    union {
        D3DDDI_GAMMA_RAMP_RGB256x3x16 *pGammaRampRgb256x3x16;
        D3DDDI_GAMMA_RAMP_DXGI_1 *pGammaRampDXGI1;
    };
    UINT Size;
} D3DKMT_SETGAMMARAMP;

/* ns-d3dkmthk-_d3dkmt_setqueuedlimit */
typedef struct _D3DKMT_SETQUEUEDLIMIT {
    D3DKMT_HANDLE hDevice;
    D3DKMT_QUEUEDLIMIT_TYPE Type;
    union {
        UINT QueuedPresentLimit;
        D3DDDI_VIDEO_PRESENT_SOURCE_ID VidPnSourceId;
    };
    UINT QueuedPendingFlipLimit;
} D3DKMT_SETQUEUEDLIMIT;

/* ns-d3dkmthk-_d3dkmt_setvidpnsourceowner */
typedef struct _D3DKMT_SETVIDPNSOURCEOWNER {
    D3DKMT_HANDLE hDevice;
    const D3DKMT_VIDPNSOURCEOWNER_TYPE *pType;
    const D3DDDI_VIDEO_PRESENT_SOURCE_ID *pVidPnSourceId;
    UINT VidPnSourceCount;
} D3DKMT_SETVIDPNSOURCEOWNER;

/* ns-d3dkmthk-_d3dkmt_sharedprimarylocknotification */
typedef struct _D3DKMT_SHAREDPRIMARYLOCKNOTIFICATION {
    LUID AdapterLuid;
    D3DDDI_VIDEO_PRESENT_SOURCE_ID VidPnSourceId;
    RECT LockRect;
} D3DKMT_SHAREDPRIMARYLOCKNOTIFICATION;

/* ns-d3dkmthk-_d3dkmt_sharedprimaryunlocknotification */
typedef struct _D3DKMT_SHAREDPRIMARYUNLOCKNOTIFICATION {
    LUID AdapterLuid;
    D3DDDI_VIDEO_PRESENT_SOURCE_ID VidPnSourceId;
} D3DKMT_SHAREDPRIMARYUNLOCKNOTIFICATION;

/* ns-d3dkmthk-_d3dkmt_signalsynchronizationobject */
typedef struct _D3DKMT_SIGNALSYNCHRONIZATIONOBJECT {
    D3DKMT_HANDLE hContext;
    UINT ObjectCount;
    D3DKMT_HANDLE ObjectHandleArray[D3DDDI_MAX_OBJECT_SIGNALED];
    D3DDDICB_SIGNALFLAGS Flags;
} D3DKMT_SIGNALSYNCHRONIZATIONOBJECT;

/* ns-d3dkmthk-_d3dkmt_signalsynchronizationobject2 */
typedef struct _D3DKMT_SIGNALSYNCHRONIZATIONOBJECT2 {
    D3DKMT_HANDLE hContext;
    UINT ObjectCount;
    D3DKMT_HANDLE ObjectHandleArray[D3DDDI_MAX_OBJECT_SIGNALED];
    D3DDDICB_SIGNALFLAGS Flags;
    ULONG BroadcastContextCount;
    D3DKMT_HANDLE BroadcastContext[D3DDDI_MAX_BROADCAST_CONTEXT];
    union {
        struct {
            UINT64 FenceValue;
        } Fence;
        UINT64 Reserved[8];
    };
} D3DKMT_SIGNALSYNCHRONIZATIONOBJECT2;

/* ns-d3dkmthk-_d3dkmt_umdfilenameinfo */
typedef struct _D3DKMT_UMDFILENAMEINFO {
    KMTUMDVERSION Version;
    WCHAR UmdFileName[260];
} D3DKMT_UMDFILENAMEINFO;

/* ns-d3dkmthk-_d3dkmt_unlock */
typedef struct _D3DKMT_UNLOCK {
    D3DKMT_HANDLE hDevice;
    UINT NumAllocations;
    const D3DKMT_HANDLE *phAllocations;
} D3DKMT_UNLOCK;

/* ns-d3dkmthk-_d3dkmt_updateoverlay */
typedef struct _D3DKMT_UPDATEOVERLAY {
    D3DKMT_HANDLE hDevice;
    D3DKMT_HANDLE hOverlay;
    D3DDDI_KERNELOVERLAYINFO OverlayInfo;
} D3DKMT_UPDATEOVERLAY;

/* ns-d3dkmthk-_d3dkmt_vidmm_escape: later headers have a longer union and another third fault bit. */
typedef struct _D3DKMT_VIDMM_ESCAPE {
    D3DKMT_VIDMMESCAPETYPE Type;
    union {
        union {
            struct {
                ULONG ProbeAndLock : 1;
                ULONG SplitPoint : 1;
                ULONG HotAddMemory : 1;
                ULONG SwizzlingAperture : 1;
                ULONG PagingPathLockSubRange : 1;
                ULONG PagingPathLockMinRange : 1;
                ULONG ComplexLock : 1;
                ULONG FailVARotation : 1;
                ULONG NoWriteCombined : 1;
                ULONG NoPrePatching : 1;
                ULONG AlwaysRepatch : 1;
                ULONG ExpectPreparationFailure : 1;
                ULONG FailUserModeVAMapping : 1;
                ULONG Reserved : 19;
            };
            ULONG Value;
        } SetFault;
    };
} D3DKMT_VIDMM_ESCAPE;

/* ns-d3dkmthk-_d3dkmt_vidsch_escape: later headers have a longer union. */
typedef struct _D3DKMT_VIDSCH_ESCAPE {
    D3DKMT_VIDSCHESCAPETYPE Type;
    union {
        BOOL PreemptionControl;
        BOOL SuspendScheduler;
        D3DKMT_TDRDBGCTRLTYPE TdrControl;
        ULONG SuspendTime;
    };
} D3DKMT_VIDSCH_ESCAPE;

/* ns-d3dkmthk-_d3dkmt_virtualaddressflags */
typedef struct _D3DKMT_VIRTUALADDRESSFLAGS {
    UINT VirtualAddressSupported : 1;
    UINT Reserved : 31;
} D3DKMT_VIRTUALADDRESSFLAGS;

/* ns-d3dkmthk-_d3dkmt_virtualaddressinfo */
typedef struct _D3DKMT_VIRTUALADDRESSINFO {
    D3DKMT_VIRTUALADDRESSFLAGS VirtualAddressFlags;
} D3DKMT_VIRTUALADDRESSINFO;

/* ns-d3dkmthk-_d3dkmt_waitforidle */
typedef struct _D3DKMT_WAITFORIDLE {
    D3DKMT_HANDLE hDevice;
} D3DKMT_WAITFORIDLE;

/* ns-d3dkmthk-_d3dkmt_waitforsynchronizationobject */
typedef struct _D3DKMT_WAITFORSYNCHRONIZATIONOBJECT {
    D3DKMT_HANDLE hContext;
    UINT ObjectCount;
    D3DKMT_HANDLE ObjectHandleArray[D3DDDI_MAX_OBJECT_WAITED_ON];
} D3DKMT_WAITFORSYNCHRONIZATIONOBJECT;

/* ns-d3dkmthk-_d3dkmt_waitforsynchronizationobject2 */
typedef struct _D3DKMT_WAITFORSYNCHRONIZATIONOBJECT2 {
    D3DKMT_HANDLE hContext;
    UINT ObjectCount;
    D3DKMT_HANDLE ObjectHandleArray[D3DDDI_MAX_OBJECT_WAITED_ON];
    union {
        struct {
            UINT64 FenceValue;
        } Fence;
        UINT64 Reserved[8];
    };
} D3DKMT_WAITFORSYNCHRONIZATIONOBJECT2;

/* ns-d3dkmthk-_d3dkmt_waitforverticalblankevent */
typedef struct _D3DKMT_WAITFORVERTICALBLANKEVENT {
    D3DKMT_HANDLE hAdapter;
    D3DKMT_HANDLE hDevice;
    D3DDDI_VIDEO_PRESENT_SOURCE_ID VidPnSourceId;
} D3DKMT_WAITFORVERTICALBLANKEVENT;

/* ns-d3dkmthk-_d3dkmt_workingsetflags */
typedef struct _D3DKMT_WORKINGSETFLAGS {
    UINT UseDefault : 1;
    UINT Reserved : 31;
} D3DKMT_WORKINGSETFLAGS;

/* ns-d3dkmthk-_d3dkmt_workingsetinfo */
typedef struct _D3DKMT_WORKINGSETINFO {
    D3DKMT_WORKINGSETFLAGS Flags;
    UINT MinimumWorkingSetPercentile;
    UINT MaximumWorkingSetPercentile;
} D3DKMT_WORKINGSETINFO;

/* nc-d3dkmthk-pfnd3dkmt_acquirekeyedmutex */
typedef NTSTATUS(APIENTRY *PFND3DKMT_ACQUIREKEYEDMUTEX)(
    _Inout_ D3DKMT_ACQUIREKEYEDMUTEX *pData);

/* nc-d3dkmthk-pfnd3dkmt_changesurfacepointer */
typedef NTSTATUS(APIENTRY *PFND3DKMT_CHANGESURFACEPOINTER)(
    _In_ const D3DKMT_CHANGESURFACEPOINTER *pData);

/* nc-d3dkmthk-pfnd3dkmt_checkexclusiveownership */
typedef BOOLEAN(APIENTRY *PFND3DKMT_CHECKEXCLUSIVEOWNERSHIP)(
    VOID);

/* nc-d3dkmthk-pfnd3dkmt_checkmonitorpowerstate */
typedef NTSTATUS(APIENTRY *PFND3DKMT_CHECKMONITORPOWERSTATE)(
    _In_ const D3DKMT_CHECKMONITORPOWERSTATE *pData);

/* nc-d3dkmthk-pfnd3dkmt_checkocclusion */
typedef NTSTATUS(APIENTRY *PFND3DKMT_CHECKOCCLUSION)(
    _In_ const D3DKMT_CHECKOCCLUSION *pData);

/* nc-d3dkmthk-pfnd3dkmt_checksharedresourceaccess */
typedef NTSTATUS(APIENTRY *PFND3DKMT_CHECKSHAREDRESOURCEACCESS)(
    _In_ const D3DKMT_CHECKSHAREDRESOURCEACCESS *pData);

/* nc-d3dkmthk-pfnd3dkmt_checkvidpnexclusiveownership */
typedef NTSTATUS(APIENTRY *PFND3DKMT_CHECKVIDPNEXCLUSIVEOWNERSHIP)(
    _In_ const D3DKMT_CHECKVIDPNEXCLUSIVEOWNERSHIP *pData);

/* nc-d3dkmthk-pfnd3dkmt_closeadapter */
typedef NTSTATUS(APIENTRY *PFND3DKMT_CLOSEADAPTER)(
    _In_ const D3DKMT_CLOSEADAPTER *pData);

/* nc-d3dkmthk-pfnd3dkmt_configuresharedresource */
typedef NTSTATUS(APIENTRY *PFND3DKMT_CONFIGURESHAREDRESOURCE)(
    _In_ const D3DKMT_CONFIGURESHAREDRESOURCE *pData);

/* nc-d3dkmthk-pfnd3dkmt_createallocation */
typedef NTSTATUS(APIENTRY *PFND3DKMT_CREATEALLOCATION)(
    _Inout_ D3DKMT_CREATEALLOCATION *pData);

/* nc-d3dkmthk-pfnd3dkmt_createallocation2: Reads pAllocationInfo2. */
typedef NTSTATUS(APIENTRY *PFND3DKMT_CREATEALLOCATION2)(
    _Inout_ D3DKMT_CREATEALLOCATION *pData);

/* nc-d3dkmthk-pfnd3dkmt_createcontext */
typedef NTSTATUS(APIENTRY *PFND3DKMT_CREATECONTEXT)(
    _Inout_ D3DKMT_CREATECONTEXT *pData);

/* nc-d3dkmthk-pfnd3dkmt_createdcfrommemory */
typedef NTSTATUS(APIENTRY *PFND3DKMT_CREATEDCFROMMEMORY)(
    _Inout_ D3DKMT_CREATEDCFROMMEMORY *pData);

/* nc-d3dkmthk-pfnd3dkmt_createdevice */
typedef NTSTATUS(APIENTRY *PFND3DKMT_CREATEDEVICE)(
    _Inout_ D3DKMT_CREATEDEVICE *pData);

/* nc-d3dkmthk-pfnd3dkmt_createkeyedmutex */
typedef NTSTATUS(APIENTRY *PFND3DKMT_CREATEKEYEDMUTEX)(
    _Inout_ D3DKMT_CREATEKEYEDMUTEX *pData);

/* nc-d3dkmthk-pfnd3dkmt_createoverlay */
typedef NTSTATUS(APIENTRY *PFND3DKMT_CREATEOVERLAY)(
    _Inout_ D3DKMT_CREATEOVERLAY *pData);

/* nc-d3dkmthk-pfnd3dkmt_createsynchronizationobject */
typedef NTSTATUS(APIENTRY *PFND3DKMT_CREATESYNCHRONIZATIONOBJECT)(
    _Inout_ D3DKMT_CREATESYNCHRONIZATIONOBJECT *pData);

/* nc-d3dkmthk-pfnd3dkmt_createsynchronizationobject2 */
typedef NTSTATUS(APIENTRY *PFND3DKMT_CREATESYNCHRONIZATIONOBJECT2)(
    _Inout_ D3DKMT_CREATESYNCHRONIZATIONOBJECT2 *pData);

/* nc-d3dkmthk-pfnd3dkmt_destroyallocation */
typedef NTSTATUS(APIENTRY *PFND3DKMT_DESTROYALLOCATION)(
    _In_ const D3DKMT_DESTROYALLOCATION *pData);

/* nc-d3dkmthk-pfnd3dkmt_destroycontext */
typedef NTSTATUS(APIENTRY *PFND3DKMT_DESTROYCONTEXT)(
    _In_ const D3DKMT_DESTROYCONTEXT *pData);

/* nc-d3dkmthk-pfnd3dkmt_destroydcfrommemory */
typedef NTSTATUS(APIENTRY *PFND3DKMT_DESTROYDCFROMMEMORY)(
    _In_ const D3DKMT_DESTROYDCFROMMEMORY *pData);

/* nc-d3dkmthk-pfnd3dkmt_destroydevice */
typedef NTSTATUS(APIENTRY *PFND3DKMT_DESTROYDEVICE)(
    _In_ const D3DKMT_DESTROYDEVICE *pData);

/* nc-d3dkmthk-pfnd3dkmt_destroykeyedmutex */
typedef NTSTATUS(APIENTRY *PFND3DKMT_DESTROYKEYEDMUTEX)(
    _In_ const D3DKMT_DESTROYKEYEDMUTEX *pData);

/* nc-d3dkmthk-pfnd3dkmt_destroyoverlay */
typedef NTSTATUS(APIENTRY *PFND3DKMT_DESTROYOVERLAY)(
    _In_ const D3DKMT_DESTROYOVERLAY *pData);

/* nc-d3dkmthk-pfnd3dkmt_destroysynchronizationobject */
typedef NTSTATUS(APIENTRY *PFND3DKMT_DESTROYSYNCHRONIZATIONOBJECT)(
    _In_ const D3DKMT_DESTROYSYNCHRONIZATIONOBJECT *pData);

/* nc-d3dkmthk-pfnd3dkmt_escape */
typedef NTSTATUS(APIENTRY *PFND3DKMT_ESCAPE)(
    _In_ const D3DKMT_ESCAPE *pData);

/* nc-d3dkmthk-pfnd3dkmt_flipoverlay */
typedef NTSTATUS(APIENTRY *PFND3DKMT_FLIPOVERLAY)(
    _In_ const D3DKMT_FLIPOVERLAY *pData);

/* nc-d3dkmthk-pfnd3dkmt_getcontextschedulingpriority */
typedef NTSTATUS(APIENTRY *PFND3DKMT_GETCONTEXTSCHEDULINGPRIORITY)(
    _Inout_ D3DKMT_GETCONTEXTSCHEDULINGPRIORITY *pData);

/* nc-d3dkmthk-pfnd3dkmt_getdevicestate */
typedef NTSTATUS(APIENTRY *PFND3DKMT_GETDEVICESTATE)(
    _Inout_ D3DKMT_GETDEVICESTATE *pData);

/* nc-d3dkmthk-pfnd3dkmt_getdisplaymodelist */
typedef NTSTATUS(APIENTRY *PFND3DKMT_GETDISPLAYMODELIST)(
    _Inout_ D3DKMT_GETDISPLAYMODELIST *pData);

/* nc-d3dkmthk-pfnd3dkmt_getmultisamplemethodlist */
typedef NTSTATUS(APIENTRY *PFND3DKMT_GETMULTISAMPLEMETHODLIST)(
    _Inout_ D3DKMT_GETMULTISAMPLEMETHODLIST *pData);

/* nc-d3dkmthk-pfnd3dkmt_getoverlaystate */
typedef NTSTATUS(APIENTRY *PFND3DKMT_GETOVERLAYSTATE)(
    _Inout_ D3DKMT_GETOVERLAYSTATE *pData);

/* nc-d3dkmthk-pfnd3dkmt_getpresenthistory */
typedef NTSTATUS(APIENTRY *PFND3DKMT_GETPRESENTHISTORY)(
    _Inout_ D3DKMT_GETPRESENTHISTORY *pData);

/* nc-d3dkmthk-pfnd3dkmt_getprocessschedulingpriorityclass */
typedef NTSTATUS(APIENTRY *PFND3DKMT_GETPROCESSSCHEDULINGPRIORITYCLASS)(
    _In_ HANDLE hProcess,
    _Out_ D3DKMT_SCHEDULINGPRIORITYCLASS *pPriority);

/* nc-d3dkmthk-pfnd3dkmt_getruntimedata */
typedef NTSTATUS(APIENTRY *PFND3DKMT_GETRUNTIMEDATA)(
    _Inout_ D3DKMT_GETRUNTIMEDATA *pData);

/* nc-d3dkmthk-pfnd3dkmt_getscanline */
typedef NTSTATUS(APIENTRY *PFND3DKMT_GETSCANLINE)(
    _Inout_ D3DKMT_GETSCANLINE *pData);

/* nc-d3dkmthk-pfnd3dkmt_getsharedprimaryhandle */
typedef NTSTATUS(APIENTRY *PFND3DKMT_GETSHAREDPRIMARYHANDLE)(
    _Inout_ D3DKMT_GETSHAREDPRIMARYHANDLE *pData);

/* nc-d3dkmthk-pfnd3dkmt_invalidateactivevidpn */
typedef NTSTATUS(APIENTRY *PFND3DKMT_INVALIDATEACTIVEVIDPN)(
    _In_ const D3DKMT_INVALIDATEACTIVEVIDPN *pData);

/* nc-d3dkmthk-pfnd3dkmt_lock */
typedef NTSTATUS(APIENTRY *PFND3DKMT_LOCK)(
    _Inout_ D3DKMT_LOCK *pData);

/* nc-d3dkmthk-pfnd3dkmt_openadapterfromdevicename */
typedef NTSTATUS(APIENTRY *PFND3DKMT_OPENADAPTERFROMDEVICENAME)(
    _Inout_ D3DKMT_OPENADAPTERFROMDEVICENAME *pData);

/* nc-d3dkmthk-pfnd3dkmt_openadapterfromgdidisplayname */
typedef NTSTATUS(APIENTRY *PFND3DKMT_OPENADAPTERFROMGDIDISPLAYNAME)(
    _Inout_ D3DKMT_OPENADAPTERFROMGDIDISPLAYNAME *pData);

/* nc-d3dkmthk-pfnd3dkmt_openadapterfromhdc */
typedef NTSTATUS(APIENTRY *PFND3DKMT_OPENADAPTERFROMHDC)(
    _Inout_ D3DKMT_OPENADAPTERFROMHDC *pData);

/* nc-d3dkmthk-pfnd3dkmt_openkeyedmutex */
typedef NTSTATUS(APIENTRY *PFND3DKMT_OPENKEYEDMUTEX)(
    _Inout_ D3DKMT_OPENKEYEDMUTEX *pData);

/* nc-d3dkmthk-pfnd3dkmt_openresource */
typedef NTSTATUS(APIENTRY *PFND3DKMT_OPENRESOURCE)(
    _Inout_ D3DKMT_OPENRESOURCE *pData);

/* nc-d3dkmthk-pfnd3dkmt_openresource2: Reads pOpenAllocationInfo2. */
typedef NTSTATUS(APIENTRY *PFND3DKMT_OPENRESOURCE2)(
    _Inout_ D3DKMT_OPENRESOURCE *pData);

/* nc-d3dkmthk-pfnd3dkmt_opensynchronizationobject */
typedef NTSTATUS(APIENTRY *PFND3DKMT_OPENSYNCHRONIZATIONOBJECT)(
    _Inout_ D3DKMT_OPENSYNCHRONIZATIONOBJECT *pData);

/* nc-d3dkmthk-pfnd3dkmt_polldisplaychildren */
typedef NTSTATUS(APIENTRY *PFND3DKMT_POLLDISPLAYCHILDREN)(
    _In_ const D3DKMT_POLLDISPLAYCHILDREN *pData);

/* nc-d3dkmthk-pfnd3dkmt_present */
typedef NTSTATUS(APIENTRY *PFND3DKMT_PRESENT)(
    _Inout_ D3DKMT_PRESENT *pData);

/* nc-d3dkmthk-pfnd3dkmt_queryadapterinfo */
typedef NTSTATUS(APIENTRY *PFND3DKMT_QUERYADAPTERINFO)(
    _Inout_ D3DKMT_QUERYADAPTERINFO *Arg1);

/* nc-d3dkmthk-pfnd3dkmt_queryallocationresidency */
typedef NTSTATUS(APIENTRY *PFND3DKMT_QUERYALLOCATIONRESIDENCY)(
    _In_ const D3DKMT_QUERYALLOCATIONRESIDENCY *pData);

/* nc-d3dkmthk-pfnd3dkmt_queryresourceinfo */
typedef NTSTATUS(APIENTRY *PFND3DKMT_QUERYRESOURCEINFO)(
    _Inout_ D3DKMT_QUERYRESOURCEINFO *pData);

/* nc-d3dkmthk-pfnd3dkmt_releasekeyedmutex */
typedef NTSTATUS(APIENTRY *PFND3DKMT_RELEASEKEYEDMUTEX)(
    _Inout_ D3DKMT_RELEASEKEYEDMUTEX *pData);

/* nc-d3dkmthk-pfnd3dkmt_releaseprocessvidpnsourceowners */
typedef NTSTATUS(APIENTRY *PFND3DKMT_RELEASEPROCESSVIDPNSOURCEOWNERS)(
    _In_ HANDLE hProcess);

/* nc-d3dkmthk-pfnd3dkmt_render */
typedef NTSTATUS(APIENTRY *PFND3DKMT_RENDER)(
    _Inout_ D3DKMT_RENDER *pData);

/* nc-d3dkmthk-pfnd3dkmt_setallocationpriority */
typedef NTSTATUS(APIENTRY *PFND3DKMT_SETALLOCATIONPRIORITY)(
    _In_ const D3DKMT_SETALLOCATIONPRIORITY *pData);

/* nc-d3dkmthk-pfnd3dkmt_setcontextschedulingpriority */
typedef NTSTATUS(APIENTRY *PFND3DKMT_SETCONTEXTSCHEDULINGPRIORITY)(
    _In_ const D3DKMT_SETCONTEXTSCHEDULINGPRIORITY *pData);

/* nc-d3dkmthk-pfnd3dkmt_setdisplaymode */
typedef NTSTATUS(APIENTRY *PFND3DKMT_SETDISPLAYMODE)(
    _Inout_ D3DKMT_SETDISPLAYMODE *pData);

/* nc-d3dkmthk-pfnd3dkmt_setdisplayprivatedriverformat */
typedef NTSTATUS(APIENTRY *PFND3DKMT_SETDISPLAYPRIVATEDRIVERFORMAT)(
    _In_ const D3DKMT_SETDISPLAYPRIVATEDRIVERFORMAT *pData);

/* nc-d3dkmthk-pfnd3dkmt_setgammaramp */
typedef NTSTATUS(APIENTRY *PFND3DKMT_SETGAMMARAMP)(
    _In_ const D3DKMT_SETGAMMARAMP *pData);

/* nc-d3dkmthk-pfnd3dkmt_setprocessschedulingpriorityclass */
typedef NTSTATUS(APIENTRY *PFND3DKMT_SETPROCESSSCHEDULINGPRIORITYCLASS)(
    _In_ HANDLE hProcess,
    _In_ D3DKMT_SCHEDULINGPRIORITYCLASS Priority);

/* nc-d3dkmthk-pfnd3dkmt_setqueuedlimit */
typedef NTSTATUS(APIENTRY *PFND3DKMT_SETQUEUEDLIMIT)(
    _Inout_ D3DKMT_SETQUEUEDLIMIT *pData);

/* nc-d3dkmthk-pfnd3dkmt_setvidpnsourceowner */
typedef NTSTATUS(APIENTRY *PFND3DKMT_SETVIDPNSOURCEOWNER)(
    _In_ const D3DKMT_SETVIDPNSOURCEOWNER *pData);

/* nc-d3dkmthk-pfnd3dkmt_sharedprimarylocknotification */
typedef NTSTATUS(APIENTRY *PFND3DKMT_SHAREDPRIMARYLOCKNOTIFICATION)(
    _In_ const D3DKMT_SHAREDPRIMARYLOCKNOTIFICATION *pData);

/* nc-d3dkmthk-pfnd3dkmt_sharedprimaryunlocknotification */
typedef NTSTATUS(APIENTRY *PFND3DKMT_SHAREDPRIMARYUNLOCKNOTIFICATION)(
    _In_ const D3DKMT_SHAREDPRIMARYUNLOCKNOTIFICATION *pData);

/* nc-d3dkmthk-pfnd3dkmt_signalsynchronizationobject */
typedef NTSTATUS(APIENTRY *PFND3DKMT_SIGNALSYNCHRONIZATIONOBJECT)(
    _In_ const D3DKMT_SIGNALSYNCHRONIZATIONOBJECT *pData);

/* nc-d3dkmthk-pfnd3dkmt_signalsynchronizationobject2 */
typedef NTSTATUS(APIENTRY *PFND3DKMT_SIGNALSYNCHRONIZATIONOBJECT2)(
    _In_ const D3DKMT_SIGNALSYNCHRONIZATIONOBJECT2 *pData);

/* nc-d3dkmthk-pfnd3dkmt_unlock */
typedef NTSTATUS(APIENTRY *PFND3DKMT_UNLOCK)(
    _In_ const D3DKMT_UNLOCK *pData);

/* nc-d3dkmthk-pfnd3dkmt_updateoverlay */
typedef NTSTATUS(APIENTRY *PFND3DKMT_UPDATEOVERLAY)(
    _In_ const D3DKMT_UPDATEOVERLAY *pData);

/* nc-d3dkmthk-pfnd3dkmt_waitforidle */
typedef NTSTATUS(APIENTRY *PFND3DKMT_WAITFORIDLE)(
    _In_ const D3DKMT_WAITFORIDLE *pData);

/* nc-d3dkmthk-pfnd3dkmt_waitforsynchronizationobject */
typedef NTSTATUS(APIENTRY *PFND3DKMT_WAITFORSYNCHRONIZATIONOBJECT)(
    _In_ const D3DKMT_WAITFORSYNCHRONIZATIONOBJECT *pData);

/* nc-d3dkmthk-pfnd3dkmt_waitforsynchronizationobject2 */
typedef NTSTATUS(APIENTRY *PFND3DKMT_WAITFORSYNCHRONIZATIONOBJECT2)(
    _In_ const D3DKMT_WAITFORSYNCHRONIZATIONOBJECT2 *pData);

/* nc-d3dkmthk-pfnd3dkmt_waitforverticalblankevent */
typedef NTSTATUS(APIENTRY *PFND3DKMT_WAITFORVERTICALBLANKEVENT)(
    _In_ const D3DKMT_WAITFORVERTICALBLANKEVENT *pData);

/* Exports of gdi32.dll. */
NTSTATUS APIENTRY D3DKMTAcquireKeyedMutex(_Inout_ D3DKMT_ACQUIREKEYEDMUTEX *pData);
NTSTATUS APIENTRY D3DKMTChangeSurfacePointer(_In_ const D3DKMT_CHANGESURFACEPOINTER *pData);
BOOLEAN APIENTRY D3DKMTCheckExclusiveOwnership(VOID);
NTSTATUS APIENTRY D3DKMTCheckMonitorPowerState(_In_ const D3DKMT_CHECKMONITORPOWERSTATE *pData);
NTSTATUS APIENTRY D3DKMTCheckOcclusion(_In_ const D3DKMT_CHECKOCCLUSION *pData);
NTSTATUS APIENTRY D3DKMTCheckSharedResourceAccess(_In_ const D3DKMT_CHECKSHAREDRESOURCEACCESS *pData);
NTSTATUS APIENTRY D3DKMTCheckVidPnExclusiveOwnership(_In_ const D3DKMT_CHECKVIDPNEXCLUSIVEOWNERSHIP *pData);
NTSTATUS APIENTRY D3DKMTCloseAdapter(_In_ const D3DKMT_CLOSEADAPTER *pData);
NTSTATUS APIENTRY D3DKMTConfigureSharedResource(_In_ const D3DKMT_CONFIGURESHAREDRESOURCE *pData);
NTSTATUS APIENTRY D3DKMTCreateAllocation(_Inout_ D3DKMT_CREATEALLOCATION *pData);
NTSTATUS APIENTRY D3DKMTCreateAllocation2(_Inout_ D3DKMT_CREATEALLOCATION *pData);
NTSTATUS APIENTRY D3DKMTCreateContext(_Inout_ D3DKMT_CREATECONTEXT *pData);
NTSTATUS APIENTRY D3DKMTCreateDCFromMemory(_Inout_ D3DKMT_CREATEDCFROMMEMORY *pData);
NTSTATUS APIENTRY D3DKMTCreateDevice(_Inout_ D3DKMT_CREATEDEVICE *pData);
NTSTATUS APIENTRY D3DKMTCreateKeyedMutex(_Inout_ D3DKMT_CREATEKEYEDMUTEX *pData);
NTSTATUS APIENTRY D3DKMTCreateOverlay(_Inout_ D3DKMT_CREATEOVERLAY *pData);
NTSTATUS APIENTRY D3DKMTCreateSynchronizationObject(_Inout_ D3DKMT_CREATESYNCHRONIZATIONOBJECT *pData);
NTSTATUS APIENTRY D3DKMTCreateSynchronizationObject2(_Inout_ D3DKMT_CREATESYNCHRONIZATIONOBJECT2 *pData);
NTSTATUS APIENTRY D3DKMTDestroyAllocation(_In_ const D3DKMT_DESTROYALLOCATION *pData);
NTSTATUS APIENTRY D3DKMTDestroyContext(_In_ const D3DKMT_DESTROYCONTEXT *pData);
NTSTATUS APIENTRY D3DKMTDestroyDCFromMemory(_In_ const D3DKMT_DESTROYDCFROMMEMORY *pData);
NTSTATUS APIENTRY D3DKMTDestroyDevice(_In_ const D3DKMT_DESTROYDEVICE *pData);
NTSTATUS APIENTRY D3DKMTDestroyKeyedMutex(_In_ const D3DKMT_DESTROYKEYEDMUTEX *pData);
NTSTATUS APIENTRY D3DKMTDestroyOverlay(_In_ const D3DKMT_DESTROYOVERLAY *pData);
NTSTATUS APIENTRY D3DKMTDestroySynchronizationObject(_In_ const D3DKMT_DESTROYSYNCHRONIZATIONOBJECT *pData);
NTSTATUS APIENTRY D3DKMTEscape(_In_ const D3DKMT_ESCAPE *pData);
NTSTATUS APIENTRY D3DKMTFlipOverlay(_In_ const D3DKMT_FLIPOVERLAY *pData);
NTSTATUS APIENTRY D3DKMTGetContextSchedulingPriority(_Inout_ D3DKMT_GETCONTEXTSCHEDULINGPRIORITY *pData);
NTSTATUS APIENTRY D3DKMTGetDeviceState(_Inout_ D3DKMT_GETDEVICESTATE *pData);
NTSTATUS APIENTRY D3DKMTGetDisplayModeList(_Inout_ D3DKMT_GETDISPLAYMODELIST *pData);
NTSTATUS APIENTRY D3DKMTGetMultisampleMethodList(_Inout_ D3DKMT_GETMULTISAMPLEMETHODLIST *pData);
NTSTATUS APIENTRY D3DKMTGetOverlayState(_Inout_ D3DKMT_GETOVERLAYSTATE *pData);
NTSTATUS APIENTRY D3DKMTGetPresentHistory(_Inout_ D3DKMT_GETPRESENTHISTORY *pData);
NTSTATUS APIENTRY D3DKMTGetProcessSchedulingPriorityClass(
    _In_ HANDLE hProcess,
    _Out_ D3DKMT_SCHEDULINGPRIORITYCLASS *pPriority);
NTSTATUS APIENTRY D3DKMTGetRuntimeData(_Inout_ D3DKMT_GETRUNTIMEDATA *pData);
NTSTATUS APIENTRY D3DKMTGetScanLine(_Inout_ D3DKMT_GETSCANLINE *pData);
NTSTATUS APIENTRY D3DKMTGetSharedPrimaryHandle(_Inout_ D3DKMT_GETSHAREDPRIMARYHANDLE *pData);
NTSTATUS APIENTRY D3DKMTInvalidateActiveVidPn(_In_ const D3DKMT_INVALIDATEACTIVEVIDPN *pData);
NTSTATUS APIENTRY D3DKMTLock(_Inout_ D3DKMT_LOCK *pData);
NTSTATUS APIENTRY D3DKMTOpenAdapterFromDeviceName(_Inout_ D3DKMT_OPENADAPTERFROMDEVICENAME *pData);
NTSTATUS APIENTRY D3DKMTOpenAdapterFromGdiDisplayName(_Inout_ D3DKMT_OPENADAPTERFROMGDIDISPLAYNAME *pData);
NTSTATUS APIENTRY D3DKMTOpenAdapterFromHdc(_Inout_ D3DKMT_OPENADAPTERFROMHDC *pData);
NTSTATUS APIENTRY D3DKMTOpenKeyedMutex(_Inout_ D3DKMT_OPENKEYEDMUTEX *pData);
NTSTATUS APIENTRY D3DKMTOpenResource(_Inout_ D3DKMT_OPENRESOURCE *pData);
NTSTATUS APIENTRY D3DKMTOpenResource2(_Inout_ D3DKMT_OPENRESOURCE *pData);
NTSTATUS APIENTRY D3DKMTOpenSynchronizationObject(_Inout_ D3DKMT_OPENSYNCHRONIZATIONOBJECT *pData);
NTSTATUS APIENTRY D3DKMTPollDisplayChildren(_In_ const D3DKMT_POLLDISPLAYCHILDREN *pData);
NTSTATUS APIENTRY D3DKMTPresent(_Inout_ D3DKMT_PRESENT *pData);
NTSTATUS APIENTRY D3DKMTQueryAdapterInfo(_Inout_ D3DKMT_QUERYADAPTERINFO *Arg1);
NTSTATUS APIENTRY D3DKMTQueryAllocationResidency(_In_ const D3DKMT_QUERYALLOCATIONRESIDENCY *pData);
NTSTATUS APIENTRY D3DKMTQueryResourceInfo(_Inout_ D3DKMT_QUERYRESOURCEINFO *pData);
NTSTATUS APIENTRY D3DKMTReleaseKeyedMutex(_Inout_ D3DKMT_RELEASEKEYEDMUTEX *pData);
NTSTATUS APIENTRY D3DKMTReleaseProcessVidPnSourceOwners(_In_ HANDLE hProcess);
NTSTATUS APIENTRY D3DKMTRender(_Inout_ D3DKMT_RENDER *pData);
NTSTATUS APIENTRY D3DKMTSetAllocationPriority(_In_ const D3DKMT_SETALLOCATIONPRIORITY *pData);
NTSTATUS APIENTRY D3DKMTSetContextSchedulingPriority(_In_ const D3DKMT_SETCONTEXTSCHEDULINGPRIORITY *pData);
NTSTATUS APIENTRY D3DKMTSetDisplayMode(_Inout_ D3DKMT_SETDISPLAYMODE *pData);
NTSTATUS APIENTRY D3DKMTSetDisplayPrivateDriverFormat(_In_ const D3DKMT_SETDISPLAYPRIVATEDRIVERFORMAT *pData);
NTSTATUS APIENTRY D3DKMTSetGammaRamp(_In_ const D3DKMT_SETGAMMARAMP *pData);
NTSTATUS APIENTRY D3DKMTSetProcessSchedulingPriorityClass(
    _In_ HANDLE hProcess,
    _In_ D3DKMT_SCHEDULINGPRIORITYCLASS Priority);
NTSTATUS APIENTRY D3DKMTSetQueuedLimit(_Inout_ D3DKMT_SETQUEUEDLIMIT *pData);
NTSTATUS APIENTRY D3DKMTSetVidPnSourceOwner(_In_ const D3DKMT_SETVIDPNSOURCEOWNER *pData);
NTSTATUS APIENTRY D3DKMTSharedPrimaryLockNotification(_In_ const D3DKMT_SHAREDPRIMARYLOCKNOTIFICATION *pData);
NTSTATUS APIENTRY D3DKMTSharedPrimaryUnLockNotification(_In_ const D3DKMT_SHAREDPRIMARYUNLOCKNOTIFICATION *pData);
NTSTATUS APIENTRY D3DKMTSignalSynchronizationObject(_In_ const D3DKMT_SIGNALSYNCHRONIZATIONOBJECT *pData);
NTSTATUS APIENTRY D3DKMTSignalSynchronizationObject2(_In_ const D3DKMT_SIGNALSYNCHRONIZATIONOBJECT2 *pData);
NTSTATUS APIENTRY D3DKMTUnlock(_In_ const D3DKMT_UNLOCK *pData);
NTSTATUS APIENTRY D3DKMTUpdateOverlay(_In_ const D3DKMT_UPDATEOVERLAY *pData);
NTSTATUS APIENTRY D3DKMTWaitForIdle(_In_ const D3DKMT_WAITFORIDLE *pData);
NTSTATUS APIENTRY D3DKMTWaitForSynchronizationObject(_In_ const D3DKMT_WAITFORSYNCHRONIZATIONOBJECT *pData);
NTSTATUS APIENTRY D3DKMTWaitForSynchronizationObject2(_In_ const D3DKMT_WAITFORSYNCHRONIZATIONOBJECT2 *pData);
NTSTATUS APIENTRY D3DKMTWaitForVerticalBlankEvent(_In_ const D3DKMT_WAITFORVERTICALBLANKEVENT *pData);

#ifdef __cplusplus
}
#endif

#endif
