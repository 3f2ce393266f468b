/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Completion of submissions: strictly in order, a vsynced present not before
 * the next vblank, then fence, fence page, head and interrupt in the order
 * that the ABI page gives ("Ring, submissions, fences"). Called from the
 * renderer's threads, the vblank timer and the registers, always under `lock`.
 */
#include "qemu/osdep.h"
#include "qemu/lockable.h"
#include "aerogpu.h"
#include "aerogpu_trace.h"

/* Latches an error and raises its interrupt. Any thread, lock held. */
static void aerogpu_latch_error_locked(AeroGPUState *s, uint32_t code,
                                       uint64_t fence, uint32_t count)
{
    uint32_t n = s->error_count;

    trace_aerogpu_error(code, fence, count);
    s->error_code = code;
    s->error_fence = fence;
    s->error_count = n + count < n ? UINT32_MAX : n + count;
    s->stats.errors += count;
    aerogpu_irq_raise(s, AEROGPU_IRQ_ERROR);
}

/* The same for an error outside of a submission. Any thread. */
void aerogpu_latch_error(AeroGPUState *s, uint32_t code, uint64_t fence)
{
    QEMU_LOCK_GUARD(&s->lock);
    aerogpu_latch_error_locked(s, code, fence, 1);
}

void aerogpu_fence_page_unmap_locked(AeroGPUState *s)
{
    if (s->fence_mapped) {
        address_space_cache_destroy(&s->fence_cache);
        s->fence_mapped = false;
    }
    s->fence_failed = false;
}

/* Maps the fence page and fills in its head. Lock held, any thread. */
static bool aerogpu_fence_page_map_locked(AeroGPUState *s)
{
    unsigned map_serial = qatomic_read(&s->map_serial);
    struct aerogpu_fence_page *page;

    if ((s->fence_mapped || s->fence_failed) &&
        s->fence_map_serial == map_serial) {
        return s->fence_mapped;
    }
    aerogpu_fence_page_unmap_locked(s);
    s->fence_map_serial = map_serial;
    if (!s->fence_gpa) {
        return false;
    }
    if (s->fence_gpa % sizeof(uint64_t) ||
        !aerogpu_guest_cache(s, s->fence_gpa, sizeof(*page), &s->fence_cache)) {
        aerogpu_guest_error(s, "no memory for a fence page at 0x%" PRIx64,
                            s->fence_gpa);
        s->fence_failed = true;
        return false;
    }
    s->fence_mapped = true;
    page = (void *)s->fence_cache.ptr;
    page->magic = cpu_to_le32(AEROGPU_FENCE_PAGE_MAGIC);
    page->abi_version = cpu_to_le32(AEROGPU_ABI_VERSION_U32);
    return true;
}

static void aerogpu_fence_page_write_locked(AeroGPUState *s)
{
    struct aerogpu_fence_page *page;

    if (!aerogpu_fence_page_map_locked(s)) {
        return;
    }
    page = (void *)s->fence_cache.ptr;
    /* One 64-bit store, after everything that the fence stands for. */
    qatomic_store_release(
        (uint64_t *)((uint8_t *)page +
                     offsetof(struct aerogpu_fence_page, completed_fence)),
        cpu_to_le64(s->completed_fence));
    address_space_cache_invalidate(&s->fence_cache, 0, sizeof(*page));
}

/* FENCE_GPA_HI was written, or the ring was enabled. BQL. */
void aerogpu_fence_page_changed(AeroGPUState *s)
{
    QEMU_LOCK_GUARD(&s->lock);
    aerogpu_fence_page_unmap_locked(s);
    s->fence_gpa = aerogpu_reg64(s, AEROGPU_MMIO_REG_FENCE_GPA_LO);
    aerogpu_fence_page_write_locked(s);
}

/*
 * Stores the head that the driver sees. Where the memory map is not the one
 * that the ring was mapped from, it goes where the address leads now, if bus
 * mastering is on at all; else the next map has it.
 */
