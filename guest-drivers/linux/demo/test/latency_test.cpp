// SPDX-License-Identifier: MIT
#include "guest-drivers/linux/demo/latency.h"

#include <gtest/gtest.h>

namespace aerogpu::guest {
namespace {

TEST(Percentiles, NearestRank) {
  std::vector<int64_t> samples;
  for (int64_t i = 200; i >= 1; --i) samples.push_back(i);
  const Percentiles p = percentilesOf(samples);
  EXPECT_EQ(p.minimum, 1);
  EXPECT_EQ(p.median, 100);
  EXPECT_EQ(p.p99, 198);
  EXPECT_EQ(p.maximum, 200);
  std::vector<int64_t> one{5};
  EXPECT_EQ(percentilesOf(one).p99, 5);
}

}  // namespace
}  // namespace aerogpu::guest
