/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Objects that outlast the machine's sleep (keep.c). */
#ifndef HW_AEROGPU_KEEP_H
#define HW_AEROGPU_KEEP_H

#include "qemu/notify.h"
#include "hw-aerogpu/types.h"

/* BQL. */
typedef struct AeroGPUKeep {
    uint32_t state;   /* as KEEP reads: AEROGPU_EXT_KEEP_* */
    uint64_t key;     /* of the driver that asked to keep objects */
    uint64_t written; /* value of KEEP_KEY */
    bool suspended;   /* the machine went to sleep, and no reset came yet */
    Notifier suspend, wakeup;
} AeroGPUKeep;

/* The action that must follow a write or a reset. */
typedef enum AeroGPUKeepVerdict {
    AEROGPU_KEEP_NOTHING,
    AEROGPU_KEEP_DROP, /* drop the objects that were held */
    AEROGPU_KEEP_BACK, /* give the driver its objects back */
} AeroGPUKeepVerdict;

/* Handles a write to KEEP. BQL. */
AeroGPUKeepVerdict aerogpu_keep_write(AeroGPUState *s, uint32_t value);
/* Ends keeping: another driver may use the device from now on. BQL. */
AeroGPUKeepVerdict aerogpu_keep_forget(AeroGPUState *s);
/* Handles a device reset. True if objects stay. BQL. */
bool aerogpu_keep_over_reset(AeroGPUState *s);

extern const VMStateDescription aerogpu_keep_vmstate;

void aerogpu_keep_init(AeroGPUState *s);
void aerogpu_keep_exit(AeroGPUState *s);

#endif /* HW_AEROGPU_KEEP_H */
