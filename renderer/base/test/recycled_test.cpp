// SPDX-License-Identifier: MIT
// Memory that is kept for the next object of a type: the owner, the amount, the lifetime.
#include "renderer/base/recycled.h"

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <thread>
#include <vector>

namespace {

constexpr size_t kBytes = 728;  // no other object here has this size
constexpr size_t kHeader = 16;  // before each piece: its size
std::atomic<uint64_t> taken{0}, given{0};

}  // namespace

// Allocates from the heap in pieces of that size. gcc considers one of a pair mismatched if it inlines only
// one of them (-Wmismatched-new-delete).
[[gnu::noinline]] void* operator new(size_t size) {
  if (size == kBytes) ++taken;
  auto* memory = static_cast<uint8_t*>(std::malloc(kHeader + size));
  if (!memory) std::abort();
  std::memcpy(memory, &size, sizeof size);
  return memory + kHeader;
}
[[gnu::noinline]] void operator delete(void* memory) noexcept {
  if (!memory) return;
  uint8_t* start = static_cast<uint8_t*>(memory) - kHeader;
  size_t size;
  std::memcpy(&size, start, sizeof size);
  if (size == kBytes) ++given;
  std::free(start);
}
[[gnu::noinline]] void operator delete(void* memory, size_t) noexcept {
  operator delete(memory);
}

namespace {

struct Thing : aerogpu::Recycled<Thing> {
  virtual ~Thing() = default;
  std::array<uint64_t, 90> words;
};
static_assert(sizeof(Thing) == kBytes);

struct LargerThing : Thing {
  std::array<uint8_t, 1000> more;
};

/// Sanitized builds keep none.
constexpr size_t kMost = aerogpu::kRecycledBytes / kBytes;

class Recycled : public testing::Test {
protected:
  void SetUp() override { taken = given = 0; }
  /// Runs `work` on a new thread, which has kept nothing.
  template <class Work>
  static void inThread(Work work) {
    std::thread(work).join();
  }
  static std::vector<std::unique_ptr<Thing>> make(size_t count) {
    std::vector<std::unique_ptr<Thing>> things(count);
    for (auto& thing : things) thing = std::make_unique<Thing>();
    return things;
  }
};

TEST_F(Recycled, WhatAThreadDeletesIsItsNext) {
  inThread([] {
    constexpr size_t kCount = 1000;
    for (int round = 0; round < 3; ++round) make(kCount);
    EXPECT_EQ(taken, kMost == 0 ? 3 * kCount : kCount);
  });
}

TEST_F(Recycled, AThreadKeepsSoMuchAndNoMore) {
  inThread([] {
    make(kMost + 10);
    EXPECT_EQ(given, 10u);
    make(kMost + 10);
    EXPECT_EQ(taken, kMost + 20);
  });
}

TEST_F(Recycled, AThreadsPiecesEndWithIt) {
  inThread([] { make(100); });
  EXPECT_EQ(taken, 100u);
  EXPECT_EQ(given, 100u);
}

TEST_F(Recycled, AnObjectMayOutliveItsThreadsPieces) {
  inThread([] {
    // `last` is destroyed after the kept pieces, whose owner was made later.
    thread_local std::unique_ptr<Thing> last;
    last = std::make_unique<Thing>();
    make(100);
  });
  EXPECT_EQ(taken, 101u);
  EXPECT_EQ(given, 101u);
}

TEST_F(Recycled, AnyThreadDeletes) {
  inThread([] {
    std::vector<std::unique_ptr<Thing>> things;
    inThread([&] { things = make(100); });
    EXPECT_EQ(given, 0u);
    things.clear();
    make(100);
    EXPECT_EQ(taken, kMost == 0 ? 200u : 100u);
  });
  EXPECT_EQ(given, taken);
}

TEST_F(Recycled, AnotherSizeIsNotKept) {
  inThread([] {
    { const std::unique_ptr<Thing> larger = std::make_unique<LargerThing>(); }
    make(1);
    EXPECT_EQ(taken, 1u);
  });
}

}  // namespace
