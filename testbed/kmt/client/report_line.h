// SPDX-License-Identifier: MIT
// report_line.h: what the library has to say to a person. Any thread.
#pragma once

namespace aerogpu::kmt {

/// One line on the program's standard error and to the debugger.
void reportLine(const char *what, const char *detail);

}  // namespace aerogpu::kmt
