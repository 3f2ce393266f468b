// SPDX-License-Identifier: MIT
// Support for all benchmarks: one device for direct Vulkan, one renderer, and pairs that run in turns.
#pragma once

#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>
#include <vector>

#include "renderer/bench/scene.h"

namespace aerogpu::bench {

using Clock = std::chrono::steady_clock;

constexpr uint32_t kWidth = 1920, kHeight = 1080;

inline double median(std::vector<double> values) {
  if (values.empty()) return 0;
  std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2),
                   values.end());
  return values[values.size() / 2];
}

template <class Work>
double milliseconds(Work work) {
  const auto begin = Clock::now();
  work();
  return std::chrono::duration<double, std::milli>(Clock::now() - begin).count();
}

/// Runs both in turns; the first turn warms caches and pipelines up and does not count.
template <class Direct, class Ours>
void pair(benchmark::State& state, Direct direct, Ours ours) {
  direct();
  ours();
  std::vector<double> directMs, oursMs;
  for ([[maybe_unused]] auto _ : state) {
    directMs.push_back(milliseconds(direct));
    oursMs.push_back(milliseconds(ours));
    state.SetIterationTime(oursMs.back() / 1000);
  }
  state.counters["direct_ms"] = median(directMs);
  state.counters["ours_ms"] = median(oursMs);
  state.counters["ratio"] = median(directMs) / median(oursMs);
}

inline DirectVk& direct() {
  static DirectVk instance(kWidth, kHeight);
  return instance;
}
inline Scene& scene() {
  static Scene instance("vulkan", kWidth, kHeight);
  return instance;
}

}  // namespace aerogpu::bench
