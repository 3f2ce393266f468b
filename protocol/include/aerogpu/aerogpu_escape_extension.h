/* SPDX-License-Identifier: MIT */
/* Escapes (aerogpu_escape.h) that these drivers have and revision 1.4 lacks; a driver without one answers
 * STATUS_NOT_SUPPORTED. The same layout for 32- and 64-bit callers. docs/abi/driver-data.md. */
#ifndef AEROGPU_ESCAPE_EXTENSION_H
#define AEROGPU_ESCAPE_EXTENSION_H

#include "aerogpu_escape.h"

#pragma pack(push, 1)

#define AEROGPU_ESCAPE_OP_EXT_RESERVE_HANDLES 18U
#define AEROGPU_ESCAPE_OP_EXT_QUERY_OPERATION 19U
#define AEROGPU_ESCAPE_OP_EXT_QUERY_SETTINGS 20U

#define AEROGPU_EXT_RANGED_HANDLES_FIRST 0xE0000000U /* the handles from here on are given out in ranges only */
#define AEROGPU_EXT_RANGED_HANDLES_LAST 0xEFFFFFFFU
#define AEROGPU_EXT_HANDLE_RANGE_UNIT 0x10000U /* a range has this many handles, or a multiple of it */
#define AEROGPU_EXT_HANDLES_MAX 0x40000U       /* in all ranges of a device together */

/* Flag of QUERY_CURSOR, and of QUERY_SCANOUT, whose flags are its reserved0. */
#define AEROGPU_EXT_QUERY_FLAG_DEVICE 0x100U /* the answer has registers and addresses, for debuggers (ESC-11) */

/** RESERVE_HANDLES, for the escape's device. */
struct aerogpu_escape_ext_reserve_handles_inout {
  struct aerogpu_escape_header hdr;
  uint32_t count; /* in: the least number, 1 to AEROGPU_EXT_HANDLES_MAX; out: the number, a multiple of the unit */
  uint32_t first; /* out: the first handle; the others follow it */
};
AEROGPU_ABI_SIZE(aerogpu_escape_ext_reserve_handles_inout, 24);

#define AEROGPU_EXT_OPERATION_KNOWN 1U      /* the driver has it; if not, the other flags and the size are 0 */
#define AEROGPU_EXT_OPERATION_PRIVILEGED 2U /* it requires SeDebugPrivilege */
#define AEROGPU_EXT_OPERATION_REFUSED 4U    /* the host's policy is escapes=off (ESC-8) */
#define AEROGPU_EXT_OPERATION_ALLOWED 8U    /* this caller may ask it now */

/** QUERY_OPERATION: asks about an operation without carrying it out. */
struct aerogpu_escape_ext_query_operation_inout {
  struct aerogpu_escape_header hdr;
  uint32_t operation;    /* in: AEROGPU_ESCAPE_OP_* */
  uint32_t flags;        /* out: AEROGPU_EXT_OPERATION_* */
  uint32_t bytes_needed; /* out: the smallest size of its structure */
  uint32_t reserved0;
};
AEROGPU_ABI_SIZE(aerogpu_escape_ext_query_operation_inout, 32);

#define AEROGPU_EXT_SETTING_3D_DISABLED 1U       /* Disable3D */
#define AEROGPU_EXT_SETTING_GDI_DISABLED 2U      /* DisableGdiAcceleration */
#define AEROGPU_EXT_SETTING_APERTURE_DISABLED 4U /* DisableAperture */
#define AEROGPU_EXT_SETTING_BUFFERS_DISABLED 8U  /* DisableHardwareBuffers */
#define AEROGPU_EXT_USER_MODE_LOG_MAX 3U         /* largest user_mode_log */

/** QUERY_SETTINGS: the registry values under the adapter's software key as the driver read them when it started. */
struct aerogpu_escape_ext_query_settings_out {
  struct aerogpu_escape_header hdr;
  uint32_t flags;         /* AEROGPU_EXT_SETTING_* */
  uint32_t user_mode_log; /* UserModeLog: 0 nothing, 1 errors, 2 also refused calls, 3 all calls */
  uint32_t reserved0;
  uint32_t reserved1;
};
AEROGPU_ABI_SIZE(aerogpu_escape_ext_query_settings_out, 32);

#pragma pack(pop)

#endif /* AEROGPU_ESCAPE_EXTENSION_H */
