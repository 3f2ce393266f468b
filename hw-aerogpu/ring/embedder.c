/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The device as the renderer's embedder: the callbacks of renderer.h, and the
 * renderer's life.
 */
#include "qemu/osdep.h"
#include "qapi/error.h"
#include "qemu/error-report.h"
#include "qemu/timer.h"
#include "qemu/units.h"
#include "hw-aerogpu/aerogpu.h"
#include "aerogpu/vulkan_devices.h"
#include "hw-aerogpu/ring/completions.h"
#include "hw-aerogpu/ring/embedder.h"
#include "hw-aerogpu/guest/guestmem.h"
#include "hw-aerogpu/guest/regions.h"
#include "hw-aerogpu/report/log.h"
#include "hw-aerogpu/ring/ring.h"
#include "hw-aerogpu/display/scanout.h"
#include "hw-aerogpu/report/trace_events.h"

/* ---- what the renderer calls; render thread or the renderer's own ---- */

static int aerogpu_cb_guest_map(void *opaque, uint64_t gpa, uint64_t size,
                                bool write, struct aerogpu_guest_mapping *out)
{
    AeroGPUMap map;

    aerogpu_guestmem_enter();
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

    aerogpu_guestmem_enter();
    aerogpu_guest_unmap(opaque, &map, bytes_written);
}

static void aerogpu_cb_done(void *opaque,
                            const struct aerogpu_submission_result *result)
{
    aerogpu_guestmem_enter();
    if (result->cookie & AEROGPU_COOKIE_SNAPSHOT) {
        aerogpu_scanout_snapshot_done(opaque, result);
    } else {
        aerogpu_submission_done(opaque, result);
    }
}

static void aerogpu_cb_log(void *opaque, enum aerogpu_log_level level,
                           const char *message)
{
    switch (level) {
    case AEROGPU_LOG_ERROR:
        aerogpu_host_error(opaque, message);
        break;
    case AEROGPU_LOG_GUEST:
        aerogpu_guest_error(opaque, "%s", message);
        break;
    default:
        trace_aerogpu_renderer(level, message);
        break;
    }
}

/* Runs on the renderer's thread, without a lock. */
static size_t aerogpu_cb_waiting_spaces(void *opaque, uint32_t *spaces,
                                        size_t room)
{
    aerogpu_guestmem_enter();
    return aerogpu_ring_waiting_spaces(opaque, spaces, room);
}

/* ---- life ---- */

char *aerogpu_embedder_backends(void)
{
    GString *text = g_string_new("back end: auto");
    const char *name;
    bool available;
    size_t i;

    for (i = 0; (name = aerogpu_renderer_known_backend(i, &available)); i++) {
        if (available) {
            g_string_append_printf(text, ", %s", name);
        }
    }
    return g_string_free(text, false);
}

static void aerogpu_print_device(void *opaque,
                                 const struct aerogpu_vulkan_device *device)
{
    printf("%" PRIu32 " = %s (%s)%s%s%s\n", device->index, device->name,
           device->kind, device->unfit ? ": unfit: " : "",
           device->unfit ? device->unfit : "",
           device->chosen ? ": the default" : "");
}

/* Answers "help" as QEMU's own options do: prints the list and exits. */
static G_NORETURN void aerogpu_list_devices(void)
{
    char error[AEROGPU_ERROR_BYTES] = "";

    if (!aerogpu_list_vulkan_devices(aerogpu_print_device, NULL, error,
                                     sizeof(error))) {
        error_report("aerogpu: %s", error);
        exit(EXIT_FAILURE);
    }
    exit(EXIT_SUCCESS);
}

static void aerogpu_no_process(const char *why)
{
    info_report("aerogpu: process=auto: the renderer runs in QEMU's own "
                "process: %s",
                why);
}

/* Creates the renderer, in a process of its own if that is asked for. */
static bool aerogpu_embedder_create(AeroGPUState *s,
                                    struct aerogpu_renderer_config *config,
                                    Error **errp)
{
    bool is_auto = s->config.process == ON_OFF_AUTO_AUTO;
    g_autofree char *why = is_auto ? aerogpu_regions_why_not() : NULL;
    char error[AEROGPU_ERROR_BYTES] = "";

    if (why) {
        aerogpu_no_process(why);
    } else if (s->config.process != ON_OFF_AUTO_OFF) {
        config->process = "";
    }
    s->renderer = aerogpu_renderer_create(config, error, sizeof(error));
    if (!s->renderer && config->process && is_auto) {
        aerogpu_no_process(error);
        config->process = NULL;
        s->renderer = aerogpu_renderer_create(config, error, sizeof(error));
    }
    if (!s->renderer) {
        error_setg(errp, "aerogpu: %s", error);
        return false;
    }
    s->regions.used = config->process != NULL;
    return true;
}

