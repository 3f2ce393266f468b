/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Completes submissions, strictly in order. A vsynced present completes no
 * earlier than the next vblank. Fence, fence page, head and interrupt follow
 * in the order of FENCE-1. The renderer's threads, the vblank timer and the
 * registers call this, always under `lock`.
 */
#include "qemu/osdep.h"
#include "qemu/lockable.h"
#include "qemu/timer.h"
#include "hw-aerogpu/aerogpu.h"
#include "hw-aerogpu/ring/completions.h"
#include "hw-aerogpu/report/errors.h"
#include "hw-aerogpu/ring/fence.h"
#include "hw-aerogpu/report/irq.h"
#include "hw-aerogpu/ring/loss.h"
#include "hw-aerogpu/guest/requests.h"
#include "hw-aerogpu/ring/ring_memory.h"
#include "hw-aerogpu/display/scanout.h"
#include "hw-aerogpu/report/trace_events.h"
#include "hw-aerogpu/display/vblank.h"
#include "aerogpu/aerogpu_ring_extension.h"
#include "aerogpu/aerogpu_spaces.h"

static void aerogpu_complete_locked(AeroGPUState *s, AeroGPUSubmission *sub)
{
    uint64_t latency = get_clock() - sub->fetched_ns;

    trace_aerogpu_complete(sub->signal_fence, sub->next_head, latency);
    s->stats.completions++;
    s->stats.latency_sum_ns += latency;
    s->stats.latency_max_ns = MAX(s->stats.latency_max_ns, latency);
    s->stats.latency_min_ns = s->stats.completions == 1
                                  ? latency
                                  : MIN(s->stats.latency_min_ns, latency);

    if (sub->present_count &&
        aerogpu_scanout_present_locked(s, sub->flip_serial, sub->frame,
                                       sub->texture)) {
        sub->frame = NULL;
    }
    aerogpu_scanout_completed_locked(s, sub->flip_serial, sub->changed);
    aerogpu_fence_complete_locked(s, sub->signal_fence);
    if (s->ring.serial == sub->ring_serial) {
        aerogpu_ring_set_head_locked(s, sub->next_head);
    }
    if (sub->error_count) {
        aerogpu_latch_record_locked(
            s, &(AeroGPUErrorRecord){ .fence = sub->signal_fence,
                                      .code = sub->error_code,
                                      .count = sub->error_count,
                                      .space = sub->space,
                                      .context_id = sub->context_id });
    }
    if (!(sub->flags & AEROGPU_SUBMIT_FLAG_NO_IRQ)) {
        aerogpu_irq_raise(s, AEROGPU_IRQ_FENCE);
    }
}

/*
 * True if a vsynced present has met its vblank: a tick after its work was
 * done, and not the tick that released the present before it.
 */
static bool aerogpu_vsync_met_locked(AeroGPUState *s, AeroGPUSubmission *sub)
{
    uint64_t seq;

    if (!s->vblank.running) {
        return true;
    }
    seq = aerogpu_vblank_seq(s);
    if (seq <= MAX(sub->work_done_seq, s->completions.last_vsync_seq)) {
        return false;
    }
    s->completions.last_vsync_seq = seq;
    return true;
}

/* For tests: true unless delay_ms or `stuck` holds the submission back. */
static bool aerogpu_time_is_over_locked(AeroGPUState *s, AeroGPUSubmission *sub)
{
    if (sub->stuck) {
        return false;
    }
    if (!s->completions.delay_ms ||
        qemu_clock_get_ns(QEMU_CLOCK_VIRTUAL) >= sub->due_ns) {
        return true;
    }
    timer_mod_ns(s->completions.due, sub->due_ns);
    return false;
}

/*
 * True if the submission must not fail and has failed: it never completes.
 * Latches the error, once, when it is the oldest submission. MEM-11.
 */
static bool aerogpu_failure_holds_locked(AeroGPUState *s,
                                         AeroGPUSubmission *sub)
{
    if (!sub->must_not_fail || !sub->error_count) {
        return false;
    }
    if (!sub->reported) {
        sub->reported = true;
        aerogpu_latch_error_locked(s, sub->error_code, sub->signal_fence,
                                   sub->error_count);
    }
    return true;
}

