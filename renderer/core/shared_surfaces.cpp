// SPDX-License-Identifier: MIT
#include "renderer/core/shared_surfaces.h"

namespace aerogpu::core {

Result<void> SharedSurfaces::exportToken(uint64_t token, Resource& resource) {
  if (const auto known = m_tokens.find(token); known != m_tokens.end()) {
    if (known->second.resource == &resource) return {};
    return refused(ErrorCode::CmdDecode,
                   known->second.resource ? "share token names another resource" : "share token is used up",
                   {{"share_token", token}});
  }
  if (!m_hostMemory.tryCharge(kBytesPerToken))
    return refused(ErrorCode::Backend, "no host memory for a share token", {{"share_token", token}});
  ShareToken& made =
      m_tokens.emplace(token, ShareToken{token, &resource, nullptr, resource.shareTokens, nullptr})
          .first->second;
  if (made.next) made.next->previous = &made;
  resource.shareTokens = &made;
  return {};
}

Result<Resource*> SharedSurfaces::find(uint64_t token) const {
  const auto known = m_tokens.find(token);
  if (known == m_tokens.end() || !known->second.resource)
    return refused(ErrorCode::CmdDecode, "unknown or used-up share token", {{"share_token", token}});
  return known->second.resource;
}

Result<void> SharedSurfaces::grant(uint64_t token, ShareGrants& holder) {
  const auto known = m_tokens.find(token);
  if (known == m_tokens.end() || !known->second.resource)
    return refused(ErrorCode::CmdDecode, "unknown or used-up share token", {{"share_token", token}});
  if (holder.holds(token)) return {};
  HostMemoryCharge charge = HostMemoryCharge::take(m_hostMemory, kBytesPerGrant);
  if (!charge.ok())
    return refused(ErrorCode::Backend, "no host memory for a grant", {{"share_token", token}});
  ShareToken& named = known->second;
  ShareGrant& made =
      holder.m_grants.emplace(token, ShareGrant{std::move(charge), &holder, &named, nullptr, named.grants})
          .first->second;
  if (made.next) made.next->previous = &made;
  named.grants = &made;
  return {};
}

void ShareGrants::clear() {
  for (auto& [token, grant] : m_grants) {
    (grant.previous ? grant.previous->next : grant.token->grants) = grant.next;
    if (grant.next) grant.next->previous = grant.previous;
  }
  m_grants.clear();
}

void SharedSurfaces::useUp(ShareToken& token) {
  (token.previous ? token.previous->next : token.resource->shareTokens) = token.next;
  if (token.next) token.next->previous = token.previous;
  for (ShareGrant* grant = token.grants; grant;) {
    ShareGrant* next = grant->next;
    grant->holder->m_grants.erase(token.number);
    grant = next;
  }
  if (m_forgets) {
    m_tokens.erase(token.number);
    m_hostMemory.release(kBytesPerToken);
  } else {
    token = {};
  }
}

Result<void> SharedSurfaces::release(uint64_t token) {
  if (const auto known = m_tokens.find(token); known != m_tokens.end()) {
    if (known->second.resource) useUp(known->second);
    return {};
  }
  if (token == 0 || m_forgets) return {};  // 0 is never a token
  if (!m_hostMemory.tryCharge(kBytesPerToken))
    return refused(ErrorCode::Backend, "no host memory for a share token", {{"share_token", token}});
  m_tokens.emplace(token, ShareToken{});
  return {};
}

void SharedSurfaces::retire(Resource& resource) {
  while (resource.shareTokens) useUp(*resource.shareTokens);
}

void SharedSurfaces::clear() {
  m_hostMemory.release(m_tokens.size() * kBytesPerToken);
  m_tokens.clear();
}

}  // namespace aerogpu::core
