/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Ring reset, device reset and restart of the GPU. The register side's part
 * comes first; it is done at once, under the BQL, so that the driver sees it
 * whatever the render thread is doing. The render thread does the rest when it
 * takes the request. For the two resets the register side waits until then, but
 * not long (aerogpu_request_wait_guest). RING_BUSY shows what is left after
 * such a wait.
 */
#include "qemu/osdep.h"
#include "qemu/error-report.h"
#include "qemu/lockable.h"
#include "qemu/timer.h"
#include "hw-aerogpu/aerogpu.h"
#include "hw-aerogpu/ring/completions.h"
#include "hw-aerogpu/display/cursor.h"
#include "hw-aerogpu/display/gamma.h"
#include "hw-aerogpu/report/errors.h"
#include "hw-aerogpu/ring/fence.h"
#include "hw-aerogpu/report/irq.h"
#include "hw-aerogpu/ring/keep.h"
#include "hw-aerogpu/ring/loss.h"
#include "hw-aerogpu/guest/requests.h"
#include "hw-aerogpu/ring/reset.h"
#include "hw-aerogpu/ring/ring_memory.h"
#include "hw-aerogpu/display/scanout.h"
#include "hw-aerogpu/guest/spaces.h"
#include "hw-aerogpu/report/trace_events.h"
#include "hw-aerogpu/display/vblank.h"

/* ---- register side; BQL ---- */

/*
 * Drops all work that was fetched: after the return fetched submissions have no
 * effect, no thread uses the ring's mapping, the renderer stops at its next
 * packet, and none of its threads writes guest memory.
 */
static void aerogpu_drop_ring(AeroGPUState *s, bool move_head)
{
    WITH_QEMU_LOCK_GUARD (&s->lock) {
        aerogpu_ring_abandon_locked(s, move_head);
        aerogpu_completions_drop_locked(s);
    }
    aerogpu_renderer_interrupt(s->renderer);
}

/* True if a GPU may still write guest memory that it was lent. */
static bool aerogpu_old_is_written(AeroGPUState *s)
{
    return aerogpu_renderer_leftovers(s->renderer) &
           AEROGPU_RENDERER_LEFT_WRITES;
}

static bool aerogpu_wait_on(AeroGPUState *s)
{
    return true;
}

uint32_t aerogpu_ring_busy(AeroGPUState *s)
{
    uint32_t left, busy = 0;

    if (!s->render.started) {
        return 0;
    }
    left = aerogpu_renderer_leftovers(s->renderer);
    if (left & AEROGPU_RENDERER_LEFT_WRITES) {
        busy |= AEROGPU_EXT_RING_BUSY_WRITES;
    }
    /* In an old generation the render thread may read for its packet. */
    if (left & AEROGPU_RENDERER_LEFT_READS || !aerogpu_completions_entered(s)) {
        busy |= AEROGPU_EXT_RING_BUSY_READS;
    }
    if (left) {
        aerogpu_request(s, AEROGPU_REQ_SETTLE);
    }
    return busy;
}

void aerogpu_ring_reset(AeroGPUState *s)
{
    trace_aerogpu_ring_reset();
    if (!s->render.started) {
        return;
    }
    aerogpu_drop_ring(s, true);
    if (!aerogpu_request_wait_guest(s, AEROGPU_REQ_RING_RESET,
                                    AEROGPU_RING_RESET_MS,
                                    aerogpu_old_is_written) &&
        aerogpu_old_is_written(s)) {
        warn_report_once("aerogpu: the GPU goes on writing guest memory after "
                         "a ring reset");
    }
}

/*
 * Does what a ring reset does, and drops all objects. Does not wait for the
 * render thread: opening a GPU can take seconds.
 */
void aerogpu_gpu_restart(AeroGPUState *s)
{
    trace_aerogpu_gpu_restart();
    if (!s->render.started) {
        return;
    }
    aerogpu_drop_ring(s, true);
    aerogpu_keep_forget(s);
    aerogpu_loss_objects_dropped(s);
    aerogpu_request(s, AEROGPU_REQ_RESTART | aerogpu_scanout_forget_frame(s));
}

