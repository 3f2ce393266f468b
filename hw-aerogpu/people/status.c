/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The property "status": the device's owner, the GPU it runs on, what it holds
 * for the guest and for which of its processes, and the last errors.
 * docs/use/monitoring.md lists the members; a published name stays.
 */
#include "qemu/osdep.h"
#include "qapi/visitor.h"
#include "qemu/lockable.h"
#include "hw-aerogpu/aerogpu.h"
#include "hw-aerogpu/report/history.h"
#include "hw-aerogpu/report/log.h"
#include "hw-aerogpu/guest/spaces.h"
#include "hw-aerogpu/people/status.h"

static bool aerogpu_visit_text(Visitor *v, const char *name, const char *text,
                               Error **errp)
{
    char *value = (char *)text; /* an output visitor only reads it */

    return visit_type_str(v, name, &value, errp);
}

static bool aerogpu_visit_memory(AeroGPUState *s, Visitor *v, Error **errp)
{
    static const char *const kinds[] = {
        [AEROGPU_HOST_MEMORY_OTHER] = "other",
        [AEROGPU_HOST_MEMORY_BUFFERS] = "buffers",
        [AEROGPU_HOST_MEMORY_TEXTURES] = "textures",
        [AEROGPU_HOST_MEMORY_SHADERS] = "shaders",
        [AEROGPU_HOST_MEMORY_QUERIES] = "queries",
        [AEROGPU_HOST_MEMORY_FRAMES] = "frames",
    };
    struct aerogpu_renderer_stats stats = { .struct_size = sizeof(stats) };
    uint64_t limit = s->config.max_hostmem;
    bool ok;
    size_t i;

    QEMU_BUILD_BUG_ON(ARRAY_SIZE(kinds) != AEROGPU_HOST_MEMORY_KINDS);
    if (s->renderer) {
        aerogpu_renderer_get_stats(s->renderer, &stats);
    }
    if (!visit_start_struct(v, "host-memory", NULL, 0, errp)) {
        return false;
    }
    ok = visit_type_uint64(v, "limit", &limit, errp) &&
         visit_type_uint64(v, "held", &stats.host_memory_bytes, errp) &&
         visit_type_uint64(v, "peak", &stats.host_memory_peak_bytes, errp);
    for (i = 0; ok && i < ARRAY_SIZE(kinds); i++) {
        ok = visit_type_uint64(v, kinds[i], &stats.host_memory_kind_bytes[i],
                               errp);
    }
    ok = ok && visit_check_struct(v, errp);
    visit_end_struct(v, NULL);
    return ok;
}

/* The renderer's process; all 0 and empty if it runs in QEMU's. */
static bool aerogpu_visit_process(AeroGPUState *s, Visitor *v, Error **errp)
{
    struct aerogpu_renderer_process process = { .struct_size =
                                                    sizeof(process) };
    static const char *const calls[] = {
        [AEROGPU_RENDERER_CALLS_ALL] = "all",
        [AEROGPU_RENDERER_CALLS_REFUSED] = "refused",
        [AEROGPU_RENDERER_CALLS_LISTED] = "listed",
    };
    static const char *const nexts[] = {
        [AEROGPU_RENDERER_NEXT_NONE] = "none",
        [AEROGPU_RENDERER_NEXT_STARTS] = "starts",
        [AEROGPU_RENDERER_NEXT_READY] = "ready",
        [AEROGPU_RENDERER_NEXT_FAILED] = "failed",
    };
    const char *left = "", *next = "";
    bool ok;

    if (s->renderer && aerogpu_renderer_get_process(s->renderer, &process) &&
        process.calls < ARRAY_SIZE(calls) && process.next < ARRAY_SIZE(nexts)) {
        left = calls[process.calls];
        next = nexts[process.next];
    }
    if (!visit_start_struct(v, "renderer-process", NULL, 0, errp)) {
        return false;
    }
    ok =
        visit_type_uint32(v, "id", &process.id, errp) &&
        visit_type_int64(v, "since-ms", &process.since_ms, errp) &&
        visit_type_uint32(v, "deaths", &process.deaths, errp) &&
        aerogpu_visit_text(v, "last-death", process.last_death, errp) &&
        visit_type_uint32(v, "landlock", &process.landlock, errp) &&
        aerogpu_visit_text(v, "calls", left, errp) &&
        aerogpu_visit_text(v, "next", next, errp) &&
        visit_type_uint32(v, "next-pipelines", &process.next_pipelines, errp) &&
        aerogpu_visit_text(v, "next-failure", process.next_failure, errp) &&
        visit_check_struct(v, errp);
    visit_end_struct(v, NULL);
    return ok;
}

static void aerogpu_status_get(Object *obj, Visitor *v, const char *name,
                               void *opaque, Error **errp)
{
    AeroGPUState *s = AEROGPU(obj);
    g_autofree char *vm_name = aerogpu_vm_name();
    g_autofree char *vm_uuid = aerogpu_vm_uuid();
    aerogpu_renderer *r = s->renderer;
    uint64_t objects, contexts, unfinished, errors;

    aerogpu_spaces_held(s, &objects, &contexts);
    WITH_QEMU_LOCK_GUARD (&s->lock) {
        unfinished = s->completions.submit_seq - s->completions.retire_seq;
        errors = s->stats.errors;
    }
    if (!visit_start_struct(v, name, NULL, 0, errp)) {
        return;
    }
    if (aerogpu_visit_text(v, "version", AEROGPU_VERSION, errp) &&
        aerogpu_visit_text(v, "vm-name", vm_name, errp) &&
        aerogpu_visit_text(v, "vm-uuid", vm_uuid, errp) &&
        aerogpu_visit_text(v, "backend",
                           r ? aerogpu_renderer_backend_name(r) : "", errp) &&
        aerogpu_visit_text(v, "gpu", r ? aerogpu_renderer_device_name(r) : "",
                           errp) &&
        aerogpu_visit_text(v, "gpu-driver",
                           r ? aerogpu_renderer_driver_name(r) : "", errp) &&
        aerogpu_visit_process(s, v, errp) && aerogpu_visit_memory(s, v, errp) &&
        visit_type_uint64(v, "objects", &objects, errp) &&
        visit_type_uint64(v, "contexts", &contexts, errp) &&
        visit_type_uint64(v, "submissions-unfinished", &unfinished, errp) &&
        visit_type_uint64(v, "errors-ever", &errors, errp) &&
        aerogpu_visit_text(v, "load-failure", s->failure.last ?: "", errp) &&
        aerogpu_spaces_visit(s, v, "processes", errp) &&
        aerogpu_history_visit(s, v, errp)) {
        visit_check_struct(v, errp);
    }
    visit_end_struct(v, NULL);
}

void aerogpu_status_class_init(ObjectClass *klass)
{
    object_class_property_add(klass, "status", "AeroGPUStatus",
                              aerogpu_status_get, NULL, NULL, NULL);
    object_class_property_set_description(
        klass, "status",
        "read-only: held memory, by kind and by guest process, and the last errors");
}
