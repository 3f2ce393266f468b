/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The properties vulkan-device (gpu_property.h), a string like any other until
 * the device is realized, when setting it moves the machine to that GPU,
 * renderer-restart, which moves it to a new process on the same one, and
 * renderer-prepare, which has that process ready.
 */
#include "qemu/osdep.h"
#include "qapi/error.h"
#include "qapi/visitor.h"
#include "hw-aerogpu/aerogpu.h"
#include "hw-aerogpu/bus/gpu_property.h"
#include "hw-aerogpu/ring/move.h"
#include "hw-aerogpu/snapshot/promise.h"

PropertyInfo aerogpu_gpu_property_info;

static void aerogpu_gpu_set(Object *obj, Visitor *v, const char *name,
                            void *opaque, Error **errp)
{
    AeroGPUState *s = AEROGPU(obj);
    g_autofree char *device = NULL;

    if (!visit_type_str(v, name, &device, errp)) {
        return;
    }
    if (DEVICE(obj)->realized) {
        aerogpu_promise_keep(s);
        if (!aerogpu_move_to_gpu(s, device, errp)) {
            return;
        }
    }
    g_free(s->config.vulkan_device);
    s->config.vulkan_device = g_steal_pointer(&device);
}

static bool aerogpu_has_process(AeroGPUState *s, const char *property,
                                Error **errp)
{
    if (!DEVICE(s)->realized || !s->regions.used) {
        error_setg(errp,
                   "aerogpu: %s: the renderer has no process of its own "
                   "(process=on)",
                   property);
        return false;
    }
    return true;
}

static void aerogpu_restart_set(Object *obj, bool restarts, Error **errp)
{
    AeroGPUState *s = AEROGPU(obj);

    if (aerogpu_has_process(s, "renderer-restart", errp) && restarts) {
        aerogpu_promise_keep(s);
        aerogpu_move_to_gpu(s, s->config.vulkan_device ?: "", errp);
    }
}

static void aerogpu_prepare_set(Object *obj, bool wanted, Error **errp)
{
    AeroGPUState *s = AEROGPU(obj);

    if (aerogpu_has_process(s, "renderer-prepare", errp)) {
        aerogpu_prepare_for_gpu(
            s, wanted ? s->config.vulkan_device ?: "" : NULL, errp);
    }
}

void aerogpu_restart_property_init(ObjectClass *klass)
{
    object_class_property_add_bool(klass, "renderer-restart", NULL,
                                   aerogpu_restart_set);
    object_class_property_set_description(
        klass, "renderer-restart",
        "write-only, with process=on: true moves everything into a new "
        "process, without the guest's notice");
    object_class_property_add_bool(klass, "renderer-prepare", NULL,
                                   aerogpu_prepare_set);
    object_class_property_set_description(
        klass, "renderer-prepare",
        "write-only, with process=on: true has the process of the next "
        "renderer-restart ready before it, false ends that");
}

void aerogpu_gpu_property_init(void)
{
    aerogpu_gpu_property_info = qdev_prop_string;
    aerogpu_gpu_property_info.set = aerogpu_gpu_set;
    aerogpu_gpu_property_info.realized_set_allowed = true;
}
