/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Ring reset, device reset, restart of the GPU (reset.c). */
#ifndef HW_AEROGPU_RESET_H
#define HW_AEROGPU_RESET_H

#include "hw-aerogpu/types.h"

void aerogpu_ring_reset(AeroGPUState *s); /* RING_CONTROL.RESET; BQL */
/* Returns RING_BUSY: what work from before a reset still does. BUSY-1; BQL. */
uint32_t aerogpu_ring_busy(AeroGPUState *s);
void aerogpu_gpu_restart(AeroGPUState *s); /* GPU_RESTART; BQL */
/* Resets the whole device, VGA included. Realize has ended. BQL. */
void aerogpu_device_reset(AeroGPUState *s);

/* Drops objects that outlasted a device reset, and opens a lost GPU. BQL. */
void aerogpu_drop_held(AeroGPUState *s);

/*
 * Notes that the GPU was lost with objects that outlasted a reset, if there are
 * such: no driver has seen it, so it gets one that works. True then. BQL.
 */
bool aerogpu_held_are_lost(AeroGPUState *s);

/* Do the render thread's parts of the above. */
void aerogpu_ring_reset_requested(AeroGPUState *s);
void aerogpu_gpu_restart_requested(AeroGPUState *s);
void aerogpu_device_reset_requested(AeroGPUState *s);
/*
 * Waits until the renderer has nothing to do. The register side has a time
 * limit; this function gives up only if the device goes away. Render thread.
 */
void aerogpu_wait_idle(AeroGPUState *s);

#endif /* HW_AEROGPU_RESET_H */
