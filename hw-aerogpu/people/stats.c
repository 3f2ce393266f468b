/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Counters as read-only QOM properties (qom-get). They are for people and
 * tests on the host; a guest sees none of them. docs/develop/debugging.md
 * lists them with these texts.
 */
#include "qemu/osdep.h"
#include "qapi/visitor.h"
#include "qemu/lockable.h"
#include "hw-aerogpu/aerogpu.h"
#include "hw-aerogpu/ring/completions.h"
#include "hw-aerogpu/ring/render.h"
#include "hw-aerogpu/people/stats.h"

/* Values of x-gpu-fault besides enum aerogpu_renderer_faults. */
#define AEROGPU_FAULT_STICK 4
#define AEROGPU_FAULT_FETCH 32
#define AEROGPU_MAX_DELAY_MS 60000

typedef struct AeroGPUCounter {
    const char *name;
    const char *description;
    enum {
        FROM_RENDERER,
        FROM_DEVICE
    } from;
    size_t offset; /* of a uint64_t in the statistics structure */
} AeroGPUCounter;

#define FROM_RENDERER_STATS(n, field, text)                                    \
    {                                                                          \
        n, text, FROM_RENDERER, offsetof(struct aerogpu_renderer_stats, field) \
    }
#define FROM_STATS(n, field, text)                          \
    {                                                       \
        n, text, FROM_DEVICE, offsetof(AeroGPUStats, field) \
    }

static const AeroGPUCounter aerogpu_counters[] = {
    FROM_STATS("submissions", submissions, "submissions fetched from the ring"),
    FROM_STATS(
        "completions", completions,
        "submissions completed; queue-depth is the difference, without those that a reset dropped"),
    FROM_STATS(
        "presents-done", presents_done,
        "presents whose submission's work has ended; one may still wait for its vblank"),
    FROM_STATS("errors", errors, "errors latched in ERROR_*"),
    FROM_STATS("vblanks", vblanks, "vblanks that were waited for"),
    FROM_STATS("bytes", bytes_fetched,
               "bytes of command buffers and allocation tables"),
    FROM_STATS("updated-pixels", pixels_told,
               "pixels that displays were told to draw again, without VGA's"),
    FROM_STATS("save-ns", save_ns,
               "time that the last save of the machine took here"),
    FROM_STATS("save-rest-ns", save_rest_ns,
               "the part of save-ns in which the GPU finished its work"),
    FROM_STATS("save-bytes", save_bytes,
               "bytes of objects and pictures in the last saved state"),
    FROM_STATS("save-ahead-bytes", save_ahead_bytes,
               "bytes that went ahead of it while the machine ran"),
    FROM_STATS("save-objects", save_objects, "objects in the last saved state"),
    FROM_STATS("save-held-bytes", save_held_bytes,
               "bytes of host memory that were held then"),
    FROM_STATS(
        "save-raw-bytes", save_raw_bytes,
        "of save-bytes and save-ahead-bytes, those that were not compressed"),
    FROM_STATS("save-unpacked-bytes", save_unpacked_bytes,
               "the others, before they were compressed"),
    FROM_STATS("save-packed-bytes", save_packed_bytes, "and after"),
    FROM_STATS("load-ns", load_ns,
               "time that the renderer took to load the last saved state"),
    FROM_STATS("load-bytes", load_bytes,
               "bytes of objects and pictures in the state loaded last"),
    FROM_STATS("gpu-moves", gpu_moves,
               "times that vulkan-device, renderer-restart or x-move moved the "
               "machine to a GPU opened anew"),
    FROM_STATS("gpu-move-ns", gpu_move_ns, "time that the last of them took"),
    FROM_STATS("gpu-move-longest-ns", gpu_move_longest_ns,
               "time that the longest of them took"),
    FROM_STATS("gpu-move-bytes", gpu_move_bytes, "bytes that it moved"),
    FROM_STATS("gpu-move-objects", gpu_move_objects, "objects that it moved"),
    FROM_STATS("moves", moves, "times that x-move made all objects anew"),
    FROM_STATS("moves-refused", moves_refused,
               "times that it could not, and all stayed as it was"),
    FROM_RENDERER_STATS("packets", packets, "packets decoded"),
    FROM_RENDERER_STATS("draws", draws, "draw packets executed"),
    FROM_RENDERER_STATS("dispatches", dispatches, "dispatch packets executed"),
    FROM_RENDERER_STATS("presents", presents, "present packets executed"),
    FROM_RENDERER_STATS("upload-bytes", upload_bytes, "bytes moved to the GPU"),
    FROM_RENDERER_STATS("readback-bytes", readback_bytes,
                        "bytes moved from the GPU, frames too"),
    FROM_RENDERER_STATS("host-memory", host_memory_bytes,
                        "bytes of host memory held for the guest, now"),
    FROM_RENDERER_STATS("host-memory-peak", host_memory_peak_bytes,
                        "the largest host-memory so far"),
    FROM_RENDERER_STATS("resources", resources, "live resources, now"),
    FROM_RENDERER_STATS(
        "held-objects", held_objects,
        "objects, share tokens, spaces and changed contexts, now"),
    FROM_RENDERER_STATS("shaders-translated", shaders_translated,
                        "shaders translated"),
    FROM_RENDERER_STATS("pipelines", pipelines_created, "pipelines created"),
    FROM_RENDERER_STATS("cpu-busy-ns", cpu_busy_ns,
                        "time spent decoding and recording"),
    FROM_RENDERER_STATS("frames-unchanged", frames_unchanged,
                        "presents that needed no new copy of the frame"),
    FROM_RENDERER_STATS("gpu-busy-ns", gpu_busy_ns,
                        "time from hand-over to completion, overlaps once"),
};

