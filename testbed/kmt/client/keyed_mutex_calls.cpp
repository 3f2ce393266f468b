// SPDX-License-Identifier: MIT
// keyed_mutex_calls.cpp: keyed mutexes. Pages "D3DKMT...KeyedMutex" of d3dkmthk.h.
#include "testbed/kmt/client/connection.h"

using namespace aerogpu::kmt;

namespace {

constexpr LONGLONG kTicksPerMs = 10000;  // of 100 ns

/// Returns the milliseconds until the time that a D3DKMT timeout names, rounded up: a negative one is relative, another
/// one counts from 1601.
ULONGLONG msUntil(LONGLONG timeout) {
  if (timeout >= 0) {
    FILETIME now;
    GetSystemTimeAsFileTime(&now);
    const LONGLONG ticks = static_cast<LONGLONG>(static_cast<ULONGLONG>(now.dwHighDateTime) << 32 | now.dwLowDateTime);
    if (timeout <= ticks) return 0;
    timeout = ticks - timeout;
  }
  return (0 - static_cast<ULONGLONG>(timeout) + kTicksPerMs - 1) / kTicksPerMs;
}

/// Returns a time in milliseconds. GetTickCount64 has steps of 16, by which a wait would end early.
ULONGLONG nowMs() {
  LARGE_INTEGER counter, frequency;
  QueryPerformanceCounter(&counter);
  QueryPerformanceFrequency(&frequency);
  const auto now = static_cast<ULONGLONG>(counter.QuadPart), second = static_cast<ULONGLONG>(frequency.QuadPart);
  return now / second * 1000 + now % second * 1000 / second;
}

}  // namespace

extern "C" NTSTATUS APIENTRY D3DKMTCreateKeyedMutex(D3DKMT_CREATEKEYEDMUTEX *data) {
  if (!data) return kStatusInvalidParameter;
  CreateKeyedMutexReply reply{};
  const NTSTATUS status = callKernel<Call::CreateKeyedMutex>({data->InitialValue}, &reply);
  data->hSharedHandle = reply.globalShare;
  data->hKeyedMutex = reply.mutex;
  return status;
}

extern "C" NTSTATUS APIENTRY D3DKMTOpenKeyedMutex(D3DKMT_OPENKEYEDMUTEX *data) {
  if (!data) return kStatusInvalidParameter;
  OneHandle reply{};
  const NTSTATUS status = callKernel<Call::OpenKeyedMutex>({data->hSharedHandle}, &reply);
  data->hKeyedMutex = reply.handle;
  return status;
}

extern "C" NTSTATUS APIENTRY D3DKMTDestroyKeyedMutex(const D3DKMT_DESTROYKEYEDMUTEX *data) {
  return data ? callKernel<Call::DestroyKeyedMutex>({data->hKeyedMutex}) : kStatusInvalidParameter;
}

// A long wait is several calls.
extern "C" NTSTATUS APIENTRY D3DKMTAcquireKeyedMutex(D3DKMT_ACQUIREKEYEDMUTEX *data) {
  if (!data) return kStatusInvalidParameter;
  const bool forever = !data->pTimeout;
  // A millisecond more for the one that has begun.
  const ULONGLONG asked = forever ? 0 : msUntil(data->pTimeout->QuadPart), most = asked ? asked + 1 : 0;
  const ULONGLONG begin = nowMs();
  for (;;) {
    const ULONGLONG gone = nowMs() - begin, left = gone < most ? most - gone : 0;
    const uint32_t wait = forever || left > kMaxKeyedMutexWaitMs ? kMaxKeyedMutexWaitMs : static_cast<uint32_t>(left);
    AcquireKeyedMutexReply reply{};
    const NTSTATUS status = callKernel<Call::AcquireKeyedMutex>({data->Key, data->hKeyedMutex, wait}, &reply);
    if (status != kStatusTimeout || (!forever && wait == left)) {
      data->FenceValue = reply.fence;
      return status;
    }
  }
}

extern "C" NTSTATUS APIENTRY D3DKMTReleaseKeyedMutex(D3DKMT_RELEASEKEYEDMUTEX *data) {
  if (!data) return kStatusInvalidParameter;
  return callKernel<Call::ReleaseKeyedMutex>({data->Key, data->FenceValue, data->hKeyedMutex, 0});
}
