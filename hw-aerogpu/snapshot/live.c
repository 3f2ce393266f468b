/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The section aerogpu-live of a migration whose machine runs when it begins.
 * Each of its parts is a row of records (records.h) up to one of kind 0. The
 * first part says what the guest was told of the GPU, so that a host that lacks
 * something of it refuses the machine at once. Bytes are a trace file's, from
 * its head on; the file ends in the device's section (carry.c).
 *
 * What the guest writes all the time never rests, so it is not counted as
 * pending: waiting for it would never end. It goes at the stop, and the log
 * says how much that was.
 */
#include "qemu/osdep.h"
#include "qemu/error-report.h"
#include "qemu/units.h"
#include "migration/qemu-file-types.h"
#include "hw-aerogpu/aerogpu.h"
#include "hw-aerogpu/report/log.h"
#include "hw-aerogpu/ring/handover.h"
#include "hw-aerogpu/ring/spool.h"
#include "hw-aerogpu/snapshot/failure.h"
#include "hw-aerogpu/snapshot/live.h"
#include "hw-aerogpu/snapshot/pack.h"
#include "hw-aerogpu/snapshot/promise.h"
#include "hw-aerogpu/snapshot/records.h"
#include "hw-aerogpu/snapshot/section.h"

enum {
    AEROGPU_LIVE_END,
    AEROGPU_LIVE_PROMISE,
    AEROGPU_LIVE_BYTES,
    AEROGPU_LIVE_KINDS,
};

/* Of QEMU's: it looks at RAM between two. */
#define AEROGPU_STEPS_A_ROUND 8

/* ---- save ---- */

/*
 * savevm has stopped the machine: all goes with the devices. Without a GPU
 * contents are not worth it, and states stay as they were.
 */
static bool aerogpu_live_is_active(void *opaque)
{
    AeroGPUState *s = opaque;

    return *aerogpu_renderer_device_name(s->renderer) &&
           !runstate_check(RUN_STATE_SAVE_VM);
}

/* Makes a step and writes the bytes that it gives. */
static int aerogpu_live_step(AeroGPUState *s, QEMUFile *f, AeroGPULiveStep step)
{
    AeroGPULive *live = &s->live;
    AeroGPUCargo cargo = { 0 };
    g_autofree char *error = NULL;
    int ret = 0;

    aerogpu_spool_open(&cargo.spool, aerogpu_handover_most(s));
    if (!aerogpu_handover_live(s, step, &cargo, &live->rested, &live->written,
                               &error)) {
        ret = aerogpu_compat_saving_fails(
            "aerogpu: the machine cannot be saved: %s", error);
    } else if (cargo.spool.size) {
        live->sent += cargo.spool.size;
        aerogpu_pack_head(&s->pack, f, AEROGPU_LIVE_BYTES, 0, cargo.spool.size);
        ret = aerogpu_pack_spool(&s->pack, f, &cargo.spool, cargo.spool.size);
    }
    aerogpu_spool_close(&cargo.spool);
    return ret;
}

static AEROGPU_SAVE_SETUP(aerogpu_live_setup)
{
    AeroGPUState *s = opaque;
    AeroGPULive *live = &s->live;
    struct aerogpu_renderer_stats stats = { .struct_size = sizeof(stats) };
    size_t promise_size;
    g_autofree uint8_t *promise = aerogpu_promise_save(s, &promise_size);

    aerogpu_put_head(f, AEROGPU_LIVE_PROMISE, 0, promise_size);
    qemu_put_buffer(f, promise, promise_size);
    aerogpu_pack_begin(&s->pack);
    live->sent = 0;
    live->rested = 0;
    live->written = 0;
    live->going = runstate_is_running();
    if (live->going) {
        if (aerogpu_live_step(s, f, AEROGPU_LIVE_BEGIN) < 0) {
            return AEROGPU_SAVE_SETUP_FAILS("aerogpu: see the log");
        }
        /* Until the first step tells. */
        aerogpu_renderer_get_stats(s->renderer, &stats);
        live->rested = stats.host_memory_bytes;
    }
    aerogpu_put_head(f, AEROGPU_LIVE_END, 0, 0);
    return qemu_file_get_error(f);
}

static int aerogpu_live_iterate(QEMUFile *f, void *opaque)
{
    AeroGPUState *s = opaque;
    int ret = 0;
    int i;

    for (i = 0; i < AEROGPU_STEPS_A_ROUND && s->live.going; i++) {
        ret = aerogpu_live_step(s, f, AEROGPU_LIVE_SEND);
        if (ret < 0 || !s->live.rested || aerogpu_compat_rate_exceeded(f)) {
            break;
        }
    }
    aerogpu_put_head(f, AEROGPU_LIVE_END, 0, 0);
    return ret < 0 ? ret : !s->live.rested;
}

static int aerogpu_live_complete(QEMUFile *f, void *opaque)
{
    aerogpu_put_head(f, AEROGPU_LIVE_END, 0, 0);
    return 0;
}

