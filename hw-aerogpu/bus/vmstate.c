/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Saved state: everything a guest can see of the device, and what the renderer
 * holds for it (snapshot/carry.c). Loading begins with a reset, and refuses
 * values that no device could have saved; it writes no guest memory.
 */
#include "qemu/osdep.h"
#include "hw-aerogpu/aerogpu.h"
#include "hw-aerogpu/ring/completions_state.h"
#include "hw-aerogpu/display/cursor.h"
#include "hw-aerogpu/display/gamma.h"
#include "hw-aerogpu/report/errors.h"
#include "hw-aerogpu/ring/fence.h"
#include "hw-aerogpu/report/irq.h"
#include "hw-aerogpu/ring/keep.h"
#include "hw-aerogpu/ring/loss.h"
#include "hw-aerogpu/bus/regs.h"
#include "hw-aerogpu/guest/requests.h"
#include "hw-aerogpu/ring/reset.h"
#include "hw-aerogpu/ring/ring_memory.h"
#include "hw-aerogpu/display/scanout.h"
#include "hw-aerogpu/display/scanout_state.h"
#include "hw-aerogpu/snapshot/carry.h"
#include "hw-aerogpu/snapshot/promise.h"
#include "hw-aerogpu/guest/spaces.h"
#include "hw-aerogpu/display/vblank.h"
#include "hw-aerogpu/bus/vmstate.h"

static int aerogpu_pre_save(void *opaque)
{
    return aerogpu_carry_save(opaque) ? 0 : -EBUSY;
}

static int aerogpu_post_save(void *opaque)
{
    aerogpu_carry_saved(opaque);
    return 0;
}

static int aerogpu_pre_load(void *opaque)
{
    AeroGPUState *s = opaque;

    aerogpu_device_reset(s);
    aerogpu_promise_own(s);
    aerogpu_loss_load(s);
    aerogpu_carry_load(s);
    return 0;
}

static int aerogpu_post_load(void *opaque, int version_id)
{
    AeroGPUState *s = opaque;
    int ret;

    aerogpu_irq_loaded(s);
    ret = aerogpu_loss_loaded(s);
    aerogpu_ring_loaded(s);
    if (!ret) {
        ret = aerogpu_vblank_loaded(s);
    }
    if (!ret) {
        ret = aerogpu_scanout_loaded(s);
    }
    if (!ret) {
        ret = aerogpu_completions_loaded(s);
    }
    if (!ret) {
        ret = aerogpu_cursor_loaded(s);
    }
    if (!ret) {
        ret = aerogpu_carry_loaded(s);
    }
    if (!ret) {
        aerogpu_scanout_load_ends(s);
        aerogpu_request(s, AEROGPU_REQ_PROBE);
    } else {
        aerogpu_carry_exit(s);
    }
    return ret;
}

#define AEROGPU_PART(field, type, vmsd) \
    VMSTATE_STRUCT(field, AeroGPUState, 1, vmsd, type)

const VMStateDescription aerogpu_vmstate = {
    .name = TYPE_AEROGPU,
    .version_id = 1,
    .minimum_version_id = 1,
    .pre_save = aerogpu_pre_save,
    .post_save = aerogpu_post_save,
    .pre_load = aerogpu_pre_load,
    .post_load = aerogpu_post_load,
    .fields =
        AEROGPU_VMSTATE_FIELDS{
            VMSTATE_PCI_DEVICE(pci, AeroGPUState),
            VMSTATE_STRUCT(vga, AeroGPUState, 0, vmstate_vga_common,
                           VGACommonState),
            AEROGPU_PART(regs, AeroGPURegFile, aerogpu_regs_vmstate),
            AEROGPU_PART(irq, AeroGPUIrq, aerogpu_irq_vmstate),
            AEROGPU_PART(errors, AeroGPUErrors, aerogpu_errors_vmstate),
            AEROGPU_PART(vblank, AeroGPUVblank, aerogpu_vblank_vmstate),
            AEROGPU_PART(fence, AeroGPUFence, aerogpu_fence_vmstate),
            AEROGPU_PART(ring, AeroGPURing, aerogpu_ring_vmstate),
            AEROGPU_PART(completions, AeroGPUCompletions,
                         aerogpu_completions_vmstate),
            AEROGPU_PART(scanout, AeroGPUScanout, aerogpu_scanout_vmstate),
            AEROGPU_PART(cursor, AeroGPUCursor, aerogpu_cursor_vmstate),
            VMSTATE_END_OF_LIST() },
    .subsections =
        (const VMStateDescription *[]){
            &aerogpu_loss_vmstate, &aerogpu_keep_vmstate,
            &aerogpu_spaces_vmstate, &aerogpu_gamma_vmstate,
            &aerogpu_carry_vmstate, NULL },
};
