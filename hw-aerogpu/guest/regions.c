/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Regions of guest memory for a renderer in a process of its own: those that
 * lie in shared memory whose file is sealed against being cut. With the
 * descriptor of another file that process could cut the guest's RAM, which
 * would end QEMU (SIGBUS).
 */
#include "qemu/osdep.h"
#include "qemu/int128.h"
#include "qemu/rcu.h"
#include "exec/address-spaces.h"
#include "exec/cpu-common.h"
#include "hw-aerogpu/aerogpu.h"
#include "hw-aerogpu/guest/guestmem.h"
#include "hw-aerogpu/guest/regions.h"

#include <fcntl.h>

#define AEROGPU_REGION_ALIGN 4096 /* a page of the host */

/* A region, and what tells two apart. */
typedef struct AeroGPURegion {
    struct aerogpu_guest_region region; /* fd: a copy, or -1 */
    const MemoryRegion *mr;             /* only compared */
} AeroGPURegion;

/*
 * Returns why a process may not have the file of `mr`, or NULL. Only memory of
 * memfd_create() has seals, and QEMU uses it from its first byte on.
 */
static const char *aerogpu_region_flaw(const MemoryRegion *mr)
{
    int fd = memory_region_get_fd((MemoryRegion *)mr), seals;

    if (fd < 0) {
        return "is private memory";
    }
    if (!qemu_ram_is_shared(mr->ram_block)) {
        return "is a private copy of a file";
    }
    seals = fcntl(fd, F_GET_SEALS);
    return seals >= 0 && (seals & F_SEAL_SHRINK)
               ? NULL
               : "lies in a file that can be cut";
}

/* ---- before the machine runs ---- */

typedef struct AeroGPUWhyNot {
    bool any; /* RAM was found */
    char *why;
} AeroGPUWhyNot;

/* Looks at RAM of the machine's memory backends: video memory, ROMs and the
 * like are always private, and small. True ends the walk. */
static bool aerogpu_look_at_ram(Int128 start, Int128 size,
                                const MemoryRegion *mr, hwaddr offset,
                                void *opaque)
{
    AeroGPUWhyNot *found = opaque;
    const char *flaw;

    if (!mr->ram || mr->ram_device ||
        !object_dynamic_cast(mr->owner, TYPE_MEMORY_BACKEND)) {
        return false;
    }
    found->any = true;
    flaw = aerogpu_region_flaw(mr);
    if (flaw) {
        found->why =
            g_strdup_printf("RAM '%s' %s", memory_region_name(mr), flaw);
    }
    return flaw != NULL;
}

char *aerogpu_regions_why_not(void)
{
    AeroGPUWhyNot found = { 0 };

    RCU_READ_LOCK_GUARD();
    flatview_for_each_range(address_space_to_flatview(&address_space_memory),
                            aerogpu_look_at_ram, &found);
    if (!found.any) {
        return g_strdup("the machine has no RAM of a memory backend");
    }
    return found.why;
}

/* ---- render thread ---- */

static void aerogpu_region_add(void *opaque, const AeroGPURamPart *part)
{
    AeroGPURegion added = {
        .region = { .struct_size = sizeof(added.region),
                    .writable = part->writable,
                    .gpa = part->start,
                    .size = part->size,
                    .offset = part->offset },
        .mr = part->mr,
    };

    if ((part->start | part->size | part->offset) % AEROGPU_REGION_ALIGN ||
        aerogpu_region_flaw(part->mr)) {
        return;
    }
    /* The region may go away once the walk is over: its file stays. */
    added.region.fd = fcntl(memory_region_get_fd(part->mr), F_DUPFD_CLOEXEC, 0);
    if (added.region.fd >= 0) {
        g_array_append_val((GArray *)opaque, added);
    }
}

static bool aerogpu_regions_equal(const GArray *a, const GArray *b)
{
    guint i;

    if (!a || !b || a->len != b->len) {
        return false;
    }
    for (i = 0; i < a->len; i++) {
        const AeroGPURegion *left = &g_array_index(a, AeroGPURegion, i);
        const AeroGPURegion *right = &g_array_index(b, AeroGPURegion, i);

        if (left->mr != right->mr || left->region.gpa != right->region.gpa ||
            left->region.size != right->region.size ||
            left->region.offset != right->region.offset ||
            left->region.writable != right->region.writable) {
            return false;
        }
    }
    return true;
}

void aerogpu_regions_tell(AeroGPUState *s)
{
    unsigned serial = qatomic_load_acquire(&s->mem.serial);
    g_autofree struct aerogpu_guest_region *regions = NULL;
    GArray *found;
    guint i;

    if (likely(!s->regions.used || s->regions.serial == serial)) {
        return;
    }
    s->regions.serial = serial;
    found = g_array_new(false, false, sizeof(AeroGPURegion));
    aerogpu_guestmem_each(s, aerogpu_region_add, found);
    if (!aerogpu_regions_equal(found, s->regions.told)) {
        regions = g_new(struct aerogpu_guest_region, found->len);
        for (i = 0; i < found->len; i++) {
            regions[i] = g_array_index(found, AeroGPURegion, i).region;
        }
        aerogpu_renderer_set_regions(s->renderer, regions, found->len);
    }
    for (i = 0; i < found->len; i++) {
        close(g_array_index(found, AeroGPURegion, i).region.fd);
    }
    aerogpu_regions_exit(s);
    s->regions.told = found;
}

void aerogpu_regions_exit(AeroGPUState *s)
{
    if (s->regions.told) {
        g_array_free(s->regions.told, true);
        s->regions.told = NULL;
    }
}
