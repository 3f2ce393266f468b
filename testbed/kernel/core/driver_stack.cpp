// SPDX-License-Identifier: MIT
#include "testbed/kernel/core/driver_stack.h"

#include "testbed/kernel/core/thread.h"

namespace aerogpu::host {

namespace {

/// How many bytes are painted: twice the limit of a call path (tests-qtest/driver/test.cpp). A path that uses
/// more counts as using all of them.
constexpr uintptr_t kPainted = 6 << 10;
constexpr uintptr_t kPaint = static_cast<uintptr_t>(0xA5C3'5A3C'D14B'7E96);

void paintFor(Thread* thread, uintptr_t sp) {
  thread->paintedLow = (sp - kPainted) & ~(sizeof(uintptr_t) - 1);
  paintStack(*thread, sp);
}

void lookFor(Thread* thread, uintptr_t sp) {
  lookAtStack(*thread, sp);
}

/// Returns false for exception handlers, which run on the stack of signals.
bool isBelowBase(const Thread& thread, uintptr_t sp) {
  return thread.stackBase && sp <= thread.stackBase && sp >= thread.stackLow;
}

/// Calls `function` with `thread` and the caller's stack pointer, on the entry stack. In export_entry*.S.
extern "C" void aerogpuHostOnEntryStack(void (*function)(Thread* thread, uintptr_t sp), Thread* thread);

}  // namespace

__attribute__((noinline)) StackWatch::StackWatch(Thread& thread)
    : m_thread(thread),
      m_outerBase(thread.stackBase),
      m_outerLow(thread.paintedLow),
      m_outerDeepest(thread.deepestStack) {
  thread.deepestStack = 0;
  // The caller's stack ends here: after this function's saved frame pointer and return address.
  thread.stackBase = reinterpret_cast<uintptr_t>(__builtin_frame_address(0)) + 2 * sizeof(void*);
  aerogpuHostOnEntryStack(paintFor, &thread);
}

uint64_t StackWatch::used() {
  if (m_thread.stackBase) aerogpuHostOnEntryStack(lookFor, &m_thread);
  return m_thread.deepestStack;
}

StackWatch::~StackWatch() {
  m_thread.stackBase = m_outerBase;
  m_thread.paintedLow = m_outerLow;
  m_thread.deepestStack = m_outerDeepest;
}

void lookAtStack(Thread& thread, uintptr_t sp) {
  if (!isBelowBase(thread, sp)) return;
  uintptr_t lowest = thread.paintedLow;
  if (sp > lowest) {
    const auto* word = reinterpret_cast<const volatile uintptr_t*>(lowest);
    while (lowest < sp && *word == kPaint) {
      ++word;
      lowest += sizeof(uintptr_t);
    }
  } else {
    lowest = sp;
  }
  if (thread.stackBase - lowest > thread.deepestStack) thread.deepestStack = thread.stackBase - lowest;
}

void paintStack(Thread& thread, uintptr_t sp) {
  if (!isBelowBase(thread, sp)) return;
  auto* word = reinterpret_cast<volatile uintptr_t*>(thread.paintedLow);
  for (uintptr_t at = thread.paintedLow; at + sizeof(uintptr_t) <= sp; at += sizeof(uintptr_t))
    *word++ = kPaint;
}

}  // namespace aerogpu::host
