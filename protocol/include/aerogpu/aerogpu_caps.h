/* SPDX-License-Identifier: MIT */
/* The capability block: describes the host's GPU. docs/abi/extensions.md, "Capabilities". */
#ifndef AEROGPU_CAPS_H
#define AEROGPU_CAPS_H

#include "aerogpu_base.h"

#pragma pack(push, 1)

#define AEROGPU_CAPS_MAGIC 0x53504143U /* "CAPS" */
#define AEROGPU_CAPS_VERSION 2U

/** The start of the block; formats and strings follow. Later versions append fields. */
struct aerogpu_caps {
  uint32_t magic;
  uint32_t version;
  uint32_t size_bytes;         /* of the block, strings included */
  uint32_t struct_bytes;       /* of this structure as the device knows it */
  uint32_t device_name_offset; /* from the block's begin: the GPU, UTF-8, zero-terminated */
  uint32_t driver_name_offset; /* from the block's begin: its driver on the host, with its version */
  uint32_t max_texture_2d;     /* texels, each way */
  uint32_t max_texture_volume; /* texels, each way */
  uint32_t max_texture_cube;   /* texels, each way */
  uint32_t max_array_layers;
  uint32_t max_anisotropy; /* 1: there is none */
  uint32_t color_samples;  /* bit n: colour targets can have 2^n samples a texel */
  uint32_t depth_samples;  /* bit n: depth targets can have 2^n samples a texel */
  uint32_t max_objects;    /* alive at once */
  uint64_t max_buffer_bytes;
  uint64_t max_host_bytes;     /* limit of what the host holds for the guest */
  uint32_t formats_offset;     /* from the block's begin: entries of aerogpu_format_caps; version 2 on */
  uint32_t format_count;       /* number of those entries */
  uint32_t format_entry_bytes; /* from one to the next */
  uint32_t flags;              /* AEROGPU_CAPS_* */
  uint32_t max_vertex_streams;
  uint32_t max_clip_planes;
  uint32_t max_color_targets;    /* at once */
  uint32_t max_point_size_f32;   /* pixels */
  uint32_t missing_vertex_types; /* bit n: elements of D3DDECLTYPE n are refused */
  uint32_t reserved0;
};
AEROGPU_ABI_SIZE(aerogpu_caps, 112);

#define AEROGPU_CAPS_BORDER_COLORS 0x1U      /* every border colour is exact; else the nearest of three is used */
#define AEROGPU_CAPS_MIRROR_ONCE 0x2U        /* D3DTADDRESS_MIRRORONCE; else it is D3DTADDRESS_MIRROR */
#define AEROGPU_CAPS_TRIANGLE_FANS 0x4U      /* triangle fans are drawn */
#define AEROGPU_CAPS_OCCLUSION_COUNTS 0x8U   /* occlusion queries count; else they say whether a sample passed */
#define AEROGPU_CAPS_STREAM_STEPS 0x10U      /* elements can advance every so many instances; else every one */
#define AEROGPU_CAPS_FILL_MODES 0x20U        /* wireframe and points; else all is solid */
#define AEROGPU_CAPS_D3D10_STATES 0x40U      /* EXT_SET_BLEND, EXT_SET_SAMPLERS and EXT_SET_DEPTH_BIAS work */
#define AEROGPU_CAPS_GEOMETRY_SHADERS 0x100U /* geometry shaders can be made */
#define AEROGPU_CAPS_D3D10_RESOURCES 0x400U  /* docs/abi/d3d10-resources.md holds */
#define AEROGPU_CAPS_STREAM_OUTPUT 0x800U    /* docs/abi/d3d10-stream-output.md holds */
#define AEROGPU_CAPS_LAYERS 0x1000U          /* geometry shaders choose layers of targets, and of 16 viewports */

/** The uses of textures of one format. */
struct aerogpu_format_caps {
  uint32_t format;  /* enum aerogpu_format */
  uint32_t caps;    /* AEROGPU_FORMAT_CAP_*; 0: no texture can be made */
  uint32_t samples; /* bit n: targets of it can have 2^n samples a texel; 0: it is no target */
  uint32_t reserved0;
};
AEROGPU_ABI_SIZE(aerogpu_format_caps, 16);

#define AEROGPU_FORMAT_CAP_SAMPLE 0x1U        /* 2D textures are sampled */
#define AEROGPU_FORMAT_CAP_FILTER 0x2U        /* and filtered */
#define AEROGPU_FORMAT_CAP_VERTEX_SAMPLE 0x4U /* by vertex shaders too */
#define AEROGPU_FORMAT_CAP_TARGET 0x8U        /* colour targets */
#define AEROGPU_FORMAT_CAP_BLEND 0x10U        /* colour targets that blend */
#define AEROGPU_FORMAT_CAP_DEPTH 0x20U        /* depth targets */
#define AEROGPU_FORMAT_CAP_COMPARE 0x40U      /* sampling compares, and filters the results */
#define AEROGPU_FORMAT_CAP_SRGB_READ 0x80U    /* D3DSAMP_SRGBTEXTURE has an effect */
#define AEROGPU_FORMAT_CAP_SRGB_WRITE 0x100U  /* D3DRS_SRGBWRITEENABLE has an effect */
#define AEROGPU_FORMAT_CAP_VOLUME 0x200U      /* volumes are sampled */
#define AEROGPU_FORMAT_CAP_CUBE 0x400U        /* cubes are sampled */
#define AEROGPU_FORMAT_CAP_BLIT_SRC 0x800U    /* EXT_BLIT converts and scales from it */
#define AEROGPU_FORMAT_CAP_BLIT_DST 0x1000U   /* EXT_BLIT converts and scales to it */
#define AEROGPU_FORMAT_CAP_AUTO_MIPS 0x2000U  /* EXT_GENERATE_MIPS */
#define AEROGPU_FORMAT_CAP_STENCIL 0x4000U    /* a depth format with stencil */
#define AEROGPU_FORMAT_CAP_BORDER 0x8000U     /* border colours are treated as its texels are */
#define AEROGPU_FORMAT_CAP_GATHER 0x10000U    /* D3DSAMP_MIPMAPLODBIAS "GET4" gathers four texels */
#define AEROGPU_FORMAT_CAP_VERTEX 0x20000U    /* elements of EXT_CREATE_LAYOUT */

#pragma pack(pop)

#endif /* AEROGPU_CAPS_H */
