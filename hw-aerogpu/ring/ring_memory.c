/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The mapping of the ring, its tail and its head. RING-1, RING-5. The render
 * thread maps and reads it without the BQL; the thread that completes a
 * submission writes the head.
 */
#include "qemu/osdep.h"
#include "qemu/lockable.h"
#include "hw-aerogpu/aerogpu.h"
#include "hw-aerogpu/guest/guestmem.h"
#include "hw-aerogpu/ring/ring_memory.h"

void aerogpu_ring_unmap(AeroGPUState *s)
{
    QEMU_LOCK_GUARD(&s->lock);
    if (s->ring.mapped) {
        address_space_cache_destroy(&s->ring.cache);
        s->ring.mapped = false;
    }
    s->ring.valid = false;
}

bool aerogpu_ring_map(AeroGPUState *s)
{
    AeroGPURing *ring = &s->ring;
    unsigned map_serial = qatomic_read(&s->mem.serial);
    uint64_t serial, gpa;
    uint32_t size;
    bool fresh;

    qemu_mutex_lock(&s->lock);
    serial = ring->config_serial;
    gpa = aerogpu_reg64(&s->regs, AEROGPU_MMIO_REG_RING_GPA_LO);
    size = aerogpu_reg(&s->regs, AEROGPU_MMIO_REG_RING_SIZE_BYTES);
    qemu_mutex_unlock(&s->lock);

    if (ring->mapped && ring->serial == serial &&
        ring->map_serial == map_serial) {
        return true;
    }
    fresh = ring->serial != serial || !ring->started;
    aerogpu_ring_unmap(s);
    /* Head and tail are atomic words: elsewhere some hosts fault. RING-12. */
    if (size < sizeof(struct aerogpu_ring_header) || gpa % sizeof(uint32_t)) {
        return false;
    }

    QEMU_LOCK_GUARD(&s->lock);
    if (!aerogpu_guest_cache(s, gpa, size, &ring->cache)) {
        return false;
    }
    ring->mapped = true;
    ring->map_serial = map_serial;
    ring->serial = serial;
    ring->size = size;
    if (fresh) {
        struct aerogpu_ring_header *header = (void *)ring->cache.ptr;

        ring->fetch = ring->head = ldl_le_p(&header->head);
        ring->started = true;
        ring->head_gpa = gpa + offsetof(struct aerogpu_ring_header, head);
        ring->head_stale = false;
    }
    return true;
}

uint32_t aerogpu_ring_tail(AeroGPUState *s)
{
    const uint8_t *header = s->ring.cache.ptr;
    uint32_t tail = qatomic_load_acquire((
        const uint32_t *)(header + offsetof(struct aerogpu_ring_header, tail)));

    return le32_to_cpu(tail);
}

/*
 * Writes the head to guest memory, where the driver reads it. If the memory map
 * changed since the ring was mapped, looks the address up anew. Where that
 * leads to no memory, as without bus mastering, the next change of the memory
 * map tries again (aerogpu_ring_map_changed).
 */
static void aerogpu_head_write_locked(AeroGPUState *s)
{
    AeroGPURing *ring = &s->ring;
    uint32_t head = cpu_to_le32(ring->head);

    if (!ring->mapped || ring->map_serial != qatomic_read(&s->mem.serial)) {
        ring->head_stale =
            !aerogpu_guest_write(s, ring->head_gpa, &head, sizeof(head));
        return;
    }
    ring->head_stale = false;
    qatomic_store_release(
        (uint32_t *)((uint8_t *)ring->cache.ptr +
                     offsetof(struct aerogpu_ring_header, head)),
        head);
    address_space_cache_invalidate(
        &ring->cache, offsetof(struct aerogpu_ring_header, head), sizeof(head));
}

void aerogpu_ring_set_head_locked(AeroGPUState *s, uint32_t head)
{
    s->ring.head = head;
    aerogpu_head_write_locked(s);
}

void aerogpu_ring_abandon_locked(AeroGPUState *s, bool move_head)
{
    uint64_t gpa = aerogpu_reg64(&s->regs, AEROGPU_MMIO_REG_RING_GPA_LO);
    uint32_t size = aerogpu_reg(&s->regs, AEROGPU_MMIO_REG_RING_SIZE_BYTES);
    struct aerogpu_ring_header header;

    s->ring.config_serial++;
    s->ring.head_stale = false;
    if (move_head && size >= sizeof(header) &&
        aerogpu_guest_read(s, gpa, &header, sizeof(header)) &&
        le32_to_cpu(header.magic) == AEROGPU_RING_MAGIC) {
        s->ring.head = le32_to_cpu(header.tail);
        aerogpu_guest_write(s, gpa + offsetof(struct aerogpu_ring_header, head),
                            &header.tail, sizeof(header.tail));
    }
}

void aerogpu_ring_config_changed(AeroGPUState *s)
{
    QEMU_LOCK_GUARD(&s->lock);
    s->ring.config_serial++;
}

/* Writes the head if the old memory map had no memory there. Lock held. */
static void aerogpu_ring_map_changed(Notifier *notifier, void *data)
{
    AeroGPUState *s = container_of(notifier, AeroGPUState, ring.map_changed);

    if (s->ring.head_stale) {
        aerogpu_head_write_locked(s);
    }
}

void aerogpu_ring_memory_init(AeroGPUState *s)
{
    s->ring.map_changed.notify = aerogpu_ring_map_changed;
    notifier_list_add(&s->mem.changed, &s->ring.map_changed);
}

void aerogpu_ring_memory_exit(AeroGPUState *s)
{
    notifier_remove(&s->ring.map_changed);
}

/* ---- saved state ---- */

static int aerogpu_ring_pre_save(void *opaque)
{
    AeroGPURing *ring = opaque;

    ring->saved_current = ring->started && ring->serial == ring->config_serial;
    return 0;
}

void aerogpu_ring_loaded(AeroGPUState *s)
{
    QEMU_LOCK_GUARD(&s->lock);
    s->ring.config_serial++;
    s->ring.serial = s->ring.config_serial - !s->ring.saved_current;
    s->ring.started = s->ring.saved_current;
}

/*
 * A driver could have set any indices and address, so any value can be right:
 * slots and header are checked when they are read. The host's mapping is made
 * anew.
 */
const VMStateDescription aerogpu_ring_vmstate = {
    .name = "aerogpu/ring",
    .version_id = 1,
    .minimum_version_id = 1,
    .pre_save = aerogpu_ring_pre_save,
    .fields = AEROGPU_VMSTATE_FIELDS{ VMSTATE_BOOL(saved_current, AeroGPURing),
                                      VMSTATE_UINT32(fetch, AeroGPURing),
                                      VMSTATE_UINT32(head, AeroGPURing),
                                      VMSTATE_UINT64(head_gpa, AeroGPURing),
                                      VMSTATE_BOOL(head_stale, AeroGPURing),
                                      VMSTATE_END_OF_LIST() },
};
