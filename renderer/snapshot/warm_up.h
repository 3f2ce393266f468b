// SPDX-License-Identifier: MIT
// Goes ahead of a snapshot: draws like the guest's latest, so that whoever loads it has their pipelines
// before the guest goes on. Render thread only.
#pragma once

#include "renderer/core/submission.h"
#include "renderer/trace/writer.h"

namespace aerogpu::snapshot {

/// Writes the draws that need the pipelines used last, if there are any: a stream that makes what they need.
void describeRecentDraws(core::Submission& parts, trace::Writer& file);

}  // namespace aerogpu::snapshot
