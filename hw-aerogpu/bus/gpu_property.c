/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The property vulkan-device (gpu_property.h): a string like any other until
 * the device is realized; then setting it moves the machine to that GPU.
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

void aerogpu_gpu_property_init(void)
{
    aerogpu_gpu_property_info = qdev_prop_string;
    aerogpu_gpu_property_info.set = aerogpu_gpu_set;
    aerogpu_gpu_property_info.realized_set_allowed = true;
}
