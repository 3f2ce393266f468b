// SPDX-License-Identifier: MIT
// What a guest does by the hundred thousand must not cost more for each than it costs once: objects, tokens,
// errors. Times are compared only with times of the same run.
#include <gtest/gtest.h>

#include <ctime>
#include <cstdlib>
#include <new>

#include "renderer/testing/fake_backend.h"
#include "renderer/testing/harness.h"

namespace {
uint64_t allocations = 0;
}

// Counts what the code under test allocates.
void* operator new(size_t size) {
  ++allocations;
  if (void* memory = std::malloc(size)) return memory;
  std::abort();
}
void operator delete(void* memory) noexcept {
  std::free(memory);
}
void operator delete(void* memory, size_t) noexcept {
  std::free(memory);
}

namespace {

using namespace aerogpu;
using test::FakeExecutor;
using test::Harness;

constexpr uint32_t kFew = 10'000, kMany = 200'000;

/// Fastest of some runs of `work(count)`, which returns seconds.
template <class Work>
double best(Work work, uint32_t count) {
  double fastest = 1e9;
  for (int i = 0; i < 3; ++i) fastest = std::min(fastest, work(count));
  return fastest;
}

/// Twenty times as many may take twenty times as long, and some more because they no longer lie in the processor's
/// caches; a walk for each would take four hundred times. Processor time of this thread: others on the machine do
/// not count.
template <class Work>
void expectLinear(Work work) {
  const double few = best(work, kFew), many = best(work, kMany);
  constexpr uint32_t kTimes = kMany / kFew;
  EXPECT_LT(many, few * kTimes * 12) << few << " s for " << kFew << ", " << many << " s for " << kMany;
}

double threadSeconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

double secondsOf(FakeExecutor& f, const CommandWriter& w, uint32_t wantedErrors = 0) {
  const double begin = threadSeconds();
  EXPECT_EQ(f.submit(w).errorCount, wantedErrors);
  return threadSeconds() - begin;
}

TEST(Mass, ErrorsBehindTheRateLimitAllocateNothing) {
  FakeExecutor f;
  CommandWriter w;
  for (uint32_t i = 0; i < 1000; ++i) Harness::destroy(w, 1 + i);
  ASSERT_EQ(f.submit(w).errorCount, 1000u);
  EXPECT_EQ(f.logLines, Log::kGuestBurst);
  const uint64_t before = allocations;
  ASSERT_EQ(f.submit(w).errorCount, 1000u);
  // Should the second that the limit counts by end just now, one burst more may be written.
  EXPECT_LE(allocations - before, (f.logLines - Log::kGuestBurst) * 32);
}

/// All over one allocation and none shown, or all at the scanout's address; the oldest die first.
TEST(Mass, DestroyingTexturesWithABacking) {
  for (const auto format : {AEROGPU_FORMAT_B8G8R8A8_UNORM, AEROGPU_FORMAT_BC1_RGBA_UNORM}) {
    expectLinear([format](uint32_t count) {
      FakeExecutor f;
      const std::vector<uint8_t> table = FakeExecutor::table(7, 0x10000, 1 << 20);
      f.executor().setScanout(
          {sizeof(aerogpu_scanout_config), 1, 16, 1, AEROGPU_FORMAT_B8G8R8A8_UNORM, 64, 0x10000});
      CommandWriter make, destroy;
      for (uint32_t i = 1; i <= count; ++i) {
        Harness::createTexture(make, i, format, 16, 4, 0, 1, 1, 7, 64);
        Harness::destroy(destroy, i);
        destroy.packet(AEROGPU_CMD_PRESENT, aerogpu_cmd_present{});
      }
      EXPECT_EQ(f.submit(make, table).errorCount, 0u);
      return secondsOf(f, destroy);
    });
  }
}

/// Every submission brings a table; one that moves nothing must not look at every texture.
TEST(Mass, SubmissionsOverManyTextures) {
  expectLinear([](uint32_t count) {
    FakeExecutor f;
    const std::vector<uint8_t> table = FakeExecutor::table(7, 0x10000, 1 << 20);
    CommandWriter make, none;
    for (uint32_t i = 1; i <= count; ++i)
      Harness::createTexture(make, i, AEROGPU_FORMAT_B8G8R8A8_UNORM, 16, 4, 0, 1, 1, 7, 64);
    EXPECT_EQ(f.submit(make, table).errorCount, 0u);
    const auto begin = std::chrono::steady_clock::now();
    for (uint32_t i = 0; i < count; ++i) EXPECT_EQ(f.submit(none, table).errorCount, 0u);
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  });
}

TEST(Mass, ReleasingTheTokensOfOneResource) {
  expectLinear([](uint32_t count) {
    FakeExecutor f;
    CommandWriter make, release;
    Harness::createBuffer(make, 1, 16, 0);
    for (uint32_t i = 1; i <= count; ++i) {
      aerogpu_cmd_export_shared_surface e{};
      e.resource_handle = 1;
      e.share_token = i;
      make.packet(AEROGPU_CMD_EXPORT_SHARED_SURFACE, e);
      aerogpu_cmd_release_shared_surface r{};
      r.share_token = i;
      release.packet(AEROGPU_CMD_RELEASE_SHARED_SURFACE, r);
    }
    EXPECT_EQ(f.submit(make).errorCount, 0u);
    return secondsOf(f, release);
  });
}

/// Handles that all fell into one narrow piece of the table as long as a guest could know its hash.
TEST(Mass, HandlesThatAGuestChoseToCollide) {
  const auto create = [](uint32_t count, auto handles) {
    FakeExecutor f;
    CommandWriter w;
    uint64_t next = 1;
    for (uint32_t i = 0; i < count; ++i) Harness::createBuffer(w, handles(next), 16, 0);
    return secondsOf(f, w);
  };
  const auto consecutive = [&](uint32_t count) {
    return create(count, [](uint64_t& next) { return static_cast<uint32_t>(next++); });
  };
  const auto colliding = [&](uint32_t count) {
    return create(count, [](uint64_t& next) {
      constexpr uint32_t kMask = 0x7FF00;  // of the slot number in a table of 2^19 slots
      while ((next * 0x9E3779B97F4A7C15ull >> 32 & kMask) != 0) ++next;
      return static_cast<uint32_t>(next++);
    });
  };
  EXPECT_LT(best(colliding, 50'000), best(consecutive, 50'000) * 10);
}

TEST(Mass, TokensThatAGuestChoseToCollide) {
  const auto create = [](uint32_t count, uint64_t step) {
    FakeExecutor f;
    CommandWriter w;
    Harness::createBuffer(w, 1, 16, 0);
    for (uint64_t i = 1; i <= count; ++i) {
      aerogpu_cmd_export_shared_surface e{};
      e.resource_handle = 1;
      e.share_token = i * step;
      w.packet(AEROGPU_CMD_EXPORT_SHARED_SURFACE, e);
    }
    return secondsOf(f, w);
  };
  // The number of buckets that libstdc++ gives a table of so many: the step of an attack on an unsalted one.
  std::unordered_map<uint64_t, int> same;
  for (uint64_t i = 1; i <= 50'000; ++i) same.emplace(i, 0);
  const uint64_t buckets = same.bucket_count();
  EXPECT_LT(best([&](uint32_t count) { return create(count, buckets); }, 50'000),
            best([&](uint32_t count) { return create(count, 1); }, 50'000) * 10);
}

}  // namespace
