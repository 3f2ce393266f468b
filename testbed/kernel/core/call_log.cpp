// SPDX-License-Identifier: MIT
#include "testbed/kernel/core/call_log.h"

#include <sys/mman.h>

#include <cstdarg>
#include <cstdio>
#include <cstring>

namespace aerogpu::host {

namespace {

constexpr unsigned kCalls = 40, kBytes = 160;

struct Log {
  char test[64];
  uint64_t seed;
  unsigned moves, calls;
  char lines[kCalls][kBytes];
};
Log* s_log;

}  // namespace

void openCallLog() {
  void* memory = mmap(nullptr, sizeof(Log), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (memory != MAP_FAILED) s_log = static_cast<Log*>(memory);
}

void clearCallLog() {
  if (s_log) *s_log = {};
}

void beginCallLog(const char* test, uint64_t seed) {
  if (!s_log) return;
  *s_log = {};
  std::snprintf(s_log->test, sizeof s_log->test, "%s", test);
  s_log->seed = seed;
}

void logMove() {
  if (s_log) ++s_log->moves;
}

void logCall(const char* format, ...) {
  if (!s_log) return;
  char* line = s_log->lines[s_log->calls % kCalls];
  const int used = std::snprintf(line, kBytes, "%u ", s_log->moves);
  va_list arguments;
  va_start(arguments, format);
  std::vsnprintf(line + used, kBytes - static_cast<size_t>(used), format, arguments);
  va_end(arguments);
  ++s_log->calls;  // the line is complete before it counts
}

void printCallLog(const char* command) {
  if (!s_log || !s_log->test[0]) return;
  const unsigned last = s_log->calls, first = last > kCalls ? last - kCalls : 0;
  std::printf("# seed %llu, the last of %u calls, each behind the number of its move:\n",
              static_cast<unsigned long long>(s_log->seed), last);
  for (unsigned i = first; i < last; ++i) std::printf("#   %s\n", s_log->lines[i % kCalls]);
  std::printf("# again: %s --seed %llu --iterations %u --run %s\n", command,
              static_cast<unsigned long long>(s_log->seed), s_log->moves, s_log->test);
  std::fflush(stdout);
}

}  // namespace aerogpu::host
