// SPDX-License-Identifier: MIT
// The end of a handle space, with everything in it. Render thread only.
#pragma once

#include <memory>

#include "renderer/core/backend.h"
#include "renderer/core/context_table.h"
#include "renderer/core/resource_index.h"
#include "renderer/core/selected_space.h"
#include "renderer/core/spaces.h"

namespace aerogpu::core {

/// Ends a space that is not the selected one and is in no list any more: its contexts, rights to import and
/// handles go, and the back end is told if it was the last one of its process.
void endSpace(std::unique_ptr<Space> space, SelectedSpace& selected, ContextTable& contexts,
              ResourceIndex& resources, Backend& backend);

}  // namespace aerogpu::core
