/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The queue of error records. REC-1 to REC-5. Records of equal code, space and
 * context are merged, so that no program fills the queue with mistakes of one
 * kind. In a full queue an INTERNAL error, of a submission that did not run and
 * on which a driver acts, displaces the newest error of another code.
 */
#include "qemu/osdep.h"
#include "hw-aerogpu/report/error_records.h"
#include "aerogpu/aerogpu_pci.h"

void aerogpu_error_records_add(AeroGPUErrorRecords *records,
                               const AeroGPUErrorRecord *error)
{
    bool internal = error->code == AEROGPU_ERROR_INTERNAL;
    uint32_t i, room = records->count;

    if (!records->wanted) {
        return;
    }
    for (i = 0; i < records->count; i++) {
        AeroGPUErrorRecord *one = &records->waiting[i];

        if (one->code == error->code && one->space == error->space &&
            one->context_id == error->context_id) {
            one->fence = error->fence;
            one->count = one->count + error->count < one->count
                             ? UINT32_MAX
                             : one->count + error->count;
            return;
        }
    }
    if (records->count == ARRAY_SIZE(records->waiting)) {
        records->lost |= AEROGPU_EXT_ERROR_LOST;
        while (internal && room &&
               records->waiting[room - 1].code == AEROGPU_ERROR_INTERNAL) {
            room--;
        }
        if (!internal || !room) {
            records->lost |= internal ? AEROGPU_EXT_ERROR_LOST_INTERNAL : 0;
            return;
        }
        memmove(&records->waiting[room - 1], &records->waiting[room],
                (records->count - room) * sizeof(*error));
        records->count--;
    }
    records->waiting[records->count++] = *error;
}

void aerogpu_error_records_take(AeroGPUErrorRecords *records)
{
    records->wanted = true;
    records->taken = (AeroGPUErrorRecord){ 0 };
    records->taken_flags = records->lost;
    records->lost = 0;
    if (!records->count) {
        return;
    }
    records->taken = records->waiting[0];
    records->count--;
    memmove(&records->waiting[0], &records->waiting[1],
            records->count * sizeof(records->waiting[0]));
    if (records->count) {
        records->taken_flags |= AEROGPU_EXT_ERROR_MORE;
    }
}

uint32_t aerogpu_error_records_read(const AeroGPUErrorRecords *records,
                                    uint32_t offset)
{
    switch (offset) {
    case AEROGPU_EXT_REG_ERROR_TAKEN:
        return records->taken.code | records->taken_flags;
    case AEROGPU_EXT_REG_ERROR_TAKEN_COUNT:
        return records->taken.count;
    case AEROGPU_EXT_REG_ERROR_TAKEN_FENCE_LO:
        return records->taken.fence;
    case AEROGPU_EXT_REG_ERROR_TAKEN_FENCE_HI:
        return records->taken.fence >> 32;
    case AEROGPU_EXT_REG_ERROR_TAKEN_SPACE:
        return records->taken.space;
    case AEROGPU_EXT_REG_ERROR_TAKEN_CONTEXT:
        return records->taken.context_id;
    default:
        return 0;
    }
}
