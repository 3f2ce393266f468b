// SPDX-License-Identifier: MIT
// The last calls of a test that chooses its calls itself, for whoever has to find out why it failed. They lie
// in memory that the process of the test shares with its parent, so they outlive whatever that process ends
// by.
#pragma once

#include <cstdint>

namespace aerogpu::host {

/// Makes the memory. Once, before the processes of tests are forked; without it nothing is logged.
void openCallLog();
/// Forgets what was logged.
void clearCallLog();
/// From now on calls of this test are logged, which follow from the seed. One thread.
void beginCallLog(const char* test, uint64_t seed);
/// The next move begins: it is made of the calls that follow. Counted from 1.
void logMove();
/// One call, as somebody who reads a failure wants to see it.
__attribute__((format(printf, 1, 2))) void logCall(const char* format, ...);
/// Prints the last calls and how the test is run again up to its last move, each line behind "# "; `command`
/// is the program with the options that every run has. Nothing when nothing was logged.
void printCallLog(const char* command);

}  // namespace aerogpu::host
