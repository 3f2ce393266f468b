// SPDX-License-Identifier: MIT
#include <cstring>

#include "renderer/translator/jobs.h"
#include "renderer/translator/spirv_check.h"

namespace aerogpu::translator {

Outcome finishSpirv(std::span<const uint8_t> input) {
  if (input.size() % sizeof(uint32_t) != 0) return Outcome::refused("the module is not made of words");
  std::vector<uint32_t> words(input.size() / sizeof(uint32_t));
  if (!words.empty()) std::memcpy(words.data(), input.data(), input.size());
  if (std::string defect = spirvDefect(words); !defect.empty())
    return Outcome::refused(defect.insert(0, "it becomes bad SPIR-V: "));
  const auto* bytes = reinterpret_cast<const uint8_t*>(words.data());
  return Outcome::done({bytes, bytes + words.size() * sizeof(uint32_t)});
}

}  // namespace aerogpu::translator
