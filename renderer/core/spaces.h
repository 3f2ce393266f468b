// SPDX-License-Identifier: MIT
// Handle spaces: the totals of each, and the list of them for people on the host. docs/abi/spaces.md. Render
// thread only, unless a function says otherwise.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

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

/// Counters of a space. Written by the render thread, read by any.
struct SpaceCounters {
  OwnCounter submissions, packets, draws, errors, objects, contexts;
};

/// The totals of a guest process over all its spaces (SPACE-22, SPACE-23). It lives as long as one of the
/// spaces, or an object that is charged to it.
struct ProcessAccount {
  explicit ProcessAccount(uint64_t limitBytes) : memory(limitBytes) {}
  HostMemory memory;
  size_t spaces = 0;
  size_t contexts = 0;
  uint64_t otherObjects = 0;  ///< handles in its spaces, without the selected space
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
  /// The memory that the renderer holds for it, a part of its process's share. Null for space 0, which only
  /// the total limits. Written under the mutex of Spaces.
  std::shared_ptr<HostMemory> share;
  std::shared_ptr<ProcessAccount> account;  ///< null: it is charged alone
  /// Its process, if the kernel driver named one; 0 = the system. Written under the mutex of Spaces.
  std::optional<uint64_t> process;
  SpaceCounters counters;
  SlicePace pace;
  /// Call on the render thread, or under the mutex of Spaces.
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

  /// `shareBytes`: the memory that the renderer may hold for a process, or for a space without a process.
  Spaces(HostMemory& hostMemory, uint64_t shareBytes) : m_hostMemory(hostMemory), m_shareBytes(shareBytes) {}

  Space& kernel() { return m_kernel; }
  uint64_t shareBytes() const { return m_shareBytes; }
  /// Returns null if there is no such space.
  Space* find(uint32_t number);
  /// Returns the space, or makes it, even without room in max_hostmem; over kMaxSpaces it fails with Backend.
  Result<Space*> need(uint32_t number);
  /// Returns all spaces, space 0 first, by number.
  std::vector<Space*> all();
  /// Sets whether spaces that are made take none of the total. When that ends, those that fit are charged to
  /// it.
  void setInReserve(bool inReserve);
  /// Returns the owner of work in the space; a space that does not exist owns itself. Any thread.
  Owner ownerOf(uint32_t number) const;
  /// Returns how many spaces exist beside space 0.
  size_t count() const;
  /// SPACE-22: charges `space`, not 0, to `process` from now on; CmdDecode if it has another process, or
  /// holds something already.
  Result<void> setProcess(Space& space, uint64_t process);
  /// Sets what next() reports. The name ends with its first zero byte.
  void setName(Space& space, uint32_t processId, std::span<const uint8_t> name);
  /// Returns a text for people: "space 3, process 1712, game.exe".
  std::string describe(const Space& space) const;
  /// Takes the space out of the list, to end it. Not space 0.
  std::unique_ptr<Space> take(Space& space);
  /// Takes out the space of the lowest number; null if there is none but 0.
  std::unique_ptr<Space> takeFirst();

  /// Finds the space of the lowest number from `from` on; false if there is none. Any thread.
  bool next(uint32_t from, aerogpu_renderer_space& out) const;

private:
  static constexpr uint64_t kBytesPerSpace = uint64_t{16} << 10;  ///< its tables before anything is in them

  /// Returns the account of the process, made if there is none.
  std::shared_ptr<ProcessAccount> accountOf(uint64_t process);

  HostMemory& m_hostMemory;
  /// Holds the spaces themselves if the total has no room: whether a space has a process must not depend on
  /// other programs' memory.
  HostMemory m_reserve{uint64_t{kMaxSpaces} * kBytesPerSpace};
  const uint64_t m_shareBytes;
  std::unordered_map<uint64_t, std::weak_ptr<ProcessAccount>> m_accounts;  ///< some may be gone
  bool m_inReserve = false;
  size_t m_sweepAt = 64;  ///< with this many accounts, dead ones are removed
  Space m_kernel{0};
  mutable Mutex m_mutex;
  std::map<uint32_t, std::unique_ptr<Space>> m_others GUARDED_BY(m_mutex);
};

}  // namespace aerogpu::core
