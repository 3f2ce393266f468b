// SPDX-License-Identifier: MIT
// Writes a snapshot of all that the renderer holds for its guest. Render thread only.
#pragma once

#include <cstdint>

#include "renderer/base/result.h"
#include "renderer/core/submission.h"
#include "renderer/trace/writer.h"

namespace aerogpu::snapshot {

class Ahead;

/// Writes the records of a snapshot. Every submission is finished. Nothing changes, whether it fails or not.
/// `features`: those of the renderer's packets. `ahead`: what went ahead in the same file; may be null.
Result<void> save(core::Submission& parts, uint64_t features, trace::Writer& file,
                  const Ahead* ahead = nullptr);

}  // namespace aerogpu::snapshot
