/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Errors stay in the ERROR_* registers until the device is reset: the newest
 * one's code and fence, and how many there were. FENCE-7, FENCE-8.
 */
#include "qemu/osdep.h"
#include "aerogpu.h"
#include "errors.h"
#include "history.h"
#include "irq.h"
#include "log.h"
#include "trace_events.h"

void aerogpu_latch_error_locked(AeroGPUState *s, uint32_t code, uint64_t fence,
                                uint32_t count)
{
    uint32_t n = s->errors.count;

    trace_aerogpu_error(code, fence, count);
    aerogpu_history_error(s, code, fence, count);
    s->errors.code = code;
    s->errors.fence = fence;
    s->errors.count = n + count < n ? UINT32_MAX : n + count;
    s->stats.errors += count;
    aerogpu_irq_raise(s, AEROGPU_IRQ_ERROR);
}

void aerogpu_errors_reset_locked(AeroGPUState *s)
{
    s->errors.code = AEROGPU_ERROR_NONE;
    s->errors.fence = 0;
    s->errors.count = 0;
}

/* ---- saved state ---- */

bool aerogpu_error_is_possible(uint32_t code, uint32_t count)
{
    switch (code) {
    case AEROGPU_ERROR_NONE:
        return count == 0;
    case AEROGPU_ERROR_CMD_DECODE:
    case AEROGPU_ERROR_OOB:
    case AEROGPU_ERROR_BACKEND:
    case AEROGPU_ERROR_INTERNAL:
        return count != 0;
    default:
        return false;
    }
}

static int aerogpu_errors_post_load(void *opaque, int version_id)
{
    AeroGPUErrors *errors = opaque;

    if (!aerogpu_error_is_possible(errors->code, errors->count) ||
        (!errors->count && errors->fence)) {
        return aerogpu_load_error("%u errors, the last with code %u and fence "
                                  "%" PRIu64,
                                  errors->count, errors->code, errors->fence);
    }
    return 0;
}

const VMStateDescription aerogpu_errors_vmstate = {
    .name = "aerogpu/errors",
    .version_id = 1,
    .minimum_version_id = 1,
    .post_load = aerogpu_errors_post_load,
    .fields = AEROGPU_VMSTATE_FIELDS{ VMSTATE_UINT32(code, AeroGPUErrors),
                                      VMSTATE_UINT32(count, AeroGPUErrors),
                                      VMSTATE_UINT64(fence, AeroGPUErrors),
                                      VMSTATE_END_OF_LIST() },
};
