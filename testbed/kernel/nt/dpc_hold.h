// SPDX-License-Identifier: MIT
// DPCs that come late, and who looks for them.
#pragma once

namespace aerogpu::host {

/// While one lives DPCs stay in their queue, as on a processor that has no time for them, except while
/// somebody waits for them: drainDpcs(), KeFlushQueuedDpcs. Any thread.
class DpcHold {
public:
  DpcHold();
  ~DpcHold();
  DpcHold(const DpcHold&) = delete;
  DpcHold& operator=(const DpcHold&) = delete;
};

/// Whether a DpcHold lives; whether a DPC is queued or runs. Any thread.
bool dpcsHeld();
bool dpcPending();

}  // namespace aerogpu::host
