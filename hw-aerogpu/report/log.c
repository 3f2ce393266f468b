/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The guest's mistakes, for -d guest_errors. A guest decides how often it
 * makes them, so their number is limited: the log is for a person, and a guest
 * must not fill the host's disk with it.
 */
#include "qemu/osdep.h"
#include "qemu/error-report.h"
#include "qemu/log.h"
#include "qemu/uuid.h"
#include "hw-aerogpu/aerogpu.h"
#include "hw-aerogpu/report/history.h"
#include "hw-aerogpu/report/log.h"

#define AEROGPU_LOG_LINES 20u /* a second */

char *aerogpu_vm_name(void)
{
    const char *name = qemu_get_vm_name();
    char *text = g_utf8_make_valid(name ? name : "", -1);
    char *c;

    for (c = text; *c; c++) {
        if (g_ascii_iscntrl(*c)) {
            *c = ' '; /* one line stays one line */
        }
    }
    return text;
}

char *aerogpu_vm_uuid(void)
{
    return qemu_uuid_set ? qemu_uuid_unparse_strdup(&qemu_uuid) : g_strdup("");
}

void aerogpu_log_init(AeroGPUState *s)
{
    g_autofree char *name = aerogpu_vm_name();
    g_autofree char *uuid = aerogpu_vm_uuid();
    const char *between = *name && *uuid ? " " : "";

    g_free(s->log.prefix);
    s->log.prefix = *name || *uuid ? g_strdup_printf("aerogpu [%s%s%s]: ", name,
                                                     between, uuid)
                                   : g_strdup("aerogpu: ");
}

void aerogpu_log_finalize(AeroGPUState *s)
{
    g_free(s->log.prefix);
}

void aerogpu_host_error(AeroGPUState *s, const char *text)
{
    aerogpu_history_line(s, false, text);
    error_report("%s%s", s->log.prefix, text);
}

void aerogpu_guest_error(AeroGPUState *s, const char *format, ...)
{
    uint32_t second = get_clock() / NANOSECONDS_PER_SECOND;
    g_autofree char *text = NULL;
    va_list args;

    if (qatomic_xchg(&s->log.second, second) != second) {
        uint32_t lines = qatomic_xchg(&s->log.lines, 0);

        if (lines > AEROGPU_LOG_LINES && qemu_loglevel_mask(LOG_GUEST_ERROR)) {
            qemu_log("%s%u more lines like these were left out\n",
                     s->log.prefix, lines - AEROGPU_LOG_LINES);
        }
    }
    if (qatomic_fetch_inc(&s->log.lines) >= AEROGPU_LOG_LINES) {
        return;
    }
    va_start(args, format);
    text = g_strdup_vprintf(format, args);
    va_end(args);
    aerogpu_history_line(s, true, text);
    if (qemu_loglevel_mask(LOG_GUEST_ERROR)) {
        qemu_log("%s%s\n", s->log.prefix, text);
    }
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
