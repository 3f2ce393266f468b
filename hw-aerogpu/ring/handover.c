/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Takes what the renderer holds out of it and gives it to another one:
 * snapshots (docs/develop/snapshots.md) and frames. While the render thread
 * has the cargo, the other side waits without the lock; if it gives up, the
 * thread ends at the next piece and drops the cargo.
 */
#include "qemu/osdep.h"
#include "qemu/cutils.h"
#include "qemu/lockable.h"
#include "qemu/timer.h"
#include "qemu/units.h"
#include "hw-aerogpu/aerogpu.h"
#include "hw-aerogpu/guest/requests.h"
#include "hw-aerogpu/ring/handover.h"
#include "hw-aerogpu/ring/spool.h"
#include "hw-aerogpu/report/trace_events.h"

uint64_t aerogpu_handover_most(AeroGPUState *s)
{
    const uint64_t most = s->config.max_hostmem;

    /* What counts against max_hostmem, the frames beyond it, descriptions. */
    return most + MAX(most / 4, 32 * MiB) + 64 * MiB;
}

/* ---- render thread ---- */

bool aerogpu_handover_is_over(AeroGPUState *s)
{
    return qatomic_read(&s->handover.abandoned) ||
           qatomic_read(&s->requests.pending) & AEROGPU_REQ_EXIT;
}

void aerogpu_handover_goes_on(AeroGPUState *s)
{
    qatomic_set(&s->handover.progress, s->handover.progress + 1);
}

void aerogpu_handover_ends(AeroGPUState *s)
{
    AeroGPUHandover *h = &s->handover;
    uint32_t i;

    QEMU_LOCK_GUARD(&s->lock);
    if (h->abandoned) {
        for (i = 0; i < h->cargo.frames; i++) {
            if (h->made[i]) {
                aerogpu_renderer_frame_release(s->renderer, h->made[i]);
            }
        }
        aerogpu_spool_close(&h->cargo.spool);
        h->taken = false; /* by nobody else any more */
    }
    h->running = false;
}

static bool aerogpu_handover_write(void *opaque, const void *bytes, size_t size)
{
    AeroGPUState *s = opaque;

    aerogpu_handover_goes_on(s);
    return !aerogpu_handover_is_over(s) &&
           aerogpu_spool_add(&s->handover.cargo.spool, bytes, size);
}

void aerogpu_handover_save_requested(AeroGPUState *s)
{
    AeroGPUHandover *h = &s->handover;
    struct aerogpu_bytes_sink sink = { .struct_size = sizeof(sink),
                                       .write = aerogpu_handover_write,
                                       .opaque = s };
    struct aerogpu_renderer_stats stats = { .struct_size = sizeof(stats) };
    int64_t start = get_clock();

    while (!aerogpu_handover_is_over(s) &&
           !aerogpu_renderer_wait_idle(s->renderer, 100LL * SCALE_MS)) {
    }
    h->rest_ns = get_clock() - start;
    aerogpu_renderer_get_stats(s->renderer, &stats);
    if (aerogpu_handover_is_over(s)) {
        h->result = AEROGPU_HANDOVER_FAILED;
    } else if (aerogpu_renderer_gpu_lost(s->renderer)) {
        h->result = AEROGPU_HANDOVER_LOST;
    } else if (!stats.held_objects) {
        aerogpu_renderer_save_cancel(s->renderer); /* what went ahead is gone */
        h->result = AEROGPU_HANDED_OVER;
    } else if (h->saving ? aerogpu_renderer_save_end(s->renderer, h->error,
                                                     sizeof(h->error))
                         : aerogpu_renderer_save(s->renderer, &sink, h->error,
                                                 sizeof(h->error))) {
        h->cargo.snapshot_bytes = h->cargo.spool.size;
        h->result = AEROGPU_HANDED_OVER;
    } else {
        h->result = aerogpu_renderer_gpu_lost(s->renderer)
                        ? AEROGPU_HANDOVER_LOST
                        : AEROGPU_HANDOVER_FAILED;
    }
    h->saving = false;
    aerogpu_handover_ends(s);
}

