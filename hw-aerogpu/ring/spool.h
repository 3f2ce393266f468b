/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Bytes on their way between a saved state and the renderer (spool.c). Their
 * memory is given back as they are used, so that a load does not hold
 * everything twice.
 */
#ifndef HW_AEROGPU_SPOOL_H
#define HW_AEROGPU_SPOOL_H

#include "hw-aerogpu/types.h"

/* A spool is read and written in pieces of this size. */
#define AEROGPU_PIECE (1 * MiB)

/* Of one thread at a time. All zero: closed. Its copy is the same spool. */
typedef struct AeroGPUSpool {
    bool open;
    GPtrArray *chunks; /* NULL: forgotten */
    uint64_t size;     /* bytes that came */
    uint64_t most;     /* bytes that may come */
} AeroGPUSpool;

/* Begins an empty spool for up to `most` bytes. */
void aerogpu_spool_open(AeroGPUSpool *spool, uint64_t most);
/* Adds bytes at the end. False if they are too many, or without memory. */
bool aerogpu_spool_add(AeroGPUSpool *spool, const void *bytes, size_t size);
/*
 * Returns where the next bytes can be put, and reduces their number to those
 * that have room together; NULL as above. They count once they came.
 */
uint8_t *aerogpu_spool_room(AeroGPUSpool *spool, uint64_t *size);
void aerogpu_spool_came(AeroGPUSpool *spool, uint64_t size);
/*
 * Returns where bytes lie, and reduces their number to those that lie together;
 * NULL if they are not there. They stay until they are forgotten.
 */
const uint8_t *aerogpu_spool_part(const AeroGPUSpool *spool, uint64_t at,
                                  uint64_t *size);
/* Copies bytes; false if they are not there. */
bool aerogpu_spool_read(const AeroGPUSpool *spool, uint64_t at, void *bytes,
                        size_t size);
/* Gives back the memory of all bytes before `end`, which nobody reads again. */
void aerogpu_spool_forget(AeroGPUSpool *spool, uint64_t end);
/* Drops everything. A closed spool stays closed. */
void aerogpu_spool_close(AeroGPUSpool *spool);

#endif /* HW_AEROGPU_SPOOL_H */
