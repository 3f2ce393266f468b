/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The records of a saved state: a head of 16 bytes (kind, index, length;
 * big-endian) and its bytes (records.c).
 */
#ifndef HW_AEROGPU_RECORDS_H
#define HW_AEROGPU_RECORDS_H

#include "hw-aerogpu/ring/spool.h"
#include "hw-aerogpu/types.h"

typedef struct AeroGPURecordHead {
    uint32_t kind;
    uint32_t index;
    uint64_t bytes;
} AeroGPURecordHead;

void aerogpu_put_head(QEMUFile *f, uint32_t kind, uint32_t index,
                      uint64_t bytes);

/* Return < 0, with a message, if the state is cut short. */
int aerogpu_get_head(QEMUFile *f, AeroGPURecordHead *head);
/* The bytes go to the end of the spool; NULL: nobody wants them. */
int aerogpu_get_spool(QEMUFile *f, AeroGPUSpool *spool, uint64_t bytes);

#endif /* HW_AEROGPU_RECORDS_H */
