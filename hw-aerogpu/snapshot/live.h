/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A migration while the machine runs: contents of buffers and textures go
 * ahead, and what changes is sent again or waits for the stop (live.c).
 */
#ifndef HW_AEROGPU_LIVE_H
#define HW_AEROGPU_LIVE_H

#include "hw-aerogpu/types.h"

/* Of the thread that migrates, which has the BQL when the machine stops. */
typedef struct AeroGPULive {
    char *id;         /* of the section; NULL: not registered */
    bool going;       /* the renderer saves while the guest goes on */
    bool coming;      /* memory came ahead of a state that is loaded */
    uint64_t sent;    /* bytes that went ahead */
    uint64_t rested;  /* bytes that can go ahead now */
    uint64_t written; /* bytes that are written too often for that */
} AeroGPULive;

/* BQL; the device has its place on the bus. */
void aerogpu_live_init(AeroGPUState *s);
void aerogpu_live_exit(AeroGPUState *s);
/* Ends what came ahead, when a state that was to follow did not. BQL. */
void aerogpu_live_drop(AeroGPUState *s);

#endif /* HW_AEROGPU_LIVE_H */
