// SPDX-License-Identifier: MIT
// The last calls of a test that chooses its calls itself, for finding out why it failed. They lie in memory
// that the process of the test shares with its parent, so they survive any end of that process.
#pragma once

#include <cstdint>

namespace aerogpu::host {

/// Makes the memory. Called once, before the processes of tests are forked; without it nothing is logged.
void openCallLog();
/// Forgets what was logged.
void clearCallLog();
/// Starts logging calls of this test, which follow from the seed. One thread.
void beginCallLog(const char* test, uint64_t seed);
/// Begins the next move, which consists of the calls that follow. Counted from 1.
void logMove();
/// Logs one call, for the reader of a failure.
__attribute__((format(printf, 1, 2))) void logCall(const char* format, ...);
/// Prints the last calls and the command that runs the test again up to its last move, each line after "# ";
/// `command` is the program with the options that every run has. Prints nothing if nothing was logged.
void printCallLog(const char* command);

}  // namespace aerogpu::host
