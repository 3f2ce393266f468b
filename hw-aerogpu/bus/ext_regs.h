/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The extension space of BAR0 (ext_regs.c). Everything here runs under the BQL. */
#ifndef HW_AEROGPU_EXT_REGS_H
#define HW_AEROGPU_EXT_REGS_H

#include "exec/hwaddr.h"
#include "hw-aerogpu/types.h"

/*
 * Accesses of `size` bytes, 1 to 4, at `addr`, an offset in BAR0 that is
 * AEROGPU_EXT_REG_FIRST or more. What is no register reads as 0, and a write of
 * it has no effect.
 */
uint32_t aerogpu_ext_regs_read(AeroGPUState *s, hwaddr addr, unsigned size);
void aerogpu_ext_regs_write(AeroGPUState *s, hwaddr addr, uint32_t value,
                            unsigned size);

#endif /* HW_AEROGPU_EXT_REGS_H */
