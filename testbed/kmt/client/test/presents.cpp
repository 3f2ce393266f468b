// SPDX-License-Identifier: MIT
#include "testbed/kmt/client/test/presents.h"

#include <stdio.h>
#include <string.h>

#include "aerogpu/cmd_packets.hpp"
#include "testbed/kmt/status.h"

namespace aerogpu::kmt::test {

namespace {

NTSTATUS present(Gpu &gpu, HWND window, D3DKMT_HANDLE source, const RECT *to = nullptr, const RECT *subRect = nullptr) {
  D3DKMT_PRESENT args{};
  args.hContext = gpu.context();
  args.hWindow = window;
  args.hSource = source;
  args.Flags.Blt = 1;
  if (to) {
    args.DstRect = *to;
    args.Flags.DstRectValid = 1;
  }
  args.pSrcSubRects = subRect;
  args.SubRectCnt = subRect != nullptr;
  return D3DKMTPresent(&args);
}

HWND makeWindow(int x, int y, int width, int height) {
  return CreateWindowExA(0, "STATIC", "kmt", WS_POPUP | WS_VISIBLE, x, y, width, height, nullptr, nullptr, nullptr,
                         nullptr);
}

NTSTATUS fill(Gpu &gpu, HWND window, UINT color) {
  D3DKMT_PRESENT args{};
  args.hContext = gpu.context();
  args.hWindow = window;
  args.Color = color;
  args.Flags.ColorFill = 1;
  return D3DKMTPresent(&args);
}

NTSTATUS flip(Gpu &gpu, D3DKMT_HANDLE frame, D3DDDI_FLIPINTERVAL_TYPE interval = D3DDDI_FLIPINTERVAL_ONE,
              bool doNotWait = false) {
  D3DKMT_PRESENT args{};
  args.hContext = gpu.context();
  args.hSource = frame;
  args.FlipInterval = interval;
  args.Flags.Flip = 1;
  args.Flags.FlipDoNotWait = doNotWait;
  return D3DKMTPresent(&args);
}

D3DKMT_PRESENT_STATS statistics(Gpu &gpu) {
  const D3DKMT_GETDEVICESTATE zero{};
  D3DKMT_GETDEVICESTATE state = zero;
  state.hDevice = gpu.device();
  state.StateType = D3DKMT_DEVICESTATE_PRESENT;
  const NTSTATUS status = D3DKMTGetDeviceState(&state);
  if (status < 0) check(false, "the statistics of presents (0x%08lx)", status);
  return state.PresentState.PresentStats;
}

/** Presents until the queue of flips is full, which it is while no vertical sync comes; a busy machine needs more than
 * one try. Flips that are refused do not count. */
void queueTests(Gpu &gpu, const Memory (&frames)[2]) {
  const D3DKMT_WAITFORVERTICALBLANKEVENT wait = {gpu.adapter(), gpu.device(), 0};
  UINT accepted = 0, limit = 0, before;
  do {  // until nothing is queued
    before = statistics(gpu).PresentCount;
    for (int i = 0; i < 4; i++) D3DKMTWaitForVerticalBlankEvent(&wait);
  } while (statistics(gpu).PresentCount != before);
  NTSTATUS status = kStatusSuccess;
  for (UINT queued = 0; limit < 10000 && status >= 0; limit++) {
    status = flip(gpu, frames[limit % 2].allocation, D3DDDI_FLIPINTERVAL_ONE, true);
    accepted += status >= 0;
    queued = before + accepted - statistics(gpu).PresentCount;
    if (queued > 3) {
      check(false, "%u flips are queued", queued);
      return;
    }
  }
  check(status == kStatusAllocationBusy, "a full queue refuses a flip that does not wait, after %u (0x%08lx)", accepted,
        status);
  status = flip(gpu, frames[0].allocation);
  accepted += status >= 0;
  check(status >= 0, "one that waits is taken (0x%08lx)", status);
  for (int i = 0; i < 100 && statistics(gpu).PresentCount != before + accepted; i++)
    D3DKMTWaitForVerticalBlankEvent(&wait);
  const D3DKMT_PRESENT_STATS end = statistics(gpu);
  check(end.PresentCount == before + accepted && end.PresentRefreshCount <= end.SyncRefreshCount,
        "all %u are shown, none of those that were refused (%u)", accepted, end.PresentCount - before);
  // DXGK_FLIPCAPS.FlipInterval is 0 (page "D3DKMTPresent").
  for (const auto interval : {D3DDDI_FLIPINTERVAL_TWO, D3DDDI_FLIPINTERVAL_THREE, D3DDDI_FLIPINTERVAL_FOUR})
    check(flip(gpu, frames[1].allocation, interval) == kStatusInvalidParameter, "no flip interval of %d", interval);
}

}  // namespace

bool ask(const char *line) {
  printf("%s\n", line);
  fflush(stdout);
  char answer[64] = {};
  return fgets(answer, sizeof answer, stdin) && !strncmp(answer, "yes", 3);
}

NTSTATUS own(Gpu &gpu, D3DKMT_VIDPNSOURCEOWNER_TYPE type) {
  const D3DDDI_VIDEO_PRESENT_SOURCE_ID source = 0;
  const D3DKMT_SETVIDPNSOURCEOWNER args = {gpu.device(), &type, &source, 1};
  return D3DKMTSetVidPnSourceOwner(&args);
}

void presentTests(Gpu &gpu) {
  const HWND desktop = makeWindow(0, 0, 1024, 768);
  check(fill(gpu, desktop, 0xFF000000) >= 0, "the desktop is cleared");
  DestroyWindow(desktop);
  Memory surface;
  if (!check(createSurface(gpu, 200, 100, false, nullptr, surface) >= 0, "a surface")) return;
  const uint32_t texture = paint(gpu, surface, 200, 100, 0xC02040, 0x30A050);
  const HWND window = makeWindow(300, 200, 200, 100);
  RECT client;
  if (!check(window && GetClientRect(window, &client) && client.right == 200 && client.bottom == 100, "a window"))
    return;
  NTSTATUS status = present(gpu, window, surface.allocation);
  check(status >= 0 && gpu.waitIdle(), "it is presented to (0x%08lx)", status);
  check(ask("look: 300,200=c02040 399,299=c02040 400,200=30a050 499,299=30a050 299,200=000000 500,250=000000 "
            "300,199=000000 300,300=000000"),
        "its pixels are on the screen");
  const RECT part = {10, 20, 60, 70};
  status = present(gpu, window, surface.allocation, &part);
  check(status >= 0 && gpu.waitIdle() &&
            ask("look: 310,220=c02040 334,269=c02040 335,220=30a050 359,269=30a050 360,220=c02040"),
        "a part of the window, scaled (0x%08lx)", status);
  SetWindowPos(window, nullptr, 900, 700, 0, 0, SWP_NOSIZE | SWP_NOZORDER);
  const RECT strip = {0, 10, 150, 20};
  status = present(gpu, window, surface.allocation, nullptr, &strip);
  check(status >= 0 && gpu.waitIdle() &&
            ask("look: 900,710=c02040 1000,719=30a050 1023,715=30a050 900,709=000000 900,720=000000"),
        "a strip of the source, over the screen's edge (0x%08lx)", status);
  status = fill(gpu, window, 0xFF8040C0);
  check(status >= 0 && gpu.waitIdle() && ask("look: 900,700=8040c0 1023,767=8040c0 899,700=000000"), "a fill (0x%08lx)",
        status);
  const RECT huge = {INT32_MIN, 0, INT32_MAX, 10};
  check(present(gpu, window, surface.allocation, &huge) == kStatusInvalidParameter, "a rectangle that is none");
  check(present(gpu, window, gpu.device()) == kStatusInvalidHandle, "a source that is none");
  D3DKMT_PRESENT both{};
  both.hContext = gpu.context();
  both.hWindow = window;
  both.Flags.Blt = both.Flags.ColorFill = 1;
  check(D3DKMTPresent(&both) == kStatusInvalidParameter, "fill and copy at once");
  both.Flags.ColorFill = 0;
  both.hSource = surface.allocation;
  both.Flags.FlipDoNotWait = 1;
  check(D3DKMTPresent(&both) == kStatusInvalidParameter, "a copy with a flip's flag");
  D3DKMT_CHECKOCCLUSION occlusion = {window};
  check(D3DKMTCheckOcclusion(&occlusion) == kStatusSuccess, "the window is seen");
  DestroyWindow(window);
  check(D3DKMTCheckOcclusion(&occlusion) == kStatusInvalidParameter, "and is gone");
  CommandWriter gone;
  packets::destroyResource(gone, texture);
  gpu.render(gone);
  destroy(gpu, surface);
}

void flipTests(Gpu &gpu) {
  Memory frames[2], small, narrow, flat;
  uint32_t textures[2];
  for (uint32_t i = 0; i < 2; i++) {
    if (!check(createSurface(gpu, 1024, 768, true, nullptr, frames[i]) >= 0, "frame %u", i)) return;
    textures[i] = paint(gpu, frames[i], 1024, 768, i ? 0x00FF00 : 0xFF0000, i ? 0x0000FF : 0xFFFF00);
  }
  check(createSurface(gpu, 800, 600, true, nullptr, small) >= 0 &&
            createSurface(gpu, 100, 768, true, nullptr, narrow) >= 0 &&
            createSurface(gpu, 1024, 100, true, nullptr, flat) >= 0,
        "surfaces of other sizes");
  const uint32_t smallTexture = paint(gpu, small, 800, 600, 0x123456, 0x654321);
  NTSTATUS status = flip(gpu, frames[0].allocation);
  check(status == kStatusPresentOccluded, "no flips without the screen (0x%08lx)", status);
  D3DKMT_SETDISPLAYMODE mode{};
  mode.hDevice = gpu.device();
  mode.hPrimaryAllocation = frames[0].allocation;
  check(D3DKMTSetDisplayMode(&mode) == kStatusInvalidParameter, "and no modes");
  status = own(gpu, D3DKMT_VIDPNSOURCEOWNER_EXCLUSIVE);
  check(status >= 0, "the screen is taken (0x%08lx)", status);
  status = D3DKMTSetDisplayMode(&mode);
  check(status >= 0 && ask("look: 0,0=ff0000 511,767=ff0000 512,0=ffff00 1023,767=ffff00"), "the first frame (0x%08lx)",
        status);
  status = flip(gpu, frames[1].allocation);
  check(status >= 0 && ask("look: 0,0=00ff00 1023,767=0000ff"), "a flip to the second (0x%08lx)", status);
  for (int i = 0; i < 5 && status >= 0; i++) status = flip(gpu, frames[i % 2].allocation);
  check(status >= 0 && ask("look: 0,0=ff0000 1023,767=ffff00"), "five more (0x%08lx)", status);
  queueTests(gpu, frames);
  check(flip(gpu, narrow.allocation) == kStatusInvalidAllocationUsage &&
            flip(gpu, flat.allocation) == kStatusInvalidAllocationUsage,
        "frames that do not fit");
  mode.hPrimaryAllocation = small.allocation;
  status = D3DKMTSetDisplayMode(&mode);
  check(status >= 0 && ask("look: size=800x600 0,0=123456 799,599=654321"), "another mode (0x%08lx)", status);
  check(flip(gpu, frames[0].allocation) == kStatusInvalidAllocationUsage, "the old frames do not fit it");
  mode.hPrimaryAllocation = narrow.allocation;
  check(D3DKMTSetDisplayMode(&mode) == kStatusModeNotInModeSet, "100x768 is no mode");
  const D3DKMT_PRESENT_STATS stats = statistics(gpu);
  check(stats.PresentCount >= 6 && stats.SyncRefreshCount >= 5, "%u presents, %u vertical syncs", stats.PresentCount,
        stats.SyncRefreshCount);
  // The shown allocation is destroyed: the desktop is back, in its mode, with what windows had drawn.
  CommandWriter gone;
  for (const uint32_t texture : {textures[0], textures[1], smallTexture}) packets::destroyResource(gone, texture);
  gpu.render(gone);
  for (const Memory &memory : {frames[0], frames[1], small, narrow, flat}) destroy(gpu, memory);
  check(ask("look: size=1024x768 1000,750=8040c0"), "the desktop comes back when the frame goes");
  check(own(gpu, D3DKMT_VIDPNSOURCEOWNER_UNOWNED) >= 0, "the screen is given back");
}

}  // namespace aerogpu::kmt::test
