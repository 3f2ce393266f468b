/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The latched ERROR_* registers (errors.c). */
#ifndef HW_AEROGPU_ERRORS_H
#define HW_AEROGPU_ERRORS_H

#include "hw-aerogpu/report/error_records.h"
#include "hw-aerogpu/types.h"

/* Under `lock`. */
typedef struct AeroGPUErrors {
    uint32_t code;  /* enum aerogpu_error_code, of the newest */
    uint32_t count; /* sticks at its maximum */
    uint64_t fence; /* of the newest; 0 = outside of a submission */
    AeroGPUErrorRecords records;
} AeroGPUErrors;

/*
 * Latches `error->count` errors, the last of them `error->code`, and raises
 * the interrupt. Any thread, lock held.
 */
void aerogpu_latch_record_locked(AeroGPUState *s,
                                 const AeroGPUErrorRecord *error);
/* Latches `count` errors that belong to no program: their space and context are
 * 0. */
void aerogpu_latch_error_locked(AeroGPUState *s, uint32_t code, uint64_t fence,
                                uint32_t count);
void aerogpu_errors_reset_locked(AeroGPUState *s);

extern const VMStateDescription aerogpu_errors_vmstate;
/* True if a device can have counted `count` errors with this last code. */
bool aerogpu_error_is_possible(uint32_t code, uint32_t count);

#endif /* HW_AEROGPU_ERRORS_H */
