// SPDX-License-Identifier: MIT
// The account of host memory that the guest can make us hold (max_hostmem), and of what a part of it may
// hold. Thread-safe, lock-free, but for HostMemory::setShare().
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <utility>

namespace aerogpu {

/// What memory is held for, for people who look (enum aerogpu_host_memory_kind).
enum class HostMemoryKind : uint8_t { Other, Buffers, Textures, Shaders, Queries, Frames };
inline constexpr size_t kHostMemoryKinds = 6;

/// Counts bytes against a cap.
class HostMemory {
public:
  /// `owner`: a part of that one's, whose cap counts too; null: nobody's.
  explicit HostMemory(uint64_t capBytes, std::shared_ptr<HostMemory> owner = nullptr)
      : m_cap(capBytes), m_owner(std::move(owner)) {}

  /// Takes `bytes` from the budget; false, and nothing taken, when its cap or its owner's would be passed.
  bool tryCharge(uint64_t bytes) { return m_owner ? tryChargeWithOwner(bytes) : tryChargeAlone(bytes); }

  /// Gives back what tryCharge took.
  void release(uint64_t bytes) {
    m_held.fetch_sub(bytes, std::memory_order_relaxed);
    if (m_owner) m_owner->release(bytes);
  }

  uint64_t heldBytes() const { return m_held.load(std::memory_order_relaxed); }
  uint64_t peakBytes() const { return m_peak.load(std::memory_order_relaxed); }
  uint64_t capBytes() const { return m_cap; }
  /// What those who have a share leave to those who have none: the system's objects (SPACE-26).
  uint64_t systemBytes() const { return std::min(m_cap / 16, uint64_t{64} << 20); }
  /// Whether that is left beside `bytes` more. Asked by the thread that takes charges.
  bool leavesSystem(uint64_t bytes) const {
    const uint64_t cap = m_cap - systemBytes();
    return bytes <= cap && heldBytes() <= cap - bytes;
  }
  /// Whose cap it is that is reached in the end.
  const HostMemory& owner() const { return m_owner ? *m_owner : *this; }
  /// Of heldBytes(), what is held for one kind. Each is right for itself.
  uint64_t heldBytes(HostMemoryKind kind) const {
    if (kind != HostMemoryKind::Other)
      return m_kinds[static_cast<size_t>(kind)].load(std::memory_order_relaxed);
    uint64_t rest = heldBytes();
    for (const std::atomic<uint64_t>& one : m_kinds)
      rest -= std::min(rest, one.load(std::memory_order_relaxed));
    return rest;
  }

  /// Who makes the renderer hold what is charged from now on, beside the whole: null = the whole alone.
  /// Charges are taken by one thread, the caller's; they end on any.
  void setShare(std::shared_ptr<HostMemory> share) { m_share = std::move(share); }
  const std::shared_ptr<HostMemory>& share() const { return m_share; }

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
  std::array<std::atomic<uint64_t>, kHostMemoryKinds> m_kinds{};  ///< Other is the rest
  std::shared_ptr<HostMemory> m_share;
};

/// A charge that ends with its owner. Movable; empty by default. It keeps the share that it counts in, which
/// may be nobody's any more.
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

  /// Charges `bytes` to the account, which is no part of another one, and its share; an empty charge (ok()
  /// false) when a cap would be passed, or a share would take what is the system's.
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
