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
#include "aerogpu.h"
#include "aerogpu_trace.h"
#include "tail_poll.h"

#include <poll.h>

/* ---- RCU ---- */

/*
 * Guest memory is looked up in RCU read sections, which protect registered
 * threads only, and the renderer's own threads are not made by QEMU.
 */
static __thread bool aerogpu_rcu_registered;

static void aerogpu_rcu_leave(gpointer unused)
{
    rcu_unregister_thread();
}

static void aerogpu_rcu_enter(void)
{
    static GPrivate leave = G_PRIVATE_INIT(aerogpu_rcu_leave);

    if (unlikely(!aerogpu_rcu_registered)) {
        aerogpu_rcu_registered = true;
        rcu_register_thread();
        g_private_set(&leave, &leave); /* any non-NULL value */
    }
}

/* ---- what the renderer calls; render thread or the renderer's own ---- */

static int aerogpu_cb_guest_map(void *opaque, uint64_t gpa, uint64_t size,
                                bool write, struct aerogpu_guest_mapping *out)
{
    AeroGPUMap map;

    aerogpu_rcu_enter();
    if (!aerogpu_guest_map(opaque, gpa, size, write, &map)) {
        return -1;
    }
    out->host = map.host;
    out->size = map.size;
    out->cookie = map.mr;
    return 0;
}

static void aerogpu_cb_guest_unmap(void *opaque,
                                   const struct aerogpu_guest_mapping *mapping,
                                   uint64_t bytes_written)
{
    AeroGPUMap map = {
        .host = mapping->host,
        .size = mapping->size,
        .mr = mapping->cookie,
    };

    aerogpu_rcu_enter();
    aerogpu_guest_unmap(opaque, &map, bytes_written);
}

static void aerogpu_cb_done(void *opaque,
                            const struct aerogpu_submission_result *result)
{
    aerogpu_rcu_enter();
    aerogpu_submission_done(opaque, result);
}

static void aerogpu_cb_log(void *opaque, enum aerogpu_log_level level,
                           const char *message)
{
    switch (level) {
    case AEROGPU_LOG_ERROR:
        error_report("aerogpu: %s", message);
        break;
    case AEROGPU_LOG_GUEST:
        aerogpu_guest_error(opaque, "%s", message);
        break;
    default:
        trace_aerogpu_renderer(level, message);
        break;
    }
}

/* ---- requests ---- */

void aerogpu_render_kick(AeroGPUState *s)
{
    event_notifier_set(&s->kick);
}

void aerogpu_render_request(AeroGPUState *s, uint32_t requests)
{
    qemu_mutex_lock(&s->lock);
    qatomic_set(&s->requests, s->requests | requests);
    s->request_ticket++;
    qemu_mutex_unlock(&s->lock);
    aerogpu_render_kick(s);
}

/* The same, and waits until it is carried out. False after a timeout. */
bool aerogpu_render_request_wait(AeroGPUState *s, uint32_t requests)
{
    int64_t deadline = get_clock() + AEROGPU_HANDSHAKE_MS * (int64_t)SCALE_MS;
    uint64_t ticket;

    QEMU_LOCK_GUARD(&s->lock);
    qatomic_set(&s->requests, s->requests | requests);
    ticket = ++s->request_ticket;
    aerogpu_render_kick(s);
    while (s->ack_ticket < ticket) {
        int64_t left = deadline - get_clock();

        if (left <= 0) {
            trace_aerogpu_handshake_timeout(requests);
            return false;
        }
        qemu_cond_timedwait(&s->acked, &s->lock, left / SCALE_MS + 1);
    }
    return true;
}

/*
 * Starts a new generation: what was fetched is dropped, its completions have
 * no effect. With move_head, head becomes tail here, on the caller's thread,
 * so that the driver sees it whatever the render thread is doing. BQL.
 */
static void aerogpu_drop_ring(AeroGPUState *s, bool move_head)
{
    uint64_t gpa = aerogpu_reg64(s, AEROGPU_MMIO_REG_RING_GPA_LO);
    struct aerogpu_ring_header header;

    qemu_mutex_lock(&s->lock);
    s->generation++;
    s->ring_serial++;
    s->head_stale = false;
    if (move_head &&
        aerogpu_reg(s, AEROGPU_MMIO_REG_RING_SIZE_BYTES) >= sizeof(header) &&
        aerogpu_guest_read(s, gpa, &header, sizeof(header)) &&
        le32_to_cpu(header.magic) == AEROGPU_RING_MAGIC) {
        s->head = le32_to_cpu(header.tail);
        aerogpu_guest_write(s, gpa + offsetof(struct aerogpu_ring_header, head),
                            &header.tail, sizeof(header.tail));
    }
    aerogpu_retire_locked(s);
    qemu_mutex_unlock(&s->lock);
    aerogpu_renderer_interrupt(s->renderer);
}