bool aerogpu_embedder_init(AeroGPUState *s, Error **errp)
{
    static const struct aerogpu_renderer_callbacks callbacks = {
        .struct_size = sizeof(callbacks),
        .guest_map = aerogpu_cb_guest_map,
        .guest_unmap = aerogpu_cb_guest_unmap,
        .submission_done = aerogpu_cb_done,
        .log = aerogpu_cb_log,
        .waiting_spaces = aerogpu_cb_waiting_spaces,
    };
    g_autofree char *vm_name = aerogpu_vm_name();
    g_autofree char *vm_uuid = aerogpu_vm_uuid();
    struct aerogpu_renderer_config config = {
        .struct_size = sizeof(config),
        /* A guest takes its memory back only after the fence. */
        .flags = AEROGPU_RENDERER_LEND_GUEST_MEMORY,
        .backend = s->config.renderer,
        .vulkan_device = s->config.vulkan_device,
        .max_hostmem = s->config.max_hostmem,
        .max_space_hostmem = s->config.max_space_hostmem,
        .vm_name = vm_name,
        .vm_uuid = vm_uuid,
        .recent_trace = s->config.recent_trace,
        .recent_bytes = s->config.recent_bytes,
        .max_batch_ms = s->config.max_batch_ms,
        .caps = s->config.caps,
        .process_deaths = s->config.process_deaths,
        .callbacks = &callbacks,
        .opaque = s,
    };
    char error[AEROGPU_ERROR_BYTES] = "";

    aerogpu_guestmem_entered(); /* QEMU created this thread */
    if (!g_strcmp0(s->config.vulkan_device, "help")) {
        aerogpu_list_devices();
    }
    if (!s->config.renderer) {
        s->config.renderer = g_strdup("auto");
        config.backend = s->config.renderer;
    }
    if (s->config.max_hostmem < 1 * MiB) {
        error_setg(errp,
                   "aerogpu: max_hostmem is %" PRIu64 " bytes, at least "
                   "1 MiB is needed",
                   s->config.max_hostmem);
        return false;
    }
    if (s->config.recent_trace && (s->config.recent_bytes < 64 * KiB ||
                                   s->config.recent_bytes > 1 * GiB)) {
        error_setg(errp,
                   "aerogpu: failure_capture_mem is %" PRIu64
                   " bytes, 64 KiB to 1 GiB can be kept",
                   s->config.recent_bytes);
        return false;
    }
    if (s->config.max_batch_ms < AEROGPU_MIN_BATCH_MS ||
        s->config.max_batch_ms > AEROGPU_MAX_BATCH_MS) {
        error_setg(errp,
                   "aerogpu: max_batch_ms is %" PRIu32
                   ", %u to %u milliseconds are possible",
                   s->config.max_batch_ms, AEROGPU_MIN_BATCH_MS,
                   AEROGPU_MAX_BATCH_MS);
        return false;
    }
    if (!aerogpu_embedder_create(s, &config, errp)) {
        return false;
    }
    if (s->config.capture &&
        !aerogpu_renderer_capture_start(s->renderer, s->config.capture, error,
                                        sizeof(error))) {
        error_setg(errp, "aerogpu: capture: %s", error);
        aerogpu_renderer_destroy(s->renderer);
        s->renderer = NULL;
        return false;
    }
    return true;
}

void aerogpu_embedder_exit(AeroGPUState *s)
{
    char error[AEROGPU_ERROR_BYTES];

    if (!s->renderer) {
        return;
    }
    aerogpu_guestmem_entered(); /* QEMU created this thread */
    aerogpu_renderer_wait_idle(s->renderer,
                               AEROGPU_HANDSHAKE_MS * (uint64_t)SCALE_MS);
    aerogpu_scanout_drop_frame(s);
    aerogpu_completions_drop_frames(s);
    if (s->config.capture &&
        !aerogpu_renderer_capture_stop(s->renderer, error, sizeof(error))) {
        error_report("aerogpu: capture: %s", error);
    }
    aerogpu_renderer_destroy(s->renderer);
    s->renderer = NULL;
    aerogpu_regions_exit(s);
}
