// SPDX-License-Identifier: MIT
#include "renderer/translator/dxbc_answer.h"

#include <cstring>

namespace aerogpu::translator {

std::optional<DxbcAnswer> readAnswer(std::span<const uint8_t> bytes) {
  uint32_t count = 0;
  if (bytes.size() < sizeof count) return std::nullopt;
  std::memcpy(&count, bytes.data(), sizeof count);
  bytes = bytes.subspan(sizeof count);
  if (count > kMaxResources || count > bytes.size() / sizeof(DxbcResource)) return std::nullopt;
  DxbcAnswer answer;
  answer.resources.resize(count);
  if (count) std::memcpy(answer.resources.data(), bytes.data(), count * sizeof(DxbcResource));
  bytes = bytes.subspan(count * sizeof(DxbcResource));
  if (bytes.size() % sizeof(uint32_t) != 0) return std::nullopt;
  answer.words.resize(bytes.size() / sizeof(uint32_t));
  if (!answer.words.empty()) std::memcpy(answer.words.data(), bytes.data(), bytes.size());
  return answer;
}

}  // namespace aerogpu::translator