/* Feeds bytes to the renderer. A failure's reason is in h->error. */
static bool aerogpu_handover_feed(AeroGPUState *s, uint64_t at, uint64_t bytes)
{
    AeroGPUHandover *h = &s->handover;
    AeroGPUSpool *spool = &h->cargo.spool;
    const uint64_t end = at + bytes;

    while (at < end) {
        uint64_t n = MIN(AEROGPU_PIECE, end - at);
        const uint8_t *piece = aerogpu_spool_part(spool, at, &n);

        if (aerogpu_handover_is_over(s) || !piece) {
            pstrcpy(h->error, sizeof(h->error), "it was given up");
            return false;
        }
        if (!aerogpu_renderer_load_bytes(s->renderer, piece, n, h->error,
                                         sizeof(h->error))) {
            return false;
        }
        at += n;
        aerogpu_spool_forget(spool, at);
        aerogpu_handover_goes_on(s);
    }
    return true;
}

/* Ends a load that has failed, or that nothing follows. */
static void aerogpu_handover_drop(AeroGPUState *s)
{
    char unused[8];

    aerogpu_renderer_load_finish(s->renderer, NULL, unused, sizeof(unused));
}

/* Gives the snapshot to the renderer. A failure's reason is in h->error. */
static bool aerogpu_handover_load_all(AeroGPUState *s)
{
    AeroGPUHandover *h = &s->handover;
    const AeroGPUCargo *cargo = &h->cargo;

    if (!cargo->snapshot_bytes) {
        return true;
    }
    if (!aerogpu_handover_feed(s, cargo->snapshot_at, cargo->snapshot_bytes)) {
        aerogpu_handover_drop(s);
        return false;
    }
    return aerogpu_renderer_load_finish(s->renderer, NULL, h->error,
                                        sizeof(h->error));
}

void aerogpu_handover_live_requested(AeroGPUState *s)
{
    AeroGPUHandover *h = &s->handover;
    struct aerogpu_bytes_sink sink = { .struct_size = sizeof(sink),
                                       .write = aerogpu_handover_write,
                                       .opaque = s };
    bool done = true;

    switch (h->step) {
    case AEROGPU_LIVE_BEGIN:
        done = aerogpu_renderer_save_begin(s->renderer, &sink, h->error,
                                           sizeof(h->error));
        h->saving = done;
        break;
    case AEROGPU_LIVE_SEND:
        done = aerogpu_renderer_save_ahead(s->renderer, AEROGPU_AHEAD_BYTES,
                                           &h->rested, &h->written, h->error,
                                           sizeof(h->error));
        h->saving = done;
        break;
    case AEROGPU_LIVE_CANCEL:
        aerogpu_renderer_save_cancel(s->renderer);
        h->saving = false;
        break;
    case AEROGPU_LIVE_TAKE:
        done = aerogpu_handover_feed(s, 0, h->cargo.spool.size);
        if (done) {
            break;
        }
        /* fall through */
    case AEROGPU_LIVE_DROP:
        aerogpu_handover_drop(s);
        break;
    }
    if (h->saving && aerogpu_handover_is_over(s)) {
        aerogpu_renderer_save_cancel(s->renderer); /* nobody else would */
        h->saving = false;
    }
    h->result = done ? AEROGPU_HANDED_OVER : AEROGPU_HANDOVER_FAILED;
    aerogpu_handover_ends(s);
}

