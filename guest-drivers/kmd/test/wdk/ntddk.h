/* SPDX-License-Identifier: MIT
 * ntddk.h: declares what the driver's parts under test use from the WDK header of this name, for Linux. Each
 * function is that of its page under "windows-hardware/drivers/ddi/wdm/"; fake_kernel.cpp implements them, and
 * checks what the pages demand. */
#ifndef AEROGPU_TEST_NTDDK_H
#define AEROGPU_TEST_NTDDK_H

#include <string.h>

#include "ddi_base.h"

#ifdef __cplusplus
extern "C" {
#endif

#define NT_SUCCESS(status) ((NTSTATUS)(status) >= 0)
#define RtlCopyMemory memcpy
#define RtlZeroMemory(destination, bytes) memset(destination, 0, bytes)

typedef UCHAR KIRQL, *PKIRQL;
#define PASSIVE_LEVEL 0
#define APC_LEVEL 1
#define DISPATCH_LEVEL 2

enum { KernelMode, UserMode };
typedef enum _POOL_TYPE { NonPagedPool } POOL_TYPE;

typedef ULONG_PTR KSPIN_LOCK, *PKSPIN_LOCK;
typedef struct _FAST_MUTEX {
  ULONG state;
  KIRQL before;
} FAST_MUTEX, *PFAST_MUTEX;

typedef struct _KDPC KDPC, *PKDPC;
typedef VOID(NTAPI *PKDEFERRED_ROUTINE)(PKDPC dpc, PVOID context, PVOID argument1, PVOID argument2);
struct _KDPC {
  PKDEFERRED_ROUTINE routine;
  PVOID context;
};
typedef struct _KTIMER {
  ULONG state;
  ULONGLONG due;
  PKDPC dpc;
} KTIMER, *PKTIMER;

static inline LONG InterlockedOr(LONG volatile *target, LONG bits) {
  return __atomic_fetch_or(target, bits, __ATOMIC_SEQ_CST);
}
static inline LONG InterlockedIncrement(LONG volatile *target) {
  return __atomic_add_fetch(target, 1, __ATOMIC_SEQ_CST);
}
static inline PVOID InterlockedExchangePointer(PVOID volatile *target, PVOID value) {
  return __atomic_exchange_n(target, value, __ATOMIC_SEQ_CST);
}
static inline LONG InterlockedAnd(LONG volatile *target, LONG bits) {
  return __atomic_fetch_and(target, bits, __ATOMIC_SEQ_CST);
}

VOID NTAPI RtlAssert(PVOID assertion, PVOID file, ULONG line, PCHAR message);
KIRQL NTAPI KeGetCurrentIrql(VOID);

VOID NTAPI KeInitializeSpinLock(PKSPIN_LOCK lock);
VOID NTAPI KeAcquireSpinLock(PKSPIN_LOCK lock, PKIRQL before);
VOID NTAPI KeReleaseSpinLock(PKSPIN_LOCK lock, KIRQL before);
VOID NTAPI ExInitializeFastMutex(PFAST_MUTEX mutex);
VOID NTAPI ExAcquireFastMutex(PFAST_MUTEX mutex);
VOID NTAPI ExReleaseFastMutex(PFAST_MUTEX mutex);

LARGE_INTEGER NTAPI KeQueryPerformanceCounter(PLARGE_INTEGER frequency);
ULONGLONG NTAPI KeQueryInterruptTime(VOID);
NTSTATUS NTAPI KeDelayExecutionThread(KPROCESSOR_MODE mode, BOOLEAN alertable, PLARGE_INTEGER interval);
VOID NTAPI KeStallExecutionProcessor(ULONG microseconds);
VOID NTAPI KeInitializeTimer(PKTIMER timer);
VOID NTAPI KeInitializeDpc(PKDPC dpc, PKDEFERRED_ROUTINE routine, PVOID context);
BOOLEAN NTAPI KeSetTimer(PKTIMER timer, LARGE_INTEGER due, PKDPC dpc);
BOOLEAN NTAPI KeCancelTimer(PKTIMER timer);
VOID NTAPI KeFlushQueuedDpcs(VOID);

PVOID NTAPI MmAllocateContiguousMemorySpecifyCache(SIZE_T bytes, PHYSICAL_ADDRESS lowest, PHYSICAL_ADDRESS highest,
                                                   PHYSICAL_ADDRESS boundary, MEMORY_CACHING_TYPE cache);
VOID NTAPI MmFreeContiguousMemorySpecifyCache(PVOID memory, SIZE_T bytes, MEMORY_CACHING_TYPE cache);
PHYSICAL_ADDRESS NTAPI MmGetPhysicalAddress(PVOID memory);
PVOID NTAPI ExAllocatePoolWithTag(POOL_TYPE type, SIZE_T bytes, ULONG tag);
VOID NTAPI ExFreePoolWithTag(PVOID memory, ULONG tag);

#ifdef __cplusplus
}
#endif

#endif
