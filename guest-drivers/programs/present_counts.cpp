// SPDX-License-Identifier: MIT
#include "guest-drivers/programs/present_counts.h"

#include <cstdio>

namespace programs {

bool PresentCounts::begin(IDirect3DDevice9Ex *device) {
  ComPtr<IDirect3DSwapChain9> chain;
  return ok(device->GetSwapChain(0, chain.put()), "GetSwapChain") &&
         ok(chain->QueryInterface(IID_IDirect3DSwapChain9Ex, reinterpret_cast<void **>(chain_.put())),
            "QueryInterface(IDirect3DSwapChain9Ex)") &&
         ok(chain_->GetLastPresentCount(&presents_), "GetLastPresentCount") &&
         ok(chain_->GetPresentStats(&last_), "GetPresentStats");
}

bool PresentCounts::step(uint32_t frame) {
  UINT presents = 0;
  D3DPRESENTSTATS stats{};
  LARGE_INTEGER time;
  if (!ok(chain_->GetLastPresentCount(&presents), "GetLastPresentCount") ||
      !ok(chain_->GetPresentStats(&stats), "GetPresentStats"))
    return false;
  QueryPerformanceCounter(&time);
  if (presents != presents_ + 1)
    return fail("frame %u: the last present's count is %u after %u", frame, presents, presents_);
  if (stats.PresentCount > presents)
    return fail("frame %u: present %u is shown, and %u were made", frame, stats.PresentCount, presents);
  const struct {
    const char *name;
    int64_t before, now;
  } rows[] = {{"PresentCount", last_.PresentCount, stats.PresentCount},
              {"PresentRefreshCount", last_.PresentRefreshCount, stats.PresentRefreshCount},
              {"SyncRefreshCount", last_.SyncRefreshCount, stats.SyncRefreshCount},
              {"SyncQPCTime", last_.SyncQPCTime.QuadPart, stats.SyncQPCTime.QuadPart},
              {"SyncGPUTime", last_.SyncGPUTime.QuadPart, stats.SyncGPUTime.QuadPart}};
  for (const auto &row : rows)
    if (row.now < row.before)
      return fail("frame %u: %s goes from %lld back to %lld", frame, row.name, static_cast<long long>(row.before),
                  static_cast<long long>(row.now));
  if (stats.SyncQPCTime.QuadPart > time.QuadPart)
    return fail("frame %u: the vertical blank of the statistics is in the future", frame);
  if (stats.PresentRefreshCount > stats.SyncRefreshCount)
    return fail("frame %u: it was shown at refresh %u, and %u were", frame, stats.PresentRefreshCount,
                stats.SyncRefreshCount);
  // Time advances exactly when the vertical blank count does.
  if ((stats.SyncRefreshCount == last_.SyncRefreshCount) != (stats.SyncQPCTime.QuadPart == last_.SyncQPCTime.QuadPart))
    return fail("frame %u: %u refreshes, and the time of the last one goes from %lld to %lld", frame,
                stats.SyncRefreshCount - last_.SyncRefreshCount, static_cast<long long>(last_.SyncQPCTime.QuadPart),
                static_cast<long long>(stats.SyncQPCTime.QuadPart));
  if (frame == 0) first_ = stats;
  presents_ = presents;
  last_ = stats;
  return true;
}

bool PresentCounts::checkPace(uint32_t frames, uint32_t backBuffers) const {
  const uint32_t refreshes = this->refreshes();
  std::printf("%u frames in %u refreshes, the last one at %u\n", frames, refreshes, last_.PresentRefreshCount);
  const uint32_t queued = kDefaultLatency + backBuffers;
  if (refreshes + queued + 1 < frames) return fail("%u frames in %u refreshes: too many", frames, refreshes);
  return frames < queued + 2 || last_.PresentCount > first_.PresentCount || fail("no present was ever shown");
}

}  // namespace programs
