// SPDX-License-Identifier: MIT
#include "renderer/cmd/check.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <string>

namespace aerogpu::cmd {

namespace {

Error malformed(const char* what, std::initializer_list<ErrorValue> values) {
  return refused(ErrorCode::CmdDecode, what, values);
}

Result<void> needHandle(const char* field, uint32_t handle) {
  if (handle == 0) return malformed("handle is 0", {{field, handle}});
  return {};
}

/// BLIT-2: limits the rectangles of one packet.
Result<void> needFewRects(uint32_t count) {
  constexpr uint32_t kMaxRects = 1024;
  if (count > kMaxRects)
    return refused(ErrorCode::OutOfBounds, "too many rectangles",
                   {{"rect_count", count}, {"limit", kMaxRects}});
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
    return malformed("only vertex and pixel shaders have D3D9 constants", {{"stage", stage}});
  return {};
}

float asFloat(uint32_t bits) {
  return std::bit_cast<float>(bits);
}

Result<void> needTexels(uint32_t width, uint32_t height, uint32_t depth) {
  if (width != 0 && height != 0 && depth != 0) return {};
  return malformed("texture has no texels", {{"width", width}, {"height", height}, {"depth", depth}});
}

/// Checks the levels of an image with the given longest side.
Result<void> needLevels(uint32_t mips, uint32_t layers, uint32_t longest) {
  if (mips == 0 || layers == 0)
    return malformed("texture has no mips or no layers", {{"mip_levels", mips}, {"array_layers", layers}});
  const auto most = static_cast<uint32_t>(std::bit_width(longest));
  if (mips > most) return malformed("texture has too many mips", {{"mip_levels", mips}, {"limit", most}});
  return {};
}

Result<void> needPitch(uint32_t allocId, uint32_t rowPitch) {
  if (allocId == 0 || rowPitch != 0) return {};
  return malformed("backed texture without a row pitch",
                   {{"backing_alloc_id", allocId}, {"row_pitch_bytes", rowPitch}});
}

Result<void> needIndexFormat(const char* field, uint32_t format) {
  if (format <= AEROGPU_INDEX_FORMAT_UINT32) return {};
  return malformed("unknown index format", {{field, format}, {"limit", AEROGPU_INDEX_FORMAT_UINT32}});
}

Result<void> needScanout0(uint32_t scanout) {
  if (scanout == 0) return {};
  return malformed("there is only scanout 0", {{"scanout_id", scanout}});
}

Result<void> needToken(uint64_t token) {
  if (token == 0) return malformed("share token is 0", {{"share_token", token}});
  return {};
}

Result<void> needKnown(const char* what, uint32_t flags, uint32_t known) {
  if ((flags & ~known) == 0) return {};
  return malformed(what, {{"flags", flags}, {"unknown", flags & ~known}});
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
  if (c.size_bytes == 0 || c.size_bytes % 4 != 0)
    return malformed("buffer size is 0 or no multiple of 4", {{"size_bytes", c.size_bytes}});
  return needHandle("buffer_handle", c.buffer_handle);
}

Result<void> check(const aerogpu_cmd_create_texture2d& c, uint32_t) {
  if (auto texels = needTexels(c.width, c.height, 1); !texels) return texels;
  if (auto levels = needLevels(c.mip_levels, c.array_layers, std::max(c.width, c.height)); !levels)
    return levels;
  if (auto pitch = needPitch(c.backing_alloc_id, c.row_pitch_bytes); !pitch) return pitch;
  return needHandle("texture_handle", c.texture_handle);
}

Result<void> check(const aerogpu_cmd_create_texture_view& c, uint32_t) {
  if (c.mip_level_count == 0 || c.array_layer_count == 0)
    return malformed("view of no mips or no layers",
                     {{"mip_level_count", c.mip_level_count}, {"array_layer_count", c.array_layer_count}});
  if (auto texture = needHandle("texture_handle", c.texture_handle); !texture) return texture;
  return needHandle("view_handle", c.view_handle);
}

Result<void> check(const aerogpu_cmd_destroy_resource& c, uint32_t) {
  return needHandle("resource_handle", c.resource_handle);
}
Result<void> check(const aerogpu_cmd_destroy_texture_view&, uint32_t) {
  return {};
}
Result<void> check(const aerogpu_cmd_resource_dirty_range& c, uint32_t) {
  return needHandle("resource_handle", c.resource_handle);
}
Result<void> check(const aerogpu_cmd_upload_resource& c, uint32_t) {
  return needHandle("resource_handle", c.resource_handle);
}

Result<void> check(const aerogpu_cmd_copy_buffer& c, uint32_t) {
  if (auto src = needHandle("src_buffer", c.src_buffer); !src) return src;
  return needHandle("dst_buffer", c.dst_buffer);
}

Result<void> check(const aerogpu_cmd_copy_texture2d& c, uint32_t) {
  if (auto src = needHandle("src_texture", c.src_texture); !src) return src;
  return needHandle("dst_texture", c.dst_texture);
}

Result<void> check(const aerogpu_cmd_create_shader_dxbc& c, uint32_t minor) {
  if (c.dxbc_size_bytes < 8 || c.dxbc_size_bytes % 4 != 0)
    return malformed("shader size is under 8 or no multiple of 4", {{"dxbc_size_bytes", c.dxbc_size_bytes}});
  if (auto handle = needHandle("shader_handle", c.shader_handle); !handle) return handle;
  return needStage(c.stage, c.reserved0, minor);
}

Result<void> check(const aerogpu_cmd_destroy_shader& c, uint32_t) {
  return needHandle("shader_handle", c.shader_handle);
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
  return needHandle("input_layout_handle", c.input_layout_handle);
}
Result<void> check(const aerogpu_cmd_destroy_input_layout& c, uint32_t) {
  return needHandle("input_layout_handle", c.input_layout_handle);
}
Result<void> check(const aerogpu_cmd_set_input_layout&, uint32_t) {
  return {};
}

Result<void> check(const aerogpu_cmd_set_blend_state& c, uint32_t) {
  const auto upTo = [](const char* what, const char* field, uint32_t value, uint32_t most) -> Result<void> {
    if (value <= most) return {};
    return malformed(what, {{field, value}, {"limit", most}});
  };
  const std::pair<const char*, uint32_t> factors[] = {{"src_factor", c.state.src_factor},
                                                      {"dst_factor", c.state.dst_factor},
                                                      {"src_factor_alpha", c.state.src_factor_alpha},
                                                      {"dst_factor_alpha", c.state.dst_factor_alpha}};
  for (const auto& [field, factor] : factors)
    if (auto known = upTo("unknown blend factor", field, factor, AEROGPU_BLEND_INV_CONSTANT); !known)
      return known;
  constexpr const char* kWhat = "unknown blend operation";
  if (auto known = upTo(kWhat, "blend_op", c.state.blend_op, AEROGPU_BLEND_OP_MAX); !known) return known;
  return upTo(kWhat, "blend_op_alpha", c.state.blend_op_alpha, AEROGPU_BLEND_OP_MAX);
}

Result<void> check(const aerogpu_cmd_set_depth_stencil_state& c, uint32_t) {
  if (c.state.depth_func > AEROGPU_COMPARE_ALWAYS)
    return malformed("unknown comparison",
                     {{"depth_func", c.state.depth_func}, {"limit", AEROGPU_COMPARE_ALWAYS}});
  return {};
}

Result<void> check(const aerogpu_cmd_set_rasterizer_state& c, uint32_t) {
  if (c.state.fill_mode > AEROGPU_FILL_WIREFRAME)
    return malformed("unknown fill mode",
                     {{"fill_mode", c.state.fill_mode}, {"limit", AEROGPU_FILL_WIREFRAME}});
  if (c.state.cull_mode > AEROGPU_CULL_BACK)
    return malformed("unknown cull mode", {{"cull_mode", c.state.cull_mode}, {"limit", AEROGPU_CULL_BACK}});
  return {};
}

Result<void> check(const aerogpu_cmd_set_render_targets& c, uint32_t) {
  if (c.color_count > AEROGPU_MAX_RENDER_TARGETS)
    return malformed("too many colour targets",
                     {{"color_count", c.color_count}, {"limit", AEROGPU_MAX_RENDER_TARGETS}});
  return {};
}

Result<void> check(const aerogpu_ext_viewport& v) {
  const std::pair<const char*, uint32_t> fields[] = {{"x_f32", v.x_f32},
                                                     {"y_f32", v.y_f32},
                                                     {"width_f32", v.width_f32},
                                                     {"height_f32", v.height_f32},
                                                     {"min_depth_f32", v.min_depth_f32},
                                                     {"max_depth_f32", v.max_depth_f32}};
  for (const auto& [field, bits] : fields)
    if (!std::isfinite(asFloat(bits))) return malformed("viewport is not finite", {{field, asFloat(bits)}});
  if (asFloat(v.width_f32) < 0 || asFloat(v.height_f32) < 0)
    return malformed("viewport has a negative size",
                     {{"width_f32", asFloat(v.width_f32)}, {"height_f32", asFloat(v.height_f32)}});
  return {};
}

Result<void> check(const aerogpu_ext_scissor& s) {
  if (s.width < 0 || s.height < 0)
    return malformed("scissor has a negative size", {{"width", s.width}, {"height", s.height}});
  return {};
}

Result<void> check(const aerogpu_cmd_set_viewport& c, uint32_t) {
  return check(
      aerogpu_ext_viewport{c.x_f32, c.y_f32, c.width_f32, c.height_f32, c.min_depth_f32, c.max_depth_f32});
}

Result<void> check(const aerogpu_cmd_set_scissor& c, uint32_t) {
  return check(aerogpu_ext_scissor{c.x, c.y, c.width, c.height});
}

Result<void> check(const aerogpu_cmd_set_vertex_buffers&, uint32_t) {
  return {};
}

Result<void> check(const aerogpu_cmd_set_index_buffer& c, uint32_t) {
  return needIndexFormat("format", c.format);
}

Result<void> check(const aerogpu_cmd_set_primitive_topology& c, uint32_t) {
  const uint32_t t = c.topology;
  const bool known = (t >= AEROGPU_TOPOLOGY_POINTLIST && t <= AEROGPU_TOPOLOGY_TRIANGLEFAN) ||
                     (t >= AEROGPU_TOPOLOGY_LINELIST_ADJ && t <= AEROGPU_TOPOLOGY_TRIANGLESTRIP_ADJ) ||
                     (t >= AEROGPU_TOPOLOGY_PATCHLIST_1 && t <= AEROGPU_TOPOLOGY_PATCHLIST_32);
  if (!known) return malformed("unknown primitive topology", {{"topology", t}});
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
  if (c.filter > AEROGPU_SAMPLER_FILTER_LINEAR)
    return malformed("unknown sampler filter",
                     {{"filter", c.filter}, {"limit", AEROGPU_SAMPLER_FILTER_LINEAR}});
  const std::pair<const char*, uint32_t> modes[] = {
      {"address_u", c.address_u}, {"address_v", c.address_v}, {"address_w", c.address_w}};
  for (const auto& [field, mode] : modes)
    if (mode > AEROGPU_SAMPLER_ADDRESS_MIRROR_REPEAT)
      return malformed("unknown address mode",
                       {{field, mode}, {"limit", AEROGPU_SAMPLER_ADDRESS_MIRROR_REPEAT}});
  return needHandle("sampler_handle", c.sampler_handle);
}

Result<void> check(const aerogpu_cmd_destroy_sampler& c, uint32_t) {
  return needHandle("sampler_handle", c.sampler_handle);
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
  return needKnown("unknown clear flag", c.flags,
                   AEROGPU_CLEAR_COLOR | AEROGPU_CLEAR_DEPTH | AEROGPU_CLEAR_STENCIL);
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
  return needScanout0(c.scanout_id);
}
Result<void> check(const aerogpu_cmd_present_ex& c, uint32_t) {
  return needScanout0(c.scanout_id);
}

Result<void> check(const aerogpu_cmd_ext_attach_backing& c, uint32_t) {
  return needHandle("resource_handle", c.resource_handle);
}
Result<void> check(const aerogpu_cmd_ext_create_texture& c, uint32_t) {
  if (c.kind > AEROGPU_EXT_TEXTURE_1D)
    return malformed("unknown kind of texture", {{"kind", c.kind}, {"limit", AEROGPU_EXT_TEXTURE_1D}});
  const bool cube = c.kind == AEROGPU_EXT_TEXTURE_CUBE, volume = c.kind == AEROGPU_EXT_TEXTURE_VOLUME;
  if (auto texels = needTexels(c.width, c.height, c.depth); !texels) return texels;
  if (!volume && c.depth != 1)
    return malformed("depth of what is no volume", {{"kind", c.kind}, {"depth", c.depth}, {"limit", 1u}});
  if (c.kind == AEROGPU_EXT_TEXTURE_1D && (c.height != 1 || c.sample_count != 1))
    return malformed("1D texture of several rows or samples",
                     {{"height", c.height}, {"sample_count", c.sample_count}, {"limit", 1u}});
  if (volume && c.array_layers != 1)
    return malformed("volume of several layers", {{"array_layers", c.array_layers}, {"limit", 1u}});
  if (cube && (c.width != c.height || c.array_layers == 0 || c.array_layers % 6 != 0))
    return malformed("cube without six square faces",
                     {{"width", c.width}, {"height", c.height}, {"array_layers", c.array_layers}});
  if (auto levels = needLevels(c.mip_levels, c.array_layers, std::max({c.width, c.height, c.depth})); !levels)
    return levels;
  if (!std::has_single_bit(c.sample_count) || c.sample_count > 16)
    return malformed("no power of two of samples", {{"sample_count", c.sample_count}, {"limit", 16u}});
  if (c.sample_count > 1 && (cube || volume || c.mip_levels != 1 || c.array_layers != 1))
    return malformed("several samples, but not one 2D image", {{"sample_count", c.sample_count},
                                                               {"kind", c.kind},
                                                               {"mip_levels", c.mip_levels},
                                                               {"array_layers", c.array_layers}});
  if (c.sample_count > 1 && c.backing_alloc_id != 0)
    return malformed("several samples with guest memory",
                     {{"sample_count", c.sample_count}, {"backing_alloc_id", c.backing_alloc_id}});
  if (auto pitch = needPitch(c.backing_alloc_id, c.row_pitch_bytes); !pitch) return pitch;
  return needHandle("texture_handle", c.texture_handle);
}

namespace {
Result<void> needKnownUpdate(uint32_t flags) {
  return needKnown("unknown update flag", flags,
                   AEROGPU_EXT_UPDATE_DISCARD | AEROGPU_EXT_UPDATE_NO_OVERWRITE);
}
}  // namespace

Result<void> check(const aerogpu_cmd_ext_update_buffer& c, uint32_t) {
  if (auto known = needKnownUpdate(c.flags); !known) return known;
  return needHandle("buffer", c.buffer);
}
Result<void> check(const aerogpu_cmd_ext_update_texture& c, uint32_t) {
  if (auto known = needKnownUpdate(c.flags); !known) return known;
  return needHandle("texture", c.texture);
}
Result<void> check(const aerogpu_cmd_ext_read_texture& c, uint32_t) {
  return needHandle("texture", c.texture);
}
Result<void> check(const aerogpu_cmd_ext_draw_inline& c, uint32_t) {
  if (c.vertex_count != 0 && c.vertex_stride_bytes == 0)
    return malformed("vertices of no bytes",
                     {{"vertex_count", c.vertex_count}, {"vertex_stride_bytes", c.vertex_stride_bytes}});
  return needIndexFormat("index_format", c.index_format);
}
Result<void> check(const aerogpu_cmd_ext_present_rects& c, uint32_t) {
  if (auto scanout = needScanout0(c.scanout_id); !scanout) return scanout;
  return needFewRects(c.rect_count);
}

Result<void> check(const aerogpu_cmd_ext_blit& c, uint32_t) {
  constexpr uint32_t kKnown = AEROGPU_EXT_BLIT_LINEAR | AEROGPU_EXT_BLIT_MIRROR_X |
                              AEROGPU_EXT_BLIT_MIRROR_Y | AEROGPU_EXT_BLIT_SRGB_DECODE |
                              AEROGPU_EXT_BLIT_SRGB_ENCODE | AEROGPU_EXT_BLIT_WRITEBACK_DST |
                              AEROGPU_EXT_BLIT_SRC_COLOR_KEY | AEROGPU_EXT_BLIT_DST_COLOR_KEY;
  if (auto known = needKnown("unknown blit flag", c.flags, kKnown); !known) return known;
  if ((c.flags & AEROGPU_EXT_BLIT_SRC_COLOR_KEY) && (c.flags & AEROGPU_EXT_BLIT_LINEAR))
    return malformed("color key of weighed texels", {{"flags", c.flags}});
  if (auto src = needHandle("src_texture", c.src_texture); !src) return src;
  if (auto few = needFewRects(c.rect_count); !few) return few;
  return needHandle("dst_texture", c.dst_texture);
}
Result<void> check(const aerogpu_cmd_ext_fill& c, uint32_t) {
  constexpr uint32_t kKnown = AEROGPU_EXT_FILL_COLOR | AEROGPU_EXT_FILL_DEPTH | AEROGPU_EXT_FILL_STENCIL |
                              AEROGPU_EXT_FILL_SRGB_ENCODE;
  if (auto known = needKnown("unknown fill flag", c.flags, kKnown); !known) return known;
  if (auto few = needFewRects(c.rect_count); !few) return few;
  return needHandle("texture", c.texture);
}
Result<void> check(const aerogpu_cmd_ext_generate_mips& c, uint32_t) {
  constexpr uint32_t kKnown = AEROGPU_EXT_MIPS_LINEAR | AEROGPU_EXT_MIPS_SRGB;
  if (auto known = needKnown("unknown flag for mips", c.flags, kKnown); !known) return known;
  return needHandle("texture", c.texture);
}

Result<void> check(const aerogpu_cmd_ext_query_begin& c, uint32_t) {
  if (c.type != AEROGPU_EXT_QUERY_OCCLUSION && c.type != AEROGPU_EXT_QUERY_STREAM_STATISTICS)
    return malformed(
        c.type == AEROGPU_EXT_QUERY_TIMESTAMP ? "a timestamp has no begin" : "unknown query type",
        {{"type", c.type}});
  return {};
}
Result<void> check(const aerogpu_cmd_ext_query_end& c, uint32_t) {
  if (c.type < AEROGPU_EXT_QUERY_OCCLUSION || c.type > AEROGPU_EXT_QUERY_STREAM_STATISTICS)
    return malformed("unknown query type", {{"type", c.type}});
  if (c.offset_bytes % sizeof(aerogpu_ext_query_result) != 0)
    return malformed("query result is not aligned in its allocation", {{"offset_bytes", c.offset_bytes}});
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
  if (c.offset_bytes % sizeof c.value != 0)
    return malformed("value is not aligned in its allocation", {{"offset_bytes", c.offset_bytes}});
  return {};
}

Result<void> check(const aerogpu_cmd_ext_create_shader& c, uint32_t minor) {
  if (auto handle = needHandle("shader_handle", c.shader_handle); !handle) return handle;
  return needStage(c.stage, c.reserved0, minor);
}
Result<void> check(const aerogpu_cmd_ext_create_layout& c, uint32_t) {
  return needHandle("input_layout_handle", c.input_layout_handle);
}

Result<void> check(const aerogpu_cmd_ext_set_blend& c, uint32_t) {
  if (c.target_count == 0 || c.target_count > AEROGPU_MAX_RENDER_TARGETS)
    return malformed("blending of no targets, or of too many",
                     {{"target_count", c.target_count}, {"limit", AEROGPU_MAX_RENDER_TARGETS}});
  return needKnown("unknown flag of blending", c.flags, AEROGPU_EXT_BLEND_ALPHA_TO_COVERAGE);
}
Result<void> check(const aerogpu_cmd_ext_set_samplers& c, uint32_t minor) {
  return needStage(c.shader_stage, c.reserved0, minor);
}
/// Succeeds if there are 1 to 16 viewports, or rectangles of them.
Result<void> needViewports(ErrorValue count) {
  constexpr uint32_t kMost = 16;  // LAYER-3, LAYER-4
  const uint64_t number = std::get<uint64_t>(count.number);
  if (number >= 1 && number <= kMost) return {};
  return malformed("there are 1 to 16 viewports", {count, {"limit", kMost}});
}

Result<void> check(const aerogpu_cmd_ext_set_viewports& c, uint32_t) {
  return needViewports({"viewport_count", c.viewport_count});
}
Result<void> check(const aerogpu_cmd_ext_set_scissors& c, uint32_t) {
  return needViewports({"scissor_count", c.scissor_count});
}
Result<void> check(const aerogpu_cmd_ext_set_depth_bias&, uint32_t) {
  return {};
}

Result<void> check(const aerogpu_cmd_ext_set_stream_output&, uint32_t) {
  return {};
}
Result<void> check(const aerogpu_cmd_ext_set_stream_targets&, uint32_t) {
  return {};
}

Result<void> check(const aerogpu_cmd_export_shared_surface& c, uint32_t) {
  if (auto token = needToken(c.share_token); !token) return token;
  return needHandle("resource_handle", c.resource_handle);
}
Result<void> check(const aerogpu_cmd_import_shared_surface& c, uint32_t) {
  if (auto token = needToken(c.share_token); !token) return token;
  return needHandle("out_resource_handle", c.out_resource_handle);
}
Result<void> check(const aerogpu_cmd_release_shared_surface&, uint32_t) {
  return {};
}

Result<void> check(const aerogpu_cmd_ext_grant& c, uint32_t) {
  return needToken(c.share_token);
}
Result<void> check(const aerogpu_cmd_ext_destroy_space& c, uint32_t) {
  if (c.space == 0) return malformed("space 0 is the kernel driver's and does not end", {{"space", c.space}});
  return {};
}
Result<void> check(const aerogpu_cmd_ext_name_space& c, uint32_t) {
  if (c.space == 0) return malformed("space 0 is the kernel driver's and has no name", {{"space", c.space}});
  return {};
}
Result<void> check(const aerogpu_cmd_ext_charge_space&, uint32_t) {
  return {};
}
Result<void> check(const aerogpu_cmd_ext_space_process& c, uint32_t) {
  if (c.space == 0) return malformed("space 0 is the kernel driver's and no process'", {{"space", c.space}});
  return {};
}

Result<void> check(const aerogpu_cmd_ext_copy_memory& c, uint32_t) {
  if (((c.dst_offset_bytes | c.src_offset_bytes | c.size_bytes) & 3) == 0) return {};
  return malformed("copy of memory is not aligned to 4", {{"dst_offset_bytes", c.dst_offset_bytes},
                                                          {"src_offset_bytes", c.src_offset_bytes},
                                                          {"size_bytes", c.size_bytes}});
}
Result<void> check(const aerogpu_cmd_ext_fill_memory& c, uint32_t) {
  if (((c.offset_bytes | c.size_bytes) & 3) == 0) return {};
  return malformed("fill of memory is not aligned to 4",
                   {{"offset_bytes", c.offset_bytes}, {"size_bytes", c.size_bytes}});
}

}  // namespace aerogpu::cmd
