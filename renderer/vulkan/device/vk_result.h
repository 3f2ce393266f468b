// SPDX-License-Identifier: MIT
// VkResult as an Error. Used where a Vulkan call is made.
#pragma once

#include "renderer/base/result.h"
#include "renderer/vulkan/device/functions.h"

namespace aerogpu::vk {

/// The enumerator's name; a number as text for one that is not known.
const char* resultName(VkResult result);

/// A Backend error: `what` (static storage) failed with `result`.
inline Error vkError(VkResult result, const char* what) {
  return Error{ErrorCode::Backend, what, resultName(result)};
}

}  // namespace aerogpu::vk
