// SPDX-License-Identifier: MIT
// Share tokens: the resource of each, the tokens that are used up, and the spaces that may import them. TOK-2
// to TOK-11, SPACE-13, SPACE-14. Render thread only.
#pragma once

#include <cstdint>
#include <unordered_map>

#include "renderer/base/host_memory.h"
#include "renderer/base/result.h"
#include "renderer/base/salted_hash.h"
#include "renderer/core/gpu_objects.h"

namespace aerogpu::core {

class ShareGrants;

/// One space's right to import one token: in a list of the token, and in a table of the space.
struct ShareGrant {
  HostMemoryCharge charge;
  ShareGrants* holder = nullptr;
  struct ShareToken* token = nullptr;
  ShareGrant* previous = nullptr;
  ShareGrant* next = nullptr;
};

/// A token, in a list of its resource.
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
  /// Passes the number of each token to `use`, in no order.
  template <class Use>
  void forEach(Use use) const {
    for (const auto& [token, grant] : m_grants) use(token);
  }
  /// Gives up all grants.
  void clear();

private:
  friend class SharedSurfaces;
  std::unordered_map<uint64_t, ShareGrant, SaltedHash> m_grants;
};

class SharedSurfaces {
public:
  explicit SharedSurfaces(HostMemory& hostMemory) : m_hostMemory(hostMemory) {}

  /// Makes a token name a resource. Repeating the pair has no effect; another resource, or a token that is
  /// used up, is an error. Each token ever seen costs the guest host memory, since it must be remembered.
  Result<void> exportToken(uint64_t token, Resource& resource);
  /// Returns the resource of a live token.
  Result<Resource*> find(uint64_t token) const;
  /// Uses the token up, even one that was never exported: its EXPORT may come late. Backend for such a one if
  /// it would pass the host-memory cap.
  Result<void> release(uint64_t token);
  /// Lets the holder import the live token until one of the two ends. Repeating it has no effect.
  Result<void> grant(uint64_t token, ShareGrants& holder);
  /// Ends the tokens of a resource whose last handle is gone.
  void retire(Resource& resource);
  void clear();
  /// Sets whether tokens that are used up from now on are forgotten (SPACE-20).
  void setForgets(bool forgets) { m_forgets = forgets; }
  /// Passes the number and the resource, null if it is used up, of each remembered token to `use`, in no
  /// order.
  template <class Use>
  void forEach(Use use) const {
    for (const auto& [number, token] : m_tokens) use(number, token.resource);
  }
  /// Returns the number of remembered tokens, used-up ones included.
  size_t count() const { return m_tokens.size(); }

private:
  static constexpr uint64_t kBytesPerToken = 96, kBytesPerGrant = 128;
  /// Uses up a live token.
  void useUp(ShareToken& token);

  HostMemory& m_hostMemory;
  std::unordered_map<uint64_t, ShareToken, SaltedHash> m_tokens;
  bool m_forgets = false;
};

}  // namespace aerogpu::core
