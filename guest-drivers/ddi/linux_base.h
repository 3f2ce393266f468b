/* SPDX-License-Identifier: MIT
 * linux_base.h: Windows' base types for a Linux compiler, so that the DDI headers describe the same layouts there: long
 * is 32 bits on Windows, functions follow the Microsoft x64 convention or stdcall, and on x86 64-bit types are aligned
 * to 8 bytes (Linux: 4). Used by the driver host and by unit tests; never by the driver. */
#ifndef AEROGPU_DDI_LINUX_BASE_H
#define AEROGPU_DDI_LINUX_BASE_H

#include <stddef.h>
#include <stdint.h>

#if defined(__x86_64__)
#define APIENTRY __attribute__((ms_abi))
#elif defined(__i386__)
#define APIENTRY __attribute__((stdcall))
#else
#error "the Linux side of the DDI headers is for x86 and x86-64"
#endif
#define NTAPI APIENTRY
#define CONST const
#define OPTIONAL
#define VOID void
#define FALSE 0
#define TRUE 1

#ifndef _In_
#define _In_
#define _Out_
#define _Inout_
#define _In_opt_
#define _Out_opt_
#define _Inout_opt_
#endif

#ifdef __cplusplus
extern "C" {
#endif

typedef char CHAR, *PCHAR;
typedef uint8_t UCHAR, BYTE, *PUCHAR, BOOLEAN, *PBOOLEAN;
typedef int16_t SHORT, *PSHORT;
typedef uint16_t USHORT, WORD, *PUSHORT;
typedef int32_t LONG, INT, BOOL, NTSTATUS, HRESULT, *PLONG;
typedef uint32_t ULONG, UINT, DWORD, UINT32, *PULONG, *PUINT;
typedef int64_t LONGLONG __attribute__((aligned(8))), INT64 __attribute__((aligned(8)));
typedef uint64_t ULONGLONG __attribute__((aligned(8))), UINT64 __attribute__((aligned(8))),
    ULONG64 __attribute__((aligned(8))), DWORDLONG __attribute__((aligned(8)));
typedef intptr_t LONG_PTR, INT_PTR;
typedef uintptr_t ULONG_PTR, UINT_PTR, SIZE_T, *PSIZE_T;
#ifdef __cplusplus
typedef char16_t WCHAR, *PWSTR, *PWCHAR;
#else
typedef uint16_t WCHAR, *PWSTR, *PWCHAR;
#endif
typedef const WCHAR *PCWSTR;
typedef float FLOAT;
typedef void *PVOID, *HANDLE, *HWND, *HDC, **PPVOID;
typedef HANDLE *PHANDLE;
typedef char KPROCESSOR_MODE;

typedef union _LARGE_INTEGER {
    struct {
        ULONG LowPart;
        LONG HighPart;
    };
    struct {
        ULONG LowPart;
        LONG HighPart;
    } u;
    LONGLONG QuadPart;
} LARGE_INTEGER, *PLARGE_INTEGER, PHYSICAL_ADDRESS, *PPHYSICAL_ADDRESS;

typedef union _ULARGE_INTEGER {
    struct {
        ULONG LowPart;
        ULONG HighPart;
    };
    ULONGLONG QuadPart;
} ULARGE_INTEGER, *PULARGE_INTEGER;

typedef struct _LUID {
    ULONG LowPart;
    LONG HighPart;
} LUID, *PLUID;

typedef struct _GUID {
    ULONG Data1;
    USHORT Data2;
    USHORT Data3;
    UCHAR Data4[8];
} GUID;
typedef const GUID *LPCGUID;

typedef struct tagRECT {
    LONG left;
    LONG top;
    LONG right;
    LONG bottom;
} RECT, *PRECT, *LPRECT;

typedef struct tagPOINT {
    LONG x;
    LONG y;
} POINT, *PPOINT;

typedef struct tagPALETTEENTRY {
    BYTE peRed;
    BYTE peGreen;
    BYTE peBlue;
    BYTE peFlags;
} PALETTEENTRY;

typedef struct _UNICODE_STRING {
    USHORT Length;
    USHORT MaximumLength;
    PWSTR Buffer;
} UNICODE_STRING, *PUNICODE_STRING;
typedef const UNICODE_STRING *PCUNICODE_STRING;

/* WDM page "_INTERFACE": the head of every interface handed out through IRP_MN_QUERY_INTERFACE. */
typedef VOID(APIENTRY *PINTERFACE_REFERENCE)(PVOID Context);
typedef VOID(APIENTRY *PINTERFACE_DEREFERENCE)(PVOID Context);
typedef struct _INTERFACE {
    USHORT Size;
    USHORT Version;
    PVOID Context;
    PINTERFACE_REFERENCE InterfaceReference;
    PINTERFACE_DEREFERENCE InterfaceDereference;
} INTERFACE, *PINTERFACE;

/* WDM pages of the enumerations; only what the DDI's prototypes use. */
typedef enum _MEMORY_CACHING_TYPE {
    MmNonCached = 0,
    MmCached = 1,
    MmWriteCombined = 2
} MEMORY_CACHING_TYPE;

typedef enum _DEVICE_POWER_STATE {
    PowerDeviceUnspecified = 0,
    PowerDeviceD0 = 1,
    PowerDeviceD1 = 2,
    PowerDeviceD2 = 3,
    PowerDeviceD3 = 4
} DEVICE_POWER_STATE;

typedef enum _POWER_ACTION {
    PowerActionNone = 0,
    PowerActionReserved = 1,
    PowerActionSleep = 2,
    PowerActionHibernate = 3,
    PowerActionShutdown = 4,
    PowerActionShutdownReset = 5,
    PowerActionShutdownOff = 6,
    PowerActionWarmEject = 7
} POWER_ACTION;

typedef enum _KWAIT_REASON {
    Executive = 0,
    UserRequest = 6
} KWAIT_REASON;

/* WDM page "KSYNCHRONIZE_ROUTINE"; DIRQL. */
typedef BOOLEAN(APIENTRY *PKSYNCHRONIZE_ROUTINE)(PVOID SynchronizeContext);

/* WDM structures that the DDI only points to. */
typedef struct _PCI_DEVICE_PRESENCE_PARAMETERS *PPCI_DEVICE_PRESENCE_PARAMETERS;
typedef struct _MDL MDL, *PMDL;
typedef struct _DEVICE_OBJECT DEVICE_OBJECT, *PDEVICE_OBJECT;
typedef struct _DRIVER_OBJECT DRIVER_OBJECT, *PDRIVER_OBJECT;
typedef struct _CM_RESOURCE_LIST CM_RESOURCE_LIST, *PCM_RESOURCE_LIST;

#ifdef __cplusplus
}
#endif

#endif
