/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Saved state, put together from that of the parts (vmstate.c). */
#ifndef HW_AEROGPU_VMSTATE_H
#define HW_AEROGPU_VMSTATE_H

#include "hw-aerogpu/types.h"

extern const VMStateDescription aerogpu_vmstate;

#endif /* HW_AEROGPU_VMSTATE_H */
