// SPDX-License-Identifier: MIT
// Reports the driver's errors: broken rules are counted and printed, and the test continues; a bug-check ends
// the process. Any thread; printing takes a lock, so not from signal handlers of host code.
#pragma once

#include <cstdint>
#include <string>

namespace aerogpu::host {

/// Exit status of a process that ended in a bug-check; the test runner distinguishes it from an ordinary
/// failure.
inline constexpr int kBugCheckExit = 86;

/// Prints one line ("# broken rule: ...") and counts it. The same text is printed once and counted each time.
__attribute__((format(printf, 1, 2))) void brokenRule(const char* format, ...);
/// Returns how many rules were broken since the last resetBrokenRules().
unsigned brokenRules();
void resetBrokenRules();

/// Prints one line of information ("# ...").
__attribute__((format(printf, 1, 2))) void note(const char* format, ...);

/// Prints code, parameters, registers and call stack, runs the function of setBugCheckHook() (the driver's
/// display may have to be checked), and ends the process with kBugCheckExit.
[[noreturn]] void bugCheck(uint32_t code, const uint64_t (&parameters)[4], const std::string& details);
void setBugCheckHook(void (*hook)());

}  // namespace aerogpu::host
