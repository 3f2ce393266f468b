// SPDX-License-Identifier: MIT
// The account of host memory that the guest can make us hold (max_hostmem), and the accounts of its parts.
// Thread-safe, lock-free, except for HostMemory::setShare().
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <utility>

namespace aerogpu {

/// The uses of held memory, for people (enum aerogpu_host_memory_kind).
enum class HostMemoryKind : uint8_t { Other, Buffers, Textures, Shaders, Queries, Frames };
inline constexpr size_t kHostMemoryKinds = 6;

/// Counts bytes against a cap.
class HostMemory {
public:
  /// `owner`: the account that this one is a part of, whose cap counts too; null: it is no part.
  explicit HostMemory(uint64_t capBytes, std::shared_ptr<HostMemory> owner = nullptr)
      : m_cap(capBytes), m_owner(std::move(owner)) {}

  /// Takes `bytes` from the budget. False, and nothing taken, if they would pass its cap or its owner's.
  bool tryCharge(uint64_t bytes) { return m_owner ? tryChargeWithOwner(bytes) : tryChargeAlone(bytes); }

  /// Gives back the bytes that tryCharge took.
  void release(uint64_t bytes) {
    m_held.fetch_sub(bytes, std::memory_order_relaxed);
    if (m_owner) m_owner->release(bytes);
  }

  uint64_t heldBytes() const { return m_held.load(std::memory_order_relaxed); }
  uint64_t peakBytes() const { return m_peak.load(std::memory_order_relaxed); }
  uint64_t capBytes() const { return m_cap; }
  /// Returns the bytes that users with a share must leave to those without one: the system's objects
  /// (SPACE-26).
  uint64_t systemBytes() const { return std::min(m_cap / 16, uint64_t{64} << 20); }
  /// True if systemBytes() are left beside `bytes` more. Call it on the thread that takes charges.
  bool leavesSystem(uint64_t bytes) const {
    if (!m_leavesSystem) return true;
    const uint64_t cap = m_cap - systemBytes();
    return bytes <= cap && heldBytes() <= cap - bytes;
  }
  /// Returns the account whose cap is the final limit.
  const HostMemory& owner() const { return m_owner ? *m_owner : *this; }
  /// Returns the part of heldBytes() that is held for one kind. Each part is exact by itself.
  uint64_t heldBytes(HostMemoryKind kind) const {
    if (kind != HostMemoryKind::Other)
      return m_kinds[static_cast<size_t>(kind)].load(std::memory_order_relaxed);
    uint64_t rest = heldBytes();
    for (const std::atomic<uint64_t>& one : m_kinds)
      rest -= std::min(rest, one.load(std::memory_order_relaxed));
    return rest;
  }

  /// Sets the share that is charged from now on, beside the whole: null = only the whole. One thread, the
  /// caller's, takes charges; they end on any thread.
  void setShare(std::shared_ptr<HostMemory> share) { m_share = std::move(share); }
  const std::shared_ptr<HostMemory>& share() const { return m_share; }
  /// Sets whether users with a share leave systemBytes(); true at first. The caller of setShare().
  void setLeavesSystem(bool leaves) { m_leavesSystem = leaves; }

private:
  friend class HostMemoryCharge;
  bool tryChargeAlone(uint64_t bytes) {
    uint64_t held = m_held.load(std::memory_order_relaxed);
    do {
      if (bytes > m_cap || held > m_cap - bytes) return false;
    } while (!m_held.compare_exchange_weak(held, held + bytes, std::memory_order_relaxed));
    uint64_t peak = m_peak.load(std::memory_order_relaxed);
    while (peak < held + bytes &&
           !m_peak.compare_exchange_weak(peak, held + bytes, std::memory_order_relaxed)) {
    }
    return true;
  }
  [[gnu::noinline]] bool tryChargeWithOwner(uint64_t bytes) {
    if (!m_owner->tryCharge(bytes)) return false;
    if (tryChargeAlone(bytes)) return true;
    m_owner->release(bytes);
    return false;
  }
  void count(HostMemoryKind kind, uint64_t bytes) {
    if (kind != HostMemoryKind::Other)
      m_kinds[static_cast<size_t>(kind)].fetch_add(bytes, std::memory_order_relaxed);
  }

  const uint64_t m_cap;
  const std::shared_ptr<HostMemory> m_owner;
  std::atomic<uint64_t> m_held{0};
  std::atomic<uint64_t> m_peak{0};
  std::array<std::atomic<uint64_t>, kHostMemoryKinds> m_kinds{};  ///< `Other` is the rest
  std::shared_ptr<HostMemory> m_share;
  bool m_leavesSystem = true;
};

/// A charge that ends with the object. Movable; empty by default. Keeps the share that it counts in alive,
/// also after the end of the share's process.
class HostMemoryCharge {
public:
  HostMemoryCharge() = default;
  HostMemoryCharge(HostMemoryCharge&& other) noexcept
      : m_account(std::exchange(other.m_account, nullptr)),
        m_share(std::move(other.m_share)),
        m_bytes(other.m_bytes),
        m_kind(other.m_kind) {}
  HostMemoryCharge& operator=(HostMemoryCharge&& other) noexcept {
    if (this != &other) {
      reset();
      m_account = std::exchange(other.m_account, nullptr);
      m_share = std::move(other.m_share);
      m_bytes = other.m_bytes;
      m_kind = other.m_kind;
    }
    return *this;
  }
  ~HostMemoryCharge() { reset(); }

  /// Charges `bytes` to the account, which is no part of another one, and to its share. Returns an empty
  /// charge (ok() false) if a cap would be passed, or if a share would take bytes reserved for the system.
  static HostMemoryCharge take(HostMemory& account, uint64_t bytes,
                               HostMemoryKind kind = HostMemoryKind::Other) {
    HostMemoryCharge charge;
    HostMemory* share = account.share().get();
    if (share && (!account.leavesSystem(bytes) || !share->tryCharge(bytes))) return charge;
    if (account.tryChargeAlone(bytes)) {
      charge.m_account = &account;
      charge.m_share = account.share();
      charge.m_bytes = bytes;
      charge.m_kind = kind;
      account.count(kind, bytes);
    } else if (share) {
      share->release(bytes);
    }
    return charge;
  }

  bool ok() const { return m_account != nullptr; }
  bool isOf(const HostMemory& account) const { return m_account == &account; }
  /// Returns the share that it counts in; null = none.
  const HostMemory* share() const { return m_share.get(); }
  void reset() {
    if (m_account) {
      m_account->count(m_kind, uint64_t{0} - m_bytes);
      m_account->release(m_bytes);
    }
    if (m_share) m_share->release(m_bytes);
    m_account = nullptr;
    m_share = nullptr;
  }

private:
  HostMemory* m_account = nullptr;
  std::shared_ptr<HostMemory> m_share;
  uint64_t m_bytes = 0;
  HostMemoryKind m_kind = HostMemoryKind::Other;
};

}  // namespace aerogpu
