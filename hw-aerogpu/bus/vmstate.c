/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Saved state: everything a guest can see of the device. Objects that a
 * renderer holds for the guest cannot be saved, so a VM is saved only while
 * its renderer works without a GPU and holds neither objects nor frames.
 * Loading begins with a reset, and refuses values that no device could have
 * saved; it writes no guest memory.
 */
#include "qemu/osdep.h"
#include "qapi/error.h"
#include "qemu/error-report.h"
#include "hw-aerogpu/aerogpu.h"
#include "hw-aerogpu/ring/completions.h"
#include "hw-aerogpu/display/cursor.h"
#include "hw-aerogpu/display/gamma.h"
#include "hw-aerogpu/report/errors.h"
#include "hw-aerogpu/ring/fence.h"
#include "hw-aerogpu/report/irq.h"
#include "hw-aerogpu/ring/loss.h"
#include "hw-aerogpu/bus/regs.h"
#include "hw-aerogpu/guest/requests.h"
#include "hw-aerogpu/ring/reset.h"
#include "hw-aerogpu/ring/ring_memory.h"
#include "hw-aerogpu/display/scanout.h"
#include "hw-aerogpu/guest/spaces.h"
#include "hw-aerogpu/display/vblank.h"
#include "hw-aerogpu/bus/vmstate.h"

/*
 * How often the blocker and the numbers in its text are brought up to date.
 * QEMU tests for blockers without calling the device, so the text must exist
 * beforehand; pre_save decides by fresh numbers.
 */
#define AEROGPU_REFUSAL_MS 500

/* Returns why the device cannot be saved, or NULL. g_free() it. BQL. */
static char *aerogpu_refusal(AeroGPUState *s)
{
    struct aerogpu_renderer_stats stats = { .struct_size = sizeof(stats) };
    uint32_t frames = aerogpu_scanout_frames(s) + aerogpu_completions_frames(s);
    bool gpu = *aerogpu_renderer_device_name(s->renderer);

    if (qatomic_read(&s->loss.state) != AEROGPU_EXT_GPU_WORKS) {
        return g_strdup("aerogpu: nothing can be saved while the GPU is lost");
    }
    if (aerogpu_completions_held(s)) {
        return g_strdup("aerogpu: nothing can be saved while a submission that "
                        "must not fail holds the ring");
    }
    aerogpu_renderer_get_stats(s->renderer, &stats);
    if (!gpu && !stats.held_objects && !frames) {
        return NULL;
    }
    return g_strdup_printf("aerogpu: what the back end %s holds for the guest "
                           "cannot be saved: objects %" PRIu64 ", frames %u",
                           aerogpu_renderer_backend_name(s->renderer),
                           stats.held_objects, frames);
}

/* ---- the blocker ---- */

static bool aerogpu_saving_update(AeroGPUState *s, Error **errp)
{
    g_autofree char *reason = aerogpu_refusal(s);

    if (!g_strcmp0(reason, s->saving.reason)) {
        return true;
    }
    aerogpu_compat_del_blocker(&s->saving.blocker);
    g_clear_pointer(&s->saving.reason, g_free);
    if (reason) {
        error_setg(&s->saving.blocker, "%s", reason);
        if (aerogpu_compat_add_blocker(&s->saving.blocker, errp) < 0) {
            return false;
        }
        s->saving.reason = g_steal_pointer(&reason);
    }
    return true;
}

static void aerogpu_saving_tick(void *opaque)
{
    AeroGPUState *s = opaque;

    if (!s->renderer) {
        return; /* QEMU is about to end */
    }
    /* Fails while QEMU is saving, or with -only-migratable: pre_save refuses
     * then. */
    aerogpu_saving_update(s, NULL);
    timer_mod(s->saving.timer,
              qemu_clock_get_ms(QEMU_CLOCK_REALTIME) + AEROGPU_REFUSAL_MS);
}

bool aerogpu_saving_init(AeroGPUState *s, Error **errp)
{
    if (!aerogpu_saving_update(s, errp)) {
        return false;
    }
    s->saving.timer = timer_new_ms(QEMU_CLOCK_REALTIME, aerogpu_saving_tick, s);
    aerogpu_saving_tick(s);
    return true;
}

void aerogpu_saving_exit(AeroGPUState *s)
{
    timer_free(s->saving.timer);
    aerogpu_compat_del_blocker(&s->saving.blocker);
    g_clear_pointer(&s->saving.reason, g_free);
}

/* ---- the state ---- */

static int aerogpu_pre_save(void *opaque)
{
    AeroGPUState *s = opaque;
    g_autofree char *reason = aerogpu_refusal(s);

    if (!reason && aerogpu_completions_are_busy(s)) {
        reason = g_strdup("aerogpu: the renderer has not come to rest, so "
                          "nothing can be saved");
    }
    if (reason) {
        error_report("%s", reason);
        return -EBUSY;
    }
    return 0;
}

static int aerogpu_pre_load(void *opaque)
{
    aerogpu_device_reset(opaque);
    return 0;
}

static int aerogpu_post_load(void *opaque, int version_id)
{
    AeroGPUState *s = opaque;
    int ret;

    aerogpu_irq_loaded(s);
    aerogpu_loss_loaded(s);
    aerogpu_ring_loaded(s);
    ret = aerogpu_vblank_loaded(s);
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
        aerogpu_request(s, AEROGPU_REQ_PROBE);
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
        (const VMStateDescription *[]){ &aerogpu_loss_vmstate,
                                        &aerogpu_spaces_vmstate,
                                        &aerogpu_gamma_vmstate, NULL },
};
