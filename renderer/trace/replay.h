// SPDX-License-Identifier: MIT
// Plays a trace file through a renderer. A version 1 file has no submission records: its Packet records hold
// command bytes, either whole streams (they begin with the stream's magic) or bare packets, which are
// gathered up to the frame's present.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>

#include "aerogpu/renderer.h"
#include "renderer/trace/reader.h"

namespace aerogpu::trace {

struct ReplayOptions {
  std::string backend = "auto", vulkanDevice;
  uint64_t maxHostmem = uint64_t{4} << 30;
  bool validation = false;
  /// Called, if set, with every stream before it is executed.
  std::function<void(std::span<const uint8_t> stream)> onStream;
  /// Called, if set, for each reset of the device between two submissions.
  std::function<void()> onReset;
  /// Called with each presented frame, which is valid during the call.
  std::function<void(const aerogpu_frame& frame)> onFrame;
  std::function<void(enum aerogpu_log_level level, const char* line)> onLog;
  bool execute = true;    ///< false: only onStream
  bool cutShort = false;  ///< plays what a file has that lacks its end (TRACE-20)
};

struct ReplayResult {
  uint64_t submissions = 0, frames = 0, errors = 0, resets = 0;
  uint64_t lostBytes = 0;  ///< after the last whole record of a file that lacks its end
  double seconds = 0;      ///< from the first submission to the last completion
  std::string backend, device;
  aerogpu_renderer_stats stats{};
};

/// Plays the file. False and one line of explanation if it is broken or no renderer can be made. Errors of
/// commands are counted in the result.
bool replay(std::span<const uint8_t> file, const ReplayOptions& options, ReplayResult& result,
            std::string& error);

}  // namespace aerogpu::trace
