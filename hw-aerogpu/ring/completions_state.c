/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The saved state of submissions that are done and not completed. The oldest
 * one waits for a vblank, or is held because the GPU is lost (LOSS-3) or
 * because it failed and must not (MEM-11); the others wait for it.
 */
#include "qemu/osdep.h"
#include "qemu/lockable.h"
#include "hw-aerogpu/aerogpu.h"
#include "hw-aerogpu/report/errors.h"
#include "hw-aerogpu/report/log.h"
#include "hw-aerogpu/ring/completions_state.h"
#include "hw-aerogpu/ring/loss.h"
#include "hw-aerogpu/display/vblank.h"

/*
 * Returns the submission number `index` of those that a saved state has, or
 * NULL. Lock held.
 */
static AeroGPUSubmission *aerogpu_waiting_locked(AeroGPUState *s,
                                                 uint32_t index)
{
    AeroGPUCompletions *c = &s->completions;
    uint64_t seq;

    for (seq = c->retire_seq; seq != c->submit_seq; seq++) {
        AeroGPUSubmission *sub = &c->slots[seq % AEROGPU_MAX_OUTSTANDING];

        if (sub->generation == c->generation && !index--) {
            return sub;
        }
    }
    return NULL;
}

const struct aerogpu_frame *aerogpu_completions_frame(AeroGPUState *s,
                                                      uint32_t index)
{
    AeroGPUSubmission *sub;

    QEMU_LOCK_GUARD(&s->lock);
    sub = aerogpu_waiting_locked(s, index);
    return sub ? sub->frame : NULL;
}

bool aerogpu_completions_give_frame(AeroGPUState *s, uint32_t index,
                                    struct aerogpu_frame *frame)
{
    AeroGPUSubmission *sub;

    QEMU_LOCK_GUARD(&s->lock);
    sub = aerogpu_waiting_locked(s, index);
    if (!sub || sub->frame) {
        return false;
    }
    sub->frame = frame;
    return true;
}

void aerogpu_completions_copy_frames(AeroGPUState *s)
{
    uint32_t i;

    for (i = 0; i < AEROGPU_MAX_OUTSTANDING; i++) {
        AeroGPUSubmission *sub;
        struct aerogpu_frame *copy;

        /* While the lock is held nobody shows the frame or gives it back. */
        QEMU_LOCK_GUARD(&s->lock);
        sub = aerogpu_waiting_locked(s, i);
        if (!sub) {
            return;
        }
        copy = sub->frame ? aerogpu_renderer_frame_make(s->renderer, sub->frame)
                          : NULL;
        if (copy) {
            aerogpu_renderer_frame_release(s->renderer, sub->frame);
            sub->frame = copy;
        }
    }
}

/* True if the oldest submission waits for what a saved state can tell. */
static bool aerogpu_wait_is_savable(AeroGPUState *s, bool vsync, bool lost,
                                    bool failed)
{
    return (vsync && s->vblank.running) ||
           (lost && aerogpu_loss_holds_locked(s)) || failed;
}

char *aerogpu_completions_unsavable(AeroGPUState *s)
{
    AeroGPUSubmission *sub;

    QEMU_LOCK_GUARD(&s->lock);
    sub = aerogpu_waiting_locked(s, 0);
    if (!sub ||
        aerogpu_wait_is_savable(s, sub->vsync, sub->lost,
                                sub->must_not_fail && sub->error_count)) {
        return NULL;
    }
    return g_strdup("a property for tests holds a submission up");
}

