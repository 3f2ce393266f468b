// SPDX-License-Identifier: MIT
// What an embedder that moves or restores a machine needs beside snapshots: a move in place, frames from
// before it, and whether the GPU here has what the guest was told.
#include <gtest/gtest.h>

#include <cstring>

#include "aerogpu/aerogpu_caps.h"
#include "renderer/core/test/spaces_fixture.h"
#include "renderer/snapshot/test/everything.h"

namespace aerogpu::test {
namespace {

TEST(RendererMove, KeepsEverything) {
  Harness h;
  makeEverything(h);
  const Snapshot before = takeSnapshot(h.renderer());
  ASSERT_EQ(before.error, "");
  bool kept = false;
  char error[256] = "";
  EXPECT_TRUE(aerogpu_renderer_move(h.renderer(), &kept, error, sizeof error)) << error;
  EXPECT_TRUE(kept);
  const Snapshot after = takeSnapshot(h.renderer());
  EXPECT_EQ(after.error, "");
  EXPECT_EQ(after.bytes, before.bytes);
}

TEST(RendererMove, ALostGpuStaysAsItIs) {
  Harness h;
  CommandWriter w;
  packets::createBuffer(w, 1, 16);
  h.submit(w);
  EXPECT_FALSE(aerogpu_renderer_gpu_lost(h.renderer()));
  aerogpu_renderer_play_faults(h.renderer(), AEROGPU_RENDERER_FAULT_LOSE);
  bool kept = false;
  char error[256] = "";
  EXPECT_FALSE(aerogpu_renderer_move(h.renderer(), &kept, error, sizeof error));
  EXPECT_TRUE(kept);
  EXPECT_STREQ(error, "the GPU is lost");
  EXPECT_TRUE(aerogpu_renderer_gpu_lost(h.renderer()));
}

TEST(RendererMove, WithoutAGpuThereIsNoOtherOne) {
  Harness h;
  makeEverything(h);
  const Snapshot before = takeSnapshot(h.renderer());
  bool kept = false;
  char error[256] = "";
  EXPECT_FALSE(aerogpu_renderer_move_to(h.renderer(), "0", nullptr, nullptr, &kept, error, sizeof error));
  EXPECT_STREQ(error, "the back end null has no GPU");
  EXPECT_TRUE(kept);
  EXPECT_EQ(takeSnapshot(h.renderer()).bytes, before.bytes);
}

/// A move while a reset of the ring is awaited: the interruption holds afterwards as before.
TEST(RendererMove, AnInterruptionOutlastsIt) {
  Harness h;
  CommandWriter w;
  packets::createBuffer(w, 1, 16);
  h.submit(w);
  aerogpu_renderer_interrupt(h.renderer());
  bool kept = false;
  char error[256] = "";
  EXPECT_TRUE(aerogpu_renderer_move(h.renderer(), &kept, error, sizeof error)) << error;
  EXPECT_TRUE(kept);
  w.reset();
  packets::destroyResource(w, 1);
  EXPECT_TRUE(h.submit(w).result.dropped);
  aerogpu_renderer_resume(h.renderer());
  EXPECT_EQ(h.submit(w).result.error_count, 0u) << "the buffer is there";
}

aerogpu_frame frameOf(uint32_t width, uint32_t height, uint32_t format, uint32_t stride, const void* pixels) {
  aerogpu_frame frame{};
  frame.struct_size = sizeof frame;
  frame.width = width;
  frame.height = height;
  frame.format = format;
  frame.stride_bytes = stride;
  frame.pixels = pixels;
  return frame;
}

TEST(RendererFrames, OneIsMadeOfPixels) {
  Harness h{Harness::Options{.maxHostmem = uint64_t{1} << 20}};
  const std::vector<uint8_t> pixels = pattern(3 * 32);
  const aerogpu_frame from = frameOf(5, 3, AEROGPU_FORMAT_B8G8R8A8_UNORM, 32, pixels.data());
  aerogpu_frame* const made = aerogpu_renderer_frame_make(h.renderer(), &from);
  ASSERT_TRUE(made);
  EXPECT_EQ(made->sequence, 0u);
  EXPECT_EQ(made->stride_bytes, 20u);
  for (uint32_t row = 0; row < 3; ++row)
    EXPECT_EQ(std::memcmp(static_cast<const uint8_t*>(made->pixels) + row * 20, &pixels[row * 32], 20), 0);
  aerogpu_renderer_stats stats{.struct_size = sizeof stats};
  aerogpu_renderer_get_stats(h.renderer(), &stats);
  EXPECT_EQ(stats.host_memory_kind_bytes[AEROGPU_HOST_MEMORY_FRAMES], 60u);
  aerogpu_renderer_frame_release(h.renderer(), made);
  aerogpu_renderer_get_stats(h.renderer(), &stats);
  EXPECT_EQ(stats.host_memory_kind_bytes[AEROGPU_HOST_MEMORY_FRAMES], 0u);
}

TEST(RendererFrames, WhatNoFrameIsLikeIsRefused) {
  Harness h{Harness::Options{.maxHostmem = uint64_t{1} << 20}};
  const auto made = [&](const aerogpu_frame& from) {
    aerogpu_frame* const frame = aerogpu_renderer_frame_make(h.renderer(), &from);
    if (frame) aerogpu_renderer_frame_release(h.renderer(), frame);
    return frame != nullptr;
  };
  const std::vector<uint8_t> pixels(64);
  EXPECT_TRUE(made(frameOf(4, 4, AEROGPU_FORMAT_B8G8R8X8_UNORM, 16, pixels.data())));
  EXPECT_TRUE(made(frameOf(4, 4, AEROGPU_FORMAT_B8G8R8X8_UNORM, 0, nullptr)));
  EXPECT_TRUE(made(frameOf(4, 4, AEROGPU_FORMAT_D3D9_L8, 0, nullptr)));
  EXPECT_FALSE(made(frameOf(4, 4, AEROGPU_FORMAT_B8G8R8X8_UNORM, 15, pixels.data())));
  EXPECT_FALSE(made(frameOf(0, 4, AEROGPU_FORMAT_B8G8R8X8_UNORM, 16, nullptr)));
  EXPECT_FALSE(made(frameOf(4, 0, AEROGPU_FORMAT_B8G8R8X8_UNORM, 16, nullptr)));
  EXPECT_FALSE(made(frameOf(16385, 1, AEROGPU_FORMAT_B8G8R8X8_UNORM, 0, nullptr)));
  EXPECT_FALSE(made(frameOf(1, 16385, AEROGPU_FORMAT_B8G8R8X8_UNORM, 0, nullptr)));
  EXPECT_FALSE(made(frameOf(4, 4, AEROGPU_FORMAT_BC1_RGBA_UNORM, 0, nullptr)));
  EXPECT_FALSE(made(frameOf(4, 4, 0xFFFFFFFF, 0, nullptr)));
  // 1 MiB and the 32 MiB that frames alone may have.
  EXPECT_FALSE(made(frameOf(4096, 2113, AEROGPU_FORMAT_B8G8R8X8_UNORM, 0, nullptr)));
  EXPECT_TRUE(made(frameOf(4096, 2048, AEROGPU_FORMAT_B8G8R8X8_UNORM, 0, nullptr)));
}

class CoversCaps : public testing::Test {
protected:
  CoversCaps() {
    size_t size = 0;
    const auto* own = static_cast<const uint8_t*>(aerogpu_renderer_caps(h.renderer(), &size));
    block.assign(own, own + size);
    std::memcpy(&caps, own, sizeof caps);
  }
  std::string lacks() {
    std::memcpy(block.data(), &caps, sizeof caps);
    return lacksOf(block);
  }
  std::string lacksOf(const std::vector<uint8_t>& given) {
    char text[4096] = "nothing";
    const bool covers =
        aerogpu_renderer_covers_caps(h.renderer(), given.data(), given.size(), text, sizeof text);
    EXPECT_EQ(covers, std::strcmp(text, "nothing") == 0);
    return text;
  }
  aerogpu_format_caps* format(uint32_t wanted) {
    for (uint32_t i = 0; i < caps.format_count; ++i) {
      auto* entry = reinterpret_cast<aerogpu_format_caps*>(&block[caps.formats_offset]) + i;
      if (entry->format == wanted) return entry;
    }
    return nullptr;
  }

