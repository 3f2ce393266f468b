// SPDX-License-Identifier: MIT
// aerogpu-driver-host --serve: an adapter with its desktop, for programs that call D3DKMT.
// docs/windows/driver-host.md, "Serving programs".
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace aerogpu::host {

struct ServeOptions {
  std::string driver;              // aerogpu.sys
  std::string umd;                 // of Direct3D 9: a Unix or a Windows path; may be empty
  std::string umdWow;              // the one for 32-bit programs
  std::string umd10, umd10Wow;     // the same of Direct3D 10 and 11
  uint16_t port = 0;               // 0: any port
  unsigned width = 0, height = 0;  // size of the desktop; 0: the driver's preferred mode
  unsigned memoryPages = 384;      // pages of 2 MiB
  unsigned saveEvery = 0;          // seconds between two saves of the machine; 0: none
  std::vector<std::pair<std::string, uint32_t>> settings;  // values for the driver's software key
};

/// Serves until SIGTERM, SIGINT or the end of standard input, which takes commands, one per line: "screendump
/// FILE" (PPM); "counter NAME", a property of the device (docs/develop/debugging.md), whose value follows in
/// the answer; "holdings", the numbers of processes, handles, shared groups, allocations and bytes of pool;
/// "window-surface WxH FORMAT", which makes the surface into which GDI draws a window and answers with its
/// global handle; "close-window-surface HANDLE"; "sleep", after which the machine has slept and is awake (in
/// a VM something outside has to wake it); "lose-gpu" and "stick-gpu", which do what x-gpu-fault 1 and 4 do
/// (docs/develop/debugging.md). Returns the exit status: 0 unless the driver broke a rule, or serving could
/// not start.
int serve(const ServeOptions& options);

}  // namespace aerogpu::host
