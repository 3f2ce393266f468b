// SPDX-License-Identifier: MIT
// Messages between a client and its helper process (docs/develop/architecture.md, "Helper processes"). Both
// come from one build; the structures never leave the machine.
//
// A call travels as one datagram on the control socket, with one end of a stream socket attached. On that
// stream the caller sends a RequestHeader and its bytes; it gets a Phase as soon as the call has its own
// process, then an AnswerHeader and its bytes.
#pragma once

#include <cstddef>
#include <cstdint>

namespace aerogpu::process {

/// The control socket's descriptor in the helper process.
inline constexpr int kControlFd = 3;

inline constexpr uint32_t kMagic = 0x58524547;

/// Most bytes of a request and of an answer.
inline constexpr size_t kMaxBytes = size_t{64} << 20;

/// Limits of one call, enforced by the kernel on the child that serves it.
struct Limits {
  uint32_t wallMs = 10'000;
  uint32_t cpuSeconds = 5;
};
/// Memory of a child beyond what the helper process maps from the start.
inline constexpr uint64_t kMemoryBytes = uint64_t{512} << 20;
/// Calls that are served at one time; further calls wait.
inline constexpr uint32_t kMaxChildren = 4;

struct Call {
  uint32_t magic;
  uint32_t job;  ///< index into the server's table
  Limits limits;
};

enum class Phase : uint32_t {
  Started = 1,    ///< the call has its process
  NoProcess = 2,  ///< it cannot have one: there is no such job, or fork or the sandbox failed
};

struct RequestHeader {
  uint32_t size;  ///< bytes that follow
};

enum class Verdict : uint32_t {
  Done = 1,
  Refused = 2,  ///< the bytes are a text that says why
};

struct AnswerHeader {
  uint32_t verdict;
  uint32_t size;  ///< bytes that follow
};

/// Exit status of the program after its start: it is in the background, or the reason why it is not.
enum ExitStatus : int {
  kExitReady = 0,
  kExitUsage = 2,
  kExitNoSandbox = 3,
  kExitNoFork = 4,
};

}  // namespace aerogpu::process