/* RING_CONTROL.RESET. BQL. */
void aerogpu_ring_reset(AeroGPUState *s)
{
    trace_aerogpu_ring_reset();
    if (!s->thread_started) {
        return;
    }
    aerogpu_drop_ring(s, true);
    if (!aerogpu_render_request_wait(s, AEROGPU_REQ_RING_RESET)) {
        warn_report_once("aerogpu: the renderer did not stop in time for a "
                         "ring reset");
    }
}

/* Device reset, registers still hold their old values. BQL. */
void aerogpu_render_reset(AeroGPUState *s)
{
    if (!s->thread_started) {
        return;
    }
    /*
     * The driver is gone, and perhaps something else lies where the ring was:
     * nothing is written there, and nothing is fetched any more.
     */
    qatomic_set(&s->regs[AEROGPU_MMIO_REG_RING_CONTROL / 4], 0);
    aerogpu_drop_ring(s, false);
    if (!aerogpu_render_request_wait(s, AEROGPU_REQ_DEVICE_RESET)) {
        warn_report_once("aerogpu: the renderer did not stop in time for a "
                         "device reset");
    }
}

/* ---- render thread ---- */

static void aerogpu_enter_generation(AeroGPUState *s)
{
    QEMU_LOCK_GUARD(&s->lock);
    s->fetch_generation = s->generation;
}

/*
 * Waits for the GPU. The register side has a time limit, this thread only
 * gives up when the device goes away.
 */
static void aerogpu_wait_idle(AeroGPUState *s)
{
    while (!aerogpu_renderer_wait_idle(s->renderer, 500LL * SCALE_MS)) {
        if (qatomic_read(&s->requests) & AEROGPU_REQ_EXIT) {
            return;
        }
    }
}

static void aerogpu_set_scanout(AeroGPUState *s)
{
    struct aerogpu_scanout_config config = {
        .struct_size = sizeof(config),
        .enable = aerogpu_reg(s, AEROGPU_MMIO_REG_SCANOUT0_ENABLE),
        .width = aerogpu_reg(s, AEROGPU_MMIO_REG_SCANOUT0_WIDTH),
        .height = aerogpu_reg(s, AEROGPU_MMIO_REG_SCANOUT0_HEIGHT),
        .format = aerogpu_reg(s, AEROGPU_MMIO_REG_SCANOUT0_FORMAT),
        .pitch_bytes = aerogpu_reg(s, AEROGPU_MMIO_REG_SCANOUT0_PITCH_BYTES),
    };

    qemu_mutex_lock(&s->lock);
    config.fb_gpa = s->flip_gpa;
    qemu_mutex_unlock(&s->lock);
    aerogpu_renderer_set_scanout(s->renderer, &config);
}

static void aerogpu_handle_requests(AeroGPUState *s, uint32_t requests)
{
    if (requests & AEROGPU_REQ_DEVICE_RESET) {
        aerogpu_ring_unmap(s);
        if (!aerogpu_renderer_reset(s->renderer)) {
            error_report("aerogpu: the renderer could not be brought back "
                         "after a device reset");
        }
        aerogpu_enter_generation(s);
    } else if (requests & AEROGPU_REQ_RING_RESET) {
        aerogpu_ring_unmap(s);
        aerogpu_wait_idle(s);
        aerogpu_renderer_resume(s->renderer);
        aerogpu_enter_generation(s);
    } else if (requests & AEROGPU_REQ_QUIESCE) {
        aerogpu_wait_idle(s);
    }
    if (requests & (AEROGPU_REQ_SCANOUT | AEROGPU_REQ_SNAPSHOT |
                    AEROGPU_REQ_DEVICE_RESET)) {
        aerogpu_set_scanout(s);
    }
    if (requests & AEROGPU_REQ_SNAPSHOT) {
        uint64_t serial;

        qemu_mutex_lock(&s->lock);
        serial = s->flip_serial;
        qemu_mutex_unlock(&s->lock);
        aerogpu_renderer_snapshot_scanout(s->renderer,
                                          AEROGPU_COOKIE_SNAPSHOT | serial);
    }
}

