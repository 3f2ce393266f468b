// SPDX-License-Identifier: MIT
// Which files Vulkan's loader, its layers and the drivers use, as this process's environment says.
#pragma once

#include <string>

#include "renderer/remote/landlock.h"

namespace aerogpu::remote {

/// Leads what drivers keep of shaders into `cacheDir` (made if it is missing), away from the folders that
/// other programs of this user read; empty: they keep nothing. What the user has set by himself stays. Call
/// it while the process has one thread, before the loader runs.
void leadCaches(const std::string& cacheDir);

/// Returns the rules for this process, after leadCaches().
FileRules driverFiles(const std::string& cacheDir);

}  // namespace aerogpu::remote
