/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Requests to the render thread besides the ring (requests.c): bits that any
 * thread sets, and tickets that tell the register side when they are carried
 * out. Callers do not see the thread.
 */
#ifndef HW_AEROGPU_REQUESTS_H
#define HW_AEROGPU_REQUESTS_H

#include "qemu/event_notifier.h"
#include "qemu/thread.h"
#include "hw-aerogpu/types.h"

enum {
    AEROGPU_REQ_RING_RESET = 1 << 0,   /* wait for idle, resume */
    AEROGPU_REQ_DEVICE_RESET = 1 << 1, /* drop all objects */
    AEROGPU_REQ_QUIESCE = 1 << 2,      /* the VM stops: wait for idle */
    AEROGPU_REQ_SCANOUT = 1 << 3,      /* scanout registers changed */
    AEROGPU_REQ_SNAPSHOT = 1 << 4,     /* show the texture at the new address */
    AEROGPU_REQ_PROBE = 1 << 5,        /* fetch; header errors do not count */
    AEROGPU_REQ_EXIT = 1 << 6,
    AEROGPU_REQ_RESTART = 1 << 7,  /* drop all objects, open the GPU anew */
    AEROGPU_REQ_SETTLE = 1 << 8,   /* check whether GPUs that hung have ended */
    AEROGPU_REQ_SAVE = 1 << 9,     /* take what the renderer holds */
    AEROGPU_REQ_LOAD = 1 << 10,    /* give it to the renderer */
    AEROGPU_REQ_LIVE = 1 << 11,    /* a step of either while the VM runs */
    AEROGPU_REQ_MOVE = 1 << 12,    /* make all anew on another GPU */
    AEROGPU_REQ_PREPARE = 1 << 13, /* get another process ready for that */
};

typedef struct AeroGPURequests {
    EventNotifier kick; /* wakes the render thread */
    QemuCond acked;     /* with lock: acked_ticket grew, or the thread ends */
    uint32_t pending;   /* lock for writing, atomic */
    uint64_t ticket;    /* lock: last one given */
    uint64_t acked_ticket; /* lock: last one that was carried out */
    int64_t held_ns;       /* BQL: how long waits for guests held it; shrinks
                              while none does */
    int64_t held_at_ns;    /* BQL: when held_ns was set */
} AeroGPURequests;

/* Asks for `requests`. Any thread. */
void aerogpu_request(AeroGPUState *s, uint32_t requests);
/* Asks for `requests` without a ticket to wait for. Lock held. */
void aerogpu_request_locked(AeroGPUState *s, uint32_t requests);
/*
 * Asks for `requests` and waits until they are carried out. False after
 * AEROGPU_HANDSHAKE_MS. BQL.
 */
bool aerogpu_request_wait(AeroGPUState *s, uint32_t requests);

/*
 * Asks for `requests` and waits until they are carried out, as long as
 * *progress changes every quiet_ms. False if it does not. Any thread but the
 * render thread.
 */
bool aerogpu_request_wait_progress(AeroGPUState *s, uint32_t requests,
                                   const uint32_t *progress, int quiet_ms);

/*
 * Asks for `requests` for a guest's register write, and waits until they are
 * carried out: at most as long as guests may still hold the BQL
 * (AEROGPU_GUEST_HOLDS_ONE_IN), and after `brief_ms` only while `needed`
 * returns true. False if they were not carried out by then. BQL.
 */
bool aerogpu_request_wait_guest(AeroGPUState *s, uint32_t requests,
                                int brief_ms, bool (*needed)(AeroGPUState *s));

/* Takes the pending requests, and the ticket that acknowledges them. Render
 * thread.
 */
uint32_t aerogpu_requests_take(AeroGPUState *s, uint64_t *ticket);
/* Notes that the requests of `ticket` are carried out. Render thread. */
void aerogpu_requests_ack(AeroGPUState *s, uint64_t ticket);

bool aerogpu_requests_init(AeroGPUState *s, Error **errp);
void aerogpu_requests_exit(AeroGPUState *s);

#endif /* HW_AEROGPU_REQUESTS_H */
