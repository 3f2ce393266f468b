/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The bytes of records, compressed where the link is slow (pack.c). A record
 * whose kind has AEROGPU_PACKED says in its head how many bytes it has
 * unpacked. They come in pieces of up to AEROGPU_PIECE, each after two numbers
 * of 32 bits, big-endian: its bytes unpacked, and its bytes here. Where these
 * are equal the piece is as it is, else one zstd frame.
 */
#ifndef HW_AEROGPU_PACK_H
#define HW_AEROGPU_PACK_H

#include "qapi/qapi-types-common.h"
#include "hw-aerogpu/ring/spool.h"
#include "hw-aerogpu/types.h"

/* A bit of a record's kind. */
#define AEROGPU_PACKED 0x100u

/* Of the thread that saves, which is one at a time. */
typedef struct AeroGPUPack {
    OnOffAuto mode; /* property; constant once realized */
    bool packs;     /* the record that is under way has pieces */
    void *context;  /* zstd's; NULL: nothing was compressed yet */
    uint8_t *piece; /* that was compressed */
    uint64_t slow;  /* bytes until the link is measured again */
    uint64_t measured;
    uint64_t measured_ns;
    uint64_t tried; /* bytes that went through the compressor */
    uint64_t tried_ns;
    /* Of the save, without heads. */
    uint64_t raw;      /* sent as they were */
    uint64_t unpacked; /* compressed: from */
    uint64_t packed;   /* and to */
} AeroGPUPack;

/* Begins to count a save. */
void aerogpu_pack_begin(AeroGPUPack *pack);
/* Ends it: gives its memory back. The counts stay. */
void aerogpu_pack_end(AeroGPUPack *pack);

/* Writes the head of a record whose bytes can be compressed. */
void aerogpu_pack_head(AeroGPUPack *pack, QEMUFile *f, uint32_t kind,
                       uint32_t index, uint64_t bytes);
/* Writes some of its bytes, at most AEROGPU_PIECE. */
void aerogpu_pack_piece(AeroGPUPack *pack, QEMUFile *f, const void *bytes,
                        size_t size);
/* Writes bytes from the start of the spool, and forgets them. */
int aerogpu_pack_spool(AeroGPUPack *pack, QEMUFile *f, AeroGPUSpool *spool,
                       uint64_t bytes);

/*
 * Reads the rest of a record to the end of the spool (NULL: forgets it), `bytes`
 * in all, in pieces if its kind has AEROGPU_PACKED. Returns < 0, with a message,
 * if they are something else.
 */
int aerogpu_pack_read(QEMUFile *f, AeroGPUSpool *spool, uint64_t bytes,
                      bool packed);

#endif /* HW_AEROGPU_PACK_H */
