/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Guest memory for the device: RAM and BAR1, by guest-physical address. Every
 * function here may run on any thread without the BQL; nothing here causes an
 * MMIO access, so the device cannot be made to talk to its own registers.
 */
#include "qemu/osdep.h"
#include "qemu/rcu.h"
#include "aerogpu.h"

/* Plain RAM only: not the window of a passed-through device, no ROM device. */
static bool aerogpu_is_plain_ram(MemoryRegion *mr, bool write)
{
    if (!memory_region_is_ram(mr) || memory_region_is_ram_device(mr)) {
        return false;
    }
    return !write || !(mr->readonly || mr->rom_device);
}

static AddressSpace *aerogpu_address_space(AeroGPUState *s)
{
    return pci_get_address_space(&s->pci);
}

/*
 * Maps up to `size` bytes at gpa; fewer where the range leaves the memory
 * region. The region is referenced until aerogpu_guest_unmap().
 */
bool aerogpu_guest_map(AeroGPUState *s, uint64_t gpa, uint64_t size,
                       bool write, AeroGPUMap *map)
{
    hwaddr xlat, len = size;
    MemoryRegion *mr;

    if (size == 0 || gpa + (size - 1) < gpa) {
        return false;
    }
    RCU_READ_LOCK_GUARD();
    mr = address_space_translate(aerogpu_address_space(s), gpa, &xlat, &len,
                                 write, MEMTXATTRS_UNSPECIFIED);
    if (!aerogpu_is_plain_ram(mr, write) || len == 0) {
        return false;
    }
    memory_region_ref(mr);
    map->host = (uint8_t *)memory_region_get_ram_ptr(mr) + xlat;
    map->size = MIN(len, size);
    return true;
}

void aerogpu_guest_unmap(AeroGPUState *s, const AeroGPUMap *map,
                         uint64_t bytes_written)
{
    address_space_unmap(aerogpu_address_space(s), map->host, map->size,
                        bytes_written != 0, MIN(bytes_written, map->size));
}

static bool aerogpu_guest_copy(AeroGPUState *s, uint64_t gpa, uint8_t *data,
                               uint64_t size, bool write)
{
    while (size) {
        AeroGPUMap map;

        if (!aerogpu_guest_map(s, gpa, size, write, &map)) {
            return false;
        }
        if (write) {
            memcpy(map.host, data, map.size);
        } else {
            memcpy(data, map.host, map.size);
        }
        aerogpu_guest_unmap(s, &map, write ? map.size : 0);
        gpa += map.size;
        data += map.size;
        size -= map.size;
    }
    return true;
}

bool aerogpu_guest_read(AeroGPUState *s, uint64_t gpa, void *to, uint64_t size)
{
    return aerogpu_guest_copy(s, gpa, to, size, false);
}

bool aerogpu_guest_write(AeroGPUState *s, uint64_t gpa, const void *from,
                         uint64_t size)
{
    return aerogpu_guest_copy(s, gpa, (uint8_t *)from, size, true);
}

/* Whether the whole range lies in one piece of readable memory. */
bool aerogpu_guest_covers(AeroGPUState *s, uint64_t gpa, uint64_t size)
{
    AeroGPUMap map;

    if (!aerogpu_guest_map(s, gpa, size, false, &map)) {
        return false;
    }
    aerogpu_guest_unmap(s, &map, 0);
    return map.size == size;
}

/*
 * A lasting, writable mapping of the whole range in one piece, for the ring
 * and the fence page. Ended with address_space_cache_destroy(); what is
 * written must be announced with address_space_cache_invalidate().
 */
bool aerogpu_guest_cache(AeroGPUState *s, uint64_t gpa, uint64_t size,
                         MemoryRegionCache *cache)
{
    int64_t len;

    if (size == 0 || gpa + (size - 1) < gpa) {
        return false;
    }
    len = address_space_cache_init(cache, aerogpu_address_space(s), gpa, size,
                                   true);
    if (len == size && cache->ptr &&
        aerogpu_is_plain_ram(cache->mrs.mr, true)) {
        return true;
    }
    address_space_cache_destroy(cache);
    return false;
}

/*
 * The memory map changed: lasting mappings are made anew before their next
 * use. Runs under the BQL.
 */
static void aerogpu_memory_commit(MemoryListener *listener)
{
    AeroGPUState *s = container_of(listener, AeroGPUState, listener);

    qatomic_inc(&s->map_serial);
}

void aerogpu_guestmem_init(AeroGPUState *s)
{
    s->listener = (MemoryListener) {
        .name = TYPE_AEROGPU,
        .commit = aerogpu_memory_commit,
    };
    memory_listener_register(&s->listener, aerogpu_address_space(s));
}

void aerogpu_guestmem_exit(AeroGPUState *s)
{
    memory_listener_unregister(&s->listener);
}
