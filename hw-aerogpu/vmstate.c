/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Saved state: everything a guest can see of the device. What the renderer
 * holds (resources, bindings) cannot be saved yet, so pci.c blocks migration;
 * loading treats each value as if the guest had written it.
 */
#include "qemu/osdep.h"
#include "migration/vmstate.h"
#include "qemu/lockable.h"
#include "aerogpu.h"
#include "cursor.h"
#include "fence.h"
#include "irq.h"
#include "regs.h"
#include "requests.h"
#include "scanout.h"
#include "vblank.h"
#include "vmstate.h"

static int aerogpu_pre_save(void *opaque)
{
    AeroGPUState *s = opaque;

    s->saved_vblank_seq = aerogpu_vblank_seq(s);
    s->saved_vblank_time = aerogpu_vblank_time_ns(s);
    s->saved_taken_over = s->scanout.display != AEROGPU_DISPLAY_VGA;
    return 0;
}

static int aerogpu_post_load(void *opaque, int version_id)
{
    AeroGPUState *s = opaque;

    /* Time runs on from here: a last tick in the future is no state of ours. */
    if (s->saved_vblank_time > qemu_clock_get_ns(QEMU_CLOCK_VIRTUAL)) {
        return -EINVAL;
    }
    aerogpu_regs_check_loaded(s);
    s->irq.status &=
        AEROGPU_IRQ_FENCE | AEROGPU_IRQ_SCANOUT_VBLANK | AEROGPU_IRQ_ERROR;
    qemu_mutex_lock(&s->lock);
    s->ring.config_serial++;
    qemu_mutex_unlock(&s->lock);

    aerogpu_vblank_loaded(s, s->saved_vblank_seq, s->saved_vblank_time);
    aerogpu_fence_page_changed(s);
    if (s->saved_taken_over) {
        aerogpu_scanout_loaded(s);
    }
    aerogpu_cursor_shape_changed(s);
    aerogpu_irq_config_changed(s);
    aerogpu_request(s, AEROGPU_REQ_PROBE);
    return 0;
}

const VMStateDescription aerogpu_vmstate = {
    .name = TYPE_AEROGPU,
    .version_id = 1,
    .minimum_version_id = 1,
    .pre_save = aerogpu_pre_save,
    .post_load = aerogpu_post_load,
    .fields =
        AEROGPU_VMSTATE_FIELDS{
            VMSTATE_PCI_DEVICE(pci, AeroGPUState),
            VMSTATE_STRUCT(vga, AeroGPUState, 0, vmstate_vga_common,
                           VGACommonState),
            VMSTATE_UINT32_ARRAY(regs.word, AeroGPUState, AEROGPU_REG_WORDS),
            VMSTATE_UINT32_ARRAY(regs.latch_hi, AeroGPUState, 3),
            VMSTATE_UINT32(irq.status, AeroGPUState),
            VMSTATE_UINT64(fence.completed, AeroGPUState),
            VMSTATE_UINT32(errors.code, AeroGPUState),
            VMSTATE_UINT64(errors.fence, AeroGPUState),
            VMSTATE_UINT32(errors.count, AeroGPUState),
            VMSTATE_UINT64(scanout.flip_gpa, AeroGPUState),
            VMSTATE_UINT64(saved_vblank_seq, AeroGPUState),
            VMSTATE_UINT64(saved_vblank_time, AeroGPUState),
            VMSTATE_BOOL(saved_taken_over, AeroGPUState),
            VMSTATE_END_OF_LIST() },
};
