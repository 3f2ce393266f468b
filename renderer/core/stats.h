// SPDX-License-Identifier: MIT
// Counters behind aerogpu_renderer_get_stats(): written on the render thread or the completion thread, read
// anywhere.
#pragma once

#include <atomic>
#include <cstdint>

namespace aerogpu::core {

struct Stats {
  std::atomic<uint64_t> submissions{0}, packets{0}, draws{0}, dispatches{0}, presents{0}, errors{0};
  std::atomic<uint64_t> commandBytes{0}, uploadBytes{0}, readbackBytes{0}, resources{0};
  std::atomic<uint64_t> shadersTranslated{0}, pipelinesCreated{0};
  std::atomic<uint64_t> cpuBusyNs{0}, gpuBusyNs{0}, inFlight{0}, framesUnchanged{0}, heldObjects{0};
};

}  // namespace aerogpu::core
