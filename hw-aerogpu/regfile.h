/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The words of BAR0 that have storage, for any part that needs the values a
 * driver wrote. regs.c says what an access does.
 */
#ifndef HW_AEROGPU_REGFILE_H
#define HW_AEROGPU_REGFILE_H

#include "hw-aerogpu/types.h"
#include "aerogpu/aerogpu_pci.h"

/* Everything up to CURSOR_PITCH_BYTES. */
#define AEROGPU_REG_WORDS (AEROGPU_MMIO_REG_CURSOR_PITCH_BYTES / 4 + 1)

enum {
    AEROGPU_LATCH_FENCE,
    AEROGPU_LATCH_SEQ,
    AEROGPU_LATCH_TIME,
    AEROGPU_LATCHES
};

/* Written under the BQL. Other threads read single words with aerogpu_reg(). */
typedef struct AeroGPURegFile {
    uint32_t word[AEROGPU_REG_WORDS];
    uint32_t latch_hi[AEROGPU_LATCHES]; /* BQL: HI as of the last read of LO */
    uint32_t timestamp_hi;              /* BQL: latched like latch_hi */
    uint64_t own_features;              /* constant once realized */
    /* BQL: what the guest is told, here or on the host it was saved on. */
    uint64_t features;   /* FEATURES_LO and _HI */
    const uint8_t *caps; /* the capability block */
    size_t caps_size;
} AeroGPURegFile;

/* Returns the register at `offset`. Any thread. */
static inline uint32_t aerogpu_reg(const AeroGPURegFile *regs, uint32_t offset)
{
    return qatomic_read(&regs->word[offset / 4]);
}

/* Returns a pair of registers, LO at `offset_lo`. Any thread; not atomic.
 */
static inline uint64_t aerogpu_reg64(const AeroGPURegFile *regs,
                                     uint32_t offset_lo)
{
    return aerogpu_reg(regs, offset_lo) |
           (uint64_t)aerogpu_reg(regs, offset_lo + 4) << 32;
}

/* Stores a value. BQL. */
static inline void aerogpu_reg_set(AeroGPURegFile *regs, uint32_t offset,
                                   uint32_t value)
{
    qatomic_set(&regs->word[offset / 4], value);
}

/* Device reset. BQL. */
static inline void aerogpu_regfile_reset(AeroGPURegFile *regs)
{
    size_t i;

    for (i = 0; i < AEROGPU_REG_WORDS; i++) {
        aerogpu_reg_set(regs, i * 4, 0);
    }
    memset(regs->latch_hi, 0, sizeof(regs->latch_hi));
    regs->timestamp_hi = 0;
}

#endif /* HW_AEROGPU_REGFILE_H */
