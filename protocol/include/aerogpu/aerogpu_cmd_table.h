/* SPDX-License-Identifier: MIT */
/* Every opcode of ABI 1.4, and of the extension space, once. Decoder, dumper, trace tool, fuzzer dictionary, ABI page
 * and the tests that walk all opcodes expand this table. ABI page, "Command stream". */
#ifndef AEROGPU_CMD_TABLE_H
#define AEROGPU_CMD_TABLE_H

#include "aerogpu_cmd_binding.h"
#include "aerogpu_cmd_draw.h"
#include "aerogpu_cmd_resource.h"
#include "aerogpu_cmd_shader.h"
#include "aerogpu_cmd_state.h"
#include "aerogpu_extension.h"

/** One constant register as it lies in the stream: IEEE 754 bits (F), int32 (I) or four words of a bool (B). */
struct aerogpu_constant_register {
  uint32_t words[4];
};
AEROGPU_ABI_SIZE(aerogpu_constant_register, 16);

/**
 * Expands one row per opcode. NAME is the opcode without AEROGPU_CMD_, STRUCT the structure without aerogpu_cmd_.
 *   FIXED(NAME, STRUCT)                a structure and nothing after it
 *   TAIL(NAME, STRUCT, ELEM, COUNT)    COUNT (a field of the structure) elements of type ELEM follow
 *   REST(NAME, STRUCT)                 whatever follows, up to the packet's end, belongs to it
 */
#define AEROGPU_CMD_TABLE(FIXED, TAIL, REST)                                                                       \
  FIXED(NOP, hdr)                                                                                                  \
  REST(DEBUG_MARKER, hdr)                                                                                          \
  FIXED(CREATE_BUFFER, create_buffer)                                                                              \
  FIXED(CREATE_TEXTURE2D, create_texture2d)                                                                        \
  FIXED(DESTROY_RESOURCE, destroy_resource)                                                                        \
  FIXED(RESOURCE_DIRTY_RANGE, resource_dirty_range)                                                                \
  TAIL(UPLOAD_RESOURCE, upload_resource, uint8_t, size_bytes)                                                      \
  FIXED(COPY_BUFFER, copy_buffer)                                                                                  \
  FIXED(COPY_TEXTURE2D, copy_texture2d)                                                                            \
  FIXED(CREATE_TEXTURE_VIEW, create_texture_view)                                                                  \
  FIXED(DESTROY_TEXTURE_VIEW, destroy_texture_view)                                                                \
  TAIL(CREATE_SHADER_DXBC, create_shader_dxbc, uint8_t, dxbc_size_bytes)                                           \
  FIXED(DESTROY_SHADER, destroy_shader)                                                                            \
  REST(BIND_SHADERS, bind_shaders)                                                                                 \
  TAIL(SET_SHADER_CONSTANTS_F, set_shader_constants_f, struct aerogpu_constant_register, vec4_count)               \
  TAIL(CREATE_INPUT_LAYOUT, create_input_layout, uint8_t, blob_size_bytes)                                         \
  FIXED(DESTROY_INPUT_LAYOUT, destroy_input_layout)                                                                \
  FIXED(SET_INPUT_LAYOUT, set_input_layout)                                                                        \
  TAIL(SET_SHADER_CONSTANTS_I, set_shader_constants_i, struct aerogpu_constant_register, vec4_count)               \
  TAIL(SET_SHADER_CONSTANTS_B, set_shader_constants_b, struct aerogpu_constant_register, bool_count)               \
  FIXED(SET_BLEND_STATE, set_blend_state)                                                                          \
  FIXED(SET_DEPTH_STENCIL_STATE, set_depth_stencil_state)                                                          \
  FIXED(SET_RASTERIZER_STATE, set_rasterizer_state)                                                                \
  FIXED(SET_RENDER_TARGETS, set_render_targets)                                                                    \
  FIXED(SET_VIEWPORT, set_viewport)                                                                                \
  FIXED(SET_SCISSOR, set_scissor)                                                                                  \
  TAIL(SET_VERTEX_BUFFERS, set_vertex_buffers, struct aerogpu_vertex_buffer_binding, buffer_count)                 \
  FIXED(SET_INDEX_BUFFER, set_index_buffer)                                                                        \
  FIXED(SET_PRIMITIVE_TOPOLOGY, set_primitive_topology)                                                            \
  FIXED(SET_TEXTURE, set_texture)                                                                                  \
  FIXED(SET_SAMPLER_STATE, set_sampler_state)                                                                      \
  FIXED(SET_RENDER_STATE, set_render_state)                                                                        \
  FIXED(CREATE_SAMPLER, create_sampler)                                                                            \
  FIXED(DESTROY_SAMPLER, destroy_sampler)                                                                          \
  TAIL(SET_SAMPLERS, set_samplers, uint32_t, sampler_count)                                                        \
  TAIL(SET_CONSTANT_BUFFERS, set_constant_buffers, struct aerogpu_constant_buffer_binding, buffer_count)           \
  TAIL(SET_SHADER_RESOURCE_BUFFERS, set_shader_resource_buffers, struct aerogpu_shader_resource_buffer_binding,    \
       buffer_count)                                                                                               \
  TAIL(SET_UNORDERED_ACCESS_BUFFERS, set_unordered_access_buffers, struct aerogpu_unordered_access_buffer_binding, \
       uav_count)                                                                                                  \
  FIXED(CLEAR, clear)                                                                                              \
  FIXED(DRAW, draw)                                                                                                \
  FIXED(DRAW_INDEXED, draw_indexed)                                                                                \
  FIXED(DISPATCH, dispatch)                                                                                        \
  FIXED(PRESENT, present)                                                                                          \
  FIXED(PRESENT_EX, present_ex)                                                                                    \
  FIXED(EXPORT_SHARED_SURFACE, export_shared_surface)                                                              \
  FIXED(IMPORT_SHARED_SURFACE, import_shared_surface)                                                              \
  FIXED(RELEASE_SHARED_SURFACE, release_shared_surface)                                                            \
  FIXED(FLUSH, flush)                                                                                              \
  FIXED(EXT_RESET_CONTEXT, ext_reset_context)

#endif /* AEROGPU_CMD_TABLE_H */
