// SPDX-License-Identifier: MIT
// Rules for all calls into the driver: the results that their pages list, and how long they may wait.
#include <algorithm>
#include <cstring>
#include <vector>

#include "testbed/kernel/dxgk/ddi_call.h"
#include "testbed/kernel/dxgk/graphics_status.h"

namespace aerogpu::host {

namespace {

constexpr NTSTATUS kIllegalInstruction = ntStatus(0xC000001D), kPrivilegedInstruction = ntStatus(0xC0000096),
                   kInvalidUserBuffer = ntStatus(0xC00000E8), kCannotColorConvert = ntStatus(0xC01E0008),
                   kGpuException = ntStatus(0xC01E0200),  // STATUS_GRAPHICS_GPU_EXCEPTION_ON_DEVICE
    kApertureUnavailable = ntStatus(0xC01E0107),          // STATUS_GRAPHICS_UNSWIZZLING_APERTURE_*
    kApertureUnsupported = ntStatus(0xC01E0108);

/// "Return code" of the functions' pages. STATUS_GRAPHICS_DRIVER_MISMATCH, which some of them also list, is
/// left out: its severity is informational, so NT_SUCCESS counts it as success.
const struct {
  const char* ddi;
  std::vector<NTSTATUS> answers;
} kAnswers[] = {
    {"DxgkDdiCreateAllocation", {kSuccess, kInvalidParameter, kNoMemory}},
    {"DxgkDdiOpenAllocation", {kSuccess, kInvalidParameter, kNoMemory}},
    {"DxgkDdiCreateDevice", {kSuccess, kNoMemory}},
    {"DxgkDdiCreateContext", {kSuccess, kNoMemory}},
    {"DxgkDdiRender",
     {kSuccess, kNoMemory, kInsufficientDmaBuffer, kPrivilegedInstruction, kIllegalInstruction,
      kInvalidParameter, kInvalidUserBuffer, kInvalidHandle, kGpuException}},
    {"DxgkDdiRenderKm",
     {kSuccess, kNoMemory, kInsufficientDmaBuffer, kInvalidParameter, kInvalidUserBuffer, kInvalidHandle,
      kIllegalInstruction, kGpuException}},
    {"DxgkDdiPresent",
     {kSuccess, kNoMemory, kInsufficientResources, kInsufficientDmaBuffer, kCannotColorConvert,
      kPrivilegedInstruction, kIllegalInstruction, kInvalidHandle, kGpuException}},
    {"DxgkDdiIsSupportedVidPn", {kSuccess, kInvalidTopology, kNoMemory}},
    {"DxgkDdiAcquireSwizzlingRange", {kSuccess, kApertureUnsupported, kApertureUnavailable}},
    {"DxgkDdiCreateOverlay", {kSuccess, kInvalidParameter, kNoMemory, kInsufficientResources}},
    {"DxgkDdiUpdateOverlay", {kSuccess, kInvalidParameter, kNoMemory, kInsufficientResources}},
    {"DxgkDdiFlipOverlay", {kSuccess, kInvalidParameter, kNoMemory}},
    // "should never fail", dispmprt page "DXGKDDI_SET_POWER_STATE".
    {"DxgkDdiSetPowerState", {kSuccess}},
};

/// Even if all threads in the driver wait this long one after the other, TdrDdiDelay (5 s, page "TDR Registry
/// Keys") is far away. The last wait may end with the next tick of the clock.
constexpr int64_t kLongestWaitNs = 500'000'000 + 100 * kDefaultClockTick;

}  // namespace

void checkResult(const char* ddi, int32_t status) {
  for (const auto& row : kAnswers)
    if (std::strcmp(row.ddi, ddi) == 0 &&
        std::find(row.answers.begin(), row.answers.end(), status) == row.answers.end())
      brokenRule("%s returned 0x%08x, which its page does not list", ddi, static_cast<uint32_t>(status));
}

void checkWaits(const char* ddi, int64_t waitedNs) {
  if (waitedNs > kLongestWaitNs)
    brokenRule("%s waits for %lld ms; what others do must not stand still for more than 500 ms", ddi,
               static_cast<long long>(waitedNs / 1'000'000));
}

}  // namespace aerogpu::host
