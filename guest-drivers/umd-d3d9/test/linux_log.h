// SPDX-License-Identifier: MIT
// Test support: what the log of calls has of Windows, in the test's memory.
#pragma once

#include <string>
#include <vector>

namespace aero::test {

/** From now on there is no file for the log, or is again. */
void refuseLogFiles(bool refuse);
/** The file that was made last, which outlives the driver's use of it; empty: none since the last call. */
std::vector<char> takeLogFile();
/** Lines for the debugger since the last call. */
std::vector<std::string> takeDebugOutput();

}  // namespace aero::test
