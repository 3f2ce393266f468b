/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The part of BAR0 that ABI 1.4 leaves unused: EXT-4 to EXT-6, POLICY-1,
 * PRES-11, PAL-2.
 * Everything runs under the BQL.
 */
#include "qemu/osdep.h"
#include "qemu/bitops.h"
#include "qemu/lockable.h"
#include "qemu/timer.h"
#include "hw-aerogpu/aerogpu.h"
#include "hw-aerogpu/ring/completions.h"
#include "hw-aerogpu/display/cursor.h"
#include "hw-aerogpu/display/edid.h"
#include "hw-aerogpu/display/gamma.h"
#include "hw-aerogpu/report/error_records.h"
#include "hw-aerogpu/bus/ext_regs.h"
#include "hw-aerogpu/ring/keep.h"
#include "hw-aerogpu/report/log.h"
#include "hw-aerogpu/ring/loss.h"
#include "hw-aerogpu/guest/requests.h"
#include "hw-aerogpu/ring/reset.h"
#include "hw-aerogpu/display/scanout.h"
#include "hw-aerogpu/guest/spaces.h"
#include "hw-aerogpu/report/trace_events.h"
#include "hw-aerogpu/display/vblank.h"

static void error_next_write(AeroGPUState *s, uint32_t value)
{
    QEMU_LOCK_GUARD(&s->lock);
    aerogpu_error_records_take(&s->errors.records);
}

