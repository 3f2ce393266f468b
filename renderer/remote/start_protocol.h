// SPDX-License-Identifier: MIT
// What the embedder asks of the starter (starter.h). A request is one datagram with two descriptors: the
// control socket of the process to start, and the other end of its life, on which the answer comes.
#pragma once

#include <cstdint>

namespace aerogpu::remote {

inline constexpr uint32_t kStartMagic = 0x54525453;

struct StartRequest {
  uint32_t magic = kStartMagic;
};

/// With a pidfd if there is a process.
struct StartAnswer {
  uint32_t magic = kStartMagic;
  uint32_t failure = 0;  ///< an errno; 0: it runs
};

/// When the process has ended, if its life was not given up before.
struct EndNotice {
  uint32_t magic = kStartMagic;
  int32_t status = 0;  ///< as of waitpid()
};

/// Processes of one starter at a time: of several devices, and those that a driver keeps from ending.
inline constexpr uint32_t kMostStarted = 64;

/// argv[1] of a program that the starter executes.
inline constexpr const char* kSessionArgument = "session";

/// Descriptors of such a program: the control socket, and that of the shader translator if there is one.
inline constexpr int kTranslatorFd = 4;

}  // namespace aerogpu::remote
