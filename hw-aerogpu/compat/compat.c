/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The parts of compat.h that need headers the other files should not see. */
#include "qemu/osdep.h"
#include "qemu/error-report.h"
#include "hw/core/cpu.h"
#include "qemu/main-loop.h"
#if QEMU_VERSION_MAJOR >= 10
#include "system/tcg.h"
#else
#include "sysemu/tcg.h"
#endif
#include "hw-aerogpu/compat/compat.h"

/*
 * Functions of QEMU's migration/ that its headers for devices lack; the binary
 * exports them (7.2: migration.h, 10.0: options.h).
 */
bool migrate_postcopy_ram(void);
bool migrate_background_snapshot(void);
/* qemu-file.h */
void qemu_put_buffer_async(QEMUFile *f, const uint8_t *buf, size_t size,
                           bool may_free);
#if QEMU_VERSION_MAJOR >= 9
int qemu_fflush(QEMUFile *f);
bool migration_rate_exceeded(QEMUFile *f); /* migration-stats.h */
uint64_t migration_rate_get(void);
#else
void qemu_fflush(QEMUFile *f);
int qemu_file_rate_limit(QEMUFile *f); /* qemu-file.h */
int64_t qemu_file_get_rate_limit(QEMUFile *f);
#endif
struct MigrationState *migrate_get_current(void);
void migrate_set_error(struct MigrationState *s, const Error *error);

int aerogpu_compat_saving_fails(const char *format, ...)
{
    g_autofree char *text = NULL;
    Error *error = NULL;
    va_list args;

    va_start(args, format);
    text = g_strdup_vprintf(format, args);
    va_end(args);
    error_setg(&error, "%s", text);
    if (runstate_check(RUN_STATE_SAVE_VM)) {
        error_report_err(error); /* savevm */
    } else {
        migrate_set_error(migrate_get_current(), error);
        error_free(error);
    }
    return -EINVAL;
}

bool aerogpu_compat_rate_exceeded(QEMUFile *f)
{
#if QEMU_VERSION_MAJOR >= 9
    return migration_rate_exceeded(f);
#else
    return qemu_file_rate_limit(f);
#endif
}

void aerogpu_compat_put_in_place(QEMUFile *f, const void *bytes, size_t size)
{
    qemu_put_buffer_async(f, bytes, size, false);
}

void aerogpu_compat_flush(QEMUFile *f)
{
    qemu_fflush(f);
}

uint64_t aerogpu_compat_bandwidth(QEMUFile *f)
{
#if QEMU_VERSION_MAJOR >= 9
    const uint64_t in_span = migration_rate_get();
#else
    const int64_t in_span = qemu_file_get_rate_limit(f);
#endif

    /* It counts in tenths of a second. */
    return in_span <= 0 || in_span > INT64_MAX / 10 ? 0 : in_span * 10;
}

bool aerogpu_compat_postcopy(void)
{
    return migrate_postcopy_ram();
}

bool aerogpu_compat_background_snapshot(void)
{
    return migrate_background_snapshot();
}

#if QEMU_VERSION_MAJOR >= 9
#include "qapi/qapi-commands-ui.h"
#include "qapi/qapi-types-ui.h"
#include "qemu/config-file.h"
#include "qemu/option.h"
#include "ui/qemu-spice-module.h"

/* True if VNC or SPICE is on: these are no display types, and can come with
 * any of them, even "none". */
static bool aerogpu_compat_remote_display(void)
{
    QemuOptsList *vnc = qemu_find_opts_err("vnc", NULL);

    return using_spice || (vnc && !QTAILQ_EMPTY(&vnc->head));
}

bool aerogpu_compat_host_cursor(QemuConsole *con)
{
    DisplayOptions *opts;
    bool shown;

    if (aerogpu_compat_remote_display()) {
        return true;
    }
    opts = qmp_query_display_options(NULL);
    shown = opts && opts->type != DISPLAY_TYPE_NONE;
    qapi_free_DisplayOptions(opts);
    return shown;
}
#else
bool aerogpu_compat_host_cursor(QemuConsole *con)
{
    return dpy_cursor_define_supported(con);
}
#endif

/* Of exec/exec-all.h, which only code for one target may include. */
void tlb_flush(CPUState *cpu) __attribute__((weak));

#if QEMU_VERSION_MAJOR >= 9
#define AEROGPU_BQL_LOCKED bql_locked
#else
#define AEROGPU_BQL_LOCKED qemu_mutex_iothread_locked
#endif

static QemuSemaphore watch_ended;
static uint32_t watches_asked; /* migration thread */
static uint32_t watches_done;  /* atomic */

static void aerogpu_compat_flushed(CPUState *cpu, run_on_cpu_data data)
{
    qatomic_inc(&watches_done);
    qemu_sem_post(&watch_ended);
}

void aerogpu_compat_watch_writes(void)
{
    static bool made;
    CPUState *cpu;

    if (!tcg_enabled() || !tlb_flush) {
        return;
    }
    if (!made) {
        qemu_sem_init(&watch_ended, 0);
        made = true;
    }
    CPU_FOREACH(cpu)
    {
        /* Both by the processor's own thread, in this order. */
        tlb_flush(cpu);
        async_run_on_cpu(cpu, aerogpu_compat_flushed, RUN_ON_CPU_NULL);
        watches_asked++;
    }
    if (AEROGPU_BQL_LOCKED()) {
        return; /* the processors may need it, and the machine stands still */
    }
    while (qatomic_read(&watches_done) != watches_asked &&
           qemu_sem_timedwait(&watch_ended, AEROGPU_WATCH_MS) == 0) {
    }
}
