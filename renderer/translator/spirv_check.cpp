// SPDX-License-Identifier: MIT
#include "renderer/translator/spirv_check.h"

#include <spirv-tools/libspirv.h>

namespace aerogpu::translator {

std::string spirvDefect(std::span<const uint32_t> words) {
  // The least that a device may have; the shaders of all devices are alike.
  spv_context context = spvContextCreate(SPV_ENV_VULKAN_1_1);
  if (!context) return "the validator cannot be made";
  spv_diagnostic diagnostic = nullptr;  // stays null when all is well
  std::string defect;
  if (spvValidateBinary(context, words.data(), words.size(), &diagnostic) != SPV_SUCCESS) {
    defect = diagnostic && diagnostic->error ? diagnostic->error : "";
    if (defect.empty()) defect = "the module is not valid";
  }
  spvDiagnosticDestroy(diagnostic);
  spvContextDestroy(context);
  return defect;
}

}  // namespace aerogpu::translator
