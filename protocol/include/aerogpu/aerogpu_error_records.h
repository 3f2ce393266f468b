/* SPDX-License-Identifier: MIT */
/* Single errors, each with its handle space and context. docs/abi/ring.md (REC). */
#ifndef AEROGPU_ERROR_RECORDS_H
#define AEROGPU_ERROR_RECORDS_H

#define AEROGPU_EXT_FEATURE_HI_ERROR_RECORDS 0x8000000U /* feature bit 59: ERROR_NEXT and ERROR_TAKEN work */
#define AEROGPU_EXT_REG_ERROR_NEXT 0x8550U              /* WO, any write takes the oldest record */
#define AEROGPU_EXT_REG_ERROR_TAKEN 0x8554U             /* RO, AEROGPU_EXT_ERROR_*, of the record that was taken */
#define AEROGPU_EXT_REG_ERROR_TAKEN_COUNT 0x8558U       /* RO, number of equal errors in the record, saturates */
#define AEROGPU_EXT_REG_ERROR_TAKEN_FENCE_LO 0x855CU    /* RO */
#define AEROGPU_EXT_REG_ERROR_TAKEN_FENCE_HI 0x8560U    /* RO */
#define AEROGPU_EXT_REG_ERROR_TAKEN_SPACE 0x8564U       /* RO, handle space of the submission */
#define AEROGPU_EXT_REG_ERROR_TAKEN_CONTEXT 0x8568U     /* RO, its context_id */
#define AEROGPU_EXT_ERROR_CODE 0xFFFFU           /* ERROR_TAKEN: enum aerogpu_error_code, 0 when there was none */
#define AEROGPU_EXT_ERROR_MORE 0x10000U          /* ERROR_TAKEN: others wait */
#define AEROGPU_EXT_ERROR_LOST 0x20000U          /* ERROR_TAKEN: since the last write, some errors found no room */
#define AEROGPU_EXT_ERROR_LOST_INTERNAL 0x40000U /* ERROR_TAKEN: one of the lost errors had code INTERNAL */
#define AEROGPU_EXT_ERROR_RECORDS 128U           /* at most so many records wait */

#endif /* AEROGPU_ERROR_RECORDS_H */
