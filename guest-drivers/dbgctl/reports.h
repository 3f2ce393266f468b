// SPDX-License-Identifier: MIT
// reports.h: what the driver answers, as lines of "name  value" for people. Each report asks one escape or
// some, and says in one line on standard error why it could not.
#pragma once

#include <stdint.h>
#include <stdio.h>

namespace dbgctl {

class Kernel;

/// Writes the report to `out`; false when the driver did not answer.
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

/// The self test, within so many milliseconds (0: the driver's own limit). False when it finds something,
/// too.
bool reportSelfTest(Kernel& kernel, FILE* out, uint32_t milliseconds);

/// A line of a report: the name in a column of its own.
void line(FILE* out, const char* name, const char* format, ...) __attribute__((format(gnu_printf, 3, 4)));

}  // namespace dbgctl
