/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Records of a saved state: see records.h. */
#include "qemu/osdep.h"
#include "qemu/units.h"
#include "migration/qemu-file-types.h"
#include "hw-aerogpu/aerogpu.h"
#include "hw-aerogpu/ring/spool.h"
#include "hw-aerogpu/report/log.h"
#include "hw-aerogpu/snapshot/records.h"

void aerogpu_put_head(QEMUFile *f, uint32_t kind, uint32_t index,
                      uint64_t bytes)
{
    qemu_put_be32(f, kind);
    qemu_put_be32(f, index);
    qemu_put_be64(f, bytes);
}

int aerogpu_get_head(QEMUFile *f, AeroGPURecordHead *head)
{
    head->kind = qemu_get_be32(f);
    head->index = qemu_get_be32(f);
    head->bytes = qemu_get_be64(f);
    return qemu_file_get_error(f) ? aerogpu_load_error("it is cut short") : 0;
}

/* Reads bytes that nobody wants. */
static int aerogpu_skip(QEMUFile *f, uint64_t bytes)
{
    g_autofree uint8_t *piece = g_malloc(AEROGPU_PIECE);

    while (bytes) {
        size_t n = MIN(AEROGPU_PIECE, bytes);

        if (qemu_get_buffer(f, piece, n) != n) {
            return aerogpu_load_error("it is cut short");
        }
        bytes -= n;
    }
    return 0;
}

int aerogpu_get_spool(QEMUFile *f, AeroGPUSpool *spool, uint64_t bytes)
{
    if (!spool) {
        return aerogpu_skip(f, bytes);
    }
    while (bytes) {
        uint64_t n = MIN(AEROGPU_PIECE, bytes);
        uint8_t *room = aerogpu_spool_room(spool, &n);

        if (!room) {
            return aerogpu_load_error("there is no memory for it");
        }
        if (qemu_get_buffer(f, room, n) != n) {
            return aerogpu_load_error("it is cut short");
        }
        aerogpu_spool_came(spool, n);
        bytes -= n;
    }
    return 0;
}
