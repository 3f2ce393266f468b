/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Fetching from the ring (ring.c). Render thread. */
#ifndef HW_AEROGPU_RING_H
#define HW_AEROGPU_RING_H

#include "hw-aerogpu/types.h"

/* A short look for the time before the thread sleeps: is there work? */
bool aerogpu_ring_poll(AeroGPUState *s);
/*
 * Submits what lies between head and tail. Errors of the header are latched
 * unless `quiet`.
 */
void aerogpu_ring_drain(AeroGPUState *s, bool quiet);
/*
 * The handle spaces of what is in the ring and was not fetched yet, at most
 * `room` of them, some several times; returns how many. Any thread.
 */
size_t aerogpu_ring_waiting_spaces(AeroGPUState *s, uint32_t *spaces,
                                   size_t room);
/* Frees the private copies; the render thread has ended. BQL. */
void aerogpu_ring_exit(AeroGPUState *s);

#endif /* HW_AEROGPU_RING_H */
