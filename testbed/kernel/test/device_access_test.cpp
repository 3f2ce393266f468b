// SPDX-License-Identifier: MIT
// Tests that accesses to device pages do what the processor does with the same instruction on ordinary
// memory: every instruction of a list (access_cases_*.h) is executed both ways, and registers, flags and
// memory are compared.
#include <gtest/gtest.h>

#include <cstring>
#include <memory>
#include <vector>

#include "testbed/kernel/core/device_access.h"
#include "testbed/kernel/core/device_pages.h"
#include "testbed/kernel/core/fault.h"
#if defined(__x86_64__)
#include "testbed/kernel/test/access_cases_x64.h"
#else
#include "testbed/kernel/test/access_cases_x86.h"
#endif

namespace aerogpu::host {
namespace {

constexpr uint64_t kBytes = 64 << 10, kMiddle = 32 << 10;

/// A device of plain memory; it records accesses.
class Memory final : public DeviceWindow {
public:
  struct Access {
    uint64_t offset;
    unsigned bytes;
    bool write;
    bool operator==(const Access&) const = default;
  };
  uint64_t read(uint64_t offset, unsigned bytes) override {
    accesses.push_back({offset, bytes, false});
    uint64_t value = 0;
    std::memcpy(&value, content.data() + offset, bytes);
    return value;
  }
  void write(uint64_t offset, uint64_t value, unsigned bytes) override {
    accesses.push_back({offset, bytes, true});
    std::memcpy(content.data() + offset, &value, bytes);
  }
  void readBlock(uint64_t offset, void* to, uint64_t bytes) override {
    ++blocks;
    std::memcpy(to, content.data() + offset, bytes);
  }
  void writeBlock(uint64_t offset, const void* from, uint64_t bytes) override {
    ++blocks;
    std::memcpy(content.data() + offset, from, bytes);
  }
  std::vector<uint8_t> content = std::vector<uint8_t>(kBytes);
  std::vector<Access> accesses;
  unsigned blocks = 0;
};

/// The content of memory and registers: bytes without a pattern that shifts could hide, or one byte
/// everywhere, at the edge of carries and overflows.
struct Content {
  uint32_t seed;
  int memory = -1, registers = -1;
};
const Content kContents[] = {{1},          {1000},          {5555},          {123456},        {1, 0, 0},
                             {1, 0, 0xFF}, {1, 0xFF, 0xFF}, {0, 0xFF, 0xFF}, {1, 0xFF, 0},    {0, 0x80, 0x80},
                             {1, 0x7F, 0}, {0, 0x80, 0x7F}, {1, 0x80, 0xFF}, {1, 0x7F, 0x7F}, {0, 0, 0}};

void fill(void* at, uint64_t bytes, uint32_t seed, int byte) {
  if (byte >= 0) {
    std::memset(at, byte, bytes);
    return;
  }
  for (uint64_t i = 0; i < bytes; ++i) {
    seed = seed * 1664525 + 1013904223;  // Numerical Recipes, 7.1
    static_cast<uint8_t*>(at)[i] = static_cast<uint8_t>(seed >> 24);
  }
}

class DeviceAccess : public testing::Test {
protected:
  void SetUp() override {
    installFaultHandlers({});
    for (unsigned i = 0; i < 2; ++i) {
      m_pages[i] = static_cast<uint8_t*>(mapDevicePages(m_devices[i], 0, kBytes));
      ASSERT_NE(m_pages[i], nullptr);
    }
  }
  void TearDown() override {
    for (uint8_t* pages : m_pages) forgetDevicePages(pages);
  }

  struct Result {
    State state;
    std::vector<uint8_t> memory[2];
  };
  /// Runs the instruction with its first (rsi) and second (rdi) buffer in device pages or not.
  Result run(const Case& test, bool firstIsDevice, bool secondIsDevice, const Content& content) {
    const bool device[2] = {firstIsDevice, secondIsDevice};
    uint8_t* base[2];
    for (unsigned i = 0; i < 2; ++i) {
      uint8_t* bytes = device[i] ? m_devices[i].content.data() : m_plain[i]->bytes;
      fill(bytes, kBytes, content.seed + i, content.memory);
      base[i] = device[i] ? m_pages[i] : bytes;
    }
    Result result{};
    State& state = result.state;
    fill(&state, sizeof state, content.seed + 2, content.registers);
    state.flags = 0x202 | (content.seed & 1);  // with and without the carry flag
    state.gpr[1] = 5;
    state.gpr[3] = 3;
    state.gpr[6] = reinterpret_cast<uintptr_t>(base[0] + kMiddle);
    state.gpr[7] = reinterpret_cast<uintptr_t>(base[1] + kMiddle);
    run_case(&state, test.code);
    // Addresses relative to the buffers.
    for (const unsigned i : {0u, 1u})
      if (const uint64_t offset = state.gpr[6 + i] - reinterpret_cast<uintptr_t>(base[i]); offset < kBytes)
        state.gpr[6 + i] = offset;
    state.flags &= 0xCD5;  // only the arithmetic and direction flags
    for (unsigned i = 0; i < 2; ++i) {
      const uint8_t* bytes = device[i] ? m_devices[i].content.data() : m_plain[i]->bytes;
      result.memory[i].assign(bytes, bytes + kBytes);
    }
    return result;
  }

