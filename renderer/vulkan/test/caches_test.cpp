// SPDX-License-Identifier: MIT
// Pipelines, samplers and layouts of several processes: a process that fills a cache loses its own entries
// (docs/develop/architecture.md, "Caches"), and pays for those it has.
#include <array>
#include <set>
#include <tuple>

#include "renderer/core/test/spaces_fixture.h"
#include "renderer/vulkan/objects/cache_shares.h"
#include "renderer/vulkan/test/draw_fixture.h"

namespace aerogpu::test {
namespace {

// ---- who has what, without a GPU ----

using Shares = vk::CacheShares<int>;

struct CacheOwners : testing::Test {
  Shares shares{{64, 8}};
  HostMemory a{uint64_t{1} << 20}, b{uint64_t{1} << 20}, c{uint64_t{1} << 20};
  std::set<int> held;
  int next = 0;
  /// Adds entries of 16 bytes, and returns how many were dropped.
  int add(const HostMemory* owner, int count) {
    int gone = 0;
    for (int i = 0; i < count; ++i) {
      shares.makeRoom(owner, shares.mostOf(owner, 16),
                      [&](int key) { gone += static_cast<int>(held.erase(key)); });
      shares.add(owner, next);
      held.insert(next++);
    }
    return gone;
  }
};

TEST_F(CacheOwners, WhoHasHalfLosesItsOldest) {
  EXPECT_EQ(add(&a, 10), 0);
  const int first = next;
  EXPECT_EQ(add(&b, 32), 0);
  EXPECT_EQ(add(&b, 1), 4) << "an eighth at once";
  EXPECT_FALSE(held.contains(first) || held.contains(first + 3));
  EXPECT_TRUE(held.contains(first + 4));
  add(&b, 1000);
  for (int i = 0; i < 10; ++i) EXPECT_TRUE(held.contains(i));
  EXPECT_LE(shares.count(&b), 32u);
}

TEST_F(CacheOwners, WhoHasMostMakesRoomForOthers) {
  add(&a, 32);
  const int ofB = next;
  add(&b, 28);
  EXPECT_EQ(add(&c, 4), 0);
  EXPECT_EQ(add(&c, 1), 4) << "of the 64 that there are";
  EXPECT_EQ(shares.count(&a), 28u);
  EXPECT_TRUE(held.contains(ofB));
  EXPECT_EQ(shares.count(&c), 5u);
}

TEST_F(CacheOwners, TheGuestAsAWholeMayHaveAll) {
  EXPECT_EQ(add(nullptr, 64), 0);
  EXPECT_EQ(add(nullptr, 1), 8);
}

TEST_F(CacheOwners, AQuarterOfTheMemoryIsTheMost) {
  HostMemory small{16 * 4 * 20};
  EXPECT_EQ(shares.mostOf(&small, 16), 20u);
  EXPECT_EQ(shares.mostOf(&small, 1 << 20), 16u) << "some in any case";
}

TEST_F(CacheOwners, SomeOfThoseThatHaveEndedIsKept) {
  add(&a, 12);
  const auto drop = [&](int key) { held.erase(key); };
  EXPECT_TRUE(shares.ownerEnds(&a, drop));
  EXPECT_EQ(held.size(), 8u);
  EXPECT_TRUE(held.contains(11));
  EXPECT_FALSE(shares.ownerEnds(&a, drop)) << "ended already";
  add(&b, 32);
  EXPECT_EQ(add(&c, 24), 0);
  EXPECT_EQ(add(&c, 1), 1) << "what is nobody's goes first";
  EXPECT_TRUE(shares.giveUp(&b, drop));
  EXPECT_EQ(shares.count(&b), 32u) << "all that is nobody's, before its own";
  EXPECT_TRUE(shares.giveUp(&b, drop));
  EXPECT_EQ(shares.count(&b), 28u);
  EXPECT_FALSE(shares.giveUp(&a, drop)) << "it has nothing";
}

// ---- on the GPU ----

/// Two programs on one renderer, in handle spaces of two processes.
class CachesTest : public DrawTest {
protected:
  static constexpr uint64_t kShare = uint64_t{4} << 20;
  static void SetUpTestSuite() {
    Harness::Options options;
    options.backend = "vulkan";
    options.flags = AEROGPU_RENDERER_VALIDATION;
    options.guestBytes = uint64_t{16} << 20;
    options.maxSpaceHostmem = kShare;
    s_gpu = new Harness(options);
  }
  void SetUp() override {
    s_first += 2;
    GpuTest::SetUp();
    if (HasFatalFailure()) return;
    gpu().space = Harness::kKernel;
    CommandWriter w;
    for (const uint32_t who : {0, 1}) spaceProcess(w, spaceOf(who), spaceOf(who));
    run(w);
    for (const uint32_t who : {0, 1}) {
      gpu().space = Harness::InSpace{spaceOf(who)};
      DrawTest::SetUp();
      m_has[who] = {m_context, m_target, m_vs};
    }
  }
  void TearDown() override {
    gpu().space = Harness::kKernel;
    CommandWriter w;
    for (const uint32_t who : {0, 1}) destroySpace(w, spaceOf(who));
    run(w);
    GpuTest::TearDown();
  }
  uint32_t spaceOf(uint32_t who) const { return s_first + who; }
  /// Makes this program do the following work.
  void be(uint32_t who) {
    gpu().space = Harness::InSpace{spaceOf(who)};
    std::tie(m_context, m_target, m_vs) = m_has[who];
  }
  std::string reading(uint32_t mask) {
    std::string source = "ps_2_0\ndcl v0\ndcl t0.xy\n", body = "mov r1, v0\n";
    for (uint32_t m = mask; m; m &= m - 1) {
      const std::string s = "s" + std::to_string(std::countr_zero(m));
      source += "dcl_2d " + s + "\n";
      body += "texld r0, t0, " + s + "\nmad r1, r0, c0.x, r1\n";  // c0 is 0
    }
    return source + body + "mov oC0, r1\n";
  }
  uint64_t pipelinesMade() { return gpu().stats().pipelines_created; }
  uint64_t memoryOf(uint32_t who) { return gpu().spaceInfo(spaceOf(who))->process_host_memory_bytes; }

