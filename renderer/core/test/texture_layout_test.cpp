// SPDX-License-Identifier: MIT
// The places of texels in textures of each kind, and the boxes that hold a range of bytes.
#include "renderer/core/texture_layout.h"

#include <gtest/gtest.h>

#include <random>
#include <vector>

namespace aerogpu::core {
namespace {

TextureDesc volume(uint32_t width, uint32_t height, uint32_t depth, uint32_t mips,
                   aerogpu_format format = AEROGPU_FORMAT_B8G8R8A8_UNORM) {
  TextureDesc desc;
  desc.kind = TextureKind::Volume;
  desc.format = format;
  desc.width = width;
  desc.height = height;
  desc.depth = depth;
  desc.mipLevels = mips;
  return desc;
}

TEST(TextureLayout, SlicesOfAVolumeFollowOneAnotherInEachMip) {
  // 6x4x5 texels of 4 bytes, rows of mip 0 every 32 bytes; then 3x2x2, then 1x1x1, tight.
  const auto layout = TextureLayout::make(volume(6, 4, 5, 3), 32);
  ASSERT_TRUE(layout);
  EXPECT_EQ(layout->mip(0).slicePitch, 128u);
  EXPECT_EQ(layout->mip(0).size, 640u);
  EXPECT_EQ(layout->mip(1).depth, 2u);
  EXPECT_EQ(layout->mip(1).offset, 640u);
  EXPECT_EQ(layout->mip(1).slicePitch, 24u);
  EXPECT_EQ(layout->mip(2).depth, 1u);
  EXPECT_EQ(layout->mip(2).offset, 688u);
  EXPECT_EQ(layout->totalBytes(), 692u);
  EXPECT_EQ(layout->boxOffset(0, {1, 2, 3, 1, 1, 1}), 3u * 128 + 2 * 32 + 4);
  EXPECT_EQ(layout->boxOffset(1, {2, 1, 1, 1, 1, 1}), 24u + 12 + 8);
}

TEST(TextureLayout, TheSizeLimitCountsSlices) {
  // 2^14 x 2^14 texels of 4 bytes are 2^30 bytes a slice; 2^40 are allowed.
  EXPECT_TRUE(TextureLayout::make(volume(1 << 14, 1 << 14, 1 << 10, 1), 0));
  const auto over = TextureLayout::make(volume(1 << 14, 1 << 14, (1 << 10) + 1, 1), 0);
  ASSERT_FALSE(over);
  EXPECT_EQ(over.error().code, ErrorCode::OutOfBounds);
}

TEST(TextureLayout, WholeSlicesAreOneBox) {
  const auto layout = TextureLayout::make(volume(4, 4, 8, 1), 0);
  ASSERT_TRUE(layout);
  std::vector<Box> boxes;
  // From the third row of slice 1 to the second row of slice 6, inclusive: 16 bytes a row, 64 a slice.
  ASSERT_TRUE(
      layout->forEachBox(64 + 32, 6 * 64 + 32 - (64 + 32), [&](Subresource, const Box& box, uint64_t) {
        boxes.push_back(box);
        return Result<void>{};
      }));
  ASSERT_EQ(boxes.size(), 3u);
  EXPECT_EQ(boxes[0].z, 1u);
  EXPECT_EQ(boxes[0].y, 2u);
  EXPECT_EQ(boxes[0].depth, 1u);
  EXPECT_EQ(boxes[1].z, 2u);
  EXPECT_EQ(boxes[1].depth, 4u);
  EXPECT_EQ(boxes[1].height, 4u);
  EXPECT_EQ(boxes[2].z, 6u);
  EXPECT_EQ(boxes[2].height, 2u);
}

/// Numbers the bytes of a layout by walking it as the documentation says, and compares forEachBox() with
/// that: each block with a byte in the range is in exactly one box, no other block is, and rows of a box are
/// one pitch apart.
void expectExactBoxes(const TextureDesc& desc, uint32_t rowPitch, std::mt19937& random) {
  const auto layout = TextureLayout::make(desc, rowPitch);
  ASSERT_TRUE(layout);
  const FormatInfo& format = *findFormat(desc.format);
  const auto shrunk = [](uint32_t size, uint32_t level) { return std::max(1u, size >> level); };
  const auto blocks = [&](uint32_t texels) { return (texels + format.blockPixels - 1) / format.blockPixels; };
  const uint64_t total = layout->totalBytes();
  for (int round = 0; round < 60; ++round) {
    const uint64_t offset = random() % total, size = 1 + random() % (total - offset);
    std::vector<uint32_t> seen(total);  // by first byte of the block
    ASSERT_TRUE(layout->forEachBox(offset, size, [&](Subresource sub, const Box& box, uint64_t at) {
      const TextureLayout::Mip& mip = layout->mip(sub.mip);
      const BoxRows part(format, box);
      EXPECT_EQ(at, layout->offsetOf(sub) + layout->boxOffset(sub.mip, box));
      EXPECT_TRUE(box.depth == 1 || (box.y == 0 && box.height == mip.height));
      for (uint64_t row = 0; row < part.rows; ++row)
        for (uint64_t byte = 0; byte < part.rowBytes; byte += format.blockBytes)
          ++seen[at + row * mip.pitch + byte];
      return Result<void>{};
    }));
    uint64_t at = 0;
    for (uint32_t layer = 0; layer < desc.arrayLayers; ++layer)
      for (uint32_t level = 0; level < desc.mipLevels; ++level)
        for (uint32_t z = 0; z < shrunk(desc.depth, level); ++z)
          for (uint32_t y = 0; y < blocks(shrunk(desc.height, level)); ++y) {
            const uint64_t tight = uint64_t{blocks(shrunk(desc.width, level))} * format.blockBytes;
            for (uint64_t byte = 0; byte < tight; byte += format.blockBytes) {
              const uint64_t block = at + byte;
              const bool wanted = block < offset + size && offset < block + format.blockBytes;
              ASSERT_EQ(seen[block], wanted ? 1u : 0u)
                  << "block at " << block << " of [" << offset << ", " << offset + size << ")";
            }
            at += level == 0 && rowPitch ? rowPitch : tight;
          }
    ASSERT_EQ(at, total);
  }
}

TEST(TextureLayout, RangesFallIntoTheBoxesThatHoldThem) {
  std::mt19937 random(7);
  expectExactBoxes(volume(5, 3, 4, 3), 0, random);
  expectExactBoxes(volume(5, 3, 4, 3), 28, random);
  expectExactBoxes(volume(9, 6, 5, 2, AEROGPU_FORMAT_BC1_RGBA_UNORM), 40, random);
  expectExactBoxes(volume(7, 1, 3, 1, AEROGPU_FORMAT_B5G6R5_UNORM), 16, random);
  TextureDesc cube;
  cube.kind = TextureKind::Cube;
  cube.format = AEROGPU_FORMAT_B8G8R8A8_UNORM;
  cube.width = cube.height = 5;
  cube.mipLevels = 3;
  cube.arrayLayers = 6;
  expectExactBoxes(cube, 24, random);
}

TEST(TextureKinds, SixSquareLayersAreACube) {
  TextureDesc desc;
  desc.width = desc.height = 8;
  desc.arrayLayers = 7;
  EXPECT_TRUE(canBeCube(desc, 6));
  EXPECT_TRUE(canBeCube(desc, 7));
  EXPECT_FALSE(canBeCube(desc, 5));
  desc.height = 4;
  EXPECT_FALSE(canBeCube(desc, 6));
  desc.height = 8;
  desc.samples = 4;
  EXPECT_FALSE(canBeCube(desc, 6));
  desc.samples = 1;
  desc.kind = TextureKind::Volume;
  EXPECT_FALSE(canBeCube(desc, 6));
  desc.kind = TextureKind::Cube;
  EXPECT_TRUE(canBeCube(desc, 6));
  EXPECT_FALSE(canBeCube(desc, 1));  // a view of one face
}

}  // namespace
}  // namespace aerogpu::core