/* Sleeps until the doorbell or a kick; true for the doorbell. */
static bool aerogpu_sleep(AeroGPUState *s)
{
    struct pollfd fds[] = {
        { .fd = event_notifier_get_fd(&s->doorbell), .events = POLLIN },
        { .fd = event_notifier_get_fd(&s->kick), .events = POLLIN },
    };

    while (poll(fds, ARRAY_SIZE(fds), -1) < 0) {
        if (errno != EINTR && errno != EAGAIN) {
            error_report("aerogpu: render thread: %s", strerror(errno));
            break;
        }
    }
    event_notifier_test_and_clear(&s->kick);
    return event_notifier_test_and_clear(&s->doorbell);
}

/*
 * Waits for work: polls the tail for as long as the policy says (tail_poll.h),
 * then sleeps. Returns true when the doorbell rang.
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
            if (qatomic_read(&s->requests)) {
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

    aerogpu_rcu_enter();
    while (!exiting) {
        bool rang = aerogpu_wait(s, &poll);

        if (rang) {
            qatomic_set(&s->doorbells, s->doorbells + 1);
        }
        do {
            uint64_t ticket;
            uint32_t requests;

            qemu_mutex_lock(&s->lock);
            requests = s->requests;
            ticket = s->request_ticket;
            qatomic_set(&s->requests, requests & AEROGPU_REQ_EXIT);
            qemu_mutex_unlock(&s->lock);
            exiting = requests & AEROGPU_REQ_EXIT;

            if (!exiting && requests) {
                aerogpu_handle_requests(s, requests);
            }
            qemu_mutex_lock(&s->lock);
            if (s->ack_ticket != ticket) {
                s->ack_ticket = ticket;
                qemu_cond_broadcast(&s->acked);
            }
            qemu_mutex_unlock(&s->lock);
            if (exiting) {
                break;
            }
            aerogpu_ring_drain(s, !rang);
            rang = false;
        } while (qatomic_read(&s->requests));
    }
    aerogpu_ring_unmap(s);
    qemu_mutex_lock(&s->lock);
    s->thread_gone = true;
    qemu_cond_broadcast(&s->acked);
    qemu_mutex_unlock(&s->lock);
    return NULL;
}

/* ---- life ---- */

/* Guest memory must not change while the VM is stopped. BQL. */
static void aerogpu_vm_state_changed(void *opaque, bool running, RunState state)
{
    AeroGPUState *s = opaque;

    qatomic_set(&s->running, running);
    if (running) {
        aerogpu_render_request(s, AEROGPU_REQ_PROBE);
    } else if (!aerogpu_render_request_wait(s, AEROGPU_REQ_QUIESCE)) {
        warn_report_once("aerogpu: the renderer did not come to rest while "
                         "the VM was being stopped");
    }
}

/*
 * Ends the render thread. False if it is stuck, which the renderer prevents as
 * far as it can: a Vulkan driver may hang in any call.
 */
static bool aerogpu_end_thread(AeroGPUState *s)
{
    int64_t deadline = get_clock() + AEROGPU_EXIT_MS * (int64_t)SCALE_MS;

    aerogpu_renderer_shutdown(s->renderer);
    aerogpu_render_request(s, AEROGPU_REQ_EXIT);
    qemu_mutex_lock(&s->lock);
    while (!s->thread_gone) {
        int64_t left = deadline - get_clock();

        if (left <= 0) {
            qemu_mutex_unlock(&s->lock);
            return false;
        }
        qemu_cond_timedwait(&s->acked, &s->lock, left / SCALE_MS + 1);
    }
    qemu_mutex_unlock(&s->lock);
    qemu_thread_join(&s->thread);
    return true;
}

static bool aerogpu_render_stop(AeroGPUState *s)
{
    char error[256];

    aerogpu_rcu_registered = true; /* threads with the BQL always are */
    if (s->thread_started) {
        s->thread_started = false;
        if (!aerogpu_end_thread(s)) {
            error_report("aerogpu: the GPU hangs and is left behind");
            return false;
        }
    }
    if (s->renderer) {
        aerogpu_renderer_wait_idle(s->renderer,
                                   AEROGPU_HANDSHAKE_MS * (uint64_t)SCALE_MS);
        aerogpu_scanout_drop_frames(s);
        if (s->capture &&
            !aerogpu_renderer_capture_stop(s->renderer, error, sizeof(error))) {
            error_report("aerogpu: capture: %s", error);
        }
        aerogpu_renderer_destroy(s->renderer);
        s->renderer = NULL;
    }
    return true;
}

