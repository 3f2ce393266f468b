// SPDX-License-Identifier: MIT
// Keyed mutexes: each has one owner at most, and is taken with the key with which it was released. Pages
// D3DKMT_ACQUIREKEYEDMUTEX and its kin, IDXGIKeyedMutex.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>

#include "d3dkmthk.h"
#include "testbed/kmt/server/handles.h"

namespace aerogpu::host {

class KeyedMutexes;

/// An open of a keyed mutex, by which a program owns it.
struct KmtKeyedMutex final : KmtObject {
  static constexpr ObjectKind kKind = ObjectKind::KeyedMutex;
  KmtKeyedMutex() : KmtObject(kKind) {}

private:
  friend class KeyedMutexes;
  struct Shared {
    std::condition_variable changed;
    uint32_t globalShare = 0;
    unsigned opens = 0;
    uint64_t key = 0;                      // of the last release
    uint64_t fence = 0;                    // the same one's
    const KmtKeyedMutex* owner = nullptr;  // null: it is released
    bool abandoned = false;                // an owner has closed it
  };
  std::shared_ptr<Shared> shared;
  bool closed = false;
};

/// All keyed mutexes, and the lock over them. Any thread.
class KeyedMutexes {
public:
  /// Creates a mutex that is released with `key`.
  std::shared_ptr<KmtKeyedMutex> create(uint64_t key, uint32_t& globalShare);
  /// Returns null if no mutex has this global handle.
  std::shared_ptr<KmtKeyedMutex> open(uint32_t globalShare);
  /// Waits until it is released with `key` and takes it, or fails: with STATUS_TIMEOUT, with STATUS_ABANDONED
  /// as soon as an owner has closed it, or if this open owns it already, or is closed meanwhile. `fence`: the
  /// last owner's.
  NTSTATUS acquire(const std::shared_ptr<KmtKeyedMutex>& mutex, uint64_t key, std::chrono::milliseconds most,
                   uint64_t& fence);
  /// Fails if this open does not own it.
  NTSTATUS release(KmtKeyedMutex& mutex, uint64_t key, uint64_t fence);
  /// Closes an open. What it owns is abandoned.
  void close(KmtKeyedMutex& mutex);
  size_t count();

private:
  std::shared_ptr<KmtKeyedMutex> openLocked(const std::shared_ptr<KmtKeyedMutex::Shared>& shared);

  std::mutex m_mutex;
  std::map<uint32_t, std::shared_ptr<KmtKeyedMutex::Shared>> m_shares;
  uint32_t m_next = 0;
};

}  // namespace aerogpu::host
