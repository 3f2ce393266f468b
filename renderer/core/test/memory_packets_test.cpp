// SPDX-License-Identifier: MIT
// EXT_COPY_MEMORY and EXT_FILL_MEMORY (docs/abi/memory.md): their writes, what is refused, the words of page
// lists that they read, the order of packets that touch the same bytes, interruptions, captures.
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>

#include "aerogpu/aerogpu_spaces.h"
#include "renderer/core/page_walk.h"
#include "renderer/test/expect.h"
#include "renderer/test/memory_packets.h"
#include "renderer/trace/replay.h"

namespace {

using namespace aerogpu;
using test::Allocation;
using test::copyMemory;
using test::expectError;
using test::expectGood;
using test::fillMemory;
using test::FinishedSubmission;
using test::Harness;
using test::pattern;

constexpr uint64_t kPage = 4096;
constexpr uint32_t kOob = AEROGPU_ERROR_OOB, kDecode = AEROGPU_ERROR_CMD_DECODE;
constexpr auto kRgba = AEROGPU_FORMAT_R8G8B8A8_UNORM;

class MemoryPacketsTest : public testing::TestWithParam<const char*> {
protected:
  void SetUp() override { ASSERT_TRUE(h.ok()) << h.createError(); }
  FinishedSubmission submit() {
    const auto finished = h.submit(w);
    w.reset();
    return finished;
  }
  uint8_t& at(const Allocation& a, uint64_t offset) {
    return a.flags & AEROGPU_ALLOC_FLAG_EXT_SCATTER ? h.scatteredByte(a, offset) : h.memory()[a.gpa + offset];
  }
  void write(const Allocation& a, const std::vector<uint8_t>& bytes) {
    for (uint64_t i = 0; i < bytes.size(); ++i) at(a, i) = bytes[i];
  }
  std::vector<uint8_t> read(const Allocation& a) {
    std::vector<uint8_t> bytes(a.size);
    for (uint64_t i = 0; i < bytes.size(); ++i) bytes[i] = at(a, i);
    return bytes;
  }

