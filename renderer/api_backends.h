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
  /// Returns null and a message if the host lacks what it needs. A null pointer if it is not in this build.
  std::unique_ptr<core::Backend> (*create)(const core::BackendConfig& config, std::string& error);
};

/// In the order in which "auto" tries them.
std::span<const BackendEntry> backendEntries();

/// Returns "auto, vulkan or null": the choices of this build.
const std::string& backendChoices();

}  // namespace aerogpu