static int aerogpu_completions_pre_save(void *opaque)
{
    AeroGPUState *s = container_of(opaque, AeroGPUState, completions);
    AeroGPUCompletions *c = opaque;
    uint64_t seq;

    QEMU_LOCK_GUARD(&s->lock);
    c->saved.count = 0;
    for (seq = c->retire_seq; seq != c->submit_seq; seq++) {
        const AeroGPUSubmission *sub = &c->slots[seq % AEROGPU_MAX_OUTSTANDING];

        if (sub->generation != c->generation) {
            continue;
        }
        c->saved.waiting[c->saved.count++] = (AeroGPUSavedSubmission){
            .signal_fence = sub->signal_fence,
            .work_done_seq = sub->work_done_seq,
            .next_head = sub->next_head,
            .flags = sub->flags,
            .error_count = sub->error_count,
            .error_code = sub->error_code,
            .space = sub->space,
            .context_id = sub->context_id,
            .present_count = sub->present_count,
            .vsync = sub->vsync,
            .texture = sub->texture,
            .moves_head = sub->ring_serial == s->ring.serial,
            .shows = sub->flip_serial == s->scanout.flip_serial,
            .changed = sub->changed,
            .lost = sub->lost,
            .must_not_fail = sub->must_not_fail,
            .reported = sub->reported,
        };
    }
    return 0;
}

static bool aerogpu_completions_fit(void *opaque, int version_id)
{
    AeroGPUCompletions *c = opaque;

    return c->saved.count <= AEROGPU_MAX_OUTSTANDING;
}

int aerogpu_completions_loaded(AeroGPUState *s)
{
    AeroGPUCompletions *c = &s->completions;
    const AeroGPUSavedCompletions *saved = &c->saved;
    uint64_t now = aerogpu_vblank_seq(s);
    uint32_t i;

    QEMU_LOCK_GUARD(&s->lock);
    if (c->last_vsync_seq > now) {
        uint64_t seq = c->last_vsync_seq;

        c->last_vsync_seq = 0;
        return aerogpu_load_error("a present came at vblank %" PRIu64 " of "
                                  "%" PRIu64,
                                  seq, now);
    }
    if (c->submit_seq != c->retire_seq ||
        c->fetch_generation != c->generation) {
        return aerogpu_load_error("the renderer has not come to rest");
    }
    if (saved->count &&
        !aerogpu_wait_is_savable(
            s, saved->waiting[0].vsync, saved->waiting[0].lost,
            saved->waiting[0].must_not_fail && saved->waiting[0].error_count)) {
        return aerogpu_load_error("a submission waits for nothing");
    }
    for (i = 0; i < saved->count; i++) {
        const AeroGPUSavedSubmission *sub = &saved->waiting[i];

        if (sub->work_done_seq > now) {
            return aerogpu_load_error("work was done at vblank %" PRIu64 " of "
                                      "%" PRIu64,
                                      sub->work_done_seq, now);
        }
        if (!aerogpu_error_is_possible(sub->error_code, sub->error_count)) {
            return aerogpu_load_error("a submission with %u errors, the last "
                                      "with code %u",
                                      sub->error_count, sub->error_code);
        }
    }
    for (i = 0; i < saved->count; i++) {
        const AeroGPUSavedSubmission *sub = &saved->waiting[i];

        c->slots[c->submit_seq++ % AEROGPU_MAX_OUTSTANDING] =
            (AeroGPUSubmission){
                .signal_fence = sub->signal_fence,
                .generation = c->generation,
                .ring_serial = s->ring.serial - !sub->moves_head,
                .flip_serial = s->scanout.flip_serial - !sub->shows,
                .fetched_ns = get_clock(),
                .work_done_seq = sub->work_done_seq,
                .next_head = sub->next_head,
                .flags = sub->flags,
                .error_count = sub->error_count,
                .error_code = sub->error_code,
                .space = sub->space,
                .context_id = sub->context_id,
                .present_count = sub->present_count,
                .done = true,
                .vsync = sub->vsync,
                .texture = sub->texture,
                .changed = sub->changed,
                .lost = sub->lost,
                .must_not_fail = sub->must_not_fail,
                .reported = sub->reported,
            };
        c->held |= sub->must_not_fail && sub->error_count;
    }
    if (saved->count) {
        aerogpu_vblank_want_locked(s);
    }
    return 0;
}

/* True if an error record of the submission will name space or context. */
static bool aerogpu_submission_owner_needed(void *opaque)
{
    const AeroGPUSavedSubmission *sub = opaque;

    return sub->error_count && (sub->space || sub->context_id);
}

