/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Refuses the ways of migrating that cannot be right for this device
 * (guard.c). */
#ifndef HW_AEROGPU_GUARD_H
#define HW_AEROGPU_GUARD_H

#include "hw-aerogpu/types.h"

/* BQL; the device has its place on the bus. */
typedef struct AeroGPUGuard {
    char *id; /* of the section; NULL: not registered */
} AeroGPUGuard;

/* %s: the capability */
#define AEROGPU_GUARD_TEXT                                                  \
    "aerogpu: a machine with this card cannot be saved with %s: turn that " \
    "capability off"

/* True if the save that has reached the devices may go on. Any thread. */
bool aerogpu_guard_allows(void);

void aerogpu_guard_init(AeroGPUState *s);
void aerogpu_guard_exit(AeroGPUState *s);

#endif /* HW_AEROGPU_GUARD_H */
