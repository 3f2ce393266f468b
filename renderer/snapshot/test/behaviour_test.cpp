// SPDX-License-Identifier: MIT
// A guest goes on with what was loaded: each kind of object works as before.
#include <gtest/gtest.h>

#include "renderer/core/test/spaces_fixture.h"
#include "renderer/snapshot/test/everything.h"

namespace aerogpu::test {
namespace {

using namespace handles;

class SnapshotBehaviour : public testing::Test {
protected:
  SnapshotBehaviour() {
    all = makeEverything(made);
    const Snapshot snapshot = takeSnapshot(made.renderer());
    EXPECT_EQ(snapshot.error, "");
    EXPECT_EQ(loadSnapshot(h.renderer(), snapshot.bytes), "");
    while (h.handle() < 1000) {
    }
    // The same allocation numbers, elsewhere: the loader has seen none of this memory.
    h.allocate(4096);
    h.allocateScattered(3 * 4096);
    shown = h.allocate(8 * 8 * 4);
    EXPECT_EQ(shown.id, all.shown.id);
  }
  template <class Write>
  FinishedSubmission in(uint32_t space, Write write, uint32_t context = 0) {
    CommandWriter w;
    write(w);
    h.space = space == 0 ? Harness::kKernel : Harness::InSpace{space};
    return h.submit(w, context);
  }
  std::vector<uint8_t> texture(uint32_t handle, aerogpu_format format, uint32_t width, uint32_t mip = 0,
                               uint32_t layer = 0) {
    h.space = Harness::kKernel;
    return h.readTexture(handle, format, width, width, mip, layer);
  }
  static std::vector<uint8_t> part(size_t first, size_t size) {
    const std::vector<uint8_t> whole = pattern(first + size);
    return {whole.begin() + static_cast<ptrdiff_t>(first), whole.end()};
  }

