/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Errors stay in the ERROR_* registers until the device is reset: code and
 * fence of the newest one, and the number of errors. FENCE-7, FENCE-8. Each
 * also has a record, for drivers that ask for it (error_records.c).
 */
#include "qemu/osdep.h"
#include "hw-aerogpu/aerogpu.h"
#include "hw-aerogpu/report/error_records.h"
#include "hw-aerogpu/report/errors.h"
#include "hw-aerogpu/report/history.h"
#include "hw-aerogpu/report/irq.h"
#include "hw-aerogpu/report/log.h"
#include "hw-aerogpu/report/trace_events.h"

void aerogpu_latch_record_locked(AeroGPUState *s,
                                 const AeroGPUErrorRecord *error)
{
    uint32_t n = s->errors.count, count = error->count;

    trace_aerogpu_error(error->code, error->fence, count);
    aerogpu_history_error(s, error->code, error->fence, count);
    s->errors.code = error->code;
    s->errors.fence = error->fence;
    s->errors.count = n + count < n ? UINT32_MAX : n + count;
    aerogpu_error_records_add(&s->errors.records, error);
    s->stats.errors += count;
    aerogpu_irq_raise(s, AEROGPU_IRQ_ERROR);
}

void aerogpu_latch_error_locked(AeroGPUState *s, uint32_t code, uint64_t fence,
                                uint32_t count)
{
    aerogpu_latch_record_locked(
        s,
        &(AeroGPUErrorRecord){ .fence = fence, .code = code, .count = count });
}

void aerogpu_errors_reset_locked(AeroGPUState *s)
{
    s->errors.code = AEROGPU_ERROR_NONE;
    s->errors.fence = 0;
    s->errors.count = 0;
    s->errors.records = (AeroGPUErrorRecords){ 0 };
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

static bool aerogpu_records_needed(void *opaque)
{
    AeroGPUErrors *errors = opaque;

    return errors->records.wanted;
}

static bool aerogpu_records_fit(void *opaque, int version_id)
{
    AeroGPUErrors *errors = opaque;

    return errors->records.count <= AEROGPU_EXT_ERROR_RECORDS;
}

static int aerogpu_records_post_load(void *opaque, int version_id)
{
    AeroGPUErrors *errors = opaque;
    AeroGPUErrorRecords *records = &errors->records;
    const uint32_t lost =
        AEROGPU_EXT_ERROR_LOST | AEROGPU_EXT_ERROR_LOST_INTERNAL;
    bool good =
        aerogpu_error_is_possible(records->taken.code, records->taken.count) &&
        !(records->lost & ~lost) &&
        !(records->taken_flags & ~(lost | AEROGPU_EXT_ERROR_MORE));
    uint32_t i;

    for (i = 0; i < records->count; i++) {
        const AeroGPUErrorRecord *one = &records->waiting[i];

        good &= one->code && aerogpu_error_is_possible(one->code, one->count);
    }
    return good ? 0 : aerogpu_load_error("error records that cannot be");
}

static const VMStateDescription aerogpu_record_vmstate = {
    .name = "aerogpu/errors/record",
    .version_id = 1,
    .minimum_version_id = 1,
    .fields =
        AEROGPU_VMSTATE_FIELDS{ VMSTATE_UINT64(fence, AeroGPUErrorRecord),
                                VMSTATE_UINT32(code, AeroGPUErrorRecord),
                                VMSTATE_UINT32(count, AeroGPUErrorRecord),
                                VMSTATE_UINT32(space, AeroGPUErrorRecord),
                                VMSTATE_UINT32(context_id, AeroGPUErrorRecord),
                                VMSTATE_END_OF_LIST() },
};

static const VMStateDescription aerogpu_records_vmstate = {
    .name = "aerogpu/errors/records",
    .version_id = 1,
    .minimum_version_id = 1,
    .needed = aerogpu_records_needed,
    .post_load = aerogpu_records_post_load,
    .fields =
        AEROGPU_VMSTATE_FIELDS{
            VMSTATE_BOOL(records.wanted, AeroGPUErrors),
            VMSTATE_UINT32(records.lost, AeroGPUErrors),
            VMSTATE_STRUCT(records.taken, AeroGPUErrors, 1,
                           aerogpu_record_vmstate, AeroGPUErrorRecord),
            VMSTATE_UINT32(records.taken_flags, AeroGPUErrors),
            VMSTATE_UINT32(records.count, AeroGPUErrors),
            VMSTATE_VALIDATE("at most 128 records", aerogpu_records_fit),
            VMSTATE_STRUCT_VARRAY_UINT32(
                records.waiting, AeroGPUErrors, records.count, 1,
                aerogpu_record_vmstate, AeroGPUErrorRecord),
            VMSTATE_END_OF_LIST() },
};

const VMStateDescription aerogpu_errors_vmstate = {
    .name = "aerogpu/errors",
    .version_id = 1,
    .minimum_version_id = 1,
    .post_load = aerogpu_errors_post_load,
    .fields = AEROGPU_VMSTATE_FIELDS{ VMSTATE_UINT32(code, AeroGPUErrors),
                                      VMSTATE_UINT32(count, AeroGPUErrors),
                                      VMSTATE_UINT64(fence, AeroGPUErrors),
                                      VMSTATE_END_OF_LIST() },
    .subsections =
        (const VMStateDescription *[]){ &aerogpu_records_vmstate, NULL },
};
