// SPDX-License-Identifier: MIT
// nt.h: the kernel's and dxgkrnl's declarations, for C++. Include this before any other Windows header.
#pragma once

#include <intrin.h>
// mingw-w64's wdm.h defines these two again after intrin.h did, which C++ refuses; nothing here uses them.
#define InterlockedBitTestAndSet WdmInterlockedBitTestAndSet
#define InterlockedBitTestAndReset WdmInterlockedBitTestAndReset
extern "C" {
#include <ntddk.h>
}
#undef InterlockedBitTestAndSet
#undef InterlockedBitTestAndReset
#undef min
#undef max
#undef interface

#include <ntstatus.h>

// mingw-w64's wdm.h has InterlockedExchangePointer for 64 bits only.
#if defined(_WIN32) && !defined(_WIN64) && !defined(InterlockedExchangePointer)
inline PVOID InterlockedExchangePointer(PVOID volatile *target, PVOID value) {
  return __atomic_exchange_n(target, value, __ATOMIC_SEQ_CST);
}
#endif

#include "dispmprt.h"

namespace aero {

/** Pool tag "Aero", as the pool tools show it. */
constexpr ULONG kTag = 0x6F726541;

}  // namespace aero

// Checked builds stop where a DDI is called at an IRQL that its page forbids; release builds do not check.
#if DBG
#define AERO_ASSERT(x) \
  ((x) ? (void)0 : RtlAssert(const_cast<char *>(#x), const_cast<char *>(__FILE__), __LINE__, nullptr))
#else
#define AERO_ASSERT(x) ((void)0)
#endif
#define AERO_ASSERT_IRQL_MAX(level) AERO_ASSERT(KeGetCurrentIrql() <= (level))
