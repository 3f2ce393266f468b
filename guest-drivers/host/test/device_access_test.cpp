// SPDX-License-Identifier: MIT
// Accesses to device pages do what the processor does with the same instruction on ordinary memory: every
// instruction of the list below is executed both ways, and registers, flags and memory are compared.
#include <gtest/gtest.h>

#include <cstring>
#include <memory>
#include <vector>

#include "core/device_access.h"
#include "core/device_pages.h"
#include "core/fault.h"

namespace aerogpu::host {
namespace {

/// What an instruction sees and leaves; run_case knows the offsets.
struct State {
  uint64_t gpr[16];  // as SehContext has them; rsp is not loaded
  uint64_t flags;
  alignas(16) uint8_t xmm[16][16];
};
static_assert(offsetof(State, flags) == 128 && offsetof(State, xmm) == 144);

extern "C" void run_case(State* state, const void* code);

// rdi = state, rsi = code.
asm(R"(
.text
.globl run_case
.type run_case, @function
run_case:
  push %rbx
  push %rbp
  push %r12
  push %r13
  push %r14
  push %r15
  push %rdi
  push %rsi
  .irp n,0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15
    movups 144+16*\n(%rdi), %xmm\n
  .endr
  pushq 128(%rdi)
  popfq
  mov 0(%rdi), %rax
  mov 8(%rdi), %rcx
  mov 16(%rdi), %rdx
  mov 24(%rdi), %rbx
  mov 40(%rdi), %rbp
  mov 48(%rdi), %rsi
  mov 64(%rdi), %r8
  mov 72(%rdi), %r9
  mov 80(%rdi), %r10
  mov 88(%rdi), %r11
  mov 96(%rdi), %r12
  mov 104(%rdi), %r13
  mov 112(%rdi), %r14
  mov 120(%rdi), %r15
  mov 56(%rdi), %rdi
  call *(%rsp)
  pushfq
  push %rdi
  mov 24(%rsp), %rdi
  mov %rax, 0(%rdi)
  pop %rax
  mov %rax, 56(%rdi)
  pop %rax
  mov %rax, 128(%rdi)
  cld
  mov %rcx, 8(%rdi)
  mov %rdx, 16(%rdi)
  mov %rbx, 24(%rdi)
  mov %rbp, 40(%rdi)
  mov %rsi, 48(%rdi)
  mov %r8, 64(%rdi)
  mov %r9, 72(%rdi)
  mov %r10, 80(%rdi)
  mov %r11, 88(%rdi)
  mov %r12, 96(%rdi)
  mov %r13, 104(%rdi)
  mov %r14, 112(%rdi)
  mov %r15, 120(%rdi)
  .irp n,0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15
    movups %xmm\n, 144+16*\n(%rdi)
  .endr
  pop %rsi
  pop %rdi
  pop %r15
  pop %r14
  pop %r13
  pop %r12
  pop %rbp
  pop %rbx
  ret
)");

struct Case {
  const void* code;
  const char* text;
};
extern "C" const Case __start_access_cases[], __stop_access_cases[];

// A row of the table: the instruction's address and its text. rsi and rdi point into two buffers, rbx is 3,
// rcx 5.
#define CASE(text)                                                                 \
  asm(".text\n771: " text "\n ret\n.pushsection .rodata\n772: .asciz \"" text      \
      "\"\n.popsection\n.pushsection access_cases,\"aw\"\n.balign 8\n.quad 771b\n" \
      ".quad 772b\n.popsection\n")

CASE("mov (%rsi), %eax");
CASE("mov (%rsi), %rax");
CASE("mov (%rsi), %ax");
CASE("mov (%rsi), %al");
CASE("mov (%rsi), %ah");
CASE("mov (%rsi), %dh");
CASE("mov (%rsi), %r13b");
CASE("mov 1(%rsi), %sil");
CASE("mov 8(%rsi,%rbx,4), %r15d");
CASE("mov -8(%rsi,%rbx,8), %r9");
CASE("mov 0x40(%rsi), %edx");
CASE("mov 0x100(%rsi), %edx");
CASE("mov %eax, (%rsi)");
CASE("mov %rdx, 16(%rsi)");
CASE("mov %dx, 2(%rsi)");
CASE("mov %dl, (%rsi)");
CASE("mov %ch, (%rsi)");
CASE("mov %r12b, (%rsi)");
CASE("mov %r11, (%rsi,%rbx,8)");
CASE("movb $0x5A, (%rsi)");
CASE("movw $0x1234, (%rsi)");
CASE("movl $0x89ABCDEF, (%rsi)");
CASE("movq $-5, (%rsi)");
CASE("movzbl (%rsi), %eax");
CASE("movzbw (%rsi), %ax");
CASE("movzwl (%rsi), %r10d");
CASE("movzwq 6(%rsi), %rdx");
CASE("movsbl 3(%rsi), %eax");
CASE("movsbq 5(%rsi), %rsi");
CASE("movsbw 5(%rsi), %dx");
CASE("movswl (%rsi), %edx");
CASE("movswq 2(%rsi), %r8");
CASE("movslq (%rsi), %rax");
CASE("movnti %eax, (%rsi)");
CASE("movnti %rdx, (%rsi)");
CASE("xchg %eax, (%rsi)");
CASE("xchg %dl, (%rsi)");
CASE("add %eax, (%rsi)");
CASE("lock or %rdx, (%rsi)");
CASE("adc %dl, (%rsi)");
CASE("sbb %dx, (%rsi)");
CASE("and %eax, 4(%rsi)");
CASE("sub %r9, (%rsi)");
CASE("xor %ah, (%rsi)");
CASE("cmp %eax, (%rsi)");
CASE("cmp %dl, (%rsi)");
CASE("add (%rsi), %eax");
CASE("or (%rsi), %dl");
CASE("adc (%rsi), %rdx");
CASE("sbb (%rsi), %eax");
CASE("and (%rsi), %r8w");
CASE("sub (%rsi), %edx");
CASE("xor (%rsi), %rax");
CASE("cmp (%rsi), %eax");
CASE("cmp (%rsi), %rdx");
CASE("addl $0x7FFFFFFF, (%rsi)");
CASE("orl $1, (%rsi)");
CASE("orb $0x80, (%rsi)");
CASE("andl $-2, (%rsi)");
CASE("andq $0x12345678, (%rsi)");
CASE("subw $0x1234, (%rsi)");
CASE("xorl $0x55AA55AA, (%rsi)");
CASE("cmpl $1, (%rsi)");
CASE("cmpq $-1, (%rsi)");
CASE("cmpb $0x40, (%rsi)");
CASE("test %eax, (%rsi)");
CASE("test %dl, (%rsi)");
CASE("testb $0x81, (%rsi)");
CASE("testl $0x80000000, (%rsi)");
CASE("testq $0x40, 8(%rsi)");
CASE("notl (%rsi)");
CASE("negq (%rsi)");
CASE("negb (%rsi)");
CASE("incl (%rsi)");
CASE("decq (%rsi)");
CASE("incb (%rsi)");
CASE("movsb");
CASE("movsl");
CASE("movsq");
CASE("rep movsb");
CASE("rep movsw");
CASE("rep movsl");
CASE("rep movsq");
CASE("stosb");
CASE("stosl");
CASE("rep stosb");
CASE("rep stosw");
CASE("rep stosl");
CASE("rep stosq");
CASE("lodsb");
CASE("lodsl");
CASE("lodsq");
CASE("std; rep movsl");
CASE("std; rep stosb");
CASE("mov $3000, %ecx; rep movsl");
CASE("mov $9001, %ecx; rep movsb");
CASE("mov $3000, %ecx; rep stosl");
CASE("xor %ecx, %ecx; rep movsb");
CASE("movups (%rsi), %xmm3");
CASE("movups %xmm12, 3(%rsi)");
CASE("movupd 16(%rsi), %xmm8");
CASE("movaps (%rsi), %xmm0");
CASE("movaps %xmm1, (%rsi)");
CASE("movapd %xmm9, 16(%rsi)");
CASE("movdqa (%rsi), %xmm4");
CASE("movdqa %xmm5, (%rsi)");
CASE("movdqu 5(%rsi), %xmm6");
CASE("movdqu %xmm7, 7(%rsi)");
CASE("movss (%rsi), %xmm2");
CASE("movss %xmm2, (%rsi)");
CASE("movsd (%rsi), %xmm2");
CASE("movsd %xmm10, 8(%rsi)");
CASE("movd (%rsi), %xmm2");
CASE("movd %xmm11, (%rsi)");
CASE("movq (%rsi), %xmm13");
CASE("movq %xmm14, (%rsi)");
CASE("movlps (%rsi), %xmm2");
CASE("movlps %xmm2, (%rsi)");
CASE("movhps 8(%rsi), %xmm2");
CASE("movhps %xmm3, (%rsi)");
CASE("movntps %xmm1, (%rsi)");
CASE("movntdq %xmm2, (%rsi)");

constexpr uint64_t kBytes = 64 << 10, kMiddle = 32 << 10;

/// A device whose memory is memory; it writes down what it is asked.
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

/// What memory and registers hold: bytes without a pattern that shifts could hide, or one byte all over,
/// where carries and overflows begin.
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
    state.flags = 0x202 | (content.seed & 1);  // with and without the carry
    state.gpr[1] = 5;
    state.gpr[3] = 3;
    state.gpr[6] = reinterpret_cast<uint64_t>(base[0] + kMiddle);
    state.gpr[7] = reinterpret_cast<uint64_t>(base[1] + kMiddle);
    run_case(&state, test.code);
    // Addresses as they lie in the buffers.
    for (const unsigned i : {0u, 1u})
      if (const uint64_t offset = state.gpr[6 + i] - reinterpret_cast<uint64_t>(base[i]); offset < kBytes)
        state.gpr[6 + i] = offset;
    state.flags &= 0xCD5;  // arithmetic and direction
    for (unsigned i = 0; i < 2; ++i) {
      const uint8_t* bytes = device[i] ? m_devices[i].content.data() : m_plain[i]->bytes;
      result.memory[i].assign(bytes, bytes + kBytes);
    }
    return result;
  }

