// SPDX-License-Identifier: MIT
// Dispatcher objects for the other files of the ntoskrnl side (timers, threads).
#pragma once

#include "nt/nt.h"

namespace aerogpu::host {

void initializeDispatcherObject(NtDispatcherHeader* header, uint8_t type, uint8_t words, int32_t state);
void signalDispatcherObject(NtDispatcherHeader* header);
/// Returns the state before.
int32_t clearDispatcherObject(NtDispatcherHeader* header);

/// The object behind a handle of PsCreateSystemThread; null if it is none.
void* systemThreadObject(void* handle);

}  // namespace aerogpu::host
