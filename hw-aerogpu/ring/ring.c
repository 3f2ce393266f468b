/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The ring: header checks, slots, and the single copy of descriptor,
 * allocation table and commands out of guest memory. RING-12, RING-13, SUB-2 to
 * SUB-5. Runs on the render thread without the BQL.
 */
#include "qemu/osdep.h"
#include "qemu/lockable.h"
#include "qemu/units.h"
#include "hw-aerogpu/aerogpu.h"
#include "hw-aerogpu/ring/completions.h"
#include "hw-aerogpu/report/errors.h"
#include "hw-aerogpu/guest/guestmem.h"
#include "hw-aerogpu/report/log.h"
#include "hw-aerogpu/ring/loss.h"
#include "hw-aerogpu/ring/ring.h"
#include "hw-aerogpu/ring/ring_memory.h"
#include "hw-aerogpu/ring/move.h"
#include "hw-aerogpu/guest/spaces.h"
#include "hw-aerogpu/report/trace_events.h"

/* The slots that a search for waiting spaces looks at, at most. */
#define AEROGPU_PEEK_SLOTS 4096u

/* Buffers above this size are freed after use. */
#define AEROGPU_KEEP_BYTES (1 * MiB)

/* A slot while handle spaces are enabled. SPACE-5. */
typedef struct AeroGPUSpaceSlot {
    struct aerogpu_submit_desc desc;
    struct aerogpu_submit_space space;
} QEMU_PACKED AeroGPUSpaceSlot;

/* Header fields as the guest wrote them, each read once. */
typedef struct AeroGPURingView {
    uint32_t count;
    uint32_t stride;
    uint32_t tail;
    bool spaces; /* a slot says in which handle space it runs */
} AeroGPURingView;

bool aerogpu_ring_poll(AeroGPUState *s)
{
    AeroGPURing *ring = &s->ring;

    return ring->valid && !ring->blocked &&
           ring->map_serial == qatomic_read(&s->mem.serial) &&
           aerogpu_ring_tail(s) != ring->fetch;
}

/*
 * Returns NULL, or what is wrong with the header. The caller works on the copy
 * in *view and never reads the header again.
 */
static const char *aerogpu_ring_check(AeroGPUState *s, AeroGPURingView *view)
{
    struct aerogpu_ring_header header;
    uint64_t need;

    memcpy(&header, s->ring.cache.ptr, sizeof(header));
    view->count = le32_to_cpu(header.entry_count);
    view->stride = le32_to_cpu(header.entry_stride_bytes);
    view->tail = aerogpu_ring_tail(s);
    view->spaces = aerogpu_spaces_enabled(s);

    if (le32_to_cpu(header.magic) != AEROGPU_RING_MAGIC) {
        return "wrong magic";
    }
    if (le32_to_cpu(header.abi_version) >> 16 != AEROGPU_ABI_MAJOR) {
        return "wrong major version";
    }
    if (le32_to_cpu(header.size_bytes) > s->ring.size) {
        return "size_bytes over RING_SIZE_BYTES";
    }
    if (!is_power_of_2(view->count)) {
        return "entry_count is no power of two";
    }
    if (view->stride < sizeof(struct aerogpu_submit_desc)) {
        return "entry_stride_bytes too small";
    }
    if (view->spaces && view->stride < sizeof(AeroGPUSpaceSlot)) {
        return "entry_stride_bytes under 80, with handle spaces enabled";
    }
    need = sizeof(header) + (uint64_t)view->count * view->stride;
    if (need > le32_to_cpu(header.size_bytes)) {
        return "slots run past size_bytes";
    }
    if (view->tail - qatomic_read(&s->ring.fetch) > view->count) {
        return "tail more than entry_count ahead of head";
    }
    return NULL;
}

/* Grows a private buffer; the size was checked against its cap. */
static uint8_t *aerogpu_buffer(AeroGPUState *s, uint8_t **buffer,
                               uint64_t *capacity, uint64_t size)
{
    if (*capacity < size || qatomic_read(&s->ring.no_memory)) {
        uint64_t grown = MAX(size, 64 * KiB);
        uint8_t *p =
            qatomic_read(&s->ring.no_memory) ? NULL : g_try_malloc(grown);

        if (!p) {
            return NULL;
        }
        g_free(*buffer);
        *buffer = p;
        *capacity = grown;
    }
    return *buffer;
}

