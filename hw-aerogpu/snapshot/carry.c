/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The subsection aerogpu/renderer. It is a row of records, each a head of 16
 * bytes (kind, index, length; big-endian) and its bytes; the last one has the
 * kind 0. What comes is hostile: lengths are compared with what may come before
 * anything is read, and the bytes go into a spool, whose content only the
 * renderer interprets, under the checks that hold for a guest.
 */
#include "qemu/osdep.h"
#include "qemu/bswap.h"
#include "qemu/error-report.h"
#include "qemu/lockable.h"
#include "qemu/timer.h"
#include "qemu/units.h"
#include "migration/qemu-file-types.h"
#include "hw-aerogpu/aerogpu.h"
#include "hw-aerogpu/ring/completions.h"
#include "hw-aerogpu/ring/completions_state.h"
#include "hw-aerogpu/ring/loss.h"
#include "hw-aerogpu/report/log.h"
#include "hw-aerogpu/display/pixels.h"
#include "hw-aerogpu/display/scanout.h"
#include "hw-aerogpu/snapshot/carry.h"
#include "hw-aerogpu/snapshot/failure.h"
#include "hw-aerogpu/snapshot/guard.h"
#include "hw-aerogpu/ring/handover.h"
#include "hw-aerogpu/snapshot/live.h"
#include "hw-aerogpu/snapshot/pack.h"
#include "hw-aerogpu/snapshot/promise.h"
#include "hw-aerogpu/snapshot/records.h"
#include "hw-aerogpu/ring/spool.h"

#define AEROGPU_FRAME_HEAD 16
/* More than any device saves: 5/4 of max_hostmem, which is a few GiB. */
#define AEROGPU_MOST_DROPPED (8 * GiB)
#define AEROGPU_NO_ROOM \
    "a record has %" PRIu64 " bytes, %" PRIu64 " can be held with max_hostmem"

typedef enum AeroGPURecord {
    AEROGPU_RECORD_END,
    AEROGPU_RECORD_PROMISE,  /* what the guest was told: promise.c */
    AEROGPU_RECORD_SNAPSHOT, /* for the renderer */
    /* A picture: width, height, format, 0; then its pixels. Index 0: it is
     * shown; else it waits with a submission. */
    AEROGPU_RECORD_FRAME,
    AEROGPU_RECORDS,
} AeroGPURecord;

/* ---- save ---- */

/* Returns the frame of a place, or NULL. It stays as long as nothing runs. */
static const struct aerogpu_frame *aerogpu_frame_at(AeroGPUState *s,
                                                    uint32_t place)
{
    return place ? aerogpu_completions_frame(s, place - 1)
                 : aerogpu_scanout_frame(s);
}

static uint64_t aerogpu_frame_row(const struct aerogpu_frame *frame)
{
    return (uint64_t)frame->width * (frame->format == AEROGPU_FORMAT_D3D9_L8
                                         ? 1
                                         : aerogpu_format_bytes(frame->format));
}

static bool aerogpu_has_frames(AeroGPUState *s)
{
    return aerogpu_scanout_frames(s) || aerogpu_completions_frames(s);
}

/* Decides what becomes of a snapshot that failed. NULL: it is saved as lost. */
static char *aerogpu_carry_failure(AeroGPUState *s,
                                   AeroGPUHandoverResult result, char *error)
{
    if (result != AEROGPU_HANDOVER_LOST) {
        return g_strdup(error);
    }
    QEMU_LOCK_GUARD(&s->lock);
    aerogpu_loss_noticed_locked(s, 0, 0, 0);
    return NULL;
}

