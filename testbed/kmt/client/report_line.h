// SPDX-License-Identifier: MIT
// report_line.h: messages of the library for people. Any thread.
#pragma once

namespace aerogpu::kmt {

/// Prints one line on the program's standard error and to the debugger.
void reportLine(const char *what, const char *detail);

}  // namespace aerogpu::kmt
