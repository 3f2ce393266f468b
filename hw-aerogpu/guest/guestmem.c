/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Guest memory for the device: RAM and BAR1, by guest-physical address. The
 * functions that access it may run on any thread without the BQL. Nothing here
 * causes an MMIO access, so the device cannot be made to access its own
 * registers.
 */
#include "qemu/osdep.h"
#include "qemu/int128.h"
#include "qemu/rcu.h"
#include "hw-aerogpu/aerogpu.h"
#include "hw-aerogpu/guest/guestmem.h"

/* Accepts plain RAM only: no ROM device, and not the window of a
 * passed-through device. */
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

/* ---- RCU ---- */

/*
 * Look-ups run in RCU read sections, which protect registered threads only.
 * QEMU registers the threads that it creates; the renderer's threads register
 * here.
 */
static __thread bool aerogpu_rcu_registered;

static void aerogpu_rcu_leave(gpointer unused)
{
    rcu_unregister_thread();
}

void aerogpu_guestmem_enter(void)
{
    static GPrivate leave = G_PRIVATE_INIT(aerogpu_rcu_leave);

    if (unlikely(!aerogpu_rcu_registered)) {
        aerogpu_rcu_registered = true;
        rcu_register_thread();
        g_private_set(&leave, &leave); /* any non-NULL value */
    }
}

void aerogpu_guestmem_entered(void)
{
    aerogpu_rcu_registered = true;
}

/* ---- the table ---- */

/*
 * Plain RAM of the address space, by address. A memory listener builds a new
 * table when the memory map changes, so a look-up is a binary search and no
 * walk through QEMU's map. RCU keeps the old table for its readers; a table
 * holds references to its regions, because QEMU's own may end before the last
 * reader leaves.
 */
typedef struct AeroGPURam {
    uint64_t start; /* guest-physical */
    uint64_t last;  /* inclusive */
    uint8_t *host;
    MemoryRegion *mr;
    uint64_t offset; /* of start in mr */
    bool writable;
} AeroGPURam;

struct AeroGPURamTable {
    struct rcu_head rcu;
    size_t count;
    AeroGPURam ram[]; /* in order, disjoint */
};

/* Finds the RAM at `gpa`, or returns NULL. RCU read section. */
static const AeroGPURam *aerogpu_ram_find(AeroGPUState *s, uint64_t gpa)
{
    const AeroGPURamTable *table = qatomic_rcu_read(&s->mem.table);
    size_t low = 0, high = table ? table->count : 0;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (table->ram[middle].last < gpa) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return table && low < table->count && table->ram[low].start <= gpa
               ? &table->ram[low]
               : NULL;
}

static void aerogpu_memory_begin(MemoryListener *listener)
{
    AeroGPUState *s = container_of(listener, AeroGPUState, mem.listener);

    s->mem.building = g_array_new(false, false, sizeof(AeroGPURam));
}

/* Adds a part of the new map, whether it was in the old map or not. */
static void aerogpu_memory_region(MemoryListener *listener,
                                  MemoryRegionSection *section)
{
    AeroGPUState *s = container_of(listener, AeroGPUState, mem.listener);
    AeroGPURam ram = {
        .start = section->offset_within_address_space,
        .mr = section->mr,
        .offset = section->offset_within_region,
    };

    if (!s->mem.building || !aerogpu_is_plain_ram(section->mr, false) ||
        !int128_nz(section->size)) {
        return;
    }
    ram.last = ram.start + int128_get64(section->size) - 1;
    ram.host = (uint8_t *)memory_region_get_ram_ptr(section->mr) + ram.offset;
    ram.writable =
        aerogpu_is_plain_ram(section->mr, true) && !section->readonly;
    memory_region_ref(ram.mr);
    g_array_append_val(s->mem.building, ram);
}

static gint aerogpu_ram_compare(gconstpointer a, gconstpointer b)
{
    uint64_t left = ((const AeroGPURam *)a)->start;
    uint64_t right = ((const AeroGPURam *)b)->start;

    return left < right ? -1 : left > right;
}

static void aerogpu_ram_free(AeroGPURamTable *table)
{
    size_t i;

    for (i = 0; i < table->count; i++) {
        memory_region_unref(table->ram[i].mr);
    }
    g_free(table);
}

static void aerogpu_ram_publish(AeroGPUState *s, AeroGPURamTable *table)
{
    AeroGPURamTable *old = s->mem.table;

    qatomic_rcu_set(&s->mem.table, table);
    if (old) {
        call_rcu(old, aerogpu_ram_free, rcu);
    }
}

