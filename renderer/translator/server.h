// SPDX-License-Identifier: MIT
// The translator process's side of the control socket: one sandboxed child for each call. The process itself
// has one thread and never looks at a guest's bytes, so that every fork is safe and a child starts from a
// clean state.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "renderer/translator/protocol.h"

namespace aerogpu::translator {

/// The product of a job, or its refusal.
struct JobAnswer {
  Verdict verdict = Verdict::Refused;
  std::vector<uint8_t> bytes;  ///< the product, or the reason as text

  static JobAnswer done(std::vector<uint8_t> bytes) { return {Verdict::Done, std::move(bytes)}; }
  static JobAnswer refused(std::string_view why);
};

/// Runs in a child, inside the sandbox: what it leaks or breaks ends with the process.
using JobFunction = JobAnswer (*)(std::span<const uint8_t> input);

/// Serves calls on `control` until every other end of it is closed. Call i of the table is Job i.
void serve(int control, std::span<const JobFunction> jobs);

/// The whole program: privileges, background, serve(). Returns the exit status.
int serverMain(int argc, std::span<const JobFunction> jobs);

}  // namespace aerogpu::translator
