// SPDX-License-Identifier: MIT
// Random sequences of writes, copies, fills and blits, on the GPU and in the null back end: equal texels
// after each sequence, in whatever order barriers and batches have to keep.
#include <random>

#include "renderer/test/seeds.h"
#include "renderer/vulkan/test/objects_fixture.h"

namespace aerogpu::test {
namespace {

/// A texture of each back end.
struct Twins {
  TextureDesc desc;
  std::unique_ptr<GpuTexture> gpu, host;
};

class VerbsRandomTest : public ObjectsTest {
protected:
  void SetUp() override {
    ObjectsTest::SetUp();
    if (!HasFatalFailure()) m_host = null::createBackend(config());
  }

  Twins twins(const TextureDesc& desc) {
    return {desc, std::move(*backend().createTexture(desc)), std::move(*m_host->createTexture(desc))};
  }
  uint32_t below(uint32_t n) { return static_cast<uint32_t>(m_random() % n); }
  Subresource anySub(const TextureDesc& desc) { return {below(desc.mipLevels), below(desc.arrayLayers)}; }
  static Box allOf(const TextureDesc& desc, Subresource sub) {
    return {0,
            0,
            0,
            std::max(1u, desc.width >> sub.mip),
            std::max(1u, desc.height >> sub.mip),
            std::max(1u, desc.depth >> sub.mip)};
  }
  Box anyBox(const TextureDesc& desc, Subresource sub) {
    const Box all = allOf(desc, sub);
    Box box{below(all.width), below(all.height), below(all.depth)};
    box.width = 1 + below(all.width - box.x);
    box.height = 1 + below(all.height - box.y);
    box.depth = 1 + below(all.depth - box.z);
    return box;
  }

  void write(Twins& t) {
    const Subresource sub = anySub(t.desc);
    const Box box = anyBox(t.desc, sub);
    const Bytes bytes = pattern(size_t{box.width} * box.height * box.depth * 4, m_random());
    writeTight(*t.gpu, sub, box, bytes);
    writeTight(*t.host, sub, box, bytes);
  }
  void fill(Twins& t) {
    const Subresource sub = anySub(t.desc);
    std::vector<Box> boxes;
    for (uint32_t i = below(4); i-- > 0;) boxes.push_back(anyBox(t.desc, sub));
    ClearArgs args;
    args.color = true;
    for (float& c : args.rgba) c = static_cast<float>(below(256)) / 255;
    EXPECT_TRUE(t.gpu->fill(sub, boxes, args));
    EXPECT_TRUE(t.host->fill(sub, boxes, args));
  }
  void blit(Twins& to, Twins& from) {
    const Subresource sub = anySub(to.desc), srcSub = anySub(from.desc);
    const bool scales = below(2) != 0, mirrors = below(3) == 0;
    std::vector<BlitBox> boxes;
    for (uint32_t i = 1 + below(4); i-- > 0;) {
      BlitBox box{anyBox(to.desc, sub), anyBox(from.desc, srcSub), mirrors && below(2), mirrors && below(2)};
      box.to.depth = box.from.depth = std::min(box.to.depth, box.from.depth);
      if (!scales) {
        box.to.width = box.from.width = std::min(box.to.width, box.from.width);
        box.to.height = box.from.height = std::min(box.to.height, box.from.height);
      }
      boxes.push_back(box);
    }
    if (to.desc.kind == TextureKind::Volume) {
      // Leaves out the GPU's own blit, which may take either texel if a center lies between two.
      for (BlitBox& box : boxes) {
        box.mirrorX = box.mirrorY = false;
        box.to.width = box.from.width = std::min(box.to.width, box.from.width);
        box.to.height = box.from.height = std::min(box.to.height, box.from.height);
      }
      if (findFormat(from.desc.format)->opaque) return;  // needs a draw, which volumes do not get
    }
    const auto done = to.gpu->blit(sub, *from.gpu, srcSub, boxes, {});
    EXPECT_TRUE(done) << done.error().what;
    EXPECT_TRUE(to.host->blit(sub, *from.host, srcSub, boxes, {}));
  }
  /// Compares each texel of both twins; not the byte of X8.
  void expectAlike(const Twins& t, uint32_t sequence) {
    const bool opaque = findFormat(t.desc.format)->opaque;
    for (uint32_t layer = 0; layer < t.desc.arrayLayers; ++layer)
      for (uint32_t mip = 0; mip < t.desc.mipLevels; ++mip) {
        const Subresource sub{mip, layer};
        Bytes gpu = read(*t.gpu, sub, allOf(t.desc, sub)), host;
        ASSERT_TRUE(t.host->read(sub, allOf(t.desc, sub), std::make_unique<VectorSink>(host)));
        for (size_t i = 3; opaque && i < gpu.size(); i += 4) gpu[i] = host[i] = 0;
        ASSERT_TRUE(gpu == host) << "sequence " << sequence << ", " << findFormat(t.desc.format)->name
                                 << " of " << t.desc.depth << " slices, mip " << mip << " of layer " << layer;
      }
  }

  std::mt19937 m_random{oracleSeed(20261122)};
  std::unique_ptr<Backend> m_host;
};
INSTANTIATE_TEST_SUITE_P(Backends, VerbsRandomTest, ::testing::Values("vulkan"),
                         [](const auto& info) { return std::string(info.param); });

TEST_P(VerbsRandomTest, BothBackEndsHaveTheSameTexels) {
  const auto like = [](TextureDesc desc, aerogpu_format format, uint32_t mips) {
    desc.format = format;
    desc.mipLevels = mips;
    return desc;
  };
  for (uint32_t sequence = 0; sequence < 60 && !HasFailure(); ++sequence) {
    Twins all[] = {
        twins(like(flat(24, 16, 3), kBgra, 3)), twins(like(flat(17, 23), AEROGPU_FORMAT_B8G8R8X8_UNORM, 1)),
        twins(like(flat(16, 16, 2), AEROGPU_FORMAT_R8G8B8A8_UNORM, 2)), twins(volume(12, 9, 5, 2))};
    for (uint32_t i = 0; i < 40; ++i) {
      Twins &to = all[below(4)], &from = all[below(4)];
      switch (below(10)) {
        case 0:
          write(to);
          break;
        case 1:
          fill(to);
          break;
        case 2:
          ASSERT_TRUE(backend().flush());
          break;
        default:
          blit(to, from);
      }
    }
    for (const Twins& t : all) expectAlike(t, sequence);
  }
}

}  // namespace
}  // namespace aerogpu::test
