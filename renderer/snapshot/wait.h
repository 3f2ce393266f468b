// SPDX-License-Identifier: MIT
// Waits for work of the GPU that no submission of the guest asked for. Render thread only.
#pragma once

#include "renderer/base/result.h"
#include "renderer/core/backend.h"

namespace aerogpu::snapshot {

/// Hands over what is recorded and waits for it. Returns its error.
Result<void> finishWork(core::Backend& backend);

}  // namespace aerogpu::snapshot
