/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * BAR0: the registers of ABI 1.4 and the rules that hold for them. REG-1 to
 * REG-5. The extension space: ext_regs.c. Everything runs under the BQL.
 */
#include "qemu/osdep.h"
#include "qemu/lockable.h"
#include "hw-aerogpu/aerogpu.h"
#include "hw-aerogpu/display/cursor.h"
#include "hw-aerogpu/ring/fence.h"
#include "hw-aerogpu/report/irq.h"
#include "hw-aerogpu/ring/keep.h"
#include "hw-aerogpu/report/log.h"
#include "hw-aerogpu/bus/ext_regs.h"
#include "hw-aerogpu/bus/regs.h"
#include "hw-aerogpu/guest/requests.h"
#include "hw-aerogpu/ring/reset.h"
#include "hw-aerogpu/ring/ring_memory.h"
#include "hw-aerogpu/display/scanout.h"
#include "hw-aerogpu/snapshot/promise.h"
#include "hw-aerogpu/report/trace_events.h"
#include "hw-aerogpu/display/vblank.h"

typedef enum AeroGPURegAccess {
    REG_NONE,
    REG_RO,
    REG_RW,
    REG_WO,
} AeroGPURegAccess;

typedef struct AeroGPUReg {
    const char *name;
    AeroGPURegAccess access;
    uint32_t mask;  /* RW: bits that are kept; 0 = all */
    bool boolean;   /* RW: any non-zero value is kept as 1 */
    uint32_t value; /* RO: constant */
    uint32_t (*read)(AeroGPUState *s);
    /* RW: the new value is stored already. WO: nothing is stored. */
    void (*write)(AeroGPUState *s, uint32_t old, uint32_t value);
} AeroGPUReg;

/* ---- 64-bit values that the device advances: LO latches HI ---- */

static uint32_t latch(AeroGPUState *s, unsigned which, uint64_t value)
{
    s->regs.latch_hi[which] = value >> 32;
    return value;
}

static uint32_t fence_lo_read(AeroGPUState *s)
{
    return latch(s, AEROGPU_LATCH_FENCE,
                 qatomic_load_acquire(&s->fence.completed));
}

static uint32_t fence_hi_read(AeroGPUState *s)
{
    return s->regs.latch_hi[AEROGPU_LATCH_FENCE];
}

static uint32_t seq_lo_read(AeroGPUState *s)
{
    return latch(s, AEROGPU_LATCH_SEQ, aerogpu_vblank_seq(s));
}

static uint32_t seq_hi_read(AeroGPUState *s)
{
    return s->regs.latch_hi[AEROGPU_LATCH_SEQ];
}

static uint32_t time_lo_read(AeroGPUState *s)
{
    return latch(s, AEROGPU_LATCH_TIME, aerogpu_vblank_time_ns(s));
}

static uint32_t time_hi_read(AeroGPUState *s)
{
    return s->regs.latch_hi[AEROGPU_LATCH_TIME];
}

static uint32_t period_read(AeroGPUState *s)
{
    return s->vblank.period;
}

/* ---- ring and fences ---- */

static void ring_config_write(AeroGPUState *s, uint32_t old, uint32_t value)
{
    aerogpu_ring_config_changed(s);
}

static void ring_control_write(AeroGPUState *s, uint32_t old, uint32_t value)
{
    if (value & AEROGPU_RING_CONTROL_RESET) {
        aerogpu_ring_reset(s);
    }
    if (value & ~old & AEROGPU_RING_CONTROL_ENABLE) {
        /* A driver that has not claimed kept objects gives them up. */
        if (aerogpu_keep_forget(s) == AEROGPU_KEEP_DROP) {
            aerogpu_drop_held(s);
        }
        aerogpu_ring_config_changed(s);
        aerogpu_fence_page_changed(s);
        aerogpu_request(s, AEROGPU_REQ_PROBE);
    }
}

static void fence_gpa_hi_write(AeroGPUState *s, uint32_t old, uint32_t value)
{
    aerogpu_fence_page_changed(s);
}

/* Runs only if no ioeventfd took the write. */
static void doorbell_write(AeroGPUState *s, uint32_t old, uint32_t value)
{
    event_notifier_set(&s->render.doorbell);
}

/* ---- interrupts and errors ---- */

