/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Loads that this host cannot carry out: see failure.h. */
#include "qemu/osdep.h"
#include "qapi/error.h"
#include "qemu/error-report.h"
#include "qemu/lockable.h"
#include "hw-aerogpu/aerogpu.h"
#include "hw-aerogpu/report/log.h"
#include "hw-aerogpu/ring/loss.h"
#include "hw-aerogpu/ring/reset.h"
#include "hw-aerogpu/snapshot/failure.h"

bool aerogpu_failure_init(AeroGPUState *s, Error **errp)
{
    const char *what = s->config.on_load_failure;

    s->failure.loses = !g_strcmp0(what, "lost");
    if (what && !s->failure.loses && strcmp(what, "refuse")) {
        error_setg(errp, "aerogpu: on_load_failure is '%s': refuse, lost",
                   what);
        return false;
    }
    return true;
}

void aerogpu_failure_exit(AeroGPUState *s)
{
    g_clear_pointer(&s->failure.reason, g_free);
    g_clear_pointer(&s->failure.last, g_free);
}

int aerogpu_failure_take(AeroGPUState *s, const char *format, ...)
{
    g_autofree char *text = NULL;
    va_list args;

    va_start(args, format);
    text = g_strdup_vprintf(format, args);
    va_end(args);
    if (!s->failure.loses) {
        return aerogpu_load_error("%s", text);
    }
    if (!s->failure.reason) {
        s->failure.reason = g_steal_pointer(&text);
    }
    return 0;
}

bool aerogpu_failure_noted(AeroGPUState *s)
{
    return s->failure.reason != NULL;
}

void aerogpu_failure_forget(AeroGPUState *s)
{
    g_clear_pointer(&s->failure.reason, g_free);
}

void aerogpu_failure_ends(AeroGPUState *s, bool held)
{
    AeroGPUFailure *f = &s->failure;

    g_free(f->last);
    f->last = g_steal_pointer(&f->reason);
    if (!f->last) {
        return;
    }
    if (!held) {
        warn_report("aerogpu: saved state: the GPU held nothing: %s", f->last);
        return;
    }
    error_report("aerogpu: saved state: the machine goes on with its GPU "
                 "lost: %s",
                 f->last);
    if (!aerogpu_held_are_lost(s)) {
        QEMU_LOCK_GUARD(&s->lock);
        aerogpu_loss_noticed_locked(s, 0, 0, 0);
    }
}
