/* SPDX-License-Identifier: MIT */
/* Packets that create, fill, copy, share and destroy resources. */
#ifndef AEROGPU_CMD_RESOURCE_H
#define AEROGPU_CMD_RESOURCE_H

#include "aerogpu_cmd.h"

#pragma pack(push, 1)

/** usage_flags of buffers and textures. */
enum aerogpu_resource_usage_flags {
  AEROGPU_RESOURCE_USAGE_NONE = 0,
  AEROGPU_RESOURCE_USAGE_VERTEX_BUFFER = 1,
  AEROGPU_RESOURCE_USAGE_INDEX_BUFFER = 2,
  AEROGPU_RESOURCE_USAGE_CONSTANT_BUFFER = 4,
  AEROGPU_RESOURCE_USAGE_TEXTURE = 8,
  AEROGPU_RESOURCE_USAGE_RENDER_TARGET = 16,
  AEROGPU_RESOURCE_USAGE_DEPTH_STENCIL = 32,
  AEROGPU_RESOURCE_USAGE_SCANOUT = 64,
  AEROGPU_RESOURCE_USAGE_STORAGE = 128,
};

/** flags of the copy packets. */
enum aerogpu_copy_flags {
  AEROGPU_COPY_FLAG_NONE = 0,
  AEROGPU_COPY_FLAG_WRITEBACK_DST = 1, /* the result is also in the guest memory of dst before the fence */
};

/** CREATE_BUFFER. */
struct aerogpu_cmd_create_buffer {
  struct aerogpu_cmd_hdr hdr;
  uint32_t buffer_handle;
  uint32_t usage_flags;      /* enum aerogpu_resource_usage_flags */
  uint64_t size_bytes;       /* a multiple of 4 */
  uint32_t backing_alloc_id; /* 0 = owned by the host */
  uint32_t backing_offset_bytes;
  uint64_t reserved0;
};
AEROGPU_ABI_SIZE(aerogpu_cmd_create_buffer, 40);

/** CREATE_TEXTURE2D. */
struct aerogpu_cmd_create_texture2d {
  struct aerogpu_cmd_hdr hdr;
  uint32_t texture_handle;
  uint32_t usage_flags; /* enum aerogpu_resource_usage_flags */
  uint32_t format;      /* enum aerogpu_format */
  uint32_t width;
  uint32_t height;
  uint32_t mip_levels;       /* at least 1 */
  uint32_t array_layers;     /* at least 1 */
  uint32_t row_pitch_bytes;  /* of mip 0; needed when backed */
  uint32_t backing_alloc_id; /* 0 = owned by the host */
  uint32_t backing_offset_bytes;
  uint64_t reserved0;
};
AEROGPU_ABI_SIZE(aerogpu_cmd_create_texture2d, 56);

/** CREATE_TEXTURE_VIEW: a mip and layer range, maybe in a compatible format. */
struct aerogpu_cmd_create_texture_view {
  struct aerogpu_cmd_hdr hdr;
  uint32_t view_handle;
  uint32_t texture_handle;
  uint32_t format; /* enum aerogpu_format */
  uint32_t base_mip_level;
  uint32_t mip_level_count;
  uint32_t base_array_layer;
  uint32_t array_layer_count;
  uint64_t reserved0;
};
AEROGPU_ABI_SIZE(aerogpu_cmd_create_texture_view, 44);

/** DESTROY_RESOURCE: drops one reference. */
struct aerogpu_cmd_destroy_resource {
  struct aerogpu_cmd_hdr hdr;
  uint32_t resource_handle;
  uint32_t reserved0;
};
AEROGPU_ABI_SIZE(aerogpu_cmd_destroy_resource, 16);

/** DESTROY_TEXTURE_VIEW: an unknown handle is no error. */
struct aerogpu_cmd_destroy_texture_view {
  struct aerogpu_cmd_hdr hdr;
  uint32_t view_handle;
  uint32_t reserved0;
};
AEROGPU_ABI_SIZE(aerogpu_cmd_destroy_texture_view, 16);

/** RESOURCE_DIRTY_RANGE: the CPU changed these bytes of the backing. */
struct aerogpu_cmd_resource_dirty_range {
  struct aerogpu_cmd_hdr hdr;
  uint32_t resource_handle;
  uint32_t reserved0;
  uint64_t offset_bytes;
  uint64_t size_bytes;
};
AEROGPU_ABI_SIZE(aerogpu_cmd_resource_dirty_range, 32);

/** UPLOAD_RESOURCE: size_bytes bytes follow. */
struct aerogpu_cmd_upload_resource {
  struct aerogpu_cmd_hdr hdr;
  uint32_t resource_handle;
  uint32_t reserved0;
  uint64_t offset_bytes; /* for textures, into the packed layout */
  uint64_t size_bytes;
};
AEROGPU_ABI_SIZE(aerogpu_cmd_upload_resource, 32);

/** COPY_BUFFER: offsets and size are multiples of 4. */
struct aerogpu_cmd_copy_buffer {
  struct aerogpu_cmd_hdr hdr;
  uint32_t dst_buffer;
  uint32_t src_buffer;
  uint64_t dst_offset_bytes;
  uint64_t src_offset_bytes;
  uint64_t size_bytes;
  uint32_t flags; /* enum aerogpu_copy_flags */
  uint32_t reserved0;
};
AEROGPU_ABI_SIZE(aerogpu_cmd_copy_buffer, 48);

/** COPY_TEXTURE2D: formats match, both rectangles lie inside. */
struct aerogpu_cmd_copy_texture2d {
  struct aerogpu_cmd_hdr hdr;
  uint32_t dst_texture;
  uint32_t src_texture;
  uint32_t dst_mip_level;
  uint32_t dst_array_layer;
  uint32_t src_mip_level;
  uint32_t src_array_layer;
  uint32_t dst_x;
  uint32_t dst_y;
  uint32_t src_x;
  uint32_t src_y;
  uint32_t width;  /* pixels */
  uint32_t height; /* pixels */
  uint32_t flags;  /* enum aerogpu_copy_flags */
  uint32_t reserved0;
};
AEROGPU_ABI_SIZE(aerogpu_cmd_copy_texture2d, 64);

/** EXPORT_SHARED_SURFACE: token -> resource. */
struct aerogpu_cmd_export_shared_surface {
  struct aerogpu_cmd_hdr hdr;
  uint32_t resource_handle;
  uint32_t reserved0;
  uint64_t share_token;
};
AEROGPU_ABI_SIZE(aerogpu_cmd_export_shared_surface, 24);

/** IMPORT_SHARED_SURFACE: a new handle for the resource of the token. */
struct aerogpu_cmd_import_shared_surface {
  struct aerogpu_cmd_hdr hdr;
  uint32_t out_resource_handle;
  uint32_t reserved0;
  uint64_t share_token;
};
AEROGPU_ABI_SIZE(aerogpu_cmd_import_shared_surface, 24);

/** RELEASE_SHARED_SURFACE: the token is never valid again; handles live on. */
struct aerogpu_cmd_release_shared_surface {
  struct aerogpu_cmd_hdr hdr;
  uint64_t share_token;
  uint64_t reserved0;
};
AEROGPU_ABI_SIZE(aerogpu_cmd_release_shared_surface, 24);

#pragma pack(pop)

#endif /* AEROGPU_CMD_RESOURCE_H */
