/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The parts of compat.h that need headers the other files should not see. */
#include "qemu/osdep.h"
#include "hw-aerogpu/compat/compat.h"

#if QEMU_VERSION_MAJOR >= 9
#include "qapi/qapi-commands-ui.h"
#include "qapi/qapi-types-ui.h"
#include "qemu/config-file.h"
#include "qemu/option.h"
#include "ui/qemu-spice-module.h"

/* True if VNC or SPICE is on: these are no display types, and can come with
 * any of them, even "none". */
static bool aerogpu_compat_remote_display(void)
{
    QemuOptsList *vnc = qemu_find_opts_err("vnc", NULL);

    return using_spice || (vnc && !QTAILQ_EMPTY(&vnc->head));
}

bool aerogpu_compat_host_cursor(QemuConsole *con)
{
    DisplayOptions *opts;
    bool shown;

    if (aerogpu_compat_remote_display()) {
        return true;
    }
    opts = qmp_query_display_options(NULL);
    shown = opts && opts->type != DISPLAY_TYPE_NONE;
    qapi_free_DisplayOptions(opts);
    return shown;
}
#else
bool aerogpu_compat_host_cursor(QemuConsole *con)
{
    return dpy_cursor_define_supported(con);
}
#endif