  Memory m_devices[2];
  uint8_t* m_pages[2] = {};
  // Aligned as device pages are, so that bytes of addresses are the same.
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
  EXPECT_GT(count, 100u);
}

TEST_F(DeviceAccess, KeepsTheWidth) {
  const struct {
    const char* text;
    unsigned bytes;
    bool write;
  } wanted[] = {{"mov (%rsi), %al", 1, false},
                {"mov (%rsi), %ax", 2, false},
                {"mov (%rsi), %eax", 4, false},
                {"mov (%rsi), %rax", 8, false},
                {"movl $0x89ABCDEF, (%rsi)", 4, true},
                {"mov %eax, (%rsi)", 4, true},
                {"movsl", 4, false},
                {"stosl", 4, true}};
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
    EXPECT_EQ(m_devices[0].blocks, 3u);  // pieces of a page
    EXPECT_EQ(m_devices[1].blocks, 3u);
    EXPECT_TRUE(m_devices[0].accesses.empty());
    return;
  }
  FAIL() << "the case is gone";
}

/// Instructions that cannot be executed on pages that lie anywhere: a bus that holds what they name.
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
  // movl $0x01020304, 0x1000(%rip): the address counts from behind the immediate.
  const uint8_t code[] = {0xC7, 0x05, 0x00, 0x10, 0x00, 0x00, 0x04, 0x03, 0x02, 0x01};
  FakeBus bus(reinterpret_cast<uint64_t>(code) + sizeof code + 0x1000);
  SehContext context{};
  context.rip = reinterpret_cast<uint64_t>(code);
  ASSERT_TRUE(emulateDeviceAccess(context, bus));
  EXPECT_EQ(bus.written, 0x01020304u);
  EXPECT_EQ(bus.width, 4u);
  EXPECT_EQ(context.rip, reinterpret_cast<uint64_t>(code) + sizeof code);
}

