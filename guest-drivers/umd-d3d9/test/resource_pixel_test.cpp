// SPDX-License-Identifier: MIT
// Tests resources of every kind and format on a renderer: a program reads the bytes that it wrote, on every path
// (docs/abi/formats.md FMT-2); targets with samples, levels that the device makes, locks that do not wait.
#include <algorithm>
#include <cmath>
#include <random>

#include "aerogpu/aerogpu_wddm_alloc_extension.h"
#include "aerogpu/d3d9/formats.h"
#include "guest-drivers/umd-d3d9/test/umd_pixels.h"

namespace aero::test {
namespace {

struct Row {
  FORMATOP op;
  uint32_t block, blockBytes;
};

class UmdResources : public UmdPixels {
protected:
  std::vector<Row> rows() {
    UINT count = 0;
    D3DDDIARG_GETCAPS args = {D3DDDICAPS_GETFORMATCOUNT, nullptr, &count, sizeof count};
    EXPECT_EQ(rt->adapterFunctions.pfnGetCaps(rt->adapter, &args), 0);
    std::vector<FORMATOP> list(count);
    args = {D3DDDICAPS_GETFORMATDATA, nullptr, list.data(), static_cast<UINT>(count * sizeof list[0])};
    EXPECT_EQ(rt->adapterFunctions.pfnGetCaps(rt->adapter, &args), 0);
    std::vector<Row> out;
    for (const FORMATOP &op : list) {
      const aerogpu::d3d9::FormatInfo *info = aerogpu::d3d9::findFormat(static_cast<uint32_t>(op.Format));
      // For video formats a single pixel works as well as a pair.
      if (info) out.push_back({op, info->blockHeight, uint32_t{info->blockBytes} / (info->blockWidth == 2 ? 2 : 1)});
    }
    return out;
  }
  bool extended() const { return !kernel->block.empty(); }

  /** Returns bytes of a box in `row`'s format, tightly packed. Depth and floats have values that no path changes. */
  std::vector<uint8_t> content(const Row &row, uint32_t width, uint32_t height, uint32_t depth) {
    const size_t bytes =
        size_t{(width + row.block - 1) / row.block} * ((height + row.block - 1) / row.block) * row.blockBytes * depth;
    std::vector<uint8_t> out(bytes);
    for (size_t i = 0; i < bytes; i++) out[i] = static_cast<uint8_t>(random());
    switch (static_cast<uint32_t>(row.op.Format)) {
    case D3DDDIFMT_D32F_LOCKABLE:
    case D3DDDIFMT_R32F:
    case D3DDDIFMT_G32R32F:
    case D3DDDIFMT_A32B32G32R32F:
      for (size_t i = 0; i < bytes; i += sizeof(float)) {
        const float value = static_cast<float>(random() % 256) / 256.0f;
        memcpy(&out[i], &value, sizeof value);
      }
      break;
    case D3DDDIFMT_R16F:
    case D3DDDIFMT_G16R16F:
    case D3DDDIFMT_A16B16G16R16F:
      for (size_t i = 1; i < bytes; i += 2) out[i] = static_cast<uint8_t>((out[i] & 0x3B) | 0x20);  // no NaN
      break;
    default:
      break;
    }
    return out;
  }

  static uint32_t size(uint32_t size, uint32_t level) { return std::max(size >> level, 1u); }

  /** Locks a box (right and bottom 0: all), and copies between it and tight bytes. */
  void access(HANDLE resource, uint32_t subresource, const Row &row, D3DDDIBOX box, bool isVolume, bool write,
              std::vector<uint8_t> &bytes) {
    D3DDDIARG_LOCK lock = {};
    lock.hResource = resource;
    lock.SubResourceIndex = subresource;
    lock.Flags.ReadOnly = !write;
    if (isVolume) {
      lock.Flags.BoxValid = 1;
      lock.Box = box;
    } else {
      lock.Flags.AreaValid = 1;
      lock.Area = {static_cast<LONG>(box.Left), static_cast<LONG>(box.Top), static_cast<LONG>(box.Right),
                   static_cast<LONG>(box.Bottom)};
    }
    ASSERT_EQ(p->fn.pfnLock(p->dev(), &lock), 0);
    const size_t line = size_t{(box.Right - box.Left + row.block - 1) / row.block} * row.blockBytes;
    const uint32_t lines = (box.Bottom - box.Top + row.block - 1) / row.block;
    bytes.resize(line * lines * (box.Back - box.Front));
    for (uint32_t z = 0; z < box.Back - box.Front; z++)
      for (uint32_t y = 0; y < lines; y++) {
        auto *at = static_cast<uint8_t *>(lock.pSurfData) + size_t{z} * lock.SlicePitch + size_t{y} * lock.Pitch;
        uint8_t *tight = &bytes[(size_t{z} * lines + y) * line];
        write ? memcpy(at, tight, line) : memcpy(tight, at, line);
      }
    p->unlock(resource, subresource);
  }

