// SPDX-License-Identifier: MIT
// Replays a capture of the device with aerogpu-replay, without QEMU.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace aerogpu::qtest {

/// Returns a path for this process's captures in the temporary folder.
std::string capturePath(const std::string& name);

/// Returns the last frame of a trace as `backend` replays it: RGB bytes, rows from the top. It is empty after
/// a failure, which then also fails the test. Removes the trace.
std::vector<uint8_t> replayedFrame(const std::string& trace, const std::string& backend);

}  // namespace aerogpu::qtest
