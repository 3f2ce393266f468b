// SPDX-License-Identifier: MIT
// Tests queries: the packets, when a result is there, and that nothing waits. docs/abi/queries.md; Microsoft's pages
// "PFND3DDDI_ISSUEQUERY" and "PFND3DDDI_GETQUERYDATA".
#include "guest-drivers/umd-d3d9/test/umd_test.h"

namespace aero::test {
namespace {

class UmdQueries : public Umd {
protected:
  HANDLE create(D3DDDIQUERYTYPE type) {
    D3DDDIARG_CREATEQUERY args = {type, nullptr};
    EXPECT_EQ(p.fn.pfnCreateQuery(p.dev(), &args), 0);
    return args.hQuery;
  }
  HRESULT issue(HANDLE query, bool begin, bool end) {
    D3DDDIARG_ISSUEQUERY args = {};
    args.hQuery = query;
    args.Flags.Begin = begin;
    args.Flags.End = end;
    return p.fn.pfnIssueQuery(p.dev(), &args);
  }
  HRESULT data(HANDLE query, uint64_t &value, size_t bytes = 4) {
    uint8_t memory[16];
    memset(memory, 0xCD, sizeof memory);
    D3DDDIARG_GETQUERYDATA args = {query, memory};
    const HRESULT result = p.fn.pfnGetQueryData(p.dev(), &args);
    value = 0;
    memcpy(&value, memory, bytes);
    for (size_t i = result == 0 ? bytes : 0; i < sizeof memory; i++) EXPECT_EQ(memory[i], 0xCD) << i;
    return result;
  }
  /** Marks everything that has been submitted as in use. */
  void makeBusy() {
    for (const auto &[handle, allocation] : kernel.allocations) rt.busy.insert(handle);
  }
  /** Answers the queries submitted since the last call, each with the next one of `values`. */
  void finish(std::vector<uint64_t> values) {
    size_t at = 0;
    for (const Packet &packet : rt.takePackets(AEROGPU_CMD_EXT_QUERY_END)) {
      const auto end = packet.as<aerogpu_cmd_ext_query_end>();
      EXPECT_EQ(end.offset_bytes % 16, 0u);  // QUERY-7
      ASSERT_LT(at, values.size());
      bool found = false;
      for (auto &[handle, allocation] : kernel.allocations) {
        if (allocation.id != end.alloc_id) continue;
        found = true;
        ASSERT_LE(end.offset_bytes + 16, allocation.bytes);
        uint8_t *memory = kernel.memory(allocation) + end.offset_bytes;
        EXPECT_EQ(memory[8], 0) << "the word that says that the result is there is zeroed before (QUERY-9)";
        const uint64_t words[2] = {values[at++], 1};
        memcpy(memory, words, sizeof words);
      }
      EXPECT_TRUE(found);
    }
    EXPECT_EQ(at, values.size());
    rt.busy.clear();
  }
};

TEST_F(UmdQueries, AreAnnouncedWhereTheDeviceHasThem) {
  UINT number = 0;
  ASSERT_EQ(caps(D3DDDICAPS_GETD3DQUERYCOUNT, &number, sizeof number), 0);
  std::vector<D3DDDIQUERYTYPE> types(number);
  ASSERT_EQ(caps(D3DDDICAPS_GETD3DQUERYDATA, types.data(), static_cast<UINT>(number * sizeof types[0])), 0);
  EXPECT_EQ(types,
            (std::vector{D3DDDIQUERYTYPE_EVENT, D3DDDIQUERYTYPE_VCACHE, D3DDDIQUERYTYPE_OCCLUSION,
                         D3DDDIQUERYTYPE_TIMESTAMP, D3DDDIQUERYTYPE_TIMESTAMPDISJOINT, D3DDDIQUERYTYPE_TIMESTAMPFREQ}));
  for (const D3DDDIQUERYTYPE type : types) EXPECT_EQ(p.fn.pfnDestroyQuery(p.dev(), create(type)), 0);
  D3DDDIARG_CREATEQUERY other = {D3DDDIQUERYTYPE_VERTEXSTATS, nullptr};
  EXPECT_EQ(p.fn.pfnCreateQuery(p.dev(), &other), kNotAvailable);

  rt.close();
  kernel.featuresHigh = 0;
  rt.open();
  ASSERT_EQ(caps(D3DDDICAPS_GETD3DQUERYCOUNT, &number, sizeof number), 0);
  EXPECT_EQ(number, 2u);
  D3DDDIARG_CREATEQUERY none = {D3DDDIQUERYTYPE_OCCLUSION, nullptr};
  EXPECT_EQ(p.fn.pfnCreateQuery(p.dev(), &none), kNotAvailable);
}

TEST_F(UmdQueries, OneSubmissionHasNoMoreThanTheDeviceTakes) {  // QUERY-10
  rt.commandBytes = 256 << 10;                                  // as in the kernel driver: room for 10922 packets
  rt.listEntries = 1024;
  HANDLE query = create(D3DDDIQUERYTYPE_OCCLUSION);
  p.flush();
  rt.submissions.clear();
  for (int i = 0; i < 9000; i++) {
    ASSERT_EQ(issue(query, true, false), 0);
    ASSERT_EQ(issue(query, false, true), 0);
  }
  p.flush();
  size_t all = 0;
  for (const auto &submission : rt.submissions) {
    size_t number = 0;
    for (const Packet &packet : submission.packets)
      number += packet.opcode == AEROGPU_CMD_EXT_QUERY_BEGIN || packet.opcode == AEROGPU_CMD_EXT_QUERY_END;
    EXPECT_LE(number, 8192u);
    all += number;
  }
  EXPECT_EQ(all, 18000u);
}

TEST_F(UmdQueries, ACountIsThereWhenItsBatchIsDone) {
  HANDLE query = create(D3DDDIQUERYTYPE_OCCLUSION);
  uint64_t value;
  EXPECT_EQ(data(query, value), 0) << "never issued";
  EXPECT_EQ(value, 0u);
  p.flush();
  rt.submissions.clear();
  EXPECT_EQ(issue(query, true, false), 0);
  EXPECT_EQ(data(query, value), 1) << "it counts";
  EXPECT_EQ(rt.submissions.size(), 0u);
  EXPECT_EQ(issue(query, false, true), 0);
  makeBusy();
  rt.calls.clear();
  EXPECT_EQ(data(query, value), 1);
  EXPECT_EQ(rt.calls["Render"], 1) << "nobody else submits it (EX-31)";
  const auto begins = rt.submissions.back().packets.front().as<aerogpu_cmd_ext_query_begin>();
  EXPECT_EQ(rt.submissions.back().packets.front().opcode, uint32_t{AEROGPU_CMD_EXT_QUERY_BEGIN});
  EXPECT_EQ(begins.type, uint32_t{AEROGPU_EXT_QUERY_OCCLUSION});
  ASSERT_EQ(rt.submissions.back().allocations.size(), 1u);
  EXPECT_TRUE(rt.submissions.back().allocations[0].WriteOperation);
  EXPECT_EQ(data(query, value), 1);
  EXPECT_EQ(rt.calls["Render"], 1);
  finish({4321});
  EXPECT_EQ(data(query, value), 0);
  EXPECT_EQ(value, 4321u);
  rt.calls.clear();
  EXPECT_EQ(data(query, value), 0);
  EXPECT_EQ(value, 4321u);
  EXPECT_EQ(rt.calls["Lock"], 0) << "it is known";
  EXPECT_EQ(issue(query, true, true), 0);
  p.flush();
  rt.errors["Lock"] = kDeviceRemoved;
  EXPECT_EQ(data(query, value), kDeviceRemoved);
}

TEST_F(UmdQueries, TimesAreNanoseconds) {
  HANDLE time = create(D3DDDIQUERYTYPE_TIMESTAMP), frequency = create(D3DDDIQUERYTYPE_TIMESTAMPFREQ),
         disjoint = create(D3DDDIQUERYTYPE_TIMESTAMPDISJOINT);
  for (HANDLE query : {time, frequency}) {
    EXPECT_EQ(issue(query, false, true), 0);
  }
  EXPECT_EQ(issue(disjoint, true, false), 0);
  EXPECT_EQ(issue(disjoint, false, true), 0);
  p.flush();
  finish({uint64_t{5} << 40});
  uint64_t value;
  EXPECT_EQ(data(time, value, 8), 0);
  EXPECT_EQ(value, uint64_t{5} << 40);
  EXPECT_EQ(data(frequency, value, 8), 0);
  EXPECT_EQ(value, 1000000000u);
  EXPECT_EQ(data(disjoint, value), 0);
  EXPECT_EQ(value, 0u);
}

TEST_F(UmdQueries, OneThatIsIssuedAgainOrDestroyedIsNotAnsweredByItsOldResult) {
  HANDLE query = create(D3DDDIQUERYTYPE_OCCLUSION), gone = create(D3DDDIQUERYTYPE_OCCLUSION);
  uint64_t value;
  EXPECT_EQ(issue(query, true, true), 0);
  EXPECT_EQ(issue(gone, true, true), 0);
  EXPECT_EQ(issue(query, true, false), 0);
  EXPECT_EQ(issue(query, true, false), 0) << "restarts";
  EXPECT_EQ(issue(query, false, true), 0);
  EXPECT_EQ(p.fn.pfnDestroyQuery(p.dev(), gone), 0);
  p.flush();
  finish({1, 2, 3});
  EXPECT_EQ(data(query, value), 0);
  EXPECT_EQ(value, 3u);
  HANDLE counting = create(D3DDDIQUERYTYPE_OCCLUSION);
  EXPECT_EQ(issue(counting, true, false), 0);
  EXPECT_EQ(p.fn.pfnDestroyQuery(p.dev(), counting), 0);
}

// Level 9_2 demands a count other than 0 (page "Required Direct3D 9 capabilities"); with 1 nothing disappears.
TEST_F(UmdQueries, WhatIsLostCountsAsSeenAndNoOneWaitsForIt) {
  HANDLE first = create(D3DDDIQUERYTYPE_OCCLUSION), second = create(D3DDDIQUERYTYPE_OCCLUSION);
  uint64_t value;
  EXPECT_EQ(issue(first, true, true), 0);
  EXPECT_EQ(issue(second, true, false), 0);
  rt.errors["Render"] = kOutOfMemory;
  EXPECT_EQ(p.fn.pfnFlush(p.dev()), kOutOfMemory);
  rt.errors.clear();
  EXPECT_EQ(data(first, value), 0);
  EXPECT_EQ(value, 1u);
  HANDLE time = create(D3DDDIQUERYTYPE_TIMESTAMP);
  EXPECT_EQ(issue(time, false, true), 0);
  rt.errors["Render"] = kOutOfMemory;
  EXPECT_EQ(p.fn.pfnFlush(p.dev()), kOutOfMemory);
  rt.errors.clear();
  EXPECT_EQ(data(time, value, 8), 0);
  EXPECT_EQ(value, 0u) << "no time is known";
  // The begin was in the lost batch: an end without one would be refused (QUERY-5).
  rt.takePackets();
  EXPECT_EQ(issue(second, false, true), 0);
  p.flush();
  EXPECT_EQ(rt.submissions.back().packets[0].opcode, uint32_t{AEROGPU_CMD_EXT_QUERY_BEGIN});
  EXPECT_EQ(rt.submissions.back().packets[1].opcode, uint32_t{AEROGPU_CMD_EXT_QUERY_END});
  finish({7});
  EXPECT_EQ(data(second, value), 0);
  EXPECT_EQ(value, 7u);
}

TEST_F(UmdQueries, ManyAreAskedAtATimeAndInEveryFrame) {
  constexpr uint32_t kQueries = 700;  // more than an allocation has room for
  std::vector<HANDLE> queries;
  for (uint32_t i = 0; i < kQueries; i++) queries.push_back(create(D3DDDIQUERYTYPE_OCCLUSION));
  uint64_t value;
  size_t allocations = 0;
  for (uint32_t frame = 0; frame < 20; frame++) {
    std::vector<uint64_t> values;
    for (uint32_t i = 0; i < kQueries; i++) {
      ASSERT_EQ(issue(queries[i], true, true), 0);
      values.push_back(uint64_t{frame} * kQueries + i);
    }
    p.flush();
    finish(values);
    for (uint32_t i = 0; i < kQueries; i++) {
      ASSERT_EQ(data(queries[i], value), 0) << frame << ' ' << i;
      ASSERT_EQ(value, values[i]);
    }
    if (frame == 10) allocations = kernel.allocations.size();
  }
  EXPECT_EQ(kernel.allocations.size(), allocations) << "they are used in turn";
  // This many count at a time; one more does not (QUERY-2).
  for (uint32_t i = 0; i < 256; i++) EXPECT_EQ(issue(queries[i], true, false), 0);
  EXPECT_EQ(issue(queries[256], true, false), kOutOfMemory);
  EXPECT_EQ(issue(queries[256], false, true), kOutOfMemory);
  EXPECT_EQ(data(queries[256], value), 0) << "nobody waits for what was refused";
  EXPECT_EQ(value, 1u) << "and nobody takes its last count for this one";
  EXPECT_EQ(issue(queries[3], false, true), 0);
  EXPECT_EQ(issue(queries[256], true, false), 0);
}

TEST_F(UmdQueries, AnEventThatWaitsForABatchThatNobodySubmitsSubmitsIt) {  // EX-31
  std::vector<HANDLE> events;
  for (int i = 0; i < 9; i++) {
    events.push_back(create(D3DDDIQUERYTYPE_EVENT));
    EXPECT_EQ(issue(events[i], false, true), 0);
    // The ninth batch takes the allocation of the first, which is still in use, and stays open.
    if (i < 8) {
      p.flush();
      makeBusy();
    }
  }
  uint64_t value;
  EXPECT_EQ(data(events[0], value), 1);
  EXPECT_EQ(data(events[8], value), 1);
  rt.busy.clear();
  EXPECT_EQ(data(events[8], value), 0);
  EXPECT_EQ(value, 1u);
}

// EX-21: an event's batch is done when the batch's own allocation is no longer in use, whatever else was submitted.
TEST_F(Umd, AnEventIsThereWhenItsBatchIsDone) {
  D3DDDIARG_CREATEQUERY create = {};
  create.QueryType = D3DDDIQUERYTYPE_EVENT;
  std::vector<HANDLE> events;
  const auto data = [&](HANDLE query) {
    BOOL value = 9;
    D3DDDIARG_GETQUERYDATA args = {query, &value};
    const HRESULT result = p.fn.pfnGetQueryData(p.dev(), &args);
    EXPECT_EQ(value, result ? 9 : TRUE);
    return result;
  };
  for (int i = 0; i < 20; i++) {
    ASSERT_EQ(p.fn.pfnCreateQuery(p.dev(), &create), 0);
    events.push_back(create.hQuery);
    EXPECT_EQ(data(create.hQuery), 0) << "never issued";
    D3DDDIARG_ISSUEQUERY issue = {};
    issue.hQuery = create.hQuery;
    issue.Flags.Value = static_cast<UINT>(i % 3);  // EX-32
    EXPECT_EQ(p.fn.pfnIssueQuery(p.dev(), &issue), 0);
    if (i == 10) {
      // A poll of an event in a batch that was not submitted: the driver submits it (EX-31).
      rt.calls.clear();
      rt.busy.clear();
      EXPECT_EQ(data(create.hQuery), 0);
      EXPECT_EQ(rt.calls["Render"], 1);
    }
    p.flush();
    for (const auto &[handle, allocation] : kernel.allocations) rt.busy.insert(handle);
  }
  EXPECT_EQ(data(events[19]), 1);
  EXPECT_EQ(data(events[0]), 0) << "before the tenth, which was seen";
  EXPECT_EQ(data(events[10]), 0);
  EXPECT_EQ(data(events[11]), 1);
  rt.errors["Lock"] = kDeviceRemoved;
  EXPECT_EQ(data(events[19]), kDeviceRemoved);
  rt.errors.clear();
  rt.busy.clear();
  for (const HANDLE event : events) {
    EXPECT_EQ(data(event), 0);
  }
  for (const HANDLE event : events) {
    EXPECT_EQ(p.fn.pfnDestroyQuery(p.dev(), event), 0);
  }
}

TEST_F(Umd, ThereIsNoVertexCache) {
  const uint32_t pattern = 'C' | 'A' << 8 | 'C' << 16 | 'H' << 24;
  uint32_t answer[4] = {7, 7, 7, 7};
  EXPECT_EQ(p.fn.pfnGetInfo(p.dev(), D3DDDIDEVINFOID_VCACHE, answer, sizeof answer), 0);
  EXPECT_EQ(answer[0], pattern);
  EXPECT_EQ(answer[1] | answer[2] | answer[3], 0u);
  EXPECT_EQ(p.fn.pfnGetInfo(p.dev(), D3DDDIDEVINFOID_VCACHE, answer, 12), kNotImplemented);
  EXPECT_EQ(p.fn.pfnGetInfo(p.dev(), 1, answer, sizeof answer), kNotImplemented);
  D3DDDIARG_CREATEQUERY create = {};
  create.QueryType = D3DDDIQUERYTYPE_VCACHE;
  ASSERT_EQ(p.fn.pfnCreateQuery(p.dev(), &create), 0);
  uint32_t data[4] = {};
  D3DDDIARG_GETQUERYDATA args = {create.hQuery, data};
  EXPECT_EQ(p.fn.pfnGetQueryData(p.dev(), &args), 0);
  EXPECT_EQ(data[0], pattern);
}

}  // namespace
}  // namespace aero::test
