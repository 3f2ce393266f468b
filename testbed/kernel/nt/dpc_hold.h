// SPDX-License-Identifier: MIT
// Delays DPCs, and says whether some wait or run.
#pragma once

namespace aerogpu::host {

/// While a DpcHold lives, DPCs stay in their queue, as on a processor that has no time for them, except while
/// some code waits for them: drainDpcs(), KeFlushQueuedDpcs. Any thread.
class DpcHold {
public:
  DpcHold();
  ~DpcHold();
  DpcHold(const DpcHold&) = delete;
  DpcHold& operator=(const DpcHold&) = delete;
};

/// True if a DpcHold lives; true if a DPC is queued or runs. Any thread.
bool dpcsHeld();
bool dpcPending();

}  // namespace aerogpu::host
