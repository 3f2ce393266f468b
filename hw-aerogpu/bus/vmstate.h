/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Saved state, put together from that of the parts (vmstate.c). */
#ifndef HW_AEROGPU_VMSTATE_H
#define HW_AEROGPU_VMSTATE_H

#include "qemu/timer.h"
#include "hw-aerogpu/types.h"

/* The reason why nothing can be saved now, for QEMU's commands. BQL. */
typedef struct AeroGPUSaving {
    Error *blocker; /* NULL = nothing prevents saving */
    char *reason;   /* its text */
    QEMUTimer *timer;
} AeroGPUSaving;

extern const VMStateDescription aerogpu_vmstate;

/* Starts to keep the blocker up to date. Call after aerogpu_render_init(). */
bool aerogpu_saving_init(AeroGPUState *s, Error **errp);
void aerogpu_saving_exit(AeroGPUState *s);

#endif /* HW_AEROGPU_VMSTATE_H */