  Harness h{Harness::Options{
      .backend = GetParam(), .flags = AEROGPU_RENDERER_LEND_GUEST_MEMORY, .guestBytes = uint64_t{64} << 20}};
  CommandWriter w;
};

// MEM-1
TEST_P(MemoryPacketsTest, BytesGoWhereThePacketSays) {
  const Allocation linear = h.allocate(3 * kPage), scattered = h.allocateScattered(5 * kPage + 100);
  const auto bytes = pattern(linear.size);
  write(linear, bytes);
  auto wanted = read(scattered);
  copyMemory(w, scattered, 4092, linear, 8, 2 * kPage + 8);
  std::copy_n(bytes.begin() + 8, 2 * kPage + 8, wanted.begin() + 4092);
  expectGood(submit());
  EXPECT_EQ(read(scattered), wanted);
  EXPECT_EQ(read(linear), bytes);
  fillMemory(w, scattered, 4, 0x11223344, scattered.size - 4);
  for (size_t i = 4; i < wanted.size(); ++i) wanted[i] = static_cast<uint8_t>(0x44 - 0x11 * (i % 4));
  expectGood(submit());
  EXPECT_EQ(read(scattered), wanted);
  copyMemory(w, linear, 0, scattered, 0, 16);
  expectGood(submit());
  EXPECT_EQ(at(linear, 4), 0x44);
}

/// Offsets are multiples of 4; addresses and the ends of memory regions need not be.
// MEM-1, MEM-3
TEST_P(MemoryPacketsTest, AddressesNeedNotBeAligned) {
  const Allocation whole = h.allocate(4 * kPage);
  const Allocation odd = h.name(whole.gpa + 3, 5001), other = h.name(whole.gpa + 8193, 5001);
  for (const uint64_t limit : {uint64_t{1} << 40, uint64_t{2}}) {
    h.mappingLimit = limit;
    auto wanted = pattern(whole.size);
    write(whole, wanted);
    fillMemory(w, odd, 4, 0xA1B2C3D4, 4996);
    for (size_t i = 0; i < 4996; ++i) wanted[7 + i] = static_cast<uint8_t>(0xA1B2C3D4 >> (8 * (i % 4)));
    copyMemory(w, other, 0, odd, 0, 5000);
    std::copy_n(wanted.begin() + 3, 5000, wanted.begin() + 8193);
    expectGood(submit());
    EXPECT_EQ(read(whole), wanted);
  }
}

// MEM-2, SPACE-12
TEST_P(MemoryPacketsTest, TheyAreTheKernelDrivers) {
  const Allocation memory = h.allocate(kPage);
  copyMemory(w, memory, 0, memory, 8, 8);
  fillMemory(w, memory, 0, 7, 8);
  for (const Harness::InSpace& space : {Harness::InSpace{0}, Harness::InSpace{1}}) {
    h.space = space;
    expectError(h.submit(w), kDecode, 2);
    EXPECT_EQ(at(memory, 0), 0);
  }
  h.space = Harness::kKernel;
  expectGood(h.submit(w));
  EXPECT_EQ(at(memory, 0), 7);
}

// MEM-3
TEST_P(MemoryPacketsTest, WhatDoesNotFitIsRefused) {
  const Allocation memory = h.allocate(kPage), fixed = h.allocate(kPage, AEROGPU_ALLOC_FLAG_READONLY);
  const Allocation unknown{99, 0, 0, kPage};
  struct Case {
    uint64_t to, from, size;
    uint32_t code;
  };
  constexpr uint64_t kMost = ~uint64_t{3};
  for (const Case& c :
       {Case{2, 0, 4, kDecode}, Case{0, 2, 4, kDecode}, Case{0, 0, 6, kDecode}, Case{4096, 0, 4, kOob},
        Case{0, 4096, 4, kOob}, Case{4092, 0, 8, kOob}, Case{kMost, 0, 8, kOob}, Case{0, kMost, 8, kOob},
        Case{4, 4, kMost, kOob}, Case{4100, 0, 0, kOob}, Case{0, 4100, 0, kOob}}) {
    copyMemory(w, memory, c.to, memory, c.from, c.size);
    expectError(submit(), c.code);
    if (c.from != 0) continue;
    fillMemory(w, memory, c.to, 0x55555555, c.size);
    expectError(submit(), c.code);
  }
  copyMemory(w, unknown, 0, memory, 0, 4);
  copyMemory(w, memory, 0, unknown, 0, 4);
  fillMemory(w, unknown, 0, 1, 4);
  copyMemory(w, unknown, 0, memory, 0, 0);
  expectError(submit(), kDecode, 4);
  copyMemory(w, fixed, 0, memory, 0, 4);
  fillMemory(w, fixed, 0, 1, 0);
  expectError(submit(), kOob, 2);
  copyMemory(w, memory, 0, fixed, 0, 4);
  copyMemory(w, memory, kPage, memory, kPage, 0);
  fillMemory(w, memory, kPage, 1, 0);
  expectGood(submit());
  EXPECT_EQ(read(memory), std::vector<uint8_t>(kPage));
}

// MEM-5
TEST_P(MemoryPacketsTest, RangesMayOverlap) {
  const Allocation linear = h.allocate(6 * kPage), scattered = h.allocateScattered(6 * kPage);
  const Allocation shifted = h.name(linear.gpa + 1000, 5 * kPage);
  const auto bytes = pattern(linear.size);
  for (const uint64_t limit : {uint64_t{1} << 40, uint64_t{512}}) {
    h.mappingLimit = limit;
    for (const uint64_t distance : {uint64_t{4}, uint64_t{100}, kPage, uint64_t{5000}, uint64_t{0}}) {
      const uint64_t size = 3 * kPage + 20;
      for (const Allocation& a : {linear, scattered}) {
        for (const bool up : {false, true}) {
          write(a, bytes);
          auto wanted = bytes;
          const uint64_t low = 64, high = 64 + distance;
          copyMemory(w, a, up ? high : low, a, up ? low : high, size);
          std::copy_n(bytes.begin() + static_cast<ptrdiff_t>(up ? low : high), size,
                      wanted.begin() + static_cast<ptrdiff_t>(up ? high : low));
          expectGood(submit());
          EXPECT_TRUE(read(a) == wanted) << distance << (up ? " up" : " down");
        }
      }
    }
    // The same memory under two names.
    for (const bool up : {false, true}) {
      write(linear, bytes);
      auto wanted = bytes;
      copyMemory(w, up ? shifted : linear, 0, up ? linear : shifted, 0, 4 * kPage);
      std::copy_n(bytes.begin() + (up ? 0 : 1000), 4 * kPage, wanted.begin() + (up ? 1000 : 0));
      expectGood(submit());
      EXPECT_TRUE(read(linear) == wanted) << up;
    }
  }
}

/// A page that is named twice holds only bytes of the source, or its old bytes.
// MEM-5
TEST_P(MemoryPacketsTest, PagesThatAreNamedTwiceHoldNothingElse) {
  const Allocation a = h.allocateScattered(8 * kPage), b = h.allocateScattered(8 * kPage);
  for (uint64_t page = 0; page < 8; ++page) {
    uint64_t same;
    std::memcpy(&same, &h.memory()[a.gpa + (page / 2) * 8], sizeof same);
    h.setScatteredPage(b, page, same);
  }
  for (uint64_t i = 0; i < a.size; ++i) at(a, i) = static_cast<uint8_t>(1 + i / kPage);
  copyMemory(w, b, 8, a, 4, 7 * kPage);
  expectGood(submit());
  for (const uint8_t byte : read(a)) {
    ASSERT_GE(byte, 1);
    ASSERT_LE(byte, 8);
  }
}

// MEM-7, CMD-8
TEST_P(MemoryPacketsTest, WhatIsNoMemoryEndsIt) {
  const Allocation list = h.allocateScattered(4 * kPage), memory = h.allocate(4 * kPage);
  uint64_t good;
  std::memcpy(&good, &h.memory()[list.gpa + 16], sizeof good);
  for (const uint64_t bad : {uint64_t{1} << 40, good + 4}) {
    h.setScatteredPage(list, 2, bad);
    std::fill(h.bytes(memory).begin(), h.bytes(memory).end(), uint8_t{0x33});
    copyMemory(w, list, 0, memory, 0, 4 * kPage);
    expectError(submit(), kOob);
    EXPECT_EQ(at(list, 2 * kPage - 1), 0x33) << "what lies before";
    fillMemory(w, list, 0, 0x44444444, 4 * kPage);
    expectError(submit(), kOob);
    EXPECT_EQ(at(list, kPage), 0x44);
    EXPECT_NE(at(list, 3 * kPage), 0x44);
    copyMemory(w, memory, 0, list, 0, 4 * kPage);
    expectError(submit(), kOob);
    EXPECT_EQ(at(memory, 2 * kPage), 0x33);
    copyMemory(w, list, kPage, list, 0, 3 * kPage);  // from the end
    expectError(submit(), kOob);
  }
  h.setScatteredPage(list, 2, good);
  const Allocation nowhere = h.name(uint64_t{1} << 40, kPage), half = h.name(h.memory().size() - 16, 32);
  const Allocation noList = h.name(uint64_t{1} << 41, kPage, AEROGPU_ALLOC_FLAG_EXT_SCATTER);
  for (const Allocation& bad : {nowhere, half, noList}) {
    copyMemory(w, memory, 0, bad, 0, 32);
    copyMemory(w, bad, 0, memory, 0, 32);
    fillMemory(w, bad, 0, 0x12121212, 32);
    expectError(submit(), kOob, 3);
  }
  EXPECT_EQ(h.memory().back(), 0x12);
  copyMemory(w, list, 0, memory, 0, 4 * kPage);
  expectGood(submit());
}

/// A page list that earlier packets have written counts at once, whatever other packets read of it.
// MEM-4, MEM-6, LIST-4
TEST_P(MemoryPacketsTest, ListsAreReadWhenTheyAreNeeded) {
  const Allocation pages = h.allocate(2 * kPage), list = h.allocate(kPage), newList = h.allocate(kPage);
  const Allocation named = h.name(list.gpa, kPage, AEROGPU_ALLOC_FLAG_EXT_SCATTER);
  h.setScatteredPage(named, 0, pages.gpa);
  const uint64_t second = pages.gpa + kPage;
  std::memcpy(&h.memory()[newList.gpa], &second, sizeof second);
  fillMemory(w, named, 0, 0x11111111, kPage);
  packets::writeValue(w, named.id, 0, 5);  // this packet still sees the old word
  copyMemory(w, list, 0, newList, 0, 8);
  fillMemory(w, named, 0, 0x22222222, kPage);
  packets::writeValue(w, named.id, 8, 6);
  expectGood(submit());
  EXPECT_EQ(at(pages, 16), 0x11);
  EXPECT_EQ(at(pages, 8), 6) << "as LIST-4 says";
  EXPECT_EQ(at(pages, kPage), 0x22);
}

// MEM-4, ALLOC-8
TEST_P(MemoryPacketsTest, WhatIsWrittenBackIsThereBefore) {
  const uint64_t size = uint64_t{512} * 512 * 4;
  const Allocation drawn = h.allocate(size), copied = h.allocateScattered(size), back = h.allocate(size);
  for (uint32_t round = 0; round < 4; ++round) {
    const auto value = static_cast<uint8_t>(0x10 + round);
    Harness::createTexture(w, 1, kRgba, 512, 512, AEROGPU_RESOURCE_USAGE_RENDER_TARGET, 1, 1, drawn.id, 2048);
    Harness::createTexture(w, 2, kRgba, 512, 512, 0, 1, 1, copied.id, 2048);
    Harness::createTexture(w, 3, kRgba, 512, 512, 0, 1, 1, back.id, 2048);
    packets::setTarget(w, 1);
    const float c = static_cast<float>(value) / 255;
    packets::clearColor(w, {c, c, c, c});
    packets::copyTexture(w, 1, 1, 0, 0);
    w.packet(aerogpu_cmd_ext_read_texture{.texture = 1,
                                          .width = 512,
                                          .height = 512,
                                          .depth = 1,
                                          .dst_alloc_id = drawn.id,
                                          .dst_row_pitch_bytes = 2048});
    if (round & 1) {
      expectGood(submit());
    }
    copyMemory(w, copied, 0, drawn, 0, size);
    fillMemory(w, drawn, 0, 0x77777777, size);
    packets::dirtyRange(w, 2, 0, size);
    w.packet(aerogpu_cmd_ext_read_texture{.texture = 2,
                                          .width = 512,
                                          .height = 512,
                                          .depth = 1,
                                          .dst_alloc_id = back.id,
                                          .dst_row_pitch_bytes = 2048});
    expectGood(submit());
    EXPECT_EQ(read(copied), std::vector<uint8_t>(size, value));
    EXPECT_EQ(read(back), std::vector<uint8_t>(size, value));
    EXPECT_EQ(read(drawn), std::vector<uint8_t>(size, 0x77)) << "no write-back comes after it";
    for (const uint32_t texture : {1u, 2u, 3u}) packets::destroyResource(w, texture);
  }
}

/// The GPU reads large sources in place (host_import.h): it has done so before they are overwritten.
// MEM-4
TEST_P(MemoryPacketsTest, WhatIsReadInPlaceIsReadBefore) {
  const uint64_t size = uint64_t{1024} * 1024 * 4;
  const Allocation source = h.allocate(size);
  const uint32_t texture = h.handle(), buffer = h.handle();
  for (const bool sameSubmission : {true, false}) {
    std::fill(h.bytes(source).begin(), h.bytes(source).end(), uint8_t{0x21});
    Harness::createTexture(w, texture, kRgba, 1024, 1024, 0, 1, 1, source.id, 4096);
    packets::createBuffer(w, buffer, size, 0, source.id);
    packets::dirtyRange(w, texture, 0, size);
    packets::dirtyRange(w, buffer, 0, size);
    if (!sameSubmission) {
      h.submitAsync(w);
      w.reset();
    }
    fillMemory(w, source, 0, 0x99999999, size);
    expectGood(submit());
    EXPECT_EQ(read(source), std::vector<uint8_t>(size, 0x99));
    EXPECT_EQ(h.readBuffer(buffer, size), std::vector<uint8_t>(size, 0x21));
    EXPECT_EQ(h.readTexture(texture, kRgba, 1024, 1024), std::vector<uint8_t>(size, 0x21));
    packets::destroyResource(w, texture);
    packets::destroyResource(w, buffer);
  }
  EXPECT_EQ(h.mappingsHeld(), 0);
}

// MEM-9, RING-7
TEST_P(MemoryPacketsTest, AnInterruptionEndsALargeOne) {
  const uint64_t size = uint64_t{4} << 20;
  const Allocation from = h.allocateScattered(size), to = h.allocate(size);
  for (const bool fills : {false, true}) {
    std::fill(h.bytes(to).begin(), h.bytes(to).end(), uint8_t{0});
    for (uint64_t i = 0; i < size; i += kPage) std::memset(&at(from, i), 0x42, kPage);
    int writes = 0;
    h.onGuestAccess = [&](uint64_t, bool write) {
      if (write && ++writes == 2) aerogpu_renderer_interrupt(h.renderer());
    };
    if (fills)
      fillMemory(w, to, 0, 0x42424242, size);
    else
      copyMemory(w, to, 0, from, 0, size);
    fillMemory(w, to, size - 4, 1, 4);
    const FinishedSubmission dropped = submit();
    EXPECT_TRUE(dropped.result.dropped);
    EXPECT_EQ(dropped.result.error_count, 0u);
    EXPECT_EQ(writes, 2);
    EXPECT_EQ(at(to, 0), 0x42);
    EXPECT_EQ(at(to, size - 4), 0) << "the rest has not run";
    h.onGuestAccess = nullptr;
    copyMemory(w, to, size - 4, from, 0, 4);
    EXPECT_TRUE(submit().result.dropped);
    EXPECT_EQ(at(to, size - 4), 0);
    aerogpu_renderer_resume(h.renderer());
    copyMemory(w, to, 0, from, 0, size);
    expectGood(submit());
    EXPECT_EQ(read(to), read(from));
  }
}

// MEM-9, LIM-6
TEST(MemoryPackets, CountAsBytes) {
  Harness h;
  // A page list that names one page repeatedly: 2^30 bytes each time.
  const uint64_t pages = uint64_t{1} << 18;
  const Allocation list = h.allocate(pages * 8), page = h.allocate(kPage);
  const Allocation many = h.name(list.gpa, uint64_t{1} << 50, AEROGPU_ALLOC_FLAG_EXT_SCATTER);
  for (uint64_t i = 0; i < pages; ++i) h.setScatteredPage(many, i, page.gpa);
  CommandWriter w;
  fillMemory(w, many, 0, 3, (uint64_t{1} << 38) + 4);
  fillMemory(w, many, 0, 4, kPage);
  expectError(h.submit(w), AEROGPU_ERROR_BACKEND);
  EXPECT_EQ(h.memory()[page.gpa], 4) << "it had no effect, and what comes behind it runs";
}

/// Compares copies and fills over allocations of every kind with a model of each byte.
// MEM-1, MEM-5
TEST_P(MemoryPacketsTest, ManyAtRandom) {
  std::mt19937 random(static_cast<uint32_t>(std::strlen(GetParam())));
  const std::vector<Allocation> all = {h.allocate(300 * kPage), h.allocateScattered(290 * kPage + 12),
                                       h.allocateScattered(70 * kPage), h.allocate(5000)};
  std::vector<std::vector<uint8_t>> model;
  // Some of the pages are adjacent.
  for (uint64_t page = 0; page + 2 < 290; page += 7) {
    uint64_t first;
    std::memcpy(&first, &h.memory()[all[1].gpa + page * 8], sizeof first);
    for (uint64_t k = 0; k < 3; ++k) h.setScatteredPage(all[1], page + k, first - (2 - k) * kPage);
  }
  for (const Allocation& a : all) {
    std::vector<uint8_t> bytes(a.size);
    for (uint8_t& b : bytes) b = static_cast<uint8_t>(random());
    write(a, bytes);
    model.push_back(read(a));
  }
  for (int round = 0; round < 60; ++round) {
    h.mappingLimit = round % 3 == 2 ? kPage / 2 : uint64_t{1} << 40;
    for (int packet = 0; packet < 6; ++packet) {
      const size_t d = random() % all.size(), s = random() % 3 ? random() % all.size() : d;
      const uint64_t most = std::min(all[d].size, all[s].size) / 4;
      const uint64_t words = random() % 4 ? random() % std::min<uint64_t>(most, 3000) : random() % most;
      const uint64_t size = words * 4;
      const auto to = static_cast<uint64_t>(random()) % ((all[d].size - size) / 4 + 1) * 4;
      const auto from = static_cast<uint64_t>(random()) % ((all[s].size - size) / 4 + 1) * 4;
      if (random() % 4 == 0) {
        const uint32_t value = random();
        fillMemory(w, all[d], to, value, size);
        for (uint64_t i = 0; i < size; i += 4) std::memcpy(&model[d][to + i], &value, 4);
      } else {
        copyMemory(w, all[d], to, all[s], from, size);
        if (size != 0) std::memmove(&model[d][to], std::vector<uint8_t>(model[s]).data() + from, size);
      }
    }
    expectGood(submit());
    for (size_t i = 0; i < all.size(); ++i) ASSERT_TRUE(read(all[i]) == model[i]) << i << ", round " << round;
  }
}

/// A capture has the bytes that a copy read, so that later packets of the submission find them in a replay.
// TRACE-3, MEM-4
TEST_P(MemoryPacketsTest, ACaptureReplays) {
  const std::string path = testing::TempDir() + "memory-" + std::to_string(getpid()) + ".aerogputrace";
  char error[256] = "";
  ASSERT_TRUE(aerogpu_renderer_capture_start(h.renderer(), path.c_str(), error, sizeof error)) << error;
  constexpr uint64_t kBytes = 64 * 64 * 4;
  const Allocation shown = h.allocate(kBytes), from = h.allocateScattered(kBytes),
                   between = h.allocateScattered(kBytes);
  write(from, pattern(kBytes));
  h.space = Harness::kKernel;
  h.showAllocation(shown.id);
  Harness::createTexture(w, 1, AEROGPU_FORMAT_B8G8R8A8_UNORM, 64, 64, 0, 1, 1, shown.id, 256);
  copyMemory(w, between, 0, from, 0, kBytes);
  copyMemory(w, shown, 0, between, 0, kBytes);
  fillMemory(w, shown, 1024, 0x00FF8844, 2048);
  copyMemory(w, shown, 4096, shown, 512, 8192);
  packets::dirtyRange(w, 1, 0, kBytes);
  packets::present(w);
  expectGood(submit());
  const auto wanted = read(shown);
  ASSERT_TRUE(aerogpu_renderer_capture_stop(h.renderer(), error, sizeof error)) << error;
  std::ifstream in(path, std::ios::binary);
  const std::vector<uint8_t> file{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  std::filesystem::remove(path);
  std::vector<std::vector<uint8_t>> frames;
  trace::ReplayOptions options;
  options.backend = GetParam();
  options.onFrame = [&](const aerogpu_frame& f) {
    const auto* pixels = static_cast<const uint8_t*>(f.pixels);
    frames.emplace_back(pixels, pixels + size_t{f.stride_bytes} * f.height);
  };
  trace::ReplayResult result;
  std::string text;
  ASSERT_TRUE(trace::replay(file, options, result, text)) << text;
  EXPECT_EQ(result.errors, 0u);
  ASSERT_EQ(frames.size(), 1u);
  EXPECT_TRUE(frames[0] == wanted);
}

INSTANTIATE_TEST_SUITE_P(BackEnds, MemoryPacketsTest, ::testing::Values("null", "vulkan"),
                         [](const auto& backend) { return std::string(backend.param); });

}  // namespace