#if QEMU_VERSION_MAJOR >= 9
static void aerogpu_live_pending(void *opaque, uint64_t *must_precopy,
                                 uint64_t *can_postcopy)
{
    AeroGPUState *s = opaque;

    aerogpu_compat_watch_writes(); /* RAM's look came before this one */
    *must_precopy += s->live.rested;
}
#else
static void aerogpu_live_pending(QEMUFile *f, void *opaque, uint64_t threshold,
                                 uint64_t *precopy_only, uint64_t *compatible,
                                 uint64_t *postcopy_only)
{
    AeroGPUState *s = opaque;

    aerogpu_compat_watch_writes(); /* RAM's look came before this one */
    *precopy_only += s->live.rested;
}
#endif

/* Also after a migration that was cancelled or has failed. BQL. */
static void aerogpu_live_cleanup(void *opaque)
{
    AeroGPUState *s = opaque;
    AeroGPUCargo none = { 0 };
    g_autofree char *unused = NULL;

    aerogpu_pack_end(&s->pack);
    if (!s->live.going) {
        return;
    }
    s->live.going = false;
    aerogpu_handover_live(s, AEROGPU_LIVE_CANCEL, &none, &s->live.rested,
                          &s->live.written, &unused);
}

/* ---- load ---- */

static int aerogpu_live_take_promise(AeroGPUState *s, QEMUFile *f,
                                     uint64_t bytes)
{
    g_autofree uint8_t *promise = NULL;

    if (bytes > AEROGPU_MOST_PROMISE) {
        return aerogpu_load_error(
            "what the guest was told has %" PRIu64 " bytes", bytes);
    }
    promise = g_malloc0(bytes + 1);
    if (qemu_get_buffer(f, promise, bytes) != bytes) {
        return aerogpu_load_error("it is cut short");
    }
    return aerogpu_promise_check(s, promise, bytes);
}

static int aerogpu_live_take_bytes(AeroGPUState *s, QEMUFile *f, uint64_t bytes,
                                   bool packed)
{
    AeroGPUCargo cargo = { 0 };
    uint64_t unused[2];
    g_autofree char *error = NULL;
    int ret;

    if (aerogpu_failure_noted(s) && bytes <= aerogpu_handover_most(s)) {
        return aerogpu_pack_read(f, NULL, bytes, packed);
    }
    aerogpu_spool_open(&cargo.spool, aerogpu_handover_most(s));
    ret = aerogpu_pack_read(f, &cargo.spool, bytes, packed);
    if (!ret) {
        s->live.coming = true;
        if (!aerogpu_handover_live(s, AEROGPU_LIVE_TAKE, &cargo, &unused[0],
                                   &unused[1], &error)) {
            s->live.coming = false;
            ret = aerogpu_failure_take(s, "the renderer refuses it: %s", error);
        }
    }
    aerogpu_spool_close(&cargo.spool);
    return ret;
}

static int aerogpu_live_load(QEMUFile *f, void *opaque, int version)
{
    AeroGPUState *s = opaque;
    AeroGPURecordHead head;
    int ret = 0;

    while (!ret) {
        if (aerogpu_get_head(f, &head) < 0) {
            return -EINVAL;
        }
        switch (head.kind) {
        case AEROGPU_LIVE_END:
            return 0;
        case AEROGPU_LIVE_PROMISE:
            ret = aerogpu_live_take_promise(s, f, head.bytes);
            break;
        case AEROGPU_LIVE_BYTES:
        case AEROGPU_LIVE_BYTES | AEROGPU_PACKED:
            ret = aerogpu_live_take_bytes(s, f, head.bytes,
                                          head.kind & AEROGPU_PACKED);
            break;
        default:
            ret = aerogpu_load_error("a live record of kind %u, %u is the last "
                                     "that is known",
                                     head.kind, AEROGPU_LIVE_KINDS - 1);
        }
    }
    return ret;
}

void aerogpu_live_drop(AeroGPUState *s)
{
    AeroGPUCargo none = { 0 };
    uint64_t unused[2];
    g_autofree char *error = NULL;

    if (s->live.coming) {
        s->live.coming = false;
        aerogpu_handover_live(s, AEROGPU_LIVE_DROP, &none, &unused[0],
                              &unused[1], &error);
    }
}

/* When the migration has ended, also if it has failed. BQL. */
static int aerogpu_live_load_cleanup(void *opaque)
{
    aerogpu_live_drop(opaque);
    aerogpu_failure_forget(opaque);
    return 0;
}

static const SaveVMHandlers aerogpu_live_handlers = {
    .is_active = aerogpu_live_is_active,
    .save_setup = aerogpu_live_setup,
    .save_live_iterate = aerogpu_live_iterate,
#if QEMU_VERSION_MAJOR >= 9
    .state_pending_estimate = aerogpu_live_pending,
    .state_pending_exact = aerogpu_live_pending,
#else
    .save_live_pending = aerogpu_live_pending,
#endif
    .save_live_complete_precopy = aerogpu_live_complete,
    .save_cleanup = aerogpu_live_cleanup,
    .load_state = aerogpu_live_load,
    .load_cleanup = aerogpu_live_load_cleanup,
};

void aerogpu_live_init(AeroGPUState *s)
{
    s->live.id = aerogpu_section_add(s, "aerogpu-live", &aerogpu_live_handlers);
}

void aerogpu_live_exit(AeroGPUState *s)
{
    aerogpu_section_remove(s, &s->live.id);
}
