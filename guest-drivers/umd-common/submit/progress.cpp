// SPDX-License-Identifier: MIT
#include "guest-drivers/umd-common/submit/progress.h"

#include <bit>

#include "aerogpu/aerogpu_wddm_alloc.h"

namespace aero {

void Progress::destroy() {
  for (uint32_t i = 0; i < m_count; i++) {
    m_objects.context.release(m_marks[i]->memory);
    heapDestroy(m_marks[i]);
  }
  m_count = 0;
}

/** Makes one more allocation. */
HRESULT Progress::add(uint32_t &index) {
  auto *mark = heapCreate<Mark>();
  if (!mark) return kOutOfMemory;
  AllocationRequest request;
  request.bytes = kBytes;
  request.flags = AEROGPU_WDDM_ALLOC_PRIV_FLAG_CPU_VISIBLE;
  const Runtime &runtime = m_objects.context.runtime();
  HRESULT result = allocate(runtime, request, mark->memory);
  void *bytes;
  if (!failed(result)) result = runtime.lock(mark->memory.handle, {}, bytes);
  if (!failed(result)) {
    memset(bytes, 0, kBytes);
    result = runtime.unlock(mark->memory.handle);
  }
  if (failed(result)) {
    m_objects.context.release(mark->memory);
    heapDestroy(mark);
    return result;
  }
  index = m_count;
  m_marks[m_count++] = mark;
  return kOk;
}

/** Finds an allocation to mark the current batch, with so many free places. The caller lists it in the batch. */
HRESULT Progress::take(uint32_t places, uint32_t &index) {
  const uint64_t batch = m_objects.context.batch();
  const auto usable = [&](const Mark &mark) { return mark.used + places <= kPlaces; };
  if (m_count && m_marks[m_newest]->batch == batch && usable(*m_marks[m_newest])) {
    index = m_newest;
    return kOk;
  }
  if (m_count < kUsual) return add(index);
  // The mark with the oldest batch is most likely done. If it is not, its batch will seem to end with the current one:
  // late, but never early.
  uint32_t oldest = kMost;
  for (uint32_t i = 0; i < m_count; i++)
    if (m_marks[i]->batch != batch && (oldest == kMost || m_marks[i]->batch < m_marks[oldest]->batch)) oldest = i;
  if (oldest != kMost) {
    bool done;
    const HRESULT result = collect(*m_marks[oldest], done);
    if (failed(result)) return result;
    if (done || usable(*m_marks[oldest])) {
      index = oldest;
      return kOk;
    }
  }
  for (uint32_t i = 0; i < m_count; i++)
    if (usable(*m_marks[i])) {
      index = i;
      return kOk;
    }
  return m_count < kMost ? add(index) : kOutOfMemory;
}

HRESULT Progress::mark() {
  Context &context = m_objects.context;
  if (!context.ensure(0, 1)) return context.takeError();
  uint32_t index;
  const HRESULT result = take(0, index);
  if (failed(result)) return result;
  m_newest = index;
  m_marks[index]->batch = context.batch();
  context.use(m_marks[index]->memory, true);
  return kOk;
}

/** Delivers the results of an allocation that the device has finished; never waits. */
HRESULT Progress::collect(Mark &mark, bool &done) {
  done = mark.used == 0 && mark.batch <= m_done;
  if (done) return kOk;
  // A program may poll repeatedly without flushing (EX-31).
  if (m_objects.context.isPending(mark.memory)) {
    const HRESULT result = m_objects.context.submit();
    if (failed(result)) return result;
  }
  const Runtime &runtime = m_objects.context.runtime();
  D3DDDICB_LOCKFLAGS flags = {};
  flags.DonotWait = 1;
  flags.ReadOnly = mark.used == 0;
  void *memory;
  const HRESULT result = runtime.lock(mark.memory.handle, flags, memory);
  if (result == kWasStillDrawing) return kOk;
  if (failed(result)) return result;
  auto *results = static_cast<aerogpu_ext_query_result *>(memory);
  for (uint32_t i = 0; i < mark.used; i++) {
    // A result that is missing now will never come: the batch, or the device's work, was lost (QUERY-9).
    if (mark.asked[i]) results[i].available ? mark.asked[i]->answered(i, results[i].value) : mark.asked[i]->lose(i);
    results[i] = {};
  }
  mark.used = 0;
  if (mark.batch > m_done) m_done = mark.batch;
  done = true;
  return runtime.unlock(mark.memory.handle);
}

HRESULT Progress::isDone(uint64_t batch, bool &done) {
  done = batch <= m_done;
  if (done) return kOk;
  // Any mark of that batch or a later one will do; the first of them is done first.
  Mark *first = nullptr;
  for (uint32_t i = 0; i < m_count; i++)
    if (m_marks[i]->batch >= batch && (!first || m_marks[i]->batch < first->batch)) first = m_marks[i];
  if (first) return collect(*first, done);
  done = true;
  return kOk;
}

/** Counts one more begin or end; submits a batch that has as many as the device takes. */
HRESULT Progress::countPacket() {
  Context &context = m_objects.context;
  if (m_countedBatch == context.batch() && m_packets == kMostOfBatch) {
    const HRESULT result = context.submit();
    if (failed(result)) return result;
  }
  if (m_countedBatch != context.batch()) {
    m_countedBatch = context.batch();
    m_packets = 0;
  }
  m_packets++;
  return kOk;
}

HRESULT Progress::begin(uint32_t &slot, uint32_t type) {
  const HRESULT counted = countPacket();
  if (failed(counted)) return counted;
  for (uint32_t word = 0; word < kSlots / 64; word++) {
    if (!~m_slots[word]) continue;
    const auto bit = static_cast<uint32_t>(std::countr_one(m_slots[word]));
    aerogpu_cmd_ext_query_begin packet = {};
    packet.slot = word * 64 + bit;
    packet.type = type;
    if (!m_objects.context.send(packet)) return m_objects.context.takeError();
    m_slots[word] |= uint64_t{1} << bit;
    slot = packet.slot;
    return kOk;
  }
  return kOutOfMemory;  // all slots are counting
}

void Progress::abandon(uint32_t slot) {
  // The slot continues to count, without effect: a begin resets it (QUERY-5).
  if (slot < kSlots) m_slots[slot / 64] &= ~(uint64_t{1} << slot % 64);
}

HRESULT Progress::end(uint32_t slot, uint32_t type, AwaitedResult &query) {
  const HRESULT counted = countPacket();
  if (failed(counted)) return counted;
  Context &context = m_objects.context;
  if (!context.ensure(sizeof(aerogpu_cmd_ext_query_end), 1)) return context.takeError();
  uint32_t index;
  const HRESULT result = take(query.m_numbers, index);
  if (failed(result)) return result;
  Mark &mark = *m_marks[index];
  m_newest = index;
  mark.batch = context.batch();
  context.use(mark.memory, true);
  query.m_mark = index;
  query.m_place = mark.used;
  query.m_isAsked = true;
  for (uint32_t i = 0; i < query.m_numbers; i++) mark.asked[mark.used++] = &query;
  aerogpu_cmd_ext_query_end packet = {};
  packet.slot = slot % kSlots;
  packet.type = type;
  packet.alloc_id = mark.memory.id;
  packet.offset_bytes = query.m_place * sizeof(aerogpu_ext_query_result);
  context.send(packet);  // there is room for it
  abandon(slot);
  return kOk;
}

}  // namespace aero
