// SPDX-License-Identifier: MIT
#include "testbed/kernel/core/thread.h"

#if defined(__x86_64__)
#include <asm/prctl.h>
#else
#include <asm/ldt.h>
#endif
#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <climits>
#include <cstdio>
#include <cstdlib>
#include <future>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>

#include "testbed/kernel/core/clock.h"

namespace aerogpu::host {

namespace {
thread_local std::unique_ptr<Thread> t_owner;
thread_local Thread* t_thread = nullptr;

#if defined(__x86_64__)
void setProcessorBlock(ProcessorBlock* block) {
  if (syscall(SYS_arch_prctl, ARCH_SET_GS, block) == 0) return;
  std::perror("arch_prctl(ARCH_SET_GS)");
  std::abort();
}
#else
/// Makes FS point to the block, by set_thread_area(2). Each thread has its own descriptors, so all can use
/// the same number; GS has glibc's own.
void setProcessorBlock(ProcessorBlock* block) {
  static std::mutex mutex;
  static unsigned entry = UINT_MAX;  // the kernel chooses the first time
  std::lock_guard lock(mutex);
  user_desc segment{};
  segment.entry_number = entry;
  segment.base_addr = reinterpret_cast<uintptr_t>(block);
  segment.limit = 0xFFFFF;
  segment.seg_32bit = segment.limit_in_pages = segment.useable = 1;
  if (syscall(SYS_set_thread_area, &segment) != 0) {
    std::perror("set_thread_area");
    std::abort();
  }
  entry = segment.entry_number;
  const auto selector = static_cast<uint16_t>(entry << 3 | 3);
  __asm__ volatile("movw %0, %%fs" : : "r"(selector) : "memory");
}
#endif
}  // namespace

Thread* attachThread(const char* name) {
  if (t_thread) {
    t_thread->name = name;
    return t_thread;
  }
  t_owner = std::make_unique<Thread>();
  Thread* thread = t_owner.get();
  thread->name = name;
  thread->block.self = &thread->block;
  thread->block.currentThread = thread;
  thread->block.nextFrame = thread->block.frames;
  thread->block.entryStack = thread->stacks.entryTop();
  pthread_attr_t attributes;
  void* stack = nullptr;
  size_t bytes = 0;
  if (pthread_getattr_np(pthread_self(), &attributes) == 0) {
    pthread_attr_getstack(&attributes, &stack, &bytes);
    pthread_attr_destroy(&attributes);
  }
  thread->stackLow = reinterpret_cast<uintptr_t>(stack);
  thread->stackHigh = thread->stackLow + bytes;
#if defined(__i386__)
  thread->block.stackLimit = static_cast<uint32_t>(thread->stackLow);
  thread->block.stackBase = static_cast<uint32_t>(thread->stackHigh);
#endif
  setProcessorBlock(&thread->block);
  t_thread = thread;
  clockJoin();
  return thread;
}

void startThread(const char* name, std::function<void()> body) {
  std::promise<void> attached;
  const std::future<void> isAttached = attached.get_future();
  std::thread([name, attached = std::move(attached), body = std::move(body)]() mutable {
    attachThread(name);
    attached.set_value();
    body();
  }).detach();
  isAttached.wait();
}

Thread* currentThread() {
  return t_thread ? t_thread : attachThread("host");
}

Thread* currentThreadOrNull() {
  return t_thread;
}

const char* irqlName(uint8_t irql) {
  switch (irql) {
    case kPassiveLevel:
      return "PASSIVE_LEVEL";
    case kApcLevel:
      return "APC_LEVEL";
    case kDispatchLevel:
      return "DISPATCH_LEVEL";
    case kDeviceLevel:
      return "DIRQL";
    case kHighLevel:
      return "HIGH_LEVEL";
    default:
      return "an unusual IRQL";
  }
}

}  // namespace aerogpu::host
