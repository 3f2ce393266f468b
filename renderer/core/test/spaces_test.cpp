// SPDX-License-Identifier: MIT
// Handle spaces (docs/abi/spaces.md), over the null back end: what two of them see of one another, what only
// the kernel driver may do, how they end, their limits.
#include <gtest/gtest.h>

#include <string>

#include "renderer/core/spaces.h"
#include "renderer/test/expect.h"
#include "renderer/test/fake_backend.h"

namespace {

using namespace aerogpu;
using core::Spaces;
using test::Allocation;
using test::expectError;
using test::expectGood;
using test::FakeExecutor;
using test::FinishedSubmission;
using test::Harness;
using test::pattern;

constexpr uint32_t kDecode = AEROGPU_ERROR_CMD_DECODE, kBackend = AEROGPU_ERROR_BACKEND;
constexpr auto kRgba = AEROGPU_FORMAT_R8G8B8A8_UNORM;

void exportToken(CommandWriter& w, uint32_t handle, uint64_t token) {
  aerogpu_cmd_export_shared_surface c{};
  c.resource_handle = handle;
  c.share_token = token;
  w.packet(c);
}
void importToken(CommandWriter& w, uint32_t handle, uint64_t token) {
  aerogpu_cmd_import_shared_surface c{};
  c.out_resource_handle = handle;
  c.share_token = token;
  w.packet(c);
}
void releaseToken(CommandWriter& w, uint64_t token) {
  aerogpu_cmd_release_shared_surface c{};
  c.share_token = token;
  w.packet(c);
}
void grant(CommandWriter& w, uint64_t token, uint32_t space) {
  aerogpu_cmd_ext_grant c{};
  c.share_token = token;
  c.space = space;
  w.packet(c);
}
void chargeSpace(CommandWriter& w, uint32_t space) {
  aerogpu_cmd_ext_charge_space c{};
  c.space = space;
  w.packet(c);
}
void destroySpace(CommandWriter& w, uint32_t space) {
  aerogpu_cmd_ext_destroy_space c{};
  c.space = space;
  w.packet(c);
}
void nameSpace(CommandWriter& w, uint32_t space, uint32_t process, const std::string& image) {
  aerogpu_cmd_ext_name_space c{};
  c.space = space;
  c.process_id = process;
  image.copy(reinterpret_cast<char*>(c.image_name), sizeof c.image_name);
  w.packet(c);
}

/// A renderer with spaces enabled.
class SpacesTest : public testing::Test {
protected:
  SpacesTest() {
    while (h.handle() < 1000) {  // the harness's own handles are above those of the tests
    }
  }
  /// Submits in a space; in 0 as the kernel driver.
  FinishedSubmission in(uint32_t space, const CommandWriter& w, uint32_t context = 0) {
    h.space = space == 0 ? Harness::kKernel : Harness::InSpace{space};
    return h.submit(w, context);
  }
  /// The same of what `write` writes.
  template <class Write>
  FinishedSubmission in(uint32_t space, Write write,
                        uint32_t context = 0) requires std::is_invocable_v<Write, CommandWriter&> {
    CommandWriter w;
    write(w);
    return in(space, w, context);
  }
  std::vector<uint8_t> buffer(uint32_t space, uint32_t handle, uint64_t size) {
    h.space = Harness::InSpace{space};
    return h.readBuffer(handle, size);
  }

  Harness h{{.maxSpaceHostmem = uint64_t{1} << 20}};
};

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
  h.space = Harness::InSpace{0};  // over the kernel driver's objects, but not its own stream
  CommandWriter w;
  all(w);
  finished = h.submit(w);
  expectError(finished, kDecode, 8);
  EXPECT_EQ(finished.result.present_count, 0u);
  // None of it has had an effect.
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
  // An ungranted token takes no handle.
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
  // Another program gets the number: the grants of the one before are not its.
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
  // The number is free, and what takes it begins with nothing.
  expectError(in(1, [](CommandWriter& w) { packets::clear(w, AEROGPU_CLEAR_DEPTH, {}, 1); }), kDecode);
  expectGood(in(1, [](CommandWriter& w) { packets::createBuffer(w, 2, 16); }));
  // The last one takes the shared buffer with it, and its token.
  expectGood(in(0, [](CommandWriter& w) {
    destroySpace(w, 1);
    destroySpace(w, 2);
  }));
  EXPECT_EQ(h.stats().resources, resources);
  expectError(in(0, [](CommandWriter& w) { importToken(w, 1, 100); }), kDecode);
  expectError(in(0, [](CommandWriter& w) { destroySpace(w, 0); }), kDecode);
  EXPECT_EQ(h.stats().held_objects, 1u) << "a context of space 0; the token is forgotten (SPACE-20)";
}