/* QEMU does not unrealize devices when it quits; a capture must be finished. */
static void aerogpu_exit_notify(Notifier *notifier, void *data)
{
    aerogpu_render_stop(container_of(notifier, AeroGPUState, exit_notifier));
}

static bool aerogpu_create_renderer(AeroGPUState *s, Error **errp)
{
    static const struct aerogpu_renderer_callbacks callbacks = {
        .struct_size = sizeof(callbacks),
        .guest_map = aerogpu_cb_guest_map,
        .guest_unmap = aerogpu_cb_guest_unmap,
        .submission_done = aerogpu_cb_done,
        .log = aerogpu_cb_log,
    };
    struct aerogpu_renderer_config config = {
        .struct_size = sizeof(config),
        /* A guest takes its memory back only after the fence. */
        .flags = AEROGPU_RENDERER_LEND_GUEST_MEMORY,
        .backend = s->renderer_name,
        .vulkan_device = s->vulkan_device,
        .max_hostmem = s->max_hostmem,
        .callbacks = &callbacks,
        .opaque = s,
    };
    char error[256] = "";

    aerogpu_rcu_registered = true; /* threads with the BQL always are */
    if (!s->renderer_name) {
        s->renderer_name = g_strdup("auto");
        config.backend = s->renderer_name;
    }
    if (strcmp(config.backend, "auto") && strcmp(config.backend, "vulkan") &&
        strcmp(config.backend, "null")) {
        error_setg(errp,
                   "aerogpu: renderer '%s' is not known (auto, vulkan "
                   "or null)",
                   config.backend);
        return false;
    }
    if (s->max_hostmem < 1 * MiB) {
        error_setg(errp,
                   "aerogpu: max_hostmem is %" PRIu64 " bytes, at least "
                   "1 MiB is needed",
                   s->max_hostmem);
        return false;
    }
    s->renderer = aerogpu_renderer_create(&config, error, sizeof(error));
    if (!s->renderer) {
        error_setg(errp, "aerogpu: %s", error);
        return false;
    }
    if (s->capture && !aerogpu_renderer_capture_start(s->renderer, s->capture,
                                                      error, sizeof(error))) {
        error_setg(errp, "aerogpu: capture: %s", error);
        aerogpu_renderer_destroy(s->renderer);
        s->renderer = NULL;
        return false;
    }
    return true;
}

bool aerogpu_render_init(AeroGPUState *s, Error **errp)
{
    if (!aerogpu_create_renderer(s, errp)) {
        return false;
    }
    if (event_notifier_init(&s->doorbell, 0) < 0) {
        error_setg(errp, "aerogpu: cannot create an event descriptor");
        aerogpu_render_stop(s);
        return false;
    }
    if (event_notifier_init(&s->kick, 0) < 0) {
        error_setg(errp, "aerogpu: cannot create an event descriptor");
        event_notifier_cleanup(&s->doorbell);
        aerogpu_render_stop(s);
        return false;
    }
    s->running = runstate_is_running();
    s->vm_state = qemu_add_vm_change_state_handler(aerogpu_vm_state_changed, s);
    s->exit_notifier.notify = aerogpu_exit_notify;
    qemu_add_exit_notifier(&s->exit_notifier);
    qemu_thread_create(&s->thread, "aerogpu-render", aerogpu_render_thread, s,
                       QEMU_THREAD_JOINABLE);
    s->thread_started = true;
    s->render_ready = true;
    return true;
}

void aerogpu_render_exit(AeroGPUState *s)
{
    if (!s->render_ready) {
        return;
    }
    s->render_ready = false;
    qemu_del_vm_change_state_handler(s->vm_state);
    qemu_remove_exit_notifier(&s->exit_notifier);
    if (!aerogpu_render_stop(s)) {
        object_ref(OBJECT(s)); /* the thread goes on using it */
        return;
    }
    qemu_mutex_lock(&s->lock);
    aerogpu_fence_page_unmap_locked(s);
    qemu_mutex_unlock(&s->lock);
    event_notifier_cleanup(&s->doorbell);
    event_notifier_cleanup(&s->kick);
    g_free(s->cmd_buffer);
    g_free(s->table_buffer);
    s->cmd_buffer = s->table_buffer = NULL;
    s->cmd_capacity = s->table_capacity = 0;
}
