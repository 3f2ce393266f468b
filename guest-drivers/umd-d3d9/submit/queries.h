// SPDX-License-Identifier: MIT
// queries.h: queries, and how a program learns that the device has come so far. Each batch with a query in it lists a
// small allocation: while the kernel says that this allocation is in use, the batch is not done (EX-21: a value of
// one's own context, not the number of the newest submission). Results are written into it (docs/abi/queries.md) and
// taken out, all at once, when the batch is found done. A few allocations serve all batches in turn.
#pragma once

#include "guest-drivers/umd-d3d9/submit/wire.h"

namespace aero {

class Query;

/** Tells which batches the device has finished, and what their queries counted. */
class Progress {
public:
  explicit Progress(Wire &wire) : m_wire(wire) {}
  /** Every query has been dropped. */
  void destroy();

  /** Makes the end of the current batch one that isDone() can see. */
  HRESULT mark();
  /** Whether a batch that was marked is done; never waits. Errors are those of the kernel's, WASSTILLDRAWING is none.
   */
  HRESULT isDone(uint64_t batch, bool &done);

  /** Has the device begin to count samples in a slot of its own; it is in no other query's until end(). */
  HRESULT begin(uint32_t &slot);
  /** Ends a count, or takes the time: `query` is told what came of it once the batch is done. `slot` is free then. */
  HRESULT end(uint32_t slot, uint32_t type, Query &query);
  /** A count that nobody wants any more. */
  void abandon(uint32_t slot);
  /** Whether the results of an end() are there, and hands them out; as isDone(). `mark`: where end() put it. */
  HRESULT isAnswered(uint32_t mark, bool &done) { return collect(*m_marks[mark], done); }
  /** Nobody is told of a result. */
  void drop(uint32_t mark, uint32_t place) { m_marks[mark]->asked[place] = nullptr; }

  static constexpr uint32_t kSlots = 256;  // of a context (QUERY-2); this one is none

private:
  static constexpr uint32_t kBytes = 4096;
  static constexpr uint32_t kPlaces = kBytes / sizeof(aerogpu_ext_query_result);
  static constexpr uint32_t kUsual = 8, kMost = 64;  // allocations; more than usual only when all places are taken

  struct Mark {
    Allocation memory;
    uint64_t batch = 0;     // the last one that it marks, 0: none
    uint32_t used = 0;      // places that have been given out since it was collected
    Query *asked[kPlaces];  // whose results they are, null: nobody's any more
  };

  /** Of begins and ends, in a submission; the device takes 8192 (QUERY-10). What begins a batch is not counted. */
  static constexpr uint32_t kMostOfBatch = 8000;

  HRESULT countPacket();
  HRESULT take(bool withPlace, uint32_t &index);
  HRESULT add(uint32_t &index);
  HRESULT collect(Mark &mark, bool &done);

  Wire &m_wire;
  Mark *m_marks[kMost] = {};
  uint32_t m_count = 0, m_newest = 0;
  uint64_t m_done = 0;  // this batch and all before it
  uint64_t m_slots[kSlots / 64] = {};
  uint64_t m_countedBatch = 0;  // that the next one is of
  uint32_t m_packets = 0;       // begins and ends
};

/** D3DDEVINFO_VCACHE: pattern, method, size, magic number. */
struct VertexCacheAnswer {
  uint32_t pattern, optMethod, cacheSize, magicNumber;
};
/** There is no vertex cache that meshes could be optimised for. */
inline constexpr VertexCacheAnswer kNoVertexCache = {0x48434143u, 0, 0, 0};  // "CACH"

/** Times are in nanoseconds (QUERY-6). */
constexpr uint64_t kTimestampFrequency = 1000000000;

/** The queries that the device can be asked, by which a driver says what it has. */
struct QueryTypes {
  D3DDDIQUERYTYPE types[6];
  uint32_t count;
};
/** `featuresHigh`: AEROGPU_EXT_FEATURE_HI_* of the device. */
QueryTypes queryTypes(uint32_t featuresHigh);

/** A query of the runtime's. */
class Query {
public:
  explicit Query(D3DDDIQUERYTYPE type) : m_type(type) {}
  static Query *from(HANDLE handle) { return static_cast<Query *>(handle); }

  /** `samples`: of a pixel of the target that is bound. */
  HRESULT issue(Wire &wire, Progress &progress, D3DDDI_ISSUEQUERYFLAGS flags, uint32_t samples);
  /** S_FALSE while the answer is not there; never waits. `data`: of the size that the type has. */
  HRESULT data(Wire &wire, Progress &progress, void *data);
  /** Takes it out of everything: it is about to go, or is issued anew. */
  void drop(Progress &progress);

  Query *previous = nullptr, *next = nullptr;  // of the device's

private:
  friend class Progress;

  HRESULT begin(Wire &wire, Progress &progress);
  /** The result, once its batch is done; 0 of work that was lost. */
  void answered(uint64_t value) {
    m_value = value;
    m_isAsked = false;
  }

  D3DDDIQUERYTYPE m_type;
  uint64_t m_batch = 0;  // that its end is in; 0: not issued
  uint64_t m_value = 0;
  uint32_t m_slot = Progress::kSlots;  // that counts
  uint32_t m_lostBefore = 0;           // batches, when it began
  uint32_t m_samples = 1;
  bool m_isAsked = false;  // its result is awaited in `m_place` of `m_mark`
  uint32_t m_mark = 0, m_place = 0;
};

}  // namespace aero
