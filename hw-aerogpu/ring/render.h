/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The render thread (render.c). */
#ifndef HW_AEROGPU_RENDER_H
#define HW_AEROGPU_RENDER_H

#include "qemu/event_notifier.h"
#include "qemu/notify.h"
#include "qemu/thread.h"
#include "hw-aerogpu/types.h"

/* BQL, unless said otherwise. */
typedef struct AeroGPURender {
    QemuThread thread;
    bool started;
    bool ready;
    bool gone;              /* lock: the thread is about to return */
    bool asleep;            /* atomic: waits for the doorbell or a kick */
    EventNotifier doorbell; /* the guest's */
    uint64_t doorbells;     /* atomic: seen by the render thread */
    VMChangeStateEntry *vm_state;
    Notifier exit_notifier;
} AeroGPURender;

/* Creates the renderer and starts the thread. */
bool aerogpu_render_init(AeroGPUState *s, Error **errp);
void aerogpu_render_exit(AeroGPUState *s);
/*
 * True if the thread sleeps and nothing has woken it. The renderer may still
 * work on what the thread gave it. Any thread.
 */
bool aerogpu_render_is_asleep(AeroGPUState *s);

#endif /* HW_AEROGPU_RENDER_H */
