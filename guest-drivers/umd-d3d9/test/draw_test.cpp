// SPDX-License-Identifier: MIT
// Tests what a draw sends, and where a batch ends. Expectations are from Microsoft's pages of the DDI and docs/abi/.
#include <random>

#include "aerogpu/d3d9/states.h"
#include "guest-drivers/umd-d3d9/test/umd_test.h"

namespace aero::test {
namespace {

TEST_F(Umd, ADrawSendsWhatChangedAndNothingElse) {
  prepare();
  EXPECT_EQ(p.draw(D3DPT_TRIANGLELIST, 3, 2), 0);
  std::vector<Packet> first = flushed();
  EXPECT_EQ(count(first, AEROGPU_CMD_DRAW), 1u);
  EXPECT_EQ(count(first, AEROGPU_CMD_SET_RENDER_TARGETS), 1u);
  EXPECT_EQ(count(first, AEROGPU_CMD_SET_VIEWPORT), 1u);
  EXPECT_EQ(count(first, AEROGPU_CMD_BIND_SHADERS), 1u);
  EXPECT_EQ(count(first, AEROGPU_CMD_SET_INPUT_LAYOUT), 1u);
  EXPECT_EQ(count(first, AEROGPU_CMD_SET_VERTEX_BUFFERS), 1u);
  EXPECT_EQ(count(first, AEROGPU_CMD_SET_RENDER_STATE), 0u) << "all have their defaults";
  EXPECT_EQ(count(first, AEROGPU_CMD_SET_SHADER_CONSTANTS_F), 0u) << "all are zero";
  const auto draw = first.back().as<aerogpu_cmd_draw>();
  EXPECT_EQ(draw.vertex_count, 9u);
  EXPECT_EQ(draw.first_vertex, 2u);
  EXPECT_EQ(draw.instance_count, 1u);

  // An equal draw is one packet.
  EXPECT_EQ(p.draw(D3DPT_TRIANGLELIST, 3, 2), 0);
  std::vector<Packet> second = flushed();
  ASSERT_EQ(second.size(), 1u);
  EXPECT_EQ(bytesOf(second), sizeof(aerogpu_cmd_draw));

  // A state that is changed and changed back takes no packet; one that stays changed takes one.
  p.state(19, 5);
  p.state(19, 2);
  p.stage(3, D3DDDITSS_ADDRESSU, 3);
  p.stage(257, D3DDDITSS_MAGFILTER, 2);
  p.stage(256, D3DDDITSS_MAGFILTER, 2);  // the displacement map's: nothing
  p.state(27, 1);
  p.viewport(1, 2, 3, 4);
  p.viewport(0, 0, 64, 64);
  EXPECT_EQ(p.draw(D3DPT_POINTLIST, 5), 0);
  std::vector<Packet> third = flushed();
  ASSERT_EQ(count(third, AEROGPU_CMD_SET_RENDER_STATE), 1u);
  ASSERT_EQ(count(third, AEROGPU_CMD_SET_SAMPLER_STATE), 2u);
  EXPECT_EQ(count(third, AEROGPU_CMD_SET_VIEWPORT), 0u);
  for (const Packet &packet : third) {
    if (packet.opcode == AEROGPU_CMD_SET_RENDER_STATE) {
      const auto state = packet.as<aerogpu_cmd_set_render_state>();
      EXPECT_EQ(state.state, 27u);
      EXPECT_EQ(state.value, 1u);
    }
    if (packet.opcode == AEROGPU_CMD_SET_SAMPLER_STATE) {
      const auto state = packet.as<aerogpu_cmd_set_sampler_state>();
      const bool pixel = state.shader_stage == AEROGPU_SHADER_STAGE_PIXEL;
      EXPECT_EQ(state.slot, pixel ? 3u : 0u);
      EXPECT_EQ(state.state, pixel ? 1u : 5u);  // D3DSAMP_ADDRESSU, D3DSAMP_MAGFILTER
    }
  }
}

TEST_F(Umd, ConstantsGoInRunsAndOnlyWhenTheyDiffer) {
  prepare();
  const float values[16] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16};
  const auto set = [&](UINT first, UINT number) {
    const D3DDDIARG_SETVERTEXSHADERCONST args = {first, number};
    EXPECT_EQ(p.fn.pfnSetVertexShaderConst(p.dev(), &args, values), 0);
  };
  set(4, 2);
  set(6, 2);
  set(20, 1);
  set(255, 4);  // only one of them is a register
  set(300, 4);  // none
  EXPECT_EQ(p.draw(D3DPT_POINTLIST, 1), 0);
  p.flush();
  std::vector<Packet> sent = rt.takePackets(AEROGPU_CMD_SET_SHADER_CONSTANTS_F);
  ASSERT_EQ(sent.size(), 3u);
  const auto run = sent[0].as<aerogpu_cmd_set_shader_constants_f>();
  EXPECT_EQ(run.start_register, 4u);
  EXPECT_EQ(run.vec4_count, 4u);
  float registers[16];
  memcpy(registers, &sent[0].bytes[sizeof run], sizeof registers);
  for (size_t i = 0; i < 16; i++) {
    EXPECT_EQ(registers[i], values[i % 8]) << i;
  }
  EXPECT_EQ(sent[2].as<aerogpu_cmd_set_shader_constants_f>().start_register, 255u);
  set(4, 2);
  const BOOL bools[2] = {7, 0};
  const D3DDDIARG_SETPIXELSHADERCONSTB some = {14, 2};
  EXPECT_EQ(p.fn.pfnSetPixelShaderConstB(p.dev(), &some, bools), 0);
  EXPECT_EQ(p.draw(D3DPT_POINTLIST, 1), 0);
  p.flush();
  const auto all = rt.takePackets();
  EXPECT_EQ(count(all, AEROGPU_CMD_SET_SHADER_CONSTANTS_F), 0u);
  EXPECT_EQ(count(all, AEROGPU_CMD_SET_SHADER_CONSTANTS_B), 1u);
}

TEST_F(Umd, StatesHaveNoValueThatTheDeviceRefuses) {
  prepare();
  std::mt19937 random(5);
  std::vector<uint32_t> values = {0, 1, 2, 3, 16, 17, 18, 0xFAFBFCFD, 0xFFFFFFFF, 0x7FC00000};
  for (int i = 0; i < 40; i++) values.push_back(static_cast<uint32_t>(random()));
  size_t seen = 0;
  for (const uint32_t value : values) {
    for (uint32_t state = 0; state < 300; state++) p.state(state, value);
    for (uint32_t stage : {0u, 15u, 16u, 256u, 257u, 260u, 261u, 0xFFFFFFFFu})
      for (uint32_t state = 0; state < 40; state++)
        p.stage(stage, static_cast<D3DDDITEXTURESTAGESTATETYPE>(state), value);
    EXPECT_EQ(p.draw(D3DPT_POINTLIST, 1), 0);
    for (const Packet &packet : flushed()) {
      const aerogpu::d3d9::StateInfo *info = nullptr;
      uint32_t number = 0, sent = 0;
      if (packet.opcode == AEROGPU_CMD_SET_RENDER_STATE) {
        const auto objects = packet.as<aerogpu_cmd_set_render_state>();
        info = aerogpu::d3d9::findRenderState(number = objects.state);
        sent = objects.value;
      } else if (packet.opcode == AEROGPU_CMD_SET_SAMPLER_STATE) {
        const auto objects = packet.as<aerogpu_cmd_set_sampler_state>();
        EXPECT_LT(objects.slot, 16u);
        info = aerogpu::d3d9::findSamplerState(number = objects.state);
        sent = objects.value;
      } else {
        continue;
      }
      seen++;
      ASSERT_NE(info, nullptr) << number;
      if (info->kind == aerogpu::d3d9::StateKind::Enum) {
        EXPECT_TRUE(sent >= info->first && sent <= info->last) << info->name << " = " << sent;
      }
    }
  }
  EXPECT_GT(seen, 500u);
}

TEST_F(Umd, NothingBoundIsNothingDrawn) {
  EXPECT_EQ(p.draw(D3DPT_TRIANGLELIST, 1), 0);
  prepare();
  rt.takePackets();
  p.fn.pfnSetVertexShaderDecl(p.dev(), nullptr);
  EXPECT_EQ(p.draw(D3DPT_TRIANGLELIST, 1), 0);
  p.fn.pfnSetVertexShaderDecl(p.dev(), p.vertexDeclaration());
  p.fn.pfnSetVertexShaderFunc(p.dev(), nullptr);
  EXPECT_EQ(p.draw(D3DPT_TRIANGLELIST, 1), 0);
  D3DDDIARG_SETINDICES none = {};
  p.fn.pfnSetIndices(p.dev(), &none);
  const D3DDDIARG_DRAWINDEXEDPRIMITIVE indexed = {D3DPT_TRIANGLELIST, -5, 0, 1, 0, 1};
  EXPECT_EQ(p.fn.pfnDrawIndexedPrimitive(p.dev(), &indexed), 0);
  EXPECT_EQ(p.draw(D3DPT_TRIANGLELIST, 0), 0);
  EXPECT_EQ(p.draw(static_cast<D3DPRIMITIVETYPE>(99), 4), 0);
  EXPECT_EQ(p.draw(D3DPT_TRIANGLELIST, 0xFFFFFFFF), 0);
  D3DDDIARG_SETRENDERTARGET unbind = {};
  p.fn.pfnSetRenderTarget(p.dev(), &unbind);
  p.clear(1);
  p.clear(1, 7, {}, 2, 999);
  for (const Packet &packet : flushed()) {
    EXPECT_NE(packet.opcode, AEROGPU_CMD_DRAW);
    EXPECT_NE(packet.opcode, AEROGPU_CMD_DRAW_INDEXED);
    EXPECT_NE(packet.opcode, AEROGPU_CMD_CLEAR);
  }
}

TEST_F(Umd, SeveralRectanglesAreOneFillOfEachSurface) {
  prepare();
  const D3DDDIARG_SETDEPTHSTENCIL bind = {p.resource(D3DDDIFMT_D24S8, 64, 64, Program::depth())};
  p.fn.pfnSetDepthStencil(p.dev(), &bind);
  p.clear(0);
  flushed();
  std::vector<RECT> rects;
  rects.reserve(63);
  for (LONG i = 0; i < 60; i++) rects.push_back({i, i, i + 1, 70});
  rects.push_back({5, 5, 5, 8});      // nothing
  rects.push_back({64, 0, 70, 8});    // outside
  rects.push_back({-9, -9, -1, -1});  // outside
  p.clear(0xFF0000FF, 1 | 2 | 4, rects, 0.5f, 7);
  auto packets = flushed();
  ASSERT_EQ(packets.size(), 2u) << "one for the target, one for depth and stencil";
  for (const Packet &packet : packets) {
    ASSERT_EQ(packet.opcode, uint32_t{AEROGPU_CMD_EXT_FILL});
    const auto fill = packet.as<aerogpu_cmd_ext_fill>();
    EXPECT_EQ(fill.flags, &packet == &packets[0] ? uint32_t{AEROGPU_EXT_FILL_COLOR}
                                                 : AEROGPU_EXT_FILL_DEPTH | AEROGPU_EXT_FILL_STENCIL);
    EXPECT_EQ(fill.rect_count, 60u);
    ASSERT_EQ(packet.bytes.size(), sizeof fill + 60 * sizeof(aerogpu_ext_rect));
    aerogpu_ext_rect last;
    memcpy(&last, packet.bytes.data() + packet.bytes.size() - sizeof last, sizeof last);
    EXPECT_EQ(last.left, 59u);
    EXPECT_EQ(last.right, 60u);
    EXPECT_EQ(last.top, 59u);
    EXPECT_EQ(last.bottom, 64u) << "no further than the surface";
  }
  // More rectangles than a packet, or a batch, has room for.
  rects.assign(3000, {1, 2, 3, 4});
  p.clear(0xFF0000FF, 1, rects);
  size_t filled = 0;
  for (const Packet &packet : flushed()) {
    ASSERT_EQ(packet.opcode, uint32_t{AEROGPU_CMD_EXT_FILL});
    EXPECT_LE(packet.as<aerogpu_cmd_ext_fill>().rect_count, 1024u);  // BLIT-2
    filled += packet.as<aerogpu_cmd_ext_fill>().rect_count;
  }
  EXPECT_EQ(filled, 3000u);
}

TEST_F(Umd, AnIndexedDrawNeverReadsPastTheBuffer) {
  prepare();
  uint16_t indices[10] = {};
  D3DDDIARG_SETINDICES set = {};
  set.hIndexBuffer = p.buffer(sizeof indices, indices, Program::indices(), D3DDDIFMT_INDEX16);
  set.Stride = 2;
  p.fn.pfnSetIndices(p.dev(), &set);
  D3DDDIARG_DRAWINDEXEDPRIMITIVE args = {D3DPT_TRIANGLELIST, 0, 0, 1, 4, 1000};
  EXPECT_EQ(p.fn.pfnDrawIndexedPrimitive(p.dev(), &args), 0);
  args.StartIndex = 10;
  EXPECT_EQ(p.fn.pfnDrawIndexedPrimitive(p.dev(), &args), 0);
  p.flush();
  const auto draws = rt.takePackets(AEROGPU_CMD_DRAW_INDEXED);
  ASSERT_EQ(draws.size(), 1u);
  EXPECT_EQ(draws[0].as<aerogpu_cmd_draw_indexed>().index_count, 6u);
}

TEST_F(Umd, BatchesEndBetweenPacketsHoweverSmallTheyAre) {
  const auto scene = [](FakeRuntime &rt) {
    Program p(rt);
    p.fn.pfnSetVertexShaderFunc(p.dev(), p.shader(true, assemble("vs_2_0\ndcl_position v0\nmov oPos, v0\n").tokens));
    p.fn.pfnSetPixelShader(p.dev(), p.shader(false, assemble("ps_2_0\nmov oC0, c0\n").tokens));
    p.fn.pfnSetVertexShaderDecl(p.dev(), p.vertexDeclaration());
    p.bindTarget(64, 64);
    std::vector<uint8_t> data(5000, 7);
    for (int i = 0; i < 20; i++) {
      p.stream(p.buffer(5000, data.data()), sizeof(Vertex));
      p.state(24, static_cast<uint32_t>(i));
      EXPECT_EQ(p.draw(D3DPT_TRIANGLELIST, 5), 0);
      HANDLE texture = p.resource(D3DDDIFMT_A8R8G8B8, 16, 16, Program::texture());
      p.write(texture, 0, 16, 16, std::vector<uint32_t>(256, 1));
    }
    p.flush();
  };
  std::map<uint32_t, size_t> large, small;
  std::vector<uint8_t> uploads[2];
  for (const bool tiny : {false, true}) {
    FakeKernel kernel;
    FakeRuntime rt(kernel);
    rt.commandBytes = tiny ? 1200 : 1 << 20;
    rt.listEntries = tiny ? 1 : 1000;
    rt.open();
    scene(rt);
    for (const Packet &packet : rt.takePackets()) {
      if (packet.opcode != AEROGPU_CMD_UPLOAD_RESOURCE) (tiny ? small : large)[packet.opcode]++;
      if (packet.opcode == AEROGPU_CMD_UPLOAD_RESOURCE)
        uploads[tiny].insert(uploads[tiny].end(), packet.bytes.begin() + sizeof(aerogpu_cmd_upload_resource),
                             packet.bytes.end());
    }
    if (tiny) {
      EXPECT_GT(rt.calls["Render"], 80);
    }
    rt.close();
  }
  EXPECT_EQ(small, large);
  EXPECT_EQ(uploads[0].size(), uploads[1].size());
}

TEST_F(Umd, APacketThatDoesNotFitAsksForALargerBuffer) {
  rt.commandBytes = 1024;
  p.flush();
  const auto long_ = assemble([] {
    std::string text = "ps_2_0\n";
    for (int i = 0; i < 60; i++) text += "add r0, r0, c0\n";
    return text + "mov oC0, r0\n";
  }());
  ASSERT_TRUE(long_.ok()) << long_.errorText();
  ASSERT_GT(long_.tokens.size() * 4, 900u);
  p.shader(false, long_.tokens);
  p.flush();
  EXPECT_EQ(rt.takePackets(AEROGPU_CMD_CREATE_SHADER_DXBC).size(), 2u);  // and the driver's own
}

}  // namespace
}  // namespace aero::test