static void aerogpu_head_write_locked(AeroGPUState *s)
{
    uint32_t head = cpu_to_le32(s->head);

    if (!s->ring.mapped || s->ring.map_serial != qatomic_read(&s->map_serial)) {
        s->head_stale =
            !aerogpu_guest_write(s, s->head_gpa, &head, sizeof(head));
        return;
    }
    s->head_stale = false;
    qatomic_store_release(
        (uint32_t *)((uint8_t *)s->ring.cache.ptr +
                     offsetof(struct aerogpu_ring_header, head)),
        head);
    address_space_cache_invalidate(&s->ring.cache,
                                   offsetof(struct aerogpu_ring_header, head),
                                   sizeof(head));
}

/*
 * The memory map is another one from here on: what is written later goes by
 * it, and what could not be written before is tried again. BQL.
 */
void aerogpu_complete_map_changed(AeroGPUState *s)
{
    QEMU_LOCK_GUARD(&s->lock);
    qatomic_inc(&s->map_serial);
    if (s->fence_failed) {
        aerogpu_fence_page_write_locked(s);
    }
    if (s->head_stale) {
        aerogpu_head_write_locked(s);
    }
}

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

    if (sub->present_count) {
        aerogpu_scanout_present_locked(s, sub);
    }
    if (sub->signal_fence > s->completed_fence) {
        qatomic_store_release(&s->completed_fence, sub->signal_fence);
    }
    aerogpu_fence_page_write_locked(s);
    if (s->ring.serial == sub->ring_serial) {
        s->head = sub->next_head;
        aerogpu_head_write_locked(s);
    }
    if (sub->error_count) {
        aerogpu_latch_error_locked(s, sub->error_code, sub->signal_fence,
                                   sub->error_count);
    }
    if (!(sub->flags & AEROGPU_SUBMIT_FLAG_NO_IRQ)) {
        aerogpu_irq_raise(s, AEROGPU_IRQ_FENCE);
    }
}

/*
 * Whether a vsynced present has met its vblank: a tick after its work was
 * done, and not the one that released the present before it.
 */
static bool aerogpu_vsync_met_locked(AeroGPUState *s, AeroGPUSubmission *sub)
{
    uint64_t seq;

    if (!s->vblank_running) {
        return true;
    }
    seq = aerogpu_vblank_seq(s);
    if (seq <= MAX(sub->work_done_seq, s->last_vsync_seq)) {
        return false;
    }
    s->last_vsync_seq = seq;
    return true;
}

/* Completes what can be completed. Any thread, lock held. */
void aerogpu_retire_locked(AeroGPUState *s)
{
    bool freed = false;

    while (s->retire_seq != s->submit_seq) {
        AeroGPUSubmission *sub =
            &s->submissions[s->retire_seq % AEROGPU_MAX_OUTSTANDING];

        if (!sub->done) {
            break;
        }
        if (sub->generation == s->generation) {
            if (sub->vsync && !aerogpu_vsync_met_locked(s, sub)) {
                aerogpu_vblank_want(s);
                break;
            }
            aerogpu_complete_locked(s, sub);
        }
        if (sub->frame) {
            aerogpu_renderer_frame_release(s->renderer, sub->frame);
            sub->frame = NULL;
        }
        s->retire_seq++;
        freed = true;
    }
    if (freed && s->ring_full) {
        s->ring_full = false;
        qatomic_set(&s->requests, s->requests | AEROGPU_REQ_PROBE);
        aerogpu_render_kick(s);
    }
}

/* The renderer's submission_done. Render thread or the renderer's own. */
void aerogpu_submission_done(AeroGPUState *s,
                             const struct aerogpu_submission_result *result)
{
    AeroGPUSubmission *sub;

    if (result->cookie & AEROGPU_COOKIE_SNAPSHOT) {
        aerogpu_scanout_snapshot_done(s, result);
        return;
    }
    QEMU_LOCK_GUARD(&s->lock);
    sub = &s->submissions[result->cookie % AEROGPU_MAX_OUTSTANDING];
    sub->done = true;
    sub->error_count = result->error_count;
    sub->error_code = result->last_error_code;
    sub->present_count = result->present_count;
    sub->vsync = result->present_vsync;
    sub->texture = result->scanout_is_texture;
    sub->frame = result->frame;
    if (s->stopping && sub->frame) {
        aerogpu_renderer_frame_release(s->renderer, sub->frame);
        sub->frame = NULL;
    }
    sub->work_done_seq = aerogpu_vblank_seq(s);
    aerogpu_retire_locked(s);
}
