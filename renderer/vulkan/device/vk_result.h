// SPDX-License-Identifier: MIT
// VkResult as an Error, made next to the Vulkan call.
#pragma once

#include "renderer/base/result.h"
#include "renderer/vulkan/device/functions.h"

namespace aerogpu::vk {

/// Returns the enumerator's name, or "unknown VkResult".
const char* resultName(VkResult result);

/// Returns a Backend error: `what` (static storage) failed with `result`.
inline Error vkError(VkResult result, const char* what) {
  return Error{ErrorCode::Backend, what, resultName(result)};
}

}  // namespace aerogpu::vk
