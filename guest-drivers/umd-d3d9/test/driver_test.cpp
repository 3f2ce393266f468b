// SPDX-License-Identifier: MIT
// The driver's rules without a GPU: opening and caps, the table of functions, what a draw sends, locks, queries, errors
// of callbacks, memory that runs out. Expectations are from Microsoft's pages of the DDI and docs/abi/.
#include <array>
#include <random>

#include "aerogpu/aerogpu.h"
#include "aerogpu/aerogpu_umd_private_extension.h"
#include "aerogpu/aerogpu_wddm_alloc_extension.h"
#include "aerogpu/d3d9/states.h"
#include "entry_points.h"
#include "umd_test.h"

namespace aero::test {
namespace {

// Opening.

// PRIV-23: the same for 32- and 64-bit code, and version 1 where it was.
static_assert(offsetof(aerogpu_umd_ext_private_v2, ext_flags) == 64 &&
              offsetof(aerogpu_umd_ext_private_v2, driver_version) == 72 &&
              offsetof(aerogpu_umd_ext_private_v2, aperture_bytes) == 88 &&
              offsetof(aerogpu_umd_ext_private_v2, dma_buffer_bytes) == 96 &&
              offsetof(aerogpu_umd_ext_private_v2, block_written) == 124);

TEST(UmdOpen, AsksTheKernelDriverAndRefusesWhatItDoesNotKnow) {
  FakeKernel kernel;
  aerogpu_umd_private_v1 info = {};
  info.size_bytes = sizeof info;
  info.struct_version = AEROGPU_UMDPRIV_STRUCT_VERSION_V1;
  info.device_mmio_magic = AEROGPU_UMDPRIV_MMIO_MAGIC_NEW_AGPU;
  info.device_abi_version_u32 = AEROGPU_ABI_VERSION_U32;
  const auto open = [&](aerogpu_umd_private_v1 answer, HRESULT error = 0) {
    FakeRuntime rt(kernel);
    rt.info = &answer;
    if (error) rt.errors["QueryAdapterInfo"] = error;
    D3DDDIARG_OPENADAPTER args = rt.adapterArgs();
    const HRESULT result = OpenAdapter(&args);
    if (result >= 0) {
      EXPECT_EQ(args.DriverVersion, 0x2003u);
      EXPECT_EQ(rt.adapterFunctions.pfnCloseAdapter(args.hAdapter), 0);
    }
    return result;
  };
  EXPECT_EQ(open(info), 0);
  EXPECT_EQ(open(info, kDeviceRemoved), kDeviceRemoved);
  auto wrong = info;
  wrong.device_mmio_magic = AEROGPU_UMDPRIV_MMIO_MAGIC_LEGACY_ARGP;
  EXPECT_LT(open(wrong), 0);
  wrong = info;
  wrong.size_bytes = 63;
  EXPECT_LT(open(wrong), 0);
  wrong = info;
  wrong.device_abi_version_u32 = 2 << 16;
  EXPECT_LT(open(wrong), 0);
  wrong = info;
  wrong.device_abi_version_u32 += 1;  // a newer minor version is fine
  EXPECT_EQ(open(wrong), 0);
  wrong = info;
  wrong.struct_version = AEROGPU_UMDPRIV_STRUCT_VERSION_EXT_V2;  // PRIV-23: with all of its fields
  EXPECT_LT(open(wrong), 0);
  wrong.size_bytes = 128;
  EXPECT_EQ(open(wrong), 0);
  wrong.size_bytes = 128 + 4096;  // and whatever follows
  EXPECT_EQ(open(wrong), 0);
  EXPECT_EQ(heapBlocks(), 0u);
}

TEST(UmdOpen, ARuntimeOfAnOlderLevelGetsATableOfItsSize) {
  for (const UINT version : {0xCu, 0x2003u, 0x2004u, 0u}) {
    FakeKernel kernel;
    FakeRuntime rt(kernel);
    D3DDDIARG_OPENADAPTER args = rt.adapterArgs();
    args.Version = version;
    ASSERT_EQ(OpenAdapter(&args), 0);
    EXPECT_EQ(args.DriverVersion, version == 0xC ? 0xCu : 0x2003u);
    const D3DDDI_DEVICECALLBACKS table = rt.callbacks();
    D3DDDIARG_CREATEDEVICE create = {};
    create.hDevice = &rt;
    create.pCallbacks = &table;
    memset(static_cast<void *>(&rt.driver), 0xEE, sizeof rt.driver);
    create.pDeviceFuncs = &rt.driver;
    ASSERT_EQ(rt.adapterFunctions.pfnCreateDevice(args.hAdapter, &create), 0);
    uint8_t tail[sizeof(void *)], untouched[sizeof(void *)];
    memcpy(tail, &rt.driver.pfnCreateVideoProcessor, sizeof tail);  // the first that Windows 7 added
    memset(untouched, 0xEE, sizeof untouched);
    EXPECT_EQ(memcmp(tail, untouched, sizeof tail) == 0, version == 0xC) << version;
    EXPECT_EQ(rt.driver.pfnDestroyDevice(create.hDevice), 0);
    EXPECT_EQ(rt.adapterFunctions.pfnCloseAdapter(args.hAdapter), 0);
  }
}

TEST(UmdOpen, ErrorsOfCallbacksAreThoseOfCreateDevice) {
  for (const char *name : {"CreateContext", "Escape"}) {
    FakeKernel kernel;
    FakeRuntime rt(kernel);
    D3DDDIARG_OPENADAPTER args = rt.adapterArgs();
    ASSERT_EQ(OpenAdapter(&args), 0);
    rt.errors[name] = kDeviceRemoved;
    const D3DDDI_DEVICECALLBACKS table = rt.callbacks();
    D3DDDIARG_CREATEDEVICE create = {};
    create.hDevice = &rt;
    create.pCallbacks = &table;
    create.pDeviceFuncs = &rt.driver;
    EXPECT_EQ(rt.adapterFunctions.pfnCreateDevice(args.hAdapter, &create), kDeviceRemoved) << name;
    EXPECT_EQ(rt.adapterFunctions.pfnCloseAdapter(args.hAdapter), 0);
    EXPECT_EQ(heapBlocks(), 0u);
  }
}

// Caps.

TEST_F(Umd, FormatsFollowTheRulesOfTheFormatopPage) {
  UINT n = 0;
  ASSERT_EQ(caps(D3DDDICAPS_GETFORMATCOUNT, &n, sizeof n), 0);
  std::vector<FORMATOP> list(n);
  ASSERT_EQ(caps(D3DDDICAPS_GETFORMATDATA, list.data(), static_cast<UINT>(n * sizeof list[0])), 0);
  std::map<uint32_t, uint32_t> all;
  for (const FORMATOP &row : list) {
    const uint32_t ops = row.Operations;
    SCOPED_TRACE(row.Format);
    EXPECT_NE(static_cast<uint32_t>(row.Format), 0u);
    all[row.Format] |= ops;
    if (ops & FORMATOP_DISPLAYMODE) {
      EXPECT_TRUE(row.Format == D3DDDIFMT_X8R8G8B8 || row.Format == D3DDDIFMT_R5G6B5) << "alpha cannot be shown";
    }
    if (ops & FORMATOP_3DACCELERATION) {
      EXPECT_TRUE(ops & FORMATOP_DISPLAYMODE);
    }
    if (ops & FORMATOP_OFFSCREEN_RENDERTARGET) {
      EXPECT_TRUE(ops & FORMATOP_SAME_FORMAT_RENDERTARGET);
    }
    if (ops & FORMATOP_ZSTENCIL_WITH_ARBITRARY_COLOR_DEPTH) {
      EXPECT_TRUE(ops & FORMATOP_ZSTENCIL);
    }
    if (ops & FORMATOP_MEMBEROFGROUP_ARGB) {
      EXPECT_NE(row.Format, D3DDDIFMT_A4R4G4B4);
    }
    EXPECT_EQ(row.FlipMsTypes | row.BltMsTypes, 0u);
    EXPECT_FALSE(ops & (FORMATOP_VOLUMETEXTURE | FORMATOP_AUTOGENMIPMAP | FORMATOP_PIXELSIZE));
    // What is announced is made.
    HANDLE made;
    if (ops & FORMATOP_TEXTURE) {
      EXPECT_EQ(p.tryResource(row.Format, 16, 16, Program::texture(), made, D3DDDIPOOL_VIDEOMEMORY, 5), 0);
      if (made) p.destroy(made);
    }
    if (ops & FORMATOP_CUBETEXTURE) {
      EXPECT_EQ(p.tryResource(row.Format, 16, 16, Program::cube(), made, D3DDDIPOOL_VIDEOMEMORY, 5, 6), 0);
      if (made) p.destroy(made);
    }
    if (ops & FORMATOP_OFFSCREEN_RENDERTARGET) {
      EXPECT_EQ(p.tryResource(row.Format, 16, 16, Program::target(), made), 0);
      if (made) p.destroy(made);
    }
    if (ops & FORMATOP_ZSTENCIL) {
      EXPECT_EQ(p.tryResource(row.Format, 16, 16, Program::depth(), made), 0);
      if (made) p.destroy(made);
    }
    if (ops & FORMATOP_OFFSCREENPLAIN) {
      EXPECT_EQ(p.tryResource(row.Format, 16, 16, 0, made), 0);
      if (made) p.destroy(made);
    }
  }
  EXPECT_TRUE(all[D3DDDIFMT_A8R8G8B8] & FORMATOP_SRGBREAD && all[D3DDDIFMT_A8R8G8B8] & FORMATOP_SRGBWRITE);
  HANDLE made;
  EXPECT_EQ(p.tryResource(D3DDDIFMT_A4R4G4B4, 16, 16, Program::texture(), made), kNotAvailable);
}

TEST_F(Umd, CapsMeetShaderModelThreeAndFitTheirBuffers) {
  D3DCAPS9 c = {};
  ASSERT_EQ(caps(D3DDDICAPS_GETD3D9CAPS, &c, sizeof c), 0);
  EXPECT_EQ(c.VertexShaderVersion, 0xFFFE0300u);
  EXPECT_EQ(c.PixelShaderVersion, 0xFFFF0300u);
  for (const DWORD slots : {c.MaxVertexShader30InstructionSlots, c.MaxPixelShader30InstructionSlots}) {
    EXPECT_TRUE(slots >= 512 && slots <= 32768) << slots;
  }
  EXPECT_EQ(c.VS20Caps.DynamicFlowControlDepth, 24);
  EXPECT_EQ(c.VS20Caps.NumTemps, 32);
  EXPECT_EQ(c.PS20Caps.NumInstructionSlots, 512);
  EXPECT_EQ(c.MaxVertexShaderConst, 256u);
  EXPECT_GE(c.MaxStreams, 8u);
  EXPECT_EQ(c.Caps2 & D3DCAPS2_CANMANAGERESOURCE, 0u);
  EXPECT_EQ(c.Caps2 & D3DCAPS2_CANAUTOGENMIPMAP, 0u);
  EXPECT_EQ(c.DevCaps & (D3DDEVCAPS_RTPATCHES | D3DDEVCAPS_NPATCHES), 0u);
  EXPECT_EQ(c.TextureCaps & D3DPTEXTURECAPS_VOLUMEMAP, 0u);
  // POW2 and NONPOW2CONDITIONAL both or neither.
  EXPECT_EQ(!(c.TextureCaps & D3DPTEXTURECAPS_POW2), !(c.TextureCaps & D3DPTEXTURECAPS_NONPOW2CONDITIONAL));
  // D3DCAPS8 is the beginning, with versions of its time.
  D3DCAPS9 older = {};
  const UINT bytes8 = offsetof(D3DCAPS9, DevCaps2);
  ASSERT_EQ(caps(D3DDDICAPS_GETD3D8CAPS, &older, bytes8), 0);
  EXPECT_EQ(older.VertexShaderVersion, 0xFFFE0101u);
  EXPECT_EQ(older.PixelShaderVersion, 0xFFFF0104u);
  EXPECT_EQ(older.MaxTextureWidth, c.MaxTextureWidth);
  // A short buffer is not overrun, whatever is asked.
  for (int type = 1; type <= 50; type++)
    for (const UINT bytes : {0u, 1u, 4u, 20u}) {
      std::vector<uint8_t> buffer(64, 0x5A);
      caps(static_cast<D3DDDICAPS_TYPE>(type), buffer.data(), bytes);
      for (size_t i = bytes; i < buffer.size(); i++) ASSERT_EQ(buffer[i], 0x5A) << type << " with " << bytes;
    }
  EXPECT_EQ(caps(D3DDDICAPS_CHECKOVERLAYSUPPORT, nullptr, 0), kUnsupportedOverlay);
  UINT decoders = 7;
  EXPECT_EQ(caps(D3DDDICAPS_GETDECODEGUIDCOUNT, &decoders, sizeof decoders), 0);
  EXPECT_EQ(decoders, 0u);
}

TEST_F(Umd, QualityLevelsAgreeWithTheMasks) {
  for (uint32_t type = 0; type <= 16; type++) {
    DDIMULTISAMPLEQUALITYLEVELSDATA data = {};
    data.Format = D3DDDIFMT_A8R8G8B8;
    data.MsType = static_cast<D3DDDIMULTISAMPLE_TYPE>(type);
    data.QualityLevels = 99;
    ASSERT_EQ(caps(D3DDDICAPS_GETMULTISAMPLEQUALITYLEVELS, &data, sizeof data), 0);
    EXPECT_EQ(data.QualityLevels, type ? 0u : 1u) << type;
  }
}

// The table.

/**
 * Calls a function that looks at no argument, whatever its type says that they are. The convention has them in
 * registers and in room of the caller's, so more than it takes do no harm; clang's sanitizer wants the exact type.
 */
#ifdef __clang__
__attribute__((no_sanitize("function")))
#endif
HRESULT
callAnything(void *function, HANDLE device) {
  const auto call = reinterpret_cast<HRESULT(APIENTRY *)(HANDLE, void *, void *, void *, void *)>(function);
  return call(device, nullptr, nullptr, nullptr, nullptr);
}

TEST_F(Umd, EveryFunctionIsThereAndAnswersAsItsRowSays) {
  struct Row {
    const char *name;
    Answer answer;
  };
  static constexpr Row kRows[] = {
#define AERO_ROW(NAME, ANSWER) {#NAME, Answer::ANSWER},
      AERO_DEVICE_FUNCTIONS(AERO_ROW)
#undef AERO_ROW
  };
  static_assert(std::size(kRows) == 121);
  static_assert(sizeof(D3DDDI_DEVICEFUNCS) == 121 * sizeof(void *));
  void *slots[121];
  memcpy(slots, &rt.driver, sizeof slots);
  int missing = 0, nulls = 0;
  for (size_t i = 0; i < 121; i++) {
    SCOPED_TRACE(kRows[i].name);
    EXPECT_EQ(slots[i] == nullptr, kRows[i].answer == Answer::Null);
    nulls += slots[i] == nullptr;
    if (!slots[i] || kRows[i].answer == Answer::Done) continue;
    const HRESULT result = callAnything(slots[i], rt.device);
    missing += result == kNotImplemented;
    switch (kRows[i].answer) {
    case Answer::Stub:
      EXPECT_EQ(result, 0);
      break;
    case Answer::Overlay:
      EXPECT_EQ(result, kUnsupportedOverlay);
      break;
    case Answer::Crypto:
      EXPECT_EQ(result, kUnsupportedCrypto);
      break;
    case Answer::NotAvailable:
      EXPECT_EQ(result, kNotAvailable);
      break;
    default:
      EXPECT_EQ(result, kNotImplemented);
      break;
    }
  }
  EXPECT_EQ(nulls, 3);
  EXPECT_LE(missing, 29) << "it may only fall";
}

// What a draw sends.

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

