// SPDX-License-Identifier: MIT
// Share tokens: which resource each names, which were used up, and who may import them. TOK-2 to TOK-7,
// SPACE-13, SPACE-14. Render thread only.
#pragma once

#include <cstdint>
#include <unordered_map>

#include "renderer/base/host_memory.h"
#include "renderer/base/result.h"
#include "renderer/base/salted_hash.h"
#include "renderer/core/gpu_objects.h"

namespace aerogpu::core {

class ShareGrants;

/// One space's right to import one token: in the list of the token's, and in a table of the space's.
struct ShareGrant {
  HostMemoryCharge charge;
  ShareGrants* holder = nullptr;
  struct ShareToken* token = nullptr;
  ShareGrant* previous = nullptr;
  ShareGrant* next = nullptr;
};

/// A token, in the list of its resource's tokens.
struct ShareToken {
  uint64_t number = 0;
  Resource* resource = nullptr;  ///< null = used up
  ShareToken* previous = nullptr;
  ShareToken* next = nullptr;
  ShareGrant* grants = nullptr;  ///< the first of a list
};

/// The tokens that a space may import. It is cleared before the tokens are.
class ShareGrants {
public:
  bool holds(uint64_t token) const { return m_grants.contains(token); }
  /// Gives all of them up.
  void clear();

private:
  friend class SharedSurfaces;
  std::unordered_map<uint64_t, ShareGrant, SaltedHash> m_grants;
};

class SharedSurfaces {
public:
  explicit SharedSurfaces(HostMemory& hostMemory) : m_hostMemory(hostMemory) {}

  /// Token -> resource. The same pair again is fine; another resource, or a token that is used up, is an
  /// error. Each token ever seen costs the guest host memory, since it must be remembered.
  Result<void> exportToken(uint64_t token, Resource& resource);
  /// The resource of a live token.
  Result<Resource*> find(uint64_t token) const;
  /// The token is used up, one that was never exported too: its EXPORT may come late. Over the host-memory
  /// cap, Backend for the latter.
  Result<void> release(uint64_t token);
  /// The holder may import the token, which lives, until one of the two ends. Again is fine.
  Result<void> grant(uint64_t token, ShareGrants& holder);
  /// The last handle of the resource is gone: so are its tokens.
  void retire(Resource& resource);
  void clear();
  /// Whether tokens that are used up from now on are forgotten (SPACE-20).
  void setForgets(bool forgets) { m_forgets = forgets; }
  /// Tokens that are remembered, the used-up ones too.
  size_t count() const { return m_tokens.size(); }

private:
  static constexpr uint64_t kBytesPerToken = 96, kBytesPerGrant = 128;
  /// A token that lives is used up.
  void useUp(ShareToken& token);

  HostMemory& m_hostMemory;
  std::unordered_map<uint64_t, ShareToken, SaltedHash> m_tokens;
  bool m_forgets = false;
};

}  // namespace aerogpu::core
