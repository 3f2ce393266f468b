// SPDX-License-Identifier: MIT
#include "renderer/snapshot/test/everything.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>

#include "aerogpu/d3d9/states.h"
#include "renderer/core/input_layout.h"
#include "renderer/core/test/spaces_fixture.h"
#include "renderer/test/saving.h"
#include "renderer/test/token_shaders.h"

namespace aerogpu::test {

using namespace handles;

Snapshot takeSnapshot(aerogpu_renderer* renderer) {
  Snapshot snapshot;
  snapshot.error = save(renderer, snapshot.bytes);
  return snapshot;
}

std::string loadSnapshot(aerogpu_renderer* renderer, std::span<const uint8_t> bytes, size_t step,
                         aerogpu_scanout_config* scanout) {
  char error[512] = "";
  bool good = true;
  for (size_t at = 0; good && at < bytes.size(); at += step) {
    // A copy of its own, so that a sanitizer sees reads past the end.
    const std::vector<uint8_t> part(
        bytes.begin() + static_cast<ptrdiff_t>(at),
        bytes.begin() + static_cast<ptrdiff_t>(std::min(at + step, bytes.size())));
    good = aerogpu_renderer_load_bytes(renderer, part.data(), part.size(), error, sizeof error);
  }
  char finish[512] = "";
  const bool ended = aerogpu_renderer_load_finish(renderer, scanout, finish, sizeof finish);
  EXPECT_TRUE(good || !ended);
  return good ? finish : error;
}

namespace {

constexpr uint32_t kPixel = AEROGPU_SHADER_STAGE_PIXEL, kCompute = AEROGPU_SHADER_STAGE_COMPUTE;
constexpr uint32_t kTokens[] = {0xFFFE0200, 0x0000FFFF}, kPixelTokens[] = {0xFFFF0200, 0x0000FFFF};
constexpr uint32_t kDxbc[] = {0x43425844, 1, 2, 3};

uint32_t bits(float value) {
  return std::bit_cast<uint32_t>(value);
}

void makeTexture(CommandWriter& w, uint32_t handle, uint32_t kind, aerogpu_format format, uint32_t side,
                 uint32_t depth, uint32_t mips, uint32_t layers, uint32_t samples = 1) {
  aerogpu_cmd_ext_create_texture c{};
  c.texture_handle = handle;
  c.usage_flags = AEROGPU_RESOURCE_USAGE_TEXTURE | AEROGPU_RESOURCE_USAGE_RENDER_TARGET;
  c.format = format;
  c.kind = kind;
  c.width = c.height = side;
  c.depth = depth;
  c.mip_levels = mips;
  c.array_layers = layers;
  c.sample_count = samples;
  w.packet(c);
}

void makeShader(CommandWriter& w, uint32_t handle, uint32_t stage, uint32_t ex,
                std::span<const uint32_t> code) {
  aerogpu_cmd_create_shader_dxbc c{};
  c.shader_handle = handle;
  c.stage = stage;
  c.reserved0 = ex;
  w.packet(c, code.data(), code.size_bytes());
}

/// Makes objects of all kinds in space 0, with contents.
void makeObjects(CommandWriter& w, const Everything& all, uint32_t backed, uint32_t scattered) {
  packets::createBuffer(w, kBuffer, all.bufferBytes.size(), AEROGPU_RESOURCE_USAGE_VERTEX_BUFFER);
  packets::upload(w, kBuffer, 0, all.bufferBytes);
  packets::createBuffer(w, kBackedBuffer, 64, 0, backed, 128);
  for (const uint32_t handle : {kOlder, kNewest}) {
    packets::createShown(w, handle, 8, 8, all.shown.id);
    packets::upload(w, handle, 0, pattern(8 * 8 * 4));
  }
  packets::createShown(w, kScattered, 8, 8, scattered);
  makeTexture(w, kMips, AEROGPU_EXT_TEXTURE_2D, AEROGPU_FORMAT_DXGI_R8G8B8A8_TYPELESS, 8, 1, 3, 2);
  packets::upload(w, kMips, 0, pattern(2 * (8 * 8 + 4 * 4 + 2 * 2) * 4));
  makeTexture(w, kCube, AEROGPU_EXT_TEXTURE_CUBE, AEROGPU_FORMAT_B5G6R5_UNORM, 4, 1, 1, 6);
  packets::upload(w, kCube, 0, pattern(6 * 4 * 4 * 2));
  makeTexture(w, kVolume, AEROGPU_EXT_TEXTURE_VOLUME, AEROGPU_FORMAT_D3D9_L8, 4, 4, 2, 1);
  packets::upload(w, kVolume, 0, pattern(4 * 4 * 4 + 2 * 2 * 2));
  w.packet(aerogpu_cmd_create_texture_view{{}, kSlice, kVolume, AEROGPU_FORMAT_D3D9_L8, 0, 1, 3, 1, 0});
  w.packet(aerogpu_cmd_ext_create_texture{{},
                                          kRow,
                                          AEROGPU_RESOURCE_USAGE_TEXTURE,
                                          AEROGPU_FORMAT_DXGI_R8G8B8A8_UINT,
                                          AEROGPU_EXT_TEXTURE_1D,
                                          8,
                                          1,
                                          1,
                                          2,
                                          2,
                                          1,
                                          0,
                                          0,
                                          0,
                                          0});
  packets::upload(w, kRow, 0, pattern(2 * (8 + 4) * 4));
  makeTexture(w, kBlocks, AEROGPU_EXT_TEXTURE_2D, AEROGPU_FORMAT_BC1_RGBA_UNORM, 10, 1, 1, 1);
  packets::upload(w, kBlocks, 0, pattern(3 * 3 * 8));
  makeTexture(w, kDepth, AEROGPU_EXT_TEXTURE_2D, AEROGPU_FORMAT_D24_UNORM_S8_UINT, 8, 1, 1, 1);
  packets::setTargets(w, {}, kDepth);
  packets::clear(w, AEROGPU_CLEAR_DEPTH | AEROGPU_CLEAR_STENCIL, {}, 0.25f, 3);
  makeTexture(w, kSamples, AEROGPU_EXT_TEXTURE_2D, AEROGPU_FORMAT_R8G8B8A8_UNORM, 8, 1, 1, 1, 4);
  packets::setTarget(w, kSamples);
  packets::clearColor(w, {1, 0, 1, 0});
  makeTexture(w, kUnwritten, AEROGPU_EXT_TEXTURE_2D, AEROGPU_FORMAT_R8G8B8A8_UNORM, 8, 1, 1, 1);
  // A pitch stays when the memory goes.
  packets::createTexture(w, {kPitched, AEROGPU_FORMAT_B8G8R8X8_UNORM, 8, 8});
  packets::attachBacking(w, kPitched, backed, 64);
  packets::attachBacking(w, kPitched, 0, 48);
  aerogpu_cmd_create_texture_view view{};
  view.view_handle = kView;
  view.texture_handle = kMips;
  view.format = AEROGPU_FORMAT_DXGI_R8G8B8A8_UINT;
  view.base_mip_level = 1;
  view.mip_level_count = 2;
  view.base_array_layer = 1;
  view.array_layer_count = 1;
  w.packet(view);
  constexpr struct {
    uint32_t stage, ex;
  } kStages[] = {{0, 0}, {1, 0}, {kCompute, 0}, {3, 0}, {kCompute, 3}, {kCompute, 4}};
  for (uint32_t i = 0; i < 6; ++i)
    makeShader(w, kShader + i, kStages[i].stage, kStages[i].ex,
               i == 0   ? std::span<const uint32_t>(kTokens)
               : i == 1 ? std::span<const uint32_t>(kPixelTokens)
                        : std::span<const uint32_t>(kDxbc));
  // D3DVERTEXELEMENT9: FLOAT3 POSITION, then UBYTE4N TEXCOORD3 of stream 2.
  constexpr uint8_t kElements[] = {0, 0, 0, 0, 2,    0, 0, 0, 2,  0, 12, 0,
                                   8, 0, 5, 3, 0xFF, 0, 0, 0, 17, 0, 0,  0};
  aerogpu_cmd_create_input_layout layout{};
  layout.input_layout_handle = kLayout;
  w.packet(layout, kElements, sizeof kElements);
  struct {
    aerogpu_input_layout_blob_header header{AEROGPU_INPUT_LAYOUT_BLOB_MAGIC, 1, 2, 0};
    aerogpu_input_layout_element_dxgi elements[2] = {
        {core::semanticHash("COLOR"), 1, 2 /* R32G32B32A32_FLOAT */, 0, 4, 0, 0},
        {core::semanticHash("WORLD"), 2, 2, 1, 0xFFFFFFFF, 1, 7}};
  } ilay;
  layout.input_layout_handle = kIlay;
  w.packet(layout, &ilay, sizeof ilay);
  // Shaders and layouts by register: a vertex shader, a pixel shader, one with patch constants.
  dxbc::createShader(w, kTokenShader, 0, dxbc::vertexTokens());
  dxbc::createShader(w, kTokenShader + 1, kPixel, dxbc::pixelTokens());
  const dxbc::TokenShader hull = {
      dxbc::program(3u << 16 | 0x50, {}), {{1, 0, 15}}, {{1, 0, 7}}, {{11, 2, 1}}};
  aerogpu_cmd_ext_create_shader makeHull = dxbc::packetOf(hull, kCompute);
  makeHull.shader_handle = kTokenShader + 2;
  makeHull.reserved0 = AEROGPU_SHADER_STAGE_EX_HULL;
  const std::vector<uint8_t> hullBytes = dxbc::bytesOf(hull);
  w.packet(makeHull, hullBytes.data(), hullBytes.size());
  dxbc::createLayout(w, kRegisterLayout, {{3, 1, 2, 16, 1, 7}, {0, 0, 30, 4, 0, 0}});
  aerogpu_cmd_create_sampler sampler{};
  sampler.sampler_handle = kSampler;
  sampler.filter = AEROGPU_SAMPLER_FILTER_LINEAR;
  sampler.address_u = AEROGPU_SAMPLER_ADDRESS_REPEAT;
  sampler.address_v = AEROGPU_SAMPLER_ADDRESS_MIRROR_REPEAT;
  w.packet(sampler);
}

/// Returns a value of a state that is not its default.
uint32_t otherValue(const d3d9::StateInfo& state) {
  switch (state.kind) {
    case d3d9::StateKind::Bool:
      return state.defaultValue == 0;
    case d3d9::StateKind::Enum:
      return state.defaultValue == state.last ? state.first : state.defaultValue + 1;
    case d3d9::StateKind::Float:
      return bits(0.375f);
    case d3d9::StateKind::Color:
      return 0x40302010;
    case d3d9::StateKind::Dword:
      return 5;
  }
  return 0;
}

/// Sets all states by their numbers.
void setStates(CommandWriter& w) {
  for (const d3d9::StateInfo& state : d3d9::kRenderStates)
    packets::renderState(w, state.number, otherValue(state));
  for (uint32_t slot = 0; slot < 2; ++slot)
    for (const d3d9::StateInfo& state : d3d9::kSamplerStates)
      packets::samplerState(w, slot, state.number, otherValue(state));
  packets::samplerState(w, 2, 8, 0x34544547);  // D3DSAMP_MIPMAPLODBIAS "GET4"
  for (const uint32_t state : {7u, 8u, 9u, 10u, 22u, 23u, 24u})
    w.packet(aerogpu_cmd_ext_set_texture_stage{{}, 3, state, bits(static_cast<float>(state)), 0});
  w.packet(aerogpu_cmd_ext_set_state{{}, AEROGPU_EXT_STATE_FOG_W, 1});
  w.packet(aerogpu_cmd_ext_set_state{{}, AEROGPU_EXT_STATE_ALPHA_TO_COVERAGE, 1});
  const aerogpu_ext_clip_plane planes[] = {{{bits(1), bits(2), bits(3), bits(4)}}, {{bits(5), 0, 0, 0}}};
  w.packet(aerogpu_cmd_ext_set_clip_planes{{}, 2, 0}, planes, 2);
  const uint32_t steps[] = {0, 3, 0, 9};
  w.packet(aerogpu_cmd_ext_set_stream_frequency{}, steps, 4);
}

/// Sets what only blocks can.
void setBlocks(CommandWriter& w) {
  aerogpu_cmd_set_blend_state blend{};
  blend.state.enable = 1;
  blend.state.src_factor = AEROGPU_BLEND_CONSTANT;
  blend.state.dst_factor_alpha = AEROGPU_BLEND_DEST_ALPHA;
  blend.state.blend_op = AEROGPU_BLEND_OP_REV_SUBTRACT;
  blend.state.color_write_mask = 6;
  blend.state.blend_constant_rgba_f32[1] = bits(0.3f);
  blend.state.sample_mask = 0xF0;
  w.packet(blend);
  aerogpu_cmd_set_rasterizer_state raster{};
  raster.state.cull_mode = AEROGPU_CULL_FRONT;
  raster.state.front_ccw = 1;
  raster.state.depth_bias = -7;
  raster.state.flags = AEROGPU_RASTERIZER_FLAG_DEPTH_CLIP_DISABLE;
  w.packet(raster);
  aerogpu_cmd_set_depth_stencil_state depth{};
  depth.state.depth_enable = 1;
  depth.state.depth_func = AEROGPU_COMPARE_NOT_EQUAL;
  depth.state.stencil_read_mask = 0x3C;
  w.packet(depth);
  packets::renderState(w, 168, 3);  // D3DRS_COLORWRITEENABLE: other than that of targets 4 to 7
}

/// Sets what only Direct3D 10's packets can.
void setDirect3d10(CommandWriter& w) {
  const aerogpu_ext_target_blend targets[] = {
      {1, 19, 2, 3, 1, 18, 4, 7}, {0, 2, 1, 1, 2, 1, 1, 8}, {1, 11, 14, 5, 7, 8, 2, 0}};
  aerogpu_cmd_ext_set_blend blend{};
  blend.flags = AEROGPU_EXT_BLEND_ALPHA_TO_COVERAGE;
  blend.sample_mask = 0xF5;
  blend.blend_constant_rgba_f32[2] = bits(7.5f);
  w.packet(blend, targets, 3);
  w.packet(aerogpu_cmd_ext_set_depth_bias{{}, bits(1.25f), bits(-0.5f)});
  const aerogpu_ext_viewport viewports[] = {{0, bits(1), bits(4), bits(5), 0, bits(1)},
                                            {bits(2), bits(3), bits(1.5f), bits(2), bits(0.25f), bits(0.5f)},
                                            {bits(-1), 0, bits(8), bits(8), bits(1), 0}};
  w.packet(aerogpu_cmd_ext_set_viewports{}, viewports, 3);
  const aerogpu_ext_scissor rects[] = {{0, 0, 0, 0}, {-3, 2, 9, 1}};
  w.packet(aerogpu_cmd_ext_set_scissors{}, rects, 2);
  const aerogpu_ext_sampler samplers[] = {
      {AEROGPU_EXT_SAMPLER_MAG_LINEAR | AEROGPU_EXT_SAMPLER_ANISOTROPIC,
       2,
       4,
       5,
       7,
       5,
       bits(0.25f),
       bits(1.5f),
       bits(3.75f),
       {bits(-1), bits(0.3f), bits(2), bits(1e9f)}},
      {AEROGPU_EXT_SAMPLER_MIP_LINEAR, 1, 1, 1, 0, 1, 0, 0, bits(1000), {}}};
  constexpr struct { uint32_t stage, ex; } kStages[] = {{0, 0}, {1, 0}, {3, 0}, {kCompute, 4}};
  for (const auto& [stage, ex] : kStages)
    w.packet(aerogpu_cmd_ext_set_samplers{{}, stage, 3, 0, ex}, samplers, 2);
}

/// Streams out to two slots, and has a count of it open.
void setStreams(CommandWriter& w) {
  const aerogpu_ext_stream_element elements[] = {
      {0, 0, 3, 12}, {0, 2, 1, 15}, {0, 0, AEROGPU_EXT_STREAM_GAP, 3}, {0, 0, 0, 1}};
  aerogpu_cmd_ext_set_stream_output output{};
  output.rasterized_stream = AEROGPU_EXT_STREAM_NONE;
  output.stride_bytes[0] = 24;
  output.stride_bytes[2] = 16;
  w.packet(output, elements, 4);
  const aerogpu_ext_stream_target targets[] = {{kBuffer, 40}, {0, 0}, {kBackedBuffer, 0}};
  w.packet(aerogpu_cmd_ext_set_stream_targets{}, targets, 3);
  w.packet(aerogpu_cmd_ext_query_begin{{}, 7, AEROGPU_EXT_QUERY_STREAM_STATISTICS});
}

void setConstants(CommandWriter& w) {
  const float values[] = {1, 2, 3, 4, 0, 0, 0, 0, 5, 6, 7, 8};
  packets::setConstantsF(w, AEROGPU_SHADER_STAGE_VERTEX, 253, values);
  packets::setConstantsF(w, kPixel, 3, values);
  const aerogpu_constant_register registers[] = {{{1, 2, 3, 4}}, {{0, 0, 9, 0}}};
  for (const uint32_t stage : {uint32_t{AEROGPU_SHADER_STAGE_VERTEX}, kPixel}) {
    w.packet(aerogpu_cmd_set_shader_constants_i{{}, stage, 4 + stage, 0, 0}, registers, 2);
    w.packet(aerogpu_cmd_set_shader_constants_b{{}, stage, 14 - stage, 0, 0}, registers, 2);
  }
}

/// Binds something everywhere.
void bindAll(CommandWriter& w) {
  const aerogpu_cmd_bind_shaders shaders{{}, kShader, kShader + 1, kShader + 2, 0};
  const uint32_t rest[] = {kShader + 3, kShader + 4, kShader + 5};
  w.packetWithTail(AEROGPU_CMD_BIND_SHADERS, shaders, rest, sizeof rest);
  w.packet(aerogpu_cmd_set_input_layout{{}, kLayout, 0});
  const uint32_t targets[] = {kNewest, 0, kView};
  packets::setTargets(w, targets, kDepth);
  packets::setViewport(w, {1, 2, 5, 6});
  w.packet(aerogpu_cmd_set_scissor{{}, -1, 2, 3, 4});
  packets::setVertexBuffer(w, 1, kBuffer, 12, 4);
  packets::setIndexBuffer(w, kBuffer, AEROGPU_INDEX_FORMAT_UINT32, 8);
  packets::setTopology(w, AEROGPU_TOPOLOGY_PATCHLIST_1 + 3);
  constexpr struct {
    uint32_t stage, ex;
  } kStages[] = {{0, 0}, {1, 0}, {kCompute, 0}, {3, 0}, {kCompute, 3}, {kCompute, 4}};
  for (const auto& [stage, ex] : kStages) {
    w.packet(aerogpu_cmd_set_texture{{}, stage, 1, kMips, ex});
    w.packet(aerogpu_cmd_set_texture{{}, stage, 127, kView, ex});
    const aerogpu_shader_resource_buffer_binding resource{kBuffer, 16, 32, AEROGPU_FORMAT_DXGI_R16G16_SNORM};
    w.packet(aerogpu_cmd_set_shader_resource_buffers{{}, stage, 2, 0, ex}, &resource, 1);
    const aerogpu_constant_buffer_binding constants{kBuffer, 0, 0, 0};
    w.packet(aerogpu_cmd_set_constant_buffers{{}, stage, 13, 0, ex}, &constants, 1);
    const aerogpu_unordered_access_buffer_binding access{kBuffer, 4, 8, 11};
    w.packet(aerogpu_cmd_set_unordered_access_buffers{{}, stage, 7, 0, ex}, &access, 1);
    const uint32_t sampler = kSampler;
    w.packet(aerogpu_cmd_set_samplers{{}, stage, 5, 0, ex}, &sampler, 1);
  }
}

/// Binds objects in the context and then takes their handles away.
void bindNameless(CommandWriter& w) {
  constexpr uint32_t kGone = 50;
  packets::createBuffer(w, kGone, 16, AEROGPU_RESOURCE_USAGE_INDEX_BUFFER);
  packets::upload(w, kGone, 0, pattern(16));
  packets::setIndexBuffer(w, kGone);
  makeTexture(w, kGone + 1, AEROGPU_EXT_TEXTURE_2D, AEROGPU_FORMAT_R8G8B8A8_UNORM, 4, 1, 1, 1);
  aerogpu_cmd_create_texture_view view{};
  view.view_handle = kGone + 2;
  view.texture_handle = kGone + 1;
  view.format = AEROGPU_FORMAT_R8G8B8A8_UNORM;
  view.mip_level_count = view.array_layer_count = 1;
  w.packet(view);
  packets::setTexture(w, 0, kGone + 2);
  makeShader(w, kGone + 3, kPixel, 0, kPixelTokens);
  packets::bindShaders(w, 0, kGone + 3);
  packets::destroyResource(w, kGone);
  packets::destroyResource(w, kGone + 1);
  w.packet(aerogpu_cmd_destroy_texture_view{{}, kGone + 2, 0});
  packets::destroyShader(w, kGone + 3);
}

class Maker {
public:
  explicit Maker(Harness& h) : m_h(h) {}
  template <class Write>
  void in(std::optional<Harness::InSpace> space, uint32_t context, Write write) {
    CommandWriter w;
    write(w);
    m_h.space = space;
    const FinishedSubmission done = m_h.submit(w, context);
    EXPECT_EQ(done.result.error_count, 0u);
    for (const std::string& line : m_h.takeGuestLines()) ADD_FAILURE() << line;
  }

private:
  Harness& m_h;
};

}  // namespace

Everything makeEverything(Harness& h) {
  while (h.handle() < 1000) {
  }
  Everything all;
  all.bufferBytes = pattern(256);
  const Allocation backed = h.allocate(4096), scattered = h.allocateScattered(3 * 4096);
  all.shown = h.allocate(8 * 8 * 4);
  Maker make(h);
  const auto kernel = Harness::kKernel;
  make.in({}, 0, [](CommandWriter& w) { releaseToken(w, kUsedUp); });
  make.in(kernel, 0, [&](CommandWriter& w) {
    spaceProcess(w, 3, 77);
    nameSpace(w, 3, 1712, "game.exe");
    chargeSpace(w, 7);
    chargeSpace(w, 0);
    spaceProcess(w, 8, 77);
    spaceProcess(w, 9, 0);
    nameSpace(w, 9, 4, "System");
    makeObjects(w, all, backed.id, scattered.id);
    exportToken(w, kMips, kToken);
    grant(w, kToken, 3);
    chargeSpace(w, 3);  // in space 0, charged to space 3
    packets::createBuffer(w, 40, 32);
  });
  make.in(kernel, 0, bindAll);
  make.in(kernel, 1, [](CommandWriter& w) {
    setStates(w);
    setConstants(w);
  });
  make.in(kernel, 2, [](CommandWriter& w) {
    setBlocks(w);
    w.packet(aerogpu_cmd_set_input_layout{{}, kIlay, 0});
  });
  make.in(kernel, 4, [](CommandWriter& w) {
    setBlocks(w);
    packets::renderState(w, 195, 0);  // D3DRS_DEPTHBIAS: no integer any more
    bindNameless(w);
  });
  make.in(kernel, 8, setDirect3d10);
  make.in(kernel, 9, [](CommandWriter& w) {
    setDirect3d10(w);
    // What Direct3D 9's packets change of it.
    packets::renderState(w, 20, 12);
    packets::renderState(w, 206, 0);
    packets::samplerState(w, 3, 8, 0x34544547);
    packets::samplerState(w, 3, 7, 0);
  });
  make.in(kernel, 10, setStreams);
  make.in(Harness::InSpace{3}, 6, [&](CommandWriter& w) {
    importToken(w, kImported, kToken);
    packets::createBuffer(w, kOwn, 16);
    packets::upload(w, kOwn, 0, pattern(16));
    w.packet(aerogpu_cmd_ext_query_begin{{}, 200, AEROGPU_EXT_QUERY_OCCLUSION});
    w.packet(aerogpu_cmd_ext_query_end{{}, 201, AEROGPU_EXT_QUERY_TIMESTAMP, backed.id, 0, 64});
  });
  // A space that ended has left an object that space 3 has imported; space 8 is of the same process.
  make.in(kernel, 0, [](CommandWriter& w) { spaceProcess(w, 5, 77); });
  make.in(Harness::InSpace{5}, 0, [](CommandWriter& w) { packets::createBuffer(w, 1, 64); });
  make.in(kernel, 0, [](CommandWriter& w) {
    chargeSpace(w, 5);
    packets::createBuffer(w, 41, 64);
    exportToken(w, 41, kOrphanToken);
    grant(w, kOrphanToken, 3);
  });
  make.in(Harness::InSpace{3}, 6, [](CommandWriter& w) { importToken(w, kOrphan, kOrphanToken); });
  // A look at scattered memory forgets the write of the time above, which is charged until then.
  make.in(kernel, 0, [](CommandWriter& w) { packets::dirtyRange(w, kScattered, 0, 4); });
  make.in(kernel, 0, [](CommandWriter& w) { destroySpace(w, 5); });
  h.setScanout(AEROGPU_FORMAT_B8G8R8X8_UNORM, 8, 8, 32, all.shown.gpa);
  h.space.reset();
  return all;
}

}  // namespace aerogpu::test
