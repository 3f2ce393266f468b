// SPDX-License-Identifier: MIT
#include "testbed/runtime-kernel/log.h"

#include <windows.h>

#include <cstdarg>
#include <cstdio>
#include <cstring>

#include "testbed/runtime-kernel/settings.h"

namespace aerogpu::runtime {
namespace {

constexpr unsigned kMostKeys = 512;
constexpr unsigned kMostRuleLines = 200;

FILE *g_file;
CRITICAL_SECTION g_lock;
const char *g_keys[kMostKeys];
unsigned g_keyCount;
volatile LONG g_brokenRules;

void write(const char *kind, const char *format, va_list arguments) {
  char text[1024];
  std::vsnprintf(text, sizeof text, format, arguments);
  EnterCriticalSection(&g_lock);
  std::fprintf(g_file, "aerogpu-%s: %s%s\n", runtimeName(), kind, text);
  std::fflush(g_file);
  LeaveCriticalSection(&g_lock);
}

/// True if `key` is new. Keys beyond the limit count as old, so that a log cannot grow without end.
bool isNew(const char *key) {
  bool found = false;
  EnterCriticalSection(&g_lock);
  for (unsigned i = 0; i < g_keyCount && !found; ++i) found = std::strcmp(g_keys[i], key) == 0;
  const bool fresh = !found && g_keyCount < kMostKeys;
  if (fresh) g_keys[g_keyCount++] = key;
  LeaveCriticalSection(&g_lock);
  return fresh;
}

}  // namespace

void openLog() {
  InitializeCriticalSection(&g_lock);
  g_file = stderr;
  char name[MAX_PATH];
  if (setting("LOG", name)) {
    if (FILE *file = std::fopen(name, "a")) g_file = file;
  }
}

void logLine(const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  write("", format, arguments);
  va_end(arguments);
}

void logOnce(const char *key, const char *format, ...) {
  if (!isNew(key)) return;
  va_list arguments;
  va_start(arguments, format);
  write("", format, arguments);
  va_end(arguments);
}

void brokenRule(const char *format, ...) {
  if (static_cast<unsigned>(InterlockedIncrement(&g_brokenRules)) > kMostRuleLines) return;
  va_list arguments;
  va_start(arguments, format);
  write("the driver broke a rule: ", format, arguments);
  va_end(arguments);
}

unsigned brokenRules() {
  return static_cast<unsigned>(g_brokenRules);
}

void notImplemented(const char *method) {
  logOnce(method, "%s is not implemented", method);
}

void closeLog() {
  if (!brokenRules()) return;
  logLine("%u broken rules", brokenRules());
  // In DLL_PROCESS_DETACH nothing else affects the exit code.
  if (settingBegins("STRICT", '1')) TerminateProcess(GetCurrentProcess(), 3);
}

}  // namespace aerogpu::runtime
