// SPDX-License-Identifier: MIT
// device_access_test.cpp: the instructions of x64, and the code that executes one.
#pragma once

#include <cstddef>
#include <cstdint>

namespace aerogpu::host {
namespace {

/// The input and the output of an instruction; run_case knows the offsets.
struct State {
  uint64_t gpr[16];  // as in SehContext; rsp is not loaded
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

// The first buffer, as an operand.
#define FIRST "(%rsi)"

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

}  // namespace
}  // namespace aerogpu::host
