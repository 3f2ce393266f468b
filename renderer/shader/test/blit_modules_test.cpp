// SPDX-License-Identifier: MIT
// The modules of spirv/blit.h and spirv/sample_copy.h are valid; blit_test.cpp and samples_test.cpp of
// renderer/vulkan/test/ check what they draw.
#include "renderer/shader/spirv/blit.h"
#include "renderer/shader/spirv/sample_copy.h"
#include "renderer/shader/test/validate.h"

namespace aerogpu::shader {
namespace {

TEST(BlitModules, AreValid) {
  BlitOutput steps;
  steps.from = {3, BlitOutput::kOne, 0, 1};
  steps.steps = {15, 0, -511, 3};
  BlitOutput uneven = steps;
  uneven.uneven = true;
  for (const BlitSampling sampling :
       {BlitSampling::Same, BlitSampling::Halves, BlitSampling::Point, BlitSampling::Linear})
    for (const bool volume : {false, true})
      for (const std::array<uint8_t, 4> narrow : {std::array<uint8_t, 4>{}, {31, 63, 31, 0}})
        for (const BlitYuv yuv : {BlitYuv::None, BlitYuv::Pairs, BlitYuv::TwoPlanes, BlitYuv::ThreePlanes})
          for (const bool colorKey : {false, true})
            for (const bool targetKey : {false, true})
              for (const BlitOutput& output : {BlitOutput{}, steps, uneven}) {
                const BlitShader shader{sampling, volume, narrow, yuv, colorKey, targetKey, output};
                if (sampling == BlitSampling::Halves && !shader.exactSamples()) continue;
                EXPECT_EQ(test::validate(blitVertexModule(shader)), "");
                EXPECT_EQ(test::validate(blitFragmentModule(shader)), "");
              }
}

TEST(SampleCopyModules, AreValid) {
  EXPECT_EQ(test::validate(sampleCopyVertexModule()), "");
  for (const bool fromSamples : {false, true})
    for (const SampleCopyPlane plane : {SampleCopyPlane::Color, SampleCopyPlane::Depth,
                                        SampleCopyPlane::Stencil, SampleCopyPlane::Compared})
      for (const std::array<uint8_t, 4> narrow : {std::array<uint8_t, 4>{}, {31, 63, 31, 0}})
        EXPECT_EQ(test::validate(sampleCopyFragmentModule({fromSamples, plane, narrow})), "");
}

}  // namespace
}  // namespace aerogpu::shader
