// SPDX-License-Identifier: MIT
// Checks that a valid module asks for exactly the descriptors of its pipeline layout. Drivers assume that
// too, and no validator of single modules can know it. Pure function, any process.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "renderer/translator/dxbc_answer.h"

namespace aerogpu::translator {

/// Returns an empty string if the module (already validated) has one entry point, "main" of that stage, and
/// every resource variable is resource n of the list at binding n of the set, of its kind; else the defect.
std::string interfaceDefect(std::span<const uint32_t> words, const DxbcRequest& request,
                            std::span<const DxbcResource> resources);

}  // namespace aerogpu::translator