/* Completes what can be completed. Any thread, lock held. */
static void aerogpu_retire_locked(AeroGPUState *s)
{
    bool freed = false;

    while (s->completions.retire_seq != s->completions.submit_seq) {
        AeroGPUSubmission *sub =
            &s->completions
                 .slots[s->completions.retire_seq % AEROGPU_MAX_OUTSTANDING];

        if (!sub->done) {
            break;
        }
        if (sub->generation == s->completions.generation) {
            if (sub->lost && aerogpu_loss_holds_locked(s)) {
                break;
            }
            if (aerogpu_failure_holds_locked(s, sub)) {
                break;
            }
            if (!aerogpu_time_is_over_locked(s, sub)) {
                break;
            }
            if (sub->vsync && !aerogpu_vsync_met_locked(s, sub)) {
                aerogpu_vblank_want_locked(s);
                break;
            }
            aerogpu_complete_locked(s, sub);
        }
        if (sub->frame) {
            aerogpu_renderer_frame_release(s->renderer, sub->frame);
            sub->frame = NULL;
        }
        s->completions.retire_seq++;
        freed = true;
    }
    if (freed && s->completions.full) {
        s->completions.full = false;
        aerogpu_request_locked(s, AEROGPU_REQ_PROBE);
    }
}

void aerogpu_submission_done(AeroGPUState *s,
                             const struct aerogpu_submission_result *result)
{
    AeroGPUSubmission *sub;

    qemu_mutex_lock(&s->lock);
    sub = &s->completions.slots[result->cookie % AEROGPU_MAX_OUTSTANDING];
    sub->done = true;
    sub->error_count = result->error_count;
    sub->error_code = result->last_error_code;
    sub->present_count = result->present_count;
    s->stats.presents_done += result->present_count;
    sub->vsync = result->present_vsync;
    sub->texture = result->scanout_is_texture;
    sub->changed = result->scanout_changed;
    sub->lost = result->gpu_lost;
    if (sub->must_not_fail && sub->error_count &&
        sub->generation == s->completions.generation) {
        s->completions.held = true;
    }
    if (sub->lost && sub->generation == s->completions.generation) {
        aerogpu_loss_noticed_locked(s, sub->signal_fence, sub->space,
                                    sub->context_id);
    }
    sub->frame = result->frame;
    if (s->scanout.stopping && sub->frame) {
        aerogpu_renderer_frame_release(s->renderer, sub->frame);
        sub->frame = NULL;
    }
    sub->work_done_seq = aerogpu_vblank_seq(s);
    if (s->completions.delay_ms) {
        sub->due_ns = MAX(qemu_clock_get_ns(QEMU_CLOCK_VIRTUAL),
                          s->completions.last_due_ns) +
                      s->completions.delay_ms * (int64_t)SCALE_MS;
        s->completions.last_due_ns = sub->due_ns;
    }
    aerogpu_retire_locked(s);
    qemu_mutex_unlock(&s->lock);
}

void aerogpu_completions_delay(AeroGPUState *s, uint32_t delay_ms)
{
    QEMU_LOCK_GUARD(&s->lock);
    s->completions.delay_ms = delay_ms;
    s->completions.last_due_ns = 0;
    aerogpu_retire_locked(s);
}

void aerogpu_completions_stick(AeroGPUState *s, bool stick)
{
    QEMU_LOCK_GUARD(&s->lock);
    s->completions.stick = stick;
}

