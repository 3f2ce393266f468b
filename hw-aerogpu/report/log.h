/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Lines for -d guest_errors (log.c). */
#ifndef HW_AEROGPU_LOG_H
#define HW_AEROGPU_LOG_H

#include "hw-aerogpu/types.h"

/* Limits the guest's lines. Atomic, but for `prefix`. */
typedef struct AeroGPULog {
    uint32_t second; /* of the host's clock */
    uint32_t lines;  /* in that second */
    char *prefix;    /* constant once realized: begins each line */
} AeroGPULog;

/* Returns the VM's name (-name) and id (-uuid), or "". UTF-8; g_free() them. */
char *aerogpu_vm_name(void);
char *aerogpu_vm_uuid(void);

/* Sets the prefix; call it before anything is logged. BQL. */
void aerogpu_log_init(AeroGPUState *s);
void aerogpu_log_finalize(AeroGPUState *s);

/*
 * Logs a mistake of the guest; adds the newline. Any thread, any lock may be
 * held.
 */
void G_GNUC_PRINTF(2, 3)
    aerogpu_guest_error(AeroGPUState *s, const char *format, ...);

/* Logs a fault of the host. Any thread, any lock may be held. */
void aerogpu_host_error(AeroGPUState *s, const char *text);

/*
 * Logs why a saved state is refused; adds the newline. Returns -EINVAL, for
 * post_load.
 */
int G_GNUC_PRINTF(1, 2) aerogpu_load_error(const char *format, ...);

#endif /* HW_AEROGPU_LOG_H */
