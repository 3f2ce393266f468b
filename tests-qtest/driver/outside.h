// SPDX-License-Identifier: MIT
// The view of the machine from outside: the screen's picture, and the device's counters. A qtest machine
// provides it itself; a VM's outside (tests-qtest/vm/driver_host_test.py) answers over the second serial
// line. A question without an answer is a broken rule; with --without-outside no question is sent, and the
// test prints once that it did not look.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace aerogpu::host {

using ScreenPoints = std::vector<std::pair<int, int>>;  // x, y

/// Expects that the screen shows these colours (0xRRGGBB) at these points, within ten seconds.
void expectScreen(const ScreenPoints& points, const std::vector<uint32_t>& colors, const char* what);
/// Returns width and height of the screen; 0, 0 without an outside.
std::pair<int, int> screenSize();
void expectScreenSize(int width, int height);

/// Returns a counter of the device by its QEMU property ("resources", "presents", docs/develop/debugging.md).
/// The counted work must be complete: call waitIdle() before. Returns nothing without an outside.
std::optional<uint64_t> deviceCounter(const char* name);
/// Returns how many packets of a process have failed, in all its live handle spaces. Returns nothing if the
/// host itself cannot look at its machine from outside.
std::optional<uint64_t> errorsOf(uint64_t process);
/// Expects the counter to be `expected`. Nothing: the counter was not read before, and is not read now.
void expectDeviceCounter(const char* name, std::optional<uint64_t> expected, const char* what);

}  // namespace aerogpu::host
