/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A program with the one QEMU function that the preloaded object calls, which
 * answers $OTHER_QEMU_VERSION. It has none of the functions that the device
 * needs.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

/* As qapi/control.json has them. */
struct version_triple {
    int64_t major, minor, micro;
};

struct version_info {
    struct version_triple *qemu;
    char *package;
};

struct version_info *qmp_query_version(void **errp);

/* Called before main(). */
struct version_info *qmp_query_version(void **errp)
{
    static struct version_triple triple;
    static struct version_info info = { &triple, (char *)"" };
    const char *version = getenv("OTHER_QEMU_VERSION");
    int major = 0, minor = 0;

    (void)errp;
    if (!version || sscanf(version, "%d.%d", &major, &minor) != 2) {
        abort();
    }
    triple = (struct version_triple){ major, minor, 0 };
    return &info;
}

int main(void)
{
    puts("started");
    return 0;
}