static char *aerogpu_carry_take(AeroGPUState *s)
{
    AeroGPUCarry *c = &s->carry;
    g_autofree char *error = NULL;
    AeroGPUHandoverResult result;
    char *refused = NULL;
    uint32_t state;

    result = aerogpu_handover_save(s, &c->cargo, &c->rest_ns, &error);
    if (result != AEROGPU_HANDED_OVER) {
        refused = aerogpu_carry_failure(s, result, error);
    }
    state = qatomic_read(&s->loss.state);
    if (!refused && state == AEROGPU_EXT_GPU_LOST && !s->loss.enable) {
        refused = g_strdup("its GPU is lost, and no driver waits for one: "
                           "reset the machine first");
    }
    if (!refused && state == AEROGPU_EXT_GPU_GONE) {
        refused = g_strdup("its GPU could not be opened again: reset the "
                           "machine first");
    }
    if (!refused && aerogpu_completions_are_busy(s)) {
        refused = g_strdup("the renderer has not come to rest, try again "
                           "later");
    }
    return refused ?: aerogpu_completions_unsavable(s);
}

bool aerogpu_carry_save(AeroGPUState *s)
{
    AeroGPUCarry *c = &s->carry;
    g_autofree char *refused = NULL;

    c->began_ns = get_clock();
    c->sent = 0;
    if (!s->live.going) {
        aerogpu_pack_begin(&s->pack);
    }
    if (!aerogpu_guard_allows()) {
        aerogpu_compat_saving_fails(AEROGPU_GUARD_TEXT, "background-snapshot");
        return false;
    }
    refused = aerogpu_carry_take(s);
    if (refused) {
        aerogpu_spool_close(&c->cargo.spool);
        aerogpu_compat_saving_fails("aerogpu: the machine cannot be saved: %s",
                                    refused);
    }
    return !refused;
}

void aerogpu_carry_saved(AeroGPUState *s)
{
    AeroGPUCarry *c = &s->carry;
    struct aerogpu_renderer_stats stats = { .struct_size = sizeof(stats) };
    uint64_t took = get_clock() - c->began_ns;
    uint64_t objects;

    aerogpu_renderer_get_stats(s->renderer, &stats);
    objects = c->cargo.snapshot_bytes ? stats.held_objects : 0;
    WITH_QEMU_LOCK_GUARD (&s->lock) {
        s->stats.save_ns = took;
        s->stats.save_rest_ns = c->rest_ns;
        s->stats.save_bytes = c->sent;
        s->stats.save_ahead_bytes = s->live.going ? s->live.sent : 0;
        s->stats.save_objects = objects;
        s->stats.save_held_bytes = stats.host_memory_bytes;
        s->stats.save_raw_bytes = s->pack.raw;
        s->stats.save_unpacked_bytes = s->pack.unpacked;
        s->stats.save_packed_bytes = s->pack.packed;
    }
    if (c->sent) {
        info_report(
            "aerogpu: saved %" PRIu64 " objects and their pictures, "
            "%" PRIu64 " KiB, in %" PRIu64 " ms (%" PRIu64
            " ms until the GPU was at rest); %" PRIu64 " KiB went ahead; "
            "%" PRIu64 " KiB were held; %" PRIu64 " KiB went as they were, "
            "%" PRIu64 " KiB as %" PRIu64 " KiB",
            objects, c->sent / KiB, took / SCALE_MS, c->rest_ns / SCALE_MS,
            s->live.going ? s->live.sent / KiB : 0,
            stats.host_memory_bytes / KiB, s->pack.raw / KiB,
            s->pack.unpacked / KiB, s->pack.packed / KiB);
    }
    aerogpu_pack_end(&s->pack);
    aerogpu_spool_close(&c->cargo.spool);
    c->cargo.snapshot_bytes = 0;
}

static uint64_t aerogpu_put_frame(AeroGPUState *s, QEMUFile *f, uint32_t place,
                                  const struct aerogpu_frame *frame)
{
    uint64_t row = aerogpu_frame_row(frame);
    uint64_t bytes = AEROGPU_FRAME_HEAD + row * frame->height;
    g_autofree uint8_t *piece = g_malloc(AEROGPU_PIECE);
    size_t fill = 0;
    uint32_t y;

    aerogpu_pack_head(&s->pack, f, AEROGPU_RECORD_FRAME, place, bytes);
    qemu_put_be32(f, frame->width);
    qemu_put_be32(f, frame->height);
    qemu_put_be32(f, frame->format);
    qemu_put_be32(f, 0);
    for (y = 0; y < frame->height; y++) {
        const uint8_t *from =
            (const uint8_t *)frame->pixels + (uint64_t)y * frame->stride_bytes;
        uint64_t at = 0;

        while (at < row) {
            size_t n = MIN(AEROGPU_PIECE - fill, row - at);

            memcpy(piece + fill, from + at, n);
            at += n;
            fill += n;
            if (fill == AEROGPU_PIECE) {
                aerogpu_pack_piece(&s->pack, f, piece, fill);
                fill = 0;
            }
        }
    }
    if (fill) {
        aerogpu_pack_piece(&s->pack, f, piece, fill);
    }
    return bytes;
}

