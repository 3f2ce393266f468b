// SPDX-License-Identifier: MIT
// EXT_WRITE_VALUE (docs/abi/extensions.md): the place of a value, what is refused, the order of packets that
// touch the same bytes, over the null back end. vulkan/test/ has the cases that wait for a GPU.
#include <bit>
#include <cstring>

#include "renderer/test/expect.h"
#include "renderer/test/fake_backend.h"

namespace {

using namespace aerogpu;
using test::Allocation;
using test::expectError;
using test::expectGood;
using test::FakeExecutor;
using test::Harness;

constexpr uint64_t kValue = 0x1122334455667788;

uint64_t valueAt(Harness& h, uint64_t gpa) {
  uint64_t value;
  std::memcpy(&value, &h.memory()[gpa], sizeof value);
  return value;
}

class WriteValueTest : public testing::Test {
protected:
  Harness h;
  const Allocation memory = h.allocate(8192);
  CommandWriter w;

  test::FinishedSubmission submit() {
    const auto finished = h.submit(w);
    w.reset();
    return finished;
  }
  uint32_t buffer(const Allocation& backing, uint64_t size) {
    const uint32_t handle = h.handle();
    packets::createBuffer(w, handle, size, 0, backing.id);
    return handle;
  }
};

// VALUE-1
TEST_F(WriteValueTest, IsThereWhenTheSubmissionIsDone) {
  const std::span<uint8_t> bytes = h.bytes(memory);
  std::fill(bytes.begin(), bytes.end(), uint8_t{0xA5});
  packets::writeValue(w, memory.id, 4088, kValue);
  expectGood(submit());
  const uint8_t wanted[] = {0x88, 0x77, 0x66, 0x55, 0x44, 0x33, 0x22, 0x11};
  for (size_t i = 0; i < bytes.size(); ++i)
    ASSERT_EQ(bytes[i], i >= 4088 && i < 4096 ? wanted[i - 4088] : 0xA5) << i;
}

// VALUE-2
TEST_F(WriteValueTest, GoesToTheLastWordAndNoFurther) {
  packets::writeValue(w, memory.id, memory.size - 8, kValue);
  expectGood(submit());
  EXPECT_EQ(valueAt(h, memory.gpa + memory.size - 8), kValue);
  for (const uint64_t offset : {memory.size, uint64_t{1} << 32, ~uint64_t{7}}) {
    packets::writeValue(w, memory.id, offset, 1);
    expectError(submit(), AEROGPU_ERROR_OOB);
  }
  const Allocation odd = h.name(memory.gpa, 12);
  packets::writeValue(w, odd.id, 8, 1);
  expectError(submit(), AEROGPU_ERROR_OOB);
}

// VALUE-2
TEST_F(WriteValueTest, WhatIsNotAlignedIsRefused) {
  for (uint64_t offset = 1; offset < 8; ++offset) {
    packets::writeValue(w, memory.id, offset, kValue);
    expectError(submit(), AEROGPU_ERROR_CMD_DECODE);
  }
  const Allocation odd = h.name(memory.gpa + 4, 64);
  packets::writeValue(w, odd.id, 8, kValue);
  expectError(submit(), AEROGPU_ERROR_CMD_DECODE);
  for (const uint8_t byte : h.bytes(memory)) ASSERT_EQ(byte, 0);
}

// VALUE-2, ALLOC-6, ALLOC-7
TEST_F(WriteValueTest, NeedsAnAllocationThatMayBeWritten) {
  for (const uint32_t id : {0u, memory.id + 77}) {
    packets::writeValue(w, id, 0, kValue);
    expectError(submit(), AEROGPU_ERROR_CMD_DECODE);
  }
  const Allocation readOnly = h.allocate(64, AEROGPU_ALLOC_FLAG_READONLY);
  packets::writeValue(w, readOnly.id, 0, kValue);
  expectError(submit(), AEROGPU_ERROR_OOB);
  EXPECT_EQ(valueAt(h, readOnly.gpa), 0u);
}

// VALUE-2
TEST_F(WriteValueTest, FindsItsPageInAList) {
  const Allocation scattered = h.allocateScattered(3 * 4096);
  packets::writeValue(w, scattered.id, 4096 + 16, kValue);
  expectGood(submit());
  for (uint32_t i = 0; i < 8; ++i)
    EXPECT_EQ(h.scatteredByte(scattered, 4096 + 16 + i), static_cast<uint8_t>(kValue >> 8 * i));
}

// VALUE-3
TEST_F(WriteValueTest, PacketsTouchTheSameBytesInTheirOrder) {
  const uint32_t source = h.handle(), target = buffer(memory, 64);
  packets::createBuffer(w, source, 64);
  packets::upload(w, source, 0, std::vector<uint8_t>(64, 0x5A));
  packets::writeValue(w, memory.id, 0, 1);
  packets::copyBuffer(w, target, source, 64);
  packets::writeValue(w, memory.id, 8, 2);
  packets::writeValue(w, memory.id, 8, 3);
  packets::dirtyRange(w, target, 0, 64);
  expectGood(submit());
  constexpr uint64_t kCopied = 0x5A5A5A5A5A5A5A5A;
  EXPECT_EQ(valueAt(h, memory.gpa), kCopied) << "the write-back came later";
  EXPECT_EQ(valueAt(h, memory.gpa + 8), 3u);
  const auto read = h.readBuffer(target, 64);
  EXPECT_EQ(read[8], 3) << "the dirty range came later";
  EXPECT_EQ(read[16], 0x5A);
}

// VALUE-4
TEST_F(WriteValueTest, OneSubmissionHasSoMany) {
  for (uint64_t i = 0; i < 1024 + 3; ++i) packets::writeValue(w, memory.id, i % 4 * 8, i + 1);
  expectError(submit(), AEROGPU_ERROR_BACKEND, 3);
  for (uint64_t i = 0; i < 4; ++i) EXPECT_EQ(valueAt(h, memory.gpa + i * 8), 1021 + i);
  packets::writeValue(w, memory.id, 0, kValue);
  expectGood(submit());
  EXPECT_EQ(valueAt(h, memory.gpa), kValue) << "the next submission starts anew";
}

// VALUE-4
TEST_F(WriteValueTest, RefusedOnesDoNotCount) {
  for (int i = 0; i < 2000; ++i) packets::writeValue(w, memory.id, memory.size, 1);
  packets::writeValue(w, memory.id, 0, kValue);
  expectError(submit(), AEROGPU_ERROR_OOB, 2000);
  EXPECT_EQ(valueAt(h, memory.gpa), kValue);
}

// VALUE-5
TEST_F(WriteValueTest, ComesAfterPacketsThatFailed) {
  packets::destroyResource(w, 4711);
  packets::writeValue(w, memory.id, 0, kValue);
  expectError(submit(), AEROGPU_ERROR_CMD_DECODE);
  EXPECT_EQ(valueAt(h, memory.gpa), kValue);
}

// VALUE-5, CMD-10: of the packets after stopped work, those that write values run.
TEST(WriteValue, IsNotLostWithTheRestOfAStoppedSubmission) {
  FakeExecutor fake;
  fake.backend.stopsAt = 1;
  CommandWriter w;
  const uint32_t code[] = {0xFFFE0200, 0x0000FFFF};
  packets::createShader(w, 1, AEROGPU_SHADER_STAGE_VERTEX, code);
  packets::bindShaders(w, 1, 0);
  packets::writeValue(w, 7, 0, 1);
  packets::draw(w, 1u << 22);  // a whole slice (LIM-9)
  packets::draw(w, 3);
  packets::writeValue(w, 7, 8, 2);
  packets::draw(w, 3);
  const auto report = fake.submit(w, FakeExecutor::table(7, 0x1000, 64));
  EXPECT_EQ(report.errorCount, 1u);
  EXPECT_EQ(fake.backend.draws, 1u);
  EXPECT_EQ(fake.backend.values, 2u);
}

// VALUE-7
TEST_F(WriteValueTest, NeedsMemory) {
  const uint64_t end = h.memory().size();
  const Allocation none = h.name(end, 64), half = h.name(end - 64, 4096);
  packets::writeValue(w, none.id, 0, kValue);
  expectError(submit(), AEROGPU_ERROR_OOB);
  packets::writeValue(w, half.id, 64, kValue);
  packets::writeValue(w, half.id, 56, kValue);
  expectError(submit(), AEROGPU_ERROR_OOB);
  EXPECT_EQ(valueAt(h, end - 8), kValue);
}

TEST_F(WriteValueTest, LeavesNothingThatASavedStateWouldLack) {
  packets::writeValue(w, memory.id, 0, kValue);
  expectGood(submit());
  EXPECT_EQ(h.stats().held_objects, 0u);
}

}  // namespace
