/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Decides how long the render thread polls the ring's tail before it sleeps.
 * It has no clocks, threads or QEMU, so that tail_poll_test.cpp can play
 * drivers and schedulers to it. render.c uses it (RING-4): short, bounded,
 * adaptive.
 *
 * A poll saves the way through the kernel when the driver's next submission
 * comes soon. It is worse than sleeping when the driver's CPU is the one that
 * we poll on: the driver then stands still until the poll gives up. We notice
 * that case by its pattern: however long the poll, nothing comes, and the
 * doorbell rings right after we went to sleep. After a few of those we sleep
 * without polling for a number of times, more each time it happens again.
 */
#ifndef HW_AEROGPU_TAIL_POLL_H
#define HW_AEROGPU_TAIL_POLL_H

#include <stdbool.h>
#include <stdint.h>

#define AEROGPU_POLL_MAX_NS 100000
#define AEROGPU_POLL_MIN_NS 2000
#define AEROGPU_POLL_VAIN 3        /* value of `vain` that starts a rest */
#define AEROGPU_POLL_REST 64       /* sleeps, the first time */
#define AEROGPU_POLL_REST_MAX 4096 /* sleeps */

/* Starts zeroed. */
typedef struct AeroGPUPoll {
    int64_t ns;     /* length of the next poll, 0 = sleep at once */
    int64_t polled; /* length of the poll that just found nothing */
    uint32_t vain;  /* polls in a row that ended just before work */
    uint32_t rest;  /* sleeps to come before the next poll */
    uint32_t pause; /* sleeps of the last rest */
} AeroGPUPoll;

static inline int64_t aerogpu_poll_clamp(int64_t ns)
{
    return ns > AEROGPU_POLL_MAX_NS ? AEROGPU_POLL_MAX_NS : ns;
}

/* Notes that a poll found a submission. */
static inline void aerogpu_poll_hit(AeroGPUPoll *p)
{
    p->ns = aerogpu_poll_clamp(p->ns * 2);
    p->vain = 0;
    p->pause = 0;
}

/* Notes that a poll of p->ns found nothing; a sleep follows. */
static inline void aerogpu_poll_missed(AeroGPUPoll *p)
{
    p->polled = p->ns;
    p->ns = p->ns / 2 < AEROGPU_POLL_MIN_NS ? 0 : p->ns / 2;
}

/* Notes a sleep of slept_ns; `work`: a doorbell with a submission ended it. */
static inline void aerogpu_poll_slept(AeroGPUPoll *p, int64_t slept_ns,
                                      bool work)
{
    int64_t polled = p->polled;

    p->polled = 0;
    if (p->rest) {
        p->rest--;
        return;
    }
    if (!work || slept_ns >= AEROGPU_POLL_MAX_NS) {
        return;
    }
    if (!polled) {
        int64_t ns = aerogpu_poll_clamp(slept_ns * 2);

        p->ns = ns > p->ns ? ns : p->ns;
    } else if (++p->vain < AEROGPU_POLL_VAIN) {
        p->ns = aerogpu_poll_clamp((polled + slept_ns) * 2);
    } else {
        p->pause = !p->pause                          ? AEROGPU_POLL_REST
                   : p->pause < AEROGPU_POLL_REST_MAX ? p->pause * 2
                                                      : AEROGPU_POLL_REST_MAX;
        p->rest = p->pause;
        p->vain = 0;
        p->ns = 0;
    }
}

#endif /* HW_AEROGPU_TAIL_POLL_H */
