/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Requests to the render thread: see requests.h. */
#include "qemu/osdep.h"
#include "qapi/error.h"
#include "qemu/lockable.h"
#include "qemu/timer.h"
#include "aerogpu.h"
#include "requests.h"
#include "trace_events.h"

void aerogpu_request_locked(AeroGPUState *s, uint32_t requests)
{
    qatomic_set(&s->requests.pending, s->requests.pending | requests);
    event_notifier_set(&s->requests.kick);
}

static uint64_t aerogpu_request_ticket_locked(AeroGPUState *s,
                                              uint32_t requests)
{
    qatomic_set(&s->requests.pending, s->requests.pending | requests);
    return ++s->requests.ticket;
}

void aerogpu_request(AeroGPUState *s, uint32_t requests)
{
    qemu_mutex_lock(&s->lock);
    aerogpu_request_ticket_locked(s, requests);
    qemu_mutex_unlock(&s->lock);
    event_notifier_set(&s->requests.kick);
}

bool aerogpu_request_wait(AeroGPUState *s, uint32_t requests)
{
    int64_t deadline = get_clock() + AEROGPU_HANDSHAKE_MS * (int64_t)SCALE_MS;
    uint64_t ticket;

    QEMU_LOCK_GUARD(&s->lock);
    ticket = aerogpu_request_ticket_locked(s, requests);
    event_notifier_set(&s->requests.kick);
    while (s->requests.acked_ticket < ticket) {
        int64_t left = deadline - get_clock();

        if (left <= 0) {
            trace_aerogpu_handshake_timeout(requests);
            return false;
        }
        qemu_cond_timedwait(&s->requests.acked, &s->lock, left / SCALE_MS + 1);
    }
    return true;
}

uint32_t aerogpu_requests_take(AeroGPUState *s, uint64_t *ticket)
{
    uint32_t requests;

    QEMU_LOCK_GUARD(&s->lock);
    requests = s->requests.pending;
    *ticket = s->requests.ticket;
    /* An exit stays visible to whoever waits meanwhile. */
    qatomic_set(&s->requests.pending, requests & AEROGPU_REQ_EXIT);
    return requests;
}

void aerogpu_requests_ack(AeroGPUState *s, uint64_t ticket)
{
    QEMU_LOCK_GUARD(&s->lock);
    if (s->requests.acked_ticket != ticket) {
        s->requests.acked_ticket = ticket;
        qemu_cond_broadcast(&s->requests.acked);
    }
}

bool aerogpu_requests_init(AeroGPUState *s, Error **errp)
{
    if (event_notifier_init(&s->requests.kick, 0) < 0) {
        error_setg(errp, "aerogpu: cannot create an event descriptor");
        return false;
    }
    return true;
}

void aerogpu_requests_exit(AeroGPUState *s)
{
    event_notifier_cleanup(&s->requests.kick);
}
