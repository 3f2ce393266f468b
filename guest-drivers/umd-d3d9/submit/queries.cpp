// SPDX-License-Identifier: MIT
#include "guest-drivers/umd-d3d9/submit/queries.h"

namespace aero {

QueryTypes queryTypes(uint32_t featuresHigh) {
  QueryTypes out = {{D3DDDIQUERYTYPE_EVENT, D3DDDIQUERYTYPE_VCACHE}, 2};
  if (featuresHigh & AEROGPU_EXT_FEATURE_HI_QUERIES)
    for (const D3DDDIQUERYTYPE type : {D3DDDIQUERYTYPE_OCCLUSION, D3DDDIQUERYTYPE_TIMESTAMP,
                                       D3DDDIQUERYTYPE_TIMESTAMPDISJOINT, D3DDDIQUERYTYPE_TIMESTAMPFREQ})
      out.types[out.count++] = type;
  return out;
}

void Query::drop(Progress &progress) {
  if (m_isAsked) progress.drop(*this);
  m_isAsked = false;
  progress.abandon(m_slot);
  m_slot = Progress::kSlots;
  m_batch = m_value = 0;
}

HRESULT Query::begin(DeviceObjects &objects, Progress &progress) {
  drop(progress);
  const HRESULT result = progress.begin(m_slot);
  if (failed(result)) lose();  // and nobody waits for it
  m_lostBefore = objects.context.lost();
  return result;
}

HRESULT Query::issue(DeviceObjects &objects, Progress &progress, D3DDDI_ISSUEQUERYFLAGS flags, uint32_t samples) {
  HRESULT result = kOk;
  switch (m_type) {
  case D3DDDIQUERYTYPE_EVENT:
    // An event ends whatever the flags are (EX-32); a begin restarts it, and an end follows.
    result = progress.mark();
    break;
  case D3DDDIQUERYTYPE_OCCLUSION:
    if (flags.Begin) result = begin(objects, progress);
    if (failed(result) || !flags.End) return result;
    // Without a begin, or if the begin was in a lost batch, the count starts here.
    if (m_slot == Progress::kSlots || m_lostBefore != objects.context.lost()) result = begin(objects, progress);
    if (!failed(result)) result = progress.end(m_slot, AEROGPU_EXT_QUERY_OCCLUSION, *this);
    if (!failed(result)) m_slot = Progress::kSlots;
    m_samples = samples ? samples : 1;
    break;
  case D3DDDIQUERYTYPE_TIMESTAMP:
    if (!flags.End) return kOk;
    drop(progress);
    result = progress.end(Progress::kSlots, AEROGPU_EXT_QUERY_TIMESTAMP, *this);
    break;
  default:
    return kOk;  // a constant answer
  }
  if (!failed(result)) m_batch = objects.context.batch();
  return result;
}

HRESULT Query::data(DeviceObjects &objects, Progress &progress, void *data) {
  if (objects.context.error() == kDeviceRemoved) return kDeviceRemoved;
  if (m_slot != Progress::kSlots) return kFalse;  // it still counts
  bool done = true;
  const HRESULT result = m_isAsked ? progress.isAnswered(m_mark, done) : m_batch ? progress.isDone(m_batch, done) : kOk;
  if (failed(result)) return result;
  if (!done) return kFalse;
  if (!data) return kOk;
  const auto answer = [data](const auto &value) {
    memcpy(data, &value, sizeof value);
    return kOk;
  };
  switch (m_type) {
  case D3DDDIQUERYTYPE_VCACHE:
    return answer(kNoVertexCache);
  case D3DDDIQUERYTYPE_OCCLUSION: {
    const uint64_t pixels = m_value / m_samples + (m_value % m_samples != 0);
    return answer(static_cast<UINT>(pixels < UINT32_MAX ? pixels : UINT32_MAX));
  }
  case D3DDDIQUERYTYPE_TIMESTAMP:
    return answer(m_value);
  case D3DDDIQUERYTYPE_TIMESTAMPFREQ:
    return answer(kTimestampFrequency);
  case D3DDDIQUERYTYPE_TIMESTAMPDISJOINT:
    return answer(BOOL{0});
  default:
    return answer(BOOL{1});
  }
}

}  // namespace aero
