// SPDX-License-Identifier: MIT
// The outside of the machine: what the screen shows, and what the device has counted. A qtest machine sees
// that itself; the outside of a VM (tests-qtest/vm/driver_host_test.py) is asked over the second serial line.
// A question without an answer is a broken rule; with
// --without-outside nothing is asked, and the test says once that it did not look.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace aerogpu::host {

using ScreenPoints = std::vector<std::pair<int, int>>;  // x, y

/// The screen shows these colours (0xRRGGBB) at these points, within ten seconds.
void expectScreen(const ScreenPoints& points, const std::vector<uint32_t>& colors, const char* what);
/// Width and height of the screen; 0, 0 when nobody is outside.
std::pair<int, int> screenSize();
void expectScreenSize(int width, int height);

/// A counter of the device by its QEMU property ("resources", "presents", docs/develop/debugging.md). What it
/// counts has completed: waitIdle() came before. Nothing when nobody is outside.
std::optional<uint64_t> deviceCounter(const char* name);
/// How many packets of a process have failed, in all its handle spaces that live. Nothing where the host does
/// not see its machine's outside itself.
std::optional<uint64_t> errorsOf(uint64_t process);
/// The counter is `expected`. Nothing given: it was not looked at before, and is not now.
void expectDeviceCounter(const char* name, std::optional<uint64_t> expected, const char* what);

}  // namespace aerogpu::host
