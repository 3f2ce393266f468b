/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the guest did wrong, for -d guest_errors. A guest decides how often
 * that is said, so there is a limit: the log is for a person, and a guest must
 * not fill the host's disk with it.
 */
#include "qemu/osdep.h"
#include "qemu/error-report.h"
#include "qemu/log.h"
#include "aerogpu.h"
#include "log.h"

#define AEROGPU_LOG_LINES 20u /* a second */

void aerogpu_guest_error(AeroGPUState *s, const char *format, ...)
{
    uint32_t second = get_clock() / NANOSECONDS_PER_SECOND;
    g_autofree char *text = NULL;
    va_list args;

    if (!qemu_loglevel_mask(LOG_GUEST_ERROR)) {
        return;
    }
    if (qatomic_xchg(&s->log.second, second) != second) {
        uint32_t lines = qatomic_xchg(&s->log.lines, 0);

        if (lines > AEROGPU_LOG_LINES) {
            qemu_log("aerogpu: %u more lines like these were left out\n",
                     lines - AEROGPU_LOG_LINES);
        }
    }
    if (qatomic_fetch_inc(&s->log.lines) >= AEROGPU_LOG_LINES) {
        return;
    }
    va_start(args, format);
    text = g_strdup_vprintf(format, args);
    va_end(args);
    qemu_log("aerogpu: %s\n", text);
}

int aerogpu_load_error(const char *format, ...)
{
    g_autofree char *text = NULL;
    va_list args;

    va_start(args, format);
    text = g_strdup_vprintf(format, args);
    va_end(args);
    error_report("aerogpu: saved state: %s", text);
    return -EINVAL;
}