/* Stops no work: no driver has used the device since the objects were kept. */
void aerogpu_drop_held(AeroGPUState *s)
{
    aerogpu_loss_objects_dropped(s);
    aerogpu_request(s, AEROGPU_REQ_RESTART);
}

bool aerogpu_held_are_lost(AeroGPUState *s)
{
    if (s->keep.state != AEROGPU_EXT_KEEP_HELD) {
        return false;
    }
    aerogpu_keep_forget(s);
    aerogpu_drop_held(s);
    return true;
}

/* Drops work and, unless kept, objects; registers still have old values. */
static void aerogpu_drop_all(AeroGPUState *s)
{
    uint32_t request = AEROGPU_REQ_DEVICE_RESET;

    if (!s->render.started) {
        return;
    }
    /*
     * The driver is gone, and the ring's memory may belong to another program:
     * the device writes nothing there and fetches nothing any more.
     */
    aerogpu_reg_set(&s->regs, AEROGPU_MMIO_REG_RING_CONTROL, 0);
    aerogpu_drop_ring(s, false);
    aerogpu_loss_enable(s, false);
    if (aerogpu_keep_over_reset(s)) {
        request = AEROGPU_REQ_RING_RESET;
    } else {
        aerogpu_loss_objects_dropped(s);
    }
    aerogpu_scanout_forget_frame(s); /* its GPU may be lost */
    if (!aerogpu_request_wait_guest(s, request, 0, aerogpu_wait_on)) {
        warn_report_once("aerogpu: the renderer did not stop in time for a "
                         "device reset");
    }
}

/*
 * Resets VGA too: the handler that vga_init() registered runs when the machine
 * is reset, but not when only this device is.
 */
void aerogpu_device_reset(AeroGPUState *s)
{
    if (!s->render.ready) {
        return;
    }
    aerogpu_drop_all(s);
    aerogpu_regfile_reset(&s->regs);
    WITH_QEMU_LOCK_GUARD (&s->lock) {
        aerogpu_fence_reset_locked(s);
        aerogpu_errors_reset_locked(s);
        aerogpu_completions_reset_locked(s);
    }
    aerogpu_vblank_reset(s);
    aerogpu_irq_reset(s);
    aerogpu_cursor_reset(s);
    aerogpu_gamma_reset(s);
    aerogpu_spaces_reset(s);
    vga_common_reset(&s->vga);
    aerogpu_scanout_reset(s);
    aerogpu_request(s, AEROGPU_REQ_SCANOUT);
}

/* ---- render thread ---- */

void aerogpu_wait_idle(AeroGPUState *s)
{
    while (!aerogpu_renderer_wait_idle(s->renderer, 500LL * SCALE_MS)) {
        if (qatomic_read(&s->requests.pending) & AEROGPU_REQ_EXIT) {
            return;
        }
    }
}

void aerogpu_ring_reset_requested(AeroGPUState *s)
{
    aerogpu_ring_unmap(s);
    aerogpu_wait_idle(s);
    aerogpu_renderer_resume(s->renderer);
    aerogpu_completions_enter_generation(s);
}

static void aerogpu_drop_objects(AeroGPUState *s, const char *when)
{
    bool works;

    aerogpu_ring_unmap(s);
    works = aerogpu_renderer_reset(s->renderer);
    if (!works) {
        error_report("aerogpu: the renderer could not be brought back %s",
                     when);
    }
    aerogpu_loss_over(s, works);
    aerogpu_completions_enter_generation(s);
}

void aerogpu_device_reset_requested(AeroGPUState *s)
{
    aerogpu_drop_objects(s, "after a device reset");
}

void aerogpu_gpu_restart_requested(AeroGPUState *s)
{
    aerogpu_drop_objects(s, "by a restart of the GPU");
}
