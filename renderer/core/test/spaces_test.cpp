// SPDX-License-Identifier: MIT
// Handle spaces (docs/abi/spaces.md), over the null back end: what two of them see of one another, the rights
// of the kernel driver, the end of a space, its report to people.
#include "renderer/core/test/spaces_fixture.h"

namespace {

using namespace aerogpu;
using namespace aerogpu::test;

constexpr auto kRgba = AEROGPU_FORMAT_R8G8B8A8_UNORM;

// SPACE-7
TEST_F(SpacesTest, TheSameHandleNamesDifferentObjects) {
  const auto red = pattern(64);
  auto blue = red;
  for (uint8_t& byte : blue) byte = static_cast<uint8_t>(~byte);
  for (const uint32_t space : {1u, 7u}) {
    expectGood(in(space, [&](CommandWriter& w) {
      packets::createBuffer(w, 5, 64);
      packets::upload(w, 5, 0, space == 1 ? red : blue);
    }));
  }
  EXPECT_EQ(buffer(1, 5, 64), red);
  EXPECT_EQ(buffer(7, 5, 64), blue);
  expectGood(in(1, [&](CommandWriter& w) { packets::destroyResource(w, 5); }));
  EXPECT_EQ(buffer(7, 5, 64), blue) << "the other space's object lives";
  expectError(in(1, [&](CommandWriter& w) { packets::upload(w, 5, 0, red); }), kDecode);
  expectError(in(0, [&](CommandWriter& w) { packets::upload(w, 5, 0, red); }), kDecode);
}

// SPACE-7
TEST_F(SpacesTest, EveryKindOfHandleCountsInside) {
  const uint32_t code[] = {0xFFFE0200, 0x0000FFFF};
  const auto make = [&](CommandWriter& w) {
    Harness::createTexture(w, 1, kRgba, 4, 4, 0);
    aerogpu_cmd_create_texture_view view{};
    view.view_handle = 2;
    view.texture_handle = 1;
    view.format = kRgba;
    view.mip_level_count = view.array_layer_count = 1;
    w.packet(view);
    packets::createShader(w, 3, AEROGPU_SHADER_STAGE_VERTEX, code);
    const aerogpu_input_layout_blob_header layout{AEROGPU_INPUT_LAYOUT_BLOB_MAGIC,
                                                  AEROGPU_INPUT_LAYOUT_BLOB_VERSION, 0, 0};
    aerogpu_cmd_create_input_layout input{};
    input.input_layout_handle = 4;
    w.packet(input, &layout, sizeof layout);
    aerogpu_cmd_create_sampler sampler{};
    sampler.sampler_handle = 5;
    w.packet(sampler);
    packets::createBuffer(w, 6, 16);
  };
  expectGood(in(1, make));
  expectGood(in(2, make));
  expectError(in(1, make), kDecode, 6);
  const auto use = [&](CommandWriter& w) {
    packets::setTarget(w, 2);
    packets::setTexture(w, 0, 1);
    packets::bindShaders(w, 3, 0);
    aerogpu_cmd_set_input_layout layout{};
    layout.input_layout_handle = 4;
    w.packet(layout);
    aerogpu_cmd_set_samplers samplers{};
    const uint32_t sampler = 5;
    samplers.shader_stage = AEROGPU_SHADER_STAGE_PIXEL;
    w.packet(samplers, &sampler, 1);
    packets::setVertexBuffer(w, 0, 6, 16);
  };
  expectGood(in(2, use));
  expectError(in(3, use), kDecode, 6);
}

// SPACE-8
TEST_F(SpacesTest, ContextsCountInside) {
  const auto clearDepth = [](CommandWriter& w) { packets::clear(w, AEROGPU_CLEAR_DEPTH, {}, 1); };
  expectGood(in(1, [&](CommandWriter& w) {
    Harness::createTexture(w, 1, AEROGPU_FORMAT_D32_FLOAT, 4, 4, 0);
    packets::setTargets(w, {}, 1);
    clearDepth(w);
  }));
  expectError(in(2, clearDepth), kDecode);
  expectGood(in(1, clearDepth));
  expectError(in(1, clearDepth, 1), kDecode);
  EXPECT_EQ(h.spaceInfo(1)->contexts, 2u);
  h.space = Harness::InSpace{3};
  expectGood(h.submitRaw({}, {}));
  EXPECT_FALSE(h.spaceInfo(3)) << "what only signals makes no space";
}

// SPACE-12
TEST_F(SpacesTest, WhatIsTheKernelDriversIsRefusedElsewhere) {
  expectGood(in(0, [](CommandWriter& w) {
    packets::createBuffer(w, 1, 16);
    exportToken(w, 1, 100);
  }));
  const auto all = [](CommandWriter& w) {
    exportToken(w, 1, 7);
    releaseToken(w, 100);
    packets::present(w);
    w.packet(aerogpu_cmd_present_ex{});
    grant(w, 100, 1);
    destroySpace(w, 2);
    nameSpace(w, 1, 4, "a");
    chargeSpace(w, 2);
  };
  expectGood(in(2, [](CommandWriter& w) { packets::createBuffer(w, 1, 16); }));
  expectGood(in(1, [](CommandWriter& w) { packets::createBuffer(w, 1, 16); }));
  FinishedSubmission finished = in(1, all);
  expectError(finished, kDecode, 8);
  EXPECT_EQ(finished.result.present_count, 0u);
  h.space = Harness::InSpace{0};  // the kernel driver's objects, but not its own stream
  CommandWriter w;
  all(w);
  finished = h.submit(w);
  expectError(finished, kDecode, 8);
  EXPECT_EQ(finished.result.present_count, 0u);
  // None of them has had an effect.
  EXPECT_EQ(h.spaceInfo(2)->objects, 1u);
  EXPECT_EQ(h.spaceInfo(1)->process_id, 0u);
  expectError(in(1, [](CommandWriter& w) { importToken(w, 9, 100); }), kDecode);
  expectGood(in(0, [](CommandWriter& w) { importToken(w, 9, 100); }));
}

// SPACE-6
TEST_F(SpacesTest, FlagsThatCannotBeRefuseTheSubmission) {
  CommandWriter w;
  packets::createBuffer(w, 1, 16);
  h.space = Harness::InSpace{1, AEROGPU_EXT_SPACE_FLAG_KERNEL};
  expectError(h.submit(w), kDecode);
  h.space = Harness::InSpace{1, 2};
  expectError(h.submit(w), kDecode);
  expectError(h.submitRaw({}, {}), kDecode);
  EXPECT_FALSE(h.spaceInfo(1));
  EXPECT_EQ(h.stats().held_objects, 0u);
}

// SPACE-3
TEST_F(SpacesTest, WithoutSpacesThePacketsAreRefused) {
  CommandWriter w;
  packets::createBuffer(w, 1, 16);
  exportToken(w, 1, 100);
  expectGood(h.submit(w));
  w.reset();
  grant(w, 100, 1);
  nameSpace(w, 1, 4, "a");
  destroySpace(w, 1);
  chargeSpace(w, 1);
  expectError(h.submit(w), kDecode, 4);
  EXPECT_FALSE(h.spaceInfo(1));
  w.reset();
  importToken(w, 2, 100);
  packets::present(w);
  releaseToken(w, 100);
  expectGood(h.submit(w));
}

// SPACE-13
TEST_F(SpacesTest, AnImportNeedsAGrant) {
  const auto bytes = pattern(64);
  expectGood(in(0, [&](CommandWriter& w) {
    packets::createBuffer(w, 1, 64);
    exportToken(w, 1, 100);
  }));
  const auto import = [](CommandWriter& w) { importToken(w, 4, 100); };
  expectError(in(1, import), kDecode);
  expectGood(in(0, [](CommandWriter& w) {
    grant(w, 100, 1);
    grant(w, 100, 1);
    grant(w, 100, 8);  // a space that is not there yet
  }));
  expectError(in(2, import), kDecode);
  expectGood(in(1, import));
  expectGood(in(8, import));
  expectGood(in(1, [&](CommandWriter& w) { packets::upload(w, 4, 0, bytes); }));
  EXPECT_EQ(buffer(8, 4, 64), bytes) << "one object";
  expectError(in(0,
                 [](CommandWriter& w) {
                   grant(w, 101, 1);
                   grant(w, 0, 1);
                 }),
              kDecode, 2);
  // A refused import takes no handle.
  expectGood(in(2, [](CommandWriter& w) { packets::createBuffer(w, 4, 16); }));
}

// SPACE-20
TEST_F(SpacesTest, UsedUpTokensAreForgotten) {
  const auto held = [&] {
    const auto stats = h.stats();
    return std::pair{stats.held_objects, stats.host_memory_bytes};
  };
  expectGood(in(1, [](CommandWriter& w) { packets::createBuffer(w, 1, 16); }));
  expectGood(in(0, [](CommandWriter& w) {
    packets::createBuffer(w, 1, 16);
    packets::destroyResource(w, 1);
  }));
  const auto before = held();
  for (uint64_t token = 100; token < 110; ++token) {
    expectGood(in(0, [&](CommandWriter& w) {
      packets::createBuffer(w, 1, 64);
      exportToken(w, 1, token);
      grant(w, token, 1);
    }));
    expectGood(in(1, [&](CommandWriter& w) { importToken(w, 2, token); }));
    // By its RELEASE, or with the last handle, which is the program's.
    expectGood(in(0, [&](CommandWriter& w) {
      if (token % 2) releaseToken(w, token);
      packets::destroyResource(w, 1);
      releaseToken(w, 1000 + token);  // was never exported
    }));
    expectGood(in(1, [](CommandWriter& w) { packets::destroyResource(w, 2); }));
    EXPECT_EQ(held(), before) << token;
    expectError(in(0, [&](CommandWriter& w) { importToken(w, 2, token); }), kDecode);
  }
}

// SPACE-14
TEST_F(SpacesTest, AGrantEndsWithItsTokenOrItsSpace) {
  const auto share = [](CommandWriter& w, uint64_t token) {
    packets::createBuffer(w, static_cast<uint32_t>(token), 64);
    exportToken(w, static_cast<uint32_t>(token), token);
    grant(w, token, 1);
    grant(w, token, 2);
  };
  expectGood(in(0, [&](CommandWriter& w) {
    for (const uint64_t token : {100u, 101u, 102u}) share(w, token);
  }));
  expectGood(in(1, [](CommandWriter& w) { importToken(w, 1, 100); }));
  const uint64_t held = h.spaceInfo(2)->host_memory_bytes;
  expectGood(in(0, [](CommandWriter& w) {
    releaseToken(w, 100);
    packets::destroyResource(w, 101);  // the last handle: the token is used up
  }));
  EXPECT_LT(h.spaceInfo(2)->host_memory_bytes, held) << "what is used up costs nothing";
  expectError(in(2,
                 [](CommandWriter& w) {
                   importToken(w, 1, 100);
                   importToken(w, 2, 101);
                 }),
              kDecode, 2);
  expectGood(in(1, [](CommandWriter& w) { packets::upload(w, 1, 0, pattern(64)); }));
  // Another program gets the number, but not the grants of the previous one.
  expectGood(in(0, [](CommandWriter& w) { destroySpace(w, 2); }));
  expectError(in(2, [](CommandWriter& w) { importToken(w, 3, 102); }), kDecode);
  expectGood(in(1, [](CommandWriter& w) { importToken(w, 3, 102); }));
  expectGood(in(0, [](CommandWriter& w) { releaseToken(w, 102); }));
}

// SPACE-16, SPACE-17
TEST_F(SpacesTest, AnEndedSpaceLeavesWhatOthersHave) {
  const auto bytes = pattern(64);
  const uint64_t resources = h.stats().resources;
  expectGood(in(0, [&](CommandWriter& w) {
    packets::createBuffer(w, 1, 64);
    packets::upload(w, 1, 0, bytes);
    exportToken(w, 1, 100);
    grant(w, 100, 1);
    grant(w, 100, 2);
  }));
  for (const uint32_t space : {1u, 2u})
    expectGood(in(space, [&](CommandWriter& w) {
      importToken(w, 1, 100);
      packets::createBuffer(w, 2, 4096);
      Harness::createTexture(w, 3, kRgba, 16, 16, 0);
      packets::setTarget(w, 3);
    }));
  expectGood(in(0, [](CommandWriter& w) { packets::destroyResource(w, 1); }));
  EXPECT_EQ(h.stats().resources, resources + 5);
  const uint64_t held = h.stats().host_memory_bytes, heldOfOne = h.spaceInfo(1)->host_memory_bytes;
  EXPECT_GT(heldOfOne, 4096u);
  expectGood(in(0, [](CommandWriter& w) {
    destroySpace(w, 1);
    destroySpace(w, 1);   // gone already
    destroySpace(w, 55);  // never was
  }));
  EXPECT_FALSE(h.spaceInfo(1));
  EXPECT_LE(h.stats().host_memory_bytes, held - heldOfOne);
  EXPECT_EQ(h.stats().resources, resources + 3);
  EXPECT_EQ(buffer(2, 1, 64), bytes) << "shared with a space that goes on";
  expectGood(in(2, [](CommandWriter& w) { packets::clearColor(w, {1, 0, 0, 1}); }));
  // The number is free, and a new space of that number begins empty.
  expectError(in(1, [](CommandWriter& w) { packets::clear(w, AEROGPU_CLEAR_DEPTH, {}, 1); }), kDecode);
  expectGood(in(1, [](CommandWriter& w) { packets::createBuffer(w, 2, 16); }));
  // The last space takes the shared buffer with it, and its token.
  expectGood(in(0, [](CommandWriter& w) {
    destroySpace(w, 1);
    destroySpace(w, 2);
  }));
  EXPECT_EQ(h.stats().resources, resources);
  expectError(in(0, [](CommandWriter& w) { importToken(w, 1, 100); }), kDecode);
  expectError(in(0, [](CommandWriter& w) { destroySpace(w, 0); }), kDecode);
  EXPECT_EQ(h.stats().held_objects, 1u) << "a context of space 0; the token is forgotten (SPACE-20)";
}

// SPACE-18
TEST_F(SpacesTest, TheTextureOfAnAllocationIsShown) {
  const Allocation screen = h.allocate(64), elsewhere = h.allocate(64);
  const auto bytes = pattern(64);
  const auto create = [&](CommandWriter& w, uint32_t handle, const Allocation& memory, uint32_t offset = 0) {
    Harness::createTexture(w, handle, kRgba, 4, 4, 0, 1, 1, memory.id, 16, offset);
  };
  const auto present = [](CommandWriter& w) { packets::present(w); };
  // A program's texture over the screen's memory is not shown, whatever the address.
  expectGood(in(1, [&](CommandWriter& w) { create(w, 1, screen); }));
  h.setScanout(kRgba, 4, 4, 16, screen.gpa);
  EXPECT_FALSE(in(0, present).hasFrame);
  h.showAllocation(screen.id);
  EXPECT_FALSE(in(0, present).hasFrame);
  EXPECT_FALSE(h.snapshotScanout().hasFrame);
  expectGood(in(0, [&](CommandWriter& w) {
    create(w, 1, screen);
    packets::upload(w, 1, 0, bytes);
    create(w, 2, elsewhere);
    packets::present(w);
  }));
  auto frames = h.takeFrames();
  ASSERT_EQ(frames.size(), 1u);
  EXPECT_EQ(frames[0].pixels, bytes);
  // Its memory moves, and another texture's comes to its old place: the first is still shown.
  const Allocation moved = screen;
  h.forget(screen);
  h.forget(elsewhere);
  h.name(moved.gpa, 64);
  expectGood(in(0, [&](CommandWriter& w) { packets::upload(w, 1, 0, bytes); }));
  EXPECT_TRUE(in(0, present).hasFrame);
  h.takeFrames();
  h.showAllocation(elsewhere.id);
  EXPECT_TRUE(in(0, present).hasFrame);
  h.showAllocation(0);
  EXPECT_FALSE(in(0, present).hasFrame);
  // The newest texture over an allocation is shown, if it begins there.
  const Allocation two = h.allocate(128);
  h.showAllocation(two.id);
  expectGood(in(0, [&](CommandWriter& w) {
    create(w, 3, two);
    create(w, 4, two, 64);
  }));
  EXPECT_FALSE(in(0, present).hasFrame);
  expectGood(in(0, [&](CommandWriter& w) { packets::destroyResource(w, 4); }));
  EXPECT_TRUE(in(0, present).hasFrame);
  EXPECT_TRUE(h.snapshotScanout().hasFrame);
}

// SPACE-19
TEST_F(SpacesTest, WhatIsImportedKeepsItsMemory) {
  const Allocation first = h.allocate(64), second = h.allocate(64);
  const auto attach = [&](CommandWriter& w, uint32_t handle) {
    aerogpu_cmd_ext_attach_backing c{};
    c.resource_handle = handle;
    c.backing_alloc_id = second.id;
    c.row_pitch_bytes = 16;
    w.packet(c);
  };
  expectGood(in(0, [&](CommandWriter& w) {
    Harness::createTexture(w, 1, kRgba, 4, 4, 0, 1, 1, first.id, 16);
    packets::createBuffer(w, 2, 64, 0, first.id);
    for (const uint32_t handle : {1u, 2u}) {
      exportToken(w, handle, 100 + handle);
      grant(w, 100 + handle, 1);
    }
  }));
  expectGood(in(1, [&](CommandWriter& w) {
    importToken(w, 1, 101);
    importToken(w, 2, 102);
    Harness::createTexture(w, 3, kRgba, 4, 4, 0, 1, 1, first.id, 16);
    packets::createBuffer(w, 4, 64, 0, first.id);
  }));
  h.showAllocation(second.id);
  expectError(in(1,
                 [&](CommandWriter& w) {
                   for (const uint32_t handle : {1u, 2u, 3u, 4u}) attach(w, handle);
                 }),
              kDecode, 2);
  EXPECT_FALSE(h.snapshotScanout().hasFrame) << "a program's own texture is not shown there";
  expectGood(in(0, [&](CommandWriter& w) {
    attach(w, 1);
    attach(w, 2);
  }));
  EXPECT_TRUE(h.snapshotScanout().hasFrame);
  expectGood(in(1, [&](CommandWriter& w) {
    packets::destroyResource(w, 3);
    packets::destroyResource(w, 1);
  }));
  EXPECT_TRUE(h.snapshotScanout().hasFrame);
}

// SPACE-15
TEST_F(SpacesTest, WhoseASpaceIsAndWhatItDid) {
  expectGood(in(0, [](CommandWriter& w) {
    nameSpace(w, 9, 4711, "game.exe");
    nameSpace(w, 10, 1, std::string(32, 'x'));
    nameSpace(w, 11, 2, "\x1B[2J\xFF");
  }));
  expectError(in(0, [](CommandWriter& w) { nameSpace(w, 0, 1, "a"); }), kDecode);
  expectError(in(9,
                 [](CommandWriter& w) {
                   packets::createBuffer(w, 1, 16);
                   w.packet(aerogpu_cmd_flush{});
                   packets::destroyResource(w, 2);
                 }),
              kDecode);
  const auto info = h.spaceInfo(9);
  ASSERT_TRUE(info);
  EXPECT_EQ(info->process_id, 4711u);
  EXPECT_STREQ(info->image_name, "game.exe");
  EXPECT_EQ(info->objects, 1u);
  EXPECT_EQ(info->contexts, 1u);
  EXPECT_EQ(info->submissions, 1u);
  EXPECT_EQ(info->packets, 3u);
  EXPECT_EQ(info->errors, 1u);
  EXPECT_GT(info->host_memory_bytes, 16u);
  uint64_t heldByAll = 0;
  for (const uint32_t space : {0, 9, 10, 11}) heldByAll += h.spaceInfo(space)->host_memory_bytes;
  EXPECT_EQ(heldByAll, h.stats().host_memory_bytes);
  EXPECT_GT(h.spaceInfo(0)->host_memory_bytes, 0u) << "the spaces themselves";
  EXPECT_STREQ(h.spaceInfo(10)->image_name, std::string(31, 'x').c_str());
  EXPECT_STREQ(h.spaceInfo(11)->image_name, "?[2J?");
  EXPECT_EQ(h.spaceInfo(0)->submissions, 2u);
  EXPECT_EQ(h.stats().held_objects, 6u) << "three spaces, two contexts, one object";
  ASSERT_TRUE(aerogpu_renderer_reset(h.renderer()));
  EXPECT_FALSE(h.spaceInfo(9));
  EXPECT_EQ(h.stats().held_objects, 0u);
}

}  // namespace
