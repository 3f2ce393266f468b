/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The newest completed fence, in the register and in the fence page that the
 * driver may name. FENCE-2, FENCE-5, FENCE-6.
 */
#include "qemu/osdep.h"
#include "qemu/lockable.h"
#include "hw-aerogpu/aerogpu.h"
#include "hw-aerogpu/ring/fence.h"
#include "hw-aerogpu/guest/guestmem.h"
#include "hw-aerogpu/report/log.h"

static void aerogpu_fence_page_unmap_locked(AeroGPUState *s)
{
    if (s->fence.mapped) {
        address_space_cache_destroy(&s->fence.page);
        s->fence.mapped = false;
    }
    s->fence.failed = false;
}

/* Maps the fence page and fills in its head. Lock held, any thread. */
static bool aerogpu_fence_page_map_locked(AeroGPUState *s)
{
    unsigned map_serial = qatomic_read(&s->mem.serial);
    struct aerogpu_fence_page *page;

    if ((s->fence.mapped || s->fence.failed) &&
        s->fence.map_serial == map_serial) {
        return s->fence.mapped;
    }
    aerogpu_fence_page_unmap_locked(s);
    s->fence.map_serial = map_serial;
    if (!s->fence.gpa) {
        return false;
    }
    if (s->fence.gpa % sizeof(uint64_t) ||
        !aerogpu_guest_cache(s, s->fence.gpa, sizeof(*page), &s->fence.page)) {
        aerogpu_guest_error(s, "no memory for a fence page at 0x%" PRIx64,
                            s->fence.gpa);
        s->fence.failed = true;
        return false;
    }
    s->fence.mapped = true;
    page = (void *)s->fence.page.ptr;
    page->magic = cpu_to_le32(AEROGPU_FENCE_PAGE_MAGIC);
    page->abi_version = cpu_to_le32(AEROGPU_ABI_VERSION_U32);
    return true;
}

static void aerogpu_fence_page_write_locked(AeroGPUState *s)
{
    struct aerogpu_fence_page *page;

    if (!aerogpu_fence_page_map_locked(s)) {
        return;
    }
    page = (void *)s->fence.page.ptr;
    /* One 64-bit store, after everything that the fence stands for. */
    qatomic_store_release(
        (uint64_t *)((uint8_t *)page +
                     offsetof(struct aerogpu_fence_page, completed_fence)),
        cpu_to_le64(s->fence.completed));
    address_space_cache_invalidate(&s->fence.page, 0, sizeof(*page));
}

void aerogpu_fence_complete_locked(AeroGPUState *s, uint64_t fence)
{
    if (fence > s->fence.completed) {
        qatomic_store_release(&s->fence.completed, fence);
    }
    aerogpu_fence_page_write_locked(s);
}

void aerogpu_fence_page_changed(AeroGPUState *s)
{
    QEMU_LOCK_GUARD(&s->lock);
    aerogpu_fence_page_unmap_locked(s);
    s->fence.gpa = aerogpu_reg64(&s->regs, AEROGPU_MMIO_REG_FENCE_GPA_LO);
    aerogpu_fence_page_write_locked(s);
}

/* Writes the fence page if the old map had no memory there. Lock held. */
static void aerogpu_fence_map_changed(Notifier *notifier, void *data)
{
    AeroGPUState *s = container_of(notifier, AeroGPUState, fence.map_changed);

    if (s->fence.failed) {
        aerogpu_fence_page_write_locked(s);
    }
}

void aerogpu_fence_reset_locked(AeroGPUState *s)
{
    qatomic_set(&s->fence.completed, 0);
    s->fence.gpa = 0;
    aerogpu_fence_page_unmap_locked(s);
}

void aerogpu_fence_init(AeroGPUState *s)
{
    s->fence.map_changed.notify = aerogpu_fence_map_changed;
    notifier_list_add(&s->mem.changed, &s->fence.map_changed);
}

void aerogpu_fence_exit(AeroGPUState *s)
{
    notifier_remove(&s->fence.map_changed);
    QEMU_LOCK_GUARD(&s->lock);
    aerogpu_fence_page_unmap_locked(s);
}

/*
 * ---- saved state ----
 *
 * The driver chooses both values, so any value can be right. The page itself
 * is guest memory; it is mapped when the next fence completes.
 */
const VMStateDescription aerogpu_fence_vmstate = {
    .name = "aerogpu/fence",
    .version_id = 1,
    .minimum_version_id = 1,
    .fields = AEROGPU_VMSTATE_FIELDS{ VMSTATE_UINT64(completed, AeroGPUFence),
                                      VMSTATE_UINT64(gpa, AeroGPUFence),
                                      VMSTATE_END_OF_LIST() },
};
