// SPDX-License-Identifier: MIT
// Planes of textures with several samples a texel, and of depth that is a float: what is written is there,
// bit by bit, in its sample and nowhere else.
#include <cstring>
#include <random>

#include "renderer/test/vulkan_profiles.h"
#include "renderer/vulkan/test/objects_fixture.h"
#include "renderer/vulkan/test/random_texels.h"

namespace aerogpu::test {
namespace {

class SamplesTest : public ObjectsTest {
protected:
  static constexpr uint32_t kWidth = 13, kHeight = 7;

  TextureDesc described(aerogpu_format format, uint32_t samples, uint32_t layers = 1) const {
    TextureDesc desc = flat(kWidth, kHeight, layers, samples);
    desc.format = format;
    return desc;
  }
  static void writePlane(GpuTexture& to, const TexelPart& part, const Box& box, const Bytes& bytes) {
    SpanSource source(bytes);
    const auto written = to.writePlane(part, box, source);
    EXPECT_TRUE(written) << written.error().what;
  }
  Bytes readPlane(GpuTexture& from, const TexelPart& part, const Box& box) {
    Bytes out;
    const auto read = from.readPlane(part, box, std::make_unique<VectorSink>(out));
    EXPECT_TRUE(read) << read.error().what;
    finish();
    return out;
  }
  Bytes texels(const FormatInfo& format, TexelPlane plane, uint32_t count) {
    return randomTexels(format, plane, count, m_random);
  }
  /// Writes each plane of each sample of each layer, part by part, and expects all of them to be there.
  void expectKept(const TextureDesc& desc) {
    const FormatInfo& format = *findFormat(desc.format);
    SCOPED_TRACE(std::string(format.name) + ", " + std::to_string(desc.samples) + " samples");
    auto made = texture(desc);
    ASSERT_TRUE(made);
    if (desc.samples > 1) {
      EXPECT_TRUE(made->needsPlanes());
    }
    struct Part {
      TexelPart part;
      Bytes bytes;
    };
    std::vector<Part> parts;
    for (uint32_t layer = 0; layer < desc.arrayLayers; ++layer)
      for (uint32_t sample = 0; sample < desc.samples; ++sample)
        for (const TexelPlane plane : {TexelPlane::Color, TexelPlane::Depth, TexelPlane::Stencil})
          if (hasPlane(format, plane))
            parts.push_back({{{0, layer}, sample, plane}, texels(format, plane, kWidth * kHeight)});
    std::shuffle(parts.begin(), parts.end(), m_random);
    constexpr uint32_t kUpper = 3;
    for (const auto& [part, bytes] : parts) {
      const size_t upper = size_t{kUpper} * kWidth * planeBytes(format, part.plane);
      const auto middle = bytes.begin() + static_cast<std::ptrdiff_t>(upper);
      writePlane(*made, part, {0, kUpper, 0, kWidth, kHeight - kUpper}, {middle, bytes.end()});
      writePlane(*made, part, {0, 0, 0, kWidth, kUpper}, {bytes.begin(), middle});
    }
    for (const auto& [part, bytes] : parts)
      EXPECT_TRUE(readPlane(*made, part, {0, 0, 0, kWidth, kHeight}) == bytes)
          << "layer " << part.sub.layer << ", sample " << part.sample << ", plane "
          << static_cast<int>(part.plane);
    // A part of it, and what replaces a part.
    const auto& [part, bytes] = parts[0];
    const uint32_t size = planeBytes(format, part.plane);
    const Box box{2, 1, 0, 5, 4};
    const Bytes other = texels(format, part.plane, box.width * box.height);
    writePlane(*made, part, box, other);
    EXPECT_TRUE(readPlane(*made, part, box) == other);
    Bytes want = bytes;
    for (uint32_t y = 0; y < box.height; ++y)
      std::memcpy(want.data() + ((size_t{box.y} + y) * kWidth + box.x) * size,
                  other.data() + size_t{y} * box.width * size, size_t{box.width} * size);
    EXPECT_TRUE(readPlane(*made, part, {0, 0, 0, kWidth, kHeight}) == want);
  }

