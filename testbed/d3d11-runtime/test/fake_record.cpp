// SPDX-License-Identifier: MIT
// The record of fake11.dll, which its driver shares with the kernel side of the fake of Direct3D 9.
#include <cstdarg>
#include <cstdio>
#include <string>
#include <vector>

#include "testbed/d3d9-runtime/test/fake.h"
#include "testbed/d3d9-runtime/test/fake_record.h"

namespace aerogpu::fake {
namespace {

std::vector<std::string> g_calls;
std::string g_misbehaviour;
unsigned g_alive;

}  // namespace

void record(const char *format, ...) {
  char line[512];
  va_list arguments;
  va_start(arguments, format);
  std::vsnprintf(line, sizeof line, format, arguments);
  va_end(arguments);
  g_calls.emplace_back(line);
}

bool misbehaves(const char *how) {
  return g_misbehaviour == how;
}

unsigned &aliveCount() {
  return g_alive;
}

}  // namespace aerogpu::fake

using namespace aerogpu::fake;

extern "C" {

unsigned fakeCallCount() {
  return static_cast<unsigned>(g_calls.size());
}
const char *fakeCall(unsigned index) {
  return index < g_calls.size() ? g_calls[index].c_str() : "";
}
void fakeClear() {
  g_calls.clear();
}
unsigned fakeAlive() {
  return g_alive;
}
void fakeMisbehave(const char *how) {
  g_misbehaviour = how ? how : "";
}

}  // extern "C"
