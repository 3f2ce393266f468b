// SPDX-License-Identifier: MIT
#include "renderer/cmd/check.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <string>

namespace aerogpu::cmd {

namespace {

Error malformed(const char* what) {
  return Error{ErrorCode::CmdDecode, what};
}

/// The same of one field, with what it held.
Error malformed(const char* what, const char* field, uint64_t value) {
  return Error{ErrorCode::CmdDecode, what, std::string(field) + " " + std::to_string(value)};
}

Result<void> needHandle(uint32_t handle) {
  if (handle == 0) return malformed("handle is 0");
  return {};
}

/// BLIT-2: what one packet may hold.
Result<void> needFewRects(uint32_t count) {
  constexpr uint32_t kMaxRects = 1024;
  if (count > kMaxRects) return Error{ErrorCode::OutOfBounds, "more than 1024 rectangles"};
  return {};
}

Result<void> needStage(uint32_t stage, uint32_t stageEx, uint32_t minor) {
  const Result<Stage> resolved = stageOf(stage, stageEx, minor);
  if (!resolved) return resolved.error();
  return {};
}

/// D3D9 constant files exist for vertex and pixel shaders alone (Direct3D 9, "Registers").
Result<void> needConstantStage(uint32_t stage, uint32_t stageEx, uint32_t minor) {
  const Result<Stage> resolved = stageOf(stage, stageEx, minor);
  if (!resolved) return resolved.error();
  if (*resolved != Stage::Vertex && *resolved != Stage::Pixel)
    return malformed("only vertex and pixel shaders have D3D9 constants");
  return {};
}

bool isFinite(uint32_t bits) {
  return std::isfinite(std::bit_cast<float>(bits));
}

}  // namespace

// A packet without fields has nothing to check.
#define AEROGPU_CHECK_EMPTY(STRUCT)                                  \
  Result<void> check(const struct aerogpu_cmd_##STRUCT&, uint32_t) { \
    return {};                                                       \
  }
AEROGPU_CMD_EMPTY(AEROGPU_CHECK_EMPTY)
#undef AEROGPU_CHECK_EMPTY

Result<void> check(const aerogpu_cmd_create_buffer& c, uint32_t) {
  if (c.size_bytes == 0 || c.size_bytes % 4 != 0) return malformed("buffer size is 0 or no multiple of 4");
  return needHandle(c.buffer_handle);
}

Result<void> check(const aerogpu_cmd_create_texture2d& c, uint32_t) {
  if (c.width == 0 || c.height == 0) return malformed("texture has no pixels");
  if (c.mip_levels == 0 || c.array_layers == 0) return malformed("texture has no mips or no layers");
  const uint32_t longest = c.width > c.height ? c.width : c.height;
  if (c.mip_levels > static_cast<uint32_t>(std::bit_width(longest)))
    return malformed("texture has too many mips");
  if (c.backing_alloc_id != 0 && c.row_pitch_bytes == 0)
    return malformed("backed texture without a row pitch");
  return needHandle(c.texture_handle);
}

Result<void> check(const aerogpu_cmd_create_texture_view& c, uint32_t) {
  if (c.mip_level_count == 0 || c.array_layer_count == 0) return malformed("view of no mips or no layers");
  if (c.texture_handle == 0) return malformed("view of texture 0");
  return needHandle(c.view_handle);
}

Result<void> check(const aerogpu_cmd_destroy_resource& c, uint32_t) {
  return needHandle(c.resource_handle);
}
Result<void> check(const aerogpu_cmd_destroy_texture_view&, uint32_t) {
  return {};
}
Result<void> check(const aerogpu_cmd_resource_dirty_range& c, uint32_t) {
  return needHandle(c.resource_handle);
}
Result<void> check(const aerogpu_cmd_upload_resource& c, uint32_t) {
  return needHandle(c.resource_handle);
}

Result<void> check(const aerogpu_cmd_copy_buffer& c, uint32_t) {
  if (c.dst_offset_bytes % 4 != 0 || c.src_offset_bytes % 4 != 0 || c.size_bytes % 4 != 0)
    return malformed("buffer copy is not a multiple of 4");
  if (c.src_buffer == 0) return malformed("handle is 0");
  return needHandle(c.dst_buffer);
}

Result<void> check(const aerogpu_cmd_copy_texture2d& c, uint32_t) {
  if (c.src_texture == 0) return malformed("handle is 0");
  return needHandle(c.dst_texture);
}

Result<void> check(const aerogpu_cmd_create_shader_dxbc& c, uint32_t minor) {
  if (c.dxbc_size_bytes < 8 || c.dxbc_size_bytes % 4 != 0)
    return malformed("shader size is under 8 or no multiple of 4");
  if (auto handle = needHandle(c.shader_handle); !handle) return handle;
  return needStage(c.stage, c.reserved0, minor);
}

Result<void> check(const aerogpu_cmd_destroy_shader& c, uint32_t) {
  return needHandle(c.shader_handle);
}
Result<void> check(const aerogpu_cmd_bind_shaders&, uint32_t) {
  return {};
}
Result<void> check(const aerogpu_cmd_set_shader_constants_f& c, uint32_t minor) {
  return needConstantStage(c.stage, c.reserved0, minor);
}
Result<void> check(const aerogpu_cmd_set_shader_constants_i& c, uint32_t minor) {
  return needConstantStage(c.stage, c.reserved0, minor);
}
Result<void> check(const aerogpu_cmd_set_shader_constants_b& c, uint32_t minor) {
  return needConstantStage(c.stage, c.reserved0, minor);
}
Result<void> check(const aerogpu_cmd_create_input_layout& c, uint32_t) {
  return needHandle(c.input_layout_handle);
}
Result<void> check(const aerogpu_cmd_destroy_input_layout& c, uint32_t) {
  return needHandle(c.input_layout_handle);
}
Result<void> check(const aerogpu_cmd_set_input_layout&, uint32_t) {
  return {};
}

Result<void> check(const aerogpu_cmd_set_blend_state& c, uint32_t) {
  for (uint32_t factor :
       {c.state.src_factor, c.state.dst_factor, c.state.src_factor_alpha, c.state.dst_factor_alpha})
    if (factor > AEROGPU_BLEND_INV_CONSTANT) return malformed("unknown blend factor");
  for (uint32_t op : {c.state.blend_op, c.state.blend_op_alpha})
    if (op > AEROGPU_BLEND_OP_MAX) return malformed("unknown blend operation");
  return {};
}

Result<void> check(const aerogpu_cmd_set_depth_stencil_state& c, uint32_t) {
  if (c.state.depth_func > AEROGPU_COMPARE_ALWAYS) return malformed("unknown comparison");
  return {};
}

Result<void> check(const aerogpu_cmd_set_rasterizer_state& c, uint32_t) {
  if (c.state.fill_mode > AEROGPU_FILL_WIREFRAME) return malformed("unknown fill mode");
  if (c.state.cull_mode > AEROGPU_CULL_BACK) return malformed("unknown cull mode");
  return {};
}

Result<void> check(const aerogpu_cmd_set_render_targets& c, uint32_t) {
  if (c.color_count > AEROGPU_MAX_RENDER_TARGETS) return malformed("more than 8 colour targets");
  return {};
}

Result<void> check(const aerogpu_cmd_set_viewport& c, uint32_t) {
  for (uint32_t bits : {c.x_f32, c.y_f32, c.width_f32, c.height_f32, c.min_depth_f32, c.max_depth_f32})
    if (!isFinite(bits)) return malformed("viewport is not finite");
  if (std::bit_cast<float>(c.width_f32) < 0 || std::bit_cast<float>(c.height_f32) < 0)
    return malformed("viewport has a negative size");
  return {};
}

Result<void> check(const aerogpu_cmd_set_scissor& c, uint32_t) {
  if (c.width < 0 || c.height < 0) return malformed("scissor has a negative size");
  return {};
}

Result<void> check(const aerogpu_cmd_set_vertex_buffers&, uint32_t) {
  return {};
}

Result<void> check(const aerogpu_cmd_set_index_buffer& c, uint32_t) {
  if (c.format > AEROGPU_INDEX_FORMAT_UINT32) return malformed("unknown index format");
  return {};
}

Result<void> check(const aerogpu_cmd_set_primitive_topology& c, uint32_t) {
  const uint32_t t = c.topology;
  const bool known = (t >= AEROGPU_TOPOLOGY_POINTLIST && t <= AEROGPU_TOPOLOGY_TRIANGLEFAN) ||
                     (t >= AEROGPU_TOPOLOGY_LINELIST_ADJ && t <= AEROGPU_TOPOLOGY_TRIANGLESTRIP_ADJ) ||
                     (t >= AEROGPU_TOPOLOGY_PATCHLIST_1 && t <= AEROGPU_TOPOLOGY_PATCHLIST_32);
  if (!known) return malformed("unknown primitive topology");
  return {};
}

Result<void> check(const aerogpu_cmd_set_texture& c, uint32_t minor) {
  return needStage(c.shader_stage, c.reserved0, minor);
}
Result<void> check(const aerogpu_cmd_set_sampler_state& c, uint32_t minor) {
  return needStage(c.shader_stage, 0, minor);
}
Result<void> check(const aerogpu_cmd_set_render_state&, uint32_t) {
  return {};
}

Result<void> check(const aerogpu_cmd_create_sampler& c, uint32_t) {
  if (c.filter > AEROGPU_SAMPLER_FILTER_LINEAR) return malformed("unknown sampler filter");
  for (uint32_t mode : {c.address_u, c.address_v, c.address_w})
    if (mode > AEROGPU_SAMPLER_ADDRESS_MIRROR_REPEAT) return malformed("unknown address mode");
  return needHandle(c.sampler_handle);
}

Result<void> check(const aerogpu_cmd_destroy_sampler& c, uint32_t) {
  return needHandle(c.sampler_handle);
}
Result<void> check(const aerogpu_cmd_set_samplers& c, uint32_t minor) {
  return needStage(c.shader_stage, c.reserved0, minor);
}
Result<void> check(const aerogpu_cmd_set_constant_buffers& c, uint32_t minor) {
  return needStage(c.shader_stage, c.reserved0, minor);
}
Result<void> check(const aerogpu_cmd_set_shader_resource_buffers& c, uint32_t minor) {
  return needStage(c.shader_stage, c.reserved0, minor);
}
Result<void> check(const aerogpu_cmd_set_unordered_access_buffers& c, uint32_t minor) {
  return needStage(c.shader_stage, c.reserved0, minor);
}

Result<void> check(const aerogpu_cmd_clear& c, uint32_t) {
  if (c.flags & ~uint32_t{AEROGPU_CLEAR_COLOR | AEROGPU_CLEAR_DEPTH | AEROGPU_CLEAR_STENCIL})
    return malformed("unknown clear flag");
  return {};
}

Result<void> check(const aerogpu_cmd_draw&, uint32_t) {
  return {};
}
Result<void> check(const aerogpu_cmd_draw_indexed&, uint32_t) {
  return {};
}
Result<void> check(const aerogpu_cmd_dispatch&, uint32_t) {
  return {};
}

Result<void> check(const aerogpu_cmd_present& c, uint32_t) {
  if (c.scanout_id != 0) return malformed("there is only scanout 0");
  return {};
}
Result<void> check(const aerogpu_cmd_present_ex& c, uint32_t) {
  if (c.scanout_id != 0) return malformed("there is only scanout 0");
  return {};
}

Result<void> check(const aerogpu_cmd_ext_attach_backing& c, uint32_t) {
  return needHandle(c.resource_handle);
}
Result<void> check(const aerogpu_cmd_ext_create_texture& c, uint32_t) {
  if (c.kind > AEROGPU_EXT_TEXTURE_VOLUME) return malformed("unknown kind of texture");
  const bool cube = c.kind == AEROGPU_EXT_TEXTURE_CUBE, volume = c.kind == AEROGPU_EXT_TEXTURE_VOLUME;
  if (c.width == 0 || c.height == 0 || c.depth == 0) return malformed("texture has no texels");
  if (c.mip_levels == 0 || c.array_layers == 0) return malformed("texture has no mips or no layers");
  if (!volume && c.depth != 1) return malformed("depth of what is no volume");
  if (volume && c.array_layers != 1) return malformed("volume of several layers");
  if (cube && (c.width != c.height || c.array_layers % 6 != 0))
    return malformed("cube without six square faces");
  if (c.mip_levels > static_cast<uint32_t>(std::bit_width(std::max({c.width, c.height, c.depth}))))
    return malformed("texture has too many mips");
  if (!std::has_single_bit(c.sample_count) || c.sample_count > 16)
    return malformed("sample_count is none of 1, 2, 4, 8, 16");
  if (c.sample_count > 1 && (cube || volume || c.mip_levels != 1 || c.array_layers != 1))
    return malformed("several samples, but not one 2D image");
  if (c.sample_count > 1 && c.backing_alloc_id != 0) return malformed("several samples with guest memory");
  if (c.backing_alloc_id != 0 && c.row_pitch_bytes == 0)
    return malformed("backed texture without a row pitch");
  return needHandle(c.texture_handle);
}

namespace {
Result<void> needKnownUpdate(uint32_t flags) {
  if (flags & ~uint32_t{AEROGPU_EXT_UPDATE_DISCARD | AEROGPU_EXT_UPDATE_NO_OVERWRITE})
    return malformed("unknown update flag");
  return {};
}
}  // namespace

Result<void> check(const aerogpu_cmd_ext_update_buffer& c, uint32_t) {
  if (auto known = needKnownUpdate(c.flags); !known) return known;
  return needHandle(c.buffer);
}
Result<void> check(const aerogpu_cmd_ext_update_texture& c, uint32_t) {
  if (auto known = needKnownUpdate(c.flags); !known) return known;
  return needHandle(c.texture);
}
Result<void> check(const aerogpu_cmd_ext_read_texture& c, uint32_t) {
  return needHandle(c.texture);
}
Result<void> check(const aerogpu_cmd_ext_draw_inline& c, uint32_t) {
  if (c.index_format > AEROGPU_INDEX_FORMAT_UINT32) return malformed("unknown index format");
  if (c.vertex_count != 0 && c.vertex_stride_bytes == 0) return malformed("vertices of no bytes");
  return {};
}
Result<void> check(const aerogpu_cmd_ext_present_rects& c, uint32_t) {
  if (c.scanout_id != 0) return malformed("there is only scanout 0");
  return needFewRects(c.rect_count);
}

Result<void> check(const aerogpu_cmd_ext_blit& c, uint32_t) {
  constexpr uint32_t kKnown = AEROGPU_EXT_BLIT_LINEAR | AEROGPU_EXT_BLIT_MIRROR_X |
                              AEROGPU_EXT_BLIT_MIRROR_Y | AEROGPU_EXT_BLIT_SRGB_DECODE |
                              AEROGPU_EXT_BLIT_SRGB_ENCODE | AEROGPU_EXT_BLIT_WRITEBACK_DST |
                              AEROGPU_EXT_BLIT_SRC_COLOR_KEY | AEROGPU_EXT_BLIT_DST_COLOR_KEY;
  if (c.flags & ~kKnown) return malformed("unknown blit flag");
  if ((c.flags & AEROGPU_EXT_BLIT_SRC_COLOR_KEY) && (c.flags & AEROGPU_EXT_BLIT_LINEAR))
    return malformed("color key of weighed texels");
  if (c.src_texture == 0) return malformed("handle is 0");
  if (auto few = needFewRects(c.rect_count); !few) return few;
  return needHandle(c.dst_texture);
}
Result<void> check(const aerogpu_cmd_ext_fill& c, uint32_t) {
  constexpr uint32_t kKnown = AEROGPU_EXT_FILL_COLOR | AEROGPU_EXT_FILL_DEPTH | AEROGPU_EXT_FILL_STENCIL |
                              AEROGPU_EXT_FILL_SRGB_ENCODE;
  if (c.flags & ~kKnown) return malformed("unknown fill flag");
  if (auto few = needFewRects(c.rect_count); !few) return few;
  return needHandle(c.texture);
}
Result<void> check(const aerogpu_cmd_ext_generate_mips& c, uint32_t) {
  if (c.flags & ~uint32_t{AEROGPU_EXT_MIPS_LINEAR | AEROGPU_EXT_MIPS_SRGB})
    return malformed("unknown flag for mips");
  return needHandle(c.texture);
}

Result<void> check(const aerogpu_cmd_ext_query_begin& c, uint32_t) {
  if (c.type != AEROGPU_EXT_QUERY_OCCLUSION)
    return malformed(
        c.type == AEROGPU_EXT_QUERY_TIMESTAMP ? "a timestamp has no begin" : "unknown query type", "type",
        c.type);
  return {};
}
Result<void> check(const aerogpu_cmd_ext_query_end& c, uint32_t) {
  if (c.type != AEROGPU_EXT_QUERY_OCCLUSION && c.type != AEROGPU_EXT_QUERY_TIMESTAMP)
    return malformed("unknown query type", "type", c.type);
  if (c.offset_bytes % sizeof(aerogpu_ext_query_result) != 0)
    return malformed("query result is not aligned in its allocation", "offset", c.offset_bytes);
  return {};
}
Result<void> check(const aerogpu_cmd_ext_set_clip_planes&, uint32_t) {
  return {};
}
Result<void> check(const aerogpu_cmd_ext_set_texture_stage&, uint32_t) {
  return {};
}
Result<void> check(const aerogpu_cmd_ext_set_state&, uint32_t) {
  return {};
}
Result<void> check(const aerogpu_cmd_ext_set_stream_frequency&, uint32_t) {
  return {};
}

Result<void> check(const aerogpu_cmd_ext_write_value& c, uint32_t) {
  if (c.offset_bytes % sizeof c.value != 0) return malformed("value is not aligned in its allocation");
  return {};
}

Result<void> check(const aerogpu_cmd_export_shared_surface& c, uint32_t) {
  if (c.share_token == 0) return malformed("share token is 0");
  return needHandle(c.resource_handle);
}
Result<void> check(const aerogpu_cmd_import_shared_surface& c, uint32_t) {
  if (c.share_token == 0) return malformed("share token is 0");
  return needHandle(c.out_resource_handle);
}
Result<void> check(const aerogpu_cmd_release_shared_surface&, uint32_t) {
  return {};
}

Result<void> check(const aerogpu_cmd_ext_grant& c, uint32_t) {
  if (c.share_token == 0) return malformed("share token is 0");
  return {};
}
Result<void> check(const aerogpu_cmd_ext_destroy_space& c, uint32_t) {
  if (c.space == 0) return malformed("space 0 is the kernel driver's and does not end");
  return {};
}
Result<void> check(const aerogpu_cmd_ext_name_space& c, uint32_t) {
  if (c.space == 0) return malformed("space 0 is the kernel driver's and has no name");
  return {};
}
Result<void> check(const aerogpu_cmd_ext_charge_space&, uint32_t) {
  return {};
}

}  // namespace aerogpu::cmd
