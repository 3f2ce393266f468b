// SPDX-License-Identifier: MIT
// A guest can make the back end keep only so much: caches of samplers, layouts, programs and their modules,
// and objects that wait for the GPU. docs/develop/architecture.md, "Caches".
#include <malloc.h>

#include "renderer/vulkan/test/draw_fixture.h"

namespace aerogpu::test {
namespace {

class BoundsTest : public DrawTest {
protected:
  /// A pixel shader that reads the samplers of `mask` and returns the diffuse colour.
  std::string reading(uint32_t mask) {
    std::string source = "ps_2_0\ndcl v0\ndcl t0.xy\n", body = "mov r1, v0\n";
    for (uint32_t m = mask; m; m &= m - 1) {
      const std::string s = "s" + std::to_string(std::countr_zero(m));
      source += "dcl_2d " + s + "\n";
      body += "texld r0, t0, " + s + "\nmad r1, r0, c0.x, r1\n";  // c0 is 0
    }
    return source + body + "mov oC0, r1\n";
  }
};

TEST_F(BoundsTest, SamplersOfOneBatch) {
  CommandWriter w;
  const uint32_t ps = shader(w, reading(1)), image = texture(w, kBgra, 4, 4);
  bindShaders(w, m_vs, ps);
  setTexture(w, 0, image);
  stream(w, 0, vertexBuffer(w, quad(0, 0, 1, 1, 0xFF00FF00)), sizeof(Vertex));
  run(w);
  mostObjectsAlive(Counted::Sampler);
  for (uint32_t i = 0; i < 6000; ++i) {
    samplerState(w, 0, kMipMapLodBias, std::bit_cast<uint32_t>(static_cast<float>(i) / 1024));
    draw(w, 6);
  }
  run(w);
  EXPECT_EQ(result(0, 0), (Pixel{0, 255, 0, 255}));
  // Every device has 4000 (Vulkan 1.3, "Required Limits", maxSamplerAllocationCount).
  EXPECT_LT(mostObjectsAlive(Counted::Sampler), 4000);
  EXPECT_LT(objectsAlive(Counted::Sampler), 1100) << "one cache";
}

TEST_F(BoundsTest, LayoutsForMasksOfSamplers) {
  CommandWriter w;
  stream(w, 0, vertexBuffer(w, quad(0, 0, 1, 1, 0xFF0000FF)), sizeof(Vertex));
  run(w);
  const int before = objectsAlive(Counted::PipelineLayout);
  mostObjectsAlive(Counted::PipelineLayout);
  for (uint32_t mask = 1; mask <= 160; ++mask) {
    bindShaders(w, m_vs, shader(w, reading(mask)));
    draw(w, 6);
    run(w);
  }
  EXPECT_LE(mostObjectsAlive(Counted::PipelineLayout), before + 128 + 8);
  EXPECT_EQ(result(0, 0), (Pixel{255, 0, 0, 255}));
  // A mask whose layout was dropped gets one again.
  bindShaders(w, m_vs, m_ps);
  stream(w, 0, vertexBuffer(w, quad(0, 0, 1, 1, 0xFF00FF00)), sizeof(Vertex));
  draw(w, 6);
  run(w);
  EXPECT_EQ(result(0, 0), (Pixel{0, 255, 0, 255}));
}

/// Programs without a handle are kept for the next one with equal bytes, but not without limit.
TEST_F(BoundsTest, ProgramsThatNobodyUses) {
  constexpr uint32_t kWords = 0x7FFE, kPrograms = 1200;  // of a comment: 128 KiB, 150 MiB in all
  const size_t before = mallinfo2().uordblks + mallinfo2().hblkhd;
  CommandWriter w;
  for (uint32_t i = 0; i < kPrograms; ++i) {
    std::vector<uint32_t> tokens(kWords + 9);
    tokens[0] = 0xFFFF0200;             // ps_2_0
    tokens[1] = kWords << 16 | 0xFFFE;  // D3DSIO_COMMENT
    tokens[2] = i;
    const uint32_t code[] = {0x02000001, 0x800F0800, 0xA0E40000, 0x0000FFFF};  // mov oC0, c0; end
    std::copy(std::begin(code), std::end(code), tokens.begin() + 2 + kWords);
    tokens.resize(2 + kWords + std::size(code));
    aerogpu_cmd_create_shader_dxbc create{};
    create.shader_handle = gpu().handle();
    create.stage = AEROGPU_SHADER_STAGE_PIXEL;
    w.packet(create, tokens.data(), tokens.size() * 4);
    aerogpu_cmd_destroy_shader destroy{};
    destroy.shader_handle = create.shader_handle;
    w.packet(destroy);
    run(w);
  }
  const size_t after = mallinfo2().uordblks + mallinfo2().hblkhd;
  EXPECT_LT(after, before + (size_t{96} << 20));
}

/// Modules count as host memory: a guest cannot multiply a small program without limit by the outputs that it
/// is linked to.
TEST_F(BoundsTest, ModulesAreHostMemory) {
  CommandWriter w;
  stream(w, 0, vertexBuffer(w, quad(0, 0, 1, 1, 0xFF0000FF)), sizeof(Vertex));
  const uint32_t ps = shader(w, reading(0x3000));  // no other test has it
  run(w);
  const uint64_t before = gpu().stats().host_memory_bytes;
  bindShaders(w, m_vs, ps);
  draw(w, 6);
  run(w);
  EXPECT_GT(gpu().stats().host_memory_bytes, before);
}

}  // namespace
}  // namespace aerogpu::test
