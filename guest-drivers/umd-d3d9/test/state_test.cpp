// SPDX-License-Identifier: MIT
// Tests states beyond ABI 1.4 (docs/abi/d3d9-states.md), draws that carry their vertices, and updates through memory
// (docs/abi/updates.md): which packets are sent, how often, and that no call of a program makes the driver fail.
#include <map>
#include <random>
#include <string>

#include "guest-drivers/umd-d3d9/state/color_keys.h"
#include "guest-drivers/umd-d3d9/test/random_calls.h"
#include "guest-drivers/umd-d3d9/test/umd_test.h"

namespace aero::test {
namespace {

constexpr uint32_t fourcc(const char (&name)[5]) {
  return static_cast<uint32_t>(name[0]) | static_cast<uint32_t>(name[1]) << 8 | static_cast<uint32_t>(name[2]) << 16 |
         static_cast<uint32_t>(name[3]) << 24;
}

class UmdStates : public Umd {
protected:
  void SetUp() override {
    rt.commandBytes = 65536;
    Umd::SetUp();
  }
  /** Returns the packets of the next draw. */
  std::vector<Packet> drawn() {
    rt.takePackets();
    EXPECT_EQ(p.draw(D3DPT_TRIANGLELIST, 1), 0);
    return flushed();
  }
  void plane(uint32_t index, float a, float b, float c, float d) {
    const D3DDDIARG_SETCLIPPLANE args = {index, {a, b, c, d}};
    EXPECT_EQ(p.fn.pfnSetClipPlane(p.dev(), &args), 0);
  }
  void setPixelShader(const char *text) { p.fn.pfnSetPixelShader(p.dev(), p.shader(false, assemble(text).tokens)); }
  void beginWithout(uint32_t featuresHigh) {
    rt.close();
    kernel.featuresHigh = AEROGPU_CMD_FEATURES_HI & ~featuresHigh;
    rt.open();
  }
};

TEST_F(UmdStates, PlanesAreSentOnceWhileTheyAreEnabled) {
  prepare();
  p.fn.pfnSetVertexShaderDecl(p.dev(), p.vertexDeclaration());
  drawn();
  plane(1, 1, 2, 3, 4);
  plane(3, 5, 6, 7, 8);
  plane(6, 9, 9, 9, 9);  // there are six
  EXPECT_EQ(drawn().size(), 1u) << "none is enabled";
  p.state(152, 0xFFFFFFFA);  // CLIPPLANEENABLE
  auto packets = drawn();
  ASSERT_EQ(count(packets, AEROGPU_CMD_EXT_SET_CLIP_PLANES), 1u);
  for (const Packet &packet : packets) {
    if (packet.opcode == AEROGPU_CMD_EXT_SET_CLIP_PLANES) {
      const auto fixed = packet.as<aerogpu_cmd_ext_set_clip_planes>();
      EXPECT_EQ(fixed.first, 1u);
      ASSERT_EQ(fixed.plane_count, 3u);
      ASSERT_EQ(packet.bytes.size(), sizeof fixed + size_t{3} * 16);
      float values[12];
      memcpy(values, &packet.bytes[sizeof fixed], sizeof values);
      EXPECT_EQ(std::vector<float>(values, values + 12), (std::vector<float>{1, 2, 3, 4, 0, 0, 0, 0, 5, 6, 7, 8}));
    } else if (packet.opcode == AEROGPU_CMD_SET_RENDER_STATE) {
      const auto state = packet.as<aerogpu_cmd_set_render_state>();
      EXPECT_EQ(state.state, 152u);
      EXPECT_EQ(state.value, 0x3Au);
    }
  }
  plane(1, 1, 2, 3, 4);
  EXPECT_EQ(drawn().size(), 1u);
  // Planes do not clip vertices in screen space.
  p.fn.pfnSetVertexShaderDecl(p.dev(), p.vertexDeclaration(true));
  packets = drawn();
  ASSERT_EQ(count(packets, AEROGPU_CMD_SET_RENDER_STATE), 1u);
  for (const Packet &packet : packets) {
    if (packet.opcode == AEROGPU_CMD_SET_RENDER_STATE) {
      EXPECT_EQ(packet.as<aerogpu_cmd_set_render_state>().value, 0u);
    }
  }
}

// Numbers of d3dtypes.h (Direct3D 7): each old state is one or two states of the first sampler (d3d9types.h). Page
// "D3DTEXTUREFILTER": D3DFILTER_MIPLINEAR is linear within the nearest level, and so on.
TEST_F(UmdStates, OldTextureStatesAreThoseOfTheFirstSampler) {
  prepare();
  drawn();
  constexpr uint32_t kU = 1, kV = 2, kBorder = 4, kMag = 5, kMin = 6, kMip = 7, kBias = 8, kAnisotropy = 10;
  constexpr uint32_t kNone = 0, kPoint = 1, kLinear = 2;
  const struct {
    uint32_t state, value;
    std::map<uint32_t, uint32_t> sets;
  } kCases[] = {
      {3, 3, {{kU, 3}, {kV, 3}}},                   // TEXTUREADDRESS clamp
      {44, 2, {{kU, 2}}},                           // TEXTUREADDRESSU mirror
      {45, 4, {{kV, 4}}},                           // TEXTUREADDRESSV border
      {43, 0x11223344, {{kBorder, 0x11223344}}},    // BORDERCOLOR
      {46, 0x3F800000, {{kBias, 0x3F800000}}},      // MIPMAPLODBIAS
      {49, 8, {{kAnisotropy, 8}}},                  // ANISOTROPY
      {17, 2, {{kMag, kLinear}}},                   // TEXTUREMAG linear
      {17, 1, {{kMag, kPoint}}},                    // nearest
      {18, 6, {{kMin, kLinear}, {kMip, kLinear}}},  // TEXTUREMIN linear mip linear
      {18, 5, {{kMin, kPoint}}},                    // linear mip nearest; between levels as before
      {18, 4, {{kMin, kLinear}, {kMip, kPoint}}},   // mip linear
      {18, 3, {{kMin, kPoint}}},                    // mip nearest
      {18, 2, {{kMin, kLinear}, {kMip, kNone}}},    // linear
      {18, 1, {{kMin, kPoint}}},                    // nearest
      {18, 6, {{kMin, kLinear}, {kMip, kLinear}}},
      {18, 7, {{kMin, kPoint}, {kMip, kNone}}},  // no such filter
  };
  for (const auto &one : kCases) {
    SCOPED_TRACE(std::to_string(one.state) + " " + std::to_string(one.value));
    p.state(one.state, one.value);
    std::map<uint32_t, uint32_t> sets;
    for (const Packet &packet : drawn()) {
      EXPECT_NE(packet.opcode, uint32_t{AEROGPU_CMD_SET_RENDER_STATE});
      if (packet.opcode != AEROGPU_CMD_SET_SAMPLER_STATE) continue;
      const auto set = packet.as<aerogpu_cmd_set_sampler_state>();
      EXPECT_EQ(set.shader_stage, uint32_t{AEROGPU_SHADER_STAGE_PIXEL});
      EXPECT_EQ(set.slot, 0u);
      sets[set.state] = set.value;
    }
    EXPECT_EQ(sets, one.sets);
  }
  // D3DTSS_ADDRESS is both directions of its stage.
  p.stage(3, static_cast<D3DDDITEXTURESTAGESTATETYPE>(12), 3);
  std::map<uint32_t, uint32_t> sets;
  for (const Packet &packet : drawn())
    if (packet.opcode == AEROGPU_CMD_SET_SAMPLER_STATE) {
      const auto set = packet.as<aerogpu_cmd_set_sampler_state>();
      EXPECT_EQ(set.slot, 3u);
      sets[set.state] = set.value;
    }
  EXPECT_EQ(sets, (std::map<uint32_t, uint32_t>{{kU, 3}, {kV, 3}}));
}

// A program that changes indices back and forth makes each shader once; one that has untransformed vertices makes none.
TEST_F(UmdStates, ShadersForScreenSpaceAreMadeOnceForEachSetOfIndices) {
  prepare();
  drawn();
  p.stage(0, D3DDDITSS_TEXCOORDINDEX, 1);
  EXPECT_EQ(count(drawn(), AEROGPU_CMD_CREATE_SHADER_DXBC), 0u);
  p.fn.pfnSetVertexShaderDecl(p.dev(), p.vertexDeclaration(true));  // with coordinates 0 alone
  EXPECT_EQ(count(drawn(), AEROGPU_CMD_CREATE_SHADER_DXBC), 1u);
  const auto made = [&](uint32_t stage, uint32_t index) {
    p.stage(stage, D3DDDITSS_TEXCOORDINDEX, index);
    return count(drawn(), AEROGPU_CMD_CREATE_SHADER_DXBC);
  };
  EXPECT_EQ(made(0, 2), 0u) << "there are neither coordinates 1 nor 2";
  EXPECT_EQ(made(0, 0), 1u);
  EXPECT_EQ(made(1, 0), 1u);
  for (int i = 0; i < 3; i++) {
    EXPECT_EQ(made(1, 1), 0u);
    EXPECT_EQ(made(1, 0), 0u);
  }
  EXPECT_EQ(made(8, 5), 0u) << "there are eight stages";
}

// Shaders that cannot have keys are drawn without them: models before 2, no register left, tokens that are no shader.
TEST_F(UmdStates, KeysNeedRegistersOfTheirOwn) {
  KeyColors keys;
  keys.stages = 1;
  uint32_t out[512];
  const auto written = [&](const std::vector<uint32_t> &tokens, size_t room = 512) {
    return writeKeyedShader(tokens.data(), tokens.size(), keys, out, room);
  };
  const auto plain = assemble("ps_2_0\ndcl t0.xy\ndcl_2d s0\ntexld r0, t0, s0\nmov oC0, r0\n").tokens;
  const size_t size = written(plain);
  EXPECT_EQ(size, plain.size() + 2 * 6 + 4 + 4 + 4 + 2) << "two definitions, four instructions";
  for (size_t room = 0; room < size; room++) EXPECT_EQ(written(plain, room), 0u) << room;
  for (size_t cut = 0; cut < plain.size(); cut++)
    EXPECT_EQ(written({plain.begin(), plain.begin() + static_cast<ptrdiff_t>(cut)}), 0u) << cut;
  EXPECT_EQ(written(assemble("ps_1_4\ntexld r0, t0\n").tokens), 0u);
  EXPECT_EQ(written(assemble("vs_2_0\ndcl_position v0\nmov oPos, v0\n").tokens), 0u);
  std::string temps = "ps_2_0\ndcl t0.xy\ndcl_2d s0\ntexld r0, t0, s0\n", constants = temps;
  for (int i = 1; i < 12; i++) temps += "mov r" + std::to_string(i) + ", r0\n";
  for (int i = 0; i < 31; i++) constants += "add r0, r0, c" + std::to_string(i) + "\n";
  EXPECT_EQ(written(assemble(temps + "mov oC0, r0\n").tokens), 0u);
  EXPECT_EQ(written(assemble(constants + "mov oC0, r0\n").tokens), 0u);
}

// Later runtimes have no colour keys: nothing is kept for them.
TEST_F(UmdStates, LaterRuntimesHaveNoColourKeys) {
  prepare();
  HANDLE texture = p.resource(D3DDDIFMT_A8R8G8B8, 4, 4, Program::texture());
  p.fn.pfnSetTexture(p.dev(), 0, texture);
  setPixelShader("ps_2_0\ndcl t0.xy\ndcl_2d s0\ntexld r0, t0, s0\nmov oC0, r0\n");
  drawn();
  p.state(41, 1);
  p.stage(0, D3DDDITSS_TEXTURECOLORKEYVAL, 1);
  EXPECT_EQ(count(drawn(), AEROGPU_CMD_CREATE_SHADER_DXBC), 0u);
  p.fn.pfnSetTexture(p.dev(), 0, nullptr);
  p.destroy(texture);
}

TEST_F(UmdStates, StagesAreForOldShadersOnly) {
  prepare();
  drawn();
  p.stage(2, D3DDDITSS_BUMPENVMAT10, 0x3F800000);
  p.stage(7, D3DDDITSS_TEXTURETRANSFORMFLAGS, 256 | 3);
  p.stage(8, D3DDDITSS_BUMPENVLSCALE, 5);  // there are eight
  p.stage(0, D3DDDITSS_COLOROP, 5);        // a state that only the runtime uses
  EXPECT_EQ(drawn().size(), 1u) << "ps_2_0 reads none of it";
  setPixelShader("ps_1_1\ntex t0\nmov r0, t0\n");
  auto packets = drawn();
  std::vector<std::vector<uint32_t>> seen;
  for (const Packet &packet : packets) {
    if (packet.opcode != AEROGPU_CMD_EXT_SET_TEXTURE_STAGE) continue;
    const auto stage = packet.as<aerogpu_cmd_ext_set_texture_stage>();
    seen.push_back({stage.stage, stage.state, stage.value});
  }
  EXPECT_EQ(seen, (std::vector<std::vector<uint32_t>>{{2, 9, 0x3F800000}, {7, 24, 260}}))
      << "the shader has the divisor in w";
  EXPECT_EQ(drawn().size(), 1u);
}

TEST_F(UmdStates, WithoutTheExtensionNothingOfItIsSent) {
  beginWithout(AEROGPU_EXT_FEATURE_HI_STATES | AEROGPU_EXT_FEATURE_HI_DRAW_INLINE | AEROGPU_EXT_FEATURE_HI_UPDATES);
  prepare();
  D3DCAPS9 got = {};
  ASSERT_EQ(caps(D3DDDICAPS_GETD3D9CAPS, &got, sizeof got), 0);
  EXPECT_EQ(got.MaxUserClipPlanes, 0u);
  EXPECT_FALSE(got.RasterCaps & D3DPRASTERCAPS_WFOG);
  plane(0, 1, 0, 0, 0);
  p.state(152, 1);
  p.state(154, fourcc("A2M1"));
  const D3DDDIARG_WINFO info = {2, 3};
  p.fn.pfnUpdateWInfo(p.dev(), &info);
  setPixelShader("ps_1_1\ntex t0\nmov r0, t0\n");
  p.stage(0, D3DDDITSS_BUMPENVMAT00, 1);
  std::vector<Vertex> vertices(3);
  const D3DDDIARG_SETSTREAMSOURCEUM um = {0, sizeof(Vertex)};
  p.fn.pfnSetStreamSourceUm(p.dev(), &um, vertices.data());
  rt.errors["Render"] = kOutOfMemory;  // lost values are sent again, and no others
  EXPECT_EQ(p.draw(D3DPT_TRIANGLELIST, 1), 0);
  EXPECT_EQ(p.fn.pfnFlush(p.dev()), kOutOfMemory);
  rt.errors.clear();
  for (const Packet &packet : drawn()) EXPECT_LT(packet.opcode, uint32_t{AEROGPU_EXT_OPCODE_FIRST});
}

TEST_F(UmdStates, SmallArraysOfTheProgramsAreOnePacket) {
  prepare();
  std::vector<Vertex> vertices(6);
  for (size_t i = 0; i < vertices.size(); i++) vertices[i].x = static_cast<float>(i);
  const D3DDDIARG_SETSTREAMSOURCEUM um = {0, sizeof(Vertex)};
  drawn();
  p.fn.pfnSetStreamSourceUm(p.dev(), &um, vertices.data());
  rt.takePackets();
  EXPECT_EQ(p.draw(D3DPT_TRIANGLELIST, 1, 2), 0);
  auto packets = flushed();
  ASSERT_EQ(packets.size(), 1u);
  ASSERT_EQ(packets[0].opcode, uint32_t{AEROGPU_CMD_EXT_DRAW_INLINE});
  auto draw = packets[0].as<aerogpu_cmd_ext_draw_inline>();
  EXPECT_EQ(draw.vertex_count, 3u);
  EXPECT_EQ(draw.vertex_stride_bytes, sizeof(Vertex));
  EXPECT_EQ(draw.index_count, 0u);
  EXPECT_EQ(memcmp(&packets[0].bytes[sizeof draw], static_cast<const void *>(&vertices[2]), 3 * sizeof(Vertex)), 0);
  // With indices, which count from the first vertex.
  const uint16_t indices[] = {9, 9, 5, 3, 4};
  p.fn.pfnSetIndicesUm(p.dev(), 2, indices);
  const D3DDDIARG_DRAWINDEXEDPRIMITIVE args = {D3DPT_TRIANGLELIST, 0, 3, 3, 2, 1};
  EXPECT_EQ(p.fn.pfnDrawIndexedPrimitive(p.dev(), &args), 0);
  packets = flushed();
  ASSERT_EQ(packets.size(), 1u);
  draw = packets[0].as<aerogpu_cmd_ext_draw_inline>();
  EXPECT_EQ(draw.vertex_count, 6u);
  EXPECT_EQ(draw.index_count, 3u);
  EXPECT_EQ(draw.index_format, uint32_t{AEROGPU_INDEX_FORMAT_UINT16});
  EXPECT_EQ(memcmp(&packets[0].bytes[sizeof draw + 6 * sizeof(Vertex)], indices + 2, 6), 0);
  // By offsets, with a base below 0: vertex 4 is the first one that is sent.
  const D3DDDIARG_DRAWINDEXEDPRIMITIVE2 second = {
      D3DPT_TRIANGLELIST, -2 * static_cast<INT>(sizeof(Vertex)), 4, 3, 2, 1};
  const uint16_t more[] = {7, 6, 5, 4};
  EXPECT_EQ(p.fn.pfnDrawIndexedPrimitive2(p.dev(), &second, 2, more, nullptr), 0);
  packets = flushed();
  ASSERT_EQ(packets.size(), 1u);
  draw = packets[0].as<aerogpu_cmd_ext_draw_inline>();
  EXPECT_EQ(draw.vertex_count, 3u);
  EXPECT_EQ(memcmp(&packets[0].bytes[sizeof draw], static_cast<const void *>(&vertices[2]), 3 * sizeof(Vertex)), 0);
  const uint16_t rebased[] = {2, 1, 0};
  EXPECT_EQ(memcmp(&packets[0].bytes[sizeof draw + 3 * sizeof(Vertex)], rebased, 6), 0);
  // Bound buffers stay bound.
  p.stream(UmdStates::vertices, sizeof(Vertex));
  EXPECT_EQ(drawn().size(), 1u);
  // More bytes than a packet carries take another path (UPD-11).
  std::vector<Vertex> many(3000);
  p.fn.pfnSetStreamSourceUm(p.dev(), &um, many.data());
  EXPECT_EQ(p.draw(D3DPT_TRIANGLELIST, 1000), 0);
  EXPECT_EQ(count(flushed(), AEROGPU_CMD_EXT_DRAW_INLINE), 0u);
}

TEST_F(UmdStates, WhatIsWrittenIntoALockedBufferIsDrawn) {
  prepare();
  constexpr uint32_t kBytes = 3 * sizeof(Vertex);
  HANDLE buffer = p.buffer(kBytes, nullptr);
  p.stream(buffer, sizeof(Vertex));
  D3DDDIARG_LOCK lock = {};
  lock.hResource = buffer;
  ASSERT_EQ(p.fn.pfnLock(p.dev(), &lock), 0);
  for (const int value : {0x11, 0x22}) {
    memset(lock.pSurfData, value, kBytes);
    rt.takePackets();
    EXPECT_EQ(p.draw(D3DPT_TRIANGLELIST, 1), 0);
    p.flush();
    uint32_t bytes = 0;
    for (const Packet &packet : rt.takePackets(AEROGPU_CMD_UPLOAD_RESOURCE)) {
      const auto upload = packet.as<aerogpu_cmd_upload_resource>();
      bytes += static_cast<uint32_t>(upload.size_bytes);
      for (size_t at = 0; at < upload.size_bytes; at++) EXPECT_EQ(packet.bytes[sizeof upload + at], value) << at;
    }
    EXPECT_EQ(bytes, kBytes) << value;
  }
  p.unlock(buffer);
}

TEST_F(UmdStates, ALargeBufferGoesThroughMemoryWithWhatTheProgramPromised) {
  prepare();
  constexpr uint32_t kBytes = 3 << 20;
  std::vector<uint8_t> content(kBytes);
  std::mt19937 random(1);
  for (uint8_t &byte : content) byte = static_cast<uint8_t>(random());
  HANDLE buffer = p.buffer(kBytes, nullptr);
  p.stream(buffer, sizeof(Vertex));
  D3DDDI_LOCKFLAGS discard = {}, promise = {};
  discard.Discard = 1;
  promise.NoOverwrite = 1;
  struct Step {
    uint32_t offset, bytes, lockFlags;
    std::vector<uint32_t> wireFlags;
  };
  constexpr uint32_t kNone = AEROGPU_EXT_UPDATE_NONE, kNew = AEROGPU_EXT_UPDATE_NO_OVERWRITE,
                     kDiscard = AEROGPU_EXT_UPDATE_DISCARD;
  const Step steps[] = {{0, kBytes, 0, {kNone, kNone, kNone}},
                        {4, 40000, promise.Value, {kNew}},
                        {0, kBytes, discard.Value, {kDiscard, kNew, kNew}},
                        {100000, 65536, 0, {kNone}},
                        {0, 40000, discard.Value | promise.Value, {kNew}},
                        {0, 1000, promise.Value, {}}};
  rt.takePackets();
  for (const Step &step : steps) {
    p.fill(buffer, step.offset, step.bytes, &content[step.offset], step.lockFlags);
    EXPECT_EQ(p.draw(D3DPT_TRIANGLELIST, 1), 0);
    p.flush();
    std::vector<uint32_t> flags;
    uint32_t at = step.offset;
    for (const Packet &packet : rt.takePackets(AEROGPU_CMD_EXT_UPDATE_BUFFER)) {
      const auto update = packet.as<aerogpu_cmd_ext_update_buffer>();
      flags.push_back(update.flags);
      EXPECT_EQ(update.dst_offset_bytes, at);
      at += update.size_bytes;
      for (auto &[handle, allocation] : kernel.allocations) {
        if (allocation.id != update.src_alloc_id) continue;
        ASSERT_LE(update.src_offset_bytes + update.size_bytes, allocation.bytes);
        EXPECT_EQ(memcmp(kernel.memory(allocation) + update.src_offset_bytes, &content[update.dst_offset_bytes],
                         update.size_bytes),
                  0);
      }
    }
    EXPECT_EQ(flags, step.wireFlags) << step.offset << ' ' << step.bytes;
    if (!flags.empty()) {
      EXPECT_EQ(at, step.offset + step.bytes);
    }
  }
  // Frame after frame: memory in use is left alone, and if all is in use, packets carry the bytes.
  for (int frame = 0; frame < 12; frame++) {
    p.fill(buffer, 0, kBytes, content.data(), discard.Value);
    EXPECT_EQ(p.draw(D3DPT_TRIANGLELIST, 1), 0);
    p.flush();
    for (const auto &[handle, allocation] : kernel.allocations) rt.busy.insert(handle);
  }
  EXPECT_EQ(rt.takePackets(AEROGPU_CMD_EXT_UPDATE_BUFFER).size(), 8u);
}

// D3DLOCK_NOOVERWRITE writes to memory that draws of the batch may not have read yet, so they see what it writes. Bytes
// that are submitted cannot be changed any more.
TEST_F(UmdStates, DrawsThatWaitSeeWhatALockPromisedThatNobodyReads) {
  prepare();
  D3DDDI_LOCKFLAGS promise = {};
  promise.NoOverwrite = 1;
  for (const uint32_t bytes : {1200u, 100000u, 40000u, 2u << 20}) {  // in packets, and through memory
    SCOPED_TRACE(bytes);
    std::vector<uint8_t> content(bytes, 0x11), more(300, 0x22);
    HANDLE buffer = p.buffer(bytes, content.data());
    p.stream(buffer, sizeof(Vertex));
    rt.takePackets();
    EXPECT_EQ(p.draw(D3DPT_TRIANGLELIST, 1), 0);
    const uint32_t last = bytes - 300;
    p.fill(buffer, last, 300, more.data(), promise.Value);
    memcpy(&content[last], more.data(), more.size());
    EXPECT_EQ(p.draw(D3DPT_TRIANGLELIST, 1), 0);  // nothing is sent for it
    // The content of the packets and of the memory that they name, when the batch is submitted.
    const auto expectSent = [&](uint32_t uploads) {
      p.flush();
      std::vector<uint8_t> sent(bytes);
      uint32_t pieces = 0;
      for (const Packet &packet : rt.takePackets()) {
        if (packet.opcode == AEROGPU_CMD_UPLOAD_RESOURCE) {
          const auto upload = packet.as<aerogpu_cmd_upload_resource>();
          memcpy(&sent[upload.offset_bytes], &packet.bytes[sizeof upload], upload.size_bytes);
          pieces++;
        } else if (packet.opcode == AEROGPU_CMD_EXT_UPDATE_BUFFER) {
          const auto update = packet.as<aerogpu_cmd_ext_update_buffer>();
          for (auto &[handle, allocation] : kernel.allocations)
            if (allocation.id == update.src_alloc_id)
              memcpy(&sent[update.dst_offset_bytes], kernel.memory(allocation) + update.src_offset_bytes,
                     update.size_bytes);
          pieces++;
        }
      }
      EXPECT_EQ(pieces, uploads);
      return sent;
    };
    EXPECT_EQ(expectSent(bytes > 1u << 20 ? 2 : 1), content);
    // A part of what was sent, and a part of what was not: the draw sees its part, the rest follows.
    memset(&content[last], 0x33, 300);
    p.fill(buffer, last + 100, 100, &content[last + 100]);
    EXPECT_EQ(p.draw(D3DPT_TRIANGLELIST, 1), 0);
    p.fill(buffer, last, 150, &content[last], promise.Value);
    EXPECT_EQ(p.draw(D3DPT_TRIANGLELIST, 1), 0);
    const std::vector<uint8_t> sent = expectSent(2);
    EXPECT_TRUE(std::equal(&sent[last], &sent[last + 200], &content[last]));
    // The bytes are submitted now: the next write is sent separately, and so is one without a promise.
    for (const uint32_t flags : {promise.Value, 0u}) {
      p.fill(buffer, last, 100, &content[last], flags);
      EXPECT_EQ(p.draw(D3DPT_TRIANGLELIST, 1), 0);
      p.fill(buffer, last, 100, &content[last]);
      EXPECT_EQ(p.draw(D3DPT_TRIANGLELIST, 1), 0);
      expectSent(2);
    }
  }
}

TEST_F(UmdStates, InstancesAreOneDraw) {
  prepare();
  p.fn.pfnSetVertexShaderFunc(
      p.dev(),
      p.shader(true, assemble("vs_3_0\ndcl_position v0\ndcl_texcoord v1\ndcl_position o0\nadd o0, v0, v1\n").tokens));
  setPixelShader("ps_3_0\nmov oC0, c0\n");
  constexpr BYTE kFloat4 = 3, kPosition = 0, kCoordinates = 5;
  HANDLE declaration = p.declaration({{0, 0, kFloat4, 0, kPosition, 0}, {1, 0, kFloat4, 0, kCoordinates, 0}});
  p.fn.pfnSetVertexShaderDecl(p.dev(), declaration);
  HANDLE second = p.buffer(1024, nullptr), indices = p.buffer(6, nullptr, Program::indices(), D3DDDIFMT_INDEX16);
  p.stream(second, 16, 0, 1);
  const D3DDDIARG_SETINDICES bind = {indices, 2};
  p.fn.pfnSetIndices(p.dev(), &bind);
  const auto frequency = [&](uint32_t stream, uint32_t value) {
    const D3DDDIARG_SETSTREAMSOURCEFREQ args = {stream, value};
    EXPECT_EQ(p.fn.pfnSetStreamSourceFreq(p.dev(), &args), 0);
  };
  const auto drawn = [&] {
    rt.takePackets();
    const D3DDDIARG_DRAWINDEXEDPRIMITIVE args = {D3DPT_TRIANGLELIST, 0, 0, 3, 0, 1};
    EXPECT_EQ(p.fn.pfnDrawIndexedPrimitive(p.dev(), &args), 0);
    return flushed();
  };
  drawn();
  frequency(0, 1u << 30 | 10);
  frequency(1, 1u << 31 | 2);
  auto packets = drawn();
  ASSERT_EQ(packets.size(), 2u);
  const auto step = packets[0].as<aerogpu_cmd_ext_set_stream_frequency>();
  EXPECT_EQ(packets[0].opcode, uint32_t{AEROGPU_CMD_EXT_SET_STREAM_FREQUENCY});
  EXPECT_EQ(step.first, 1u);
  EXPECT_EQ(step.step_count, 1u);
  uint32_t steps;
  memcpy(&steps, &packets[0].bytes[sizeof step], 4);
  EXPECT_EQ(steps, 2u);
  EXPECT_EQ(packets[1].as<aerogpu_cmd_draw_indexed>().instance_count, 10u);
  EXPECT_EQ(drawn().size(), 1u);
  frequency(0, 1u << 30 | 0x3FFFFFFF);  // more than the device draws (LIM-1)
  EXPECT_EQ(drawn().size(), 0u);
  frequency(0, 1);
  frequency(1, 1);
  packets = drawn();
  ASSERT_EQ(packets.size(), 2u);
  EXPECT_EQ(packets[1].as<aerogpu_cmd_draw_indexed>().instance_count, 1u);
}

TEST_F(UmdStates, AFrameLikeTheLastOneTakesNoMemory) {
  prepare();
  HANDLE texture = p.resource(D3DDDIFMT_A8R8G8B8, 16, 16, Program::texture() | Program::dynamic()),
         other = p.resource(D3DDDIFMT_X8R8G8B8, 32, 32, Program::target());
  constexpr uint32_t kBytes = 200000;
  HANDLE large = p.buffer(kBytes, nullptr, Program::vertices() | Program::dynamic());
  std::vector<uint8_t> content(kBytes);
  std::vector<Vertex> array(60);
  D3DDDIARG_CREATEQUERY create = {D3DDDIQUERYTYPE_OCCLUSION, nullptr};
  ASSERT_EQ(p.fn.pfnCreateQuery(p.dev(), &create), 0);
  D3DDDI_LOCKFLAGS discard = {};
  discard.Discard = 1;
  for (int frame = 0; frame < 40; frame++) {
    if (frame == 20) {
      rt.calls.clear();
      failHeapAfter(0);
    }
    const auto issue = [&](bool begin) {
      D3DDDIARG_ISSUEQUERY args = {};
      args.hQuery = create.hQuery;
      args.Flags.Begin = begin;
      args.Flags.End = !begin;
      EXPECT_EQ(p.fn.pfnIssueQuery(p.dev(), &args), 0);
    };
    p.clear(static_cast<uint32_t>(frame), 1, {{0, 0, 3, 3}});
    p.write(texture, 0, 16, 16, std::vector<uint32_t>(256, 7), discard.Value);
    p.fn.pfnSetTexture(p.dev(), 0, frame % 2 ? texture : nullptr);
    p.fill(large, 0, kBytes, content.data(), discard.Value);
    p.stream(large, sizeof(Vertex));
    const float values[16] = {static_cast<float>(frame)};
    const D3DDDIARG_SETPIXELSHADERCONST constants = {3, 4};
    EXPECT_EQ(p.fn.pfnSetPixelShaderConst(p.dev(), &constants, values), 0);
    issue(true);
    EXPECT_EQ(p.draw(D3DPT_TRIANGLELIST, 20), 0);
    issue(false);
    const D3DDDIARG_SETSTREAMSOURCEUM um = {0, sizeof(Vertex)};
    p.fn.pfnSetStreamSourceUm(p.dev(), &um, array.data());
    EXPECT_EQ(p.draw(D3DPT_TRIANGLELIST, 20), 0);
    EXPECT_EQ(p.blt(target, {0, 0, 64, 64}, other, {0, 0, 32, 32}), 0);
    p.flush();
    uint32_t pixels;
    D3DDDIARG_GETQUERYDATA args = {create.hQuery, &pixels};
    EXPECT_EQ(p.fn.pfnGetQueryData(p.dev(), &args), 0);
  }
  failHeapAfter(-1);
  EXPECT_EQ(rt.calls["Allocate"], 0);
  EXPECT_EQ(rt.calls["Deallocate"], 0);
}

TEST_F(UmdStates, GarbageIsNoErrorAndNoFault) {
  callAtRandom(p, 7, 20000);
}

}  // namespace
}  // namespace aero::test
