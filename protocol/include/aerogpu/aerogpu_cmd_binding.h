/* SPDX-License-Identifier: MIT */
/* Packets that bind vertex, index, texture, sampler and buffer inputs. */
#ifndef AEROGPU_CMD_BINDING_H
#define AEROGPU_CMD_BINDING_H

#include "aerogpu_cmd.h"

#pragma pack(push, 1)

/** Index size. */
enum aerogpu_index_format {
  AEROGPU_INDEX_FORMAT_UINT16 = 0,
  AEROGPU_INDEX_FORMAT_UINT32 = 1,
};

/** aerogpu_cmd_create_sampler.filter. */
enum aerogpu_sampler_filter {
  AEROGPU_SAMPLER_FILTER_NEAREST = 0,
  AEROGPU_SAMPLER_FILTER_LINEAR = 1,
};

/** aerogpu_cmd_create_sampler.address_*. */
enum aerogpu_sampler_address_mode {
  AEROGPU_SAMPLER_ADDRESS_CLAMP_TO_EDGE = 0,
  AEROGPU_SAMPLER_ADDRESS_REPEAT = 1,
  AEROGPU_SAMPLER_ADDRESS_MIRROR_REPEAT = 2,
};

/** SET_PRIMITIVE_TOPOLOGY. */
enum aerogpu_primitive_topology {
  AEROGPU_TOPOLOGY_POINTLIST = 1,
  AEROGPU_TOPOLOGY_LINELIST = 2,
  AEROGPU_TOPOLOGY_LINESTRIP = 3,
  AEROGPU_TOPOLOGY_TRIANGLELIST = 4,
  AEROGPU_TOPOLOGY_TRIANGLESTRIP = 5,
  AEROGPU_TOPOLOGY_TRIANGLEFAN = 6,
  AEROGPU_TOPOLOGY_LINELIST_ADJ = 10,
  AEROGPU_TOPOLOGY_LINESTRIP_ADJ = 11,
  AEROGPU_TOPOLOGY_TRIANGLELIST_ADJ = 12,
  AEROGPU_TOPOLOGY_TRIANGLESTRIP_ADJ = 13,
  AEROGPU_TOPOLOGY_PATCHLIST_1 = 33,
  AEROGPU_TOPOLOGY_PATCHLIST_2 = 34,
  AEROGPU_TOPOLOGY_PATCHLIST_3 = 35,
  AEROGPU_TOPOLOGY_PATCHLIST_4 = 36,
  AEROGPU_TOPOLOGY_PATCHLIST_5 = 37,
  AEROGPU_TOPOLOGY_PATCHLIST_6 = 38,
  AEROGPU_TOPOLOGY_PATCHLIST_7 = 39,
  AEROGPU_TOPOLOGY_PATCHLIST_8 = 40,
  AEROGPU_TOPOLOGY_PATCHLIST_9 = 41,
  AEROGPU_TOPOLOGY_PATCHLIST_10 = 42,
  AEROGPU_TOPOLOGY_PATCHLIST_11 = 43,
  AEROGPU_TOPOLOGY_PATCHLIST_12 = 44,
  AEROGPU_TOPOLOGY_PATCHLIST_13 = 45,
  AEROGPU_TOPOLOGY_PATCHLIST_14 = 46,
  AEROGPU_TOPOLOGY_PATCHLIST_15 = 47,
  AEROGPU_TOPOLOGY_PATCHLIST_16 = 48,
  AEROGPU_TOPOLOGY_PATCHLIST_17 = 49,
  AEROGPU_TOPOLOGY_PATCHLIST_18 = 50,
  AEROGPU_TOPOLOGY_PATCHLIST_19 = 51,
  AEROGPU_TOPOLOGY_PATCHLIST_20 = 52,
  AEROGPU_TOPOLOGY_PATCHLIST_21 = 53,
  AEROGPU_TOPOLOGY_PATCHLIST_22 = 54,
  AEROGPU_TOPOLOGY_PATCHLIST_23 = 55,
  AEROGPU_TOPOLOGY_PATCHLIST_24 = 56,
  AEROGPU_TOPOLOGY_PATCHLIST_25 = 57,
  AEROGPU_TOPOLOGY_PATCHLIST_26 = 58,
  AEROGPU_TOPOLOGY_PATCHLIST_27 = 59,
  AEROGPU_TOPOLOGY_PATCHLIST_28 = 60,
  AEROGPU_TOPOLOGY_PATCHLIST_29 = 61,
  AEROGPU_TOPOLOGY_PATCHLIST_30 = 62,
  AEROGPU_TOPOLOGY_PATCHLIST_31 = 63,
  AEROGPU_TOPOLOGY_PATCHLIST_32 = 64,
};

/** One vertex stream. */
struct aerogpu_vertex_buffer_binding {
  uint32_t buffer;
  uint32_t stride_bytes;
  uint32_t offset_bytes;
  uint32_t reserved0;
};
AEROGPU_ABI_SIZE(aerogpu_vertex_buffer_binding, 16);

/** SET_VERTEX_BUFFERS: buffer_count bindings follow; buffer 0 unbinds. */
struct aerogpu_cmd_set_vertex_buffers {
  struct aerogpu_cmd_hdr hdr;
  uint32_t start_slot;
  uint32_t buffer_count;
};
AEROGPU_ABI_SIZE(aerogpu_cmd_set_vertex_buffers, 16);

