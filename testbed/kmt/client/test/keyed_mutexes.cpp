// SPDX-License-Identifier: MIT
#include "testbed/kmt/client/test/keyed_mutexes.h"

#include "testbed/kmt/status.h"

namespace aerogpu::kmt::test {

namespace {

constexpr LONGLONG kTicksPerMs = 10000;  // of 100 ns
constexpr LONGLONG kLongMs = 450;        // longer than one wait of the kernel side

NTSTATUS acquire(D3DKMT_HANDLE mutex, UINT64 key, LONGLONG timeout, UINT64 *fence = nullptr) {
  LARGE_INTEGER time;
  time.QuadPart = timeout;
  D3DKMT_ACQUIREKEYEDMUTEX args{mutex, key, &time, 0};
  const NTSTATUS status = D3DKMTAcquireKeyedMutex(&args);
  if (fence) *fence = args.FenceValue;
  return status;
}

NTSTATUS release(D3DKMT_HANDLE mutex, UINT64 key, UINT64 fence) {
  D3DKMT_RELEASEKEYEDMUTEX args{mutex, key, fence};
  return D3DKMTReleaseKeyedMutex(&args);
}

NTSTATUS destroy(D3DKMT_HANDLE mutex) {
  const D3DKMT_DESTROYKEYEDMUTEX args{mutex};
  return D3DKMTDestroyKeyedMutex(&args);
}

LONGLONG systemTime() {
  FILETIME now;
  GetSystemTimeAsFileTime(&now);
  return static_cast<LONGLONG>(ULONGLONG{now.dwHighDateTime} << 32 | now.dwLowDateTime);
}

/** Returns how many milliseconds a wait for another key lasted, or a negative number if it did not time out. */
double waited(D3DKMT_HANDLE mutex, LONGLONG timeout) {
  LARGE_INTEGER before, after, frequency;
  QueryPerformanceFrequency(&frequency);
  QueryPerformanceCounter(&before);
  const NTSTATUS status = acquire(mutex, 1234, timeout);
  QueryPerformanceCounter(&after);
  if (status != kStatusTimeout) return -1;
  return static_cast<double>(after.QuadPart - before.QuadPart) * 1000 / static_cast<double>(frequency.QuadPart);
}

}  // namespace

void keyedMutexTests() {
  D3DKMT_CREATEKEYEDMUTEX create{5, 0, 0};
  NTSTATUS status = D3DKMTCreateKeyedMutex(&create);
  if (!check(status >= 0 && create.hKeyedMutex && create.hSharedHandle, "a keyed mutex (0x%08lx)", status)) return;
  D3DKMT_OPENKEYEDMUTEX open{create.hSharedHandle, 0};
  status = D3DKMTOpenKeyedMutex(&open);
  check(status >= 0 && open.hKeyedMutex && open.hKeyedMutex != create.hKeyedMutex, "its second open (0x%08lx)", status);
  D3DKMT_OPENKEYEDMUTEX none{create.hKeyedMutex, 0};
  check(D3DKMTOpenKeyedMutex(&none) == kStatusInvalidParameter, "what is no global handle opens none");
  check(acquire(create.hSharedHandle, 5, 0) == kStatusInvalidParameter, "the global handle takes none");
  check(acquire(create.hKeyedMutex, 4, 0) == kStatusTimeout, "another key does not take it");
  double ms = waited(create.hKeyedMutex, -kLongMs * kTicksPerMs);
  check(ms >= kLongMs - 1, "a relative wait of %lld ms lasts %.1f", kLongMs, ms);
  ms = waited(create.hKeyedMutex, systemTime() + kLongMs * kTicksPerMs);
  check(ms >= kLongMs - 20, "one until a time in %lld ms lasts %.1f", kLongMs, ms);  // the clock has steps
  ms = waited(create.hKeyedMutex, systemTime() - kTicksPerMs);
  check(ms >= 0 && ms < kLongMs, "one until a time that is over lasts %.1f", ms);
  UINT64 fence = 1;
  check(acquire(create.hKeyedMutex, 5, 0, &fence) == kStatusSuccess && !fence, "its key takes it");
  check(acquire(create.hKeyedMutex, 5, 0) == kStatusInvalidParameter, "nobody takes it twice");
  check(release(open.hKeyedMutex, 5, 0) == kStatusInvalidParameter, "only its owner releases it");
  check(release(create.hKeyedMutex, UINT64_MAX, 77) == kStatusSuccess &&
            acquire(open.hKeyedMutex, UINT32_MAX, 0) == kStatusTimeout,
        "all 64 bits of a key count");
  D3DKMT_ACQUIREKEYEDMUTEX forever{open.hKeyedMutex, UINT64_MAX, nullptr, 0};
  check(D3DKMTAcquireKeyedMutex(&forever) == kStatusSuccess && forever.FenceValue == 77,
        "who takes it gets the last owner's fence");
  check(destroy(open.hKeyedMutex) == kStatusSuccess && destroy(open.hKeyedMutex) == kStatusInvalidParameter,
        "an open ends once");
  check(acquire(create.hKeyedMutex, UINT64_MAX, 0) == kStatusAbandoned, "its owner has abandoned it");
  check(destroy(create.hKeyedMutex) == kStatusSuccess, "the last open ends");
  open.hSharedHandle = create.hSharedHandle;
  check(D3DKMTOpenKeyedMutex(&open) == kStatusInvalidParameter, "and with it the mutex");
}

}  // namespace aerogpu::kmt::test
