// SPDX-License-Identifier: MIT
// event_log.h: writes entries to the system event log; their texts are
// guest-drivers/package/resources/aerogpu_events.mc.
#pragma once

#include "guest-drivers/kmd/os/nt.h"

namespace aero {

/** `driver` is DriverEntry's object, by whose name the log finds the driver's texts (wdm page
 * "IoAllocateErrorLogEntry"). The physical device of DxgkDdiAddDevice would not do: it belongs to the bus driver,
 * and so would the entries. Called before any entry. */
void openEventLog(PDRIVER_OBJECT driver);
/** Writes one entry with up to four numbers as its data, and up to 46 characters of `text` as string %2 of its
 * message. A lost entry (no memory) is no error. At most DISPATCH_LEVEL. */
void logEvent(NTSTATUS event, NTSTATUS status, ULONG a = 0, ULONG b = 0, ULONG c = 0, const wchar_t *text = nullptr);

}  // namespace aero
