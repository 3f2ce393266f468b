/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Loss and return of the GPU: whether it works, whether completions are held
 * while it does not, and how often the guest's objects were dropped. LOSS-1 to
 * LOSS-8; reset.c does a restart.
 */
#include "qemu/osdep.h"
#include "qemu/lockable.h"
#include "hw-aerogpu/aerogpu.h"
#include "hw-aerogpu/report/errors.h"
#include "hw-aerogpu/report/log.h"
#include "hw-aerogpu/ring/loss.h"
#include "hw-aerogpu/report/trace_events.h"

bool aerogpu_loss_holds_locked(AeroGPUState *s)
{
    return s->loss.enable && s->loss.state == AEROGPU_EXT_GPU_LOST;
}

/*
 * Sets the state. The renderer holds values (EXT_WRITE_VALUE) of a lost GPU
 * back if GPU_ENABLE is set and the GPU is not gone for good. Lock held.
 */
static void aerogpu_loss_update_locked(AeroGPUState *s, uint32_t state)
{
    if (s->loss.state != state) {
        trace_aerogpu_gpu_state(state, s->loss.generation);
    }
    qatomic_set(&s->loss.state, state);
    aerogpu_renderer_hold_values(
        s->renderer, s->loss.enable && state != AEROGPU_EXT_GPU_GONE);
}

void aerogpu_loss_noticed_locked(AeroGPUState *s, uint64_t fence,
                                 uint32_t space, uint32_t context_id)
{
    if (s->loss.state != AEROGPU_EXT_GPU_WORKS) {
        return;
    }
    aerogpu_loss_update_locked(s, AEROGPU_EXT_GPU_LOST);
    if (s->loss.enable) {
        aerogpu_latch_record_locked(
            s, &(AeroGPUErrorRecord){ .fence = fence,
                                      .code = AEROGPU_ERROR_BACKEND,
                                      .count = 1,
                                      .space = space,
                                      .context_id = context_id });
    }
}

void aerogpu_loss_objects_dropped(AeroGPUState *s)
{
    qatomic_set(&s->loss.generation, s->loss.generation + 1);
}

void aerogpu_loss_over(AeroGPUState *s, bool works)
{
    QEMU_LOCK_GUARD(&s->lock);
    aerogpu_loss_update_locked(s, works ? AEROGPU_EXT_GPU_WORKS
                                        : AEROGPU_EXT_GPU_GONE);
}

bool aerogpu_loss_enable(AeroGPUState *s, bool enable)
{
    QEMU_LOCK_GUARD(&s->lock);
    s->loss.enable = enable;
    aerogpu_loss_update_locked(s, s->loss.state);
    return !aerogpu_loss_holds_locked(s);
}

/*
 * ---- saved state ----
 *
 * Objects go along, so the generation stays. A GPU that is lost is saved as
 * lost if a driver waits for it (GPU_ENABLE): all objects are gone then, and
 * the device that loads it works again after GPU_RESTART.
 */
static bool aerogpu_loss_state_needed(void *opaque)
{
    AeroGPUState *s = opaque;

    return qatomic_read(&s->loss.state) != AEROGPU_EXT_GPU_WORKS;
}

static int aerogpu_loss_pre_save(void *opaque)
{
    AeroGPUState *s = opaque;

    s->loss.saved_generation = s->loss.generation;
    s->loss.saved_state = s->loss.state;
    return 0;
}

static int aerogpu_loss_post_load(void *opaque, int version_id)
{
    AeroGPUState *s = opaque;

    qatomic_set(&s->loss.generation, s->loss.saved_generation);
    return 0;
}

void aerogpu_loss_load(AeroGPUState *s)
{
    s->loss.saved_state = AEROGPU_EXT_GPU_WORKS;
}

int aerogpu_loss_loaded(AeroGPUState *s)
{
    uint32_t state = s->loss.saved_state;

    if (state != AEROGPU_EXT_GPU_WORKS &&
        (state != AEROGPU_EXT_GPU_LOST || !s->loss.enable)) {
        return aerogpu_load_error("the GPU's state is %u", state);
    }
    QEMU_LOCK_GUARD(&s->lock);
    aerogpu_loss_update_locked(
        s, state == AEROGPU_EXT_GPU_LOST ? state : s->loss.state);
    return 0;
}

static const VMStateDescription aerogpu_loss_state_vmstate = {
    .name = "aerogpu/loss/state",
    .version_id = 1,
    .minimum_version_id = 1,
    .needed = aerogpu_loss_state_needed,
    .fields =
        AEROGPU_VMSTATE_FIELDS{ VMSTATE_UINT32(loss.saved_state, AeroGPUState),
                                VMSTATE_END_OF_LIST() },
};

const VMStateDescription aerogpu_loss_vmstate = {
    .name = "aerogpu/loss",
    .version_id = 1,
    .minimum_version_id = 1,
    .pre_save = aerogpu_loss_pre_save,
    .post_load = aerogpu_loss_post_load,
    .fields = AEROGPU_VMSTATE_FIELDS{ VMSTATE_BOOL(loss.enable, AeroGPUState),
                                      VMSTATE_UINT32(loss.saved_generation,
                                                     AeroGPUState),
                                      VMSTATE_END_OF_LIST() },
    .subsections =
        (const VMStateDescription *[]){ &aerogpu_loss_state_vmstate, NULL },
};