static void aerogpu_counter_get(Object *obj, Visitor *v, const char *name,
                                void *opaque, Error **errp)
{
    AeroGPUState *s = AEROGPU(obj);
    const AeroGPUCounter *counter = opaque;
    uint64_t value = 0;

    if (counter->from == FROM_RENDERER) {
        struct aerogpu_renderer_stats stats = { .struct_size = sizeof(stats) };

        if (s->renderer) {
            aerogpu_renderer_get_stats(s->renderer, &stats);
        }
        value = *(uint64_t *)((char *)&stats + counter->offset);
    } else {
        QEMU_LOCK_GUARD(&s->lock);
        value = *(uint64_t *)((char *)&s->stats + counter->offset);
    }
    visit_type_uint64(v, name, &value, errp);
}

static void aerogpu_doorbells_get(Object *obj, Visitor *v, const char *name,
                                  void *opaque, Error **errp)
{
    uint64_t value = qatomic_read(&AEROGPU(obj)->render.doorbells);

    visit_type_uint64(v, name, &value, errp);
}

static void aerogpu_interrupts_get(Object *obj, Visitor *v, const char *name,
                                   void *opaque, Error **errp)
{
    uint64_t value = qatomic_read(&AEROGPU(obj)->irq.interrupts);

    visit_type_uint64(v, name, &value, errp);
}

static void aerogpu_depth_get(Object *obj, Visitor *v, const char *name,
                              void *opaque, Error **errp)
{
    AeroGPUState *s = AEROGPU(obj);
    uint64_t value;

    WITH_QEMU_LOCK_GUARD (&s->lock) {
        value = s->completions.submit_seq - s->completions.retire_seq;
    }
    visit_type_uint64(v, name, &value, errp);
}

static void aerogpu_resting_get(Object *obj, Visitor *v, const char *name,
                                void *opaque, Error **errp)
{
    AeroGPUState *s = AEROGPU(obj);
    /* In this order: the thread counts what it fetched before it sleeps. */
    uint64_t value =
        aerogpu_render_is_asleep(s) && !aerogpu_completions_are_busy(s);

    visit_type_uint64(v, name, &value, errp);
}

static void aerogpu_latency_get(Object *obj, Visitor *v, const char *name,
                                void *opaque, Error **errp)
{
    AeroGPUState *s = AEROGPU(obj);
    uint64_t value;

    WITH_QEMU_LOCK_GUARD (&s->lock) {
        if (!strcmp(name, "fence-latency-min-ns")) {
            value = s->stats.latency_min_ns;
        } else if (!strcmp(name, "fence-latency-max-ns")) {
            value = s->stats.latency_max_ns;
        } else {
            value = s->stats.completions
                        ? s->stats.latency_sum_ns / s->stats.completions
                        : 0;
        }
    }
    visit_type_uint64(v, name, &value, errp);
}

static char *aerogpu_backend_get(Object *obj, Error **errp)
{
    AeroGPUState *s = AEROGPU(obj);

    return g_strdup(s->renderer ? aerogpu_renderer_backend_name(s->renderer)
                                : "");
}

static char *aerogpu_version_get(Object *obj, Error **errp)
{
    return g_strdup(AEROGPU_VERSION);
}