  Harness h;
  std::vector<uint8_t> block;
  aerogpu_caps caps{};
};

TEST_F(CoversCaps, ItsOwnAndLess) {
  EXPECT_EQ(lacks(), "nothing");
  caps.max_texture_2d = 2048;
  caps.color_samples = 1;
  caps.flags = 0;
  caps.missing_vertex_types = 0xFFFF;
  caps.max_point_size_f32 = 0;
  format(AEROGPU_FORMAT_D3D9_L8)->caps = 0;
  EXPECT_EQ(lacks(), "nothing");
}

TEST_F(CoversCaps, NamesAllThatIsMissing) {
  const auto is = [](uint64_t value) { return std::to_string(value); };
  const aerogpu_caps own = caps;
  caps.max_texture_2d = own.max_texture_2d + 1;
  EXPECT_EQ(lacks(), "max_texture_2d " + is(own.max_texture_2d + 1) + ", here " + is(own.max_texture_2d));
  caps.color_samples = 0xF;
  caps.max_host_bytes = own.max_host_bytes + 1;
  format(AEROGPU_FORMAT_D3D9_L8)->caps |= 0x80000000;
  const std::string text = lacks();
  EXPECT_NE(text.find("; color_samples 0xf, here 0x7; max_host_bytes " + is(own.max_host_bytes + 1)),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("; use 0x80000000 of D3D9_L8"), std::string::npos) << text;
}

TEST_F(CoversCaps, EachMemberCounts) {
  const aerogpu_caps own = caps;
  const auto expectMissing = [&](const char* name) {
    EXPECT_EQ(lacks().rfind(std::string(name) + " ", 0), 0u) << name << ": " << lacks();
    caps = own;
  };
#define EXPECT_MEMBER(member, value) \
  caps.member = value;               \
  expectMissing(#member)
  EXPECT_MEMBER(max_texture_volume, own.max_texture_volume + 1);
  EXPECT_MEMBER(max_texture_cube, own.max_texture_cube + 1);
  EXPECT_MEMBER(max_array_layers, own.max_array_layers + 1);
  EXPECT_MEMBER(max_anisotropy, own.max_anisotropy + 1);
  EXPECT_MEMBER(depth_samples, 8);
  EXPECT_MEMBER(max_objects, own.max_objects + 1);
  EXPECT_MEMBER(max_buffer_bytes, own.max_buffer_bytes + 1);
  EXPECT_MEMBER(flags, own.flags | 0x80000000);
  EXPECT_MEMBER(max_vertex_streams, own.max_vertex_streams + 1);
  EXPECT_MEMBER(max_clip_planes, own.max_clip_planes + 1);
  EXPECT_MEMBER(max_color_targets, own.max_color_targets + 1);
  EXPECT_MEMBER(max_point_size_f32, 0x7FC00000);  // no number
#undef EXPECT_MEMBER
  format(AEROGPU_FORMAT_B8G8R8A8_UNORM)->samples |= 0x80;
  EXPECT_NE(lacks().find("128-samples of B8G8R8A8_UNORM"), std::string::npos) << lacks();
}

TEST_F(CoversCaps, FormatsAreListedByUse) {
  format(AEROGPU_FORMAT_D3D9_UYVY)->caps |= AEROGPU_FORMAT_CAP_GATHER | AEROGPU_FORMAT_CAP_SAMPLE;
  format(AEROGPU_FORMAT_D3D9_YUY2)->caps |= AEROGPU_FORMAT_CAP_GATHER;
  format(AEROGPU_FORMAT_D3D9_YUY2)->samples |= 1 << 4;
  EXPECT_EQ(lacks(), "GATHER 16-samples of D3D9_YUY2; SAMPLE GATHER of D3D9_UYVY");
}

TEST_F(CoversCaps, AnythingElseIsNoBlock) {
  EXPECT_EQ(lacksOf({}), "no capability block");
  EXPECT_EQ(lacksOf(std::vector<uint8_t>(block.size())), "no capability block");
  EXPECT_EQ(lacksOf({block.begin(), block.end() - 1}), "no capability block");
  const aerogpu_caps own = caps;
  caps.struct_bytes = static_cast<uint32_t>(block.size()) + 1;
  EXPECT_EQ(lacks(), "no capability block");
  caps = own;
  caps.version = 77;
  EXPECT_EQ(lacks(), "the capability block's version is 77, 2 is known");
  for (const uint32_t offset : {0xFFFFFFFFu, caps.size_bytes - 15}) {
    caps = own;
    caps.formats_offset = offset;
    EXPECT_EQ(lacks(), "the capability block's formats lie outside of it");
  }
  caps = own;
  caps.format_count = 0x10000000;
  EXPECT_EQ(lacks(), "the capability block's formats lie outside of it");
  caps = own;
  caps.format_entry_bytes = 15;
  EXPECT_EQ(lacks(), "the capability block's formats lie outside of it");
}

}  // namespace
}  // namespace aerogpu::test
