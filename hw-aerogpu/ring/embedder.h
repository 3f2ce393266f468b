/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The device as the renderer's embedder (embedder.c). */
#ifndef HW_AEROGPU_EMBEDDER_H
#define HW_AEROGPU_EMBEDDER_H

#include "hw-aerogpu/types.h"

/* Properties; constant once the device is realized. */
typedef struct AeroGPURendererConfig {
    char *renderer; /* back end; NULL = auto */
    char *vulkan_device;
    char *capture;         /* file; NULL = none */
    char *recent_trace;    /* file; NULL = none */
    char *caps;            /* what is announced; NULL = all */
    char *on_load_failure; /* snapshot/failure.h; NULL = refuse */
    char *move;            /* for tests: move.h */
    uint64_t recent_bytes;
    uint64_t max_hostmem;
    uint64_t max_space_hostmem; /* 0: half of max_hostmem */
    uint32_t max_batch_ms;      /* of one program, while others wait */
    uint32_t process_deaths;    /* in a minute; 0: any number */
    OnOffAuto process;          /* the renderer gets one of its own */
} AeroGPURendererConfig;

/* Returns a text that names this build's back ends. g_free() it. */
char *aerogpu_embedder_backends(void);

/* Creates the renderer that the properties ask for, and starts the capture. */
bool aerogpu_embedder_init(AeroGPUState *s, Error **errp);
/*
 * Waits a while for outstanding work, then destroys the renderer. The render
 * thread has ended. BQL.
 */
void aerogpu_embedder_exit(AeroGPUState *s);

#endif /* HW_AEROGPU_EMBEDDER_H */
