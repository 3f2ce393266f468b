// SPDX-License-Identifier: MIT
// Progress in MultipassOffset: what one call writes the next one reads, 0 begins anew (d3dkmddi pages
// "DXGKARG_PRESENT" and "DXGKARG_RENDER"), and what does not fit into 32 bits is refused, not cut.
#include "gdi_multipass.h"

#include <gtest/gtest.h>

#include <set>

namespace {

using namespace aero;

constexpr uint32_t kUntouched = 0x12345678u;

TEST(PresentMultipass, ZeroIsANewPresent) {
  const PresentProgress progress = PresentProgress::from(0);
  EXPECT_EQ(progress.steps, 0u);
  EXPECT_FALSE(progress.drawn);
}

TEST(PresentMultipass, StretchAndStepsComeBackAndNoTwoShareANumber) {
  std::set<uint32_t> seen;
  for (const uint32_t stretch : {0u, 1u, 7u, 4094u})
    for (const uint32_t steps : {0u, 1u, 4096u, 0xFFFFEu, 0xFFFFFu}) {
      uint32_t multipass = kUntouched;
      ASSERT_TRUE((PresentProgress{stretch, steps, false}).to(multipass)) << stretch << ' ' << steps;
      EXPECT_EQ(PresentProgress::from(multipass).stretch, stretch);
      EXPECT_EQ(PresentProgress::from(multipass).steps, steps);
      EXPECT_FALSE(PresentProgress::from(multipass).drawn);
      EXPECT_TRUE(seen.insert(multipass).second) << stretch << ' ' << steps;
    }
}

TEST(PresentMultipass, WhatDoesNotFitIsRefused) {
  constexpr PresentProgress cases[] = {{4095, 0, false}, {0, 0x100000, false}, {0xFFFFFFFFu, 0xFFFFFFFFu, false}};
  for (const PresentProgress &progress : cases) {
    uint32_t multipass = kUntouched;
    EXPECT_FALSE(progress.to(multipass)) << progress.stretch << ' ' << progress.steps;
    EXPECT_EQ(multipass, kUntouched);
  }
}

TEST(PresentMultipass, AFrameThatIsOnlyToBeAnnouncedIsToldFromEveryOtherProgress) {
  uint32_t multipass = kUntouched;
  ASSERT_TRUE((PresentProgress{3, 7, true}).to(multipass));
  EXPECT_TRUE(PresentProgress::from(multipass).drawn);
  // The last stretch that could say the same is refused, above.
  uint32_t last = kUntouched;
  ASSERT_TRUE((PresentProgress{4094, 0xFFFFF, false}).to(last));
  EXPECT_NE(last, multipass);
}

TEST(RenderKmMultipass, ZeroIsANewList) {
  EXPECT_EQ(RenderKmProgress::from(0).offset, 0u);
  EXPECT_EQ(RenderKmProgress::from(0).steps, 0u);
}

TEST(RenderKmMultipass, OffsetAndStepsComeBackAndNoTwoShareANumber) {
  // Commands are at most as long as 18 bits of words, one command has less than 2^14 steps.
  std::set<uint32_t> seen;
  for (const uint32_t offset : {0u, 4u, 8u, 64u, 0x10000u, 0xFFFFCu})
    for (const uint32_t steps : {0u, 1u, 2u, 0x2000u, 0x3FFFu}) {
      uint32_t multipass = kUntouched;
      ASSERT_TRUE((RenderKmProgress{offset, steps}).to(multipass)) << offset << ' ' << steps;
      EXPECT_EQ(RenderKmProgress::from(multipass).offset, offset);
      EXPECT_EQ(RenderKmProgress::from(multipass).steps, steps);
      EXPECT_TRUE(seen.insert(multipass).second) << offset << ' ' << steps;
    }
}

TEST(RenderKmMultipass, WhatDoesNotFitIsRefused) {
  constexpr RenderKmProgress cases[] = {
      {0, 0x4000},    // a step too many
      {0x100000, 0},  // a word too far
      {6, 0},         // no whole word
      {0xFFFFFFFCu, 0}, {0, 0xFFFFFFFFu},
  };
  for (const RenderKmProgress &progress : cases) {
    uint32_t multipass = kUntouched;
    EXPECT_FALSE(progress.to(multipass)) << progress.offset << ' ' << progress.steps;
    EXPECT_EQ(multipass, kUntouched);
  }
}

}  // namespace
