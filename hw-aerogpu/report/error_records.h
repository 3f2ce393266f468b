/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Single errors, each with its space and context (error_records.c). */
#ifndef HW_AEROGPU_ERROR_RECORDS_H
#define HW_AEROGPU_ERROR_RECORDS_H

#include "hw-aerogpu/types.h"
#include "aerogpu/aerogpu_error_records.h"

typedef struct AeroGPUErrorRecord {
    uint64_t fence;      /* 0 = outside of a submission */
    uint32_t code;       /* enum aerogpu_error_code */
    uint32_t count;      /* sticks at its maximum */
    uint32_t space;      /* of the submission; 0 without handle spaces */
    uint32_t context_id; /* of the submission */
} AeroGPUErrorRecord;

/* Under the device's `lock`. */
typedef struct AeroGPUErrorRecords {
    AeroGPUErrorRecord waiting[AEROGPU_EXT_ERROR_RECORDS]; /* oldest first */
    uint32_t count;
    uint32_t lost; /* AEROGPU_EXT_ERROR_LOST*, since the last take */
    bool wanted;   /* a driver wrote ERROR_NEXT since the reset */
    /* The values of the registers. */
    AeroGPUErrorRecord taken;
    uint32_t taken_flags; /* AEROGPU_EXT_ERROR_*, without the code */
} AeroGPUErrorRecords;

/* Notes an error, unless no driver has asked for one yet. Lock held. */
void aerogpu_error_records_add(AeroGPUErrorRecords *records,
                               const AeroGPUErrorRecord *error);
/* Handles a write to ERROR_NEXT. Lock held. */
void aerogpu_error_records_take(AeroGPUErrorRecords *records);
/* Returns the register at `offset`, ERROR_TAKEN or a later one. Lock held. */
uint32_t aerogpu_error_records_read(const AeroGPUErrorRecords *records,
                                    uint32_t offset);

#endif /* HW_AEROGPU_ERROR_RECORDS_H */
