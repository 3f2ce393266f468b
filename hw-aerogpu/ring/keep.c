/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Objects that outlast the machine's sleep. QEMU resets every device when the
 * machine wakes from S3, and does not tell the device why. The guest's objects
 * must not reach a system that another reset boots, so there are two
 * conditions: the reset is a wake-up's, as far as the device can see, and the
 * driver writes the key that it chose before. KEEP-1 to KEEP-8.
 */
#include "qemu/osdep.h"
#include "hw-aerogpu/aerogpu.h"
#include "hw-aerogpu/report/log.h"
#include "hw-aerogpu/ring/keep.h"
#include "hw-aerogpu/report/trace_events.h"

static void aerogpu_keep_set(AeroGPUState *s, uint32_t state)
{
    if (s->keep.state != state) {
        trace_aerogpu_keep(state);
        s->keep.state = state;
    }
    if (state == AEROGPU_EXT_KEEP_NO) {
        s->keep.key = 0;
    }
}

AeroGPUKeepVerdict aerogpu_keep_forget(AeroGPUState *s)
{
    bool held = s->keep.state == AEROGPU_EXT_KEEP_HELD;

    aerogpu_keep_set(s, AEROGPU_EXT_KEEP_NO);
    return held ? AEROGPU_KEEP_DROP : AEROGPU_KEEP_NOTHING;
}

AeroGPUKeepVerdict aerogpu_keep_write(AeroGPUState *s, uint32_t value)
{
    AeroGPUKeepVerdict verdict;

    if (value == AEROGPU_EXT_KEEP_CLAIM) {
        if (s->keep.state != AEROGPU_EXT_KEEP_HELD) {
            return AEROGPU_KEEP_NOTHING;
        }
        if (s->keep.key == s->keep.written) {
            aerogpu_keep_set(s, AEROGPU_EXT_KEEP_NO);
            return AEROGPU_KEEP_BACK;
        }
        return aerogpu_keep_forget(s);
    }
    verdict = aerogpu_keep_forget(s);
    if (value == AEROGPU_EXT_KEEP_WILL && s->keep.written &&
        qatomic_read(&s->loss.state) == AEROGPU_EXT_GPU_WORKS) {
        s->keep.key = s->keep.written;
        aerogpu_keep_set(s, AEROGPU_EXT_KEEP_WILL);
    }
    return verdict;
}

/*
 * A machine that is about to wake is running again; a machine that is reset in
 * its sleep is not (qemu_system_wakeup_request(), qemu_system_reset()).
 */
bool aerogpu_keep_over_reset(AeroGPUState *s)
{
    bool wakes = s->keep.suspended && runstate_is_running();
    bool keep = wakes && s->keep.state == AEROGPU_EXT_KEEP_WILL &&
                qatomic_read(&s->loss.state) == AEROGPU_EXT_GPU_WORKS;

    s->keep.suspended = false;
    s->keep.written = 0;
    aerogpu_keep_set(s, keep ? AEROGPU_EXT_KEEP_HELD : AEROGPU_EXT_KEEP_NO);
    return keep;
}

static void aerogpu_keep_suspended(Notifier *notifier, void *data)
{
    container_of(notifier, AeroGPUKeep, suspend)->suspended = true;
}

/* A wake-up's reset comes before this; a machine may wake without one. */
static void aerogpu_keep_awake(Notifier *notifier, void *data)
{
    container_of(notifier, AeroGPUKeep, wakeup)->suspended = false;
}

void aerogpu_keep_init(AeroGPUState *s)
{
    s->keep.wakeup.notify = aerogpu_keep_awake;
    qemu_register_wakeup_notifier(&s->keep.wakeup);
    s->keep.suspend.notify = aerogpu_keep_suspended;
    qemu_register_suspend_notifier(&s->keep.suspend);
}

void aerogpu_keep_exit(AeroGPUState *s)
{
    notifier_remove(&s->keep.suspend);
    notifier_remove(&s->keep.wakeup);
}

/* ---- saved state ---- */

static bool aerogpu_keep_needed(void *opaque)
{
    AeroGPUState *s = opaque;

    return s->keep.state != AEROGPU_EXT_KEEP_NO || s->keep.written ||
           s->keep.suspended;
}

static int aerogpu_keep_post_load(void *opaque, int version_id)
{
    AeroGPUState *s = opaque;
    uint32_t state = s->keep.state;

    if (state > AEROGPU_EXT_KEEP_HELD ||
        (state == AEROGPU_EXT_KEEP_NO) != !s->keep.key) {
        aerogpu_keep_set(s, AEROGPU_EXT_KEEP_NO);
        return aerogpu_load_error("KEEP is %u, %s a key", state,
                                  s->keep.key ? "with" : "without");
    }
    return 0;
}

/* The reset before a load has ended keeping, where this is missing. */
const VMStateDescription aerogpu_keep_vmstate = {
    .name = "aerogpu/keep",
    .version_id = 1,
    .minimum_version_id = 1,
    .needed = aerogpu_keep_needed,
    .post_load = aerogpu_keep_post_load,
    .fields =
        AEROGPU_VMSTATE_FIELDS{ VMSTATE_UINT32(keep.state, AeroGPUState),
                                VMSTATE_UINT64(keep.key, AeroGPUState),
                                VMSTATE_UINT64(keep.written, AeroGPUState),
                                VMSTATE_BOOL(keep.suspended, AeroGPUState),
                                VMSTATE_END_OF_LIST() },
};
