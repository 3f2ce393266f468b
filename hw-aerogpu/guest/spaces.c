/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Handle spaces: the device has the switch, knows what a slot says (ring.c)
 * and which texture is shown (scanout.c); the renderer keeps spaces apart.
 * docs/abi/spaces.md.
 */
#include "qemu/osdep.h"
#include "qapi/visitor.h"
#include "qemu/units.h"
#include "hw-aerogpu/aerogpu.h"
#include "hw-aerogpu/guest/spaces.h"

bool aerogpu_spaces_enabled(AeroGPUState *s)
{
    return qatomic_read(&s->spaces.enabled);
}

void aerogpu_spaces_enable(AeroGPUState *s, bool enable)
{
    qatomic_set(&s->spaces.enabled, enable);
}

void aerogpu_spaces_reset(AeroGPUState *s)
{
    aerogpu_spaces_enable(s, false);
    s->spaces.scanout_alloc = 0;
}

uint32_t aerogpu_spaces_limit(AeroGPUState *s, uint32_t offset)
{
    struct aerogpu_renderer_space_limits limits = { .struct_size =
                                                        sizeof(limits) };

    aerogpu_renderer_get_space_limits(s->renderer, &limits);
    switch (offset) {
    case AEROGPU_EXT_REG_SPACE_COUNT:
        return limits.spaces;
    case AEROGPU_EXT_REG_SPACE_CONTEXTS:
        return limits.contexts;
    case AEROGPU_EXT_REG_SPACE_OBJECTS:
        return limits.objects;
    default:
        return MIN(limits.host_memory_bytes / MiB, UINT32_MAX);
    }
}

/* ---- for people on the host ---- */

static bool aerogpu_space_visit(Visitor *v,
                                struct aerogpu_renderer_space *space,
                                Error **errp)
{
    char *image = space->image_name;
    bool ok;

    if (!visit_start_struct(v, NULL, NULL, 0, errp)) {
        return false;
    }
    ok = visit_type_uint32(v, "space", &space->space, errp) &&
         visit_type_uint32(v, "process-id", &space->process_id, errp) &&
         visit_type_str(v, "image", &image, errp) &&
         visit_type_uint64(v, "objects", &space->objects, errp) &&
         visit_type_uint64(v, "contexts", &space->contexts, errp) &&
         visit_type_uint64(v, "host-memory", &space->host_memory_bytes, errp) &&
         visit_type_uint64(v, "process-host-memory",
                           &space->process_host_memory_bytes, errp) &&
         visit_type_uint64(v, "submissions", &space->submissions, errp) &&
         visit_type_uint64(v, "packets", &space->packets, errp) &&
         visit_type_uint64(v, "draws", &space->draws, errp) &&
         visit_type_uint64(v, "errors", &space->errors, errp) &&
         visit_check_struct(v, errp);
    visit_end_struct(v, NULL);
    return ok;
}

bool aerogpu_spaces_visit(AeroGPUState *s, Visitor *v, const char *name,
                          Error **errp)
{
    struct aerogpu_renderer_space space = { .struct_size = sizeof(space) };
    uint32_t from = 0;
    bool ok = true;

    if (!visit_start_list(v, name, NULL, 0, errp)) {
        return false;
    }
    while (ok && s->renderer &&
           aerogpu_renderer_next_space(s->renderer, from, &space)) {
        ok = aerogpu_space_visit(v, &space, errp);
        from = space.space + 1;
        if (!from) {
            break;
        }
    }
    visit_end_list(v, NULL);
    return ok;
}

void aerogpu_spaces_held(AeroGPUState *s, uint64_t *objects, uint64_t *contexts)
{
    struct aerogpu_renderer_space space = { .struct_size = sizeof(space) };
    uint32_t from = 0;

    *objects = *contexts = 0;
    while (s->renderer &&
           aerogpu_renderer_next_space(s->renderer, from, &space)) {
        *objects += space.objects;
        *contexts += space.contexts;
        from = space.space + 1;
        if (!from) {
            break;
        }
    }
}

static void aerogpu_spaces_get(Object *obj, Visitor *v, const char *name,
                               void *opaque, Error **errp)
{
    aerogpu_spaces_visit(AEROGPU(obj), v, name, errp);
}

void aerogpu_spaces_class_init(ObjectClass *klass)
{
    object_class_property_add(klass, "spaces", "AeroGPUSpaceList",
                              aerogpu_spaces_get, NULL, NULL, NULL);
    object_class_property_set_description(
        klass, "spaces",
        "read-only: handle spaces, with objects and counters of each");
}

/* ---- saved state ---- */

static bool aerogpu_spaces_needed(void *opaque)
{
    AeroGPUState *s = opaque;

    return s->spaces.enabled || s->spaces.scanout_alloc;
}

/* Spaces themselves are the renderer's (snapshot/carry.c). */
const VMStateDescription aerogpu_spaces_vmstate = {
    .name = TYPE_AEROGPU "/spaces",
    .version_id = 1,
    .minimum_version_id = 1,
    .needed = aerogpu_spaces_needed,
    .fields =
        AEROGPU_VMSTATE_FIELDS{
            VMSTATE_BOOL(spaces.enabled, AeroGPUState),
            VMSTATE_UINT32(spaces.scanout_alloc, AeroGPUState),
            VMSTATE_END_OF_LIST() },
};
