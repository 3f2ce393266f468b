/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The extension space of BAR0 (ext_regs.c). BQL. */
#ifndef HW_AEROGPU_EXT_REGS_H
#define HW_AEROGPU_EXT_REGS_H

#include "exec/hwaddr.h"
#include "hw-aerogpu/types.h"

/*
 * Read or write `size` bytes, 1 to 4, at `addr`, an offset in BAR0 of
 * AEROGPU_EXT_REG_FIRST or more. Registers and gamma ramp take 4 bytes at
 * once; EDID and capability block are read in any size. Any other read returns 0, any other
 * write has no effect.
 */
uint32_t aerogpu_ext_regs_read(AeroGPUState *s, hwaddr addr, unsigned size);
void aerogpu_ext_regs_write(AeroGPUState *s, hwaddr addr, uint32_t value,
                            unsigned size);

#endif /* HW_AEROGPU_EXT_REGS_H */