  Harness made, h;
  Everything all;
  Allocation shown;
};

TEST_F(SnapshotBehaviour, KeepsBuffers) {
  h.space = Harness::kKernel;
  EXPECT_EQ(h.readBuffer(kBuffer, all.bufferBytes.size()), all.bufferBytes);
  h.space = Harness::InSpace{3};
  EXPECT_EQ(h.readBuffer(kOwn, 16), pattern(16));
}

TEST_F(SnapshotBehaviour, KeepsTextures) {
  // TEX-1: all mips of layer 0, then of layer 1.
  EXPECT_EQ(texture(kMips, AEROGPU_FORMAT_R8G8B8A8_UNORM, 8), part(0, 256));
  EXPECT_EQ(texture(kMips, AEROGPU_FORMAT_R8G8B8A8_UNORM, 4, 1), part(256, 64));
  EXPECT_EQ(texture(kMips, AEROGPU_FORMAT_R8G8B8A8_UNORM, 2, 2, 1), part(336 + 320, 16));
  EXPECT_EQ(texture(kCube, AEROGPU_FORMAT_B5G6R5_UNORM, 4, 0, 5), part(5 * 32, 32));
  EXPECT_EQ(texture(kVolume, AEROGPU_FORMAT_D3D9_L8, 4, 0, 2), part(2 * 16, 16));
  EXPECT_EQ(texture(kBlocks, AEROGPU_FORMAT_BC1_RGBA_UNORM, 10), pattern(72));
  const std::vector<uint8_t> depth = texture(kDepth, AEROGPU_FORMAT_D24_UNORM_S8_UINT, 8);
  uint32_t texel;
  ASSERT_EQ(depth.size(), 256u);
  std::memcpy(&texel, depth.data(), sizeof texel);
  EXPECT_EQ(texel >> 24, 3u);
  EXPECT_NEAR(texel & 0xFFFFFF, 0xFFFFFF / 4, 1);
}

TEST_F(SnapshotBehaviour, BindsObjectsByTheirHandles) {
  expectGood(in(0, [](CommandWriter& w) {
    packets::bindShaders(w, kShader, kShader + 1);
    w.packet(aerogpu_cmd_set_input_layout{{}, kIlay, 0});
    packets::setTexture(w, 3, kView);
    const uint32_t sampler = kSampler;
    w.packet(aerogpu_cmd_set_samplers{{}, AEROGPU_SHADER_STAGE_PIXEL, 0, 0, 0}, &sampler, 1);
  }));
  // A handle is in use, and a shader of another stage is refused.
  expectError(in(0, [](CommandWriter& w) { packets::createBuffer(w, kSampler, 16); }), kDecode);
  expectError(in(0, [](CommandWriter& w) { packets::bindShaders(w, kShader + 1, 0); }), kDecode);
}

TEST_F(SnapshotBehaviour, ShowsTheNewestTexture) {
  h.space.reset();
  h.setScanout(AEROGPU_FORMAT_B8G8R8X8_UNORM, 8, 8, 32, shown.gpa);
  CommandWriter w;
  packets::present(w);
  // Without spaces a table says where textures lie.
  h.submit(w);
  EXPECT_EQ(h.takeFrames().at(0).pixels, pattern(256));
  h.space = Harness::kKernel;
  in(0, [](CommandWriter& w) { packets::clearColor(w, {1, 1, 1, 1}); });  // kNewest is bound
  in(0, [](CommandWriter& w) { packets::present(w); });
  EXPECT_EQ(h.takeFrames().at(0).pixels[0], 255);
  in(0, [](CommandWriter& w) { packets::destroyResource(w, kNewest); });
  in(0, [](CommandWriter& w) { packets::present(w); });
  EXPECT_EQ(h.takeFrames().at(0).pixels, pattern(256)) << "the older one at the same address";
}

TEST_F(SnapshotBehaviour, ReadsGuestMemoryOfBackings) {
  std::ranges::copy(pattern(4096), h.memory().begin() + 0x10000);
  expectGood(in(0, [](CommandWriter& w) { packets::dirtyRange(w, kBackedBuffer, 0, 64); }));
  h.space = Harness::kKernel;
  EXPECT_EQ(h.readBuffer(kBackedBuffer, 64), part(128, 64));
  expectError(in(0, [](CommandWriter& w) { packets::dirtyRange(w, kPitched, 0, 64); }), kDecode);
}

TEST_F(SnapshotBehaviour, KeepsTokensAndImports) {
  in(0, [](CommandWriter& w) { packets::destroyResource(w, kMips); });
  h.space = Harness::InSpace{3};
  EXPECT_EQ(h.readTexture(kImported, AEROGPU_FORMAT_R8G8B8A8_UNORM, 8, 8), part(0, 256));
  expectGood(in(3, [](CommandWriter& w) { importToken(w, 60, kToken); }));
  expectError(in(7, [](CommandWriter& w) { importToken(w, 60, kToken); }), kDecode);
  expectError(in(0, [](CommandWriter& w) { exportToken(w, kBuffer, kUsedUp); }), kDecode);
  // The last handles end the token.
  in(3, [](CommandWriter& w) {
    packets::destroyResource(w, kImported);
    packets::destroyResource(w, 60);
  });
  expectError(in(3, [](CommandWriter& w) { importToken(w, 60, kToken); }), kDecode);
}

TEST_F(SnapshotBehaviour, KeepsSpacesApart) {
  EXPECT_STREQ(h.spaceInfo(3)->image_name, "game.exe");
  EXPECT_EQ(h.spaceInfo(3)->process_id, 1712u);
  EXPECT_EQ(h.spaceInfo(3)->objects, made.spaceInfo(3)->objects);
  EXPECT_EQ(h.spaceInfo(0)->contexts, 7u);
  // Space 3 has its process already; space 7 has none.
  expectError(in(0, [](CommandWriter& w) { spaceProcess(w, 3, 78); }), kDecode);
  expectGood(in(0, [](CommandWriter& w) { spaceProcess(w, 7, 78); }));
  expectError(in(7, [](CommandWriter& w) { packets::destroyResource(w, kOwn); }), kDecode);
  // A resource of the kernel driver's keeps its memory (SPACE-19); the process' own does not.
  expectError(in(3, [](CommandWriter& w) { packets::attachBacking(w, kImported, 0); }), kDecode);
  expectGood(in(3, [](CommandWriter& w) { packets::attachBacking(w, kOwn, 0); }));
}

TEST_F(SnapshotBehaviour, CountsOpenQueriesOn) {
  const Allocation results = h.allocate(64);
  expectGood(in(
      3,
      [&](CommandWriter& w) {
        w.packet(aerogpu_cmd_ext_query_end{{}, 200, AEROGPU_EXT_QUERY_OCCLUSION, results.id, 0, 0});
      },
      6));
  EXPECT_EQ(h.bytes(results)[8], 1) << "available";
}

TEST_F(SnapshotBehaviour, FreesWhatNothingBindsAnyMore) {
  const uint64_t before = h.stats().host_memory_bytes;
  // Context 4 alone holds a texture of 4 by 4, a view, a buffer and a shader.
  in(
      0, [](CommandWriter& w) { w.packet(aerogpu_cmd_ext_reset_context{}); }, 4);
  EXPECT_EQ(before - h.stats().host_memory_bytes, 4 * 512 + 16 + 4 * 4 * 4 + 8 * 8u);
}

TEST_F(SnapshotBehaviour, DropsWhatWasThere) {
  Harness other;
  CommandWriter w;
  packets::createBuffer(w, 500, 16);
  other.submit(w);
  EXPECT_EQ(loadSnapshot(other.renderer(), takeSnapshot(made.renderer()).bytes), "");
  w.reset();
  packets::destroyResource(w, 500);
  expectError(other.submit(w), kDecode);
}

}  // namespace
}  // namespace aerogpu::test