static uint32_t irq_status_read(AeroGPUState *s)
{
    return qatomic_load_acquire(&s->irq.status);
}

static void irq_enable_write(AeroGPUState *s, uint32_t old, uint32_t value)
{
    aerogpu_irq_enable_changed(s);
    aerogpu_vblank_update(s);
}

static void irq_ack_write(AeroGPUState *s, uint32_t old, uint32_t value)
{
    aerogpu_irq_ack(s, value);
}

static uint32_t error_code_read(AeroGPUState *s)
{
    QEMU_LOCK_GUARD(&s->lock);
    return s->errors.code;
}

static uint32_t error_fence_lo_read(AeroGPUState *s)
{
    QEMU_LOCK_GUARD(&s->lock);
    return s->errors.fence;
}

static uint32_t error_fence_hi_read(AeroGPUState *s)
{
    QEMU_LOCK_GUARD(&s->lock);
    return s->errors.fence >> 32;
}

static uint32_t error_count_read(AeroGPUState *s)
{
    QEMU_LOCK_GUARD(&s->lock);
    return s->errors.count;
}

/* ---- scanout and cursor ---- */

static void scanout_enable_write(AeroGPUState *s, uint32_t old, uint32_t value)
{
    value = aerogpu_reg(&s->regs, AEROGPU_MMIO_REG_SCANOUT0_ENABLE);
    aerogpu_scanout_changed(s, true, value && !old);
    aerogpu_vblank_update(s);
}

static void scanout_config_write(AeroGPUState *s, uint32_t old, uint32_t value)
{
    aerogpu_scanout_changed(s, false, false);
}

static void scanout_fb_hi_write(AeroGPUState *s, uint32_t old, uint32_t value)
{
    aerogpu_scanout_flip(s);
}

static void cursor_shape_write(AeroGPUState *s, uint32_t old, uint32_t value)
{
    aerogpu_cursor_shape_changed(s);
}

static void cursor_position_write(AeroGPUState *s, uint32_t old, uint32_t value)
{
    aerogpu_cursor_moved(s);
}

/* Features of the device itself; the renderer's are added. */
#define DEVICE_FEATURES                                                    \
    (AEROGPU_FEATURE_FENCE_PAGE | AEROGPU_FEATURE_CURSOR |                 \
     AEROGPU_FEATURE_SCANOUT | AEROGPU_FEATURE_VBLANK |                    \
     AEROGPU_FEATURE_ERROR_INFO |                                          \
     (uint64_t)(AEROGPU_EXT_FEATURE_HI_EDID | AEROGPU_EXT_FEATURE_HI_VGA | \
                AEROGPU_EXT_FEATURE_HI_TIMESTAMP |                         \
                AEROGPU_EXT_FEATURE_HI_GPU_LOSS |                          \
                AEROGPU_EXT_FEATURE_HI_KEEP_OBJECTS |                      \
                AEROGPU_EXT_FEATURE_HI_ERROR_RECORDS |                     \
                AEROGPU_EXT_FEATURE_HI_FOLLOW |                            \
                AEROGPU_EXT_FEATURE_HI_PALETTE |                           \
                AEROGPU_EXT_FEATURE_HI_POLICY |                            \
                AEROGPU_EXT_FEATURE_HI_RING_BUSY |                         \
                AEROGPU_EXT_FEATURE_HI_GAMMA)                              \
         << 32)

void aerogpu_regs_init(AeroGPUState *s)
{
    s->regs.own_features =
        DEVICE_FEATURES | aerogpu_renderer_features(s->renderer);
    if (!s->handle_spaces) {
        s->regs.own_features &= ~((uint64_t)(AEROGPU_EXT_FEATURE_HI_SPACES |
                                             AEROGPU_EXT_FEATURE_HI_CHARGES |
                                             AEROGPU_EXT_FEATURE_HI_PROCESSES)
                                  << 32);
    }
    aerogpu_promise_own(s);
}

static uint32_t features_lo_read(AeroGPUState *s)
{
    return s->regs.features;
}

static uint32_t features_hi_read(AeroGPUState *s)
{
    return s->regs.features >> 32;
}

