/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The vblank clock (vblank.c). Times are ns of the virtual clock. */
#ifndef HW_AEROGPU_VBLANK_H
#define HW_AEROGPU_VBLANK_H

#include "qemu/notify.h"
#include "qemu/timer.h"
#include "hw-aerogpu/types.h"

/* The clock in a saved state. */
typedef struct AeroGPUSavedVblank {
    int64_t period;
    int64_t start; /* of the running clock, else last_ns */
    uint64_t base;
    uint64_t last_ns;
    uint64_t irq_seq;
} AeroGPUSavedVblank;

/* BQL and lock for writing, either for reading, unless a member says
 * otherwise. */
typedef struct AeroGPUVblank {
    QEMUTimer *timer;
    int64_t period; /* ns; constant */
    bool running;
    int64_t start;         /* time of tick 0 */
    uint64_t base;         /* sequence at start */
    uint64_t last_ns;      /* time of the last tick before start */
    uint64_t irq_seq;      /* BQL: newest tick that was delivered */
    bool wanted;           /* atomic: some thread waits for a tick */
    NotifierList released; /* BQL; called under lock: waiters may go on */
    AeroGPUSavedVblank saved;
} AeroGPUVblank;

uint64_t aerogpu_vblank_seq(AeroGPUState *s);     /* BQL or lock */
uint64_t aerogpu_vblank_time_ns(AeroGPUState *s); /* BQL or lock */
/*
 * Makes the next tick, or the end of the clock, call `released`. Any thread,
 * lock held.
 */
void aerogpu_vblank_want_locked(AeroGPUState *s);

/* Handles a change of SCANOUT0_ENABLE or IRQ_ENABLE. BQL. */
void aerogpu_vblank_update(AeroGPUState *s);
void aerogpu_vblank_reset(AeroGPUState *s); /* BQL */

extern const VMStateDescription aerogpu_vblank_vmstate;
/*
 * Goes on at the saved clock's position. Returns < 0 if no clock can have
 * stood there. BQL; registers and interrupts are loaded.
 */
int aerogpu_vblank_loaded(AeroGPUState *s);

void aerogpu_vblank_init(AeroGPUState *s);
void aerogpu_vblank_exit(AeroGPUState *s);

#endif /* HW_AEROGPU_VBLANK_H */
