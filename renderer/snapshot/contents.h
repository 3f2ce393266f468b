// SPDX-License-Identifier: MIT
// Reads the contents of buffers and textures, and writes them as loads. Render thread only.
#pragma once

#include "renderer/base/result.h"
#include "renderer/core/backend.h"
#include "renderer/snapshot/inventory.h"
#include "renderer/snapshot/steps.h"

namespace aerogpu::snapshot {

class Ahead;

/// Returns the bytes of all contents, zeros included.
uint64_t contentBytes(const Inventory& all);

/// Writes what is not zero, in pieces; those that went ahead are named. `ahead` may be null. Backend if the
/// GPU fails.
Result<void> writeContents(core::Backend& backend, const Inventory& all, const Ahead* ahead, Steps& steps);

}  // namespace aerogpu::snapshot