  Memory m_devices[2];
  uint8_t* m_pages[2] = {};
  // Aligned like device pages, so that bytes of addresses are the same.
  struct alignas(kBytes) Plain {
    uint8_t bytes[kBytes];
  };
  std::unique_ptr<Plain> m_plain[2] = {std::make_unique<Plain>(), std::make_unique<Plain>()};
};

TEST_F(DeviceAccess, DoesWhatTheProcessorDoes) {
  unsigned count = 0;
  for (const Case* test = __start_access_cases; test != __stop_access_cases; ++test, ++count)
    for (const Content& content : kContents) {
      const Result expected = run(*test, false, false, content);
      for (const auto& [first, second] : {std::pair{true, false}, {false, true}, {true, true}}) {
        const Result seen = run(*test, first, second, content);
        for (unsigned i = 0; i < 16; ++i)
          if (i != kRsp) {
            EXPECT_EQ(seen.state.gpr[i], expected.state.gpr[i])
                << test->text << ": register " << i << ", content " << &content - kContents << ", " << first
                << second;
          }
        EXPECT_EQ(seen.state.flags, expected.state.flags)
            << test->text << ", content " << &content - kContents;
        EXPECT_EQ(std::memcmp(seen.state.xmm, expected.state.xmm, sizeof expected.state.xmm), 0)
            << test->text;
        for (unsigned i = 0; i < 2; ++i)
          EXPECT_TRUE(seen.memory[i] == expected.memory[i])
              << test->text << ": buffer " << i << ", content " << &content - kContents << ", " << first
              << second;
      }
    }
  EXPECT_GT(count, 90u);
}

TEST_F(DeviceAccess, KeepsTheWidth) {
  const struct {
    const char* text;
    unsigned bytes;
    bool write;
  } wanted[] = {
    {"mov " FIRST ", %al", 1, false},
    {"mov " FIRST ", %ax", 2, false},
    {"mov " FIRST ", %eax", 4, false},
#if defined(__x86_64__)
    {"mov (%rsi), %rax", 8, false},
#endif
    {"movl $0x89ABCDEF, " FIRST, 4, true},
    {"mov %eax, " FIRST, 4, true},
    {"movsl", 4, false},
    {"stosl", 4, true}
  };
  for (const auto& row : wanted) {
    const Case* test = __start_access_cases;
    while (test != __stop_access_cases && std::strcmp(test->text, row.text) != 0) ++test;
    ASSERT_NE(test, __stop_access_cases) << row.text;
    Memory& device = m_devices[std::strcmp(row.text, "stosl") == 0];
    device.accesses.clear();
    run(*test, true, std::strcmp(row.text, "stosl") == 0, kContents[0]);
    const Memory::Access expected{kMiddle, row.bytes, row.write};
    EXPECT_EQ(device.accesses, std::vector{expected}) << row.text;
  }
}

TEST_F(DeviceAccess, LongCopiesAreBlocks) {
  for (const Case* test = __start_access_cases; test != __stop_access_cases; ++test) {
    if (std::strcmp(test->text, "mov $9001, %ecx; rep movsb") != 0) continue;
    run(*test, true, true, kContents[0]);
    EXPECT_EQ(m_devices[0].blocks, 3u);  // one for each page
    EXPECT_EQ(m_devices[1].blocks, 3u);
    EXPECT_TRUE(m_devices[0].accesses.empty());
    return;
  }
  FAIL() << "the case is gone";
}

/// For instructions that cannot be executed on pages at arbitrary addresses: a bus that holds the addresses
/// they name.
class FakeBus final : public DeviceBus {
public:
  explicit FakeBus(uint64_t address) : m_address(address) {}
  bool holds(uint64_t address, uint64_t bytes) const override { return address == m_address && bytes <= 16; }
  uint64_t read(uint64_t, unsigned) override { return 0x1122334455667788; }
  void write(uint64_t, uint64_t value, unsigned bytes) override {
    written = value;
    width = bytes;
  }
  void readBlock(uint64_t, void*, uint64_t) override {}
  void writeBlock(uint64_t, const void*, uint64_t) override {}
  uint64_t written = 0;
  unsigned width = 0;

private:
  uint64_t m_address;
};

TEST(DeviceAccessDecoding, RelativeToTheNextInstruction) {
  // movl $0x01020304, 0x1000(%rip): the address is relative to the end of the immediate.
  const uint8_t code[] = {0xC7, 0x05, 0x00, 0x10, 0x00, 0x00, 0x04, 0x03, 0x02, 0x01};
  FakeBus bus(reinterpret_cast<uintptr_t>(code) + sizeof code + 0x1000);
  SehContext context{};
  context.rip = reinterpret_cast<uintptr_t>(code);
  ASSERT_TRUE(emulateDeviceAccess(context, bus, CodeKind::X64));
  EXPECT_EQ(bus.written, 0x01020304u);
  EXPECT_EQ(bus.width, 4u);
  EXPECT_EQ(context.rip, reinterpret_cast<uintptr_t>(code) + sizeof code);
}

TEST(DeviceAccessDecoding, AddressesOf64Bits) {
  // movabs 0x123456789ABCDEF0, %eax
  const uint8_t code[] = {0xA1, 0xF0, 0xDE, 0xBC, 0x9A, 0x78, 0x56, 0x34, 0x12};
  FakeBus bus(0x123456789ABCDEF0);
  SehContext context{};
  context.rip = reinterpret_cast<uintptr_t>(code);
  ASSERT_TRUE(emulateDeviceAccess(context, bus, CodeKind::X64));
  EXPECT_EQ(context.gpr[0], 0x55667788u);
}

// Without REX: no relative addresses, addresses that wrap at 4 GiB, and other instructions at 40 to 4F.
TEST(DeviceAccessDecoding, CodeOfX86) {
  const struct {
    std::vector<uint8_t> code;
    uint64_t address;  // the address that it names
    bool known = true, store = false;
  } rows[] = {
      {{0xA1, 0x78, 0x56, 0x34, 0xF2}, 0xF2345678},                             // mov 0xF2345678, %eax
      {{0xA3, 0x78, 0x56, 0x34, 0xF2}, 0xF2345678, true, true},                 // mov %eax, 0xF2345678
      {{0x8B, 0x0D, 0x00, 0x10, 0x00, 0xF2}, 0xF2001000},                       // mov 0xF2001000, %ecx
      {{0xC7, 0x05, 0x00, 0x10, 0, 0xF2, 4, 3, 2, 1}, 0xF2001000, true, true},  // movl $..., 0xF2001000
      {{0x8B, 0x44, 0x88, 0xFC}, 0x2C},                                         // mov -4(%eax,%ecx,4), %eax
      {{0x89, 0x04, 0x8D, 0xF0, 0xFF, 0xFF, 0xFF}, 0x30, true, true},           // mov %eax, -16(,%ecx,4)
      {{0x0F, 0xB6, 0x50, 0x20}, 0x10},                                         // movzbl 32(%eax), %edx
      {{0x48, 0x8B, 0x00}, 0xFFFFFFF0, false},                                  // dec %eax; mov (%eax), %eax
      {{0x63, 0x00}, 0xFFFFFFF0, false},                                        // arpl %ax, (%eax)
      {{0x67, 0x8B, 0x07}, 0x2000, false},                                      // mov (%bx), %eax
  };
  for (const auto& row : rows) {
    uint8_t code[32] = {};
    std::memcpy(code, row.code.data(), row.code.size());
    FakeBus bus(row.address);
    SehContext context{};
    context.gpr[0] = 0xFFFFFFF0;
    context.gpr[1] = 0x10;
    context.gpr[3] = 0x2000;
    context.rip = reinterpret_cast<uintptr_t>(code);
    EXPECT_EQ(emulateDeviceAccess(context, bus, CodeKind::X86), row.known) << std::hex << int{row.code[0]};
    if (!row.known) continue;
    EXPECT_EQ(context.rip - reinterpret_cast<uintptr_t>(code), row.code.size()) << int{row.code[0]};
    EXPECT_EQ(bus.width, row.store ? 4u : 0u) << int{row.code[0]};
  }
}

TEST(DeviceAccessDecoding, RefusesWhatItDoesNotKnowAndChangesNothing) {
  const std::vector<uint8_t> unknown[] = {
      {0x8B, 0xC1},                    // mov %ecx, %eax: no memory
      {0x65, 0x8B, 0x00},              // mov %gs:(%rax), %eax
      {0x67, 0x8B, 0x00},              // mov (%eax), %eax
      {0xF7, 0x20},                    // mull (%rax)
      {0xFF, 0x10},                    // call *(%rax)
      {0xC7, 0x08, 0, 0, 0, 0},        // invalid instruction
      {0x0F, 0x6F, 0x00},              // movq (%rax), %mm0
      {0xC5, 0xF8, 0x10, 0x00},        // vmovups (%rax), %xmm0
      {0x0F, 0xB0, 0x08},              // cmpxchg
      std::vector<uint8_t>(15, 0x66),  // prefixes only
      {0x8B, 0x40, 0x04},              // mov 4(%rax), %eax: outside this bus
  };
  for (const CodeKind kind : {CodeKind::X86, CodeKind::X64})
    for (const auto& bytes : unknown) {
      uint8_t code[32] = {};
      std::memcpy(code, bytes.data(), bytes.size());
      FakeBus bus(0x5000);
      SehContext context{};
      context.gpr[0] = 0x5000;
      context.rip = reinterpret_cast<uintptr_t>(code);
      const SehContext before = context;
      EXPECT_FALSE(emulateDeviceAccess(context, bus, kind)) << std::hex << int{bytes[0]};
      EXPECT_EQ(std::memcmp(&context, &before, sizeof context), 0) << std::hex << int{bytes[0]};
      EXPECT_EQ(bus.width, 0u);
    }
}

}  // namespace
}  // namespace aerogpu::host
