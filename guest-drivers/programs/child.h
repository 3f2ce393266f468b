// SPDX-License-Identifier: MIT
// child.h: a program that this one starts, tells lines and hears lines from.
#pragma once

#include "guest-drivers/programs/program.h"

namespace programs {

class Child {
public:
  Child() = default;
  Child(const Child &) = delete;
  Child &operator=(const Child &) = delete;
  /** Ends it, by force if it does not end by itself. */
  ~Child();

  /** Starts `program`, a path, with `arguments`. Prints what failed. */
  bool start(const char *program, const char *arguments);
  /** Sends a line, without its end. */
  bool tell(const char *format, ...) __attribute__((format(printf, 2, 3)));
  /** The next line that begins with `word`, without it and the blank behind it. Other lines are passed on to standard
   * output. Prints an error, and returns false, where the program ends or says nothing more. */
  bool hear(const char *word, char *rest, size_t size);
  /** Closes its input and waits. Prints an error where it does not end with 0. */
  bool finish();

private:
  bool readLine(char *line, size_t size);

  HANDLE process_ = nullptr, input_ = nullptr, output_ = nullptr;
  DWORD id_ = 0;
  char buffer_[512];
  size_t used_ = 0;
};

/** The path of program `name` in this program's folder: NAME.exe, for a NAME-x86.exe its NAME-x86.exe. False, and a
 * line, if there is none. */
bool neighbour(const char *name, char *path, size_t size);

/** 32 or 64: what a program is for, from its headers; 0, and a line, if it is no program. */
int programBits(const char *path);

}  // namespace programs