void aerogpu_completions_add(AeroGPUState *s, struct aerogpu_submission *sub,
                             uint32_t next_head)
{
    AeroGPUCompletions *c = &s->completions;
    int64_t now = get_clock();
    AeroGPUSubmission *slot;

    qemu_mutex_lock(&s->lock);
    sub->cookie = c->submit_seq++;
    slot = &c->slots[sub->cookie % AEROGPU_MAX_OUTSTANDING];
    /* aerogpu_submission_done() sets the other members. */
    slot->signal_fence = sub->signal_fence;
    slot->generation = c->fetch_generation;
    slot->ring_serial = s->ring.serial;
    slot->flip_serial = s->scanout.flip_serial;
    slot->fetched_ns = now;
    slot->frame = NULL;
    slot->next_head = next_head;
    slot->flags = sub->flags;
    slot->space = sub->in_space ? sub->space : 0;
    slot->context_id = sub->context_id;
    slot->done = false;
    slot->must_not_fail =
        sub->flags & AEROGPU_SUBMIT_FLAG_EXT_HOLD &&
        (!sub->in_space || sub->space_flags & AEROGPU_EXT_SPACE_FLAG_KERNEL);
    slot->reported = false;
    slot->due_ns = 0;
    slot->stuck = c->stick;
    c->stick = false;
    s->scanout.maybe_texture = true;
    s->stats.submissions++;
    s->stats.bytes_fetched += sub->cmd_size + sub->alloc_table_size;
    qemu_mutex_unlock(&s->lock);
}

void aerogpu_completions_drop_locked(AeroGPUState *s)
{
    s->completions.generation++;
    s->completions.held = false;
    aerogpu_retire_locked(s);
}

void aerogpu_completions_go_on(AeroGPUState *s)
{
    QEMU_LOCK_GUARD(&s->lock);
    aerogpu_retire_locked(s);
}

void aerogpu_completions_enter_generation(AeroGPUState *s)
{
    QEMU_LOCK_GUARD(&s->lock);
    s->completions.fetch_generation = s->completions.generation;
}

bool aerogpu_completions_entered(AeroGPUState *s)
{
    QEMU_LOCK_GUARD(&s->lock);
    return s->completions.fetch_generation == s->completions.generation;
}

void aerogpu_completions_drop_frames(AeroGPUState *s)
{
    size_t i;

    QEMU_LOCK_GUARD(&s->lock);
    for (i = 0; i < ARRAY_SIZE(s->completions.slots); i++) {
        AeroGPUSubmission *sub = &s->completions.slots[i];

        if (sub->frame) {
            aerogpu_renderer_frame_release(s->renderer, sub->frame);
            sub->frame = NULL;
        }
    }
}

/* The vblank clock ticked, or stopped, which ends waits. Lock held. */
static void aerogpu_completions_vblank(Notifier *notifier, void *data)
{
    aerogpu_retire_locked(
        container_of(notifier, AeroGPUState, completions.vblank));
}

/* Callback of the main loop's timer on the virtual clock. */
static void aerogpu_completions_due(void *opaque)
{
    aerogpu_completions_go_on(opaque);
}

void aerogpu_completions_reset_locked(AeroGPUState *s)
{
    s->completions.last_vsync_seq = 0;
}

void aerogpu_completions_init(AeroGPUState *s)
{
    s->completions.vblank.notify = aerogpu_completions_vblank;
    notifier_list_add(&s->vblank.released, &s->completions.vblank);
    s->completions.due =
        timer_new_ns(QEMU_CLOCK_VIRTUAL, aerogpu_completions_due, s);
}

void aerogpu_completions_exit(AeroGPUState *s)
{
    notifier_remove(&s->completions.vblank);
    timer_free(s->completions.due);
    s->completions.due = NULL;
}

bool aerogpu_completions_are_busy(AeroGPUState *s)
{
    const AeroGPUCompletions *c = &s->completions;
    uint64_t seq;

    QEMU_LOCK_GUARD(&s->lock);
    for (seq = c->retire_seq; seq != c->submit_seq; seq++) {
        if (!c->slots[seq % AEROGPU_MAX_OUTSTANDING].done) {
            return true;
        }
    }
    return false;
}

uint32_t aerogpu_completions_frames(AeroGPUState *s)
{
    uint32_t frames = 0;
    size_t i;

    QEMU_LOCK_GUARD(&s->lock);
    for (i = 0; i < ARRAY_SIZE(s->completions.slots); i++) {
        frames += s->completions.slots[i].frame != NULL;
    }
    return frames;
}
