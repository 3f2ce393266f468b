// SPDX-License-Identifier: MIT
// Random textures of all formats, kinds, samples and mips, full of random texels, are taken into a snapshot
// and made again: no byte differs. AEROGPU_ORACLE_SEED and AEROGPU_ORACLE_COUNT choose others than the first
// few; each case is ten textures.
#include <algorithm>
#include <random>

#include "renderer/core/handle_table.h"
#include "renderer/core/texture_layout.h"
#include "renderer/core/write_clock.h"
#include "renderer/local/local.h"
#include "renderer/snapshot/wait.h"
#include "renderer/test/saving.h"
#include "renderer/test/seeds.h"
#include "renderer/vulkan/test/gpu_test.h"
#include "renderer/vulkan/test/random_texels.h"

namespace aerogpu::test {
namespace {

using namespace core;

class MovedTexturesTest : public GpuTest {
protected:
  struct VectorSink final : ByteSink {
    explicit VectorSink(Bytes& bytes) : out(bytes) {}
    Result<void> write(const uint8_t* src, uint64_t srcPitch, uint64_t rowBytes, uint64_t rows) override {
      for (uint64_t row = 0; row < rows; ++row)
        out.insert(out.end(), src + row * srcPitch, src + row * srcPitch + rowBytes);
      return {};
    }
    Bytes& out;
  };
  struct BytesSource final : ByteSource {
    explicit BytesSource(const Bytes& bytes) : in(bytes) {}
    bool read(uint64_t offset, void* dst, uint64_t size) override {
      std::memcpy(dst, in.data() + offset, size);
      return true;
    }
    const Bytes& in;
  };
  /// Bytes of one subresource, or of one plane of it.
  struct Part {
    Subresource sub;
    uint32_t sample;
    bool isPlane;
    TexelPlane plane;
    Bytes bytes;
  };
  struct Made {
    uint32_t handle;
    aerogpu_cmd_ext_create_texture packet;
    std::vector<Part> parts;
  };

