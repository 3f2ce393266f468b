// SPDX-License-Identifier: MIT
// The demo's options, from its command line or, in the VM, from the kernel's (aerogpu.demo=WORD,WORD...).
#pragma once

#include <cstdint>
#include <string>

#include "guest-drivers/linux/device/scanout.h"
#include "guest-drivers/linux/device/status.h"

namespace aerogpu::guest {

enum class Task { Desktop, Latency, SelfTest, Probe };

/// Words: desktop, latency, selftest, probe, mode=WxH, frames=N (stop after N, 0 = never), iterations=N
/// (latency), fixed (time advances by 1/60 s a frame whatever the clock says).
struct Options {
  Task task = Task::Desktop;
  Mode mode;
  uint32_t frames = 0;
  uint32_t iterations = 2000;
  bool fixedStep = false;

  /// Takes words separated by commas. Unknown words and bad numbers are failures.
  Status parseWords(const std::string& words);
  /// Takes the words of arguments `--word` and `--word=value` (`--bench-latency` is latency).
  Status parseArguments(int argc, char** argv);
  /// Takes the words of aerogpu.demo= in a kernel command line.
  Status parseKernelCommandLine(const std::string& line);
};

}  // namespace aerogpu::guest
