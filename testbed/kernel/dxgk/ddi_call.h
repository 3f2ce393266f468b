// SPDX-License-Identifier: MIT
// Calls the driver: at the IRQL that the DDI's page gives, with the synchronization that the page "Threading
// and synchronization levels" gives, and with checks afterwards.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <shared_mutex>
#include <string>
#include <type_traits>

#include "testbed/kernel/core/driver_stack.h"
#include "testbed/kernel/core/report.h"
#include "testbed/kernel/core/thread.h"
#include "testbed/kernel/nt/nt_state.h"

namespace aerogpu::host {

/// Counts calls by DDI name, for the table of what is tested.
class DdiCounts {
public:
  void add(const char* name) {
    std::lock_guard lock(m_mutex);
    ++m_counts[name];
  }
  std::map<std::string, uint64_t> all() const {
    std::lock_guard lock(m_mutex);
    return m_counts;
  }

private:
  mutable std::mutex m_mutex;
  std::map<std::string, uint64_t> m_counts;
};
DdiCounts& ddiCounts();

/// Sets a check of the state that every DDI must leave (acquired VidPN objects, for example). Set by the
/// VidPN manager.
void setAfterDdiCheck(void (*check)(const char* ddi));
void runAfterDdiCheck(const char* ddi);

/// Checks a call's result and how long it waited: ddi_rules.cpp.
void checkResult(const char* ddi, int32_t status);
void checkWaits(const char* ddi, int64_t waitedNs);

/// Records the most stack, in bytes, that calls of each DDI used (core/driver_stack.h).
void recordStackUse(const char* ddi, uint64_t bytes);
std::map<std::string, uint64_t> stackUse();

/// Calls `function` (a slot of DRIVER_INITIALIZATION_DATA) at `irql`.
template <class Result, class... Parameters, class... Arguments>
Result callDdi(const char* name, uint8_t irql, Result(HOST_API* function)(Parameters...),
               Arguments... arguments) {
  Thread* thread = currentThread();
  if (!function) {
    brokenRule("%s is a slot without a function", name);
    if constexpr (!std::is_void_v<Result>)
      return static_cast<Result>(0xC0000002);
    else
      return;
  }
  ddiCounts().add(name);
  const char* const outerName = thread->ddi;
  const uint8_t outerIrql = thread->irql();
  const uint64_t outerRsp = thread->driverEntryRsp;
  const int64_t outerWaited = thread->waitedNs;
  thread->ddi = name;
  thread->driverEntryRsp = reinterpret_cast<uintptr_t>(__builtin_frame_address(0));
  thread->waitedNs = 0;
  if (irql > outerIrql) thread->block.irql = irql;
  StackWatch stack(*thread);
  const auto finish = [&] {
    recordStackUse(name, stack.used());
    checkThreadBalanced(name, irql > outerIrql ? irql : outerIrql);
    checkWaits(name, thread->waitedNs);
    thread->waitedNs += outerWaited;
    thread->block.irql = outerIrql;
    thread->driverEntryRsp = outerRsp;
    runAfterDdiCheck(name);
    thread->ddi = outerName;
  };
  if constexpr (std::is_void_v<Result>) {
    function(arguments...);
    finish();
  } else {
    const Result result = function(arguments...);
    finish();
    if constexpr (std::is_same_v<Result, NTSTATUS>) checkResult(name, result);
    return result;
  }
}

}  // namespace aerogpu::host
