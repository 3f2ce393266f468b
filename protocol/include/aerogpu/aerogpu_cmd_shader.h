/* SPDX-License-Identifier: MIT */
/* Packets for shaders, constants and input layouts. */
#ifndef AEROGPU_CMD_SHADER_H
#define AEROGPU_CMD_SHADER_H

#include "aerogpu_cmd.h"

#pragma pack(push, 1)

#define AEROGPU_STAGE_EX_MIN_ABI_MINOR 3U /* stream minor from which reserved0 is a stage_ex */

#define AEROGPU_INPUT_LAYOUT_BLOB_MAGIC 0x59414C49U /* "ILAY" */
#define AEROGPU_INPUT_LAYOUT_BLOB_VERSION 1U

/** stage and shader_stage fields. */
enum aerogpu_shader_stage {
  AEROGPU_SHADER_STAGE_VERTEX = 0,
  AEROGPU_SHADER_STAGE_PIXEL = 1,
  AEROGPU_SHADER_STAGE_COMPUTE = 2,
  AEROGPU_SHADER_STAGE_GEOMETRY = 3,
};

/** reserved0 of packets whose stage is COMPUTE, from ABI minor 3 on. */
enum aerogpu_shader_stage_ex {
  AEROGPU_SHADER_STAGE_EX_NONE = 0,
  AEROGPU_SHADER_STAGE_EX_GEOMETRY = 2,
  AEROGPU_SHADER_STAGE_EX_HULL = 3,
  AEROGPU_SHADER_STAGE_EX_DOMAIN = 4,
  AEROGPU_SHADER_STAGE_EX_COMPUTE = 5,
};

/** CREATE_SHADER_DXBC: dxbc_size_bytes bytes follow, a D3D9 token stream or a DXBC container. */
struct aerogpu_cmd_create_shader_dxbc {
  struct aerogpu_cmd_hdr hdr;
  uint32_t shader_handle;
  uint32_t stage; /* enum aerogpu_shader_stage */
  uint32_t dxbc_size_bytes;
  uint32_t reserved0; /* stage_ex */
};
AEROGPU_ABI_SIZE(aerogpu_cmd_create_shader_dxbc, 24);

/** DESTROY_SHADER. */
struct aerogpu_cmd_destroy_shader {
  struct aerogpu_cmd_hdr hdr;
  uint32_t shader_handle;
  uint32_t reserved0;
};
AEROGPU_ABI_SIZE(aerogpu_cmd_destroy_shader, 16);

/** BIND_SHADERS: 0 unbinds. 36 bytes and more: gs, hs, ds follow and reserved0 is ignored. */
struct aerogpu_cmd_bind_shaders {
  struct aerogpu_cmd_hdr hdr;
  uint32_t vs;
  uint32_t ps;
  uint32_t cs;
  uint32_t reserved0; /* gs, if non-zero and the packet has 24 bytes */
};
AEROGPU_ABI_SIZE(aerogpu_cmd_bind_shaders, 24);

/** SET_SHADER_CONSTANTS_F: vec4_count * 4 floats follow. */
struct aerogpu_cmd_set_shader_constants_f {
  struct aerogpu_cmd_hdr hdr;
  uint32_t stage;
  uint32_t start_register;
  uint32_t vec4_count;
  uint32_t reserved0; /* stage_ex */
};
AEROGPU_ABI_SIZE(aerogpu_cmd_set_shader_constants_f, 24);

/** SET_SHADER_CONSTANTS_I: vec4_count * 4 int32 follow. */
struct aerogpu_cmd_set_shader_constants_i {
  struct aerogpu_cmd_hdr hdr;
  uint32_t stage;
  uint32_t start_register;
  uint32_t vec4_count;
  uint32_t reserved0; /* stage_ex */
};
AEROGPU_ABI_SIZE(aerogpu_cmd_set_shader_constants_i, 24);

/** SET_SHADER_CONSTANTS_B: bool_count * 4 uint32 follow; true if any of the four is non-zero. */
struct aerogpu_cmd_set_shader_constants_b {
  struct aerogpu_cmd_hdr hdr;
  uint32_t stage;
  uint32_t start_register;
  uint32_t bool_count;
  uint32_t reserved0; /* stage_ex */
};
AEROGPU_ABI_SIZE(aerogpu_cmd_set_shader_constants_b, 24);

/** Start of an input-layout blob; without the magic it is an array of D3DVERTEXELEMENT9. */
struct aerogpu_input_layout_blob_header {
  uint32_t magic; /* AEROGPU_INPUT_LAYOUT_BLOB_MAGIC */
  uint32_t version;
  uint32_t element_count;
  uint32_t reserved0;
};
AEROGPU_ABI_SIZE(aerogpu_input_layout_blob_header, 16);

/** One element of such a blob, after D3D11_INPUT_ELEMENT_DESC. */
struct aerogpu_input_layout_element_dxgi {
  uint32_t semantic_name_hash; /* 32-bit FNV-1a of the upper-case ASCII name */
  uint32_t semantic_index;
  uint32_t dxgi_format; /* DXGI_FORMAT */
  uint32_t input_slot;
  uint32_t aligned_byte_offset; /* 0xFFFFFFFF = after the previous element */
  uint32_t input_slot_class;    /* 0 per vertex, 1 per instance */
  uint32_t instance_data_step_rate;
};
AEROGPU_ABI_SIZE(aerogpu_input_layout_element_dxgi, 28);

/** CREATE_INPUT_LAYOUT: blob_size_bytes bytes follow. */
struct aerogpu_cmd_create_input_layout {
  struct aerogpu_cmd_hdr hdr;
  uint32_t input_layout_handle;
  uint32_t blob_size_bytes;
  uint32_t reserved0;
};
AEROGPU_ABI_SIZE(aerogpu_cmd_create_input_layout, 20);

/** DESTROY_INPUT_LAYOUT. */
struct aerogpu_cmd_destroy_input_layout {
  struct aerogpu_cmd_hdr hdr;
  uint32_t input_layout_handle;
  uint32_t reserved0;
};
AEROGPU_ABI_SIZE(aerogpu_cmd_destroy_input_layout, 16);

/** SET_INPUT_LAYOUT: 0 unbinds. */
struct aerogpu_cmd_set_input_layout {
  struct aerogpu_cmd_hdr hdr;
  uint32_t input_layout_handle;
  uint32_t reserved0;
};
AEROGPU_ABI_SIZE(aerogpu_cmd_set_input_layout, 16);

#pragma pack(pop)

#endif /* AEROGPU_CMD_SHADER_H */
