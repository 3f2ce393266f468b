/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What becomes of a machine whose part of the GPU this host cannot take
 * (property on_load_failure): it is refused, or loaded with its GPU lost, which
 * its driver brings back (LOSS-12).
 */
#ifndef HW_AEROGPU_FAILURE_H
#define HW_AEROGPU_FAILURE_H

#include "hw-aerogpu/types.h"

/* BQL, but for load_setup of a migration, which comes before. */
typedef struct AeroGPUFailure {
    bool loses;   /* instead of refusing; constant once realized */
    char *reason; /* of the load that is under way; NULL: none */
    char *last;   /* the same of the last load, for people */
} AeroGPUFailure;

/* Parses the property. */
bool aerogpu_failure_init(AeroGPUState *s, Error **errp);
void aerogpu_failure_exit(AeroGPUState *s);

/*
 * Notes that something cannot be taken. Returns 0 if the load goes on, with a
 * lost GPU, or < 0, with a message. Only the first one counts.
 */
int G_GNUC_PRINTF(2, 3)
    aerogpu_failure_take(AeroGPUState *s, const char *format, ...);
/* Returns true if something was noted. */
bool aerogpu_failure_noted(AeroGPUState *s);
/* A load begins, or ends with nothing loaded. */
void aerogpu_failure_forget(AeroGPUState *s);
/*
 * Ends the load: if something was noted the GPU is lost, provided that the
 * renderer held something (`held`).
 */
void aerogpu_failure_ends(AeroGPUState *s, bool held);

#endif /* HW_AEROGPU_FAILURE_H */