/* Makes the frame and reads its pixels; NULL if that is not possible. */
static struct aerogpu_frame *
aerogpu_handover_frame(AeroGPUState *s, const AeroGPUSavedFrame *saved)
{
    AeroGPUSpool *spool = &s->handover.cargo.spool;
    const struct aerogpu_frame like = { .struct_size = sizeof(like),
                                        .width = saved->width,
                                        .height = saved->height,
                                        .format = saved->format };
    struct aerogpu_frame *frame =
        aerogpu_renderer_frame_make(s->renderer, &like);

    if (frame &&
        ((uint64_t)frame->stride_bytes * frame->height != saved->bytes ||
         !aerogpu_spool_read(spool, saved->at, (void *)frame->pixels,
                             saved->bytes))) {
        aerogpu_renderer_frame_release(s->renderer, frame);
        return NULL;
    }
    aerogpu_spool_forget(spool, saved->at + saved->bytes);
    return frame;
}

/* Makes the frames. Returns false, with the reason in h->error, if one fails. */
static bool aerogpu_handover_frames(AeroGPUState *s)
{
    AeroGPUHandover *h = &s->handover;
    uint32_t i;

    for (i = 0; i < h->cargo.frames; i++) {
        const AeroGPUSavedFrame *saved = &h->cargo.frame[i];

        h->made[i] = aerogpu_handover_frame(s, saved);
        aerogpu_handover_goes_on(s);
        if (h->made[i]) {
            continue;
        }
        snprintf(h->error, sizeof(h->error),
                 "a picture of %ux%u pixels of format %u with %" PRIu64
                 " bytes: none is like that, or there is no memory",
                 saved->width, saved->height, saved->format, saved->bytes);
        if (!h->cargo.may_lose) {
            return false;
        }
    }
    return true;
}

static void aerogpu_handover_drop_frames(AeroGPUState *s)
{
    AeroGPUHandover *h = &s->handover;
    uint32_t i;

    for (i = 0; i < h->cargo.frames; i++) {
        if (h->made[i]) {
            aerogpu_renderer_frame_release(s->renderer, h->made[i]);
            h->made[i] = NULL;
        }
    }
}

void aerogpu_handover_load_requested(AeroGPUState *s)
{
    AeroGPUHandover *h = &s->handover;
    bool taken = !h->cargo.dropped && aerogpu_handover_load_all(s);

    h->result = taken               ? AEROGPU_HANDED_OVER
                : h->cargo.may_lose ? AEROGPU_HANDOVER_LOST
                                    : AEROGPU_HANDOVER_FAILED;
    if (!taken) {
        aerogpu_renderer_reset(s->renderer);
    }
    if (h->result == AEROGPU_HANDOVER_LOST) {
        aerogpu_renderer_lose(s->renderer);
    }
    if (h->result == AEROGPU_HANDOVER_FAILED || !aerogpu_handover_frames(s)) {
        h->result = AEROGPU_HANDOVER_FAILED;
        aerogpu_handover_drop_frames(s);
        aerogpu_renderer_reset(s->renderer);
    }
    aerogpu_handover_ends(s);
}

/* ---- the side that saves or loads: one thread at a time ---- */

bool aerogpu_handover_begin(AeroGPUState *s, bool waits)
{
    AeroGPUHandover *h = &s->handover;
    const int64_t quiet = AEROGPU_NO_PROGRESS_MS * (int64_t)SCALE_MS;
    uint32_t seen = qatomic_read(&h->progress);
    int64_t since = get_clock();

    QEMU_LOCK_GUARD(&s->lock);
    while (h->taken) {
        uint32_t progress = qatomic_read(&h->progress);

        if (progress != seen) {
            seen = progress;
            since = get_clock();
        }
        if ((h->abandoned && !waits) || get_clock() - since > quiet) {
            return false;
        }
        qemu_cond_timedwait(&s->requests.acked, &s->lock, 100);
    }
    h->taken = true;
    return true;
}

void aerogpu_handover_end(AeroGPUState *s)
{
    QEMU_LOCK_GUARD(&s->lock);
    s->handover.taken = false;
    qemu_cond_broadcast(&s->requests.acked);
}

