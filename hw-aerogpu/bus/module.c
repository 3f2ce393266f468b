/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How the device gets into QEMU. For a stock binary it is a shared object that
 * preload.c loads: its constructors register the type (type_init in pci.c)
 * before main() runs. In a QEMU tree it is an ordinary module.
 *
 * QEMU registers types before it looks at its options, so the renderer's
 * translator process, and the one that starts renderers' processes, start at
 * that time: -sandbox spawn=deny, -runas and -chroot take effect later and
 * cannot prevent it.
 */
#include "qemu/osdep.h"
#include "qemu/module.h"
#include "aerogpu/renderer.h"
#include "hw-aerogpu/bus/module.h"

#include <dlfcn.h>

char *aerogpu_module_dir(void)
{
    Dl_info info;

    if (!dladdr(aerogpu_module_dir, &info) || !info.dli_fname) {
        return NULL;
    }
    return g_path_get_dirname(info.dli_fname);
}

#ifndef AEROGPU_PRELOAD
#include "qemu/error-report.h"
#include "qemu/config-file.h"
#include "qemu/option.h"

/*
 * True, with a warning, if -sandbox is on: QEMU loads a module when -device
 * names it, which is after the sandbox took effect.
 */
static bool aerogpu_behind_sandbox(void)
{
    QemuOptsList *list = qemu_find_opts_err("sandbox", NULL);
    QemuOpts *opts = list ? qemu_opts_find(list, NULL) : NULL;

    if (!opts || !qemu_opt_get_bool(opts, "enable", false)) {
        return false;
    }
    warn_report("aerogpu: the device was loaded after -sandbox took effect "
                "(scripts/build-qemu --builtin links it in)");
    return true;
}
#else
static bool aerogpu_behind_sandbox(void)
{
    return false;
}
#endif

static void aerogpu_start_helpers(void)
{
    /* If one fails, the renderer says why when it is created. */
    if (!aerogpu_behind_sandbox()) {
        aerogpu_renderer_prepare_process(NULL, NULL, 0);
        aerogpu_renderer_prepare_start(NULL, NULL, 0);
    }
}

type_init(aerogpu_start_helpers)

#ifndef AEROGPU_PRELOAD

    module_obj("aerogpu");
module_kconfig(PCI);

#endif
