/* SPDX-License-Identifier: MIT */
/* The Vulkan devices of this host, for programs that let a person choose (struct aerogpu_renderer_config,
 * vulkan_device). A C interface beside aerogpu/renderer.h. */
#ifndef AEROGPU_VULKAN_DEVICES_H
#define AEROGPU_VULKAN_DEVICES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/** A Vulkan device. Pointers are valid during the callback only. */
struct aerogpu_vulkan_device {
  uint32_t struct_size;
  uint32_t index;    /* a number for vulkan_device */
  const char* name;  /* a part of it serves too */
  const char* kind;  /* "discrete GPU", "CPU" and the like */
  const char* unfit; /* why the renderer cannot run on it; NULL: it can */
  bool chosen;       /* the choice if vulkan_device names none */
};

/**
 * Calls `each` for each Vulkan device of this host, before it returns, in the order of the indices. Any
 * thread. Needs no renderer; each device that looks fit is opened briefly, since only that proves it. Returns
 * false and a message in `error` (NUL-terminated, cut to error_size; may be NULL) if there is none.
 */
bool aerogpu_list_vulkan_devices(void (*each)(void* opaque, const struct aerogpu_vulkan_device* device),
                                 void* opaque, char* error, size_t error_size);

#ifdef __cplusplus
}
#endif

#endif /* AEROGPU_VULKAN_DEVICES_H */
