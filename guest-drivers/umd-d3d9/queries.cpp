// SPDX-License-Identifier: MIT
#include "queries.h"

#include "aerogpu/aerogpu_wddm_alloc.h"

namespace aero {

void Progress::destroy() {
  for (Mark &mark : m_marks) release(m_wire.context, mark.memory);
}

HRESULT Progress::mark() {
  Context &context = m_wire.context;
  if (!context.ensure(0, 1)) return context.takeError();
  if (m_marks[m_newest].batch == context.batch()) return kOk;
  // The oldest one's batch will seem to end with this one: late, but never early.
  m_newest = (m_newest + 1) % kMarks;
  Mark &mark = m_marks[m_newest];
  if (!mark.memory) {
    AllocationRequest request;
    request.bytes = 4096;
    request.flags = AEROGPU_WDDM_ALLOC_PRIV_FLAG_CPU_VISIBLE;
    const HRESULT result = allocate(context.runtime(), request, mark.memory);
    if (failed(result)) return result;
  }
  mark.batch = context.batch();
  context.use(mark.memory, true);
  return kOk;
}

HRESULT Progress::isDone(uint64_t batch, bool &done) {
  done = batch <= m_done;
  if (done) return kOk;
  // Any mark of that batch or a later one will do; the first of them is done first.
  Mark *first = nullptr;
  for (Mark &mark : m_marks)
    if (mark.batch >= batch && (!first || mark.batch < first->batch)) first = &mark;
  if (!first) {
    done = true;
    return kOk;
  }
  if (m_wire.context.isPending(first->memory)) return kOk;
  D3DDDICB_LOCKFLAGS flags = {};
  flags.ReadOnly = 1;
  flags.DonotWait = 1;
  void *memory;
  const HRESULT result = m_wire.context.runtime().lock(first->memory.handle, flags, memory);
  if (result == kWasStillDrawing) return kOk;
  if (failed(result)) return result;
  m_done = first->batch;
  done = true;
  return m_wire.context.runtime().unlock(first->memory.handle);
}

HRESULT Query::issue(Wire &wire, Progress &progress, D3DDDI_ISSUEQUERYFLAGS flags) {
  // Whatever the flags are ends an event (EX-32); a begin restarts it, and is followed by an end.
  (void)flags;
  if (m_type != D3DDDIQUERYTYPE_EVENT) return kOk;
  const HRESULT result = progress.mark();
  if (!failed(result)) m_batch = wire.context.batch();
  return result;
}

HRESULT Query::data(Wire &wire, Progress &progress, void *data) {
  if (!data) return kOk;
  if (m_type == D3DDDIQUERYTYPE_VCACHE) {
    memcpy(data, &kNoVertexCache, sizeof kNoVertexCache);
    return kOk;
  }
  // A program may ask again and again without flushing (EX-31).
  if (m_batch == wire.context.batch()) {
    const HRESULT result = wire.context.submit();
    if (failed(result)) return result;
  }
  bool done = true;
  const HRESULT result = m_batch ? progress.isDone(m_batch, done) : kOk;
  if (failed(result)) return result;
  if (!done) return kFalse;
  const BOOL yes = 1;
  memcpy(data, &yes, sizeof yes);
  return kOk;
}

}  // namespace aero
