/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Names and limits that every part of the device knows. */
#ifndef HW_AEROGPU_TYPES_H
#define HW_AEROGPU_TYPES_H

#include "hw-aerogpu/compat/compat.h"

#include "migration/vmstate.h"

#define TYPE_AEROGPU "aerogpu"
typedef struct AeroGPUState AeroGPUState; /* aerogpu.h */

/* Limits. A guest that asks for more gets an error, never a hang. */
#define AEROGPU_MAX_CMD_BYTES (64u * 1024 * 1024)
#define AEROGPU_MAX_TABLE_BYTES (16u * 1024 * 1024)
#define AEROGPU_MAX_OUTSTANDING 128u          /* fetched and not completed */
#define AEROGPU_MAX_SCANOUT 16384u            /* pixels, each way */
#define AEROGPU_MAX_SCANOUT_PIXELS (1u << 26) /* or what BAR1 has room for */
#define AEROGPU_MAX_CURSOR 256u               /* pixels, each way */
#define AEROGPU_HANDSHAKE_MS 2000     /* longest wait for the render thread */
#define AEROGPU_RING_RESET_MS 100     /* the same if no old work writes */
#define AEROGPU_GUEST_HOLDS_ONE_IN 64 /* guests hold the BQL at most 1/64 */
#define AEROGPU_MIN_BATCH_MS 20u      /* of max_batch_ms: a step of the waits */
#define AEROGPU_MAX_BATCH_MS 60000u   /* time of a batch that is alone */
#define AEROGPU_EXIT_MS 5000 /* longest wait for the thread at the end */
/* Room for a renderer's message: a list of all that a GPU lacks. */
#define AEROGPU_ERROR_BYTES 8192

/* Cookie of a scanout snapshot; the low bits are its flip serial. */
#define AEROGPU_COOKIE_SNAPSHOT (1ull << 63)

#endif /* HW_AEROGPU_TYPES_H */