static int aerogpu_carry_put(QEMUFile *f, void *pv, size_t size,
                             const VMStateField *field, JSONWriter *vmdesc)
{
    AeroGPUState *s = container_of(pv, AeroGPUState, carry);
    AeroGPUCarry *c = pv;
    size_t promise_size;
    g_autofree uint8_t *promise = aerogpu_promise_save(s, &promise_size);
    uint32_t place;
    int ret;

    aerogpu_put_head(f, AEROGPU_RECORD_PROMISE, 0, promise_size);
    qemu_put_buffer(f, promise, promise_size);
    if (c->cargo.snapshot_bytes) {
        aerogpu_pack_head(&s->pack, f, AEROGPU_RECORD_SNAPSHOT, 0,
                          c->cargo.snapshot_bytes);
        ret = aerogpu_pack_spool(&s->pack, f, &c->cargo.spool,
                                 c->cargo.snapshot_bytes);
        if (ret) {
            return ret; /* nothing was sent, as the log sees it */
        }
        c->sent += c->cargo.snapshot_bytes;
    }
    for (place = 0; place < AEROGPU_MOST_FRAMES; place++) {
        const struct aerogpu_frame *frame = aerogpu_frame_at(s, place);

        if (frame) {
            c->sent += aerogpu_put_frame(s, f, place, frame);
        }
    }
    aerogpu_put_head(f, AEROGPU_RECORD_END, 0, 0);
    return 0;
}

/* ---- load ---- */

void aerogpu_carry_load(AeroGPUState *s)
{
    AeroGPUCarry *c = &s->carry;

    g_clear_pointer(&s->failure.last, g_free);
    aerogpu_carry_exit(s);
    memset(&c->cargo, 0, sizeof(c->cargo));
}

static int aerogpu_get_promise(QEMUFile *f, AeroGPUCarry *c, uint64_t bytes)
{
    if (c->promise || bytes > AEROGPU_MOST_PROMISE) {
        return aerogpu_load_error("what the guest was told has %" PRIu64
                                  " bytes, or is there twice",
                                  bytes);
    }
    c->promise = g_malloc0(bytes + 1);
    c->promise_size = bytes;
    if (qemu_get_buffer(f, c->promise, bytes) != bytes) {
        return aerogpu_load_error("it is cut short");
    }
    return 0;
}

static int aerogpu_get_snapshot(QEMUFile *f, AeroGPUCargo *cargo,
                                uint64_t bytes, bool packed)
{
    if (cargo->snapshot_bytes || !bytes) {
        return aerogpu_load_error("there are two snapshots, or an empty one");
    }
    cargo->snapshot_at = cargo->spool.size;
    cargo->snapshot_bytes = bytes;
    return aerogpu_pack_read(f, &cargo->spool, bytes, packed);
}

static int aerogpu_get_frame(QEMUFile *f, AeroGPUCargo *cargo, uint32_t place,
                             uint64_t bytes, bool packed)
{
    AeroGPUSavedFrame *frame = &cargo->frame[cargo->frames];

    if (place >= AEROGPU_MOST_FRAMES || bytes < AEROGPU_FRAME_HEAD ||
        (cargo->frames && place <= frame[-1].place)) {
        return aerogpu_load_error(
            "a picture of place %u with %" PRIu64 " bytes", place, bytes);
    }
    frame->place = place;
    frame->width = qemu_get_be32(f);
    frame->height = qemu_get_be32(f);
    frame->format = qemu_get_be32(f);
    qemu_get_be32(f);
    frame->at = cargo->spool.size;
    frame->bytes = bytes - AEROGPU_FRAME_HEAD;
    cargo->frames++;
    return aerogpu_pack_read(f, &cargo->spool, frame->bytes, packed);
}

