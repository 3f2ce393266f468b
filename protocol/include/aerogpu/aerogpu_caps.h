/* SPDX-License-Identifier: MIT */
/* The capability block: what the host's GPU is and can do. docs/abi/extensions.md, "Capabilities". */
#ifndef AEROGPU_CAPS_H
#define AEROGPU_CAPS_H

#include "aerogpu_base.h"

#pragma pack(push, 1)

#define AEROGPU_CAPS_MAGIC 0x53504143U /* "CAPS" */
#define AEROGPU_CAPS_VERSION 1U

/** The block begins with it; the strings follow. Later versions append fields. */
struct aerogpu_caps {
  uint32_t magic;
  uint32_t version;
  uint32_t size_bytes;         /* of the block, strings too */
  uint32_t struct_bytes;       /* of this structure as the device knows it */
  uint32_t device_name_offset; /* from the block's begin: the GPU, UTF-8, zero-terminated */
  uint32_t driver_name_offset; /* the same: its driver on the host, with its version */
  uint32_t max_texture_2d;     /* texels, each way */
  uint32_t max_texture_volume; /* texels, each way */
  uint32_t max_texture_cube;   /* texels, each way */
  uint32_t max_array_layers;
  uint32_t max_anisotropy; /* 1: there is none */
  uint32_t color_samples;  /* bit n: colour targets can have 2^n samples a texel */
  uint32_t depth_samples;  /* bit n: depth targets can */
  uint32_t max_objects;    /* alive at once */
  uint64_t max_buffer_bytes;
  uint64_t max_host_bytes; /* that the host holds for the guest */
};
AEROGPU_ABI_SIZE(aerogpu_caps, 72);

#pragma pack(pop)

#endif /* AEROGPU_CAPS_H */
