/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The render thread: waits for the doorbell, feeds the renderer from the ring
 * and carries out requests of the register side. It never takes the BQL, so
 * the register side may wait for it (bounded) while holding it.
 */
#include "qemu/osdep.h"
#include "qapi/error.h"
#include "qemu/error-report.h"
#include "qemu/lockable.h"
#include "qemu/processor.h"
#include "qemu/rcu.h"
#include "qemu/units.h"
#include "hw-aerogpu/aerogpu.h"
#include "hw-aerogpu/ring/embedder.h"
#include "hw-aerogpu/guest/guestmem.h"
#include "hw-aerogpu/ring/render.h"
#include "hw-aerogpu/guest/regions.h"
#include "hw-aerogpu/guest/requests.h"
#include "hw-aerogpu/ring/reset.h"
#include "hw-aerogpu/ring/ring.h"
#include "hw-aerogpu/ring/ring_memory.h"
#include "hw-aerogpu/display/scanout.h"
#include "hw-aerogpu/ring/handover.h"
#include "hw-aerogpu/ring/move.h"
#include "hw-aerogpu/ring/tail_poll.h"
#include "hw-aerogpu/report/trace_events.h"

#include <poll.h>

/* ---- render thread ---- */

static void aerogpu_handle_requests(AeroGPUState *s, uint32_t requests)
{
    if (requests & AEROGPU_REQ_DEVICE_RESET) {
        aerogpu_device_reset_requested(s);
    } else if (requests & AEROGPU_REQ_RESTART) {
        aerogpu_gpu_restart_requested(s);
    } else if (requests & AEROGPU_REQ_RING_RESET) {
        aerogpu_ring_reset_requested(s);
    } else if (requests & AEROGPU_REQ_QUIESCE) {
        aerogpu_wait_idle(s);
    } else if (requests & AEROGPU_REQ_SETTLE) {
        aerogpu_renderer_wait_idle(s->renderer, 0);
    }
    if (requests & (AEROGPU_REQ_SCANOUT | AEROGPU_REQ_SNAPSHOT |
                    AEROGPU_REQ_DEVICE_RESET)) {
        aerogpu_scanout_requested(s, requests & AEROGPU_REQ_SNAPSHOT);
    }
    if (requests & AEROGPU_REQ_LOAD) {
        aerogpu_handover_load_requested(s);
    } else if (requests & AEROGPU_REQ_SAVE) {
        aerogpu_handover_save_requested(s);
    } else if (requests & AEROGPU_REQ_LIVE) {
        aerogpu_handover_live_requested(s);
    } else if (requests & AEROGPU_REQ_MOVE) {
        aerogpu_move_requested(s);
    } else if (requests & AEROGPU_REQ_PREPARE) {
        aerogpu_prepare_requested(s);
    }
}

/* Sleeps until the doorbell or a kick. True for the doorbell. */
static bool aerogpu_sleep(AeroGPUState *s)
{
    struct pollfd fds[] = {
        { .fd = event_notifier_get_fd(&s->render.doorbell), .events = POLLIN },
        { .fd = event_notifier_get_fd(&s->requests.kick), .events = POLLIN },
    };

    qatomic_set(&s->render.asleep, true);
    while (poll(fds, ARRAY_SIZE(fds), -1) < 0) {
        if (errno != EINTR && errno != EAGAIN) {
            error_report("aerogpu: render thread: %s", strerror(errno));
            break;
        }
    }
    /* Before the events are taken: see aerogpu_render_is_asleep(). */
    qatomic_set(&s->render.asleep, false);
    event_notifier_test_and_clear(&s->requests.kick);
    return event_notifier_test_and_clear(&s->render.doorbell);
}

bool aerogpu_render_is_asleep(AeroGPUState *s)
{
    struct pollfd rang = { .fd = event_notifier_get_fd(&s->render.doorbell),
                           .events = POLLIN };

    /* A thread that takes an event or a request clears `asleep` first. */
    return poll(&rang, 1, 0) == 0 && !qatomic_read(&s->requests.pending) &&
           qatomic_read(&s->render.asleep);
}

/*
 * Waits for work: polls the tail for as long as the policy says (tail_poll.h),
 * then sleeps. True if the doorbell rang.
 */
static bool aerogpu_wait(AeroGPUState *s, AeroGPUPoll *poll)
{
    int64_t start = get_clock();
    bool rang;

    if (poll->ns) {
        do {
            if (aerogpu_ring_poll(s)) {
                aerogpu_poll_hit(poll);
                return false;
            }
            if (qatomic_read(&s->requests.pending)) {
                return false;
            }
            cpu_relax();
        } while (get_clock() - start < poll->ns);
        aerogpu_poll_missed(poll);
        start = get_clock();
    }
    rang = aerogpu_sleep(s);
    aerogpu_poll_slept(poll, get_clock() - start, rang && aerogpu_ring_poll(s));
    return rang;
}

