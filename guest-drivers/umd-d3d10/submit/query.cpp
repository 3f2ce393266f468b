// SPDX-License-Identifier: MIT
#include "guest-drivers/umd-d3d10/submit/query.h"

namespace aero {
namespace {

constexpr UINT64 kFrequency = 1000000000;  // times are in nanoseconds (QUERY-6)

template <class T> HRESULT answer(void *data, UINT bytes, const T &value) {
  if (bytes < sizeof value) return kInvalidArgument;
  memcpy(data, &value, sizeof value);
  return kOk;
}

}  // namespace

bool Query::isOffered(D3D10DDI_QUERY type, bool hasStreams) {
  if (isStreams(type)) return hasStreams;
  return type == D3D10DDI_QUERY_EVENT || type == D3D10DDI_QUERY_TIMESTAMP || type == D3D10DDI_QUERY_TIMESTAMPDISJOINT ||
         isCount(type);
}

void Query::drop(Progress &progress) {
  if (m_isAsked) progress.drop(*this);
  m_isAsked = false;
  progress.abandon(m_slot);
  m_slot = Progress::kSlots;
  m_batch = m_value = m_second = 0;
}

HRESULT Query::begin(Context &, Progress &progress) {
  drop(progress);
  return begins() ? progress.begin(m_slot, deviceType()) : kOk;
}

HRESULT Query::end(Context &context, Progress &progress) {
  HRESULT result = kOk;
  if (m_type == D3D10DDI_QUERY_EVENT) {
    drop(progress);
    result = progress.mark();
  } else if (m_type == D3D10DDI_QUERY_TIMESTAMP) {
    drop(progress);
    result = progress.end(Progress::kSlots, AEROGPU_EXT_QUERY_TIMESTAMP, *this);
  } else if (begins()) {
    if (m_slot == Progress::kSlots) result = begin(context, progress);
    if (!failed(result)) result = progress.end(m_slot, deviceType(), *this);
    if (!failed(result)) m_slot = Progress::kSlots;
  }
  // Whether times can be compared is known at once, whatever the GPU has done.
  if (!failed(result) && m_type != D3D10DDI_QUERY_TIMESTAMPDISJOINT) m_batch = context.batch();
  return result;
}

HRESULT Query::data(Context &context, Progress &progress, void *data, UINT bytes, UINT flags) {
  if (m_slot != Progress::kSlots) return kWasStillDrawing;  // it still counts
  if (flags & D3D10_DDI_GET_DATA_DO_NOT_FLUSH && m_batch == context.batch()) return kWasStillDrawing;
  bool done = true;
  HRESULT result = kOk;
  if (m_isAsked)
    result = progress.isAnswered(m_mark, done);
  else if (m_batch)
    result = progress.isDone(m_batch, done);
  if (failed(result)) return result;
  if (!done) return kWasStillDrawing;
  if (!data) return kOk;
  switch (m_type) {
  case D3D10DDI_QUERY_OCCLUSION:
  case D3D10DDI_QUERY_TIMESTAMP:
    return answer(data, bytes, UINT64{m_value});
  case D3D10DDI_QUERY_TIMESTAMPDISJOINT: {
    D3D10_DDI_QUERY_DATA_TIMESTAMP_DISJOINT times = {};
    times.Frequency = kFrequency;
    return answer(data, bytes, times);
  }
  case D3D10DDI_QUERY_OCCLUSIONPREDICATE:
    return answer(data, bytes, BOOL{m_value != 0});
  case D3D10DDI_QUERY_STREAMOUTPUTSTATS: {
    D3D10_DDI_QUERY_DATA_SO_STATISTICS streams = {};
    streams.NumPrimitivesWritten = m_value;
    streams.PrimitivesStorageNeeded = m_second;
    return answer(data, bytes, streams);
  }
  case D3D10DDI_QUERY_STREAMOVERFLOWPREDICATE:
    return answer(data, bytes, BOOL{m_value != m_second});
  default:
    return answer(data, bytes, BOOL{TRUE});
  }
}

}  // namespace aero
