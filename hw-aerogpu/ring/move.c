/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Moves of a running machine: see move.h. */
#include "qemu/osdep.h"
#include "qapi/error.h"
#include "qemu/cutils.h"
#include "qemu/error-report.h"
#include "qemu/lockable.h"
#include "qemu/timer.h"
#include "qemu/units.h"
#include "hw-aerogpu/aerogpu.h"
#include "hw-aerogpu/display/scanout.h"
#include "hw-aerogpu/ring/completions_state.h"
#include "hw-aerogpu/ring/handover.h"
#include "hw-aerogpu/ring/loss.h"
#include "hw-aerogpu/ring/move.h"
#include "hw-aerogpu/ring/reset.h"

/* ---- render thread ---- */

/* Time alone is no progress: the BQL waits. */
static bool aerogpu_move_goes_on(void *opaque, uint64_t bytes)
{
    AeroGPUState *s = opaque;

    if (bytes > s->move.seen) {
        s->move.seen = bytes;
        aerogpu_handover_goes_on(s);
    }
    return !aerogpu_handover_is_over(s);
}

static bool aerogpu_move_now(AeroGPUState *s, const char *device,
                             bool (*goes_on)(void *opaque, uint64_t bytes),
                             char *error, size_t error_size)
{
    AeroGPUMove *m = &s->move;
    struct aerogpu_renderer_stats stats = { .struct_size = sizeof(stats) };
    int64_t start = get_clock();
    bool moved;

    m->seen = 0;
    moved = aerogpu_renderer_move_to(s->renderer, device, goes_on, s, &m->kept,
                                     error, error_size);
    aerogpu_renderer_get_stats(s->renderer, &stats);
    if (moved) {
        /* The GPU that was left closes when its pictures are back. */
        aerogpu_scanout_copy_frame(s);
        aerogpu_completions_copy_frames(s);
        aerogpu_renderer_wait_idle(s->renderer, 0);
    }
    WITH_QEMU_LOCK_GUARD (&s->lock) {
        if (moved) {
            s->stats.gpu_moves++;
            s->stats.gpu_move_ns = get_clock() - start;
            s->stats.gpu_move_longest_ns =
                MAX(s->stats.gpu_move_longest_ns, s->stats.gpu_move_ns);
            s->stats.gpu_move_bytes = m->seen / 2; /* it came and went */
            s->stats.gpu_move_objects = stats.held_objects;
        }
        if (!m->kept) {
            aerogpu_loss_noticed_locked(s, 0, 0, 0);
        }
    }
    return moved;
}

void aerogpu_move_requested(AeroGPUState *s)
{
    AeroGPUHandover *h = &s->handover;
    g_autofree char *device = g_steal_pointer(&s->move.device);
    bool moved = aerogpu_move_now(s, device, aerogpu_move_goes_on, h->error,
                                  sizeof(h->error));

    h->result = moved ? AEROGPU_HANDED_OVER : AEROGPU_HANDOVER_FAILED;
    aerogpu_handover_ends(s);
}

void aerogpu_prepare_requested(AeroGPUState *s)
{
    AeroGPUHandover *h = &s->handover;
    g_autofree char *device = g_steal_pointer(&s->move.device);
    bool begun = aerogpu_renderer_prepare_move(s->renderer, device, h->error,
                                               sizeof(h->error));

    h->result = begun ? AEROGPU_HANDED_OVER : AEROGPU_HANDOVER_FAILED;
    aerogpu_handover_ends(s);
}

/* ---- the side that asks; BQL ---- */

/* Has the render thread do it. */
static bool aerogpu_move_run(AeroGPUState *s, const char *device,
                             uint32_t request, Error **errp)
{
    AeroGPUCargo none = { 0 };
    g_autofree char *stuck = NULL;
    bool ended = aerogpu_handover_begin(s, true), done, kept;

    if (ended) {
        g_free(s->move.device);
        s->move.device = g_strdup(device);
        s->move.kept = true;
        ended = aerogpu_handover_run(s, &none, request);
    }
    if (!ended) {
        stuck = aerogpu_handover_stuck();
        error_setg(errp, "aerogpu: %s", stuck);
        return false;
    }
    done = s->handover.result == AEROGPU_HANDED_OVER;
    kept = s->move.kept;
    if (!done) {
        error_setg(errp, "aerogpu: %s%s", s->handover.error,
                   kept ? "" : ": everything is lost");
    }
    aerogpu_handover_end(s);
    if (!done && !kept) {
        error_report("%s", error_get_pretty(*errp));
        aerogpu_held_are_lost(s);
    }
    return done;
}

bool aerogpu_prepare_for_gpu(AeroGPUState *s, const char *device, Error **errp)
{
    return aerogpu_move_run(s, device, AEROGPU_REQ_PREPARE, errp);
}

bool aerogpu_move_to_gpu(AeroGPUState *s, const char *device, Error **errp)
{
    if (!aerogpu_move_run(s, device, AEROGPU_REQ_MOVE, errp)) {
        return false;
    }
    info_report("aerogpu: %" PRIu64 " objects, %" PRIu64 " KiB, moved to %s in "
                "%" PRIu64 " ms",
                s->stats.gpu_move_objects, s->stats.gpu_move_bytes / KiB,
                aerogpu_renderer_device_name(s->renderer),
                s->stats.gpu_move_ns / SCALE_MS);
    return true;
}

/* ---- x-move ---- */

bool aerogpu_move_init(AeroGPUState *s, Error **errp)
{
    const char *move = s->config.move;
    const char *count;
    unsigned every;

    if (!move) {
        return true;
    }
    s->move.anew = strstart(move, "device:", &count);
    if ((!s->move.anew && !strstart(move, "objects:", &count)) ||
        qemu_strtoui(count, NULL, 10, &every) || !every) {
        error_setg(errp,
                   "aerogpu: x-move is '%s', only objects:N and device:N are "
                   "known",
                   move);
        return false;
    }
    s->move.every = every;
    return true;
}

/* A reset must not wait. */
static bool aerogpu_move_may_go_on(void *opaque, uint64_t bytes)
{
    AeroGPUState *s = opaque;

    s->move.seen = MAX(s->move.seen, bytes);
    return !qatomic_read(&s->requests.pending);
}

void aerogpu_move_submitted(AeroGPUState *s)
{
    AeroGPUMove *m = &s->move;
    char error[AEROGPU_ERROR_BYTES] = "";
    bool moved;

    if (!m->every || ++m->submitted % m->every) {
        return;
    }
    while (!aerogpu_renderer_wait_idle(s->renderer, 100LL * SCALE_MS)) {
        if (qatomic_read(&s->requests.pending)) {
            return; /* a reset must not wait */
        }
    }
    if (aerogpu_renderer_gpu_lost(s->renderer)) {
        return;
    }
    m->kept = true;
    if (m->anew) {
        moved = aerogpu_move_now(s, s->config.vulkan_device ?: "",
                                 aerogpu_move_may_go_on, error, sizeof(error));
        if (!moved && m->kept && qatomic_read(&s->requests.pending)) {
            return;
        }
    } else {
        moved =
            aerogpu_renderer_move(s->renderer, &m->kept, error, sizeof(error));
    }
    WITH_QEMU_LOCK_GUARD (&s->lock) {
        s->stats.moves += moved;
        s->stats.moves_refused += !moved;
    }
    if (!moved) {
        warn_report("aerogpu: x-move: %s", error);
    }
    if (!m->kept) {
        error_report("aerogpu: x-move: everything is lost: %s", error);
    }
}