/*
 * Publishes the new table after a change of the memory map. Lasting mappings
 * are renewed before their next use, since the serial grew; parts that could
 * not write before are told to try again. Runs under the BQL.
 */
static void aerogpu_memory_commit(MemoryListener *listener)
{
    AeroGPUState *s = container_of(listener, AeroGPUState, mem.listener);
    GArray *built = s->mem.building;
    AeroGPURamTable *table;

    s->mem.building = NULL;
    if (built) {
        g_array_sort(built, aerogpu_ram_compare);
        table = g_malloc(sizeof(*table) + built->len * sizeof(AeroGPURam));
        table->count = built->len;
        if (built->len) {
            memcpy(table->ram, built->data, built->len * sizeof(AeroGPURam));
        }
        g_array_free(built, true);
        aerogpu_ram_publish(s, table);
    }
    QEMU_LOCK_GUARD(&s->lock);
    qatomic_inc(&s->mem.serial);
    notifier_list_notify(&s->mem.changed, NULL);
}

void aerogpu_guestmem_each(AeroGPUState *s,
                           void (*visit)(void *opaque,
                                         const AeroGPURamPart *part),
                           void *opaque)
{
    const AeroGPURamTable *table;
    size_t i;

    RCU_READ_LOCK_GUARD();
    table = qatomic_rcu_read(&s->mem.table);
    for (i = 0; table && i < table->count; i++) {
        const AeroGPURam *ram = &table->ram[i];
        AeroGPURamPart part = {
            .start = ram->start,
            .size = ram->last - ram->start + 1,
            .mr = ram->mr,
            .offset = ram->offset,
            .writable = ram->writable,
        };

        visit(opaque, &part);
    }
}

void aerogpu_guestmem_init(AeroGPUState *s)
{
    notifier_list_init(&s->mem.changed);
}

void aerogpu_guestmem_listen(AeroGPUState *s)
{
    s->mem.listener = (MemoryListener){
        .name = TYPE_AEROGPU,
        .begin = aerogpu_memory_begin,
        .region_add = aerogpu_memory_region,
        .region_nop = aerogpu_memory_region,
        .commit = aerogpu_memory_commit,
    };
    memory_listener_register(&s->mem.listener, aerogpu_address_space(s));
}

void aerogpu_guestmem_exit(AeroGPUState *s)
{
    memory_listener_unregister(&s->mem.listener); /* commits an empty map */
    aerogpu_ram_publish(s, NULL);
}

/* ---- mappings ---- */

/* Memory behind an IOMMU is not in the table: walks QEMU's map instead. */
static bool aerogpu_guest_map_slow(AeroGPUState *s, uint64_t gpa, uint64_t size,
                                   bool write, AeroGPUMap *map)
{
    hwaddr xlat, len = size;
    MemoryRegion *mr;

    mr = address_space_translate(aerogpu_address_space(s), gpa, &xlat, &len,
                                 write, MEMTXATTRS_UNSPECIFIED);
    if (!aerogpu_is_plain_ram(mr, write) || len == 0) {
        return false;
    }
    memory_region_ref(mr);
    map->mr = mr;
    map->host = (uint8_t *)memory_region_get_ram_ptr(mr) + xlat;
    map->size = MIN(len, size);
    return true;
}

bool aerogpu_guest_map(AeroGPUState *s, uint64_t gpa, uint64_t size, bool write,
                       AeroGPUMap *map)
{
    const AeroGPURam *ram;

    if (size == 0 || gpa + (size - 1) < gpa) {
        return false;
    }
    RCU_READ_LOCK_GUARD();
    ram = aerogpu_ram_find(s, gpa);
    if (!ram) {
        return aerogpu_guest_map_slow(s, gpa, size, write, map);
    }
    if (write && !ram->writable) {
        return false;
    }
    memory_region_ref(ram->mr);
    map->mr = ram->mr;
    map->host = ram->host + (gpa - ram->start);
    map->size = MIN(size - 1, ram->last - gpa) + 1;
    return true;
}

void aerogpu_guest_unmap(AeroGPUState *s, const AeroGPUMap *map,
                         uint64_t bytes_written)
{
    if (!bytes_written) {
        memory_region_unref(map->mr);
        return;
    }
    /* Sets dirty bits, and drops translated code of that memory. */
    address_space_unmap(aerogpu_address_space(s), map->host, map->size, true,
                        MIN(bytes_written, map->size));
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

bool aerogpu_guest_covers(AeroGPUState *s, uint64_t gpa, uint64_t size)
{
    AeroGPUMap map;

    if (!aerogpu_guest_map(s, gpa, size, false, &map)) {
        return false;
    }
    aerogpu_guest_unmap(s, &map, 0);
    return map.size == size;
}

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