/*
 * Reads a record that is not taken. A state on a disk has no end where reading
 * would fail, so this is bounded.
 */
static int aerogpu_drop_record(QEMUFile *f, AeroGPUCargo *cargo,
                               const AeroGPURecordHead *head, bool packed)
{
    /* A picture begins with what it is, never in pieces. */
    uint64_t plain = head->kind == AEROGPU_RECORD_FRAME
                         ? MIN(head->bytes, AEROGPU_FRAME_HEAD)
                         : 0;
    int ret;

    if (head->bytes > AEROGPU_MOST_DROPPED - cargo->dropped_bytes) {
        return aerogpu_load_error("a record has %" PRIu64 " bytes",
                                  head->bytes);
    }
    cargo->dropped_bytes += head->bytes;
    cargo->dropped |= head->kind == AEROGPU_RECORD_SNAPSHOT;
    ret = aerogpu_get_spool(f, NULL, plain);
    return ret ?: aerogpu_pack_read(f, NULL, head->bytes - plain, packed);
}

/* Reads a record. Returns 0, 1 after the last one, or < 0. */
static int aerogpu_get_record(QEMUFile *f, AeroGPUState *s)
{
    AeroGPUCarry *c = &s->carry;
    AeroGPURecordHead head;
    uint64_t left = c->cargo.spool.most - c->cargo.spool.size;
    bool packed, can;

    if (aerogpu_get_head(f, &head) < 0) {
        return -EINVAL;
    }
    can = head.kind == AEROGPU_RECORD_SNAPSHOT ||
          head.kind == AEROGPU_RECORD_FRAME ||
          head.kind == (AEROGPU_RECORD_SNAPSHOT | AEROGPU_PACKED) ||
          head.kind == (AEROGPU_RECORD_FRAME | AEROGPU_PACKED);
    packed = can && (head.kind & AEROGPU_PACKED);
    if (packed) {
        head.kind &= ~AEROGPU_PACKED;
    }
    if (head.kind == AEROGPU_RECORD_SNAPSHOT && aerogpu_failure_noted(s)) {
        return aerogpu_drop_record(f, &c->cargo, &head, packed);
    }
    if (head.bytes > left) {
        int ret =
            can ? aerogpu_failure_take(s, AEROGPU_NO_ROOM, head.bytes, left)
                : aerogpu_load_error(AEROGPU_NO_ROOM, head.bytes, left);

        return ret ?: aerogpu_drop_record(f, &c->cargo, &head, packed);
    }
    switch (head.kind) {
    case AEROGPU_RECORD_END:
        return 1;
    case AEROGPU_RECORD_PROMISE:
        return aerogpu_get_promise(f, c, head.bytes);
    case AEROGPU_RECORD_SNAPSHOT:
        return aerogpu_get_snapshot(f, &c->cargo, head.bytes, packed);
    case AEROGPU_RECORD_FRAME:
        return aerogpu_get_frame(f, &c->cargo, head.index, head.bytes, packed);
    default:
        return aerogpu_load_error("a record of kind %u, %u is the last that "
                                  "is known",
                                  head.kind, AEROGPU_RECORDS - 1);
    }
}

static int aerogpu_carry_get(QEMUFile *f, void *pv, size_t size,
                             const VMStateField *field)
{
    AeroGPUState *s = container_of(pv, AeroGPUState, carry);
    AeroGPUCargo *cargo = &s->carry.cargo;
    int ret;

    if (cargo->spool.open) {
        return aerogpu_load_error("the renderer's part is there twice");
    }
    aerogpu_spool_open(&cargo->spool, aerogpu_handover_most(s));
    do {
        ret = aerogpu_get_record(f, s);
    } while (!ret);
    return MIN(ret, 0);
}

