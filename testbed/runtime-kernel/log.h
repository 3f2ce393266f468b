// SPDX-License-Identifier: MIT
// The runtime's log: lines for people, broken rules of the driver, and calls that are not implemented. Lines go to the
// file that the setting LOG names, else to standard error. Any thread.
#pragma once

namespace aerogpu::runtime {

/// Opens the log. Called once, from DllMain.
void openLog();

/// Writes one line, with the name of the runtime before it.
[[gnu::format(printf, 1, 2)]] void logLine(const char *format, ...);

/// Writes a line once for each `key`, a string of static storage.
[[gnu::format(printf, 2, 3)]] void logOnce(const char *key, const char *format, ...);

/// Reports that the driver did what the interface forbids. Each is logged and counted; with the setting STRICT=1 a
/// process in which there was one ends with exit code 3.
[[gnu::format(printf, 1, 2)]] void brokenRule(const char *format, ...);

/// Returns the number of broken rules so far.
unsigned brokenRules();

/// Reports that `method` ("IDirect3DDevice9::DrawTriPatch") is not implemented; logged at its first call. The file
/// test/not_implemented.txt lists all of them; a test compares.
void notImplemented(const char *method);

/// Called at the end of the process: logs the number of broken rules, and sets the exit code if that is wanted.
void closeLog();

}  // namespace aerogpu::runtime
