// SPDX-License-Identifier: MIT
#include "guest-drivers/doctor/checks.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

namespace doctor {

namespace {

void line(const char* mark, const char* name, const char* format, va_list arguments) {
  printf("%-5s%s: ", mark, name);
  vprintf(format, arguments);
}

}  // namespace

bool Checks::step(const char* name, bool good, const char* should, const char* is, ...) {
  va_list arguments;
  va_start(arguments, is);
  line(good ? "ok" : "OFF", name, is, arguments);
  va_end(arguments);
  printf(good ? "\n" : "; should be %s\n", should);
  m_steps++;
  if (!good && m_off < static_cast<int>(sizeof m_offNames / sizeof m_offNames[0])) m_offNames[m_off++] = name;
  return good;
}

void Checks::note(const char* name, const char* is, ...) {
  va_list arguments;
  va_start(arguments, is);
  line("", name, is, arguments);
  va_end(arguments);
  putchar('\n');
}

int Checks::finish(int level) {
  printf("aerogpu-doctor: %s bits=%d level=9_%d steps=%d off=", m_off ? "off" : "ok",
         static_cast<int>(sizeof(void*) * 8), level, m_steps);
  for (int i = 0; i < m_off; i++) printf("%s%s", i ? "," : "", m_offNames[i]);
  putchar('\n');
  return m_off ? 1 : 0;
}

}  // namespace doctor