  /** Returns the device's content of a surface: a Blt to the runtime's memory, in 2D. */
  std::vector<uint8_t> deviceBytes(HANDLE resource, uint32_t subresource, const Row &row, uint32_t width,
                                   uint32_t height) {
    const uint32_t line = (width + row.block - 1) / row.block * row.blockBytes;
    const uint32_t lines = (height + row.block - 1) / row.block, pitch = line + 12;
    std::vector<uint8_t> memory(size_t{pitch} * lines, 0xAA), out(size_t{line} * lines);
    HANDLE to = p->resource(row.op.Format, width, height, 0, D3DDDIPOOL_SYSTEMMEM, 1, 1, memory.data(), pitch);
    const RECT all = {0, 0, static_cast<LONG>(width), static_cast<LONG>(height)};
    EXPECT_EQ(p->blt(resource, all, to, all, 0, subresource), 0);
    p->destroy(to);
    for (uint32_t y = 0; y < lines; y++) memcpy(&out[size_t{y} * line], &memory[size_t{y} * pitch], line);
    return out;
  }

  std::mt19937 random{99};
};

TEST_F(UmdResources, BytesOfEveryFormatComeBack) {
  constexpr uint32_t kLevels = 3;
  for (const Row &row : rows()) {
    SCOPED_TRACE(row.op.Format);
    const bool depth = row.op.Operations & FORMATOP_ZSTENCIL;
    if (depth && row.op.Format != D3DDDIFMT_D16_LOCKABLE && row.op.Format != D3DDDIFMT_D32F_LOCKABLE) continue;
    // Small ones have no guest memory, dynamic ones of these sizes have some.
    for (const auto &[faces, edge] : {std::pair{1u, 20u}, {6u, 16u}, {1u, 184u}, {6u, 96u}}) {
      SCOPED_TRACE(edge);
      if (faces == 6 && !(row.op.Operations & FORMATOP_CUBETEXTURE)) continue;
      const bool texture = row.op.Operations & FORMATOP_TEXTURE;
      const bool oneLevel = !texture || row.op.Operations & FORMATOP_NOTEXCOORDWRAPNORMIP;
      const uint32_t levels = oneLevel ? 1 : kLevels, width = edge, height = faces == 6 ? edge : edge - 8;
      uint32_t flags = texture ? faces == 6 ? Program::cube() : Program::texture() : depth ? Program::depth() : 0;
      if (edge > 20 && !depth) flags |= Program::dynamic();
      HANDLE made = nullptr;
      ASSERT_EQ(p->tryKind(row.op.Format, {width, height, 0, levels, faces}, flags, made), 0);
      std::vector<std::vector<uint8_t>> wanted(size_t{levels} * faces);
      for (uint32_t i = 0; i < wanted.size(); i++) {
        const uint32_t w = size(width, i % levels), h = size(height, i % levels);
        wanted[i] = content(row, w, h, 1);
        access(made, i, row, {0, 0, w, h, 0, 1}, false, true, wanted[i]);
      }
      // Once more with a part of the first level, aligned to blocks.
      const D3DDDIBOX part = {4, 4, 12, 8, 0, 1};
      std::vector<uint8_t> inner = content(row, 8, 4, 1);
      access(made, 0, row, part, false, true, inner);
      const size_t line = size_t{(width + row.block - 1) / row.block} * row.blockBytes,
                   innerLine = size_t{8} / row.block * row.blockBytes;
      for (uint32_t y = 0; y < 4 / row.block; y++)
        memcpy(&wanted[0][(4 / row.block + y) * line + size_t{4} / row.block * row.blockBytes], &inner[y * innerLine],
               innerLine);
      for (uint32_t i = 0; i < wanted.size(); i++) {
        const uint32_t w = size(width, i % levels), h = size(height, i % levels);
        EXPECT_EQ(deviceBytes(made, i, row, w, h), wanted[i]) << "by Blt, subresource " << i;
        std::vector<uint8_t> read;
        access(made, i, row, {0, 0, w, h, 0, 1}, false, false, read);
        EXPECT_EQ(read, wanted[i]) << "by Lock, subresource " << i;
      }
      p->destroy(made);
    }
  }
}

TEST_F(UmdResources, BytesOfEveryVolumeComeBack) {
  constexpr uint32_t kLevels = 3;
  constexpr struct {
    uint32_t width, height, depth;
  } kSizes[] = {{24, 16, 6}, {64, 48, 16}};  // without guest memory, and with
  uint32_t tried = 0;
  const std::vector<Row> all = rows();
  for (size_t n = 0; n < all.size() * 2; n++) {
    const Row &row = all[n / 2];
    const auto [width, height, depth] = kSizes[n % 2];
    if (!(row.op.Operations & FORMATOP_VOLUMETEXTURE)) continue;
    SCOPED_TRACE(row.op.Format);
    tried++;
    const uint32_t flags = Program::texture() | Program::volume() | (n % 2 ? Program::dynamic() : 0);
    // The runtime's copy, with rows and slices further apart than necessary.
    std::vector<std::vector<uint8_t>> memory(kLevels), wanted(kLevels);
    std::vector<D3DDDI_SURFACEINFO> surfaces(kLevels);
    for (uint32_t level = 0; level < kLevels; level++) {
      const uint32_t w = size(width, level), h = size(height, level), d = size(depth, level);
      const uint32_t line = (w + row.block - 1) / row.block * row.blockBytes, lines = (h + row.block - 1) / row.block;
      const uint32_t pitch = line + 8, slice = pitch * lines + 24;
      wanted[level] = content(row, w, h, d);
      memory[level].assign(size_t{slice} * d, 0xAA);
      for (uint32_t z = 0; z < d; z++)
        for (uint32_t y = 0; y < lines; y++)
          memcpy(&memory[level][size_t{z} * slice + size_t{y} * pitch], &wanted[level][(size_t{z} * lines + y) * line],
                 line);
      surfaces[level] = {w, h, d, memory[level].data(), pitch, slice};
    }
    D3DDDIARG_CREATERESOURCE create = {};
    create.Format = row.op.Format;
    create.Pool = D3DDDIPOOL_SYSTEMMEM;
    create.pSurfList = surfaces.data();
    create.SurfCount = create.MipLevels = kLevels;
    create.hResource = reinterpret_cast<HANDLE>(uintptr_t{0x77000});
    create.Flags.Value = flags;
    ASSERT_EQ(p->fn.pfnCreateResource(p->dev(), &create), 0);
    HANDLE made = nullptr;
    ASSERT_EQ(p->tryKind(row.op.Format, {width, height, depth, kLevels}, flags, made), 0);
    p->flush();  // nothing uses its memory: large textures are written there, small ones go with the packets
    D3DDDIARG_VOLUMEBLT blt = {};
    blt.hSrcResource = create.hResource;
    blt.hDstResource = made;
    blt.SrcBox = {0, 0, width, height, 0, depth};
    ASSERT_EQ(p->fn.pfnVolBlt(p->dev(), &blt), 0);
    for (auto &bytes : memory)
      std::fill(bytes.begin(), bytes.end(), uint8_t{0xDB});  // the driver has read them already
    // A box by Lock, while the first copy may be under way.
    const D3DDDIBOX box = {4, 0, 8, 4, 1, 4};
    std::vector<uint8_t> inner = content(row, 4, 4, 3);
    access(made, 0, row, box, true, true, inner);
    const size_t line = size_t{width} / row.block * row.blockBytes, slice = line * (height / row.block);
    const size_t innerLine = size_t{4} / row.block * row.blockBytes, innerLines = 4 / row.block;
    for (uint32_t z = 0; z < 3; z++)
      for (uint32_t y = 0; y < innerLines; y++)
        memcpy(&wanted[0][(z + 1) * slice + y * line + innerLine], &inner[(z * innerLines + y) * innerLine], innerLine);
    // The same volume through the device: to another volume, and from that to memory.
    HANDLE other = nullptr;
    ASSERT_EQ(p->tryKind(row.op.Format, {width, height, depth, kLevels}, flags, other), 0);
    blt.hSrcResource = made;
    blt.hDstResource = other;
    ASSERT_EQ(p->fn.pfnVolBlt(p->dev(), &blt), 0);
    for (const HANDLE handle : {made, other})
      for (uint32_t level = 0; level < kLevels; level++) {
        std::vector<uint8_t> read;
        access(handle, level, row, {0, 0, size(width, level), size(height, level), 0, size(depth, level)}, true, false,
               read);
        EXPECT_EQ(read, wanted[level]) << "level " << level << (handle == other ? " of the other" : "");
      }
    p->destroy(made);
    p->destroy(other);
    p->destroy(create.hResource);
  }
  EXPECT_EQ(tried > 0, extended());
}

TEST_F(UmdResources, APresentShowsTheMeanOfItsSamples) {
  if (!extended()) GTEST_SKIP() << "samples are an extension";
  HANDLE target = nullptr, plain = p->resource(D3DDDIFMT_X8R8G8B8, 16, 16, Program::target());
  ASSERT_EQ(p->tryKind(D3DDDIFMT_X8R8G8B8, {16, 16, 0, 1, 1, 4}, Program::target(), target), 0);
  p->setTarget(target, 16, 16);
  p->clear(kBlue);
  drawQuad(quad(4.5f, 0, 16, 16, 16, 16, kRed));  // from the middle of the fifth column on
  const RECT all = {0, 0, 16, 16};
  ASSERT_EQ(p->blt(target, all, plain, all), 0);
  const std::vector<uint32_t> seen = opaque(p->read(plain, 16, 16));
  for (uint32_t x = 0; x < 16; x++) {
    if (x != 4) {
      EXPECT_EQ(seen[5 * 16 + x], x < 4 ? kBlue : kRed) << x;
    }
  }
  EXPECT_NEAR(static_cast<double>(seen[5 * 16 + 4] >> 16 & 255), 127.5, 1) << "two of four samples";
  // Only a copy of all samples can reach its memory, so it cannot be locked.
  D3DDDIARG_LOCK lock = {};
  lock.hResource = target;
  EXPECT_EQ(p->fn.pfnLock(p->dev(), &lock), kNotAvailable);
  // A window shows another allocation, which is used again by the next present.
  const size_t before = kernel->allocations.size();
  D3DDDIARG_PRESENT present = {};
  present.hSrcResource = target;
  present.Flags.Blt = 1;
  ASSERT_EQ(p->fn.pfnPresent(p->dev(), &present), 0);
  ASSERT_EQ(p->fn.pfnPresent(p->dev(), &present), 0);
  EXPECT_EQ(kernel->allocations.size(), before + 1);
  ASSERT_EQ(rt->presents.size(), 2u);
  EXPECT_NE(rt->presents[0].hSrcAllocation, 0u);
  EXPECT_EQ(rt->presents[0].hSrcAllocation, rt->presents[1].hSrcAllocation);
  EXPECT_TRUE(kernel->allocations[rt->presents[0].hSrcAllocation].flags & AEROGPU_WDDM_ALLOC_PRIV_FLAG_EXT_PRESENTED);
  p->destroy(target);
  p->destroy(plain);
}

// BLIT-15: BT.601, 16 to 235.
uint32_t rgbOf(double luma, double blue, double red) {
  const double y = (luma - 16) / 219, u = (blue - 128) / 224, v = (red - 128) / 224;
  const auto byte = [](double value) { return static_cast<uint32_t>(std::lround(std::clamp(value, 0.0, 1.0) * 255)); };
  return 0xFF000000 | byte(y + 1.402 * v) << 16 | byte(y - 0.344136 * u - 0.714136 * v) << 8 | byte(y + 1.772 * u);
}

TEST_F(UmdResources, VideoIsCopiedAndConverted) {
  if (!extended()) GTEST_SKIP() << "its formats are an extension";
  constexpr uint32_t kWidth = 8, kHeight = 4;
  for (const D3DDDIFORMAT format : {D3DDDIFMT_UYVY, D3DDDIFMT_YUY2}) {
    SCOPED_TRACE(format);
    const bool lumaFirst = format == D3DDDIFMT_YUY2;
    HANDLE made = nullptr;
    ASSERT_EQ(p->tryKind(format, {7, 4}, 0, made), 0) << "the last pair is whole, though half of it is no picture";
    p->destroy(made);
    EXPECT_EQ(p->tryKind(format, {8, 4}, Program::target(), made), kNotAvailable);
    ASSERT_EQ(p->tryKind(format, {kWidth, kHeight}, 0, made), 0);
    std::vector<uint32_t> wanted(size_t{kWidth} * kHeight), pairs(size_t{kWidth} / 2 * kHeight);
    for (uint32_t i = 0; i < pairs.size(); i++) {
      const uint32_t first = 16 + 27 * i % 220, second = 235 - 13 * i % 220, u = 60 + 9 * i, v = 200 - 8 * i;
      pairs[i] = lumaFirst ? first | u << 8 | second << 16 | v << 24 : u | first << 8 | v << 16 | second << 24;
      wanted[size_t{2} * i] = rgbOf(first, u, v);
      wanted[size_t{2} * i + 1] = rgbOf(second, u, v);
    }
    p->write(made, 0, kWidth / 2, kHeight, pairs);
    HANDLE target = p->resource(D3DDDIFMT_X8R8G8B8, kWidth, kHeight, Program::target());
    const RECT all = {0, 0, kWidth, kHeight};
    ASSERT_EQ(p->blt(made, all, target, all), 0);
    const std::vector<uint32_t> seen = opaque(p->read(target, kWidth, kHeight));
    for (uint32_t i = 0; i < seen.size(); i++)
      for (const int shift : {0, 8, 16})
        EXPECT_NEAR(static_cast<int>(seen[i] >> shift & 255), static_cast<int>(wanted[i] >> shift & 255), 1) << i;
    EXPECT_EQ(p->blt(target, all, made, all), kNotImplemented) << "nothing becomes video";
    p->destroy(target);
    p->destroy(made);
  }
}

// A texture of video is sampled as its colours (BLIT-15), filtered as those: as it is now, from the runtime's memory
// too, and by all of an odd width.
TEST_F(UmdResources, VideoIsSampled) {
  if (!extended()) GTEST_SKIP() << "its formats are an extension";
  constexpr uint32_t kHeight = 4;
  HANDLE target = p->bindTarget(8, kHeight);
  p->fn.pfnSetPixelShader(p->dev(), textured);
  for (const D3DDDIFORMAT format : {D3DDDIFMT_UYVY, D3DDDIFMT_YUY2})
    for (const auto &[width, isSystem] : {std::pair{8u, false}, {7u, false}, {8u, true}, {7u, true}}) {
      SCOPED_TRACE(format);
      SCOPED_TRACE(width);
      const uint32_t pairs = (width + 1) / 2;
      std::vector<uint32_t> words(size_t{pairs} * kHeight), memory(words.size()), wanted(size_t{width} * kHeight);
      HANDLE made = nullptr;
      if (isSystem)
        made = p->resource(format, width, kHeight, Program::texture(), D3DDDIPOOL_SYSTEMMEM, 1, 1, memory.data(),
                           pairs * 4);
      else
        ASSERT_EQ(p->tryKind(format, {width, kHeight}, Program::texture(), made), 0);
      p->fn.pfnSetTexture(p->dev(), 0, made);
      for (uint32_t round = 0; round < 3; round++) {
        for (uint32_t i = 0; i < words.size(); i++) {
          const uint32_t first = 16 + (27 * i + 50 * round) % 220, second = 235 - 13 * i % 220, u = 60 + 9 * i,
                         v = 200 - 8 * i, x = i % pairs * 2, at = i / pairs * width + x;
          words[i] = format == D3DDDIFMT_YUY2 ? first | u << 8 | second << 16 | v << 24
                                              : u | first << 8 | v << 16 | second << 24;
          wanted[at] = rgbOf(first, u, v);
          if (x + 1 < width) wanted[at + 1] = rgbOf(second, u, v);
        }
        if (isSystem)
          memory = words;
        else
          p->write(made, 0, pairs, kHeight, words);
        // Each texel is a pixel, in two draws of which the second changes nothing.
        for (uint32_t draw = 0; draw < 2; draw++)
          drawQuad(quad(0, 0, static_cast<float>(width), kHeight, 8, kHeight, kWhite));
        const std::vector<uint32_t> seen = p->read(target, 8, kHeight);
        for (uint32_t y = 0; y < kHeight; y++)
          for (uint32_t x = 0; x < width; x++)
            for (const int shift : {0, 8, 16})
              EXPECT_NEAR(static_cast<int>(seen[y * 8 + x] >> shift & 255),
                          static_cast<int>(wanted[y * width + x] >> shift & 255), 1)
                  << round << ": " << x << ' ' << y;
      }
      // The middle between two texels is their mean.
      p->stage(0, D3DDDITSS_MAGFILTER, 2);
      p->stage(0, D3DDDITSS_MINFILTER, 2);
      const float one = 1 / static_cast<float>(width);
      drawQuad(quad(0, 0, 1, 1, 8, kHeight, kWhite, 0.5f * one, 0, 1.5f * one, 0.25f));
      p->stage(0, D3DDDITSS_MAGFILTER, 1);
      p->stage(0, D3DDDITSS_MINFILTER, 1);
      const uint32_t mean = p->read(target, 8, kHeight)[0];
      for (const int shift : {0, 8, 16})
        EXPECT_NEAR(static_cast<double>(mean >> shift & 255),
                    ((wanted[0] >> shift & 255) + (wanted[1] >> shift & 255)) / 2.0, 2);
      p->fn.pfnSetTexture(p->dev(), 0, nullptr);
      p->destroy(made);
    }
  p->destroy(target);
}

TEST_F(UmdResources, EachLevelOfVideoIsSampled) {
  if (!extended()) GTEST_SKIP() << "its formats are an extension";
  HANDLE target = p->bindTarget(4, 4), made = nullptr;
  p->fn.pfnSetPixelShader(p->dev(), textured);
  ASSERT_EQ(p->tryKind(D3DDDIFMT_YUY2, {.width = 4, .height = 4, .levels = 3}, Program::texture(), made), 0);
  p->fn.pfnSetTexture(p->dev(), 0, made);
  p->stage(0, D3DDDITSS_MIPFILTER, 1);
  for (const uint32_t more : {0u, 40u}) {  // twice: the second time the colours are there already
    for (uint32_t level = 0; level < 3; level++) {
      const uint32_t side = 4u >> level, pairs = (side + 1) / 2, luma = 50 + 60 * level + more;
      p->write(made, level, pairs, side, std::vector<uint32_t>(pairs * side, luma * 0x10001 | 0x80008000));
    }
    for (uint32_t level = 0; level < 3; level++) {
      const uint32_t side = 4u >> level, gray = rgbOf(50 + 60 * level + more, 128, 128) & 255;
      const auto edge = static_cast<float>(side);
      drawQuad(quad(0, 0, edge, edge, 4, 4, kWhite));
      const uint32_t seen = p->read(target, 4, 4)[0];
      for (const int shift : {0, 8, 16}) EXPECT_NEAR(seen >> shift & 255, gray, 1) << "level " << level;
    }
  }
  p->stage(0, D3DDDITSS_MIPFILTER, 0);
  p->fn.pfnSetTexture(p->dev(), 0, nullptr);
  p->destroy(made);
  p->destroy(target);
}

// Page "Handling Color Values for Pixel Formats": Y is the D3DCOLOR's red, V its green, U its blue. Pixels that share
// colours get them together.
TEST_F(UmdResources, VideoIsFilled) {
  constexpr uint32_t kWidth = 8, kHeight = 6;
  constexpr auto kNv12 = static_cast<D3DDDIFORMAT>('N' | 'V' << 8 | '1' << 16 | '2' << 24);
  constexpr auto kYv12 = static_cast<D3DDDIFORMAT>('Y' | 'V' << 8 | '1' << 16 | '2' << 24);
  constexpr uint32_t kGround = 0xFF2890B0, kColor = 0x00C83C64;  // Y 40, V 144, U 176; Y 200, V 60, U 100
  for (const D3DDDIFORMAT format : {D3DDDIFMT_UYVY, D3DDDIFMT_YUY2, kNv12, kYv12}) {
    SCOPED_TRACE(format);
    const bool isPlanar = format == kNv12 || format == kYv12;
    HANDLE made = nullptr;
    if (p->tryKind(format, {kWidth, kHeight}, 0, made) != 0) {
      EXPECT_FALSE(extended());
      continue;
    }
    HANDLE target = p->resource(D3DDDIFMT_X8R8G8B8, kWidth, kHeight, Program::target());
    const RECT all = {0, 0, kWidth, kHeight};
    for (const RECT rect : {RECT{0, 0, 8, 6}, {3, 2, 6, 4}, {-4, 1, 3, 90}, {0, 2, 8, 5}, {5, 5, 6, 6}, {4, 4, 4, 6}}) {
      D3DDDIARG_COLORFILL fill = {};
      fill.hResource = made;
      fill.DstRect = {-1, -1, 9, 9};
      fill.Color = kGround;
      ASSERT_EQ(p->fn.pfnColorFill(p->dev(), &fill), 0);
      fill.DstRect = rect;
      fill.Color = kColor;
      ASSERT_EQ(p->fn.pfnColorFill(p->dev(), &fill), 0);
      ASSERT_EQ(p->blt(made, all, target, all), 0);
      const std::vector<uint32_t> seen = p->read(target, kWidth, kHeight);
      const bool isEmpty = rect.right <= rect.left;
      const auto inside = [](LONG at, LONG first, LONG end) { return at >= first && at < end; };
      for (LONG y = 0; y < static_cast<LONG>(kHeight); y++)
        for (LONG x = 0; x < static_cast<LONG>(kWidth); x++) {
          // The rectangle reaches whole pairs of pixels, and in planes the colours reach whole pairs of rows.
          const bool wide = !isEmpty && inside(x, rect.left & ~1, (rect.right + 1) & ~1);
          const bool luma = wide && inside(y, rect.top, rect.bottom);
          const bool color = wide && (isPlanar ? inside(y, rect.top & ~1, (rect.bottom + 1) & ~1) : luma);
          const uint32_t wanted = rgbOf(luma ? 200 : 40, color ? 100 : 176, color ? 60 : 144);
          const uint32_t got = seen[static_cast<size_t>(y) * kWidth + static_cast<size_t>(x)];
          for (const int shift : {0, 8, 16})
            EXPECT_NEAR(static_cast<int>(got >> shift & 255), static_cast<int>(wanted >> shift & 255), 1)
                << rect.left << ' ' << rect.top << ": " << x << ' ' << y;
        }
    }
    p->destroy(target);
    p->destroy(made);
  }
}

// FMT-15: luma, then the colours of two by two pixels, in pairs or in planes of V and U; the pitch is the width.
TEST_F(UmdResources, VideoInPlanesIsConverted) {
  constexpr uint32_t kWidth = 8, kHeight = 4;
  for (const bool pairs : {true, false}) {
    SCOPED_TRACE(pairs);
    const auto format = static_cast<D3DDDIFORMAT>((pairs ? 'N' : 'Y') | 'V' << 8 | '1' << 16 | '2' << 24);
    HANDLE made = nullptr;
    if (p->tryKind(format, {kWidth, kHeight}, 0, made) != 0) {
      EXPECT_FALSE(extended());
      continue;
    }
    const auto luma = [](uint32_t x, uint32_t y) { return 30 + 23 * x + 11 * y; };
    const auto u = [](uint32_t x, uint32_t y) { return 70 + 20 * x + 9 * y; };  // colours of two by two pixels
    const auto v = [](uint32_t x, uint32_t y) { return 200 - 18 * x - 30 * y; };
    D3DDDIARG_LOCK lock = {};
    lock.hResource = made;
    ASSERT_EQ(p->fn.pfnLock(p->dev(), &lock), 0);
    ASSERT_EQ(lock.Pitch, kWidth);
    auto *bytes = static_cast<uint8_t *>(lock.pSurfData);
    for (uint32_t y = 0; y < kHeight; y++)
      for (uint32_t x = 0; x < kWidth; x++) bytes[y * kWidth + x] = static_cast<uint8_t>(luma(x, y));
    uint8_t *colors = bytes + size_t{kWidth} * kHeight;
    for (uint32_t y = 0; y < kHeight / 2; y++)
      for (uint32_t x = 0; x < kWidth / 2; x++) {
        const uint32_t at = y * (kWidth / 2) + x, plane = kWidth / 2 * kHeight / 2;
        colors[pairs ? 2 * at : plane + at] = static_cast<uint8_t>(u(x, y));
        colors[pairs ? 2 * at + 1 : at] = static_cast<uint8_t>(v(x, y));
      }
    p->unlock(made);
    HANDLE target = p->resource(D3DDDIFMT_X8R8G8B8, kWidth, kHeight, Program::target());
    const RECT all = {0, 0, kWidth, kHeight};
    ASSERT_EQ(p->blt(made, all, target, all), 0);
    const std::vector<uint32_t> seen = opaque(p->read(target, kWidth, kHeight));
    for (uint32_t y = 0; y < kHeight; y++)
      for (uint32_t x = 0; x < kWidth; x++) {
        const uint32_t wanted = rgbOf(luma(x, y), u(x / 2, y / 2), v(x / 2, y / 2)), got = seen[y * kWidth + x];
        for (const int shift : {0, 8, 16})
          EXPECT_NEAR(static_cast<int>(got >> shift & 255), static_cast<int>(wanted >> shift & 255), 1)
              << x << ' ' << y;
      }
    EXPECT_EQ(p->blt(target, all, made, all), kNotImplemented) << "nothing becomes video";
    HANDLE copy = nullptr;
    ASSERT_EQ(p->tryKind(format, {kWidth, kHeight}, 0, copy), 0);
    ASSERT_EQ(p->blt(made, all, copy, all), 0);
    ASSERT_EQ(p->blt(copy, all, target, all), 0);
    EXPECT_EQ(opaque(p->read(target, kWidth, kHeight)), seen);
    p->destroy(copy);
    p->destroy(target);
    p->destroy(made);
  }
}

TEST_F(UmdResources, LevelsThatTheDeviceMakes) {
  if (!extended()) GTEST_SKIP() << "generated levels are an extension";
  constexpr uint32_t kEdge = 8;
  HANDLE texture = nullptr;
  ASSERT_EQ(p->tryKind(D3DDDIFMT_A8R8G8B8, {kEdge, kEdge}, Program::texture() | Program::autogen(), texture), 0);
  std::vector<uint32_t> content(size_t{kEdge} * kEdge);
  for (uint32_t i = 0; i < content.size(); i++) content[i] = i % 2 ? 0xFFFF0000 : 0xFF0000FF;  // columns
  p->write(texture, 0, kEdge, kEdge, content);
  D3DDDIARG_GENERATEMIPSUBLEVELS make = {texture, D3DDDITEXF_LINEAR};
  ASSERT_EQ(p->fn.pfnGenerateMipSubLevels(p->dev(), &make), 0);
  // Drawn at a quarter of their size, these show their second level.
  HANDLE target = p->bindTarget(4, 4);
  p->fn.pfnSetPixelShader(p->dev(), textured);
  p->fn.pfnSetTexture(p->dev(), 0, texture);
  p->stage(0, D3DDDITSS_MIPFILTER, 1);
  drawQuad(quad(0, 0, 4, 4, 4, 4, kWhite));
  for (const uint32_t pixel : p->read(target, 4, 4)) {
    EXPECT_NEAR(static_cast<double>(pixel >> 16 & 255), 127.5, 1);
    EXPECT_NEAR(static_cast<double>(pixel & 255), 127.5, 1);
  }
  p->fn.pfnSetTexture(p->dev(), 0, nullptr);
  HANDLE usual = p->resource(D3DDDIFMT_A8R8G8B8, 8, 8, Program::texture(), D3DDDIPOOL_VIDEOMEMORY, 4);
  make.hResource = usual;
  EXPECT_EQ(p->fn.pfnGenerateMipSubLevels(p->dev(), &make), kNotAvailable) << "its levels are the program's";
  p->destroy(usual);
  p->destroy(texture);
}

}  // namespace
}  // namespace aero::test
