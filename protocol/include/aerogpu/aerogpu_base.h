/* SPDX-License-Identifier: MIT */
/* Definitions for every header of the ABI: fixed-width types, the size assertion, the revision. Usable from C99 and
 * C++11 on, gcc, clang and mingw, user and kernel mode, 32 and 64 bit. All fields are little-endian. */
#ifndef AEROGPU_BASE_H
#define AEROGPU_BASE_H

#include <stddef.h>
#include <stdint.h>

/** Fails the build if struct NAME is not BYTES long. */
#if defined(__cplusplus)
#define AEROGPU_ABI_SIZE(name, bytes) static_assert(sizeof(struct name) == (bytes), #name)
#else
#define AEROGPU_ABI_SIZE(name, bytes) _Static_assert(sizeof(struct name) == (bytes), #name)
#endif

/* The revision of the ABI: major << 16 | minor. A device refuses another major; a newer minor is fine. */
#define AEROGPU_ABI_MAJOR 1U
#define AEROGPU_ABI_MINOR 4U
#define AEROGPU_ABI_VERSION_U32 0x10004U

#endif /* AEROGPU_BASE_H */
