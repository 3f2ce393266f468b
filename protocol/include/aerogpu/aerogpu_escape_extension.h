/* SPDX-License-Identifier: MIT */
/* Escapes (aerogpu_escape.h) that these drivers have and revision 1.4 lacks; a driver without one answers
 * STATUS_NOT_SUPPORTED. The same layout for 32- and 64-bit callers. docs/abi/driver-data.md. */
#ifndef AEROGPU_ESCAPE_EXTENSION_H
#define AEROGPU_ESCAPE_EXTENSION_H

#include "aerogpu_escape.h"

#pragma pack(push, 1)

#define AEROGPU_ESCAPE_OP_EXT_RESERVE_HANDLES 18U

#define AEROGPU_EXT_RANGED_HANDLES_FIRST 0xE0000000U /* of the handles that are given out in ranges only */
#define AEROGPU_EXT_RANGED_HANDLES_LAST 0xEFFFFFFFU
#define AEROGPU_EXT_HANDLE_RANGE_UNIT 0x10000U /* a range has this many handles, or a multiple of it */
#define AEROGPU_EXT_HANDLES_MAX 0x40000U       /* in all ranges of a device together */

/** RESERVE_HANDLES, of the device of the escape. */
struct aerogpu_escape_ext_reserve_handles_inout {
  struct aerogpu_escape_header hdr;
  uint32_t count; /* in: at least so many handles, 1 to AEROGPU_EXT_HANDLES_MAX; out: so many, a multiple of the unit */
  uint32_t first; /* out: the first of them; they follow one another */
};
AEROGPU_ABI_SIZE(aerogpu_escape_ext_reserve_handles_inout, 24);

#pragma pack(pop)

#endif /* AEROGPU_ESCAPE_EXTENSION_H */
