// SPDX-License-Identifier: MIT
// fail.h: how programs report failures.
#pragma once

#include <cstdarg>
#include <cstdio>

namespace programs {

/** The beginning of each line: the program's name and `: `; `#` and a blank among lines that are `ok` or `not ok`. */
inline const char *speaker = "program", *speakerEnd = ": ";

/** Prints the text, as printf does, as such a line, and returns false. */
__attribute__((format(printf, 1, 2))) inline bool fail(const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  std::printf("%s%s", speaker, speakerEnd);
  std::vprintf(format, arguments);
  std::printf("\n");
  va_end(arguments);
  return false;
}

}  // namespace programs
