/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Post-copy starts the machine elsewhere before it is certain that the device
 * was saved (QEMU 7.2's postcopy_start() ignores that it was not), and a
 * background snapshot saves the devices first and lets the machine run on,
 * while its memory is still written. Both are refused when they begin, by a
 * section that is active only then: otherwise it leaves nothing in the stream.
 */
#include "qemu/osdep.h"
#include "hw-aerogpu/aerogpu.h"
#include "hw-aerogpu/snapshot/guard.h"
#include "hw-aerogpu/snapshot/section.h"

/* savevm has stopped the machine and runs neither. */
static bool aerogpu_guard_refuses(void *opaque)
{
    return !runstate_check(RUN_STATE_SAVE_VM) &&
           (aerogpu_compat_postcopy() ||
            (AEROGPU_SETUP_ENDS_BACKGROUND &&
             aerogpu_compat_background_snapshot()));
}

bool aerogpu_guard_allows(void)
{
    return runstate_check(RUN_STATE_SAVE_VM) ||
           !aerogpu_compat_background_snapshot();
}

static AEROGPU_SAVE_SETUP(aerogpu_guard_setup)
{
    const char *what =
        aerogpu_compat_postcopy() ? "postcopy-ram" : "background-snapshot";

    return AEROGPU_SAVE_SETUP_FAILS(AEROGPU_GUARD_TEXT, what);
}

static const SaveVMHandlers aerogpu_guard_handlers = {
    .is_active = aerogpu_guard_refuses,
    .save_setup = aerogpu_guard_setup,
};

void aerogpu_guard_init(AeroGPUState *s)
{
    s->guard.id =
        aerogpu_section_add(s, "aerogpu-guard", &aerogpu_guard_handlers);
}

void aerogpu_guard_exit(AeroGPUState *s)
{
    aerogpu_section_remove(s, &s->guard.id);
}