/// A texture of a space that ended counts where it was made, and only there.
// SPACE-11
TEST_F(SpacesTest, MemoryCountsForWhoMadeIt) {
  constexpr uint32_t kBig = 600 * 1024;
  const auto big = [](CommandWriter& w) { packets::createBuffer(w, 1, kBig); };
  const auto second = [](CommandWriter& w) { packets::createBuffer(w, 2, kBig); };
  expectGood(in(1, big));
  expectError(in(1, second), kBackend);
  expectGood(in(2, big));
  expectGood(in(0, big));
  expectGood(in(0, second));
  expectGood(in(0, [](CommandWriter& w) {
    exportToken(w, 1, 100);
    grant(w, 100, 2);
  }));
  expectGood(in(2, [](CommandWriter& w) { importToken(w, 3, 100); }));
  expectGood(in(1, [](CommandWriter& w) { packets::destroyResource(w, 1); }));
  expectGood(in(1, second));
  const uint64_t held = h.stats().host_memory_bytes;
  EXPECT_GT(held, 4u * kBig);
  EXPECT_GE(h.spaceInfo(2)->host_memory_bytes, kBig);
  EXPECT_LT(h.spaceInfo(2)->host_memory_bytes, kBig + 300u * 1024);
  ASSERT_TRUE(aerogpu_renderer_reset(h.renderer()));
  EXPECT_EQ(h.stats().host_memory_bytes, 0u);
  EXPECT_FALSE(h.spaceInfo(2));
}

/// What the kernel driver makes for a program counts where it says, up to the end of its submission, whoever
/// imports it, and as long as it lives.
// SPACE-11, SPACE-21
TEST_F(SpacesTest, WhatIsMadeForASpaceCountsThere) {
  constexpr uint32_t kBig = 600 * 1024;
  const auto held = [&](uint32_t space) {
    const auto info = h.spaceInfo(space);
    return info ? info->host_memory_bytes : 0;
  };
  // Of the space itself: its tables, and what a grant takes.
  constexpr uint64_t kOwn = 100 * 1024;
  expectGood(in(0, [](CommandWriter& w) {
    chargeSpace(w, 5);
    packets::createBuffer(w, 1, kBig);
    exportToken(w, 1, 100);
    grant(w, 100, 6);
    grant(w, 100, 5);
    chargeSpace(w, 0);
    packets::createBuffer(w, 2, kBig);
  }));
  EXPECT_GE(held(5), kBig);
  EXPECT_LT(held(5), kBig + kOwn);
  EXPECT_LT(held(6), kOwn) << "a grant charges its own space alone";
  // Over the limit nothing is made; what comes behind the packet that ended is the guest's.
  expectError(in(0,
                 [](CommandWriter& w) {
                   chargeSpace(w, 5);
                   packets::createBuffer(w, 3, kBig);
                 }),
              kBackend);
  expectError(in(0, [](CommandWriter& w) { packets::destroyResource(w, 3); }), kDecode);
  expectGood(in(0, [](CommandWriter& w) { packets::createBuffer(w, 3, kBig); }));
  // A grant in between leaves it as it is.
  expectError(in(0,
                 [](CommandWriter& w) {
                   chargeSpace(w, 5);
                   grant(w, 100, 6);
                   packets::createBuffer(w, 4, kBig);
                 }),
              kBackend);
  // The program has no more room of its own, another one has; who imports it pays nothing.
  expectGood(in(5, [](CommandWriter& w) { importToken(w, 1, 100); }));
  expectError(in(5, [](CommandWriter& w) { packets::createBuffer(w, 2, kBig); }), kBackend);
  expectGood(in(6, [](CommandWriter& w) { importToken(w, 1, 100); }));
  expectGood(in(6, [](CommandWriter& w) { packets::createBuffer(w, 2, kBig); }));
  // The program's handle is not what it lives by.
  expectGood(in(5, [](CommandWriter& w) { packets::destroyResource(w, 1); }));
  EXPECT_GE(held(5), kBig);
  expectGood(in(0, [](CommandWriter& w) { packets::destroyResource(w, 1); }));
  EXPECT_GE(held(5), kBig) << "the other program has it";
  expectGood(in(6, [](CommandWriter& w) { packets::destroyResource(w, 1); }));
  EXPECT_LT(held(5), kOwn);
  // A space that ends leaves no room that is nobody's.
  expectGood(in(0, [](CommandWriter& w) {
    chargeSpace(w, 5);
    packets::createBuffer(w, 1, kBig);
    destroySpace(w, 5);
    packets::createBuffer(w, 5, 16);
  }));
  EXPECT_FALSE(h.spaceInfo(5));
  expectGood(in(5, [](CommandWriter& w) { packets::createBuffer(w, 2, kBig); }));
  ASSERT_TRUE(aerogpu_renderer_reset(h.renderer()));
  EXPECT_EQ(h.stats().host_memory_bytes, 0u);
}

