// SPDX-License-Identifier: MIT
// Status codes of the graphics kernel.
#pragma once

#include "testbed/kernel/nt/nt.h"

namespace aerogpu::host {

// ntstatus.h. The first three are success codes: the pointer that comes with them is null.
inline constexpr NTSTATUS kModeNotPinned = 0x401E0307, kDatasetIsEmpty = 0x401E034B,
                          kNoMoreElements = 0x401E034C, kInsufficientDmaBuffer = ntStatus(0xC01E0001),
                          kInvalidVidPn = ntStatus(0xC01E0303), kInvalidSource = ntStatus(0xC01E0304),
                          kInvalidTarget = ntStatus(0xC01E0305), kInvalidSourceModeSet = ntStatus(0xC01E0308),
                          kInvalidTargetModeSet = ntStatus(0xC01E0309), kInvalidMode = ntStatus(0xC01E0310),
                          kPinnedMustRemain = ntStatus(0xC01E0312), kPathInTopology = ntStatus(0xC01E0313),
                          kModeInSet = ntStatus(0xC01E0314), kPathNotInTopology = ntStatus(0xC01E0327),
                          kModeNotInSet = ntStatus(0xC01E034A), kInvalidTopology = ntStatus(0xC01E0300),
                          kNoRecommendation = ntStatus(0xC01E0323),
                          kNoRecommendedTopology = ntStatus(0xC01E031A),
                          kUnassignedModeSetExists = ntStatus(0xC01E0350),
                          kTopologyChangesNotAllowed = ntStatus(0xC01E0353);

}  // namespace aerogpu::host