static void aerogpu_buffer_trim(uint8_t **buffer, uint64_t *capacity)
{
    if (*capacity > AEROGPU_KEEP_BYTES) {
        g_free(*buffer);
        *buffer = NULL;
        *capacity = 0;
    }
}

/*
 * Copies one of the two ranges of a descriptor. Returns enum
 * aerogpu_error_code; *data is NULL when the range is absent.
 */
static uint32_t aerogpu_fetch_range(AeroGPUState *s, uint64_t gpa,
                                    uint32_t size, uint32_t cap,
                                    uint8_t **buffer, uint64_t *capacity,
                                    const void **data)
{
    uint8_t *to;

    *data = NULL;
    if (!gpa && !size) {
        return AEROGPU_ERROR_NONE;
    }
    if (!gpa || !size) {
        return AEROGPU_ERROR_CMD_DECODE;
    }
    if (gpa + size < gpa || size > cap) {
        return AEROGPU_ERROR_OOB;
    }
    to = aerogpu_buffer(s, buffer, capacity, size);
    if (!to) {
        return AEROGPU_ERROR_INTERNAL;
    }
    if (!aerogpu_guest_read(s, gpa, to, size)) {
        return AEROGPU_ERROR_OOB;
    }
    *data = to;
    return AEROGPU_ERROR_NONE;
}

static void aerogpu_submit(AeroGPUState *s, const AeroGPURingView *view)
{
    AeroGPUSpaceSlot copy;
    struct aerogpu_submission sub = { .struct_size = sizeof(sub) };
    const uint8_t *slot =
        (const uint8_t *)s->ring.cache.ptr +
        sizeof(struct aerogpu_ring_header) +
        (uint64_t)(s->ring.fetch & (view->count - 1)) * view->stride;
    const size_t known = view->spaces ? sizeof(copy) : sizeof(copy.desc);
    uint32_t desc_size;

    memcpy(&copy, slot, known);
    qatomic_set(&s->ring.fetch, s->ring.fetch + 1); /* others peek */

    desc_size = le32_to_cpu(copy.desc.desc_size_bytes);
    sub.flags = le32_to_cpu(copy.desc.flags);
    sub.context_id = le32_to_cpu(copy.desc.context_id);
    sub.engine_id = le32_to_cpu(copy.desc.engine_id);
    sub.in_space = view->spaces;
    if (view->spaces) {
        sub.space = le32_to_cpu(copy.space.space);
        sub.space_flags = le32_to_cpu(copy.space.flags);
    }
    sub.signal_fence = le64_to_cpu(copy.desc.signal_fence);
    if (desc_size < known || desc_size > view->stride) {
        sub.descriptor_error = AEROGPU_ERROR_CMD_DECODE;
    } else {
        sub.cmd_size = le32_to_cpu(copy.desc.cmd_size_bytes);
        sub.alloc_table_size = le32_to_cpu(copy.desc.alloc_table_size_bytes);
        sub.descriptor_error =
            aerogpu_fetch_range(s, le64_to_cpu(copy.desc.cmd_gpa), sub.cmd_size,
                                AEROGPU_MAX_CMD_BYTES, &s->ring.cmd_buffer,
                                &s->ring.cmd_capacity, &sub.cmd);
        if (!sub.descriptor_error) {
            sub.descriptor_error = aerogpu_fetch_range(
                s, le64_to_cpu(copy.desc.alloc_table_gpa), sub.alloc_table_size,
                AEROGPU_MAX_TABLE_BYTES, &s->ring.table_buffer,
                &s->ring.table_capacity, &sub.alloc_table);
        }
    }
    if (sub.descriptor_error) {
        aerogpu_guest_error(s, "bad descriptor in slot %u (fence %" PRIu64 ")",
                            s->ring.fetch - 1, sub.signal_fence);
        sub.cmd = sub.alloc_table = NULL;
        sub.cmd_size = sub.alloc_table_size = 0;
    }

    aerogpu_completions_add(s, &sub, s->ring.fetch);
    trace_aerogpu_submit(sub.signal_fence, sub.flags, sub.cmd_size,
                         sub.alloc_table_size, sub.descriptor_error);
    aerogpu_renderer_submit(s->renderer, &sub);
    aerogpu_move_submitted(s);
    aerogpu_buffer_trim(&s->ring.cmd_buffer, &s->ring.cmd_capacity);
    aerogpu_buffer_trim(&s->ring.table_buffer, &s->ring.table_capacity);
}

