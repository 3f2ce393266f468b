/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Compresses the bytes of a saved state: see pack.h.
 *
 * It is done here, piece by piece as they are written, and not where contents
 * are read, so that the thread that sends waits for it and the render thread
 * does not. zstd's first level makes some hundred MB a second, so that it makes
 * a machine wait longer where more than that can be sent: both are measured.
 * What does not get smaller goes as it is.
 */
#include "qemu/osdep.h"
#include "qemu/timer.h"
#include "qemu/units.h"
#include "migration/qemu-file-types.h"
#include "hw-aerogpu/aerogpu.h"
#include "hw-aerogpu/report/log.h"
#include "hw-aerogpu/ring/spool.h"
#include "hw-aerogpu/snapshot/pack.h"
#include "hw-aerogpu/snapshot/records.h"

#include <zstd.h>

#define AEROGPU_PACK_LEVEL 1
/* Less than this is not worth it. */
#define AEROGPU_PACK_LEAST (64 * KiB)
/* It must save this part of a piece. */
#define AEROGPU_PACK_GAIN 16
/* A link that takes half of what is compressed meanwhile does not need it. */
#define AEROGPU_FAST_PART 2
/* Until a piece was compressed: a link of 5 Gbit/s does not need it. */
#define AEROGPU_UNTRIED_BYTES_A_SECOND 1.25e9
/* A link is measured over so many bytes, and slow for so many. */
#define AEROGPU_MEASURED_BYTES (1 * MiB)
#define AEROGPU_SLOW_BYTES (32 * MiB)

/* ---- save ---- */

void aerogpu_pack_begin(AeroGPUPack *pack)
{
    pack->slow = 0;
    pack->measured = 0;
    pack->measured_ns = 0;
    pack->tried = 0;
    pack->tried_ns = 0;
    pack->raw = 0;
    pack->unpacked = 0;
    pack->packed = 0;
}

void aerogpu_pack_end(AeroGPUPack *pack)
{
    ZSTD_freeCCtx(pack->context);
    pack->context = NULL;
    g_clear_pointer(&pack->piece, g_free);
}

void aerogpu_pack_head(AeroGPUPack *pack, QEMUFile *f, uint32_t kind,
                       uint32_t index, uint64_t bytes)
{
    /*
     * By itself only a migration is compressed, whose link is measured: savevm
     * would make a machine wait longer.
     */
    const bool wanted =
        pack->mode == ON_OFF_AUTO_ON ||
        (pack->mode == ON_OFF_AUTO_AUTO && !runstate_check(RUN_STATE_SAVE_VM));

    pack->packs = wanted && bytes >= AEROGPU_PACK_LEAST;
    aerogpu_put_head(f, pack->packs ? kind | AEROGPU_PACKED : kind, index,
                     bytes);
}

/* True if contents are faster over a link of so many bytes a second if packed. */
static bool aerogpu_pack_is_slow(const AeroGPUPack *pack, double link)
{
    const double compressed = pack->tried_ns
                                  ? pack->tried * 1e9 / pack->tried_ns
                                  : AEROGPU_UNTRIED_BYTES_A_SECOND;

    return link < compressed / AEROGPU_FAST_PART;
}

static bool aerogpu_pack_is_worth_it(AeroGPUPack *pack, QEMUFile *f)
{
    uint64_t allowed;

    if (!pack->packs || pack->mode == ON_OFF_AUTO_ON) {
        return pack->packs;
    }
    allowed = aerogpu_compat_bandwidth(f);
    return pack->slow || (allowed && aerogpu_pack_is_slow(pack, allowed));
}

/* Compresses a piece. Returns its new size, 0 if it is not much smaller. */
static size_t aerogpu_pack_compress(AeroGPUPack *pack, const void *bytes,
                                    size_t size)
{
    const size_t most = size - size / AEROGPU_PACK_GAIN;
    size_t result;
    int64_t start;

    if (!pack->context) {
        pack->context = ZSTD_createCCtx();
        pack->piece = g_malloc(AEROGPU_PIECE);
    }
    if (!pack->context || size < AEROGPU_PACK_GAIN) {
        return 0;
    }
    start = get_clock();
    result = ZSTD_compressCCtx(pack->context, pack->piece, most, bytes, size,
                               AEROGPU_PACK_LEVEL);
    pack->tried += size;
    pack->tried_ns += get_clock() - start;
    return ZSTD_isError(result) ? 0 : result;
}

/*
 * Notes how long the link took for bytes as they were. Compressed ones say
 * little: while a piece is made, the link makes room for it.
 */
static void aerogpu_pack_measure(AeroGPUPack *pack, size_t size, uint64_t ns)
{
    pack->measured += size;
    pack->measured_ns += ns;
    if (pack->measured < AEROGPU_MEASURED_BYTES) {
        return;
    }
    if (pack->measured_ns &&
        aerogpu_pack_is_slow(pack, pack->measured * 1e9 / pack->measured_ns)) {
        pack->slow = AEROGPU_SLOW_BYTES;
    }
    pack->measured = 0;
    pack->measured_ns = 0;
}