TEST(DeviceAccessDecoding, AddressesOf64Bits) {
  // movabs 0x123456789ABCDEF0, %eax
  const uint8_t code[] = {0xA1, 0xF0, 0xDE, 0xBC, 0x9A, 0x78, 0x56, 0x34, 0x12};
  FakeBus bus(0x123456789ABCDEF0);
  SehContext context{};
  context.rip = reinterpret_cast<uint64_t>(code);
  ASSERT_TRUE(emulateDeviceAccess(context, bus));
  EXPECT_EQ(context.gpr[0], 0x55667788u);
}

TEST(DeviceAccessDecoding, RefusesWhatItDoesNotKnowAndChangesNothing) {
  const std::vector<uint8_t> unknown[] = {
      {0x8B, 0xC1},                    // mov %ecx, %eax: no memory
      {0x65, 0x8B, 0x00},              // mov %gs:(%rax), %eax
      {0x67, 0x8B, 0x00},              // mov (%eax), %eax
      {0xF7, 0x20},                    // mull (%rax)
      {0xFF, 0x10},                    // call *(%rax)
      {0xC7, 0x08, 0, 0, 0, 0},        // no such instruction
      {0x0F, 0x6F, 0x00},              // movq (%rax), %mm0
      {0xC5, 0xF8, 0x10, 0x00},        // vmovups (%rax), %xmm0
      {0x0F, 0xB0, 0x08},              // cmpxchg
      std::vector<uint8_t>(15, 0x66),  // prefixes only
      {0x8B, 0x40, 0x04},              // mov 4(%rax), %eax: not on this bus
  };
  for (const auto& bytes : unknown) {
    uint8_t code[32] = {};
    std::memcpy(code, bytes.data(), bytes.size());
    FakeBus bus(0x5000);
    SehContext context{};
    context.gpr[0] = 0x5000;
    context.rip = reinterpret_cast<uint64_t>(code);
    const SehContext before = context;
    EXPECT_FALSE(emulateDeviceAccess(context, bus)) << std::hex << int{bytes[0]};
    EXPECT_EQ(std::memcmp(&context, &before, sizeof context), 0) << std::hex << int{bytes[0]};
    EXPECT_EQ(bus.width, 0u);
  }
}

}  // namespace
}  // namespace aerogpu::host
