// SPDX-License-Identifier: MIT
#include "testbed/kmt/server/keyed_mutexes.h"

#include "testbed/kmt/status.h"

namespace aerogpu::host {

std::shared_ptr<KmtKeyedMutex> KeyedMutexes::openLocked(
    const std::shared_ptr<KmtKeyedMutex::Shared>& shared) {
  auto mutex = std::make_shared<KmtKeyedMutex>();
  mutex->shared = shared;
  ++shared->opens;
  return mutex;
}

std::shared_ptr<KmtKeyedMutex> KeyedMutexes::create(uint64_t key, uint32_t& globalShare) {
  std::lock_guard lock(m_mutex);
  auto shared = std::make_shared<KmtKeyedMutex::Shared>();
  shared->key = key;
  // The low bits differ from those of a resource's global handle.
  do shared->globalShare = 0xC0000012 + (++m_next << 6);
  while (m_shares.contains(shared->globalShare) || shared->globalShare < 0xC0000000);
  globalShare = shared->globalShare;
  m_shares[globalShare] = shared;
  return openLocked(shared);
}

std::shared_ptr<KmtKeyedMutex> KeyedMutexes::open(uint32_t globalShare) {
  std::lock_guard lock(m_mutex);
  const auto found = m_shares.find(globalShare);
  return found == m_shares.end() ? nullptr : openLocked(found->second);
}

NTSTATUS KeyedMutexes::acquire(const std::shared_ptr<KmtKeyedMutex>& mutex, uint64_t key,
                               std::chrono::milliseconds most, uint64_t& fence) {
  std::unique_lock lock(m_mutex);
  const std::shared_ptr<KmtKeyedMutex::Shared> shared = mutex->shared;
  if (shared->owner == mutex.get()) return kmt::kStatusInvalidParameter;  // none is taken twice
  const bool came = shared->changed.wait_for(lock, most, [&] {
    return mutex->closed || shared->abandoned || (!shared->owner && shared->key == key);
  });
  if (mutex->closed) return kmt::kStatusInvalidHandle;
  if (shared->abandoned) return kmt::kStatusAbandoned;
  if (!came) return kmt::kStatusTimeout;
  shared->owner = mutex.get();
  fence = shared->fence;
  return kmt::kStatusSuccess;
}

NTSTATUS KeyedMutexes::release(KmtKeyedMutex& mutex, uint64_t key, uint64_t fence) {
  std::lock_guard lock(m_mutex);
  KmtKeyedMutex::Shared& shared = *mutex.shared;
  if (mutex.closed || shared.owner != &mutex) return kmt::kStatusInvalidParameter;
  shared.owner = nullptr;
  shared.key = key;
  shared.fence = fence;
  shared.changed.notify_all();
  return kmt::kStatusSuccess;
}

void KeyedMutexes::close(KmtKeyedMutex& mutex) {
  std::lock_guard lock(m_mutex);
  if (mutex.closed) return;
  mutex.closed = true;
  KmtKeyedMutex::Shared& shared = *mutex.shared;
  if (shared.owner == &mutex) {
    shared.owner = nullptr;
    shared.abandoned = true;
  }
  shared.changed.notify_all();
  if (--shared.opens == 0) m_shares.erase(shared.globalShare);
}

size_t KeyedMutexes::count() {
  std::lock_guard lock(m_mutex);
  return m_shares.size();
}

}  // namespace aerogpu::host
