// SPDX-License-Identifier: MIT
#include "testbed/runtime-kernel/settings.h"

#include <windows.h>

#include <cstdio>

namespace aerogpu::runtime {
namespace {

const char *g_name = "";

}  // namespace

void nameRuntime(const char *name) {
  g_name = name;
}

const char *runtimeName() {
  return g_name;
}

bool setting(const char *name, char *value, size_t room) {
  char variable[64];
  std::snprintf(variable, sizeof variable, "AEROGPU_%s_%s", g_name, name);
  CharUpperA(variable);
  const DWORD length = GetEnvironmentVariableA(variable, value, static_cast<DWORD>(room));
  return length && length < room;
}

bool settingBegins(const char *name, char first) {
  char value[MAX_PATH];
  return setting(name, value) && value[0] == first;
}

}  // namespace aerogpu::runtime
