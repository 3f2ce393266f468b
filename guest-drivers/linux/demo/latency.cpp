// SPDX-License-Identifier: MIT
#include "guest-drivers/linux/demo/latency.h"

#include <algorithm>
#include <cstdio>

#include "aerogpu/cmd_writer.hpp"

namespace aerogpu::guest {

namespace {

double micros(int64_t ns) {
  return static_cast<double>(ns) / 1e3;
}

}  // namespace

Percentiles percentilesOf(std::vector<int64_t>& samples) {
  std::sort(samples.begin(), samples.end());
  const size_t n = samples.size();
  const auto rank = [&](size_t hundredths) { return samples[(n * hundredths + 99) / 100 - 1]; };
  return {samples.front(), rank(50), rank(99), samples.back()};
}

Status runLatency(Device& device, uint32_t iterations) {
  const CommandWriter empty;
  const AllocTable none;
  struct Way {
    const char* name;
    WaitMode mode;
    uint32_t flags;
  };
  for (const Way way : {Way{"polled", WaitMode::PollOnly, AEROGPU_SUBMIT_FLAG_NO_IRQ},
                        Way{"interrupt", WaitMode::InterruptOnly, 0}}) {
    std::vector<int64_t> samples;
    samples.reserve(iterations);
    const uint32_t warmUp = std::min(iterations, 100u);
    for (uint32_t i = 0; i < warmUp + iterations; ++i) {
      uint64_t fence = 0;
      const int64_t begin = nowNs();
      Status status = device.submit({empty.data(), empty.size()}, none, way.flags, fence);
      if (status.ok()) status = device.waitFence(fence, 2'000'000'000, way.mode);
      const int64_t end = nowNs();
      if (!status.ok()) return status;
      if (i >= warmUp) samples.push_back(end - begin);
    }
    const Percentiles p = percentilesOf(samples);
    std::printf("aerogpu-demo: latency %s n %u min %.1f median %.1f p99 %.1f max %.1f us\n", way.name,
                iterations, micros(p.minimum), micros(p.median), micros(p.p99), micros(p.maximum));
  }
  return device.checkError();
}

}  // namespace aerogpu::guest
