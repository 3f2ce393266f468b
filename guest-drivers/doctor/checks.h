// SPDX-License-Identifier: MIT
// checks.h: prints a line for each thing that was checked, and the conclusion.
#pragma once

namespace doctor {

class Checks {
public:
  /// Prints "ok   NAME: WHAT IS", or "OFF  NAME: WHAT IS; should be SHOULD". `name` is one word and stays
  /// valid. Returns `good`.
  bool step(const char* name, bool good, const char* should, const char* is, ...)
      __attribute__((format(gnu_printf, 5, 6)));
  /// Prints a step that makes no claim about what should be.
  void note(const char* name, const char* is, ...) __attribute__((format(gnu_printf, 3, 4)));
  /// Prints the last line, for programs: `aerogpu-doctor: ok|off bits=B level=L steps=N off=NAME,NAME...`.
  /// `level`: see level9.h. Returns the exit status: 0, or 1 if something is off.
  int finish(int level);

private:
  int m_steps = 0, m_off = 0;
  const char* m_offNames[64] = {};
};

}  // namespace doctor
