// SPDX-License-Identifier: MIT
// Sets of capabilities for virtual machines that move between hosts with different GPUs. A set never changes:
// what is added later belongs into a set with a new number. docs/use/libvirt.md says which GPUs have which.
#pragma once

#include <cstdint>
#include <map>

#include "renderer/core/backend.h"

namespace aerogpu::core {

/// What lavapipe and the GPUs of desktops have since about 2015.
const BackendLimits& base1Limits();
const std::map<uint32_t, FormatCaps>& base1Formats();

}  // namespace aerogpu::core
