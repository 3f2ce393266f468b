/* SPDX-License-Identifier: GPL-2.0-or-later */
/* COMPLETED_FENCE and the fence page (fence.c). */
#ifndef HW_AEROGPU_FENCE_H
#define HW_AEROGPU_FENCE_H

#include "exec/memory.h"
#include "qemu/notify.h"
#include "hw-aerogpu/types.h"

/* Under `lock`. */
typedef struct AeroGPUFence {
    uint64_t completed;     /* atomic for reading */
    uint64_t gpa;           /* of the fence page; 0 = none */
    MemoryRegionCache page; /* when mapped */
    bool mapped;
    bool failed;         /* not mappable with this memory map */
    unsigned map_serial; /* of the memory map that was tried */
    Notifier map_changed;
} AeroGPUFence;

/* Completes the fence, unless a later one is completed. Any thread, lock
 * held. */
void aerogpu_fence_complete_locked(AeroGPUState *s, uint64_t fence);
/* Handles a write to FENCE_GPA_HI, or enabling of the ring. BQL. */
void aerogpu_fence_page_changed(AeroGPUState *s);
void aerogpu_fence_reset_locked(AeroGPUState *s);

extern const VMStateDescription aerogpu_fence_vmstate;

void aerogpu_fence_init(AeroGPUState *s);
void aerogpu_fence_exit(AeroGPUState *s);

#endif /* HW_AEROGPU_FENCE_H */
