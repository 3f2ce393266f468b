// SPDX-License-Identifier: MIT
// Executes paging operations: the renderer (null back end, which moves bytes) runs what kmd/logic/paging builds, over a
// simulated guest memory, and the test compares that memory with what the d3dkmddi page "DXGKARG_BUILDPAGINGBUFFER"
// says of the operation. Submissions are cut out of the paging buffer as the scheduler does it.
#include "guest-drivers/kmd/logic/paging.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <list>
#include <random>
#include <string>
#include <vector>

#include "renderer/test/harness.h"

namespace {

using namespace aero;
using aerogpu::test::Harness;

constexpr uint64_t kMiB = uint64_t{1} << 20;
// The simulated machine: 64 MiB, of which these parts are used.
constexpr uint64_t kGuestBytes = 64 * kMiB;
constexpr uint64_t kDmaGpa = 3 * kMiB;  // the paging buffer, with room to see an overrun
constexpr uint64_t kDmaRoom = 1 * kMiB;
constexpr uint64_t kVramGpa = 8 * kMiB;  // the linear segment
constexpr uint64_t kVramBytes = 24 * kMiB;
constexpr uint64_t kSystemGpa = 32 * kMiB;  // source of page frames
constexpr uint64_t kSystemPages = 32 * kMiB / kPageBytes;
constexpr uint8_t kCanary = 0xC5;
constexpr uint32_t kHandle = 0xF0000010u;

/** One side of an operation, and the addresses of its pages. */
struct Side {
  MemoryRef ref;
  std::vector<uint64_t> pages;  // address of each page
  uint64_t at(uint64_t offset) const { return pages[offset / kPageBytes] + offset % kPageBytes; }
};

class Machine {
public:
  explicit Machine(uint32_t seed = 1) : m_harness(options()), m_random(seed) {
    m_order.resize(kSystemPages);
    for (uint64_t i = 0; i < kSystemPages; i++) m_order[i] = kSystemGpa + i * kPageBytes;
    std::shuffle(m_order.begin(), m_order.end(), m_random);
    auto memory = m_harness.memory();
    for (uint64_t gpa = kVramGpa; gpa < kGuestBytes; gpa += 4) {
      const auto word = static_cast<uint32_t>(m_random());
      std::memcpy(&memory[gpa], &word, sizeof word);
    }
    m_expected.assign(memory.begin(), memory.end());
  }

  std::mt19937 &random() { return m_random; }
  uint64_t upTo(uint64_t limit) { return m_random() % (limit + 1); }

  /** Returns `bytes` bytes at `offset` of the linear segment. */
  Side linear(uint64_t offset, uint64_t bytes) {
    Side side{MemoryRef::linear(kVramGpa + offset), {}};
    for (uint64_t at = 0; at < bytes; at += kPageBytes) side.pages.push_back(kVramGpa + offset + at);
    return side;
  }

  /** Makes pages of system memory; runs of `run` pages are contiguous (1: none are). The frames stay valid for the
   * machine's life, in arrays that end where the operation ends. */
  Side pages(uint64_t bytes, uint64_t run = 1) {
    Side side;
    side.pages = take((bytes + kPageBytes - 1) / kPageBytes, run);
    auto &frames = m_frames.emplace_back();
    for (const uint64_t gpa : side.pages) frames.push_back(static_cast<uintptr_t>(gpa >> kPageShift));
    side.ref = MemoryRef::ofFrames(frames.data());
    return side;
  }

  /** Maps pages in the aperture's list; remap() replaces them there once a submission is built. */
  Side aperture(uint64_t bytes) {
    Side side;
    side.pages = take((bytes + kPageBytes - 1) / kPageBytes, 1);
    side.ref = MemoryRef::addresses(m_lists.emplace_back(side.pages).data());
    return side;
  }
  /** Maps other pages in the aperture, as the OS may between building and running; or the old ones again. */
  void remap(const Side &side, bool others) {
    for (auto &list : m_lists)
      if (list.data() == side.ref.pages)
        for (size_t i = 0; i < list.size(); i++) list[i] = others ? kVramGpa : side.pages[i];
  }

