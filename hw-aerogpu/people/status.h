/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The state of a device in one property (status.c). */
#ifndef HW_AEROGPU_STATUS_H
#define HW_AEROGPU_STATUS_H

#include "hw-aerogpu/types.h"

void aerogpu_status_class_init(ObjectClass *klass);

#endif /* HW_AEROGPU_STATUS_H */