  Backend& backend() { return *gpu().local().backend; }
  void finish() {
    const auto done = snapshot::finishWork(backend());
    ASSERT_TRUE(done) << done.error().what;
  }
  uint32_t below(uint32_t n) { return static_cast<uint32_t>(m_random() % n); }
  Texture& textureOf(uint32_t handle) {
    return **gpu().local().executor->parts().handles.need<Texture>(handle, "");
  }
  /// Returns a texture that this GPU has.
  aerogpu_cmd_ext_create_texture any() {
    for (;;) {
      const FormatInfo& format = allFormats()[below(static_cast<uint32_t>(allFormats().size()))];
      const FormatCaps caps = backend().formatCaps(format.format);
      if (caps.caps == 0 || format.shows != FormatInfo::Shows::Texels) continue;
      aerogpu_cmd_ext_create_texture c{};
      c.usage_flags = AEROGPU_RESOURCE_USAGE_TEXTURE;
      c.format = format.format;
      c.kind = AEROGPU_EXT_TEXTURE_2D;
      c.depth = c.mip_levels = c.array_layers = c.sample_count = 1;
      const uint32_t step = format.isYuv() ? 6 : 1;  // planes of half a size
      c.width = (1 + below(24)) * step;
      c.height = (1 + below(24)) * step;
      const uint32_t mips = 1 + below(std::bit_width(std::max(c.width, c.height)));
      const uint32_t kind = below(4);
      if (format.isYuv()) return c;
      if (kind == 0 && (caps.caps & AEROGPU_FORMAT_CAP_VOLUME)) {
        c.kind = AEROGPU_EXT_TEXTURE_VOLUME;
        c.depth = 1 + below(5);
        c.mip_levels = mips;
      } else if (kind == 1 && (caps.caps & AEROGPU_FORMAT_CAP_CUBE)) {
        c.kind = AEROGPU_EXT_TEXTURE_CUBE;
        c.height = c.width;
        c.array_layers = 6;
        c.mip_levels = 1 + below(std::bit_width(c.width));
      } else if (const uint32_t samples = 1u << below(5);
                 kind == 2 && samples > 1 && (caps.samples & samples)) {
        c.sample_count = samples;
      } else {
        c.mip_levels = mips;
        c.array_layers = 1 + below(3);
      }
      return c;
    }
  }
  static Box allOf(const Texture& texture, Subresource sub) {
    const TextureLayout::Mip mip = texture.layout.mip(sub.mip);
    return {0, 0, 0, mip.width, mip.height, mip.depth};
  }
  /// Fills the texture with random bytes; a part of it stays as it was made.
  void fill(Made& made) {
    Texture& texture = textureOf(made.handle);
    const FormatInfo& format = *findFormat(texture.desc.format);
    for (uint32_t layer = 0; layer < texture.desc.arrayLayers; ++layer)
      for (uint32_t mip = 0; mip < texture.desc.mipLevels; ++mip) {
        const Subresource sub{mip, layer};
        const Box all = allOf(texture, sub);
        const uint64_t texels = uint64_t{all.width} * all.height;
        if (texture.gpu->needsPlanes()) {
          for (uint32_t sample = 0; sample < texture.desc.samples; ++sample)
            for (const TexelPlane plane : {TexelPlane::Color, TexelPlane::Depth, TexelPlane::Stencil}) {
              if (!hasPlane(format, plane)) continue;
              Part part{sub, sample, true, plane, randomTexels(format, plane, texels, m_random)};
              if (below(8) == 0) {
                std::ranges::fill(part.bytes, uint8_t{0});
              } else {
                BytesSource source(part.bytes);
                ASSERT_TRUE(texture.gpu->writePlane({sub, sample, plane}, all, source));
              }
              made.parts.push_back(std::move(part));
            }
          continue;
        }
        const BoxRows rows(format, all);
        Part part{sub, 0, false, TexelPlane::Color, Bytes(rows.rowBytes * rows.rows)};
        if (below(8) != 0) {
          for (uint8_t& byte : part.bytes) byte = static_cast<uint8_t>(m_random());
          if (format.depth && !format.stencil && format.blockBytes == 4)
            part.bytes = randomTexels(format, TexelPlane::Depth, texels, m_random);
          BytesSource source(part.bytes);
          ASSERT_TRUE(texture.gpu->write(sub, all, {rows.rowBytes, rows.rowBytes * rows.perSlice}, source));
        }
        made.parts.push_back(std::move(part));
      }
    gpu().local().executor->parts().writes.note(texture);
    finish();
  }
  void expectKept(const Made& made) {
    Texture& texture = textureOf(made.handle);
    for (const Part& part : made.parts) {
      const Box all = allOf(texture, part.sub);
      Bytes got;
      auto sink = std::make_unique<VectorSink>(got);
      const auto read =
          part.isPlane ? texture.gpu->readPlane({part.sub, part.sample, part.plane}, all, std::move(sink))
                       : texture.gpu->read(part.sub, all, std::move(sink));
      ASSERT_TRUE(read) << read.error().what;
      finish();
      EXPECT_TRUE(got == part.bytes) << findFormat(made.packet.format)->name << ", kind " << made.packet.kind
                                     << ", " << made.packet.sample_count << " samples, mip " << part.sub.mip
                                     << ", layer " << part.sub.layer << ", sample " << part.sample
                                     << ", plane " << static_cast<int>(part.plane);
    }
  }
  /// Makes everything anew from a snapshot.
  void move() {
    Bytes bytes;
    ASSERT_EQ(save(gpu().renderer(), bytes), "");
    ASSERT_EQ(load(gpu().renderer(), bytes), "");
  }
  std::mt19937 m_random;
};

TEST_F(MovedTexturesTest, AreEqual) {
  forSeeds(20, [&](uint32_t seed) {
    m_random.seed(seed);
    std::vector<Made> all(10);
    CommandWriter w;
    for (Made& made : all) {
      made.packet = any();
      made.handle = made.packet.texture_handle = gpu().handle();
      w.packet(made.packet);
    }
    run(w);
    if (HasFailure()) return;
    for (Made& made : all) fill(made);
    move();
    for (const Made& made : all) expectKept(made);
    for (const Made& made : all) packets::destroyResource(w, made.handle);
    run(w);
  });
}

}  // namespace
}  // namespace aerogpu::test
