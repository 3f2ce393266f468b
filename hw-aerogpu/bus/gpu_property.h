/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The properties vulkan-device and renderer-restart, which can be set while the
 * machine runs.
 */
#ifndef HW_AEROGPU_GPU_PROPERTY_H
#define HW_AEROGPU_GPU_PROPERTY_H

#include "hw-aerogpu/types.h"
#include "hw/qdev-properties.h"

extern PropertyInfo aerogpu_gpu_property_info;

/* Fills aerogpu_gpu_property_info, before properties are added. */
void aerogpu_gpu_property_init(void);

/* Adds the properties renderer-restart and renderer-prepare. */
void aerogpu_restart_property_init(ObjectClass *klass);

#endif /* HW_AEROGPU_GPU_PROPERTY_H */
