// SPDX-License-Identifier: MIT
// Shapes of Direct3D 10's resources and views (docs/abi/d3d10-resources.md): volumes and 1D textures that
// shaders read, slices and rows as targets, their mips; typed views of buffers; copies of odd bytes.
#include <random>

#include "renderer/test/seeds.h"
#include "renderer/vulkan/test/dxgi_fixture.h"

namespace aerogpu::test {
namespace {

constexpr auto kRgba8 = AEROGPU_FORMAT_DXGI_R8G8B8A8_UNORM;
constexpr auto kOne = AEROGPU_FORMAT_DXGI_R32G32B32A32_FLOAT;
constexpr uint32_t kTexture1d = 2, kTexture3d = 5, kTexture1dArray = 7;  // D3D10_SB_RESOURCE_DIMENSION

class DxgiShapesTest : public DxgiTest {
protected:
  void SetUp() override {
    DxgiTest::SetUp();
    if (!(capsFlags() & AEROGPU_CAPS_D3D10_RESOURCES)) GTEST_SKIP() << "this device does not have them";
  }
  uint32_t row(CommandWriter& w, aerogpu_format format, uint32_t width, uint32_t layers, uint32_t mips = 1) {
    aerogpu_cmd_ext_create_texture c{};
    c.texture_handle = gpu().handle();
    c.kind = AEROGPU_EXT_TEXTURE_1D;
    c.format = format;
    c.width = width;
    c.height = c.depth = c.sample_count = 1;
    c.mip_levels = mips;
    c.array_layers = layers;
    w.packet(c);
    return c.texture_handle;
  }
  /// Reads a box of a texture, of texels of `bytes`, that has `depth` slices or one row a layer.
  Bytes box(uint32_t texture, uint32_t bytes, uint32_t mip, uint32_t layer, uint32_t width, uint32_t height,
            uint32_t depth) {
    const uint32_t pitch = width * bytes;
    const Allocation memory = gpu().allocate(uint64_t{pitch} * height * depth);
    CommandWriter w;
    w.packet(aerogpu_cmd_ext_read_texture{.texture = texture,
                                          .mip_level = mip,
                                          .array_layer = layer,
                                          .width = width,
                                          .height = height,
                                          .depth = depth,
                                          .dst_alloc_id = memory.id,
                                          .dst_row_pitch_bytes = pitch,
                                          .dst_slice_pitch_bytes = uint64_t{pitch} * height});
    run(w);
    const auto got = gpu().bytes(memory);
    return {got.begin(), got.begin() + pitch * height * depth};
  }
  /// Loads texel x of the buffer t0, x the pixel's column.
  static dxbc::TokenShader bufferPixels(Numbers numbers) {
    using namespace dxbc;
    Tokens t;
    op(t, 0x58 | 1u << 11, {handle(kResource, 0), {0x1111 * static_cast<uint32_t>(numbers)}});
    op(t, 0x64 | 4u << 11, {dst(kInput, 0, 3), {1}});
    op(t, 0x65, {dst(kOutput, 0, 15)});
    op(t, 0x68, {{1}});
    op(t, 0x1B, {dst(kTemp, 0, 15), src(kInput, 0, 0x04)});  // ftoi r0, v0.xyxx
    op(t, 0x2D, {dst(kOutput, 0, 15), src(kTemp, 0), src(kResource, 0)});
    op(t, kRet, {});
    return {program(kPs40, t), {{1, 0, 15}}, {{0, 0, 15}}, {}};
  }
  /// Returns a sample of the volume t at a place, filtered.
  Color sampled(uint32_t t, const std::array<float, 3>& at) {
    using namespace dxbc;
    Tokens tokens;
    op(tokens, 0x5A, {handle(kSampler, 0)});
    op(tokens, 0x58 | kTexture3d << 11, {handle(kResource, 0), {0x5555}});
    op(tokens, 0x65, {dst(kOutput, 0, 15)});
    const auto bits = [](float f) { return std::bit_cast<uint32_t>(f); };
    op(tokens, kSample,
       {dst(kOutput, 0, 15),
        {0x4002, bits(at[0]), bits(at[1]), bits(at[2]), 0},
        src(kResource, 0),
        handle(kSampler, 0)});
    op(tokens, kRet, {});
    CommandWriter w;
    const uint32_t out = texture(w, kFloats, kSide, kSide);
    target(w, out);
    setTexture(w, 0, t);
    samplerState(w, 0, kMagFilter, 2);
    samplerState(w, 0, kMinFilter, 2);
    for (const uint32_t address : {1u, 2u, 3u}) samplerState(w, 0, address, 3);  // clamp
    cover(w, {program(kPs40, tokens), {{1, 0, 15}}, {{0, 0, 15}}, {}});
    run(w);
    return floats(out)[0];
  }
};

// DXR-2: each texel of each slice, and points between them.
TEST_F(DxgiShapesTest, ShadersReadVolumes) {
  constexpr uint32_t kDepth = 5;
  std::mt19937 random(oracleSeed(51));
  CommandWriter w;
  const uint32_t t = create(w, AEROGPU_EXT_TEXTURE_VOLUME, kRgba8, kSide, kSide, kDepth);
  Bytes bytes(size_t{kSide} * kSide * kDepth * 4);
  for (uint8_t& b : bytes) b = static_cast<uint8_t>(random());
  packets::upload(w, t, 0, bytes);
  run(w);
  const auto texel = [&](uint32_t x, uint32_t y, uint32_t z, size_t c) {
    return bytes[((size_t{z} * kSide + y) * kSide + x) * 4 + c] / 255.0;
  };
  for (uint32_t z = 0; z < kDepth; ++z) {
    const std::vector<Color> got = loaded(t, Numbers::Float, kTexture3d, z);
    for (uint32_t i = 0; i < kSide * kSide; ++i)
      for (size_t c = 0; c < 4; ++c)
        ASSERT_NEAR(got[i][c], texel(i % kSide, i / kSide, z, c), 1e-5) << "slice " << z << " texel " << i;
  }
  // Halfway between eight texels.
  for (uint32_t z = 0; z + 1 < kDepth; ++z) {
    const auto at = [](uint32_t low, uint32_t size) {
      return (static_cast<float>(low) + 1) / static_cast<float>(size);
    };
    const Color got = sampled(t, {at(2 + z, kSide), at(7, kSide), at(z, kDepth)});
    for (size_t c = 0; c < 4; ++c) {
      double sum = 0;
      for (uint32_t k = 0; k < 8; ++k) sum += texel(2 + z + (k & 1), 7 + (k >> 1 & 1), z + (k >> 2), c);
      EXPECT_NEAR(got[c], sum / 8, 1.0 / 128) << "slice " << z << " channel " << c;
    }
  }
}

// DXR-2, STATE-21: a texture of another kind than declared reads zeros.
TEST_F(DxgiShapesTest, OtherKindsReadZeros) {
  CommandWriter w;
  const uint32_t flat = texture(w, kRgba8, kSide, kSide);
  const uint32_t line = row(w, kRgba8, kSide, 1);
  const uint32_t solid = create(w, AEROGPU_EXT_TEXTURE_VOLUME, kRgba8, kSide, kSide, 2);
  const Bytes ones(size_t{kSide} * kSide * 2 * 4, 0xFF);
  packets::upload(w, flat, 0, {ones.data(), ones.size() / 2});
  packets::upload(w, line, 0, {ones.data(), kSide * 4});
  packets::upload(w, solid, 0, ones);
  run(w);
  const struct {
    uint32_t texture, dimension;
    bool reads;
  } cases[] = {{flat, kTexture2d, true},        {flat, kTexture1d, false}, {flat, kTexture3d, false},
               {line, kTexture1d, true},        {line, kTexture2d, false}, {line, kTexture3d, false},
               {line, kTexture2dArray, false},  {solid, kTexture3d, true}, {solid, kTexture2d, false},
               {solid, kTexture1dArray, false}, {0, kTexture3d, false},    {0, kTexture1d, false}};
  for (const auto& c : cases)
    EXPECT_EQ(loaded(c.texture, Numbers::Float, c.dimension)[0][0], c.reads ? 1 : 0)
        << c.texture << " as " << c.dimension;
}

// DXR-3: each slice of two mips is drawn to and filled alone; a shader reads zeros from a volume that is a
// target.
TEST_F(DxgiShapesTest, SlicesAreTargets) {
  constexpr uint32_t kDepth = 6;
  CommandWriter w;
  const uint32_t t = create(w, AEROGPU_EXT_TEXTURE_VOLUME, kOne, kSide, kSide, kDepth, 2);
  run(w);
  for (uint32_t mip = 0; mip < 2; ++mip)
    for (uint32_t z = 0; z < kDepth >> mip; ++z) {
      const uint32_t v = view(w, t, kOne, mip, 1, z, 1);
      target(w, v);
      const double shade = 0.125 * (z + 1) + mip;
      if (z % 2)
        cover(w, constantPixels(Numbers::Float, {shade, 2, 3, 4}));
      else
        clearColor(w, static_cast<float>(shade), 2, 3, 4);
      run(w);
    }
  for (uint32_t mip = 0; mip < 2; ++mip) {
    const uint32_t side = kSide >> mip, depth = kDepth >> mip;
    const Bytes got = box(t, 16, mip, 0, side, side, depth);
    for (size_t i = 0; i < got.size() / 16; ++i) {
      float texel[4];
      std::memcpy(texel, got.data() + i * 16, 16);
      const float shade = 0.125f * static_cast<float>(i / (side * side) + 1) + static_cast<float>(mip);
      ASSERT_EQ(texel[0], shade) << "mip " << mip << " texel " << i;
      ASSERT_EQ(texel[3], 4) << "mip " << mip << " texel " << i;
    }
  }
  // The view counts its slices.
  fill(w, view(w, t, kOne, 0, 1, 3, 2), {9, 9, 9, 9});
  run(w);
  float texel;
  std::memcpy(&texel, box(t, 16, 0, 0, kSide, kSide, kDepth).data() + size_t{kSide} * kSide * 16 * 3, 4);
  EXPECT_EQ(texel, 9);
  // The texture itself is its first slice.
  target(w, t);
  setTexture(w, 0, t);
  cover(w, loadingPixels(Numbers::Float, kTexture3d, 1, 0));
  run(w);
  const Bytes got = box(t, 16, 0, 0, kSide, kSide, 1);
  EXPECT_EQ(got, Bytes(got.size())) << "a target reads as zeros";
  view(w, t, kOne, 0, 1, 3, 4);
  EXPECT_EQ(runForError(w), uint32_t{AEROGPU_ERROR_OOB}) << "past the slices";
  view(w, t, kOne, 1, 1, 3, 1);
  EXPECT_EQ(runForError(w), uint32_t{AEROGPU_ERROR_OOB}) << "past the slices of the mip";
  gpu().takeErrorLines();
}

// DXR-4: each texel is the mean of the eight above it.
TEST_F(DxgiShapesTest, MipsOfVolumesAreMade) {
  if (!can(kOne, AEROGPU_FORMAT_CAP_FILTER)) GTEST_SKIP() << "this device weighs no such floats";
  constexpr uint32_t kDepth = 8;
  std::mt19937 random(oracleSeed(52));
  std::vector<float> level(size_t{kSide} * kSide * kDepth * 4);
  for (float& f : level) f = static_cast<float>(random() % 256);
  Bytes bytes(level.size() * 4);
  std::memcpy(bytes.data(), level.data(), bytes.size());
  CommandWriter w;
  const uint32_t t = create(w, AEROGPU_EXT_TEXTURE_VOLUME, kOne, kSide, kSide, kDepth, 4);
  packets::upload(w, t, 0, bytes);
  w.packet(aerogpu_cmd_ext_generate_mips{{}, t, AEROGPU_EXT_MIPS_LINEAR});
  run(w);
  uint32_t side = kSide, depth = kDepth;
  for (uint32_t mip = 1; mip < 4; ++mip) {
    const uint32_t below = side / 2, slices = depth / 2;
    std::vector<float> next(size_t{below} * below * slices * 4);
    for (size_t i = 0; i < next.size(); ++i) {
      const size_t c = i % 4, x = i / 4 % below, y = i / 4 / below % below, z = i / 4 / below / below;
      float sum = 0;
      for (size_t k = 0; k < 8; ++k)
        sum += level[(((z * 2 + (k >> 2)) * side + y * 2 + (k >> 1 & 1)) * side + x * 2 + (k & 1)) * 4 + c];
      next[i] = sum / 8;
    }
    const Bytes got = box(t, 16, mip, 0, below, below, slices);
    for (size_t i = 0; i < next.size(); ++i) {
      float f;
      std::memcpy(&f, got.data() + i * 4, 4);
      ASSERT_NEAR(f, next[i], 1.5) << "mip " << mip << " number " << i;  // filters have 8 bits of weight
    }
    level = std::move(next);
    side = below;
    depth = slices;
  }
}

// DXR-5: layers are read and drawn to, copied, filled and read back; mips are made.
TEST_F(DxgiShapesTest, RowsAreTextures) {
  constexpr uint32_t kLayers = kSide;
  std::mt19937 random(oracleSeed(53));
  Bytes bytes(size_t{kSide + kSide / 2} * kLayers * 4);
  for (uint8_t& b : bytes) b = static_cast<uint8_t>(random());
  CommandWriter w;
  const uint32_t t = row(w, kRgba8, kSide, kLayers, 2);
  packets::upload(w, t, 0, bytes);
  run(w);
  const auto texel = [&](uint32_t layer, uint32_t x, size_t c) {
    return bytes[size_t{layer} * (kSide + kSide / 2) * 4 + x * 4 + c];
  };
  const std::vector<Color> got = loaded(t, Numbers::Float, kTexture1dArray);  // layer y of the pixel
  for (uint32_t i = 0; i < kSide * kSide; ++i)
    for (size_t c = 0; c < 4; ++c) ASSERT_NEAR(got[i][c], texel(i / kSide, i % kSide, c) / 255.0, 1e-5) << i;
  const uint32_t third = view(w, t, kRgba8, 0, 2, 3, 1);
  run(w);
  const std::vector<Color> one = loaded(third, Numbers::Float, kTexture1d);
  for (uint32_t x = 0; x < kSide; ++x) ASSERT_NEAR(one[x][1], texel(3, x, 1) / 255.0, 1e-5) << x;

  const uint32_t other = row(w, kRgba8, kSide, kLayers);
  packets::copyTexture(w, other, t, kSide, 1, 0, 0, 7);  // to layer 0
  fill(w, view(w, other, kRgba8, 0, 1, 2, 1), {1, 0, 1, 0});
  target(w, view(w, other, kRgba8, 0, 1, 5, 1));
  cover(w, constantPixels(Numbers::Float, {0, 1, 0, 1}));
  run(w);
  const Bytes copied = box(other, 4, 0, 0, kSide, 1, 1), filled = box(other, 4, 0, 2, kSide, 1, 1),
              drawn = box(other, 4, 0, 5, kSide, 1, 1);
  for (uint32_t x = 0; x < kSide; ++x)
    for (size_t c = 0; c < 4; ++c) {
      EXPECT_EQ(copied[x * 4 + c], texel(7, x, c)) << x;
      EXPECT_EQ(filled[x * 4 + c], c % 2 ? 0 : 255) << x;
      EXPECT_EQ(drawn[x * 4 + c], c % 2 ? 255 : 0) << x;
    }
  w.packet(aerogpu_cmd_ext_generate_mips{{}, t, AEROGPU_EXT_MIPS_LINEAR});
  run(w);
  for (uint32_t layer = 0; layer < kLayers; ++layer) {
    const Bytes made = box(t, 4, 1, layer, kSide / 2, 1, 1);
    for (uint32_t i = 0; i < kSide * 2; ++i) {
      const uint32_t x = i / 4 * 2, c = i % 4;
      EXPECT_NEAR(made[i], (texel(layer, x, c) + texel(layer, x + 1, c)) / 2.0, 1.01) << layer << " " << i;
    }
  }
}

// DXR-5: what is no row.
TEST_F(DxgiShapesTest, RowsHaveLimits) {
  CommandWriter w;
  row(w, AEROGPU_FORMAT_DXGI_D32_FLOAT, kSide, 1);
  EXPECT_EQ(runForError(w), uint32_t{AEROGPU_ERROR_CMD_DECODE}) << "depth";
  row(w, AEROGPU_FORMAT_DXGI_BC1_UNORM, kSide, 1);
  EXPECT_EQ(runForError(w), uint32_t{AEROGPU_ERROR_CMD_DECODE}) << "blocks";
  create(w, AEROGPU_EXT_TEXTURE_1D, kRgba8, kSide, 2);
  EXPECT_EQ(runForError(w), uint32_t{AEROGPU_ERROR_CMD_DECODE}) << "two rows";
  const uint32_t line = row(w, kRgba8, kSide, 1), flat = texture(w, kRgba8, kSide, 1);
  run(w);
  packets::copyTexture(w, flat, line, kSide, 1, 0);
  EXPECT_EQ(runForError(w), uint32_t{AEROGPU_ERROR_CMD_DECODE}) << "a copy to 2D";
  const aerogpu_ext_blit_rect rect{{0, 0, 8, 1}, {0, 0, 16, 1}};
  w.packet(aerogpu_cmd_ext_blit{{}, flat, 0, 0, line, 0, 0, 0, 0, 0, 0}, &rect, 1);
  EXPECT_EQ(runForError(w), uint32_t{AEROGPU_ERROR_CMD_DECODE}) << "a blit to 2D";
  gpu().takeErrorLines();
}

// DXR-6: a view reads the texels of its range by its format; past them, and as other numbers, zeros.
TEST_F(DxgiShapesTest, BuffersHaveTypedViews) {
  std::mt19937 random(oracleSeed(54));
  uint32_t seen = 0;
  for (const Spec& spec : kDxgiSpecs) {
    if (!can(spec.format, AEROGPU_FORMAT_CAP_VERTEX)) continue;
    constexpr uint32_t kFirst = 16, kTexels = 9;
    const Numbers numbers = numbersOf(spec);
    const Bytes bytes = dxgiTexels(spec, kFirst + kSide, random);
    CommandWriter w;
    const uint32_t b = buffer(w, bytes.data(), bytes.size(), 0);
    const aerogpu_shader_resource_buffer_binding bound{b, kFirst * spec.bytes, kTexels * spec.bytes,
                                                       spec.format};
    const auto look = [&](Numbers as) {
      const aerogpu_format format = as == Numbers::Float  ? AEROGPU_FORMAT_DXGI_R32G32B32A32_FLOAT
                                    : as == Numbers::Uint ? AEROGPU_FORMAT_DXGI_R32G32B32A32_UINT
                                                          : AEROGPU_FORMAT_DXGI_R32G32B32A32_SINT;
      const uint32_t out = texture(w, format, kSide, kSide);
      target(w, out);
      w.packet(aerogpu_cmd_set_shader_resource_buffers{{}, AEROGPU_SHADER_STAGE_PIXEL, 0, 0, 0}, &bound, 1);
      cover(w, bufferPixels(as));
      const FinishedSubmission finished = gpu().submit(w, m_context);
      w.reset();
      // A GPU may lack views of some formats.
      return finished.result.error_count ? Bytes() : read(out, format, kSide, kSide);
    };
    const Bytes got = look(numbers);
    if (got.empty()) {
      gpu().takeErrorLines();
      continue;
    }
    ++seen;
    for (uint32_t x = 0; x < kSide; ++x) {
      const Color want =
          x < kTexels ? texelOf(spec, bytes.data() + size_t{kFirst + x} * spec.bytes) : Color{0, 0, 0, 0};
      for (size_t c = 0; c < 3; ++c) {
        uint32_t word;
        std::memcpy(&word, got.data() + x * 16 + c * 4, 4);
        const double value = numbers == Numbers::Float  ? static_cast<double>(std::bit_cast<float>(word))
                             : numbers == Numbers::Uint ? static_cast<double>(word)
                                                        : static_cast<double>(static_cast<int32_t>(word));
        ASSERT_NEAR(value, want[c], tolerance(spec) * std::max(1.0, std::fabs(want[c])))
            << spec.name << " texel " << x << " channel " << c;
      }
    }
    if (spec.format != AEROGPU_FORMAT_DXGI_R32G32_FLOAT && spec.format != AEROGPU_FORMAT_DXGI_R8_UINT)
      continue;
    const Bytes other = look(numbers == Numbers::Float ? Numbers::Uint : Numbers::Float);
    EXPECT_EQ(other, Bytes(other.size())) << spec.name << " as other numbers";
  }
  EXPECT_GE(seen, deviceIsBare() ? 3u : 20u);
}

TEST_F(DxgiShapesTest, ViewsOfBuffersHaveLimits) {
  CommandWriter w;
  const Bytes bytes(64);
  const uint32_t b = buffer(w, bytes.data(), bytes.size(), 0);
  run(w);
  const aerogpu_shader_resource_buffer_binding wrong[] = {{b, 0, 64, AEROGPU_FORMAT_DXGI_BC1_UNORM},
                                                          {b, 0, 64, AEROGPU_FORMAT_DXGI_R8G8B8A8_TYPELESS},
                                                          {b, 0, 64, 0x7FFF},
                                                          {b, 4, 32, AEROGPU_FORMAT_DXGI_R32G32_FLOAT},
                                                          {b, 0, 64, AEROGPU_FORMAT_D24_UNORM_S8_UINT}};
  for (const auto& one : wrong) {
    w.packet(aerogpu_cmd_set_shader_resource_buffers{{}, AEROGPU_SHADER_STAGE_PIXEL, 0, 0, 0}, &one, 1);
    EXPECT_EQ(runForError(w), uint32_t{AEROGPU_ERROR_CMD_DECODE})
        << one.reserved0 << " at " << one.offset_bytes;
  }
  gpu().takeErrorLines();
}

// DXR-7: random ranges of any bytes.
TEST_F(DxgiShapesTest, BuffersAreCopiedByBytes) {
  std::mt19937 random(oracleSeed(55));
  constexpr uint32_t kBytes = 256;
  Bytes from(kBytes), to(kBytes);
  for (uint32_t i = 0; i < kBytes; ++i) {
    from[i] = static_cast<uint8_t>(random());
    to[i] = static_cast<uint8_t>(random());
  }
  CommandWriter w;
  const uint32_t a = buffer(w, from.data(), kBytes, 0), b = buffer(w, to.data(), kBytes, 0);
  for (uint32_t round = 0; round < 40; ++round) {
    const uint32_t size = random() % 40, src = random() % (kBytes - size), dst = random() % (kBytes - size);
    w.packet(aerogpu_cmd_copy_buffer{{}, b, a, dst, src, size, 0, 0});
    std::copy_n(from.begin() + src, size, to.begin() + dst);
  }
  run(w);
  EXPECT_EQ(gpu().readBuffer(b, kBytes), to);
}

}  // namespace
}  // namespace aerogpu::test
