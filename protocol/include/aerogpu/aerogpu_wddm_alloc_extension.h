/* SPDX-License-Identifier: MIT */
/* Flags of a WDDM allocation's private data (aerogpu_wddm_alloc.h) that revision 1.4 lacks. docs/abi/driver-data.md. */
#ifndef AEROGPU_WDDM_ALLOC_EXTENSION_H
#define AEROGPU_WDDM_ALLOC_EXTENSION_H

#include "aerogpu_wddm_alloc.h"

/* A primary of a user-mode driver, which asks Windows for it with D3DDDI_ALLOCATIONINFO.Flags.Primary: Windows does not
 * pass that flag on to the kernel driver. */
#define AEROGPU_WDDM_ALLOC_PRIV_FLAG_EXT_PRIMARY 0x80000000U /* scanned out by a user-mode driver's flips */

#endif /* AEROGPU_WDDM_ALLOC_EXTENSION_H */
