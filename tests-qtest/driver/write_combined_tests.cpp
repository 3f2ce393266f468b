// SPDX-License-Identifier: MIT
// Repeats other tests on DMA and paging buffers in which a load is a broken rule: to the driver they are
// write-combined memory (page "DXGK_CONTEXTINFO").
#include <cstring>

#include "tests-qtest/driver/test.h"

namespace aerogpu::host {

namespace {

void runWatched(const char* name) {
  watchDmaLoads(true);
  for (const auto& tests :
       {renderTests(), pagingTests(), gdiTests(), sharedTests(), processTests(), spaceTests()})
    for (const TestCase& test : tests)
      if (std::strcmp(test.name, name) == 0) return test.run();
  brokenRule("there is no test %s", name);
}

const TestCase kWriteCombinedTests[] = {
    {"write-combined-submit", 120, [] { runWatched("submit"); }, Runs::kBesideQemu},
    {"write-combined-multipass", 180, [] { runWatched("multipass"); }, Runs::kBesideQemu},
    {"write-combined-present", 180, [] { runWatched("present"); }, Runs::kBesideQemu},
    {"write-combined-gdi", 240, [] { runWatched("gdi"); }, Runs::kBesideQemu},
    {"write-combined-text", 240, [] { runWatched("gdi-text"); }, Runs::kBesideQemu},
    {"write-combined-paging", 240, [] { runWatched("paging-shared"); }, Runs::kBesideQemu},
    {"write-combined-content", 240, [] { runWatched("rendered-content"); }, Runs::kBesideQemu},
    {"write-combined-shared", 240, [] { runWatched("shared-pixels"); }, Runs::kBesideQemu},
    {"write-combined-rights", 240, [] { runWatched("process-rights"); }, Runs::kOnDemand},
    {"write-combined-tokens", 240, [] { runWatched("space-tokens"); }, Runs::kBesideQemu},
};

}  // namespace

std::span<const TestCase> writeCombinedTests() {
  return kWriteCombinedTests;
}

}  // namespace aerogpu::host
