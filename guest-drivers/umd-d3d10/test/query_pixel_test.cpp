// SPDX-License-Identifier: MIT
// Queries: what the device counts, and when the answer is there.
#include "guest-drivers/umd-d3d10/test/draws_fixture.h"

namespace aero::test {
namespace {

class Queries10 : public Draws10 {
protected:
  HRESULT tryQuery(D3D10DDI_QUERY type, D3D10DDI_HQUERY &out, UINT flags = 0) {
    D3D10DDIARG_CREATEQUERY args = {type, flags};
    out.pDrvPrivate = p->memory(rt->size(rt->functions10().pfnCalcPrivateQuerySize, &args));
    const HRESULT result = AERO_CALL(*rt, CreateQuery, &args, out, D3D10DDI_HRTQUERY{p->runtimeHandle()});
    if (result) p->free(out.pDrvPrivate);
    return result;
  }
  D3D10DDI_HQUERY query(D3D10DDI_QUERY type, UINT flags = 0) {
    D3D10DDI_HQUERY out;
    EXPECT_EQ(tryQuery(type, out, flags), 0);
    return out;
  }
  void end(D3D10DDI_HQUERY query) {
    EXPECT_EQ(AERO_CALL(*rt, DestroyQuery, query), 0);
    p->free(query.pDrvPrivate);
  }
  template <class T> HRESULT data(D3D10DDI_HQUERY query, T &out, UINT flags = 0) {
    return AERO_CALL(*rt, QueryGetData, query, static_cast<void *>(&out), static_cast<UINT>(sizeof out), flags);
  }
};
INSTANTIATE_TEST_SUITE_P(All, Queries10,
                         ::testing::Values(D3D10_0_DDI_INTERFACE_VERSION, D3D10_1_x_DDI_INTERFACE_VERSION,
                                           D3D11_0_DDI_INTERFACE_VERSION));

TEST_P(Queries10, SamplesAreCounted) {
  const auto count = query(D3D10DDI_QUERY_OCCLUSION), any = query(D3D10DDI_QUERY_OCCLUSIONPREDICATE, 1);
  for (const UINT width : {8u, 0u, 3u}) {
    AERO_CALL(*rt, QueryBegin, count);
    AERO_CALL(*rt, QueryBegin, any);
    draw(rect(0, 0, static_cast<float>(width), 4, kRedOf));
    AERO_CALL(*rt, QueryEnd, any);
    AERO_CALL(*rt, QueryEnd, count);
    draw(rect(0, 0, 16, 16, kBlueOf));
    uint64_t samples = 77;
    EXPECT_EQ(data(count, samples, D3D10_DDI_GET_DATA_DO_NOT_FLUSH), kDxgiWasStillDrawing);
    EXPECT_EQ(samples, 77u);
    rt->allBusy = true;
    EXPECT_EQ(data(count, samples), kDxgiWasStillDrawing);
    rt->allBusy = false;
    EXPECT_EQ(samples, 77u);
    EXPECT_EQ(AERO_CALL(*rt, QueryGetData, count, nullptr, 0u, 0u), 0);
    EXPECT_EQ(data(count, samples), 0);
    EXPECT_EQ(samples, width * 4);
    BOOL isAny = 77;
    EXPECT_EQ(data(any, isAny), 0);
    EXPECT_EQ(isAny, width != 0);
  }
  EXPECT_EQ(AERO_CALL(*rt, SetPredication, any, TRUE), 0) << "a hint";
  EXPECT_EQ(AERO_CALL(*rt, SetPredication, count, TRUE), kDeviceRemoved);
  EXPECT_EQ(AERO_CALL(*rt, SetPredication, D3D10DDI_HQUERY{}, FALSE), 0);
  end(count);
  end(any);
}

TEST_P(Queries10, AnEventWaitsForItsBatch) {
  const auto event = query(D3D10DDI_QUERY_EVENT);
  draw(rect(0, 0, 16, 16, kRedOf));
  AERO_CALL(*rt, QueryEnd, event);
  BOOL done = 77;
  const size_t before = rt->submissions.size();
  EXPECT_EQ(data(event, done, D3D10_DDI_GET_DATA_DO_NOT_FLUSH), kDxgiWasStillDrawing);
  EXPECT_EQ(rt->submissions.size(), before);
  rt->allBusy = true;
  EXPECT_EQ(data(event, done), kDxgiWasStillDrawing);
  EXPECT_EQ(rt->submissions.size(), before + 1);
  EXPECT_EQ(done, 77);
  rt->allBusy = false;
  EXPECT_EQ(data(event, done), 0);
  EXPECT_EQ(done, TRUE);
  end(event);
}

TEST_P(Queries10, EventsAndTimes) {
  const auto event = query(D3D10DDI_QUERY_EVENT), first = query(D3D10DDI_QUERY_TIMESTAMP),
             second = query(D3D10DDI_QUERY_TIMESTAMP), disjoint = query(D3D10DDI_QUERY_TIMESTAMPDISJOINT);
  AERO_CALL(*rt, QueryBegin, disjoint);
  AERO_CALL(*rt, QueryEnd, first);
  draw(rect(0, 0, 16, 16, kRedOf));
  AERO_CALL(*rt, QueryEnd, second);
  AERO_CALL(*rt, QueryEnd, disjoint);
  AERO_CALL(*rt, QueryEnd, event);
  D3D10_DDI_QUERY_DATA_TIMESTAMP_DISJOINT times = {1, 1};
  EXPECT_EQ(data(disjoint, times, D3D10_DDI_GET_DATA_DO_NOT_FLUSH), 0);
  EXPECT_EQ(times.Frequency, 1000000000u);
  EXPECT_EQ(times.Disjoint, FALSE);
  rt->allBusy = true;
  BOOL done = 77;
  EXPECT_EQ(data(event, done), kDxgiWasStillDrawing);
  rt->allBusy = false;
  EXPECT_EQ(data(event, done), 0);
  EXPECT_EQ(done, TRUE);
  uint64_t from = 0, to = 0;
  EXPECT_EQ(data(first, from), 0);
  EXPECT_EQ(data(second, to), 0);
  EXPECT_GT(from, 0u);
  EXPECT_GE(to, from);
  D3D10DDI_HQUERY none;
  EXPECT_EQ(tryQuery(D3D10DDI_QUERY_PIPELINESTATS, none), kOutOfMemory);
  for (const auto each : {event, first, second, disjoint}) end(each);
}

}  // namespace
}  // namespace aero::test
