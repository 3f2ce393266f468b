// SPDX-License-Identifier: MIT
// Test support: Windows' services for the log of calls, in the test's memory.
#pragma once

#include <string>
#include <vector>

namespace aero::test {

/** Refuses files for the log from now on, or allows them again. */
void refuseLogFiles(bool refuse);
/** Returns the file that was made last, which outlives the driver's use of it; empty: none since the last call. */
std::vector<char> takeLogFile();
/** Returns how often the driver asked to stay loaded. */
unsigned timesPinned();
/** Returns the lines for the debugger since the last call. */
std::vector<std::string> takeDebugOutput();

}  // namespace aero::test
