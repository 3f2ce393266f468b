// SPDX-License-Identifier: MIT
// The single list of back ends: name, presence in this build, factory.
#pragma once

#include <memory>
#include <span>
#include <string>

#include "renderer/core/backend.h"
#include "renderer/core/backend_config.h"

namespace aerogpu {

struct BackendEntry {
  const char* name;
  /// Creates the back end. Returns null and a message if the host lacks something that it needs.
  std::unique_ptr<core::Backend> (*create)(const core::BackendConfig& config, std::string& error);
};

/// Returns the back ends of this build in the order in which "auto" tries them.
std::span<const BackendEntry> backendEntries();

/// Returns "auto, vulkan or null": the choices of this build.
const std::string& backendChoices();

}  // namespace aerogpu
