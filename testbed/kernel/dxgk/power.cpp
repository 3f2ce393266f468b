// SPDX-License-Identifier: MIT
#include "testbed/kernel/dxgk/power.h"

#include "testbed/kernel/core/report.h"
#include "testbed/kernel/dxgk/adapter.h"
#include "testbed/kernel/dxgk/display.h"
#include "testbed/kernel/dxgk/scheduler.h"
#include "testbed/kernel/dxgk/vidmm.h"

namespace aerogpu::host {

bool sleepSystem(Adapter& adapter, Allocation* shown, const std::function<bool()>& down) {
  constexpr ULONG kAdapter = 0xFFFFFFFF;  // DISPLAY_ADAPTER_HW_ID
  const auto succeeds = [](NTSTATUS status, const char* what) {
    if (!ntSuccess(status)) brokenRule("%s at a sleep: 0x%08x", what, status);
    return ntSuccess(status);
  };
  Display& display = adapter.display();
  bool right = succeeds(display.setVisible(false), "DxgkDdiSetVidPnSourceVisibility");
  adapter.scheduler().waitIdle();
  display.unpin(*display.primary());
  if (shown) display.unpin(*shown);
  if (!adapter.vidmm().evictAll()) {
    brokenRule("not everything can be evicted for a sleep");
    right = false;
  }
  right =
      succeeds(adapter.setPower(kAdapter, PowerDeviceD3, PowerActionSleep), "DxgkDdiSetPowerState, D3,") &&
      right;
  if (!down()) return false;
  right =
      succeeds(adapter.setPower(kAdapter, PowerDeviceD0, PowerActionSleep), "DxgkDdiSetPowerState, D0,") &&
      right;
  if (!display.recommit(shown)) {
    brokenRule("the mode does not come back from a sleep");
    return false;
  }
  return right;
}

}  // namespace aerogpu::host
