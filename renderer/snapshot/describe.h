// SPDX-License-Identifier: MIT
// Describes what the renderer holds by the packets that make it again. Render thread only.
#pragma once

#include "renderer/core/spaces.h"
#include "renderer/core/submission.h"
#include "renderer/snapshot/inventory.h"
#include "renderer/snapshot/steps.h"

namespace aerogpu::snapshot {

/// Describes the spaces, with their names and processes.
void describeSpaces(const Inventory& all, Steps& steps);
/// Describes the clock of timestamps, if the guest knows of it.
void describeClock(const core::Submission& parts, Steps& steps);
/// Describes all objects, in the order of their numbers, without guest memory or contents.
void describeObjects(const Inventory& all, Steps& steps);
/// The same in one stream.
void describeObjects(const Inventory& all, CommandWriter& w);
/// Describes the guest memory of buffers and textures, and where that lies.
void describeBackings(core::Submission& parts, const Inventory& all, Steps& steps);
/// Describes share tokens and the rights to import them.
void describeTokens(core::Submission& parts, const Inventory& all, Steps& steps);
/// Describes the handles.
void describeNames(const Inventory& all, Steps& steps);

/// Describes a context's state. `nextNumber`: the number of the next object, for samplers that nothing names;
/// it grows.
void describeContext(const Inventory& all, const core::DrawState& state, uint32_t& nextNumber,
                     CommandWriter& w);

}  // namespace aerogpu::snapshot
