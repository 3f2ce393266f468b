/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Fetching from the ring (ring.c). Render thread. */
#ifndef HW_AEROGPU_RING_H
#define HW_AEROGPU_RING_H

#include "hw-aerogpu/types.h"

/* True if the mapped ring has a slot to fetch. Cheap enough to poll. */
bool aerogpu_ring_poll(AeroGPUState *s);
/*
 * Submits the slots between head and tail. Latches errors of the header unless
 * `quiet`.
 */
void aerogpu_ring_drain(AeroGPUState *s, bool quiet);
/*
 * Returns the handle spaces of slots that were not fetched yet, at most
 * `room`, some several times; returns how many. Any thread.
 */
size_t aerogpu_ring_waiting_spaces(AeroGPUState *s, uint32_t *spaces,
                                   size_t room);
/* Frees the private copies; the render thread has ended. BQL. */
void aerogpu_ring_exit(AeroGPUState *s);

#endif /* HW_AEROGPU_RING_H */
