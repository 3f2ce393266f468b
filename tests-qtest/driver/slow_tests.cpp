// SPDX-License-Identifier: MIT
// Tests a slow GPU and one that does not come back: repeats other tests with a device that takes a fixed time
// for each submission, or whose submission never ends until a reset drops it (docs/develop/debugging.md,
// x-gpu-delay-ms, x-gpu-fault).
#include <cstring>

#include "tests-qtest/driver/test.h"

namespace aerogpu::host {

namespace {

/// Two vertical syncs, and nearly as long as a DDI may wait at all (dxgk/ddi_rules.cpp).
constexpr unsigned kSlowMs = 33, kVerySlowMs = 450;

void runAgain(const char* name) {
  for (const auto& tests :
       {renderTests(), gdiTests(), sharedTests(), contextTests(), pagingTests(), primaryTests(),
        processTests(), sleepTests(), presentTests(), recoveryTests(), timeoutTests()})
    for (const TestCase& test : tests)
      if (std::strcmp(test.name, name) == 0) return test.run();
  brokenRule("there is no test %s", name);
}

void slow(unsigned ms, const char* name) {
  setGpuDelay(ms);
  runAgain(name);
}

void stuck(const char* name) {
  setGpuSticks();
  runAgain(name);
}

const TestCase kSlowTests[] = {
    {"slow-submit", 120, [] { slow(kSlowMs, "submit"); }, Runs::kBesideQemu},
    {"slow-multipass", 120, [] { slow(kSlowMs, "multipass"); }, Runs::kBesideQemu},
    {"slow-shared", 120, [] { slow(kSlowMs, "shared-pixels"); }, Runs::kBesideQemu},
    {"slow-fence-wrap", 120, [] { slow(kSlowMs, "fence-wrap"); }, Runs::kBesideQemu},
    {"slow-present", 120, [] { slow(kSlowMs, "present"); }, Runs::kBesideQemu},
    {"slow-gdi", 120, [] { slow(kSlowMs, "gdi"); }, Runs::kBesideQemu},
    {"slow-paging", 120, [] { slow(kSlowMs, "paging"); }, Runs::kBesideQemu},
    {"slow-primaries", 120, [] { slow(kSlowMs, "user-primaries"); }, Runs::kBesideQemu},
    {"slow-preempt", 120, [] { slow(kSlowMs, "preempt"); }, Runs::kBesideQemu},
    {"slow-killed", 120, [] { slow(kSlowMs, "process-killed"); }, Runs::kBesideQemu},
    {"slow-hang", 120, [] { slow(kSlowMs, "hang"); }, Runs::kBesideQemu},
    {"very-slow-submit", 120, [] { slow(kVerySlowMs, "submit"); }, Runs::kBesideQemu},
    {"very-slow-shared", 120, [] { slow(kVerySlowMs, "shared-pixels"); }, Runs::kBesideQemu},
    {"very-slow-reordered", 120, [] { slow(kVerySlowMs, "contexts-reordered"); }, Runs::kBesideQemu},
    {"very-slow-killed", 120, [] { slow(kVerySlowMs, "process-killed"); }, Runs::kBesideQemu},
    {"very-slow-cleanup", 120, [] { slow(kVerySlowMs, "cleanup"); }, Runs::kBesideQemu},
    {"very-slow-sleep", 120, [] { slow(kVerySlowMs, "sleep-kept"); }, Runs::kBesideQemu},
    {"very-slow-ddis", 120, [] { slow(kVerySlowMs, "stuck-ddis"); }, Runs::kBesideQemu},
    {"stuck-hang", 120, [] { stuck("hang"); }, Runs::kBesideQemu},
    {"stuck-cleanup", 120, [] { stuck("cleanup"); }, Runs::kBesideQemu},
    {"stuck-stuck-ddis", 120, [] { stuck("stuck-ddis"); }, Runs::kBesideQemu},
    {"stuck-power", 120, [] { stuck("power-stuck"); }, Runs::kBesideQemu},
};

}  // namespace

std::span<const TestCase> slowTests() {
  return kSlowTests;
}

}  // namespace aerogpu::host
