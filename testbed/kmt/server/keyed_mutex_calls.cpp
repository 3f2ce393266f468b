// SPDX-License-Identifier: MIT
// The calls of keyed mutexes. GPU work needs no wait of its own: who releases a mutex has submitted his, and
// the scheduler runs what comes later after it.
#include <algorithm>

#include "testbed/kmt/server/kernel.h"

namespace aerogpu::host {

using kmt::Call;

NTSTATUS Kernel::run(CallTag<Call::CreateKeyedMutex>, Process& process,
                     const kmt::CreateKeyedMutexRequest& request, TailReader&,
                     kmt::CreateKeyedMutexReply& reply, TailWriter&) {
  if (m_adapter.removed()) return kmt::kStatusDeviceRemoved;
  const auto mutex = m_keyedMutexes.create(request.initialKey, reply.globalShare);
  reply.mutex = process.handles.add(mutex);
  if (reply.mutex) return kmt::kStatusSuccess;
  m_keyedMutexes.close(*mutex);
  reply.globalShare = 0;
  return kmt::kStatusNoMemory;
}

NTSTATUS Kernel::run(CallTag<Call::OpenKeyedMutex>, Process& process, const kmt::OneHandle& request,
                     TailReader&, kmt::OneHandle& reply, TailWriter&) {
  if (m_adapter.removed()) return kmt::kStatusDeviceRemoved;
  const auto mutex = m_keyedMutexes.open(request.handle);
  if (!mutex) return kmt::kStatusInvalidParameter;
  reply.handle = process.handles.add(mutex);
  if (reply.handle) return kmt::kStatusSuccess;
  m_keyedMutexes.close(*mutex);
  return kmt::kStatusNoMemory;
}

NTSTATUS Kernel::run(CallTag<Call::AcquireKeyedMutex>, Process& process,
                     const kmt::AcquireKeyedMutexRequest& request, TailReader&,
                     kmt::AcquireKeyedMutexReply& reply, TailWriter&) {
  if (m_adapter.removed()) return kmt::kStatusDeviceRemoved;
  const auto mutex = process.handles.find<KmtKeyedMutex>(request.mutex);
  if (!mutex) return kmt::kStatusInvalidParameter;
  const std::chrono::milliseconds most(std::min(request.waitMs, kmt::kMaxKeyedMutexWaitMs));
  return m_keyedMutexes.acquire(mutex, request.key, most, reply.fence);
}

NTSTATUS Kernel::run(CallTag<Call::ReleaseKeyedMutex>, Process& process,
                     const kmt::ReleaseKeyedMutexRequest& request, TailReader&, kmt::Nothing&, TailWriter&) {
  if (m_adapter.removed()) return kmt::kStatusDeviceRemoved;
  const auto mutex = process.handles.find<KmtKeyedMutex>(request.mutex);
  if (!mutex) return kmt::kStatusInvalidParameter;
  return m_keyedMutexes.release(*mutex, request.key, request.fence);
}

NTSTATUS Kernel::run(CallTag<Call::DestroyKeyedMutex>, Process& process, const kmt::OneHandle& request,
                     TailReader&, kmt::Nothing&, TailWriter&) {
  const auto mutex = process.handles.remove<KmtKeyedMutex>(request.handle);
  if (!mutex) return kmt::kStatusInvalidParameter;
  m_keyedMutexes.close(*mutex);
  return kmt::kStatusSuccess;
}

}  // namespace aerogpu::host