static int aerogpu_submission_pre_load(void *opaque)
{
    AeroGPUSavedSubmission *sub = opaque;

    sub->space = sub->context_id = 0;
    sub->changed = sub->lost = sub->must_not_fail = sub->reported = false;
    return 0;
}

static const VMStateDescription aerogpu_submission_owner_vmstate = {
    .name = "aerogpu/submission/owner",
    .version_id = 1,
    .minimum_version_id = 1,
    .needed = aerogpu_submission_owner_needed,
    .fields =
        AEROGPU_VMSTATE_FIELDS{
            VMSTATE_UINT32(space, AeroGPUSavedSubmission),
            VMSTATE_UINT32(context_id, AeroGPUSavedSubmission),
            VMSTATE_END_OF_LIST() },
};

static bool aerogpu_submission_fate_needed(void *opaque)
{
    const AeroGPUSavedSubmission *sub = opaque;

    return sub->changed || sub->lost || sub->must_not_fail;
}

static const VMStateDescription aerogpu_submission_fate_vmstate = {
    .name = "aerogpu/submission/fate",
    .version_id = 1,
    .minimum_version_id = 1,
    .needed = aerogpu_submission_fate_needed,
    .fields =
        AEROGPU_VMSTATE_FIELDS{
            VMSTATE_BOOL(changed, AeroGPUSavedSubmission),
            VMSTATE_BOOL(lost, AeroGPUSavedSubmission),
            VMSTATE_BOOL(must_not_fail, AeroGPUSavedSubmission),
            VMSTATE_BOOL(reported, AeroGPUSavedSubmission),
            VMSTATE_END_OF_LIST() },
};

static const VMStateDescription aerogpu_submission_vmstate = {
    .name = "aerogpu/submission",
    .version_id = 1,
    .minimum_version_id = 1,
    .pre_load = aerogpu_submission_pre_load,
    .fields =
        AEROGPU_VMSTATE_FIELDS{
            VMSTATE_UINT64(signal_fence, AeroGPUSavedSubmission),
            VMSTATE_UINT64(work_done_seq, AeroGPUSavedSubmission),
            VMSTATE_UINT32(next_head, AeroGPUSavedSubmission),
            VMSTATE_UINT32(flags, AeroGPUSavedSubmission),
            VMSTATE_UINT32(error_count, AeroGPUSavedSubmission),
            VMSTATE_UINT32(error_code, AeroGPUSavedSubmission),
            VMSTATE_UINT32(present_count, AeroGPUSavedSubmission),
            VMSTATE_BOOL(vsync, AeroGPUSavedSubmission),
            VMSTATE_BOOL(texture, AeroGPUSavedSubmission),
            VMSTATE_BOOL(moves_head, AeroGPUSavedSubmission),
            VMSTATE_BOOL(shows, AeroGPUSavedSubmission),
            VMSTATE_END_OF_LIST() },
    .subsections =
        (const VMStateDescription *[]){ &aerogpu_submission_owner_vmstate,
                                        &aerogpu_submission_fate_vmstate,
                                        NULL },
};

const VMStateDescription aerogpu_completions_vmstate = {
    .name = "aerogpu/completions",
    .version_id = 1,
    .minimum_version_id = 1,
    .pre_save = aerogpu_completions_pre_save,
    .fields =
        AEROGPU_VMSTATE_FIELDS{
            VMSTATE_UINT64(last_vsync_seq, AeroGPUCompletions),
            VMSTATE_UINT32(saved.count, AeroGPUCompletions),
            VMSTATE_VALIDATE("at most 128 submissions",
                             aerogpu_completions_fit),
            VMSTATE_STRUCT_VARRAY_UINT32(
                saved.waiting, AeroGPUCompletions, saved.count, 1,
                aerogpu_submission_vmstate, AeroGPUSavedSubmission),
            VMSTATE_END_OF_LIST() },
};
