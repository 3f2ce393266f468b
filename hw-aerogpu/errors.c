/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Errors stay in the ERROR_* registers until the device is reset: the newest
 * one's code and fence, and how many there were. FENCE-7, FENCE-8.
 */
#include "qemu/osdep.h"
#include "aerogpu.h"
#include "errors.h"
#include "irq.h"
#include "trace_events.h"

void aerogpu_latch_error_locked(AeroGPUState *s, uint32_t code, uint64_t fence,
                                uint32_t count)
{
    uint32_t n = s->errors.count;

    trace_aerogpu_error(code, fence, count);
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
