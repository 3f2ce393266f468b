// SPDX-License-Identifier: MIT
#include "renderer/core/shared_surfaces.h"

namespace aerogpu::core {

Result<void> SharedSurfaces::exportToken(uint64_t token, Resource& resource) {
  if (const auto known = m_tokens.find(token); known != m_tokens.end()) {
    if (known->second == &resource) return {};
    return Error{ErrorCode::CmdDecode,
                 known->second ? "share token names another resource" : "share token is used up"};
  }
  if (!m_hostMemory.tryCharge(kBytesPerToken))
    return Error{ErrorCode::Backend, "no host memory for a share token"};
  m_tokens.emplace(token, &resource);
  resource.shareTokens.push_back(token);
  return {};
}

Result<Resource*> SharedSurfaces::find(uint64_t token) const {
  const auto known = m_tokens.find(token);
  if (known == m_tokens.end() || !known->second)
    return Error{ErrorCode::CmdDecode, "unknown or used-up share token"};
  return known->second;
}

void SharedSurfaces::release(uint64_t token) {
  const auto known = m_tokens.find(token);
  if (known == m_tokens.end() || !known->second) return;
  std::erase(known->second->shareTokens, token);
  known->second = nullptr;
}

void SharedSurfaces::retire(Resource& resource) {
  for (uint64_t token : resource.shareTokens) m_tokens[token] = nullptr;  // present: no insertion happens
  resource.shareTokens.clear();
}

void SharedSurfaces::clear() {
  m_hostMemory.release(m_tokens.size() * kBytesPerToken);
  m_tokens.clear();
}

}  // namespace aerogpu::core
