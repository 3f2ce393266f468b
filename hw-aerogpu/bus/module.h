/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The place that the device's code was loaded from. */
#ifndef HW_AEROGPU_MODULE_H
#define HW_AEROGPU_MODULE_H

/* Folder of the shared object that holds the device, or NULL. g_free() it. */
char *aerogpu_module_dir(void);

#endif /* HW_AEROGPU_MODULE_H */
