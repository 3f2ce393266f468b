// SPDX-License-Identifier: MIT
// The modules of spirv/blit.h are valid; what they draw, renderer/vulkan/test/blit_test.cpp looks at.
#include "renderer/shader/spirv/blit.h"
#include "renderer/shader/test/validate.h"

namespace aerogpu::shader {
namespace {

TEST(BlitModules, AreValid) {
  EXPECT_EQ(test::validate(blitVertexModule()), "");
  for (const BlitSampling sampling : {BlitSampling::Same, BlitSampling::Point, BlitSampling::Linear})
    for (const bool volume : {false, true})
      EXPECT_EQ(test::validate(blitFragmentModule(sampling, volume)), "");
}

}  // namespace
}  // namespace aerogpu::shader
