// SPDX-License-Identifier: MIT
// A guest's operations by the hundred thousand must each cost no more than a single one: objects, tokens,
// errors. Processor times are compared with those of an equal amount of simpler work in the same run.
#include <gtest/gtest.h>

#include <time.h>

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "renderer/test/counted_allocations.h"
#include "renderer/test/fake_backend.h"
#include "renderer/test/harness.h"

namespace {

using namespace aerogpu;
using test::FakeExecutor;
using test::Harness;

// Sanitizers make each step some ten times dearer; a walk for each of them shows with fewer too.
#ifndef __has_feature  // clang's
#define __has_feature(name) 0
#endif
constexpr uint32_t kMany = __has_feature(address_sanitizer) ? 25'000 : 100'000;
constexpr uint32_t kSubmissions = kMany / 5;

/// Returns this thread's time: others may be using the processors.
double cpuSeconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

/// Returns the fastest of three runs of `work`, which returns seconds.
template <class Work>
double best(Work work) {
  double fastest = work();
  for (int i = 0; i < 2; ++i) fastest = std::min(fastest, work());
  return fastest;
}

/// `work` does as many steps as `simple` over more data: it may cost a few times as much. A walk for each of
/// its steps would cost hundreds of times as much.
template <class Work, class Simple>
void expectComparable(Work work, Simple simple) {
  const double wanted = best(simple), got = best(work);
  EXPECT_LT(got, wanted * 25) << got << " s, against " << wanted << " s";
}

double secondsOf(FakeExecutor& f, const CommandWriter& w, uint32_t wantedErrors = 0) {
  const double begin = cpuSeconds();
  EXPECT_EQ(f.submit(w).errorCount, wantedErrors);
  return cpuSeconds() - begin;
}

TEST(Mass, ErrorsBehindTheRateLimitAllocateNothing) {
  struct Limit {
    const uint64_t before = std::exchange(Log::guestBurst, Log::kGuestBurst);
    ~Limit() { Log::guestBurst = before; }
  } const limit;
  FakeExecutor f;
  CommandWriter w;
  for (uint32_t i = 0; i < 1000; ++i) packets::destroyResource(w, 1 + i);
  ASSERT_EQ(f.submit(w).errorCount, 1000u);
  EXPECT_EQ(f.logLines, Log::kGuestBurst);
  const uint64_t before = allocations;
  ASSERT_EQ(f.submit(w).errorCount, 1000u);
  // If the limit's second ends just now, one more burst may be written.
  EXPECT_LE(allocations - before, (f.logLines - Log::kGuestBurst) * 32);
}

/// All textures lie over one allocation and at the scanout's address, or have a format that is never shown;
/// the oldest die first.
TEST(Mass, DestroyingTexturesWithABacking) {
  const auto destroy = [](aerogpu_format format, uint32_t allocId) {
    FakeExecutor f;
    const std::vector<uint8_t> table = FakeExecutor::table(7, 0x10000, 1 << 20);
    f.executor().setScanout(
        {sizeof(aerogpu_scanout_config), 1, 16, 1, AEROGPU_FORMAT_B8G8R8A8_UNORM, 64, 0x10000});
    CommandWriter make, destroy;
    for (uint32_t i = 1; i <= kMany; ++i) {
      Harness::createTexture(make, i, format, 16, 4, 0, 1, 1, allocId, 64);
      packets::destroyResource(destroy, i);
      destroy.packet(aerogpu_cmd_present{});
    }
    EXPECT_EQ(f.submit(make, table).errorCount, 0u);
    return secondsOf(f, destroy);
  };
  for (const auto format : {AEROGPU_FORMAT_B8G8R8A8_UNORM, AEROGPU_FORMAT_BC1_RGBA_UNORM})
    expectComparable([&] { return destroy(format, 7); }, [&] { return destroy(format, 0); });
}

/// Every submission brings a table; a table that moves nothing must not look at every texture.
TEST(Mass, SubmissionsOverManyTextures) {
  const auto submit = [](uint32_t textures) {
    FakeExecutor f;
    const std::vector<uint8_t> table = FakeExecutor::table(7, 0x10000, 1 << 20);
    CommandWriter make, none;
    for (uint32_t i = 1; i <= textures; ++i)
      Harness::createTexture(make, i, AEROGPU_FORMAT_B8G8R8A8_UNORM, 16, 4, 0, 1, 1, 7, 64);
    EXPECT_EQ(f.submit(make, table).errorCount, 0u);
    const double begin = cpuSeconds();
    for (uint32_t i = 0; i < kSubmissions; ++i) EXPECT_EQ(f.submit(none, table).errorCount, 0u);
    return cpuSeconds() - begin;
  };
  expectComparable([&] { return submit(kMany); }, [&] { return submit(1); });
}

// TOK-9
TEST(Mass, ReleasingTheTokensOfOneResource) {
  const auto release = [](bool oneResource) {
    FakeExecutor f;
    CommandWriter make, release;
    for (uint32_t i = 1; i <= kMany; ++i) {
      if (i == 1 || !oneResource) packets::createBuffer(make, i, 16, 0);
      aerogpu_cmd_export_shared_surface e{};
      e.resource_handle = oneResource ? 1 : i;
      e.share_token = i;
      make.packet(e);
      aerogpu_cmd_release_shared_surface r{};
      r.share_token = i;
      release.packet(r);
    }
    EXPECT_EQ(f.submit(make).errorCount, 0u);
    return secondsOf(f, release);
  };
  expectComparable([&] { return release(true); }, [&] { return release(false); });
}

/// Handles that would all fall into one narrow piece of the table if a guest could know its hash.
TEST(Mass, HandlesThatAGuestChoseToCollide) {
  const auto create = [](auto handles) {
    FakeExecutor f;
    CommandWriter w;
    uint64_t next = 1;
    for (uint32_t i = 0; i < kMany; ++i) packets::createBuffer(w, handles(next), 16, 0);
    return secondsOf(f, w);
  };
  const auto consecutive = [](uint64_t& next) { return static_cast<uint32_t>(next++); };
  const auto colliding = [](uint64_t& next) {
    constexpr uint32_t kMask = 0x7FF00;  // of the slot number in a table of 2^19 slots
    while ((next * 0x9E3779B97F4A7C15ull >> 32 & kMask) != 0) ++next;
    return static_cast<uint32_t>(next++);
  };
  expectComparable([&] { return create(colliding); }, [&] { return create(consecutive); });
}

// TOK-9
TEST(Mass, TokensThatAGuestChoseToCollide) {
  constexpr uint32_t kCount = kMany;
  const auto create = [](uint64_t step) {
    FakeExecutor f;
    CommandWriter w;
    packets::createBuffer(w, 1, 16, 0);
    for (uint64_t i = 1; i <= kCount; ++i) {
      aerogpu_cmd_export_shared_surface e{};
      e.resource_handle = 1;
      e.share_token = i * step;
      w.packet(e);
    }
    return secondsOf(f, w);
  };
  // The number of buckets that libstdc++ gives a table of this size: the step of an attack on an unsalted
  // one.
  std::unordered_map<uint64_t, int> same;
  for (uint64_t i = 1; i <= kCount; ++i) same.emplace(i, 0);
  const uint64_t buckets = same.bucket_count();
  expectComparable([&] { return create(buckets); }, [&] { return create(1); });
}

/// Switching between spaces costs the same however many objects they have.
// SPACE-7
TEST(Mass, SubmissionsThatTakeTurns) {
  const auto turns = [](uint32_t objects) {
    FakeExecutor f;
    f.inSpace = true;
    CommandWriter make, flush;
    for (uint32_t i = 1; i <= objects; ++i) packets::createBuffer(make, i, 4);
    flush.packet(aerogpu_cmd_flush{});
    for (const uint32_t space : {1u, 2u}) {
      f.space = space;
      EXPECT_EQ(f.submit(make).errorCount, 0u);
    }
    const double begin = cpuSeconds();
    for (uint32_t i = 0; i < kSubmissions; ++i) {
      f.space = 1 + i % 2;
      f.submit(flush);
    }
    return cpuSeconds() - begin;
  };
  expectComparable([&] { return turns(kMany); }, [&] { return turns(1); });
}

/// The end of a space costs as much as destroying its objects one by one.
// SPACE-16
TEST(Mass, TheEndOfASpace) {
  const auto end = [](bool atOnce) {
    FakeExecutor f;
    f.inSpace = true;
    CommandWriter make, destroy;
    for (uint32_t i = 1; i <= kMany; ++i) packets::createBuffer(make, i, 4);
    f.space = 1;
    EXPECT_EQ(f.submit(make).errorCount, 0u);
    if (atOnce) {
      aerogpu_cmd_ext_destroy_space c{};
      c.space = 1;
      destroy.packet(c);
      f.space = 0;
    } else {
      for (uint32_t i = 1; i <= kMany; ++i) packets::destroyResource(destroy, i);
    }
    const double begin = cpuSeconds();
    EXPECT_EQ(f.submit(destroy).errorCount, 0u);
    return cpuSeconds() - begin;
  };
  expectComparable([&] { return end(true); }, [&] { return end(false); });
}

}  // namespace
