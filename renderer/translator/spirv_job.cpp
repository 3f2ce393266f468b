// SPDX-License-Identifier: MIT
#include <cstring>

#include "renderer/translator/dxbc_answer.h"
#include "renderer/translator/jobs.h"
#include "renderer/translator/spirv_check.h"
#include "renderer/translator/spirv_interface.h"

namespace aerogpu::translator {

Outcome finishSpirv(std::span<const uint8_t> input) {
  DxbcRequest request;
  if (input.size() < sizeof request) return Outcome::refused("the request is cut short");
  std::memcpy(&request, input.data(), sizeof request);
  const auto answer = readAnswer(input.subspan(sizeof request));
  if (!answer) return Outcome::refused("the translation is cut short");
  const std::vector<uint32_t>& words = answer->words;
  std::string defect = spirvDefect(words);
  if (defect.empty()) defect = interfaceDefect(words, request, answer->resources);
  if (!defect.empty()) return Outcome::refused(defect.insert(0, "it becomes bad SPIR-V: "));
  const auto* bytes = reinterpret_cast<const uint8_t*>(words.data());
  return Outcome::done({bytes, bytes + words.size() * sizeof(uint32_t)});
}

}  // namespace aerogpu::translator
