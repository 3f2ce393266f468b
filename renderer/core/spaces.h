// SPDX-License-Identifier: MIT
// Handle spaces: what counts inside each, and the list of them that people on the host look at.
// docs/abi/spaces.md. Render thread only, but for what says so.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>

#include "aerogpu/renderer.h"
#include "renderer/base/host_memory.h"
#include "renderer/base/mutex.h"
#include "renderer/base/result.h"
#include "renderer/base/salted_hash.h"
#include "renderer/core/handle_table.h"
#include "renderer/core/queries.h"
#include "renderer/core/shared_surfaces.h"
#include "renderer/core/sharing.h"
#include "renderer/core/state.h"
#include "renderer/core/stats.h"
#include "renderer/core/work_budget.h"

namespace aerogpu::core {

/// A guest context.
struct Context {
  HostMemoryCharge charge;
  DrawState state;
  std::unique_ptr<ContextQueries> queries;  ///< made with the first one
  bool changed = false;                     ///< a packet that may change the state has run
};

/// What a space did and has. Written by the render thread, read by any.
struct SpaceCounters {
  OwnCounter submissions, packets, draws, errors, objects, contexts;
};

/// What a process of the guest has in all its spaces (SPACE-22, SPACE-23). It lives as long as one of them,
/// or something that counts for it.
struct ProcessAccount {
  explicit ProcessAccount(uint64_t limitBytes) : memory(limitBytes) {}
  HostMemory memory;
  size_t spaces = 0;
  size_t contexts = 0;
  uint64_t otherObjects = 0;  ///< handles in them, but in the space that is selected
};

struct Space {
  explicit Space(uint32_t which) : number(which) {}
  const uint32_t number;
  /// While the space is selected its table is in SelectedSpace, so that a look-up costs what it would without
  /// spaces, and this one is empty.
  HandleTable handles;
  std::unordered_map<uint32_t, std::unique_ptr<Context>, SaltedHash> contexts;
  ShareGrants grants;
  HostMemoryCharge charge;  ///< of the space itself
  /// What it makes the renderer hold, a part of what its process may. Null for space 0, which only the whole
  /// bounds. Written under the mutex of Spaces.
  std::shared_ptr<HostMemory> share;
  std::shared_ptr<ProcessAccount> account;  ///< null: it counts by itself
  /// Whose it is, if that was said; 0 = the system's. Written under the mutex of Spaces.
  std::optional<uint64_t> process;
  SpaceCounters counters;
  SlicePace pace;
  /// The render thread, or under the mutex of Spaces.
  Owner owner() const {
    if (number == 0 || process == 0) return {};
    return process ? Owner{Owner::Kind::Process, *process} : Owner{Owner::Kind::Space, number};
  }
  // Under the mutex of Spaces.
  uint32_t processId = 0;
  std::string imageName;
};

class Spaces {
public:
  // SPACE-9 to SPACE-11.
  static constexpr uint32_t kMaxSpaces = 4096;             ///< beside space 0
  static constexpr uint32_t kMaxContextsAlone = 1024;      ///< of all, without spaces (SUB-8)
  static constexpr uint32_t kMaxContexts = 8192;           ///< of all, with spaces
  static constexpr uint32_t kMaxContextsOfOne = 256;       ///< of a space that is not 0
  static constexpr uint32_t kMaxContextsOfProcess = 1024;  ///< of all spaces of a process
  static constexpr uint32_t kMaxObjects = 1u << 20;        ///< of all; each costs memory beside what it holds
  static constexpr uint32_t kMaxObjectsOfOne = 1u << 18;

  /// `shareBytes`: what a process, or a space that is nobody's, may make the renderer hold.
  Spaces(HostMemory& hostMemory, uint64_t shareBytes) : m_hostMemory(hostMemory), m_shareBytes(shareBytes) {}

  Space& kernel() { return m_kernel; }
  uint64_t shareBytes() const { return m_shareBytes; }
  /// Null when it does not live.
  Space* find(uint32_t number);
  /// The same, made if need be, whatever memory there is; over kMaxSpaces Backend.
  Result<Space*> need(uint32_t number);
  /// Whose work runs in it; of one that does not live its own. Any thread.
  Owner ownerOf(uint32_t number) const;
  /// How many live beside space 0.
  size_t count() const;
  /// SPACE-22: `space`, not 0, counts for `process` from now on; CmdDecode when it is another's, or has
  /// something already.
  Result<void> setProcess(Space& space, uint64_t process);
  /// For next(). The name ends with its first zero byte.
  void setName(Space& space, uint32_t processId, std::span<const uint8_t> name);
  /// "space 3, process 1712, game.exe", for people.
  std::string describe(const Space& space) const;
  /// Takes the space out of the list, for its end. Not space 0.
  std::unique_ptr<Space> take(Space& space);
  /// The same for the space of the lowest number; null when there are none but 0.
  std::unique_ptr<Space> takeFirst();

  /// The space of the lowest number from `from` on; false when there is none. Any thread.
  bool next(uint32_t from, aerogpu_renderer_space& out) const;

private:
  static constexpr uint64_t kBytesPerSpace = uint64_t{16} << 10;  ///< its tables before anything is in them

  /// That of the process, made if there is none.
  std::shared_ptr<ProcessAccount> accountOf(uint64_t process);

  HostMemory& m_hostMemory;
  /// Of the spaces themselves where that has no room: whose something is does not depend on what others took.
  HostMemory m_reserve{uint64_t{kMaxSpaces} * kBytesPerSpace};
  const uint64_t m_shareBytes;
  std::unordered_map<uint64_t, std::weak_ptr<ProcessAccount>> m_accounts;  ///< some may be gone
  size_t m_sweepAt = 64;  ///< with as many accounts those that are gone are looked for
  Space m_kernel{0};
  mutable Mutex m_mutex;
  std::map<uint32_t, std::unique_ptr<Space>> m_others GUARDED_BY(m_mutex);
};

}  // namespace aerogpu::core
