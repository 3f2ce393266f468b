/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Makes all that the renderer holds anew while the machine runs: on another GPU
 * (the property vulkan-device), in another process (renderer-restart), or, for
 * tests, again and again (x-move).
 */
#ifndef HW_AEROGPU_MOVE_H
#define HW_AEROGPU_MOVE_H

#include "hw-aerogpu/types.h"

typedef struct AeroGPUMove {
    char *device;  /* where to; the render thread's while the handover runs */
    bool kept;     /* likewise: nothing is lost */
    uint64_t seen; /* likewise: bytes that were saved and loaded */
    /* For tests, x-move: the render thread's alone. */
    uint32_t every; /* 0 = never; constant once realized */
    bool anew;      /* the GPU too, and the renderer's process */
    uint32_t submitted;
} AeroGPUMove;

/* For tests: parses the property x-move. */
bool aerogpu_move_init(AeroGPUState *s, Error **errp);
/* For tests: counts a submission, and may make all anew. Render thread. */
void aerogpu_move_submitted(AeroGPUState *s);

/*
 * Moves everything to another GPU, named as the property vulkan-device is.
 * Waits as long as there is progress. False with an error if it is where it
 * was. BQL.
 */
bool aerogpu_move_to_gpu(AeroGPUState *s, const char *device, Error **errp);
/*
 * Has a process ready for a move to that GPU; NULL: has none. The status tells
 * when it is. False with an error if that is not possible now. BQL.
 */
bool aerogpu_prepare_for_gpu(AeroGPUState *s, const char *device, Error **errp);
/* Do the render thread's parts. */
void aerogpu_move_requested(AeroGPUState *s);
void aerogpu_prepare_requested(AeroGPUState *s);

#endif /* HW_AEROGPU_MOVE_H */
