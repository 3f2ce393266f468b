// SPDX-License-Identifier: MIT
// Random shaders, translated and run on the GPU, against the reference interpreter. By hand:
// AEROGPU_ORACLE_SEED=N AEROGPU_ORACLE_COUNT=N shader-oracle-test runs others than the first few hundred, and
// AEROGPU_ORACLE_SHRINK=1 shrinks a difference before it is shown.
#include <gtest/gtest.h>

#include <iostream>

#include "renderer/shader/test/oracle/cases.h"
#include "renderer/shader/test/validate.h"
#include "renderer/test/seeds.h"

namespace aerogpu::shader::oracle {
namespace {

using aerogpu::test::setting;

TEST(Oracle, RandomShaders) {
  const uint32_t first = setting("AEROGPU_ORACLE_SEED", 0), count = setting("AEROGPU_ORACLE_COUNT", 320);
  const bool shrink = setting("AEROGPU_ORACLE_SHRINK", 0);
  Comparison total;
  uint32_t differences = 0;
  for (uint32_t seed = first; seed < first + count; ++seed) {
    const Case c = makeCase(seed);
    Comparison result = compareCase(c);
    total.compared += result.compared;
    total.components += result.components;
    total.pixels += result.pixels;
    total.gaveUp += result.gaveUp;
    if (result.mismatch.empty()) continue;
    if (shrink) result = compareCase(shrunk(c));
    ADD_FAILURE() << "seed " << seed << ": " << result.mismatch;
    if (++differences == 10) break;
  }
  std::cout << total.pixels << " pixels, " << total.gaveUp << " undecided; " << total.components
            << " components, " << total.compared << " compared closely\n";
  // Enough components must have been compared.
  EXPECT_GT(total.compared * 2, total.components);
  EXPECT_LT(total.gaveUp * 3, total.pixels);
}

/// Random shaders with flipped bits: refused with a reason, or translated to a valid module.
TEST(Oracle, DamagedShaders) {
  std::mt19937 random(11);
  uint32_t accepted = 0, refused = 0;
  for (uint32_t seed = 0; seed < 200; ++seed) {
    const Case c = makeCase(seed);
    for (const std::string* source : {&c.draw.vs, &c.draw.ps}) {
      const std::vector<uint32_t> whole = test::tokens(*source);
      for (int i = 0; i < 40; ++i) {
        std::vector<uint32_t> damaged = whole;
        for (uint32_t flips = random() % 2 + 1; flips; --flips)
          damaged[random() % damaged.size()] ^= 1u << random() % 32;
        const auto program = parse(damaged);
        if (!program.ok()) {
          EXPECT_NE(program.error().message, "");
          ++refused;
          continue;
        }
        const auto made = emit(*program);
        ASSERT_TRUE(made.ok()) << made.error().message;
        if (++accepted % 8 == 0) {
          ASSERT_EQ(test::validate(made->words), "") << "seed " << seed << "\n" << *source;
        }
      }
    }
  }
  EXPECT_GT(accepted, 1000u);
  EXPECT_GT(refused, 1000u);
}

}  // namespace
}  // namespace aerogpu::shader::oracle
