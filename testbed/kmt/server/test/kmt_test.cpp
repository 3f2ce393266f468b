// SPDX-License-Identifier: MIT
// Tests the D3DKMT server's parts that need no adapter: invalid messages, handles, command buffers,
// rectangles.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <random>

#include "testbed/kernel/core/fault.h"
#include "testbed/kmt/server/command_buffers.h"
#include "testbed/kmt/server/handles.h"
#include "testbed/kmt/server/message.h"
#include "testbed/kmt/server/present_geometry.h"

namespace aerogpu::host {
namespace {

std::vector<uint8_t> message(uint32_t call, uint32_t length) {
  std::vector<uint8_t> bytes(std::max<size_t>(length, kmt::kHeaderBytes), 0x5A);
  const kmt::RequestHeader header{length, call, 7, 1};
  std::memcpy(bytes.data(), &header, sizeof header);
  return bytes;
}

/// Delivers in pieces of `piece` bytes, as many as the framer takes.
RequestFramer::State deliver(RequestFramer& framer, std::span<const uint8_t> bytes, size_t piece) {
  auto state = framer.next();
  while (!bytes.empty() && state == RequestFramer::State::Incomplete) {
    const auto room = framer.room();
    EXPECT_FALSE(room.empty());
    const size_t n = std::min({piece, bytes.size(), room.size()});
    std::memcpy(room.data(), bytes.data(), n);
    framer.added(n);
    bytes = bytes.subspan(n);
    state = framer.next();
  }
  return state;
}

TEST(RequestFramer, TakesEachCallBetweenItsShortestAndItsLongest) {
  for (const kmt::CallInfo& call : kmt::kCalls)
    for (const uint32_t tail : {0u, 1u, call.requestTail}) {
      if (tail > call.requestTail) continue;
      RequestFramer framer;
      const auto bytes = message(call.number, kmt::kHeaderBytes + call.requestBytes + tail);
      ASSERT_EQ(deliver(framer, bytes, bytes.size()), RequestFramer::State::Request) << call.name;
      EXPECT_EQ(framer.header().call, call.number);
      EXPECT_EQ(framer.rest().size(), call.requestBytes + tail) << call.name;
    }
}

TEST(RequestFramer, RefusesWrongLengths) {
  for (const kmt::CallInfo& call : kmt::kCalls) {
    const uint32_t least = kmt::kHeaderBytes + call.requestBytes, most = least + call.requestTail;
    for (const uint32_t length : {0u, kmt::kHeaderBytes - 1, least - 1, most + 1, UINT32_MAX}) {
      RequestFramer framer;  // the header alone decides
      auto header = message(call.number, kmt::kHeaderBytes);
      std::memcpy(header.data(), &length, sizeof length);
      EXPECT_EQ(deliver(framer, header, 1 << 20), RequestFramer::State::Fault) << call.name << " " << length;
    }
  }
}

TEST(RequestFramer, RefusesUnknownCalls) {
  const auto last = static_cast<uint32_t>(std::size(kmt::kCalls));
  for (const uint32_t call : {0u, last + 1, 0x80000000u, UINT32_MAX}) {
    RequestFramer framer;
    EXPECT_EQ(deliver(framer, message(call, 64), 64), RequestFramer::State::Fault) << call;
    EXPECT_NE(framer.fault(), nullptr);
  }
}

TEST(RequestFramer, TakesBytesOneByOneAndOneRequestAfterTheOther) {
  RequestFramer framer;
  const auto bytes =
      message(static_cast<uint32_t>(kmt::Call::Lock), kmt::kHeaderBytes + sizeof(kmt::LockRequest));
  for (int round = 0; round < 3; ++round) {
    ASSERT_EQ(deliver(framer, bytes, 1), RequestFramer::State::Request);
    EXPECT_TRUE(std::equal(framer.rest().begin(), framer.rest().end(), bytes.begin() + kmt::kHeaderBytes));
    framer.done();
    EXPECT_EQ(framer.next(), RequestFramer::State::Incomplete);
  }
}

TEST(RequestFramer, RefusesARequestBeforeTheAnswer) {
  RequestFramer framer;
  auto bytes = message(static_cast<uint32_t>(kmt::Call::Lock), kmt::kHeaderBytes + sizeof(kmt::LockRequest));
  bytes.push_back(0);
  EXPECT_EQ(deliver(framer, bytes, bytes.size()), RequestFramer::State::Fault);
}

TEST(RequestFramer, SurvivesNoise) {
  std::mt19937 random(1);
  unsigned requests = 0;
  for (int round = 0; round < 20000; ++round) {
    RequestFramer framer;
    std::vector<uint8_t> bytes(random() % 400);
    for (uint8_t& byte : bytes) byte = static_cast<uint8_t>(random());
    if (bytes.size() >= 8 && random() % 2) {  // nearly right
      const uint32_t header[2] = {static_cast<uint32_t>(random() % 400),
                                  static_cast<uint32_t>(random() % 40)};
      std::memcpy(bytes.data(), header, sizeof header);
    }
    if (deliver(framer, bytes, 1 + random() % 64) != RequestFramer::State::Request) continue;
    ++requests;
    const kmt::CallInfo* call = kmt::findCall(framer.header().call);
    ASSERT_TRUE(call);
    ASSERT_GE(framer.rest().size(), call->requestBytes);
    ASSERT_LE(framer.rest().size(), call->requestBytes + call->requestTail);
  }
  EXPECT_GT(requests, 0u);
}

TEST(TailReader, GivesNothingAfterOnePieceTooMany) {
  const uint8_t bytes[12] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};
  TailReader in(bytes);
  EXPECT_EQ(in.array<uint32_t>(2), (std::vector<uint32_t>{0x04030201, 0x08070605}));
  EXPECT_FALSE(in.finished());
  EXPECT_TRUE(in.array<uint32_t>(UINT64_MAX / 4 + 1).empty());
  EXPECT_FALSE(in.ok());
  EXPECT_TRUE(in.take(1).empty());
  EXPECT_FALSE(in.finished());
  TailReader all(bytes);
  EXPECT_EQ(all.bytes(12).size(), 12u);
  EXPECT_TRUE(all.finished());
}

struct OneThing : KmtObject {
  static constexpr ObjectKind kKind = ObjectKind::Device;
  OneThing() : KmtObject(kKind) {}
};
struct AnotherThing : KmtObject {
  static constexpr ObjectKind kKind = ObjectKind::Context;
  AnotherThing() : KmtObject(kKind) {}
};

TEST(HandleTable, KnowsKindsAndForgetsHandles) {
  HandleTable table;
  const auto thing = std::make_shared<OneThing>();
  const uint32_t handle = table.add(thing);
  ASSERT_NE(handle, 0u);
  EXPECT_EQ(thing->handle, handle);
  EXPECT_EQ(table.find<OneThing>(handle), thing);
  EXPECT_EQ(table.find<AnotherThing>(handle), nullptr);
  EXPECT_EQ(table.remove<AnotherThing>(handle), nullptr);
  for (const uint32_t wrong : {0u, 1u, handle + 1, handle ^ 0x40000000, handle ^ 0x80000000, UINT32_MAX})
    EXPECT_EQ(table.find<OneThing>(wrong), nullptr) << wrong;
  EXPECT_EQ(table.remove<OneThing>(handle), thing);
  EXPECT_EQ(table.find<OneThing>(handle), nullptr);
  EXPECT_EQ(table.remove<OneThing>(handle), nullptr);
  // Not even if the slot is in use again.
  for (int i = 0; i < 300; ++i) {
    const uint32_t next = table.add(std::make_shared<OneThing>());
    ASSERT_NE(next, handle);
    table.remove<OneThing>(next);
  }
  EXPECT_EQ(table.find<OneThing>(handle), nullptr);
}

TEST(HandleTable, HasALimit) {
  HandleTable table;
  uint32_t last = 0;
  for (uint32_t i = 0; i < HandleTable::kMost; ++i)
    ASSERT_NE(last = table.add(std::make_shared<OneThing>()), 0u);
  EXPECT_EQ(table.add(std::make_shared<OneThing>()), 0u);
  EXPECT_TRUE(table.remove<OneThing>(last));
  EXPECT_NE(table.add(std::make_shared<OneThing>()), 0u);
  EXPECT_EQ(table.all().size(), size_t{HandleTable::kMost});
}

TEST(CommandMemory, LiesInUserMemoryAndKeepsItsSize) {
  CommandMemory memory;
  ASSERT_TRUE(memory.create().ok());
  EXPECT_LT(reinterpret_cast<uintptr_t>(memory.at(CommandMemory::kBytes - 1)), kUserProbeAddress);
  const int file = open(memory.path().c_str(), O_RDWR | O_CLOEXEC);  // opens it as another process would
  ASSERT_GE(file, 0);
  EXPECT_NE(ftruncate(file, 0), 0);
  EXPECT_NE(ftruncate(file, CommandMemory::kBytes * 2), 0);
  const uint64_t offset = memory.allocate(100);
  const char text[] = "shared";
  ASSERT_EQ(pwrite(file, text, sizeof text, static_cast<off_t>(offset)), static_cast<ssize_t>(sizeof text));
  EXPECT_STREQ(reinterpret_cast<char*>(memory.at(offset)), text);
  memory.release(offset, 100);
  EXPECT_EQ(*memory.at(memory.allocate(100)), 0);
  EXPECT_EQ(memory.allocate(CommandMemory::kBytes), guest::PageAllocator::kNone);
  close(file);
}

TEST(CommandBufferSets, TakeTurnsAndArePoisoned) {
  CommandMemory memory;
  ASSERT_TRUE(memory.create().ok());
  CommandBufferSets sets(memory, {65536, 100, 200});
  ASSERT_TRUE(sets.ok());
  const kmt::CommandBuffers first = sets.current();
  EXPECT_EQ(first.commandBytes, 65536u);
  EXPECT_EQ(first.allocationEntries, 100u);
  EXPECT_EQ(first.patchEntries, 200u);
  uint8_t* const commands = sets.commands();
  std::memset(commands, 1, 64);
  sets.turn(32, {});
  const kmt::CommandBuffers second = sets.current();
  EXPECT_NE(second.commands, first.commands);
  EXPECT_NE(second.allocations, first.allocations);
  EXPECT_NE(second.patches, first.patches);
  EXPECT_LT(second.commandBytes, first.commandBytes);
  EXPECT_LT(second.allocationEntries, first.allocationEntries);
  EXPECT_LT(second.patchEntries, first.patchEntries);
  EXPECT_EQ(commands[31], 0xCC);
  EXPECT_EQ(commands[32], 1);
  sets.turn(0, {});
  EXPECT_EQ(sets.current().commands, first.commands);
}

TEST(CommandBufferSets, GrowAsAskedUpToTheirLimits) {
  CommandMemory memory;
  ASSERT_TRUE(memory.create().ok());
  CommandBufferSets sets(memory, {65536, 100, 200});
  sets.turn(0, {1 << 20, 1000, 50});
  sets.turn(0, {});
  EXPECT_EQ(sets.current().commandBytes, 1u << 20);
  EXPECT_EQ(sets.current().allocationEntries, 100u);  // no longer than the driver's
  EXPECT_EQ(sets.current().patchEntries, 50u);
  sets.turn(0, {UINT32_MAX, 0, 0});
  sets.turn(0, {1, 0, 0});
  EXPECT_EQ(sets.current().commandBytes, 4096u);
  sets.turn(UINT32_MAX, {UINT32_MAX, 0, 0});
  sets.turn(0, {});
  EXPECT_EQ(sets.current().commandBytes, CommandBufferSets::kMaxCommandBytes);
}

bool operator==(const RECT& a, const RECT& b) {
  return std::memcmp(&a, &b, sizeof a) == 0;
}

TEST(PresentArea, PutsTheWholeSourceIntoTheWindow) {
  const auto area = presentArea({100, 50, 1024, 768, {200, 300, 300, 350}, {}, {}, {}});
  ASSERT_TRUE(area);
  EXPECT_TRUE((area->from == RECT{0, 0, 100, 50}));
  EXPECT_TRUE((area->to == RECT{200, 300, 300, 350}));
  ASSERT_EQ(area->subRects.size(), 1u);
  EXPECT_TRUE((area->subRects[0] == RECT{200, 300, 300, 350}));
}

TEST(PresentArea, ClipsToWindowAndScreen) {
  auto area = presentArea({100, 100, 1024, 768, {-40, 700, 60, 800}, {}, {}, {}});
  ASSERT_TRUE(area);
  EXPECT_TRUE((area->to == RECT{-40, 700, 60, 800}));
  ASSERT_EQ(area->subRects.size(), 1u);
  EXPECT_TRUE((area->subRects[0] == RECT{0, 700, 60, 768}));
  area = presentArea({100, 100, 1024, 768, {10, 10, 60, 60}, {}, RECT{0, 0, 100, 100}, {}});
  ASSERT_TRUE(area);
  EXPECT_TRUE((area->to == RECT{10, 10, 110, 110}));
  EXPECT_TRUE((area->subRects.at(0) == RECT{10, 10, 60, 60}));
  area = presentArea({100, 100, 1024, 768, {2000, 0, 2100, 100}, {}, {}, {}});
  ASSERT_TRUE(area);
  EXPECT_TRUE(area->subRects.empty());
}

TEST(PresentArea, ScalesSubRectanglesOutwards) {
  const auto area = presentArea({10, 10, 1024, 768, {0, 0, 25, 25}, {}, {}, {{1, 1, 2, 2}, {0, 0, 10, 10}}});
  ASSERT_TRUE(area);
  ASSERT_EQ(area->subRects.size(), 2u);
  EXPECT_TRUE((area->subRects[0] == RECT{2, 2, 5, 5}));  // 2.5 to 5
  EXPECT_TRUE((area->subRects[1] == RECT{0, 0, 25, 25}));
}

TEST(PresentArea, RefusesWhatIsNoArea) {
  const RECT window = {0, 0, 100, 100};
  EXPECT_FALSE(presentArea({100, 100, 1024, 768, window, RECT{0, 0, 101, 100}, {}, {}}));
  EXPECT_FALSE(presentArea({100, 100, 1024, 768, window, RECT{50, 0, 50, 100}, {}, {}}));
  EXPECT_FALSE(presentArea({100, 100, 1024, 768, window, {}, RECT{10, 10, 0, 0}, {}}));
  EXPECT_FALSE(presentArea({100, 100, 1024, 768, window, {}, RECT{0, 0, INT32_MAX, 1}, {}}));
  EXPECT_FALSE(presentArea({100, 100, 1024, 768, {INT32_MIN, 0, INT32_MAX, 1}, {}, {}, {}}));
  EXPECT_FALSE(presentArea({100, 100, 1024, 768, window, {}, {}, {{-1, 0, 5, 5}}}));
  EXPECT_FALSE(presentArea({0, 0, 1024, 768, window, {}, {}, {}}));
}

}  // namespace
}  // namespace aerogpu::host
