// SPDX-License-Identifier: MIT
// child.h: starts another program, sends it lines and reads lines from it.
#pragma once

#include "guest-drivers/programs/program.h"

namespace programs {

class Child {
public:
  Child() = default;
  Child(const Child &) = delete;
  Child &operator=(const Child &) = delete;
  /** Ends the child, by force if it does not end by itself. */
  ~Child();

  /** Starts `program`, a path, with `arguments`. Prints what failed. */
  bool start(const char *program, const char *arguments);
  /** Sends a line, without its end. */
  bool tell(const char *format, ...) __attribute__((format(printf, 2, 3)));
  /** Reads the next line that begins with `word`, without it and the blank after it. Other lines are passed on to
   * standard output. Prints an error, and returns false, if the program ends or prints nothing more. */
  bool hear(const char *word, char *rest, size_t size);
  /** Ends it at once, whatever it is doing. */
  void kill();
  /** Closes its input and waits. Prints an error if its exit status is not 0. */
  bool finish();

private:
  bool readLine(char *line, size_t size);

  HANDLE process_ = nullptr, input_ = nullptr, output_ = nullptr;
  DWORD id_ = 0;
  char buffer_[512];
  size_t used_ = 0;
};

/** Finds the path of program `name` in this program's folder: NAME.exe, for a NAME-x86.exe its NAME-x86.exe. Returns
 * false and prints a line if there is none. */
bool neighbour(const char *name, char *path, size_t size);

/** Returns 32 or 64, a program's word size, from its headers; 0, with a printed line, if it is no program. */
int programBits(const char *path);

}  // namespace programs