static void aerogpu_pack_put(AeroGPUPack *pack, QEMUFile *f, size_t unpacked,
                             const void *bytes, size_t size)
{
    if (pack->packs) {
        qemu_put_be32(f, unpacked);
        qemu_put_be32(f, size);
    }
    qemu_put_buffer(f, bytes, size);
}

void aerogpu_pack_piece(AeroGPUPack *pack, QEMUFile *f, const void *bytes,
                        size_t size)
{
    const bool worth_it = aerogpu_pack_is_worth_it(pack, f);
    const size_t packed =
        worth_it ? aerogpu_pack_compress(pack, bytes, size) : 0;
    int64_t start;

    pack->slow -= MIN(pack->slow, size);
    if (packed) {
        aerogpu_pack_put(pack, f, size, pack->piece, packed);
        pack->unpacked += size;
        pack->packed += packed;
        return;
    }
    start = get_clock();
    aerogpu_pack_put(pack, f, size, bytes, size);
    aerogpu_pack_measure(pack, size, get_clock() - start);
    pack->raw += size;
}

/* Writes bytes as they are, without a copy: savevm makes the machine wait. */
static void aerogpu_pack_in_place(AeroGPUPack *pack, QEMUFile *f,
                                  const void *bytes, size_t size)
{
    aerogpu_compat_put_in_place(f, bytes, size);
    aerogpu_compat_flush(f);
    pack->raw += size;
}

int aerogpu_pack_spool(AeroGPUPack *pack, QEMUFile *f, AeroGPUSpool *spool,
                       uint64_t bytes)
{
    uint64_t at = 0;

    while (at < bytes) {
        uint64_t n = pack->packs ? MIN(AEROGPU_PIECE, bytes - at) : bytes - at;
        const uint8_t *part = aerogpu_spool_part(spool, at, &n);
        int error = qemu_file_get_error(f);

        if (error) {
            return error; /* nobody reads */
        }
        if (!part) {
            return -EIO;
        }
        if (pack->packs) {
            aerogpu_pack_piece(pack, f, part, n);
        } else {
            aerogpu_pack_in_place(pack, f, part, n);
        }
        at += n;
        aerogpu_spool_forget(spool, at);
    }
    return 0;
}

/* ---- load ---- */

typedef struct AeroGPUUnpack {
    ZSTD_DCtx *context;
    uint8_t *packed; /* AEROGPU_PIECE bytes, like the next */
    uint8_t *piece;
} AeroGPUUnpack;

/* Reads a piece. Returns its bytes, or < 0 with a message. */
static int64_t aerogpu_unpack_piece(AeroGPUUnpack *u, QEMUFile *f,
                                    uint64_t left)
{
    const uint32_t size = qemu_get_be32(f);
    const uint32_t packed = qemu_get_be32(f);
    size_t result = size;

    if (!size || size > MIN(left, AEROGPU_PIECE) || !packed || packed > size) {
        return aerogpu_load_error("a piece of %u bytes is packed into %u, "
                                  "%" PRIu64 " are left of its record",
                                  size, packed, left);
    }
    if (qemu_get_buffer(f, packed == size ? u->piece : u->packed, packed) !=
        packed) {
        return aerogpu_load_error("it is cut short");
    }
    if (packed < size) {
        /* Writes no more than `size` bytes, and needs no other memory. */
        result =
            ZSTD_decompressDCtx(u->context, u->piece, size, u->packed, packed);
    }
    if (ZSTD_isError(result)) {
        return aerogpu_load_error("a piece of %u bytes cannot be unpacked: %s",
                                  size, ZSTD_getErrorName(result));
    }
    if (result != size) {
        return aerogpu_load_error("a piece of %u bytes unpacks to %zu", size,
                                  result);
    }
    return size;
}

static int aerogpu_unpack_spool(QEMUFile *f, AeroGPUSpool *spool,
                                uint64_t bytes)
{
    AeroGPUUnpack u = { .context = ZSTD_createDCtx(),
                        .packed = g_malloc(AEROGPU_PIECE),
                        .piece = g_malloc(AEROGPU_PIECE) };
    int64_t got =
        u.context ? 0 : aerogpu_load_error("there is no memory for it");

    while (bytes && got >= 0) {
        got = aerogpu_unpack_piece(&u, f, bytes);
        if (got >= 0 && spool && !aerogpu_spool_add(spool, u.piece, got)) {
            got = aerogpu_load_error("there is no memory for it");
        }
        bytes -= MAX(got, 0);
    }
    ZSTD_freeDCtx(u.context);
    g_free(u.packed);
    g_free(u.piece);
    return MIN(got, 0);
}

int aerogpu_pack_read(QEMUFile *f, AeroGPUSpool *spool, uint64_t bytes,
                      bool packed)
{
    return packed ? aerogpu_unpack_spool(f, spool, bytes)
                  : aerogpu_get_spool(f, spool, bytes);
}
