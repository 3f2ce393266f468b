// SPDX-License-Identifier: MIT
// Each packet that changes the bytes of a buffer or texture gives it a new time (core::WriteClock), and only
// those that it changes: a copy of any other object stays current.
#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "aerogpu/d3d9/states.h"
#include "renderer/local/local.h"
#include "renderer/test/expect.h"

namespace aerogpu::test {
namespace {

constexpr uint32_t kBuffer = 1, kOther = 2, kTexture = 3, kSecond = 4, kDepth = 5, kMips = 6, kVs = 10,
                   kPs = 11, kDxbcVs = 12, kCs = 13;
constexpr auto kRgba = AEROGPU_FORMAT_R8G8B8A8_UNORM;
constexpr uint32_t kTarget = AEROGPU_RESOURCE_USAGE_TEXTURE | AEROGPU_RESOURCE_USAGE_RENDER_TARGET;
// D3DRENDERSTATETYPE.
constexpr uint32_t kZEnable = 7, kZWriteEnable = 14, kStencilEnable = 52, kStencilWriteMask = 59;

class Ages : public testing::Test {
protected:
  Ages() {
    while (h.handle() < 100) {
    }
    memory = h.allocate(4096);
    packets::createBuffer(w, kBuffer, 64, AEROGPU_RESOURCE_USAGE_STORAGE, memory.id);
    packets::createBuffer(w, kOther, 64, AEROGPU_RESOURCE_USAGE_STORAGE, memory.id, 64);
    Harness::createTexture(w, kTexture, kRgba, 4, 4, kTarget, 1, 1, memory.id, 16);
    Harness::createTexture(w, kSecond, kRgba, 4, 4, kTarget);
    Harness::createTexture(w, kDepth, AEROGPU_FORMAT_D24_UNORM_S8_UINT, 4, 4,
                           AEROGPU_RESOURCE_USAGE_DEPTH_STENCIL);
    Harness::createTexture(w, kMips, kRgba, 4, 4, kTarget, 3);
    constexpr uint32_t kVsTokens[] = {0xFFFE0200, 0x0000FFFF}, kPsTokens[] = {0xFFFF0200, 0x0000FFFF};
    packets::createShader(w, kVs, AEROGPU_SHADER_STAGE_VERTEX, kVsTokens);
    packets::createShader(w, kPs, AEROGPU_SHADER_STAGE_PIXEL, kPsTokens);
    makeDxbc(kDxbcVs, AEROGPU_SHADER_STAGE_VERTEX);
    makeDxbc(kCs, AEROGPU_SHADER_STAGE_COMPUTE);
    packets::bindShaders(w, kVs, kPs);
    const uint32_t color = kTexture;
    packets::setTargets(w, {&color, 1}, kDepth);
    packets::renderState(w, kZEnable, 0);
    expectGood(submit());
  }
  void makeDxbc(uint32_t handle, uint32_t stage) {
    constexpr uint32_t kDxbc[] = {0x43425844, 1, 2, 3};  // the null back end asks for no more
    aerogpu_cmd_create_shader_dxbc c{};
    c.shader_handle = handle;
    c.stage = stage;
    w.packet(c, kDxbc, sizeof kDxbc);
  }
  FinishedSubmission submit() {
    const auto done = h.submit(w);
    w.reset();
    return done;
  }
  uint64_t timeOf(uint32_t handle) {
    core::HandleTable& handles = h.local().executor->parts().handles;
    if (const core::Buffer* buffer = handles.get<core::Buffer>(handle)) return buffer->written;
    return handles.get<core::Texture>(handle)->written;
  }
  /// Submits what is written, and expects that these objects, and no others, have a new time.
  void expectWritten(const std::vector<uint32_t>& handles) {
    constexpr uint32_t kAll[] = {kBuffer, kOther, kTexture, kSecond, kDepth, kMips};
    std::map<uint32_t, uint64_t> before;
    for (const uint32_t one : kAll) before[one] = timeOf(one);
    const uint64_t then = h.local().executor->parts().writes.now();
    expectGood(submit());
    for (const uint32_t one : kAll) {
      if (std::ranges::find(handles, one) == handles.end())
        EXPECT_EQ(timeOf(one), before[one]) << "object " << one;
      else
        EXPECT_GT(timeOf(one), then) << "object " << one;
    }
  }

