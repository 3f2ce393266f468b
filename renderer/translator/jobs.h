// SPDX-License-Identifier: MIT
// The two jobs of the translator process. They run in a child each, one after the other: what the first one
// makes of a guest's bytes is untrusted, since a defect in the translation library may have been used on the
// way.
#pragma once

#include <span>

#include "renderer/process/server.h"

namespace aerogpu::translator {

/// Job::TranslateDxbc: libvkd3d-shader.
process::JobAnswer translateDxbc(std::span<const uint8_t> input);

/// Job::FinishSpirv: the module is held against the resource list, its loops get a way out
/// (shader/spirv_loops.h), and it is validated for Vulkan 1.3; drivers assume all that.
process::JobAnswer finishSpirv(std::span<const uint8_t> input);

}  // namespace aerogpu::translator
