// SPDX-License-Identifier: MIT
// Finds and starts a helper program. Any thread.
#pragma once

#include <sys/types.h>

#include <span>
#include <string>

namespace aerogpu::process {

/// A program to start, and its name in messages.
struct Program {
  std::string path;
  const char* name = "";   ///< of the executable; the program's argv[0]
  const char* title = "";  ///< in messages, with its article: "the helper"
  /// One NAME=VALUE for its environment, or null. Beside it the program sees only library paths, and the
  /// settings of sanitizers.
  const char* setting = nullptr;
  const char* argument = nullptr;  ///< argv[1], or none
  bool wholeEnvironment = false;   ///< all of this process's but LD_PRELOAD
};

/// Returns the path of the executable `name`: the value of the environment variable `variable`, or its place
/// beside the object that holds the address `code` or in the folder `installed` as seen from there
/// ("../lib/x"; empty: nowhere), beside this program, or in ../renderer or .. from these two. Empty and a
/// message if it is in none of these.
std::string findProgram(const char* name, const char* variable, const void* code,
                        const std::string& installed, std::string& error);

/// Executes the program with `descriptors` as its descriptors kControlFd and up, and no other ones but the
/// standard ones. Safe in a process with threads. Returns 0 and the child, or an errno.
int spawnProgram(const Program& program, std::span<const int> descriptors, pid_t& child);

/// Starts the program, which is safe in a process with threads (it is executed, not only forked), waits until
/// it has put itself into the background (server.h), and returns the caller's end of its control socket. It
/// gets `more` as its descriptors after that. -1 and a message if it cannot run here.
int startProgram(const Program& program, std::string& error, std::span<const int> more = {});

}  // namespace aerogpu::process
