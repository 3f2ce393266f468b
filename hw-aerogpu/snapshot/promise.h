/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the guest was told of the GPU: the capability block and the features.
 * They do not change while the machine runs (CAPS-1), so they come with a
 * saved state, and a host that lacks something of them refuses it (promise.c).
 */
#ifndef HW_AEROGPU_PROMISE_H
#define HW_AEROGPU_PROMISE_H

#include "hw-aerogpu/types.h"

/* More than a promise has. */
#define AEROGPU_MOST_PROMISE 0x8000u

/* BQL. */
typedef struct AeroGPUPromise {
    char *accept;      /* property; NULL: announced */
    bool accepts_used; /* the same; constant once realized */
    uint8_t *loaded;   /* the block of another machine; NULL: the renderer's */
} AeroGPUPromise;

/* Parses the property. */
bool aerogpu_promise_init(AeroGPUState *s, Error **errp);

/* True if a renderer without a GPU would have told the guest otherwise. BQL. */
bool aerogpu_promise_matters(AeroGPUState *s);
/* Returns the promise as bytes of a saved state. g_free() it. BQL. */
uint8_t *aerogpu_promise_save(AeroGPUState *s, size_t *size);
/*
 * Returns < 0, with a message, if this host cannot keep the promise, unless
 * accept=used, and the machine is refused for it. BQL.
 */
int aerogpu_promise_check(AeroGPUState *s, const uint8_t *bytes, size_t size);
/*
 * Takes a saved promise over, or returns < 0 if this host cannot keep it, or
 * if it is none. BQL.
 */
int aerogpu_promise_load(AeroGPUState *s, const uint8_t *bytes, size_t size);
/* Keeps what the guest was told, whatever the renderer's GPU will be. BQL. */
void aerogpu_promise_keep(AeroGPUState *s);
/* Tells the guest what this host has, as before any load. BQL. */
void aerogpu_promise_own(AeroGPUState *s);
void aerogpu_promise_exit(AeroGPUState *s);

#endif /* HW_AEROGPU_PROMISE_H */
