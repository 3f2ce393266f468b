// SPDX-License-Identifier: MIT
// What a packet alone can prove, one overload per structure: enumerators, multiples, counts. The executor
// proves what needs the tables. A row of the command table without an overload does not compile.
#pragma once

#include <cstdint>
#include <span>

#include "aerogpu/aerogpu_cmd_table.h"
#include "renderer/base/result.h"
#include "renderer/cmd/stage.h"

namespace aerogpu::cmd {

using Bytes = std::span<const uint8_t>;
using Registers = std::span<const aerogpu_constant_register>;

Result<void> check(const aerogpu_cmd_hdr&, uint32_t minor);
Result<void> check(const aerogpu_cmd_create_buffer& c, uint32_t minor);
Result<void> check(const aerogpu_cmd_create_texture2d& c, uint32_t minor);
Result<void> check(const aerogpu_cmd_create_texture_view& c, uint32_t minor);
Result<void> check(const aerogpu_cmd_destroy_resource& c, uint32_t minor);
Result<void> check(const aerogpu_cmd_destroy_texture_view& c, uint32_t minor);
Result<void> check(const aerogpu_cmd_resource_dirty_range& c, uint32_t minor);
Result<void> check(const aerogpu_cmd_upload_resource& c, uint32_t minor);
Result<void> check(const aerogpu_cmd_copy_buffer& c, uint32_t minor);
Result<void> check(const aerogpu_cmd_copy_texture2d& c, uint32_t minor);
Result<void> check(const aerogpu_cmd_create_shader_dxbc& c, uint32_t minor);
Result<void> check(const aerogpu_cmd_destroy_shader& c, uint32_t minor);
Result<void> check(const aerogpu_cmd_bind_shaders& c, uint32_t minor);
Result<void> check(const aerogpu_cmd_set_shader_constants_f& c, uint32_t minor);
Result<void> check(const aerogpu_cmd_set_shader_constants_i& c, uint32_t minor);
Result<void> check(const aerogpu_cmd_set_shader_constants_b& c, uint32_t minor);
Result<void> check(const aerogpu_cmd_create_input_layout& c, uint32_t minor);
Result<void> check(const aerogpu_cmd_destroy_input_layout& c, uint32_t minor);
Result<void> check(const aerogpu_cmd_set_input_layout& c, uint32_t minor);
Result<void> check(const aerogpu_cmd_set_blend_state& c, uint32_t minor);
Result<void> check(const aerogpu_cmd_set_depth_stencil_state& c, uint32_t minor);
Result<void> check(const aerogpu_cmd_set_rasterizer_state& c, uint32_t minor);
Result<void> check(const aerogpu_cmd_set_render_targets& c, uint32_t minor);
Result<void> check(const aerogpu_cmd_set_viewport& c, uint32_t minor);
Result<void> check(const aerogpu_cmd_set_scissor& c, uint32_t minor);
Result<void> check(const aerogpu_cmd_set_vertex_buffers& c, uint32_t minor);
Result<void> check(const aerogpu_cmd_set_index_buffer& c, uint32_t minor);
Result<void> check(const aerogpu_cmd_set_primitive_topology& c, uint32_t minor);
Result<void> check(const aerogpu_cmd_set_texture& c, uint32_t minor);
Result<void> check(const aerogpu_cmd_set_sampler_state& c, uint32_t minor);
Result<void> check(const aerogpu_cmd_set_render_state& c, uint32_t minor);
Result<void> check(const aerogpu_cmd_create_sampler& c, uint32_t minor);
Result<void> check(const aerogpu_cmd_destroy_sampler& c, uint32_t minor);
Result<void> check(const aerogpu_cmd_set_samplers& c, uint32_t minor);
Result<void> check(const aerogpu_cmd_set_constant_buffers& c, uint32_t minor);
Result<void> check(const aerogpu_cmd_set_shader_resource_buffers& c, uint32_t minor);
Result<void> check(const aerogpu_cmd_set_unordered_access_buffers& c, uint32_t minor);
Result<void> check(const aerogpu_cmd_clear& c, uint32_t minor);
Result<void> check(const aerogpu_cmd_draw& c, uint32_t minor);
Result<void> check(const aerogpu_cmd_draw_indexed& c, uint32_t minor);
Result<void> check(const aerogpu_cmd_dispatch& c, uint32_t minor);
Result<void> check(const aerogpu_cmd_present& c, uint32_t minor);
Result<void> check(const aerogpu_cmd_present_ex& c, uint32_t minor);
Result<void> check(const aerogpu_cmd_export_shared_surface& c, uint32_t minor);
Result<void> check(const aerogpu_cmd_import_shared_surface& c, uint32_t minor);
Result<void> check(const aerogpu_cmd_release_shared_surface& c, uint32_t minor);
Result<void> check(const aerogpu_cmd_flush& c, uint32_t minor);
Result<void> check(const aerogpu_cmd_ext_reset_context& c, uint32_t minor);

}  // namespace aerogpu::cmd
