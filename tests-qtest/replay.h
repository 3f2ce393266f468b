// SPDX-License-Identifier: MIT
// A capture of the device, replayed by aerogpu-replay without QEMU.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace aerogpu::qtest {

/// A path for this process's captures in the temporary folder.
std::string capturePath(const std::string& name);

/// The last frame of a trace as `backend` replays it: RGB bytes, rows from the top. After a failure, which
/// the test then has, it is empty. The trace is removed.
std::vector<uint8_t> replayedFrame(const std::string& trace, const std::string& backend);

}  // namespace aerogpu::qtest