#define ERROR_TAKEN(n)                                                \
    static uint32_t error_##n##_read(AeroGPUState *s)                 \
    {                                                                 \
        QEMU_LOCK_GUARD(&s->lock);                                    \
        return aerogpu_error_records_read(&s->errors.records,         \
                                          AEROGPU_EXT_REG_ERROR_##n); \
    }
ERROR_TAKEN(TAKEN)
ERROR_TAKEN(TAKEN_COUNT)
ERROR_TAKEN(TAKEN_FENCE_LO)
ERROR_TAKEN(TAKEN_FENCE_HI)
ERROR_TAKEN(TAKEN_SPACE)
ERROR_TAKEN(TAKEN_CONTEXT)

static uint32_t edid_size_read(AeroGPUState *s)
{
    return s->edid.size;
}

static uint32_t caps_size_read(AeroGPUState *s)
{
    return s->regs.caps_size;
}

/* Reads 1 to 4 bytes, little-endian; 0 after the end. */
static uint32_t caps_read(AeroGPUState *s, uint32_t offset, unsigned size)
{
    uint32_t value = 0;
    unsigned i;

    for (i = 0; i < size; i++) {
        if (offset + i < s->regs.caps_size) {
            value |= (uint32_t)s->regs.caps[offset + i] << (8 * i);
        }
    }
    return value;
}

/*
 * Ends a mode that VBE has set, as a reset of VGA does: software that then
 * programs only VGA's registers could not be seen under it.
 */
static void end_vbe_mode(AeroGPUState *s)
{
    uint16_t index = s->vga.vbe_index;

    vbe_ioport_write_index(&s->vga, 0, VBE_DISPI_INDEX_ENABLE);
    vbe_ioport_write_data(&s->vga, 0, 0);
    s->vga.vbe_index = index;
}

static void vga_write(AeroGPUState *s, uint32_t value)
{
    end_vbe_mode(s);
    aerogpu_reg_set(&s->regs, AEROGPU_MMIO_REG_SCANOUT0_ENABLE, 0);
    aerogpu_reg_set(&s->regs, AEROGPU_MMIO_REG_CURSOR_ENABLE, 0);
    aerogpu_vblank_update(s);
    aerogpu_cursor_reset(s);
    aerogpu_gamma_enable(s, false);
    aerogpu_scanout_to_vga(s);
    aerogpu_request(s, AEROGPU_REQ_SCANOUT);
}

/* QUERY-12 */
static uint32_t timestamp_lo_read(AeroGPUState *s)
{
    uint64_t now = qemu_clock_get_ns(QEMU_CLOCK_VIRTUAL);

    s->regs.timestamp_hi = now >> 32;
    return now;
}

static uint32_t timestamp_hi_read(AeroGPUState *s)
{
    return s->regs.timestamp_hi;
}

static uint32_t gpu_state_read(AeroGPUState *s)
{
    return qatomic_read(&s->loss.state);
}

static uint32_t gpu_enable_read(AeroGPUState *s)
{
    return s->loss.enable;
}

static void gpu_enable_write(AeroGPUState *s, uint32_t value)
{
    if (aerogpu_loss_enable(s, value & 1)) {
        aerogpu_completions_go_on(s);
        aerogpu_request(s, AEROGPU_REQ_PROBE);
    }
}

static void gpu_restart_write(AeroGPUState *s, uint32_t value)
{
    if (value & 1) {
        aerogpu_gpu_restart(s);
    }
}

static uint32_t gpu_generation_read(AeroGPUState *s)
{
    return qatomic_read(&s->loss.generation);
}

static void keep_key_lo_write(AeroGPUState *s, uint32_t value)
{
    s->keep.written = deposit64(s->keep.written, 0, 32, value);
}

static void keep_key_hi_write(AeroGPUState *s, uint32_t value)
{
    s->keep.written = deposit64(s->keep.written, 32, 32, value);
}

static uint32_t keep_read(AeroGPUState *s)
{
    return s->keep.state;
}

static void keep_write(AeroGPUState *s, uint32_t value)
{
    switch (aerogpu_keep_write(s, value)) {
    case AEROGPU_KEEP_DROP:
        aerogpu_drop_held(s);
        break;
    case AEROGPU_KEEP_BACK:
        aerogpu_scanout_textures_are_back(s);
        break;
    case AEROGPU_KEEP_NOTHING:
        break;
    }
}

static uint32_t policy_read(AeroGPUState *s)
{
    return s->escapes ? 0 : AEROGPU_EXT_POLICY_ESCAPES_OFF;
}

static uint32_t gamma_enable_read(AeroGPUState *s)
{
    return s->gamma.on;
}

static void gamma_enable_write(AeroGPUState *s, uint32_t value)
{
    aerogpu_gamma_enable(s, value & 1);
}

static uint32_t ring_busy_read(AeroGPUState *s)
{
    return aerogpu_ring_busy(s);
}

static uint32_t spaces_read(AeroGPUState *s)
{
    return aerogpu_spaces_enabled(s) ? AEROGPU_EXT_SPACES_ENABLE : 0;
}

static void spaces_write(AeroGPUState *s, uint32_t value)
{
    if (aerogpu_reg(&s->regs, AEROGPU_MMIO_REG_RING_CONTROL) &
        AEROGPU_RING_CONTROL_ENABLE) {
        aerogpu_guest_error(s, "SPACES written while the ring is enabled");
        return;
    }
    aerogpu_spaces_enable(s, s->handle_spaces &&
                                 value & AEROGPU_EXT_SPACES_ENABLE);
    aerogpu_request(s, AEROGPU_REQ_SCANOUT);
}

static uint32_t scanout_alloc_read(AeroGPUState *s)
{
    return s->spaces.scanout_alloc;
}

static void scanout_alloc_write(AeroGPUState *s, uint32_t value)
{
    s->spaces.scanout_alloc = value;
}

static uint32_t follow_read(AeroGPUState *s)
{
    return s->scanout.follow;
}

static void follow_write(AeroGPUState *s, uint32_t value)
{
    s->scanout.follow = value & 1;
}

#define SPACE_LIMIT(n)                                             \
    static uint32_t space_##n##_read(AeroGPUState *s)              \
    {                                                              \
        return aerogpu_spaces_limit(s, AEROGPU_EXT_REG_SPACE_##n); \
    }
SPACE_LIMIT(COUNT)
SPACE_LIMIT(CONTEXTS)
SPACE_LIMIT(OBJECTS)
SPACE_LIMIT(MEMORY_MB)

/*
 * A register of the extension space. The part of the device that it belongs to
 * stores its value. Without `read` it reads as 0, without `write` writes have
 * no effect.
 */
typedef struct AeroGPUExtReg {
    uint32_t offset;
    const char *name;
    uint32_t (*read)(AeroGPUState *s);
    void (*write)(AeroGPUState *s, uint32_t value);
} AeroGPUExtReg;

#define EXT_REG(n, ...)                                        \
    {                                                          \
        .offset = AEROGPU_EXT_REG_##n, .name = #n, __VA_ARGS__ \
    }

static const AeroGPUExtReg aerogpu_ext_regs[] = {
    EXT_REG(EDID_SIZE, .read = edid_size_read),
    EXT_REG(VGA, .write = vga_write),
    EXT_REG(CAPS_SIZE, .read = caps_size_read),
    EXT_REG(TIMESTAMP_LO, .read = timestamp_lo_read),
    EXT_REG(TIMESTAMP_HI, .read = timestamp_hi_read),
    EXT_REG(GPU_STATE, .read = gpu_state_read),
    EXT_REG(GPU_ENABLE, .read = gpu_enable_read, .write = gpu_enable_write),
    EXT_REG(GPU_RESTART, .write = gpu_restart_write),
    EXT_REG(GPU_GENERATION, .read = gpu_generation_read),
    EXT_REG(KEEP_KEY_LO, .write = keep_key_lo_write),
    EXT_REG(KEEP_KEY_HI, .write = keep_key_hi_write),
    EXT_REG(KEEP, .read = keep_read, .write = keep_write),
    EXT_REG(POLICY, .read = policy_read),
    EXT_REG(RING_BUSY, .read = ring_busy_read),
    EXT_REG(ERROR_NEXT, .write = error_next_write),
    EXT_REG(ERROR_TAKEN, .read = error_TAKEN_read),
    EXT_REG(ERROR_TAKEN_COUNT, .read = error_TAKEN_COUNT_read),
    EXT_REG(ERROR_TAKEN_FENCE_LO, .read = error_TAKEN_FENCE_LO_read),
    EXT_REG(ERROR_TAKEN_FENCE_HI, .read = error_TAKEN_FENCE_HI_read),
    EXT_REG(ERROR_TAKEN_SPACE, .read = error_TAKEN_SPACE_read),
    EXT_REG(ERROR_TAKEN_CONTEXT, .read = error_TAKEN_CONTEXT_read),
    EXT_REG(GAMMA_ENABLE, .read = gamma_enable_read,
            .write = gamma_enable_write),
    EXT_REG(SPACES, .read = spaces_read, .write = spaces_write),
    EXT_REG(SPACE_COUNT, .read = space_COUNT_read),
    EXT_REG(SPACE_CONTEXTS, .read = space_CONTEXTS_read),
    EXT_REG(SPACE_OBJECTS, .read = space_OBJECTS_read),
    EXT_REG(SPACE_MEMORY_MB, .read = space_MEMORY_MB_read),
    EXT_REG(SCANOUT0_ALLOC, .read = scanout_alloc_read,
            .write = scanout_alloc_write),
    EXT_REG(SCANOUT0_FOLLOW, .read = follow_read, .write = follow_write),
};

/* Returns the entry of the palette that an access means; entries that there are
 * not if it means none. */
static uint32_t palette_entry(hwaddr addr, unsigned size)
{
    hwaddr entry = (addr - AEROGPU_EXT_REG_PALETTE) / 4;

    return addr >= AEROGPU_EXT_REG_PALETTE && size == 4 && addr % 4 == 0 &&
                   entry < AEROGPU_EXT_PALETTE_ENTRIES
               ? entry
               : AEROGPU_EXT_PALETTE_ENTRIES;
}

/* NULL where there is no register. */
static const AeroGPUExtReg *ext_reg(hwaddr addr)
{
    size_t i;

    for (i = 0; i < ARRAY_SIZE(aerogpu_ext_regs); i++) {
        if (aerogpu_ext_regs[i].offset == addr) {
            return &aerogpu_ext_regs[i];
        }
    }
    return NULL;
}

/* True for a word of the gamma ramp. */
static bool is_gamma_ramp(hwaddr addr, unsigned size)
{
    return size == 4 && addr % 4 == 0 && addr >= AEROGPU_EXT_REG_GAMMA_RAMP &&
           addr < AEROGPU_EXT_REG_GAMMA_RAMP + AEROGPU_EXT_REG_GAMMA_RAMP_BYTES;
}

uint32_t aerogpu_ext_regs_read(AeroGPUState *s, hwaddr addr, unsigned size)
{
    const AeroGPUExtReg *reg = size == 4 ? ext_reg(addr) : NULL;
    uint32_t entry = palette_entry(addr, size);
    uint32_t value = 0;

    if (entry < AEROGPU_EXT_PALETTE_ENTRIES) {
        return s->scanout.palette[entry];
    }
    if (addr >= AEROGPU_EXT_REG_EDID &&
        addr < AEROGPU_EXT_REG_EDID + AEROGPU_EXT_REG_EDID_BYTES) {
        return aerogpu_edid_read(s, addr - AEROGPU_EXT_REG_EDID, size);
    }
    if (addr >= AEROGPU_EXT_REG_CAPS &&
        addr < AEROGPU_EXT_REG_CAPS + AEROGPU_EXT_REG_CAPS_BYTES) {
        return caps_read(s, addr - AEROGPU_EXT_REG_CAPS, size);
    }
    if (is_gamma_ramp(addr, size)) {
        return aerogpu_gamma_read(s, addr - AEROGPU_EXT_REG_GAMMA_RAMP);
    }
    if (reg && reg->read) {
        value = reg->read(s);
        trace_aerogpu_reg_read(addr, reg->name, value);
    }
    return value;
}

void aerogpu_ext_regs_write(AeroGPUState *s, hwaddr addr, uint32_t value,
                            unsigned size)
{
    const AeroGPUExtReg *reg = size == 4 ? ext_reg(addr) : NULL;
    uint32_t entry = palette_entry(addr, size);

    if (is_gamma_ramp(addr, size)) {
        aerogpu_gamma_write(s, addr - AEROGPU_EXT_REG_GAMMA_RAMP, value);
        return;
    }
    if (entry < AEROGPU_EXT_PALETTE_ENTRIES) {
        aerogpu_scanout_set_color(s, entry, value);
        return;
    }
    if (reg && reg->write) {
        trace_aerogpu_reg_write(addr, reg->name, value);
        reg->write(s, value);
    }
}
