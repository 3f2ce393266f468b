// SPDX-License-Identifier: MIT
// What the runtime has to say: lines for people, broken rules of the driver, and calls that are not implemented.
// Lines go to the file that AEROGPU_D3D9_LOG names, else to standard error. Any thread.
#pragma once

namespace aerogpu::runtime {

/// Opens the log. From DllMain, once.
void openLog();

/// One line, "aerogpu-d3d9: " before it.
[[gnu::format(printf, 1, 2)]] void logLine(const char *format, ...);

/// A line that is only said once for each `key`, a string of static storage.
[[gnu::format(printf, 2, 3)]] void logOnce(const char *key, const char *format, ...);

/// The driver did what the interface forbids. Each is logged and counted; with AEROGPU_D3D9_STRICT=1 a process in
/// which there was one ends with exit code 3.
[[gnu::format(printf, 1, 2)]] void brokenRule(const char *format, ...);

/// Broken rules so far.
unsigned brokenRules();

/// `method` ("IDirect3DDevice9::DrawTriPatch") is not implemented: logged at its first call. The file
/// test/not_implemented.txt lists all of them; a test compares.
void notImplemented(const char *method);

/// The end of the process: says how many rules were broken, and makes them its exit code if that is wanted.
void closeLog();

}  // namespace aerogpu::runtime