  Harness h;
  CommandWriter w;
  Allocation memory;
};

TEST_F(Ages, ObjectsBeginUnwritten) {
  for (const uint32_t one : {kBuffer, kOther, kTexture, kSecond, kDepth, kMips}) EXPECT_EQ(timeOf(one), 0u);
}

TEST_F(Ages, OfBuffers) {
  packets::upload(w, kBuffer, 0, pattern(16));
  expectWritten({kBuffer});
  packets::dirtyRange(w, kBuffer, 0, 16);
  expectWritten({kBuffer});
  w.packet(aerogpu_cmd_ext_update_buffer{{}, kOther, 0, 0, 16, memory.id, 0, 0});
  expectWritten({kOther});
  packets::copyBuffer(w, kOther, kBuffer, 16);
  expectWritten({kOther});
  packets::dispatch(w, kCs, kBuffer);
  expectWritten({kBuffer});
}

TEST_F(Ages, OfTextures) {
  packets::upload(w, kTexture, 0, pattern(64));
  expectWritten({kTexture});
  packets::dirtyRange(w, kTexture, 0, 64);
  expectWritten({kTexture});
  aerogpu_cmd_ext_update_texture update{};
  update.texture = kSecond;
  update.width = update.height = update.depth = 1;
  update.src_alloc_id = memory.id;
  update.src_row_pitch_bytes = 4;
  w.packet(update);
  expectWritten({kSecond});
  packets::copyTexture(w, kTexture, kSecond, 2, 2);
  expectWritten({kTexture});
  aerogpu_cmd_ext_blit blit{};
  blit.dst_texture = kSecond;
  blit.src_texture = kTexture;
  blit.rect_count = 1;
  const aerogpu_ext_blit_rect rect{{0, 0, 4, 4}, {0, 0, 2, 2}};
  w.packet(blit, &rect, 1);
  expectWritten({kSecond});
  aerogpu_cmd_ext_fill fill{};
  fill.texture = kDepth;
  fill.flags = AEROGPU_EXT_FILL_STENCIL;
  w.packet(fill);
  expectWritten({kDepth});
  w.packet(aerogpu_cmd_ext_generate_mips{{}, kMips, 0});
  expectWritten({kMips});
}

TEST_F(Ages, OfClears) {
  packets::clear(w, AEROGPU_CLEAR_COLOR, {});
  expectWritten({kTexture});
  packets::clear(w, AEROGPU_CLEAR_DEPTH, {});
  expectWritten({kDepth});
  packets::clear(w, AEROGPU_CLEAR_STENCIL, {});
  expectWritten({kDepth});
}

// D3DRS_ZENABLE's page: without it, no depth is written. D3DRS_STENCILWRITEMASK: bits that can be written.
TEST_F(Ages, OfDraws) {
  packets::draw(w, 3);
  expectWritten({kTexture});
  packets::renderState(w, kZEnable, 1);
  packets::renderState(w, kZWriteEnable, 0);
  packets::draw(w, 3);
  expectWritten({kTexture});
  packets::renderState(w, kZWriteEnable, 1);
  packets::draw(w, 3);
  expectWritten({kTexture, kDepth});
  packets::renderState(w, kZWriteEnable, 0);
  packets::renderState(w, kStencilEnable, 1);
  packets::renderState(w, kStencilWriteMask, 0);
  packets::draw(w, 3);
  expectWritten({kTexture});
  packets::renderState(w, kStencilWriteMask, 1);
  const float vertices[12] = {};
  w.packet(aerogpu_cmd_ext_draw_inline{{}, 3, 16, 0, 0}, vertices, sizeof vertices);
  expectWritten({kTexture, kDepth});
  const uint32_t both[] = {kSecond, kTexture};
  packets::setTargets(w, both);
  packets::draw(w, 3);
  expectWritten({kTexture, kSecond});
}

// A shader may write the storage buffers that are bound for its stage.
TEST_F(Ages, OfStorageBuffers) {
  aerogpu_cmd_set_unordered_access_buffers set{};
  set.shader_stage = AEROGPU_SHADER_STAGE_PIXEL;
  const aerogpu_unordered_access_buffer_binding binding{kBuffer, 0, 0, 0xFFFFFFFFu};
  w.packet(set, &binding, 1);
  packets::draw(w, 3);
  expectWritten({kTexture});  // Direct3D 9's shaders have none
  packets::bindShaders(w, kDxbcVs, kPs);
  packets::draw(w, 3);
  expectWritten({kTexture, kBuffer});
}

// No two objects ever have the same time, also if one has taken the place of the other.
TEST_F(Ages, AnObjectsSuccessorHasAnotherTime) {
  packets::upload(w, kTexture, 0, pattern(64));
  expectWritten({kTexture});
  const uint64_t old = timeOf(kTexture);
  packets::destroyResource(w, kTexture);
  Harness::createTexture(w, kTexture, kRgba, 4, 4, kTarget);
  expectGood(submit());
  EXPECT_EQ(timeOf(kTexture), 0u);
  packets::upload(w, kTexture, 0, pattern(64));
  expectGood(submit());
  EXPECT_GT(timeOf(kTexture), old);
}

}  // namespace
}  // namespace aerogpu::test
