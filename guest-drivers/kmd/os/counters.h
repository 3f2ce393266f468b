// SPDX-License-Identifier: MIT
// counters.h: the driver's counters, for escapes, DxgkDdiCollectDbgInfo and the event log. A counter may lose counts if
// several threads write it. Nothing depends on them but the number of entries in the event log.
#pragma once

#include <stdint.h>

#include "aerogpu/aerogpu_umd_private.h"

namespace aero {

struct Counters {
  uint64_t submissions;
  uint64_t renderSubmissions;
  uint64_t presentSubmissions;
  uint64_t pagingSubmissions;
  uint64_t internalSubmissions;
  uint64_t ringFull;
  uint64_t fenceInterrupts;
  uint64_t vblankInterrupts;
  uint64_t errorInterrupts;
  uint64_t spuriousInterrupts;
  uint64_t lastErrorFence;
  uint64_t timeoutResets;
  uint64_t lastResetTime;  // 100 ns, interrupt time
  uint64_t tables;
  uint64_t tableEntries;
  uint64_t readonlyEntries;
  uint64_t refusedStreams;
  uint64_t skippedPaging;  // invalid operations
  uint64_t skippedGdi;     // operations that the driver cannot draw
  uint64_t scanLineFromClock;
  uint64_t scanLineFromDevice;
  uint64_t selfTests;
  uint32_t selfTestError;

  void count(uint32_t type) {
    if (type == AEROGPU_SUBMIT_PRESENT)
      presentSubmissions++;
    else if (type == AEROGPU_SUBMIT_PAGING)
      pagingSubmissions++;
    else
      renderSubmissions++;
  }
};

}  // namespace aero
