/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Requests to the render thread: see requests.h. */
#include "qemu/osdep.h"
#include "qapi/error.h"
#include "qemu/lockable.h"
#include "qemu/timer.h"
#include "hw-aerogpu/aerogpu.h"
#include "hw-aerogpu/guest/requests.h"
#include "hw-aerogpu/report/trace_events.h"

void aerogpu_request_locked(AeroGPUState *s, uint32_t requests)
{
    qatomic_set(&s->requests.pending, s->requests.pending | requests);
    event_notifier_set(&s->requests.kick);
}

static uint64_t aerogpu_request_ticket_locked(AeroGPUState *s,
                                              uint32_t requests)
{
    qatomic_set(&s->requests.pending, s->requests.pending | requests);
    event_notifier_set(&s->requests.kick);
    return ++s->requests.ticket;
}

void aerogpu_request(AeroGPUState *s, uint32_t requests)
{
    QEMU_LOCK_GUARD(&s->lock);
    aerogpu_request_ticket_locked(s, requests);
}

/*
 * Waits for `ticket` until `deadline`, but after `brief` only while needed()
 * returns true; calls that every few milliseconds. Lock held.
 */
static bool aerogpu_await_locked(AeroGPUState *s, uint64_t ticket,
                                 int64_t brief, int64_t deadline,
                                 bool (*needed)(AeroGPUState *s))
{
    while (s->requests.acked_ticket < ticket) {
        int64_t now = get_clock();
        int64_t left = MIN(deadline, brief) - now;

        if (now >= deadline || (now >= brief && !needed(s))) {
            return false;
        }
        if (left <= 0) {
            left = MIN(deadline - now, (int64_t)2 * SCALE_MS);
        }
        qemu_cond_timedwait(&s->requests.acked, &s->lock, left / SCALE_MS + 1);
    }
    return true;
}

bool aerogpu_request_wait(AeroGPUState *s, uint32_t requests)
{
    int64_t deadline = get_clock() + AEROGPU_HANDSHAKE_MS * (int64_t)SCALE_MS;

    QEMU_LOCK_GUARD(&s->lock);
    if (aerogpu_await_locked(s, aerogpu_request_ticket_locked(s, requests),
                             deadline, deadline, NULL)) {
        return true;
    }
    trace_aerogpu_handshake_timeout(requests);
    return false;
}

bool aerogpu_request_wait_progress(AeroGPUState *s, uint32_t requests,
                                   const uint32_t *progress, int quiet_ms)
{
    const int64_t quiet = quiet_ms * (int64_t)SCALE_MS;
    uint32_t seen;
    uint64_t ticket;

    QEMU_LOCK_GUARD(&s->lock);
    ticket = aerogpu_request_ticket_locked(s, requests);
    do {
        int64_t deadline = get_clock() + quiet;

        seen = qatomic_read(progress);
        if (aerogpu_await_locked(s, ticket, deadline, deadline, NULL)) {
            return true;
        }
    } while (qatomic_read(progress) != seen);
    trace_aerogpu_handshake_timeout(requests);
    return false;
}

bool aerogpu_request_wait_guest(AeroGPUState *s, uint32_t requests,
                                int brief_ms, bool (*needed)(AeroGPUState *s))
{
    AeroGPURequests *r = &s->requests;
    const int64_t most = AEROGPU_HANDSHAKE_MS * (int64_t)SCALE_MS;
    int64_t start = get_clock();
    bool done;

    r->held_ns = MAX(
        r->held_ns - (start - r->held_at_ns) / AEROGPU_GUEST_HOLDS_ONE_IN, 0);
    QEMU_LOCK_GUARD(&s->lock);
    done = aerogpu_await_locked(s, aerogpu_request_ticket_locked(s, requests),
                                start + brief_ms * (int64_t)SCALE_MS,
                                start + most - MIN(r->held_ns, most), needed);
    r->held_at_ns = get_clock();
    r->held_ns += r->held_at_ns - start;
    if (!done) {
        trace_aerogpu_handshake_timeout(requests);
    }
    return done;
}

uint32_t aerogpu_requests_take(AeroGPUState *s, uint64_t *ticket)
{
    uint32_t requests;

    QEMU_LOCK_GUARD(&s->lock);
    requests = s->requests.pending;
    *ticket = s->requests.ticket;
    /* AEROGPU_REQ_EXIT stays set for threads that wait meanwhile. */
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
