// SPDX-License-Identifier: MIT
// One accepted and one rejected packet for every row of the command table, through the executor over the null
// back end. A row that is added to the table but not here fails the test.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <functional>
#include <limits>
#include <map>
#include <set>
#include <span>
#include <sstream>
#include <string_view>

#include "renderer/cmd/packet_fields.h"
#include "renderer/core/state.h"
#include "renderer/test/harness.h"
#include "renderer/test/refusals.h"
#include "renderer/test/token_shaders.h"

namespace {

using namespace aerogpu;
using test::Allocation;
using test::Harness;

using Write = std::function<void(CommandWriter&)>;

/// Packets of one opcode: `good` runs without an error, `bad` fails with `code` and nothing else.
struct Twins {
  Write good, bad;
  uint32_t code = AEROGPU_ERROR_CMD_DECODE;
};

// Objects that exist when a twin runs.
enum : uint32_t {
  kBuffer = 1,    ///< 256 bytes, backed
  kTexture,       ///< 8x8, backed
  kOtherTexture,  ///< 8x8, of another format
  kDepth,
  kView,
  kVertexShader,
  kPixelShader,
  kComputeShader,
  kLayout,
  kSampler,
  kFree,  ///< names nothing
};
constexpr size_t kHeader = sizeof(aerogpu_cmd_stream_header);
constexpr uint64_t kToken = 77;
constexpr uint32_t kPixel = AEROGPU_SHADER_STAGE_PIXEL, kCompute = AEROGPU_SHADER_STAGE_COMPUTE;
constexpr auto kFormat = AEROGPU_FORMAT_R8G8B8A8_UNORM;
constexpr uint32_t kVsCode[] = {0xFFFE0200, 0x0000FFFF}, kPsCode[] = {0xFFFF0200, 0x0000FFFF};
constexpr uint32_t kCsCode[] = {0x43425844, 0};
constexpr uint8_t kElements[] = {0, 0, 0, 0, 2, 0, 0, 0, 0xFF, 0, 0, 0, 17, 0, 0, 0};  // POSITION FLOAT3; end

template <class T>
Write one(uint32_t opcode, T packet) {
  return [=](CommandWriter& w) { w.packet(opcode, packet); };
}
template <class T, class Element>
Write tailed(uint32_t opcode, T packet, std::vector<Element> tail) {
  return
      [=](CommandWriter& w) { w.packetWithTail(opcode, packet, tail.data(), tail.size() * sizeof(Element)); };
}
Write shader(uint32_t handle, uint32_t stage, const std::vector<uint32_t>& code) {
  return tailed(
      AEROGPU_CMD_CREATE_SHADER_DXBC,
      aerogpu_cmd_create_shader_dxbc{
          .shader_handle = handle, .stage = stage, .dxbc_size_bytes = static_cast<uint32_t>(code.size() * 4)},
      code);
}
Write layout(uint32_t handle, const std::vector<uint8_t>& blob) {
  return tailed(AEROGPU_CMD_CREATE_INPUT_LAYOUT,
                aerogpu_cmd_create_input_layout{.input_layout_handle = handle,
                                                .blob_size_bytes = static_cast<uint32_t>(blob.size())},
                blob);
}
/// Breaks the framing: the only fault of a packet without fields.
Write broken(uint32_t opcode) {
  return [=](CommandWriter& w) {
    const aerogpu_cmd_hdr hdr{opcode, 6};
    w.raw(&hdr, sizeof hdr);
  };
}
/// Ends a packet inside its structure: the only fault of a packet whose fields may hold anything.
Write cut(uint32_t opcode) {
  return [=](CommandWriter& w) {
    const struct {
      aerogpu_cmd_hdr hdr;
      uint32_t word;
    } packet{{opcode, 12}, 0};
    w.raw(&packet, sizeof packet);
  };
}

void makeObjects(CommandWriter& w, const Allocation& memory) {
  packets::createBuffer(w, kBuffer, 256, 0, memory.id);
  Harness::createTexture(w, kTexture, kFormat, 8, 8, 0, 4, 1, memory.id, 32, 1024);
  Harness::createTexture(w, kOtherTexture, AEROGPU_FORMAT_B5G6R5_UNORM, 8, 8, 0);
  Harness::createTexture(w, kDepth, AEROGPU_FORMAT_D24_UNORM_S8_UINT, 8, 8, 0);
  one(AEROGPU_CMD_CREATE_TEXTURE_VIEW, aerogpu_cmd_create_texture_view{.view_handle = kView,
                                                                       .texture_handle = kTexture,
                                                                       .format = kFormat,
                                                                       .mip_level_count = 1,
                                                                       .array_layer_count = 1})(w);
  shader(kVertexShader, AEROGPU_SHADER_STAGE_VERTEX, {std::begin(kVsCode), std::end(kVsCode)})(w);
  shader(kPixelShader, kPixel, {std::begin(kPsCode), std::end(kPsCode)})(w);
  shader(kComputeShader, kCompute, {std::begin(kCsCode), std::end(kCsCode)})(w);
  layout(kLayout, {std::begin(kElements), std::end(kElements)})(w);
  one(AEROGPU_CMD_CREATE_SAMPLER, aerogpu_cmd_create_sampler{.sampler_handle = kSampler})(w);
  one(AEROGPU_CMD_EXPORT_SHARED_SURFACE,
      aerogpu_cmd_export_shared_surface{.resource_handle = kTexture, .share_token = kToken})(w);
  one(AEROGPU_CMD_BIND_SHADERS,
      aerogpu_cmd_bind_shaders{.vs = kVertexShader, .ps = kPixelShader, .cs = kComputeShader})(w);
  one(AEROGPU_CMD_SET_INDEX_BUFFER, aerogpu_cmd_set_index_buffer{.buffer = kBuffer})(w);
}

std::map<uint32_t, Twins> twins() {
  constexpr uint32_t kOob = AEROGPU_ERROR_OOB;
  const uint32_t notANumber = std::bit_cast<uint32_t>(std::numeric_limits<float>::quiet_NaN());
  const uint32_t one32 = std::bit_cast<uint32_t>(1.0f), two32 = std::bit_cast<uint32_t>(2.0f);
  using Register = aerogpu_constant_register;
  std::map<uint32_t, Twins> t;
  // A row: the opcode, the good packet and the bad one, both of the structure STRUCT.
#define PAIR(NAME, STRUCT, GOOD, BAD, ...)                      \
  t[AEROGPU_CMD_##NAME] =                                       \
      Twins{one(AEROGPU_CMD_##NAME, aerogpu_cmd_##STRUCT GOOD), \
            one(AEROGPU_CMD_##NAME, aerogpu_cmd_##STRUCT BAD) __VA_OPT__(, ) __VA_ARGS__}
#define BRACED(...) \
  { __VA_ARGS__ }

  t[AEROGPU_CMD_NOP] = {one(AEROGPU_CMD_NOP, aerogpu_cmd_hdr{}), broken(AEROGPU_CMD_NOP)};
  t[AEROGPU_CMD_DEBUG_MARKER] = {
      [](CommandWriter& w) { w.packetWithTail(AEROGPU_CMD_DEBUG_MARKER, aerogpu_cmd_hdr{}, "draw", 4); },
      broken(AEROGPU_CMD_DEBUG_MARKER)};

  PAIR(CREATE_BUFFER, create_buffer, BRACED(.buffer_handle = kFree, .size_bytes = 16),
       BRACED(.buffer_handle = kBuffer, .size_bytes = 16));
  PAIR(CREATE_TEXTURE2D, create_texture2d,
       BRACED(.texture_handle = kFree, .format = kFormat, .width = 4, .height = 4, .mip_levels = 3,
              .array_layers = 1),
       BRACED(.texture_handle = kFree, .format = 0x7777, .width = 4, .height = 4, .mip_levels = 1,
              .array_layers = 1));
  PAIR(DESTROY_RESOURCE, destroy_resource, BRACED(.resource_handle = kTexture),
       BRACED(.resource_handle = kFree));
  PAIR(RESOURCE_DIRTY_RANGE, resource_dirty_range,
       BRACED(.resource_handle = kBuffer, .offset_bytes = 16, .size_bytes = 240),
       BRACED(.resource_handle = kBuffer, .offset_bytes = 16, .size_bytes = 244), kOob);
  t[AEROGPU_CMD_UPLOAD_RESOURCE] = {
      tailed(AEROGPU_CMD_UPLOAD_RESOURCE,
             aerogpu_cmd_upload_resource{.resource_handle = kBuffer, .offset_bytes = 252, .size_bytes = 4},
             std::vector<uint8_t>(4)),
      tailed(AEROGPU_CMD_UPLOAD_RESOURCE,
             aerogpu_cmd_upload_resource{
                 .resource_handle = kBuffer, .offset_bytes = UINT64_MAX - 3, .size_bytes = 4},
             std::vector<uint8_t>(4)),
      kOob};
  PAIR(COPY_BUFFER, copy_buffer,
       BRACED(.dst_buffer = kBuffer, .src_buffer = kBuffer, .dst_offset_bytes = 128, .size_bytes = 128),
       BRACED(.dst_buffer = kBuffer, .src_buffer = kBuffer, .dst_offset_bytes = 64, .size_bytes = 128));
  PAIR(COPY_TEXTURE2D, copy_texture2d,
       BRACED(.dst_texture = kTexture, .src_texture = kTexture, .dst_mip_level = 1, .width = 4, .height = 4),
       BRACED(.dst_texture = kTexture, .src_texture = kOtherTexture, .width = 4, .height = 4));
  PAIR(CREATE_TEXTURE_VIEW, create_texture_view,
       BRACED(.view_handle = kFree, .texture_handle = kTexture, .format = kFormat, .base_mip_level = 3,
              .mip_level_count = 1, .array_layer_count = 1),
       BRACED(.view_handle = kFree, .texture_handle = kTexture, .format = kFormat, .base_mip_level = 3,
              .mip_level_count = 2, .array_layer_count = 1),
       kOob);
  PAIR(EXT_CREATE_TEXTURE, ext_create_texture,
       BRACED(.texture_handle = kFree, .format = AEROGPU_FORMAT_D3D9_L6V5U5,
              .kind = AEROGPU_EXT_TEXTURE_VOLUME, .width = 4, .height = 2, .depth = 8, .mip_levels = 4,
              .array_layers = 1, .sample_count = 1),
       BRACED(.texture_handle = kFree, .format = kFormat, .kind = AEROGPU_EXT_TEXTURE_2D, .width = 4,
              .height = 4, .depth = 2, .mip_levels = 1, .array_layers = 1, .sample_count = 1));
  // The ABI makes destroying an unknown view no error; only its framing can be wrong.
  t[AEROGPU_CMD_DESTROY_TEXTURE_VIEW] = {
      one(AEROGPU_CMD_DESTROY_TEXTURE_VIEW, aerogpu_cmd_destroy_texture_view{.view_handle = kFree}),
      cut(AEROGPU_CMD_DESTROY_TEXTURE_VIEW)};

  t[AEROGPU_CMD_CREATE_SHADER_DXBC] = {shader(kFree, kPixel, {std::begin(kPsCode), std::end(kPsCode)}),
                                       shader(kFree, kPixel, {0x12345678, 0x0000FFFF})};
  PAIR(DESTROY_SHADER, destroy_shader, BRACED(.shader_handle = kPixelShader),
       BRACED(.shader_handle = kLayout));
  PAIR(BIND_SHADERS, bind_shaders, BRACED(.vs = kVertexShader), BRACED(.vs = kPixelShader));
#define CONSTANTS(NAME, STRUCT, COUNT, LAST)                                              \
  t[AEROGPU_CMD_##NAME] = {                                                               \
      tailed(AEROGPU_CMD_##NAME,                                                          \
             aerogpu_cmd_##STRUCT{.stage = kPixel, .start_register = (LAST), .COUNT = 1}, \
             std::vector<Register>(1)),                                                   \
      tailed(AEROGPU_CMD_##NAME,                                                          \
             aerogpu_cmd_##STRUCT{.stage = kPixel, .start_register = (LAST), .COUNT = 2}, \
             std::vector<Register>(2)),                                                   \
      kOob}
  CONSTANTS(SET_SHADER_CONSTANTS_F, set_shader_constants_f, vec4_count, 223);  // ps_3_0 has c0 to c223
  CONSTANTS(SET_SHADER_CONSTANTS_I, set_shader_constants_i, vec4_count, 15);
  CONSTANTS(SET_SHADER_CONSTANTS_B, set_shader_constants_b, bool_count, 15);
#undef CONSTANTS
  t[AEROGPU_CMD_CREATE_INPUT_LAYOUT] = {layout(kFree, {std::begin(kElements), std::end(kElements)}),
                                        layout(kFree, {std::begin(kElements), std::begin(kElements) + 8})};
  PAIR(DESTROY_INPUT_LAYOUT, destroy_input_layout, BRACED(.input_layout_handle = kLayout),
       BRACED(.input_layout_handle = kFree));
  PAIR(SET_INPUT_LAYOUT, set_input_layout, BRACED(.input_layout_handle = kLayout),
       BRACED(.input_layout_handle = kBuffer));

  PAIR(SET_BLEND_STATE, set_blend_state, BRACED(.state = {.enable = 1}),
       BRACED(.state = {.enable = 1, .src_factor = AEROGPU_BLEND_INV_CONSTANT + 1}));
  PAIR(SET_DEPTH_STENCIL_STATE, set_depth_stencil_state,
       BRACED(.state = {.depth_func = AEROGPU_COMPARE_ALWAYS}),
       BRACED(.state = {.depth_func = AEROGPU_COMPARE_ALWAYS + 1}));
  PAIR(SET_RASTERIZER_STATE, set_rasterizer_state, BRACED(.state = {.fill_mode = AEROGPU_FILL_WIREFRAME}),
       BRACED(.state = {.fill_mode = AEROGPU_FILL_WIREFRAME + 1}));
  PAIR(SET_RENDER_TARGETS, set_render_targets,
       BRACED(.color_count = 1, .depth_stencil = kDepth, .colors = {kView}),
       BRACED(.color_count = 1, .colors = {kDepth}));
  PAIR(SET_VIEWPORT, set_viewport, BRACED(.width_f32 = one32, .height_f32 = one32),
       BRACED(.width_f32 = one32, .height_f32 = notANumber));
  PAIR(SET_SCISSOR, set_scissor, BRACED(.x = -1, .width = 8, .height = 8), BRACED(.width = 8, .height = -8));
#define SLOTS(NAME, STRUCT, COUNT, ELEM, LAST, ...)                                            \
  t[AEROGPU_CMD_##NAME] = {                                                                    \
      tailed(AEROGPU_CMD_##NAME,                                                               \
             aerogpu_cmd_##STRUCT{__VA_ARGS__ __VA_OPT__(, ).start_slot = (LAST), .COUNT = 1}, \
             std::vector<ELEM>(1)),                                                            \
      tailed(AEROGPU_CMD_##NAME,                                                               \
             aerogpu_cmd_##STRUCT{__VA_ARGS__ __VA_OPT__(, ).start_slot = (LAST), .COUNT = 2}, \
             std::vector<ELEM>(2)),                                                            \
      kOob}
  SLOTS(SET_VERTEX_BUFFERS, set_vertex_buffers, buffer_count, aerogpu_vertex_buffer_binding,
        core::kMaxVertexStreams - 1);
  SLOTS(SET_SAMPLERS, set_samplers, sampler_count, uint32_t, core::kMaxSamplers - 1, .shader_stage = kPixel);
  SLOTS(SET_CONSTANT_BUFFERS, set_constant_buffers, buffer_count, aerogpu_constant_buffer_binding,
        core::kMaxConstantBuffers - 1, .shader_stage = kPixel);
  SLOTS(SET_SHADER_RESOURCE_BUFFERS, set_shader_resource_buffers, buffer_count,
        aerogpu_shader_resource_buffer_binding, core::kMaxShaderResources - 1, .shader_stage = kCompute);
  SLOTS(SET_UNORDERED_ACCESS_BUFFERS, set_unordered_access_buffers, uav_count,
        aerogpu_unordered_access_buffer_binding, core::kMaxUnorderedAccess - 1, .shader_stage = kCompute);
#undef SLOTS
  PAIR(SET_INDEX_BUFFER, set_index_buffer, BRACED(.buffer = kBuffer, .format = 1, .offset_bytes = 4),
       BRACED(.buffer = kBuffer, .format = 1, .offset_bytes = 2));
  PAIR(SET_PRIMITIVE_TOPOLOGY, set_primitive_topology, BRACED(.topology = AEROGPU_TOPOLOGY_PATCHLIST_32),
       BRACED(.topology = AEROGPU_TOPOLOGY_PATCHLIST_32 + 1));
  PAIR(SET_TEXTURE, set_texture, BRACED(.shader_stage = kPixel, .slot = 15, .texture = kView),
       BRACED(.shader_stage = kPixel, .slot = 15, .texture = kSampler));
  PAIR(SET_SAMPLER_STATE, set_sampler_state,
       BRACED(.shader_stage = kPixel, .slot = 15, .state = 5, .value = 2),
       BRACED(.shader_stage = kPixel, .slot = core::kMaxSamplers, .state = 5, .value = 2), kOob);
  t[AEROGPU_CMD_SET_RENDER_STATE] = {
      // D3DRS_CULLMODE; any number and any value are fine
      one(AEROGPU_CMD_SET_RENDER_STATE, aerogpu_cmd_set_render_state{.state = 22, .value = 77}),
      cut(AEROGPU_CMD_SET_RENDER_STATE)};
  PAIR(CREATE_SAMPLER, create_sampler, BRACED(.sampler_handle = kFree, .filter = 1),
       BRACED(.sampler_handle = kFree, .filter = 2));
  PAIR(DESTROY_SAMPLER, destroy_sampler, BRACED(.sampler_handle = kSampler), BRACED(.sampler_handle = kView));

  PAIR(CLEAR, clear,
       BRACED(.flags = AEROGPU_CLEAR_COLOR, .depth_f32 = two32),  // no target is bound: nothing to do
       BRACED(.flags = AEROGPU_CLEAR_DEPTH, .depth_f32 = one32));
  PAIR(DRAW, draw, BRACED(.vertex_count = 3, .instance_count = 1),
       BRACED(.vertex_count = 3, .instance_count = 1, .first_vertex = UINT32_MAX - 1), kOob);
  PAIR(DRAW_INDEXED, draw_indexed, BRACED(.index_count = 128, .instance_count = 1),
       BRACED(.index_count = 128, .instance_count = 0xFFFFFFFF), kOob);
  PAIR(DISPATCH, dispatch, BRACED(.group_count_x = 65535, .group_count_y = 1, .group_count_z = 1),
       BRACED(.group_count_x = 65536, .group_count_y = 1, .group_count_z = 1), kOob);
  PAIR(PRESENT, present, {}, BRACED(.scanout_id = 1));
  PAIR(PRESENT_EX, present_ex, BRACED(.d3d9_present_flags = ~0u), BRACED(.scanout_id = 1));
  PAIR(EXPORT_SHARED_SURFACE, export_shared_surface,
       BRACED(.resource_handle = kTexture, .share_token = kToken),
       BRACED(.resource_handle = kBuffer, .share_token = kToken));
  PAIR(IMPORT_SHARED_SURFACE, import_shared_surface,
       BRACED(.out_resource_handle = kFree, .share_token = kToken),
       BRACED(.out_resource_handle = kFree, .share_token = kToken + 1));
  PAIR(EXT_GRANT, ext_grant, BRACED(.share_token = kToken, .space = 3),
       BRACED(.share_token = kToken + 1, .space = 3));
  PAIR(EXT_DESTROY_SPACE, ext_destroy_space, BRACED(.space = 3), {});
  PAIR(EXT_NAME_SPACE, ext_name_space, BRACED(.space = 3, .process_id = 4), BRACED(.process_id = 4));
  PAIR(EXT_SPACE_PROCESS, ext_space_process, BRACED(.space = 3, .process = 7), BRACED(.process = 7));
  // Any number may be a space.
  t[AEROGPU_CMD_EXT_CHARGE_SPACE] = {
      one(AEROGPU_CMD_EXT_CHARGE_SPACE, aerogpu_cmd_ext_charge_space{.space = 3}),
      cut(AEROGPU_CMD_EXT_CHARGE_SPACE)};
  // An unknown token is no error, and FLUSH has no fields: only framing can be wrong.
  t[AEROGPU_CMD_RELEASE_SHARED_SURFACE] = {
      one(AEROGPU_CMD_RELEASE_SHARED_SURFACE, aerogpu_cmd_release_shared_surface{.share_token = 1}),
      cut(AEROGPU_CMD_RELEASE_SHARED_SURFACE)};
  // Allocation 1 is the memory of makeObjects().
  PAIR(EXT_ATTACH_BACKING, ext_attach_backing,
       BRACED(.resource_handle = kBuffer, .backing_alloc_id = 1, .backing_offset_bytes = 4096 - 256),
       BRACED(.resource_handle = kBuffer, .backing_alloc_id = 1, .backing_offset_bytes = 4096 - 252), kOob);
  PAIR(EXT_WRITE_VALUE, ext_write_value, BRACED(.alloc_id = 1, .offset_bytes = 8, .value = 1),
       BRACED(.alloc_id = 1, .offset_bytes = 4, .value = 1));
  PAIR(EXT_COPY_MEMORY, ext_copy_memory,
       BRACED(.dst_alloc_id = 1, .src_alloc_id = 1, .dst_offset_bytes = 4092, .size_bytes = 4),
       BRACED(.dst_alloc_id = 1, .src_alloc_id = 1, .dst_offset_bytes = 4092, .size_bytes = 8), kOob);
  PAIR(EXT_FILL_MEMORY, ext_fill_memory, BRACED(.alloc_id = 1, .offset_bytes = 4, .size_bytes = 4092),
       BRACED(.alloc_id = 1, .offset_bytes = 2, .size_bytes = 4));
  t[AEROGPU_CMD_EXT_RESET_CONTEXT] = {one(AEROGPU_CMD_EXT_RESET_CONTEXT, aerogpu_cmd_ext_reset_context{}),
                                      cut(AEROGPU_CMD_EXT_RESET_CONTEXT)};
  PAIR(EXT_QUERY_BEGIN, ext_query_begin, BRACED(.slot = 255, .type = AEROGPU_EXT_QUERY_OCCLUSION),
       BRACED(.slot = 256, .type = AEROGPU_EXT_QUERY_OCCLUSION), kOob);
  PAIR(EXT_QUERY_END, ext_query_end, BRACED(.type = AEROGPU_EXT_QUERY_TIMESTAMP, .alloc_id = 1),
       BRACED(.type = AEROGPU_EXT_QUERY_OCCLUSION, .alloc_id = 1));
#define TAILED(NAME, STRUCT, COUNT, ELEM, LAST)                                                            \
  t[AEROGPU_CMD_##NAME] = {                                                                                \
      tailed(AEROGPU_CMD_##NAME, aerogpu_cmd_##STRUCT{.first = (LAST), .COUNT = 1}, std::vector<ELEM>(1)), \
      tailed(AEROGPU_CMD_##NAME, aerogpu_cmd_##STRUCT{.first = (LAST), .COUNT = 2}, std::vector<ELEM>(2)), \
      kOob}
  TAILED(EXT_SET_CLIP_PLANES, ext_set_clip_planes, plane_count, aerogpu_ext_clip_plane,
         core::kMaxClipPlanes - 1);
  TAILED(EXT_SET_STREAM_FREQUENCY, ext_set_stream_frequency, step_count, uint32_t,
         core::kMaxVertexStreams - 1);
#undef TAILED
  PAIR(EXT_SET_TEXTURE_STAGE, ext_set_texture_stage, BRACED(.stage = 7, .state = 99),
       BRACED(.stage = 8, .state = 7), kOob);
  t[AEROGPU_CMD_EXT_SET_STATE] = {one(AEROGPU_CMD_EXT_SET_STATE, aerogpu_cmd_ext_set_state{.state = 99}),
                                  cut(AEROGPU_CMD_EXT_SET_STATE)};
  t[AEROGPU_CMD_EXT_SET_BLEND] = {
      tailed(AEROGPU_CMD_EXT_SET_BLEND, aerogpu_cmd_ext_set_blend{.target_count = 1},
             std::vector<aerogpu_ext_target_blend>{{1, 19, 1, 5, 19, 1, 5, 255}}),
      tailed(AEROGPU_CMD_EXT_SET_BLEND, aerogpu_cmd_ext_set_blend{.target_count = 1},
             std::vector<aerogpu_ext_target_blend>{{1, 12, 1, 5, 19, 1, 5, 255}})};
  const aerogpu_ext_sampler sampler{.address_u = 1, .address_v = 5, .address_w = 3, .compare_func = 8};
  t[AEROGPU_CMD_EXT_SET_SAMPLERS] = {
      tailed(AEROGPU_CMD_EXT_SET_SAMPLERS, aerogpu_cmd_ext_set_samplers{.start_slot = 15, .sampler_count = 1},
             std::vector{sampler}),
      tailed(AEROGPU_CMD_EXT_SET_SAMPLERS, aerogpu_cmd_ext_set_samplers{.start_slot = 15, .sampler_count = 2},
             std::vector{sampler, sampler}),
      kOob};
  const aerogpu_ext_viewport viewport{.width_f32 = 0x3F800000, .height_f32 = 0x3F800000};
  t[AEROGPU_CMD_EXT_SET_VIEWPORTS] = {
      tailed(AEROGPU_CMD_EXT_SET_VIEWPORTS, aerogpu_cmd_ext_set_viewports{.viewport_count = 2},
             std::vector{viewport, viewport}),
      tailed(AEROGPU_CMD_EXT_SET_VIEWPORTS, aerogpu_cmd_ext_set_viewports{.viewport_count = 1},
             std::vector<aerogpu_ext_viewport>{{.x_f32 = 0x7F800000}})};
  t[AEROGPU_CMD_EXT_SET_SCISSORS] = {
      tailed(AEROGPU_CMD_EXT_SET_SCISSORS, aerogpu_cmd_ext_set_scissors{.scissor_count = 1},
             std::vector<aerogpu_ext_scissor>{{1, 2, 3, 4}}),
      tailed(AEROGPU_CMD_EXT_SET_SCISSORS, aerogpu_cmd_ext_set_scissors{.scissor_count = 1},
             std::vector<aerogpu_ext_scissor>{{1, 2, -3, 4}})};
  t[AEROGPU_CMD_EXT_SET_DEPTH_BIAS] = {one(AEROGPU_CMD_EXT_SET_DEPTH_BIAS, aerogpu_cmd_ext_set_depth_bias{}),
                                       cut(AEROGPU_CMD_EXT_SET_DEPTH_BIAS)};
  const aerogpu_ext_stream_element element{0, 3, 31, 15};
  t[AEROGPU_CMD_EXT_SET_STREAM_OUTPUT] = {
      tailed(AEROGPU_CMD_EXT_SET_STREAM_OUTPUT,
             aerogpu_cmd_ext_set_stream_output{.element_count = 1, .stride_bytes = {0, 0, 0, 16}},
             std::vector{element}),
      tailed(AEROGPU_CMD_EXT_SET_STREAM_OUTPUT,
             aerogpu_cmd_ext_set_stream_output{.element_count = 1, .stride_bytes = {0, 0, 0, 12}},
             std::vector{element})};
  t[AEROGPU_CMD_EXT_SET_STREAM_TARGETS] = {
      tailed(AEROGPU_CMD_EXT_SET_STREAM_TARGETS, aerogpu_cmd_ext_set_stream_targets{.target_count = 1},
             std::vector<aerogpu_ext_stream_target>{{kBuffer, 256}}),
      tailed(AEROGPU_CMD_EXT_SET_STREAM_TARGETS, aerogpu_cmd_ext_set_stream_targets{.target_count = 1},
             std::vector<aerogpu_ext_stream_target>{{kBuffer, 260}}),
      kOob};
  t[AEROGPU_CMD_EXT_DRAW_AUTO] = {one(AEROGPU_CMD_EXT_DRAW_AUTO, aerogpu_cmd_ext_draw_auto{}),
                                  cut(AEROGPU_CMD_EXT_DRAW_AUTO)};
  PAIR(EXT_UPDATE_BUFFER, ext_update_buffer, BRACED(.buffer = kBuffer, .size_bytes = 256, .src_alloc_id = 1),
       BRACED(.buffer = kBuffer, .size_bytes = 257, .src_alloc_id = 1), kOob);
  PAIR(EXT_UPDATE_TEXTURE, ext_update_texture,
       BRACED(.texture = kTexture, .mip_level = 3, .width = 1, .height = 1, .depth = 1, .src_alloc_id = 1),
       BRACED(.texture = kTexture, .mip_level = 3, .width = 1, .height = 1, .depth = 1, .src_alloc_id = 9));
  PAIR(EXT_READ_TEXTURE, ext_read_texture,
       BRACED(.texture = kTexture, .mip_level = 3, .width = 1, .height = 1, .depth = 1, .dst_alloc_id = 1),
       BRACED(.texture = kTexture, .mip_level = 4, .width = 1, .height = 1, .depth = 1, .dst_alloc_id = 1),
       kOob);
  t[AEROGPU_CMD_EXT_DRAW_INLINE] = {
      tailed(AEROGPU_CMD_EXT_DRAW_INLINE,
             aerogpu_cmd_ext_draw_inline{.vertex_count = 3, .vertex_stride_bytes = 4, .index_count = 1},
             std::vector<uint32_t>(4)),
      tailed(AEROGPU_CMD_EXT_DRAW_INLINE,
             aerogpu_cmd_ext_draw_inline{.vertex_count = 3, .vertex_stride_bytes = 4, .index_count = 3},
             std::vector<uint32_t>(4))};
  t[AEROGPU_CMD_EXT_PRESENT_RECTS] = {
      tailed(AEROGPU_CMD_EXT_PRESENT_RECTS, aerogpu_cmd_ext_present_rects{.rect_count = 1},
             std::vector<aerogpu_ext_rect>{{1, 1, 9999, 9999}}),
      tailed(AEROGPU_CMD_EXT_PRESENT_RECTS, aerogpu_cmd_ext_present_rects{.rect_count = 1},
             std::vector<aerogpu_ext_rect>{{2, 1, 1, 9999}}),
      kOob};
  PAIR(EXT_BLIT, ext_blit, BRACED(.dst_texture = kOtherTexture, .src_texture = kTexture),
       BRACED(.dst_texture = kOtherTexture, .src_texture = kView));
  PAIR(EXT_FILL, ext_fill, BRACED(.texture = kDepth, .flags = AEROGPU_EXT_FILL_STENCIL),
       BRACED(.texture = kTexture, .flags = AEROGPU_EXT_FILL_STENCIL));
  PAIR(EXT_GENERATE_MIPS, ext_generate_mips, BRACED(.texture = kTexture), BRACED(.texture = kDepth));
  const test::dxbc::TokenShader tokens = test::dxbc::pixelTokens();
  const auto tokenShader = [&](uint32_t handle) {
    aerogpu_cmd_ext_create_shader packet = test::dxbc::packetOf(tokens, kPixel);
    packet.shader_handle = handle;
    return tailed(AEROGPU_CMD_EXT_CREATE_SHADER, packet, test::dxbc::bytesOf(tokens));
  };
  t[AEROGPU_CMD_EXT_CREATE_SHADER] = {tokenShader(kFree), tokenShader(kPixelShader)};
  const auto registerLayout = [](uint32_t reg) {
    return tailed(AEROGPU_CMD_EXT_CREATE_LAYOUT,
                  aerogpu_cmd_ext_create_layout{.input_layout_handle = kFree, .element_count = 1},
                  std::vector<aerogpu_ext_layout_element>{{reg, 0, 2, 0, 0, 0}});
  };
  t[AEROGPU_CMD_EXT_CREATE_LAYOUT] = {registerLayout(31), registerLayout(32)};
  t[AEROGPU_CMD_FLUSH] = {one(AEROGPU_CMD_FLUSH, aerogpu_cmd_flush{}), cut(AEROGPU_CMD_FLUSH)};
#undef PAIR
#undef BRACED
  return t;
}  // NOLINT(clang-analyzer-cplusplus.NewDeleteLeaks): std::function owns what the packets captured

/// True if a value in the line is a number in the packet: in a field, or after its structure.
bool namesAField(std::string_view line, std::span<const uint8_t> packet, uint32_t opcode) {
  std::set<std::string> held;
  const cmd::PacketFields fields = cmd::packetFields(opcode);
  aerogpu_cmd_hdr header;
  std::memcpy(&header, packet.data(), std::min(packet.size(), sizeof header));
  held.insert(std::to_string(header.size_bytes));
  const auto hold = [&](size_t offset, size_t size) {
    if (offset + size > packet.size()) return;
    uint64_t bits = 0;
    std::memcpy(&bits, packet.data() + offset, size);
    held.insert(std::to_string(bits));
    held.insert(std::to_string(static_cast<int32_t>(bits)));
    if (std::isnan(std::bit_cast<float>(static_cast<uint32_t>(bits)))) held.insert("nan");
    char text[32];
    std::snprintf(text, sizeof text, "%g",
                  static_cast<double>(std::bit_cast<float>(static_cast<uint32_t>(bits))));
    held.insert(text);
  };
  for (const cmd::PacketField& field : fields.fields)
    for (uint32_t i = 0; i < std::max<uint32_t>(field.count, 1); ++i)
      hold(field.offset + size_t{i} * field.size, field.size);
  for (size_t at = fields.bytes; at + 4 <= packet.size(); at += 4) hold(at, 4);
  std::istringstream words{std::string(test::valuesOf(line))};
  for (std::string word; words >> word;) {
    if (word.ends_with(',')) word.pop_back();
    if (held.contains(word)) return true;
  }
  return false;
}

// CMD-7, STATE-8, STATE-14, PRES-1
TEST(TableWalk, EveryOpcodeHasAnAcceptedAndARejectedTwin) {
  struct Row {
    const char* name;
    uint32_t opcode;
  };
  const Row rows[] = {
#define ROW_FIXED(NAME, STRUCT) {#NAME, AEROGPU_CMD_##NAME},
#define ROW_TAIL(NAME, STRUCT, ELEM, COUNT) ROW_FIXED(NAME, STRUCT)
      AEROGPU_CMD_TABLE(ROW_FIXED, ROW_TAIL, ROW_FIXED)};
  for (const Row& row : rows) {
    for (const bool accepted : {true, false}) {
      SCOPED_TRACE(std::string(row.name) + (accepted ? ", accepted" : ", rejected"));
      Harness h;
      if (row.opcode >= AEROGPU_CMD_EXT_GRANT && row.opcode <= AEROGPU_CMD_EXT_SPACE_PROCESS)
        h.space = Harness::kKernel;
      const Allocation memory = h.allocate(4096);
      const auto all = twins();
      const auto known = all.find(row.opcode);
      ASSERT_NE(known, all.end()) << "no twins for this opcode";
      CommandWriter setUp, w;
      makeObjects(setUp, memory);
      ASSERT_EQ(h.submit(setUp).result.error_count, 0u);
      (accepted ? known->second.good : known->second.bad)(w);
      // Packets after a bad one still run, unless its framing is broken.
      packets::createBuffer(w, 1000, 16, 0);
      const auto finished = h.submit(w).result;
      EXPECT_EQ(finished.error_count, accepted ? 0u : 1u);
      EXPECT_EQ(finished.last_error_code, accepted ? uint32_t{AEROGPU_ERROR_NONE} : known->second.code);
      if (!accepted) {
        CommandWriter alone;
        known->second.bad(alone);
        const std::vector<std::string> lines = h.takeGuestLines();
        ASSERT_EQ(lines.size(), 1u);
        EXPECT_TRUE(namesAField(lines[0], std::span(alone.data(), alone.size()).subspan(kHeader), row.opcode))
            << lines[0];
        if (known->second.code == AEROGPU_ERROR_OOB) {
          EXPECT_TRUE(lines[0].find(", limit ") != std::string::npos ||
                      lines[0].find(" of ") != std::string::npos)
              << lines[0];
        }
      }
      const bool framing =
          !accepted && (row.opcode == AEROGPU_CMD_NOP || row.opcode == AEROGPU_CMD_DEBUG_MARKER);
      CommandWriter after;
      packets::destroyResource(after, 1000);
      EXPECT_EQ(h.submit(after).result.error_count, framing ? 1u : 0u);
    }
  }
}

// STATE-1, EXT-7
TEST(ExtResetContext, ForgetsWhatWasBoundInThisContextOnly) {
  Harness h;
  const Allocation memory = h.allocate(4096);
  CommandWriter setUp, reset, draw;
  makeObjects(setUp, memory);
  ASSERT_EQ(h.submit(setUp, 1).result.error_count, 0u);
  twins().at(AEROGPU_CMD_DRAW_INDEXED).good(draw);
  reset.packet(aerogpu_cmd_ext_reset_context{});
  EXPECT_EQ(h.submit(reset, 2).result.error_count, 0u);
  EXPECT_EQ(h.submit(draw, 1).result.error_count, 0u) << "another context was reset";
  EXPECT_EQ(h.submit(reset, 1).result.error_count, 0u);
  EXPECT_EQ(h.submit(draw, 1).result.last_error_code, uint32_t{AEROGPU_ERROR_CMD_DECODE});
}

}  // namespace