/* Gives the loaded frames to their places; those without one are released. */
static void aerogpu_place_frames(AeroGPUState *s, const AeroGPUCargo *cargo,
                                 struct aerogpu_frame **made)
{
    uint32_t i;

    for (i = 0; i < cargo->frames; i++) {
        if (!made[i]) {
            continue; /* there was no room for it */
        }
        if (!cargo->frame[i].place) {
            aerogpu_scanout_give_frame(s, made[i]);
        } else if (!aerogpu_completions_give_frame(s, cargo->frame[i].place - 1,
                                                   made[i])) {
            aerogpu_renderer_frame_release(s->renderer, made[i]);
        }
    }
}

/* Gives the cargo to the renderer, and its frames to their places. */
static int aerogpu_carry_give(AeroGPUState *s)
{
    AeroGPUCargo *cargo = &s->carry.cargo;
    struct aerogpu_frame *made[AEROGPU_MOST_FRAMES];
    g_autofree char *error = NULL;
    AeroGPUHandoverResult result;

    cargo->may_lose = s->failure.loses;
    cargo->dropped |= cargo->snapshot_bytes && aerogpu_failure_noted(s);
    if (cargo->snapshot_bytes && !cargo->dropped) {
        s->live.coming = false; /* it ends with these */
    }
    result = aerogpu_handover_load(s, cargo, made, &error);
    if (result == AEROGPU_HANDOVER_FAILED) {
        return aerogpu_load_error("the renderer refuses it: %s", error);
    }
    aerogpu_place_frames(s, cargo, made);
    return result == AEROGPU_HANDOVER_LOST
               ? aerogpu_failure_take(s, "the renderer refuses it: %s", error)
               : 0;
}

int aerogpu_carry_loaded(AeroGPUState *s)
{
    AeroGPUCarry *c = &s->carry;
    uint64_t bytes = c->cargo.spool.size;
    bool held = c->cargo.snapshot_bytes || c->cargo.dropped;
    int64_t start = get_clock();
    int ret = 0;

    if (c->promise) {
        ret = aerogpu_promise_load(s, c->promise, c->promise_size);
    }
    if (!ret && (bytes || held)) {
        ret = aerogpu_carry_give(s);
    }
    if (!ret) {
        aerogpu_failure_ends(s, held);
    }
    if (!ret && !s->failure.last) {
        uint64_t took = get_clock() - start;

        WITH_QEMU_LOCK_GUARD (&s->lock) {
            s->stats.load_ns = took;
            s->stats.load_bytes = bytes;
        }
        if (bytes) {
            info_report("aerogpu: loaded %" PRIu64 " KiB in %" PRIu64 " ms",
                        bytes / KiB, took / SCALE_MS);
        }
    }
    aerogpu_live_drop(s);
    aerogpu_carry_exit(s);
    return ret;
}

void aerogpu_carry_exit(AeroGPUState *s)
{
    aerogpu_spool_close(&s->carry.cargo.spool);
    g_clear_pointer(&s->carry.promise, g_free);
}

/* ---- the subsection ---- */

static bool aerogpu_carry_needed(void *opaque)
{
    AeroGPUState *s = opaque;

    return s->carry.cargo.snapshot_bytes || aerogpu_has_frames(s) ||
           aerogpu_promise_matters(s);
}

static const VMStateInfo aerogpu_carry_info = {
    .name = "aerogpu records",
    .get = aerogpu_carry_get,
    .put = aerogpu_carry_put,
};

const VMStateDescription aerogpu_carry_vmstate = {
    .name = TYPE_AEROGPU "/renderer",
    .version_id = 1,
    .minimum_version_id = 1,
    .needed = aerogpu_carry_needed,
    .fields =
        AEROGPU_VMSTATE_FIELDS{ {
                                    .name = "records",
                                    .info = &aerogpu_carry_info,
                                    .size = sizeof(AeroGPUCarry),
                                    .flags = VMS_SINGLE,
                                    .offset = offsetof(AeroGPUState, carry),
                                },
                                VMSTATE_END_OF_LIST() },
};
