// SPDX-License-Identifier: MIT
#include "testbed/kernel/dxgk/ddi_call.h"

#include <algorithm>

#include "testbed/kernel/dxgk/isr_state.h"

namespace aerogpu::host {

namespace {
void (*s_afterDdi)(const char*);
std::mutex s_stackMutex;
std::map<std::string, uint64_t> s_stack;
}  // namespace

DdiCounts& ddiCounts() {
  static DdiCounts counts;
  return counts;
}

void setAfterDdiCheck(void (*check)(const char*)) {
  s_afterDdi = check;
}
void runAfterDdiCheck(const char* ddi) {
  if (isrState().owesDpc) brokenRule("%s notified of an interrupt without DxgkCbQueueDpc", ddi);
  isrState().owesDpc = false;
  if (s_afterDdi) s_afterDdi(ddi);
}
void recordStackUse(const char* ddi, uint64_t bytes) {
  std::lock_guard lock(s_stackMutex);
  uint64_t& most = s_stack[ddi];
  most = std::max(most, bytes);
}
std::map<std::string, uint64_t> stackUse() {
  std::lock_guard lock(s_stackMutex);
  return s_stack;
}

}  // namespace aerogpu::host