  /** Makes a buffer for one pass; submit() checks that the bytes after it are unchanged. */
  PagingTarget target(size_t bytes, bool scatter) {
    auto memory = m_harness.memory();
    m_guarded = std::min<size_t>(bytes + kPageBytes, kDmaRoom);
    std::fill_n(memory.begin() + kDmaGpa, m_guarded, kCanary);
    m_room = bytes;
    return {&memory[kDmaGpa], bytes, kDmaGpa, scatter, m_memory, kHandle};
  }

  /** Submits what a pass built, as DxgkDdiSubmitCommand does, and checks the edges of the buffer. */
  void submit(const PagingResult &result) {
    auto memory = m_harness.memory();
    ASSERT_LE(result.usedBytes, m_room);
    ASSERT_EQ(result.usedBytes % 4, 0u);
    for (size_t i = m_room; i < m_guarded; i++) ASSERT_EQ(memory[kDmaGpa + i], kCanary) << "wrote past the buffer";
    ASSERT_LT(result.layout.commandOffset + sizeof(aerogpu_cmd_stream_header), result.usedBytes);
    const uint8_t *base = &memory[kDmaGpa];
    const auto outcome =
        m_harness.submitRaw({base + result.layout.commandOffset, result.usedBytes - result.layout.commandOffset},
                            {base, result.layout.tableBytes()});
    ASSERT_EQ(outcome.result.error_count, 0u) << "error code " << outcome.result.last_error_code;
    ASSERT_EQ(m_harness.stats().resources, 0u) << "a pass left a resource behind";
    m_passes++;
  }

  void expectTransfer(const Side &dst, const Side &src, uint64_t bytes) {
    std::vector<uint8_t> read(bytes);  // whole, before anything is written
    for (uint64_t i = 0; i < bytes; i += 4) std::memcpy(&read[i], &m_expected[src.at(i)], 4);
    for (uint64_t i = 0; i < bytes; i += 4) std::memcpy(&m_expected[dst.at(i)], &read[i], 4);
  }
  void expectFill(const Side &dst, uint32_t pattern, uint64_t bytes) {
    for (uint64_t i = 0; i < bytes; i += 4) std::memcpy(&m_expected[dst.at(i)], &pattern, sizeof pattern);
  }

  /** Checks all of memory but the paging buffer. */
  void check() {
    const uint8_t *memory = m_harness.memory().data();
    for (const auto &[from, to] : {std::pair{uint64_t{0}, kDmaGpa}, std::pair{kDmaGpa + kDmaRoom, kGuestBytes}}) {
      if (!std::memcmp(memory + from, m_expected.data() + from, to - from)) continue;
      const auto *wrong = std::mismatch(memory + from, memory + to, m_expected.data() + from).first;
      FAIL() << "memory differs at " << std::hex << wrong - memory;
    }
  }

  unsigned passes() const { return m_passes; }

  /** Builds later operations with packets that copy and fill memory; returns false if the device has none. */
  bool useMemoryPackets() {
    m_memory = aerogpu_renderer_features(m_harness.renderer()) >> 32 & AEROGPU_EXT_FEATURE_HI_MEMORY;
    return m_memory;
  }

private:
  static Harness::Options options() {
    Harness::Options options;
    options.guestBytes = kGuestBytes;
    return options;
  }