/** SET_INDEX_BUFFER: buffer 0 unbinds. */
struct aerogpu_cmd_set_index_buffer {
  struct aerogpu_cmd_hdr hdr;
  uint32_t buffer;
  uint32_t format; /* enum aerogpu_index_format */
  uint32_t offset_bytes;
  uint32_t reserved0;
};
AEROGPU_ABI_SIZE(aerogpu_cmd_set_index_buffer, 24);

/** SET_PRIMITIVE_TOPOLOGY. */
struct aerogpu_cmd_set_primitive_topology {
  struct aerogpu_cmd_hdr hdr;
  uint32_t topology; /* enum aerogpu_primitive_topology */
  uint32_t reserved0;
};
AEROGPU_ABI_SIZE(aerogpu_cmd_set_primitive_topology, 16);

/** SET_TEXTURE: a texture or view handle, 0 unbinds. */
struct aerogpu_cmd_set_texture {
  struct aerogpu_cmd_hdr hdr;
  uint32_t shader_stage; /* enum aerogpu_shader_stage */
  uint32_t slot;
  uint32_t texture;
  uint32_t reserved0; /* stage_ex */
};
AEROGPU_ABI_SIZE(aerogpu_cmd_set_texture, 24);

/** SET_SAMPLER_STATE: a D3DSAMPLERSTATETYPE and its value. */
struct aerogpu_cmd_set_sampler_state {
  struct aerogpu_cmd_hdr hdr;
  uint32_t shader_stage; /* enum aerogpu_shader_stage */
  uint32_t slot;
  uint32_t state;
  uint32_t value;
};
AEROGPU_ABI_SIZE(aerogpu_cmd_set_sampler_state, 24);

/** CREATE_SAMPLER. */
struct aerogpu_cmd_create_sampler {
  struct aerogpu_cmd_hdr hdr;
  uint32_t sampler_handle;
  uint32_t filter;    /* enum aerogpu_sampler_filter */
  uint32_t address_u; /* enum aerogpu_sampler_address_mode */
  uint32_t address_v;
  uint32_t address_w;
};
AEROGPU_ABI_SIZE(aerogpu_cmd_create_sampler, 28);

/** DESTROY_SAMPLER. */
struct aerogpu_cmd_destroy_sampler {
  struct aerogpu_cmd_hdr hdr;
  uint32_t sampler_handle;
  uint32_t reserved0;
};
AEROGPU_ABI_SIZE(aerogpu_cmd_destroy_sampler, 16);

/** SET_SAMPLERS: sampler_count handles (uint32_t) follow; 0 unbinds. */
struct aerogpu_cmd_set_samplers {
  struct aerogpu_cmd_hdr hdr;
  uint32_t shader_stage;
  uint32_t start_slot;
  uint32_t sampler_count;
  uint32_t reserved0; /* stage_ex */
};
AEROGPU_ABI_SIZE(aerogpu_cmd_set_samplers, 24);

/** One constant buffer; buffer 0 unbinds. */
struct aerogpu_constant_buffer_binding {
  uint32_t buffer;
  uint32_t offset_bytes;
  uint32_t size_bytes;
  uint32_t reserved0;
};
AEROGPU_ABI_SIZE(aerogpu_constant_buffer_binding, 16);

/** SET_CONSTANT_BUFFERS: buffer_count bindings follow. */
struct aerogpu_cmd_set_constant_buffers {
  struct aerogpu_cmd_hdr hdr;
  uint32_t shader_stage;
  uint32_t start_slot;
  uint32_t buffer_count;
  uint32_t reserved0; /* stage_ex */
};
AEROGPU_ABI_SIZE(aerogpu_cmd_set_constant_buffers, 24);

/** One buffer SRV; buffer 0 unbinds. */
struct aerogpu_shader_resource_buffer_binding {
  uint32_t buffer;
  uint32_t offset_bytes;
  uint32_t size_bytes; /* 0 = to the end */
  uint32_t reserved0;
};
AEROGPU_ABI_SIZE(aerogpu_shader_resource_buffer_binding, 16);

/** SET_SHADER_RESOURCE_BUFFERS: buffer_count bindings follow. */
struct aerogpu_cmd_set_shader_resource_buffers {
  struct aerogpu_cmd_hdr hdr;
  uint32_t shader_stage;
  uint32_t start_slot;
  uint32_t buffer_count;
  uint32_t reserved0; /* stage_ex */
};
AEROGPU_ABI_SIZE(aerogpu_cmd_set_shader_resource_buffers, 24);

/** One buffer UAV; buffer 0 unbinds. */
struct aerogpu_unordered_access_buffer_binding {
  uint32_t buffer;
  uint32_t offset_bytes;
  uint32_t size_bytes;    /* 0 = to the end */
  uint32_t initial_count; /* 0xFFFFFFFF = keep */
};
AEROGPU_ABI_SIZE(aerogpu_unordered_access_buffer_binding, 16);

/** SET_UNORDERED_ACCESS_BUFFERS: uav_count bindings follow. */
struct aerogpu_cmd_set_unordered_access_buffers {
  struct aerogpu_cmd_hdr hdr;
  uint32_t shader_stage;
  uint32_t start_slot;
  uint32_t uav_count;
  uint32_t reserved0; /* stage_ex */
};
AEROGPU_ABI_SIZE(aerogpu_cmd_set_unordered_access_buffers, 24);

#pragma pack(pop)

#endif /* AEROGPU_CMD_BINDING_H */
