// SPDX-License-Identifier: MIT
// The renderer's side of the translator process. All renderers of a process share one.
#pragma once

#include <atomic>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <vector>

#include "renderer/base/result.h"
#include "renderer/process/client.h"
#include "renderer/translator/dxbc_answer.h"

namespace aerogpu::translator {

/// Starts the process that shared() returns, once; `program` empty = the one of this build:
/// $AEROGPU_TRANSLATOR, or aerogpu-translator where process::findProgram looks. False and a message if it
/// cannot run here; a later call tries again. Any thread.
bool prepareProcess(const std::string& program, std::string& error);

/// Takes the control socket of a process that another one has started, for shared(). Once, before
/// prepareProcess.
void takeProcess(int control);

/// Returns why shared() is null, for a log line. Any thread.
std::string whyNone();

/// Returns the process's client, or null if prepareProcess has not succeeded. Lives until the process ends.
/// Any thread.
process::Client* shared();

/// Runs a job (process::Client::call) and returns its product. CmdDecode: the job refuses the input, or died
/// of it. Backend: the process is gone, or does not answer. Interrupted: `*cancelled` became true.
Result<std::vector<uint8_t>> call(process::Client& client, Job job,
                                  std::initializer_list<std::span<const uint8_t>> input,
                                  const std::atomic<bool>* cancelled);

/// Returns the error for a failed call: the guest's packet or the host is at fault.
Error errorOf(process::CallError failed);

}  // namespace aerogpu::translator
