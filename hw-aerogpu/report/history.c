/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The last errors and log lines, for people who look after the event: the
 * property "status" shows them. They belong to the host, not to the guest, and
 * are not saved.
 */
#include "qemu/osdep.h"
#include "qapi/visitor.h"
#include "qemu/lockable.h"
#include "hw-aerogpu/aerogpu.h"
#include "hw-aerogpu/report/history.h"

void aerogpu_history_error(AeroGPUState *s, uint32_t code, uint64_t fence,
                           uint32_t count)
{
    AeroGPUHistory *h = &s->history;

    QEMU_LOCK_GUARD(&h->lock);
    h->errors[h->error_count++ % AEROGPU_HISTORY] = (AeroGPUPastError){
        .time_us = g_get_real_time(),
        .fence = fence,
        .code = code,
        .count = count,
    };
}

void aerogpu_history_line(AeroGPUState *s, bool guest, const char *text)
{
    AeroGPUHistory *h = &s->history;
    AeroGPUPastLine *line;

    QEMU_LOCK_GUARD(&h->lock);
    line = &h->lines[h->line_count++ % AEROGPU_HISTORY];
    line->time_us = g_get_real_time();
    line->guest = guest;
    g_strlcpy(line->text, text, sizeof(line->text));
}

static const char *aerogpu_error_name(uint32_t code)
{
    switch (code) {
    case AEROGPU_ERROR_CMD_DECODE:
        return "cmd-decode";
    case AEROGPU_ERROR_OOB:
        return "oob";
    case AEROGPU_ERROR_BACKEND:
        return "backend";
    default:
        return "internal";
    }
}

static bool aerogpu_visit_error(Visitor *v, AeroGPUPastError *error,
                                Error **errp)
{
    char *name = (char *)aerogpu_error_name(error->code);
    bool ok;

    if (!visit_start_struct(v, NULL, NULL, 0, errp)) {
        return false;
    }
    ok = visit_type_int64(v, "time-us", &error->time_us, errp) &&
         visit_type_str(v, "error", &name, errp) &&
         visit_type_uint64(v, "fence", &error->fence, errp) &&
         visit_type_uint32(v, "count", &error->count, errp) &&
         visit_check_struct(v, errp);
    visit_end_struct(v, NULL);
    return ok;
}

static bool aerogpu_visit_line(Visitor *v, AeroGPUPastLine *line, Error **errp)
{
    char *from = (char *)(line->guest ? "guest" : "host");
    /* The cut may have gone through a character. */
    g_autofree char *text = g_utf8_make_valid(line->text, -1);
    bool ok;

    if (!visit_start_struct(v, NULL, NULL, 0, errp)) {
        return false;
    }
    ok = visit_type_int64(v, "time-us", &line->time_us, errp) &&
         visit_type_str(v, "fault-of", &from, errp) &&
         visit_type_str(v, "text", &text, errp) && visit_check_struct(v, errp);
    visit_end_struct(v, NULL);
    return ok;
}

bool aerogpu_history_visit(AeroGPUState *s, Visitor *v, Error **errp)
{
    g_autofree AeroGPUHistory *h = g_new(AeroGPUHistory, 1);
    uint64_t i;
    bool ok = true;

    /* Visits a copy: the caller may be slow. */
    WITH_QEMU_LOCK_GUARD (&s->history.lock) {
        memcpy(h->errors, s->history.errors, sizeof(h->errors));
        memcpy(h->lines, s->history.lines, sizeof(h->lines));
        h->error_count = s->history.error_count;
        h->line_count = s->history.line_count;
    }
    if (!visit_start_list(v, "errors", NULL, 0, errp)) {
        return false;
    }
    for (i = h->error_count - MIN(h->error_count, AEROGPU_HISTORY);
         ok && i < h->error_count; i++) {
        ok = aerogpu_visit_error(v, &h->errors[i % AEROGPU_HISTORY], errp);
    }
    visit_end_list(v, NULL);
    if (!ok || !visit_start_list(v, "messages", NULL, 0, errp)) {
        return false;
    }
    for (i = h->line_count - MIN(h->line_count, AEROGPU_HISTORY);
         ok && i < h->line_count; i++) {
        ok = aerogpu_visit_line(v, &h->lines[i % AEROGPU_HISTORY], errp);
    }
    visit_end_list(v, NULL);
    return ok;
}

void aerogpu_history_init(AeroGPUState *s)
{
    qemu_mutex_init(&s->history.lock);
}

void aerogpu_history_finalize(AeroGPUState *s)
{
    qemu_mutex_destroy(&s->history.lock);
}