/*
 * True if one more submission may be fetched now: the VM runs, the ring is
 * enabled and was not configured anew, no request or reset is pending, neither
 * a lost GPU nor a failed submission forbids it, and there is room for the
 * submission's record.
 */
static bool aerogpu_ring_may_fetch(AeroGPUState *s)
{
    AeroGPUCompletions *c = &s->completions;
    bool may;

    qemu_mutex_lock(&s->lock);
    may = !s->requests.pending && c->fetch_generation == c->generation &&
          s->ring.serial == s->ring.config_serial &&
          (aerogpu_reg(&s->regs, AEROGPU_MMIO_REG_RING_CONTROL) &
           AEROGPU_RING_CONTROL_ENABLE) &&
          qatomic_read(&s->vm_running) && !aerogpu_loss_holds_locked(s) &&
          !aerogpu_completions_held_locked(c) &&
          aerogpu_completions_room_locked(c);
    qemu_mutex_unlock(&s->lock);
    return may;
}

/*
 * Submits the slots between head and tail, at most entry_count of them. Slots
 * that the driver adds meanwhile are left to the next call. Latches errors of
 * the header unless `quiet`.
 */
void aerogpu_ring_drain(AeroGPUState *s, bool quiet)
{
    AeroGPURing *ring = &s->ring;
    AeroGPURingView view;
    const char *error;
    bool enabled;

    enabled = aerogpu_reg(&s->regs, AEROGPU_MMIO_REG_RING_CONTROL) &
              AEROGPU_RING_CONTROL_ENABLE;
    if (!enabled || !qatomic_read(&s->vm_running)) {
        ring->valid = false;
        return;
    }
    if (!aerogpu_ring_map(s)) {
        error = aerogpu_reg(&s->regs, AEROGPU_MMIO_REG_RING_GPA_LO) % 4
                    ? "not at a multiple of 4"
                    : "not in guest memory";
    } else {
        error = aerogpu_ring_check(s, &view);
    }
    ring->valid = !error;
    if (error) {
        if (!quiet) {
            aerogpu_guest_error(
                s, "ring at 0x%" PRIx64 " rejected: %s",
                aerogpu_reg64(&s->regs, AEROGPU_MMIO_REG_RING_GPA_LO), error);
            trace_aerogpu_ring_rejected(error);
            qemu_mutex_lock(&s->lock);
            aerogpu_latch_error_locked(
                s, ring->mapped ? AEROGPU_ERROR_CMD_DECODE : AEROGPU_ERROR_OOB,
                0, 1);
            qemu_mutex_unlock(&s->lock);
        }
        return;
    }
    while (ring->fetch != view.tail && aerogpu_ring_may_fetch(s)) {
        aerogpu_submit(s, &view);
    }
    ring->blocked = ring->fetch != view.tail;
}

size_t aerogpu_ring_waiting_spaces(AeroGPUState *s, uint32_t *spaces,
                                   size_t room)
{
    AeroGPURing *ring = &s->ring;
    AeroGPURingView view;
    uint32_t slot, left;
    size_t count = 0;

    QEMU_LOCK_GUARD(&s->lock);
    if (!ring->mapped || ring->serial != ring->config_serial ||
        ring->map_serial != qatomic_read(&s->mem.serial) ||
        aerogpu_ring_check(s, &view) || !view.spaces) {
        return 0;
    }
    slot = qatomic_read(&ring->fetch);
    for (left = MIN(view.tail - slot, AEROGPU_PEEK_SLOTS); left && count < room;
         left--) {
        const uint8_t *at = (const uint8_t *)ring->cache.ptr +
                            sizeof(struct aerogpu_ring_header) +
                            (uint64_t)(slot++ & (view.count - 1)) * view.stride;
        const uint32_t space =
            ldl_le_p(at + offsetof(AeroGPUSpaceSlot, space.space));

        /* Skips most repetitions, as in a row of one program's slots. */
        if (!count || spaces[count - 1] != space) {
            spaces[count++] = space;
        }
    }
    return count;
}

void aerogpu_ring_exit(AeroGPUState *s)
{
    g_free(s->ring.cmd_buffer);
    g_free(s->ring.table_buffer);
    s->ring.cmd_buffer = s->ring.table_buffer = NULL;
    s->ring.cmd_capacity = s->ring.table_capacity = 0;
}
