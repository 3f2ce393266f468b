/* SPDX-License-Identifier: MIT
 * dispmprt.h: a display miniport driver's entry points and the port driver's callbacks.
 * Windows 7 interface level. Written from Microsoft's documentation; each declaration names its page
 * (under "windows-hardware/drivers/ddi/") and, for functions, the IRQL that the page gives.
 * Layouts are checked against recorded ones by ddi/test. */
#ifndef _DISPMPRT_H_
#define _DISPMPRT_H_

#include "d3dkmddi.h"

#ifdef __cplusplus
extern "C" {
#endif

/* nc-dispmprt-dxgkddi_set_power_state: the adapter itself, not one of its children. */
#define DISPLAY_ADAPTER_HW_ID 0xFFFFFFFFu

#define DXGK_ACPI_CHANGE_DISPLAY_MODE 2
#define DXGK_ACPI_CHANGE_DISPLAY_TOPOLOGY 4
#define DXGK_ACPI_PASS_ARGS_TO_CHILDREN 0x61726150u
#define DXGK_ACPI_POLL_DISPLAY_CHILDREN 1
#define DXGK_AGPCOMMAND_AGP1X 1
#define DXGK_AGPCOMMAND_AGP2X 2
#define DXGK_AGPCOMMAND_AGP4X 4
#define DXGK_AGPCOMMAND_AGP8X 8
#define DXGK_AGPCOMMAND_DISABLE_FW 0x20000u
#define DXGK_AGPCOMMAND_DISABLE_SBA 0x10000u
#define DXGK_AGP_INTERFACE_VERSION_1 1
#define DXGK_BRIGHTNESS_INTERFACE_VERSION_1 1
#define DXGK_DEBUG_REPORT_INTERFACE_VERSION_1 1
#define DXGK_DEBUG_REPORT_MAX_SIZE 0xF800u
#define DXGK_EXCLUDE_BRIDGE_ACCESS 4
#define DXGK_EXCLUDE_CALL_SYNCHRONOUS 2
#define DXGK_EXCLUDE_EVICT_ALL 1
#define DXGK_I2C_INTERFACE_VERSION_1 1
#define DXGK_MAX_REG_SZ_LEN 51
#define DXGK_MAX_STRING_LEN 50
#define DXGK_OPM_INTERFACE_VERSION_1 1
#define DXGK_SECONDARY_BUCKETING_TAG 0x6253734Du
#define DXGK_TIMED_OPERATION_INTERFACE_VERSION_1 1
#define DXGK_TIMED_OPERATION_TIMEOUT_MAX_SECONDS 5
#define DXGK_WHICHSPACE_BRIDGE 0x80000001u
#define DXGK_WHICHSPACE_CONFIG 0
#define DXGK_WHICHSPACE_MCH 0x80000000u
#define DXGK_WHICHSPACE_ROM 0x52696350u

/* ne-dispmprt-docking_state */
typedef enum _DOCKING_STATE {
    DockStateUnsupported = 0,
    DockStateUnDocked = 1,
    DockStateDocked = 2,
    DockStateUnknown = 3
} DOCKING_STATE;

/* ne-dispmprt-_dxgk_child_device_type */
typedef enum _DXGK_CHILD_DEVICE_TYPE {
    TypeUninitialized = 0,
    TypeVideoOutput = 1,
    TypeOther = 2
} DXGK_CHILD_DEVICE_TYPE, *PDXGK_CHILD_DEVICE_TYPE;

/* ne-dispmprt-_dxgk_child_status_type */
typedef enum _DXGK_CHILD_STATUS_TYPE {
    StatusUninitialized = 0,
    StatusConnection = 1,
    StatusRotation = 2
} DXGK_CHILD_STATUS_TYPE, *PDXGK_CHILD_STATUS_TYPE;

/* ne-dispmprt-_dxgk_event_type */
typedef enum _DXGK_EVENT_TYPE {
    DxgkUndefinedEvent = 0,
    DxgkAcpiEvent = 1,
    DxgkPowerStateEvent = 2,
    DxgkDockingEvent = 3
} DXGK_EVENT_TYPE, *PDXGK_EVENT_TYPE;

/* ne-dispmprt-dxgk_services */
typedef enum _DXGK_SERVICES {
    DxgkServicesAgp = 0,
    DxgkServicesDebugReport = 1,
    DxgkServicesTimedOperation = 2
} DXGK_SERVICES;

/* ns-acpiioct-_acpi_eval_input_buffer_complex_v1, ns-acpiioct-_acpi_eval_output_buffer_v1 (complete in acpiioct.h) */
struct _ACPI_EVAL_INPUT_BUFFER_COMPLEX;
struct _ACPI_EVAL_OUTPUT_BUFFER;
typedef struct _ACPI_EVAL_INPUT_BUFFER_COMPLEX *PACPI_EVAL_INPUT_BUFFER_COMPLEX;
typedef struct _ACPI_EVAL_OUTPUT_BUFFER *PACPI_EVAL_OUTPUT_BUFFER;

/* nc-dispmprt-dxgkddi_add_device; PASSIVE_LEVEL */
typedef NTSTATUS APIENTRY DXGKDDI_ADD_DEVICE(
    _In_ const PDEVICE_OBJECT PhysicalDeviceObject,
    _Out_ PVOID *MiniportDeviceContext);
typedef DXGKDDI_ADD_DEVICE *PDXGKDDI_ADD_DEVICE;

/* nc-dispmprt-dxgkddi_control_etw_logging; PASSIVE_LEVEL */
typedef VOID APIENTRY DXGKDDI_CONTROL_ETW_LOGGING(
    _In_ BOOLEAN Enable,
    _In_ ULONG Flags,
    _In_ UCHAR Level);
typedef DXGKDDI_CONTROL_ETW_LOGGING *PDXGKDDI_CONTROL_ETW_LOGGING;

/* ns-video-_video_request_packet */
typedef struct _STATUS_BLOCK {
    union {
        LONG Status;
        PVOID Pointer;
    };
    ULONG_PTR Information;
} STATUS_BLOCK, *PSTATUS_BLOCK;

typedef struct _VIDEO_REQUEST_PACKET {
    ULONG IoControlCode;
    PSTATUS_BLOCK StatusBlock;
    PVOID InputBuffer;
    ULONG InputBufferLength;
    PVOID OutputBuffer;
    ULONG OutputBufferLength;
} VIDEO_REQUEST_PACKET, *PVIDEO_REQUEST_PACKET;

/* nc-dispmprt-dxgkddi_dispatch_io_request; PASSIVE_LEVEL */
typedef NTSTATUS APIENTRY DXGKDDI_DISPATCH_IO_REQUEST(
    _In_ const PVOID MiniportDeviceContext,
    _In_ ULONG VidPnSourceId,
    _In_ PVIDEO_REQUEST_PACKET VideoRequestPacket);
typedef DXGKDDI_DISPATCH_IO_REQUEST *PDXGKDDI_DISPATCH_IO_REQUEST;

/* nc-dispmprt-dxgkddi_dpc_routine; DISPATCH_LEVEL */
typedef VOID APIENTRY DXGKDDI_DPC_ROUTINE(
    _In_ const PVOID MiniportDeviceContext);
typedef DXGKDDI_DPC_ROUTINE *PDXGKDDI_DPC_ROUTINE;

/* nc-dispmprt-dxgkddi_interrupt_routine; IRQL: see its remarks */
typedef BOOLEAN APIENTRY DXGKDDI_INTERRUPT_ROUTINE(
    _In_ const PVOID MiniportDeviceContext,
    _In_ ULONG MessageNumber);
typedef DXGKDDI_INTERRUPT_ROUTINE *PDXGKDDI_INTERRUPT_ROUTINE;

/* ns-dispmprt-_linked_device */
typedef struct _LINKED_DEVICE {
    ULONG ChainUid;
    ULONG NumberOfLinksInChain;
    BOOLEAN LeadLink;
} LINKED_DEVICE, *PLINKED_DEVICE;

/* nc-dispmprt-dxgkddi_link_device; PASSIVE_LEVEL */
typedef NTSTATUS APIENTRY DXGKDDI_LINK_DEVICE(
    _In_ const PDEVICE_OBJECT PhysicalDeviceObject,
    _In_ const PVOID MiniportDeviceContext,
    _Inout_ PLINKED_DEVICE LinkedDevice);
typedef DXGKDDI_LINK_DEVICE *PDXGKDDI_LINK_DEVICE;

/* nc-dispmprt-dxgkddi_notify_acpi_event; PASSIVE_LEVEL */
typedef NTSTATUS APIENTRY DXGKDDI_NOTIFY_ACPI_EVENT(
    _In_ const PVOID MiniportDeviceContext,
    _In_ DXGK_EVENT_TYPE EventType,
    _In_ ULONG Event,
    _In_ PVOID Argument,
    _Out_ PULONG AcpiFlags);
typedef DXGKDDI_NOTIFY_ACPI_EVENT *PDXGKDDI_NOTIFY_ACPI_EVENT;

/* ns-dispmprt-_dxgk_video_output_capabilities */
typedef struct _DXGK_VIDEO_OUTPUT_CAPABILITIES {
    D3DKMDT_VIDEO_OUTPUT_TECHNOLOGY InterfaceTechnology;
    D3DKMDT_MONITOR_ORIENTATION_AWARENESS MonitorOrientationAwareness;
    BOOLEAN SupportsSdtvModes;
} DXGK_VIDEO_OUTPUT_CAPABILITIES, *PDXGK_VIDEO_OUTPUT_CAPABILITIES;

/* ns-dispmprt-_dxgk_child_capabilities */
typedef struct _DXGK_CHILD_CAPABILITIES {
    union {
        DXGK_VIDEO_OUTPUT_CAPABILITIES VideoOutput;
        struct {
            UINT MustBeZero;
        } Other;
    } Type;
    DXGK_CHILD_DEVICE_HPD_AWARENESS HpdAwareness;
} DXGK_CHILD_CAPABILITIES, *PDXGK_CHILD_CAPABILITIES;

/* ns-dispmprt-_dxgk_child_descriptor */
typedef struct _DXGK_CHILD_DESCRIPTOR {
    DXGK_CHILD_DEVICE_TYPE ChildDeviceType;
    DXGK_CHILD_CAPABILITIES ChildCapabilities;
    ULONG AcpiUid;
    ULONG ChildUid;
} DXGK_CHILD_DESCRIPTOR, *PDXGK_CHILD_DESCRIPTOR;

/* nc-dispmprt-dxgkddi_query_child_relations; PASSIVE_LEVEL */
typedef NTSTATUS APIENTRY DXGKDDI_QUERY_CHILD_RELATIONS(
    _In_ const PVOID MiniportDeviceContext,
    _Inout_ PDXGK_CHILD_DESCRIPTOR ChildRelations,
    _In_ ULONG ChildRelationsSize);
typedef DXGKDDI_QUERY_CHILD_RELATIONS *PDXGKDDI_QUERY_CHILD_RELATIONS;

/* ns-dispmprt-_dxgk_child_status */
typedef struct _DXGK_CHILD_STATUS {
    DXGK_CHILD_STATUS_TYPE Type;
    ULONG ChildUid;
    union {
        struct {
            BOOLEAN Connected;
        } HotPlug;
        struct {
            UCHAR Angle;
        } Rotation;
    };
} DXGK_CHILD_STATUS, *PDXGK_CHILD_STATUS;

/* nc-dispmprt-dxgkddi_query_child_status; PASSIVE_LEVEL */
typedef NTSTATUS APIENTRY DXGKDDI_QUERY_CHILD_STATUS(
    _In_ const PVOID MiniportDeviceContext,
    _Inout_ PDXGK_CHILD_STATUS ChildStatus,
    _In_ BOOLEAN NonDestructiveOnly);
typedef DXGKDDI_QUERY_CHILD_STATUS *PDXGKDDI_QUERY_CHILD_STATUS;

/* ns-dispmprt-_dxgk_device_descriptor */
typedef struct _DXGK_DEVICE_DESCRIPTOR {
    ULONG DescriptorOffset;
    ULONG DescriptorLength;
    PVOID DescriptorBuffer;
} DXGK_DEVICE_DESCRIPTOR, *PDXGK_DEVICE_DESCRIPTOR;

/* nc-dispmprt-dxgkddi_query_device_descriptor; PASSIVE_LEVEL */
typedef NTSTATUS APIENTRY DXGKDDI_QUERY_DEVICE_DESCRIPTOR(
    _In_ const PVOID MiniportDeviceContext,
    _In_ ULONG ChildUid,
    _Inout_ PDXGK_DEVICE_DESCRIPTOR DeviceDescriptor);
typedef DXGKDDI_QUERY_DEVICE_DESCRIPTOR *PDXGKDDI_QUERY_DEVICE_DESCRIPTOR;

/* ns-video-_query_interface */
typedef struct _QUERY_INTERFACE {
    const GUID *InterfaceType;
    USHORT Size;
    USHORT Version;
    PINTERFACE Interface;
    PVOID InterfaceSpecificData;
} QUERY_INTERFACE, *PQUERY_INTERFACE;

/* nc-dispmprt-dxgkddi_query_interface; PASSIVE_LEVEL */
typedef NTSTATUS APIENTRY DXGKDDI_QUERY_INTERFACE(
    _In_ const PVOID MiniportDeviceContext,
    _In_ PQUERY_INTERFACE QueryInterface);
typedef DXGKDDI_QUERY_INTERFACE *PDXGKDDI_QUERY_INTERFACE;

/* nc-dispmprt-dxgkddi_remove_device; PASSIVE_LEVEL */
typedef NTSTATUS APIENTRY DXGKDDI_REMOVE_DEVICE(
    _In_ const PVOID MiniportDeviceContext);
typedef DXGKDDI_REMOVE_DEVICE *PDXGKDDI_REMOVE_DEVICE;

/* nc-dispmprt-dxgkddi_reset_device; Any level (see Remarks section) */
typedef VOID APIENTRY DXGKDDI_RESET_DEVICE(
    _In_ const PVOID MiniportDeviceContext);
typedef DXGKDDI_RESET_DEVICE *PDXGKDDI_RESET_DEVICE;

/* nc-dispmprt-dxgkddi_set_power_state; PASSIVE_LEVEL */
typedef NTSTATUS APIENTRY DXGKDDI_SET_POWER_STATE(
    _In_ const PVOID MiniportDeviceContext,
    _In_ ULONG DeviceUid,
    _In_ DEVICE_POWER_STATE DevicePowerState,
    _In_ POWER_ACTION ActionType);
typedef DXGKDDI_SET_POWER_STATE *PDXGKDDI_SET_POWER_STATE;

/* nc-dispmprt-dxgkcb_eval_acpi_method; PASSIVE_LEVEL */
typedef NTSTATUS (APIENTRY *DXGKCB_EVAL_ACPI_METHOD)(
    _In_ HANDLE DeviceHandle,
    _In_ ULONG DeviceUid,
    _In_ PACPI_EVAL_INPUT_BUFFER_COMPLEX AcpiInputBuffer,
    _In_ ULONG AcpiInputSize,
    _Out_ PACPI_EVAL_OUTPUT_BUFFER AcpiOutputBuffer,
    _In_ ULONG AcpiOutputSize);

/* nc-dispmprt-dxgkddi_protected_callback; PASSIVE_LEVEL */
typedef VOID APIENTRY DXGKDDI_PROTECTED_CALLBACK(
    _In_ const PVOID MiniportDeviceContext,
    _In_ PVOID ProtectedCallbackContext,
    _In_ NTSTATUS ProtectionStatus);
typedef DXGKDDI_PROTECTED_CALLBACK *PDXGKDDI_PROTECTED_CALLBACK;

/* nc-dispmprt-dxgkcb_exclude_adapter_access; PASSIVE_LEVEL */
typedef NTSTATUS (APIENTRY *DXGKCB_EXCLUDE_ADAPTER_ACCESS)(
    _In_ HANDLE DeviceHandle,
    _In_ ULONG Attributes,
    _In_ DXGKDDI_PROTECTED_CALLBACK DxgkProtectedCallback,
    _In_ PVOID ProtectedCallbackContext);

/* ns-dispmprt-_dxgk_device_info */
typedef struct _DXGK_DEVICE_INFO {
    PVOID MiniportDeviceContext;
    PDEVICE_OBJECT PhysicalDeviceObject;
    UNICODE_STRING DeviceRegistryPath;
    PCM_RESOURCE_LIST TranslatedResourceList;
    LARGE_INTEGER SystemMemorySize;
    PHYSICAL_ADDRESS HighestPhysicalAddress;
    PHYSICAL_ADDRESS AgpApertureBase;
    SIZE_T AgpApertureSize;
    DOCKING_STATE DockingState;
} DXGK_DEVICE_INFO, *PDXGK_DEVICE_INFO;

/* nc-dispmprt-dxgkcb_get_device_information; PASSIVE_LEVEL */
typedef NTSTATUS (APIENTRY *DXGKCB_GET_DEVICE_INFORMATION)(
    _In_ HANDLE DeviceHandle,
    _Out_ PDXGK_DEVICE_INFO DeviceInfo);

/* nc-dispmprt-dxgkcb_indicate_child_status; <=DISPATCH_LEVEL */
typedef NTSTATUS (APIENTRY *DXGKCB_INDICATE_CHILD_STATUS)(
    _In_ HANDLE DeviceHandle,
    _In_ PDXGK_CHILD_STATUS ChildStatus);

/* nc-dispmprt-dxgkcb_is_device_present; PASSIVE_LEVEL */
typedef NTSTATUS (APIENTRY *DXGKCB_IS_DEVICE_PRESENT)(
    _In_ HANDLE DeviceHandle,
    _In_ PPCI_DEVICE_PRESENCE_PARAMETERS DevicePresenceParameters,
    _Out_ PBOOLEAN DevicePresent);

/* nc-dispmprt-dxgkcb_log_etw_event; IRQL: see its remarks */
typedef VOID (APIENTRY *DXGKCB_LOG_ETW_EVENT)(
    _In_ const LPCGUID EventGuid,
    _In_ UCHAR Type,
    _In_ USHORT EventBufferSize,
    _In_ PVOID EventBuffer);

/* nc-dispmprt-dxgkcb_map_memory; PASSIVE_LEVEL */
typedef NTSTATUS (APIENTRY *DXGKCB_MAP_MEMORY)(
    _In_ HANDLE DeviceHandle,
    _In_ PHYSICAL_ADDRESS TranslatedAddress,
    _In_ ULONG Length,
    _In_ BOOLEAN InIoSpace,
    _In_ BOOLEAN MapToUserMode,
    _In_ MEMORY_CACHING_TYPE CacheType,
    _Out_ PVOID *VirtualAddress);

/* nc-dispmprt-dxgkcb_query_services; PASSIVE_LEVEL */
typedef NTSTATUS (APIENTRY *DXGKCB_QUERY_SERVICES)(
    _In_ HANDLE DeviceHandle,
    _In_ DXGK_SERVICES ServicesType,
    _Inout_ PINTERFACE Interface);

/* nc-dispmprt-dxgkcb_queue_dpc; Any level */
typedef BOOLEAN (APIENTRY *DXGKCB_QUEUE_DPC)(
    _In_ HANDLE DeviceHandle);

/* nc-dispmprt-dxgkcb_read_device_space; PASSIVE_LEVEL */
typedef NTSTATUS (APIENTRY *DXGKCB_READ_DEVICE_SPACE)(
    _In_ HANDLE DeviceHandle,
    _In_ ULONG DataType,
    _In_ PVOID Buffer,
    _In_ ULONG Offset,
    _In_ ULONG Length,
    _Out_ PULONG BytesRead);

/* nc-dispmprt-dxgkcb_synchronize_execution; <=DISPATCH_LEVEL */
typedef NTSTATUS (APIENTRY *DXGKCB_SYNCHRONIZE_EXECUTION)(
    _In_ HANDLE DeviceHandle,
    _In_ PKSYNCHRONIZE_ROUTINE SynchronizeRoutine,
    _In_ PVOID Context,
    _In_ ULONG MessageNumber,
    _Out_ PBOOLEAN ReturnValue);

/* nc-dispmprt-dxgkcb_unmap_memory; PASSIVE_LEVEL */
typedef NTSTATUS (APIENTRY *DXGKCB_UNMAP_MEMORY)(
    _In_ HANDLE DeviceHandle,
    _In_ PVOID VirtualAddress);

/* nc-dispmprt-dxgkcb_write_device_space; PASSIVE_LEVEL */
typedef NTSTATUS (APIENTRY *DXGKCB_WRITE_DEVICE_SPACE)(
    _In_ HANDLE DeviceHandle,
    _In_ ULONG DataType,
    _In_ PVOID Buffer,
    _In_ ULONG Offset,
    _In_ ULONG Length,
    _Out_ PULONG BytesWritten);

/* ns-dispmprt-_dxgkrnl_interface */
typedef struct _DXGKRNL_INTERFACE {
    ULONG Size;
    ULONG Version;
    HANDLE DeviceHandle;
    DXGKCB_EVAL_ACPI_METHOD DxgkCbEvalAcpiMethod;
    DXGKCB_GET_DEVICE_INFORMATION DxgkCbGetDeviceInformation;
    DXGKCB_INDICATE_CHILD_STATUS DxgkCbIndicateChildStatus;
    DXGKCB_MAP_MEMORY DxgkCbMapMemory;
    DXGKCB_QUEUE_DPC DxgkCbQueueDpc;
    DXGKCB_QUERY_SERVICES DxgkCbQueryServices;
    DXGKCB_READ_DEVICE_SPACE DxgkCbReadDeviceSpace;
    DXGKCB_SYNCHRONIZE_EXECUTION DxgkCbSynchronizeExecution;
    DXGKCB_UNMAP_MEMORY DxgkCbUnmapMemory;
    DXGKCB_WRITE_DEVICE_SPACE DxgkCbWriteDeviceSpace;
    DXGKCB_IS_DEVICE_PRESENT DxgkCbIsDevicePresent;
    DXGKCB_GETHANDLEDATA DxgkCbGetHandleData;
    DXGKCB_GETHANDLEPARENT DxgkCbGetHandleParent;
    DXGKCB_ENUMHANDLECHILDREN DxgkCbEnumHandleChildren;
    DXGKCB_NOTIFY_INTERRUPT DxgkCbNotifyInterrupt;
    DXGKCB_NOTIFY_DPC DxgkCbNotifyDpc;
    DXGKCB_QUERYVIDPNINTERFACE DxgkCbQueryVidPnInterface;
    DXGKCB_QUERYMONITORINTERFACE DxgkCbQueryMonitorInterface;
    DXGKCB_GETCAPTUREADDRESS DxgkCbGetCaptureAddress;
    DXGKCB_LOG_ETW_EVENT DxgkCbLogEtwEvent;
    DXGKCB_EXCLUDE_ADAPTER_ACCESS DxgkCbExcludeAdapterAccess;
} DXGKRNL_INTERFACE, *PDXGKRNL_INTERFACE;

/* ns-dispmprt-_dxgk_start_info */
typedef struct _DXGK_START_INFO {
    ULONG RequiredDmaQueueEntry;
    GUID AdapterGuid;
} DXGK_START_INFO, *PDXGK_START_INFO;

/* nc-dispmprt-dxgkddi_start_device; PASSIVE_LEVEL */
typedef NTSTATUS APIENTRY DXGKDDI_START_DEVICE(
    _In_ const PVOID MiniportDeviceContext,
    _In_ PDXGK_START_INFO DxgkStartInfo,
    _In_ PDXGKRNL_INTERFACE DxgkInterface,
    _Out_ PULONG NumberOfVideoPresentSources,
    _Out_ PULONG NumberOfChildren);
typedef DXGKDDI_START_DEVICE *PDXGKDDI_START_DEVICE;

/* nc-dispmprt-dxgkddi_stop_device; PASSIVE_LEVEL */
typedef NTSTATUS APIENTRY DXGKDDI_STOP_DEVICE(
    _In_ const PVOID MiniportDeviceContext);
typedef DXGKDDI_STOP_DEVICE *PDXGKDDI_STOP_DEVICE;

/* nc-dispmprt-dxgkddi_unload; PASSIVE_LEVEL */
typedef VOID APIENTRY DXGKDDI_UNLOAD(VOID);
typedef DXGKDDI_UNLOAD *PDXGKDDI_UNLOAD;

/* ns-dispmprt-_driver_initialization_data */
typedef struct _DRIVER_INITIALIZATION_DATA {
    ULONG Version;
    PDXGKDDI_ADD_DEVICE DxgkDdiAddDevice;
    PDXGKDDI_START_DEVICE DxgkDdiStartDevice;
    PDXGKDDI_STOP_DEVICE DxgkDdiStopDevice;
    PDXGKDDI_REMOVE_DEVICE DxgkDdiRemoveDevice;
    PDXGKDDI_DISPATCH_IO_REQUEST DxgkDdiDispatchIoRequest;
    PDXGKDDI_INTERRUPT_ROUTINE DxgkDdiInterruptRoutine;
    PDXGKDDI_DPC_ROUTINE DxgkDdiDpcRoutine;
    PDXGKDDI_QUERY_CHILD_RELATIONS DxgkDdiQueryChildRelations;
    PDXGKDDI_QUERY_CHILD_STATUS DxgkDdiQueryChildStatus;
    PDXGKDDI_QUERY_DEVICE_DESCRIPTOR DxgkDdiQueryDeviceDescriptor;
    PDXGKDDI_SET_POWER_STATE DxgkDdiSetPowerState;
    PDXGKDDI_NOTIFY_ACPI_EVENT DxgkDdiNotifyAcpiEvent;
    PDXGKDDI_RESET_DEVICE DxgkDdiResetDevice;
    PDXGKDDI_UNLOAD DxgkDdiUnload;
    PDXGKDDI_QUERY_INTERFACE DxgkDdiQueryInterface;
    PDXGKDDI_CONTROL_ETW_LOGGING DxgkDdiControlEtwLogging;
    PDXGKDDI_QUERYADAPTERINFO DxgkDdiQueryAdapterInfo;
    PDXGKDDI_CREATEDEVICE DxgkDdiCreateDevice;
    PDXGKDDI_CREATEALLOCATION DxgkDdiCreateAllocation;
    PDXGKDDI_DESTROYALLOCATION DxgkDdiDestroyAllocation;
    PDXGKDDI_DESCRIBEALLOCATION DxgkDdiDescribeAllocation;
    PDXGKDDI_GETSTANDARDALLOCATIONDRIVERDATA DxgkDdiGetStandardAllocationDriverData;
    PDXGKDDI_ACQUIRESWIZZLINGRANGE DxgkDdiAcquireSwizzlingRange;
    PDXGKDDI_RELEASESWIZZLINGRANGE DxgkDdiReleaseSwizzlingRange;
    PDXGKDDI_PATCH DxgkDdiPatch;
    PDXGKDDI_SUBMITCOMMAND DxgkDdiSubmitCommand;
    PDXGKDDI_PREEMPTCOMMAND DxgkDdiPreemptCommand;
    PDXGKDDI_BUILDPAGINGBUFFER DxgkDdiBuildPagingBuffer;
    PDXGKDDI_SETPALETTE DxgkDdiSetPalette;
    PDXGKDDI_SETPOINTERPOSITION DxgkDdiSetPointerPosition;
    PDXGKDDI_SETPOINTERSHAPE DxgkDdiSetPointerShape;
    PDXGKDDI_RESETFROMTIMEOUT DxgkDdiResetFromTimeout;
    PDXGKDDI_RESTARTFROMTIMEOUT DxgkDdiRestartFromTimeout;
    PDXGKDDI_ESCAPE DxgkDdiEscape;
    PDXGKDDI_COLLECTDBGINFO DxgkDdiCollectDbgInfo;
    PDXGKDDI_QUERYCURRENTFENCE DxgkDdiQueryCurrentFence;
    PDXGKDDI_ISSUPPORTEDVIDPN DxgkDdiIsSupportedVidPn;
    PDXGKDDI_RECOMMENDFUNCTIONALVIDPN DxgkDdiRecommendFunctionalVidPn;
    PDXGKDDI_ENUMVIDPNCOFUNCMODALITY DxgkDdiEnumVidPnCofuncModality;
    PDXGKDDI_SETVIDPNSOURCEADDRESS DxgkDdiSetVidPnSourceAddress;
    PDXGKDDI_SETVIDPNSOURCEVISIBILITY DxgkDdiSetVidPnSourceVisibility;
    PDXGKDDI_COMMITVIDPN DxgkDdiCommitVidPn;
    PDXGKDDI_UPDATEACTIVEVIDPNPRESENTPATH DxgkDdiUpdateActiveVidPnPresentPath;
    PDXGKDDI_RECOMMENDMONITORMODES DxgkDdiRecommendMonitorModes;
    PDXGKDDI_RECOMMENDVIDPNTOPOLOGY DxgkDdiRecommendVidPnTopology;
    PDXGKDDI_GETSCANLINE DxgkDdiGetScanLine;
    PDXGKDDI_STOPCAPTURE DxgkDdiStopCapture;
    PDXGKDDI_CONTROLINTERRUPT DxgkDdiControlInterrupt;
    PDXGKDDI_CREATEOVERLAY DxgkDdiCreateOverlay;
    PDXGKDDI_DESTROYDEVICE DxgkDdiDestroyDevice;
    PDXGKDDI_OPENALLOCATIONINFO DxgkDdiOpenAllocation;
    PDXGKDDI_CLOSEALLOCATION DxgkDdiCloseAllocation;
    PDXGKDDI_RENDER DxgkDdiRender;
    PDXGKDDI_PRESENT DxgkDdiPresent;
    PDXGKDDI_UPDATEOVERLAY DxgkDdiUpdateOverlay;
    PDXGKDDI_FLIPOVERLAY DxgkDdiFlipOverlay;
    PDXGKDDI_DESTROYOVERLAY DxgkDdiDestroyOverlay;
    PDXGKDDI_CREATECONTEXT DxgkDdiCreateContext;
    PDXGKDDI_DESTROYCONTEXT DxgkDdiDestroyContext;
    PDXGKDDI_LINK_DEVICE DxgkDdiLinkDevice;
    PDXGKDDI_SETDISPLAYPRIVATEDRIVERFORMAT DxgkDdiSetDisplayPrivateDriverFormat;
    PDXGKDDI_DESCRIBEPAGETABLE DxgkDdiDescribePageTable;
    PDXGKDDI_UPDATEPAGETABLE DxgkDdiUpdatePageTable;
    PDXGKDDI_UPDATEPAGEDIRECTORY DxgkDdiUpdatePageDirectory;
    PDXGKDDI_MOVEPAGEDIRECTORY DxgkDdiMovePageDirectory;
    PDXGKDDI_SUBMITRENDER DxgkDdiSubmitRender;
    PDXGKDDI_CREATEALLOCATION2 DxgkDdiCreateAllocation2;
    PDXGKDDI_RENDER DxgkDdiRenderKm;
    VOID *Reserved;
    PDXGKDDI_QUERYVIDPNHWCAPABILITY DxgkDdiQueryVidPnHWCapability;
} DRIVER_INITIALIZATION_DATA, *PDRIVER_INITIALIZATION_DATA;

/* nc-dispmprt-dxgkcb_agp_allocate_pool; PASSIVE_LEVEL */
typedef NTSTATUS (APIENTRY *DXGKCB_AGP_ALLOCATE_POOL)(
    _In_ HANDLE Context,
    _In_ ULONG AllocationSize,
    _In_ MEMORY_CACHING_TYPE CacheType,
    _Out_ PPHYSICAL_ADDRESS PhysicalAddress,
    _Out_ PVOID *VirtualAddress);

/* nc-dispmprt-dxgkcb_agp_free_pool; PASSIVE_LEVEL */
typedef NTSTATUS (APIENTRY *DXGKCB_AGP_FREE_POOL)(
    _In_ HANDLE Context,
    _In_ PVOID VirtualAddress);

/* nc-dispmprt-dxgkcb_agp_set_command; PASSIVE_LEVEL */
typedef NTSTATUS (APIENTRY *DXGKCB_AGP_SET_COMMAND)(
    _In_ HANDLE Context,
    _In_ ULONG Command);

/* ns-dispmprt-_dxgk_agp_interface */
typedef struct _DXGK_AGP_INTERFACE {
    USHORT Size;
    USHORT Version;
    PVOID Context;
    PINTERFACE_REFERENCE InterfaceReference;
    PINTERFACE_DEREFERENCE InterfaceDereference;
    DXGKCB_AGP_ALLOCATE_POOL AgpAllocatePool;
    DXGKCB_AGP_FREE_POOL AgpFreePool;
    DXGKCB_AGP_SET_COMMAND AgpSetCommand;
} DXGK_AGP_INTERFACE, *PDXGK_AGP_INTERFACE;

/* nc-dispmprt-dxgk_brightness_get; PASSIVE_LEVEL */
typedef NTSTATUS (APIENTRY *DXGK_BRIGHTNESS_GET)(
    _In_ PVOID Context,
    _In_ PUCHAR Brightness);

/* nc-dispmprt-dxgk_brightness_get_possible; PASSIVE_LEVEL */
typedef NTSTATUS (APIENTRY *DXGK_BRIGHTNESS_GET_POSSIBLE)(
    _In_ PVOID Context,
    _In_ ULONG BufferSize,
    _Out_ PUCHAR LevelCount,
    _Out_ PUCHAR BrightnessLevels);

/* nc-dispmprt-dxgk_brightness_set; PASSIVE_LEVEL */
typedef NTSTATUS (APIENTRY *DXGK_BRIGHTNESS_SET)(
    _In_ PVOID Context,
    _In_ UCHAR Brightness);

/* ns-dispmprt-dxgk_brightness_interface */
typedef struct _DXGK_BRIGHTNESS_INTERFACE {
    USHORT Size;
    USHORT Version;
    PVOID Context;
    PINTERFACE_REFERENCE InterfaceReference;
    PINTERFACE_DEREFERENCE InterfaceDereference;
    DXGK_BRIGHTNESS_GET_POSSIBLE GetPossibleBrightness;
    DXGK_BRIGHTNESS_SET SetBrightness;
    DXGK_BRIGHTNESS_GET GetBrightness;
} DXGK_BRIGHTNESS_INTERFACE, *PDXGK_BRIGHTNESS_INTERFACE;

/* ns-dispmprt-_dxgk_debug_report_interface */
typedef struct DXGK_DEBUG_REPORT_HANDLE__ *DXGK_DEBUG_REPORT_HANDLE;

/* ns-dispmprt-_dxgk_debug_report_interface */
typedef struct _DXGK_DEBUG_REPORT_INTERFACE {
    USHORT Size;
    USHORT Version;
    PVOID Context;
    PINTERFACE_REFERENCE InterfaceReference;
    PINTERFACE_DEREFERENCE InterfaceDereference;
    DXGK_DEBUG_REPORT_HANDLE (APIENTRY *DbgReportCreate)(_In_ HANDLE DeviceHandle, _In_ ULONG ulCode,
    _In_ ULONG_PTR ulpArg1, _In_ ULONG_PTR ulpArg2, _In_ ULONG_PTR ulpArg3, _In_ ULONG_PTR ulpArg4);
    BOOLEAN (APIENTRY *DbgReportSecondaryData)(_Inout_ DXGK_DEBUG_REPORT_HANDLE hReport, _In_ PVOID pvData,
    _In_ ULONG ulDataSize);
    VOID (APIENTRY *DbgReportComplete)(_Inout_ DXGK_DEBUG_REPORT_HANDLE hReport);
} DXGK_DEBUG_REPORT_INTERFACE, *PDXGK_DEBUG_REPORT_INTERFACE;

/* ns-dispmprt-_dxgk_generic_descriptor */
typedef struct _DXGK_GENERIC_DESCRIPTOR {
    WCHAR HardwareId[DXGK_MAX_REG_SZ_LEN];
    WCHAR InstanceId[DXGK_MAX_REG_SZ_LEN];
    WCHAR CompatibleId[DXGK_MAX_REG_SZ_LEN];
    WCHAR DeviceText[DXGK_MAX_REG_SZ_LEN];
} DXGK_GENERIC_DESCRIPTOR, *PDXGK_GENERIC_DESCRIPTOR;

/* nc-dispmprt-dxgkddi_i2c_receive_data_from_display; PASSIVE_LEVEL */
typedef NTSTATUS (APIENTRY *DXGKDDI_I2C_RECEIVE_DATA_FROM_DISPLAY)(
    _In_ PVOID MiniportDeviceContext,
    _In_ D3DDDI_VIDEO_PRESENT_TARGET_ID VidPnTargetId,
    _In_ ULONG SevenBitI2CAddress,
    _In_ ULONG Flags,
    _In_ ULONG DataLength,
    _Out_ PVOID Data);

/* nc-dispmprt-dxgkddi_i2c_transmit_data_to_display; PASSIVE_LEVEL */
typedef NTSTATUS (APIENTRY *DXGKDDI_I2C_TRANSMIT_DATA_TO_DISPLAY)(
    _In_ PVOID MiniportDeviceContext,
    _In_ D3DDDI_VIDEO_PRESENT_TARGET_ID VidPnTargetId,
    _In_ ULONG SevenBitI2CAddress,
    _In_ ULONG DataLength,
    _In_ const PVOID Data);

/* ns-dispmprt-_dxgk_i2c_interface */
typedef struct _DXGK_I2C_INTERFACE {
    USHORT Size;
    USHORT Version;
    PVOID Context;
    PINTERFACE_REFERENCE InterfaceReference;
    PINTERFACE_DEREFERENCE InterfaceDereference;
    DXGKDDI_I2C_TRANSMIT_DATA_TO_DISPLAY DxgkDdiI2CTransmitDataToDisplay;
    DXGKDDI_I2C_RECEIVE_DATA_FROM_DISPLAY DxgkDdiI2CReceiveDataFromDisplay;
} DXGK_I2C_INTERFACE, *PDXGK_I2C_INTERFACE;

/* nc-dispmprt-dxgkddi_opm_configure_protected_output; PASSIVE_LEVEL (see Remarks section) */
typedef NTSTATUS (APIENTRY *DXGKDDI_OPM_CONFIGURE_PROTECTED_OUTPUT)(
    _In_ PVOID MiniportDeviceContext,
    _In_ HANDLE ProtectedOutputHandle,
    _In_ const PDXGKMDT_OPM_CONFIGURE_PARAMETERS Parameters,
    _In_ ULONG AdditionalParametersSize,
    _In_ const PVOID AdditionalParameters);

/* nc-dispmprt-dxgkddi_opm_create_protected_output; PASSIVE_LEVEL (see Remarks section) */
typedef NTSTATUS (APIENTRY *DXGKDDI_OPM_CREATE_PROTECTED_OUTPUT)(
    _In_ PVOID MiniportDeviceContext,
    _In_ D3DDDI_VIDEO_PRESENT_TARGET_ID VidPnTargetId,
    _In_ DXGKMDT_OPM_VIDEO_OUTPUT_SEMANTICS NewVideoOutputSemantics,
    _Out_ PHANDLE NewProtectedOutputHandle);

/* nc-dispmprt-dxgkddi_opm_destroy_protected_output; PASSIVE_LEVEL (see Remarks section) */
typedef NTSTATUS (APIENTRY *DXGKDDI_OPM_DESTROY_PROTECTED_OUTPUT)(
    _In_ PVOID MiniportDeviceContext,
    _In_ HANDLE ProtectedOutputHandle);

/* nc-dispmprt-dxgkddi_opm_get_certificate; PASSIVE_LEVEL (see Remarks section) */
typedef NTSTATUS (APIENTRY *DXGKDDI_OPM_GET_CERTIFICATE)(
    _In_ PVOID MiniportDeviceContext,
    _In_ DXGKMDT_CERTIFICATE_TYPE CertificateType,
    _In_ ULONG CertificateSize,
    _Out_ PVOID CertificateBuffer);

/* nc-dispmprt-dxgkddi_opm_get_certificate_size; PASSIVE_LEVEL (see Remarks section) */
typedef NTSTATUS (APIENTRY *DXGKDDI_OPM_GET_CERTIFICATE_SIZE)(
    _In_ PVOID MiniportDeviceContext,
    _In_ DXGKMDT_CERTIFICATE_TYPE CertificateType,
    _Out_ PULONG CertificateSize);

/* nc-dispmprt-dxgkddi_opm_get_copp_compatible_information; PASSIVE_LEVEL (see Remarks section) */
typedef NTSTATUS (APIENTRY *DXGKDDI_OPM_GET_COPP_COMPATIBLE_INFORMATION)(
    _In_ PVOID MiniportDeviceContext,
    _In_ HANDLE ProtectedOutputHandle,
    _In_ const PDXGKMDT_OPM_COPP_COMPATIBLE_GET_INFO_PARAMETERS Parameters,
    _Out_ PDXGKMDT_OPM_REQUESTED_INFORMATION RequestedInformation);

/* nc-dispmprt-dxgkddi_opm_get_information; PASSIVE_LEVEL (see Remarks section) */
typedef NTSTATUS (APIENTRY *DXGKDDI_OPM_GET_INFORMATION)(
    _In_ PVOID MiniportDeviceContext,
    _In_ HANDLE ProtectedOutputHandle,
    _In_ const PDXGKMDT_OPM_GET_INFO_PARAMETERS Parameters,
    _Out_ PDXGKMDT_OPM_REQUESTED_INFORMATION RequestedInformation);

/* nc-dispmprt-dxgkddi_opm_get_random_number; PASSIVE_LEVEL (see Remarks section) */
typedef NTSTATUS (APIENTRY *DXGKDDI_OPM_GET_RANDOM_NUMBER)(
    _In_ PVOID MiniportDeviceContext,
    _In_ HANDLE ProtectedOutputHandle,
    _Out_ PDXGKMDT_OPM_RANDOM_NUMBER RandomNumber);

/* nc-dispmprt-dxgkddi_opm_set_signing_key_and_sequence_numbers; PASSIVE_LEVEL (see Remarks section) */
typedef NTSTATUS (APIENTRY *DXGKDDI_OPM_SET_SIGNING_KEY_AND_SEQUENCE_NUMBERS)(
    _In_ PVOID MiniportDeviceContext,
    _In_ HANDLE ProtectedOutputHandle,
    _In_ const PDXGKMDT_OPM_ENCRYPTED_PARAMETERS EncryptedParameters);

/* ns-dispmprt-_dxgk_opm_interface */
typedef struct _DXGK_OPM_INTERFACE {
    USHORT Size;
    USHORT Version;
    PVOID Context;
    PINTERFACE_REFERENCE InterfaceReference;
    PINTERFACE_DEREFERENCE InterfaceDereference;
    DXGKDDI_OPM_GET_CERTIFICATE_SIZE DxgkDdiOPMGetCertificateSize;
    DXGKDDI_OPM_GET_CERTIFICATE DxgkDdiOPMGetCertificate;
    DXGKDDI_OPM_CREATE_PROTECTED_OUTPUT DxgkDdiOPMCreateProtectedOutput;
    DXGKDDI_OPM_GET_RANDOM_NUMBER DxgkDdiOPMGetRandomNumber;
    DXGKDDI_OPM_SET_SIGNING_KEY_AND_SEQUENCE_NUMBERS DxgkDdiOPMSetSigningKeyAndSequenceNumbers;
    DXGKDDI_OPM_GET_INFORMATION DxgkDdiOPMGetInformation;
    DXGKDDI_OPM_GET_COPP_COMPATIBLE_INFORMATION DxgkDdiOPMGetCOPPCompatibleInformation;
    DXGKDDI_OPM_CONFIGURE_PROTECTED_OUTPUT DxgkDdiOPMConfigureProtectedOutput;
    DXGKDDI_OPM_DESTROY_PROTECTED_OUTPUT DxgkDdiOPMDestroyProtectedOutput;
} DXGK_OPM_INTERFACE, *PDXGK_OPM_INTERFACE;

/* ns-dispmprt-_dxgk_timed_operation */
typedef struct _DXGK_TIMED_OPERATION {
    USHORT Size;
    ULONG_PTR OwnerTag;
    BOOLEAN OsHandled;
    BOOLEAN TimeoutTriggered;
    LARGE_INTEGER Timeout;
    LARGE_INTEGER StartTick;
} DXGK_TIMED_OPERATION, *PDXGK_TIMED_OPERATION;

/* ns-dispmprt-_dxgk_timed_operation_interface */
typedef struct _DXGK_TIMED_OPERATION_INTERFACE {
    USHORT Size;
    USHORT Version;
    PVOID Context;
    PINTERFACE_REFERENCE InterfaceReference;
    PINTERFACE_DEREFERENCE InterfaceDereference;
    NTSTATUS               (*TimedOperationStart)(
    _Out_ DXGK_TIMED_OPERATION *Op,
    _In_ const LARGE_INTEGER *Timeout,
    _In_ BOOLEAN OsHandled);
    NTSTATUS               (*TimedOperationDelay)(
    _Inout_ DXGK_TIMED_OPERATION *Op,
    _In_ KPROCESSOR_MODE WaitMode,
    _In_ BOOLEAN Alertable,
    _In_opt_ const LARGE_INTEGER *Interval);
    NTSTATUS               (*TimedOperationWaitForSingleObject)(
    _Inout_ DXGK_TIMED_OPERATION *Op,
    _In_ PVOID Object,
    _In_ KWAIT_REASON WaitReason,
    _In_ KPROCESSOR_MODE WaitMode,
    _In_ BOOLEAN Alertable,
    _In_opt_ const LARGE_INTEGER *Timeout);
} DXGK_TIMED_OPERATION_INTERFACE, *PDXGK_TIMED_OPERATION_INTERFACE;

/* ns-ntddvdeo-_emulator_access_entry */
typedef enum _EMULATOR_PORT_ACCESS_TYPE {
    Uchar,
    Ushort,
    Ulong
} EMULATOR_PORT_ACCESS_TYPE, *PEMULATOR_PORT_ACCESS_TYPE;

typedef struct _EMULATOR_ACCESS_ENTRY {
    ULONG BasePort;
    ULONG NumConsecutivePorts;
    EMULATOR_PORT_ACCESS_TYPE AccessType;
    UCHAR AccessMode;
    UCHAR StringSupport;
    PVOID Routine;
} EMULATOR_ACCESS_ENTRY, *PEMULATOR_ACCESS_ENTRY;

/* nf-dispmprt-dxgkinitialize; PASSIVE_LEVEL. From displib: registers the miniport with the DirectX graphics kernel
 * subsystem, which copies the table. To be returned from DriverEntry. */
NTSTATUS NTAPI DxgkInitialize(
    _In_ PDRIVER_OBJECT DriverObject,
    _In_ PUNICODE_STRING RegistryPath,
    _In_ PDRIVER_INITIALIZATION_DATA DriverInitializationData);

#ifdef __cplusplus
}
#endif

#endif
