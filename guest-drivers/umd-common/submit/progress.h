// SPDX-License-Identifier: MIT
// progress.h: finds out which batches the device has finished, and delivers the numbers that it writes for queries. A
// batch that ends a query lists a small allocation: while the kernel reports that this allocation is in use, the batch
// is not done (EX-21). The device writes results into the allocation (docs/abi/queries.md). When the batch is done, all
// its results are read at once. A few allocations serve all batches in turn.
#pragma once

#include "guest-drivers/umd-common/submit/object_tools.h"

namespace aero {

/** One or two numbers that the device will write. */
class AwaitedResult {
public:
  /** `ifLost`: each number where the work was lost. */
  explicit AwaitedResult(uint64_t ifLost, uint32_t numbers = 1) : m_ifLost(ifLost), m_numbers(numbers) {}

protected:
  ~AwaitedResult() = default;
  friend class Progress;

  /** Receives the number in a place, the first one first, once its batch is done. */
  void answered(uint32_t place, uint64_t value) {
    (place == m_place ? m_value : m_second) = value;
    m_isAsked = place + 1 != m_place + m_numbers;
  }
  /** Learns that there will be none in a place, because the work was lost. */
  void lose(uint32_t place) { answered(place, m_ifLost); }
  /** Learns that there will be none at all. */
  void lose() {
    m_value = m_second = m_ifLost;
    m_isAsked = false;
  }

  uint64_t m_value = 0, m_second = 0;
  uint64_t m_ifLost;
  uint32_t m_numbers;
  bool m_isAsked = false;  // they are awaited in `m_mark` from `m_place` on
  uint32_t m_mark = 0, m_place = 0;
};

/** Tells which batches the device has finished, and delivers their queries' results. */
class Progress {
public:
  explicit Progress(ObjectTools &objects) : m_objects(objects) {}
  /** Frees the allocations. The caller has dropped every query. */
  void destroy();

  /** Makes the end of the current batch visible to isDone(). */
  HRESULT mark();
  /** Sets `done` to whether a marked batch is done; never waits. Fails only with the kernel's errors; kWasStillDrawing
   * means not done. */
  HRESULT isDone(uint64_t batch, bool &done);

  /** Makes the device begin a query of a type in a slot; no other query has the slot until end(). */
  HRESULT begin(uint32_t &slot, uint32_t type = AEROGPU_EXT_QUERY_OCCLUSION);
  /** Ends the count in `slot` and frees the slot or, for a timestamp, takes the time (`slot` is kSlots). `query`
   * receives the numbers once the batch is done. */
  HRESULT end(uint32_t slot, uint32_t type, AwaitedResult &query);
  /** Drops a count whose result is not wanted. */
  void abandon(uint32_t slot);
  /** Delivers the results in the allocation `mark`, which end() chose, if the device has finished them. Otherwise like
   * isDone(). */
  HRESULT isAnswered(uint32_t mark, bool &done) { return collect(*m_marks[mark], done); }
  /** Drops the receiver of numbers that are awaited. */
  void drop(const AwaitedResult &query) {
    for (uint32_t i = 0; i < query.m_numbers; i++) m_marks[query.m_mark]->asked[query.m_place + i] = nullptr;
  }

  static constexpr uint32_t kSlots = 256;  // slots of a context (QUERY-2); this number means none

private:
  static constexpr uint32_t kBytes = 4096;
  static constexpr uint32_t kPlaces = kBytes / sizeof(aerogpu_ext_query_result);
  static constexpr uint32_t kUsual = 8, kMost = 64;  // allocations; more than usual only when all places are taken

  struct Mark {
    Allocation memory;
    uint64_t batch = 0;             // the last batch that it marks, 0: none
    uint32_t used = 0;              // places given out since the last collect()
    AwaitedResult *asked[kPlaces];  // receivers of the results, null: dropped
  };

  /** Limit of begins and ends in a submission; the device takes 8192 (QUERY-10). One that does not fit, and so begins
   * the next batch, is counted in the full one. */
  static constexpr uint32_t kMostOfBatch = 8000;

  HRESULT countPacket();
  HRESULT take(uint32_t places, uint32_t &index);
  HRESULT add(uint32_t &index);
  HRESULT collect(Mark &mark, bool &done);

  ObjectTools &m_objects;
  Mark *m_marks[kMost] = {};
  uint32_t m_count = 0, m_newest = 0;
  uint64_t m_done = 0;  // this batch and all before it
  uint64_t m_slots[kSlots / 64] = {};
  uint64_t m_countedBatch = 0;  // the batch that m_packets belongs to
  uint32_t m_packets = 0;       // begins and ends
};

}  // namespace aero