static void *aerogpu_render_thread(void *opaque)
{
    AeroGPUState *s = opaque;
    AeroGPUPoll poll = { 0 };
    bool exiting = false;

    aerogpu_guestmem_enter();
    while (!exiting) {
        bool rang = aerogpu_wait(s, &poll);

        if (rang) {
            qatomic_set(&s->render.doorbells, s->render.doorbells + 1);
        }
        do {
            uint64_t ticket;
            uint32_t requests;

            requests = aerogpu_requests_take(s, &ticket);
            exiting = requests & AEROGPU_REQ_EXIT;

            if (!exiting && requests) {
                aerogpu_regions_tell(s);
                aerogpu_handle_requests(s, requests);
            }
            aerogpu_requests_ack(s, ticket);
            if (exiting) {
                break;
            }
            aerogpu_regions_tell(s);
            aerogpu_ring_drain(s, !rang);
            rang = false;
        } while (qatomic_read(&s->requests.pending));
    }
    aerogpu_ring_unmap(s);
    qemu_mutex_lock(&s->lock);
    s->render.gone = true;
    qemu_cond_broadcast(&s->requests.acked);
    qemu_mutex_unlock(&s->lock);
    return NULL;
}

/* ---- life ---- */

/*
 * Waits, when the VM stops, until no work changes guest memory any more, and
 * has the ring fetched when the VM runs. BQL.
 */
static void aerogpu_vm_state_changed(void *opaque, bool running, RunState state)
{
    AeroGPUState *s = opaque;

    qatomic_set(&s->vm_running, running);
    if (running) {
        aerogpu_request(s, AEROGPU_REQ_PROBE);
    } else if (!aerogpu_request_wait(s, AEROGPU_REQ_QUIESCE)) {
        warn_report_once("aerogpu: the renderer did not come to rest while "
                         "the VM was being stopped");
    }
}

/*
 * Ends the render thread. False if it is stuck. The renderer prevents that as
 * far as it can; but a Vulkan driver may hang in any call.
 */
static bool aerogpu_end_thread(AeroGPUState *s)
{
    int64_t deadline = get_clock() + AEROGPU_EXIT_MS * (int64_t)SCALE_MS;

    aerogpu_renderer_shutdown(s->renderer);
    aerogpu_request(s, AEROGPU_REQ_EXIT);
    qemu_mutex_lock(&s->lock);
    while (!s->render.gone) {
        int64_t left = deadline - get_clock();

        if (left <= 0) {
            qemu_mutex_unlock(&s->lock);
            return false;
        }
        qemu_cond_timedwait(&s->requests.acked, &s->lock, left / SCALE_MS + 1);
    }
    qemu_mutex_unlock(&s->lock);
    qemu_thread_join(&s->render.thread);
    return true;
}

static bool aerogpu_render_stop(AeroGPUState *s)
{
    if (s->render.started) {
        s->render.started = false;
        if (!aerogpu_end_thread(s)) {
            error_report("aerogpu: the GPU hangs and is left behind");
            return false;
        }
    }
    aerogpu_embedder_exit(s);
    return true;
}

/* QEMU does not unrealize devices when it quits, but a capture must be
 * finished. */
static void aerogpu_exit_notify(Notifier *notifier, void *data)
{
    aerogpu_render_stop(
        container_of(notifier, AeroGPUState, render.exit_notifier));
}

bool aerogpu_render_init(AeroGPUState *s, Error **errp)
{
    if (!aerogpu_embedder_init(s, errp)) {
        return false;
    }
    if (event_notifier_init(&s->render.doorbell, 0) < 0) {
        error_setg(errp, "aerogpu: cannot create an event descriptor");
        goto fail;
    }
    if (!aerogpu_requests_init(s, errp)) {
        goto fail_doorbell;
    }
    s->vm_running = runstate_is_running();
    s->render.vm_state =
        qemu_add_vm_change_state_handler(aerogpu_vm_state_changed, s);
    s->render.exit_notifier.notify = aerogpu_exit_notify;
    qemu_add_exit_notifier(&s->render.exit_notifier);
    qemu_thread_create(&s->render.thread, "aerogpu-render",
                       aerogpu_render_thread, s, QEMU_THREAD_JOINABLE);
    s->render.started = true;
    s->render.ready = true;
    return true;

fail_doorbell:
    event_notifier_cleanup(&s->render.doorbell);
fail:
    aerogpu_embedder_exit(s);
    return false;
}

void aerogpu_render_exit(AeroGPUState *s)
{
    if (!s->render.ready) {
        return;
    }
    s->render.ready = false;
    qemu_del_vm_change_state_handler(s->render.vm_state);
    qemu_remove_exit_notifier(&s->render.exit_notifier);
    if (!aerogpu_render_stop(s)) {
        object_ref(OBJECT(s)); /* the thread still uses it */
        return;
    }
    event_notifier_cleanup(&s->render.doorbell);
    aerogpu_requests_exit(s);
    aerogpu_ring_exit(s);
}