  // The same again is one packet.
  EXPECT_EQ(p.draw(D3DPT_TRIANGLELIST, 3, 2), 0);
  std::vector<Packet> second = flushed();
  ASSERT_EQ(second.size(), 1u);
  EXPECT_EQ(bytesOf(second), sizeof(aerogpu_cmd_draw));

  // A state that goes there and back is none; one that stays is one packet.
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
        const auto wire = packet.as<aerogpu_cmd_set_render_state>();
        info = aerogpu::d3d9::findRenderState(number = wire.state);
        sent = wire.value;
      } else if (packet.opcode == AEROGPU_CMD_SET_SAMPLER_STATE) {
        const auto wire = packet.as<aerogpu_cmd_set_sampler_state>();
        EXPECT_LT(wire.slot, 16u);
        info = aerogpu::d3d9::findSamplerState(number = wire.state);
        sent = wire.value;
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

// Memory.

TEST_F(Umd, ReadBacksWriteToAListedAllocationAndNothingElseDoes) {
  prepare();
  p.clear(0xFF00FF00);
  p.read(target, 64, 64);
  size_t copies = 0;
  for (const Submission &submission : rt.submissions) {
    bool back = false;
    for (const Packet &packet : submission.packets) back |= packet.opcode == AEROGPU_CMD_EXT_READ_TEXTURE;
    copies += back;
    size_t written = 0;
    for (const auto &entry : submission.allocations) written += entry.WriteOperation;
    EXPECT_EQ(written, back ? 1u : 0u);
  }
  EXPECT_EQ(copies, 1u);
}

TEST_F(Umd, AnAllocationInTheBatchIsFreedAfterItOnly) {
  HANDLE texture = p.resource(D3DDDIFMT_A8R8G8B8, 32, 32, Program::texture());
  EXPECT_EQ(kernel.allocations.size(), 1u);
  rt.calls.clear();
  p.destroy(texture);
  EXPECT_EQ(rt.calls["Deallocate"], 0);
  p.flush();  // the fake kernel fails the test if a listed allocation is gone
  EXPECT_EQ(rt.calls["Deallocate"], 1);
  EXPECT_TRUE(kernel.allocations.empty());
}

TEST_F(Umd, PrivateDataSaysWhatAnAllocationIs) {
  HANDLE texture = p.resource(D3DDDIFMT_X8R8G8B8, 30, 20, Program::target() | Program::primary());
  aerogpu_wddm_alloc_priv_v2 priv;
  memcpy(&priv, kernel.allocations.rbegin()->second.priv.data(), sizeof priv);
  EXPECT_EQ(priv.magic, AEROGPU_WDDM_ALLOC_PRIV_MAGIC);
  EXPECT_EQ(priv.version, 2u);
  EXPECT_EQ(priv.kind, uint32_t{AEROGPU_WDDM_ALLOC_KIND_TEXTURE2D});
  EXPECT_EQ(priv.width, 30u);
  EXPECT_EQ(priv.height, 20u);
  EXPECT_EQ(priv.format, 22u);
  EXPECT_GE(priv.row_pitch_bytes, 120u);
  EXPECT_GE(priv.size_bytes, uint64_t{priv.row_pitch_bytes} * 20);
  EXPECT_EQ(priv.flags, AEROGPU_WDDM_ALLOC_PRIV_FLAG_EXT_PRIMARY | AEROGPU_WDDM_ALLOC_PRIV_FLAG_EXT_MARKED)
      << "docs/abi/driver-data.md PRIV-16, PRIV-17";
  EXPECT_EQ(priv.reserved1, 0u);
  EXPECT_TRUE(kernel.allocations.rbegin()->second.primary);
  p.destroy(texture);
}

TEST_F(Umd, SharedIsOneLevelOfOneLayer) {  // EX-45
  HANDLE out;
  EXPECT_EQ(
      p.tryResource(D3DDDIFMT_A8R8G8B8, 16, 16, Program::texture() | Program::shared(), out, D3DDDIPOOL_VIDEOMEMORY, 2),
      kNotAvailable);
  rt.takePackets();
  HANDLE shared = p.resource(D3DDDIFMT_A8R8G8B8, 16, 16, Program::texture() | Program::shared());
  // EX-41: it is exported before anybody can name its token.
  EXPECT_EQ(rt.takePackets(AEROGPU_CMD_EXPORT_SHARED_SURFACE).size(), 1u);
  p.destroy(shared);
}

// docs/abi/driver-data.md PRIV-24: with handle spaces what has a token was made by the kernel driver.
TEST(UmdSpaces, WhatOthersSeeIsImportedAndNumbersBeginAtOne) {
  for (const bool spaces : {false, true}) {
    SCOPED_TRACE(spaces);
    FakeKernel kernel;
    kernel.spaces = spaces;
    FakeRuntime rt(kernel);
    rt.open();
    Program p(rt);
    const struct {
      const char *what;
      uint32_t flags;
      uint32_t kind;  // of the private data
      bool exported;  // without spaces
      bool memory;    // it has an allocation
    } rows[] = {
        {"shared", Program::texture() | Program::shared(), AEROGPU_WDDM_ALLOC_PRIV_FLAG_IS_SHARED, true, true},
        {"scanned out", Program::target() | Program::primary(), AEROGPU_WDDM_ALLOC_PRIV_FLAG_EXT_PRIMARY, false, true},
        {"a back buffer", Program::target(), AEROGPU_WDDM_ALLOC_PRIV_FLAG_EXT_PRESENTED, false, true},
        {"a texture", Program::texture(), 0, false, true},
        {"a texture that is drawn to", Program::texture() | Program::target(), 0, false, false},
    };
    constexpr uint32_t kKinds = AEROGPU_WDDM_ALLOC_PRIV_FLAG_IS_SHARED | AEROGPU_WDDM_ALLOC_PRIV_FLAG_EXT_PRIMARY |
                                AEROGPU_WDDM_ALLOC_PRIV_FLAG_EXT_PRESENTED;
    for (const auto &row : rows) {
      SCOPED_TRACE(row.what);
      const size_t before = kernel.allocations.size();
      HANDLE resource = p.resource(D3DDDIFMT_X8R8G8B8, 16, 16, row.flags);
      aerogpu_wddm_alloc_priv_v2 priv = {};
      const bool memory = kernel.allocations.size() > before;
      EXPECT_EQ(memory, row.memory);
      if (memory) memcpy(&priv, kernel.allocations.rbegin()->second.priv.data(), sizeof priv);
      EXPECT_EQ(priv.flags & kKinds, row.kind);
      // PRIV-20: what the GPU draws and the kernel driver presents costs the guest no memory of its size.
      EXPECT_EQ((priv.flags & AEROGPU_WDDM_ALLOC_PRIV_FLAG_EXT_GPU_ONLY) != 0,
                spaces && row.kind == AEROGPU_WDDM_ALLOC_PRIV_FLAG_EXT_PRESENTED);
      EXPECT_EQ(p.fn.pfnFlush(p.dev()), 0);
      const auto packets = rt.takePackets();
      size_t created = 0, imported = 0, exported = 0;
      for (const Packet &packet : packets) {
        created += packet.opcode == AEROGPU_CMD_CREATE_TEXTURE2D;
        exported += packet.opcode == AEROGPU_CMD_EXPORT_SHARED_SURFACE;
        if (packet.opcode != AEROGPU_CMD_IMPORT_SHARED_SURFACE) continue;
        const auto import = packet.as<aerogpu_cmd_import_shared_surface>();
        EXPECT_EQ(import.share_token, priv.share_token);
        EXPECT_LT(import.out_resource_handle, 100u) << "a number of the device's own";
        imported++;
      }
      EXPECT_EQ(imported, spaces && row.kind ? 1u : 0u);
      EXPECT_EQ(created, spaces && row.kind ? 0u : 1u);
      EXPECT_EQ(exported, !spaces && row.exported ? 1u : 0u);
      p.destroy(resource);
    }
    rt.close();
  }
}

// PRIV-20: a program with three 1080p back buffers, a texture of that size that it draws to, and depth.
TEST(UmdSpaces, WhatIsDrawnToCostsNoGuestMemory) {
  for (const bool spaces : {false, true}) {
    SCOPED_TRACE(spaces);
    FakeKernel kernel;
    kernel.spaces = spaces;
    FakeRuntime rt(kernel);
    rt.open();
    Program p(rt);
    const size_t before = kernel.allocations.size();
    constexpr uint64_t kPixels = uint64_t{1920} * 1080, kPage = 4096;
    const std::array<HANDLE, 5> made = {
        p.resource(D3DDDIFMT_X8R8G8B8, 1920, 1080, Program::target()),
        p.resource(D3DDDIFMT_X8R8G8B8, 1920, 1080, Program::target()),
        p.resource(D3DDDIFMT_X8R8G8B8, 1920, 1080, Program::target()),
        p.resource(D3DDDIFMT_A8R8G8B8, 1920, 1080, Program::texture() | Program::target()),
        p.resource(D3DDDIFMT_D24S8, 1920, 1080, Program::depth())};
    EXPECT_EQ(kernel.allocations.size() - before, 3u) << "of the back buffers, which the kernel driver presents";
    uint64_t bytes = 0;
    for (const auto &[handle, allocation] : kernel.allocations)
      if (allocation.bytes > kPixels)
        bytes += allocation.flags & AEROGPU_WDDM_ALLOC_PRIV_FLAG_EXT_GPU_ONLY ? kPage : allocation.bytes;
    EXPECT_EQ(bytes, spaces ? 3 * kPage : 3 * kPixels * 4);
    for (HANDLE resource : made) p.destroy(resource);
    rt.close();
  }
}

TEST_F(Umd, LocksNestAndOneUnlockTooManyIsAnError) {
  for (const bool isBuffer : {false, true}) {
    HANDLE resource = isBuffer ? p.buffer(100, nullptr) : p.resource(D3DDDIFMT_A8R8G8B8, 8, 8, Program::texture());
    D3DDDIARG_LOCK lock = {};
    lock.hResource = resource;
    EXPECT_EQ(p.fn.pfnLock(p.dev(), &lock), 0);
    EXPECT_EQ(p.fn.pfnLock(p.dev(), &lock), 0);
    EXPECT_NE(lock.pSurfData, nullptr);
    p.unlock(resource);
    p.unlock(resource);
    D3DDDIARG_UNLOCK unlock = {};
    unlock.hResource = resource;
    EXPECT_EQ(p.fn.pfnUnlock(p.dev(), &unlock), kInvalidArgument);
    p.destroy(resource);
  }
}

TEST_F(Umd, RangesPastTheEndAreClampedAndPointersBeginAtTheRange) {
  HANDLE buffer = p.buffer(100, nullptr);
  D3DDDIARG_LOCK whole = {};
  whole.hResource = buffer;
  ASSERT_EQ(p.fn.pfnLock(p.dev(), &whole), 0);
  auto *base = static_cast<uint8_t *>(whole.pSurfData);
  p.unlock(buffer);
  D3DDDIARG_LOCK lock = {};
  lock.hResource = buffer;
  lock.Flags.RangeValid = 1;
  lock.Range = {40, 5000};
  ASSERT_EQ(p.fn.pfnLock(p.dev(), &lock), 0);
  EXPECT_EQ(lock.pSurfData, base + 40);
  EXPECT_EQ(lock.Pitch, 60u);
  p.unlock(buffer);
  HANDLE texture = p.resource(D3DDDIFMT_DXT1, 16, 16, Program::texture(), D3DDDIPOOL_VIDEOMEMORY, 5);
  D3DDDIARG_LOCK area = {};
  area.hResource = texture;
  ASSERT_EQ(p.fn.pfnLock(p.dev(), &area), 0);
  EXPECT_EQ(area.Pitch, 4u * 8) << "bytes of a row of blocks";
  base = static_cast<uint8_t *>(area.pSurfData);
  p.unlock(texture);
  area.Flags.AreaValid = 1;
  area.Area = {4, 8, 8, 12};
  ASSERT_EQ(p.fn.pfnLock(p.dev(), &area), 0);
  EXPECT_EQ(area.pSurfData, base + 72) << "the third row of blocks, the second of them";
  p.unlock(texture);
  area = {};
  area.hResource = texture;
  area.SubResourceIndex = 4;  // one pixel
  ASSERT_EQ(p.fn.pfnLock(p.dev(), &area), 0);
  EXPECT_EQ(area.Pitch, 8u);
  p.unlock(texture, 4);
}

TEST_F(Umd, DoNotWaitSaysSoAndDiscardNeverWaits) {
  HANDLE texture = p.resource(D3DDDIFMT_A8R8G8B8, 16, 16, Program::texture() | Program::dynamic());
  p.flush();
  rt.busy.insert(kernel.allocations.begin()->first);
  D3DDDIARG_LOCK lock = {};
  lock.hResource = texture;
  lock.Flags.DoNotWait = 1;
  EXPECT_EQ(p.fn.pfnLock(p.dev(), &lock), kWasStillDrawing);
  lock.Flags.Discard = 1;
  EXPECT_EQ(p.fn.pfnLock(p.dev(), &lock), 0);
  memset(lock.pSurfData, 1, 4);
  p.unlock(texture);
  p.flush();
  EXPECT_EQ(rt.takePackets(AEROGPU_CMD_EXT_UPDATE_TEXTURE).size(), 1u) << "through another memory";
}

// Queries.

TEST_F(Umd, AnEventIsThereWhenItsBatchIsDone) {
  D3DDDIARG_CREATEQUERY create = {};
  create.QueryType = D3DDDIQUERYTYPE_EVENT;
  std::vector<HANDLE> events;
  const auto data = [&](HANDLE query) {
    BOOL value = 9;
    D3DDDIARG_GETQUERYDATA args = {query, &value};
    const HRESULT result = p.fn.pfnGetQueryData(p.dev(), &args);
    EXPECT_EQ(value, result ? 9 : TRUE);
    return result;
  };
  for (int i = 0; i < 20; i++) {
    ASSERT_EQ(p.fn.pfnCreateQuery(p.dev(), &create), 0);
    events.push_back(create.hQuery);
    EXPECT_EQ(data(create.hQuery), 0) << "never issued";
    D3DDDIARG_ISSUEQUERY issue = {};
    issue.hQuery = create.hQuery;
    issue.Flags.Value = static_cast<UINT>(i % 3);  // EX-32
    EXPECT_EQ(p.fn.pfnIssueQuery(p.dev(), &issue), 0);
    if (i == 10) {
      // Polled in a batch that nobody submitted: the driver does (EX-31).
      rt.calls.clear();
      rt.busy.clear();
      EXPECT_EQ(data(create.hQuery), 0);
      EXPECT_EQ(rt.calls["Render"], 1);
    }
    p.flush();
    for (const auto &[handle, allocation] : kernel.allocations) rt.busy.insert(handle);
  }
  EXPECT_EQ(data(events[19]), 1);
  EXPECT_EQ(data(events[0]), 0) << "before the tenth, which was seen";
  EXPECT_EQ(data(events[10]), 0);
  EXPECT_EQ(data(events[11]), 1);
  rt.errors["Lock"] = kDeviceRemoved;
  EXPECT_EQ(data(events[19]), kDeviceRemoved);
  rt.errors.clear();
  rt.busy.clear();
  for (const HANDLE event : events) {
    EXPECT_EQ(data(event), 0);
  }
  for (const HANDLE event : events) {
    EXPECT_EQ(p.fn.pfnDestroyQuery(p.dev(), event), 0);
  }
}

TEST_F(Umd, ThereIsNoVertexCache) {
  const uint32_t pattern = 'C' | 'A' << 8 | 'C' << 16 | 'H' << 24;
  uint32_t answer[4] = {7, 7, 7, 7};
  EXPECT_EQ(p.fn.pfnGetInfo(p.dev(), D3DDDIDEVINFOID_VCACHE, answer, sizeof answer), 0);
  EXPECT_EQ(answer[0], pattern);
  EXPECT_EQ(answer[1] | answer[2] | answer[3], 0u);
  EXPECT_EQ(p.fn.pfnGetInfo(p.dev(), D3DDDIDEVINFOID_VCACHE, answer, 12), kNotImplemented);
  EXPECT_EQ(p.fn.pfnGetInfo(p.dev(), 1, answer, sizeof answer), kNotImplemented);
  D3DDDIARG_CREATEQUERY create = {};
  create.QueryType = D3DDDIQUERYTYPE_VCACHE;
  ASSERT_EQ(p.fn.pfnCreateQuery(p.dev(), &create), 0);
  uint32_t data[4] = {};
  D3DDDIARG_GETQUERYDATA args = {create.hQuery, data};
  EXPECT_EQ(p.fn.pfnGetQueryData(p.dev(), &args), 0);
  EXPECT_EQ(data[0], pattern);
}

// Presents.

TEST_F(Umd, APresentSubmitsFirstAndNamesItsAllocations) {
  prepare();
  p.clear(1);
  const D3DKMT_HANDLE allocation = kernel.allocations.rbegin()->first;
  rt.takePackets();
  D3DDDIARG_PRESENT present = {};
  present.hSrcResource = target;
  present.Flags.Blt = 1;
  EXPECT_EQ(p.fn.pfnPresent(p.dev(), &present), 0);
  ASSERT_EQ(rt.presents.size(), 1u);
  EXPECT_EQ(rt.presents[0].hSrcAllocation, allocation);
  EXPECT_EQ(rt.presents[0].hDstAllocation, 0u);
  EXPECT_EQ(count(rt.takePackets(), AEROGPU_CMD_CLEAR), 1u);
  rt.errors["Present"] = kDeviceRemoved;
  EXPECT_EQ(p.fn.pfnPresent(p.dev(), &present), kDeviceRemoved);
  rt.errors.clear();
  EXPECT_EQ(p.fn.pfnPresent(p.dev(), &present), 0) << "also when nothing was drawn";
}

TEST_F(Umd, BackBuffersAreSurfacesOfOneResource) {
  std::vector<D3DDDI_SURFACEINFO> surfaces(3, D3DDDI_SURFACEINFO{64, 48, 0, nullptr, 0, 0});
  D3DDDIARG_CREATERESOURCE args = {};
  args.Format = D3DDDIFMT_X8R8G8B8;
  args.Pool = D3DDDIPOOL_VIDEOMEMORY;
  args.pSurfList = surfaces.data();
  args.SurfCount = 3;
  args.hResource = reinterpret_cast<HANDLE>(uintptr_t{0x99});
  args.Flags.RenderTarget = args.Flags.Primary = 1;
  ASSERT_EQ(p.fn.pfnCreateResource(p.dev(), &args), 0);
  EXPECT_EQ(kernel.allocations.size(), 3u);
  EXPECT_EQ(rt.calls["Allocate"], 1) << "a resource does not grow";
  std::set<D3DKMT_HANDLE> shown;
  for (UINT i = 0; i < 3; i++) {
    D3DDDIARG_PRESENT present = {};
    present.hSrcResource = args.hResource;
    present.SrcSubResourceIndex = i;
    present.Flags.Flip = 1;
    EXPECT_EQ(p.fn.pfnPresent(p.dev(), &present), 0);
    shown.insert(rt.presents.back().hSrcAllocation);
    const D3DDDIARG_SETDISPLAYMODE mode = {args.hResource, i};
    EXPECT_EQ(p.fn.pfnSetDisplayMode(p.dev(), &mode), 0);
    EXPECT_EQ(rt.displayModes.back(), rt.presents.back().hSrcAllocation);
  }
  EXPECT_EQ(shown.size(), 3u);
  p.destroy(args.hResource);
}

TEST_F(Umd, TheSubmissionThatEndsAFrameForTheCompositorIsNeverLeftOut) {
  prepare();
  HANDLE window = p.resource(D3DDDIFMT_X8R8G8B8, 64, 64, Program::target());
  D3DDDI_BLTFLAGS flags = {};
  flags.BeginPresentToDwm = flags.EndPresentToDwm = 1;
  EXPECT_EQ(p.blt(target, {0, 0, 64, 64}, window, {0, 0, 64, 64}, flags.Value), 0);
  p.flush();
  rt.calls.clear();
  p.flush();
  EXPECT_EQ(rt.calls["Render"], 0) << "an empty flush is cheap";
  D3DDDIARG_COLORFILL fill = {};
  fill.hResource = window;
  fill.Flags.PresentToDwm = 1;  // of no pixel
  EXPECT_EQ(p.fn.pfnColorFill(p.dev(), &fill), 0);
  p.flush();
  EXPECT_EQ(rt.calls["Render"], 1);
}

// Errors.

TEST_F(Umd, ErrorsOfCallbacksArePassedOn) {
  prepare();
  p.flush();
  HANDLE texture = p.resource(D3DDDIFMT_A8R8G8B8, 16, 16, Program::texture());
  p.flush();
  for (const HRESULT error : {kDeviceRemoved, kInvalidArgument, kOutOfMemory, kOutOfVideoMemory}) {
    HANDLE out;
    rt.errors["Allocate"] = error;
    EXPECT_EQ(p.tryResource(D3DDDIFMT_A8R8G8B8, 16, 16, Program::texture(), out), error);
    rt.errors.clear();
    D3DDDIARG_LOCK lock = {};
    lock.hResource = texture;
    rt.errors["Lock"] = error;
    EXPECT_EQ(p.fn.pfnLock(p.dev(), &lock), error);
    rt.errors.clear();
    if (error == kDeviceRemoved) continue;
    EXPECT_EQ(p.draw(D3DPT_POINTLIST, 1), 0);
    rt.errors["Render"] = error;
    EXPECT_EQ(p.fn.pfnFlush(p.dev()), error);
    rt.errors.clear();
    EXPECT_EQ(p.fn.pfnFlush(p.dev()), 0) << "told once";
    // What was lost with the batch is sent again.
    rt.takePackets();
    EXPECT_EQ(p.draw(D3DPT_POINTLIST, 1), 0);
    const auto again = flushed();
    EXPECT_EQ(count(again, AEROGPU_CMD_SET_RENDER_TARGETS), 1u);
    EXPECT_EQ(count(again, AEROGPU_CMD_BIND_SHADERS), 1u);
    EXPECT_GT(count(again, AEROGPU_CMD_SET_RENDER_STATE), 30u);
    EXPECT_EQ(count(again, AEROGPU_CMD_SET_VERTEX_BUFFERS), 1u);
  }
  EXPECT_EQ(p.draw(D3DPT_POINTLIST, 1), 0);
  rt.errors["Render"] = kDeviceRemoved;
  EXPECT_EQ(p.fn.pfnFlush(p.dev()), kDeviceRemoved);
  rt.errors.clear();
  EXPECT_EQ(p.fn.pfnFlush(p.dev()), kDeviceRemoved) << "gone is gone";
}

TEST(UmdMemory, RunningOutIsAnErrorAndNothingIsLost) {
  int failures = 0;
  for (long n = 0; n < 60; n++) {
    FakeKernel kernel;
    FakeRuntime rt(kernel);
    failHeapAfter(n);
    D3DDDIARG_OPENADAPTER args = rt.adapterArgs();
    HRESULT result = OpenAdapter(&args);
    if (result >= 0) {
      rt.adapter = args.hAdapter;
      D3DDDIARG_CREATEDEVICE create = {};
      const D3DDDI_DEVICECALLBACKS table = rt.callbacks();
      create.hDevice = &rt;
      create.pCallbacks = &table;
      create.pDeviceFuncs = &rt.driver;
      result = rt.adapterFunctions.pfnCreateDevice(rt.adapter, &create);
      if (result < 0) {
        rt.adapterFunctions.pfnCloseAdapter(rt.adapter);
      } else {
        rt.device = create.hDevice;
        Program p(rt);
        const auto note = [&](HRESULT now) {
          EXPECT_TRUE(now == 0 || now == kOutOfMemory || now == kOutOfVideoMemory) << std::hex << now;
          if (now < 0) result = now;
        };
        HANDLE texture, buffer, target;
        note(p.tryResource(D3DDDIFMT_A8R8G8B8, 64, 64, Program::texture(), texture));
        note(p.tryResource(D3DDDIFMT_VERTEXDATA, 4000, 1, Program::vertices(), buffer));
        note(p.tryResource(D3DDDIFMT_A8R8G8B8, 64, 64, Program::target(), target));
        const auto code = assemble("ps_2_0\nmov oC0, c0\n").tokens;
        D3DDDIARG_CREATEPIXELSHADER shader = {};
        shader.CodeSize = static_cast<UINT>(code.size() * 4);
        note(rt.driver.pfnCreatePixelShader(rt.device, &shader, code.data()));
        D3DDDIARG_CREATEVERTEXSHADERDECL decl = {};
        note(rt.driver.pfnCreateVertexShaderDecl(rt.device, &decl, nullptr));
        if (target && texture) note(p.blt(target, {0, 0, 10, 10}, texture, {0, 0, 64, 64}));
        D3DDDIARG_LOCK lock = {};
        lock.hResource = target;
        if (target) note(rt.driver.pfnLock(rt.device, &lock));
        for (HANDLE each : {texture, buffer, target}) {
          if (each) {
            EXPECT_EQ(rt.driver.pfnDestroyResource(rt.device, each), 0);
          }
        }
        note(rt.driver.pfnFlush(rt.device));
        rt.close();
      }
    }
    failHeapAfter(-1);
    failures += result < 0;
    EXPECT_EQ(heapBlocks(), 0u) << n;
    EXPECT_TRUE(kernel.allocations.empty()) << n;
  }
  EXPECT_GT(failures, 5);
  EXPECT_LT(failures, 60);
}

// Handles.

TEST(UmdHandles, OfTwoDevicesNeverMeet) {  // PRIV-14
  FakeKernel kernel;
  FakeRuntime a(kernel), b(kernel);
  a.open();
  b.open();
  std::set<uint32_t> seen[2];
  int i = 0;
  for (FakeRuntime *rt : {&a, &b}) {
    Program p(*rt);
    for (int n = 0; n < 50; n++) p.resource(D3DDDIFMT_A8R8G8B8, 4, 4, Program::texture());
    p.flush();
    for (const Packet &packet : rt->takePackets(AEROGPU_CMD_CREATE_TEXTURE2D)) {
      EXPECT_TRUE(seen[i].insert(packet.as<aerogpu_cmd_create_texture2d>().texture_handle).second);
    }
    i++;
  }
  for (const uint32_t handle : seen[0]) {
    EXPECT_FALSE(seen[1].count(handle));
  }
  EXPECT_EQ(seen[0].size() + seen[1].size(), 100u);
  a.close();
  b.close();
}

TEST_F(Umd, AHandleThatIsUsedAgainIsBoundAgain) {
  prepare();
  const auto drawWith = [&] {
    HANDLE texture = p.resource(D3DDDIFMT_A8R8G8B8, 4, 4, Program::texture());
    p.fn.pfnSetTexture(p.dev(), 0, texture);
    EXPECT_EQ(p.draw(D3DPT_POINTLIST, 1), 0);
    p.fn.pfnSetTexture(p.dev(), 0, nullptr);
    p.destroy(texture);
    const auto packets = flushed();
    EXPECT_EQ(count(packets, AEROGPU_CMD_CREATE_TEXTURE2D), 1u);
    for (const Packet &packet : packets)
      if (packet.opcode == AEROGPU_CMD_SET_TEXTURE && packet.as<aerogpu_cmd_set_texture>().texture)
        return packet.as<aerogpu_cmd_set_texture>().texture;
    return 0u;
  };
  flushed();
  const uint32_t first = drawWith(), second = drawWith();
  EXPECT_NE(first, 0u);
  EXPECT_EQ(first, second) << "the number comes again, and so does its packet";
}

}  // namespace
}  // namespace aero::test
