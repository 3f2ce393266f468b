// SPDX-License-Identifier: MIT
#include "testbed/kernel/core/report.h"

#include <unistd.h>

#include <atomic>
#include <cstdarg>
#include <cstdio>
#include <mutex>
#include <set>

namespace aerogpu::host {

namespace {

std::mutex s_reportMutex;
std::set<std::string> s_printed;
std::atomic<unsigned> s_count{0};
std::atomic<void (*)()> s_bugCheckHook{nullptr};

std::string format(const char* text, va_list arguments) {
  char line[1024];
  std::vsnprintf(line, sizeof line, text, arguments);
  return line;
}

}  // namespace

void brokenRule(const char* text, ...) {
  va_list arguments;
  va_start(arguments, text);
  const std::string line = format(text, arguments);
  va_end(arguments);
  ++s_count;
  std::lock_guard lock(s_reportMutex);
  if (!s_printed.insert(line).second) return;
  std::printf("# broken rule: %s\n", line.c_str());
  std::fflush(stdout);
}

unsigned brokenRules() {
  return s_count;
}

void resetBrokenRules() {
  std::lock_guard lock(s_reportMutex);
  s_printed.clear();
  s_count = 0;
}

void note(const char* text, ...) {
  va_list arguments;
  va_start(arguments, text);
  const std::string line = format(text, arguments);
  va_end(arguments);
  std::lock_guard lock(s_reportMutex);
  std::printf("# %s\n", line.c_str());
  std::fflush(stdout);
}

void setBugCheckHook(void (*hook)()) {
  s_bugCheckHook = hook;
}

void bugCheck(uint32_t code, const uint64_t (&p)[4], const std::string& details) {
  std::printf("# bug-check %08X (%llX, %llX, %llX, %llX)\n%s", code, static_cast<unsigned long long>(p[0]),
              static_cast<unsigned long long>(p[1]), static_cast<unsigned long long>(p[2]),
              static_cast<unsigned long long>(p[3]), details.c_str());
  std::fflush(stdout);
  if (auto* hook = s_bugCheckHook.exchange(nullptr)) hook();
  std::fflush(stdout);
  _exit(kBugCheckExit);
}

}  // namespace aerogpu::host
