/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The property vulkan-device, which can be set while the machine runs. */
#ifndef HW_AEROGPU_GPU_PROPERTY_H
#define HW_AEROGPU_GPU_PROPERTY_H

#include "hw-aerogpu/types.h"
#include "hw/qdev-properties.h"

extern PropertyInfo aerogpu_gpu_property_info;

/* Fills aerogpu_gpu_property_info, before properties are added. */
void aerogpu_gpu_property_init(void);

#endif /* HW_AEROGPU_GPU_PROPERTY_H */
