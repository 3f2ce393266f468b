/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Bytes between a saved state and the renderer: see spool.h. */
#include "qemu/osdep.h"
#include "qemu/units.h"
#include "hw-aerogpu/types.h"
#include "hw-aerogpu/ring/spool.h"

#include <sys/mman.h>

/*
 * Memory comes and goes in chunks of this size: a few huge pages, since small
 * ones would cost as much as the bytes.
 */
#define AEROGPU_SPOOL_CHUNK (16 * MiB)

void aerogpu_spool_open(AeroGPUSpool *spool, uint64_t most)
{
    aerogpu_spool_close(spool);
    spool->chunks = g_ptr_array_new();
    spool->open = true;
    spool->size = 0;
    spool->most = most;
}

static bool aerogpu_spool_grow(AeroGPUSpool *spool)
{
    void *chunk = mmap(NULL, AEROGPU_SPOOL_CHUNK, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    if (chunk == MAP_FAILED) {
        return false;
    }
    madvise(chunk, AEROGPU_SPOOL_CHUNK, MADV_HUGEPAGE); /* if that is there */
    g_ptr_array_add(spool->chunks, chunk);
    return true;
}

uint8_t *aerogpu_spool_room(AeroGPUSpool *spool, uint64_t *size)
{
    uint64_t index = spool->size / AEROGPU_SPOOL_CHUNK;
    uint64_t at = spool->size % AEROGPU_SPOOL_CHUNK;

    if (!spool->open || *size > spool->most - spool->size ||
        (index == spool->chunks->len && !aerogpu_spool_grow(spool))) {
        return NULL;
    }
    *size = MIN(*size, AEROGPU_SPOOL_CHUNK - at);
    return (uint8_t *)spool->chunks->pdata[index] + at;
}

void aerogpu_spool_came(AeroGPUSpool *spool, uint64_t size)
{
    spool->size += size;
}

bool aerogpu_spool_add(AeroGPUSpool *spool, const void *bytes, size_t size)
{
    const uint8_t *from = bytes;

    while (size) {
        uint64_t n = size;
        uint8_t *room = aerogpu_spool_room(spool, &n);

        if (!room) {
            return false;
        }
        memcpy(room, from, n);
        aerogpu_spool_came(spool, n);
        from += n;
        size -= n;
    }
    return true;
}

const uint8_t *aerogpu_spool_part(const AeroGPUSpool *spool, uint64_t at,
                                  uint64_t *size)
{
    const uint8_t *chunk;

    if (!spool->open || at >= spool->size || *size > spool->size - at) {
        return NULL;
    }
    chunk = spool->chunks->pdata[at / AEROGPU_SPOOL_CHUNK];
    *size = MIN(*size, AEROGPU_SPOOL_CHUNK - at % AEROGPU_SPOOL_CHUNK);
    return chunk ? chunk + at % AEROGPU_SPOOL_CHUNK : NULL;
}

bool aerogpu_spool_read(const AeroGPUSpool *spool, uint64_t at, void *bytes,
                        size_t size)
{
    uint8_t *to = bytes;

    while (size) {
        uint64_t n = size;
        const uint8_t *part = aerogpu_spool_part(spool, at, &n);

        if (!part) {
            return false;
        }
        memcpy(to, part, n);
        to += n;
        at += n;
        size -= n;
    }
    return true;
}

static void aerogpu_spool_drop(AeroGPUSpool *spool, uint64_t index)
{
    if (spool->chunks->pdata[index]) {
        munmap(spool->chunks->pdata[index], AEROGPU_SPOOL_CHUNK);
        spool->chunks->pdata[index] = NULL;
    }
}

void aerogpu_spool_forget(AeroGPUSpool *spool, uint64_t end)
{
    uint64_t index =
        spool->open ? MIN(end, spool->size) / AEROGPU_SPOOL_CHUNK : 0;

    while (index && spool->chunks->pdata[index - 1]) {
        aerogpu_spool_drop(spool, --index);
    }
}

void aerogpu_spool_close(AeroGPUSpool *spool)
{
    uint64_t index;

    if (spool->open) {
        for (index = 0; index < spool->chunks->len; index++) {
            aerogpu_spool_drop(spool, index);
        }
        g_ptr_array_free(spool->chunks, true);
    }
    spool->open = false;
    spool->size = 0;
}
