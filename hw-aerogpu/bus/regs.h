/* SPDX-License-Identifier: GPL-2.0-or-later */
/* BAR0 (regs.c). Everything here runs under the BQL. */
#ifndef HW_AEROGPU_REGS_H
#define HW_AEROGPU_REGS_H

#include "exec/memory.h"
#include "hw-aerogpu/types.h"

extern const MemoryRegionOps aerogpu_mmio_ops; /* opaque: AeroGPUState */
/* Sets the features of device and renderer. Call when the renderer exists. */
void aerogpu_regs_init(AeroGPUState *s);
extern const VMStateDescription aerogpu_regs_vmstate; /* of AeroGPURegFile */

#endif /* HW_AEROGPU_REGS_H */