/* The table, indexed by register: entry R is AEROGPU_MMIO_REG_R. */
#define REG(n, a, ...) \
    [AEROGPU_MMIO_REG_##n / 4] = { .name = #n, .access = REG_##a, __VA_ARGS__ }

static const AeroGPUReg aerogpu_regs[AEROGPU_REG_WORDS] = {
    REG(MAGIC, RO, .value = AEROGPU_MMIO_MAGIC),
    REG(ABI_VERSION, RO, .value = AEROGPU_ABI_VERSION_U32),
    REG(FEATURES_LO, RO, .read = features_lo_read),
    REG(FEATURES_HI, RO, .read = features_hi_read),

    REG(RING_GPA_LO, RW, .write = ring_config_write),
    REG(RING_GPA_HI, RW, .write = ring_config_write),
    REG(RING_SIZE_BYTES, RW, .write = ring_config_write),
    REG(RING_CONTROL, RW, .mask = AEROGPU_RING_CONTROL_ENABLE,
        .write = ring_control_write),
    REG(FENCE_GPA_LO, RW),
    REG(FENCE_GPA_HI, RW, .write = fence_gpa_hi_write),
    REG(COMPLETED_FENCE_LO, RO, .read = fence_lo_read),
    REG(COMPLETED_FENCE_HI, RO, .read = fence_hi_read),
    REG(DOORBELL, WO, .write = doorbell_write),

    REG(IRQ_STATUS, RO, .read = irq_status_read),
    REG(IRQ_ENABLE, RW, .mask = AEROGPU_IRQ_BITS, .write = irq_enable_write),
    REG(IRQ_ACK, WO, .write = irq_ack_write),
    REG(ERROR_CODE, RO, .read = error_code_read),
    REG(ERROR_FENCE_LO, RO, .read = error_fence_lo_read),
    REG(ERROR_FENCE_HI, RO, .read = error_fence_hi_read),
    REG(ERROR_COUNT, RO, .read = error_count_read),

    REG(SCANOUT0_ENABLE, RW, .boolean = true, .write = scanout_enable_write),
    REG(SCANOUT0_WIDTH, RW, .write = scanout_config_write),
    REG(SCANOUT0_HEIGHT, RW, .write = scanout_config_write),
    REG(SCANOUT0_FORMAT, RW, .write = scanout_config_write),
    REG(SCANOUT0_PITCH_BYTES, RW, .write = scanout_config_write),
    REG(SCANOUT0_FB_GPA_LO, RW),
    REG(SCANOUT0_FB_GPA_HI, RW, .write = scanout_fb_hi_write),
    REG(SCANOUT0_VBLANK_SEQ_LO, RO, .read = seq_lo_read),
    REG(SCANOUT0_VBLANK_SEQ_HI, RO, .read = seq_hi_read),
    REG(SCANOUT0_VBLANK_TIME_NS_LO, RO, .read = time_lo_read),
    REG(SCANOUT0_VBLANK_TIME_NS_HI, RO, .read = time_hi_read),
    REG(SCANOUT0_VBLANK_PERIOD_NS, RO, .read = period_read),

    REG(CURSOR_ENABLE, RW, .boolean = true, .write = cursor_shape_write),
    REG(CURSOR_X, RW, .write = cursor_position_write),
    REG(CURSOR_Y, RW, .write = cursor_position_write),
    REG(CURSOR_HOT_X, RW, .write = cursor_shape_write),
    REG(CURSOR_HOT_Y, RW, .write = cursor_shape_write),
    REG(CURSOR_WIDTH, RW, .write = cursor_shape_write),
    REG(CURSOR_HEIGHT, RW, .write = cursor_shape_write),
    REG(CURSOR_FORMAT, RW, .write = cursor_shape_write),
    REG(CURSOR_FB_GPA_LO, RW),
    REG(CURSOR_FB_GPA_HI, RW, .write = cursor_shape_write),
    REG(CURSOR_PITCH_BYTES, RW, .write = cursor_shape_write),
};

/* ---- access ---- */

/* Returns what a register stores of a written value; 0 without storage. */
static uint32_t aerogpu_reg_kept(const AeroGPUReg *reg, uint32_t value)
{
    if (reg->access != REG_RW) {
        return 0;
    }
    return reg->boolean ? value != 0 : value & (reg->mask ?: UINT32_MAX);
}

static uint64_t aerogpu_mmio_read(void *opaque, hwaddr addr, unsigned size)
{
    AeroGPUState *s = opaque;
    const AeroGPUReg *reg;
    uint32_t value = 0;

    if (addr >= AEROGPU_EXT_REG_FIRST) {
        return aerogpu_ext_regs_read(s, addr, size);
    }
    if (size != 4 || addr % 4 || addr / 4 >= AEROGPU_REG_WORDS) {
        return 0;
    }
    reg = &aerogpu_regs[addr / 4];
    switch (reg->access) {
    case REG_RO:
        value = reg->read ? reg->read(s) : reg->value;
        break;
    case REG_RW:
        value = s->regs.word[addr / 4];
        break;
    default:
        break;
    }
    trace_aerogpu_reg_read(addr, reg->name ?: "unknown", value);
    return value;
}

static void aerogpu_mmio_write(void *opaque, hwaddr addr, uint64_t data,
                               unsigned size)
{
    AeroGPUState *s = opaque;
    const AeroGPUReg *reg;
    uint32_t old, value = data;

    if (addr >= AEROGPU_EXT_REG_FIRST) {
        aerogpu_ext_regs_write(s, addr, value, size);
        return;
    }
    if (size != 4 || addr % 4 || addr / 4 >= AEROGPU_REG_WORDS) {
        return;
    }
    reg = &aerogpu_regs[addr / 4];
    trace_aerogpu_reg_write(addr, reg->name ?: "unknown", value);
    if (reg->access != REG_RW && reg->access != REG_WO) {
        return;
    }
    old = s->regs.word[addr / 4];
    if (reg->access == REG_RW) {
        aerogpu_reg_set(&s->regs, addr, aerogpu_reg_kept(reg, value));
    }
    if (reg->write) {
        reg->write(s, old, value);
    }
}

/*
 * Accesses of any size and alignment reach us; QEMU makes two of a 64-bit one,
 * LO, then HI. Outside of the extension space, what is no aligned word reads as
 * 0 and writes nothing.
 */
const MemoryRegionOps aerogpu_mmio_ops = {
    .read = aerogpu_mmio_read,
    .write = aerogpu_mmio_write,
    .endianness = DEVICE_LITTLE_ENDIAN,
    .valid = { .min_access_size = 1, .max_access_size = 8, .unaligned = true },
    .impl = { .min_access_size = 1, .max_access_size = 4, .unaligned = true },
};

/* ---- saved state ---- */

/* Refuses values that no write can have stored. */
static int aerogpu_regs_post_load(void *opaque, int version_id)
{
    AeroGPURegFile *regs = opaque;
    size_t i;

    for (i = 0; i < AEROGPU_REG_WORDS; i++) {
        uint32_t value = regs->word[i];

        if (value != aerogpu_reg_kept(&aerogpu_regs[i], value)) {
            aerogpu_regfile_reset(regs);
            return aerogpu_load_error("register 0x%zx holds 0x%x", i * 4,
                                      value);
        }
    }
    return 0;
}

static bool aerogpu_regs_timestamp_needed(void *opaque)
{
    AeroGPURegFile *regs = opaque;

    return regs->timestamp_hi != 0;
}

static int aerogpu_regs_pre_load(void *opaque)
{
    AeroGPURegFile *regs = opaque;

    regs->timestamp_hi = 0;
    return 0;
}

static const VMStateDescription aerogpu_regs_timestamp_vmstate = {
    .name = "aerogpu/regs/timestamp",
    .version_id = 1,
    .minimum_version_id = 1,
    .needed = aerogpu_regs_timestamp_needed,
    .fields =
        AEROGPU_VMSTATE_FIELDS{ VMSTATE_UINT32(timestamp_hi, AeroGPURegFile),
                                VMSTATE_END_OF_LIST() },
};

const VMStateDescription aerogpu_regs_vmstate = {
    .name = "aerogpu/regs",
    .version_id = 1,
    .minimum_version_id = 1,
    .pre_load = aerogpu_regs_pre_load,
    .post_load = aerogpu_regs_post_load,
    .fields =
        AEROGPU_VMSTATE_FIELDS{
            VMSTATE_UINT32_ARRAY(word, AeroGPURegFile, AEROGPU_REG_WORDS),
            VMSTATE_UINT32_ARRAY(latch_hi, AeroGPURegFile, AEROGPU_LATCHES),
            VMSTATE_END_OF_LIST() },
    .subsections =
        (const VMStateDescription *[]){ &aerogpu_regs_timestamp_vmstate, NULL },
};
