/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The part of a saved state that the renderer and its pictures need: what the
 * guest was told of the GPU, a snapshot, frames that are shown or wait
 * (carry.c). It comes last in the device's section.
 */
#ifndef HW_AEROGPU_CARRY_H
#define HW_AEROGPU_CARRY_H

#include "hw-aerogpu/ring/handover.h"
#include "hw-aerogpu/types.h"

/* BQL. */
typedef struct AeroGPUCarry {
    AeroGPUCargo cargo; /* of the save or load that is under way */
    uint8_t *promise;   /* of a load: what the guest was told */
    size_t promise_size;
    int64_t began_ns; /* host clock: the save */
    uint64_t rest_ns;
    uint64_t sent; /* bytes of the snapshot and frames */
} AeroGPUCarry;

/*
 * Takes what the renderer holds, before anything of the device is saved.
 * False, with a message in the log, if it cannot be saved; the machine can go
 * on then. BQL.
 */
bool aerogpu_carry_save(AeroGPUState *s);
/* Ends a save. BQL. */
void aerogpu_carry_saved(AeroGPUState *s);
/* Begins a load. BQL. */
void aerogpu_carry_load(AeroGPUState *s);
/*
 * Gives all to the renderer and the pictures to their places. Returns < 0 if
 * that is refused. BQL; call it when the rest of the device is loaded.
 */
int aerogpu_carry_loaded(AeroGPUState *s);
void aerogpu_carry_exit(AeroGPUState *s);

extern const VMStateDescription aerogpu_carry_vmstate;

#endif /* HW_AEROGPU_CARRY_H */