  /** Takes unused pages, in runs of `run` neighbours; pages of different runs are no neighbours. */
  std::vector<uint64_t> take(uint64_t count, uint64_t run) {
    std::vector<uint64_t> pages;
    if (run > 1) {  // from the ordered half
      while (pages.size() < count) {
        for (uint64_t i = 0; i < run && pages.size() < count; i++)
          pages.push_back(m_order.empty() ? 0 : m_runNext + i * kPageBytes);
        m_runNext += (run + 1) * kPageBytes;
      }
      EXPECT_LE(m_runNext, kSystemGpa + 16 * kMiB) << "the test wants more runs than there are";
      return pages;
    }
    while (pages.size() < count && !m_order.empty()) {
      const uint64_t page = m_order.back();
      m_order.pop_back();
      if (page < kSystemGpa + 16 * kMiB || (!pages.empty() && page == pages.back() + kPageBytes)) continue;
      pages.push_back(page);
    }
    EXPECT_EQ(pages.size(), count) << "the test wants more pages than there are";
    return pages;
  }

  Harness m_harness;
  std::mt19937 m_random;
  std::vector<uint8_t> m_expected;
  std::vector<uint64_t> m_order;
  std::vector<std::vector<uintptr_t>> m_frames;
  std::list<std::vector<uint64_t>> m_lists;
  uint64_t m_runNext = kSystemGpa;
  size_t m_room = 0;
  size_t m_guarded = 0;  // bytes of the buffer and after it that hold the canary
  unsigned m_passes = 0;
  bool m_memory = false;
};

/** Builds and runs passes of an operation as dxgkrnl does, each in a fresh buffer, until all is done. While a pass
 * runs, other pages are mapped in the aperture, if `sides` lie there. Returns the number of passes; 0 if the buffer is
 * too small for anything. */
template <class Build>
unsigned runPasses(Machine &machine, std::initializer_list<const Side *> sides, uint64_t total, Build build) {
  const unsigned before = machine.passes();
  for (uint64_t done = 0; done < total;) {
    const PagingResult result = build(done);
    if (!result.usedBytes) {
      EXPECT_EQ(result.doneBytes, 0u);
      EXPECT_EQ(done, 0u) << "a later pass found no room where the first one did";
      return 0;
    }
    EXPECT_GT(result.doneBytes, 0u);
    EXPECT_LE(result.doneBytes, total - done);
    done += result.doneBytes;
    EXPECT_TRUE(done == total || done % kPageBytes == 0) << "a pass that MultipassOffset cannot name";
    for (const Side *side : sides) machine.remap(*side, true);
    machine.submit(result);
    for (const Side *side : sides) machine.remap(*side, false);
    if (testing::Test::HasFailure()) return 0;
  }
  return machine.passes() - before;
}

unsigned transfer(Machine &machine, const Side &dst, const Side &src, uint64_t bytes, size_t room, bool scatter) {
  const unsigned passes = runPasses(machine, {&dst, &src}, bytes, [&](uint64_t done) {
    return buildTransfer(machine.target(room, scatter), dst.ref, src.ref, bytes, done);
  });
  if (passes) machine.expectTransfer(dst, src, bytes);
  return passes;
}

unsigned fill(Machine &machine, const Side &dst, uint32_t pattern, uint64_t bytes, size_t room, bool scatter) {
  const unsigned passes = runPasses(machine, {&dst}, bytes, [&](uint64_t done) {
    return buildFill(machine.target(room, scatter), dst.ref, pattern, bytes, done);
  });
  if (passes) machine.expectFill(dst, pattern, bytes);
  return passes;
}

enum class Kind { Linear, Aperture, Pages, Runs };
const char *nameOf(Kind kind) {
  static const char *const kNames[] = {"Linear", "Aperture", "Pages", "Runs"};
  return kNames[static_cast<int>(kind)];
}

/** `slot` 0 or 1 keeps the two sides of one operation apart. */
Side make(Machine &machine, Kind kind, uint64_t bytes, unsigned slot) {
  switch (kind) {
  case Kind::Linear:
    return machine.linear(uint64_t{slot} * kVramBytes / 2 + uint64_t{slot} * kPageBytes, bytes);
  case Kind::Aperture:
    return machine.aperture(bytes);
  case Kind::Pages:
    return machine.pages(bytes);
  case Kind::Runs:
    return machine.pages(bytes,
                         3 + slot);  // runs of 3 and of 4: they end at different places on the two sides
  }
  return {};
}

constexpr Kind kKinds[] = {Kind::Linear, Kind::Aperture, Kind::Pages, Kind::Runs};
/** Sizes of the buffer, from too small for anything to more than these operations need, some no multiple of 8. */
constexpr size_t kRooms[] = {0, 40, 256, 500, 1021, 2048, 4096, 16 << 10, 64 << 10, 1'000'000};

struct Case {
  Kind dst, src;
  bool scatter;
  bool memory = false;  // by EXT_COPY_MEMORY and EXT_FILL_MEMORY (MEM-1)
};

class Transfer : public testing::TestWithParam<Case> {};

TEST_P(Transfer, MovesExactlyTheBytes) {
  const Case &c = GetParam();
  Machine machine;
  if (c.memory) {
    ASSERT_TRUE(machine.useMemoryPackets()) << "the device has no such packets";
  }
  ASSERT_NO_FATAL_FAILURE(machine.check());
  for (const uint64_t bytes : {uint64_t{4}, uint64_t{4096}, 7 * uint64_t{4096}, 41 * uint64_t{4096} + 1236}) {
    unsigned last = ~0u;
    for (const size_t room : kRooms) {
      const Side dst = make(machine, c.dst, bytes, 0), src = make(machine, c.src, bytes, 1);
      const unsigned passes = transfer(machine, dst, src, bytes, room, c.scatter);
      ASSERT_FALSE(HasFailure()) << bytes << " bytes in a buffer of " << room;
      if (passes) {
        EXPECT_LE(passes, last) << "a larger buffer takes more passes";
        last = passes;
      }
      if (room >= 2048) {
        EXPECT_GT(passes, 0u) << "nothing fits in " << room;
      }
    }
    EXPECT_EQ(last, 1u) << bytes << " bytes do not fit in the largest buffer";
    machine.check();
  }
}

std::vector<Case> transferCases() {
  std::vector<Case> cases;
  for (const Kind dst : kKinds)
    for (const Kind src : kKinds)
      for (const bool scatter : {false, true})
        if (scatter || (dst != Kind::Aperture && src != Kind::Aperture)) cases.push_back({dst, src, scatter});
  for (const Kind dst : kKinds)
    for (const Kind src : kKinds) cases.push_back({dst, src, true, true});
  return cases;
}

INSTANTIATE_TEST_SUITE_P(Paging, Transfer, testing::ValuesIn(transferCases()), [](const auto &info) {
  return std::string(nameOf(info.param.src)) + "To" + nameOf(info.param.dst) + (info.param.scatter ? "" : "NoLists") +
         (info.param.memory ? "AsMemory" : "");
});

class Fill : public testing::TestWithParam<Case> {};

TEST_P(Fill, WritesThePatternAndNothingElse) {
  const Case &c = GetParam();
  Machine machine;
  if (c.memory) {
    ASSERT_TRUE(machine.useMemoryPackets()) << "the device has no such packets";
  }
  for (const uint64_t bytes : {uint64_t{4}, uint64_t{4096}, 16 * uint64_t{4096}, 53 * uint64_t{4096} + 400}) {
    for (const size_t room : kRooms) {
      const auto pattern = 0x12345678u + static_cast<uint32_t>(room);
      const unsigned passes = fill(machine, make(machine, c.dst, bytes, 0), pattern, bytes, room, c.scatter);
      ASSERT_FALSE(HasFailure()) << bytes << " bytes in a buffer of " << room;
      if (room >= 2048) {
        EXPECT_GT(passes, 0u) << "nothing fits in " << room;
      }
    }
    machine.check();
  }
}

INSTANTIATE_TEST_SUITE_P(
    Paging, Fill,
    testing::Values(Case{Kind::Linear, Kind::Linear, false}, Case{Kind::Linear, Kind::Linear, true},
                    Case{Kind::Aperture, Kind::Linear, true}, Case{Kind::Pages, Kind::Linear, true},
                    Case{Kind::Pages, Kind::Linear, false}, Case{Kind::Runs, Kind::Linear, true},
                    Case{Kind::Runs, Kind::Linear, false}, Case{Kind::Linear, Kind::Linear, true, true},
                    Case{Kind::Aperture, Kind::Linear, true, true}, Case{Kind::Pages, Kind::Linear, true, true},
                    Case{Kind::Runs, Kind::Linear, true, true}),
    [](const auto &info) {
      return std::string(nameOf(info.param.dst)) + (info.param.scatter ? "" : "NoLists") +
             (info.param.memory ? "AsMemory" : "");
    });

// The host holds a copy of both ends of a pass; a large surface must not need all of max_hostmem.
TEST(Paging, LargeTransfersGoInPiecesThatTheHostCanHold) {
  Machine machine;
  constexpr uint64_t kBytes = 11 * kMiB;
  const unsigned passes =
      transfer(machine, machine.linear(0, kBytes), machine.linear(12 * kMiB, kBytes), kBytes, 64 << 10, false);
  EXPECT_EQ(passes, 2u);  // 8 MiB at a time
  EXPECT_EQ(fill(machine, machine.linear(kMiB, kBytes), 0xA5A50F0Fu, kBytes, 64 << 10, false), 2u);
  machine.check();
}

// Packets of memory are one record each, whatever their size, as long as the page lists fit.
TEST(Paging, LargeTransfersOfMemoryAreOneRecord) {
  Machine machine;
  ASSERT_TRUE(machine.useMemoryPackets()) << "the device has no such packets";
  constexpr uint64_t kBytes = 11 * kMiB;
  EXPECT_EQ(transfer(machine, machine.linear(0, kBytes), machine.linear(12 * kMiB, kBytes), kBytes, 512, true), 1u);
  EXPECT_EQ(fill(machine, machine.linear(kMiB, kBytes), 0xA5A50F0Fu, kBytes, 512, true), 1u);
  EXPECT_EQ(transfer(machine, machine.pages(kBytes), machine.linear(0, kBytes), kBytes, 64 << 10, true), 1u);
  // A move within the segment.
  EXPECT_EQ(transfer(machine, machine.linear(kPageBytes, kBytes), machine.linear(0, kBytes), kBytes, 512, true), 1u);
  machine.check();
}

TEST(Paging, RandomOperations) {
  for (uint32_t seed = 1; seed <= 6; seed++) {
    Machine machine(seed);
    if (seed % 2) machine.useMemoryPackets();
    for (int i = 0; i < 40 && !testing::Test::HasFailure(); i++) {
      const bool scatter = machine.upTo(3) != 0;
      const auto kind = [&] {
        Kind k = kKinds[machine.upTo(3)];
        return !scatter && k == Kind::Aperture ? Kind::Pages : k;
      };
      const uint64_t bytes = uint64_t{4} * (1 + machine.upTo(12 * kPageBytes));
      const size_t room = machine.upTo(2) ? machine.upTo(6000) : machine.upTo(kDmaRoom - 64);
      const Kind dst = kind(), src = kind();
      SCOPED_TRACE(testing::Message() << "seed " << seed << " operation " << i << ": " << bytes << " bytes, "
                                      << nameOf(src) << " to " << nameOf(dst) << ", buffer " << room
                                      << (scatter ? "" : ", no lists"));
      switch (machine.upTo(1)) {
      case 0:
        transfer(machine, make(machine, dst, bytes, 0), make(machine, src, bytes, 1), bytes, room, scatter);
        break;
      case 1:
        fill(machine, make(machine, dst, bytes, 0), static_cast<uint32_t>(machine.random()()), bytes, room, scatter);
        break;
      }
      if (i % 5 == 4) machine.check();
    }
  }
}

}  // namespace
