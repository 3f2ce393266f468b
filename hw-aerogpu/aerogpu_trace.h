/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The trace functions that tracetool makes from trace-events. */
#include "trace-aerogpu.h"
