// SPDX-License-Identifier: MIT
#include "core/thread.h"

#include <asm/prctl.h>
#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <memory>

#include "core/clock.h"

namespace aerogpu::host {

namespace {
thread_local std::unique_ptr<Thread> t_owner;
thread_local Thread* t_thread = nullptr;
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
  pthread_attr_t attributes;
  void* stack = nullptr;
  size_t bytes = 0;
  if (pthread_getattr_np(pthread_self(), &attributes) == 0) {
    pthread_attr_getstack(&attributes, &stack, &bytes);
    pthread_attr_destroy(&attributes);
  }
  thread->stackLow = reinterpret_cast<uint64_t>(stack);
  thread->stackHigh = thread->stackLow + bytes;
  if (syscall(SYS_arch_prctl, ARCH_SET_GS, &thread->block) != 0) {
    std::perror("arch_prctl(ARCH_SET_GS)");
    std::abort();
  }
  t_thread = thread;
  clockJoin();
  return thread;
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
