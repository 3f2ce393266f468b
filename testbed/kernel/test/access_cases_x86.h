// SPDX-License-Identifier: MIT
// device_access_test.cpp: the instructions of x86, and the code that executes one.
#pragma once

#include <cstddef>
#include <cstdint>

namespace aerogpu::host {
namespace {

/// The input and the output of an instruction; run_case knows the offsets. Uses the lower halves of `gpr`.
struct State {
  uint64_t gpr[16];  // as in SehContext; esp is not loaded
  uint64_t flags;
  alignas(16) uint8_t xmm[16][16];
};
static_assert(offsetof(State, flags) == 128 && offsetof(State, xmm) == 144);

extern "C" void run_case(State* state, const void* code);

// cdecl. The second push is the code's address.
asm(R"(
.text
.globl run_case
.type run_case, @function
run_case:
  push %ebp
  push %ebx
  push %esi
  push %edi
  mov 20(%esp), %edi
  pushl 24(%esp)
  .irp n,0,1,2,3,4,5,6,7
    movups 144+16*\n(%edi), %xmm\n
  .endr
  pushl 128(%edi)
  popfl
  mov 0(%edi), %eax
  mov 8(%edi), %ecx
  mov 16(%edi), %edx
  mov 24(%edi), %ebx
  mov 40(%edi), %ebp
  mov 48(%edi), %esi
  mov 56(%edi), %edi
  call *(%esp)
  pushfl
  push %edi
  mov 32(%esp), %edi
  mov %eax, 0(%edi)
  pop %eax
  mov %eax, 56(%edi)
  pop %eax
  mov %eax, 128(%edi)
  cld
  mov %ecx, 8(%edi)
  mov %edx, 16(%edi)
  mov %ebx, 24(%edi)
  mov %ebp, 40(%edi)
  mov %esi, 48(%edi)
  .irp n,0,1,2,3,4,5,6,7
    movups %xmm\n, 144+16*\n(%edi)
  .endr
  pop %eax
  pop %edi
  pop %esi
  pop %ebx
  pop %ebp
  ret
)");

struct Case {
  const void* code;
  const char* text;
};
extern "C" const Case __start_access_cases[], __stop_access_cases[];

// The first buffer, as an operand.
#define FIRST "(%esi)"

// A row of the table: the instruction's address and its text. esi and edi point into two buffers, ebx is 3,
// ecx 5.
#define CASE(text)                                                                 \
  asm(".text\n771: " text "\n ret\n.pushsection .rodata\n772: .asciz \"" text      \
      "\"\n.popsection\n.pushsection access_cases,\"aw\"\n.balign 4\n.long 771b\n" \
      ".long 772b\n.popsection\n")

CASE("mov (%esi), %eax");
CASE("mov (%esi), %ax");
CASE("mov (%esi), %al");
CASE("mov (%esi), %ah");
CASE("mov (%esi), %dh");
CASE("mov 8(%esi,%ebx,4), %edx");
CASE("mov -8(%esi,%ebx,8), %ebp");
CASE("mov 0x40(%esi), %edx");
CASE("mov 0x100(%esi), %edi");
CASE("mov %eax, (%esi)");
CASE("mov %dx, 2(%esi)");
CASE("mov %dl, (%esi)");
CASE("mov %ch, (%esi)");
CASE("mov %ebp, (%esi,%ebx,8)");
CASE("movb $0x5A, (%esi)");
CASE("movw $0x1234, (%esi)");
CASE("movl $0x89ABCDEF, (%esi)");
CASE("movzbl (%esi), %eax");
CASE("movzbw (%esi), %ax");
CASE("movzwl (%esi), %ebp");
CASE("movsbl 3(%esi), %eax");
CASE("movsbl 3(%esi), %esi");
CASE("movsbw 5(%esi), %dx");
CASE("movswl (%esi), %edx");
CASE("movnti %eax, (%esi)");
CASE("xchg %eax, (%esi)");
CASE("xchg %dl, (%esi)");
CASE("add %eax, (%esi)");
CASE("lock or %edx, (%esi)");
CASE("adc %dl, (%esi)");
CASE("sbb %dx, (%esi)");
CASE("and %eax, 4(%esi)");
CASE("sub %ebp, (%esi)");
CASE("xor %ah, (%esi)");
CASE("cmp %eax, (%esi)");
CASE("cmp %dl, (%esi)");
CASE("add (%esi), %eax");
CASE("or (%esi), %dl");
CASE("adc (%esi), %edx");
CASE("sbb (%esi), %eax");
CASE("and (%esi), %bp");
CASE("sub (%esi), %edx");
CASE("xor (%esi), %eax");
CASE("cmp (%esi), %eax");
CASE("addl $0x7FFFFFFF, (%esi)");
CASE("orl $1, (%esi)");
CASE("orb $0x80, (%esi)");
CASE("andl $-2, (%esi)");
CASE("subw $0x1234, (%esi)");
CASE("xorl $0x55AA55AA, (%esi)");
CASE("cmpl $1, (%esi)");
CASE("cmpb $0x40, (%esi)");
CASE("test %eax, (%esi)");
CASE("test %dl, (%esi)");
CASE("testb $0x81, (%esi)");
CASE("testl $0x80000000, (%esi)");
CASE("notl (%esi)");
CASE("negl (%esi)");
CASE("negb (%esi)");
CASE("incl (%esi)");
CASE("decl (%esi)");
CASE("incb (%esi)");
CASE("movsb");
CASE("movsl");
CASE("rep movsb");
CASE("rep movsw");
CASE("rep movsl");
CASE("stosb");
CASE("stosl");
CASE("rep stosb");
CASE("rep stosw");
CASE("rep stosl");
CASE("lodsb");
CASE("lodsl");
CASE("std; rep movsl");
CASE("std; rep stosb");
CASE("mov $3000, %ecx; rep movsl");
CASE("mov $9001, %ecx; rep movsb");
CASE("mov $3000, %ecx; rep stosl");
CASE("xor %ecx, %ecx; rep movsb");
CASE("movups (%esi), %xmm3");
CASE("movups %xmm2, 3(%esi)");
CASE("movupd 16(%esi), %xmm7");
CASE("movaps (%esi), %xmm0");
CASE("movaps %xmm1, (%esi)");
CASE("movdqa (%esi), %xmm4");
CASE("movdqa %xmm5, (%esi)");
CASE("movdqu 5(%esi), %xmm6");
CASE("movdqu %xmm7, 7(%esi)");
CASE("movss (%esi), %xmm2");
CASE("movss %xmm2, (%esi)");
CASE("movsd (%esi), %xmm2");
CASE("movsd %xmm1, 8(%esi)");
CASE("movd (%esi), %xmm2");
CASE("movd %xmm1, (%esi)");
CASE("movq (%esi), %xmm3");
CASE("movq %xmm4, (%esi)");
CASE("movlps (%esi), %xmm2");
CASE("movlps %xmm2, (%esi)");
CASE("movhps 8(%esi), %xmm2");
CASE("movhps %xmm3, (%esi)");
CASE("movntps %xmm1, (%esi)");
CASE("movntdq %xmm2, (%esi)");

}  // namespace
}  // namespace aerogpu::host
