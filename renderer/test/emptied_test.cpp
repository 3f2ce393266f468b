// SPDX-License-Identifier: MIT
#include "renderer/test/emptied.h"

#include <gtest/gtest.h>

#include "renderer/test/harness.h"

namespace aerogpu::test {
namespace {

std::vector<uint8_t> streamOf(const CommandWriter& w) {
  return {w.data(), w.data() + w.size()};
}

TEST(Emptied, WhatIsNamedIsLeftOutAndTheRestStays) {
  CommandWriter all, rest;
  for (CommandWriter* w : {&all, &rest}) {
    packets::renderState(*w, 7, 1);
    if (w == &all) packets::renderState(*w, 27, 1);
    packets::samplerState(*w, 0, 1, 3, AEROGPU_SHADER_STAGE_PIXEL);
    if (w == &all) packets::samplerState(*w, 0, 5, 2, AEROGPU_SHADER_STAGE_PIXEL);
    packets::samplerState(*w, 0, 5, 1, AEROGPU_SHADER_STAGE_PIXEL);
  }
  const auto got = emptied(streamOf(all), "SET_RENDER_STATE:state=27;SET_SAMPLER_STATE:state=5,value=2");
  EXPECT_EQ(got, streamOf(rest));
  EXPECT_EQ(emptied(streamOf(all), ""), streamOf(all));
  EXPECT_EQ(emptied(streamOf(all), "EXT_BLIT"), streamOf(all));
}

TEST(Emptied, BitsOfAFieldAreTakenAway) {
  CommandWriter all, want;
  for (CommandWriter* w : {&all, &want}) {
    w->packet(aerogpu_cmd_ext_generate_mips{.texture = 1, .flags = w == &all ? 3u : 1u});
    w->packet(aerogpu_cmd_ext_generate_mips{.texture = 2, .flags = 1});
  }
  EXPECT_EQ(emptied(streamOf(all), "EXT_GENERATE_MIPS>flags~2"), streamOf(want));
}

TEST(Emptied, FieldsAreGivenOtherNumbers) {
  CommandWriter all, want;
  for (CommandWriter* w : {&all, &want}) {
    Harness::createTexture(*w, 1, AEROGPU_FORMAT_B8G8R8A8_UNORM, 8, 8, 0);
    Harness::createTexture(*w, 2, w == &all ? AEROGPU_FORMAT_D3D9_A8 : AEROGPU_FORMAT_D3D9_L8, 8, 8, 0);
  }
  const std::string rule = "CREATE_TEXTURE2D:format=" + std::to_string(AEROGPU_FORMAT_D3D9_A8) +
                           ">format=" + std::to_string(AEROGPU_FORMAT_D3D9_L8);
  EXPECT_EQ(emptied(streamOf(all), rule), streamOf(want));
}

TEST(Emptied, ElementsOfATypeNameNoInput) {
  CommandWriter all, want;
  for (CommandWriter* w : {&all, &want}) {
    const bool changed = w == &want;
    const uint8_t usage = changed ? 13 : 10, index = changed ? 15 : 0;
    const uint8_t declaration[] = {0, 0, 0,     0,     2,    0, 0, 0, 0,  0, 12, 0,
                                   4, 0, usage, index, 0xFF, 0, 0, 0, 17, 0, 0,  0};
    packets::useInputLayout(*w, 1, declaration);
  }
  EXPECT_EQ(emptied(streamOf(all), "CREATE_INPUT_LAYOUT:type=4"), streamOf(want));
}

TEST(Emptied, ABrokenStreamIsCopied) {
  CommandWriter w;
  packets::renderState(w, 7, 1);
  std::vector<uint8_t> broken = streamOf(w);
  broken[sizeof(aerogpu_cmd_stream_header) + 4] = 3;  // the packet's size
  EXPECT_EQ(emptied(broken, "SET_RENDER_STATE"), broken);
  EXPECT_EQ(emptied({}, "SET_RENDER_STATE"), std::vector<uint8_t>{});
}

TEST(EmptiedDeathTest, WhatIsNoRuleEndsTheProcess) {
  CommandWriter w;
  packets::renderState(w, 7, 1);
  for (const char* rule :
       {"SET_RENDER_STATE:state", "SET_RENDER_STATE:state=x", "SET_RENDER_STATE:nothing=1", ":state=1"})
    EXPECT_EXIT(emptied(streamOf(w), rule), testing::ExitedWithCode(2), "is no rule") << rule;
}

}  // namespace
}  // namespace aerogpu::test
