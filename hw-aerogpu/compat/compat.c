/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The parts of compat.h that need headers the other files should not see. */
#include "qemu/osdep.h"
#include "compat.h"

#if QEMU_VERSION_MAJOR >= 9
#include "qapi/qapi-commands-ui.h"
#include "qapi/qapi-types-ui.h"

bool aerogpu_compat_host_cursor(QemuConsole *con)
{
    DisplayOptions *opts = qmp_query_display_options(NULL);
    bool shown = opts && opts->type != DISPLAY_TYPE_NONE;

    qapi_free_DisplayOptions(opts);
    return shown;
}
#else
bool aerogpu_compat_host_cursor(QemuConsole *con)
{
    return dpy_cursor_define_supported(con);
}
#endif
