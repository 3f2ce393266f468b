/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Guest memory (guestmem.c): RAM and BAR1 by guest-physical address, never
 * registers. Look-ups may run on any thread without the BQL and need no lock;
 * a thread that QEMU did not make calls aerogpu_guestmem_enter() first.
 */
#ifndef HW_AEROGPU_GUESTMEM_H
#define HW_AEROGPU_GUESTMEM_H

#include "exec/memory.h"
#include "qemu/notify.h"
#include "hw-aerogpu/types.h"

/* Table of plain RAM in the present memory map. */
typedef struct AeroGPURamTable AeroGPURamTable;

typedef struct AeroGPUGuestMem {
    MemoryListener listener; /* BQL */
    AeroGPURamTable *table;  /* RCU; replaced under the BQL */
    GArray *building;        /* BQL: between begin and commit */
    unsigned serial;         /* atomic; lock for writing: counts changes */
    NotifierList changed;    /* BQL; called under lock, after serial grew */
} AeroGPUGuestMem;

/* A piece of guest memory with its host address. */
typedef struct AeroGPUMap {
    void *host;       /* first byte */
    uint64_t size;    /* bytes */
    MemoryRegion *mr; /* referenced until it is unmapped */
} AeroGPUMap;

/*
 * Lets the calling thread look memory up, until the thread ends. Cheap from
 * the second time on.
 */
void aerogpu_guestmem_enter(void);
/* Notes that QEMU created the calling thread: it may look memory up already. */
void aerogpu_guestmem_entered(void);

/*
 * Maps up to `size` bytes at gpa; fewer where the range leaves the memory
 * region. The region is referenced until aerogpu_guest_unmap().
 */
bool aerogpu_guest_map(AeroGPUState *s, uint64_t gpa, uint64_t size, bool write,
                       AeroGPUMap *map);
/* Unmaps. The first `bytes_written` bytes were changed. */
void aerogpu_guest_unmap(AeroGPUState *s, const AeroGPUMap *map,
                         uint64_t bytes_written);
/* Copies. False if the range is not all memory; a part may be copied then. */
bool aerogpu_guest_read(AeroGPUState *s, uint64_t gpa, void *to, uint64_t size);
bool aerogpu_guest_write(AeroGPUState *s, uint64_t gpa, const void *from,
                         uint64_t size);
/* A part of the memory map that is plain RAM. */
typedef struct AeroGPURamPart {
    uint64_t start; /* guest-physical */
    uint64_t size;  /* bytes */
    MemoryRegion *mr;
    uint64_t offset; /* of the first byte in mr */
    bool writable;
} AeroGPURamPart;

/*
 * Calls `visit` for each part, by address, from within an RCU read section:
 * it must not wait. Not for memory behind an IOMMU.
 */
void aerogpu_guestmem_each(AeroGPUState *s,
                           void (*visit)(void *opaque,
                                         const AeroGPURamPart *part),
                           void *opaque);
/* True if the whole range lies in one piece of readable memory. */
bool aerogpu_guest_covers(AeroGPUState *s, uint64_t gpa, uint64_t size);
/*
 * Makes a lasting, writable mapping of the whole range in one piece, for the
 * ring and the fence page. The caller ends it with
 * address_space_cache_destroy(), and announces its writes with
 * address_space_cache_invalidate().
 */
bool aerogpu_guest_cache(AeroGPUState *s, uint64_t gpa, uint64_t size,
                         MemoryRegionCache *cache);

/* Prepares the list of notifiers: call it before adding one. BQL, like the two
 * functions below. */
void aerogpu_guestmem_init(AeroGPUState *s);
/* Starts to follow the memory map. */
void aerogpu_guestmem_listen(AeroGPUState *s);
void aerogpu_guestmem_exit(AeroGPUState *s);

#endif /* HW_AEROGPU_GUESTMEM_H */
