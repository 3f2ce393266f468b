// SPDX-License-Identifier: MIT
// reports.h: prints the driver's answers as lines of "name  value" for people. Each report sends one escape
// or a few, and prints one line on standard error if it fails.
#pragma once

#include <stdint.h>
#include <stdio.h>

namespace dbgctl {

class Kernel;

/// Writes the report to `out`; returns false if the driver did not answer.
using Report = bool(Kernel& kernel, FILE* out);

Report reportStatus;
Report reportDevice;
Report reportFences;
Report reportRing;
Report reportErrors;
Report reportCounters;
Report reportVblank;
Report reportScanout;
Report reportCursor;
Report reportAllocations;
Report reportOperations;
Report reportSettings;

/// Runs the self test, within `milliseconds` (0: the driver's limit). Returns false also if the test finds a
/// fault.
bool reportSelfTest(Kernel& kernel, FILE* out, uint32_t milliseconds);

/// Prints a line of a report, with the name in a column of its own.
void line(FILE* out, const char* name, const char* format, ...) __attribute__((format(gnu_printf, 3, 4)));

}  // namespace dbgctl
