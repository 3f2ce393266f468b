/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The saved state of the display (scanout_state.c). */
#ifndef HW_AEROGPU_SCANOUT_STATE_H
#define HW_AEROGPU_SCANOUT_STATE_H

#include "hw-aerogpu/types.h"

/* Of an AeroGPUScanout. After a load comes aerogpu_scanout_loaded(). */
extern const VMStateDescription aerogpu_scanout_vmstate;

#endif /* HW_AEROGPU_SCANOUT_STATE_H */
