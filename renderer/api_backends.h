// SPDX-License-Identifier: MIT
// The back ends that a renderer can have, once: name, whether this build has it, how it is made.
#pragma once

#include <memory>
#include <span>
#include <string>

#include "renderer/core/backend.h"
#include "renderer/core/backend_config.h"

namespace aerogpu {

struct BackendEntry {
  const char* name;
  /// Null and a message when the host lacks what it needs. Not in this build: a null pointer.
  std::unique_ptr<core::Backend> (*create)(const core::BackendConfig& config, std::string& error);
};

/// In the order in which "auto" tries them.
std::span<const BackendEntry> backendEntries();

/// "auto, vulkan or null": what may be asked for in this build.
const std::string& backendChoices();

}  // namespace aerogpu
