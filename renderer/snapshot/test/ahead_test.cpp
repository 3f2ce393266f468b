// SPDX-License-Identifier: MIT
// Contents that go ahead of a snapshot: what is loaded is what was held at the end, whatever happened
// meanwhile, and only what changed is sent again. TRACE-17.
#include "renderer/snapshot/ahead.h"

#include <gtest/gtest.h>

#include <map>
#include <random>

#include "renderer/local/local.h"
#include "renderer/snapshot/save.h"
#include "renderer/snapshot/test/everything.h"
#include "renderer/test/expect.h"
#include "renderer/test/saving.h"

namespace aerogpu::test {
namespace {

using snapshot::Ahead;

constexpr uint64_t kAll = UINT64_MAX;
constexpr auto kRgba = AEROGPU_FORMAT_R8G8B8A8_UNORM;

/// Saves a machine that goes on meanwhile.
class Journey {
public:
  explicit Journey(Harness& h) : m_h(h), m_ahead(parts(), *m_file) {}
  core::Submission& parts() { return m_h.local().executor->parts(); }
  Ahead::Left send(uint64_t budget) {
    const auto left = m_ahead.send(budget);
    EXPECT_TRUE(left.ok());
    return left.ok() ? *left : Ahead::Left{};
  }
  Ahead& ahead() { return m_ahead; }
  /// Returns the bytes of the file so far.
  size_t size() const { return m_bytes.size(); }
  /// Ends the journey, and returns the whole file.
  const std::vector<uint8_t>& arrive() {
    EXPECT_TRUE(snapshot::save(parts(), m_h.local().executor->features(), *m_file, &m_ahead).ok());
    return m_bytes;
  }

private:
  Harness& m_h;
  std::vector<uint8_t> m_bytes;
  const std::unique_ptr<trace::Writer> m_file = trace::Writer::create(appendBytes, &m_bytes, {});
  Ahead m_ahead;
};

/// Expects that a renderer that loads `bytes` holds what `h` does.
void expectSame(Harness& h, std::span<const uint8_t> bytes) {
  Harness arrived, direct;
  ASSERT_EQ(loadSnapshot(arrived.renderer(), bytes, 1 << 20), "");
  const Snapshot now = takeSnapshot(h.renderer());
  ASSERT_EQ(loadSnapshot(direct.renderer(), now.bytes, 1 << 20), "");
  EXPECT_TRUE(takeSnapshot(arrived.renderer()).bytes == takeSnapshot(direct.renderer()).bytes);
}

class SnapshotAhead : public testing::Test {
protected:
  FinishedSubmission submit() {
    const auto done = h.submit(w);
    w.reset();
    return done;
  }
  void makeBuffer(uint32_t handle, uint64_t size, uint8_t byte = 1) {
    packets::createBuffer(w, handle, size);
    fill(handle, size, byte);
    expectGood(submit());
  }
  void fill(uint32_t handle, uint64_t size, uint8_t byte) {
    packets::upload(w, handle, 0, std::vector<uint8_t>(size, byte));
  }
  Harness h;
  CommandWriter w;
};

TEST_F(SnapshotAhead, EverythingArrives) {
  makeEverything(h);
  Journey journey(h);
  EXPECT_EQ(journey.send(kAll).rested, 0u);
  const size_t sent = journey.size();
  const auto& bytes = journey.arrive();
  EXPECT_GT(journey.ahead().sentBytes(), 0u);
  EXPECT_LT(journey.ahead().sentBytes(), sent);
  expectSame(h, bytes);
}

TEST_F(SnapshotAhead, OnlyWhatChangedIsSentAgain) {
  constexpr uint64_t kSize = 100000;
  makeBuffer(1, kSize);
  makeBuffer(2, kSize);
  Journey journey(h);
  EXPECT_EQ(journey.send(kAll).rested, 0u);
  EXPECT_EQ(journey.ahead().sentBytes(), 2 * kSize);
  EXPECT_EQ(journey.send(kAll).rested, 0u);
  EXPECT_EQ(journey.ahead().sentBytes(), 2 * kSize);
  fill(2, kSize, 9);
  expectGood(submit());
  const size_t before = journey.size();
  const auto& bytes = journey.arrive();
  EXPECT_GT(bytes.size() - before, kSize);
  EXPECT_LT(bytes.size() - before, kSize + 4096);
  expectSame(h, bytes);
}

TEST_F(SnapshotAhead, SendsWhatRestsLongestFirstAndAsMuchAsItMay) {
  constexpr uint64_t kMiB = uint64_t{1} << 20;
  makeBuffer(1, 2 * kMiB);
  makeBuffer(2, 10 * kMiB);  // three pieces
  fill(1, 4, 2);             // so that it is the younger one
  expectGood(submit());
  Journey journey(h);
  EXPECT_EQ(journey.send(1).rested, 12 * kMiB);
  EXPECT_EQ(journey.ahead().sentBytes(), 4 * kMiB);
  EXPECT_EQ(journey.send(5 * kMiB).rested, 2 * kMiB);
  EXPECT_EQ(journey.ahead().sentBytes(), 10 * kMiB);
  EXPECT_EQ(journey.send(0).rested, 0u);
  EXPECT_EQ(journey.ahead().sentBytes(), 12 * kMiB);
  expectSame(h, journey.arrive());
}

TEST_F(SnapshotAhead, WhatIsWrittenOftenWaitsForTheEnd) {
  makeBuffer(1, 100);
  Journey journey(h);
  const auto write = [&](uint8_t byte) {
    fill(1, 100, byte);
    expectGood(submit());
  };
  write(2);
  EXPECT_EQ(journey.send(kAll).written, 100u);
  journey.ahead().nextSpan();  // it was written in the span that ends here
  EXPECT_EQ(journey.send(kAll).written, 100u);
  EXPECT_EQ(journey.ahead().sentBytes(), 0u);
  write(3);
  journey.ahead().nextSpan();
  EXPECT_EQ(journey.send(kAll).written, 100u);
  journey.ahead().nextSpan();
  journey.ahead().nextSpan();
  EXPECT_EQ(journey.send(kAll).written, 0u);
  EXPECT_EQ(journey.ahead().sentBytes(), 100u);
  expectSame(h, journey.arrive());
}

TEST_F(SnapshotAhead, ObjectsComeAndGo) {
  makeBuffer(1, 1000);
  makeBuffer(2, 1000);
  Journey journey(h);
  (void)journey.send(kAll);
  packets::destroyResource(w, 1);
  packets::destroyResource(w, 2);
  expectGood(submit());
  // Objects in the place of others: nothing that was sent is taken for theirs.
  for (uint32_t handle = 3; handle < 8; ++handle) makeBuffer(handle, 1000, static_cast<uint8_t>(handle));
  packets::createBuffer(w, 20, 1000);
  expectGood(submit());
  const size_t before = journey.size();
  EXPECT_EQ(journey.send(kAll).written, 5000u);
  // Two pieces are forgotten.
  EXPECT_EQ(journey.size() - before, 2 * (sizeof(trace::RecordHeader) + sizeof(trace::AheadRecord)));
  expectSame(h, journey.arrive());
}

// A piece that became zero is not taken for what it was.
TEST_F(SnapshotAhead, ZerosAreNothing) {
  makeBuffer(1, 1000);
  Journey journey(h);
  (void)journey.send(kAll);
  fill(1, 1000, 0);
  expectGood(submit());
  journey.ahead().nextSpan();
  journey.ahead().nextSpan();
  (void)journey.send(kAll);
  EXPECT_EQ(journey.ahead().sentBytes(), 1000u);
  const auto& bytes = journey.arrive();
  Harness again;
  ASSERT_EQ(loadSnapshot(again.renderer(), bytes), "");
  while (again.handle() < 100) {
  }
  EXPECT_EQ(again.readBuffer(1, 1000), std::vector<uint8_t>(1000));
}

TEST_F(SnapshotAhead, AnythingMayHappenMeanwhile) {
  std::mt19937 random(24);
  for (unsigned round = 0; round < 30; ++round) {
    std::map<uint32_t, bool> alive;  // handle: a texture
    const auto make = [&] {
      const uint32_t handle = h.handle();
      const bool texture = random() % 2;
      if (texture)
        Harness::createTexture(w, handle, kRgba, 16, 16,
                               AEROGPU_RESOURCE_USAGE_TEXTURE | AEROGPU_RESOURCE_USAGE_RENDER_TARGET, 3, 2);
      else
        packets::createBuffer(w, handle, 1024);
      alive[handle] = texture;
    };
    const auto change = [&] {
      if (alive.empty() || random() % 4 == 0) return make();
      auto one = std::next(alive.begin(), random() % alive.size());
      if (random() % 4 == 0) {
        packets::destroyResource(w, one->first);
        alive.erase(one);
        return;
      }
      const uint32_t row = random() % 4;
      const std::vector<uint8_t> bytes(random() % 2 ? 64 : 256, static_cast<uint8_t>(random() % 3));
      packets::upload(w, one->first, row * uint64_t{256}, bytes);
    };
    const auto changes = [&](unsigned count) {
      for (unsigned i = 0; i < count; ++i) change();
      if (w.empty()) return;
      expectGood(submit());
    };
    changes(40);
    Journey journey(h);
    const unsigned steps = random() % 30;
    for (unsigned step = 0; step < steps; ++step) {
      if (random() % 2) changes(random() % 4);
      if (random() % 3 == 0) journey.ahead().nextSpan();
      (void)journey.send(random() % 4096);
    }
    changes(random() % 4);
    expectSame(h, journey.arrive());
    for (const auto& [handle, texture] : alive) packets::destroyResource(w, handle);
    if (!w.empty()) expectGood(submit());
  }
}

// A reset drops everything, and what was sent with it.
TEST_F(SnapshotAhead, AResetMeanwhile) {
  makeBuffer(1, 1000);
  Journey journey(h);
  (void)journey.send(kAll);
  ASSERT_TRUE(aerogpu_renderer_reset(h.renderer()));
  makeBuffer(2, 500, 7);
  (void)journey.send(kAll);
  expectSame(h, journey.arrive());
}

/// A sink for the C interface.
struct Bytes {
  std::vector<uint8_t> all;
  size_t most = SIZE_MAX;
  aerogpu_bytes_sink sink{sizeof(aerogpu_bytes_sink),
                          [](void* opaque, const void* bytes, size_t size) {
                            auto* self = static_cast<Bytes*>(opaque);
                            if (self->all.size() + size > self->most) return false;
                            const auto* first = static_cast<const uint8_t*>(bytes);
                            self->all.insert(self->all.end(), first, first + size);
                            return true;
                          },
                          this};
};

TEST_F(SnapshotAhead, GoesThroughTheCInterface) {
  makeBuffer(1, 1000);
  makeBuffer(2, 1000);
  aerogpu_renderer* r = h.renderer();
  char error[256] = "";
  uint64_t rested = 1, written = 1;
  EXPECT_FALSE(aerogpu_renderer_save_ahead(r, 1, &rested, &written, error, sizeof error));
  EXPECT_STREQ(error, "no save has begun");
  EXPECT_EQ(rested + written, 0u);
  EXPECT_FALSE(aerogpu_renderer_save_end(r, error, sizeof error));
  aerogpu_renderer_save_cancel(r);
  Bytes bytes;
  ASSERT_TRUE(aerogpu_renderer_save_begin(r, &bytes.sink, error, sizeof error)) << error;
  ASSERT_TRUE(aerogpu_renderer_save_ahead(r, 1, &rested, &written, error, sizeof error)) << error;
  EXPECT_EQ(rested, 1000u);
  EXPECT_EQ(written, 0u);
  fill(1, 10, 5);
  expectGood(submit());
  ASSERT_TRUE(aerogpu_renderer_save_ahead(r, 1, &rested, &written, error, sizeof error)) << error;
  EXPECT_EQ(rested, 0u);
  EXPECT_EQ(written, 1000u);
  ASSERT_TRUE(aerogpu_renderer_save_end(r, error, sizeof error)) << error;
  expectSame(h, bytes.all);
  EXPECT_FALSE(aerogpu_renderer_save_end(r, error, sizeof error));
}

TEST_F(SnapshotAhead, EndsWhenItsSinkRefusesBytes) {
  makeBuffer(1, 1000);
  aerogpu_renderer* r = h.renderer();
  char error[256] = "";
  uint64_t rested, written;
  Bytes bytes;
  bytes.most = 500;
  ASSERT_TRUE(aerogpu_renderer_save_begin(r, &bytes.sink, error, sizeof error)) << error;
  EXPECT_FALSE(aerogpu_renderer_save_ahead(r, 1, &rested, &written, error, sizeof error));
  EXPECT_STREQ(error, "the snapshot cannot be written");
  EXPECT_FALSE(aerogpu_renderer_save_end(r, error, sizeof error));
  EXPECT_STREQ(error, "no save has begun");
}

// What goes ahead leaves the machine that waits for it as it is, even if that is reset meanwhile.
TEST_F(SnapshotAhead, MayComeBeforeAReset) {
  makeBuffer(1, 1000);
  Journey journey(h);
  (void)journey.send(kAll);
  const size_t ahead = journey.size();
  const std::vector<uint8_t> bytes = journey.arrive();
  Harness again;
  CommandWriter made;
  packets::createBuffer(made, 7, 64);
  expectGood(again.submit(made));
  char error[256] = "";
  ASSERT_TRUE(aerogpu_renderer_load_bytes(again.renderer(), bytes.data(), ahead, error, sizeof error))
      << error;
  EXPECT_EQ(again.stats().resources, 1u);
  ASSERT_TRUE(aerogpu_renderer_reset(again.renderer()));
  EXPECT_EQ(again.stats().resources, 0u);
  EXPECT_EQ(loadSnapshot(again.renderer(), std::span(bytes).subspan(ahead)), "");
  while (again.handle() < 100) {
  }
  EXPECT_EQ(again.readBuffer(1, 1000), std::vector<uint8_t>(1000, 1));
}

}  // namespace
}  // namespace aerogpu::test
