// SPDX-License-Identifier: MIT
// Tests progress in MultipassOffset: the next call reads what one call writes, 0 begins anew (d3dkmddi pages
// "DXGKARG_PRESENT" and "DXGKARG_RENDER"), and a value that does not fit into 32 bits is refused, not cut.
#include "guest-drivers/kmd/gdi/gdi_multipass.h"

#include <gtest/gtest.h>

#include <set>

namespace {

using namespace aero;

constexpr uint32_t kUntouched = 0x12345678u;

constexpr uint32_t kPartSteps[] = {1u << 20, 129};

TEST(PresentMultipass, ZeroIsANewPresent) {
  for (const uint32_t partSteps : kPartSteps) {
    const PresentProgress progress = PresentProgress::from(0, partSteps);
    EXPECT_EQ(progress.part, 0u);
    EXPECT_EQ(progress.steps, 0u);
    EXPECT_FALSE(progress.drawn);
  }
}

TEST(PresentMultipass, PartAndStepsComeBackAndNoTwoShareANumber) {
  for (const uint32_t partSteps : kPartSteps) {
    std::set<uint32_t> seen;
    for (const uint32_t part : {0u, 1u, 7u, 4094u})
      for (const uint32_t steps : {0u, 1u, 77u, partSteps - 2, partSteps - 1}) {
        uint32_t multipass = kUntouched;
        ASSERT_TRUE((PresentProgress{part, steps, false}).to(multipass, partSteps)) << part << ' ' << steps;
        EXPECT_EQ(PresentProgress::from(multipass, partSteps).part, part);
        EXPECT_EQ(PresentProgress::from(multipass, partSteps).steps, steps);
        EXPECT_FALSE(PresentProgress::from(multipass, partSteps).drawn);
        EXPECT_TRUE(seen.insert(multipass).second) << part << ' ' << steps;
      }
  }
}

TEST(PresentMultipass, WhatDoesNotFitIsRefused) {
  const struct {
    PresentProgress progress;
    uint32_t partSteps;
  } cases[] = {{{4096, 0, false}, 1u << 20},     {{4095, (1u << 20) - 1, false}, 1u << 20},  // says that all is drawn
               {{0, 1u << 20, false}, 1u << 20}, {{33294321, 0, false}, 129},
               {{0, 129, false}, 129},           {{0xFFFFFFFFu, 0xFFFFFFFFu, false}, 129}};
  for (const auto &c : cases) {
    uint32_t multipass = kUntouched;
    EXPECT_FALSE(c.progress.to(multipass, c.partSteps)) << c.progress.part << ' ' << c.progress.steps;
    EXPECT_EQ(multipass, kUntouched);
  }
}

TEST(PresentMultipass, AFrameThatIsOnlyToBeAnnouncedIsToldFromEveryOtherProgress) {
  for (const uint32_t partSteps : kPartSteps) {
    uint32_t multipass = kUntouched;
    ASSERT_TRUE((PresentProgress{3, 7, true}).to(multipass, partSteps));
    EXPECT_TRUE(PresentProgress::from(multipass, partSteps).drawn);
  }
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
