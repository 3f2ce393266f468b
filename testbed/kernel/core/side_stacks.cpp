// SPDX-License-Identifier: MIT
#include "testbed/kernel/core/side_stacks.h"

#include <signal.h>
#include <sys/mman.h>

#include <cstdio>
#include <cstdlib>

namespace aerogpu::host {

SideStacks::SideStacks() {
  void* memory = mmap(nullptr, kEntryBytes + kSignalBytes, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, -1, 0);
  if (memory == MAP_FAILED) {
    std::perror("memory for a thread's stacks");
    std::abort();
  }
  m_memory = static_cast<uint8_t*>(memory);
  stack_t stack{};
  stack.ss_sp = m_memory + kEntryBytes;
  stack.ss_size = kSignalBytes;
  if (sigaltstack(&stack, nullptr) == 0) return;
  std::perror("sigaltstack");
  std::abort();
}

SideStacks::~SideStacks() {
  stack_t none{};
  none.ss_flags = SS_DISABLE;
  sigaltstack(&none, nullptr);
  munmap(m_memory, kEntryBytes + kSignalBytes);
}

}  // namespace aerogpu::host
