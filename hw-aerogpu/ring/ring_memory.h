/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The ring as it lies in guest memory (ring_memory.c): the mapping, the tail
 * that the driver writes, the head that the device writes.
 */
#ifndef HW_AEROGPU_RING_MEMORY_H
#define HW_AEROGPU_RING_MEMORY_H

#include "exec/memory.h"
#include "qemu/notify.h"
#include "hw-aerogpu/types.h"

/* Render thread, unless said otherwise. */
typedef struct AeroGPURing {
    MemoryRegionCache cache; /* header and slots; read under lock by others */
    bool mapped;
    uint64_t serial;     /* of the registers it was mapped from */
    unsigned map_serial; /* of the memory map it was mapped from */
    uint32_t size;       /* bytes mapped */
    uint32_t fetch;      /* next slot to fetch; atomic: others read it */
    bool started;        /* fetch was taken from a header */
    bool blocked;        /* the last drain left slots: do not poll */
    bool valid;          /* the header was good when last checked */

    uint64_t config_serial; /* lock: grows if the mapping is stale */
    uint32_t head;          /* lock: value for the header's head */
    uint64_t head_gpa;      /* lock: of the header's head */
    bool head_stale;        /* lock: head could not be written there */
    Notifier map_changed;
    bool saved_current; /* for the saved state: mapped from these registers */

    uint8_t *cmd_buffer; /* private copies (ring.c) */
    uint64_t cmd_capacity;
    uint8_t *table_buffer;
    uint64_t table_capacity;
    bool no_memory; /* atomic; for tests: no buffer can grow */
} AeroGPURing;

/*
 * Maps the ring that the registers name, unless it is mapped already. A new
 * ring starts at the head that its driver left in the header.
 */
bool aerogpu_ring_map(AeroGPUState *s);
void aerogpu_ring_unmap(AeroGPUState *s);
/* Returns the tail that the driver has now; the ring is mapped. */
uint32_t aerogpu_ring_tail(AeroGPUState *s);

/* Writes `head` where the driver reads it. Any thread, lock held. */
void aerogpu_ring_set_head_locked(AeroGPUState *s, uint32_t head);
/*
 * Makes the present mapping stale. With `move_head`, also sets the head in
 * guest memory to the tail at once, so that the driver sees it whatever the
 * render thread is doing. BQL, lock held.
 */
void aerogpu_ring_abandon_locked(AeroGPUState *s, bool move_head);
/* Handles a write to a ring register, or enabling of the ring. BQL. */
void aerogpu_ring_config_changed(AeroGPUState *s);

extern const VMStateDescription aerogpu_ring_vmstate;
/* Takes over the saved position; the ring is mapped when the VM runs. BQL. */
void aerogpu_ring_loaded(AeroGPUState *s);

void aerogpu_ring_memory_init(AeroGPUState *s);
void aerogpu_ring_memory_exit(AeroGPUState *s);

#endif /* HW_AEROGPU_RING_MEMORY_H */
