// SPDX-License-Identifier: MIT
// The random cases that tests try: AEROGPU_ORACLE_SEED and AEROGPU_ORACLE_COUNT choose others than the first
// few, as scripts/run-long-tests does.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>
#include <string>

namespace aerogpu::test {

/// Returns a number from the environment.
inline uint32_t setting(const char* name, uint32_t otherwise) {
  const char* text = std::getenv(name);
  return text ? static_cast<uint32_t>(std::strtoul(text, nullptr, 10)) : otherwise;
}

/// Returns the seed of a test with one run of random cases.
inline uint32_t oracleSeed(uint32_t otherwise) {
  return setting("AEROGPU_ORACLE_SEED", otherwise);
}

/// Calls one(seed) for `count` seeds from 0 on, or for the chosen ones; stops at the first that fails.
template <class One>
void forSeeds(uint32_t count, One one) {
  const uint32_t first = oracleSeed(0), all = setting("AEROGPU_ORACLE_COUNT", count);
  for (uint32_t seed = first; seed < first + all && !testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    one(seed);
  }
}

}  // namespace aerogpu::test