bool aerogpu_handover_run(AeroGPUState *s, AeroGPUCargo *cargo,
                          uint32_t request)
{
    AeroGPUHandover *h = &s->handover;

    WITH_QEMU_LOCK_GUARD (&s->lock) {
        h->running = true;
        h->abandoned = false;
        h->progress++;
        h->rest_ns = 0;
        h->error[0] = '\0';
        h->cargo = *cargo;
        memset(h->made, 0, sizeof(h->made));
    }
    aerogpu_request_wait_progress(s, request, &h->progress,
                                  AEROGPU_NO_PROGRESS_MS);
    QEMU_LOCK_GUARD(&s->lock);
    if (h->running) {
        qatomic_set(&h->abandoned, true);
        memset(cargo, 0, sizeof(*cargo)); /* the thread's now */
        return false;
    }
    *cargo = h->cargo;
    memset(&h->cargo, 0, sizeof(h->cargo));
    return true;
}

char *aerogpu_handover_stuck(void)
{
    return g_strdup_printf("the renderer has not come to rest within %d s, "
                           "try again later",
                           AEROGPU_NO_PROGRESS_MS / 1000);
}

AeroGPUHandoverResult aerogpu_handover_save(AeroGPUState *s,
                                            AeroGPUCargo *cargo,
                                            uint64_t *rest_ns, char **error)
{
    AeroGPUHandover *h = &s->handover;
    AeroGPUHandoverResult result;

    memset(cargo, 0, sizeof(*cargo));
    aerogpu_spool_open(&cargo->spool, aerogpu_handover_most(s));
    if (!aerogpu_handover_begin(s, true) ||
        !aerogpu_handover_run(s, cargo, AEROGPU_REQ_SAVE)) {
        aerogpu_spool_close(&cargo->spool);
        *error = aerogpu_handover_stuck();
        return AEROGPU_HANDOVER_FAILED;
    }
    *rest_ns = h->rest_ns;
    result = h->result;
    if (result != AEROGPU_HANDED_OVER) {
        aerogpu_spool_close(&cargo->spool);
        *error = g_strdup(h->error);
    }
    aerogpu_handover_end(s);
    return result;
}

AeroGPUHandoverResult aerogpu_handover_load(AeroGPUState *s,
                                            AeroGPUCargo *cargo,
                                            struct aerogpu_frame **made,
                                            char **error)
{
    AeroGPUHandover *h = &s->handover;
    AeroGPUHandoverResult result;
    bool ended = aerogpu_handover_begin(s, true) &&
                 aerogpu_handover_run(s, cargo, AEROGPU_REQ_LOAD);

    aerogpu_spool_close(&cargo->spool);
    if (!ended) {
        *error = aerogpu_handover_stuck();
        return AEROGPU_HANDOVER_FAILED;
    }
    result = h->result;
    if (result != AEROGPU_HANDED_OVER) {
        *error = g_strdup(h->error);
    }
    memcpy(made, h->made, sizeof(h->made));
    aerogpu_handover_end(s);
    return result;
}

bool aerogpu_handover_live(AeroGPUState *s, AeroGPULiveStep step,
                           AeroGPUCargo *cargo, uint64_t *rested,
                           uint64_t *written, char **error)
{
    AeroGPUHandover *h = &s->handover;
    /* What is only to be dropped is dropped with the one that was given up. */
    const bool waits = step != AEROGPU_LIVE_CANCEL && step != AEROGPU_LIVE_DROP;
    bool done;

    if (!aerogpu_handover_begin(s, waits)) {
        *error = aerogpu_handover_stuck();
        return false;
    }
    h->step = step;
    h->rested = 0;
    h->written = 0;
    if (!aerogpu_handover_run(s, cargo, AEROGPU_REQ_LIVE)) {
        *error = aerogpu_handover_stuck();
        return false;
    }
    *rested = h->rested;
    *written = h->written;
    done = h->result == AEROGPU_HANDED_OVER;
    if (!done) {
        *error = g_strdup(h->error);
    }
    aerogpu_handover_end(s);
    return done;
}