  std::array<std::tuple<uint32_t, uint32_t, uint32_t>, 2> m_has{};  ///< context, target, vertex shader
  static inline uint32_t s_first = 1;
};

TEST_F(CachesTest, PipelinesOfAProcess) {
  // Each program gets a pipeline, and both draw.
  CommandWriter w;
  be(0);
  drawVertices(w, quad(0, 0, 8, 8, 0xFF102030));
  run(w);
  const uint64_t ofOne = pipelinesMade();
  be(1);
  stream(w, 0, vertexBuffer(w, quad(0, 0, 8, 8, 0xFF405060)), sizeof(Vertex));
  std::vector<uint32_t> shaders;
  for (uint32_t mask = 1; mask <= 160; ++mask) shaders.push_back(shader(w, reading(mask)));
  run(w);
  const uint64_t before = pipelinesMade();
  const auto drawWith = [&](size_t which) {
    bindShaders(w, m_vs, shaders[which]);
    draw(w, 6);
    run(w);
  };
  for (size_t i = 0; i < shaders.size(); ++i) drawWith(i);
  EXPECT_EQ(pipelinesMade(), before + shaders.size());
  EXPECT_EQ(pixel(read(m_target, kBgra, kSize, kSize), kSize, 1, 1), (Pixel{0x60, 0x50, 0x40, 0xFF}));
  const uint64_t made = pipelinesMade();
  drawWith(159);
  EXPECT_EQ(pipelinesMade(), made) << "its newest is there";
  drawWith(0);
  EXPECT_EQ(pipelinesMade(), made + 1) << "its oldest went";
  // The other program's pipeline stayed, though it saw more sets of samplers than there are layouts.
  be(0);
  drawVertices(w, quad(0, 0, 8, 8, 0xFF708090));
  run(w);
  EXPECT_EQ(pipelinesMade(), made + 1) << "made " << ofOne << " at first";
  EXPECT_EQ(result(1, 1), (Pixel{0x90, 0x80, 0x70, 0xFF}));
}

TEST_F(CachesTest, PipelinesCount) {
  CommandWriter w;
  be(1);
  drawVertices(w, quad(0, 0, 8, 8, 0xFF102030));
  run(w);
  const uint64_t held = memoryOf(1), made = pipelinesMade();
  topology(w, AEROGPU_TOPOLOGY_LINELIST);
  draw(w, 2);
  run(w);
  EXPECT_EQ(pipelinesMade(), made + 1);
  EXPECT_EQ(memoryOf(1), held + 16384) << "the shaders were there";
}

TEST_F(CachesTest, SamplersOfAProcess) {
  CommandWriter w;
  const auto sample = [&](uint32_t bias) {
    samplerState(w, 0, kMipMapLodBias, std::bit_cast<uint32_t>(static_cast<float>(bias) / 4096));
    draw(w, 6);
  };
  for (const uint32_t who : {0, 1}) {
    be(who);
    bindShaders(w, m_vs, shader(w, reading(1)));
    setTexture(w, 0, texture(w, kBgra, 4, 4));
    stream(w, 0, vertexBuffer(w, quad(0, 0, 8, 8, 0xFF00FF00)), sizeof(Vertex));
    sample(5000 + who);
    run(w);
  }
  const uint64_t held = memoryOf(1);
  for (uint32_t i = 0; i < 3000; ++i) {
    sample(i);
    if (i % 500 == 499) run(w);
  }
  EXPECT_EQ(result(1, 1), (Pixel{0, 255, 0, 255}));
  EXPECT_GE(memoryOf(1), held + 400 * 512) << "they count";
  EXPECT_LE(objectsAlive(Counted::Sampler), 1024);
  const int alive = objectsAlive(Counted::Sampler);
  be(0);
  sample(5000);
  run(w);
  EXPECT_EQ(objectsAlive(Counted::Sampler), alive) << "the other one's was there";
  EXPECT_EQ(result(1, 1), (Pixel{0, 255, 0, 255}));
}

/// A process that ends gives back what it made, except some entries that the next one may want.
TEST_F(CachesTest, AProcessThatEnds) {
  CommandWriter w;
  be(1);
  stream(w, 0, vertexBuffer(w, quad(0, 0, 8, 8, 0xFF405060)), sizeof(Vertex));
  bindShaders(w, m_vs, shader(w, reading(0x400)));  // no other test has it
  draw(w, 6);
  run(w);
  const uint64_t made = pipelinesMade();
  gpu().space = Harness::kKernel;
  destroySpace(w, spaceOf(1));
  run(w);
  be(0);
  bindShaders(w, m_vs, shader(w, reading(0x400)));
  drawVertices(w, quad(0, 0, 8, 8, 0xFF506070));
  run(w);
  EXPECT_EQ(pipelinesMade(), made) << "the same program once more";
  EXPECT_EQ(result(1, 1), (Pixel{0x70, 0x60, 0x50, 0xFF}));
}

}  // namespace
}  // namespace aerogpu::test
