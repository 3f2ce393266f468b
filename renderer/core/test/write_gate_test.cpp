// SPDX-License-Identifier: MIT
// The gate that an interruption shuts: no writer is inside when shut() has returned, and earlier loans are
// told from later ones.
#include <gtest/gtest.h>

#include <algorithm>
#include <thread>
#include <vector>

#include "renderer/core/guest_memory.h"

namespace aerogpu::core {
namespace {

/// Guest memory of a given size, from address 0; `mapped` counts its mappings.
struct Memory {
  std::vector<uint8_t> bytes;
  std::atomic<uint64_t> mapped{0};

  explicit Memory(size_t size) : bytes(size) {}
  static int map(void* opaque, uint64_t gpa, uint64_t size, bool, aerogpu_guest_mapping* out) {
    auto& self = *static_cast<Memory*>(opaque);
    if (gpa >= self.bytes.size()) return -1;
    *out = {self.bytes.data() + gpa, std::min<uint64_t>(size, self.bytes.size() - gpa), nullptr};
    self.mapped.fetch_add(1);
    return 0;
  }
  static void unmap(void*, const aerogpu_guest_mapping*, uint64_t) {}
  aerogpu_renderer_callbacks callbacks() const {
    aerogpu_renderer_callbacks out{};
    out.struct_size = sizeof out;
    out.guest_map = map;
    out.guest_unmap = unmap;
    return out;
  }
};

/// The gate shuts at any moment of a long write; bytes written to the memory afterwards stay.
// RING-6
TEST(WriteGate, NothingIsWrittenOnceItIsShut) {
  constexpr size_t kBytes = 5 * WriteGate::kPieceBytes + 12345;
  constexpr uint8_t kTheirs = 0x5A, kOurs = 0xC3;
  Memory memory(kBytes);
  const GuestMemory guest(memory.callbacks(), &memory, true);
  const std::vector<uint8_t> theirs(kBytes, kTheirs);
  uint64_t cut = 0;
  for (int round = 0; round < 60; ++round) {
    bool whole = true;
    const uint64_t mapped = memory.mapped;
    std::thread writer([&] { whole = guest.write(0, theirs.data(), kBytes); });
    while (memory.mapped == mapped) std::this_thread::yield();
    for (int i = 0; i < round * 50; ++i) std::atomic_signal_fence(std::memory_order_seq_cst);
    guest.gate().shut();
    std::fill(memory.bytes.begin(), memory.bytes.end(), kOurs);
    writer.join();
    ASSERT_EQ(std::count(memory.bytes.begin(), memory.bytes.end(), kOurs), static_cast<ptrdiff_t>(kBytes))
        << round;
    cut += !whole;
    EXPECT_FALSE(guest.write(0, theirs.data(), 1));
    EXPECT_FALSE(guest.store(0, 1));
    EXPECT_EQ(guest.refusal({ErrorCode::OutOfBounds, "", {}}).code, ErrorCode::Interrupted);
    guest.gate().open();
    EXPECT_TRUE(guest.write(0, theirs.data(), 1));
    EXPECT_TRUE(guest.store(8, 1));
    EXPECT_EQ(guest.refusal({ErrorCode::OutOfBounds, "", {}}).code, ErrorCode::OutOfBounds);
  }
  RecordProperty("cut", static_cast<int>(cut));
}

// MEM-9
TEST(WriteGate, MemoryIsNeitherMovedNorFilledWhileItIsShut) {
  Memory memory(1 << 13);
  std::fill_n(memory.bytes.begin(), 4096, uint8_t{7});
  const GuestMemory guest(memory.callbacks(), &memory, true);
  guest.gate().shut();
  EXPECT_EQ(guest.move(4096, 0, 4096, false), 0u);
  EXPECT_EQ(guest.move(4096, 0, 4096, true), 0u);
  EXPECT_EQ(guest.fill(4096, 4096, 0x01020304, 0), 0u);
  EXPECT_EQ(std::count(memory.bytes.begin() + 4096, memory.bytes.end(), 0), 4096);
  guest.gate().open();
  EXPECT_EQ(guest.move(4096, 0, 2048, false), 2048u);
  EXPECT_EQ(guest.fill(6144, 2048, 0x07070707, 0), 2048u);
  EXPECT_EQ(std::count(memory.bytes.begin(), memory.bytes.end(), 7), 8192);
}

TEST(WriteGate, TellsWhatWasLentBeforeItWasShut) {
  Memory memory(1 << 16);
  const GuestMemory guest(memory.callbacks(), &memory, true);
  WriteGate& gate = guest.gate();
  auto target = guest.lend({0, 4096}, true), source = guest.lend({4096, 4096}, false);
  EXPECT_FALSE(gate.oldIsWritten() || gate.oldIsRead()) << "it is all of now";
  gate.shut();
  EXPECT_TRUE(gate.oldIsWritten() && gate.oldIsRead());
  EXPECT_EQ(guest.lend({0, 4096}, true), nullptr) << "nothing more is lent";
  EXPECT_EQ(guest.lend({0, 4096}, false), nullptr);
  gate.shut();  // a second interruption counts no loan twice
  source.reset();
  EXPECT_TRUE(gate.oldIsWritten());
  EXPECT_FALSE(gate.oldIsRead());
  gate.open();
  EXPECT_TRUE(gate.oldIsWritten()) << "a GPU that hangs keeps it";
  auto later = guest.lend({8192, 4096}, true);
  target.reset();
  EXPECT_FALSE(gate.oldIsWritten()) << "what was lent since then is not old";
  later.reset();
  gate.shut();
  EXPECT_FALSE(gate.oldIsWritten() || gate.oldIsRead());
}

}  // namespace
}  // namespace aerogpu::core
