/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Loss and return of the GPU, as the guest sees them (loss.c). */
#ifndef HW_AEROGPU_LOSS_H
#define HW_AEROGPU_LOSS_H

#include "hw-aerogpu/types.h"

typedef struct AeroGPULoss {
    uint32_t state;      /* lock for writing, atomic: AEROGPU_EXT_GPU_* */
    uint32_t generation; /* BQL for writing, atomic: counts drops of objects */
    bool enable;         /* BQL and lock for writing */
    uint32_t saved_generation; /* BQL */
    uint32_t saved_state;      /* BQL */
} AeroGPULoss;

/*
 * Notes that the GPU was lost under the submission with `fence`, in that
 * handle space and context. Any thread, lock held.
 */
void aerogpu_loss_noticed_locked(AeroGPUState *s, uint64_t fence,
                                 uint32_t space, uint32_t context_id);
/*
 * True if submissions that the GPU was lost under must not complete, and no
 * more may be fetched. Any thread, lock held.
 */
bool aerogpu_loss_holds_locked(AeroGPUState *s);

/* Notes that all objects are about to be dropped. BQL. */
void aerogpu_loss_objects_dropped(AeroGPUState *s);
/* Ends a loss, after all objects are dropped. `works`: whether the GPU works
 * now. Render thread. */
void aerogpu_loss_over(AeroGPUState *s, bool works);
/* Handles a write to GPU_ENABLE. True if fences may complete now. BQL. */
bool aerogpu_loss_enable(AeroGPUState *s, bool enable);

extern const VMStateDescription aerogpu_loss_vmstate;
/* Begins a load. BQL. */
void aerogpu_loss_load(AeroGPUState *s);
/*
 * Tells the renderer of the loaded state. Returns < 0 if no device can have
 * saved it. BQL; call it when all is loaded.
 */
int aerogpu_loss_loaded(AeroGPUState *s);

#endif /* HW_AEROGPU_LOSS_H */
