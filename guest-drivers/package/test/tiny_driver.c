/* SPDX-License-Identifier: MIT */
/* The smallest driver with everything that the package's checks examine: INIT and PAGE code, a pointer
 * that needs a relocation, imports from kernel and HAL. The tests pack it; it is never shipped. */
#include <ntddk.h>

static LONG volatile g_count;
LONG volatile* g_pointer = &g_count;

__attribute__((section("PAGE"))) static VOID NTAPI unload(PDRIVER_OBJECT driver) {
  UNREFERENCED_PARAMETER(driver);
  InterlockedDecrement(g_pointer);
}

#ifdef WRONG_IMPORT
/* Documented as available from Windows 8 on: a Windows 7 driver must not import it. */
NTSYSAPI NTSTATUS NTAPI IoReportRootDevice(PDRIVER_OBJECT);
#endif

__attribute__((section("INIT"))) NTSTATUS NTAPI DriverEntry(PDRIVER_OBJECT driver, PUNICODE_STRING path) {
  LARGE_INTEGER frequency;
  UNREFERENCED_PARAMETER(path);
  KeQueryPerformanceCounter(&frequency);
  KeStallExecutionProcessor(1);
  DbgPrint("%d", (int)InterlockedIncrement(g_pointer));
#ifdef WRONG_IMPORT
  IoReportRootDevice(driver);
#endif
  driver->DriverUnload = unload;
  return STATUS_SUCCESS;
}
