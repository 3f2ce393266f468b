/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The trace functions that tracetool makes from trace-events: our own build
 * names them by group, a QEMU tree by folder.
 */
#ifdef AEROGPU_PRELOAD
#include "trace-aerogpu.h"
#else
#include "trace/trace-hw_display_aerogpu.h"
#endif