  std::mt19937 m_random{17};
};

TEST_P(SamplesTest, OfEachFormatAreKept) {
  uint32_t formats = 0;
  for (const FormatInfo& format : allFormats()) {
    const uint32_t counts = backend().formatCaps(format.format).samples;
    if (format.isInteger()) {
      EXPECT_LE(counts, 1u) << format.name << ", DXF-12";
    }
    formats += counts > 1;
    for (uint32_t samples = 2; samples <= 16; samples *= 2)
      if (counts & samples) expectKept(described(format.format, samples, 2));
  }
  EXPECT_GE(formats, 15u);
}

TEST_P(SamplesTest, ResolveToTheirMean) {
  for (uint32_t samples = 2; samples <= 16; samples *= 2) {
    if (!(backend().formatCaps(kBgra).samples & samples)) continue;
    auto made = texture(described(kBgra, samples));
    auto mean = texture(described(kBgra, 1));
    ASSERT_TRUE(made && mean);
    std::vector<uint32_t> sums(size_t{kWidth} * kHeight * 4);
    const Box all{0, 0, 0, kWidth, kHeight};
    for (uint32_t sample = 0; sample < samples; ++sample) {
      const Bytes bytes = texels(*findFormat(kBgra), TexelPlane::Color, kWidth * kHeight);
      for (size_t i = 0; i < bytes.size(); ++i) sums[i] += bytes[i];
      writePlane(*made, {{}, sample, TexelPlane::Color}, all, bytes);
    }
    ASSERT_TRUE(mean->resolveFrom({}, *made, {}, all));
    const Bytes got = read(*mean, {}, all);
    for (size_t i = 0; i < got.size(); ++i)
      EXPECT_NEAR(got[i], static_cast<double>(sums[i]) / samples, 1) << "byte " << i;
  }
}

TEST_P(SamplesTest, TheFirstOfDepthIsWhatABlitTakes) {
  constexpr aerogpu_format kFormat = AEROGPU_FORMAT_D24_UNORM_S8_UINT;
  const FormatInfo& format = *findFormat(kFormat);
  if (!(backend().formatCaps(kFormat).samples & 4)) GTEST_SKIP() << "no depth of 4 samples";
  auto made = texture(described(kFormat, 4));
  auto single = texture(described(kFormat, 1));
  ASSERT_TRUE(made && single);
  const Box all{0, 0, 0, kWidth, kHeight};
  Bytes want(size_t{kWidth} * kHeight * 4);
  for (uint32_t sample = 4; sample-- > 0;)
    for (const TexelPlane plane : {TexelPlane::Depth, TexelPlane::Stencil}) {
      const Bytes bytes = texels(format, plane, kWidth * kHeight);
      writePlane(*made, {{}, sample, plane}, all, bytes);
      putPlane(format, plane, bytes.data(), kWidth * kHeight, want.data());
    }
  const BlitBox box{all, all};
  const auto blit = single->blit({}, *made, {}, {&box, 1}, {});
  ASSERT_TRUE(blit) << blit.error().what;
  EXPECT_TRUE(read(*single, {}, all) == want);
}

TEST_P(SamplesTest, AreInTheOrderOfTheSampleMask) {
  const uint32_t counts = backend().formatCaps(kBgra).samples;
  for (uint32_t samples = 2; samples <= 16; samples *= 2) {
    if (!(counts & samples)) continue;
    const TextureDesc desc = described(kBgra, samples);
    for (uint32_t drawn = 0; drawn < samples; ++drawn) {
      Painter painter(backend(), desc);
      painter.state().blend.sampleMask = 1u << drawn;
      painter.draw();
      for (uint32_t sample = 0; sample < samples; ++sample) {
        const Bytes got = readPlane(painter.target(), {{}, sample, TexelPlane::Color}, {3, 3, 0, 1, 1});
        EXPECT_EQ(got, Bytes(4, sample == drawn ? 255 : 0)) << "sample " << sample << " of " << samples;
      }
    }
  }
}

TEST_P(SamplesTest, DepthThatIsAFloatIsKeptExactly) {
  uint32_t exact = 0;
  for (const FormatInfo& format : allFormats()) {
    if (!format.depth || backend().formatCaps(format.format).caps == 0) continue;
    auto made = texture(described(format.format, 1));
    ASSERT_TRUE(made);
    SCOPED_TRACE(format.name);
    const Box all{0, 0, 0, kWidth, kHeight};
    Bytes depth(size_t{kWidth} * kHeight * 4);
    for (size_t i = 0; i < depth.size(); i += 4) {
      const float value = std::uniform_real_distribution<float>(0, 1)(m_random);
      std::memcpy(depth.data() + i, &value, 4);
    }
    writePlane(*made, {{}, 0, TexelPlane::Depth}, all, depth);
    Bytes stencil;
    if (format.stencil) {
      stencil = texels(format, TexelPlane::Stencil, kWidth * kHeight);
      writePlane(*made, {{}, 0, TexelPlane::Stencil}, all, stencil);
    }
    // What the guest reads is the nearest number that the format has.
    Bytes want(size_t{kWidth} * kHeight * format.blockBytes);
    putPlane(format, TexelPlane::Depth, depth.data(), kWidth * kHeight, want.data());
    if (format.stencil) putPlane(format, TexelPlane::Stencil, stencil.data(), kWidth * kHeight, want.data());
    EXPECT_TRUE(read(*made, {}, all) == want);
    if (!made->needsPlanes()) continue;
    ++exact;
    EXPECT_TRUE(readPlane(*made, {{}, 0, TexelPlane::Depth}, all) == depth);
    EXPECT_TRUE(readPlane(*made, {{}, 0, TexelPlane::Stencil}, all) == stencil);
  }
  const DeviceProfile* profile = deviceProfile();
  const bool lacksD24 =
      profile &&
      (profile->requiredOnly || std::ranges::count(profile->hiddenFormats, VK_FORMAT_D24_UNORM_S8_UINT) != 0);
  if (lacksD24) {
    EXPECT_EQ(exact, 4u);
  }
}

INSTANTIATE_TEST_SUITE_P(Backends, SamplesTest, ::testing::Values("vulkan"),
                         [](const auto& info) { return std::string(info.param); });

}  // namespace
}  // namespace aerogpu::test
