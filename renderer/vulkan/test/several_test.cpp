// SPDX-License-Identifier: MIT
// Four renderers on one GPU whose memory is less than what they may take together: what no longer fits is an
// error of the packet that asks for it, no GPU is lost, what is there stays right to the byte, and what one
// gives back the others can have. In processes of their own: renderer/remote/test/several_test.cpp.
#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "renderer/vulkan/test/gpu_test.h"

namespace aerogpu::test {
namespace {

constexpr uint32_t kMachines = 4, kSide = 512, kBytes = kSide * kSide * 4;
constexpr auto kFormat = AEROGPU_FORMAT_B8G8R8A8_UNORM;
constexpr uint64_t kMiB = uint64_t{1} << 20;
/// What each may hold, and the room for all beside what the renderers need themselves.
constexpr uint64_t kMaxHostmem = 48 * kMiB, kRoom = 16 * kMiB;
static_assert(kRoom < kMachines * kMaxHostmem);

/// A texture's content: differs in each texture of each machine.
Bytes texels(uint32_t machine, uint32_t texture) {
  Bytes bytes(kBytes);
  uint32_t x = machine * 0x9E3779B9u + texture * 0x85EBCA6Bu + 1;
  for (size_t i = 0; i < bytes.size(); i += 4) {
    x = x * 1664525 + 1013904223;
    std::memcpy(&bytes[i], &x, 4);
  }
  return bytes;
}

struct Machine {
  explicit Machine(uint32_t n)
      : number(n),
        // Its GPU is full, and a move would need room there for what it reads.
        h(Harness::Options{.backend = "vulkan", .maxHostmem = kMaxHostmem, .cacheDir = "", .moves = false}) {
    if (!h.ok()) return;
    // To read the others back into, also when there is no memory for more.
    back = h.allocate(kBytes);
    staging = h.handle();
    CommandWriter w;
    Harness::createTexture(w, staging, kFormat, kSide, kSide, AEROGPU_RESOURCE_USAGE_TEXTURE, 1, 1, back.id,
                           kSide * 4);
    EXPECT_EQ(h.submit(w).result.error_count, 0u);
  }
  bool holds(uint32_t texture) {
    CommandWriter w;
    packets::copyTexture(w, staging, texture, kSide, kSide, AEROGPU_COPY_FLAG_WRITEBACK_DST);
    EXPECT_EQ(h.submit(w).result.error_count, 0u);
    const auto got = h.bytes(back);
    const Bytes want = texels(number, texture);
    return std::equal(got.begin(), got.end(), want.begin(), want.end());
  }
  /// Makes one more texture; false: its packet failed.
  bool add() {
    CommandWriter w;
    const uint32_t texture = h.handle();
    Harness::createTexture(w, texture, kFormat, kSide, kSide, AEROGPU_RESOURCE_USAGE_TEXTURE);
    const FinishedSubmission made = h.submit(w);
    if (made.result.error_count != 0) {
      EXPECT_EQ(made.result.last_error_code, uint32_t{AEROGPU_ERROR_BACKEND});
      return false;
    }
    w.reset();
    packets::upload(w, texture, 0, texels(number, texture));
    EXPECT_EQ(h.submit(w).result.error_count, 0u) << "machine " << number;
    textures.push_back(texture);
    return true;
  }
  void expectAll() {
    for (const uint32_t t : textures) EXPECT_TRUE(holds(t)) << "machine " << number << ", texture " << t;
    EXPECT_FALSE(aerogpu_renderer_gpu_lost(h.renderer())) << "machine " << number;
    EXPECT_LE(h.stats().host_memory_bytes, kMaxHostmem) << "machine " << number;
  }
  void dropAll() {
    CommandWriter w;
    for (const uint32_t t : textures) packets::destroyResource(w, t);
    EXPECT_EQ(h.submit(w).result.error_count, 0u) << "machine " << number;
    textures.clear();
    h.waitIdle();
  }

  const uint32_t number;
  Harness h;
  Allocation back;
  uint32_t staging = 0;
  std::vector<uint32_t> textures;
};

class SeveralTest : public ::testing::TestWithParam<bool> {
protected:
  void SetUp() override {
    m_before = deviceProfile() ? deviceProfile()->name : "";
    playProfile("atom");  // one heap for everything
    limitHeap(0, GetParam());
    for (uint32_t i = 0; i < kMachines; ++i) {
      machines.push_back(std::make_unique<Machine>(i));
      ASSERT_TRUE(machines.back()->h.ok()) << machines.back()->h.createError();
      // What uploads and read-backs need is there before memory runs out.
      ASSERT_TRUE(machines.back()->add());
      machines.back()->expectAll();
    }
    m_heap = heapBytes() + kRoom;
    limitHeap(m_heap, GetParam());
  }
  void TearDown() override {
    machines.clear();
    EXPECT_EQ(heapBytes(), 0u);
    limitHeap(0);
    playProfile(m_before.c_str());
    EXPECT_EQ(takeBrokenRules(), std::vector<std::string>());
  }
  /// Makes textures in turn until no machine can; returns how many.
  size_t fill() {
    size_t made = 0;
    for (bool more = true; more;) {
      more = false;
      for (const auto& machine : machines)
        if (machine->add()) {
          ++made;
          more = true;
        }
    }
    return made;
  }
  std::vector<std::unique_ptr<Machine>> machines;
  std::string m_before;
  uint64_t m_heap = 0;  ///< bytes that the devices have together
};

TEST_P(SeveralTest, TheGpusMemoryIsTheLimitOfAll) {
  fill();
  EXPECT_LE(heapBytes(), m_heap);
  EXPECT_GT(heapBytes() + 16 * kMiB, m_heap) << "there is room for another block";
  // A driver that allocates too much must not even be asked.
  if (GetParam())
    EXPECT_EQ(heapRefusals(), 0);
  else
    EXPECT_GT(heapRefusals(), 0);
  uint64_t held = 0;
  for (const auto& machine : machines) {
    machine->expectAll();
    held += machine->h.stats().host_memory_bytes;
    // The lines are about memory alone: the host's, so that its owner learns of it.
    for (const std::string& line : machine->h.takeErrorLines())
      EXPECT_NE(line.find("VK_ERROR_OUT_OF_DEVICE_MEMORY"), std::string::npos) << line;
  }
  EXPECT_LT(held, kMachines * kMaxHostmem) << "memory ran out first";

  // What a machine gives back, or leaves at its end, the others can have.
  const size_t given = machines[1]->textures.size(), left = machines[3]->textures.size();
  machines[1]->dropAll();
  machines.pop_back();
  EXPECT_GE(fill(), given + left);
  for (const auto& machine : machines) machine->expectAll();
}

/// A machine stops at its own limit, however much the GPU has.
TEST_P(SeveralTest, EachKeepsToItsOwnLimit) {
  if (GetParam()) return;  // the budget is no matter here
  limitHeap(0);
  machines[0]->h.takeErrorLines();
  while (machines[0]->add()) {
  }
  EXPECT_GT(machines[0]->h.stats().host_memory_bytes + kBytes, kMaxHostmem);
  EXPECT_EQ(heapRefusals(), 0);
  for (const auto& machine : machines) machine->expectAll();
  for (size_t i = 1; i < kMachines; ++i) EXPECT_TRUE(machines[i]->add()) << "the others are not at theirs";
}

INSTANTIATE_TEST_SUITE_P(Budget, SeveralTest, ::testing::Bool(), [](const auto& budget) {
  return std::string(budget.param ? "OfTheDriver" : "Unknown");
});

}  // namespace
}  // namespace aerogpu::test
