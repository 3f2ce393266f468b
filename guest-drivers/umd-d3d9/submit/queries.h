// SPDX-License-Identifier: MIT
// queries.h: implements queries, in terms of umd-common's progress.h.
#pragma once

#include "guest-drivers/umd-common/submit/progress.h"
#include "guest-drivers/umd-d3d9/submit/device_objects.h"

namespace aero {

/** D3DDEVINFO_VCACHE: pattern, method, size, magic number. */
struct VertexCacheAnswer {
  uint32_t pattern, optMethod, cacheSize, magicNumber;
};
/** There is no vertex cache that meshes could be optimised for. */
inline constexpr VertexCacheAnswer kNoVertexCache = {0x48434143u, 0, 0, 0};  // "CACH"

/** Times are in nanoseconds (QUERY-6). */
constexpr uint64_t kTimestampFrequency = 1000000000;

/** The query types that the device supports, in the form in which a driver reports them. */
struct QueryTypes {
  D3DDDIQUERYTYPE types[6];
  uint32_t count;
};
/** Returns the query types of a device. `featuresHigh`: its AEROGPU_EXT_FEATURE_HI_*. */
QueryTypes queryTypes(uint32_t featuresHigh);

/** A query that the runtime made. */
class Query : public AwaitedResult {
public:
  // Where the work was lost, the answer of a count is 1: programs leave out what a count of 0 says is hidden, and level
  // 9_2 demands an answer other than 0 (page "Required Direct3D 9 capabilities").
  explicit Query(D3DDDIQUERYTYPE type) : AwaitedResult(type == D3DDDIQUERYTYPE_OCCLUSION), m_type(type) {}
  static Query *from(HANDLE handle) { return static_cast<Query *>(handle); }

  /** Begins or ends the query, as `flags` say. `samples`: samples a pixel of the bound target. */
  HRESULT issue(DeviceObjects &objects, Progress &progress, D3DDDI_ISSUEQUERYFLAGS flags, uint32_t samples);
  /** Returns S_FALSE while the answer is not there; never waits. `data` is as large as the answer for its type. */
  HRESULT data(DeviceObjects &objects, Progress &progress, void *data);
  /** Gives up its count and its result, because it is about to be destroyed or issued anew. */
  void drop(Progress &progress);

  Query *previous = nullptr, *next = nullptr;  // in the device's list

private:
  HRESULT begin(DeviceObjects &objects, Progress &progress);

  D3DDDIQUERYTYPE m_type;
  uint64_t m_batch = 0;                // the batch of its end; 0: not issued
  uint32_t m_slot = Progress::kSlots;  // the slot that counts for it; kSlots: none
  uint32_t m_lostBefore = 0;           // lost batches when it began
  uint32_t m_samples = 1;
};

}  // namespace aero
