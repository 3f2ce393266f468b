// SPDX-License-Identifier: MIT
// What a thread's interrupt routine has reported to dxgkrnl.
#pragma once

namespace aerogpu::host {

/// Records whether the interrupt routine runs on this thread, and whether it asked for a DPC since the last
/// notification.
struct IsrState {
  bool inside = false;
  bool synchronized = false;
  bool notified = false;
  bool dpcRequested = false;
  bool owesDpc =
      false;  // notified under DxgkCbSynchronizeExecution; DxgkCbQueueDpc must follow in the same DDI
};
IsrState& isrState();

}  // namespace aerogpu::host
