/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Sections of the device's own in a stream of migration (section.c). */
#ifndef HW_AEROGPU_SECTION_H
#define HW_AEROGPU_SECTION_H

#include "migration/register.h"
#include "hw-aerogpu/types.h"

/*
 * Registers a section of that name for this device. Returns its id, for
 * aerogpu_section_remove(). BQL.
 */
char *aerogpu_section_add(AeroGPUState *s, const char *name,
                          const SaveVMHandlers *handlers);
/* Does nothing for NULL, and leaves NULL. BQL. */
void aerogpu_section_remove(AeroGPUState *s, char **id);

#endif /* HW_AEROGPU_SECTION_H */