/// Each space has its limit, and all of them together that of ABI 1.4.
// SPACE-10, LIM-7
TEST(SpaceLimits, Handles) {
  FakeExecutor f;
  f.inSpace = true;
  constexpr uint32_t kAtOnce = 1u << 16;
  CommandWriter one, replace, end;
  packets::createBuffer(one, 1u << 30, 4);
  packets::destroyResource(replace, 1);
  packets::createBuffer(replace, 1u << 30, 4);
  for (f.space = 1; f.space <= Spaces::kMaxObjects / Spaces::kMaxObjectsOfOne; ++f.space) {
    for (uint32_t first = 1; first <= Spaces::kMaxObjectsOfOne; first += kAtOnce) {
      CommandWriter w;
      for (uint32_t i = 0; i < kAtOnce; ++i) packets::createBuffer(w, first + i, 4);
      ASSERT_EQ(f.submit(w).errorCount, 0u) << "nobody starves the others";
    }
    const core::ExecutionReport report = f.submit(one);
    EXPECT_EQ(report.errorCount, 1u);
    EXPECT_EQ(report.lastError, ErrorCode::Backend);
    EXPECT_EQ(f.submit(replace).errorCount, 0u);
  }
  for (const uint32_t space : {f.space, 0u}) {
    f.space = space;
    EXPECT_EQ(f.submit(one).lastError, ErrorCode::Backend) << "that is all";
  }
  destroySpace(end, 1);
  EXPECT_EQ(f.submit(end).errorCount, 0u);
  EXPECT_EQ(f.submit(one).errorCount, 0u);
}

// SPACE-10
TEST(SpaceLimits, ContextsOfASpace) {
  FakeExecutor f;
  f.inSpace = true;
  const auto context = [&](uint32_t space, uint32_t number) {
    CommandWriter w;
    w.packet(aerogpu_cmd_flush{});
    aerogpu_submission submission{};
    submission.struct_size = sizeof submission;
    submission.cmd = w.data();
    submission.cmd_size = w.size();
    submission.context_id = number;
    submission.in_space = 1;
    submission.space = space;
    return f.executor().execute(submission).lastError;
  };
  for (uint32_t i = 0; i < Spaces::kMaxContextsOfOne; ++i) ASSERT_EQ(context(1, i), ErrorCode::None);
  EXPECT_EQ(context(1, 4711), ErrorCode::Backend);
  EXPECT_EQ(context(1, 0), ErrorCode::None);
  EXPECT_EQ(context(2, 4711), ErrorCode::None);
  for (uint32_t i = 0; i < Spaces::kMaxContextsAlone + 1; ++i)
    ASSERT_EQ(context(0, i), ErrorCode::None) << "1024 is no limit any more";
}

// SPACE-9
TEST(SpaceLimits, Spaces) {
  FakeExecutor f;
  f.inSpace = true;
  CommandWriter flush, end;
  flush.packet(aerogpu_cmd_flush{});
  for (uint32_t i = 0; i < Spaces::kMaxSpaces; ++i) {
    f.space = ~i;  // any number
    ASSERT_EQ(f.submit(flush).errorCount, 0u);
  }
  f.space = 1;
  EXPECT_EQ(f.submit(flush).lastError, ErrorCode::Backend);
  f.space = 0;
  EXPECT_EQ(f.submit(flush).errorCount, 0u);
  destroySpace(end, ~7u);
  EXPECT_EQ(f.submit(end).errorCount, 0u);
  f.space = 1;
  EXPECT_EQ(f.submit(flush).errorCount, 0u);
  EXPECT_EQ(f.submit(flush).errorCount, 0u);
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
  // Its memory moves, and another's comes to where it was: it is shown on.
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
  // The newest over an allocation, if it begins there.
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
