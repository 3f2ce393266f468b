// SPDX-License-Identifier: MIT
// The limits of handle spaces (docs/abi/spaces.md, SPACE-9 to SPACE-11 and SPACE-21), over the null back end.
#include "renderer/core/spaces.h"
#include "renderer/core/test/spaces_fixture.h"

namespace {

using namespace aerogpu;
using namespace aerogpu::test;
using core::Spaces;

/// A buffer counts in the space that made it, and only there.
// SPACE-11
TEST_F(SpacesTest, MemoryCountsForWhoMadeIt) {
  constexpr uint32_t kBig = 600 * 1024;
  const auto big = [](CommandWriter& w) { packets::createBuffer(w, 1, kBig); };
  const auto second = [](CommandWriter& w) { packets::createBuffer(w, 2, kBig); };
  expectGood(in(1, big));
  expectError(in(1, second), kBackend);
  expectGood(in(2, big));
  expectGood(in(0, big));
  expectGood(in(0, second));
  expectGood(in(0, [](CommandWriter& w) {
    exportToken(w, 1, 100);
    grant(w, 100, 2);
  }));
  expectGood(in(2, [](CommandWriter& w) { importToken(w, 3, 100); }));
  expectGood(in(1, [](CommandWriter& w) { packets::destroyResource(w, 1); }));
  expectGood(in(1, second));
  const uint64_t held = h.stats().host_memory_bytes;
  EXPECT_GT(held, 4u * kBig);
  EXPECT_GE(h.spaceInfo(2)->host_memory_bytes, kBig);
  EXPECT_LT(h.spaceInfo(2)->host_memory_bytes, kBig + 300u * 1024);
  ASSERT_TRUE(aerogpu_renderer_reset(h.renderer()));
  EXPECT_EQ(h.stats().host_memory_bytes, 0u);
  EXPECT_FALSE(h.spaceInfo(2));
}

/// An object that the kernel driver makes for a program is charged to the space that it named, up to the end
/// of its submission, whichever space imports it, and as long as it lives.
// SPACE-11, SPACE-21
TEST_F(SpacesTest, WhatIsMadeForASpaceCountsThere) {
  constexpr uint32_t kBig = 600 * 1024;
  const auto held = [&](uint32_t space) {
    const auto info = h.spaceInfo(space);
    return info ? info->host_memory_bytes : 0;
  };
  // Cost of the space itself: its tables, and the cost of a grant.
  constexpr uint64_t kOwn = 100 * 1024;
  expectGood(in(0, [](CommandWriter& w) {
    chargeSpace(w, 5);
    packets::createBuffer(w, 1, kBig);
    exportToken(w, 1, 100);
    grant(w, 100, 6);
    grant(w, 100, 5);
    chargeSpace(w, 0);
    packets::createBuffer(w, 2, kBig);
  }));
  EXPECT_GE(held(5), kBig);
  EXPECT_LT(held(5), kBig + kOwn);
  EXPECT_LT(held(6), kOwn) << "a grant charges its own space alone";
  // Over the limit nothing is made; objects after the packet that failed are charged to the guest.
  expectError(in(0,
                 [](CommandWriter& w) {
                   chargeSpace(w, 5);
                   packets::createBuffer(w, 3, kBig);
                 }),
              kBackend);
  expectError(in(0, [](CommandWriter& w) { packets::destroyResource(w, 3); }), kDecode);
  expectGood(in(0, [](CommandWriter& w) { packets::createBuffer(w, 3, kBig); }));
  // A grant in between does not change it.
  expectError(in(0,
                 [](CommandWriter& w) {
                   chargeSpace(w, 5);
                   grant(w, 100, 6);
                   packets::createBuffer(w, 4, kBig);
                 }),
              kBackend);
  // Space 5 has no room left, space 6 has: a space that imports an object pays nothing for it.
  expectGood(in(5, [](CommandWriter& w) { importToken(w, 1, 100); }));
  expectError(in(5, [](CommandWriter& w) { packets::createBuffer(w, 2, kBig); }), kBackend);
  expectGood(in(6, [](CommandWriter& w) { importToken(w, 1, 100); }));
  expectGood(in(6, [](CommandWriter& w) { packets::createBuffer(w, 2, kBig); }));
  // Destroying the program's handle does not end the object.
  expectGood(in(5, [](CommandWriter& w) { packets::destroyResource(w, 1); }));
  EXPECT_GE(held(5), kBig);
  expectGood(in(0, [](CommandWriter& w) { packets::destroyResource(w, 1); }));
  EXPECT_GE(held(5), kBig) << "the other program has it";
  expectGood(in(6, [](CommandWriter& w) { packets::destroyResource(w, 1); }));
  EXPECT_LT(held(5), kOwn);
  // A space that ends leaves none of its room occupied.
  expectGood(in(0, [](CommandWriter& w) {
    chargeSpace(w, 5);
    packets::createBuffer(w, 1, kBig);
    destroySpace(w, 5);
    packets::createBuffer(w, 5, 16);
  }));
  EXPECT_FALSE(h.spaceInfo(5));
  expectGood(in(5, [](CommandWriter& w) { packets::createBuffer(w, 2, kBig); }));
  ASSERT_TRUE(aerogpu_renderer_reset(h.renderer()));
  EXPECT_EQ(h.stats().host_memory_bytes, 0u);
}

constexpr uint32_t kThird = 300 * 1024;  // of the limit, nearly

/// Spaces of one process share its limit, whichever space makes objects; other processes and the system do
/// not.
// SPACE-11, SPACE-21, SPACE-22
TEST_F(SpacesTest, MemoryOfAProcessCountsTogether) {
  const auto big = [&](uint32_t handle, uint32_t size = kThird) {
    return [=](CommandWriter& w) { packets::createBuffer(w, handle, size); };
  };
  expectGood(in(0, [](CommandWriter& w) {
    for (const uint32_t space : {1, 2, 3}) spaceProcess(w, space, 0x100000007);
    spaceProcess(w, 4, 7);  // the number is more than its low half
    spaceProcess(w, 5, 0);
    spaceProcess(w, 1, 0x100000007);  // repeating it is no error
  }));
  expectGood(in(1, big(1)));
  expectGood(in(2, big(1)));
  EXPECT_GE(h.spaceInfo(1)->host_memory_bytes, kThird);
  EXPECT_LT(h.spaceInfo(1)->host_memory_bytes, 2 * kThird) << "each space shows its own";
  EXPECT_LT(h.spaceInfo(3)->host_memory_bytes, kThird);
  expectGood(in(0, [&](CommandWriter& w) {
    chargeSpace(w, 3);
    packets::createBuffer(w, 1, kThird);
  }));
  expectError(in(1, big(2)), kBackend);
  expectError(in(3, big(2)), kBackend);
  expectError(in(0,
                 [&](CommandWriter& w) {
                   chargeSpace(w, 2);
                   packets::createBuffer(w, 2, kThird);
                 }),
              kBackend);
  // Other processes have their own limit, and only the total limits the system.
  expectGood(in(4, big(1, 2 * kThird)));
  expectGood(in(6, big(1, 2 * kThird)));
  expectGood(in(5, big(1, 4 * kThird)));
  uint64_t heldByAll = 0;
  for (uint32_t space = 0; space <= 6; ++space) heldByAll += h.spaceInfo(space)->host_memory_bytes;
  EXPECT_EQ(heldByAll, h.stats().host_memory_bytes);
  EXPECT_GE(h.spaceInfo(3)->process_host_memory_bytes, 3 * kThird) << "all of its process'";
  EXPECT_EQ(h.spaceInfo(3)->process_host_memory_bytes, h.spaceInfo(1)->process_host_memory_bytes);
  EXPECT_EQ(h.spaceInfo(6)->process_host_memory_bytes, h.spaceInfo(6)->host_memory_bytes);
  // An object that outlives its space still counts, also in the process's next space.
  expectGood(in(0, [](CommandWriter& w) {
    for (const uint32_t space : {1, 2, 3}) destroySpace(w, space);
    spaceProcess(w, 8, 0x100000007);
  }));
  expectGood(in(8, big(1)));
  expectGood(in(8, big(2)));
  expectError(in(8, big(3)), kBackend);
  expectGood(in(0, [](CommandWriter& w) { packets::destroyResource(w, 1); }));
  expectGood(in(8, big(3)));
  ASSERT_TRUE(aerogpu_renderer_reset(h.renderer()));
  EXPECT_EQ(h.stats().host_memory_bytes, 0u);
}

/// The kernel driver sends the packet before the space holds anything.
// SPACE-12, SPACE-22
TEST_F(SpacesTest, AProcessIsSaidBeforeAnythingIsMade) {
  const auto says = [](uint32_t space, uint64_t process) {
    return [=](CommandWriter& w) { spaceProcess(w, space, process); };
  };
  expectError(in(1, says(2, 7)), kDecode);
  expectError(in(0, says(0, 7)), kDecode);
  EXPECT_FALSE(h.spaceInfo(2));
  expectGood(in(0, says(2, 7)));
  EXPECT_TRUE(h.spaceInfo(2)) << "made if need be";
  expectError(in(0, says(2, 8)), kDecode);
  expectError(in(0, says(2, 0)), kDecode);
  expectGood(in(2, [](CommandWriter& w) { packets::createBuffer(w, 1, 16); }));
  expectGood(in(0, says(2, 7)));
  // A space that holds an object, or a right to one, is charged alone already.
  expectError(in(0, says(1, 7)), kDecode);
  expectGood(in(0, [](CommandWriter& w) {
    packets::createBuffer(w, 1, 16);
    exportToken(w, 1, 100);
    grant(w, 100, 3);
    nameSpace(w, 4, 1, "a");
  }));
  expectError(in(0, says(3, 7)), kDecode);
  expectGood(in(0, says(4, 7)));
}

/// Eight processes take all memory.
class SmallSpacesTest : public SpacesTest {
protected:
  SmallSpacesTest() : SpacesTest(8 * kShare) {}
};

// SPACE-26
TEST_F(SmallSpacesTest, ProcessesTogetherLeaveTheSystemItsPart) {
  const auto big = [](uint32_t handle, uint64_t size) {
    return [=](CommandWriter& w) { packets::createBuffer(w, handle, size); };
  };
  constexpr uint64_t kAll = 8 * kShare, kPart = kAll / 16;
  constexpr uint32_t kProcesses = 10;  // each may have an eighth
  expectGood(in(0, [](CommandWriter& w) {
    for (uint32_t i = 1; i <= kProcesses; ++i) spaceProcess(w, i, 100 + i);
  }));
  uint32_t handle = 1;
  for (uint64_t size = kShare / 2; size >= 4; size /= 2)
    for (uint32_t space = 1; space <= kProcesses; ++space)
      while (in(space, big(handle, size)).result.error_count == 0) ++handle;
  EXPECT_LE(h.stats().host_memory_bytes, kAll - kPart);
  EXPECT_GT(h.stats().host_memory_bytes, kAll - kPart - kPart / 4);
  expectGood(in(0, big(1, kPart / 2)));
  expectError(in(1, big(++handle, 4096)), kBackend);
}

/// A space's process does not depend on other programs' memory: without memory the space is made all the
/// same, and is charged to its process once there is some again.
// SPACE-22, LIM-14
TEST_F(SmallSpacesTest, AProcessIsSaidWhateverMemoryIsLeft) {
  const auto big = [](uint32_t handle, uint64_t size) {
    return [=](CommandWriter& w) { packets::createBuffer(w, handle, size); };
  };
  expectGood(in(0, [](CommandWriter& w) { spaceProcess(w, 1, 7); }));
  expectGood(in(1, big(1, 2 * kThird)));
  uint32_t handle = 1;
  for (uint64_t size = kShare; size >= 4; size /= 2)
    while (in(0, big(handle, size)).result.error_count == 0) ++handle;
  ASSERT_GT(handle, 7u);
  const uint64_t full = h.stats().host_memory_bytes;
  expectGood(in(0, [](CommandWriter& w) {
    spaceProcess(w, 2, 7);
    nameSpace(w, 2, 7, "b");
  }));
  EXPECT_EQ(h.stats().host_memory_bytes, full);
  expectError(in(2, big(1, 16)), kBackend);
  expectGood(in(0, [](CommandWriter& w) { packets::destroyResource(w, 1); }));
  expectError(in(2, big(1, 2 * kThird)), kBackend);
  expectGood(in(2, big(1, kThird / 2)));
  expectGood(in(0, [](CommandWriter& w) { destroySpace(w, 2); }));
  ASSERT_TRUE(aerogpu_renderer_reset(h.renderer()));
  EXPECT_EQ(h.stats().host_memory_bytes, 0u);
}

/// Each space has its limit, and all of them together have that of ABI 1.4.
// SPACE-10, LIM-7
TEST(SpaceLimits, Handles) {
  FakeExecutor f;
  f.inSpace = true;
  constexpr uint32_t kAtOnce = 1u << 16;
  CommandWriter one, replace, end;
  packets::createBuffer(one, 1u << 30, 4);
  packets::destroyResource(replace, 1);
  packets::createBuffer(replace, 1u << 30, 4);
  for (f.space = 1; f.space <= Spaces::kMaxObjects / Spaces::kMaxObjectsOfOne; ++f.space) {
    for (uint32_t first = 1; first <= Spaces::kMaxObjectsOfOne; first += kAtOnce) {
      CommandWriter w;
      for (uint32_t i = 0; i < kAtOnce; ++i) packets::createBuffer(w, first + i, 4);
      ASSERT_EQ(f.submit(w).errorCount, 0u) << "nobody starves the others";
    }
    const core::ExecutionReport report = f.submit(one);
    EXPECT_EQ(report.errorCount, 1u);
    EXPECT_EQ(report.lastError, ErrorCode::Backend);
    EXPECT_EQ(f.submit(replace).errorCount, 0u);
  }
  for (const uint32_t space : {f.space, 0u}) {
    f.space = space;
    EXPECT_EQ(f.submit(one).lastError, ErrorCode::Backend) << "that is all";
  }
  destroySpace(end, 1);
  EXPECT_EQ(f.submit(end).errorCount, 0u);
  EXPECT_EQ(f.submit(one).errorCount, 0u);
}

/// Submits a flush in context `number` of `space`.
ErrorCode useContext(FakeExecutor& f, uint32_t space, uint32_t number) {
  CommandWriter w;
  w.packet(aerogpu_cmd_flush{});
  aerogpu_submission submission{};
  submission.struct_size = sizeof submission;
  submission.cmd = w.data();
  submission.cmd_size = w.size();
  submission.context_id = number;
  submission.in_space = 1;
  submission.space = space;
  return f.executor().execute(submission).lastError;
}

// SPACE-10
TEST(SpaceLimits, ContextsOfASpace) {
  FakeExecutor f;
  f.inSpace = true;
  const auto context = [&](uint32_t space, uint32_t number) { return useContext(f, space, number); };
  for (uint32_t i = 0; i < Spaces::kMaxContextsOfOne; ++i) ASSERT_EQ(context(1, i), ErrorCode::None);
  EXPECT_EQ(context(1, 4711), ErrorCode::Backend);
  EXPECT_EQ(context(1, 0), ErrorCode::None);
  EXPECT_EQ(context(2, 4711), ErrorCode::None);
  for (uint32_t i = 0; i < Spaces::kMaxContextsAlone + 1; ++i)
    ASSERT_EQ(context(0, i), ErrorCode::None) << "1024 is no limit any more";
}

/// The spaces of a process share one space's limit of handles, and have a limit of contexts together.
// SPACE-10, SPACE-23
TEST(SpaceLimits, HandlesOfAProcess) {
  FakeExecutor f;
  f.inSpace = true;
  CommandWriter kernel, one, more, less, end;
  for (const uint32_t space : {1, 2, 3}) spaceProcess(kernel, space, 7);
  spaceProcess(kernel, 4, 8);
  ASSERT_EQ(f.submit(kernel).errorCount, 0u);
  constexpr uint32_t kHalf = Spaces::kMaxObjectsOfOne / 2;
  for (uint32_t i = 1; i <= kHalf; ++i) packets::createBuffer(one, i, 4);
  packets::createBuffer(more, 1u << 30, 4);
  packets::destroyResource(less, 1);
  for (f.space = 1; f.space <= 2; ++f.space) ASSERT_EQ(f.submit(one).errorCount, 0u);
  for (f.space = 1; f.space <= 3; ++f.space) EXPECT_EQ(f.submit(more).lastError, ErrorCode::Backend);
  f.space = 4;
  EXPECT_EQ(f.submit(more).errorCount, 0u) << "of another process";
  f.space = 1;
  EXPECT_EQ(f.submit(less).errorCount, 0u);
  f.space = 3;
  EXPECT_EQ(f.submit(more).errorCount, 0u);
  f.space = 2;
  EXPECT_EQ(f.submit(more).lastError, ErrorCode::Backend);
  destroySpace(end, 1);
  f.space = 0;
  EXPECT_EQ(f.submit(end).errorCount, 0u);
  f.space = 2;
  EXPECT_EQ(f.submit(more).errorCount, 0u);
}

// SPACE-23
TEST(SpaceLimits, ContextsOfAProcess) {
  FakeExecutor f;
  f.inSpace = true;
  CommandWriter kernel, end;
  for (uint32_t space = 1; space <= 6; ++space) spaceProcess(kernel, space, 7);
  spaceProcess(kernel, 7, 8);
  ASSERT_EQ(f.submit(kernel).errorCount, 0u);
  const auto context = [&](uint32_t space, uint32_t number) { return useContext(f, space, number); };
  constexpr uint32_t kEach = 200;
  for (uint32_t i = 0; i < Spaces::kMaxContextsOfProcess; ++i)
    ASSERT_EQ(context(1 + i / kEach, i), ErrorCode::None) << i;
  EXPECT_EQ(context(6, 9999), ErrorCode::Backend);
  EXPECT_EQ(context(1, 0), ErrorCode::None) << "one that is there";
  EXPECT_EQ(context(7, 9999), ErrorCode::None) << "another process";
  EXPECT_EQ(context(8, 9999), ErrorCode::None) << "nobody's";
  destroySpace(end, 1);
  f.space = 0;
  EXPECT_EQ(f.submit(end).errorCount, 0u);
  EXPECT_EQ(context(6, 9999), ErrorCode::None);
}

// SPACE-9
TEST(SpaceLimits, Spaces) {
  FakeExecutor f;
  f.inSpace = true;
  CommandWriter flush, end;
  flush.packet(aerogpu_cmd_flush{});
  for (uint32_t i = 0; i < Spaces::kMaxSpaces; ++i) {
    f.space = ~i;  // any number
    ASSERT_EQ(f.submit(flush).errorCount, 0u);
  }
  f.space = 1;
  EXPECT_EQ(f.submit(flush).lastError, ErrorCode::Backend);
  f.space = 0;
  EXPECT_EQ(f.submit(flush).errorCount, 0u);
  destroySpace(end, ~7u);
  EXPECT_EQ(f.submit(end).errorCount, 0u);
  f.space = 1;
  EXPECT_EQ(f.submit(flush).errorCount, 0u);
  EXPECT_EQ(f.submit(flush).errorCount, 0u);
}

}  // namespace
