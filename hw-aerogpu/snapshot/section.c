/* SPDX-License-Identifier: GPL-2.0-or-later */
/* See section.h. A section is named after the device, as vfio's are. */
#include "qemu/osdep.h"
#include "hw/vmstate-if.h"
#include "hw-aerogpu/aerogpu.h"
#include "hw-aerogpu/snapshot/section.h"

char *aerogpu_section_add(AeroGPUState *s, const char *name,
                          const SaveVMHandlers *handlers)
{
    char *id =
        g_strdup_printf("%s/%s", vmstate_if_get_id(VMSTATE_IF(s)) ?: "", name);

    register_savevm_live(id, VMSTATE_INSTANCE_ID_ANY, 1, handlers, s);
    return id;
}

void aerogpu_section_remove(AeroGPUState *s, char **id)
{
    if (*id) {
        unregister_savevm(NULL, *id, s);
        g_clear_pointer(id, g_free);
    }
}