static char *aerogpu_device_get(Object *obj, Error **errp)
{
    AeroGPUState *s = AEROGPU(obj);

    return g_strdup(s->renderer ? aerogpu_renderer_device_name(s->renderer)
                                : "");
}

static void aerogpu_fault_set(Object *obj, Visitor *v, const char *name,
                              void *opaque, Error **errp)
{
    AeroGPUState *s = AEROGPU(obj);
    uint32_t faults;

    if (visit_type_uint32(v, name, &faults, errp) && s->renderer) {
        aerogpu_renderer_play_faults(s->renderer,
                                     faults & (AEROGPU_RENDERER_FAULT_LOSE |
                                               AEROGPU_RENDERER_FAULT_REFUSE |
                                               AEROGPU_RENDERER_FAULT_HANG));
        aerogpu_completions_stick(s, faults & AEROGPU_FAULT_STICK);
        qatomic_set(&s->ring.no_memory, faults & AEROGPU_FAULT_FETCH);
    }
}

static void aerogpu_delay_set(Object *obj, Visitor *v, const char *name,
                              void *opaque, Error **errp)
{
    AeroGPUState *s = AEROGPU(obj);
    uint32_t ms;

    if (!visit_type_uint32(v, name, &ms, errp)) {
        return;
    }
    if (ms > AEROGPU_MAX_DELAY_MS) {
        error_setg(errp, "%s is %" PRIu32 ", at most %d", name, ms,
                   AEROGPU_MAX_DELAY_MS);
    } else if (s->renderer) {
        aerogpu_completions_delay(s, ms);
    }
}

static void aerogpu_add(ObjectClass *klass, const char *name,
                        ObjectPropertyAccessor *get, void *opaque,
                        const char *description)
{
    g_autofree char *text = g_strconcat("read-only: ", description, NULL);

    object_class_property_add(klass, name, "uint64", get, NULL, NULL, opaque);
    object_class_property_set_description(klass, name, text);
}

void aerogpu_stats_class_init(ObjectClass *klass)
{
    size_t i;

    for (i = 0; i < ARRAY_SIZE(aerogpu_counters); i++) {
        const AeroGPUCounter *counter = &aerogpu_counters[i];

        aerogpu_add(klass, counter->name, aerogpu_counter_get, (void *)counter,
                    counter->description);
    }
    aerogpu_add(
        klass, "doorbells", aerogpu_doorbells_get, NULL,
        "doorbells that woke the render thread (none does while it polls)");
    aerogpu_add(klass, "interrupts", aerogpu_interrupts_get, NULL,
                "times that an enabled interrupt bit came up");
    aerogpu_add(klass, "queue-depth", aerogpu_depth_get, NULL,
                "submissions fetched and not completed, now");
    aerogpu_add(
        klass, "resting", aerogpu_resting_get, NULL,
        "1 while nothing happens unless the guest acts or a vblank comes");
    aerogpu_add(klass, "fence-latency-min-ns", aerogpu_latency_get, NULL,
                "shortest time from fetch to completion");
    aerogpu_add(klass, "fence-latency-avg-ns", aerogpu_latency_get, NULL,
                "mean time from fetch to completion");
    aerogpu_add(klass, "fence-latency-max-ns", aerogpu_latency_get, NULL,
                "longest time from fetch to completion");
    object_class_property_add(klass, "x-gpu-fault", "uint32", NULL,
                              aerogpu_fault_set, NULL, NULL);
    object_class_property_set_description(
        klass, "x-gpu-fault",
        "write-only, for tests: 1 loses the GPU, once; 2, while set, keeps it from coming back; 4 keeps the next submission from ending; 8, while set, keeps the GPU from ending what it is given; 32, while set, there is no memory for commands");
    object_class_property_add(klass, "x-gpu-delay-ms", "uint32", NULL,
                              aerogpu_delay_set, NULL, NULL);
    object_class_property_set_description(
        klass, "x-gpu-delay-ms",
        "write-only, for tests: the time of the VM's clock that each submission takes at least");
    object_class_property_add_str(klass, "backend", aerogpu_backend_get, NULL);
    object_class_property_set_description(klass, "backend",
                                          "read-only: back end in use");
    object_class_property_add_str(klass, "version", aerogpu_version_get, NULL);
    object_class_property_set_description(klass, "version",
                                          "read-only: version of the device");
    object_class_property_add_str(klass, "gpu", aerogpu_device_get, NULL);
    object_class_property_set_description(klass, "gpu",
                                          "read-only: GPU in use");
}
