// SPDX-License-Identifier: MIT
// Measures the time from submission to fence of empty submissions, polling the fence page and with
// interrupts.
#pragma once

#include <cstdint>
#include <vector>

#include "guest-drivers/linux/device/device.h"

namespace aerogpu::guest {

/// Values at rank p of n sorted ones: rank ceil(p * n), the nearest-rank definition.
struct Percentiles {
  int64_t minimum = 0, median = 0, p99 = 0, maximum = 0;
};
/// Sorts `samples`, which must not be empty.
Percentiles percentilesOf(std::vector<int64_t>& samples);

/// Prints one line for each way of waiting.
Status runLatency(Device& device, uint32_t iterations);

}  // namespace aerogpu::guest
