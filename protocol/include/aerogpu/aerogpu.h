/* SPDX-License-Identifier: MIT */
/* The whole of AeroGPU ABI 1.4 and its extensions. */
#ifndef AEROGPU_H
#define AEROGPU_H

#include "aerogpu_caps.h"
#include "aerogpu_cmd_table.h"
#include "aerogpu_escape.h"
#include "aerogpu_escape_extension.h"
#include "aerogpu_extension.h"
#include "aerogpu_format.h"
#include "aerogpu_pci.h"
#include "aerogpu_ring.h"
#include "aerogpu_umd_private.h"
#include "aerogpu_wddm_alloc.h"
#include "aerogpu_wddm_alloc_extension.h"

#endif /* AEROGPU_H */
