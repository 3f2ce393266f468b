// SPDX-License-Identifier: MIT
// The helper process's side of the control socket: one sandboxed child for each call. The process itself has
// one thread and never reads a guest's bytes, so that every fork is safe and a child starts from a clean
// state.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "renderer/process/protocol.h"

namespace aerogpu::process {

/// The product of a job, or its refusal.
struct JobAnswer {
  Verdict verdict = Verdict::Refused;
  std::vector<uint8_t> bytes;  ///< the product, or the reason as text

  static JobAnswer done(std::vector<uint8_t> bytes) { return {Verdict::Done, std::move(bytes)}; }
  static JobAnswer refused(std::string_view why);
};

/// Runs in a child, inside the sandbox: its leaks and damage end with the process.
using JobFunction = JobAnswer (*)(std::span<const uint8_t> input);

/// Serves calls on `control` until every other end of it is closed. A call names its job by the index in the
/// table.
void serve(int control, std::span<const JobFunction> jobs);

/// Runs the whole program: privileges, background, serve(). `name`: the program's, for a message to a person
/// who starts it by hand. Returns the exit status.
int serverMain(int argc, const char* name, std::span<const JobFunction> jobs);

}  // namespace aerogpu::process
