/* SPDX-License-Identifier: MIT */
/* Packets that clear, draw, dispatch, present and flush. */
#ifndef AEROGPU_CMD_DRAW_H
#define AEROGPU_CMD_DRAW_H

#include "aerogpu_cmd.h"

#pragma pack(push, 1)

/** aerogpu_cmd_clear.flags. */
enum aerogpu_clear_flags {
  AEROGPU_CLEAR_COLOR = 1,
  AEROGPU_CLEAR_DEPTH = 2,
  AEROGPU_CLEAR_STENCIL = 4,
};

/** flags of the present packets. */
enum aerogpu_present_flags {
  AEROGPU_PRESENT_FLAG_NONE = 0,
  AEROGPU_PRESENT_FLAG_VSYNC = 1, /* completes no earlier than the next vblank */
};

/** CLEAR. */
struct aerogpu_cmd_clear {
  struct aerogpu_cmd_hdr hdr;
  uint32_t flags;             /* enum aerogpu_clear_flags */
  uint32_t color_rgba_f32[4]; /* IEEE 754 bits */
  uint32_t depth_f32;         /* IEEE 754 bits */
  uint32_t stencil;
};
AEROGPU_ABI_SIZE(aerogpu_cmd_clear, 36);

/** DRAW. */
struct aerogpu_cmd_draw {
  struct aerogpu_cmd_hdr hdr;
  uint32_t vertex_count;
  uint32_t instance_count;
  uint32_t first_vertex;
  uint32_t first_instance;
};
AEROGPU_ABI_SIZE(aerogpu_cmd_draw, 24);

/** DRAW_INDEXED. */
struct aerogpu_cmd_draw_indexed {
  struct aerogpu_cmd_hdr hdr;
  uint32_t index_count;
  uint32_t instance_count;
  uint32_t first_index;
  int32_t base_vertex;
  uint32_t first_instance;
};
AEROGPU_ABI_SIZE(aerogpu_cmd_draw_indexed, 28);

/** DISPATCH. */
struct aerogpu_cmd_dispatch {
  struct aerogpu_cmd_hdr hdr;
  uint32_t group_count_x;
  uint32_t group_count_y;
  uint32_t group_count_z;
  uint32_t reserved0; /* stage_ex */
};
AEROGPU_ABI_SIZE(aerogpu_cmd_dispatch, 24);

/** PRESENT: show scanout 0. */
struct aerogpu_cmd_present {
  struct aerogpu_cmd_hdr hdr;
  uint32_t scanout_id;
  uint32_t flags; /* enum aerogpu_present_flags */
};
AEROGPU_ABI_SIZE(aerogpu_cmd_present, 16);

/** PRESENT_EX: the same, with the flags of IDirect3DDevice9Ex::PresentEx for information. */
struct aerogpu_cmd_present_ex {
  struct aerogpu_cmd_hdr hdr;
  uint32_t scanout_id;
  uint32_t flags; /* enum aerogpu_present_flags */
  uint32_t d3d9_present_flags;
  uint32_t reserved0;
};
AEROGPU_ABI_SIZE(aerogpu_cmd_present_ex, 24);

/** FLUSH: everything before it is handed to the GPU. */
struct aerogpu_cmd_flush {
  struct aerogpu_cmd_hdr hdr;
  uint32_t reserved0;
  uint32_t reserved1;
};
AEROGPU_ABI_SIZE(aerogpu_cmd_flush, 16);

#pragma pack(pop)

#endif /* AEROGPU_CMD_DRAW_H */
