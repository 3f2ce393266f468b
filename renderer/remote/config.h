// SPDX-License-Identifier: MIT
// The configuration of a renderer on its way to another process.
#pragma once

#include <optional>
#include <string>

#include "renderer/remote/protocol.h"

namespace aerogpu::remote {

/// Packs everything but the callbacks.
void packConfig(Packer& to, const aerogpu_renderer_config& config);

/// Strings that an unpacked configuration points to.
struct ConfigTexts {
  std::optional<std::string> backend, vulkanDevice, cacheDir, vmName, vmUuid, recentTrace, caps;
};

/// `texts` outlives what is returned.
aerogpu_renderer_config unpackConfig(Unpacker& from, ConfigTexts& texts);

}  // namespace aerogpu::remote
