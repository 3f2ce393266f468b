// SPDX-License-Identifier: MIT
// The two jobs of the translator process. Each runs in its own child, one after the other: the first one's
// result is untrusted, since the guest's bytes may have exploited a defect in the translation library.
#pragma once

#include <span>

#include "renderer/process/server.h"

namespace aerogpu::translator {

/// Job::TranslateDxbc: libvkd3d-shader.
process::JobAnswer translateDxbc(std::span<const uint8_t> input);

/// Job::FinishSpirv: checks the module against the resource list, gives its loops an exit
/// (shader/spirv_loops.h), and validates it for Vulkan 1.1; drivers assume all that.
process::JobAnswer finishSpirv(std::span<const uint8_t> input);

}  // namespace aerogpu::translator
